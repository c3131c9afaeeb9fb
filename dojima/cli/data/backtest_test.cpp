#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <unistd.h>

#include "dojima/cli/call_test_support.hpp"
#include "dojima/evidence/verify.hpp"

namespace dojima::cli {
namespace {

class Backtesting : public testing::Test {
 protected:
  Backtesting()
      : folder_(std::filesystem::temp_directory_path() / ("dojima-backtesting-" + std::to_string(::getpid()) + "-" +
                                                          std::to_string(reinterpret_cast<std::uintptr_t>(this)))) {
    std::filesystem::create_directories(folder_);
  }
  ~Backtesting() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string file(const std::string& name) const { return (folder_ / name).string(); }
  static std::string content(const std::string& name) {
    std::ifstream stream(name, std::ios::binary);
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(Backtesting, trades_in_a_day_and_leaves_fills_artefact_and_page) {
  const std::string day = file("day.events"), fills = file("fills.csv"), json = file("run.json"),
                    page = file("run.html");
  ASSERT_EQ(call({"gen", "--seed", "7", "--requests", "2000", "--out", day}).status, k_success);
  const Outcome run =
      call({"backtest", day, "--exchange", "orders", "--set", "period=5ms", "--set", "quantity=2", "--maker-fee",
            "-0.1bp", "--csv", fills, "--json", json, "--report", page, "--no-progress"});
  EXPECT_EQ(run.status, k_success) << run.err;
  EXPECT_TRUE(contains(run.out, "markouts")) << run.out;
  EXPECT_TRUE(content(fills).starts_with("exchange_time,receive_time,symbol,order,"));
  EXPECT_GT(content(fills).size(), 500u);
  EXPECT_TRUE(contains(content(json), "\"set.period\": \"5ms\""));
  EXPECT_TRUE(contains(content(page), "Equity over time"));
  // Again, the same bytes.
  EXPECT_EQ(call({"backtest", day, "--exchange", "orders", "--set", "period=5ms", "--set", "quantity=2", "--csv",
                  file("again.csv"), "--no-progress"})
                .status,
            k_success);
  EXPECT_EQ(content(file("again.csv")), content(fills));
}

TEST_F(Backtesting, lists_its_strategies_and_says_what_is_wrong_in_one_line) {
  const Outcome list = call({"backtest", "--list"});
  EXPECT_EQ(list.status, k_success);
  EXPECT_TRUE(contains(list.out, "touch: makes a market at the best bid and ask"));
  const std::string day = file("day.events");
  ASSERT_EQ(call({"gen", "--seed", "7", "--requests", "50", "--out", day}).status, k_success);
  const auto complaint = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"backtest", day, "--no-progress"});
    const Outcome outcome = call(words);
    EXPECT_EQ(outcome.status, k_usage) << outcome.err;
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    return outcome.err;
  };
  EXPECT_TRUE(contains(complaint({"--strategy", "none"}), "there is no strategy \"none\""));
  EXPECT_TRUE(contains(complaint({"--set", "period"}), "--set takes NAME=VALUE"));
  EXPECT_TRUE(contains(complaint({"--set", "perod=1s"}), "the nearest is \"period\""));
  EXPECT_TRUE(contains(complaint({"--queue", "power9"}), "there is no queue model \"power9\""));
  EXPECT_TRUE(contains(complaint({"--maker-fee", "2"}), "\"2\" is no rate"));
  EXPECT_TRUE(contains(complaint({"--entry", "1"}), "latency \"1\" is no time"));
  EXPECT_TRUE(contains(complaint({"--speed", "0"}), "--speed takes max"));
  EXPECT_TRUE(contains(complaint({"--mark-every", "0"}), "--mark-every takes a time above 0"));
  EXPECT_TRUE(contains(complaint({"--dashboard", "127.0.0.1:0", "--speed", "max"}), "leave --speed max out"));
  EXPECT_TRUE(contains(complaint({"--dashboard", "nowhere", "--speed", "60"}), "nowhere"));
  EXPECT_TRUE(contains(complaint({"--road"}), "--road are of --exchange market"));
  EXPECT_TRUE(contains(complaint({"--only", "WHEAT"}), "it has nothing of WHEAT; there "));
  EXPECT_TRUE(contains(complaint({"--from", "2030-01-01T00:00:00"}), "where trading begins"));
  EXPECT_TRUE(contains(complaint({"--from", "2020-01-02T00:00:00", "--until", "2020-01-01T00:00:00"}),
                       "--from 2020-01-02T00:00:00 is not before --until 2020-01-01T00:00:00"));
  const Outcome nothing = call({"backtest"});
  EXPECT_EQ(nothing.status, k_usage);
  EXPECT_TRUE(contains(nothing.err, "needs a file")) << nothing.err;
}

/// A word that was meant for something else is not taken for an option's value, which may be left out.
TEST_F(Backtesting, names_the_option_that_a_file_was_written_behind) {
  const std::string day = file("day.events");
  ASSERT_EQ(call({"gen", "--seed", "7", "--requests", "50", "--out", day}).status, k_success);
  const std::string before = content(day);
  const auto complaint = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"backtest", "--no-progress"});
    words.push_back(day);
    const Outcome outcome = call(words);
    EXPECT_EQ(outcome.status, k_usage) << outcome.err;
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    return outcome.err;
  };
  EXPECT_TRUE(contains(complaint({"--exchange", "levels", "--road"}),
                       "--road takes the delay of a connection, such as 50us; got \"" + day + "\""));
  EXPECT_TRUE(contains(complaint({"--dashboard"}), "--dashboard " + day + ": write HOST:PORT"));
  EXPECT_TRUE(contains(complaint({"--exchange", "market", "--length", "100ms", "--json"}),
                       "--json " + day + " is there and is no JSON"));
  EXPECT_EQ(content(day), before);
  // Its own results it writes again.
  const std::string json = file("run.json");
  for (int times = 0; times < 2; ++times)
    EXPECT_EQ(call({"backtest", day, "--exchange", "orders", "--json", json, "--no-progress"}).status, k_success);
}

TEST_F(Backtesting, sweeps_over_parameters_into_one_table) {
  const std::string day = file("day.events"), table = file("table.csv"), page = file("sweep.html"),
                    json = file("sweep.json");
  ASSERT_EQ(call({"gen", "--seed", "7", "--requests", "500", "--out", day}).status, k_success);
  const Outcome run = call({"sweep", day, "--exchange", "orders", "--set", "period=3ms,5ms", "--set", "offset=0..1",
                            "--threads", "2", "--csv", table, "--json", json, "--report", page, "--no-progress"});
  EXPECT_EQ(run.status, k_success) << run.err;
  EXPECT_TRUE(contains(run.out, "the best points by profit")) << run.out;
  EXPECT_EQ(std::ranges::count(content(table), '\n'), 5);
  EXPECT_TRUE(contains(content(page), "mean profit by period (down) and offset (across)"));
  EXPECT_TRUE(contains(content(json), "\"set.offset\": \"0,1\""));
  EXPECT_FALSE(std::filesystem::exists(table + ".part"));
  const Outcome wrong = call({"sweep", day, "--by", "luck"});
  EXPECT_EQ(wrong.status, k_usage);
  EXPECT_TRUE(contains(wrong.err, "--by takes a column of the table")) << wrong.err;
  const Outcome twice = call({"sweep", day, "--set", "offset=3..1"});
  EXPECT_EQ(twice.status, k_usage);
  EXPECT_TRUE(contains(twice.err, "is no range")) << twice.err;
  EXPECT_EQ(call({"sweep"}).status, k_usage);
  const Outcome late = call({"sweep", day, "--from", "2030-01-01T00:00:00", "--set", "offset=0..1"});
  EXPECT_EQ(late.status, k_usage);
  EXPECT_TRUE(contains(late.err, "where trading begins")) << late.err;
}

TEST_F(Backtesting, trades_in_a_generated_market_and_says_what_is_wrong_with_one) {
  const std::string config = file("market.toml"), fills = file("fills.csv");
  const Outcome standard = call({"backtest", "--default-population"});
  ASSERT_EQ(standard.status, k_success) << standard.err;
  std::ofstream(config) << standard.out;
  const std::vector<std::string> words{"backtest", "--exchange",  "market", "--length", "1s",
                                       "--set",    "period=20ms", "--csv",  fills,      "--no-progress"};
  const Outcome run = call(words);
  EXPECT_EQ(run.status, k_success) << run.err;
  EXPECT_TRUE(contains(run.out, "the generated market")) << run.out;
  const std::string without_a_file = content(fills);
  EXPECT_TRUE(contains(without_a_file, "RICE")) << without_a_file;
  std::vector<std::string> with_a_file = words;
  with_a_file.insert(with_a_file.end(), {"--population", config});
  EXPECT_EQ(call(with_a_file).status, k_success);
  EXPECT_EQ(content(fills), without_a_file);
  std::vector<std::string> changed = with_a_file;
  changed.insert(changed.end(), {"--set", "market.seed=2"});
  EXPECT_EQ(call(changed).status, k_success);
  EXPECT_NE(content(fills), without_a_file);
  std::ofstream(config) << "[[population]]\nkind = \"noise\"\nactions_a_minut = 3\n";
  const Outcome unknown = call(with_a_file);
  EXPECT_EQ(unknown.status, k_usage);
  EXPECT_TRUE(contains(unknown.err, "market.toml:3:")) << unknown.err;
  EXPECT_TRUE(contains(unknown.err, "did you mean \"actions_a_minute\"?")) << unknown.err;
  EXPECT_EQ(call({"backtest", "--exchange", "market", "--population", file("none.toml")}).status, k_usage);
  EXPECT_EQ(call({"backtest", "--exchange", "market", "--set", "market.sede=3"}).status, k_usage);
  EXPECT_EQ(call({"backtest", fills, "--exchange", "market"}).status, k_usage);
  EXPECT_EQ(call({"backtest", fills, "--length", "3s"}).status, k_usage);
  EXPECT_EQ(call({"backtest", "--exchange", "market", "--length", "0"}).status, k_usage);
  EXPECT_EQ(call({"sweep", fills, "--exchange", "market"}).status, k_usage);
}

/// Fills of instruments whose name begins with `venue`, without that and without their numbers of the run.
std::string fills_at(const std::string& csv, const std::string& venue) {
  std::string found;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> cells;
    std::istringstream columns(line);
    for (std::string cell; std::getline(columns, cell, ',');) cells.push_back(cell);
    if (cells.size() < 4 || !cells[2].starts_with(venue)) continue;
    cells[2] = cells[2].substr(venue.size());
    cells.erase(cells.begin() + 3);
    for (const std::string& cell : cells) found += cell + ",";
    found += "\n";
  }
  return found;
}

using BacktestingLong = Backtesting;
TEST_F(BacktestingLong, trades_at_several_venues_as_at_each_of_them_alone) {
  const std::string a = file("a.events"), b = file("b.events"), csv = file("both.csv"), json = file("both.json");
  ASSERT_EQ(call({"gen", "--seed", "7", "--requests", "3000", "--out", a}).status, k_success);
  // Of one seed, so that both begin at the same time: wakes are counted from there.
  ASSERT_EQ(call({"gen", "--seed", "7", "--requests", "4000", "--out", b}).status, k_success);
  const std::vector<std::string> common{"--exchange",  "orders", "--set",        "period=2ms",
                                        "--maker-fee", "1bp",    "--no-progress"};
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "backtest");
    words.insert(words.end(), common.begin(), common.end());
    const Outcome outcome = call(words);
    EXPECT_EQ(outcome.status, k_success) << outcome.err;
  };
  run({"--venue", "A=" + a + ",entry=300us,response=200us,feed=50us", "--venue",
       "B=" + b + ",entry=9ms,response=7ms,feed=4ms,maker_fee=-2bp", "--csv", csv, "--json", json});
  run({a, "--entry", "300us", "--response", "200us", "--feed", "50us", "--csv", file("a.csv")});
  run({b, "--entry", "9ms", "--response", "7ms", "--feed", "4ms", "--csv", file("b.csv")});
  EXPECT_GT(std::ranges::count(fills_at(content(csv), "A:"), '\n'), 20);
  EXPECT_GT(std::ranges::count(fills_at(content(csv), "B:"), '\n'), 20);
  const auto rows = [&](const std::string& name) {
    const std::string text = content(file(name));
    return fills_at(text.substr(text.find('\n') + 1), "");
  };
  EXPECT_EQ(fills_at(content(csv), "A:"), rows("a.csv"));
  EXPECT_EQ(fills_at(content(csv), "B:"), rows("b.csv"));
  EXPECT_TRUE(contains(content(json), "\"by venue\"")) << content(json);
  EXPECT_TRUE(contains(content(json), "-0.0002")) << "its own fee";
}

TEST_F(Backtesting, says_what_is_wrong_with_a_venue) {
  const std::string day = file("day.events");
  ASSERT_EQ(call({"gen", "--seed", "7", "--requests", "50", "--out", day}).status, k_success);
  const auto complaint = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"backtest", "--no-progress"});
    const Outcome outcome = call(words);
    EXPECT_EQ(outcome.status, k_usage) << outcome.err;
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    return outcome.err;
  };
  EXPECT_TRUE(contains(complaint({"--venue", "A"}), "a venue is NAME=FILE"));
  EXPECT_TRUE(contains(complaint({"--venue", "A:B=" + day}), "a venue is NAME=FILE"));
  EXPECT_TRUE(contains(complaint({"--venue", "A=-"}), "its day is a file"));
  EXPECT_TRUE(contains(complaint({"--venue", "A=" + day + ",speed=3"}), "there is no \"speed\" of a venue"));
  EXPECT_TRUE(contains(complaint({"--venue", "A=" + day + ",entry=soon"}), "A: latency \"soon\" is no time"));
  EXPECT_TRUE(contains(complaint({"--venue", "A=" + day + ",maker_fee=7"}), "\"7\" is no rate"));
  EXPECT_TRUE(contains(complaint({"--venue", "A=" + day + ",trade_fee=x"}), "trade_fee takes an amount"));
  EXPECT_TRUE(contains(complaint({"--venue", "A=" + day, "--venue", "A=" + day}), "there are two venues \"A\""));
  EXPECT_TRUE(contains(complaint({day, "--venue", "A=" + day}), "no FILE"));
  EXPECT_TRUE(contains(complaint({"--venue", "A=" + day, "--exchange", "market"}), "no --exchange market"));
  EXPECT_TRUE(contains(complaint({"--venue", "A=" + file("none.events")}), "none.events"));
}

TEST_F(Backtesting, sends_its_orders_over_the_whole_road_to_a_generated_market) {
  const std::string beside = file("beside.csv"), over = file("over.csv"), json = file("run.json");
  const std::vector<std::string> words{"backtest", "--exchange", "market", "--length", "1s", "--no-progress"};
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = words;
    all.insert(all.end(), more.begin(), more.end());
    return call(all);
  };
  const Outcome road = run({"--road=250us", "--csv", over, "--json", json});
  EXPECT_EQ(road.status, k_success) << road.err;
  EXPECT_EQ(run({"--entry", "500us", "--response", "500us", "--csv", beside}).status, k_success);
  EXPECT_TRUE(contains(content(json), "\"road\": \"250us\"")) << content(json);
  // The same fills, with prices of eight decimals, and the same position behind each.
  const auto positions = [](const std::string& text) {
    std::vector<std::string> found;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) found.push_back(line.substr(line.rfind(',')));
    return found;
  };
  EXPECT_GT(positions(content(over)).size(), 3u);
  EXPECT_EQ(positions(content(over)), positions(content(beside)));

  const Outcome far = run({"--road=2s"});
  EXPECT_EQ(far.status, k_usage);
  EXPECT_TRUE(contains(far.err, "--road takes the delay of a connection, at most 1s")) << far.err;
}

TEST_F(Backtesting, sweeps_over_generated_markets) {
  const std::string table = file("table.csv"), again = file("again.csv"), fills = file("fills.csv");
  const std::vector<std::string> words{"sweep",       "--exchange", "market",           "--length",
                                       "300ms",       "--set",      "period=20ms",      "--set",
                                       "offset=0..1", "--set",      "market.seed=3..4", "--no-progress"};
  auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    return call(more);
  };
  const Outcome run = with({"--csv", table, "--threads", "2"});
  EXPECT_EQ(run.status, k_success) << run.err;
  EXPECT_EQ(std::ranges::count(content(table), '\n'), 5) << content(table);
  EXPECT_EQ(with({"--csv", again, "--threads", "1"}).status, k_success);
  EXPECT_EQ(content(again), content(table));
  EXPECT_TRUE(contains(run.out, "mean profit by offset (down) and market.seed (across)")) << run.out;
  const auto complaint = [&](std::vector<std::string> more) {
    const Outcome outcome = with(std::move(more));
    EXPECT_EQ(outcome.status, k_usage) << outcome.err;
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    return outcome.err;
  };
  EXPECT_TRUE(contains(complaint({"--set", "population.0.cuont=1,2"}), "did you mean \"count\"?"));
  EXPECT_TRUE(contains(complaint({"--set", "population.0.count=1,0"}), "out of range"));
  EXPECT_TRUE(contains(complaint({"--set", "run.queue=log1"}), "run.queue means nothing in a generated market"));
  EXPECT_TRUE(contains(complaint({"--set", "market.length_ms=1,2"}), "--length is market.length_ms"));
  EXPECT_TRUE(contains(complaint({"--population", file("none.toml")}), "cannot be read"));
  EXPECT_EQ(call({"sweep", "--default-population"}).out, call({"backtest", "--default-population"}).out);
}

}  // namespace
}  // namespace dojima::cli
