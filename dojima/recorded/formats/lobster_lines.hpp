#pragma once

// The usual lines of a LOBSTER message file, many in one call and without a loop over characters: all separators of a
// line are found at once, all its numbers are converted at once, and no branch asks what a line says. A line that is
// anything else (a halt, a seventh field, a price below nothing, a number of more than 15 digits, a time without a
// fraction, "\r\n", damage) is left to LobsterReader, which reads every line and names what is wrong; so are lines of
// more than 63 characters. Every kernel gives the same on every input that it takes. Nothing is allocated.

#include <array>
#include <cstddef>
#include <cstdint>

#include "dojima/recorded/event.hpp"

namespace dojima::recorded {

/// How far the reading is; a kernel moves it on.
struct LobsterLines {
  const char* at;             ///< a line begins here, k_lobster_before bytes behind what may be read
  const char* end;            ///< of the bytes that may be read
  RecordedEvent* out;         ///< the next event goes here
  RecordedEvent* out_end;     ///< room ends here
  std::uint64_t line;         ///< lines read so far
  std::uint64_t* type_count;  ///< by LOBSTER's type, 0 to 7
  std::int64_t midnight_ns;
};

/// Reads lines until one is not usual, fewer than 66 bytes are left, or there is no room.
using LobsterKernel = void (*)(LobsterLines& lines) noexcept;

/// The fastest that this processor has.
[[nodiscard]] LobsterKernel lobster_kernel() noexcept;

/// So many bytes in front of a line may be read as well.
inline constexpr std::size_t k_lobster_before = 16;

/// What an event of LOBSTER's type 1 to 6 is.
struct LobsterTail {
  EventKind kind = EventKind::none;
  market::Side side = market::Side::none;
  std::uint8_t flags = 0;
};
/// The direction in the file is that of the resting order; trades have the aggressor's side.
[[nodiscard]] constexpr LobsterTail lobster_tail(std::uint64_t type, bool is_sell) noexcept {
  constexpr EventKind k_kinds[] = {EventKind::none,    EventKind::add,          EventKind::reduce, EventKind::remove,
                                   EventKind::execute, EventKind::hidden_trade, EventKind::trade};
  const market::Side resting = is_sell ? market::Side::sell : market::Side::buy;
  const bool is_trade = type == 5 || type == 6;
  return {k_kinds[type], is_trade ? market::opposite(resting) : resting,
          static_cast<std::uint8_t>(type == 6 ? k_last | k_in_auction : k_last)};
}

namespace detail {
[[nodiscard]] LobsterKernel portable_lobster_kernel() noexcept;
/// Null: this processor, or this build, does not have it.
[[nodiscard]] LobsterKernel avx512_lobster_kernel() noexcept;

/// Bytes looked at for separators, and those that may be read behind the beginning of a line.
inline constexpr std::size_t k_lobster_block = 64, k_lobster_room = k_lobster_block + 2;

/// By 2 * type + (1 for a sell order).
inline constexpr auto k_lobster_tails = [] {
  std::array<LobsterTail, 16> tails{};
  for (std::size_t at = 2; at < 14; ++at) tails[at] = lobster_tail(at / 2, at % 2 == 1);
  return tails;
}();

/// To nanoseconds, by how many digits a fraction of a second has.
inline constexpr std::array<std::uint64_t, 10> k_nanoseconds_of = {
    1'000'000'000, 100'000'000, 10'000'000, 1'000'000, 100'000, 10'000, 1'000, 100, 10, 1};
}  // namespace detail

}  // namespace dojima::recorded
