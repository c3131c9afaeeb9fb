// What a dashboard costs: the venue's thread for each command, and the dashboard's own thread for each page.

#include "bench/other_processors.hpp"
#include "bench/venue/bytes_venue.hpp"
#include "bench/web/pages.hpp"

#include <chrono>
#include <ctime>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>

#include "dojima/app/config.hpp"
#include "dojima/app/dashboard/venue_watch.hpp"
#include "dojima/harness/bench_harness.hpp"
#include "dojima/sched/scheduler.hpp"
#include "dojima/simulate/exchange.hpp"

namespace {

using namespace dojima;
using namespace std::chrono_literals;

constexpr auto k_between_commands = 50us;  // 20,000 a second
constexpr std::size_t k_an_instant = 64;   // commands that a turn of the loop has at hand

/// The instruments and users of the venue's own benchmark.
app::VenueConfig config_of_flow() {
  app::VenueConfig config = app::default_venue();
  const simulate::InstrumentConfig instrument = config.instruments.front();
  const simulate::VenueUserConfig user = config.users.front();
  config.instruments.clear();
  for (std::uint32_t id = 1; id <= bench_venue::k_instruments; ++id) {
    config.instruments.push_back(instrument);
    simulate::InstrumentConfig& made = config.instruments.back();
    made.id = id;
    made.symbol = "I" + std::to_string(id);
    made.ticks = {{{bench_venue::k_tick}, {bench_venue::k_tick}}};
    made.highest = {100'000 * bench_venue::k_tick};
    made.reference = {10'000 * bench_venue::k_tick};
    made.maximum_quantity = {1'000'000};
  }
  config.users.clear();
  for (std::size_t number = 0; number < bench_venue::k_users; ++number) {
    config.users.push_back(user);
    config.users.back().name = "USER" + std::to_string(number);
    config.users.back().password = "pass";
  }
  return config;
}

enum class Dashboard : std::uint8_t { none, shown };

/// A venue without sockets of its own, its dashboard if it has one, and who looks at it.
class Market {
 public:
  Market(Dashboard dashboard, std::size_t pages, std::size_t deaf, std::uint32_t instruments = 1,
         std::int64_t queue_price = 0) {
    if (dashboard == Dashboard::shown)
      watch_.emplace(app::VenueWatchOptions{.name = "bench", .dashboard = {.port = 0}}, config_);
    scheduler_.emplace(simulate::Exchange::timers(config_), bench_venue::k_start);
    exchange_.emplace(config_, *scheduler_, watch_ ? watch_->probe() : simulate::ExchangeProbe{});
    venue_.emplace(exchange_->front(), k_between_commands);
    if (!watch_) return;
    watch_->attach(*exchange_);
    const bench::OnOtherProcessors others;
    const auto where = watch_->start();
    if (!where) throw std::runtime_error(where.error());
    if (pages != 0) pages_.emplace(where->port, pages, deaf, instruments, queue_price);
  }

  [[nodiscard]] bench_venue::Requests next(std::size_t commands) { return {flow_, commands}; }
  void take(const bench_venue::Requests& requests) {
    venue_->run(requests, [&](std::size_t done) {
      if (watch_ && (done % k_an_instant == 0 || done == requests.size())) watch_->finish(venue_->now());
    });
  }

  [[nodiscard]] std::uint64_t lost() { return watch_ ? watch_->channel().lost() : 0; }
  [[nodiscard]] const bench::Pages& pages() const { return pages_.value(); }

 private:
  app::VenueConfig config_ = config_of_flow();
  std::optional<app::VenueWatch> watch_;
  std::optional<sched::Scheduler> scheduler_;
  std::optional<simulate::Exchange> exchange_;
  std::optional<bench_venue::BytesVenue> venue_;
  bench_venue::Flow flow_;
  std::optional<bench::Pages> pages_;  // the last: it leaves first
};

// ---------------------------------------------------------------------------------------------------------- commands

/// Batches of commands, as fast as they can be; between them the dashboard has time to show what they did. The market
/// is made anew now and then: where its memory happens to lie is worth as much as a dashboard, and is no property of
/// it.
class Commands final : public harness::Competitor {
 public:
  Commands(Dashboard dashboard, std::size_t pages, std::size_t deaf, std::uint32_t instruments,
           std::int64_t queue_price)
      : make_(
            [=](std::optional<Market>& market) { market.emplace(dashboard, pages, deaf, instruments, queue_price); }) {}
  void prepare() override {
    if (rounds_++ % k_rounds_a_market == 0) {
      next_.reset();
      market_.reset();
      make_(market_);
      lost_ = 0;
      for (int turn = 0; turn < 10; ++turn) {
        market_->take(market_->next(k_commands));
        std::this_thread::sleep_for(k_pause);
      }
    }
    next_.emplace(market_->next(k_commands));
    std::this_thread::sleep_for(k_pause);
  }
  harness::Operations run() override {
    market_->take(*next_);
    const std::uint64_t lost = market_->lost();
    return harness::Operations{}
        .add("", next_->size())
        .figure("facts_lost", static_cast<double>(lost - std::exchange(lost_, lost)));
  }

 private:
  static constexpr std::size_t k_commands = 2'000;
  static constexpr std::size_t k_rounds_a_market = 8;
  static constexpr auto k_pause = 40ms;  // longer than between two frames
  std::function<void(std::optional<Market>&)> make_;
  std::size_t rounds_ = 0;
  std::optional<Market> market_;
  std::optional<bench_venue::Requests> next_;
  std::uint64_t lost_ = 0;
};

harness::BenchTable command_table() {
  harness::BenchTable table{.name = "commands", .title = "a command of a venue whose market is on screens"};
  const auto of = [](Dashboard dashboard, std::size_t pages, std::size_t deaf, std::uint32_t instruments = 1,
                     std::int64_t queue_price = 0) {
    return [=](const harness::BenchCase&) {
      return std::make_unique<Commands>(dashboard, pages, deaf, instruments, queue_price);
    };
  };
  constexpr std::int64_t k_queue_price = 9'999 * bench_venue::k_tick;  // near the middle of the flow's books
  table.competitors = {{"no dashboard", of(Dashboard::none, 0, 0)},
                       {"nobody looks", of(Dashboard::shown, 0, 0)},
                       {"four pages", of(Dashboard::shown, 4, 0)},
                       {"four, an instrument each", of(Dashboard::shown, 4, 0, bench_venue::k_instruments)},
                       {"four, and a queue each", of(Dashboard::shown, 4, 0, 1, k_queue_price)},
                       {"sixteen, one reads nothing", of(Dashboard::shown, 16, 1)}};
  table.baseline = "no dashboard";
  table.targets = {{"four pages", "no dashboard", 1.03}};
  table.operation = "command";
  table.notes = {
      "the flow of dojima-bench-venue as MIT203, bytes in and bytes out without sockets; batches of 2,000 commands, 40 "
      "ms apart, the market made anew after each eight; facts_lost: of a batch, for a full ring",
      "four instruments; all pages show the first, or each another one, so that all are looked at; where they show a "
      "queue besides, every change of an order of it is published",
      "the dashboard's thread and the pages run on another processor, where there is one"};
  return table;
}

// ------------------------------------------------------------------------------------------------------------- pages

std::chrono::nanoseconds clock_time(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
}

double resident_mb() {
  std::ifstream file("/proc/self/statm");
  double whole = 0, resident = 0;
  file >> whole >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
}

/// A market of 20,000 commands a second for a while, and what the dashboard's thread takes meanwhile.
class Looked final : public harness::Competitor {
 public:
  explicit Looked(std::size_t pages) : pages_(pages), market_(Dashboard::shown, pages, 0) {
    market_.take(market_.next(k_warm_up));
  }

  harness::Operations run() override {
    const auto begin = std::chrono::steady_clock::now();
    const auto process = clock_time(CLOCK_PROCESS_CPUTIME_ID), own = clock_time(CLOCK_THREAD_CPUTIME_ID);
    const auto reading = market_.pages().processor_time();
    const std::uint64_t frames = market_.pages().frames(), bytes = market_.pages().bytes();
    constexpr auto k_slice = 1ms;
    for (auto next = begin; next < begin + 500ms; next += k_slice) {
      market_.take(market_.next(k_slice / k_between_commands));
      std::this_thread::sleep_until(next + k_slice);
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const std::chrono::duration<double> server = clock_time(CLOCK_PROCESS_CPUTIME_ID) - process -
                                                 (clock_time(CLOCK_THREAD_CPUTIME_ID) - own) -
                                                 (market_.pages().processor_time() - reading);
    const std::uint64_t seen = market_.pages().frames() - frames;
    const auto count = static_cast<double>(pages_);
    return harness::Operations{}
        .add("", seen == 0 ? 1 : seen)
        .figure("frames_per_second", static_cast<double>(seen) / seconds / count)
        .figure("kB_per_frame",
                static_cast<double>(market_.pages().bytes() - bytes) / 1e3 / static_cast<double>(seen == 0 ? 1 : seen))
        .figure("cpu_percent_per_page", 100 * server.count() / seconds / count)
        .figure("memory_mb", resident_mb() - plain_.begun_at - 2 * plain_.taken);
  }

 private:
  static constexpr std::size_t k_warm_up = 20'000;
  /// What the same venue takes without a dashboard. It stays, so that nothing of it is used again.
  struct Plain {
    Plain() {
      market.take(market.next(k_warm_up));
      taken = resident_mb() - begun_at;
    }
    double begun_at = resident_mb();
    Market market{Dashboard::none, 0, 0};
    double taken = 0;
  };
  std::size_t pages_;
  Plain plain_;
  Market market_;
};

harness::BenchTable page_table() {
  harness::BenchTable table{.name = "pages",
                            .title = "a dashboard whose pages show all there is of 20,000 commands a second"};
  table.parameters = {{"pages", {1, 4, 16}}};
  table.competitors = {{"dashboard", [](const harness::BenchCase& of) {
                          return std::make_unique<Looked>(static_cast<std::size_t>(of.integer("pages")));
                        }}};
  table.baseline = "dashboard";
  table.targets = {{"dashboard", "", 3, {}, "cpu_percent_per_page"},
                   {"dashboard", "", 32, {{"pages", 16}}, "memory_mb"}};
  table.operation = "frame";
  table.notes = {
      "time goes by while it is waited: ns_per_frame is the distance of frames of all pages together, no cost",
      "cpu_percent_per_page: processor time of the process without the venue's thread and the one that reads the pages",
      "memory_mb: resident, above that of the same venue without a dashboard; the thread that reads the pages with it"};
  return table;
}

}  // namespace

int main(int count, char** words) {
  return harness::run_benchmarks(
      {.name = "web", .tables = {command_table(), page_table()}, .build = evidence::build_identity()}, count, words);
}
