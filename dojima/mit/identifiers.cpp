#include "dojima/mit/identifiers.hpp"

#include <cstring>
#include <limits>

namespace dojima::mit {
namespace {

constexpr std::string_view k_base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr std::string_view k_base36 = "GHIJKLMNOPQRSTUVWXYZ0123456789ABCDEF";
static_assert(k_base62.size() == 62 && k_base36.size() == 36);

constexpr std::uint8_t k_no_digit = 0xff;
using Values = std::array<std::uint8_t, 256>;

consteval Values values_of(std::string_view alphabet) {
  Values values{};
  values.fill(k_no_digit);
  for (std::size_t digit = 0; digit < alphabet.size(); ++digit)
    values[static_cast<unsigned char>(alphabet[digit])] = static_cast<std::uint8_t>(digit);
  return values;
}

constexpr Values k_base62_values = values_of(k_base62);
constexpr Values k_base36_values = values_of(k_base36);

template <std::uint64_t Base>
Result<void> format(std::uint64_t number, std::string_view alphabet, std::span<char> text) noexcept {
  std::uint64_t rest = number;
  for (std::size_t at = text.size(); at-- != 0; rest /= Base) text[at] = alphabet[rest % Base];
  if (rest != 0)
    return fail(ErrorCode::too_long, 0, 0, static_cast<std::int64_t>(number), "a number that fits the width");
  return {};
}

template <std::uint64_t Base>
Result<std::uint64_t> parse(std::string_view text, const Values& values) noexcept {
  if (text.empty()) return fail(ErrorCode::missing, 0, 0, 0, "an identifier");
  std::uint64_t number = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto offset = static_cast<std::uint32_t>(at);
    const std::uint8_t digit = values[static_cast<unsigned char>(text[at])];
    if (digit == k_no_digit)
      return fail(ErrorCode::malformed, 0, offset, static_cast<unsigned char>(text[at]),
                  "a digit of the identifier's base");
    if (number > (std::numeric_limits<std::uint64_t>::max() - digit) / Base)
      return fail(ErrorCode::out_of_range, 0, offset, 0, "a number of 64 bits");
    number = number * Base + digit;
  }
  return number;
}

/// Two digits of base 62, as they lie in memory.
using Pair = std::array<char, 2>;
constexpr std::uint64_t k_pairs = 62 * 62;

consteval std::array<Pair, k_pairs> base62_pairs() {
  std::array<Pair, k_pairs> pairs{};
  for (std::size_t at = 0; at < pairs.size(); ++at) pairs[at] = {k_base62[at / 62], k_base62[at % 62]};
  return pairs;
}

constexpr std::array<Pair, k_pairs> k_base62_pairs = base62_pairs();

/// Six digits.
inline void write_six(std::uint64_t number, char* text) noexcept {
  const std::uint64_t upper = number / k_pairs;
  std::memcpy(text, &k_base62_pairs[upper / k_pairs], sizeof(Pair));
  std::memcpy(text + 2, &k_base62_pairs[upper % k_pairs], sizeof(Pair));
  std::memcpy(text + 4, &k_base62_pairs[number % k_pairs], sizeof(Pair));
}

}  // namespace

void write_order_id(std::uint64_t number, char* text) noexcept {
  // The halves do not wait for each other's divisions.
  constexpr std::uint64_t k_half = k_pairs * k_pairs * k_pairs;
  write_six(number / k_half, text);
  write_six(number % k_half, text + 6);
}

Result<void> format_base62(std::uint64_t number, std::span<char> text) noexcept {
  return format<62>(number, k_base62, text);
}

std::string_view format_base62_shortest(std::uint64_t number, std::span<char, k_base62_max> text) noexcept {
  std::size_t begin = text.size();
  do {
    text[--begin] = k_base62[number % 62];
    number /= 62;
  } while (number != 0);
  return {text.data() + begin, text.size() - begin};
}

Result<std::uint64_t> parse_base62(std::string_view text) noexcept {
  return parse<62>(text, k_base62_values);
}

Result<std::uint64_t> read_order_id(std::span<const std::byte, k_order_id_width> field) noexcept {
  // Twelve digits in three groups that do not wait for each other; whatever is no such number goes the long way.
  constexpr std::uint64_t k_group = 62 * 62 * 62 * 62;
  constexpr std::uint64_t k_most = std::numeric_limits<std::uint64_t>::max() / k_group - 1;
  std::array<std::uint64_t, 3> groups{};
  unsigned all = 0;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (std::size_t at = 0; at < 4; ++at) {
      const unsigned digit = k_base62_values[std::to_integer<std::size_t>(field[4 * group + at])];
      all |= digit;
      groups[group] = groups[group] * 62 + digit;
    }
  }
  const std::uint64_t top = groups[0] * k_group + groups[1];
  if (all < 64 && top <= k_most) [[likely]]
    return top * k_group + groups[2];
  const std::string_view chars(reinterpret_cast<const char*>(field.data()), field.size());
  const std::string_view text = chars.substr(0, chars.find('\0'));
  if (text.empty()) return 0;
  return parse_base62(text);
}

Result<void> format_base36(std::uint64_t number, std::span<char> text) noexcept {
  return format<36>(number, k_base36, text);
}

Result<std::uint64_t> parse_base36(std::string_view text) noexcept {
  return parse<36>(text, k_base36_values);
}

}  // namespace dojima::mit
