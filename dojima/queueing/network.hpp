#pragma once

// Networks of queues, simulated event by event on the house's scheduler: any number of stations with any number of
// servers, classes of requests with their own arrivals, batches, services and ways, priorities that wait or interrupt,
// rooms of finite size, servers that are taken away for a while. Seeded; times are ticks of a nanosecond's name on the
// scheduler's axis and made of integers, so that a seed gives the same run everywhere. Each class draws its gaps, and
// each class at each station its services, from a stream of its own in order of arrival, so that a recursion
// (recursions.hpp) given the same streams sees the same jobs.
//
//   Network network({.classes = {{.between = Law::exponential(1.25), .services = {Law::exponential(1)}}},
//                    .stations = {{}}}, 7, observer);
//   network.run(100'000);
//
// Memory is taken at the making; a run allocates nothing. One thread.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "dojima/queueing/answer.hpp"
#include "dojima/queueing/formulas/priorities.hpp"
#include "dojima/queueing/law.hpp"
#include "dojima/queueing/sampler.hpp"

namespace dojima::queueing {

enum class Discipline : std::uint8_t {
  first_come,         ///< in order of arrival
  priority,           ///< the first of the highest class; a service once begun is finished
  preemptive_resume,  ///< likewise, and a service of a lower class is put aside and goes on later where it was
};

struct StationSpec {
  std::uint32_t servers = 1;
  std::uint32_t room = 0;  ///< most requests waiting or in service; who comes then is lost. 0: any number
  Discipline discipline = Discipline::first_come;
  std::optional<Interruptions> interruptions{};  ///< of each server by itself
};

struct ClassSpec {
  std::optional<Law> between{};  ///< times between arrivals from outside; none: it never arrives
  std::uint32_t first_station = 0;
  /// A closed class: so many requests are at the first station from the beginning, go round and never leave. Each
  /// coming to the first station counts as an arrival there, and ends the round before as if it had left.
  std::uint32_t customers = 0;
  std::uint32_t batch_least = 1;  ///< requests that arrive at once: uniform from here ...
  std::uint32_t batch_most = 1;   ///< ... to here
  std::uint32_t priority = 0;     ///< 0 goes before 1, at stations that look at it
  std::vector<Law> services{};    ///< by station
  /// Row by row, stations x stations: the share of what leaves station i that goes on to j; empty: all leave.
  std::vector<double> routing{};
};

struct NetworkSpec {
  std::vector<ClassSpec> classes;
  std::vector<StationSpec> stations;
  std::size_t capacity = 100'000;  ///< requests in the network at once
  double ticks_per_unit = k_ticks_per_mean;
};

/// A request at a station, as it leaves it.
struct Visit {
  std::uint32_t station = 0;
  std::uint32_t in_class = 0;
  Ticks arrival = 0;
  Ticks departure = 0;
  Ticks service = 0;        ///< so the wait, interruptions included, is departure - arrival - service
  Ticks entered = 0;        ///< when it came into the network; of a closed class: to the first station
  bool is_leaving = false;  ///< it goes nowhere else; of a closed class: to the first station again
  [[nodiscard]] Ticks wait() const noexcept { return departure - arrival - service; }
};

class NetworkObserver {
 public:
  virtual void on_visit(const Visit& visit) = 0;
  virtual void on_lost(std::uint32_t station, std::uint32_t in_class, Ticks at) {
    static_cast<void>(station), static_cast<void>(in_class), static_cast<void>(at);
  }

 protected:
  ~NetworkObserver() = default;
};

/// Nothing, or what is wrong with it.
[[nodiscard]] std::optional<Refusal> refusal_of(const NetworkSpec& spec);

class Network {
 public:
  /// `spec` is right (refusal_of); `observer` outlives the network.
  Network(const NetworkSpec& spec, std::uint64_t seed, NetworkObserver& observer);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  /// Goes on until `arrivals` requests more have come from outside, or to the first station of a closed class. False:
  /// more were in the network at once than its capacity, and it has stopped.
  [[nodiscard]] bool run(std::uint64_t arrivals);

  [[nodiscard]] Ticks now() const noexcept;
  /// Requests at `station` over time, on average since the start.
  [[nodiscard]] double mean_number(std::size_t station) const;

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace dojima::queueing
