#include "dojima/link/simulated_datagrams.hpp"

#include <algorithm>
#include <utility>

#include "dojima/base/splitmix.hpp"

namespace dojima::link {

/// What is on its way to one receiver, in the order in which it arrives.
class SimulatedDatagrams::Subscription {
 public:
  Subscription(SimulatedDatagrams& fabric, DatagramReceiver& receiver)
      : fabric_(fabric), receiver_(receiver), arrival_(fabric.scheduler_, *this) {}

  void put(Bytes datagram, Time at) {
    on_the_way_.push_back({at, next_++, {datagram.begin(), datagram.end()}});
    std::ranges::push_heap(on_the_way_, later);
    arrival_.arm(on_the_way_.front().at);
  }

 private:
  struct Copy {
    Time at;
    std::uint64_t number;
    std::vector<std::byte> bytes;
  };
  static bool later(const Copy& left, const Copy& right) noexcept {
    return std::pair(left.at, left.number) > std::pair(right.at, right.number);
  }

  void on_arrival(Time now) {
    while (!on_the_way_.empty() && on_the_way_.front().at <= now) {
      std::ranges::pop_heap(on_the_way_, later);
      const Copy copy = std::move(on_the_way_.back());
      on_the_way_.pop_back();
      ++fabric_.counts_.delivered;
      receiver_.on_datagram(copy.bytes, now);
    }
    if (!on_the_way_.empty()) arrival_.arm(on_the_way_.front().at);
  }

  SimulatedDatagrams& fabric_;
  DatagramReceiver& receiver_;
  std::vector<Copy> on_the_way_;
  std::uint64_t next_ = 0;
  sched::TimerOf<&Subscription::on_arrival> arrival_;
};

class SimulatedDatagrams::Group final : public DatagramSender {
 public:
  explicit Group(SimulatedDatagrams& fabric) : fabric_(fabric) {}

  bool send(Bytes datagram) override {
    ++fabric_.counts_.sent;
    for (const auto& subscription : subscriptions) {
      send_copy(datagram, *subscription);
      if (!fabric_.happens(conditions.duplicate_ppm)) continue;
      ++fabric_.counts_.duplicated;
      send_copy(datagram, *subscription);
    }
    return true;
  }

  DatagramConditions conditions;
  std::vector<std::unique_ptr<Subscription>> subscriptions;

 private:
  void send_copy(Bytes datagram, Subscription& subscription) {
    if (conditions.is_dead || fabric_.happens(conditions.loss_ppm)) {
      ++fabric_.counts_.lost;
      return;
    }
    time::Duration delay = conditions.delay;
    if (conditions.jitter.count() > 0) {
      const auto choices = static_cast<std::uint64_t>(conditions.jitter.count()) + 1;
      delay += time::Duration{static_cast<std::int64_t>(fabric_.draw() % choices)};
    }
    subscription.put(datagram, fabric_.scheduler_.now() + delay);
  }

  SimulatedDatagrams& fabric_;
};

SimulatedDatagrams::SimulatedDatagrams(sched::Scheduler& scheduler, std::uint64_t seed)
    : scheduler_(scheduler), random_(seed) {}

SimulatedDatagrams::~SimulatedDatagrams() = default;

std::uint64_t SimulatedDatagrams::draw() noexcept {
  return splitmix64(random_);
}

SimulatedDatagrams::Group& SimulatedDatagrams::group_of(const Address& address) {
  std::unique_ptr<Group>& group = groups_[address];
  if (group == nullptr) group = std::make_unique<Group>(*this);
  return *group;
}

Result<DatagramSender*> SimulatedDatagrams::publish(const Address& group) {
  return &group_of(group);
}

Result<Address> SimulatedDatagrams::subscribe(const Address& group, DatagramReceiver& receiver) {
  if (group.port == 0) return fail(ErrorCode::unavailable, 0, 0, 0, "a port");
  group_of(group).subscriptions.push_back(std::make_unique<Subscription>(*this, receiver));
  return group;
}

void SimulatedDatagrams::set_conditions(const Address& group, const DatagramConditions& conditions) {
  group_of(group).conditions = conditions;
}

}  // namespace dojima::link
