#pragma once

// When a host's thread is away from its processor, in virtual time: the gaps of a recording, played around from some
// place in it. Work stops where a gap begins and goes on where it ends, and none begins inside one. One thread; O(1)
// for each gap that is passed; memory is taken when it is made.
//
//   Interruptions gaps({{.at = 300us, .length = 40us}}, 1ms);     // 40 us of every millisecond
//   gaps.begin(now, 0us);
//   const Interruptions::Stretch done = gaps.work(now + 290us, 20us);   // from 290 us to 350 us

#include <cstddef>
#include <vector>

#include "dojima/time/time.hpp"

namespace dojima::link {

class Interruptions {
 public:
  struct Gap {
    time::Duration at{};  ///< since the recording began
    time::Duration length{};
    friend bool operator==(const Gap&, const Gap&) = default;
  };
  /// From the beginning of some work to its end, the gaps in it included.
  struct Stretch {
    time::Time start{};
    time::Time end{};
    friend bool operator==(const Stretch&, const Stretch&) = default;
  };

  /// None at all.
  Interruptions() = default;
  /// Gaps longer than 0, one after the other within a recording that lasted for `span` and is not all gap.
  Interruptions(std::vector<Gap> gaps, time::Duration span);

  /// The recording begins at `from`, at `offset` in it (0 <= offset < span); before there are no gaps.
  void begin(time::Time from, time::Duration offset);
  /// Work of that length, begun at `earliest` or when the thread is back. Never earlier than the last work's start.
  [[nodiscard]] Stretch work(time::Time earliest, time::Duration length);

 private:
  [[nodiscard]] time::Time next_begin() const noexcept { return round_ + gaps_[next_].at; }
  [[nodiscard]] time::Time next_end() const noexcept { return next_begin() + gaps_[next_].length; }
  void pass() noexcept;

  std::vector<Gap> gaps_{};
  time::Duration span_{};
  std::size_t next_ = 0;  // the first gap that is not passed
  time::Time round_{};    // when the recording's round that it belongs to began
  bool is_begun_ = false;
};

}  // namespace dojima::link
