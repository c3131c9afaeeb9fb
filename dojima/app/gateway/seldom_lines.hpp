#pragma once

// Lines of a log that somebody else can bring about as often as he likes, as connections that are refused: so many a
// second are written, and how many were left out is said when the second is over: by a timer, or by the first line of a
// later second where that comes first. O(1), one thread.
//
//   if (const auto left_out = lines.ask(now)) say("refused ...", *left_out);
//   if (const auto due = lines.due()) timer.arm(*due);    // then: if (auto left_out = lines.take(now)) say(left_out);

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include "dojima/time/time.hpp"

namespace dojima::app {

class SeldomLines {
 public:
  /// At least 1 in a second.
  explicit SeldomLines(std::uint32_t most) noexcept : most_(most) {}

  /// Nothing: this line is left out. Else how many were, since the last one that was not.
  [[nodiscard]] std::optional<std::uint64_t> ask(time::Time now) noexcept {
    const auto second = std::chrono::floor<std::chrono::seconds>(now);
    if (second != std::exchange(second_, second)) written_ = 0;
    if (written_ == most_) {
      ++left_out_;
      return std::nullopt;
    }
    ++written_;
    return std::exchange(left_out_, 0U);
  }
  /// When the second is over in which lines were left out; nothing: none were.
  [[nodiscard]] std::optional<time::Time> due() const noexcept {
    return left_out_ == 0 ? std::nullopt : std::optional<time::Time>(second_ + std::chrono::seconds{1});
  }
  /// How many were left out in seconds that are over, which is said now.
  [[nodiscard]] std::uint64_t take(time::Time now) noexcept {
    const std::optional<time::Time> over = due();
    return over && *over <= now ? std::exchange(left_out_, 0U) : 0U;
  }

 private:
  std::uint32_t most_;
  std::uint32_t written_ = 0;  // in the second
  std::uint64_t left_out_ = 0;
  std::chrono::time_point<time::Time::clock, std::chrono::seconds> second_{};
};

}  // namespace dojima::app
