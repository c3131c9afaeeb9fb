// Tables hold, users, misses, rounds, skew, design and layers: the hold model in several disguises.

#include "hardware_counters.hpp"
#include "sched_tables.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace dojima::bench_sched {
namespace {

using namespace std::chrono_literals;
using sched::Event;
using sched::HoldModel;
using sched::RunWheelShape;
using sched::containers::BucketShape;

constexpr std::size_t k_most_fired = 500'000;
/// So many events of 64 bytes, and what a container has of them, fit into a large cache.
constexpr std::size_t k_cached = 200'000;

/// The first firings, which settle where everything lies, are not timed.
constexpr std::uint64_t warm_up_of(std::size_t n) {
  return std::max<std::uint64_t>(100'000, n);
}

template <class Scheduler>
class Hold final : public harness::Competitor {
 public:
  template <class Make>
  Hold(std::size_t n, HoldDelay delay, time::Duration step, std::uint64_t batch, Make make)
      : n_(n), step_(step), batch_(batch), model_(make(), n, delay) {}

  static std::unique_ptr<Hold> made(std::size_t n, HoldDelay delay, time::Duration step, auto make) {
    const std::uint64_t batch = std::clamp<std::uint64_t>(2 * n, 20'000, k_most_fired);
    const std::size_t before = allocated_bytes();
    auto hold = std::make_unique<Hold>(n, delay, step, batch, make);
    hold->run_until(warm_up_of(n));
    hold->bytes_ = bytes_of_pending(hold->model_.scheduler(), allocated_bytes() - before - n * 64 - sizeof(Hold), n);
    return hold;
  }
  /// Others have run meanwhile; what fits into a cache shall be there again.
  void prepare() override {
    if (n_ <= k_cached) run_until(model_.fired() + 2 * n_);
  }
  harness::Operations run() override {
    const std::uint64_t before = model_.fired();
    run_until(before + batch_);
    return harness::Operations{}
        .add("", model_.fired() - before)
        .figure("bytes_per_event", bytes_ / static_cast<double>(n_));
  }

 private:
  void run_until(std::uint64_t fired) {
    while (model_.fired() < fired) model_.step(step_);
  }
  std::size_t n_;
  time::Duration step_;
  std::uint64_t batch_;
  double bytes_ = 0;
  HoldModel<Scheduler> model_;
};

/// The least that it can cost: the same objects in a random order that is known in advance.
class Floor final : public harness::Competitor {
 public:
  Floor(std::size_t n, std::size_t ahead) : ahead_(ahead), delays_(HoldDelay::uniform), objects_(n) {
    order_.reserve(n + k_most_ahead);
    for (Object& object : objects_) {
      object.floor_ = this;
      order_.push_back(&object);
    }
    sched::HoldRandom random;
    for (std::size_t i = n; i > 1; --i) std::swap(order_[i - 1], order_[random() % i]);
    for (std::size_t i = 0; i < k_most_ahead; ++i) order_.push_back(order_[i % n]);
  }
  void prepare() override {
    if (objects_.size() <= k_cached) touch(objects_.size());
  }
  harness::Operations run() override {
    const std::size_t count = std::clamp<std::size_t>(2 * objects_.size(), 20'000, k_most_fired);
    touch(count);
    return harness::Operations{}.add("", count);
  }

 private:
  static constexpr std::size_t k_most_ahead = 64;
  struct Touched {
    virtual void touch() = 0;

   protected:
    ~Touched() = default;
  };
  struct alignas(64) Object final : Touched {
    void touch() override {
      ++count_;
      due_ += floor_->delays_(floor_->random_());
    }
    Floor* floor_ = nullptr;
    std::uint64_t count_ = 0;
    std::uint64_t due_ = 0;
  };
  void touch(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      if (ahead_ != 0) __builtin_prefetch(order_[at_ + ahead_], 1);
      order_[at_]->touch();
      if (++at_ == objects_.size()) at_ = 0;
    }
  }
  std::size_t ahead_;
  std::size_t at_ = 0;
  sched::HoldRandom random_;
  sched::HoldDelays delays_;
  std::vector<Object> objects_;
  std::vector<Touched*> order_;
};

std::size_t n_of(const harness::BenchCase& of) {
  return static_cast<std::size_t>(of.integer("n"));
}

/// Case n of a table, as a target names it.
std::vector<std::pair<std::string, evidence::Cell>> only(std::int64_t n) {
  return {{"n", evidence::Cell(n)}};
}

/// Up to so many events: --quick leaves the others out.
auto up_to(std::int64_t n) {
  return [n](const harness::BenchCase& of) { return of.integer("n") <= n; };
}

/// A competitor of the table `hold`, up to so many events.
template <class Scheduler, class... Arguments>
harness::BenchCompetitor holding(std::string name, std::size_t most, Arguments... arguments) {
  return {std::move(name), [=](const harness::BenchCase& of) -> std::unique_ptr<harness::Competitor> {
            const std::size_t n = n_of(of);
            if (n > most) return nullptr;
            return Hold<Scheduler>::made(n, HoldDelay::uniform, 1ms,
                                         [=] { return std::make_unique<Scheduler>(n, arguments...); });
          }};
}

}  // namespace

harness::BenchTable hold_table() {
  using namespace sched::containers;
  constexpr BucketShape k_tuned{.buckets_per_entry = 4, .prefetch_ahead = 8};
  harness::BenchTable table{
      .name = "hold", .title = "n events pending, each fired one scheduled again after up to 1 s; checked every 1 ms"};
  table.parameters = {{"n", {100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000}}};
  table.competitors = {
      holding<sched::Scheduler>("run wheel", SIZE_MAX),
      holding<sched::UserScheduler>("run wheel, user", SIZE_MAX),
      holding<HeapScheduler>("std::priority_queue", SIZE_MAX),
      holding<TreeScheduler>("std::multimap", SIZE_MAX),
      holding<FlatScheduler>("boost::flat_multimap", 10'000),
      holding<ExternalScheduler>("option 1, external nodes", SIZE_MAX),
      holding<IntrusiveScheduler>("option 2, intrusive", SIZE_MAX),
      holding<HybridScheduler>("option 3, hybrid", SIZE_MAX),
      holding<HybridScheduler>("option 3, tuned", SIZE_MAX, std::size_t{0}, Time{}, k_tuned),
      {"touch, prefetched", [](const harness::BenchCase& of) { return std::make_unique<Floor>(n_of(of), 16); }},
      {"touch", [](const harness::BenchCase& of) { return std::make_unique<Floor>(n_of(of), 0); }},
  };
  table.baseline = "std::priority_queue";
  table.floor = "touch, prefetched";
  table.operation = "event";
  table.competitor = "container";
  table.is_quick = up_to(10'000);
  const auto at_most = [&](const char* container, const char* against, double limit, std::int64_t n) {
    table.targets.push_back({container, against, limit, only(n)});
  };
  const auto uses_at_most = [&](const char* container, double bytes, std::int64_t n) {
    table.targets.push_back(
        {.competitor = container, .against = "", .limit = bytes, .where = only(n), .figure = "bytes_per_event"});
  };
  at_most("run wheel", "std::priority_queue", 1.0 / 4, 1'000);
  at_most("run wheel", "std::priority_queue", 1.0 / 8, 10'000);
  at_most("run wheel", "std::priority_queue", 1.0 / 18, 100'000);
  at_most("run wheel", "std::priority_queue", 1.0 / 17, 1'000'000);
  at_most("run wheel", "std::priority_queue", 1.0 / 25, 10'000'000);
  at_most("run wheel, user", "std::priority_queue", 1.0 / 12, 1'000'000);
  at_most("run wheel", "std::multimap", 1.0 / 60, 1'000'000);
  at_most("run wheel", "option 3, hybrid", 1.0 / 8, 1'000'000);
  at_most("run wheel", "option 3, hybrid", 1.0 / 7, 10'000'000);
  at_most("option 3, hybrid", "std::priority_queue", 1.0 / 1.7, 1'000'000);
  at_most("option 3, hybrid", "std::priority_queue", 1.0 / 1.7, 10'000'000);
  at_most("run wheel", "touch, prefetched", 1.8, 1'000'000);
  at_most("run wheel", "touch, prefetched", 2.3, 10'000'000);
  uses_at_most("run wheel", 17, 1'000'000);
  uses_at_most("run wheel", 10, 10'000'000);
  table.notes = {
      "an operation is one event fired and scheduled again, its callback and one random number included",
      "up to 200,000 events: before each batch twice as many fire, not timed, so that nearly every one does: "
      "others have had the caches",
      "touch: the same objects and random numbers in an order known in advance; nothing is scheduled",
      "all memory asks for huge pages (GLIBC_TUNABLES=glibc.malloc.hugetlb=1, unless that is set otherwise)",
      "option 3, tuned: four times the buckets, list heads fetched eight buckets ahead",
      "bytes_per_event: memory of the container that was ever touched, and the nodes that events carry for it (options "
      "2 and 3); the same for every container",
      "the article's option 3, not measured here: 6.1 M events/s with 1,000,000 events, 3.7 M with 10,000,000",
      "elsewhere it has 600 M events in 22 s with 1,000,000, which is 27 M events/s; only one can be true",
  };
  return table;
}

// -------------------------------------------------------------------------------------------------------------- users

harness::BenchTable users_table() {
  using namespace sched::containers;
  harness::BenchTable table{.name = "users",
                            .title = "the hold model where every entry carries a user pointer, in each container"};
  table.parameters = {{"n", {1'000, 10'000, 100'000, 1'000'000}}};
  table.competitors = {holding<sched::UserScheduler>("run wheel", SIZE_MAX),
                       holding<UserHeapScheduler>("std::priority_queue", SIZE_MAX),
                       holding<UserTreeScheduler>("std::multimap", SIZE_MAX),
                       holding<UserFlatScheduler>("boost::flat_multimap", 10'000),
                       holding<UserExternalScheduler>("option 1, external nodes", SIZE_MAX),
                       holding<UserIntrusiveScheduler>("option 2, intrusive", SIZE_MAX),
                       holding<UserHybridScheduler>("option 3, hybrid", SIZE_MAX)};
  table.baseline = "std::priority_queue";
  table.operation = "event";
  table.competitor = "container";
  table.is_quick = up_to(10'000);
  table.targets.push_back({"run wheel", "std::priority_queue", 1.0 / 12, only(1'000'000)});
  table.targets.push_back({"run wheel", "option 3, hybrid", 1.0 / 8, only(1'000'000)});
  table.notes = {
      "an operation is one event fired and scheduled again, its callback, which finds its model by the user, and one "
      "random number included",
      "an entry has 8 bytes more than in the table hold, in the run wheel and in every rival"};
  return table;
}

// ------------------------------------------------------------------------------------------------------------- misses

namespace {

/// Another competitor with the processor's counters around each batch.
class Counted final : public harness::Competitor {
 public:
  explicit Counted(std::unique_ptr<harness::Competitor> counted) : counted_(std::move(counted)) {}

  void prepare() override { counted_->prepare(); }

  harness::Operations run() override {
    counters_.begin();
    harness::Operations done = counted_->run();
    counters_.end();
    const auto each = [&](HardwareCounters::Kind kind) {
      return counters_.count(kind) / static_cast<double>(done.total());
    };
    return done.figure("instructions", each(HardwareCounters::k_instructions))
        .figure("first_level_misses", each(HardwareCounters::k_first_level_misses))
        .figure("last_level_misses", each(HardwareCounters::k_last_level_misses));
  }

 private:
  std::unique_ptr<harness::Competitor> counted_;
  HardwareCounters counters_;
};

}  // namespace

harness::BenchTable misses_table() {
  harness::BenchTable table = hold_table();
  table.name = "misses";
  table.title = "cache misses per event by the processor's own counters, in the hold model";
  table.parameters = {{"n", {100'000, 1'000'000}}};
  table.targets.clear();
  for (harness::BenchCompetitor& entrant : table.competitors) {
    entrant.make = [make =
                        std::move(entrant.make)](const harness::BenchCase& of) -> std::unique_ptr<harness::Competitor> {
      auto counted = make(of);
      return counted == nullptr ? nullptr : std::make_unique<Counted>(std::move(counted));
    };
  }
  const HardwareCounters counters;
  table.notes = {
      counters.complaint().empty() ? "counted in user mode" : "hardware counters: unavailable, " + counters.complaint(),
      "simulated misses, and what a miss costs by them: tools/cache_misses.py"};
  return table;
}

// ------------------------------------------------------------------------------------------------------------- rounds

namespace {

constexpr std::uint64_t k_article_rounds = 600;
constexpr std::uint64_t k_most_in_rounds = 60'000'000;  // events: beyond, fewer rounds are run and the time is scaled

template <class Scheduler>
harness::BenchCompetitor in_rounds(std::string name) {
  return {std::move(name), [](const harness::BenchCase& of) -> std::unique_ptr<harness::Competitor> {
            const std::size_t n = n_of(of);
            const std::uint64_t rounds = std::clamp<std::uint64_t>(k_most_in_rounds / n, 1, k_article_rounds);
            auto model = std::make_shared<HoldModel<Scheduler>>(std::make_unique<Scheduler>(n), n, HoldDelay::uniform);
            return harness::competitor([model, n, rounds] {
              const std::uint64_t before = model->fired();
              const auto begin = std::chrono::steady_clock::now();
              while (model->fired() < before + rounds * n) model->step(1ms);
              const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
              return harness::Operations{}
                  .add("", model->fired() - before)
                  .figure("rounds_measured", static_cast<double>(rounds))
                  .figure("seconds_of_600",
                          took.count() * static_cast<double>(k_article_rounds) / static_cast<double>(rounds));
            });
          }};
}

}  // namespace

harness::BenchTable rounds_table() {
  harness::BenchTable table{.name = "rounds", .title = "600 rounds of every event, as the article counts, in seconds"};
  table.parameters = {{"n", {1'000, 10'000, 100'000, 1'000'000, 10'000'000}}};
  table.competitors = {in_rounds<sched::Scheduler>("run wheel"),
                       in_rounds<sched::containers::ExternalScheduler>("option 1, external nodes"),
                       in_rounds<sched::containers::IntrusiveScheduler>("option 2, intrusive"),
                       in_rounds<sched::containers::HybridScheduler>("option 3, hybrid"),
                       in_rounds<sched::containers::HeapScheduler>("std::priority_queue")};
  table.baseline = "std::priority_queue";
  table.operation = "event";
  table.competitor = "container";
  table.is_quick = up_to(1'000);
  table.notes = {
      "seconds_of_600: measured where rounds_measured is 600, scaled from those rounds where it is less",
      "the article, 1,000,000 events, not measured here: its option 1 in 124 s; its option 3 with 6.1 M events/s, "
      "which is 98 s, and elsewhere in 22 s, of which only one can be true"};
  return table;
}

// --------------------------------------------------------------------------------------------------------------- skew

namespace {

struct Skew {
  const char* name;
  std::size_t n;
  HoldDelay delay;
  time::Duration step;
};
constexpr Skew k_skews[] = {
    {"exponential", 1'000'000, HoldDelay::exponential, 1ms}, {"bimodal", 1'000'000, HoldDelay::bimodal, 1ms},
    {"grid of 1 ms", 1'000'000, HoldDelay::grid, 1ms},       {"grid, 8,000 symbols", 8'000'000, HoldDelay::grid, 1ms},
    {"rare far future", 1'000'000, HoldDelay::far, 1ms},     {"all in one slot", 100'000, HoldDelay::crowded, 1us},
    {"half at now", 100'000, HoldDelay::at_now, 1ms},        {"checks of 1 us", 1'000'000, HoldDelay::uniform, 1us},
};

constexpr std::string_view k_empty_checks = "empty checks";

const Skew& skew_of(const harness::BenchCase& of) {
  for (const Skew& skew : k_skews) {
    if (of.text("delays") == skew.name) return skew;
  }
  return k_skews[0];
}

/// Most checks find nothing due.
template <class Scheduler, class... Arguments>
std::unique_ptr<harness::Competitor> checking(Arguments... arguments) {
  constexpr std::size_t k_pending = 1'000;
  auto model = std::make_shared<HoldModel<Scheduler>>(std::make_unique<Scheduler>(k_pending, arguments...), k_pending,
                                                      HoldDelay::uniform);
  return harness::competitor([model] {
    constexpr std::uint64_t k_checks = 100'000;
    for (std::uint64_t check = 0; check < k_checks; ++check) model->step(1us);
    return harness::Operations{}.add("", k_checks);
  });
}

template <class Scheduler, class... Arguments>
harness::BenchCompetitor skewed(std::string name, std::size_t most, Arguments... arguments) {
  return {std::move(name), [=](const harness::BenchCase& of) -> std::unique_ptr<harness::Competitor> {
            if (of.text("delays") == k_empty_checks) return checking<Scheduler>(arguments...);
            const Skew& skew = skew_of(of);
            if (skew.n > most) return nullptr;
            return Hold<Scheduler>::made(skew.n, skew.delay, skew.step,
                                         [=] { return std::make_unique<Scheduler>(skew.n, arguments...); });
          }};
}

}  // namespace

harness::BenchTable skew_table() {
  using namespace sched::containers;
  harness::BenchTable table{.name = "skew", .title = "the hold model with delays that are not uniform"};
  std::vector<evidence::Cell> delays;
  for (const Skew& skew : k_skews) delays.emplace_back(std::string(skew.name));
  delays.emplace_back(std::string(k_empty_checks));
  table.parameters = {{"delays", delays}};
  constexpr BucketShape k_tuned{.buckets_per_entry = 4, .prefetch_ahead = 8};
  table.competitors = {skewed<sched::Scheduler>("run wheel", SIZE_MAX),
                       skewed<HeapScheduler>("std::priority_queue", SIZE_MAX),
                       skewed<HybridScheduler>("option 3, hybrid", 1'000'000),
                       skewed<HybridScheduler>("option 3, tuned", SIZE_MAX, std::size_t{0}, Time{}, k_tuned)};
  table.baseline = "std::priority_queue";
  table.operation = "event";
  table.competitor = "container";
  table.is_quick = [](const harness::BenchCase& of) {
    return of.text("delays") == k_empty_checks || of.text("delays") == "half at now";
  };
  table.notes = {
      "empty checks: 1,000 events, most checks find nothing due; an event is a check there",
      "exponential: mean 0.425 s; bimodal: nine of ten below 1 ms, the others up to 10 s; rare far future: one "
      "of 256 up to an hour, the others below 1 ms; all in one slot: within 1 us, 100,000 events; half at now: "
      "100,000 events"};
  return table;
}

// ------------------------------------------------------------------------------------------------------------- design

namespace {

RunWheelShape changed(std::size_t n, auto change) {
  RunWheelShape shape = RunWheelShape::for_capacity(n);
  change(shape);
  return shape;
}

template <class Change>
harness::BenchCompetitor designed(std::string name, Change change) {
  return {std::move(name), [=](const harness::BenchCase& of) -> std::unique_ptr<harness::Competitor> {
            const std::size_t n = n_of(of);
            return Hold<sched::Scheduler>::made(n, HoldDelay::uniform, 1ms, [=] {
              return std::make_unique<sched::Scheduler>(n, Time{}, changed(n, change));
            });
          }};
}

}  // namespace

harness::BenchTable design_table() {
  harness::BenchTable table{.name = "design", .title = "the run wheel with one choice made differently"};
  table.parameters = {{"n", {1'000, 10'000, 100'000, 1'000'000}}};
  table.competitors = {
      designed("as it is", [](RunWheelShape&) {}),
      designed("no prefetch", [](RunWheelShape& shape) { shape.prefetch_ahead = 0; }),
      designed("prefetch 4 ahead", [](RunWheelShape& shape) { shape.prefetch_ahead = 4; }),
      designed("prefetch 8 ahead", [](RunWheelShape& shape) { shape.prefetch_ahead = 8; }),
      designed("prefetch 32 ahead", [](RunWheelShape& shape) { shape.prefetch_ahead = 32; }),
      designed("newcomers staged", [](RunWheelShape& shape) { shape.is_staging = true; }),
      designed("newcomers not staged", [](RunWheelShape& shape) { shape.is_staging = false; }),
      designed("buckets, no AVX-512", [](RunWheelShape& shape) { shape.sort = sched::SlotSort::buckets; }),
      designed("radix, no AVX-512", [](RunWheelShape& shape) { shape.sort = sched::SlotSort::radix; }),
      designed("16-byte entries", [](RunWheelShape& shape) { shape.is_packed = false; }),
      designed("chunks of 512 bytes", [](RunWheelShape& shape) { shape.chunk_bytes = 512; }),
      designed("chunks of 2,048 bytes", [](RunWheelShape& shape) { shape.chunk_bytes = 2048; }),
      designed("slots of 2^20 ns", [](RunWheelShape& shape) { shape.slot_bits = 20, shape.block_bits = 10; }),
      designed("slots of 2^18 ns", [](RunWheelShape& shape) { shape.slot_bits = 18, shape.block_bits = 12; }),
      designed("slots of 2^22 ns",
               [](RunWheelShape& shape) { shape.is_packed = false, shape.slot_bits = 22, shape.block_bits = 9; }),
      designed("slots of 2^23 ns",
               [](RunWheelShape& shape) { shape.is_packed = false, shape.slot_bits = 23, shape.block_bits = 8; }),
      designed("slots of 2^24 ns",
               [](RunWheelShape& shape) { shape.is_packed = false, shape.slot_bits = 24, shape.block_bits = 7; }),
      designed("slots of 2^25 ns",
               [](RunWheelShape& shape) { shape.is_packed = false, shape.slot_bits = 25, shape.block_bits = 6; }),
      designed("slots of 2^26 ns",
               [](RunWheelShape& shape) { shape.is_packed = false, shape.slot_bits = 26, shape.block_bits = 5; }),
  };
  table.baseline = "as it is";
  table.operation = "event";
  table.competitor = "variant";
  table.is_quick = up_to(10'000);
  return table;
}

// ------------------------------------------------------------------------------------------------------------- layers

namespace {

constexpr std::size_t k_symbols = 8'000;
constexpr std::size_t k_per_symbol = 1'000;
constexpr std::size_t k_all = k_symbols * k_per_symbol;

/// Every symbol has a scheduler of its own; a global one wakes it when its next event is due.
class Layered final : public harness::Competitor {
 public:
  explicit Layered(const RunWheelShape& local_shape) : global_(std::make_unique<sched::Scheduler>(k_symbols)) {
    for (std::size_t i = 0; i < k_symbols; ++i) {
      symbols_.push_back(std::make_unique<Symbol>(*this, local_shape));
      symbols_.back()->wake();
    }
    run_until(k_symbols * k_per_symbol);
  }
  harness::Operations run() override {
    const std::uint64_t before = fired_;
    run_until(before + k_most_fired);
    return harness::Operations{}.add("", fired_ - before);
  }

 private:
  struct Symbol;
  struct alignas(64) Repeating final : Event {
    void fire(Time due, void*) override {
      ++symbol_->owner_.fired_;
      schedule_from(due);
    }
    void schedule_from(Time from) {
      Layered& owner = symbol_->owner_;
      const auto delay = static_cast<std::int64_t>(owner.delays_(owner.random_()));
      static_cast<void>(symbol_->local_->schedule(*this, from + time::Duration{delay}));
    }
    Symbol* symbol_ = nullptr;
  };
  struct Symbol final : Event {
    Symbol(Layered& owner, const RunWheelShape& shape)
        : owner_(owner),
          events_(k_per_symbol),
          local_(std::make_unique<sched::Scheduler>(k_per_symbol, Time{}, shape)) {
      for (Repeating& event : events_) {
        event.symbol_ = this;
        event.schedule_from(Time{});
      }
    }
    void fire(Time due, void*) override {
      static_cast<void>(local_->check(due, SIZE_MAX));
      wake();
    }
    void wake() { static_cast<void>(owner_.global_->schedule(*this, local_->next_due())); }
    Layered& owner_;
    std::vector<Repeating> events_;
    std::unique_ptr<sched::Scheduler> local_;
  };
  void run_until(std::uint64_t fired) {
    while (fired_ < fired) {
      now_ += 1ms;
      static_cast<void>(global_->check(now_, SIZE_MAX));
    }
  }
  std::uint64_t fired_ = 0;
  Time now_{};
  sched::HoldRandom random_;
  sched::HoldDelays delays_{HoldDelay::uniform};
  std::vector<std::unique_ptr<Symbol>> symbols_;
  std::unique_ptr<sched::Scheduler> global_;
};

}  // namespace

harness::BenchTable layers_table() {
  harness::BenchTable table{
      .name = "layers",
      .title = "8,000 symbols with 1,000 events each: one scheduler, or one for each symbol below a global one"};
  table.competitors = {{"one scheduler",
                        [](const harness::BenchCase&) {
                          return Hold<sched::Scheduler>::made(k_all, HoldDelay::uniform, 1ms,
                                                              [] { return std::make_unique<sched::Scheduler>(k_all); });
                        }},
                       {"one for each symbol", [](const harness::BenchCase&) {
                          return std::make_unique<Layered>(RunWheelShape::for_capacity(k_per_symbol));
                        }}};
  table.baseline = "one scheduler";
  table.operation = "event";
  table.is_quick = [](const harness::BenchCase&) { return false; };
  table.notes = {"events of several symbols fire in the order of time either way; ties between symbols need not"};
  return table;
}

}  // namespace dojima::bench_sched
