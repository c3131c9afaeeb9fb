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

[[nodiscard]] std::unexpected<Error> too_wide(std::uint64_t number) noexcept {
  return fail(ErrorCode::too_long, 0, 0, static_cast<std::int64_t>(number), "a number that fits the width");
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

/// Every two digits of an alphabet, in the order of their numbers.
template <std::size_t Base>
consteval std::array<detail::DigitPair, Base * Base> pairs_of(std::string_view alphabet) {
  std::array<detail::DigitPair, Base * Base> pairs{};
  for (std::size_t at = 0; at < pairs.size(); ++at) pairs[at] = {alphabet[at / Base], alphabet[at % Base]};
  return pairs;
}
constexpr std::array k_base36_pairs = pairs_of<36>(k_base36);

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

// Characters of base 62 in the eight bytes of a word: all at once, without a look-up for each. The first character is
// the lowest byte.

constexpr std::uint64_t k_ones = 0x0101'0101'0101'0101, k_high_bits = k_ones * 0x80, k_low_half = 0xffff'ffff;
constexpr std::uint64_t k_group = 62 * 62 * 62 * 62;  // of four digits

struct EightDigits {
  std::uint64_t digits;  // one in each byte, where none is wrong
  std::uint64_t wrong;   // the highest bit of each byte that is none
};

[[nodiscard]] inline EightDigits eight_digits(std::span<const std::byte, 8> text) noexcept {
  std::uint64_t word;
  std::memcpy(&word, text.data(), sizeof word);
  const std::uint64_t low = word & ~k_high_bits;
  // The highest bit of each byte that is this character or one behind it.
  const auto from = [&](char least) { return low + (0x80 - static_cast<std::uint64_t>(least)) * k_ones; };
  const std::uint64_t upper = from('A'), lower = from('a');
  const std::uint64_t right = (from('0') & ~from('9' + 1)) | (upper & ~from('Z' + 1)) | (lower & ~from('z' + 1));
  constexpr unsigned k_to_upper = 'A' - '0' - 10, k_to_lower = 'a' - 'A' - 26;
  const std::uint64_t digits = low - std::uint64_t{'0'} * k_ones - ((upper & k_high_bits) >> 7U) * k_to_upper -
                               ((lower & k_high_bits) >> 7U) * k_to_lower;
  return {.digits = digits, .wrong = (~right | word) & k_high_bits};
}

/// The numbers of the first and the last four digits, in the lower and the upper half.
[[nodiscard]] inline std::uint64_t groups_of(std::uint64_t digits) noexcept {
  constexpr std::uint64_t k_bytes = 0x00ff'00ff'00ff'00ff, k_words = 0x0000'ffff'0000'ffff;
  const std::uint64_t pairs = (digits & k_bytes) * 62 + (digits >> 8U & k_bytes);
  return (pairs & k_words) * (62 * 62) + (pairs >> 16U & k_words);
}

}  // namespace

constinit const std::array<detail::PartitionDigits, 16> detail::k_partition_digits = partition_digits();
constinit const std::array<detail::DigitPair, detail::k_digit_pairs> detail::k_base62_pairs = pairs_of<62>(k_base62);

Result<void> format_base62(std::uint64_t number, std::span<char> text) noexcept {
  std::uint64_t rest = number;
  for (std::size_t at = text.size(); at-- != 0; rest /= 62) text[at] = k_base62[rest % 62];
  return rest == 0 ? Result<void>{} : too_wide(number);
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
  // What is no twelve digits, or not surely below 2^64, goes the long way.
  constexpr std::uint64_t k_most = std::numeric_limits<std::uint64_t>::max() / k_group - 1;
  const EightDigits first = eight_digits(field.first<8>()), last = eight_digits(field.last<8>());
  const std::uint64_t first_groups = groups_of(first.digits);
  const std::uint64_t top = (first_groups & k_low_half) * k_group + (first_groups >> 32U);
  if ((first.wrong | last.wrong) == 0 && top <= k_most) [[likely]]
    return top * k_group + (groups_of(last.digits) >> 32U);
  const std::string_view chars(reinterpret_cast<const char*>(field.data()), field.size());
  const std::string_view text = chars.substr(0, chars.find('\0'));
  if (text.empty()) return 0;
  return parse_base62(text);
}

bool is_plain_order_id(std::span<const std::byte, k_order_id_width> field) noexcept {
  constexpr std::uint64_t k_second_most = 20;  // 21 * 62^10 is less than 2^64
  const EightDigits first = eight_digits(field.first<8>()), last = eight_digits(field.last<8>());
  return (first.wrong | last.wrong) == 0 && (first.digits & 0xff) == 0 && (first.digits >> 8U & 0xff) <= k_second_most;
}

Result<void> format_base36(std::uint64_t number, std::span<char> text) noexcept {
  std::uint64_t rest = number;
  std::size_t at = text.size();
  for (; at >= 2; rest /= k_base36_pairs.size()) {
    const detail::DigitPair& pair = k_base36_pairs[rest % k_base36_pairs.size()];
    at -= pair.size();
    std::memcpy(text.data() + at, pair.data(), pair.size());
  }
  if (at != 0) {
    text[0] = k_base36[rest % 36];
    rest /= 36;
  }
  return rest == 0 ? Result<void>{} : too_wide(number);
}

Result<std::uint64_t> parse_base36(std::string_view text) noexcept {
  return parse<36>(text, k_base36_values);
}

}  // namespace dojima::mit
