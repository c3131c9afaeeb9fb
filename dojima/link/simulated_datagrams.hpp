#pragma once

// Datagrams in virtual time, inside one scheduler: with delay, loss, duplicates, overtaking and dead lines, drawn
// separately for each copy to each subscriber, all from one seed. For tests and simulation; allocates for each copy.
//
//   SimulatedDatagrams lines(scheduler, 1);
//   lines.set_conditions({"a", 1}, {.jitter = 200us, .loss_ppm = 50'000});

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "dojima/link/datagram.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::link {

/// What happens to the datagrams of a group. `_ppm`: of a million copies.
struct DatagramConditions {
  time::Duration delay{50'000};
  time::Duration jitter{0};  ///< up to so much more, drawn for each copy: they overtake each other
  std::uint32_t loss_ppm = 0;
  std::uint32_t duplicate_ppm = 0;  ///< a copy comes twice, each with a delay of its own
  bool is_dead = false;             ///< nothing comes
};

struct DatagramCounts {
  std::uint64_t sent = 0;  ///< by publishers
  std::uint64_t delivered = 0;
  std::uint64_t lost = 0;  ///< copies, on dead lines too
  std::uint64_t duplicated = 0;
};

class SimulatedDatagrams final : public DatagramFabric {
 public:
  /// The scheduler must have room for a timer per subscription.
  SimulatedDatagrams(sched::Scheduler& scheduler, std::uint64_t seed);
  ~SimulatedDatagrams();
  SimulatedDatagrams(const SimulatedDatagrams&) = delete;
  SimulatedDatagrams& operator=(const SimulatedDatagrams&) = delete;

  [[nodiscard]] Result<DatagramSender*> publish(const Address& group) override;
  /// `unavailable` without a port: no publisher could learn which one was chosen.
  [[nodiscard]] Result<Address> subscribe(const Address& group, DatagramReceiver& receiver) override;

  /// Of what is sent to the group from now on.
  void set_conditions(const Address& group, const DatagramConditions& conditions);
  [[nodiscard]] const DatagramCounts& counts() const noexcept { return counts_; }

 private:
  class Group;
  class Subscription;

  [[nodiscard]] Group& group_of(const Address& address);
  [[nodiscard]] std::uint64_t draw() noexcept;
  [[nodiscard]] bool happens(std::uint32_t ppm) noexcept { return ppm != 0 && draw() % 1'000'000 < ppm; }

  sched::Scheduler& scheduler_;
  std::uint64_t random_;
  std::map<Address, std::unique_ptr<Group>> groups_;
  DatagramCounts counts_;
};

}  // namespace dojima::link
