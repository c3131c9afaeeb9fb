#pragma once

// What an OwnerReport holds as the wire has it, and the one test for whether every dialect can carry it. Stateless, no
// allocation.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "dojima/market/report.hpp"
#include "dojima/mit/codec/codec_rules.hpp"

namespace dojima::mit {

[[nodiscard]] inline std::uint64_t bits_of(market::Quantity quantity) noexcept {
  return static_cast<std::uint64_t>(quantity.lots);
}

/// The characters of both texts, which lie side by side, or-ed eight at a time; one counts twice.
[[nodiscard]] inline std::uint64_t all_characters_of(const market::OwnerReport& report) noexcept {
  constexpr std::size_t k_begin = offsetof(market::OwnerReport, client_order_id);
  constexpr std::size_t k_end = offsetof(market::OwnerReport, counterparty) + sizeof report.counterparty;
  static_assert(offsetof(market::OwnerReport, counterparty) == k_begin + sizeof report.client_order_id);
  const auto eight_at = [&report](std::size_t at) {
    std::uint64_t word = 0;
    std::memcpy(&word, reinterpret_cast<const char*>(&report) + at, sizeof word);
    return word;
  };
  std::uint64_t all = eight_at(k_end - sizeof(std::uint64_t));
  for (std::size_t at = k_begin; at < k_end - sizeof(std::uint64_t); at += sizeof(std::uint64_t)) all |= eight_at(at);
  return all;
}

/// Whether no value of the report is such that some dialect could not carry it.
[[nodiscard, gnu::always_inline]] inline bool is_carried_by_all(const market::OwnerReport& report) noexcept {
  constexpr std::uint64_t k_most_number = std::numeric_limits<std::int32_t>::max();
  constexpr std::uint64_t k_time_end = (std::uint64_t{1} << 32) * k_second;  // seconds of 32 bits
  // Numbers that are neither negative nor above 31 bits, or-ed.
  const std::uint64_t numbers = report.sequence.value | bits_of(report.quantity) | bits_of(report.leaves) |
                                bits_of(report.displayed) | bits_of(report.minimum) | report.instrument;
  const std::uint64_t characters = all_characters_of(report);
  const auto nanoseconds = static_cast<std::uint64_t>(time::nanoseconds_of(report.time));
  return numbers <= k_most_number && (characters & 0x8080'8080'8080'8080) == 0 && nanoseconds < k_time_end &&
         static_cast<std::uint8_t>(report.side) < 128;
}

/// TransactTime of a time that is carried: seconds in the low word, what is left in units of the dialect in the high
/// one.
template <class D>
[[nodiscard]] std::uint64_t instant_of(time::Time at) noexcept {
  const auto nanoseconds = static_cast<std::uint64_t>(time::nanoseconds_of(at));
  return nanoseconds / k_second | nanoseconds % k_second / D::k_fraction_ns << 32;
}

}  // namespace dojima::mit
