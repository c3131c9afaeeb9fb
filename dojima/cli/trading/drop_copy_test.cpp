// `dojima drop-copy`: words that make no sense, and the reports of a firm at a live venue, as in the files of the day.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "dojima/app/passwords/scrypt.hpp"
#include "dojima/app/servers_test_support.hpp"
#include "dojima/cli/call_test_support.hpp"

namespace dojima::cli {
namespace {

using app::testing::Market;
using Words = std::vector<std::string>;

app::VenueConfig config_of(const TemporaryFolder& folder) {
  app::VenueConfig config = Market::venue_config();
  config.copies_port = 0;
  for (auto& user : config.users) user.account = user.name == "KONOIKE" ? "RICE" : "SILK";
  config.copies.readers = {{.name = "RICE-COPY", .password = "copy_1234", .of = "account:RICE", .host = {}},
                           {.name = "ALL-COPY", .password = "copy_5678", .of = "all", .host = {}}};
  config.journal.directory = folder / "journal";
  config.journal.segment_megabytes = 1;
  return config;
}

std::string port_of(const Market& market) {
  for (const std::string& line : market.description())
    if (const std::string begin = "MIT203 drop copies "; line.starts_with(begin)) return line.substr(begin.size());
  return {};
}

/// By the names of the columns.
std::vector<std::map<std::string, std::string>> rows_of(const std::string& text) {
  std::istringstream lines(text);
  const auto cells_of = [](const std::string& line) {
    Words cells;
    std::istringstream in(line + ",");
    for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
    return cells;
  };
  std::string line;
  std::getline(lines, line);
  const Words columns = cells_of(line);
  std::vector<std::map<std::string, std::string>> rows;
  while (std::getline(lines, line)) {
    const Words cells = cells_of(line);
    EXPECT_EQ(cells.size(), columns.size()) << line;
    auto& row = rows.emplace_back();
    for (std::size_t at = 0; at < std::min(cells.size(), columns.size()); ++at) row[columns[at]] = cells[at];
  }
  return rows;
}

std::string file_text(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(DropCopy, answers_words_that_make_no_sense_with_one_line_and_2) {
  for (const auto& [words, problem] :
       {std::pair{Words{}, "say a reader of the venue with --user"},
        {Words{"--user", "HOUSE"}, "say a reader of the venue with --user and its --password-file"},
        {Words{"--user", "X", "--password", "y", "--connect", "nowhere"}, "--connect nowhere: write HOST:PORT"},
        {Words{"--user", "X", "--password", "y", "--dialect", "FIX"}, "--dialect FIX: LSE-21.2, BIT-9.4"},
        {Words{"--set", "drop_copy.port=1"}, "--set changes a key of the file that --config names"},
        {Words{"--config", "/nowhere/venue.toml"}, "/nowhere/venue.toml"}}) {
    Words all = words;
    all.insert(all.begin(), "drop-copy");
    const Outcome outcome = call(all);
    EXPECT_EQ(outcome.status, 2) << problem;
    EXPECT_TRUE(contains(outcome.err, problem)) << outcome.err;
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  }
  const Outcome nobody = call({"drop-copy", "--user", "X", "--password", "y", "--connect", "127.0.0.1:1"});
  EXPECT_EQ(nobody.status, 3);
  EXPECT_TRUE(contains(nobody.err, "nobody listens at 127.0.0.1:1")) << nobody.err;
}

TEST(DropCopy, has_every_trade_of_the_file_of_the_day_and_only_those_of_its_firm) {
  const TemporaryFolder folder;
  const app::VenueConfig config = config_of(folder);
  const auto copies = [&](const std::string& where, const std::string& user, const std::string& password) {
    return call({"drop-copy", "--connect", where, "--user", user, "--password", password, "--until-now", "--json",
                 folder / (user + ".json")});
  };
  Outcome all, rice, wrong;
  {
    const Market market(config);
    static_cast<void>(app::testing::trade({market.address()}, {"buy 30 KAGA @ 99", "buy 5 HIGO @ 50"}));
    static_cast<void>(app::testing::trade(
        {market.address()}, {"sell 10 KAGA @ 99", "sell 5 KAGA @ 98", "sell 7 HIGO @ 50", "cancel all"}, "YODOYA"));
    const std::string where = port_of(market);
    ASSERT_FALSE(where.empty());
    all = copies(where, "ALL-COPY", "copy_5678");
    rice = copies(where, "RICE-COPY", "copy_1234");
    wrong = copies(where, "RICE-COPY", "copy_5678");
  }
  EXPECT_EQ(wrong.status, 1);
  EXPECT_TRUE(contains(wrong.err, "did not take the logon")) << wrong.err;
  ASSERT_EQ(all.status, 0) << all.err;
  ASSERT_EQ(rice.status, 0) << rice.err;
  EXPECT_FALSE(contains(all.out + all.err + file_text(folder / "ALL-COPY.json"), "copy_")) << "no password";
  const Outcome files = call({"journal", "day", config.journal.directory, "--out", folder / "day"});
  ASSERT_EQ(files.status, 0) << files.err;
  // Both sides of each trade, by number, user, order, price and lots.
  using Side = std::vector<std::string>;
  std::multiset<Side> wanted, copied, of_rice;
  for (auto& row : rows_of(file_text(folder / "day/trades.csv")))
    for (const auto& [user, order] : {std::pair{"buyer", "buy_order"}, {"seller", "sell_order"}})
      wanted.insert({row["trade"], row[user], row[order], row["price"], row["quantity"]});
  for (auto& row : rows_of(all.out))
    if (row["event"] == "traded")
      copied.insert({row["trade"], row["user"], row["order"], row["price"], row["quantity"]});
  EXPECT_EQ(copied, wanted);
  EXPECT_EQ(wanted.size(), 6u);
  std::set<std::string> events;
  for (auto& row : rows_of(rice.out)) {
    EXPECT_EQ(row["user"], "KONOIKE");
    events.insert(row["event"]);
    if (row["event"] == "traded")
      of_rice.insert({row["trade"], row["user"], row["order"], row["price"], row["quantity"]});
  }
  std::erase_if(wanted, [](const Side& side) { return side[1] != "KONOIKE"; });
  EXPECT_EQ(of_rice, wanted);
  EXPECT_TRUE(events.contains("accepted"));
}

TEST(DropCopy, lets_in_readers_whose_passwords_are_hashed_in_the_configuration) {
  const TemporaryFolder folder;
  app::VenueConfig config = config_of(folder);
  for (auto& reader : config.copies.readers) reader.password = app::scrypt_text(reader.password, {.ln = 10});
  const TemporaryFile file(app::text_of(config));
  EXPECT_FALSE(contains(app::text_of(config), "copy_1234"));
  TemporaryFile secret("copy_1234\n"), guess("copy_9999\n");
  secret.keep_secret();
  guess.keep_secret();
  const Market market(config);
  static_cast<void>(app::testing::trade({market.address()}, {"buy 30 KAGA @ 99"}));
  const auto copies = [&](const std::string& password) {
    return call({"drop-copy", "--config", file.path(), "--connect", port_of(market), "--user", "RICE-COPY",
                 "--password-file", password, "--until-now"});
  };
  const Outcome wrong = copies(guess.path());
  EXPECT_EQ(wrong.status, 1) << wrong.out << wrong.err;
  EXPECT_TRUE(contains(wrong.err, "did not take the logon")) << wrong.err;
  for (int time = 0; time < 2; ++time) {
    const Outcome right = copies(secret.path());
    EXPECT_EQ(right.status, 0) << right.err;
    EXPECT_TRUE(contains(right.out, "accepted")) << right.out;
  }
  const Outcome none = call({"drop-copy", "--config", file.path(), "--user", "RICE-COPY"});
  EXPECT_EQ(none.status, 2);
  EXPECT_TRUE(contains(none.err, "of reader RICE-COPY the venue's file has a password_hash")) << none.err;
}

/// Another life of the venue: what is not in its log any more comes out of the journal, under the same numbers.
TEST(DropCopy, has_the_same_day_again_from_a_venue_that_was_started_anew) {
  const TemporaryFolder folder;
  app::VenueConfig config = config_of(folder);
  const auto copies = [&](const Market& market) {
    return call(
        {"drop-copy", "--connect", port_of(market), "--user", "ALL-COPY", "--password", "copy_5678", "--until-now"});
  };
  Outcome before, after;
  {
    const Market market(config);
    static_cast<void>(app::testing::trade({market.address()}, {"buy 30 KAGA @ 99", "sell 10 KAGA @ 99"}));
    before = copies(market);
  }
  {
    const Market market(config);
    after = copies(market);
  }
  ASSERT_EQ(before.status, 0) << before.err;
  ASSERT_EQ(after.status, 0) << after.err;
  EXPECT_GT(std::ranges::count(before.out, '\n'), 2);
  // What the end of the first life cancelled comes behind it.
  EXPECT_TRUE(after.out.starts_with(before.out)) << before.out << after.out;
}

}  // namespace
}  // namespace dojima::cli
