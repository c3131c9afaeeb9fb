#pragma once

// What is dispatched to, and on what: sessions whose state lies in memory, bodies that differ from code to code, and
// streams of codes. The same for every competitor.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "dojima/measure/statistics.hpp"

namespace dojima::bench {

/// Events go to the sessions in turn: no competitor can keep a session in registers.
inline constexpr std::size_t k_sessions = 64;
/// Longer than what a branch predictor learns by heart.
inline constexpr std::size_t k_events = 65'536;

/// A session's memory; two cache lines.
struct alignas(64) Session {
  std::uint64_t value = 1;
  std::uint64_t misses = 0;
  std::array<char, 96> text{};
};

using Sessions = std::array<Session, k_sessions>;

[[nodiscard]] inline std::uint64_t digest_of(const Sessions& sessions) {
  std::uint64_t digest = 1469598103934665603U;  // FNV-1a
  for (const Session& session : sessions) {
    digest = (digest ^ session.value) * 1099511628211U;
    digest = (digest ^ session.misses) * 1099511628211U;
  }
  return digest;
}

/// One to three instructions, others for each number.
struct Trivial {
  template <std::size_t Number>
  [[gnu::always_inline]] static void run(Session& session) {
    constexpr auto odd = 2 * static_cast<std::uint64_t>(Number) + 1;
    if constexpr (Number % 3 == 0)
      session.value += odd * 0x9e37'79b9U;
    else if constexpr (Number % 3 == 1)
      session.value ^= odd * 0x85eb'ca6bU;
    else
      session.value = std::rotl(session.value, Number % 61 + 1) + odd;
  }
};

/// A short FIX message with a body of that type: id, quantity, price, checksum. Some tens of nanoseconds.
void write_message(Session& session, std::uint32_t number);

struct FixLike {
  template <std::size_t Number>
  [[gnu::always_inline]] static void run(Session& session) {
    write_message(session, static_cast<std::uint32_t>(Number));
  }
};

[[gnu::always_inline]] inline void miss(Session& session) {
  ++session.misses;
}

/// Numbers 0 .. count - 1: `constant` one of them, `markov` nine times in ten the one that follows the last, `random`
/// any of them.
[[nodiscard]] std::vector<std::uint16_t> stream(std::string_view kind, std::size_t count, std::uint64_t seed);

}  // namespace dojima::bench
