#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/cli/call_test_support.hpp"
#include "dojima/cli/completion/complete.hpp"
#include "dojima/cli/completion/known_words.hpp"

namespace dojima::cli {
namespace {

using Words = std::vector<std::string>;

/// A small program: `it put FILE|FOLDER [--as a|b] [--list x,y] [--all] [--json [FILE]] [--sets KEY=VALUE]...`, `it
/// see`.
CommandShape small_program() {
  const auto option = [](const char* name, const char* type, int least, int most) {
    return OptionShape{.names = {name},
                       .word_name = {},
                       .type = type,
                       .words = {},
                       .meaning = "does",
                       .values_min = least,
                       .values_max = most};
  };
  CommandShape put{.name = "put", .meaning = "puts\na thing", .options = {}, .commands = {}};
  put.options = {option("--as", "TEXT", 1, 1),     option("--list", "TEXT", 1, 1),      option("--all", "", 0, 0),
                 option("--json", "[FILE]", 0, 1), option("--sets", "KEY=VALUE", 1, 1), option("--in", "FOLDER", 1, 1)};
  put.options[0].words = {"alpha", "beta"};
  put.options[1].words = {"one", "other"};
  put.options[1].delimiter = ',';
  put.options[4].is_repeatable = true;
  put.options.push_back({.names = {},
                         .word_name = "FILE",
                         .type = "FILE|FOLDER",
                         .words = {},
                         .meaning = {},
                         .values_min = 1,
                         .values_max = 1});
  put.options.push_back({.names = {},
                         .word_name = "KIND",
                         .type = "KIND",
                         .words = {"red", "green"},
                         .meaning = {},
                         .values_min = 1,
                         .values_max = 1});
  CommandShape see{.name = "see", .meaning = "sees", .options = {}, .commands = {}};
  return {.name = "it", .meaning = {}, .options = {option("--help", "", 0, 0)}, .commands = {put, see}};
}

Words answer(const std::string& line) {
  Words words;
  const Completion completion = complete(small_program(), line, [](const WordPlace& place) {
    return place.option->word_name.empty() && place.option->names.front() == "--sets" ? Words{place.command + ".key="}
                                                                                      : Words{};
  });
  if (completion.kind == Completion::Kind::files) words.push_back("<files" + completion.prefix + ">");
  if (completion.kind == Completion::Kind::folders) words.push_back("<folders" + completion.prefix + ">");
  for (const Completion::Word& word : completion.words) words.push_back(word.text);
  return words;
}

TEST(Completion, takes_a_line_apart_as_a_shell_does) {
  const ShellLine split = split_line("it  'a b'  \"c \\\" d\" e\\ f\tg'h");
  EXPECT_EQ(split.words, (Words{"it", "a b", "c \" d", "e f"}));
  EXPECT_EQ(split.current, "gh") << "the quote is still open";
  EXPECT_EQ(split_line("it ").current, "");
  EXPECT_EQ(split_line("it ''  ").words, (Words{"it", ""}));
  EXPECT_EQ(split_line("it x\\").current, "x");
  EXPECT_TRUE(split_line("").words.empty());
}

TEST(Completion, offers_commands_and_then_their_words) {
  EXPECT_EQ(answer("it "), (Words{"put", "see"}));
  EXPECT_EQ(answer("it p"), Words{"put"});
  EXPECT_EQ(answer("it -"), Words{"--help"});
  EXPECT_EQ(answer("it x"), Words{});
  EXPECT_EQ(answer("it put "), Words{"<files>"});
  EXPECT_EQ(answer("it put f "), (Words{"red", "green"}));
  EXPECT_EQ(answer("it put f r"), Words{"red"});
  EXPECT_EQ(answer("it put f red --a"), (Words{"--as", "--all"}));
  EXPECT_EQ(answer("it see "), Words{}) << "nothing can follow";
  EXPECT_EQ(answer("i"), Words{}) << "the program's name is the shell's business";
}

TEST(Completion, offers_the_values_of_an_option) {
  EXPECT_EQ(answer("it put --as "), (Words{"alpha", "beta"}));
  EXPECT_EQ(answer("it put --as b"), Words{"beta"});
  EXPECT_EQ(answer("it put --as=b"), Words{"--as=beta"});
  EXPECT_EQ(answer("it put --as -"), Words{}) << "a value is due, and none begins so";
  EXPECT_EQ(answer("it put --as beta f g"), Words{"green"}) << "the option has what it takes";
  EXPECT_EQ(answer("it put --list one,o"), (Words{"one,one", "one,other"}));
  EXPECT_EQ(answer("it put --list=o"), (Words{"--list=one", "--list=other"}));
  EXPECT_EQ(answer("it put --in "), Words{"<folders>"});
  EXPECT_EQ(answer("it put --in=x"), Words{"<folders--in=>"});
  EXPECT_EQ(answer("it put --json=x"), Words{"<files--json=>"});
  EXPECT_EQ(answer("it put --json "), Words{"<files>"}) << "its value may be left out: the next word's files as well";
  EXPECT_EQ(answer("it put --json --l"), Words{"--list"});
  EXPECT_EQ(answer("it put --all=x"), Words{}) << "a flag has no value";
  EXPECT_EQ(answer("it put --sets "), Words{"put.key="});
  EXPECT_EQ(answer("it put --sets=p"), Words{"--sets=put.key="});
}

TEST(Completion, offers_nothing_that_was_given_already_unless_it_may_be_repeated) {
  EXPECT_EQ(answer("it put --as alpha --sets a=b -"), (Words{"--list", "--all", "--json", "--sets", "--in"}));
  EXPECT_EQ(answer("it put --all --as=alpha --json --a"), Words{});
}

TEST(Completion, passes_two_dashes) {
  EXPECT_EQ(answer("it put -- "), Words{"<files>"});
  EXPECT_EQ(answer("it put -- --all "), (Words{"red", "green"})) << "a file that is called so";
}

TEST(Completion, prints_kind_prefix_and_the_first_line_of_each_meaning) {
  Completion completion{.kind = Completion::Kind::folders,
                        .prefix = "--in=",
                        .words = {{"a", "first\nsecond"}, {"b", "x\ty"}, {"c", ""}}};
  EXPECT_EQ(to_text(completion), "folders\t--in=\na\tfirst\nb\tx y\nc\n");
}

std::string lines_for(const std::string& line) {
  const Outcome outcome = call({"completion", "--line", line});
  EXPECT_EQ(outcome.status, k_success) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return outcome.out;
}

TEST(Completion, knows_the_program_as_it_is) {
  EXPECT_TRUE(contains(lines_for("dojima "), "\nvenue\t"));
  EXPECT_TRUE(contains(lines_for("dojima data in"), "\ninfo\tWhat a file holds"));
  EXPECT_TRUE(contains(lines_for("dojima data info --format "), "\nitch50\n"));
  EXPECT_EQ(lines_for("dojima data info --for"), "words\t\n--format\tWhat it is, where its content does not say so\n");
  EXPECT_EQ(lines_for("dojima config default ga"), "words\t\ngateway\n") << "of a word that only some values fit";
  EXPECT_TRUE(contains(lines_for("dojima fsm print fix-s"), "\nfix-session"));
  EXPECT_TRUE(contains(lines_for("dojima venue --set listen.p"), "\nlisten.port=\n"));
  EXPECT_EQ(lines_for("dojima admin hal"), "words\t\nhalt\n");
  EXPECT_EQ(lines_for("dojima admin halt hal"), "words\t\n") << "a verb is the first word";
  EXPECT_TRUE(contains(lines_for("dojima admin halt --seg"), "\n--segment\tA segment of the venue"));
  EXPECT_TRUE(contains(lines_for("dojima admin halt --ins"), "\n--instrument\tAn instrument"));
  EXPECT_EQ(lines_for("dojima completion z"), "words\t\nzsh\n");
  EXPECT_TRUE(lines_for("dojima venue --journal ").starts_with("folders\t"));
  EXPECT_TRUE(lines_for("dojima venue --config=").starts_with("files\t--config=\n"));
  EXPECT_TRUE(lines_for("dojima lab ab -- sle").starts_with("files\t")) << "another program's words";
}

TEST(Completion, names_the_symbols_of_the_file_that_the_line_names) {
  const TemporaryFolder folder;
  const std::string file = folder / "two days.csv";
  EXPECT_EQ(call({"gen", "--model", "poisson", "--seconds", "1", "--out", file, "--no-progress"}).status, k_success);
  const std::string symbols = lines_for("dojima replay \"" + file + "\" --only ");
  EXPECT_GT(symbols.size(), std::string("words\t\n").size()) << symbols;
  for (const char* command : {"backtest", "sweep", "data convert"})
    EXPECT_EQ(lines_for(std::string("dojima ") + command + " \"" + file + "\" --only "), symbols) << command;
  EXPECT_EQ(lines_for("dojima replay /no/such/file --only "), "words\t\n");
  EXPECT_EQ(lines_for("dojima replay - --only "), "words\t\n") << "standard input is left alone";
  EXPECT_EQ(lines_for("dojima replay /dev/zero --only "), "words\t\n") << "what never ends as well";
  const TemporaryFile garbage("\x01\x02\xff");
  EXPECT_EQ(lines_for("dojima replay " + garbage.path() + " --only "), "words\t\n");
}

TEST(Completion, names_strategies_their_parameters_and_what_else_a_run_can_be_set_to) {
  for (const char* command : {"backtest", "sweep", "trade"})
    EXPECT_EQ(lines_for(std::string("dojima ") + command + " --strategy g"), "words\t\ngrid\nglft\n") << command;
  EXPECT_EQ(lines_for("dojima backtest day --queue po"), "words\t\npower1\npower2\npower3\n");
  EXPECT_EQ(lines_for("dojima backtest day --set o"), "words\t\noffset=\n") << "of the standard strategy";
  EXPECT_EQ(lines_for("dojima backtest --strategy twap --set s"), "words\t\nside=\nslices=\n");
  EXPECT_EQ(lines_for("dojima trade --strategy glft --set gam"), "words\t\ngamma=\n");
  EXPECT_EQ(lines_for("dojima sweep day --set run.f"), "words\t\nrun.feed=\nrun.fills=\n");
  EXPECT_EQ(lines_for("dojima sweep --exchange market --set run.f"), "words\t\nrun.feed=\n");
  EXPECT_EQ(lines_for("dojima backtest --exchange market --set market.se"), "words\t\nmarket.seed=\n");
  EXPECT_EQ(lines_for("dojima backtest --exchange market --set population.1.a"),
            "words\t\npopulation.1.actions_a_minute=\npopulation.1.arrivals=\n");
  const TemporaryFile own("[[population]]\nkind = \"noise\"\n");
  EXPECT_EQ(lines_for("dojima backtest --exchange market --population " + own.path() + " --set population.1.a"),
            "words\t\n")
      << "the file has one";
  EXPECT_EQ(lines_for("dojima sweep day --by round"), "words\t\nround_trips\n");
}

TEST(Completion, asks_a_benchmark_for_its_tables) {
  EXPECT_EQ(lines_for("dojima bench no-such --table "), "words\t\n");
  EXPECT_EQ(lines_for("dojima bench --table "), "words\t\n") << "of which benchmark?";
}

TEST(Completion, notices_that_a_place_with_known_words_is_gone) {
  // That all are there now is asserted whenever a line is completed.
  EXPECT_TRUE(contains(lines_for("dojima "), "\nbench\t"));
  const std::vector<std::string> missing = places_that_are_none(small_program());
  EXPECT_NE(std::ranges::find(missing, "data info --format"), missing.end());
}

TEST(Completion, says_in_one_line_which_shells_there_are) {
  EXPECT_TRUE(contains(call({"completion", "bash"}).out, "complete -F _dojima dojima"));
  EXPECT_TRUE(call({"completion", "zsh"}).out.starts_with("#compdef dojima\n"));
  EXPECT_TRUE(contains(call({"completion", "fish"}).out, "complete -c dojima"));
  const Outcome other = call({"completion", "powershell"});
  EXPECT_EQ(other.status, k_usage);
  EXPECT_EQ(other.err, "dojima: no completion for \"powershell\"; there are bash, zsh and fish\n");
  EXPECT_EQ(call({"completion", "bahs"}).err,
            "dojima: no completion for \"bahs\"; there are bash, zsh and fish; did you mean bash?\n");
  EXPECT_EQ(call({"completion"}).status, k_usage);
  EXPECT_EQ(call({"completion", "bash", "--line", "x"}).status, k_usage);
}

}  // namespace
}  // namespace dojima::cli
