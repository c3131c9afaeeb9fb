#pragma once

// How a subcommand says what it takes: its options with their types, limits and texts. A thin face of CLI11, whose
// header costs four seconds in every unit that sees it; here only command.cpp and cli.cpp do.
//
//   Command jitter = lab.add_command("jitter", "When and for how long processors are away from a thread");
//   auto options = std::make_shared<Options>();
//   jitter.add_option("--mode", options->mode, "spin or sleep").one_of({"spin", "sleep"}).show_default();
//   jitter.footer("example: dojima lab jitter --mode sleep");
//   jitter.on_run([options, &status] { status = measure(*options); });
//
// Both types are names for what CLI11 owns: copied freely, alive as long as the program's parser. What options are
// bound to must outlive the parsing. A wrong definition (two options of one name) throws, when the program starts.

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library is called so
class App;
class Option;
}  // namespace CLI

namespace dojima::cli {

struct CommandShape;

/// What may follow a call that defined an option; each answers with the option, so that calls are chained.
class Option {
 public:
  explicit Option(CLI::Option& option) noexcept : option_(&option) {}

  /// The command line is wrong without it.
  Option& required();
  /// Shown in place of the value's type.
  Option& type_name(const std::string& name);
  /// Shows the value that it has now as the default.
  Option& show_default();
  /// Exactly one value in all, though it goes into a list.
  Option& single();
  /// A list takes one value at each mention, and may be mentioned often: what follows is not taken for its values.
  Option& one_value_per_use();
  /// Values may be in one word, with this between them.
  Option& delimiter(char between);

  /// Only these words.
  Option& one_of(const std::vector<std::string>& words);
  /// Only the names in this table.
  template <class Value>
  Option& one_of(const std::map<std::string, Value>& table) {
    std::vector<std::string> words;
    words.reserve(table.size());
    for (const auto& [word, value] : table) words.push_back(word);
    return one_of(words);
  }
  /// Only numbers between these, both included. For int, double and std::size_t.
  template <class Number>
  Option& between(Number least, Number most);
  /// Only numbers above 0.
  Option& positive();
  /// Only files that are there.
  Option& existing_file();
  /// Only what `verdict` has nothing to say against: it answers with an empty text, or with what is wrong.
  Option& check(const std::function<std::string(const std::string&)>& verdict);

 private:
  CLI::Option* option_;
};

class Command {
 public:
  explicit Command(CLI::App& app) noexcept : app_(&app) {}

  [[nodiscard]] Command add_command(const std::string& name, const std::string& meaning);
  /// One of the commands below has to be named.
  void require_command();

  /// `value` gets what was given. A name without dashes is one of the words after the command. For the types in
  /// command.cpp: texts, numbers, and lists and optionals of them.
  template <class Value>
  Option add_option(const std::string& name, Value& value, const std::string& meaning);
  /// An option whose value may be left out: `take` gets what was given, or `alone`.
  Option add_option_or_flag(const std::string& name, const std::string& alone,
                            const std::function<void(const std::string&)>& take, const std::string& meaning);
  Option add_flag(const std::string& name, bool& value, const std::string& meaning);

  /// Printed below the options in --help.
  void footer(const std::string& text);
  /// What the command does once the command line has been understood.
  void on_run(std::function<void()> work);

  /// What it takes, and all commands below it (completion/command_shape.hpp).
  [[nodiscard]] CommandShape shape() const;

 private:
  CLI::App* app_;
};

}  // namespace dojima::cli
