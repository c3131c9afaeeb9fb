#include "dojima/fix/writer.hpp"

#include <charconv>
#include <cstring>
#include <span>

#include "dojima/fix/frame.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::fix {
namespace {

constexpr char k_separator = '\x01';
constexpr std::size_t k_length_digits = 5;  // room in front of the body; a body has at most 99,999 bytes
constexpr std::size_t k_body_size_max = 99'999;
constexpr std::size_t k_trailer_size = 7;
constexpr std::size_t k_number_max = 24;

std::size_t prefix_size(std::string_view begin_string, std::size_t digits) noexcept {
  return 2 + begin_string.size() + 1 + 2 + digits + 1;
}

std::string_view format_number(std::span<char> text, bool is_negative, std::uint64_t magnitude) noexcept {
  char* at = text.data();
  if (is_negative) *at++ = '-';
  const auto end = std::to_chars(at, text.data() + text.size(), magnitude).ptr;
  return {text.data(), static_cast<std::size_t>(end - text.data())};
}

}  // namespace

Writer::Writer(Room room, const Header& header) noexcept
    : room_(room),
      begin_string_(header.begin_string),
      sequence_(header.sequence),
      sending_time_(header.sending_time),
      error_{},
      type_(header.type),
      decimals_(static_cast<std::uint8_t>(header.decimals)) {
  body_begin_ = end_ = prefix_size(begin_string_, k_length_digits);
  field(tag::k_msg_type, text_of(header.type).view());
  field(tag::k_msg_seq_num, header.sequence);
  if (header.is_poss_dup) field(tag::k_poss_dup_flag, true);
  field(tag::k_sender_comp_id, header.sender);
  field(tag::k_sending_time, header.sending_time);
  field(tag::k_target_comp_id, header.target);
  if (header.is_poss_dup) field(tag::k_orig_sending_time, header.orig_sending_time);
  fields_begin_ = end_;
}

Writer& Writer::trouble(ErrorCode code, Tag tag, const char* expected) noexcept {
  if (is_good()) error_ = {code, tag, static_cast<std::uint32_t>(end_), 0, expected};
  return *this;
}

/// Writes `tag=`, accounts for a value of `size` and its separator, and says where the value belongs; null: trouble.
char* Writer::open(Tag tag, std::size_t size) noexcept {
  if (!is_good()) return nullptr;
  if (tag == 0) {
    trouble(ErrorCode::out_of_range, tag, "a tag of 1 to 65535");
    return nullptr;
  }
  const std::size_t digits = tag < 10 ? 1u : tag < 100 ? 2u : tag < 1000 ? 3u : tag < 10'000 ? 4u : 5u;
  const std::size_t needed = digits + 1 + size + 1;
  if (room_.size() < end_ + k_trailer_size || needed > room_.size() - end_ - k_trailer_size) {
    trouble(ErrorCode::no_room, tag, "a shorter message");
    return nullptr;
  }
  char* at = reinterpret_cast<char*>(room_.data()) + end_;
  unsigned rest = tag;
  for (std::size_t place = digits; place-- > 0; rest /= 10) at[place] = static_cast<char>('0' + rest % 10);
  at[digits] = '=';
  at[needed - 1] = k_separator;
  end_ += needed;
  return at + digits + 1;
}

Writer& Writer::field(Tag tag, std::string_view value) noexcept {
  if (value.empty()) return trouble(ErrorCode::malformed, tag, "a value of at least one character");
  if (value.find(k_separator) != std::string_view::npos)
    return trouble(ErrorCode::malformed, tag, "a value without the separator");
  return known(tag, value);
}

/// A value that is known to have no separator in it.
Writer& Writer::known(Tag tag, std::string_view value) noexcept {
  if (char* at = open(tag, value.size())) std::memcpy(at, value.data(), value.size());
  return *this;
}

Writer& Writer::number(Tag tag, bool is_negative, std::uint64_t magnitude) noexcept {
  char text[k_number_max];
  return known(tag, format_number(text, is_negative, magnitude));
}

Writer& Writer::field(Tag tag, market::Price value) noexcept {
  char text[market::k_price_text_max];
  return known(tag, market::format_price(value, text));
}

Writer& Writer::field(Tag tag, time::Time value) noexcept {
  char text[time::k_timestamp_max];
  return known(tag, time::format_timestamp(value, decimals_, text));
}

Writer& Writer::data(Tag length, Tag tag, Bytes value) noexcept {
  if (value.empty()) return trouble(ErrorCode::malformed, tag, "at least one byte of data");
  field(length, value.size());
  if (char* at = open(tag, value.size())) std::memcpy(at, value.data(), value.size());
  return *this;
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
