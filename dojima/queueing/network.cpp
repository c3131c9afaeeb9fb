#include "dojima/queueing/network.hpp"

#include <fmt/format.h>

#include "dojima/queueing/network_parts/inside.hpp"

namespace dojima::queueing {
namespace {

std::optional<Refusal> refusal_of(const ClassSpec& spec, std::size_t stations) {
  if (spec.services.size() != stations)
    return impossible(fmt::format("{} laws of services for {} stations", spec.services.size(), stations));
  if (spec.first_station >= stations) return impossible("a class begins at a station that is not there");
  if (spec.batch_least < 1 || spec.batch_most < spec.batch_least) return impossible("a batch has at least one request");
  if (spec.customers > 0 && (spec.between || spec.routing.empty()))
    return impossible("a closed class has customers and ways, and no arrivals from outside");
  if (spec.routing.empty()) return std::nullopt;
  if (spec.routing.size() != stations * stations)
    return impossible(fmt::format("{} routing shares for {} stations", spec.routing.size(), stations));
  for (std::size_t from = 0; from < stations; ++from) {
    double sum = 0;
    for (std::size_t to = 0; to < stations; ++to) {
      const double share = spec.routing[from * stations + to];
      if (!(share >= 0)) return impossible("a routing share is below 0");
      sum += share;
    }
    if (sum > 1 + 1e-9) return impossible(fmt::format("station {}: more than all goes on ({:g})", from + 1, sum));
    if (spec.customers > 0 && sum < 1 - 1e-9)
      return impossible(fmt::format("station {}: of a closed class all goes on ({:g})", from + 1, sum));
  }
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> refusal_of(const NetworkSpec& spec) {
  if (spec.stations.empty() || spec.classes.empty()) return impossible("a network needs a station and a class");
  bool arrives = false;
  std::size_t customers = 0;
  for (const ClassSpec& each : spec.classes) {
    if (auto refusal = refusal_of(each, spec.stations.size())) return refusal;
    arrives |= each.between.has_value() || each.customers > 0;
    customers += each.customers;
  }
  if (!arrives) return impossible("nothing arrives from outside");
  if (customers > spec.capacity) return impossible("more customers go round than its capacity");
  for (const StationSpec& station : spec.stations) {
    if (station.servers < 1 || station.servers > 100'000) return impossible("a station has 1 to 100000 servers");
    if (station.room > 0 && station.room < station.servers) return impossible("the room holds fewer than are served");
    if (station.room > 0 && customers > 0) return impossible("a closed class loses nobody: rooms have no limit");
  }
  return std::nullopt;
}

Network::Network(const NetworkSpec& spec, std::uint64_t seed, NetworkObserver& observer) {
  DOJIMA_ASSERT(!refusal_of(spec), "a network that can be run");
  inside_ = std::make_unique<Inside>(spec, seed, observer);
}

Network::~Network() = default;

bool Network::run(std::uint64_t arrivals) {
  const std::uint64_t goal = inside_->arrived + arrivals;
  while (inside_->arrived < goal && !inside_->is_full) {
    const sched::Time next = inside_->scheduler.next_due();
    static_cast<void>(inside_->scheduler.check(next, 1));
  }
  return !inside_->is_full;
}

Ticks Network::now() const noexcept {
  return inside_->now();
}

double Network::mean_number(std::size_t station) const {
  const Inside::Station& at = inside_->stations[station];
  const auto area = at.area + static_cast<Inside::Wide>(at.present) * (now() - at.since);
  return now() == 0 ? 0 : static_cast<double>(area) / static_cast<double>(now());
}

}  // namespace dojima::queueing
