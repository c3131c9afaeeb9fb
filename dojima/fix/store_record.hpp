#pragma once

// What the records of a FIX store's journal say (docs/fix.md has their layouts): for JournalStores, which writes and
// recovers them, and for tools that show them. Numbers are little-endian; the record's kind in the journal says which
// of these it is. A reset is `numbers` of kind `reset`: it also forgets all messages of the session.
//
//   const Result<StoreRecord> read = read_store_record(record.kind, record.bytes);
//   if (read) show(describe(*read));

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dojima/base/bytes.hpp"
#include "dojima/base/error.hpp"
#include "dojima/fix/session_name.hpp"
#include "dojima/fix/store.hpp"
#include "dojima/journal/durability.hpp"
#include "dojima/market/order.hpp"
#include "dojima/time/time.hpp"

namespace dojima::fix {

enum class StoreRecordKind : std::uint8_t {
  session = 32,   ///< a session's names, numbers and verifier: when it is first used, and again in every checkpoint
  message = 33,   ///< a message of ours
  incoming = 34,  ///< the number of the next message we expect
  numbers = 35,   ///< both numbers, set by hand
  reset = 36,     ///< both numbers begin anew, messages are forgotten
  state = 37,     ///< state of the sessions' user, by itself
};

/// "session", "message", ...; "?" for anything else.
[[nodiscard]] std::string_view name_of(StoreRecordKind kind) noexcept;

struct StoreRecord {
  StoreRecordKind kind{};
  std::uint32_t session = 0;         ///< its number in this journal, from 1 on; 0: a `state` of none
  market::Sequence next_outgoing{};  ///< behind this record; not in `incoming`
  market::Sequence next_incoming{};
  std::optional<time::Time> numbers_begun{};  ///< of a `session` and a `reset`; none: not known
  StoredMessage message{};                    ///< of a `message`; the bytes are the record's
  SessionName name{};                         ///< of a `session`; the texts are the record's
  std::string_view verifier{};                ///< of a `session`: JournalStores::verifier
  Bytes state{};                              ///< of a `state`, or what a `message` carries with it; the record's
};

/// Bytes of a record around a message's own and what it carries.
inline constexpr std::size_t k_stored_message_overhead = 40;
/// The longest text of a SessionName in a record.
inline constexpr std::size_t k_session_text_max = 255;
/// The longest record but a message's.
inline constexpr std::size_t k_session_record_max = 40 + 5 * k_session_text_max;

/// How many bytes the record takes.
[[nodiscard]] std::size_t size_of(const StoreRecord& record) noexcept;
/// Writes it into a room of that size.
void write_store_record(const StoreRecord& record, Room room) noexcept;
/// Errors: `not_supported` for a kind that is none of these, `malformed` with the offset of what is wrong. O(1).
[[nodiscard]] Result<StoreRecord> read_store_record(std::uint8_t kind, Bytes bytes) noexcept;

/// What is particular to the record, for people. In messages SOH is shown as '|', and the values of Password(554),
/// NewPassword(925) and, in a Logon, RawData(96) as "***". Of a verifier it says only that there is one.
[[nodiscard]] std::string describe(const StoreRecord& record);

/// Whose journal a store of that name is, and whether a journal is a FIX store's at all.
[[nodiscard]] journal::Identity identity_of_store(std::string_view name) noexcept;
[[nodiscard]] bool is_store(const journal::Identity& identity) noexcept;

}  // namespace dojima::fix
