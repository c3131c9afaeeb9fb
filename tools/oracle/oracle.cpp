// Our answers to the questions of tools/oracle/run.py, which compares them with those of HdrHistogram and SciPy.
//
//   dojima-oracle histogram FIGURES COUNT SHAPE SEED FOLDER   counts, percentiles, .hgrm and .hlog of values both know
//   dojima-oracle read FILE.hlog                              what we read in a log that the Python package wrote
//   dojima-oracle statistics SEED                             data and what our statistics say of them

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/evidence/document.hpp"
#include "dojima/evidence/hdr_log.hpp"
#include "dojima/measure/hdr_distribution.hpp"
#include "dojima/measure/histogram.hpp"
#include "dojima/measure/statistics.hpp"

namespace {

using namespace dojima;

/// Values by whole-number arithmetic only, so that Python makes the same ones. `wide`: every power of two up to the
/// range is as likely; `dense`: latencies around a microsecond with a long tail, many of them equal.
class Values {
 public:
  Values(std::string_view shape, std::uint64_t seed) : is_wide_(shape == "wide"), random_(seed) {}

  std::uint64_t next() {
    const std::uint64_t bits = random_.next();
    if (is_wide_) return (bits >> 22) >> (bits & 0x3f) % 42;
    const auto power = static_cast<unsigned>(std::countr_one(bits & 0xffff));
    return 200 + (((bits >> 32) & 0x3ff) << power) + ((bits >> 16) & 0xff);
  }

 private:
  bool is_wide_;
  measure::Random random_;
};

evidence::Document counts_of(const measure::HistogramView& histogram) {
  evidence::Document counts = evidence::Document::array();
  for (std::size_t index = 0; index < histogram.counts.size(); ++index) {
    if (histogram.counts[index] == 0) continue;
    counts.push(evidence::Document::array({index, histogram.counts[index]}));
  }
  return counts;
}

evidence::Document description_of(const measure::HistogramView& histogram) {
  evidence::Document result = evidence::Document::object();
  result.set("counters", histogram.layout.counters());
  result.set("figures", histogram.layout.significant_figures());
  result.set("counts", counts_of(histogram));
  result.set("count", histogram.count());
  result.set("min", histogram.min);
  result.set("max", histogram.max);
  result.set("mean", histogram.mean());
  result.set("standard_deviation", histogram.standard_deviation());
  return result;
}

void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

template <unsigned Precision>
int answer_histogram(std::uint64_t count, std::string_view shape, std::uint64_t seed, const std::string& folder) {
  measure::BasicHistogram<Precision> histogram;
  measure::BasicHistogram<Precision> corrected;
  Values values(shape, seed);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t value = values.next();
    histogram.record(value);
    if (i < 1000) corrected.record_corrected(value, value / 50 + 1);
  }
  evidence::Document answer = description_of(histogram.view());
  evidence::Document percentiles = evidence::Document::array();
  for (const double percent : {0.0, 1.0, 25.0, 50.0, 75.0, 90.0, 99.0, 99.9, 99.99, 99.999, 100.0}) {
    percentiles.push(
        evidence::Document::array({percent, histogram.value_at(percent / 100, measure::RankRule::hdr_histogram)}));
  }
  answer.set("percentiles", std::move(percentiles));
  answer.set("corrected", counts_of(corrected.view()));
  std::fputs(answer.canonical().c_str(), stdout);
  write(folder + "/ours.hgrm", measure::to_hgrm(histogram.view()));
  evidence::HdrLogWriter log(1'700'000'000);
  log.add({.start_s = 0.5, .length_s = 1.25, .histogram = measure::StoredHistogram(histogram.view())});
  log.add(
      {.start_s = 1.75, .length_s = 1, .tag = "corrected", .histogram = measure::StoredHistogram(corrected.view())});
  write(folder + "/ours.hlog", log.text());
  return 0;
}

int answer_read(const char* path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  const auto log = evidence::parse_hdr_log(text.str());
  if (!log) {
    std::fprintf(stderr, "%s: line %u: expected %s\n", path, log.error().offset, log.error().expected);
    return 1;
  }
  evidence::Document intervals = evidence::Document::array();
  for (const evidence::HdrLogInterval& interval : log->intervals) {
    evidence::Document one = description_of(interval.histogram.view());
    one.set("start_s", interval.start_s).set("length_s", interval.length_s);
    intervals.push(std::move(one));
  }
  std::fputs(intervals.canonical().c_str(), stdout);
  return 0;
}

// --------------------------------------------------------------------------------------------------------- statistics

evidence::Document list(const std::vector<double>& values) {
  evidence::Document result = evidence::Document::array();
  for (const double value : values) result.push(value);
  return result;
}

evidence::Document pair(double one, double other) {
  return evidence::Document::array({one, other});
}

/// Run medians of about 100 with a spread of a few percent; rounded to `step`, so that a coarse one makes ties.
std::vector<double> run_medians(measure::Random& random, std::size_t count, double centre, double step) {
  std::vector<double> values(count);
  for (double& value : values) {
    const double noise = random.unit() + random.unit() + random.unit() + random.unit() - 2;
    const auto steps = static_cast<std::int64_t>((centre + 5 * noise) / step);
    value = static_cast<double>(steps) * step;
  }
  return values;
}

evidence::Document statistics_case(measure::Random& random, std::size_t count, double step) {
  const std::vector<double> a = run_medians(random, count, 100, step);
  const std::vector<double> b = run_medians(random, count, 101.5, step);
  std::vector<double> differences;
  for (std::size_t at = 0; at < count; ++at) differences.push_back(b[at] - a[at]);
  const auto wilcoxon = measure::wilcoxon_signed_rank(differences);
  const auto mann_whitney = measure::mann_whitney(b, a);
  const auto interval = measure::median_interval(a, 0.95, {.seed = 1, .resamples = 50'000});
  const auto ratio = measure::ratio_interval(b, a, 0.95, {.seed = 1, .resamples = 50'000});
  evidence::Document answer = evidence::Document::object();
  answer.set("a", list(a)).set("b", list(b)).set("has_ties", step > 0.1);
  answer.set("median", measure::median(a))
      .set("mad", measure::median_absolute_deviation(a))
      .set("p10", measure::quantile(a, 0.1));
  answer.set("wilcoxon", pair(wilcoxon.statistic, wilcoxon.p_value));
  answer.set("mann_whitney", pair(mann_whitney.statistic, mann_whitney.p_value));
  answer.set("median_interval", pair(interval.low, interval.high));
  answer.set("ratio_interval", pair(ratio.low, ratio.high));
  return answer;
}

int answer_statistics(std::uint64_t seed) {
  measure::Random random(seed);
  evidence::Document cases = evidence::Document::array();
  for (const std::size_t count : {8u, 12u, 20u, 35u, 70u}) {
    cases.push(statistics_case(random, count, 1e-9));
    cases.push(statistics_case(random, count, 0.5));
  }
  evidence::Document ranks = evidence::Document::array();
  for (const std::uint64_t count : {10u, 20u, 37u, 100u, 1'000u, 12'345u, 1'000'000u, 50'000'000u}) {
    for (const double share : {0.5, 0.9, 0.99, 0.999, 0.99999}) {
      for (const double confidence : {0.9, 0.95, 0.99}) {
        const auto found = measure::percentile_ranks(count, share, confidence);
        ranks.push(evidence::Document::array({count, share, confidence, found.low, found.high}));
      }
    }
  }
  evidence::Document answer = evidence::Document::object();
  answer.set("cases", std::move(cases)).set("ranks", std::move(ranks));
  std::fputs(answer.canonical().c_str(), stdout);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::vector<std::string_view> arguments(words + 1, words + count);
  const auto number = [words](int at) { return std::strtoull(words[at], nullptr, 10); };
  if (arguments.size() == 6 && arguments[0] == "histogram") {
    return number(2) == 2 ? answer_histogram<7>(number(3), arguments[3], number(5), words[6])
                          : answer_histogram<10>(number(3), arguments[3], number(5), words[6]);
  }
  if (arguments.size() == 2 && arguments[0] == "read") return answer_read(words[2]);
  if (arguments.size() == 2 && arguments[0] == "statistics") return answer_statistics(number(2));
  std::fputs("see tools/oracle/run.py\n", stderr);
  return 2;
}
