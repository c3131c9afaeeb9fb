#pragma once

// Times a section of code into a histogram of nanoseconds. Fenced sections wait for what came before and hold back what
// comes after: right for sections of tens of nanoseconds and more. Unfenced ones cost half and let neighbours blur into
// each other. What the timing itself costs is measured, and belongs beside every result; it is never subtracted.
// Inline, no call, no allocation. One thread per timer.
//
//   const measure::CycleClock clock = measure::CycleClock::calibrate();
//   measure::SectionTimer<measure::Fencing::fenced> timer(clock, histogram);
//   { const measure::TimedSection section(timer);  match(order); }
//   timer.flush();                                  // before the histogram is read; its destructor does it too
//   puts(evidence::to_text(measure::measure_section_cost<measure::Fencing::fenced>(clock), clock).c_str());

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "dojima/measure/cycle_clock.hpp"
#include "dojima/measure/histogram.hpp"
#include "dojima/measure/statistics.hpp"

namespace dojima::measure {

enum class Fencing : std::uint8_t { unfenced, fenced };

/// Reads the counter where a section begins.
template <Fencing Kind>
[[nodiscard, gnu::always_inline]] inline std::uint64_t section_begin() noexcept {
  if constexpr (Kind == Fencing::fenced) return cycles_fenced_begin();
  return cycles();
}
/// Reads the counter where a section ends.
template <Fencing Kind>
[[nodiscard, gnu::always_inline]] inline std::uint64_t section_end() noexcept {
  if constexpr (Kind == Fencing::fenced) return cycles_fenced_end();
  return cycles();
}

/// Where the sections of one place are recorded. Each is recorded when the next one ends: the processor holds the next
/// reading of the counter back until loads are done whose address hangs on the reading before, and that of a
/// histogram's counter does (measured: 6 of 24 ns; bench histogram, table section). Clock and recorder outlive it.
template <Fencing Kind, class Recorder = Histogram>
class SectionTimer {
 public:
  static constexpr Fencing k_fencing = Kind;

  SectionTimer(const CycleClock& clock, Recorder& recorder) noexcept : clock_(clock), recorder_(recorder) {}
  ~SectionTimer() { flush(); }
  SectionTimer(const SectionTimer&) = delete;
  SectionTimer& operator=(const SectionTimer&) = delete;

  /// Takes in a section of so many cycles.
  [[gnu::always_inline]] void add(std::uint64_t cycle_count) noexcept {
    flush();
    pending_ = cycle_count;
  }
  /// Records the last section as well.
  [[gnu::always_inline]] void flush() noexcept {
    if (pending_ == k_none) [[unlikely]] {
      return;
    }
    recorder_.record(clock_.nanoseconds(pending_));
    pending_ = k_none;
  }

 private:
  static constexpr std::uint64_t k_none = ~std::uint64_t{0};

  const CycleClock& clock_;
  Recorder& recorder_;
  std::uint64_t pending_ = k_none;
};

/// Hands its timer how long it lived.
template <class Timer>
class TimedSection {
 public:
  [[gnu::always_inline]] explicit TimedSection(Timer& timer) noexcept
      : timer_(timer), begin_(section_begin<Timer::k_fencing>()) {}
  [[gnu::always_inline]] ~TimedSection() {
    const std::uint64_t end = section_end<Timer::k_fencing>();
    // Counters of two processors may differ by less than a step; a section that moved over never took minus that.
    timer_.add(end > begin_ ? end - begin_ : 0);
  }
  TimedSection(const TimedSection&) = delete;
  TimedSection& operator=(const TimedSection&) = delete;

 private:
  Timer& timer_;
  std::uint64_t begin_;
};

/// What a timed section costs, empty as it is.
struct SectionCost {
  std::uint64_t shown_p50_ns = 0;  ///< what an empty section records: the least that a result can be
  std::uint64_t shown_p99_ns = 0;
  double whole_ns = 0;  ///< what it takes from the program, recording included: median over batches
};

/// Measures it: `batches` of 1,000 empty sections.
template <Fencing Kind>
[[nodiscard]] SectionCost measure_section_cost(const CycleClock& clock, std::size_t batches = 201) {
  constexpr std::size_t k_sections = 1000;
  Histogram shown;
  SectionTimer<Kind> timer(clock, shown);
  std::vector<double> whole;
  whole.reserve(batches);
  for (std::size_t batch = 0; batch < batches; ++batch) {
    const std::uint64_t begin = cycles_fenced_begin();
    for (std::size_t i = 0; i < k_sections; ++i) {
      const TimedSection section(timer);
    }
    const std::uint64_t end = cycles_fenced_end();
    whole.push_back(static_cast<double>(end - begin) * clock.ns_per_cycle() / k_sections);
  }
  timer.flush();
  return {shown.value_at(0.5), shown.value_at(0.99), median(whole)};
}

/// The line below a result: "an empty section shows 20 ns (p99 20 ns) and takes 41.1 ns; clock step 9.9 ns".
[[nodiscard]] std::string to_text(const SectionCost& cost, const CycleClock& clock);

}  // namespace dojima::measure
