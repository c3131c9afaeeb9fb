#include "dojima/cli/command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "dojima/cli/completion/command_shape.hpp"

namespace dojima::cli {
namespace {

/// The words between braces behind a type, where only some words are allowed: "TEXT:{spin,sleep}".
std::vector<std::string> words_of(std::string& type) {
  std::vector<std::string> words;
  const std::size_t begin = type.find(":{");
  const std::size_t end = type.find('}', begin);
  if (begin == std::string::npos || end == std::string::npos) return words;
  std::size_t at = begin + 2;
  while (at <= end) {
    const std::size_t next = std::min(type.find(',', at), end);
    words.push_back(type.substr(at, next - at));
    at = next + 1;
  }
  type.erase(begin);
  return words;
}

OptionShape shape_of(const CLI::Option& option) {
  OptionShape shape;
  for (const std::string& name : option.get_lnames()) shape.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) shape.names.push_back("-" + name);
  shape.type = option.get_type_name();
  shape.words = words_of(shape.type);
  if (shape.names.empty()) {
    shape.word_name = option.get_name(true);
    // What no type was given for is described by its name.
    if (shape.type.empty() || shape.type == "TEXT") shape.type = shape.word_name;
  }
  shape.meaning = option.get_description();
  shape.values_min = option.get_items_expected_min();
  shape.values_max = option.get_items_expected_max();
  shape.is_repeatable = shape.values_max > 1;
  if (shape.is_repeatable && !shape.names.empty() && !option.get_allow_extra_args()) shape.values_max = 1;
  shape.delimiter = option.get_delimiter();
  return shape;
}

CommandShape shape_of(const CLI::App& app) {
  CommandShape shape{.name = app.get_name(), .meaning = app.get_description(), .options = {}, .commands = {}};
  for (const CLI::Option* option : app.get_options()) shape.options.push_back(shape_of(*option));
  for (const CLI::App* inner : app.get_subcommands([](const CLI::App*) { return true; }))
    shape.commands.push_back(shape_of(*inner));
  return shape;
}

}  // namespace

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Option& Option::show_default() {
  option_->capture_default_str();
  return *this;
}

Option& Option::single() {
  option_->expected(1);
  return *this;
}

Option& Option::one_value_per_use() {
  option_->allow_extra_args(false);
  return *this;
}

Option& Option::delimiter(char between) {
  option_->delimiter(between);
  return *this;
}

Option& Option::one_of(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words));
  return *this;
}

template <class Number>
Option& Option::between(Number least, Number most) {
  option_->check(CLI::Range(least, most));
  return *this;
}
template Option& Option::between(int, int);
template Option& Option::between(std::size_t, std::size_t);
template Option& Option::between(double, double);

Option& Option::positive() {
  option_->check(CLI::PositiveNumber);
  return *this;
}

Option& Option::existing_file() {
  option_->check(CLI::ExistingFile);
  return *this;
}

Option& Option::check(const std::function<std::string(const std::string&)>& verdict) {
  option_->check(verdict);
  return *this;
}

Command Command::add_command(const std::string& name, const std::string& meaning) {
  return Command(*app_->add_subcommand(name, meaning));
}

void Command::require_command() {
  app_->require_subcommand(1);
}

template <class Value>
Option Command::add_option(const std::string& name, Value& value, const std::string& meaning) {
  return Option(*app_->add_option(name, value, meaning));
}
template Option Command::add_option(const std::string&, std::string&, const std::string&);
template Option Command::add_option(const std::string&, int&, const std::string&);
template Option Command::add_option(const std::string&, std::uint32_t&, const std::string&);
template Option Command::add_option(const std::string&, std::uint64_t&, const std::string&);
template Option Command::add_option(const std::string&, std::int64_t&, const std::string&);
template Option Command::add_option(const std::string&, double&, const std::string&);
template Option Command::add_option(const std::string&, std::vector<std::string>&, const std::string&);
template Option Command::add_option(const std::string&, std::optional<std::string>&, const std::string&);
template Option Command::add_option(const std::string&, std::optional<int>&, const std::string&);
template Option Command::add_option(const std::string&, std::optional<std::uint64_t>&, const std::string&);
template Option Command::add_option(const std::string&, std::optional<double>&, const std::string&);
template Option Command::add_option(const std::string&, std::optional<std::vector<double>>&, const std::string&);

Option Command::add_option_or_flag(const std::string& name, const std::string& alone,
                                   const std::function<void(const std::string&)>& take, const std::string& meaning) {
  // CLI11 gives an option without a value the text "{}" otherwise.
  return Option(*app_->add_option_function<std::string>(name, take, meaning)->expected(0, 1)->default_str(alone));
}

Option Command::add_flag(const std::string& name, bool& value, const std::string& meaning) {
  return Option(*app_->add_flag(name, value, meaning));
}

void Command::footer(const std::string& text) {
  app_->footer(text);
}

CommandShape Command::shape() const {
  return shape_of(*app_);
}

void Command::on_run(std::function<void()> work) {
  app_->callback(std::move(work));
}

}  // namespace dojima::cli
