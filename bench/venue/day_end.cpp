// dojima-day-end: the end of a trading day of many instruments and orders. How long the longest turn takes, turn by
// turn as the clock makes them, and how long the whole.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "dojima/journal/memory_journal.hpp"
#include "dojima/sched/scheduler.hpp"
#include "dojima/venue/day_clock.hpp"
#include "dojima/venue/partition.hpp"
#include "dojima/venue/segment_test_support.hpp"

namespace {

using namespace dojima;
using namespace std::chrono_literals;

constexpr std::int64_t k_tick = 1'000'000;
constexpr time::Time k_midnight{std::chrono::sys_days{std::chrono::year{2026} / 1 / 5}};

struct Size {
  std::uint32_t instruments = 8000;
  std::size_t orders = 1'000'000;
  std::uint32_t slice = 256;
  bool is_timed = true;
};

venue::PartitionConfig config_of(const Size& size) {
  venue::PartitionConfig config{.app_id = 1};
  const auto ticks = market::TickTable::uniform({k_tick}, {k_tick}, {1000 * k_tick}).value();
  for (std::uint32_t id = 1; id <= size.instruments; ++id)
    config.instruments.push_back({.id = id,
                                  .symbol = "I" + std::to_string(id),
                                  .ticks = ticks,
                                  .maximum_quantity = {1'000'000},
                                  .reference = {500 * k_tick},
                                  .segment = size.is_timed ? "ALL" : ""});
  if (size.is_timed) config.segments = {{.name = "ALL", .timetable = venue::testing::timetable_without_intraday()}};
  config.users.resize(64);
  config.limits = {.orders = size.orders + 1024, .levels = 64, .reports = 1 << 16, .report_buffer = 4096};
  config.slice = size.slice;
  return config;
}

/// The longest turns by what they did, and all of them together.
struct Turns {
  struct Kind {
    std::uint64_t count = 0;
    std::chrono::nanoseconds longest{}, total{};
  };
  std::map<std::string, Kind> kinds;

  void note(const std::string& what, std::chrono::nanoseconds took) {
    Kind& kind = kinds[what];
    ++kind.count;
    kind.longest = std::max(kind.longest, took);
    kind.total += took;
  }
};

class DayEnd {
 public:
  explicit DayEnd(const Size& size) : size_(size), partition_(config_of(size), nothing_) {
    if (size.is_timed)
      clock_.start(k_midnight);
    else
      clock_.end_days_at(k_midnight, 17h);
  }

  void run() {
    run_until(k_midnight + 10h, false);
    for (std::size_t number = 0; number < size_.orders; ++number) enter(number);
    std::printf("%zu orders in %u instruments\n", partition_.live_orders(), size_.instruments);
    run_until(k_midnight + 18h, true);
    std::printf("%-22s %10s %14s %12s\n", "turns at", "count", "longest, us", "total, ms");
    for (const auto& [what, kind] : turns_.kinds)
      std::printf("%-22s %10llu %14.1f %12.1f\n", what.c_str(), static_cast<unsigned long long>(kind.count),
                  std::chrono::duration<double, std::micro>(kind.longest).count(),
                  std::chrono::duration<double, std::milli>(kind.total).count());
    std::printf("%zu orders are left\n", partition_.live_orders());
  }

 private:
  void enter(std::size_t number) {
    market::NewOrder order;
    order.header.instrument = 1 + static_cast<std::uint32_t>(number % size_.instruments);
    order.header.user = order.terms.owner = static_cast<std::uint16_t>(number % 64);
    const bool is_buy = number / size_.instruments % 2 == 0;
    const auto away = static_cast<std::int64_t>(number / size_.instruments % 30);
    order.terms.side = is_buy ? market::Side::buy : market::Side::sell;
    order.terms.limit = {(is_buy ? 499 - away : 501 + away) * k_tick};
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
      const bool was_sweeping = partition_.is_sweeping();
      const auto begun = std::chrono::steady_clock::now();
      scheduler_.check(next, 1);
      clock_.finish(next);
      const auto took = std::chrono::steady_clock::now() - begun;
      if (is_measured) turns_.note(was_sweeping ? "a slice" : label_of(next), took);
    }
    scheduler_.check(end, 1);
  }
  static std::string label_of(time::Time now) {
    const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(now - k_midnight).count();
    char text[32];
    std::snprintf(text, sizeof text, "%02lld:%02lld", static_cast<long long>(minutes / 60),
                  static_cast<long long>(minutes % 60));
    return text;
  }

  Size size_;
  journal::MemoryJournal nothing_{{.keep = journal::Keep::none, .capacity = 1}};
  venue::Partition partition_;
  sched::Scheduler scheduler_{16, k_midnight};
  venue::DayClock clock_{partition_, scheduler_, 1};
  Turns turns_;
};

}  // namespace

int main(int count, char** words) {
  Size size;
  CLI::App app{"The end of a trading day of many instruments and orders: how long the longest turn takes"};
  app.add_option("--instruments", size.instruments, "Of one partition")->check(CLI::Range(1, 100'000));
  app.add_option("--orders", size.orders, "Day orders that are open")->check(CLI::Range(1, 10'000'000));
  app.add_option("--slice", size.slice, "Orders that one command ends; 0: all")->check(CLI::Range(0, 1'000'000));
  bool has_no_timetable = false;
  app.add_flag("--no-timetable", has_no_timetable, "Instruments without one: their day orders end at 17:00");
  CLI11_PARSE(app, count, words);
  size.is_timed = !has_no_timetable;
  try {
    DayEnd(size).run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
