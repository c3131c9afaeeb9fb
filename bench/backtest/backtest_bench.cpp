// dojima-bench-backtest: what a back-test costs for each event, by exchange and by how often the strategy looks, beside
// the least that it can cost: two books of levels, the exchange's and the strategy's. Days are generated.
// bench/peers/backtest_peers.py compares with hftbacktest.

#include "bench/temporary_folder.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "dojima/backtest/sweep.hpp"
#include "dojima/evidence/build_identity.hpp"
#include "dojima/harness/bench_harness.hpp"
#include "dojima/recorded/books/depth_book.hpp"
#include "dojima/recorded/days/generated_day.hpp"
#include "dojima/recorded/formats/compact.hpp"

namespace {

using namespace dojima;
using namespace dojima::backtest;

struct Day {
  std::vector<RecordedEvent> events;
  std::vector<RecordedInstrument> instruments;
};

recorded::GeneratedDayConfig config_of(std::uint64_t seed, std::uint64_t requests) {
  recorded::GeneratedDayConfig config;
  config.flow.seed = seed;
  config.flow.clients = 40;
  config.requests = requests;
  return config;
}

/// A day with orders, and the same told as levels and trades.
const Day& day_of(std::uint64_t seed, std::uint64_t requests, bool has_orders) {
  static std::map<std::pair<std::uint64_t, bool>, Day> kept;
  Day& day = kept[{requests, has_orders}];
  if (!day.events.empty()) return day;
  recorded::GeneratedDay generated(config_of(seed, requests));
  recorded::DepthBooks books;
  RecordedEvent event;
  while (generated.next(event) == recorded::Next::event) {
    if (has_orders) {
      day.events.push_back(event);
      continue;
    }
    const Side side = event.side;
    std::int64_t price = event.price;
    if (event.kind == recorded::EventKind::execute) {
      if (price == recorded::k_untold) price = books.order(event.order, event.instrument)->price;
      RecordedEvent trade = event;
      trade.kind = recorded::EventKind::trade;
      trade.price = price;
      trade.side = market::opposite(side);
      day.events.push_back(trade);
    }
    books.apply(event, generated.instruments());
    if (price == recorded::k_untold) continue;
    event.kind = recorded::EventKind::level;
    event.price = price;
    event.order = event.other = 0;
    event.quantity = books.of(event.instrument).on(side).quantity_at(price);
    day.events.push_back(event);
  }
  day.instruments = generated.instruments();
  return day;
}

/// Asks a maker at the end of every instant.
class EveryInstant final : public Strategy {
 public:
  explicit EveryInstant(std::unique_ptr<Strategy> inner) : inner_(std::move(inner)) {}
  Wakes wakes() const override { return {.on_books = true}; }
  void on_book(Desk& desk, std::uint32_t) override { inner_->on_wake(desk); }

 private:
  std::unique_ptr<Strategy> inner_;
};

/// One run over a day, made in prepare().
class Run final : public harness::Competitor {
 public:
  Run(const Day& day, ExchangeKind kind, std::string looks, bool by_loop)
      : day_(day), kind_(kind), looks_(std::move(looks)), by_loop_(by_loop) {}

  void prepare() override {
    engine_.reset();
    ExchangeSettings settings;
    settings.kind = kind_;
    settings.orders = std::size_t{1} << 16;
    exchange_ = make_exchange(settings);
    const bool is_each = looks_ == "each instant";
    strategy_ = make_strategy("touch", {{"period", is_each ? "1s" : looks_}}).value();
    if (is_each) strategy_ = std::make_unique<EveryInstant>(std::move(strategy_));
    latencies_ = {};
    latencies_.models.push_back(constant_latency(std::chrono::milliseconds{1}));
    latencies_.entry.fill(latencies_.models.back().get());
    latencies_.response.fill(latencies_.models.back().get());
    events_ = std::make_unique<MemoryEvents>(day_.events, day_.instruments);
    engine_ = std::make_unique<Engine>(*events_, *exchange_, *strategy_, latencies_, EngineSettings{});
  }
  harness::Operations run() override {
    if (by_loop_) {
      engine_->begin();
      sched::EventPacer pacer(engine_->start());
      sched::Source* const sources[] = {engine_.get()};
      sched::Loop loop(engine_->scheduler(), pacer, sources);
      while (!engine_->is_over()) static_cast<void>(loop.turn());
      engine_->end();
    } else {
      engine_->run({});
    }
    std::uint64_t digest = engine_->fills().size() + 1;
    for (const Fill& fill : engine_->fills())
      digest = digest * 0x9e3779b97f4a7c15ULL + fill.order * 31 +
               static_cast<std::uint64_t>(fill.at.time_since_epoch().count());
    return harness::Operations{}
        .add("", day_.events.size())
        .figure("fills", static_cast<double>(engine_->fills().size()))
        .figure("wakes", static_cast<double>(engine_->wakes()))
        .digest(digest | 1);
  }

 private:
  const Day& day_;
  ExchangeKind kind_;
  std::string looks_;
  bool by_loop_;
  std::unique_ptr<Exchange> exchange_;
  std::unique_ptr<Strategy> strategy_;
  Latencies latencies_;
  std::unique_ptr<MemoryEvents> events_;
  std::unique_ptr<Engine> engine_;
};

harness::BenchTable run_table(bool is_quick) {
  const std::uint64_t requests = is_quick ? 2000 : 200'000;
  harness::BenchTable table{.name = "run", .title = "a market maker over a day in memory"};
  table.parameters = {{"exchange", {"levels", "levels of orders", "orders", "match"}},
                      {"looks", {"100ms", "10ms", "each instant"}}};
  const auto make = [requests](bool by_loop) {
    return [requests, by_loop](const harness::BenchCase& bench_case) -> std::unique_ptr<harness::Competitor> {
      const std::string_view name = bench_case.text("exchange");
      const ExchangeKind kind = name == "orders"  ? ExchangeKind::orders
                                : name == "match" ? ExchangeKind::match
                                                  : ExchangeKind::levels;
      return std::make_unique<Run>(day_of(bench_case.seed(), requests, name != "levels"), kind,
                                   std::string(bench_case.text("looks")), by_loop);
    };
  };
  table.competitors = {{"back-test", make(false)},
                       {"by the loop, instant by instant", make(true)},
                       {"two books", [requests](const harness::BenchCase& bench_case) {
                          const Day& day = day_of(bench_case.seed(), requests, bench_case.text("exchange") != "levels");
                          return harness::competitor([&day] {
                            recorded::DepthBooks exchange, strategy;
                            for (const RecordedEvent& event : day.events) {
                              exchange.apply(event, day.instruments);
                              strategy.apply(event, day.instruments);
                            }
                            harness::keep(exchange.counts().changes);
                            return harness::Operations{}.add("", day.events.size());
                          });
                        }}};
  table.baseline = "back-test";
  table.floor = "two books";
  table.operation = "event";
  table.notes = {"latencies of 1 ms; fills by power3:3, partial; \"levels\" is the day told as levels and trades"};
  return table;
}

harness::BenchTable sweep_table(bool is_quick) {
  harness::BenchTable table{.name = "sweep", .title = "a grid of back-tests over one day"};
  const auto make = [is_quick](std::size_t threads) {
    return [is_quick, threads](const harness::BenchCase& bench_case) {
      auto folder = std::make_shared<bench::TemporaryFolder>();
      const Day& day = day_of(bench_case.seed(), is_quick ? 1000 : 20'000, true);
      recorded::MemorySink sink;
      recorded::CompactWriter writer(sink);
      static_cast<void>(writer.write(day.events, day.instruments));
      static_cast<void>(writer.finish());
      auto settings = std::make_shared<SweepSettings>();
      settings->base.file = folder->path() + "/day.events";
      std::ofstream(settings->base.file, std::ios::binary) << sink.text();
      settings->base.strategy = "grid";
      settings->base.exchange.kind = ExchangeKind::orders;
      settings->axes = {*parse_axis("levels=1..4"), *parse_axis("period=5ms,10ms,20ms,50ms")};
      settings->threads = threads;
      return harness::competitor([folder, settings] {
        const auto result = run_sweep(*settings, {});
        if (!result) throw std::runtime_error(result.error());
        std::uint64_t digest = 1;
        for (const char letter : sweep_text(*result)) digest = digest * 31 + static_cast<unsigned char>(letter);
        return harness::Operations{}.add("", result->done).digest(digest | 1);
      });
    };
  };
  table.competitors = {{"one thread", make(1)}, {"two threads", make(2)}};
  table.baseline = "one thread";
  table.operation = "point";
  table.notes = {"16 points; reading the day is in it"};
  return table;
}

}  // namespace

int main(int count, char** words) {
  const bool is_quick =
      std::any_of(words, words + count, [](const char* word) { return std::string_view(word) == "--quick"; });
  return harness::run_benchmarks(
      {.name = "backtest", .tables = {run_table(is_quick), sweep_table(is_quick)}, .build = evidence::build_identity()},
      count, words);
}
