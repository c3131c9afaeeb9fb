#include "dojima/cli/cli.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fmt/core.h>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/app/admin_answer.hpp"
#include "dojima/app/nearest.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/data/data.hpp"

namespace dojima::cli {
namespace {

/// The subcommand that the words led to.
const CLI::App& deepest(const CLI::App& program) {
  const CLI::App* at = &program;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  return *at;
}

/// "dojima config check"
std::string name_of(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? "dojima" : name_of(*parent) + " " + command.get_name();
}

std::vector<std::string> words_below(const CLI::App& command, bool is_option) {
  std::vector<std::string> words;
  if (is_option) {
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
    }
  } else {
    for (const CLI::App* inner : command.get_subcommands([](const CLI::App*) { return true; }))
      words.push_back(inner->get_name());
  }
  return words;
}

/// What was not understood, and what may have been meant.
std::string describe_unknown(const CLI::App& command, const std::string& word) {
  const bool is_option = word.starts_with("-");
  const std::string name = word.substr(0, word.find('='));
  std::string text = fmt::format("\"{}\" is not known to {}", word, name_of(command));
  if (const auto meant = app::nearest(name, words_below(command, is_option)))
    text += fmt::format("; did you mean {}?", *meant);
  return text;
}

int explain(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App& command = deepest(program);
  const std::vector<std::string> unknown = program.remaining(true);
  if (!unknown.empty()) {
    complain(describe_unknown(command, unknown.front()));
  } else {
    complain(error.what());
  }
  fmt::print(stderr, "see {} --help\n", name_of(command));
  return k_usage;
}

std::vector<std::string> given_words;
std::vector<std::string> shown_words;  // the same without secrets

/// Behind the `=` that gives a password, or its hash, a value: `--new-password=X`, `user.0.password=X`,
/// `user=[{password_hash = "X"}]`; npos where there is none.
std::size_t secret_in(std::string_view word) {
  static constexpr std::string_view k_name = "password", k_hash = "_hash";
  for (std::size_t at = word.find(k_name); at != std::string_view::npos; at = word.find(k_name, at + 1)) {
    std::size_t end = at + k_name.size();
    if (word.substr(end).starts_with(k_hash)) end += k_hash.size();
    const std::size_t behind = word.find_first_not_of(" \t\"'", end);
    if (behind != std::string_view::npos && word[behind] == '=') return behind + 1;
  }
  return std::string_view::npos;
}

/// The words that `admin` passes on, in their places: without those that may be a password.
void hide_admin_words(std::vector<std::string>& words) {
  constexpr std::size_t k_first = 2;
  constexpr std::string_view k_with_value[] = {"--connect", "--token-file", "--password-file",
                                               "--segment", "--instrument", "--json"};
  std::vector<std::size_t> places;
  std::vector<std::string> passed;
  bool is_value = false, is_reason = false;
  for (std::size_t at = k_first; at < words.size(); ++at) {
    const bool is_option = !is_reason && words[at].starts_with("--") && words[at] != "--";
    if (!is_option && !is_value) {
      places.push_back(at);
      passed.push_back(words[at]);
    }
    is_reason = is_reason || words[at] == "--";
    is_value = is_option && std::ranges::find(k_with_value, words[at]) != std::end(k_with_value);
  }
  if (passed.empty()) return;
  const std::vector<std::string> shown = app::without_secrets(passed, app::is_admin_verb(passed.front()));
  for (std::size_t at = 0; at < places.size(); ++at) words[places[at]] = shown[at];
}

/// The words with every password as ***: results name them, and results are passed on.
std::vector<std::string> without_secrets(std::vector<std::string> words) {
  if (words.size() > 1 && words[1] == "admin") hide_admin_words(words);
  bool is_secret = false;
  for (std::string& word : words) {
    const std::size_t secret = is_secret ? 0 : secret_in(word);
    const bool names_one = !is_secret && word.starts_with("--") && word.ends_with("password");
    if (secret != std::string::npos) word.replace(secret, std::string::npos, "***");
    is_secret = names_one;
  }
  return words;
}

/// The words after `--` belong to the commands that `lab ab` runs, or are the reason that `admin` passes on. CLI11
/// must not see it: after an option whose value may be left out it takes `--` for the end of that option's values, and
/// the commands' options for its own; and words in two places it does not put together.
int words_to_parse() {
  const bool runs_commands = given_words.size() > 2 && given_words[1] == "lab" && given_words[2] == "ab";
  const bool has_reason = given_words.size() > 1 && given_words[1] == "admin";
  const auto end =
      runs_commands || has_reason ? std::find(given_words.begin(), given_words.end(), "--") : given_words.end();
  return static_cast<int>(end - given_words.begin());
}

}  // namespace

const std::vector<std::string>& command_line() {
  return shown_words;
}

std::vector<std::string> words_after_dashes() {
  const auto dashes = std::find(given_words.begin(), given_words.end(), "--");
  return dashes == given_words.end() ? std::vector<std::string>()
                                     : std::vector<std::string>(dashes + 1, given_words.end());
}

void complain(const std::string& message) {
  std::size_t begin = 0;
  while (begin <= message.size()) {
    const std::size_t end = std::min(message.find('\n', begin), message.size());
    fmt::print(stderr, "dojima: {}\n", std::string_view(message).substr(begin, end - begin));
    begin = end + 1;
  }
}

int run(int count, const char* const* words) {
  given_words.assign(words, words + count);
  shown_words = without_secrets(given_words);
  CLI::App program("Dojima: a trading venue, the road to it, and the clock that drives both", "dojima");
  program.set_version_flag("--version", std::string("dojima ") + DOJIMA_VERSION);
  program.require_subcommand(1);
  program.footer(
      "dojima COMMAND --help says more.\n"
      "Exit status: 0 success, 1 the work found a failure, 2 wrong arguments or configuration,\n"
      "3 an environment that cannot do it.");
  int status = k_success;
  const Command root(program);
  add_demo(root, status);
  add_servers(root, status);
  add_trade(root, status);
  add_admin(root, status);
  add_top(root, status);
  add_completion(root, status);
  add_feed(root, status);
  add_drop_copy(root, status);
  add_config(root, status);
  add_bench(root, status);
  add_book(root, status);
  add_data(root, status);
  add_fix(root, status);
  add_gen(root, status);
  add_replay(root, status);
  add_backtest(root, status);
  add_sweep(root, status);
  add_fsm(root, status);
  add_journal(root, status);
  add_lab(root, status);
  add_queue(root, status);
  add_wire(root, status);
  if (count <= 1) {
    fmt::print("{}", program.help());
    return k_usage;
  }
  try {
    program.parse(words_to_parse(), words);
  } catch (const CLI::Success& done) {
    return program.exit(done);  // --help and --version print
  } catch (const CLI::ParseError& error) {
    return explain(program, error);
  } catch (const std::invalid_argument& error) {
    complain(error.what());  // a part that was given something that makes no sense
    return k_usage;
  } catch (const std::exception& error) {
    complain(error.what());
    return k_environment;
  }
  return status;
}

}  // namespace dojima::cli
