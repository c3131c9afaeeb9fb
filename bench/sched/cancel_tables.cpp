// Tables cancel and mixed: timeouts that are mostly re-armed or cancelled before they fire.

#include "sched_tables.hpp"

#include <algorithm>
#include <memory>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "dojima/measure/timed_section.hpp"

namespace dojima::bench_sched {
namespace {

using namespace std::chrono_literals;
using sched::BasicScheduler;
using sched::Handle;

// ------------------------------------------------------------------------------------------------------------- cancel

constexpr time::Duration k_timeout = 1s;
constexpr std::uint64_t k_touches = 100'000;
constexpr std::string_view k_rearmed = "re-armed";
constexpr std::string_view k_cancelled = "cancelled";
constexpr std::size_t k_per_check = 64;

/// Simulated time between two touches, so that there are 2.3 a second for each timer: nine of ten never expire.
constexpr time::Duration gap_of(std::size_t n) {
  return time::Duration{std::max<std::int64_t>(1, static_cast<std::int64_t>(1e9 / (2.3 * static_cast<double>(n))))};
}

/// Timers as the scheduler has them: re-arming later is one store.
template <class Scheduler>
class Postponing final : public harness::Competitor {
 public:
  Postponing(std::size_t n, bool cancels) : gap_(gap_of(n)), cancels_(cancels), scheduler_(n) {
    timers_.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
      timers_.push_back(std::make_unique<Timeout>(*this));
      timers_.back()->timer_.arm(now_ + time::Duration{static_cast<std::int64_t>(random_() % 1'000'000'000)});
    }
    touch(3 * n);
  }
  /// Entries come up by themselves: taking a million of them out of a heap one by one has no end.
  ~Postponing() override {
    for (auto& timeout : timers_) timeout->timer_.disarm();
    while (!scheduler_.check(now_ + 1h, SIZE_MAX).is_drained) continue;
  }
  harness::Operations run() override {
    const std::uint64_t before = fired_;
    touch(k_touches);
    return harness::Operations{}
        .add("", k_touches)
        .figure("fired_per_touch", static_cast<double>(fired_ - before) / k_touches);
  }

 private:
  struct alignas(64) Timeout {
    explicit Timeout(Postponing& its_owner) : owner_(its_owner), timer_(its_owner.scheduler_, *this) {}
    void on_due(Time due) {
      ++owner_.fired_;
      if (!owner_.cancels_) timer_.arm(due + k_timeout);
    }
    Postponing& owner_;
    sched::TimerOf<&Timeout::on_due> timer_;
  };
  void touch(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      auto& timer = timers_[random_() % timers_.size()]->timer_;
      if (cancels_ && timer.is_armed()) {
        timer.disarm();
      } else {
        timer.arm(now_ + k_timeout);
      }
      now_ += gap_;
      if (i % k_per_check == 0) {
        while (!scheduler_.check(now_, SIZE_MAX).is_drained) continue;
      }
    }
  }
  time::Duration gap_;
  bool cancels_;
  Time now_{};
  std::uint64_t fired_ = 0;
  sched::HoldRandom random_;
  Scheduler scheduler_;
  std::vector<std::unique_ptr<Timeout>> timers_;
};

/// As one writes it without timers: an entry for every arming, those that are no longer true are dropped.
class Appending final : public harness::Competitor {
 public:
  Appending(std::size_t n, bool cancels) : gap_(gap_of(n)), cancels_(cancels), objects_(n) {
    std::vector<Entry> memory;
    memory.reserve(4 * n);
    queue_ = Queue(IsLater{}, std::move(memory));
    for (Object& object : objects_)
      arm(object, now_ + time::Duration{static_cast<std::int64_t>(random_() % 1'000'000'000)});
    touch(3 * n);
  }
  harness::Operations run() override {
    const std::uint64_t before = fired_;
    touch(k_touches);
    return harness::Operations{}
        .add("", k_touches)
        .figure("fired_per_touch", static_cast<double>(fired_ - before) / k_touches);
  }

 private:
  struct alignas(64) Object {
    virtual ~Object() = default;
    virtual void fire() { ++count_; }
    Time deadline_ = time::k_never;
    std::uint64_t count_ = 0;
  };
  struct Entry {
    Time at;
    std::uint64_t order;
    Object* object;
  };
  struct IsLater {
    bool operator()(const Entry& a, const Entry& b) const noexcept {
      return a.at != b.at ? a.at > b.at : a.order > b.order;
    }
  };
  using Queue = std::priority_queue<Entry, std::vector<Entry>, IsLater>;

  void arm(Object& object, Time at) {
    object.deadline_ = at;
    queue_.push({at, order_++, &object});
  }
  void touch(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      Object& object = objects_[random_() % objects_.size()];
      if (cancels_ && object.deadline_ != time::k_never) {
        object.deadline_ = time::k_never;
      } else {
        arm(object, now_ + k_timeout);
      }
      now_ += gap_;
      if (i % k_per_check != 0) continue;
      while (!queue_.empty() && queue_.top().at <= now_) {
        const Entry entry = queue_.top();
        queue_.pop();
        if (entry.object->deadline_ != entry.at) continue;
        ++fired_;
        entry.object->fire();
        entry.object->deadline_ = time::k_never;
        if (!cancels_) arm(*entry.object, entry.at + k_timeout);
      }
    }
  }
  time::Duration gap_;
  bool cancels_;
  Time now_{};
  std::uint64_t fired_ = 0;
  std::uint64_t order_ = 0;
  sched::HoldRandom random_;
  std::vector<Object> objects_;
  Queue queue_;
};

template <class Scheduler>
harness::BenchCompetitor postponing(std::string name) {
  return {std::move(name), [](const harness::BenchCase& of) {
            return std::make_unique<Postponing<Scheduler>>(static_cast<std::size_t>(of.integer("n")),
                                                           of.text("way") == k_cancelled);
          }};
}

}  // namespace

harness::BenchTable cancel_table() {
  using namespace sched::containers;
  harness::BenchTable table{
      .name = "cancel",
      .title = "n timeouts of 1 s, touched at random 2.3 times a second each, so that nine of ten never expire"};
  table.parameters = {{"way", {std::string(k_rearmed), std::string(k_cancelled)}}, {"n", {1'000, 100'000, 1'000'000}}};
  table.competitors = {postponing<sched::Scheduler>("run wheel, timers"),
                       postponing<HeapScheduler>("std::priority_queue, timers"),
                       postponing<HybridScheduler>("option 3, timers"),
                       {"std::priority_queue, an entry each", [](const harness::BenchCase& of) {
                          return std::make_unique<Appending>(static_cast<std::size_t>(of.integer("n")),
                                                             of.text("way") == k_cancelled);
                        }}};
  table.baseline = "std::priority_queue, an entry each";
  table.targets = {{"run wheel, timers",
                    "std::priority_queue, an entry each",
                    1.0 / 8,
                    {{"way", std::string(k_rearmed)}, {"n", 1'000'000}}}};
  table.is_quick = [](const harness::BenchCase& of) { return of.integer("n") <= 10'000; };
  table.notes = {
      "re-armed: every touch arms the timeout anew; cancelled: a touch disarms one that is armed, and arms one that is "
      "not; checked every 64 touches",
      "an operation is one touch, with its share of what fires",
      "timers: arming later and disarming are one store, the entry that is there moves or goes when its time comes"};
  return table;
}

// -------------------------------------------------------------------------------------------------------------- mixed

namespace {

constexpr std::size_t k_prefilled = 500'000;
constexpr std::size_t k_most = 600'000;
constexpr std::uint64_t k_batch = 20'000;

/// 35 % schedule, 20 % cancel, 20 % advance by 1 us, 15 % ask for the size, 10 % ask for the next time; each operation
/// is timed.
template <class Queue>
class Mixed final : public harness::Competitor {
 public:
  explicit Mixed(const measure::CycleClock& clock) : clock_(clock), events_(4096), scheduler_(events_) {
    handles_.reserve(k_most);
    prepare();
  }
  /// More is scheduled than cancelled and fired: each batch begins with the same number.
  void prepare() override {
    while (scheduler_.size() < k_prefilled) schedule();
    while (scheduler_.size() > k_prefilled) cancel();
  }
  harness::Operations run() override {
    counts_ = {};
    cancelled_ = 0;
    latencies_.reset();
    const std::uint64_t before = Silent::fired;
    for (std::uint64_t i = 0; i < k_batch; ++i) one();
    return harness::Operations{}
        .add("schedule", counts_[0])
        .add("cancel", counts_[1])
        .add("advance", counts_[2])
        .add("size", counts_[3])
        .add("next_due", counts_[4])
        .figure("cancelled", static_cast<double>(cancelled_))
        .figure("fired", static_cast<double>(Silent::fired - before))
        .figure("p50_ns", static_cast<double>(latencies_.value_at(0.5)))
        .figure("p99_ns", static_cast<double>(latencies_.value_at(0.99)))
        .figure("p99.9_ns", static_cast<double>(latencies_.value_at(0.999)))
        .figure("max_ns", static_cast<double>(latencies_.max()));
  }

 private:
  struct alignas(64) Silent final : Queue::Scheduled {
    void fire(Time, void*) override { ++fired; }
    static inline std::uint64_t fired = 0;
  };
  class Own final : public BasicScheduler<Queue> {
   public:
    explicit Own(std::vector<Silent>&)
      requires(std::is_same_v<Queue, sched::RunWheel<true>>)
        : BasicScheduler<Queue>(k_most, k_most, Time{}, sched::RunWheelShape::for_capacity(k_most)) {}
    explicit Own(std::vector<Silent>&) : BasicScheduler<Queue>(k_most, k_most, Time{}) {}
  };

  void one() {
    const std::uint64_t draw = random_() % 100;
    const std::uint64_t begin = measure::cycles_fenced_begin();
    if (draw < 35) {
      schedule();
    } else if (draw < 55) {
      cancel();
    } else if (draw < 75) {
      ++counts_[2];
      now_ += 1us;
      static_cast<void>(scheduler_.check(now_, SIZE_MAX));
    } else if (draw < 90) {
      ++counts_[3];
      sum_ += scheduler_.size();
    } else {
      ++counts_[4];
      sum_ += static_cast<std::uint64_t>(scheduler_.next_due().time_since_epoch().count());
    }
    const std::uint64_t end = measure::cycles_fenced_end();
    latencies_.record(clock_.nanoseconds(end > begin ? end - begin : 0));
    harness::keep(sum_);
  }
  void schedule() {
    ++counts_[0];
    const std::uint64_t draw = random_();
    const Handle handle = scheduler_.schedule_cancellable(
        events_[draw % events_.size()], now_ + time::Duration{static_cast<std::int64_t>(random_() % 2'000'000'000)});
    if (handles_.size() < k_most) {
      handles_.push_back(handle);
    } else {
      handles_[draw % k_most] = handle;
    }
  }
  /// Misses if that one has fired.
  void cancel() {
    ++counts_[1];
    if (handles_.empty()) return;
    Handle& chosen = handles_[random_() % handles_.size()];
    cancelled_ += scheduler_.cancel(chosen) ? 1U : 0U;
    chosen = handles_.back();
    handles_.pop_back();
  }

  const measure::CycleClock clock_;
  Time now_{};
  sched::HoldRandom random_;
  std::uint64_t sum_ = 0;
  std::array<std::uint64_t, 5> counts_{};
  std::uint64_t cancelled_ = 0;
  measure::Histogram latencies_;
  std::vector<Handle> handles_;
  std::vector<Silent> events_;
  Own scheduler_;
};

template <class Queue>
harness::BenchCompetitor mixing(std::string name) {
  return {std::move(name), [](const harness::BenchCase&) {
            static const measure::CycleClock s_clock = measure::CycleClock::calibrate();
            return std::make_unique<Mixed<Queue>>(s_clock);
          }};
}

}  // namespace

harness::BenchTable mixed_table() {
  using namespace sched::containers;
  harness::BenchTable table{.name = "mixed",
                            .title = "500,000 entries prefilled; five kinds of operations, each one timed"};
  table.competitors = {mixing<sched::RunWheel<true>>("run wheel, user"), mixing<HeapQueue<true>>("std::priority_queue"),
                       mixing<TreeQueue<true>>("std::multimap"),
                       mixing<BucketQueue<NodePlace::hybrid, true>>("option 3, hybrid")};
  table.baseline = "std::multimap";
  table.notes = {
      "35 % schedule, 20 % cancel by handle, 20 % advance by 1 us, 15 % size, 10 % next_due; the percentiles are "
      "of single operations, with the cost of two fenced readings of the counter in them",
      "an entry carries a user pointer, in every container",
      "before each batch entries are cancelled, not timed, until 500,000 are left",
      "a cancelled entry stays until its time comes, in every container: cancelling is O(1)"};
  return table;
}

}  // namespace dojima::bench_sched
