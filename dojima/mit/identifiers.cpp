#include "dojima/mit/identifiers.hpp"

#include <cstring>
#include <limits>

#include "dojima/mit/codec/order_id_text.hpp"
#include "dojima/mit/identifier_words.hpp"

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

/// Twelve digits of a number below 2^64; what does not surely say one goes the long way.
[[nodiscard, gnu::always_inline]] inline bool is_surely_a_word(const OrderIdNumbers& numbers) noexcept {
  constexpr std::uint64_t k_most = std::numeric_limits<std::uint64_t>::max() / detail::k_four_digits - 1;
  return numbers.is_right && numbers.first <= k_most;
}
[[nodiscard, gnu::always_inline]] inline std::uint64_t word_of(const OrderIdNumbers& numbers) noexcept {
  return numbers.first * detail::k_four_digits + numbers.last;
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
  const OrderIdNumbers numbers = order_id_text::read(field);
  if (is_surely_a_word(numbers)) [[likely]]
    return word_of(numbers);
  const std::string_view chars(reinterpret_cast<const char*>(field.data()), field.size());
  const std::string_view text = chars.substr(0, chars.find('\0'));
  if (text.empty()) return 0;
  return parse_base62(text);
}

std::uint64_t order_id_or_none(std::span<const std::byte, k_order_id_width> field) noexcept {
  const OrderIdNumbers numbers = order_id_text::read(field);
  if (is_surely_a_word(numbers)) [[likely]]
    return word_of(numbers);
  return read_order_id(field).value_or(0);
}

bool is_plain_order_id(std::span<const std::byte, k_order_id_width> field) noexcept {
  constexpr auto k_second_most = static_cast<std::byte>('K');  // 20: 21 * 62^10 is less than 2^64
  return field[0] == static_cast<std::byte>('0') && field[1] <= k_second_most && order_id_text::is_right(field);
}

namespace {

/// Four digits of base 36 of a number below 36^4.
[[gnu::always_inline]] inline void write_four_of_base36(std::uint64_t number, char* text) noexcept {
  const std::uint64_t first = number / k_base36_pairs.size();
  std::memcpy(text, &k_base36_pairs[first], 2);
  std::memcpy(text + 2, &k_base36_pairs[number - first * k_base36_pairs.size()], 2);
}

}  // namespace

Result<void> format_base36(std::uint64_t number, std::span<char> text) noexcept {
  constexpr std::uint64_t k_pair = k_base36_pairs.size(), k_four = k_pair * k_pair;
  if (text.size() == k_trade_id_width && number < k_four * k_four * k_pair) [[likely]] {
    // A trade number: no division waits for more than one other.
    const std::uint64_t upper = number / k_four, first = upper / k_four;
    std::memcpy(text.data(), &k_base36_pairs[first], 2);
    write_four_of_base36(upper - first * k_four, text.data() + 2);
    write_four_of_base36(number - upper * k_four, text.data() + 6);
    return {};
  }
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

TradeIdWords trade_id_words(std::uint64_t number) noexcept {
  constexpr std::uint64_t k_pair = k_base36_pairs.size(), k_four = k_pair * k_pair;
  if (number >= k_four * k_four * k_pair) [[unlikely]]
    return {};
  const auto two = [](std::uint64_t digits) {
    std::uint16_t characters;
    std::memcpy(&characters, &k_base36_pairs[digits], sizeof characters);
    return std::uint64_t{characters};
  };
  const auto four = [&](std::uint64_t digits) {
    const std::uint64_t first = digits / k_pair;
    return two(first) | two(digits - first * k_pair) << 16U;
  };
  const std::uint64_t upper = number / k_four, first = upper / k_four;
  const std::uint64_t last = four(number - upper * k_four);
  return {.first = two(first) | four(upper - first * k_four) << 16U | last << 48U, .last = last >> 16U};
}

Result<std::uint64_t> parse_base36(std::string_view text) noexcept {
  return parse<36>(text, k_base36_values);
}

}  // namespace dojima::mit
