#include "dojima/fix/masked.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "dojima/fix/tags.hpp"

namespace dojima::fix {
namespace {

constexpr char k_separator = '\x01';

/// Where the field at `begin` ends: at its separator or the end of the text.
std::size_t end_of_field(std::string_view text, std::size_t begin) noexcept {
  return std::min(text.find(k_separator, begin), text.size());
}

/// Adds to a CheckSum where the message ends with one.
void move_check_sum(Room message, unsigned difference) noexcept {
  constexpr std::size_t k_trailer = 8;  // with the separator before it
  const std::string_view text = as_text(message);
  if (text.size() < k_trailer || !text.substr(text.size() - k_trailer)
                                      .starts_with("\x01"
                                                   "10="))
    return;
  const Room digits = message.subspan(text.size() - 4, 3);
  unsigned sum = difference;
  for (unsigned at = 0, worth = 100; at < 3; ++at, worth /= 10)
    sum += (std::to_integer<unsigned>(digits[at]) - '0') * worth;
  for (std::size_t at = 3; at-- > 0; sum /= 10) {
    if (at == 2) sum %= 256;
    digits[at] = static_cast<std::byte>('0' + sum % 10);
  }
}

std::size_t number_in(std::string_view value) noexcept {
  std::size_t number = 0;
  const auto read = std::from_chars(value.data(), value.data() + value.size(), number);
  return read.ec == std::errc{} ? number : 0;
}

}  // namespace

std::size_t mask_secrets(Room message) noexcept {
  const std::string_view text = as_text(message);
  // A first message may be anything, so a Logon is what has its type anywhere.
  const bool is_logon = text.find(
                            "\x01"
                            "35=A\x01") != std::string_view::npos ||
                        text.starts_with("35=A\x01");
  std::size_t masked = 0, data_size = 0;
  unsigned difference = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = end_of_field(text, begin);
    const std::string_view field = text.substr(begin, end - begin);
    const std::size_t equals = field.find('=');
    const std::size_t tag = equals == std::string_view::npos ? 0 : number_in(field.substr(0, equals));
    const std::size_t value = begin + equals + 1;
    const bool is_data = is_logon && tag == tag::k_raw_data;
    if (is_data && data_size > 0 && data_size <= text.size() - value) end = std::max(end, value + data_size);
    if (tag == tag::k_password || tag == tag::k_new_password || is_data) {
      for (std::size_t at = value; at < end; ++at) difference += '*' - std::to_integer<unsigned>(message[at]);
      std::fill(message.begin() + static_cast<std::ptrdiff_t>(value),
                message.begin() + static_cast<std::ptrdiff_t>(end), std::byte{'*'});
      ++masked;
    }
    data_size = tag == tag::k_raw_data_length ? number_in(field.substr(equals + 1)) : 0;
    begin = end + 1;
  }
  if (masked != 0) move_check_sum(message, difference % 256);
  return masked;
}

}  // namespace dojima::fix
