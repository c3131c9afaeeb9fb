#pragma once

// A UTCTimestamp rendered once for a message that has it twice or more: SendingTime and, most often, TransactTime. The
// text is kept in the words in which it is stored, so that each use is a few stores. No allocation.
//
//   const StampText stamp = stamp_text_of(now, 3);   // then put_stamp(at, stamp).end - at is stamp.size

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "dojima/base/digits.hpp"
#include "dojima/fix/codec/summed_text.hpp"
#include "dojima/time/time.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::fix {

struct StampText {
  time::Time time{};
  time::TimestampWords words{};
  Lanes lanes{};  // its characters, to be summed
  std::uint32_t size = 0;
  std::uint32_t decimals = 3;
};

[[nodiscard]] inline StampText stamp_text_of(time::Time time, unsigned decimals) noexcept {
  const time::TimestampWords words = time::timestamp_words(time, decimals);
  // Of the last word, what is behind the one before.
  const std::uint64_t rest = words.last >> 48 | std::uint64_t{'-'} << 16;
  return {.time = time,
          .words = words,
          .lanes = lanes_of(words.date, words.clock) + lanes_of(words.fraction, rest),
          .size = decimals == 0 ? 17 : 18 + decimals,
          .decimals = decimals};
}

/// Renders times one after the other, mostly of the same second: then only what is behind the point is made anew.
class StampTexts {
 public:
  /// Valid until the next call.
  [[nodiscard]] const StampText& of(time::Time time, unsigned decimals) noexcept {
    const auto behind = static_cast<std::uint64_t>((time - second_).count());  // of earlier times: very large
    if (behind >= k_second || decimals != text_.decimals) [[unlikely]] {
      text_ = stamp_text_of(time, decimals);
      second_ = std::chrono::floor<std::chrono::seconds>(time);
      return text_;
    }
    const Lanes old = fraction_lanes();
    time::put_fraction(text_.words, static_cast<std::uint32_t>(behind), decimals);
    text_.lanes += fraction_lanes() - old;
    text_.time = time;
    return text_;
  }

 private:
  static constexpr std::uint64_t k_second = 1'000'000'000;
  [[nodiscard]] Lanes fraction_lanes() const noexcept { return lanes_of(text_.words.fraction, text_.words.last >> 48); }
  StampText text_ = stamp_text_of({}, 3);
  time::Time second_{};
};

[[nodiscard, gnu::always_inline]] inline Written put_stamp(char* at, const StampText& stamp) noexcept {
  store_word(at, stamp.words.date);
  at[8] = '-';
  store_word(at + 9, stamp.words.clock);
  store_word(at + 17, stamp.words.fraction);
  if (stamp.words.last != 0) store_word(at + 19, stamp.words.last);
  return {at + stamp.size, stamp.lanes};
}

[[nodiscard]] Written put_any_stamp(char* at, time::Time time, unsigned decimals) noexcept;

}  // namespace dojima::fix
