#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/app/config.hpp"
#include "dojima/app/passwords/scrypt.hpp"
#include "dojima/app/venue_server.hpp"
#include "dojima/cli/call_test_support.hpp"

namespace dojima::cli {
namespace {

TEST(Cli, says_its_version_and_its_commands) {
  EXPECT_EQ(call({"--version"}).status, k_success);
  EXPECT_TRUE(call({"--version"}).out.starts_with("dojima "));
  const Outcome help = call({"--help"});
  EXPECT_EQ(help.status, k_success);
  EXPECT_TRUE(contains(help.out, "config")) << help.out;
  EXPECT_TRUE(contains(help.out, "book")) << help.out;
  EXPECT_TRUE(contains(help.out, "Exit status")) << help.out;
  EXPECT_EQ(call({}).status, k_usage);
}

TEST(Cli, suggests_what_was_meant) {
  const Outcome command = call({"cnofig"});
  EXPECT_EQ(command.status, k_usage);
  EXPECT_TRUE(contains(command.err, "did you mean config?")) << command.err;
  const Outcome inner = call({"config", "chekc", "x"});
  EXPECT_EQ(inner.status, k_usage);
  EXPECT_TRUE(contains(inner.err, "did you mean check?")) << inner.err;
  const Outcome option = call({"--versoin"});
  EXPECT_EQ(option.status, k_usage);
  EXPECT_TRUE(contains(option.err, "did you mean --version?")) << option.err;
}

TEST(Cli, says_what_is_missing_and_where_help_is) {
  const Outcome outcome = call({"config", "check"});
  EXPECT_EQ(outcome.status, k_usage);
  EXPECT_TRUE(contains(outcome.err, "FILE is required")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "see dojima config check --help")) << outcome.err;
}

/// Meanwhile the program is started in that folder.
class StartedIn {
 public:
  explicit StartedIn(const std::string& folder) : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(folder);
  }
  ~StartedIn() { std::filesystem::current_path(before_); }
  StartedIn(const StartedIn&) = delete;
  StartedIn& operator=(const StartedIn&) = delete;

 private:
  std::filesystem::path before_;
};

TEST(Cli, prints_defaults_that_it_finds_right) {
  const TemporaryFolder folder;
  const StartedIn there(folder / "");
  for (const char* kind : {"venue", "gateway"}) {
    const Outcome printed = call({"config", "default", kind});
    EXPECT_EQ(printed.status, k_success);
    EXPECT_FALSE(contains(printed.out, "rice-1730")) << "no password is in clear";
    const TemporaryFile file(printed.out);
    const Outcome checked = call({"config", "check", file.path()});
    EXPECT_EQ(checked.status, k_success) << checked.err;
    EXPECT_TRUE(contains(checked.out, kind)) << checked.out;
  }
  EXPECT_EQ(call({"config", "default", "exchange"}).status, k_usage);
}

TEST(Cli, makes_the_password_file_of_a_default_gateway_for_its_owner_alone) {
  using std::filesystem::perms;
  const TemporaryFolder folder;
  const std::string file = folder / "gateway.password";
  const StartedIn there(folder / "");
  EXPECT_EQ(call({"config", "default", "venue"}).err, "");
  EXPECT_FALSE(std::filesystem::exists(file));
  const Outcome first = call({"config", "default", "gateway"});
  EXPECT_EQ(
      first.err,
      "gateway.password: made, the password with which the default gateway logs on; its owner alone may read it\n");
  EXPECT_EQ(std::filesystem::status(file).permissions(), perms::owner_read | perms::owner_write);
  const std::string config = folder.write("gateway.toml", first.out);
  EXPECT_EQ(call({"config", "check", config}).status, k_success);
  // One that is there stays what it is.
  folder.write("gateway.password", "mine\n");
  const Outcome again = call({"config", "default", "gateway"});
  EXPECT_EQ(again.err, "");
  EXPECT_EQ(again.out, first.out);
  EXPECT_EQ(std::filesystem::file_size(file), 5u);
  // What others may read is refused, of each client that names it a line.
  std::filesystem::permissions(file, perms::group_read, std::filesystem::perm_options::add);
  const Outcome refused = call({"gateway", "--config", config});
  EXPECT_EQ(refused.status, k_usage);
  EXPECT_TRUE(
      contains(refused.err, "client.0.venue_password_file: gateway.password: others may read it; chmod 600 it\n"))
      << refused.err;
}

TEST(Cli, says_that_the_password_file_of_a_default_gateway_cannot_be_made) {
  const TemporaryFolder folder;
  const std::string gone = folder / "gone";
  std::filesystem::create_directory(gone);
  const StartedIn there(gone);
  std::filesystem::remove(gone);
  const Outcome printed = call({"config", "default", "gateway"});
  EXPECT_EQ(printed.status, k_environment);
  EXPECT_TRUE(contains(printed.out, "venue_password_file = \"gateway.password\"")) << "it is printed all the same";
  EXPECT_EQ(printed.err,
            "dojima: gateway.password, which this configuration names, cannot be made: No such file or directory\n");
}

TEST(Cli, makes_what_stands_in_the_place_of_a_password) {
  const TemporaryFile secret("Secret#2026\r\nsecond line\n");
  const Outcome made = call({"config", "hash-password", secret.path(), "--cost", "10"});
  EXPECT_EQ(made.status, k_success);
  ASSERT_TRUE(made.out.starts_with("$scrypt$ln=10,r=8,p=1$")) << made.out;
  EXPECT_TRUE(app::is_password_of(made.out.substr(0, made.out.size() - 1), "Secret#2026"));
  const TemporaryFile empty("\n"), long_one(std::string(26, 'p'));
  for (const TemporaryFile* const wrong : {&empty, &long_one}) {
    const Outcome refused = call({"config", "hash-password", wrong->path()});
    EXPECT_EQ(refused.status, k_usage);
    EXPECT_TRUE(contains(refused.err, "1 to 25 characters")) << refused.err;
  }
  EXPECT_EQ(call({"config", "hash-password", "/nowhere/secret"}).status, k_usage);
  EXPECT_EQ(call({"config", "hash-password", secret.path(), "--cost", "9"}).status, k_usage);
  EXPECT_TRUE(contains(call({"config", "hash-password", "--help"}).out, "--cost"));
}

TEST(Cli, says_what_is_wrong_with_a_configuration) {
  const TemporaryFile file("kind = \"venue\"\n[listen]\nprot = 1\n");
  const Outcome outcome = call({"config", "check", file.path()});
  EXPECT_EQ(outcome.status, k_usage);
  EXPECT_TRUE(contains(outcome.err, ":3:8: listen.prot: no such key; did you mean \"port\"?")) << outcome.err;
  EXPECT_EQ(call({"config", "check", "/no/such/file"}).status, k_usage);
}

TEST(Cli, says_that_a_port_is_taken_and_answers_with_the_environments_status) {
  app::VenueConfig config = app::default_venue();
  config.listen.port = 0;
  app::VenueServer first(config);
  const std::string port = "listen.port=" + std::to_string(first.start().value().port);
  const TemporaryFile file(app::text_of(app::default_venue()));
  const Outcome second = call({"venue", "--config", file.path(), "--set", port.c_str()});
  EXPECT_EQ(second.status, k_environment);
  EXPECT_TRUE(contains(second.err, "choose another port")) << second.err;
}

TEST(Cli, says_where_the_market_data_cannot_be_written) {
  const TemporaryFile file(app::text_of(app::default_venue()));
  const Outcome outcome = call({"venue", "--config", file.path(), "--feed", "/nowhere/day.mitch"});
  EXPECT_EQ(outcome.status, k_environment);
  EXPECT_TRUE(contains(outcome.err, "/nowhere/day.mitch")) << outcome.err;
}

TEST(Cli, refuses_overrides_that_mean_nothing) {
  const TemporaryFile file(app::text_of(app::default_venue()));
  EXPECT_EQ(call({"venue", "--config", file.path(), "--set", "listen.port"}).status, k_usage);
  const Outcome outcome = call({"venue", "--config", file.path(), "--set", "listen.prot=1"});
  EXPECT_EQ(outcome.status, k_usage);
  EXPECT_TRUE(contains(outcome.err, "did you mean \"port\"?")) << outcome.err;
  const Outcome kept = call({"venue", "--config", file.path(), "--commands", "."});
  EXPECT_EQ(kept.status, k_usage);
  EXPECT_TRUE(contains(kept.err, "journal.keep=true")) << kept.err;
  EXPECT_EQ(call({"gateway", "--config", file.path()}).status, k_usage) << "a venue's file";
}

TEST(CliLong, runs_a_trading_day_at_any_pace_with_the_same_trades) {
  const auto day = [](std::vector<std::string> more) {
    std::vector<std::string> words{"demo", "--day", "--seconds", "2", "--rate", "4000", "--no-progress"};
    words.insert(words.end(), more.begin(), more.end());
    return call(words);
  };
  const Outcome event_driven = day({});
  EXPECT_EQ(event_driven.status, k_success) << event_driven.out << event_driven.err;
  for (const char* phase : {"start of day", "opening call", "regular trading", "intraday call", "re-opening call",
                            "closing call", "closing price cross", "post-close", "end of day"})
    EXPECT_NE(event_driven.out.find(phase), std::string::npos) << phase;
  const Outcome paced = day({"--speed", "10000"});
  EXPECT_EQ(paced.status, k_success);
  const auto digest_line = [](const std::string& text) {
    const std::size_t at = text.find("trade digest");
    return text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_EQ(digest_line(paced.out), digest_line(event_driven.out));
}

TEST(CliLong, runs_the_demo_in_virtual_time_for_people_and_for_scripts) {
  const Outcome people = call({"demo", "--virtual", "--seconds", "0.2", "--rate", "1000", "--no-progress"});
  EXPECT_EQ(people.status, k_success) << people.err;
  EXPECT_TRUE(contains(people.out, "quantity conserved")) << people.out;
  const Outcome script = call({"demo", "--virtual", "--seconds", "0.2", "--rate", "1000", "--json"});
  EXPECT_EQ(script.status, k_success) << script.err;
  EXPECT_TRUE(script.out.starts_with("{")) << script.out;
  EXPECT_TRUE(contains(script.out, "dojima.lab.run/1"));
  const TemporaryFile file("");
  const Outcome both = call({"demo", "--virtual", "--seconds", "0.2", "--rate", "1000", "--json", file.path()});
  EXPECT_EQ(both.out, people.out) << "the file takes the JSON, people read the rest";
  EXPECT_GT(std::filesystem::file_size(file.path()), 1000u);
  const Outcome paged =
      call({"demo", "--virtual", "--seconds", "0.2", "--rate", "1000", "--no-progress", "--report", file.path()});
  EXPECT_EQ(paged.status, k_success) << paged.err;
  std::string first_line;
  std::getline(std::ifstream(file.path()), first_line);
  EXPECT_EQ(first_line, "<!DOCTYPE html>");
  for (const char* option : {"--json", "--report"}) {
    const Outcome nowhere =
        call({"demo", "--virtual", "--seconds", "3600", "--rate", "10000", option, "/no/such/file"});
    EXPECT_EQ(nowhere.status, k_environment) << option << " is found wanting before the run, not after it";
    EXPECT_EQ(nowhere.out, "");
  }
  EXPECT_EQ(call({"demo", "--clients", "0"}).status, k_usage);
  EXPECT_EQ(call({"demo", "--day", "--seconds", "0.5"}).status, k_usage) << "too short for a day";
  EXPECT_EQ(call({"demo", "--virtual", "--kill", "venue"}).status, k_usage);
  EXPECT_EQ(call({"demo", "--kill", "everybody"}).status, k_usage);
  EXPECT_EQ(call({"demo", "--kill", "gateway,venue", "--kills", "0"}).status, k_usage);
  EXPECT_EQ(call({"demo", "--kill", "gateway", "--durability", "none"}).status, k_usage);
}

TEST(Cli, runs_scenarios_and_says_where_they_expect_something_else) {
  const TemporaryFile right(
      "sell A 5 @ 10\n> accepted A sell 5 @ 10 leaves 5 shows 5\n> added A sell 5 @ 10 leaves 5 shows 5\n");
  const Outcome passed = call({"book", "run", right.path()});
  EXPECT_EQ(passed.status, k_success) << passed.err;
  EXPECT_TRUE(contains(passed.out, ": ok, 1 commands, 1 checked")) << passed.out;

  const TemporaryFile wrong("sell A 5 @ 10\n> none\n");
  const Outcome differing = call({"book", "run", wrong.path(), right.path()});
  EXPECT_EQ(differing.status, k_failed);
  EXPECT_TRUE(contains(differing.out, ":1: sell A 5 @ 10")) << differing.out;
  EXPECT_TRUE(contains(differing.out, "expected: none")) << differing.out;
  EXPECT_TRUE(contains(differing.out, "got:      added A sell 5 @ 10 leaves 5 shows 5")) << differing.out;
  EXPECT_TRUE(contains(differing.out, ": ok, 1 commands")) << "the others are run all the same";
}

TEST(Cli, prints_a_scenario_with_the_reports_of_any_storage) {
  const TemporaryFile bare("sell A 5 @ 10 # a remark\nbuy B 2 market\n> none\n");
  std::string first;
  for (const char* storage : {"ladder", "intrusive", "pooled", "map"}) {
    const Outcome printed = call({"book", "run", "--print", "--storage", storage, bare.path()});
    EXPECT_EQ(printed.status, k_success) << "what is expected is not looked at";
    EXPECT_TRUE(contains(printed.out, "\n> traded A sell 2 @ 10 leaves 3 shows 3 with B\n")) << printed.out;
    if (first.empty()) first = printed.out;
    EXPECT_EQ(printed.out, first);
  }
  const TemporaryFile again(first);
  EXPECT_EQ(call({"book", "run", again.path()}).status, k_success);
}

TEST(Cli, says_which_line_of_a_scenario_it_cannot_read) {
  for (const char* text : {"sell A 5 @ 10\nbye A\n", "# remark\nsell A 5\n", "\nbuy A 5 @ 1.5x\n",
                           "\nbuy A 5 @ 1 sow=3\n", "\ncancel A\n", "\n> none\n", "\nbuy A 5 @ 1 owner=99\n",
                           "\nbook orders=0\n", "\ncancel_all everyone=perhaps\n", "\nbook accounts=65536\n"}) {
    const TemporaryFile file(text);
    const Outcome outcome = call({"book", "run", file.path()});
    EXPECT_EQ(outcome.status, k_usage) << text;
    EXPECT_TRUE(contains(outcome.err, std::string(file.path()) + ":2: ")) << text << outcome.err;
  }
  const TemporaryFile garbage("\x1b[31m\xff" + std::string(1000, 'x') + "\n");
  const Outcome shown = call({"book", "run", garbage.path()});
  EXPECT_EQ(shown.status, k_usage);
  EXPECT_FALSE(contains(shown.err, "\x1b")) << "nothing of a file reaches the terminal as a control sequence";
  EXPECT_FALSE(contains(shown.err, "\xff"));
  EXPECT_LT(shown.err.size(), 400u);
  EXPECT_EQ(call({"book", "run", "/no/such/file"}).status, k_usage);
  EXPECT_EQ(call({"book", "run"}).status, k_usage);
  EXPECT_EQ(call({"book", "run", "--storage", "heap", "x"}).status, k_usage);
  const Outcome unknown = call({"book", "rum"});
  EXPECT_EQ(unknown.status, k_usage);
  EXPECT_TRUE(contains(unknown.err, "did you mean run?")) << unknown.err;
}

TEST(Cli, takes_the_scenarios_of_a_folder_in_the_order_of_their_names) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() /
      ("dojima-cli-scenarios-" + std::to_string(reinterpret_cast<std::uintptr_t>(&folder)));
  std::filesystem::create_directories(folder / "below");
  EXPECT_EQ(call({"book", "run", folder.c_str()}).status, k_usage) << "none there";
  std::ofstream(folder / "b.txt") << "show\n> none\n";
  std::ofstream(folder / "a.txt") << "show\n";
  std::ofstream(folder / "below" / "c.txt") << "show\n";
  std::ofstream(folder / "notes.md") << "not a scenario\n";
  const Outcome outcome = call({"book", "run", folder.c_str()});
  EXPECT_EQ(outcome.status, k_success) << outcome.err;
  EXPECT_LT(outcome.out.find("a.txt: ok, 1 commands, 0 checked"), outcome.out.find("b.txt: ok, 1 commands, 1 checked"));
  EXPECT_TRUE(contains(outcome.out, "c.txt: ok")) << outcome.out;
  std::filesystem::remove_all(folder);
}

TEST(Cli, reports_to_a_trader_that_nobody_listens) {
  const Outcome outcome = call({"trade", "--connect", "127.0.0.1:1", "--sender", "X"});
  EXPECT_EQ(outcome.status, k_environment);
  EXPECT_TRUE(contains(outcome.out, "nobody listens at 127.0.0.1:1")) << outcome.out;
  EXPECT_EQ(call({"trade", "--connect", "nowhere", "--sender", "X"}).status, k_usage);
  EXPECT_EQ(call({"trade"}).status, k_usage);
  EXPECT_EQ(call({"trade", "--native"}).status, k_usage);
  EXPECT_EQ(call({"trade", "--native", "--user", "X", "--dialect", "ITCH"}).status, k_usage);
  EXPECT_EQ(call({"trade", "--native", "--user", "X", "--instrument", "KAGA=x"}).status, k_usage);
  EXPECT_EQ(call({"trade", "--sender", "X", "--version", "FIX.9"}).status, k_usage);
  EXPECT_EQ(call({"trade", "--sender", "X", "--script", "/nowhere/at.all"}).status, k_usage);
}

}  // namespace
}  // namespace dojima::cli
