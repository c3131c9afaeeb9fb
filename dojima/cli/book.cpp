// dojima book run FILE|FOLDER...

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dojima/app/config.hpp"
#include "dojima/book/storages.hpp"
#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"

namespace dojima::cli {
namespace {

struct BookRequest {
  std::vector<std::string> paths;
  std::string storage = "ladder";
  bool is_printing = false;
};

const std::map<std::string, book::Storage> k_storages{{"ladder", book::Storage::ladder},
                                                      {"intrusive", book::Storage::intrusive},
                                                      {"pooled", book::Storage::pooled},
                                                      {"map", book::Storage::map}};

/// The files themselves, and the *.txt of folders and what lies below them, in the order of their names.
std::vector<std::string> files_of(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (!std::filesystem::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path))
      if (entry.is_regular_file() && entry.path().extension() == ".txt") found.push_back(entry.path().string());
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

void print_lines(const char* what, const std::vector<std::string>& lines) {
  if (lines.empty()) fmt::print("  {} none\n", what);
  for (const std::string& line : lines) fmt::print("  {} {}\n", what, line);
}

/// False: it expects something else than what came, or cannot be read.
bool print_result(const std::string& file, const book::ScriptResult& result) {
  for (const book::ScriptDifference& difference : result.differences) {
    fmt::print("{}:{}: {}\n", file, difference.line, difference.command);
    print_lines("expected:", difference.expected);
    print_lines("got:     ", difference.got);
  }
  if (!result.trouble.empty()) {
    complain(fmt::format("{}:{}: {}", file, result.trouble_line, result.trouble));
    return false;
  }
  if (!result.differences.empty()) return false;
  fmt::print("{}: ok, {} commands, {} checked\n", file, result.commands, result.checked);
  return true;
}

int run(const BookRequest& request) {
  std::vector<std::string> files;
  try {
    files = files_of(request.paths);
  } catch (const std::filesystem::filesystem_error& trouble) {
    complain(trouble.what());
    return k_usage;
  }
  if (files.empty()) {
    complain("no *.txt files there");
    return k_usage;
  }
  int status = k_success;
  for (const std::string& file : files) {
    const auto text = app::read_text_file(file);
    if (!text) {
      complain(text.error());
      return k_usage;
    }
    const book::ScriptResult result = book::run_script(*text, k_storages.at(request.storage));
    if (request.is_printing) {
      fmt::print("{}", result.printed);
      if (!result.trouble.empty()) complain(fmt::format("{}:{}: {}", file, result.trouble_line, result.trouble));
    }
    const bool is_right = request.is_printing ? result.trouble.empty() : print_result(file, result);
    if (!result.trouble.empty())
      status = k_usage;
    else if (!is_right && status == k_success)
      status = k_failed;
  }
  return status;
}

}  // namespace

void add_book(Command program, int& status) {
  Command book = program.add_command("book", "Show what the order book does with given commands");
  book.require_command();
  Command runner = book.add_command("run", "Run scenario files, and say where they expect something else");
  auto request = std::make_shared<BookRequest>();
  runner.add_option("FILE|FOLDER", request->paths, "Scenario files, or folders of them (*.txt)").required();
  runner.add_flag("--print", request->is_printing,
                  "Print the commands with their reports, as a scenario, and compare nothing");
  runner.add_option("--storage", request->storage, "ladder, intrusive, pooled or map; they must all do the same")
      .one_of(k_storages);
  runner.footer("example: dojima book run tests/scenarios/book");
  runner.on_run([request, &status] { status = run(*request); });
}

}  // namespace dojima::cli
