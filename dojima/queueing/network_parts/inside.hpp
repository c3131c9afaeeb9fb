#pragma once

// What a network is made of while it runs: requests, servers and where they wait.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "dojima/base/pool.hpp"
#include "dojima/queueing/network.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::queueing {

inline constexpr std::uint32_t k_none = ~std::uint32_t{0};

[[nodiscard]] inline sched::Time time_at(Ticks ticks) {
  return sched::Time{time::Duration{static_cast<std::int64_t>(ticks)}};
}

[[nodiscard]] inline Ticks ticks_of(sched::Time at) {
  return static_cast<Ticks>(at.time_since_epoch().count());
}

struct Network::Inside {
  __extension__ using Wide = unsigned __int128;

  struct Job {
    std::uint32_t in_class = 0;
    std::uint32_t next = k_none;
    Ticks arrival = 0;
    Ticks entered = 0;
    Ticks service = 0;
    Ticks left = 0;  // of the service
  };

  struct Line {  // requests of one level, first to last
    std::uint32_t first = k_none;
    std::uint32_t last = k_none;
  };

  struct Server {
    Server(Inside& its_inside, std::uint32_t its_station, std::uint32_t its_number, sched::Scheduler& scheduler)
        : inside(its_inside),
          station(its_station),
          number(its_number),
          done(scheduler, *this),
          turn(scheduler, *this) {}
    void on_done(sched::Time) { inside.finish(*this); }
    void on_turn(sched::Time) { inside.take_or_give_back(*this); }

    Inside& inside;
    std::uint32_t station;
    std::uint32_t number;  // in `servers`
    std::uint32_t job = k_none;
    bool is_away = false;
    sched::TimerOf<&Server::on_done> done;
    sched::TimerOf<&Server::on_turn> turn;  // to be taken away, or given back
  };

  struct Source {
    Source(Inside& its_inside, std::uint32_t its_class, sched::Scheduler& scheduler)
        : inside(its_inside), in_class(its_class), next(scheduler, *this) {}
    void on_next(sched::Time) { inside.arrive_from_outside(*this); }

    Inside& inside;
    std::uint32_t in_class;
    sched::TimerOf<&Source::on_next> next;
  };

  struct Station {
    StationSpec spec;
    std::vector<Line> lines;          // by level
    std::vector<std::uint32_t> idle;  // servers that can begin, the last one first
    std::uint32_t first_server = 0;   // in `servers`
    std::uint32_t present = 0;
    Wide area = 0;  // requests present x ticks
    Ticks since = 0;
    std::optional<Sampler> up{};
    std::optional<Sampler> away{};
  };

  struct Class {
    ClassSpec spec;
    std::optional<Sampler> between{};
    Random gaps;
    Random ways;
    std::vector<Sampler> services;
    std::vector<Random> draws;                // of services, by station
    std::vector<std::uint64_t> limits_q32{};  // cumulated routing shares
  };

  Inside(const NetworkSpec& spec, std::uint64_t seed, NetworkObserver& its_observer);

  void begin_rounds(std::uint32_t in_class);
  void arrive_from_outside(Source& source);
  void enter(std::uint32_t job, std::uint32_t station);
  void begin(Server& server, std::uint32_t job);
  void begin_next(Server& server);
  void finish(Server& server);
  void take_or_give_back(Server& server);
  [[nodiscard]] Server* to_preempt(const Station& station, std::uint32_t level);
  void put_aside(Server& server);
  [[nodiscard]] std::uint32_t route(Class& of, std::uint32_t station);
  [[nodiscard]] std::uint32_t level_of(const Station& station, std::uint32_t in_class) const {
    return station.spec.discipline == Discipline::first_come ? 0 : classes[in_class].spec.priority;
  }
  void count(Station& station, std::uint32_t more) {
    station.area += static_cast<Wide>(station.present) * (now() - station.since);
    station.since = now();
    station.present += more;
  }
  /// Where a round of a closed class begins.
  [[nodiscard]] bool begins_round(const Class& of, std::uint32_t station) const {
    return of.spec.customers > 0 && station == of.spec.first_station;
  }
  [[nodiscard]] Ticks now() const { return ticks_of(scheduler.now()); }

  NetworkObserver& observer;
  std::vector<Class> classes;
  std::vector<Station> stations;
  sched::Scheduler scheduler;
  Pool<Job> jobs;
  Random outages{0};
  std::deque<Server> servers;
  std::deque<Source> sources;
  std::uint64_t arrived = 0;
  bool is_full = false;
};

}  // namespace dojima::queueing
