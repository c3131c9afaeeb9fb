#include "dojima/fix/writer.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "dojima/base/digits.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::fix {
namespace {

constexpr char k_separator = '\x01';
constexpr std::size_t k_length_digits = 5;  // room in front of the body; a body has at most 99,999 bytes
constexpr std::size_t k_body_size_max = 99'999;
constexpr std::size_t k_number_max = 1 + k_number_room;

std::size_t prefix_size(std::string_view begin_string, std::size_t digits) noexcept {
  return 2 + begin_string.size() + 1 + 2 + digits + 1;
}

std::string_view format_number(std::span<char> text, bool is_negative, std::uint64_t magnitude) noexcept {
  char* at = text.data();
  if (is_negative) *at++ = '-';
  return {text.data(), static_cast<std::size_t>(put_number(at, magnitude) - text.data())};
}

std::size_t stamp_size(unsigned decimals) noexcept {
  return decimals == 0 ? 17 : 18 + decimals;
}

}  // namespace

LongText copy_long_text(char* to, const char* from, std::size_t size) noexcept {
  const std::string_view text(from, size);
  std::memcpy(to, from, size);
  return {sum_of(text), text.find(k_separator) != std::string_view::npos};
}

HeaderTemplate::Part::Part(std::string_view words) : text(words), size(words.size()), sum(sum_of(words)) {
  text.resize(size + 8);
}

HeaderTemplate::HeaderTemplate(std::string_view sender, std::string_view target)
    : sender_("49=" + std::string(sender) + "\x01" + "52="),
      target_(
          "\x01"
          "56=" +
          std::string(target) + "\x01") {}

Writer::Writer(Room room, std::string_view begin_string) noexcept : room_(room), error_{} {
  begin(begin_string);
  fields_begin_ = end();
}

Writer::Writer(Room room, const Header& header) noexcept
    : room_(room),
      sequence_(header.sequence),
      sending_time_(header.sending_time),
      error_{},
      type_(header.type),
      decimals_(static_cast<std::uint8_t>(header.decimals)) {
  begin(header.begin_string);
  field(tag::k_msg_type, fix::text_of(header.type).view());
  field(tag::k_msg_seq_num, header.sequence);
  put_header(header);
  fields_begin_ = end();
}

void Writer::begin(std::string_view begin_string) noexcept {
  begin_string_ = begin_string;
  written_ = body_begin_ = prefix_size(begin_string, k_length_digits);
  // Places are counted in 32 bits, and no message is that long.
  limit_ = std::min<std::size_t>(room_.size(), std::size_t{1} << 30);
  limit_ -= std::min(limit_, k_trailer_size);
}

void Writer::put_header(const Header& header) noexcept {
  if (header.rendered == nullptr || header.is_poss_dup) {
    if (header.is_poss_dup) field(tag::k_poss_dup_flag, true);
    field(tag::k_sender_comp_id, header.sender);
    field(tag::k_sending_time, header.sending_time);
    field(tag::k_target_comp_id, header.target);
    if (header.is_poss_dup) field(tag::k_orig_sending_time, header.orig_sending_time);
    return;
  }
  const HeaderTemplate& rendered = *header.rendered;
  if (!has_room(tag::k_sending_time, rendered.sender_.size + stamp_size(decimals_) + rendered.target_.size)) {
    trouble(ErrorCode::no_room, tag::k_sending_time, "a shorter message");
    return;
  }
  append(rendered.sender_);
  char* const at = reinterpret_cast<char*>(room_.data()) + end();
  time_at_ = static_cast<std::uint16_t>(end());
  const Written stamp = put_stamp(at, header.sending_time);
  time_sum_ = stamp.sum;
  written_ += static_cast<std::size_t>(stamp.end - at) + (std::uint64_t{stamp.sum} << 32);
  append(rendered.target_);
}

/// Copies a part for which there is room, in words: the room of the trailer is behind it.
void Writer::append(const HeaderTemplate::Part& part) noexcept {
  char* const to = reinterpret_cast<char*>(room_.data()) + end();
  for (std::size_t at = 0; at < part.size; at += 8) store_word(to + at, load_word(part.text.data() + at));
  written_ += part.size + (std::uint64_t{part.sum} << 32);
}

/// Writes a UTCTimestamp, up to k_timestamp_max characters, and sums it as it was stored: in the same words.
Written Writer::put_stamp(char* at, time::Time time) const noexcept {
  constexpr std::size_t k_whole = 17;
  const std::size_t size = time::format_timestamp(time, decimals_, std::span(at, time::k_timestamp_max)).size();
  std::uint32_t sum = sum_of(load_word(at)) + static_cast<unsigned char>(at[8]) + sum_of(load_word(at + 9));
  for (std::size_t place = k_whole; place < size; ++place) sum += static_cast<unsigned char>(at[place]);
  return {.end = at + size, .sum = sum};
}

void Writer::trouble(ErrorCode code, Tag tag, const char* expected) noexcept {
  if (is_good()) error_ = {code, tag, static_cast<std::uint32_t>(end()), 0, expected};
  limit_ = 0;
}

/// Why has_room says no.
void Writer::refuse(Tag tag) noexcept {
  if (tag == 0) return trouble(ErrorCode::out_of_range, tag, "a tag of 1 to 65535");
  return trouble(ErrorCode::no_room, tag, "a shorter message");
}

/// A value that is known to have no separator in it.
void Writer::known(Tag tag, std::string_view value) noexcept {
  const TagText text = text_of(tag);
  if (!has_room(tag, text.size + value.size() + 1)) return refuse(tag);
  char* const at = open(text);
  close(text, at, copy_text(at, value.data(), value.size()).text);
}

/// A separator, or the end of the room.
void Writer::any_character(Tag tag, char value) noexcept {
  field(tag, std::string_view(&value, 1));
}

/// A long number, or one at the end of the room.
void Writer::any_number(Tag tag, bool is_negative, std::uint64_t magnitude) noexcept {
  char digits[k_number_max];
  known(tag, format_number(digits, is_negative, magnitude));
}

/// A long price, or one at the end of the room.
void Writer::any_price(Tag tag, market::Price value) noexcept {
  char price[market::k_price_text_max];
  known(tag, market::format_price(value, price));
}

void Writer::stamp(Tag tag, time::Time value) noexcept {
  const TagText text = text_of(tag);
  if (!has_room(tag, text.size + time::k_timestamp_max + 1)) {
    char local[time::k_timestamp_max];
    return known(tag, time::format_timestamp(value, decimals_, local));
  }
  char* const at = open(text);
  if (value != sending_time_ || time_at_ == 0) {
    close(text, at, put_stamp(at, value));
    return;
  }
  // One stamp a message: TransactTime is often the same.
  const char* const from = reinterpret_cast<const char*>(room_.data()) + time_at_;
  const std::size_t size = stamp_size(decimals_);
  for (const std::size_t place : {std::size_t{0}, std::size_t{8}, size - 16, size - 8})
    store_word(at + place, load_word(from + place));
  close(text, at, {.end = at + size, .sum = time_sum_});
}

Writer& Writer::field(Tag tag, const Decimal& value) noexcept {
  variant(tag, Value(value));
  return *this;
}

void Writer::variant(Tag tag, const Value& value) noexcept {
  char text[k_value_text_max];
  field(tag, format_value(value, text));
}

Writer& Writer::data(Tag length, Tag tag, Bytes value) noexcept {
  if (value.empty()) {
    trouble(ErrorCode::malformed, tag, "at least one byte of data");
    return *this;
  }
  field(length, value.size());
  const TagText text = text_of(tag);
  if (!has_room(tag, text.size + value.size() + 1)) {
    refuse(tag);
    return *this;
  }
  char* const at = open(text);
  std::memcpy(at, value.data(), value.size());
  return close(text, at, {.end = at + value.size(), .sum = sum_of(as_text(value))});
}

Writer& Writer::large(std::uint32_t tag, std::string_view value) noexcept {
  if (tag <= 0xffff || tag > k_tag_max) {
    trouble(ErrorCode::out_of_range, k_large_tag, "a tag of 65536 to 2147483647");
    return *this;
  }
  if (value.empty() || value.find(k_separator) != std::string_view::npos) {
    trouble(ErrorCode::malformed, k_large_tag, "a value of at least one character, without the separator");
    return *this;
  }
  char number[k_number_max];
  char* const end = put_number(number, tag);
  *end = '=';
  raw(as_bytes(std::string_view(number, static_cast<std::size_t>(end - number) + 1)));
  raw(as_bytes(value));
  return raw(as_bytes(std::string_view(&k_separator, 1)));
}

Writer& Writer::raw(Bytes fields) noexcept {
  if (fields.empty() || !is_good()) return *this;
  if (fields.size() > limit_ || end() > limit_ - fields.size()) {
    trouble(ErrorCode::no_room, 0, "a shorter message");
    return *this;
  }
  std::memcpy(room_.data() + end(), fields.data(), fields.size());
  written_ += fields.size() + (std::uint64_t{sum_of(as_text(fields))} << 32);
  return *this;
}

Result<Bytes> Writer::finish() noexcept {
  const std::size_t body_end = end(), body_size = body_end - body_begin_;
  if (is_good() && body_end > limit_) trouble(ErrorCode::no_room, 0, "a shorter message");
  if (is_good() && body_size > k_body_size_max) trouble(ErrorCode::no_room, 0, "a body of at most 99,999 bytes");
  if (!is_good()) return std::unexpected(error_);
  // "9=", up to five digits and the separator are one word in front of the body; what stands in front of it is
  // overwritten.
  const std::uint64_t digits = eight_digits(static_cast<std::uint32_t>(body_size));
  const auto zeros = static_cast<unsigned>(std::countr_zero((digits - k_eight_zeros) | std::uint64_t{1} << 56)) / 8;
  const unsigned count = 8 - zeros;
  const std::uint64_t length =
      (digits >> 8 * zeros << 16) | std::uint64_t{0x3d39} | std::uint64_t{1} << 8 * (count + 2);
  char* const text = reinterpret_cast<char*>(room_.data());
  begin_ = body_begin_ - prefix_size(begin_string_, count);
  store_word(text + body_begin_ - 8, length << 8 * (5 - count));
  char* const at = text + begin_;
  at[0] = '8';
  at[1] = '=';
  std::memcpy(at + 2, begin_string_.data(), begin_string_.size());
  at[2 + begin_string_.size()] = k_separator;

  const std::uint32_t sum = (static_cast<std::uint32_t>(written_ >> 32) + sums_.total() + '8' + '=' + 1 +
                             sum_of(begin_string_) + sum_of(length)) &
                            0xff;
  const char trailer[k_trailer_size] = {'1',
                                        '0',
                                        '=',
                                        static_cast<char>('0' + sum / 100),
                                        static_cast<char>('0' + sum / 10 % 10),
                                        static_cast<char>('0' + sum % 10),
                                        k_separator};
  std::memcpy(text + body_end, trailer, k_trailer_size);
  written_ += k_trailer_size;
  limit_ = 0;
  error_ = {.code = ErrorCode::wrong_state, .expected = "a message that is not finished yet"};
  return Bytes(room_.subspan(begin_, end() - begin_));
}

}  // namespace dojima::fix
