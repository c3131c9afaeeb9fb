// dojima-bench-histogram: what recording into a histogram costs beside the least it can cost, and what timing a section
// costs beside the two clock readings that nobody can avoid.

#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <vector>

#include "dojima/evidence/build_identity.hpp"
#include "dojima/harness/bench_harness.hpp"
#include "dojima/measure/histogram.hpp"
#include "dojima/measure/interval_recorder.hpp"
#include "dojima/measure/timed_section.hpp"

namespace {

using namespace dojima;

constexpr std::size_t k_values = 16'384;

/// Latencies of a lognormal shape: median 1 us, one in a thousand above 22 us.
std::vector<std::uint64_t> lognormal(std::uint64_t seed) {
  measure::Random random(seed);
  std::vector<std::uint64_t> values(k_values);
  for (std::uint64_t& value : values) {
    const double radius = std::sqrt(-2 * std::log(1 - random.unit()));
    const double normal = radius * std::cos(2 * std::numbers::pi * random.unit());
    value = static_cast<std::uint64_t>(1000 * std::exp(normal));
  }
  return values;
}

std::uint64_t digest_of(std::span<const std::uint64_t> counts) {
  std::uint64_t digest = 1469598103934665603u;  // FNV-1a
  for (const std::uint64_t count : counts) digest = (digest ^ count) * 1099511628211u;
  return digest;
}

// ----------------------------------------------------------------------------------------------- ways to record a
// value

/// The floor: nothing but the counter.
template <unsigned Precision>
class BareCounters {
 public:
  static constexpr measure::HistogramLayout k_layout{Precision, 42, 0};
  void record(std::uint64_t value) noexcept { ++counts_[k_layout.index_of(value)]; }
  [[nodiscard]] std::span<const std::uint64_t> counts() const noexcept { return {counts_.get(), k_layout.counters()}; }

 private:
  std::unique_ptr<std::uint64_t[]> counts_ = std::make_unique<std::uint64_t[]>(k_layout.counters());
};

/// What HdrHistogram keeps, the way one writes it first: range check, counter, total, min and max one by one.
template <unsigned Precision>
class PlainHistogram : public BareCounters<Precision> {
 public:
  void record(std::uint64_t value) noexcept {
    if (value > BareCounters<Precision>::k_layout.largest()) [[unlikely]] {
      return;
    }
    BareCounters<Precision>::record(value);
    ++total_;
    // Branches that are hardly ever taken: conditional moves would chain every value to the one before (5x slower).
    if (value < min_) [[unlikely]] {
      min_ = value;
    }
    if (value > max_) [[unlikely]] {
      max_ = value;
    }
  }

 private:
  std::uint64_t total_ = 0;
  std::uint64_t min_ = ~std::uint64_t{0};
  std::uint64_t max_ = 0;
};

/// Ours, with a total kept beside the counters.
template <unsigned Precision>
class CountingHistogram {
 public:
  void record(std::uint64_t value) noexcept {
    histogram_.record(value);
    ++total_;
  }
  [[nodiscard]] std::span<const std::uint64_t> counts() const noexcept { return histogram_.counts(); }

 private:
  measure::BasicHistogram<Precision> histogram_;
  std::uint64_t total_ = 0;
};

/// Ours behind atomics, for one reader beside the writer.
template <unsigned Precision>
class RecorderForIntervals {
 public:
  void record(std::uint64_t value) noexcept { recorder_.record(value); }
  [[nodiscard]] std::span<const std::uint64_t> counts() {
    recorder_.take(taken_);
    return taken_.counts();
  }

 private:
  measure::IntervalRecorder<Precision> recorder_;
  measure::BasicHistogram<Precision> taken_;
};

/// All the values, for working on them afterwards.
class RawValues {
 public:
  void record(std::uint64_t value) noexcept { values_[at_++ % k_values] = value; }
  [[nodiscard]] static std::span<const std::uint64_t> counts() noexcept { return {}; }

 private:
  std::unique_ptr<std::uint64_t[]> values_ = std::make_unique<std::uint64_t[]>(k_values);
  std::size_t at_ = 0;
};

template <class Recorder>
class RecordAll final : public harness::Competitor {
 public:
  explicit RecordAll(std::uint64_t seed) : values_(lognormal(seed)) {
    for (const std::uint64_t value : values_) recorder_.record(value);
    const auto counts = recorder_.counts();
    digest_ = counts.empty() ? 0 : digest_of(counts);
  }
  harness::Operations run() override {
    // Eight at a time: of a loop of a dozen instructions, how it lies across cache lines decides more (2 to 4 cycles a
    // turn, the same code) than what it does.
    const std::uint64_t* const values = values_.data();
#pragma GCC unroll 8
    for (std::size_t at = 0; at < k_values; ++at) recorder_.record(values[at]);
    harness::keep(recorder_);
    return harness::Operations{}.add("", values_.size()).digest(digest_);
  }

 private:
  std::vector<std::uint64_t> values_;
  Recorder recorder_;
  std::uint64_t digest_ = 0;
};

template <template <unsigned> class Recorder>
harness::BenchCompetitor recording(const char* name) {
  return {name, [](const harness::BenchCase& of) -> std::unique_ptr<harness::Competitor> {
            if (of.integer("precision_bits") == 7) return std::make_unique<RecordAll<Recorder<7>>>(of.seed());
            return std::make_unique<RecordAll<Recorder<10>>>(of.seed());
          }};
}

template <unsigned Precision>
using Ours = measure::BasicHistogram<Precision>;
template <unsigned>
using Raw = RawValues;

harness::BenchTable record_table() {
  harness::BenchTable table{.name = "record",
                            .title = "one value into a histogram, 16,384 lognormal values over and over"};
  table.parameters = {{"precision_bits", {7, 10}}};
  table.competitors = {recording<Ours>("record"),
                       recording<BareCounters>("index and increment"),
                       recording<PlainHistogram>("total, min and max one by one"),
                       recording<CountingHistogram>("record and a total"),
                       recording<RecorderForIntervals>("interval recorder"),
                       recording<Raw>("store the value")};
  table.baseline = "total, min and max one by one";
  table.floor = "index and increment";
  table.targets = {{"record", "index and increment", 1.4}};
  table.notes = {"record keeps min and max with one compare; its count is the sum of the counters"};
  return table;
}

// ----------------------------------------------------------------------------------------------- ways to time a
// section

constexpr std::size_t k_sections = 2'000;

template <class Section>
std::unique_ptr<harness::Competitor> repeated(Section section) {
  return harness::competitor([section = std::move(section)]() mutable {
    for (std::size_t i = 0; i < k_sections; ++i) section();
    return harness::Operations{}.add("", k_sections);
  });
}

template <measure::Fencing Kind>
std::unique_ptr<harness::Competitor> two_readings() {
  return repeated([] {
    const std::uint64_t begin = measure::section_begin<Kind>();
    const std::uint64_t end = measure::section_end<Kind>();
    asm volatile("" : : "r"(end - begin));
  });
}

template <measure::Fencing Kind>
std::unique_ptr<harness::Competitor> timed_section(const measure::CycleClock& clock) {
  struct Kept {
    explicit Kept(const measure::CycleClock& of) : clock(of) {}
    measure::CycleClock clock;
    measure::Histogram histogram;
    measure::SectionTimer<Kind> timer{clock, histogram};
  };
  return repeated([kept = std::make_unique<Kept>(clock)] { const measure::TimedSection section(kept->timer); });
}

/// The section before is not waited for: each is recorded as soon as it ends.
template <measure::Fencing Kind>
std::unique_ptr<harness::Competitor> recorded_at_once(const measure::CycleClock& clock) {
  return repeated([clock, histogram = std::make_unique<measure::Histogram>()] {
    const std::uint64_t begin = measure::section_begin<Kind>();
    const std::uint64_t end = measure::section_end<Kind>();
    histogram->record(clock.nanoseconds(end > begin ? end - begin : 0));
  });
}

std::unique_ptr<harness::Competitor> steady_clock_section() {
  return repeated([histogram = std::make_unique<measure::Histogram>()] {
    const auto begin = std::chrono::steady_clock::now();
    const auto end = std::chrono::steady_clock::now();
    histogram->record(static_cast<std::uint64_t>((end - begin).count()));
  });
}

harness::BenchCompetitor timing(const char* name, std::function<std::unique_ptr<harness::Competitor>()> unfenced,
                                std::function<std::unique_ptr<harness::Competitor>()> fenced) {
  return {name, [unfenced = std::move(unfenced), fenced = std::move(fenced)](const harness::BenchCase& of) {
            return of.text("fencing") == "fenced" ? fenced() : unfenced();
          }};
}

harness::BenchTable section_table(const measure::CycleClock& clock) {
  using enum measure::Fencing;
  harness::BenchTable table{.name = "section",
                            .title = "one timed section with nothing in it, recorded into a histogram"};
  table.parameters = {{"fencing", {"unfenced", "fenced"}}};
  table.competitors = {timing(
                           "timed section", [clock] { return timed_section<unfenced>(clock); },
                           [clock] { return timed_section<fenced>(clock); }),
                       timing(
                           "recorded at once", [clock] { return recorded_at_once<unfenced>(clock); },
                           [clock] { return recorded_at_once<fenced>(clock); }),
                       timing("two clock readings", two_readings<unfenced>, two_readings<fenced>),
                       timing("steady_clock and record", steady_clock_section, steady_clock_section)};
  table.baseline = "steady_clock and record";
  table.floor = "two clock readings";
  table.targets = {{"timed section", "two clock readings", 1.35}};
  return table;
}

}  // namespace

int main(int count, char** words) {
  const measure::CycleClock clock = measure::CycleClock::calibrate();
  const std::string unfenced = to_text(measure::measure_section_cost<measure::Fencing::unfenced>(clock), clock);
  const std::string fenced = to_text(measure::measure_section_cost<measure::Fencing::fenced>(clock), clock);
  return harness::run_benchmarks({.name = "histogram",
                                  .tables = {record_table(), section_table(clock)},
                                  .build = evidence::build_identity(),
                                  .notes = "unfenced: " + unfenced + "\nfenced: " + fenced},
                                 count, words);
}
