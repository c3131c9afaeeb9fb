#include "dojima/mit/identifiers.hpp"

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

consteval std::array<detail::DigitPair, detail::k_digit_pairs> base62_pairs() {
  std::array<detail::DigitPair, detail::k_digit_pairs> pairs{};
  for (std::size_t at = 0; at < pairs.size(); ++at) pairs[at] = {k_base62[at / 62], k_base62[at % 62]};
  return pairs;
}

consteval std::array<detail::PartitionDigits, 16> partition_digits() {
  std::array<detail::PartitionDigits, 16> partitions{};
  for (std::size_t partition = 0; partition < partitions.size(); ++partition) {
    const std::uint64_t least = std::uint64_t{partition} << detail::k_partition_shift;
    partitions[partition].rest = least % detail::k_six_digits;
    std::uint64_t first = least / detail::k_six_digits;
    for (std::size_t at = 6; at-- != 0; first /= 62) partitions[partition].digits[at] = k_base62[first % 62];
  }
  return partitions;
}

}  // namespace

constinit const std::array<detail::PartitionDigits, 16> detail::k_partition_digits = partition_digits();
constinit const std::array<detail::DigitPair, detail::k_digit_pairs> detail::k_base62_pairs = base62_pairs();

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

bool is_plain_order_id(std::span<const std::byte, k_order_id_width> field) noexcept {
  constexpr unsigned k_second_most = 20;  // 21 * 62^10 is less than 2^64
  unsigned all = 0;
  for (const std::byte each : field) all |= k_base62_values[std::to_integer<std::size_t>(each)];
  return all < 64 && field[0] == std::byte{'0'} &&
         k_base62_values[std::to_integer<std::size_t>(field[1])] <= k_second_most;
}

Result<void> format_base36(std::uint64_t number, std::span<char> text) noexcept {
  return format<36>(number, k_base36, text);
}

Result<std::uint64_t> parse_base36(std::string_view text) noexcept {
  return parse<36>(text, k_base36_values);
}

}  // namespace dojima::mit
