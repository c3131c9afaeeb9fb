// dojima admin

#include <algorithm>
#include <cstdio>
#include <fmt/core.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dojima/app/admin_client.hpp"
#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/output.hpp"
#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/table.hpp"
#include "dojima/net/address.hpp"

namespace dojima::cli {
namespace {

struct AdminOptions {
  std::string connect = "127.0.0.1:9879";
  std::string token_file;
  std::vector<std::string> words;
  JsonOption json;
};

/// Columns of the width of their widest cell.
void print_table(const app::AdminAnswer& answer) {
  std::vector<std::size_t> widths;
  for (const std::string& column : answer.columns) widths.push_back(column.size());
  for (const auto& row : answer.rows)
    for (std::size_t at = 0; at < row.size(); ++at) widths[at] = std::max(widths[at], row[at].size());
  const auto print_row = [&](const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t at = 0; at < row.size(); ++at) line += fmt::format("{:<{}}  ", row[at], widths[at]);
    line.erase(line.find_last_not_of(' ') + 1);
    fmt::print("{}\n", line);
  };
  print_row(answer.columns);
  for (const auto& row : answer.rows) print_row(row);
}

std::string json_of(const app::AdminAnswer& answer, const AdminOptions& options, const std::string& verb) {
  evidence::Artefact artefact("dojima admin " + verb);
  artefact.set_parameter("connect", options.connect).set_parameter("words", app::admin_line(options.words));
  artefact.add_check("done", answer.is_done, answer.text);
  if (!answer.columns.empty()) {
    evidence::Table table{.name = verb, .title = "what the server answered", .columns = {}};
    for (const std::string& column : answer.columns) table.columns.push_back({.name = column});
    for (const auto& row : answer.rows) table.add_row({row.begin(), row.end()});
    artefact.add_table(std::move(table));
  }
  return artefact.text();
}

int show(const app::AdminAnswer& answer, const AdminOptions& options, const std::string& verb) {
  if (options.json.is_wanted() && !options.json.write(json_of(answer, options, verb))) return k_environment;
  const int status = answer.is_done ? k_success : k_failed;
  if (options.json.is_on_stdout()) return status;
  if (!answer.is_done) {
    complain("refused: " + answer.text);
  } else {
    if (!answer.columns.empty()) print_table(answer);
    if (!answer.text.empty()) fmt::print("{}\n", answer.text);
  }
  return status;
}

int run_admin(const AdminOptions& options) {
  const auto address = net::parse_address(options.connect);
  if (!address) {
    complain(fmt::format("--connect {}: write {}", options.connect, address.error().expected));
    return k_usage;
  }
  const app::AdminServer server{.address = *address, .token_file = options.token_file};
  const std::string verb = options.words.empty() ? "help" : options.words.front();
  if (options.words.size() == 1 && (verb == "metrics" || verb == "live" || verb == "ready")) {
    const auto page = app::page_of(server, "/" + verb);
    if (page) {
      fmt::print("{}", page->text);
      return page->is_good ? k_success : k_failed;
    }
    complain(page.error());
    return k_environment;
  }
  const auto answer = verb == "help" ? app::verbs_of(server) : app::command(server, options.words);
  if (answer) return show(*answer, options, verb);
  complain(answer.error());
  return k_environment;
}

}  // namespace

void add_admin(Command program, int& status) {
  auto options = std::make_shared<AdminOptions>();
  Command command = program.add_command("admin", "Watch and operate a running gateway or venue");
  command.add_option("--connect", options->connect, "Where the server answers: [admin] of its configuration")
      .type_name("HOST:PORT")
      .show_default();
  command
      .add_option("--token-file", options->token_file,
                  "What it takes commands by; a server of this machine that names none leaves it where it is found")
      .type_name("FILE");
  options->json.add_to(command);
  command
      .add_option("WORDS", options->words,
                  "A verb and its words; help lists those of the server, metrics, live and ready need no token")
      .type_name("");
  command.footer(
      "Exit status 1: the server refused it, or is not live or ready; 3: there is no answer, or it does not know the "
      "token.\n"
      "example: dojima gateway --config gateway.toml --set admin.port=9879\n"
      "         dojima admin sessions\n"
      "         dojima admin logout KONOIKE \"come back at two\"");
  command.on_run([options, &status] { status = run_admin(*options); });
}

}  // namespace dojima::cli
