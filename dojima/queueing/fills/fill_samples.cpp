#include "dojima/queueing/fills/fill_samples.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/queueing/fills/touch_follower.hpp"

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

/// Events that count less the older they are.
class DecayingCount {
 public:
  explicit DecayingCount(double memory_s) : memory_(memory_s) {}
  void add(Time now) {
    value_ = at(now) + 1;
    last_ = now;
  }
  /// Per second; a recording that began not long ago counts only as long as it is.
  [[nodiscard]] double rate(Time begin, Time now) const {
    const double seen = memory_ * (1 - std::exp(-seconds_between(begin, now) / memory_));
    return seen > 0 ? at(now) / seen : 0;
  }

 private:
  [[nodiscard]] double at(Time now) const { return value_ * std::exp(-seconds_between(last_, now) / memory_); }
  double memory_;
  double value_ = 0;
  Time last_{};
};

template <std::size_t Memories>
std::array<DecayingCount, Memories> counts_of(const std::array<double, Memories>& memories_s) {
  return [&]<std::size_t... At>(std::index_sequence<At...>) {
    return std::array<DecayingCount, Memories>{DecayingCount(memories_s[At])...};
  }(std::make_index_sequence<Memories>{});
}

/// One kind of events on one side, over each of the memories.
struct RecentCounts {
  std::array<DecayingCount, k_recent_memories_s.size()> counts = counts_of(k_recent_memories_s);
  void add(Time now) {
    for (DecayingCount& count : counts) count.add(now);
  }
};

/// By kind.
using SideRates = std::array<RecentCounts, k_recent_kinds>;

/// An order that waits, and the sample that is about it.
struct Waiting {
  std::size_t sample = 0;
  Side side = Side::none;
  std::int64_t price = 0;
  std::int64_t ahead = 0;
  std::uint64_t entry = 0;          // orders with higher numbers stand behind it
  std::int64_t doubled_mid = 0;     // when it was asked
  std::uint32_t steps_to_next = 0;  // since it joined; 0: it is not asked again
  bool is_filled = false;
};

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
    ask_until(last_);
    const QueueChange change = follower_->apply(event, instruments);
    note(change, event);
    for (Waiting& order : waiting_) follow(order, change);
    if (event.has(recorded::k_last)) look_at_touch();
  }

  [[nodiscard]] Answer<std::vector<FillSample>> finish() {
    if (has_several_) return std::unexpected(impossible("it has orders of several instruments: name one"));
    if (!follower_ || entered_ == 0)
      return std::unexpected(impossible(plan_.symbol.empty() ? "it has no orders, only price levels or trades"
                                                             : fmt::format("it has no orders of {}", plan_.symbol)));
    std::erase_if(samples_, [&](const FillSample& sample) { return sample.at + plan_.horizon > last_; });
    if (samples_.empty())
      return std::unexpected(impossible(fmt::format(
          "no order could be followed for {:g} s: it lasts {:.1f} s, with both sides of the book there or not",
          seconds_between(Time{}, Time{} + plan_.horizon), seconds_between(first_, last_))));
    std::ranges::sort(samples_, [](const FillSample& one, const FillSample& two) {
      if (one.at != two.at) return one.at < two.at;
      if (one.side != two.side) return one.side == Side::buy;
      return one.steps_waited < two.steps_waited;
    });
    return std::move(samples_);
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
    const std::int64_t every = plan_.every.count(), start = time::nanoseconds_of(now);
    next_ = time::from_nanoseconds((start / every + 1) * every);
  }

  void note(const QueueChange& change, const RecordedEvent& event) {
    if (event.has(recorded::k_snapshot)) return;
    const Time now = last_;
    SideRates& rates = rates_[change.side == Side::buy ? 0 : 1];
    const auto happened = [&](RecentKind kind) { rates[static_cast<std::size_t>(kind)].add(now); };
    switch (change.kind) {
      case QueueChange::Kind::entered:
        ++entered_;
        quantity_ += static_cast<double>(change.quantity);
        step_ = std::gcd(step_, change.price);
        happened(RecentKind::entries);
        break;
      case QueueChange::Kind::executed:
      case QueueChange::Kind::hidden_execution:
        happened(RecentKind::executions);
        break;
      case QueueChange::Kind::cancelled:
        happened(RecentKind::cancels);
        if (change.is_entered_too) happened(RecentKind::entries);
        break;
      case QueueChange::Kind::none:
        break;
    }
  }

  /// Orders join at the steps of the grid that lie before `now`: behind all that happened up to them.
  void ask_until(Time now) {
    for (; next_ < now; next_ += plan_.every) {
      if (plan_.is_asked_again) ask_again();
      if (!is_whole_ || !touch_.is_market()) continue;
      for (const Side side : {Side::buy, Side::sell}) {
        Waiting order{.side = side,
                      .price = touch_.price(side),
                      .ahead = touch_.quantity(side),
                      .entry = follower_->entries(),
                      .steps_to_next = plan_.is_asked_again ? 1u : 0u};
        waiting_.push_back(waiting_of(order, 0));
      }
    }
  }

  /// Those that wait at the best price are samples again, and the new sample goes on asking.
  void ask_again() {
    if (!is_whole_ || !touch_.is_market()) return;
    const std::size_t count = waiting_.size();
    for (std::size_t i = 0; i < count; ++i) {
      Waiting& order = waiting_[i];
      if (order.steps_to_next == 0 || order.is_filled) continue;
      const FillSample& sample = samples_[order.sample];
      const auto since = (next_ - sample.at) / plan_.every + sample.steps_waited;
      if (since < order.steps_to_next) continue;
      Waiting again = order;
      order.steps_to_next = 0;
      if (plan_.every * since > plan_.horizon || touch_.price(order.side) != order.price) continue;
      again.steps_to_next *= 2;
      waiting_.push_back(waiting_of(again, static_cast<std::uint32_t>(since)));
    }
  }

  [[nodiscard]] Waiting waiting_of(Waiting order, std::uint32_t steps) {
    const Side other = order.side == Side::buy ? Side::sell : Side::buy;
    FillSample sample{.at = next_,
                      .side = order.side,
                      .steps_waited = steps,
                      .ahead = std::max<std::int64_t>(order.ahead, 0),
                      .own = touch_.quantity(order.side),
                      .other = touch_.quantity(other),
                      .spread = touch_.ask - touch_.bid};
    for (const bool is_own : {true, false}) {
      const SideRates& rates = rates_[is_own == (order.side == Side::buy) ? 0 : 1];
      for (std::size_t kind = 0; kind < k_recent_kinds; ++kind)
        for (std::size_t memory = 0; memory < k_recent_memories_s.size(); ++memory)
          sample.rates[recent_rate(static_cast<RecentKind>(kind), is_own, memory)] =
              static_cast<float>(rates[kind].counts[memory].rate(first_, next_));
    }
    order.sample = samples_.size();
    order.doubled_mid = touch_.bid + touch_.ask;
    samples_.push_back(sample);
    return order;
  }

  void fill(Waiting& order) {
    order.is_filled = true;
    samples_[order.sample].filled_after = last_ - samples_[order.sample].at;
  }

  void follow(Waiting& order, const QueueChange& change) {
    if (order.is_filled || change.kind == QueueChange::Kind::none || change.side != order.side) return;
    const bool is_execution = change.kind == QueueChange::Kind::executed;
    if (change.price == order.price) {
      if (change.kind != QueueChange::Kind::cancelled && !is_execution) return;
      const bool is_behind = change.entry > order.entry;
      if (is_execution && (is_behind || order.ahead <= 0)) return fill(order);
      if (!is_behind) order.ahead -= change.quantity;
      return;
    }
    const bool is_worse = order.side == Side::buy ? change.price < order.price : change.price > order.price;
    if (is_execution && is_worse) fill(order);
  }

  void look_at_touch() {
    const Touch touch = follower_->touch();
    is_whole_ = true;
    touch_ = touch;
    const bool is_market = touch.is_market();
    for (Waiting& order : waiting_) {
      FillSample& sample = samples_[order.sample];
      if (!order.is_filled) {
        const bool is_reached = order.side == Side::buy ? touch.ask_quantity > 0 && touch.ask <= order.price
                                                        : touch.bid_quantity > 0 && touch.bid >= order.price;
        if (is_reached) fill(order);
        if (touch.quantity(order.side) > 0 && touch.price(order.side) == order.price) {
          order.ahead = std::min(order.ahead, touch.quantity(order.side));
        } else if (!order.is_filled && follower_->shown_levels() == 1) {
          sample.was_out_of_view = true;
        }
      }
      if (is_market && sample.mid_moved_after == Duration::max() && touch.bid + touch.ask != order.doubled_mid)
        sample.mid_moved_after = last_ - sample.at;
    }
    std::erase_if(waiting_, [&](const Waiting& order) {
      const FillSample& sample = samples_[order.sample];
      if (order.is_filled) return true;
      return sample.mid_moved_after != Duration::max() && last_ - sample.at > plan_.horizon;
    });
  }

  FillPlan plan_;
  std::uint32_t instrument_ = UINT32_MAX;
  std::optional<TouchFollower> follower_;
  std::vector<FillSample> samples_;
  std::vector<Waiting> waiting_;
  std::array<SideRates, 2> rates_{};
  Touch touch_;
  bool is_whole_ = false;
  bool has_several_ = false;
  Time first_ = recorded::k_unknown_time, last_ = recorded::k_unknown_time, next_{};
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
