#include "dojima/cli/output.hpp"

#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <stdexcept>

#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"

namespace dojima::cli {
namespace {

bool complain_of(const std::string& file) {
  complain(file + ": cannot be written; does the folder exist, and may you write there?");
  return false;
}

/// A word behind --json may have been meant for something else, such as the file to read: what is there and is no JSON
/// stays.
std::string why_no_json_goes_into(const std::string& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return {};
  std::ifstream stream(file, std::ios::binary);
  const int first = (stream >> std::ws).peek();
  if (!stream || first == '{' || first == '[') return {};
  return file + " is there and is no JSON, so no result is written over it; to read it, name it before --json";
}

}  // namespace

void JsonOption::add_to(Command command) {
  command
      .add_option_or_flag(
          "--json", "-",
          [this](const std::string& file) {
            if (const std::string why = why_no_json_goes_into(file); !why.empty())
              throw std::invalid_argument("--json " + why);
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
