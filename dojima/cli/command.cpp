#include "dojima/cli/command.hpp"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <utility>

namespace dojima::cli {

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

Option& Option::one_value_a_mention() {
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

void Command::on_run(std::function<void()> work) {
  app_->callback(std::move(work));
}

}  // namespace dojima::cli
