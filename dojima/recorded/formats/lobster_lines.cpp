#include "dojima/recorded/formats/lobster_lines.hpp"

#include <bit>
#include <cstring>

#include "dojima/base/digits.hpp"

namespace dojima::recorded {
namespace detail {
namespace {

constexpr std::uint64_t k_low_bits = 0x0101010101010101, k_high_bits = 0x8080808080808080;

/// A bit for each of the 64 characters that is below '-': separators, and what no usual line has.
std::uint64_t separators(const char* at) noexcept {
  std::uint64_t mask = 0;
  for (std::size_t word = 0; word < k_lobster_block / 8; ++word) {
    const std::uint64_t text = load_word(at + 8 * word);
    // Seven bits of each character with the eighth set, less '-': the eighth goes out where it was below.
    const std::uint64_t is_below = ~((text | k_high_bits) - k_low_bits * '-') & k_high_bits & ~text;
    // The eight bits side by side.
    mask |= ((is_below >> 7) * 0x0102040810204080 >> 56) << 8 * word;
  }
  return mask;
}

/// The number of `size` digits, up to 15, before `end`; 16 characters before it may be read.
struct Digits {
  std::uint64_t upper, lower;  // of eight each, '0' taken off

  Digits(const char* end, std::size_t size) noexcept
      : upper(size <= 8 ? 0 : (load_word(end - 16) ^ k_eight_zeros) & last(size - 8)),
        lower((load_word(end - 8) ^ k_eight_zeros) & last(size)) {}
  [[nodiscard]] bool are_digits() const noexcept { return dojima::are_digits(upper) && dojima::are_digits(lower); }
  [[nodiscard]] std::uint64_t value() const noexcept {
    return std::uint64_t{number_of(upper)} * 100'000'000 + number_of(lower);
  }

 private:
  /// The last `size` characters of a word.
  static std::uint64_t last(std::size_t size) noexcept {
    return size >= 8 ? ~std::uint64_t{0} : ~(~std::uint64_t{0} >> 8 * size);
  }
};

constexpr std::size_t k_most_seconds = 9, k_most_fraction = 9, k_most_digits = 15;

/// One line to one event; false: it is not usual, and nothing was changed.
bool read_line(LobsterLines& lines) noexcept {
  const char* const at = lines.at;
  std::uint64_t mask = separators(at);
  std::array<std::size_t, 6> separator;  // behind time, type, order, size, price, direction
  for (std::size_t& place : separator) {
    place = static_cast<std::size_t>(std::countr_zero(mask));
    mask &= mask - 1;
  }
  const auto [time, type, order, size, price, end] = separator;
  if (end == k_lobster_block || at[end] != '\n' || type != time + 2) return false;
  for (const std::size_t comma : {time, type, order, size, price})
    if (at[comma] != ',') return false;
  std::size_t point = 0;
  while (point < k_most_seconds && at[point] != '.') ++point;
  const std::size_t fraction = time - point - 1;
  if (at[point] != '.' || point == 0 || fraction > k_most_fraction || fraction == 0) return false;
  const auto has_length = [](std::size_t digits) { return digits - 1 < k_most_digits; };
  if (!has_length(order - type - 1) || !has_length(size - order - 1) || !has_length(price - size - 1)) return false;
  const auto code = static_cast<unsigned char>(at[time + 1] - '1');
  const bool is_sell = at[price + 1] == '-';
  const std::size_t direction = price + 1 + (is_sell ? 1 : 0);
  if (code >= 6 || at[direction] != '1' || end != direction + 1) return false;
  const Digits seconds(at + point, point), part(at + time, fraction), id(at + order, order - type - 1),
      shares(at + size, size - order - 1), paid(at + price, price - size - 1);
  if (!seconds.are_digits() || !part.are_digits() || !id.are_digits() || !shares.are_digits() || !paid.are_digits())
    return false;
  const std::uint64_t nanoseconds = seconds.value() * k_nanoseconds_of[0] + part.value() * k_nanoseconds_of[fraction];
  const LobsterTail& tail = k_lobster_tails[2u * (code + 1u) + (is_sell ? 1u : 0u)];
  RecordedEvent& event = *lines.out++;
  event = {.event_time = time::from_nanoseconds(lines.midnight_ns + static_cast<std::int64_t>(nanoseconds)),
           .order = id.value(),
           .price = static_cast<std::int64_t>(paid.value()),
           .quantity = static_cast<std::int64_t>(shares.value()),
           .sequence = ++lines.line,
           .kind = tail.kind,
           .side = tail.side,
           .flags = tail.flags};
  ++lines.type_count[code + 1u];
  lines.at = at + end + 1;
  return true;
}

void read_lines(LobsterLines& lines) noexcept {
  while (lines.out != lines.out_end && static_cast<std::size_t>(lines.end - lines.at) >= k_lobster_room &&
         read_line(lines)) {
  }
}

}  // namespace

LobsterKernel portable_lobster_kernel() noexcept {
  return std::endian::native == std::endian::little ? &read_lines : nullptr;
}

}  // namespace detail

LobsterKernel lobster_kernel() noexcept {
  static const LobsterKernel kernel = [] {
    const LobsterKernel fastest = detail::avx512_lobster_kernel();
    return fastest != nullptr ? fastest : detail::portable_lobster_kernel();
  }();
  return kernel;
}

}  // namespace dojima::recorded
