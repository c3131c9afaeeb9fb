#include "dojima/mit/describe.hpp"

#include <algorithm>
#include <array>

#include "dojima/mit/bit_9_4.hpp"
#include "dojima/mit/codec/check.hpp"
#include "dojima/mit/lse_11_8_5.hpp"
#include "dojima/mit/lse_21_2.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::mit {
namespace {

constexpr std::array<const Dialect*, 3> k_dialects{&lse_21_2::k_dialect, &bit_9_4::k_dialect, &lse_11_8_5::k_dialect};

/// The header's rows, as the tables of the messages leave them out.
constexpr UInt8Field k_start_place{0, "StartOfMessage"};
constexpr UInt16Field k_length_place{k_length_offset, "MessageLength"};
constexpr AlphaField k_type_place{k_type_offset, "MessageType"};
constexpr auto k_header_rows = rows(k_start_place, k_length_place, k_type_place);
static_assert(tiles(0, k_header_size, k_header_rows));

constexpr std::int64_t k_one_second = 1'000'000'000;

[[nodiscard]] std::string instant_text(std::int64_t nanoseconds, unsigned decimals) {
  char text[time::k_timestamp_max];
  return std::string(time::format_timestamp(time::from_nanoseconds(nanoseconds), decimals, text));
}

/// Times are numbers in the tables; what they say depends on the dialect.
void describe_times(const Dialect& dialect, const MessageLayout& layout, Bytes message,
                    std::vector<FieldText>& fields) {
  for (std::size_t row = 0; row < fields.size(); ++row) {
    const std::size_t offset = layout.fields[row].offset;
    if (fields[row].name == "TransactTime") {
      const std::int64_t seconds = load_little<std::uint32_t>(message, offset);
      const std::int64_t fraction = load_little<std::uint32_t>(message, offset + 4) * dialect.fraction_ns;
      if (seconds == 0 && fraction == 0) continue;
      fields[row].meaning = instant_text(seconds * k_one_second + fraction, dialect.fraction_ns == 1 ? 9 : 6);
      if (fraction >= k_one_second) fields[row].trouble = "a second or more in its second word";
    } else if (fields[row].name == "ExpireDateTime" || fields[row].name == "ExpireTime") {
      const std::int64_t seconds = load_little<std::uint32_t>(message, offset);
      if (seconds != 0) fields[row].meaning = instant_text(seconds * k_one_second, 0);
    }
  }
}

/// What a peer would refuse the message for.
void describe_refusal(const Dialect& dialect, Bytes message, MessageText& text) {
  Reject refusal;
  if (check_message(dialect, message, refusal)) return;
  const std::string reason(refusal.reason.view());
  text.trouble = "refused with " + std::to_string(refusal.code) + ", " + reason;
}

[[nodiscard]] MessageText describe_message(const Dialect& dialect, std::size_t offset, const Frame& frame,
                                           Bytes message) {
  const MessageLayout* layout = find_layout(dialect, frame.type);
  MessageText text{.offset = offset, .size = frame.size, .name = describe_type(layout, frame.type)};
  if (layout == nullptr) {
    text.trouble = "a type that the dialect does not have";
    return text;
  }
  if (layout->size != frame.size) {
    text.trouble = "the type has " + std::to_string(layout->size) + " bytes";
    return text;
  }
  text.fields = describe_fields(*layout, message);
  describe_times(dialect, *layout, message, text.fields);
  describe_refusal(dialect, message, text);
  return text;
}

}  // namespace

std::span<const Dialect* const> dialects() noexcept {
  return k_dialects;
}

const Dialect* find_dialect(std::string_view name) noexcept {
  for (const Dialect* dialect : k_dialects)
    if (dialect->name == name) return dialect;
  return nullptr;
}

StreamText describe_stream(const Dialect& dialect, Bytes bytes) {
  StreamText text;
  std::size_t at = 0;
  while (at < bytes.size()) {
    const Bytes rest = bytes.subspan(at);
    const Result<Frame> frame = read_frame(rest, dialect.longest);
    if (!frame && frame.error().code == ErrorCode::malformed) {
      text.trouble = "no message begins at byte " + std::to_string(at) + ": expected " + frame.error().expected +
                     ", got " + std::to_string(frame.error().got);
      break;
    }
    if (!frame || frame->size > rest.size()) {
      text.trouble = "the message at byte " + std::to_string(at) + " is cut off";
      break;
    }
    text.messages.push_back(describe_message(dialect, at, *frame, rest.first(frame->size)));
    at += frame->size;
  }
  text.rest = bytes.size() - at;
  return text;
}

std::string page_of(const Dialect& dialect) {
  std::string text =
      "# MIT203 `" + std::string(dialect.name) +
      "`: layouts\n\nMade from the tables of the codec by `dojima mit layouts --dialect " + dialect.name +
      "`. Offsets count from the first byte of a message, numbers are little-endian, prices count 1e-8.\n"
      "MessageLength counts from MessageType on. TransactTime is two words: seconds, and " +
      (dialect.fraction_ns == 1 ? "nanoseconds" : "microseconds") + ". In the pictures a dot is a reserved byte.\n";
  for (const MessageLayout& layout : dialect.layouts) text += "\n" + layout_section(layout, k_header_rows);
  return text;
}

}  // namespace dojima::mit
