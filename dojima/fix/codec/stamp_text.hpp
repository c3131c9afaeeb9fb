#pragma once

// A UTCTimestamp rendered once for a message that has it twice or more: SendingTime and, most often, TransactTime. The
// text is kept in the words in which it is stored, so that each use is a few stores. No allocation.
//
//   const StampText stamp = stamp_text_of(now, 3);   // then put_stamp(at, stamp).end - at is stamp.size

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
  std::uint32_t in_second = 0;  // nanoseconds behind the beginning of its second
};

[[nodiscard]] inline StampText stamp_text_of(time::Time time, unsigned decimals) noexcept {
  constexpr std::int64_t k_second = 1'000'000'000;
  const time::TimestampWords words = time::timestamp_words(time, decimals);
  const std::int64_t in_second = time::nanoseconds_of(time) % k_second;
  // Of the last word, what is behind the one before.
  const std::uint64_t rest = words.last >> 48 | std::uint64_t{'-'} << 16;
  return {.time = time,
          .words = words,
          .lanes = lanes_of(words.date, words.clock) + lanes_of(words.fraction, rest),
          .size = decimals == 0 ? 17 : 18 + decimals,
          .decimals = decimals,
          .in_second = static_cast<std::uint32_t>(in_second < 0 ? in_second + k_second : in_second)};
}

/// Makes it that of another time with as many decimals: of one of the same second only what is behind the point anew.
inline void move_stamp(StampText& stamp, time::Time time) noexcept {
  constexpr std::uint64_t k_second = 1'000'000'000;
  const std::int64_t from = time::nanoseconds_of(stamp.time), to = time::nanoseconds_of(time);
  // Without a sign, as their difference may be too large for one; of earlier seconds it is very large.
  const std::uint64_t behind = static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from) + stamp.in_second;
  if (behind >= k_second || (from ^ to) < 0) [[unlikely]] {
    stamp = stamp_text_of(time, stamp.decimals);
    return;
  }
  const auto fraction_lanes = [&stamp] { return lanes_of(stamp.words.fraction, stamp.words.last >> 48); };
  const Lanes old = fraction_lanes();
  stamp.in_second = static_cast<std::uint32_t>(behind);
  time::put_fraction(stamp.words, stamp.in_second, stamp.decimals);
  stamp.lanes += fraction_lanes() - old;
  stamp.time = time;
}

/// Renders times one after the other, mostly of the same second.
class StampTexts {
 public:
  /// Valid until the next call.
  [[nodiscard]] const StampText& of(time::Time time, unsigned decimals) noexcept {
    if (decimals != text_.decimals) [[unlikely]]
      text_ = stamp_text_of(time, decimals);
    else
      move_stamp(text_, time);
    return text_;
  }

 private:
  StampText text_ = stamp_text_of({}, 3);
};

[[nodiscard, gnu::always_inline]] inline Written put_stamp(char* at, const StampText& stamp) noexcept {
  store_word(at, stamp.words.date);
  at[8] = '-';
  store_word(at + 9, stamp.words.clock);
  store_word(at + 17, stamp.words.fraction);
  if (stamp.words.last != 0) store_word(at + 19, stamp.words.last);
  return {at + stamp.size, stamp.lanes};
}

/// A time that most often is of the same second as `near`, with as many decimals.
[[nodiscard]] Written put_any_stamp(char* at, time::Time time, const StampText& near) noexcept;

}  // namespace dojima::fix
