// dojima venue, dojima gateway

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fmt/core.h>
#include <memory>
#include <stdexcept>
#include <utility>

#include "dojima/app/dashboard_config.hpp"
#include "dojima/app/gateway/gateway_server.hpp"
#include "dojima/app/gateway/gateway_standby.hpp"
#include "dojima/app/stop_signal.hpp"
#include "dojima/app/venue_server.hpp"
#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/dashboard_option.hpp"
#include "dojima/cli/journal/day.hpp"
#include "dojima/cli/live_lines.hpp"
#include "dojima/cli/output.hpp"
#include "dojima/cli/trading/loop_options.hpp"
#include "dojima/cli/trading/venue_file.hpp"
#include "dojima/evidence/build_identity.hpp"

namespace dojima::cli {
namespace {

struct ServersOptions {
  std::string file;
  std::vector<std::string> sets;
  std::string commands;   // folder; empty: they are not stored
  std::string feed;       // file; empty: feed.file of the configuration
  std::string journal;    // folder; empty: journal.directory of the configuration
  std::string dashboard;  // HOST:PORT; empty: as the configuration says
  bool has_dashboard = false;
  std::string follow;  // folder of another gateway's journal; empty: it is no standby
};

/// The overrides; complains and answers nothing when one is no KEY=VALUE.
std::optional<std::vector<app::Override>> overrides_of(const ServersOptions& options) {
  auto overrides = read_overrides(options.sets, "listen.port=9001");
  if (overrides) return *std::move(overrides);
  complain(overrides.error());
  return std::nullopt;
}

/// What --dashboard says. False: it makes no sense, and that has been reported.
bool add_dashboard(const ServersOptions& options, std::vector<app::Override>& overrides) {
  if (!options.has_dashboard) return true;
  const auto dashboard = app::parse_dashboard(options.dashboard);
  if (!dashboard) {
    complain(dashboard.error());
    return false;
  }
  overrides.push_back({"dashboard.host", dashboard->host});
  overrides.push_back({"dashboard.port", std::to_string(dashboard->port)});
  overrides.push_back({"dashboard.allow_remote", dashboard->allow_remote ? "true" : "false"});
  return true;
}

/// Of this program, for the journal.
std::string build_text() {
  const evidence::BuildIdentity& build = evidence::build_identity();
  return fmt::format("dojima {}, sources {}, {}", build.tool_version, build.source_digest.substr(0, 16),
                     build.compiler);
}

/// Runs a server that was started, or says why it was not.
template <class Server, class Where>
int serve(Server& server, const Where& where, const app::StopSignal& stop, const app::LoopSettings& loop) {
  if (!where) {
    complain(where.error());
    return k_environment;
  }
  for (const std::string& line : server.describe(*where)) print_live(line);
  // Behind the threads that write: they go where they like.
  if (!apply_loop(loop, print_live)) return k_environment;
  server.run([&] { return stop.is_raised(); });
  print_live("stopped");
  return k_success;
}

/// Starts and runs a server.
template <class Server>
int serve(Server& server, const app::LoopSettings& loop) {
  const app::StopSignal stop;
  std::signal(SIGPIPE, SIG_IGN);
  return serve(server, server.start(), stop, loop);
}

std::string command_file(const std::string& folder, const venue::Partition& partition) {
  return fmt::format("{}/partition-{}.commands", folder, partition.app_id());
}

/// Whether the commands can be stored at the end. False: that has been reported.
bool can_store_commands(const std::string& folder, const simulate::Exchange& exchange) {
  if (folder.empty()) return true;
  if (!exchange.journaled().empty()) {
    complain("--commands stores a journal in memory; one on disk is read by dojima journal and dojima replay");
    return false;
  }
  if (!exchange.config().keep_journal) {
    complain("--commands stores what the journal keeps; add --set journal.keep=true");
    return false;
  }
  return std::ranges::all_of(exchange.partitions(), [&folder](const auto& partition) {
    return can_write_file(command_file(folder, *partition));
  });
}

bool store_commands(const std::string& folder, const simulate::Exchange& exchange) {
  for (std::size_t at = 0; !folder.empty() && at < exchange.partitions().size(); ++at)
    if (!write_file(command_file(folder, *exchange.partitions()[at]), exchange.command_log(at))) return false;
  return true;
}

int run_venue(const ServersOptions& options) {
  auto overrides = overrides_of(options);
  if (!overrides) return k_usage;
  if (!options.feed.empty()) overrides->push_back({"feed.file", options.feed});
  if (!options.journal.empty()) overrides->push_back({"journal.directory", options.journal});
  if (!add_dashboard(options, *overrides)) return k_usage;
  auto config = app::load_venue(options.file, *overrides);
  if (!config) {
    complain(config.error());
    return k_usage;
  }
  config->journal.build = build_text();
  auto made = app::VenueServer::make(*config, print_live);
  if (!made) {
    complain(made.error());
    return k_environment;
  }
  app::VenueServer& server = **made;
  server.write_days_by(write_files_of_day);
  if (!can_store_commands(options.commands, server.exchange())) return k_usage;
  const int status = serve(server, config->loop);
  if (!store_commands(options.commands, server.exchange())) return k_environment;
  const char* trouble = server.feed_trouble();
  if (status != k_success || trouble == nullptr) return status;
  complain(trouble);
  return k_failed;
}

/// Follows another gateway's journal, and becomes that gateway when it has ended.
int run_standby(const app::GatewayConfig& config) {
  constexpr std::chrono::seconds k_ports{10};  // until the sockets of the other one are gone
  const app::StopSignal stop;
  std::signal(SIGPIPE, SIG_IGN);
  const auto standby = app::GatewayStandby::make(config, print_live);
  if (!standby) {
    complain(standby.error());
    return k_environment;
  }
  if (const auto started = (*standby)->start(); !started) {
    complain(started.error());
    return k_environment;
  }
  for (const std::string& line : (*standby)->describe()) print_live(line);
  const auto server = (*standby)->run([&] { return stop.is_raised(); });
  if (!server) {
    complain(server.error());
    return k_environment;
  }
  if (*server != nullptr) return serve(**server, (*server)->start(k_ports), stop, config.loop);
  print_live("stopped");
  return k_success;
}

int run_gateway(const ServersOptions& options) {
  if (!options.follow.empty() && !options.journal.empty()) {
    complain("--follow DIR is the journal of the other gateway, and its own once it takes over: leave --journal out");
    return k_usage;
  }
  auto overrides = overrides_of(options);
  if (!overrides) return k_usage;
  if (!add_dashboard(options, *overrides)) return k_usage;
  const std::string& directory = options.follow.empty() ? options.journal : options.follow;
  if (!directory.empty()) overrides->push_back({"journal.directory", directory});
  const auto config = app::load_gateway(options.file, *overrides);
  if (!config) {
    complain(config.error());
    return k_usage;
  }
  if (!options.follow.empty()) return run_standby(*config);
  auto made = app::GatewayServer::make(*config, print_live);
  if (!made) {
    complain(made.error());
    return k_environment;
  }
  return serve(**made, config->loop);
}

Command add_server(Command program, const char* name, const char* meaning,
                   const std::shared_ptr<ServersOptions>& options) {
  Command command = program.add_command(name, meaning);
  command.add_option("--config", options->file, "TOML file; dojima config default prints one")
      .required()
      .type_name("FILE");
  command.add_option("--set", options->sets, "Override a key of the file; may be repeated")
      .type_name("KEY=VALUE")
      .one_value_per_use();
  return command;
}

void add_server_dashboard(Command command, const std::shared_ptr<ServersOptions>& options, const std::string& meaning) {
  add_dashboard_option(command, options->has_dashboard, options->dashboard,
                       meaning + ", by default at 127.0.0.1:9300 (dashboard.host, dashboard.port)");
}

}  // namespace

void add_servers(Command program, int& status) {
  auto venue = std::make_shared<ServersOptions>();
  Command command =
      add_server(program, "venue", "Run the exchange: MIT203 real-time sessions in front of the books", venue);
  command
      .add_option(
          "--commands", venue->commands,
          "At the end store the journal of each partition there: partition-N.commands, for dojima data and replay")
      .type_name("FOLDER");
  command.footer(
      "Ctrl-C logs everybody out and ends.\nexample: dojima venue --config venue.toml --set listen.port=0 --journal "
      "day");
  command
      .add_option("--journal", venue->journal,
                  "Keep every command in this folder and go on from what is in it (journal.directory)")
      .type_name("FOLDER");
  command.add_option("--feed", venue->feed, "Write the market data, units of MIT303, to a file (feed.file)")
      .type_name("FILE");
  add_server_dashboard(command, venue, "Show the market to browsers");
  command.on_run([venue, &status] { status = run_venue(*venue); });

  auto gateway = std::make_shared<ServersOptions>();
  command = add_server(program, "gateway", "Run a FIX gateway in front of a MIT203 venue", gateway);
  command
      .add_option("--journal", gateway->journal,
                  "Keep orders and FIX sessions in this folder and go on from what is in it (journal.directory)")
      .type_name("FOLDER");
  command.footer(
      "Ctrl-C logs everybody out and ends.\nexample: dojima gateway --config gateway.toml --set venue.port=9001 "
      "--journal "
      "gateway-journal\n"
      "         dojima gateway --config gateway.toml --set venue.port=9001 --follow gateway-journal");
  command
      .add_option("--follow", gateway->follow,
                  "Be the standby of the gateway whose journal is in this folder: read it as it grows, and take over "
                  "when that gateway has ended")
      .type_name("FOLDER");
  add_server_dashboard(command, gateway, "Show its sessions, latencies and rejects to browsers");
  command.on_run([gateway, &status] { status = run_gateway(*gateway); });
}

}  // namespace dojima::cli
