// `dojima feed`: what it says of itself and of words that make no sense, and a live venue that it follows.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <thread>
#include <unistd.h>

#include "dojima/app/dashboard/screens.hpp"
#include "dojima/app/passwords/scrypt.hpp"
#include "dojima/app/servers_test_support.hpp"
#include "dojima/cli/call_test_support.hpp"

namespace dojima::cli {
namespace {

using app::testing::Market;
using Words = std::vector<std::string>;

std::string group_of(char line) {
  return "239.255.77." + std::string(line == 'A' ? "31" : "32") + ":" + std::to_string(20'000 + ::getpid() % 20'000);
}

/// A venue with line A and both channels, for the reader READ1.
app::VenueConfig config_of_channels() {
  app::VenueConfig config = Market::venue_config();
  config.feed.line_a = group_of('A');
  config.feed.heartbeat_ms = 50;
  config.feed.replay_port = config.feed.recovery_port = 0;
  config.feed.readers = {{.name = "READ1", .password = "feed_1234"}};
  return config;
}

/// Where the channel `replay` or `recovery` listens.
std::string channel_of(const Market& market, const std::string& name) {
  for (const std::string& line : market.description())
    if (line.starts_with("MIT303 " + name + " ")) return line.substr(8 + name.size());
  return {};
}

TEST(Feed, says_what_it_does) {
  const Outcome outcome = call({"feed", "--help"});
  EXPECT_EQ(outcome.status, 0);
  for (const char* words : {"--line-a", "--drop", "--replay", "--recovery", "Exit status", "example:"})
    EXPECT_TRUE(contains(outcome.out, words)) << words;
}

TEST(Feed, answers_words_that_make_no_sense_with_one_line_and_2) {
  const std::string a = group_of('A');
  for (const auto& [words, problem] :
       {std::pair{Words{}, "no line: say --line-a HOST:PORT"},
        {Words{"--line-a", "nowhere"}, "--line-a nowhere: write HOST:PORT"},
        {Words{"--line-a", "239.255.77.1:0"}, "--line-a 239.255.77.1:0: write HOST:PORT"},
        {Words{"--line-a", a, "--line-b", "x"}, "--line-b x: write HOST:PORT"},
        {Words{"--line-a", a, "--line-b", a}, "--line-b: the lines are the same"},
        {Words{"--line-a", a, "--dashboard", "here"}, "--dashboard here: write HOST:PORT"},
        {Words{"--line-a", a, "--drop", "95%"}, "--drop 95%: write a part of the datagrams from 0 to 90%"},
        {Words{"--line-a", a, "--drop", "some"}, "--drop some: write a part"},
        {Words{"--line-a", a, "--drop", "%"}, "--drop %: write a part"},
        {Words{"--line-a", a, "--replay", "venue"}, "--replay venue: write HOST:PORT"},
        {Words{"--line-a", a, "--recovery", "127.0.0.1:99999"}, "--recovery 127.0.0.1:99999: write HOST:PORT"},
        {Words{"--line-a", a, "--replay", "127.0.0.1:1"}, "the channels want a name"},
        {Words{"--line-a", a, "--user", "SEVENTY"}, "a reader's name has 1 to 6 characters"},
        {Words{"--line-a", a, "--instrument", "KAGA"}, "--instrument KAGA: write a number"},
        {Words{"--line-a", a, "--instrument", "0"}, "--instrument 0: write a number"},
        {Words{"--line-a", a, "--segment", "SEVENTY"}, "--segment SEVENTY: a segment's name has at most 6"},
        {Words{"--line-a", a, "--interface", "eth0"}, "--interface eth0: write an address"},
        {Words{"--line-a", a, "--set", "feed.line_a=x"}, "--set changes a key of the file that --config names"},
        {Words{"day.mitch", "--line-a", a}, "--line-a is of a live feed; leave it or FILE out"},
        {Words{"day.mitch", "--drop", "5%"}, "--drop is of a live feed"},
        {Words{"day.mitch", "--interface", "127.0.0.1"}, "--interface is of a live feed"},
        {Words{"/"}, "/ cannot be read"},
        {Words{"day.mitch", "--speed", "fast"}, "--speed takes max, or a number from 0.1 to 10000"},
        {Words{"day.mitch", "--speed", "max", "--dashboard"}, "leave --speed max out"},
        {Words{"--line-a", a, "--speed", "5"}, "--speed is of a file of recorded units"},
        {Words{"/nowhere/day.mitch"}, "/nowhere/day.mitch cannot be read"},
        {Words{"--config", "/nowhere/venue.toml"}, "/nowhere/venue.toml"}}) {
    Words all = words;
    all.insert(all.begin(), "feed");
    const Outcome outcome = call(all);
    EXPECT_EQ(outcome.status, 2) << problem;
    EXPECT_TRUE(contains(outcome.err, problem)) << outcome.err;
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
}

TEST(Feed, says_that_a_group_cannot_be_joined_and_that_nothing_came) {
  const Outcome nowhere = call({"feed", "--line-a", group_of('A'), "--interface", "192.0.2.1"});
  EXPECT_EQ(nowhere.status, 3);
  EXPECT_TRUE(contains(nowhere.err, "cannot join the group by 192.0.2.1")) << nowhere.err;
  const Outcome silent = call({"feed", "--line-a", "127.0.0.1:" + std::to_string(40'000 + ::getpid() % 20'000),
                               "--seconds", "0.1", "--every", "0.05"});
  EXPECT_EQ(silent.status, 1);
  EXPECT_TRUE(contains(silent.out, "nothing has come")) << silent.out;
}

TEST(Feed, says_that_its_dashboards_port_is_taken) {
  app::Screens taken({.port = 0}, {.picture = {.name = "somebody"}}, {.bytes = 1024, .orders = 1, .instruments = 1});
  const std::string where = "127.0.0.1:" + std::to_string(taken.start().value().port);
  const Outcome outcome = call({"feed", "--line-a", group_of('A'), "--dashboard", where});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_TRUE(contains(outcome.err, "dashboard: cannot listen on " + where + ": Address already in use; "))
      << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "(--dashboard 127.0.0.1:0: any free one)")) << outcome.err;
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  EXPECT_EQ(outcome.out, "");
}

TEST(Feed, refuses_a_segment_that_no_instrument_of_the_configuration_is_of) {
  app::VenueConfig config = Market::venue_config();
  config.feed.line_a = group_of('A');
  const auto refused = [&] {
    const TemporaryFile file(app::text_of(config));
    const Outcome outcome = call({"feed", "--config", file.path(), "--segment", "NOPE", "--seconds", "0.1"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  EXPECT_TRUE(contains(refused(), "--segment NOPE: no instrument of --config has a segment"));
  config.instruments[0].segment = "RICE";
  config.instruments[1].segment = "SALT";
  EXPECT_TRUE(contains(refused(), "--segment NOPE: no instrument of --config is of it; there are RICE, SALT"));
}

TEST(Feed, says_in_words_what_a_channel_refuses_and_ends_with_1_where_a_segment_is_lacking) {
  const Market market(config_of_channels());
  const std::string recovery = channel_of(market, "recovery");
  const auto follow = [&](const std::string& password) {
    return call({"feed", "--line-a", group_of('A'), "--recovery", recovery, "--user", "READ1", "--password", password,
                 "--segment", "NOPE", "--seconds", "1", "--every", "0.1"});
  };
  const Outcome lacking = follow("feed_1234");
  EXPECT_EQ(lacking.status, 1) << lacking.out;
  EXPECT_TRUE(contains(lacking.out, "the recovery channel refuses segment NOPE: there is no such segment (status a)"))
      << lacking.out;
  EXPECT_TRUE(contains(lacking.out, "the books of segment NOPE cannot be had")) << lacking.out;
  EXPECT_TRUE(contains(lacking.out, "0 suspect, 1 segments lacking")) << lacking.out;
  EXPECT_FALSE(contains(lacking.out, "is live")) << lacking.out;
  const Outcome wrong = follow("feed_4321");
  EXPECT_EQ(wrong.status, 1) << wrong.out;
  EXPECT_TRUE(contains(wrong.out, "the recovery channel refuses the login: another password (status e)")) << wrong.out;
  EXPECT_TRUE(contains(wrong.out, "1 segments lacking")) << wrong.out;
}

TEST(Feed, stays_equal_beside_a_live_venue_with_a_fifth_of_all_datagrams_dropped) {
  app::VenueConfig config = Market::venue_config();
  config.feed.line_a = group_of('A');
  config.feed.line_b = group_of('B');
  config.feed.heartbeat_ms = 50;
  config.feed.replay_port = config.feed.recovery_port = 0;
  config.feed.readers = {{.name = "READ1", .password = "feed_1234"}, {.name = "READ2", .password = "feed_5678"}};
  const Market market(config);
  const auto where = [&](const std::string& name) { return channel_of(market, name); };
  // It goes on until the reader has ended, however late that began.
  const std::jthread trader([&](const std::stop_token& end) {
    while (!end.stop_requested()) {
      Words lines;
      for (int number = 0; number < 20; ++number)
        lines.push_back((number % 2 == 0 ? "buy 10 KAGA @ " : "sell 10 KAGA @ ") + std::to_string(95 + number % 7));
      static_cast<void>(app::testing::trade({market.address()}, lines));
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }
  });
  const TemporaryFile file(app::text_of(config));
  TemporaryFile json("");
  const Outcome outcome =
      call({"feed", "--config", file.path(), "--replay", where("replay"), "--recovery", where("recovery"), "--drop",
            "20%", "--seconds", "1.5", "--every", "0.1", "--tape", "--json", json.path()});
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "with a reader that gets all: equal")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "joined group 1")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "KAGA")) << outcome.out;
  std::ifstream artefact(json.path());
  const std::string text{std::istreambuf_iterator<char>(artefact), {}};
  EXPECT_TRUE(contains(text, "nothing is missing and no book is suspect")) << text;
  EXPECT_FALSE(contains(text + outcome.out + outcome.err, "feed_")) << "no password";
}

TEST(Feed, lets_in_readers_whose_passwords_are_hashed_in_the_configuration) {
  app::VenueConfig config = Market::venue_config();
  config.feed.line_a = group_of('A');
  config.feed.heartbeat_ms = 50;
  config.feed.replay_port = config.feed.recovery_port = 0;
  config.feed.readers = {{.name = "READ1", .password = app::scrypt_text("feed_1234", {.ln = 10})}};
  const Market market(config);
  static_cast<void>(app::testing::trade({market.address()}, {"buy 10 KAGA @ 95"}));
  const TemporaryFile file(app::text_of(config));
  TemporaryFile secret("feed_1234\n"), guess("feed_9999\n");
  secret.keep_secret();
  guess.keep_secret();
  const auto read = [&](const std::string& password) {
    return call({"feed", "--config", file.path(), "--replay", channel_of(market, "replay"), "--recovery",
                 channel_of(market, "recovery"), "--password-file", password, "--user", "READ1", "--seconds", "1"});
  };
  const Outcome right = read(secret.path());
  EXPECT_EQ(right.status, 0) << right.out << right.err;
  EXPECT_FALSE(contains(right.out, "refuses")) << right.out;
  const Outcome wrong = read(guess.path());
  EXPECT_TRUE(contains(wrong.out, "refuses the login: another password (status e)")) << wrong.out;
  const Outcome none = call({"feed", "--config", file.path(), "--seconds", "0.1"});
  EXPECT_EQ(none.status, 2);
  EXPECT_TRUE(contains(none.err, "of reader READ1 the venue's file has a password_hash")) << none.err;
}

TEST(Feed, reads_what_a_venue_has_written_into_a_file) {
  const TemporaryFolder folder;
  const std::string path = folder / "day.mitch";
  app::VenueConfig config = Market::venue_config();
  config.feed_file = path;
  {
    const Market market(config);
    static_cast<void>(app::testing::trade({market.address()}, {"buy 10 KAGA @ 95", "sell 4 KAGA @ 95"}));
  }
  const TemporaryFile file(app::text_of(config));
  const Outcome outcome = call({"feed", path, "--config", file.path(), "--tape", "--json", folder / "run.json"});
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "KAGA")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, " live")) << outcome.out;
  std::ifstream artefact(folder / "run.json");
  const std::string text{std::istreambuf_iterator<char>(artefact), {}};
  EXPECT_TRUE(contains(text, "\"file\"")) << text;
  // One that was broken off.
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 3);
  const Outcome cut = call({"feed", path});
  EXPECT_EQ(cut.status, 1) << cut.out;
  EXPECT_TRUE(contains(cut.err, "day.mitch at byte ")) << cut.err;
  EXPECT_TRUE(contains(cut.err, "the file ends within it")) << cut.err;
}

TEST(Feed, logs_in_with_a_password_out_of_a_file_and_does_not_show_it) {
  const Market market(config_of_channels());
  const auto where = [&](const std::string& name) { return channel_of(market, name); };
  // Nobody follows the feed yet: what rests in the books comes by the recovery channel only.
  static_cast<void>(app::testing::trade({market.address()}, {"buy 10 KAGA @ 95"}));
  const TemporaryFolder folder;
  const std::string secret = folder.write("secret", "feed_1234\n"), wrong = folder.write("wrong", "feed_9876\n");
  for (const std::string& file : {secret, wrong})
    std::filesystem::permissions(file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  const auto follow = [&](const std::string& file) {
    const Outcome outcome = call({"feed", "--line-a", group_of('A'), "--replay", where("replay"), "--recovery",
                                  where("recovery"), "--instrument", "1001@1", "--user", "READ1", "--password-file",
                                  file, "--seconds", "0.7", "--every", "0.1", "--json", folder / "run.json"});
    std::ifstream artefact(folder / "run.json");
    const std::string text{std::istreambuf_iterator<char>(artefact), {}};
    EXPECT_FALSE(contains(text + outcome.out + outcome.err, "feed_")) << "no password";
    EXPECT_TRUE(contains(text, "\"line_a\"")) << text;
    return outcome;
  };
  const Outcome in = follow(secret), out = follow(wrong);
  EXPECT_EQ(in.status, 0) << in.out << in.err;
  EXPECT_TRUE(contains(in.out, "1 books recovered")) << in.out;
  EXPECT_EQ(out.status, 1) << "nobody gave it the books: " << out.out;
  const Outcome refused =
      call({"feed", "--line-a", group_of('A'), "--user", "READ1", "--password-file", secret, "--password", "x"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.err, "dojima: --password and --password-file: one of them\n");
}

}  // namespace
}  // namespace dojima::cli
