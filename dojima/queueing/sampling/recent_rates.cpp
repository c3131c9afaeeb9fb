#include "dojima/queueing/sampling/recent_rates.hpp"

#include <cmath>
#include <utility>

namespace dojima::queueing {
namespace {

double age_s(time::Time from, time::Time to) {
  return static_cast<double>((to - from).count()) * 1e-9;
}

/// As many as `make()` makes.
template <std::size_t Count, class Make>
auto array_of(Make make) {
  return [&]<std::size_t... At>(std::index_sequence<At...>) {
    return std::array<decltype(make(0)), Count>{make(At)...};
  }(std::make_index_sequence<Count>{});
}

}  // namespace

void DecayingCount::add(time::Time now) {
  value_ = at(now) + 1;
  last_ = now;
}

double DecayingCount::rate(time::Time begin, time::Time now) const {
  const double seen = memory_ * (1 - std::exp(-age_s(begin, now) / memory_));
  return seen > 0 ? at(now) / seen : 0;
}

double DecayingCount::at(time::Time now) const {
  return value_ * std::exp(-age_s(last_, now) / memory_);
}

RecentRates::RecentRates()
    : sides_(array_of<2>([](std::size_t) {
        return array_of<k_recent_kinds>([](std::size_t) {
          return array_of<k_recent_memories_s.size()>(
              [](std::size_t memory) { return DecayingCount(k_recent_memories_s[memory]); });
        });
      })) {}

void RecentRates::note(const QueueChange& change, time::Time now) {
  SideCounts& counts = sides_[place_of(change.side)];
  const auto happened = [&](RecentKind kind) {
    for (DecayingCount& count : counts[static_cast<std::size_t>(kind)]) count.add(now);
  };
  switch (change.kind) {
    case QueueChange::Kind::entered:
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

void RecentRates::write(FillSample& sample, time::Time begin) const {
  for (const bool is_own : {true, false}) {
    const SideCounts& counts = sides_[is_own == (sample.side == market::Side::buy) ? 0 : 1];
    for (std::size_t kind = 0; kind < k_recent_kinds; ++kind)
      for (std::size_t memory = 0; memory < k_recent_memories_s.size(); ++memory)
        sample.rates[recent_rate(static_cast<RecentKind>(kind), is_own, memory)] =
            static_cast<float>(counts[kind][memory].rate(begin, sample.at));
  }
}

}  // namespace dojima::queueing
