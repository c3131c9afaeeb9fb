#include "dojima/fix/writer.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "dojima/base/digits.hpp"
#include "dojima/fix/codec/scan.hpp"
#include "dojima/fix/codec/summed_text_avx512.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::fix {
namespace {

constexpr char k_separator = '\x01';
constexpr std::size_t k_length_digits = 5;  // room in front of the body; a body has at most 99,999 bytes
constexpr std::size_t k_trailer_size = 7;
constexpr std::size_t k_body_size_max = 99'999;
constexpr std::size_t k_number_max = 1 + k_number_room;  // of a number with what put_number touches

std::size_t prefix_size(std::string_view begin_string, std::size_t digits) noexcept {
  return 2 + begin_string.size() + 1 + 2 + digits + 1;
}

/// BodyLength with its tag and separator as one word, and how many digits it has: at most five.
struct LengthText {
  std::uint64_t bytes;
  unsigned digits;
};

LengthText length_text_of(std::size_t body_size) noexcept {
  if (body_size - 100 < 900) [[likely]] {
    const auto size = static_cast<std::uint32_t>(body_size);
    const std::uint32_t hundreds = size / 100, rest = size - hundreds * 100, tens = rest / 10;
    constexpr std::uint64_t k_plain = 0x01'30'30'30'3d'39;  // "9=000" and the separator
    return {k_plain + (hundreds << 16 | tens << 24 | std::uint64_t{rest - tens * 10} << 32), 3};
  }
  const std::uint64_t digits = eight_digits(static_cast<std::uint32_t>(body_size));
  const auto zeros = static_cast<unsigned>(std::countr_zero((digits - k_eight_zeros) | std::uint64_t{1} << 56)) / 8;
  const unsigned count = 8 - zeros;
  return {(digits >> 8 * zeros << 16) | std::uint64_t{0x3d39} | std::uint64_t{1} << 8 * (count + 2), count};
}

/// As sum_of(), for texts that may be long: the kernels add up many characters at once.
std::uint32_t sum_of_many(std::string_view text) noexcept {
  constexpr std::size_t k_many = 32;
  return text.size() < k_many ? sum_of(text) : kernels().sum(text.data(), text.size());
}

/// What is to be summed of a field: up to eight characters as a word, and the sum of all others.
struct BeginText {
  std::uint64_t word = 0;
  std::uint32_t sum = 0;
};

/// BeginString with its tag and separator.
BeginText put_begin_string(char* at, std::string_view value) noexcept {
  at[0] = '8';
  at[1] = '=';
  BeginText written{.sum = '8' + '=' + 1};
  if (value.size() - 4 <= 4) [[likely]] {
    std::uint32_t first, last;
    std::memcpy(&first, value.data(), 4);
    std::memcpy(&last, value.data() + value.size() - 4, 4);
    std::memcpy(at + 2, &first, 4);
    std::memcpy(at + value.size() - 2, &last, 4);
    // Characters that both have are the same.
    written.word = first | std::uint64_t{last} << 8 * (value.size() - 4);
  } else {
    std::memcpy(at + 2, value.data(), value.size());
    written.sum += sum_of(value);
  }
  at[2 + value.size()] = k_separator;
  return written;
}

/// A field with its separator; nothing of an empty value.
std::string rendered_field(std::string_view tag_and_sign, std::string_view value) {
  return value.empty() ? std::string{} : std::string(tag_and_sign) + std::string(value) + k_separator;
}

/// CheckSum with its tag and separator in seven bytes.
std::uint64_t trailer_of(std::uint32_t sum) noexcept {
  // Below 256, 41/4096 and 103/1024 give the same digits as 1/100 and 1/10.
  const std::uint32_t hundreds = sum * 41 >> 12, rest = sum - hundreds * 100, tens = rest * 103 >> 10;
  constexpr std::uint64_t k_plain = 0x01'30'30'30'3d'30'31;  // "10=000" and the separator
  return k_plain + (std::uint64_t{hundreds} << 24 | std::uint64_t{tens} << 32 | std::uint64_t{rest - tens * 10} << 40);
}

}  // namespace

#if defined(__x86_64__)
// n / 10^8, n / 10^7 ... n / 10 in units of 2^-52, rounded up. The first one would be so far up that 7 of 69,999,999
// came out: it is rounded down, and the bias lifts it by less than 10^-8.
const avx512::Operands avx512::k_operands{
    .fractions = {45'035'996, 450'359'963, 4'503'599'628, 45'035'996'274, 450'359'962'738, 4'503'599'627'371,
                  45'035'996'273'705, 450'359'962'737'050},
    .bias = {30'000'000},
    .tens = {10, 10, 10, 10, 10, 10, 10, 10},
    .separators = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}};
#endif

LongText copy_long_text(char* to, const char* from, std::size_t size) noexcept {
  const std::string_view text(from, size);
  std::memcpy(to, from, size);
  return {sum_of(text), text.find(k_separator) != std::string_view::npos};
}

HeaderTemplate::Part::Part(std::string_view words) : text(words), size(words.size()), sum(sum_of(words)) {
  text.resize(size + k_touched);
}

HeaderTemplate::HeaderTemplate(const HeaderNames& names)
    : sender_(
          "\x01"
          "49=" +
          std::string(names.sender) + "\x01" + rendered_field("50=", names.sender_sub) + "52="),
      target_(
          "\x01"
          "56=" +
          std::string(names.target) + "\x01" + rendered_field("57=", names.target_sub) +
          rendered_field("142=", names.sender_location) + rendered_field("143=", names.target_location)) {}

Written put_any_whole(char* at, Whole value) noexcept {
  char digits[k_number_max];
  digits[0] = '-';
  const char* const end = put_number(digits + (value.is_negative ? 1 : 0), value.magnitude);
  const std::string_view text(digits, static_cast<std::size_t>(end - digits));
  std::memcpy(at, text.data(), text.size());
  return {.end = at + text.size(), .sum = sum_of(text)};
}

Written put_slow_price(char* at, market::Price value) noexcept {
  const std::string_view text = market::format_price(value, std::span(at, market::k_price_text_max));
  return {.end = at + text.size(), .sum = sum_of(text)};
}

Written put_any_stamp(char* at, time::Time time, const StampText& near) noexcept {
  StampText stamp = near;
  move_stamp(stamp, time);
  return put_stamp(at, stamp);
}

Writer::Writer(Room room, std::string_view begin_string) noexcept
    : body_(room), error_{}, stamp_(stamp_text_of({}, 3)) {
  begin(begin_string);
  fields_begin_ = body_.end();
}

Writer::Writer(Room room, const Header& header) noexcept
    : body_(room),
      sequence_(header.sequence),
      error_{},
      type_(header.type),
      stamp_(header.stamp != nullptr ? *header.stamp : stamp_text_of(header.sending_time, header.decimals)) {
  begin(header.begin_string);
  if (!put_rendered(header)) put_header(header);
  if (header.has_last_processed) field(tag::k_last_msg_seq_num_processed, header.last_processed);
  fields_begin_ = body_.end();
}

void Writer::begin(std::string_view begin_string) noexcept {
  begin_string_ = begin_string;
  body_begin_ = prefix_size(begin_string, k_length_digits);
  body_.begin(body_begin_, k_trailer_size);
}

void Writer::put_header(const Header& header) noexcept {
  field(tag::k_msg_type, fix::text_of(header.type).view());
  field(tag::k_msg_seq_num, header.sequence);
  if (header.is_poss_dup) field(tag::k_poss_dup_flag, true);
  field(tag::k_sender_comp_id, header.sender);
  put_name(tag::k_sender_sub_id, header.sender_sub);
  field(tag::k_sending_time, header.sending_time);
  field(tag::k_target_comp_id, header.target);
  put_name(tag::k_target_sub_id, header.target_sub);
  if (header.is_poss_dup) field(tag::k_orig_sending_time, header.orig_sending_time);
  put_name(tag::k_sender_location_id, header.sender_location);
  put_name(tag::k_target_location_id, header.target_location);
}

void Writer::put_name(Tag tag, std::string_view name) noexcept {
  if (!name.empty()) field(tag, name);
}

/// The header with its rendered parts; false: that is not possible, or there may be too little room.
bool Writer::put_rendered(const Header& header) noexcept {
  if (header.rendered == nullptr || header.is_poss_dup || header.type == MsgType::none) return false;
  const HeaderTemplate& rendered = *header.rendered;
  constexpr std::size_t k_most = 3 + k_msg_type_max + 1 + 3 + k_whole_max + time::k_timestamp_max + k_touched;
  if (!body_.has_room(k_most + rendered.sender_.size + rendered.target_.size)) return false;
  const std::uint64_t packed = static_cast<std::uint32_t>(header.type);
  constexpr TagText k_type = tag_text_of(tag::k_msg_type);
  Pen pen = body_.pen_with(k_whole_max);
  pen.word(k_type.bytes | packed << 8 * k_type.size,
           k_type.size + (71 - static_cast<unsigned>(std::countl_zero(packed))) / 8);
  pen.put<false>(fix::field<tag::k_msg_seq_num>(header.sequence), stamp_);
  pen.summed(rendered.sender_.text.data(), rendered.sender_.size, rendered.sender_.sum);
  pen.stamp(stamp_);
  pen.summed(rendered.target_.text.data(), rendered.target_.size, rendered.target_.sum);
  body_.take(pen);
  return true;
}

void Writer::trouble(ErrorCode code, Tag tag, const char* expected) noexcept {
  if (is_good()) error_ = {code, tag, static_cast<std::uint32_t>(body_.end()), 0, expected};
  body_.shut();
}

/// Why has_room says no.
void Writer::refuse(Tag tag) noexcept {
  if (tag == 0) return trouble(ErrorCode::out_of_range, tag, "a tag of 1 to 65535");
  return trouble(ErrorCode::no_room, tag, "a shorter message");
}

/// A value that is known to have no separator in it.
void Writer::known(Tag tag, std::string_view value) noexcept {
  const TagText text = tag_text_of(tag);
  if (!body_.has_room(tag, text.size + value.size() + 1)) return refuse(tag);
  char* const at = body_.open(text);
  std::memcpy(at, value.data(), value.size());
  body_.close(text, at, {.end = at + value.size(), .sum = sum_of(value)});
}

/// An empty text, one with a separator, or one at the end of the room.
void Writer::slow_text(Tag tag, std::string_view value) noexcept {
  if (value.empty()) return trouble(ErrorCode::malformed, tag, "a value of at least one character");
  // What does not fit is reported first.
  if (tag != 0 && value.find(k_separator) != std::string_view::npos &&
      body_.has_room(tag, tag_text_of(tag).size + value.size() + 1))
    return trouble(ErrorCode::malformed, tag, "a value without the separator");
  known(tag, value);
}

/// A separator, or the end of the room.
void Writer::slow_character(Tag tag, char value) noexcept {
  slow_text(tag, std::string_view(&value, 1));
}

/// A long number, or one at the end of the room.
void Writer::slow_number(Tag tag, Whole value) noexcept {
  char digits[k_number_max];
  known(tag, {digits, static_cast<std::size_t>(put_any_whole(digits, value).end - digits)});
}

/// A long price, or one at the end of the room.
void Writer::slow_price(Tag tag, market::Price value) noexcept {
  char price[market::k_price_text_max];
  known(tag, market::format_price(value, price));
}

void Writer::stamp(Tag tag, time::Time value) noexcept {
  const TagText text = tag_text_of(tag);
  if (!body_.has_room(tag, text.size + time::k_timestamp_max + 1)) {
    char local[time::k_timestamp_max];
    return known(tag, time::format_timestamp(value, stamp_.decimals, local));
  }
  char* const at = body_.open(text);
  body_.close(text, at, value == stamp_.time ? put_stamp(at, stamp_) : put_any_stamp(at, value, stamp_));
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
  const TagText text = tag_text_of(tag);
  if (!body_.has_room(tag, text.size + value.size() + 1)) {
    refuse(tag);
    return *this;
  }
  char* const at = body_.open(text);
  std::memcpy(at, value.data(), value.size());
  body_.close(text, at, {.end = at + value.size(), .sum = sum_of(as_text(value))});
  return *this;
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
  if (!body_.has_room(fields.size())) {
    trouble(ErrorCode::no_room, 0, "a shorter message");
    return *this;
  }
  body_.append(fields, sum_of_many(as_text(fields)));
  return *this;
}

bool Writer::keep(std::size_t mark, RenderedFields& fields) const noexcept {
  fields.clear();
  const std::size_t end = body_.end();
  if (!is_good() || mark >= end || end - mark > RenderedFields::k_most) return false;
  fields.size_ = static_cast<std::uint32_t>(end - mark);
  std::memcpy(fields.text_.data(), body_.room().data() + mark, fields.size_);
  fields.sum_ = sum_of_many(fields.view());
  return true;
}

Writer& Writer::again(const RenderedFields& fields) noexcept {
  // Near the end of the room byte by byte: sixteens touch what is behind it.
  if (fields.is_empty() || !body_.has_room(fields.size_ + k_touched)) [[unlikely]]
    return raw(as_bytes(fields.view()));
  Pen pen = body_.pen_with(0);
  pen.summed(fields.text_.data(), fields.size_, fields.sum_);
  body_.take(pen);
  return *this;
}

Result<Bytes> Writer::finish() noexcept {
  const std::size_t body_end = body_.end(), body_size = body_end - body_begin_;
  if (is_good() && !body_.has_room(0)) trouble(ErrorCode::no_room, 0, "a shorter message");
  if (is_good() && body_size > k_body_size_max) trouble(ErrorCode::no_room, 0, "a body of at most 99,999 bytes");
  if (!is_good()) return std::unexpected(error_);
  // "9=", up to five digits and the separator are in front of the body; what is in front of them is overwritten.
  const LengthText length = length_text_of(body_size);
  const Room room = body_.room();
  char* const text = reinterpret_cast<char*>(room.data());
  begin_ = body_begin_ - prefix_size(begin_string_, length.digits);
  store_word(text + body_begin_ - 8, length.bytes << 8 * (5 - length.digits));
  const BeginText first = put_begin_string(text + begin_, begin_string_);
  const std::uint64_t trailer = trailer_of((body_.sum_with(lanes_of(first.word, length.bytes)) + first.sum) & 0xff);
  std::memcpy(text + body_end, &trailer, k_trailer_size);
  body_.shut();
  error_ = {.code = ErrorCode::wrong_state, .expected = "a message that is not finished yet"};
  return Bytes(room.subspan(begin_, body_end + k_trailer_size - begin_));
}

}  // namespace dojima::fix
