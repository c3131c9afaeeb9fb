// dojima top

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fmt/core.h>
#include <memory>
#include <optional>
#include <string>
#include <sys/ioctl.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "dojima/app/admin_client.hpp"
#include "dojima/app/stop_signal.hpp"
#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/output.hpp"
#include "dojima/cli/terminal_keys.hpp"
#include "dojima/cli/trading/top_view.hpp"
#include "dojima/net/address.hpp"

namespace dojima::cli {
namespace {

struct TopCommand {
  std::vector<std::string> connect;
  std::string match;
  bool has_all = false;
  bool is_once = false;
  double every = 1;
};

/// A server that is watched.
struct Watched {
  std::string where;
  app::AdminServer server;
  TopView view;
  std::optional<std::chrono::steady_clock::time_point> last;
  std::string state;  ///< "live, ready", or why not
  std::string trouble;
};

constexpr const char* k_default_server = "127.0.0.1:9879";

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

void look_at_server(Watched& watched) {
  const auto metrics = app::page_of(watched.server, "/metrics");
  const auto now = std::chrono::steady_clock::now();
  if (!metrics) {
    watched.trouble = metrics.error();
    return;
  }
  auto figures = parse_figures(metrics->text);
  if (!figures) {
    watched.trouble = "it does not answer with figures: " + figures.error();
    return;
  }
  watched.trouble.clear();
  const std::chrono::duration<double> elapsed = watched.last ? now - *watched.last : std::chrono::duration<double>{};
  watched.last = now;
  watched.view.take(*std::move(figures), elapsed);
  watched.state.clear();
  for (const char* page : {"/live", "/ready"})
    if (const auto answer = app::page_of(watched.server, page); answer) {
      if (!watched.state.empty()) watched.state += ", ";
      watched.state +=
          answer->is_good ? std::string(page + 1) : fmt::format("not {}: {}", page + 1, first_line(answer->text));
    }
}

std::size_t terminal_rows() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 4 ? size.ws_row : std::size_t{24};
}

void print_servers(const std::vector<Watched>& servers, bool is_terminal) {
  std::string page = is_terminal ? "\x1b[H\x1b[2J" : "";
  for (const Watched& each : servers) {
    page += fmt::format("{}  {}\n", each.where, each.trouble.empty() ? each.state : each.trouble);
    if (!each.trouble.empty()) continue;
    for (const std::string& line : each.view.lines()) page += "  " + line + "\n";
  }
  if (is_terminal) page += "q ends";
  std::fputs(page.c_str(), stdout);
  std::fflush(stdout);
}

/// Until the interval is over, a signal comes or q is pressed. False: it is over.
bool wait_for_next(const TerminalKeys& keys, const app::StopSignal& stop, std::chrono::duration<double> interval) {
  const auto end = std::chrono::steady_clock::now() + interval;
  do {
    if (stop.is_raised() || keys.next() == 'q') return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
  } while (std::chrono::steady_clock::now() < end);
  return true;
}

int run_top(const TopCommand& options) {
  const bool is_terminal = ::isatty(STDOUT_FILENO) == 1 && !options.is_once;
  std::vector<std::string> wanted = options.connect;
  if (wanted.empty()) wanted.emplace_back(k_default_server);
  std::vector<Watched> servers;
  const std::size_t rows = is_terminal ? std::max<std::size_t>(3, (terminal_rows() - 1) / wanted.size() - 2) : 0;
  for (const std::string& where : wanted) {
    const auto address = net::parse_address(where);
    if (!address || address->port == 0) {
      complain(fmt::format("--connect {}: write HOST:PORT, such as {}", where, k_default_server));
      return k_usage;
    }
    servers.push_back({.where = where,
                       .server = {.address = *address, .token_file = {}},
                       .view = TopView({.match = options.match, .has_all = options.has_all, .rows = rows}),
                       .last = std::nullopt,
                       .state = {},
                       .trouble = {}});
  }
  const app::StopSignal stop;
  const TerminalKeys keys;
  const std::chrono::duration<double> interval(options.every);
  for (Watched& each : servers) look_at_server(each);
  if (std::ranges::all_of(servers, [](const Watched& each) { return !each.trouble.empty(); })) {
    for (const Watched& each : servers) complain(each.trouble);
    return k_environment;
  }
  // Rates need two looks.
  if (options.is_once && wait_for_next(keys, stop, interval))
    for (Watched& each : servers) look_at_server(each);
  print_servers(servers, is_terminal);
  while (!options.is_once && wait_for_next(keys, stop, interval)) {
    for (Watched& each : servers) look_at_server(each);
    print_servers(servers, is_terminal);
  }
  if (is_terminal) std::fputs("\n", stdout);
  return std::ranges::any_of(servers, [](const Watched& each) { return !each.trouble.empty(); }) ? k_failed : k_success;
}

}  // namespace

void add_top(Command program, int& status) {
  auto options = std::make_shared<TopCommand>();
  Command command = program.add_command("top", "Watch the figures of running servers: values, and rates a second");
  command
      .add_option("--connect", options->connect,
                  "Where a server answers, [admin] of its configuration; 127.0.0.1:9879 unless said otherwise; may be "
                  "repeated")
      .type_name("HOST:PORT")
      .one_value_per_use();
  command.add_option("--match", options->match, "Only figures with this in their name or labels").type_name("TEXT");
  command.add_flag("--all", options->has_all, "Figures that are 0, too");
  command.add_flag("--once", options->is_once, "Looks twice, an interval apart, prints once and ends");
  command.add_option("--every", options->every, "Seconds between two looks").between(0.1, 3'600.0).show_default();
  command.footer(
      "Needs no token. Draws on a terminal, until q or Ctrl-C; else prints every table. Exit status 1: a server did "
      "not "
      "answer at the end, 3: none answered at the start.\n"
      "example: dojima venue --config venue.toml --set admin.port=9878\n"
      "         dojima top --connect 127.0.0.1:9878 --match feed");
  command.on_run([options, &status] { status = run_top(*options); });
}

}  // namespace dojima::cli
