#include "dojima/harness/program_options.hpp"

#include <CLI/CLI.hpp>
#include <cstdint>

namespace dojima::harness {

ProgramOption& ProgramOption::required() {
  option_->required();
  return *this;
}

ProgramOption& ProgramOption::needs(const std::string& name) {
  option_->needs(name);
  return *this;
}

ProgramOption& ProgramOption::show_default() {
  option_->capture_default_str();
  return *this;
}

ProgramOption& ProgramOption::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

ProgramOption& ProgramOption::hidden() {
  option_->group("");
  return *this;
}

ProgramOption& ProgramOption::values(int least, int most) {
  option_->expected(least, most);
  return *this;
}

ProgramOption& ProgramOption::one_of(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words));
  return *this;
}

ProgramOption& ProgramOption::between(int least, int most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

ProgramOption& ProgramOption::existing_file() {
  option_->check(CLI::ExistingFile);
  return *this;
}

ProgramOptions::ProgramOptions(const std::string& what, const std::string& name)
    : app_(std::make_unique<CLI::App>(what, name)) {}

ProgramOptions::~ProgramOptions() = default;

template <class Value>
ProgramOption ProgramOptions::add(const std::string& name, Value& value, const std::string& meaning) {
  return ProgramOption(*app_->add_option(name, value, meaning));
}
template ProgramOption ProgramOptions::add(const std::string&, std::string&, const std::string&);
template ProgramOption ProgramOptions::add(const std::string&, std::uint16_t&, const std::string&);
template ProgramOption ProgramOptions::add(const std::string&, std::uint32_t&, const std::string&);
template ProgramOption ProgramOptions::add(const std::string&, std::uint64_t&, const std::string&);
template ProgramOption ProgramOptions::add(const std::string&, double&, const std::string&);
template ProgramOption ProgramOptions::add(const std::string&, std::vector<std::string>&, const std::string&);
template ProgramOption ProgramOptions::add(const std::string&, std::optional<std::string>&, const std::string&);
template ProgramOption ProgramOptions::add(const std::string&, std::optional<std::int64_t>&, const std::string&);

ProgramOption ProgramOptions::add_flag(const std::string& name, bool& value, const std::string& meaning) {
  return ProgramOption(*app_->add_flag(name, value, meaning));
}

void ProgramOptions::footer(const std::string& text) {
  app_->footer(text);
}

std::optional<int> ProgramOptions::parse(int count, const char* const* words) {
  try {
    app_->parse(count, words);
  } catch (const CLI::ParseError& error) {
    return app_->exit(error);
  }
  return std::nullopt;
}

}  // namespace dojima::harness
