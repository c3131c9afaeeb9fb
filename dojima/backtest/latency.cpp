#include "dojima/backtest/latency.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <optional>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/flow/random.hpp"
#include "dojima/market/price.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::backtest {
namespace {

class ConstantLatency final : public Latency {
 public:
  explicit ConstantLatency(Duration latency) : latency_(latency) {}
  Duration at(Time) override { return latency_; }

 private:
  Duration latency_;
};

class InterpolatedLatency final : public Latency {
 public:
  InterpolatedLatency(const std::vector<RoundTrip>& trips, Direction direction) {
    points_.reserve(trips.size());
    for (const RoundTrip& trip : trips) {
      const bool is_entry = direction == Direction::entry;
      points_.push_back({is_entry ? trip.sent : trip.at_exchange,
                         is_entry ? trip.at_exchange - trip.sent : trip.received - trip.at_exchange});
    }
  }

  Duration at(Time sent) override {
    while (at_ + 1 < points_.size() && points_[at_ + 1].at <= sent) ++at_;
    const Point& from = points_[at_];
    if (sent <= from.at || at_ + 1 == points_.size()) return from.latency;
    const Point& to = points_[at_ + 1];
    __extension__ using Wide = __int128;
    const auto part = static_cast<Wide>((to.latency - from.latency).count()) * (sent - from.at).count();
    return from.latency + Duration{static_cast<std::int64_t>(part / (to.at - from.at).count())};
  }

 private:
  struct Point {
    Time at;
    Duration latency;
  };
  std::vector<Point> points_;
  std::size_t at_ = 0;
};

class RepeatedLatency final : public Latency {
 public:
  RepeatedLatency(std::vector<RoundTrip> trips, Direction direction)
      : trips_(std::move(trips)),
        direction_(direction),
        span_(std::max(time_of(trips_.back()) - time_of(trips_.front()), Duration{1})) {}

  Duration at(Time sent) override {
    if (!inner_ || sent >= begin_ + span_) {
      if (!inner_) begin_ = sent;
      begin_ += (sent - begin_) / span_ * span_;
      inner_.emplace(trips_, direction_);
    }
    return inner_->at(time_of(trips_.front()) + (sent - begin_));
  }

 private:
  [[nodiscard]] Time time_of(const RoundTrip& trip) const noexcept {
    return direction_ == Direction::entry ? trip.sent : trip.at_exchange;
  }

  std::vector<RoundTrip> trips_;
  Direction direction_;
  Duration span_;
  Time begin_{};  // of the first trip, this time
  std::optional<InterpolatedLatency> inner_{};
};

class EmpiricalLatency final : public Latency {
 public:
  EmpiricalLatency(std::vector<Duration> samples, std::uint64_t seed) : samples_(std::move(samples)), random_(seed) {}
  Duration at(Time) override { return samples_[random_.below(samples_.size())]; }

 private:
  std::vector<Duration> samples_;
  flow::Random random_;
};

class LoadLatency final : public Latency {
 public:
  LoadLatency(Duration base, Duration service) : base_(base), service_(service) {}
  Duration at(Time sent) override {
    on_work(sent);
    return base_ + (free_ - sent);
  }
  bool follows_load() const noexcept override { return true; }
  void on_work(Time at) noexcept override {
    // Of years of work nobody sees the end.
    constexpr Duration k_most = std::chrono::hours{24 * 365};
    free_ = std::min(std::max(free_, at) + service_, at + k_most);
  }

 private:
  Duration base_, service_;
  Time free_{};  // when all work so far will be done
};

/// The numbers of a line, apart from each other by commas; none: it is something else.
template <std::size_t Count>
std::optional<std::array<std::int64_t, Count>> numbers_of(std::string_view line) {
  std::array<std::int64_t, Count> numbers{};
  if (line.ends_with('\r')) line.remove_suffix(1);
  for (std::size_t at = 0; at < Count; ++at) {
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), numbers[at]);
    if (error != std::errc()) return std::nullopt;
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    const bool is_last = at + 1 == Count;
    if (is_last ? !line.empty() : !line.starts_with(',')) return std::nullopt;
    if (!is_last) line.remove_prefix(1);
  }
  return numbers;
}

/// Line by line; a first line of words is a header. The error names the line.
template <std::size_t Count, class Use>
std::expected<void, std::string> read_lines(const std::string& file, const char* columns, Use use) {
  std::ifstream stream(file);
  if (!stream) return std::unexpected(file + ": cannot be opened");
  std::string line;
  std::size_t lines = 0, used = 0;
  while (std::getline(stream, line)) {
    ++lines;
    if (line.empty() || line == "\r") continue;
    const auto numbers = numbers_of<Count>(line);
    if (!numbers && lines == 1) continue;
    const std::string where = file + ": line " + std::to_string(lines) + ": ";
    if (!numbers) return std::unexpected(where + "a line is " + columns + ", whole numbers of nanoseconds");
    if (const std::string trouble = use(*numbers); !trouble.empty()) return std::unexpected(where + trouble);
    ++used;
  }
  if (used == 0) return std::unexpected(file + ": has no measured times");
  return {};
}

/// Behind those before it. The answer: what is wrong with it; empty: nothing.
std::string add_trip(std::vector<RoundTrip>& trips, const std::array<std::int64_t, 3>& numbers) {
  if (numbers[0] > numbers[1] || numbers[1] > numbers[2]) return "sent, at the exchange and received do not rise";
  const RoundTrip trip{time::from_nanoseconds(numbers[0]), time::from_nanoseconds(numbers[1]),
                       time::from_nanoseconds(numbers[2])};
  if (!trips.empty() && (trip.sent <= trips.back().sent || trip.at_exchange <= trips.back().at_exchange))
    return "it is not later than the line before";
  trips.push_back(trip);
  return {};
}

std::expected<std::vector<RoundTrip>, std::string> read_trips(const std::string& file) {
  std::vector<RoundTrip> trips;
  auto done = read_lines<3>(file, "sent,exchange,received",
                            [&](const std::array<std::int64_t, 3>& numbers) { return add_trip(trips, numbers); });
  if (!done) return std::unexpected(done.error());
  return trips;
}

constexpr std::array<std::string_view, 5> k_lab_kinds{"submit", "cancel", "replace", "trade", "feed"};
constexpr std::size_t k_answered_kinds = 3;  // the first of them
constexpr std::string_view k_answers = "answers";

/// By kind, as k_lab_kinds has them. The error names the line.
std::expected<std::array<std::vector<RoundTrip>, k_lab_kinds.size()>, std::string> read_lab_file(
    const std::string& file) {
  std::ifstream stream(file);
  if (!stream) return std::unexpected(file + ": cannot be opened");
  std::array<std::vector<RoundTrip>, k_lab_kinds.size()> trips;
  std::string line;
  for (std::size_t number = 1; std::getline(stream, line); ++number) {
    if (line.empty() || line == "\r" || (number == 1 && line.starts_with("kind,"))) continue;
    const std::size_t comma = std::min(line.find(','), line.size());
    const auto kind = std::ranges::find(k_lab_kinds, std::string_view(line).substr(0, comma));
    const auto numbers = numbers_of<3>(std::string_view(line).substr(std::min(comma + 1, line.size())));
    std::string trouble;
    if (kind == k_lab_kinds.end() || !numbers)
      trouble =
          "a line is kind,sent,exchange,received: submit, cancel, replace, trade or feed, and whole numbers of "
          "nanoseconds";
    else
      trouble = add_trip(trips[static_cast<std::size_t>(kind - k_lab_kinds.begin())], *numbers);
    if (!trouble.empty()) return std::unexpected(file + ": line " + std::to_string(number) + ": " + trouble);
  }
  return trips;
}

/// `text` is FILE#KIND.
std::expected<std::vector<RoundTrip>, std::string> read_lab_kind(std::string_view text) {
  const std::size_t mark = text.rfind('#');
  const std::string_view word = mark == std::string_view::npos ? "" : text.substr(mark + 1);
  const auto kind = std::ranges::find(k_lab_kinds, word);
  if (kind == k_lab_kinds.end() && word != k_answers)
    return std::unexpected("latency \"lab:" + std::string(text) +
                           "\": lab:FILE#KIND takes submit, cancel, replace, trade, feed or answers");
  const std::string file(text.substr(0, mark));
  auto all = read_lab_file(file);
  if (!all) return std::unexpected(all.error());
  std::vector<RoundTrip> trips;
  if (word != k_answers) {
    trips = std::move((*all)[static_cast<std::size_t>(kind - k_lab_kinds.begin())]);
  } else {
    for (std::size_t at = 0; at < k_answered_kinds; ++at)
      trips.insert(trips.end(), (*all)[at].begin(), (*all)[at].end());
    std::ranges::sort(trips, {}, &RoundTrip::at_exchange);
    // Answers of one instant are one measurement.
    const auto twice = std::ranges::unique(trips, {}, &RoundTrip::at_exchange);
    trips.erase(twice.begin(), twice.end());
  }
  if (trips.empty()) return std::unexpected(file + ": has no measured times of the kind " + std::string(word));
  return trips;
}

std::expected<std::vector<Duration>, std::string> read_samples(const std::string& file) {
  std::vector<Duration> samples;
  auto done = read_lines<1>(file, "one number", [&](const std::array<std::int64_t, 1>& numbers) {
    if (numbers[0] < 0) return std::string("a latency is not below 0");
    samples.emplace_back(numbers[0]);
    return std::string();
  });
  if (!done) return std::unexpected(done.error());
  return samples;
}

struct DurationUnit {
  std::string_view name;
  unsigned decimals;
};
constexpr std::array<DurationUnit, 4> k_duration_units{{{"ns", 0}, {"us", 3}, {"ms", 6}, {"s", 9}}};

}  // namespace

std::unique_ptr<Latency> constant_latency(Duration latency) {
  DOJIMA_ASSERT(latency >= Duration{}, "a latency is not below 0", latency.count());
  return std::make_unique<ConstantLatency>(latency);
}

std::unique_ptr<Latency> interpolated_latency(std::vector<RoundTrip> trips, Direction direction) {
  DOJIMA_ASSERT(!trips.empty(), "something was measured", trips.size());
  return std::make_unique<InterpolatedLatency>(trips, direction);
}

std::unique_ptr<Latency> repeated_latency(std::vector<RoundTrip> trips, Direction direction) {
  DOJIMA_ASSERT(!trips.empty(), "something was measured", trips.size());
  return std::make_unique<RepeatedLatency>(std::move(trips), direction);
}

std::expected<std::vector<std::string>, std::string> kinds_in_lab_file(const std::string& file) {
  const auto trips = read_lab_file(file);
  if (!trips) return std::unexpected(trips.error());
  std::vector<std::string> kinds;
  for (std::size_t at = 0; at < k_lab_kinds.size(); ++at)
    if (!(*trips)[at].empty()) kinds.emplace_back(k_lab_kinds[at]);
  if (kinds.empty()) return std::unexpected(file + ": has no measured times");
  return kinds;
}

std::unique_ptr<Latency> empirical_latency(std::vector<Duration> samples, std::uint64_t seed) {
  DOJIMA_ASSERT(!samples.empty(), "something was measured", samples.size());
  return std::make_unique<EmpiricalLatency>(std::move(samples), seed);
}

std::unique_ptr<Latency> load_latency(Duration base, Duration service) {
  DOJIMA_ASSERT(base >= Duration{}, "a latency is not below 0", base.count());
  DOJIMA_ASSERT(service >= Duration{}, "work takes no time below 0", service.count());
  constexpr Duration k_most = std::chrono::hours{24 * 365};
  return std::make_unique<LoadLatency>(std::min(base, k_most), std::min(service, k_most));
}

std::expected<Duration, std::string> parse_duration(std::string_view text) {
  if (text == "0") return Duration{};
  for (const auto& [name, decimals] : k_duration_units) {
    if (!text.ends_with(name)) continue;
    const std::string_view number = text.substr(0, text.size() - name.size());
    if (number.empty() || number.front() < '0' || number.front() > '9' || number.back() < '0' || number.back() > '9')
      continue;
    const auto value = market::parse_scaled(number, decimals, "a number");
    if (value && *value >= 0) return Duration{*value};
  }
  return std::unexpected("\"" + std::string(text) + "\" is no time: a number with ns, us, ms or s, such as 250us");
}

std::string duration_text(Duration duration) {
  std::int64_t count = duration.count();
  if (count == 0) return "0";
  std::size_t unit = 0;
  while (unit + 1 < k_duration_units.size() && count % 1000 == 0) {
    count /= 1000;
    ++unit;
  }
  return std::to_string(count) + std::string(k_duration_units[unit].name);
}

std::string instant_text(Time at) {
  char text[time::k_timestamp_max];
  return std::string(time::format_timestamp(at, 9, text));
}

std::expected<std::unique_ptr<Latency>, std::string> make_latency(std::string_view text, Direction direction,
                                                                  std::uint64_t seed) {
  constexpr std::string_view k_triples = "triples:", k_samples = "samples:", k_constant = "constant:", k_load = "load:",
                             k_lab = "lab:";
  if (text.starts_with(k_triples)) {
    auto trips = read_trips(std::string(text.substr(k_triples.size())));
    if (!trips) return std::unexpected(trips.error());
    return interpolated_latency(*std::move(trips), direction);
  }
  if (text.starts_with(k_lab)) {
    auto trips = read_lab_kind(text.substr(k_lab.size()));
    if (!trips) return std::unexpected(trips.error());
    return repeated_latency(*std::move(trips), direction);
  }
  if (text.starts_with(k_samples)) {
    auto samples = read_samples(std::string(text.substr(k_samples.size())));
    if (!samples) return std::unexpected(samples.error());
    return empirical_latency(*std::move(samples), seed);
  }
  if (text.starts_with(k_load)) {
    const std::string_view rest = text.substr(k_load.size());
    const std::size_t plus = rest.find('+');
    const auto base = parse_duration(rest.substr(0, plus));
    const auto service = parse_duration(plus == std::string_view::npos ? "" : rest.substr(plus + 1));
    if (!base || !service)
      return std::unexpected("latency \"" + std::string(text) + "\": load:BASE+SERVICE takes two times, such as " +
                             "load:250us+5us");
    return load_latency(*base, *service);
  }
  if (text.starts_with(k_constant)) text.remove_prefix(k_constant.size());
  const auto latency = parse_duration(text);
  if (!latency)
    return std::unexpected("latency " + latency.error() +
                           "; or triples:FILE, samples:FILE, load:BASE+SERVICE, lab:FILE#KIND");
  return constant_latency(*latency);
}

}  // namespace dojima::backtest
