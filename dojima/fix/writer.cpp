#include "dojima/fix/writer.hpp"

#include <cstring>
#include <span>

#include "dojima/base/digits.hpp"
#include "dojima/fix/frame.hpp"
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

}  // namespace

HeaderTemplate::HeaderTemplate(std::string_view sender, std::string_view target)
    : sender_("49=" + std::string(sender) + "\x01" + "52="),
      target_(
          "\x01"
          "56=" +
          std::string(target) + "\x01") {}

Writer::Writer(Room room, std::string_view begin_string) noexcept : room_(room), begin_string_(begin_string), error_{} {
  body_begin_ = end_ = fields_begin_ = prefix_size(begin_string_, k_length_digits);
}

Writer::Writer(Room room, const Header& header) noexcept
    : room_(room),
      begin_string_(header.begin_string),
      sequence_(header.sequence),
      sending_time_(header.sending_time),
      error_{},
      type_(header.type),
      decimals_(static_cast<std::uint8_t>(header.decimals)) {
  body_begin_ = end_ = prefix_size(begin_string_, k_length_digits);
  field(tag::k_msg_type, fix::text_of(header.type).view());
  field(tag::k_msg_seq_num, header.sequence);
  put_header(header);
  fields_begin_ = end_;
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
  raw(as_bytes(header.rendered->sender_));
  if (!is_good() || room_.size() < end_ + time::k_timestamp_max + k_trailer_size) {
    trouble(ErrorCode::no_room, tag::k_sending_time, "a shorter message");
    return;
  }
  char* const at = reinterpret_cast<char*>(room_.data()) + end_;
  time_at_ = static_cast<std::uint16_t>(end_);
  end_ += time::format_timestamp(header.sending_time, decimals_, std::span(at, time::k_timestamp_max)).size();
  raw(as_bytes(header.rendered->target_));
}

Writer& Writer::trouble(ErrorCode code, Tag tag, const char* expected) noexcept {
  if (is_good()) error_ = {code, tag, static_cast<std::uint32_t>(end_), 0, expected};
  return *this;
}

/// Why `open` has nothing to give.
char* Writer::refuse(Tag tag) noexcept {
  if (tag == 0) {
    trouble(ErrorCode::out_of_range, tag, "a tag of 1 to 65535");
  } else {
    trouble(ErrorCode::no_room, tag, "a shorter message");
  }
  return nullptr;
}

/// A value that is known to have no separator in it.
Writer& Writer::known(Tag tag, std::string_view value) noexcept {
  if (char* at = open(tag, value.size())) static_cast<void>(copy_clean(at, value.data(), value.size()));
  return *this;
}

Writer& Writer::number(Tag tag, bool is_negative, std::uint64_t magnitude) noexcept {
  return in_place(tag, k_number_max, [&](char* at) noexcept {
    if (is_negative) *at++ = '-';
    return put_number(at, magnitude);
  });
}

Writer& Writer::field(Tag tag, market::Price value) noexcept {
  return in_place(tag, market::k_price_text_max, [&](char* at) noexcept {
    return at + market::format_price(value, std::span(at, market::k_price_text_max)).size();
  });
}

Writer& Writer::field(Tag tag, time::Time value) noexcept {
  if (value == sending_time_ && time_at_ != 0) {  // one stamp a message: TransactTime is often the same
    const std::size_t size = decimals_ == 0 ? 17 : 18u + decimals_;
    return known(tag, as_text(Bytes(room_).subspan(time_at_, size)));
  }
  return in_place(tag, time::k_timestamp_max, [&](char* at) noexcept {
    return at + time::format_timestamp(value, decimals_, std::span(at, time::k_timestamp_max)).size();
  });
}

Writer& Writer::field(Tag tag, const Decimal& value) noexcept {
  return variant(tag, Value(value));
}

Writer& Writer::variant(Tag tag, const Value& value) noexcept {
  char text[k_value_text_max];
  return field(tag, format_value(value, text));
}

Writer& Writer::data(Tag length, Tag tag, Bytes value) noexcept {
  if (value.empty()) return trouble(ErrorCode::malformed, tag, "at least one byte of data");
  field(length, value.size());
  if (char* at = open(tag, value.size())) std::memcpy(at, value.data(), value.size());
  return *this;
}

Writer& Writer::large(std::uint32_t tag, std::string_view value) noexcept {
  if (tag <= 0xffff || tag > k_tag_max)
    return trouble(ErrorCode::out_of_range, k_large_tag, "a tag of 65536 to 2147483647");
  if (value.empty() || value.find(k_separator) != std::string_view::npos)
    return trouble(ErrorCode::malformed, k_large_tag, "a value of at least one character, without the separator");
  char number[k_number_max];
  char* const end = put_number(number, tag);
  *end = '=';
  raw(as_bytes(std::string_view(number, static_cast<std::size_t>(end - number) + 1)));
  raw(as_bytes(value));
  return raw(as_bytes(std::string_view(&k_separator, 1)));
}

Writer& Writer::raw(Bytes fields) noexcept {
  if (fields.empty() || !is_good()) return *this;
  if (room_.size() < end_ + k_trailer_size || fields.size() > room_.size() - end_ - k_trailer_size)
    return trouble(ErrorCode::no_room, 0, "a shorter message");
  std::memcpy(room_.data() + end_, fields.data(), fields.size());
  end_ += fields.size();
  return *this;
}

Result<Bytes> Writer::finish() noexcept {
  if (is_good() && end_ - body_begin_ > k_body_size_max)
    trouble(ErrorCode::no_room, 0, "a body of at most 99,999 bytes");
  if (!is_good()) return std::unexpected(error_);
  char digits[k_number_max];
  const std::string_view length = format_number(digits, false, end_ - body_begin_);
  begin_ = body_begin_ - prefix_size(begin_string_, length.size());

  char* text = reinterpret_cast<char*>(room_.data());
  char* at = text + begin_;
  const auto put = [&at](std::string_view part) noexcept {
    std::memcpy(at, part.data(), part.size());
    at += part.size();
  };
  put("8=");
  put(begin_string_);
  put("\x01"
      "9=");
  put(length);
  put("\x01");

  const unsigned sum = check_sum(room_.subspan(begin_, end_ - begin_));
  const char trailer[k_trailer_size] = {'1',
                                        '0',
                                        '=',
                                        static_cast<char>('0' + sum / 100),
                                        static_cast<char>('0' + sum / 10 % 10),
                                        static_cast<char>('0' + sum % 10),
                                        k_separator};
  at = text + end_;
  put({trailer, k_trailer_size});
  end_ += k_trailer_size;
  error_ = {.code = ErrorCode::wrong_state, .expected = "a message that is not finished yet"};
  return Bytes(room_.subspan(begin_, end_ - begin_));
}

}  // namespace dojima::fix
