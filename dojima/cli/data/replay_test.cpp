#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

#include "dojima/app/dashboard/screens.hpp"
#include "dojima/cli/call_test_support.hpp"
#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/document.hpp"
#include "dojima/evidence/verify.hpp"

namespace dojima::cli {
namespace {

std::string read(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

class Replaying : public testing::Test {
 protected:
  [[nodiscard]] std::string file(const std::string& name) const { return folder_ / name; }

 private:
  TemporaryFolder folder_;
};
using ReplayingLong = Replaying;

TEST_F(ReplayingLong, makes_converts_and_replays_a_day) {
  const std::string events = file("day.events"), csv = file("day.csv"), back = file("back.events");
  const Outcome made = call({"gen", "--model", "hawkes", "--seed", "7", "--requests", "2000", "--out", events});
  EXPECT_EQ(made.status, k_success) << made.err;
  EXPECT_TRUE(contains(made.out, "branching_thousandths")) << made.out;
  EXPECT_EQ(call({"data", "convert", events, csv}).status, k_success);
  EXPECT_EQ(call({"data", "convert", csv, back}).status, k_success);
  EXPECT_TRUE(read(csv).starts_with("kind,event_time,"));
  // The header says what it was made from; behind it the files are the same.
  EXPECT_EQ(read(events).substr(64), read(back).substr(64));

  const std::string json = file("replay.json");
  const Outcome replayed = call({"replay", events, "--book", "mirror", "--check", "--speed", "events", "--out",
                                 file("out"), "--bar", "0.01", "--json", json});
  EXPECT_EQ(replayed.status, k_success) << replayed.err << replayed.out;
  EXPECT_TRUE(contains(replayed.out, "levels and orders agree")) << replayed.out;
  EXPECT_TRUE(evidence::verify(read(json)).is_right());
  EXPECT_TRUE(read(file("out/bars.csv")).starts_with("time,symbol,open"));
}

/// The number behind a word of a table.
std::string value_of(const std::string& table, const std::string& what) {
  std::istringstream words(table.substr(std::min(table.find(what), table.size())));
  std::string word;
  words >> word >> word;
  return word;
}

TEST_F(Replaying, counts_the_instruments_of_an_itch_file_without_the_market_that_system_messages_are_about) {
  const std::string day = file("day.itch");
  EXPECT_EQ(call({"gen", "--requests", "500", "--instruments", "2", "--to", "itch50", "--out", day}).status, k_success);
  const Outcome replayed = call({"replay", day}), info = call({"data", "info", day});
  EXPECT_EQ(value_of(replayed.out, "instruments"), "2") << replayed.out << replayed.err;
  EXPECT_EQ(value_of(info.out, "instruments"), "2") << info.out << info.err;
}

/// A column of what `dojima data convert` says of itself; the words are those behind it.
std::int64_t converted(std::vector<std::string> words, const std::string& column, const std::string& json) {
  words.insert(words.begin(), {"data", "convert"});
  words.insert(words.end(), {"--json", json});
  const Outcome outcome = call(words);
  EXPECT_EQ(outcome.status, k_success) << outcome.err;
  const auto document = evidence::parse_document(read(json));
  if (!document) return -1;
  const auto artefact = evidence::Artefact::from(*document);
  if (!artefact) return -1;
  const evidence::Table& table = artefact->tables().at(0);
  const auto at = std::ranges::find(table.columns, column, &evidence::Column::name) - table.columns.begin();
  const std::int64_t* number = table.rows.at(0).at(static_cast<std::size_t>(at)).integer();
  return number != nullptr ? *number : -1;
}

TEST_F(ReplayingLong, a_conversion_counts_the_instruments_that_the_written_file_names) {
  const std::string day = file("day.itch"), csv = file("day.csv"), compact = file("day.events"), to = file("to.csv");
  EXPECT_EQ(call({"gen", "--requests", "500", "--instruments", "3", "--to", "itch50", "--out", day}).status, k_success);
  const auto count = [&](const std::vector<std::string>& words) {
    const std::int64_t instruments = converted(words, "instruments", file("it.json"));
    EXPECT_EQ(value_of(call({"data", "info", words[1]}).out, "instruments"), std::to_string(instruments)) << words[1];
    return instruments;
  };
  // ITCH's system messages are about the whole market, which is no instrument.
  EXPECT_EQ(count({day, compact}), 3);
  EXPECT_EQ(count({day, csv}), 3);
  EXPECT_EQ(count({csv, file("again.events")}), 3);
  EXPECT_EQ(count({compact, to}), 3);
  // A file without names is about one.
  std::ofstream(file("lobster")) << "34200.1,1,11,100,1000000,1\n";
  EXPECT_EQ(count({file("lobster"), to}), 1);
  // A part of the events has the names of all. In a mapped compact file a time is looked up, others are read up to it.
  const auto all = converted({day, to}, "events_written", file("it.json"));
  for (const std::string& from : {compact, csv, day}) {
    EXPECT_EQ(count({from, to, "--only", "RICE1"}), 3) << from;
    const auto of_one = converted({from, to, "--only", "RICE1"}, "events_written", file("it.json"));
    EXPECT_TRUE(of_one > 0 && of_one < all) << of_one << " of " << all;
    EXPECT_EQ(count({from, to, "--from", "1970-01-01T17:13:20.01"}), 3) << from;
    EXPECT_EQ(count({from, to, "--from", "2200-01-01T00:00:00"}), 3) << from;
    EXPECT_EQ(converted({from, to, "--from", "2200-01-01T00:00:00"}, "events_written", file("it.json")), 0) << from;
  }
}

TEST_F(Replaying, makes_a_day_like_another) {
  const std::string events = file("day.events"), like = file("like.events");
  EXPECT_EQ(call({"gen", "--requests", "5000", "--rate", "1000", "--out", events}).status, k_success);
  const Outcome made = call({"gen", "--like", events, "--seed", "3", "--out", like});
  EXPECT_EQ(made.status, k_success) << made.err;
  EXPECT_TRUE(contains(made.out, "poisson")) << made.out;
  EXPECT_EQ(call({"replay", like}).status, k_success);
}

TEST_F(ReplayingLong, makes_a_day_in_every_format_that_is_written_and_replays_it) {
  for (const std::string format : {"compact", "csv", "lobster", "itch50", "bitstamp"}) {
    const std::string made = file("day." + format);
    EXPECT_EQ(call({"gen", "--requests", "500", "--to", format, "--out", made}).status, k_success) << format;
    const Outcome info = call({"data", "info", made});
    EXPECT_EQ(info.status, k_success) << info.err;
    EXPECT_TRUE(contains(info.out, "  " + format + "\n")) << info.out;
    EXPECT_EQ(call({"replay", made}).status, k_success) << format;
  }
}

TEST_F(Replaying, paces_and_reports_the_lateness) {
  const std::string events = file("day.events");
  EXPECT_EQ(call({"gen", "--requests", "200", "--rate", "1000", "--out", events}).status, k_success);
  const Outcome paced = call({"replay", events, "--speed", "x100"});
  EXPECT_EQ(paced.status, k_success) << paced.err;
  EXPECT_TRUE(contains(paced.out, "speed_error")) << paced.out;
}

TEST_F(Replaying, answers_wrong_words_and_files_with_one_clear_line) {
  std::ofstream(file("noise")) << "no market data\n";
  for (const std::vector<std::string>& words : {std::vector<std::string>{"replay", file("noise")},
                                                {"replay", file("missing")},
                                                {"data", "convert", file("noise"), file("out")},
                                                {"replay", file("noise"), "--speed", "fast"},
                                                {"replay", file("noise"), "--from", "noon"},
                                                {"gen", "--like", file("noise"), "--out", file("out")},
                                                {"replay", file("noise"), "--dashboard"},
                                                {"replay", file("noise"), "--dashboard", "9300"},
                                                {"replay", file("noise"), "--dashboard", "--speed", "max"},
                                                {"replay", file(""), "--dashboard"},
                                                {"replay", file("noise"), "--date", "someday"}}) {
    const Outcome outcome = call(words);
    EXPECT_EQ(outcome.status, k_usage) << words[0] << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("dojima: ")) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
  EXPECT_EQ(call({"gen", "--model", "tides", "--out", file("out")}).status, k_usage);
  EXPECT_EQ(call({"gen", "--out", "/nowhere/at/all"}).status, k_environment);
}

TEST_F(Replaying, refuses_what_a_file_has_nothing_of) {
  const std::string events = file("day.events");
  EXPECT_EQ(call({"gen", "--requests", "20", "--out", events}).status, k_success);
  const Outcome unknown = call({"replay", events, "--only", "WHEAT"});
  EXPECT_EQ(unknown.status, k_usage);
  EXPECT_EQ(unknown.err, "dojima: " + events + ": it has nothing of WHEAT\n");
  const Outcome late = call({"replay", events, "--from", "2030-01-01T00:00:00"});
  EXPECT_EQ(late.status, k_usage);
  EXPECT_TRUE(contains(late.err, events + ": its last event is of 2023")) << late.err;
  EXPECT_TRUE(late.err.ends_with(", before --from\n")) << late.err;
}

TEST_F(Replaying, says_that_its_dashboards_port_is_taken) {
  const std::string events = file("day.events");
  EXPECT_EQ(call({"gen", "--requests", "20", "--out", events}).status, k_success);
  app::Screens taken({.port = 0}, {.picture = {.name = "somebody"}}, {.bytes = 1024, .orders = 1, .instruments = 1});
  const std::string where = "127.0.0.1:" + std::to_string(taken.start().value().port);
  const Outcome outcome = call({"replay", events, "--dashboard", where});
  EXPECT_EQ(outcome.status, k_environment);
  EXPECT_TRUE(contains(outcome.err, "dashboard: cannot listen on " + where + ": Address already in use; "))
      << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "(--dashboard 127.0.0.1:0: any free one)"))
      << "and not what it does not take: " << outcome.err;
  EXPECT_EQ(outcome.out, "");
}

TEST_F(Replaying, fails_where_the_file_ends_too_early) {
  const std::string events = file("day.events"), cut = file("cut.events");
  EXPECT_EQ(call({"gen", "--requests", "9000", "--out", events}).status, k_success);
  const std::string whole = read(events);
  std::ofstream(cut, std::ios::binary) << whole.substr(0, whole.size() - 100);
  const Outcome outcome = call({"replay", cut});
  EXPECT_EQ(outcome.status, k_failed) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "is cut")) << outcome.out;
  EXPECT_EQ(call({"data", "convert", cut, file("rest.csv")}).status, k_failed);
}

}  // namespace
}  // namespace dojima::cli
