#include "dojima/queueing/fills/fill_samples.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/queueing/fills/touch_follower.hpp"
#include "dojima/queueing/sampling/recent_rates.hpp"
#include "dojima/queueing/sampling/waiting_orders.hpp"

namespace dojima::queueing {
namespace {

using market::Side;
using recorded::EventKind;
using recorded::RecordedEvent;
using time::Duration;
using time::Time;

double seconds_between(Time from, Time to) {
  return static_cast<double>((to - from).count()) * 1e-9;
}

}  // namespace

class FillSampler::Market {
 public:
  explicit Market(FillPlan plan) : plan_(std::move(plan)) {
    DOJIMA_ASSERT(plan_.horizon > Duration{} && plan_.every > Duration{}, "horizon and step are above 0",
                  plan_.horizon.count(), plan_.every.count());
  }

  void take(const RecordedEvent& event, std::span<const recorded::RecordedInstrument> instruments) {
    if (event.kind == EventKind::add && event.instrument != instrument_) choose(event.instrument, instruments);
    if (event.instrument != instrument_ || !follower_) return;
    const Time now = event.replay_time();
    if (now == recorded::k_unknown_time) return;
    if (first_ == recorded::k_unknown_time) begin(now);
    last_ = std::max(last_, now);
    waiting_.ask_until(last_, rates_, follower_->entries());
    const QueueChange change = follower_->apply(event, instruments);
    if (!event.has(recorded::k_snapshot)) note(change);
    waiting_.follow(change, last_);
    if (event.has(recorded::k_last)) waiting_.look_at(follower_->touch(), follower_->shown_levels(), last_);
  }

  [[nodiscard]] Answer<std::vector<FillSample>> finish() {
    if (has_several_) return std::unexpected(impossible("it has orders of several instruments: name one"));
    if (!follower_ || entered_ == 0)
      return std::unexpected(impossible(plan_.symbol.empty() ? "it has no orders, only price levels or trades"
                                                             : fmt::format("it has no orders of {}", plan_.symbol)));
    std::vector<FillSample>& samples = waiting_.samples();
    std::erase_if(samples, [&](const FillSample& sample) { return sample.at + plan_.horizon > last_; });
    if (samples.empty())
      return std::unexpected(impossible(fmt::format(
          "no order could be followed for {:g} s: it lasts {:.1f} s, with both sides of the book there or not",
          seconds_between(Time{}, Time{} + plan_.horizon), seconds_between(first_, last_))));
    std::ranges::sort(samples, [](const FillSample& one, const FillSample& two) {
      if (one.at != two.at) return one.at < two.at;
      if (one.side != two.side) return one.side == Side::buy;
      return one.steps_waited < two.steps_waited;
    });
    return std::move(samples);
  }

  [[nodiscard]] std::int64_t tick() const noexcept {
    return std::max<std::int64_t>(known_tick_ ? known_tick_ : step_, 1);
  }
  [[nodiscard]] double mean_order() const noexcept {
    return entered_ == 0 ? 1 : quantity_ / static_cast<double>(entered_);
  }
  [[nodiscard]] Time first() const noexcept { return first_; }
  [[nodiscard]] Time last() const noexcept { return last_; }

 private:
  void choose(std::uint32_t instrument, std::span<const recorded::RecordedInstrument> instruments) {
    const recorded::RecordedInstrument& named = instruments[instrument];
    if (!plan_.symbol.empty() && named.symbol != plan_.symbol) return;
    if (follower_) {
      has_several_ = has_several_ || plan_.symbol.empty();
      return;
    }
    instrument_ = instrument;
    known_tick_ = named.tick;
    follower_.emplace(instrument);
  }

  void begin(Time now) {
    first_ = last_ = now;
    waiting_.begin(now);
  }

  void note(const QueueChange& change) {
    rates_.note(change, last_);
    if (change.kind != QueueChange::Kind::entered) return;
    ++entered_;
    quantity_ += static_cast<double>(change.quantity);
    step_ = std::gcd(step_, change.price);
  }

  FillPlan plan_;
  std::uint32_t instrument_ = UINT32_MAX;
  std::optional<TouchFollower> follower_;
  RecentRates rates_;
  WaitingOrders waiting_{plan_};
  bool has_several_ = false;
  Time first_ = recorded::k_unknown_time, last_ = recorded::k_unknown_time;
  std::uint64_t entered_ = 0;
  double quantity_ = 0;
  std::int64_t known_tick_ = 0, step_ = 0;
};

FillSampler::FillSampler(FillPlan plan) : market_(std::make_unique<Market>(std::move(plan))) {}
FillSampler::~FillSampler() = default;

void FillSampler::take(std::span<const RecordedEvent> events,
                       std::span<const recorded::RecordedInstrument> instruments) {
  for (const RecordedEvent& event : events) market_->take(event, instruments);
}

Answer<std::vector<FillSample>> FillSampler::finish() {
  return market_->finish();
}
std::int64_t FillSampler::tick() const noexcept {
  return market_->tick();
}
double FillSampler::mean_order() const noexcept {
  return market_->mean_order();
}
Time FillSampler::first() const noexcept {
  return market_->first();
}
Time FillSampler::last() const noexcept {
  return market_->last();
}

}  // namespace dojima::queueing
