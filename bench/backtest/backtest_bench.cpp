// dojima-bench-backtest: what the participants of a generated market cost beside the partition that they trade in: the
// whole market with its feed and the clockwork of a back-test, against submitting the commands that it made.

#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "dojima/backtest/engine.hpp"
#include "dojima/backtest/market.hpp"
#include "dojima/evidence/build_identity.hpp"
#include "dojima/harness/bench_harness.hpp"
#include "dojima/journal/memory_journal.hpp"
#include "dojima/market/command.hpp"
#include "dojima/venue/partition.hpp"

namespace {

using namespace dojima;
using namespace std::chrono_literals;
using backtest::PopulationKind;

/// About 6,000 commands.
backtest::MarketConfig config_of(const harness::BenchCase& of) {
  backtest::MarketConfig config{.seed = of.seed(), .populations = backtest::standard_populations()};
  config.length = 10s;
  if (of.text("market") == "standard") return config;
  if (of.text("market") == "flow") {
    config.populations = {{.kind = PopulationKind::flow, .count = 20, .rate = 30, .depth = 20, .resting = 10}};
    return config;
  }
  for (const char* symbol : {"BEAN", "SALT", "SILK"}) config.instruments.push_back({.symbol = symbol});
  for (backtest::Population& population : config.populations) population.count *= 30;
  config.length = 500ms;
  return config;
}

class Nobody final : public backtest::Strategy {
  backtest::Wakes wakes() const override { return {}; }
};

/// The whole of it, beside a strategy that does nothing.
class Generated final : public harness::Competitor {
 public:
  explicit Generated(const harness::BenchCase& of) : config_(config_of(of)) {}
  void prepare() override {
    engine_.reset();
    market_ = std::make_unique<backtest::Market>(config_);
    engine_ = std::make_unique<backtest::Engine>(market_->stream(), market_->exchange(), nobody_, latencies_,
                                                 backtest::EngineSettings{});
  }
  harness::Operations run() override {
    engine_->run({});
    return harness::Operations{}
        .add("", market_->counts().commands)
        .digest(market_->counts().trades)
        .figure("actions_per_command",
                static_cast<double>(market_->counts().actions) / static_cast<double>(market_->counts().commands));
  }

 private:
  backtest::MarketConfig config_;
  Nobody nobody_;
  backtest::Latencies latencies_;
  std::unique_ptr<backtest::Market> market_;
  std::unique_ptr<backtest::Engine> engine_;
};

/// The commands that the market made, to a partition alone; its reports are read.
class Submitted final : public harness::Competitor {
 public:
  explicit Submitted(const harness::BenchCase& of) : config_(config_of(of)) {
    backtest::Market market(config_, &commands_);
    backtest::Latencies latencies;
    Nobody nobody;
    backtest::Engine engine(market.stream(), market.exchange(), nobody, latencies, {});
    engine.run({});
    trades_ = market.counts().trades;
    digest_ = market.digest();
  }
  void prepare() override {
    if (partition_ != nullptr && partition_->digest() != digest_)
      throw std::runtime_error("the commands of a market come to another state without it");
    partition_.reset();
    nowhere_.emplace(journal::MemoryJournalOptions{.keep = journal::Keep::none, .capacity = 1});
    partition_ = std::make_unique<venue::Partition>(backtest::partition_of(config_), *nowhere_);
  }
  harness::Operations run() override {
    market::NewOrder command;  // the longest
    venue::Cursor cursor;
    std::uint64_t count = 0;
    for (journal::MemoryJournal::Cursor at; const auto record = commands_.read(at); ++count) {
      std::memcpy(static_cast<void*>(&command), record->bytes.data(), record->bytes.size());
      if (!partition_->submit(command.header, command.header.time)) throw std::runtime_error("the journal is full");
      while (!partition_->reports().read(cursor, partition_->durable()).reports.empty()) {
      }
    }
    return harness::Operations{}.add("", count).digest(trades_);
  }

 private:
  backtest::MarketConfig config_;
  journal::MemoryJournal commands_{{.capacity = std::size_t{1} << 25}};
  std::optional<journal::MemoryJournal> nowhere_;
  std::unique_ptr<venue::Partition> partition_;
  std::uint64_t trades_ = 0;
  std::uint64_t digest_ = 0;
};

harness::BenchTable market_table() {
  harness::BenchTable table{.name = "market", .title = "a command of a generated market"};
  table.parameters = {{"market", {std::string("standard"), std::string("crowd"), std::string("flow")}}};
  table.competitors = {{"market", [](const harness::BenchCase& of) { return std::make_unique<Generated>(of); }},
                       {"submit", [](const harness::BenchCase& of) { return std::make_unique<Submitted>(of); }}};
  table.baseline = "submit";
  table.targets = {{"market", "submit", 1 / 0.6}};
  table.operation = "command";
  table.notes = {
      "market: participants, partition, feed, the strategy's books and the clockwork; the strategy does nothing",
      "submit: the same commands to a partition alone, its reports read behind each",
      "standard: 20 noise, 5 value, 5 momentum traders and 3 market makers; crowd: thirty times as many in four "
      "instruments; flow: 20 clients of an order flow that looks at no book"};
  return table;
}

}  // namespace

int main(int count, char** words) {
  return harness::run_benchmarks({.name = "backtest", .tables = {market_table()}, .build = evidence::build_identity()},
                                 count, words);
}
