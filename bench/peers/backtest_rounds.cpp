// Our side of bench/peers/backtest_peers.py: a day in memory, the market maker `touch` over it, once for each line of
// standard input; what it took goes to standard output, a JSON object a line. Processor time of this process, of the
// run alone: the day has been read, exchange and strategy are made.
//
//   dojima-peer-backtest FILE EXCHANGE QUEUE_MODEL PERIOD_NS QUANTITY LATENCY
//
// PERIOD_NS 0: it looks at the end of every instant with an event. EXCHANGE books: no back-test, two books of levels
// kept side by side, which is the least that it can cost. EXCHANGE batches: `levels`, and a strategy that gathers what
// a batch of 512 in Python has and adds up its bids.

#include <ctime>
#include <fmt/core.h>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "dojima/backtest/backtest.hpp"
#include "dojima/backtest/engine.hpp"
#include "dojima/backtest/strategies.hpp"
#include "dojima/recorded/books/depth_book.hpp"
#include "dojima/recorded/files/recorded_file.hpp"

namespace {

using namespace dojima;
using namespace dojima::backtest;

/// Asks a maker at the end of every instant.
class EveryInstant final : public Strategy {
 public:
  explicit EveryInstant(std::unique_ptr<Strategy> inner) : inner_(std::move(inner)) {}
  Wakes wakes() const override { return {.on_books = true}; }
  void on_book(Desk& desk, std::uint32_t) override { inner_->on_wake(desk); }

 private:
  std::unique_ptr<Strategy> inner_;
};

/// What Python's on_batch gets, without Python.
class Batches final : public Strategy {
 public:
  Wakes wakes() const override { return {.on_events = true, .on_books = true}; }
  void on_event(Desk& desk, const RecordedEvent& event) override {
    const DepthLevel nothing{recorded::k_unknown, 0};
    rows_.push_back({.at = desk.now(),
                     .bid = desk.best(event.instrument, Side::buy).value_or(nothing),
                     .ask = desk.best(event.instrument, Side::sell).value_or(nothing),
                     .price = event.price,
                     .quantity = event.quantity,
                     .instrument = event.instrument,
                     .kind = event.kind,
                     .side = event.side});
  }
  void on_book(Desk&, std::uint32_t) override {
    constexpr std::size_t k_batch = 512;
    if (rows_.size() < k_batch) return;
    for (const Row& row : rows_) sum_ += static_cast<std::uint64_t>(row.bid.price);
    rows_.clear();
  }
  [[nodiscard]] std::uint64_t sum() const noexcept { return sum_; }

 private:
  struct Row {
    Time at;
    DepthLevel bid, ask;
    std::int64_t price, quantity;
    std::uint32_t instrument;
    recorded::EventKind kind;
    Side side;
  };
  std::vector<Row> rows_;
  std::uint64_t sum_ = 0;
};

double processor_seconds() {
  std::timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

struct Day {
  std::vector<RecordedEvent> events;
  std::vector<RecordedInstrument> instruments;
};

Day read_day(const std::string& name) {
  auto file = recorded::RecordedFile::open(name, {});
  if (!file) throw std::runtime_error(file.error());
  Day day;
  recorded::RecordedReader& reader = file->reader();
  for (auto events = reader.next_batch(); !events.empty(); events = reader.next_batch())
    for (const RecordedEvent& event : events)
      if (event.kind != recorded::EventKind::none) day.events.push_back(event);
  if (const std::string trouble = file->trouble(); !trouble.empty()) throw std::runtime_error(trouble);
  day.instruments = reader.instruments();
  return day;
}

struct Work {
  std::string exchange, queue, period, quantity, latency;
};

void run_books(const Day& day) {
  recorded::DepthBooks exchange, strategy;
  const double begin = processor_seconds();
  for (const RecordedEvent& event : day.events) {
    exchange.apply(event, day.instruments);
    strategy.apply(event, day.instruments);
  }
  fmt::print("{{\"rows\": {}, \"seconds\": {:.9f}, \"fills\": 0}}\n", day.events.size(), processor_seconds() - begin);
}

void run_once(const Day& day, const Work& work) {
  ExchangeSettings settings;
  settings.kind = work.exchange == "orders"  ? ExchangeKind::orders
                  : work.exchange == "match" ? ExchangeKind::match
                                             : ExchangeKind::levels;
  settings.fills = settings.kind == ExchangeKind::levels ? FillRule::whole : FillRule::partial;
  settings.queue = parse_queue_model(work.queue).value();
  const Duration latency = parse_duration(work.latency).value();
  const bool is_each = work.period == "0";
  auto strategy =
      make_strategy("touch", {{"quantity", work.quantity}, {"period", is_each ? "1s" : work.period + "ns"}}).value();
  if (is_each) strategy = std::make_unique<EveryInstant>(std::move(strategy));
  if (work.exchange == "batches") strategy = std::make_unique<Batches>();
  Latencies latencies;
  latencies.models.push_back(constant_latency(latency));
  latencies.entry.fill(latencies.models.back().get());
  latencies.response.fill(latencies.models.back().get());
  const auto exchange = make_exchange(settings);
  MemoryEvents events(day.events, day.instruments);
  Engine engine(events, *exchange, *strategy, latencies, {.mark_every = std::chrono::hours{24}});
  const double begin = processor_seconds();
  engine.run({});
  const double seconds = processor_seconds() - begin;
  fmt::print("{{\"rows\": {}, \"seconds\": {:.9f}, \"fills\": {}, \"wakes\": {}}}\n", day.events.size(), seconds,
             engine.fills().size(), engine.wakes());
}

}  // namespace

int main(int count, char** words) {
  if (count != 7) {
    fmt::print(stderr, "usage: dojima-peer-backtest FILE EXCHANGE QUEUE_MODEL PERIOD_NS QUANTITY LATENCY\n");
    return 2;
  }
  const Work work{
      .exchange = words[2], .queue = words[3], .period = words[4], .quantity = words[5], .latency = words[6]};
  try {
    const Day day = read_day(words[1]);
    std::string line;
    while (std::getline(std::cin, line)) {
      if (work.exchange == "books") {
        run_books(day);
      } else {
        run_once(day, work);
      }
      std::fflush(stdout);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
