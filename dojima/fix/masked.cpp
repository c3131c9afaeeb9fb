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
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = end_of_field(text, begin);
    const std::string_view field = text.substr(begin, end - begin);
    const std::size_t equals = field.find('=');
    const std::size_t tag = equals == std::string_view::npos ? 0 : number_in(field.substr(0, equals));
    const std::size_t value = begin + equals + 1;
    const bool is_data = is_logon && tag == tag::k_raw_data;
    if (is_data && data_size > 0 && data_size <= text.size() - value) end = std::max(end, value + data_size);
    if (tag == tag::k_password || tag == tag::k_new_password || is_data) {
      std::fill(message.begin() + static_cast<std::ptrdiff_t>(value),
                message.begin() + static_cast<std::ptrdiff_t>(end), std::byte{'*'});
      ++masked;
    }
    data_size = tag == tag::k_raw_data_length ? number_in(field.substr(equals + 1)) : 0;
    begin = end + 1;
  }
  return masked;
}

}  // namespace dojima::fix
