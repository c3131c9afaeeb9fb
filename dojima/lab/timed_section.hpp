#pragma once

// Times a section of code into a histogram of nanoseconds. Fenced sections wait for what came before and hold back what
// comes after: right for sections of tens of nanoseconds and more. Unfenced ones cost half and let neighbours blur into
// each other. What the timing itself costs is measured, and belongs beside every result; it is never subtracted.
// Inline, no call, no allocation. One thread per histogram.
//
//   const lab::CycleClock clock = lab::CycleClock::calibrate();
//   const lab::SectionCost cost = lab::measure_section_cost<lab::Fencing::fenced>(clock);
//   { const lab::TimedSection<lab::Fencing::fenced> section(clock, histogram);  match(order); }
//   puts(lab::to_text(cost, clock).c_str());

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "dojima/lab/cycle_clock.hpp"
#include "dojima/lab/histogram.hpp"
#include "dojima/lab/statistics.hpp"

namespace dojima::lab {

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

/// Records how long it lived. The clock and the histogram outlive it.
template <Fencing Kind, class Recorder = Histogram>
class TimedSection {
 public:
  [[gnu::always_inline]] TimedSection(const CycleClock& clock, Recorder& recorder) noexcept
      : clock_(clock), recorder_(recorder), begin_(section_begin<Kind>()) {}
  [[gnu::always_inline]] ~TimedSection() {
    // Counters of two processors may differ by less than a step; a section that moved over never took minus that.
    const std::uint64_t end = section_end<Kind>();
    recorder_.record(clock_.nanoseconds(end > begin_ ? end - begin_ : 0));
  }
  TimedSection(const TimedSection&) = delete;
  TimedSection& operator=(const TimedSection&) = delete;

 private:
  const CycleClock& clock_;
  Recorder& recorder_;
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
  std::vector<double> whole;
  whole.reserve(batches);
  for (std::size_t batch = 0; batch < batches; ++batch) {
    const std::uint64_t begin = cycles_fenced_begin();
    for (std::size_t i = 0; i < k_sections; ++i) {
      const TimedSection<Kind> section(clock, shown);
    }
    const std::uint64_t end = cycles_fenced_end();
    whole.push_back(static_cast<double>(end - begin) * clock.ns_per_cycle() / k_sections);
  }
  return {shown.value_at(0.5), shown.value_at(0.99), median(whole)};
}

/// The line that stands below a result: "an empty section shows 20 ns (p99 20 ns) and takes 41.1 ns; clock step 9.9
/// ns".
[[nodiscard]] std::string to_text(const SectionCost& cost, const CycleClock& clock);

}  // namespace dojima::lab
