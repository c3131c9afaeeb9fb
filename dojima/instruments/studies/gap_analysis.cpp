#include "dojima/instruments/studies/gap_analysis.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <kissfft/kissfft.hh>
#include <numbers>

#include "dojima/measure/histogram.hpp"
#include "dojima/measure/statistics.hpp"

namespace dojima::instruments {
namespace {

/// A rhythm that has not been seen at least so often is none.
constexpr double k_least_cycles = 4;
constexpr std::size_t k_least_gaps = 5;
/// In step: within so much of a period of the common phase.
constexpr double k_in_step = 0.1;

double whole(std::size_t count) {
  return static_cast<double>(count);
}

/// |sum of exp(2 pi i f t)| / n and the common phase in cycles.
struct Resultant {
  double strength = 0;
  double phase = 0;
};

Resultant resultant_at(std::span<const double> seconds, double hertz) {
  std::complex<double> sum = 0;
  for (const double at : seconds) {
    const double cycles = at * hertz;
    sum += std::polar(1.0, 2 * std::numbers::pi * (cycles - std::floor(cycles)));
  }
  return {std::abs(sum) / whole(seconds.size()), std::arg(sum) / (2 * std::numbers::pi)};
}

/// The frequency near `hertz` at which the moments are most in step; golden section, to a thousandth of the resolution.
double sharpened(std::span<const double> seconds, double hertz, double resolution) {
  const double ratio = (std::sqrt(5.0) - 1) / 2;
  double low = hertz - resolution;
  double high = hertz + resolution;
  double inner_low = high - ratio * (high - low);
  double inner_high = low + ratio * (high - low);
  double at_low = resultant_at(seconds, inner_low).strength;
  double at_high = resultant_at(seconds, inner_high).strength;
  while (high - low > resolution / 1000) {
    if (at_low > at_high) {
      high = inner_high;
      inner_high = inner_low;
      at_high = at_low;
      inner_low = high - ratio * (high - low);
      at_low = resultant_at(seconds, inner_low).strength;
    } else {
      low = inner_low;
      inner_low = inner_high;
      at_low = at_high;
      inner_high = low + ratio * (high - low);
      at_high = resultant_at(seconds, inner_high).strength;
    }
  }
  return (low + high) / 2;
}

/// Peaks above what neighbours and chance explain, the strongest first.
std::vector<SpectrumPoint> peaks_of(const std::vector<SpectrumPoint>& spectrum) {
  constexpr std::size_t k_neighbours = 64;
  constexpr std::size_t k_most = 24;
  constexpr double k_false_alarm = 1e-4;
  // Chance gives an exponential distribution; of so many values the largest stays below this, but for one run in
  // 10,000.
  const double limit = std::log(whole(spectrum.size()) / k_false_alarm);
  std::vector<SpectrumPoint> peaks;
  std::vector<double> around;
  for (std::size_t i = 1; i + 1 < spectrum.size(); ++i) {
    const double power = spectrum[i].power;
    if (power <= limit || power < spectrum[i - 1].power || power < spectrum[i + 1].power) continue;
    const std::size_t first = i < k_neighbours ? 0 : i - k_neighbours;
    const std::size_t last = std::min(spectrum.size(), i + k_neighbours + 1);
    around.clear();
    for (std::size_t j = first; j < last; ++j) around.push_back(spectrum[j].power);
    // The median of an exponential distribution is ln 2 of its mean.
    const double level = std::max(1.0, measure::median(around) / std::numbers::ln2);
    if (power > limit * level) peaks.push_back(spectrum[i]);
  }
  std::ranges::sort(peaks, std::ranges::greater{}, &SpectrumPoint::power);
  if (peaks.size() > k_most) peaks.resize(k_most);
  return peaks;
}

/// A rhythm and which of the gaps go with it.
struct Rhythm {
  Period period;
  std::vector<bool> in_step;
};

/// The rhythm of a frequency among the gaps; nothing when it is none: too few gaps in step, too few cycles that have
/// one, or gaps spread around the common phase instead of gathered there, as bursts are.
std::optional<Rhythm> rhythm_at(const std::vector<Gap>& gaps, std::span<const double> seconds, double hertz) {
  constexpr double k_gathered = 0.3 * k_in_step;
  const Resultant resultant = resultant_at(seconds, hertz);
  std::vector<double> durations;
  std::vector<double> cycles;
  std::size_t gathered = 0;
  Rhythm rhythm{{1 / hertz, resultant.strength, 0, 0, 0}, std::vector<bool>(gaps.size())};
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const double at = seconds[i] * hertz - resultant.phase;
    const double off = std::abs(at - std::round(at));
    if (off > k_in_step) continue;
    if (off <= k_gathered) ++gathered;
    rhythm.in_step[i] = true;
    durations.push_back(static_cast<double>(gaps[i].duration_ns));
    if (cycles.empty() || cycles.back() != std::round(at)) cycles.push_back(std::round(at));
  }
  // Evenly spread, 30 % would be gathered.
  if (durations.size() < k_least_gaps || 10 * gathered < 6 * durations.size()) return std::nullopt;
  rhythm.period.gaps = durations.size();
  rhythm.period.cycles_hit = whole(cycles.size()) / (cycles.back() - cycles.front() + 1);
  rhythm.period.median_ns = static_cast<std::uint64_t>(measure::median(durations));
  return rhythm.period.cycles_hit >= 0.25 ? std::optional(std::move(rhythm)) : std::nullopt;
}

std::vector<double> beginnings_of(const std::vector<Gap>& gaps) {
  std::vector<double> seconds;
  seconds.reserve(gaps.size());
  for (const Gap& gap : gaps) seconds.push_back(static_cast<double>(gap.at_ns) * 1e-9);
  return seconds;
}

/// The rhythm with which most gaps go, from the periodogram. Of frequencies that are about as strong the lowest is
/// taken: a train of gaps has harmonics as strong as itself and nothing below.
std::optional<Rhythm> spectral_rhythm(const std::vector<Gap>& gaps, double span_s) {
  constexpr int k_harmonics = 12;
  const std::vector<double> seconds = beginnings_of(gaps);
  std::vector<Rhythm> rhythms;
  const auto consider = [&](double hertz) {
    auto rhythm = rhythm_at(gaps, seconds, sharpened(seconds, hertz, 0.5 / span_s));
    if (rhythm) rhythms.push_back(std::move(*rhythm));
  };
  for (const SpectrumPoint& peak : peaks_of(spectrum_of(seconds, span_s))) consider(peak.hertz);
  if (rhythms.empty()) return std::nullopt;
  const auto strength = [](const Rhythm& one) { return one.period.coherence; };
  const double found_s = std::ranges::max_element(rhythms, {}, strength)->period.seconds;
  // The lowest may fall between two frequencies of the transform and be missing among the peaks.
  for (int part = 2; part <= k_harmonics && part * found_s * k_least_cycles < span_s; ++part) {
    consider(1 / (part * found_s));
  }
  const double strongest = strength(*std::ranges::max_element(rhythms, {}, strength));
  std::erase_if(rhythms, [&](const Rhythm& one) { return strength(one) < 0.85 * strongest; });
  return *std::ranges::max_element(rhythms, {}, [](const Rhythm& one) { return one.period.seconds; });
}

/// A rhythm of few gaps, from the distances between them: the periodogram needs more cycles than a long period has.
std::optional<Rhythm> distance_rhythm(const std::vector<Gap>& gaps) {
  constexpr double k_tolerance = 0.02;
  constexpr std::size_t k_most = 200;
  if (gaps.size() < k_least_gaps || gaps.size() > k_most) return std::nullopt;
  const std::vector<double> seconds = beginnings_of(gaps);
  std::vector<double> distances;
  for (std::size_t i = 1; i < gaps.size(); ++i) distances.push_back(seconds[i] - seconds[i - 1]);
  const double typical = measure::median(distances);
  if (!(typical > 0)) return std::nullopt;
  std::vector<double> close;
  for (const double distance : distances) {
    if (std::abs(distance - typical) <= k_tolerance * typical) close.push_back(distance);
  }
  // At random a distance is that near to the median once in 70 times; three of four together never are.
  if (4 * close.size() < 3 * distances.size() || close.size() + 1 < k_least_gaps) return std::nullopt;
  double mean = 0;
  for (const double distance : close) mean += distance / whole(close.size());
  return rhythm_at(gaps, seconds, 1 / mean);
}

/// All rhythms of these gaps, each without those that go with one found before.
std::vector<Period> rhythms_of(std::vector<Gap> gaps, double span_s) {
  constexpr std::size_t k_most = 3;
  std::vector<Period> periods;
  while (periods.size() < k_most && gaps.size() >= k_least_gaps) {
    auto rhythm = spectral_rhythm(gaps, span_s);
    if (!rhythm) rhythm = distance_rhythm(gaps);
    if (!rhythm) break;
    periods.push_back(rhythm->period);
    std::vector<Gap> others;
    for (std::size_t i = 0; i < gaps.size(); ++i) {
      if (!rhythm->in_step[i]) others.push_back(gaps[i]);
    }
    gaps = std::move(others);
  }
  return periods;
}

/// Gaps of one rhythm may be of two orders of magnitude.
void add_or_merge(std::vector<Period>& periods, const Period& period) {
  const auto known = std::ranges::find_if(
      periods, [&](const Period& other) { return std::abs(other.seconds - period.seconds) < 0.005 * period.seconds; });
  if (known == periods.end()) {
    periods.push_back(period);
  } else {
    const std::size_t gaps = known->gaps + period.gaps;
    const double hit = std::min(1.0, known->cycles_hit + period.cycles_hit);
    if (period.gaps > known->gaps) *known = period;
    known->gaps = gaps;
    known->cycles_hit = hit;
  }
}

int magnitude_of(const Gap& gap) {
  return static_cast<int>(std::floor(std::log10(std::max(1.0, static_cast<double>(gap.duration_ns)))));
}

}  // namespace

GapStatistics gap_statistics(const GapTrace& trace) {
  GapStatistics statistics;
  statistics.count = trace.gaps.size();
  if (trace.gaps.empty() || trace.span_ns == 0) return statistics;
  std::vector<std::uint64_t> durations;
  durations.reserve(trace.gaps.size());
  double lost_ns = 0;
  for (const Gap& gap : trace.gaps) {
    durations.push_back(gap.duration_ns);
    lost_ns += static_cast<double>(gap.duration_ns);
  }
  std::ranges::sort(durations);
  const auto at = [&durations](double share) { return durations[measure::rank_of(share, durations.size()) - 1]; };
  const auto span_ns = static_cast<double>(trace.span_ns);
  statistics.per_second = whole(durations.size()) / (span_ns * 1e-9);
  statistics.lost_share = lost_ns / span_ns;
  statistics.min_ns = durations.front();
  statistics.median_ns = at(0.5);
  statistics.p99_ns = at(0.99);
  statistics.p999_ns = at(0.999);
  statistics.max_ns = durations.back();
  return statistics;
}

std::size_t count_from(const GapTrace& trace, std::uint64_t limit_ns) {
  return static_cast<std::size_t>(
      std::ranges::count_if(trace.gaps, [limit_ns](const Gap& gap) { return gap.duration_ns >= limit_ns; }));
}

std::vector<SpectrumPoint> spectrum_of(std::span<const double> seconds, double span_s, double limit_hertz) {
  constexpr std::size_t k_most_bins = std::size_t{1} << 20;
  if (seconds.size() < 2 || !(span_s > 0) || !(limit_hertz > 0)) return {};
  const double wanted = std::min(2 * span_s * limit_hertz, whole(k_most_bins));
  const std::size_t bins = std::bit_ceil(std::max<std::size_t>(16, static_cast<std::size_t>(wanted)));
  // Zeros behind the recording: where power of two and span differ the frequencies lie closer, which does no harm.
  const double rate = std::min(2 * limit_hertz, whole(bins) / span_s);
  std::vector<std::complex<double>> train(bins);
  for (const double at : seconds) {
    train[std::min(bins - 1, static_cast<std::size_t>(std::max(0.0, at) * rate))] += 1;
  }
  const std::size_t used = std::min(bins, static_cast<std::size_t>(std::ceil(span_s * rate)));
  const double mean = whole(seconds.size()) / whole(used);
  for (std::size_t i = 0; i < used; ++i) train[i] -= mean;
  std::vector<std::complex<double>> transformed(bins);
  kissfft<double> transform(bins, false);
  transform.transform(train.data(), transformed.data());

  std::vector<SpectrumPoint> spectrum;
  const double step = rate / whole(bins);
  const auto first = static_cast<std::size_t>(std::ceil(k_least_cycles / span_s / step));
  for (std::size_t i = std::max<std::size_t>(1, first); i <= bins / 2; ++i) {
    spectrum.push_back({whole(i) * step, std::norm(transformed[i]) / whole(seconds.size())});
  }
  return spectrum;
}

std::vector<SpectrumPoint> thinned(const std::vector<SpectrumPoint>& spectrum, std::size_t points) {
  if (points == 0 || spectrum.size() <= points) return spectrum;
  std::vector<SpectrumPoint> few;
  for (std::size_t i = 0; i < points; ++i) {
    const auto begin = spectrum.begin() + static_cast<std::ptrdiff_t>(i * spectrum.size() / points);
    const auto end = spectrum.begin() + static_cast<std::ptrdiff_t>((i + 1) * spectrum.size() / points);
    few.push_back(*std::max_element(begin, end, [](const auto& a, const auto& b) { return a.power < b.power; }));
  }
  return few;
}

std::vector<Period> periods_of(const GapTrace& trace) {
  const double span_s = static_cast<double>(trace.span_ns) * 1e-9;
  std::vector<std::vector<Gap>> by_magnitude(20);
  for (const Gap& gap : trace.gaps) by_magnitude[static_cast<std::size_t>(magnitude_of(gap))].push_back(gap);
  std::vector<Period> periods;
  for (std::vector<Gap>& gaps : by_magnitude) {
    for (const Period& period : rhythms_of(std::move(gaps), span_s)) add_or_merge(periods, period);
  }
  std::ranges::sort(periods, [](const Period& a, const Period& b) {
    return a.gaps != b.gaps ? a.gaps > b.gaps : a.seconds < b.seconds;
  });
  if (periods.size() > 8) periods.resize(8);
  return periods;
}

std::string likely_cause(const Period& period) {
  const auto is_near = [&period](double seconds) { return std::abs(period.seconds - seconds) < 0.005 * seconds; };
  for (const int hertz : {100, 250, 300, 1000}) {
    if (is_near(1.0 / hertz)) return "timer tick, " + std::to_string(hertz) + " Hz";
  }
  if (is_near(1.0) && period.median_ns >= 10'000'000) return "budget of real-time threads";
  if (is_near(1.0)) return "housekeeping of the kernel, once a second";
  if (is_near(0.25)) return "the thread that shows the progress of this recording";
  return {};
}

namespace {

/// The budget taken in parts: what long gaps add up to in each period from the first of them on.
std::optional<Throttling> throttling_in_parts(const GapTrace& trace, const RealTimeBudget& budget) {
  constexpr std::uint64_t k_long_ns = 1'000'000;
  const std::uint64_t left = budget.period_ns - budget.runtime_ns;
  const auto is_long = [](const Gap& gap) { return gap.duration_ns >= k_long_ns; };
  const auto first = std::ranges::find_if(trace.gaps, is_long);
  if (first == trace.gaps.end() || trace.span_ns < first->at_ns) return std::nullopt;
  // The last period counts when at least nine tenths of it were watched.
  std::vector<std::uint64_t> lost((trace.span_ns - first->at_ns + budget.period_ns / 10) / budget.period_ns);
  std::size_t gaps = 0;
  for (const Gap& gap : trace.gaps) {
    if (!is_long(gap)) continue;
    const std::uint64_t period = (gap.at_ns - first->at_ns) / budget.period_ns;
    if (period < lost.size()) lost[period] += gap.duration_ns;
    ++gaps;
  }
  const auto near =
      std::ranges::count_if(lost, [left](std::uint64_t ns) { return 10 * ns >= 8 * left && 10 * ns <= 16 * left; });
  if (lost.size() < 3 || 5 * static_cast<std::size_t>(near) < 4 * lost.size()) return std::nullopt;
  std::ranges::sort(lost);
  return Throttling{gaps, lost[lost.size() / 2], budget.period_ns};
}

}  // namespace

std::optional<Throttling> throttling_of(const GapTrace& trace, const RealTimeBudget& budget) {
  if (budget.runtime_ns >= budget.period_ns) return std::nullopt;
  const double left = static_cast<double>(budget.period_ns - budget.runtime_ns);
  const auto period = static_cast<double>(budget.period_ns);
  std::vector<double> durations;
  std::vector<double> distances;
  std::size_t near = 0;
  double before = 0;
  for (const Gap& gap : trace.gaps) {
    const auto duration = static_cast<double>(gap.duration_ns);
    // The kernel looks at the budget at its ticks only: gaps are a little longer than what is left, never much shorter.
    if (duration < 0.8 * left || duration > 1.6 * left) continue;
    const auto at = static_cast<double>(gap.at_ns);
    if (!durations.empty()) {
      const double periods = std::clamp(std::round((at - before) / period), 1.0, 3.0);
      distances.push_back((at - before) / periods);
      if (std::abs(distances.back() - period) <= 0.05 * period) ++near;
    }
    durations.push_back(duration);
    before = at;
  }
  if (durations.size() < 3 || 10 * near < 9 * distances.size()) return throttling_in_parts(trace, budget);
  return Throttling{durations.size(), static_cast<std::uint64_t>(measure::median(durations)),
                    static_cast<std::uint64_t>(measure::median(distances))};
}

}  // namespace dojima::instruments
