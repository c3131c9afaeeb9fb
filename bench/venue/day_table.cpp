#include "bench/venue/day_table.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <time.h>
#include <vector>

#include "dojima/journal/memory_journal.hpp"
#include "dojima/sched/scheduler.hpp"
#include "dojima/venue/day_clock.hpp"
#include "dojima/venue/partition.hpp"
#include "dojima/venue/segment_test_support.hpp"

namespace dojima::bench_venue {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t k_price_step = 1'000'000;
constexpr std::uint16_t k_day_users = 64;
constexpr std::uint32_t k_slice = 256;  // as `dojima venue` has it
constexpr time::Time k_midnight{std::chrono::sys_days{std::chrono::year{2026} / 1 / 5}};
constexpr time::Duration k_flow = 10h, k_evening = 18h;  // since midnight: orders come, and the day is over

struct Size {
  std::uint32_t instruments = 0;
  std::size_t orders = 0;
  bool is_timed = true;
};

venue::PartitionConfig config_of(const Size& size) {
  venue::PartitionConfig config{.app_id = 1};
  const auto ticks = market::TickTable::uniform({k_price_step}, {k_price_step}, {1000 * k_price_step}).value();
  for (std::uint32_t id = 1; id <= size.instruments; ++id)
    config.instruments.push_back({.id = id,
                                  .symbol = "I" + std::to_string(id),
                                  .ticks = ticks,
                                  .maximum_quantity = {1'000'000},
                                  .reference = {500 * k_price_step},
                                  .segment = size.is_timed ? "ALL" : ""});
  if (size.is_timed) config.segments = {{.name = "ALL", .timetable = venue::testing::timetable_without_intraday()}};
  config.users.resize(k_day_users);
  config.limits = {.orders = size.orders + 1024, .levels = 64, .reports = 1 << 16, .report_buffer = 4096};
  config.slice = k_slice;
  return config;
}

/// What this thread has had of its processor, and how often something else got it.
struct Clocks {
  std::chrono::steady_clock::time_point wall = std::chrono::steady_clock::now();
  double processor_us = 0;
  long switches = 0;

  static Clocks now() {
    Clocks clocks;
    rusage usage{};
    if (::getrusage(RUSAGE_THREAD, &usage) == 0) clocks.switches = usage.ru_nivcsw;
    timespec processor{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &processor);
    clocks.processor_us = static_cast<double>(processor.tv_sec) * 1e6 + static_cast<double>(processor.tv_nsec) / 1e3;
    return clocks;
  }
};

/// Days of one partition: orders come in the morning, what is measured is all that the clock does from then until the
/// evening. Every day has the same turns.
class DayEnd final : public harness::Competitor {
 public:
  explicit DayEnd(const Size& size) : size_(size), partition_(config_of(size), nothing_) {
    if (size.is_timed)
      clock_.start(k_midnight);
    else
      clock_.end_days_at(k_midnight, 17h);
    // The first day touches all pages there are.
    prepare();
    static_cast<void>(end_of_day());
    least_us_.assign(turn_, std::numeric_limits<double>::infinity());
    longest_processor_us_ = longest_us_ = preempted_us_ = 0;
    preempted_ = 0;
  }

  void prepare() override {
    run_until(midnight_ + k_flow, false);
    for (std::size_t number = 0; number < size_.orders; ++number) enter(number);
    if (partition_.live_orders() != size_.orders) throw std::runtime_error("an order was refused, or traded");
  }

  harness::Operations run() override { return end_of_day(); }

 private:
  harness::Operations end_of_day() {
    turn_ = 0;
    run_until(midnight_ + k_evening, true);
    midnight_ += 24h;
    if (partition_.live_orders() != 0) throw std::runtime_error("orders outlived their day");
    const double repeated = least_us_.empty() ? 0 : *std::ranges::max_element(least_us_);
    return harness::Operations{}
        .add("", turn_)
        .figure("longest_processor_us", longest_processor_us_)
        .figure("repeated_processor_us", repeated)
        .figure("longest_us", longest_us_)
        .figure("preempted_us", preempted_us_)
        .figure("preempted_turns", static_cast<double>(preempted_));
  }

  void enter(std::size_t number) {
    market::NewOrder order;
    order.header.instrument = 1 + static_cast<std::uint32_t>(number % size_.instruments);
    order.header.user = order.terms.owner = static_cast<std::uint16_t>(number % k_day_users);
    const bool is_buy = number / size_.instruments % 2 == 0;
    const auto away = static_cast<std::int64_t>(number / size_.instruments % 30);
    order.terms.side = is_buy ? market::Side::buy : market::Side::sell;
    order.terms.limit = {(is_buy ? 499 - away : 501 + away) * k_price_step};
    order.terms.quantity = order.terms.displayed = {100};
    order.terms.type = market::OrderType::limit;
    order.terms.capacity = market::Capacity::dealing;
    if (!partition_.submit(order.header, scheduler_.now())) throw std::runtime_error("the journal is full");
  }

  /// One timer at a time, as a loop does it that has nothing else to do.
  void run_until(time::Time end, bool is_measured) {
    for (;;) {
      clock_.finish(scheduler_.now());
      const time::Time next = scheduler_.next_due();
      if (next > end) break;
      const Clocks before = is_measured ? Clocks::now() : Clocks{};
      scheduler_.check(next, 1);
      clock_.finish(next);
      if (is_measured) note(before, Clocks::now());
    }
    scheduler_.check(end, 1);
  }

  void note(const Clocks& before, const Clocks& after) {
    const double processor_us = after.processor_us - before.processor_us;
    const double wall_us = std::chrono::duration<double, std::micro>(after.wall - before.wall).count();
    const bool is_preempted = after.switches != before.switches;
    longest_processor_us_ = std::max(longest_processor_us_, processor_us);
    double& longest = is_preempted ? preempted_us_ : longest_us_;
    longest = std::max(longest, wall_us);
    preempted_ += is_preempted ? 1 : 0;
    if (turn_ < least_us_.size()) least_us_[turn_] = std::min(least_us_[turn_], processor_us);
    ++turn_;
  }

  Size size_;
  journal::MemoryJournal nothing_{{.keep = journal::Keep::none, .capacity = 1}};
  venue::Partition partition_;
  sched::Scheduler scheduler_{16, k_midnight};
  venue::DayClock clock_{partition_, scheduler_, 1};
  time::Time midnight_ = k_midnight;
  std::size_t turn_ = 0;
  std::vector<double> least_us_;  // of the turn of that number, over all days
  double longest_processor_us_ = 0, longest_us_ = 0, preempted_us_ = 0;
  std::uint64_t preempted_ = 0;
};

harness::BenchCompetitor competitor_of(const char* name, bool is_timed) {
  return {name, [is_timed](const harness::BenchCase& of) {
            return std::make_unique<DayEnd>(Size{.instruments = static_cast<std::uint32_t>(of.integer("instruments")),
                                                 .orders = static_cast<std::size_t>(of.integer("orders")),
                                                 .is_timed = is_timed});
          }};
}

}  // namespace

harness::BenchTable day_table() {
  harness::BenchTable table{.name = "day-end", .title = "the end of a trading day, per turn of the clock"};
  constexpr std::int64_t k_small = 20'000;
  table.parameters = {{"instruments", {std::int64_t{512}, std::int64_t{8000}}},
                      {"orders", {k_small, std::int64_t{1'000'000}}}};
  table.competitors = {competitor_of("timetable", true), competitor_of("no timetable", false)};
  table.baseline = "no timetable";
  table.targets = {{"timetable", "", 1000, {}, "longest_processor_us"},
                   {"no timetable", "", 1000, {}, "longest_processor_us"}};
  table.operation = "turn";
  table.is_quick = [](const harness::BenchCase& of) { return of.integer("orders") == k_small; };
  table.notes = {
      "day orders of 64 users that are open when a day ends, in slices of 256, and the phases of the instruments, a "
      "few at a time; a turn is what the clock of the partition does at once. longest_processor_us: processor time of "
      "the longest turn of all days so far; repeated_processor_us: the same of what each turn took at least, as all "
      "days have the same turns; longest_us: by the clock, of turns in which the kernel gave the processor to nobody "
      "else, preempted_us and preempted_turns of those in which it did. A first day, which touches all pages, does not "
      "count. Reports are not read, and the journal keeps nothing"};
  return table;
}

}  // namespace dojima::bench_venue
