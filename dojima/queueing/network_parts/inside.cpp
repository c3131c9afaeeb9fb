#include "dojima/queueing/network_parts/inside.hpp"

#include <bit>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/sched/run_wheel_shape.hpp"

namespace dojima::queueing {
namespace {

std::uint64_t streams_of(std::size_t stations, std::size_t in_class, std::size_t which) {
  return in_class * (stations + 2) + which;
}

std::size_t timers_of(const NetworkSpec& spec) {
  std::size_t timers = spec.classes.size();
  for (const StationSpec& station : spec.stations) timers += std::size_t{2} * station.servers;
  return 2 * timers + 16;
}

/// A mean time is about 2^30 ticks, and there are as many events in it as there are timers: slots are so wide that a
/// few are due in each. The order of events is the same in every shape.
sched::RunWheelShape shape_of(const NetworkSpec& spec) {
  const std::size_t timers = timers_of(spec);
  sched::RunWheelShape shape = sched::RunWheelShape::for_capacity(timers);
  if (shape.is_packed) return shape;
  shape.slot_bits = 30 - std::min<unsigned>(static_cast<unsigned>(std::bit_width(timers / 64)), 10);
  return shape;
}

std::vector<std::uint64_t> cumulated(const std::vector<double>& routing, std::size_t stations) {
  std::vector<std::uint64_t> limits;
  for (std::size_t i = 0; i < routing.size(); ++i) {
    const std::uint64_t before = i % stations == 0 ? 0 : limits.back();
    limits.push_back(std::min(before + static_cast<std::uint64_t>(routing[i] * 0x1p32 + 0.5), std::uint64_t{1} << 32));
  }
  return limits;
}

}  // namespace

Network::Inside::Inside(const NetworkSpec& spec, std::uint64_t seed, NetworkObserver& its_observer)
    : observer(its_observer), scheduler(timers_of(spec), sched::Time{}, shape_of(spec)), jobs(spec.capacity) {
  std::uint32_t levels = 1;
  const std::size_t stations_count = spec.stations.size();
  for (std::uint32_t k = 0; k < spec.classes.size(); ++k) {
    const ClassSpec& each = spec.classes[k];
    levels = std::max(levels, each.priority + 1);
    Class made{.spec = each,
               .gaps = stream_of(seed, streams_of(stations_count, k, 0)),
               .ways = stream_of(seed, streams_of(stations_count, k, 1)),
               .services = {},
               .draws = {}};
    if (each.between) made.between.emplace(*each.between, spec.ticks_per_unit);
    for (std::size_t i = 0; i < stations_count; ++i) {
      made.services.emplace_back(each.services[i], spec.ticks_per_unit);
      made.draws.push_back(stream_of(seed, streams_of(stations_count, k, 2 + i)));
    }
    made.limits_q32 = cumulated(each.routing, stations_count);
    classes.push_back(std::move(made));
  }
  for (std::uint32_t i = 0; i < stations_count; ++i) {
    Station station{.spec = spec.stations[i], .lines = std::vector<Line>(levels), .idle = {}};
    station.first_server = static_cast<std::uint32_t>(servers.size());
    if (const auto& by = spec.stations[i].interruptions; by && by->rate > 0) {
      station.up.emplace(Law::exponential(1 / by->rate), spec.ticks_per_unit);
      station.away.emplace(by->length, spec.ticks_per_unit);
    }
    for (std::uint32_t s = 0; s < station.spec.servers; ++s)
      servers.emplace_back(*this, i, station.first_server + s, scheduler);
    for (std::uint32_t s = station.spec.servers; s > 0; --s) station.idle.push_back(station.first_server + s - 1);
    stations.push_back(std::move(station));
  }
  for (std::uint32_t k = 0; k < classes.size(); ++k) {
    if (!classes[k].between) continue;
    sources.emplace_back(*this, k, scheduler).next.arm(time_at(classes[k].between->draw(classes[k].gaps)));
  }
  for (std::uint32_t k = 0; k < classes.size(); ++k) begin_rounds(k);
  outages = stream_of(seed, streams_of(stations_count, classes.size(), 0));
  for (Server& server : servers) {
    if (stations[server.station].up) server.turn.arm(time_at(stations[server.station].up->draw(outages)));
  }
}

/// All customers of a closed class come to its first station.
void Network::Inside::begin_rounds(std::uint32_t in_class) {
  for (std::uint32_t i = 0; i < classes[in_class].spec.customers; ++i) {
    const auto job = jobs.acquire();
    DOJIMA_ASSERT(job.has_value(), "there is room for every customer", in_class, i);
    jobs[*job] = {.in_class = in_class};
    enter(*job, classes[in_class].spec.first_station);
  }
}

void Network::Inside::arrive_from_outside(Source& source) {
  Class& of = classes[source.in_class];
  std::uint64_t batch = of.spec.batch_least;
  if (of.spec.batch_most > batch) batch += of.gaps.below(of.spec.batch_most - batch + 1);
  source.next.arm(time_at(now() + of.between->draw(of.gaps)));
  for (; batch > 0; --batch) {
    const auto job = jobs.acquire();
    if (!job) {
      is_full = true;
      return;
    }
    ++arrived;
    jobs[*job] = {.in_class = source.in_class, .entered = now()};
    enter(*job, of.spec.first_station);
  }
}

void Network::Inside::enter(std::uint32_t index, std::uint32_t at) {
  Station& station = stations[at];
  Job& job = jobs[index];
  Class& of = classes[job.in_class];
  job.arrival = now();
  if (begins_round(of, at)) {
    job.entered = now();
    ++arrived;
  }
  job.service = job.left = of.services[at].draw(of.draws[at]);
  if (station.spec.room > 0 && station.present >= station.spec.room) {
    observer.on_lost(at, job.in_class, now());
    jobs.release(index);
    return;
  }
  count(station, 1);
  if (!station.idle.empty()) {
    Server& server = servers[station.idle.back()];
    station.idle.pop_back();
    begin(server, index);
    return;
  }
  const std::uint32_t level = level_of(station, job.in_class);
  if (station.spec.discipline == Discipline::preemptive_resume) {
    if (Server* server = to_preempt(station, level)) {
      put_aside(*server);
      if (server->is_away) {
        server->job = index;
      } else {
        begin(*server, index);
      }
      return;
    }
  }
  Line& line = station.lines[level];
  job.next = k_none;
  (line.last == k_none ? line.first : jobs[line.last].next) = index;
  line.last = index;
}

/// The server at work on the lowest class below `level`; none: all are at least as important.
Network::Inside::Server* Network::Inside::to_preempt(const Station& station, std::uint32_t level) {
  Server* lowest = nullptr;
  std::uint32_t worst = level;
  for (std::uint32_t s = 0; s < station.spec.servers; ++s) {
    Server& server = servers[station.first_server + s];
    if (server.job == k_none) continue;
    const std::uint32_t its = level_of(station, jobs[server.job].in_class);
    if (its > worst) worst = its, lowest = &server;
  }
  return lowest;
}

/// What is in service goes back to the head of its line, with what is left of it.
void Network::Inside::put_aside(Server& server) {
  Station& station = stations[server.station];
  Job& job = jobs[server.job];
  if (!server.is_away) {
    job.left = ticks_of(server.done.deadline()) - now();
    server.done.disarm();
  }
  Line& line = station.lines[level_of(station, job.in_class)];
  job.next = line.first;
  line.first = server.job;
  if (line.last == k_none) line.last = server.job;
  server.job = k_none;
}

void Network::Inside::begin(Server& server, std::uint32_t job) {
  server.job = job;
  server.done.arm(time_at(now() + jobs[job].left));
}

void Network::Inside::begin_next(Server& server) {
  Station& station = stations[server.station];
  for (Line& line : station.lines) {
    if (line.first == k_none) continue;
    const std::uint32_t job = line.first;
    line.first = jobs[job].next;
    if (line.first == k_none) line.last = k_none;
    begin(server, job);
    return;
  }
  station.idle.push_back(server.number);
}

void Network::Inside::finish(Server& server) {
  const std::uint32_t index = server.job;
  Job& job = jobs[index];
  Station& station = stations[server.station];
  server.job = k_none;
  count(station, ~std::uint32_t{0});  // one less
  Class& of = classes[job.in_class];
  const std::uint32_t next = route(of, server.station);
  observer.on_visit({.station = server.station,
                     .in_class = job.in_class,
                     .arrival = job.arrival,
                     .departure = now(),
                     .service = job.service,
                     .entered = job.entered,
                     .is_leaving = next == k_none || begins_round(of, next)});
  begin_next(server);
  if (next == k_none) {
    jobs.release(index);
  } else {
    enter(index, next);
  }
}

void Network::Inside::take_or_give_back(Server& server) {
  Station& station = stations[server.station];
  server.is_away = !server.is_away;
  server.turn.arm(time_at(now() + (server.is_away ? *station.away : *station.up).draw(outages)));
  if (server.is_away) {
    if (server.job == k_none) {
      std::erase(station.idle, server.number);
    } else {
      jobs[server.job].left = ticks_of(server.done.deadline()) - now();
      server.done.disarm();
    }
  } else if (server.job == k_none) {
    begin_next(server);
  } else {
    begin(server, server.job);
  }
}

std::uint32_t Network::Inside::route(Class& of, std::uint32_t station) {
  if (of.limits_q32.empty()) return k_none;
  const std::size_t width = stations.size();
  const std::uint64_t* const row = of.limits_q32.data() + station * width;
  if (row[width - 1] == 0) return k_none;
  const std::uint64_t drawn = of.ways.next() >> 32;
  for (std::uint32_t to = 0; to < width; ++to)
    if (drawn < row[to]) return to;
  if (of.spec.customers == 0) return k_none;
  // Shares are rounded to 2^-32: what is left of 1 goes where the last of them goes.
  auto last = static_cast<std::uint32_t>(width - 1);
  while (last > 0 && row[last - 1] == row[last]) --last;
  return last;
}

}  // namespace dojima::queueing
