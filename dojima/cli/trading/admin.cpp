// dojima admin

#include <algorithm>
#include <array>
#include <cstdio>
#include <fmt/core.h>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dojima/app/admin_client.hpp"
#include "dojima/app/passwords/scrypt.hpp"
#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/output.hpp"
#include "dojima/cli/trading/password_option.hpp"
#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/table.hpp"
#include "dojima/net/address.hpp"

namespace dojima::cli {
namespace {

struct AdminOptions {
  std::vector<std::string> connect;  // empty: where a gateway answers by default
  std::string token_file;
  std::string password_file;  // of a user, of which the server is sent a hash
  std::string segment;        // of the verb, in the place of a bare name
  std::string instrument;
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
  const std::vector<std::string> words = app::without_secrets(options.words, app::is_admin_verb(verb));
  evidence::Artefact artefact("dojima admin " + (words.empty() ? verb : words.front()));
  artefact.set_parameter("connect", options.connect.front()).set_parameter("words", app::admin_line(words));
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

/// `user add NAME -`, `user password NAME -`: words of a program are seen by whoever lists processes. False: there is
/// nothing to read.
bool read_hash(std::vector<std::string>& words) {
  constexpr std::size_t k_place = 3;
  const bool is_asked = words.size() > k_place && words[0] == "user" && (words[1] == "add" || words[1] == "password") &&
                        words[k_place] == "-";
  if (!is_asked) return true;
  if (std::getline(std::cin, words[k_place]) && !words[k_place].empty()) return true;
  complain("standard input has no first line; what dojima config hash-password prints is read from there for -");
  return false;
}

/// The password never leaves this process: the server gets what scrypt makes of it. Behind `user add NAME` or `user
/// password NAME`. False: complained.
bool hash_password(const std::string& file, std::vector<std::string>& words) {
  constexpr std::size_t k_place = 3, k_longest = 25;
  const bool has_place = words.size() >= k_place && words[0] == "user" && (words[1] == "add" || words[1] == "password");
  const bool has_hash = has_place && words.size() > k_place && (words[k_place] == "-" || words[k_place][0] == '$');
  if (!has_place || has_hash) {
    complain(has_hash ? "--password-file and a HASH: one of them"
                      : "--password-file is of user add USER and of user password USER");
    return false;
  }
  const auto password = read_password("--password-file", file);
  if (!password) return false;
  if (password->size() > k_longest) {
    complain(fmt::format("--password-file {}: a password has 1 to 25 characters, not {}", file, password->size()));
    return false;
  }
  std::string kept = app::scrypt_text(*password);
  if (kept.empty()) {
    complain("no random bytes, or no memory for scrypt");
    return false;
  }
  words.insert(words.begin() + k_place, std::move(kept));
  return true;
}

/// Verbs that are about instruments, and which word says of what.
struct PlaceOfVerb {
  std::string_view verb;
  std::size_t at;
  bool takes_segments = true;
  std::string_view before = {};  // what has to come first
};
constexpr PlaceOfVerb k_places[] = {
    {.verb = "halt", .at = 1},
    {.verb = "resume", .at = 1},
    {.verb = "suspend", .at = 1},
    {.verb = "delist", .at = 1},
    {.verb = "list", .at = 1},
    {.verb = "phase", .at = 1},
    {.verb = "bust", .at = 1, .takes_segments = false},
    {.verb = "correct", .at = 1, .takes_segments = false},
    {.verb = "cancel", .at = 2, .before = "a USER, account:NAME or all"},
    {.verb = "limits", .at = 2, .takes_segments = false, .before = "a USER, account:NAME or all"},
};

/// `--segment RICE` as the word of the verb that says of what; a prefix says which of the two is meant where a segment
/// is named like an instrument. False: complained.
bool name_place(const AdminOptions& options, std::vector<std::string>& words) {
  if (options.segment.empty() && options.instrument.empty()) return true;
  if (!options.segment.empty() && !options.instrument.empty()) {
    complain("--segment and --instrument: one of them");
    return false;
  }
  const bool is_segment = !options.segment.empty();
  const std::string_view option = is_segment ? "--segment" : "--instrument";
  const auto* const place =
      words.empty() ? std::end(k_places) : std::ranges::find(k_places, words.front(), &PlaceOfVerb::verb);
  if (place == std::end(k_places) || (is_segment && !place->takes_segments)) {
    std::string verbs;
    for (const PlaceOfVerb& each : k_places)
      if (!is_segment || each.takes_segments) verbs += (verbs.empty() ? "" : ", ") + std::string(each.verb);
    complain(fmt::format("{} is of {}", option, verbs));
    return false;
  }
  if (words.size() < place->at) {
    complain(fmt::format("{} takes {} before {}", place->verb, place->before, option));
    return false;
  }
  words.insert(words.begin() + static_cast<std::ptrdiff_t>(place->at),
               is_segment ? "segment:" + options.segment : "instrument:" + options.instrument);
  return true;
}

constexpr const char* k_admin_default = "127.0.0.1:9879";

/// Whether the words change nothing, whichever server they are for: only such are for several.
bool only_looks(const std::vector<std::string>& words) {
  constexpr std::array<std::string_view, 6> k_looks = {"status", "sessions", "users", "instruments", "audit", "orders"};
  if (words.empty() || std::ranges::find(k_looks, words.front()) != k_looks.end()) return true;
  const auto sets = [](const std::string& word) { return word.find('=') != std::string::npos || word == "--"; };
  return words.front() == "limits" && std::ranges::none_of(words, sets);
}

/// The same question to several servers, whose answers are printed below each other; the worst of their statuses.
int ask_all(const AdminOptions& options, const std::vector<app::AdminServer>& servers, const std::string& verb) {
  if (options.json.is_wanted() || !only_looks(options.words)) {
    complain(
        "several --connect are for status, sessions, users, instruments, audit, orders and limits without =, "
        "and not for --json");
    return k_usage;
  }
  int status = k_success;
  for (std::size_t at = 0; at < servers.size(); ++at) {
    fmt::print("{}{}\n", at == 0 ? "" : "\n", options.connect[at]);
    const auto answer = verb == "help" ? app::verbs_of(servers[at]) : app::command(servers[at], options.words);
    if (!answer) complain(answer.error());
    status = std::max(status, answer ? show(*answer, options, verb) : k_environment);
  }
  return status;
}

int run_admin(AdminOptions options) {
  if (options.connect.empty()) options.connect.emplace_back(k_admin_default);
  std::vector<app::AdminServer> servers;
  for (const std::string& text : options.connect) {
    const auto address = net::parse_address(text);
    if (!address) {
      complain(fmt::format("--connect {}: write {}", text, address.error().expected));
      return k_usage;
    }
    servers.push_back({.address = *address, .token_file = options.token_file});
  }
  const std::vector<std::string> reason = words_after_dashes();
  if (!reason.empty() && options.words.empty()) {
    complain("no verb before --, behind which the reason is");
    return k_usage;
  }
  if (!options.password_file.empty() && !hash_password(options.password_file, options.words)) return k_usage;
  if (!read_hash(options.words)) return k_usage;
  if (!name_place(options, options.words)) return k_usage;
  if (!reason.empty()) options.words.emplace_back("--");
  options.words.insert(options.words.end(), reason.begin(), reason.end());
  const app::AdminServer& server = servers.front();
  const std::string verb = options.words.empty() ? "help" : options.words.front();
  if (servers.size() > 1) return ask_all(options, servers, verb);
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
  command
      .add_option(
          "--connect", options->connect,
          "Where the server answers: [admin] of its configuration; 127.0.0.1:9879 unless said otherwise; may be "
          "repeated for what only looks: the limits of a venue and its gateways, say")
      .type_name("HOST:PORT")
      .one_value_per_use();
  command
      .add_option("--token-file", options->token_file,
                  "What it takes commands by; a server of this machine that names none leaves it where it is found")
      .type_name("FILE");
  command
      .add_option("--password-file", options->password_file,
                  "Of a user that is added or gets another password: its first line, which is sent as scrypt makes it; "
                  "only we may read the file; -: standard input")
      .type_name("FILE");
  command
      .add_option("--segment", options->segment,
                  "A segment of the venue, in the place of a bare name: halt, resume, suspend, delist, list, phase, "
                  "and cancel WHO")
      .type_name("NAME");
  command
      .add_option("--instrument", options->instrument,
                  "An instrument, by its symbol or number, likewise; also of bust and limits WHO")
      .type_name("NAME");
  options->json.add_to(command);
  command
      .add_option("WORDS", options->words,
                  "A verb and its words, behind -- a reason for a venue's records; help lists those of the server; "
                  "metrics, live and ready need no token")
      .type_name("");
  command.footer(
      "Exit status 1: the server refused it, or is not live or ready; 3: there is no answer, or it does not know the "
      "token.\n"
      "example: dojima gateway --config gateway.toml --set admin.port=9879\n"
      "         dojima admin sessions\n"
      "         dojima admin --connect 127.0.0.1:9878 --connect 127.0.0.1:9879 limits\n"
      "         dojima admin logout KONOIKE \"come back at two\"\n"
      "         dojima admin --connect 127.0.0.1:9878 kill KONOIKE cancel -- limit breach, reported by phone\n"
      "         dojima admin --connect 127.0.0.1:9878 halt --segment RICE -- news\n"
      "         dojima config hash-password < secret.txt | dojima admin --connect 127.0.0.1:9878 user add ANN -\n"
      "         dojima admin --connect 127.0.0.1:9878 --password-file secret.txt user password ANN");
  command.on_run([options, &status] { status = run_admin(*options); });
}

}  // namespace dojima::cli
