// Crowds: thousands of entries at few instants, in bursts, ahead of and behind what is open, fired a few at a time. The
// run wheel, in any shape, does what std::multimap does with the same operations.

#include <gtest/gtest.h>
#include <memory>
#include <utility>
#include <vector>

#include "dojima/sched/containers/hold_model.hpp"
#include "dojima/sched/containers/rivals.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::sched {
namespace {

constexpr std::size_t k_events = 64;
constexpr std::size_t k_timers = 16;
constexpr std::size_t k_capacity = 6'000;
constexpr std::size_t k_cancellable = 500;

template <class Queue>
class Crowd {
 public:
  template <class... Arguments>
  explicit Crowd(bool looks_ahead, Arguments&&... arguments)
      : looks_ahead_(looks_ahead), events_(k_events), scheduler_(std::forward<Arguments>(arguments)...) {
    for (std::size_t i = 0; i < k_events; ++i) events_[i].set(*this, static_cast<int>(i));
    for (std::size_t i = 0; i < k_timers; ++i)
      timers_.push_back(std::make_unique<Owner>(*this, 1000 + static_cast<int>(i)));
  }

  /// One operation, drawn from `random`; what it makes visible goes to the log.
  void operate(HoldRandom& random) {
    constexpr std::int64_t k_spreads[] = {1, 2, 200, 2'000, 300'000, 3'000'000, 5'000'000'000};
    constexpr std::int64_t k_steps[] = {0, 1, 90, 1'000, 60'000, 1'100'000, 40'000'000, 20'000'000'000};
    const std::uint64_t kind = random() % 16;
    const std::int64_t now = time::nanoseconds_of(scheduler_.now());
    if (kind < 6) {
      const auto from = now + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(k_spreads[random() % 7]));
      const auto spread = static_cast<std::uint64_t>(k_spreads[random() % 6]);
      for (std::uint64_t left = random() % 400; left > 0; --left) {
        const Time at = time::from_nanoseconds(from + static_cast<std::int64_t>(random() % spread));
        note(scheduler_.schedule(events_[random() % k_events], at) ? 1 : 0, 0);
      }
    } else if (kind < 8) {
      for (std::uint64_t left = random() % 40; left > 0; --left) {
        const Time at = time::from_nanoseconds(now + static_cast<std::int64_t>(random() % 400'000));
        handles_.push_back(scheduler_.schedule_cancellable(events_[random() % k_events], at));
      }
    } else if (kind < 9) {
      for (std::uint64_t left = random() % 60; left > 0 && !handles_.empty(); --left) {
        const std::size_t which = random() % handles_.size();
        note(scheduler_.cancel(handles_[which]) ? 1 : 0, 1);
        handles_[which] = handles_.back();
        handles_.pop_back();
      }
    } else if (kind < 11) {
      for (std::uint64_t left = random() % 8; left > 0; --left) {
        TimerOf<&Owner::on_due>& timer = timers_[random() % k_timers]->timer;
        const auto delay = static_cast<std::int64_t>(random() % 2'000'000);
        if (random() % 4 != 0) {
          timer.arm(time::from_nanoseconds(now + delay));
        } else {
          timer.disarm();
        }
      }
    } else if (kind < 12) {
      if (looks_ahead_) note(time::nanoseconds_of(scheduler_.next_due()), 2);
    } else {
      const std::size_t most = kind == 12 ? 1 : kind == 13 ? 30 : SIZE_MAX;
      until_ = std::max(until_, now) + k_steps[random() % 8];
      // How often it says "not drained" is the container's own business, what fires is not.
      bool is_drained = false;
      for (std::size_t fired = 0; fired < most && !is_drained;) {
        const auto result = scheduler_.check(time::from_nanoseconds(until_), most - fired);
        fired += result.count;
        is_drained = result.is_drained;
      }
      // With a limit it may still have to find out that nothing is left, and until then now() stays at the last one.
      for (int goes = 0; goes < 2'000 && !is_drained && !looks_ahead_; ++goes) {
        is_drained = scheduler_.check(time::from_nanoseconds(until_), 0).is_drained;
      }
    }
    note(static_cast<std::int64_t>(scheduler_.size()), 3);
  }
  [[nodiscard]] const std::vector<std::pair<std::int64_t, int>>& log() const { return log_; }

 private:
  void note(std::int64_t what, int of) { log_.emplace_back(what, of); }
  void fired(int who, Time due) {
    note(time::nanoseconds_of(due), 10 + who);
    // Some come again at once or soon; drawn by what fired, so that an order that is wrong changes all that follows.
    const std::uint64_t draw = again_();
    if (draw % 8 < 2) {
      const auto delay = static_cast<std::int64_t>(draw % 8 == 0 ? 0 : draw / 8 % 700'000);
      note(scheduler_.schedule(events_[draw / 64 % k_events], due + time::Duration{delay}) ? 1 : 0, 4);
    }
  }
  struct Repeating final : Queue::Scheduled {
    void set(Crowd& crowd, int who) {
      crowd_ = &crowd;
      who_ = who;
    }
    void fire(Time due, void*) override { crowd_->fired(who_, due); }
    Crowd* crowd_ = nullptr;
    int who_ = 0;
  };
  struct Owner {
    Owner(Crowd& its_crowd, int its_number) : crowd(its_crowd), who(its_number), timer(its_crowd.scheduler_, *this) {}
    void on_due(Time due) { crowd.fired(who, due); }
    Crowd& crowd;
    int who;
    TimerOf<&Owner::on_due> timer;
  };
  class OverQueue final : public BasicScheduler<Queue> {
   public:
    template <class... Arguments>
    explicit OverQueue(Arguments&&... arguments)
        : BasicScheduler<Queue>(k_capacity, k_cancellable, Time{}, std::forward<Arguments>(arguments)...) {}
  };

  std::vector<std::pair<std::int64_t, int>> log_;
  bool looks_ahead_;
  HoldRandom again_;
  std::int64_t until_ = 0;
  std::vector<Handle> handles_;
  std::vector<Repeating> events_;
  OverQueue scheduler_;
  std::vector<std::unique_ptr<Owner>> timers_;
};

void expect_same(std::uint64_t seed, const RunWheelShape& shape) {
  constexpr int k_operations = 250;
  HoldRandom first, second;
  for (std::uint64_t skip = 0; skip < seed * 1'000; ++skip) {
    static_cast<void>(first());
    static_cast<void>(second());
  }
  // With a limit on what it may prepare, a wheel may say that something earlier is next.
  const bool looks_ahead = shape.max_prepared == SIZE_MAX;
  Crowd<RunWheel<false>> wheel(looks_ahead, shape);
  Crowd<containers::TreeQueue<false>> tree(looks_ahead);
  for (int i = 0; i < k_operations; ++i) {
    wheel.operate(first);
    tree.operate(second);
    ASSERT_EQ(wheel.log().size(), tree.log().size()) << "seed " << seed << ", operation " << i;
  }
  ASSERT_EQ(wheel.log(), tree.log()) << "seed " << seed;
}

class CrowdOn : public ::testing::TestWithParam<int> {};

TEST_P(CrowdOn, every_shape_fires_what_a_tree_fires) {
  const int number = GetParam();
  RunWheelShape shape = number % 4 == 0   ? RunWheelShape::for_capacity(1'000'000)
                        : number % 4 == 1 ? RunWheelShape::for_capacity(10'000'000)
                        : number % 4 == 2 ? RunWheelShape::for_capacity(k_capacity)
                                          : RunWheelShape{.slot_bits = 12, .block_bits = 6, .fan_bits = 6};
  constexpr std::size_t k_gathered[] = {k_most_keys, 32, 64, 500};
  shape.most_gathered = k_gathered[number / 4 % 4];
  if (number / 16 % 2 != 0) shape.max_prepared = 64;
  if (number / 32 % 2 != 0) shape.chunk_bytes = 128;
  for (std::uint64_t seed = 0; seed < 4; ++seed) expect_same(static_cast<std::uint64_t>(number) * 4 + seed, shape);
}

INSTANTIATE_TEST_SUITE_P(Shapes, CrowdOn, ::testing::Range(0, 64));

}  // namespace
}  // namespace dojima::sched
