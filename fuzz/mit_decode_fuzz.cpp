// Every decoder of a dialect over arbitrary bytes: the session's, and the fields of every type. What was read must be
// written again, and then be read as the same. The last byte chooses the dialect.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "dojima/base/assert.hpp"
#include "dojima/mit/bit_9_4.hpp"
#include "dojima/mit/fields.hpp"
#include "dojima/mit/lse_11_8_5.hpp"
#include "dojima/mit/lse_21_2.hpp"

namespace {

using namespace dojima;
using mit::Dialect;
using mit::Inbound;
using mit::Outbound;

using Buffer = std::array<std::byte, 256>;

Result<std::size_t> encode(const Dialect& dialect, const Inbound& request, Room room) {
  switch (request.kind) {
    case Inbound::Kind::heartbeat:
      return dialect.encode_heartbeat(room);
    case Inbound::Kind::logon:
      return dialect.encode_logon(request.logon, room);
    case Inbound::Kind::logout:
      return dialect.encode_logout(request.logout, room);
    case Inbound::Kind::new_order:
      return dialect.encode_new_order(request.new_order, room);
    case Inbound::Kind::replace:
      return dialect.encode_replace(request.replace, room);
    case Inbound::Kind::cancel:
      return dialect.encode_cancel(request.cancel, room);
    case Inbound::Kind::mass_cancel:
      return dialect.encode_mass_cancel(request.mass_cancel, room);
    case Inbound::Kind::quote:
      return dialect.encode_quote(request.quote, room);
    case Inbound::Kind::missed_messages:
      return dialect.encode_missed_request(request.missed_messages, room);
    case Inbound::Kind::none:
      break;
  }
  return fail(ErrorCode::wrong_state);
}

bool is_same(const Inbound& a, const Inbound& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Inbound::Kind::logon:
      return a.logon == b.logon;
    case Inbound::Kind::logout:
      return a.logout == b.logout;
    case Inbound::Kind::new_order:
      return std::memcmp(&a.new_order, &b.new_order, sizeof a.new_order) == 0;
    case Inbound::Kind::replace:
      return std::memcmp(&a.replace, &b.replace, sizeof a.replace) == 0;
    case Inbound::Kind::cancel:
      return std::memcmp(&a.cancel, &b.cancel, sizeof a.cancel) == 0;
    case Inbound::Kind::mass_cancel:
      return std::memcmp(&a.mass_cancel, &b.mass_cancel, sizeof a.mass_cancel) == 0;
    case Inbound::Kind::quote:
      return std::memcmp(&a.quote, &b.quote, sizeof a.quote) == 0;
    case Inbound::Kind::missed_messages:
      return a.missed_messages == b.missed_messages;
    case Inbound::Kind::heartbeat:
    case Inbound::Kind::none:
      break;
  }
  return true;
}

void check_request(const Dialect& dialect, Bytes message) {
  Inbound request;
  mit::Reject refusal;
  if (!dialect.decode_request(message, request, refusal)) {
    DOJIMA_ASSERT(refusal.code != 0 && !refusal.reason.is_empty(), "a refusal says why");
    DOJIMA_ASSERT(request.kind == Inbound::Kind::none, "a refused request means nothing");
    Buffer room;
    DOJIMA_ASSERT(dialect.encode_reject(refusal, room).has_value(), "every refusal can be sent");
    return;
  }
  Buffer room;
  const Result<std::size_t> size = encode(dialect, request, room);
  DOJIMA_ASSERT(size.has_value() && *size == message.size(), "what was read can be written");
  Inbound again;
  DOJIMA_ASSERT(dialect.decode_request(Bytes(room).first(*size), again, refusal).has_value(), "and read again");
  DOJIMA_ASSERT(is_same(request, again), "as the same");
}

void check_reply(const Dialect& dialect, Bytes message) {
  Outbound reply;
  if (!dialect.decode_reply(message, reply) || reply.kind != Outbound::Kind::report) return;
  Buffer room;
  const mit::Report read = reply.report;
  const Result<std::size_t> size = dialect.encode_report(read.report, read.code, room);
  DOJIMA_ASSERT(size.has_value() && *size == message.size(), "what was read can be written");
  DOJIMA_ASSERT(dialect.decode_reply(Bytes(room).first(*size), reply).has_value(), "and read again");
  // The code of a report that has none by its kind is not repeated.
  const bool has_code = reply.report.code == read.code;
  market::OwnerReport expected = read.report;
  if (!has_code) expected.reason = market::Reason::none;
  DOJIMA_ASSERT(reply.report.report == expected, "as the same");
}

template <class Message>
bool check_fields_as(const Dialect& dialect, Bytes message) {
  if (message.size() != Message::k_size || load_little<char>(message, mit::k_type_offset) != Message::k_type)
    return false;
  const mit::Fields<Message> fields = mit::read_fields<Message>(message);
  Buffer room;
  mit::write_fields(fields, room);
  DOJIMA_ASSERT(mit::read_fields<Message>(room) == fields, "the fields are read again as the same");
  mit::Reject refusal;
  if (!mit::check_message(dialect, message, refusal)) {
    DOJIMA_ASSERT(refusal.code != 0 && !refusal.reason.is_empty(), "a refusal says why");
    return true;
  }
  DOJIMA_ASSERT(mit::encode_fields(dialect, fields, room).has_value(), "what was accepted can be written");
  const auto again = mit::decode_fields<Message>(dialect, Bytes(room).first(Message::k_size));
  DOJIMA_ASSERT(again.has_value() && *again == fields, "and read again as the same");
  return true;
}

template <class... Messages>
void check_fields(MessageList<Messages...>, const Dialect& dialect, Bytes message) {
  static_cast<void>((check_fields_as<Messages>(dialect, message) || ...));
}

template <class List>
void check_all(List messages, const Dialect& dialect, const std::uint8_t* data, std::size_t size) {
  const Bytes bytes = std::as_bytes(std::span(data, size));
  check_request(dialect, bytes);
  check_reply(dialect, bytes);
  if (size < 2) return;

  // Once more with a header that is right, so that the fields are reached: the first byte chooses the type.
  const auto& layouts = dialect.layouts;
  const mit::MessageLayout& layout = layouts[data[0] % layouts.size()];
  Buffer whole{};
  const Room message = Room(whole).first(layout.size);
  const std::size_t body = std::min(message.size() - mit::k_header_size, size - 1);
  if (body != 0) std::memcpy(message.data() + mit::k_header_size, data + 1, body);
  message[0] = mit::k_start_of_message;
  store_little(message, mit::k_length_offset, static_cast<std::int16_t>(layout.size - mit::k_uncounted));
  store_little(message, mit::k_type_offset, layout.type);
  check_request(dialect, message);
  check_reply(dialect, message);
  check_fields(messages, dialect, message);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::uint8_t choice = data[--size];
  switch (choice % 3) {
    case 0:
      check_all(mit::lse_21_2::Messages{}, mit::lse_21_2::k_dialect, data, size);
      break;
    case 1:
      check_all(mit::bit_9_4::Messages{}, mit::bit_9_4::k_dialect, data, size);
      break;
    default:
      check_all(mit::lse_11_8_5::Messages{}, mit::lse_11_8_5::k_dialect, data, size);
      break;
  }
  return 0;
}
