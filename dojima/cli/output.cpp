#include "dojima/cli/output.hpp"

#include <filesystem>
#include <fmt/core.h>
#include <fstream>

#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"

namespace dojima::cli {
namespace {

bool complain_of(const std::string& file) {
  complain(file + ": cannot be written; does the folder exist, and may you write there?");
  return false;
}

}  // namespace

void JsonOption::add_to(Command command) {
  command
      .add_option_or_flag(
          "--json", "-",
          [this](const std::string& file) {
            is_wanted_ = true;
            file_ = file == "-" ? std::string() : file;
          },
          "Write the result as JSON to FILE, or to stdout")
      .type_name("[FILE]");
}

bool JsonOption::write(const std::string& json) const {
  if (!file_.empty()) return write_file(file_, json);
  fmt::print("{}", json);
  return true;
}

bool write_file(const std::string& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  return stream ? true : complain_of(file);
}

bool can_write_file(const std::string& file) {
  std::error_code ignored;
  // A link to nowhere counts as there: what it points to is made, and stays.
  const bool was_there = std::filesystem::exists(std::filesystem::symlink_status(file, ignored));
  if (!std::ofstream(file, std::ios::binary | std::ios::app)) return complain_of(file);
  if (!was_there) std::filesystem::remove(file, ignored);
  return true;
}

}  // namespace dojima::cli
