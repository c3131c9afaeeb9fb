#include "dojima/fix/masked.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "dojima/base/bytes.hpp"
#include "dojima/fix/tags.hpp"

namespace dojima::fix {
namespace {

constexpr char k_separator = '\x01';
constexpr std::string_view k_mask = "***";

/// Where the field at `begin` ends: at its separator or the end of the text.
std::size_t end_of_field(std::string_view text, std::size_t begin) noexcept {
  return std::min(text.find(k_separator, begin), text.size());
}

std::optional<std::size_t> number_in(std::string_view value) noexcept {
  std::size_t number = 0;
  const auto read = std::from_chars(value.data(), value.data() + value.size(), number);
  if (read.ec != std::errc{} || read.ptr != value.data() + value.size()) return std::nullopt;
  return number;
}

unsigned sum_of(std::string_view text) noexcept {
  unsigned sum = 0;
  for (const char character : text) sum += static_cast<unsigned char>(character);
  return sum;
}

/// A first message may be anything, so a Logon is what has its type anywhere.
bool is_logon(std::string_view text) noexcept {
  constexpr std::string_view k_behind_another =
      "\x01"
      "35=A\x01";
  return text.find(k_behind_another) != std::string_view::npos || text.starts_with(k_behind_another.substr(1));
}

/// `text` with its secrets hidden, and how many these were. Length and sum are those of before.
struct Masked {
  std::string text;
  std::size_t secrets = 0;
};

Masked with_masks(std::string_view text) {
  Masked masked;
  std::string& out = masked.text;
  const bool has_raw_data = is_logon(text);
  std::size_t data_size = 0, length_value = 0;  // of RawDataLength, where it was the field before; its place in `out`
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = end_of_field(text, begin);
    const std::string_view field = text.substr(begin, end - begin);
    const std::size_t equals = std::min(field.find('='), field.size());
    const std::size_t tag = number_in(field.substr(0, equals)).value_or(0);
    const std::size_t value = begin + std::min(equals + 1, field.size());
    const bool is_data = has_raw_data && tag == tag::k_raw_data;
    const bool has_length = is_data && data_size > 0 && data_size <= text.size() - value;
    if (has_length) end = std::max(end, value + data_size);
    const bool is_secret = tag == tag::k_password || tag == tag::k_new_password || is_data;
    if (is_secret && end > value) {
      if (has_length) out.replace(length_value, out.size() - 1 - length_value, std::to_string(k_mask.size()));
      out.append(text.substr(begin, value - begin)).append(k_mask);
      ++masked.secrets;
    } else {
      out.append(text.substr(begin, end - begin));
    }
    data_size = 0;
    if (tag == tag::k_raw_data_length) {
      data_size = number_in(field.substr(value - begin)).value_or(0);
      length_value = out.size() - (end - value);
    }
    if (end < text.size()) out += k_separator;
    begin = end + 1;
  }
  return masked;
}

/// Adds to BodyLength what the text has grown by, where it has one as its second field.
void move_body_length(std::string& text, std::ptrdiff_t grown) {
  const std::size_t begin = text.find(k_separator) + 1;
  if (begin == 0 || !std::string_view(text).substr(begin).starts_with("9=")) return;
  const std::size_t end = end_of_field(text, begin);
  const auto length = number_in(std::string_view(text).substr(begin + 2, end - begin - 2));
  const auto moved = static_cast<std::ptrdiff_t>(length.value_or(0)) + grown;
  if (length && moved >= 0) text.replace(begin + 2, end - begin - 2, std::to_string(moved));
}

/// Adds to CheckSum what the sum of the bytes before it has grown by, where the message ends with one.
void move_check_sum(std::string& text, std::string_view before) {
  constexpr std::size_t k_trailer = 8;  // with the separator before it
  constexpr std::string_view k_begin =
      "\x01"
      "10=";
  if (before.size() < k_trailer || !before.substr(before.size() - k_trailer).starts_with(k_begin)) return;
  const auto sum = number_in(before.substr(before.size() - 4, 3));
  if (!sum) return;
  const unsigned moved = static_cast<unsigned>(*sum) + sum_of(std::string_view(text).substr(0, text.size() - 7)) -
                         sum_of(before.substr(0, before.size() - 7));
  const std::string digits = std::to_string(moved % 256);
  text.replace(text.size() - 4, 3, std::string(3 - digits.size(), '0') + digits);
}

}  // namespace

std::size_t mask_secrets(std::string& text, std::size_t begin) {
  const std::string_view before = std::string_view(text).substr(begin);
  constexpr std::string_view k_tags[] = {"554=", "925=", "96="};
  if (std::ranges::none_of(k_tags, [&](std::string_view tag) { return before.find(tag) != std::string_view::npos; }))
    return 0;
  Masked masked = with_masks(before);
  if (masked.secrets == 0) return 0;
  move_body_length(masked.text,
                   static_cast<std::ptrdiff_t>(masked.text.size()) - static_cast<std::ptrdiff_t>(before.size()));
  move_check_sum(masked.text, before);
  text.replace(begin, std::string::npos, masked.text);
  return masked.secrets;
}

}  // namespace dojima::fix
