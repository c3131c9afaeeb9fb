#include "dojima/fix/store_record.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/fix/masked.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::fix {
namespace {

constexpr std::string_view k_identity = "FIX store";
constexpr std::uint8_t k_version = 2;  // of the records' layouts, in every `session`
constexpr std::int64_t k_not_known = time::nanoseconds_of(time::Time::min());

// Offsets. All records begin with the session's number.
constexpr std::size_t k_session = 0;
namespace in_incoming {
constexpr std::size_t k_next = 8, k_size = 16;
}
namespace in_numbers {
constexpr std::size_t k_outgoing = 8, k_incoming = 16, k_size = 24;
constexpr std::size_t k_begun = 24, k_reset_size = 32;  // of a reset; version 1 has none
}  // namespace in_numbers
namespace in_session {
constexpr std::size_t k_version = 4, k_outgoing = 8, k_incoming = 16, k_sizes = 24, k_begun = 32, k_texts = 40;
constexpr std::size_t k_texts_1 = 28;  // version 1: four texts, no time
}  // namespace in_session
namespace in_message {
constexpr std::size_t k_type = 4, k_sequence = 8, k_incoming = 16, k_time = 24, k_header = 32, k_state_size = 36,
                      k_bytes = 40;
}
namespace in_state {
constexpr std::size_t k_incoming = 8, k_bytes = 16;
}
static_assert(in_message::k_bytes == k_stored_message_overhead);
static_assert(k_session_record_max == in_session::k_texts + 5 * k_session_text_max);

std::array<std::string_view, 5> texts_of(const StoreRecord& record) noexcept {
  const SessionName& name = record.name;
  return {name.begin_string, name.sender_comp_id, name.target_comp_id, name.qualifier, record.verifier};
}

void store_begun(Room room, std::size_t offset, std::optional<time::Time> begun) noexcept {
  store_little(room, offset, begun ? time::nanoseconds_of(*begun) : k_not_known);
}

std::optional<time::Time> begun_at(Bytes bytes, std::size_t offset) noexcept {
  const auto begun = load_little<std::int64_t>(bytes, offset);
  if (begun == k_not_known) return std::nullopt;
  return time::from_nanoseconds(begun);
}

market::Sequence sequence_at(Bytes bytes, std::size_t offset) noexcept {
  return {load_little<std::uint64_t>(bytes, offset)};
}

std::unexpected<Error> malformed(std::size_t offset, const char* expected) noexcept {
  return fail(ErrorCode::malformed, 0, static_cast<std::uint32_t>(offset), 0, expected);
}

Result<StoreRecord> read_session(StoreRecord record, Bytes bytes) noexcept {
  if (bytes.size() < in_session::k_texts_1) return malformed(bytes.size(), "a whole session record");
  const auto version = load_little<std::uint8_t>(bytes, in_session::k_version);
  if (version == 0 || version > k_version)
    return fail(ErrorCode::not_supported, 0, in_session::k_version, version, "version 1 or 2 of the store's records");
  const bool is_first_version = version == 1;
  if (!is_first_version) {
    if (bytes.size() < in_session::k_texts) return malformed(bytes.size(), "a whole session record");
    record.numbers_begun = begun_at(bytes, in_session::k_begun);
  }
  record.next_outgoing = sequence_at(bytes, in_session::k_outgoing);
  record.next_incoming = sequence_at(bytes, in_session::k_incoming);
  std::array<std::string_view, 5> texts;
  std::size_t at = is_first_version ? in_session::k_texts_1 : in_session::k_texts;
  for (std::size_t text = 0; text < (is_first_version ? 4 : texts.size()); ++text) {
    const std::size_t size = load_little<std::uint8_t>(bytes, in_session::k_sizes + text);
    if (size > bytes.size() - at) return malformed(at, "the session's names");
    texts[text] = as_text(bytes.subspan(at, size));
    at += size;
  }
  if (at != bytes.size()) return malformed(at, "the end of the record");
  record.name = {texts[0], texts[1], texts[2], texts[3]};
  record.verifier = texts[4];
  return record;
}

Result<StoreRecord> read_message(StoreRecord record, Bytes bytes) noexcept {
  if (bytes.size() <= in_message::k_bytes) return malformed(bytes.size(), "a message");
  StoredMessage& message = record.message;
  message.sequence = sequence_at(bytes, in_message::k_sequence);
  message.type = static_cast<MsgType>(load_little<std::uint32_t>(bytes, in_message::k_type));
  message.sending_time = time::from_nanoseconds(load_little<std::int64_t>(bytes, in_message::k_time));
  message.header_size = load_little<std::uint32_t>(bytes, in_message::k_header);
  const std::size_t state_size = load_little<std::uint32_t>(bytes, in_message::k_state_size);
  if (state_size >= bytes.size() - in_message::k_bytes)
    return malformed(in_message::k_state_size, "a message before what it carries");
  message.bytes = bytes.subspan(in_message::k_bytes, bytes.size() - in_message::k_bytes - state_size);
  record.state = bytes.last(state_size);
  if (message.header_size > message.bytes.size()) return malformed(in_message::k_header, "a header inside the message");
  record.next_outgoing = {message.sequence.value + 1};
  record.next_incoming = sequence_at(bytes, in_message::k_incoming);
  return record;
}

std::string begun_text(const StoreRecord& record) {
  if (!record.numbers_begun) return {};
  std::array<char, time::k_timestamp_max> text{};
  return ", begun " + std::string(time::format_timestamp(*record.numbers_begun, 3, text));
}

}  // namespace

std::string_view name_of(StoreRecordKind kind) noexcept {
  switch (kind) {
    case StoreRecordKind::session:
      return "session";
    case StoreRecordKind::message:
      return "message";
    case StoreRecordKind::incoming:
      return "incoming";
    case StoreRecordKind::numbers:
      return "numbers";
    case StoreRecordKind::reset:
      return "reset";
    case StoreRecordKind::state:
      return "state";
  }
  return "?";
}

std::size_t size_of(const StoreRecord& record) noexcept {
  switch (record.kind) {
    case StoreRecordKind::message:
      return in_message::k_bytes + record.message.bytes.size() + record.state.size();
    case StoreRecordKind::state:
      return in_state::k_bytes + record.state.size();
    case StoreRecordKind::incoming:
      return in_incoming::k_size;
    case StoreRecordKind::numbers:
      return in_numbers::k_size;
    case StoreRecordKind::reset:
      return in_numbers::k_reset_size;
    case StoreRecordKind::session:
      break;
  }
  std::size_t size = in_session::k_texts;
  for (const std::string_view text : texts_of(record)) size += text.size();
  return size;
}

void write_store_record(const StoreRecord& record, Room room) noexcept {
  DOJIMA_ASSERT(room.size() == size_of(record), "the room is the record's", room.size());
  store_little(room, k_session, std::uint64_t{record.session});  // and what is not used behind it
  switch (record.kind) {
    case StoreRecordKind::message: {
      const StoredMessage& message = record.message;
      store_little(room, in_message::k_type, static_cast<std::uint32_t>(message.type));
      store_little(room, in_message::k_sequence, message.sequence.value);
      store_little(room, in_message::k_incoming, record.next_incoming.value);
      store_little(room, in_message::k_time, message.sending_time.time_since_epoch().count());
      store_little(room, in_message::k_header, message.header_size);
      store_little(room, in_message::k_state_size, static_cast<std::uint32_t>(record.state.size()));
      std::memcpy(room.data() + in_message::k_bytes, message.bytes.data(), message.bytes.size());
      std::ranges::copy(record.state, room.last(record.state.size()).begin());
      return;
    }
    case StoreRecordKind::state:
      store_little(room, in_state::k_incoming, record.next_incoming.value);
      std::ranges::copy(record.state, room.subspan(in_state::k_bytes).begin());
      return;
    case StoreRecordKind::incoming:
      return store_little(room, in_incoming::k_next, record.next_incoming.value);
    case StoreRecordKind::reset:
      store_begun(room, in_numbers::k_begun, record.numbers_begun);
      [[fallthrough]];
    case StoreRecordKind::numbers:
      store_little(room, in_numbers::k_outgoing, record.next_outgoing.value);
      return store_little(room, in_numbers::k_incoming, record.next_incoming.value);
    case StoreRecordKind::session:
      break;
  }
  store_little(room, in_session::k_version, std::uint32_t{k_version});
  store_little(room, in_session::k_outgoing, record.next_outgoing.value);
  store_little(room, in_session::k_incoming, record.next_incoming.value);
  store_little(room, in_session::k_sizes, std::uint64_t{0});
  store_begun(room, in_session::k_begun, record.numbers_begun);
  std::size_t at = in_session::k_texts, size_at = in_session::k_sizes;
  for (const std::string_view text : texts_of(record)) {
    DOJIMA_ASSERT(text.size() <= k_session_text_max, "names fit their record", text.size());
    store_little(room, size_at++, static_cast<std::uint8_t>(text.size()));
    std::ranges::copy(as_bytes(text), room.begin() + static_cast<std::ptrdiff_t>(at));
    at += text.size();
  }
}

Result<StoreRecord> read_store_record(std::uint8_t kind, Bytes bytes) noexcept {
  StoreRecord record{.kind = static_cast<StoreRecordKind>(kind)};
  if (record.kind < StoreRecordKind::session || record.kind > StoreRecordKind::state)
    return fail(ErrorCode::not_supported, 0, 0, kind, "a record of a FIX store: kind 32 to 37");
  if (record.kind == StoreRecordKind::state) {
    if (bytes.size() <= in_state::k_bytes) return malformed(bytes.size(), "a state");
    record.session = load_little<std::uint32_t>(bytes, k_session);
    record.next_incoming = sequence_at(bytes, in_state::k_incoming);
    if ((record.session == 0) != (record.next_incoming.value == 0))
      return malformed(in_state::k_incoming, "a number where there is a session");
    record.state = bytes.subspan(in_state::k_bytes);
    return record;
  }
  if (bytes.size() < in_incoming::k_size) return malformed(bytes.size(), "a whole record");
  record.session = load_little<std::uint32_t>(bytes, k_session);
  if (record.session == 0) return malformed(k_session, "a session's number, from 1 on");
  if (record.kind == StoreRecordKind::session) {
    auto read = read_session(record, bytes);
    if (!read) return read;
    record = *read;
  } else if (record.kind == StoreRecordKind::message) {
    auto read = read_message(record, bytes);
    if (!read) return read;
    record = *read;
  } else if (record.kind == StoreRecordKind::incoming) {
    if (bytes.size() != in_incoming::k_size) return malformed(in_incoming::k_size, "the end of the record");
    record.next_outgoing = {1};  // not said
    record.next_incoming = sequence_at(bytes, in_incoming::k_next);
  } else {
    const bool is_dated = record.kind == StoreRecordKind::reset && bytes.size() == in_numbers::k_reset_size;
    if (!is_dated && bytes.size() != in_numbers::k_size) return malformed(in_numbers::k_size, "the end of the record");
    if (is_dated) record.numbers_begun = begun_at(bytes, in_numbers::k_begun);
    record.next_outgoing = sequence_at(bytes, in_numbers::k_outgoing);
    record.next_incoming = sequence_at(bytes, in_numbers::k_incoming);
  }
  if (record.next_outgoing.value == 0 || record.next_incoming.value == 0)
    return malformed(in_numbers::k_outgoing, "numbers from 1 on");
  return record;
}

std::string describe(const StoreRecord& record) {
  std::string numbers = "next outgoing " + std::to_string(record.next_outgoing.value) + ", next incoming " +
                        std::to_string(record.next_incoming.value);
  switch (record.kind) {
    case StoreRecordKind::session: {
      std::string text = std::string(record.name.begin_string) + " " + std::string(record.name.sender_comp_id) +
                         " -> " + std::string(record.name.target_comp_id);
      if (!record.name.qualifier.empty()) text += " (" + std::string(record.name.qualifier) + ")";
      text += ", " + numbers + begun_text(record);
      return record.verifier.empty() ? text : text + ", with a password that the peer chose";
    }
    case StoreRecordKind::incoming:
      return "next incoming " + std::to_string(record.next_incoming.value);
    case StoreRecordKind::numbers:
    case StoreRecordKind::reset:
      return numbers + begun_text(record);
    case StoreRecordKind::state:
      return std::to_string(record.state.size()) + " bytes of state";
    case StoreRecordKind::message:
      break;
  }
  std::string text(as_text(record.message.bytes));
  mask_secrets(text);
  std::ranges::replace(text, '\x01', '|');
  if (!record.state.empty()) text += " with " + std::to_string(record.state.size()) + " bytes of state";
  return text;
}

journal::Identity identity_of_store(std::string_view name) noexcept {
  std::array<char, sizeof(journal::Identity)> text{};
  const auto end = std::ranges::copy(k_identity, text.begin()).out;
  std::ranges::copy(name.substr(0, text.size() - k_identity.size()), end);
  return journal::Identity::of({text.data(), text.size()});
}

bool is_store(const journal::Identity& identity) noexcept {
  return as_text(identity.bytes).starts_with(k_identity);
}

}  // namespace dojima::fix
