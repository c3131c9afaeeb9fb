#include "dojima/backtest/sweep.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>
#include <unistd.h>

#include "dojima/backtest/backtest_test_support.hpp"
#include "dojima/recorded/formats/compact.hpp"

namespace dojima::backtest {
namespace {

class Sweeps : public testing::Test {
 protected:
  Sweeps()
      : folder_(std::filesystem::temp_directory_path() / ("dojima-sweep-" + std::to_string(::getpid()) + "-" +
                                                          std::to_string(reinterpret_cast<std::uintptr_t>(this)))) {
    std::filesystem::create_directories(folder_);
    const GeneratedEvents day = generated_events(3, 600);
    recorded::MemorySink sink;
    recorded::CompactWriter writer(sink);
    static_cast<void>(writer.write(day.events, day.instruments));
    static_cast<void>(writer.finish());
    std::ofstream(file("day.events"), std::ios::binary) << sink.text();
  }
  ~Sweeps() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string file(const char* name) const { return (folder_ / name).string(); }

  [[nodiscard]] SweepSettings settings(std::size_t threads = 1) const {
    SweepSettings result;
    result.base.file = file("day.events");
    result.base.parameters = {{"quantity", "3"}};
    result.base.exchange.kind = ExchangeKind::orders;
    result.base.latencies.entry = "samples:" + file("samples.csv");
    std::ofstream(file("samples.csv")) << "100000\n200000\n900000\n4000000\n";
    result.axes = {*parse_axis("period=3ms,7ms"), *parse_axis("offset=0..2"), *parse_axis("run.response=1ms,2ms")};
    result.threads = threads;
    return result;
  }
  static std::string text_of(const std::expected<SweepResult, std::string>& result) {
    return result ? sweep_text(*result) : result.error();
  }
  time::SystemClock clock_;
  std::filesystem::path folder_;
};

TEST(SweepAxes, are_lists_and_ranges_of_exact_decimals) {
  const auto values = [](const char* text) {
    const auto axis = parse_axis(text);
    std::string all;
    if (!axis) return axis.error();
    for (const std::string& value : axis->values) all += value + " ";
    return axis->name + ": " + all;
  };
  EXPECT_EQ(values("a=1"), "a: 1 ");
  EXPECT_EQ(values("a=x,y,z"), "a: x y z ");
  EXPECT_EQ(values("a=0..3"), "a: 0 1 2 3 ");
  EXPECT_EQ(values("a=-2..2..2,7"), "a: -2 0 2 7 ");
  EXPECT_EQ(values("a=0.1..0.5..0.2"), "a: 0.1 0.3 0.5 ");
  EXPECT_EQ(values("a=0.05..0.2..0.05"), "a: 0.05 0.1 0.15 0.2 ");
  EXPECT_EQ(values("a=10ms..30ms..10ms"), "a: 10ms 20ms 30ms ");
  EXPECT_EQ(values("a=triples:../x.csv"), "a: triples:../x.csv ");
  EXPECT_NE(values("a=3..1").find("is no range"), std::string::npos);
  EXPECT_NE(values("a=1..5..0").find("is no range"), std::string::npos);
  EXPECT_NE(values("a=1ms..5s").find("is no range"), std::string::npos);
  EXPECT_NE(values("a=1..2..3..4").find("is no range"), std::string::npos);
  EXPECT_NE(values("a=0..9999999").find("has more than 100000 values"), std::string::npos);
  EXPECT_NE(values("a=1,2,1").find("has the value \"1\" twice"), std::string::npos);
  EXPECT_NE(values("=1").find("--set takes"), std::string::npos);
  EXPECT_NE(values("a").find("--set takes"), std::string::npos);
}

TEST(SweepSeeds, follow_from_the_sweeps_seed_and_the_parameters_alone) {
  // Written down, so that other languages can give the same.
  EXPECT_EQ(seed_of_run(1, {}), 13'317'927'157'745'676ULL);
  EXPECT_EQ(seed_of_run(1, {{"offset", "0"}, {"period", "3ms"}}), 11'285'612'814'245'701'014ULL);
  EXPECT_NE(seed_of_run(1, {{"a", "1"}}), seed_of_run(2, {{"a", "1"}}));
  EXPECT_NE(seed_of_run(1, {{"a", "1"}}), seed_of_run(1, {{"a", "2"}}));
  EXPECT_NE(seed_of_run(1, {{"a", "1"}}), seed_of_run(1, {{"b", "1"}}));
}

TEST_F(Sweeps, give_the_same_table_with_any_number_of_threads) {
  const auto alone = run_sweep(settings(1), {});
  ASSERT_TRUE(alone) << alone.error();
  EXPECT_EQ(alone->done, 12u);
  const std::string table = sweep_text(*alone);
  EXPECT_EQ(std::ranges::count(table, '\n'), 13);
  EXPECT_TRUE(table.starts_with("point,period,offset,run.response,seed,orders,fills,")) << table;
  EXPECT_TRUE(table.find("\n11,7ms,2,2ms,") != std::string::npos) << table;
  EXPECT_EQ(text_of(run_sweep(settings(3), {})), table);
}

TEST_F(Sweeps, run_each_point_as_a_back_test_alone) {
  const SweepSettings of = settings();
  const auto result = run_sweep(of, {});
  ASSERT_TRUE(result) << result.error();
  std::size_t with_fills = 0;
  for (std::size_t index = 0; index < result->rows.size(); ++index) {
    const auto point = point_of(of, index);
    ASSERT_TRUE(point) << point.error();
    const auto alone = run_backtest(point->settings, {}, clock_);
    ASSERT_TRUE(alone) << alone.error();
    EXPECT_EQ(sweep_cell(result->rows[index], "fills"), std::to_string(alone->fills.size()));
    EXPECT_EQ(sweep_cell(result->rows[index], "seed"), std::to_string(point->settings.seed));
    with_fills += alone->fills.empty() ? 0U : 1U;
  }
  EXPECT_GT(with_fills, 4u);
}

TEST_F(Sweeps, go_on_where_they_were_interrupted_and_come_to_the_same_table) {
  const std::string table = text_of(run_sweep(settings(), {}));
  SweepSettings kept = settings();
  kept.part = file("table.csv.part");
  const auto none = run_sweep(kept, {.is_interrupted = [] { return true; }});
  ASSERT_TRUE(none) << none.error();
  EXPECT_EQ(none->done, 0u);
  ASSERT_TRUE(run_sweep(kept, {}));
  // As after a power cut: four points, a torn line, a line that was changed, a line of a point that is not there.
  std::ifstream whole(kept.part);
  std::string text;
  for (std::string line; std::ranges::count(text, '\n') < 5 && std::getline(whole, line);) text += line + "\n";
  std::ofstream(kept.part) << text << "3,12,13,bad,00000000\n99,1,,12345678\n5,12";
  const auto rest = run_sweep(kept, {});
  ASSERT_TRUE(rest) << rest.error();
  EXPECT_EQ(rest->taken_over, 4u);
  EXPECT_EQ(rest->done, 12u);
  EXPECT_EQ(sweep_text(*rest), table);
  const auto again = run_sweep(kept, {});
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(again->taken_over, 12u);
  EXPECT_EQ(sweep_text(*again), table);
  kept.base.seed = 2;
  EXPECT_NE(text_of(run_sweep(kept, {})).find("is of another sweep"), std::string::npos);
  kept.part = file("no/such/folder.part");
  EXPECT_NE(text_of(run_sweep(kept, {})).find("cannot be written"), std::string::npos);
}

TEST_F(Sweeps, refuse_what_makes_no_sense_before_anything_runs) {
  SweepSettings of = settings();
  of.axes.push_back(*parse_axis("perod=1s"));
  EXPECT_NE(text_of(run_sweep(of, {})).find("the nearest is \"period\""), std::string::npos);
  of = settings();
  of.axes.push_back(*parse_axis("offset=1"));
  EXPECT_EQ(text_of(run_sweep(of, {})), "parameter offset is set twice");
  of = settings();
  of.axes.push_back(*parse_axis("run.exchange=levels,here"));
  EXPECT_NE(text_of(run_sweep(of, {})).find("run.exchange takes levels, orders or match"), std::string::npos);
  of.axes.back() = *parse_axis("run.speed=1");
  EXPECT_NE(text_of(run_sweep(of, {})).find("a run has no setting \"run.speed\""), std::string::npos);
  of.axes = {*parse_axis("offset=0..9999"), *parse_axis("max_position=1..9999")};
  EXPECT_EQ(text_of(run_sweep(of, {})), "a sweep has at most 1000000 points");
}

/// Over markets of half a second, whose seed and number of noise traders are axes.
SweepSettings market_sweep(std::size_t threads = 1) {
  SweepSettings result;
  result.base.parameters = {{"quantity", "2"}, {"period", "10ms"}};
  result.axes = {*parse_axis("offset=0..1"), *parse_axis("market.seed=3,4"), *parse_axis("population.0.count=5,9"),
                 *parse_axis("run.entry=1ms,2ms")};
  result.threads = threads;
  result.markets.emplace();
  result.markets->make = [](const ParameterTexts& keys) -> std::expected<MarketConfig, std::string> {
    MarketConfig config{.length = std::chrono::milliseconds{500}, .populations = standard_populations()};
    for (const auto& [name, value] : keys) {
      if (name == "market.seed")
        config.seed = std::stoull(value);
      else if (name == "population.0.count")
        config.populations[0].count = static_cast<std::uint32_t>(std::stoul(value));
      else
        return std::unexpected(name + ": no such key");
    }
    return config;
  };
  result.markets->text = "standard";
  return result;
}

TEST_F(Sweeps, over_markets_run_each_point_as_a_back_test_in_the_market_of_its_keys) {
  const SweepSettings settings = market_sweep(2);
  const auto swept = run_sweep(settings, {});
  ASSERT_TRUE(swept) << swept.error();
  ASSERT_EQ(swept->rows.size(), 16u);
  EXPECT_EQ(text_of(swept), text_of(run_sweep(market_sweep(1), {})));
  std::set<std::string> digests, seeds;
  for (std::size_t index = 0; index < swept->rows.size(); ++index) {
    const auto point = point_of(settings, index);
    ASSERT_TRUE(point) << point.error();
    EXPECT_EQ(std::to_string(point->market->seed), point->values[1]);
    EXPECT_EQ(std::to_string(point->market->populations[0].count), point->values[2]);
    const auto alone = run_backtest(point->settings, *point->market, {}, clock_);
    ASSERT_TRUE(alone) << alone.error();
    EXPECT_EQ(sweep_cell(swept->rows[index], "fills"), std::to_string(alone->fills.size()));
    EXPECT_EQ(sweep_cell(swept->rows[index], "profit"), fmt::format("{}", alone->performance.profit));
    EXPECT_EQ(swept->rows[index].trouble, "");
    digests.insert(std::string(sweep_cell(swept->rows[index], "fills_digest")));
    seeds.insert(std::string(sweep_cell(swept->rows[index], "seed")));
  }
  EXPECT_GT(digests.size(), 4u);
  EXPECT_EQ(seeds.size(), 16u);
}

TEST_F(Sweeps, over_markets_go_on_where_they_were_interrupted_and_refuse_another_market) {
  const std::string whole = text_of(run_sweep(market_sweep(), {}));
  SweepSettings settings = market_sweep();
  settings.part = file("markets.part");
  bool is_over = false;
  const auto first = run_sweep(settings, {.is_interrupted = [&] { return is_over; },
                                          .progress = [&](std::size_t done, std::size_t) { is_over = done >= 3; }});
  ASSERT_TRUE(first) << first.error();
  const auto second = run_sweep(settings, {});
  ASSERT_TRUE(second) << second.error();
  EXPECT_EQ(second->taken_over, first->done);
  EXPECT_EQ(text_of(second), whole);
  settings.markets->text = "another";
  EXPECT_NE(text_of(run_sweep(settings, {})).find("is of another sweep"), std::string::npos);
}

TEST_F(Sweeps, over_markets_refuse_what_makes_no_sense_there) {
  SweepSettings settings = market_sweep();
  settings.axes.push_back(*parse_axis("run.exchange=levels,orders"));
  EXPECT_EQ(text_of(run_sweep(settings, {})), "run.exchange means nothing in a generated market");
  settings = market_sweep();
  settings.axes.push_back(*parse_axis("market.sede=1,2"));
  EXPECT_EQ(text_of(run_sweep(settings, {})), "market.sede: no such key");
  settings = market_sweep();
  settings.axes[2].values = {"5", "0"};
  EXPECT_EQ(text_of(run_sweep(settings, {})), "noise: count is from 1 to 10000");
  settings = market_sweep();
  settings.axes.push_back(*parse_axis("offset=1,2"));
  EXPECT_EQ(text_of(run_sweep(settings, {})), "parameter offset is set twice");
}

TEST_F(Sweeps, keep_the_row_of_a_run_that_fails_and_say_so) {
  SweepSettings of = settings();
  of.axes = {*parse_axis("quantity=3,0.5")};  // finer than the data have
  of.base.parameters.clear();
  const auto result = run_sweep(of, {});
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(result->done, 2u);
  EXPECT_EQ(result->rows[0].trouble, "");
  EXPECT_NE(result->rows[1].trouble.find("quantity 0.5 is finer than RICE has"), std::string::npos);
  const evidence::Artefact artefact = artefact_of(of, *result, "profit");
  EXPECT_FALSE(artefact.checks().back().ok);
  EXPECT_TRUE(artefact.checks().front().ok);
}

}  // namespace
}  // namespace dojima::backtest
