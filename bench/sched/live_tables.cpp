// Tables live, opening and cores: what depends on real time and on more than one processor.

#include "sched_tables.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "dojima/measure/histogram.hpp"
#include "dojima/measure/timed_section.hpp"
#include "dojima/sched/loop.hpp"

namespace dojima::bench_sched {
namespace {

using namespace std::chrono_literals;
using sched::RunWheelShape;

// --------------------------------------------------------------------------------------------------------------- live

constexpr std::size_t k_live_preparation = 1'024;

RunWheelShape live_shape(std::size_t n, std::size_t max_prepared) {
  RunWheelShape shape = RunWheelShape::for_capacity(n);
  shape.max_prepared = max_prepared;
  return shape;
}

/// A loop on the real clock. `n` events are pending in the far; ten thousand a second are waited for.
template <class Scheduler>
class Live final : public harness::Competitor {
 public:
  template <class Make>
  Live(std::size_t n, Make make)
      : fillers_(n),
        scheduler_(make(n + k_probes + 1, clock_.now())),
        pacer_(clock_),
        loop_(loop_scheduler(), pacer_, {}) {
    for (Filler& filler : fillers_) {
      filler.owner_ = this;
      filler.schedule_from(clock_.now());
    }
    for (std::size_t i = 0; i < k_probes; ++i) {
      probes_[i].owner_ = this;
      static_cast<void>(
          scheduler_->schedule(probes_[i], clock_.now() + time::Duration{static_cast<std::int64_t>(i) * 10'000}));
    }
  }
  /// Time has gone on while others ran.
  void prepare() override {
    while (loop_.turn() == sched::Loop::Turn::busy) continue;
  }
  harness::Operations run() override {
    lateness_.reset();
    prepared_ = 0;
    const Time end = clock_.now() + 20ms;
    std::uint64_t turns = 0;
    while (clock_.now() < end) {
      static_cast<void>(loop_.turn());
      ++turns;
      if constexpr (requires { scheduler_->queue().prepared(); }) {
        prepared_ = std::max(prepared_, scheduler_->queue().prepared());
      }
    }
    return harness::Operations{}
        .add("turns", turns)
        .figure("lateness_p50_ns", static_cast<double>(lateness_.value_at(0.5)))
        .figure("lateness_p99_ns", static_cast<double>(lateness_.value_at(0.99)))
        .figure("lateness_max_ns", static_cast<double>(lateness_.max()))
        .figure("most_prepared", static_cast<double>(prepared_));
  }

 private:
  static constexpr std::size_t k_probes = 10;
  struct alignas(64) Filler final : Scheduler::Scheduled {
    void fire(Time due, void*) override { schedule_from(due); }
    void schedule_from(Time from) {
      const auto delay = static_cast<std::int64_t>(owner_->random_() % 1'000'000'000);
      static_cast<void>(owner_->scheduler_->schedule(*this, from + time::Duration{delay}));
    }
    Live* owner_ = nullptr;
  };
  /// Every 1 ms less a little, so that it meets every place in a slot.
  struct alignas(64) Probe final : Scheduler::Scheduled {
    void fire(Time due, void*) override {
      const auto late = (owner_->clock_.now() - due).count();
      owner_->lateness_.record(static_cast<std::uint64_t>(std::max<std::int64_t>(late, 0)));
      static_cast<void>(owner_->scheduler_->schedule(*this, due + time::Duration{997'000}));
    }
    Live* owner_ = nullptr;
  };
  sched::Scheduler& loop_scheduler() { return *scheduler_; }

  time::SystemClock clock_;
  sched::HoldRandom random_;
  measure::Histogram lateness_;
  std::size_t prepared_ = 0;
  std::vector<Filler> fillers_;
  std::array<Probe, k_probes> probes_;
  std::unique_ptr<Scheduler> scheduler_;
  sched::LivePacer pacer_;
  sched::Loop loop_;
};

harness::BenchCompetitor living(std::string name, std::size_t max_prepared) {
  return {std::move(name), [=](const harness::BenchCase& of) {
            return std::make_unique<Live<sched::Scheduler>>(
                static_cast<std::size_t>(of.integer("pending")), [=](std::size_t capacity, Time start) {
                  return std::make_unique<sched::Scheduler>(capacity, start, live_shape(capacity, max_prepared));
                });
          }};
}

}  // namespace

harness::BenchTable live_table() {
  harness::BenchTable table{
      .name = "live", .title = "a loop on the real clock: how late ten thousand timers a second fire beside others"};
  table.parameters = {{"pending", {0, 100'000, 1'000'000}}};
  table.competitors = {living("at most 1,024 prepared a check", k_live_preparation), living("no limit", SIZE_MAX)};
  table.baseline = "no limit";
  table.operation = "turn";
  table.is_quick = [](const harness::BenchCase& of) { return of.integer("pending") == 0; };
  // The limit, and what a chunk holds beyond it.
  table.targets = {{.competitor = "at most 1,024 prepared a check",
                    .against = "",
                    .limit = k_live_preparation + 255,
                    .figure = "most_prepared"}};
  table.notes = {
      "the others are due within a second and fire as well; lateness is the clock's time when a callback begins "
      "less when it was due",
      "most_prepared: entries moved and sorted in one check; a chunk is moved as a whole"};
  return table;
}

// ------------------------------------------------------------------------------------------------------------ opening

namespace {

/// The hold model in steps of 1 us, every check timed by itself.
template <class Scheduler>
class Opening final : public harness::Competitor {
 public:
  template <class Make>
  Opening(std::size_t n, Make make) : model_(make(n), n, HoldDelay::uniform) {
    while (model_.fired() < n) model_.step(100us);
  }
  harness::Operations run() override {
    checks_.reset();
    std::size_t prepared = 0;
    const std::uint64_t before = model_.fired();
    while (model_.fired() < before + 50'000) {
      const std::uint64_t begin = measure::cycles_fenced_begin();
      model_.step(1us);
      const std::uint64_t end = measure::cycles_fenced_end();
      checks_.record(clock_.nanoseconds(end > begin ? end - begin : 0));
      if constexpr (requires { model_.scheduler().queue().prepared(); }) {
        prepared = std::max(prepared, model_.scheduler().queue().prepared());
      }
    }
    return harness::Operations{}
        .add("", model_.fired() - before)
        .figure("check_p50_ns", static_cast<double>(checks_.value_at(0.5)))
        .figure("check_p99_ns", static_cast<double>(checks_.value_at(0.99)))
        .figure("check_p99.9_ns", static_cast<double>(checks_.value_at(0.999)))
        .figure("check_max_ns", static_cast<double>(checks_.max()))
        .figure("most_prepared", static_cast<double>(prepared));
  }

 private:
  const measure::CycleClock clock_ = measure::CycleClock::calibrate();
  measure::Histogram checks_;
  sched::HoldModel<Scheduler> model_;
};

harness::BenchCompetitor opening(std::string name, auto shape_of) {
  return {std::move(name), [=](const harness::BenchCase& of) {
            return std::make_unique<Opening<sched::Scheduler>>(
                static_cast<std::size_t>(of.integer("n")),
                [=](std::size_t n) { return std::make_unique<sched::Scheduler>(n, Time{}, shape_of(n)); });
          }};
}

}  // namespace

harness::BenchTable opening_table() {
  harness::BenchTable table{.name = "opening", .title = "the longest single check, in steps of 1 us"};
  table.parameters = {{"n", {10'000, 1'000'000}}};
  table.competitors = {
      opening("run wheel", [](std::size_t n) { return live_shape(n, SIZE_MAX); }),
      opening("at most 1,024 a check", [](std::size_t n) { return live_shape(n, k_live_preparation); }),
      opening("at most 128 a check", [](std::size_t n) { return live_shape(n, 128); }),
      {"std::priority_queue", [](const harness::BenchCase& of) {
         using Heap = sched::containers::HeapScheduler;
         return std::make_unique<Opening<Heap>>(static_cast<std::size_t>(of.integer("n")),
                                                [](std::size_t n) { return std::make_unique<Heap>(n); });
       }}};
  table.baseline = "std::priority_queue";
  table.operation = "event";
  table.is_quick = [](const harness::BenchCase& of) { return of.integer("n") <= 10'000; };
  return table;
}

// -------------------------------------------------------------------------------------------------------------- cores

namespace {

/// One scheduler on each of several threads; they share nothing.
class Cores final : public harness::Competitor {
 public:
  Cores(std::size_t threads, std::size_t n) {
    for (std::size_t i = 0; i < threads; ++i) workers_.push_back(std::make_unique<Worker>(static_cast<int>(i), n));
  }
  harness::Operations run() override {
    for (auto& worker : workers_) worker->begin();
    std::uint64_t fired = 0;
    for (auto& worker : workers_) fired += worker->wait();
    return harness::Operations{}.add("", fired);
  }

 private:
  static constexpr std::uint64_t k_fired = 200'000;

  class Worker {
   public:
    Worker(int processor, std::size_t n) : thread_([this, processor, n] { live(processor, n); }) { wait_for(k_ready); }
    ~Worker() {
      set(k_end);
      thread_.join();
    }
    void begin() { set(k_run); }
    std::uint64_t wait() {
      wait_for(k_ready);
      return fired_;
    }

   private:
    enum State : int { k_busy, k_ready, k_run, k_end };
    void set(State state) {
      state_.store(state);
      state_.notify_all();
    }
    void wait_for(State state) {
      for (int now = state_.load(); now != state; now = state_.load()) state_.wait(now);
    }
    void live(int processor, std::size_t n) {
      cpu_set_t set_of_one;
      CPU_ZERO(&set_of_one);
      CPU_SET(static_cast<std::size_t>(processor), &set_of_one);
      pthread_setaffinity_np(pthread_self(), sizeof set_of_one, &set_of_one);
      sched::HoldModel<sched::Scheduler> model(std::make_unique<sched::Scheduler>(n), n, HoldDelay::uniform);
      while (model.fired() < n) model.step(1ms);
      for (;;) {
        set(k_ready);
        state_.wait(k_ready);
        if (state_.load() == k_end) return;
        const std::uint64_t before = model.fired();
        while (model.fired() < before + k_fired) model.step(1ms);
        fired_ = model.fired() - before;
      }
    }
    std::atomic<int> state_ = k_busy;
    std::uint64_t fired_ = 0;
    std::thread thread_;
  };
  std::vector<std::unique_ptr<Worker>> workers_;
};

harness::BenchCompetitor on_cores(std::size_t threads) {
  return {std::to_string(threads) + (threads == 1 ? " thread" : " threads"),
          [=](const harness::BenchCase& of) -> std::unique_ptr<harness::Competitor> {
            return std::make_unique<Cores>(threads, static_cast<std::size_t>(of.integer("n")));
          }};
}

}  // namespace

harness::BenchTable cores_table() {
  harness::BenchTable table{.name = "cores", .title = "independent schedulers of n events, one on each processor"};
  table.parameters = {{"n", {1'000, 1'000'000}}};
  const auto most = static_cast<std::size_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  for (std::size_t threads = 1; threads < most; threads *= 2) table.competitors.push_back(on_cores(threads));
  table.competitors.push_back(on_cores(most));
  table.baseline = "1 thread";
  table.operation = "event";
  table.is_quick = [](const harness::BenchCase& of) { return of.integer("n") <= 10'000; };
  table.notes = {
      "an operation is an event of any of them: the cost falls as processors are added",
      "the article expects 49 M events/s on 8 cores and did not test it; here are as many as the machine has"};
  return table;
}

}  // namespace dojima::bench_sched
