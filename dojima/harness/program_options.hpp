#pragma once

// The command line of a program that a test or a tool starts: its options with their types, limits and texts. A thin
// face of CLI11, whose header costs each unit that sees it seconds; all such programs link the one source that does.
//
//   ProgramOptions program("Kills a venue again and again");
//   program.add("--kills", options.kills, "How often it is killed").show_default();
//   if (const auto status = program.parse(count, words)) return *status;

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library is called so
class App;
class Option;
}  // namespace CLI

namespace dojima::harness {

/// What may follow a call that defined an option; each answers with the option, so that calls are chained.
class ProgramOption {
 public:
  explicit ProgramOption(CLI::Option& option) noexcept : option_(&option) {}

  /// The command line is wrong without it.
  ProgramOption& required();
  /// The command line is wrong with it and without the option of that name, which is defined before.
  ProgramOption& needs(const std::string& name);
  /// Shows the value that it has now as the default.
  ProgramOption& show_default();
  /// Shown in place of the value's type.
  ProgramOption& type_name(const std::string& name);
  /// Not shown in --help.
  ProgramOption& hidden();
  /// So many values, one after the other, not fewer than `least` and not more than `most`.
  ProgramOption& values(int least, int most);
  /// Only these words.
  ProgramOption& one_of(const std::vector<std::string>& words);
  /// Only numbers between these, both included.
  ProgramOption& between(int least, int most);
  /// Only files that are there.
  ProgramOption& existing_file();

 private:
  CLI::Option* option_;
};

class ProgramOptions {
 public:
  /// `name` as --help shows it; empty: as the program was called.
  explicit ProgramOptions(const std::string& what, const std::string& name = "");
  ~ProgramOptions();
  ProgramOptions(const ProgramOptions&) = delete;
  ProgramOptions& operator=(const ProgramOptions&) = delete;

  /// `value` gets what was given. For the types in program_options.cpp: texts, numbers, lists and optionals. It has to
  /// outlive parse(). Throws for two options of one name.
  template <class Value>
  ProgramOption add(const std::string& name, Value& value, const std::string& meaning);
  ProgramOption add_flag(const std::string& name, bool& value, const std::string& meaning);

  /// Printed below the options in --help.
  void footer(const std::string& text);

  /// The status to leave with when there is nothing more to do, which was printed: 0 after --help, something else after
  /// a command line that is wrong; none: the values are there.
  [[nodiscard]] std::optional<int> parse(int count, const char* const* words);

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace dojima::harness
