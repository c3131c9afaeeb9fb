#pragma once

// A dialect of MIT203 as a table of functions, so that sessions know no layout. `decode_*` read one whole message (as
// framed by its header), `encode_*` write one and return its bytes. Values outside are neutral; one that the dialect
// cannot carry (a quantity above its integers, a time in force it does not know, text too long, half seconds where it
// counts whole ones) is an Error, never cut. Stateless functions: any thread, no allocation, O(length of the message).
//
//   Inbound request;  Reject refusal;
//   if (auto read = dialect.decode_request(message, request, refusal); !read) ... send the refusal

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "dojima/base/bytes.hpp"
#include "dojima/base/error.hpp"
#include "dojima/mit/layout.hpp"
#include "dojima/mit/messages.hpp"

namespace dojima::mit {

struct Dialect {
  const char* name;
  std::span<const MessageLayout> layouts;  ///< every message
  std::array<std::uint8_t, 256> rows;      ///< of `layouts`, by type; beyond them where there is none
  std::size_t longest;                     ///< bytes of the longest message
  std::int64_t fraction_ns;                ///< what the second word of TransactTime counts, in nanoseconds

  /// Reads one message of a client and validates it as the front of a venue does. On failure `refusal` is the Reject
  /// that the protocol prescribes; `request` then means nothing. Error::offset is the offending field's.
  Result<void> (*decode_request)(Bytes message, Inbound& request, Reject& refusal);
  /// Reads one message of a server.
  Result<void> (*decode_reply)(Bytes message, Outbound& reply);
  /// The same of a message that was checked before: the header and what the fields hold are taken as they are. A
  /// type that the session does not read gives kind none.
  void (*read_request)(Bytes message, Inbound& request);
  void (*read_reply)(Bytes message, Outbound& reply);

  // `no_room` when the message does not fit the room; the room then holds nothing of use.
  Result<std::size_t> (*encode_logon)(const Logon&, Room);
  Result<std::size_t> (*encode_logon_reply)(const LogonReply&, Room);
  Result<std::size_t> (*encode_logout)(const Logout&, Room);
  Result<std::size_t> (*encode_heartbeat)(Room);
  Result<std::size_t> (*encode_reject)(const Reject&, Room);
  Result<std::size_t> (*encode_missed_request)(const MissedMessageRequest&, Room);
  Result<std::size_t> (*encode_missed_ack)(const MissedMessageAck&, Room);
  Result<std::size_t> (*encode_missed_report)(const MissedMessageReport&, Room);
  Result<std::size_t> (*encode_system_status)(const SystemStatus&, Room);
  Result<std::size_t> (*encode_new_order)(const market::NewOrder&, Room);
  /// An error where the dialect has no quotes.
  Result<std::size_t> (*encode_quote)(const market::Quote&, Room);
  Result<std::size_t> (*encode_replace)(const market::Replace&, Room);
  Result<std::size_t> (*encode_cancel)(const market::Cancel&, Room);
  Result<std::size_t> (*encode_mass_cancel)(const market::MassCancel&, Room);
  /// `code` is what the wire carries where the kind of report has a code; `code_of(report.reason)` is the usual one.
  Result<std::size_t> (*encode_report)(const market::OwnerReport&, std::int32_t code, Room);
  /// The same of a report that every dialect can carry, of the kinds that most are: the bytes written, or 0 and nothing
  /// was written, and encode_report() has the rest to say.
  std::size_t (*write_report)(const market::OwnerReport&, std::int32_t code, Room) noexcept;
};

// The dialects that there are; the header of each name has its messages. All read and write `A 5 0 D F G q M` and
// `B 5 0 3 8 9 j r n N P`, and those that have quotes `S`.
namespace lse_21_2 {
extern const Dialect k_dialect;
}
namespace lse_11_8_5 {
extern const Dialect k_dialect;
}
namespace bit_9_4 {
extern const Dialect k_dialect;
}

/// What a header says. All dialects have the same header.
struct Frame {
  std::size_t size = 0;  ///< all bytes of the message
  char type = '\0';
};

/// The frame at the start of `bytes`; `incomplete` while its header is not there. `malformed` when the start byte is
/// wrong or the length is none that a message of at most `longest` bytes can have: the stream cannot be followed any
/// further. `offset` names the header field.
[[nodiscard]] Result<Frame> read_frame(Bytes bytes, std::size_t longest) noexcept;

}  // namespace dojima::mit
