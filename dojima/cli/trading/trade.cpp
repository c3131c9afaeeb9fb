// dojima trade

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <exception>
#include <fmt/core.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include "dojima/app/config.hpp"
#include "dojima/app/passwords/scrypt.hpp"
#include "dojima/app/stop_signal.hpp"
#include "dojima/app/trade/line_source.hpp"
#include "dojima/app/trade/live_strategy.hpp"
#include "dojima/app/trade/trade_client.hpp"
#include "dojima/backtest/backtest.hpp"
#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/lab/instrument.hpp"
#include "dojima/cli/trading/edited_lines.hpp"
#include "dojima/cli/trading/loop_options.hpp"
#include "dojima/cli/trading/password_option.hpp"
#include "dojima/gateway/fix_version.hpp"
#include "dojima/mit/describe.hpp"
#include "dojima/net/address.hpp"

namespace dojima::cli {
namespace {

struct TradeCommandOptions {
  std::string addresses;  // empty: where a gateway, or a venue, listens by default
  std::string version{"FIX.4.4"};
  bool is_native = false;
  std::string recovery;
  std::string dialect{"LSE-21.2"};
  std::vector<std::string> instruments;
  bool is_secure = false;
  net::TlsConfig tls;
  app::TradeOptions trade;
  PasswordOption password{"--password"}, new_password{"--new-password"};
  LoopOption loop;

  // A strategy in the place of a person.
  std::string strategy;  // empty: none
  std::vector<std::string> sets;
  std::string config, length{"60s"}, fills_file;
  InstrumentOptions output;
};

/// What the strategy trades in, and where its market data come from: as the venue's configuration says.
app::LiveStrategyOptions live_options_of(const app::VenueConfig& venue) {
  app::LiveStrategyOptions live;
  const app::FeedConfig& feed = venue.feed;
  const auto channel = [&](std::int32_t port) {
    return port > 0 ? std::optional(link::Address{venue.listen.host, static_cast<std::uint16_t>(port)}) : std::nullopt;
  };
  live.feed.line_a = feed.line_a;
  live.feed.line_b = feed.line_b;
  live.feed.interface = feed.interface;
  live.feed.client.replay = channel(feed.replay_port);
  live.feed.client.recovery = channel(feed.recovery_port);
  live.feed.client.user = feed.readers.empty() ? "-" : feed.readers.front().name;
  if (!feed.readers.empty()) live.feed.client.password = feed.readers.front().password;
  if (feed.readers.empty()) live.feed.client.replay = live.feed.client.recovery = std::nullopt;
  live.feed.client.books.orders = venue.orders;
  live.feed.client.books.levels = venue.levels;
  live.feed.client.books.instruments = std::max<std::size_t>(1'024, venue.instruments.size());
  for (const simulate::InstrumentConfig& each : venue.instruments) {
    app::LiveInstrument instrument{
        .symbol = each.symbol, .id = each.id, .group = static_cast<char>('0' + each.partition)};
    for (const simulate::TickConfig& band : each.ticks)
      if (band.from <= each.reference) instrument.tick = band.tick.units;
    live.feed.client.instruments.push_back({instrument.group, instrument.id});
    live.instruments.push_back(std::move(instrument));
  }
  return live;
}

/// NAME=VALUE of --set; false: complained.
bool read_parameters(const std::vector<std::string>& sets, backtest::ParameterTexts& parameters) {
  for (const std::string& set : sets) {
    const std::size_t equals = set.find('=');
    if (equals == std::string::npos || equals == 0) {
      complain(fmt::format("--set takes NAME=VALUE; got \"{}\"", set));
      return false;
    }
    parameters[set.substr(0, equals)] = set.substr(equals + 1);
  }
  return true;
}

void show_on_stderr(const std::string& line) {
  fmt::print(stderr, "{}\n", line);
}

/// A strategy trades; `options.trade` is read.
int run_strategy(const TradeCommandOptions& options) {
  backtest::BacktestSettings settings{.file = "live", .strategy = options.strategy};
  if (!read_parameters(options.sets, settings.parameters)) return k_usage;
  const auto strategy = backtest::make_strategy(settings.strategy, settings.parameters);
  if (!strategy) {
    complain(strategy.error());
    return k_usage;
  }
  const auto length = backtest::parse_duration(options.length);
  if (!length) {
    complain("--length: " + length.error());
    return k_usage;
  }
  if (options.config.empty()) {
    complain("--strategy needs --config FILE, the venue's: its instruments and market data");
    return k_usage;
  }
  const auto venue = app::load_venue(options.config);
  if (!venue) {
    complain(venue.error());
    return k_usage;
  }
  if (venue->feed.line_a.empty() && venue->feed.line_b.empty()) {
    complain(options.config + ": [feed] has no line_a or line_b, so there are no books");
    return k_usage;
  }
  if (!venue->feed.readers.empty() && app::is_scrypt_text(venue->feed.readers.front().password)) {
    complain(
        fmt::format("{}: of reader {} it has a password_hash, which nobody can log in with: let password_file name a "
                    "file in a copy of it",
                    options.config, venue->feed.readers.front().name));
    return k_usage;
  }
  app::LiveStrategyOptions live_options = live_options_of(*venue);
  live_options.trade = options.trade;
  if (live_options.trade.native)
    for (const app::LiveInstrument& of : live_options.instruments)
      live_options.trade.native->instruments.emplace(of.symbol, of.id);
  InstrumentRun run(options.output);
  if (!run.can_write()) return k_environment;
  app::LiveStrategy live(std::move(live_options), **strategy, show_on_stderr);
  if (!apply_loop(options.trade.loop, show_on_stderr)) return k_environment;
  const app::TradeOutcome outcome = live.run([&run] { return run.is_interrupted(); }, *length);
  backtest::BacktestResult result = live.result(settings);
  result.remark = (*strategy)->remark();
  if (!options.fills_file.empty() && !backtest::write_fills(options.fills_file, result)) {
    complain(options.fills_file + ": cannot be written");
    return k_environment;
  }
  if (result.events == 0) return k_environment;
  evidence::Artefact artefact = backtest::artefact_of(settings, result);
  const int status = run.finish(artefact, {});
  switch (outcome) {
    case app::TradeOutcome::done:
      return status;
    case app::TradeOutcome::refused:
      return k_failed;
    case app::TradeOutcome::unreachable:
      return k_environment;
  }
  return k_environment;
}

/// Reads --connect; false: complained.
bool read_addresses(TradeCommandOptions& options) {
  if (options.addresses.empty()) options.addresses = options.is_native ? "127.0.0.1:9001" : "127.0.0.1:9878";
  for (std::string_view rest = options.addresses; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    const auto address = net::parse_address(std::string(one));
    if (!address) {
      complain(fmt::format("--connect {}: expected {}", one, address.error().expected));
      return false;
    }
    options.trade.gateways.push_back(*address);
  }
  if (options.trade.gateways.empty()) complain("--connect: expected HOST:PORT");
  return !options.trade.gateways.empty();
}

/// NAME=NUMBER of --instrument; false: complained.
bool read_instruments(const TradeCommandOptions& options, app::NativeTradeOptions& native) {
  for (const std::string& text : options.instruments) {
    const std::size_t equals = text.find('=');
    std::uint32_t number = 0;
    const char* const end = text.data() + text.size();
    const bool is_number = equals != std::string::npos && equals != 0 &&
                           std::from_chars(text.data() + equals + 1, end, number).ptr == end && number != 0;
    if (!is_number) {
      complain(fmt::format("--instrument {}: expected NAME=NUMBER", text));
      return false;
    }
    native.instruments[text.substr(0, equals)] = number;
  }
  return true;
}

/// Of standard input the password is the first line, the new one the next. False: complained.
bool read_passwords(TradeCommandOptions& options) {
  const auto password = options.password.read();
  const auto chosen = password ? options.new_password.read() : std::nullopt;
  if (!chosen) return false;
  options.trade.password = *password;
  options.trade.new_password = *chosen;
  return true;
}

/// What MIT203 needs besides, where it is spoken; false: complained.
bool read_native(TradeCommandOptions& options) {
  if (!options.is_native) {
    if (options.trade.sender.empty()) complain("--sender is required: our CompID; or --native");
    return !options.trade.sender.empty();
  }
  const bool is_secure = options.is_secure || options.tls != net::TlsConfig{};
  if (is_secure) complain("--native: MIT203 does not go over TLS");
  if (options.trade.username.empty()) complain("--native needs --user, and --password or --password-file");
  const mit::Dialect* const dialect = mit::find_dialect(options.dialect);
  if (dialect == nullptr)
    complain(fmt::format("--dialect {}: expected LSE-21.2, BIT-9.4 or LSE-11.8.5", options.dialect));
  if (is_secure || options.trade.username.empty() || dialect == nullptr) return false;
  app::NativeTradeOptions native{.dialect = dialect};
  if (!options.recovery.empty()) {
    // A port alone is one of the same host.
    const bool has_host = options.recovery.find(':') != std::string::npos;
    const auto address =
        net::parse_address(has_host ? options.recovery : options.trade.gateways.front().host + ":" + options.recovery);
    if (!address) {
      complain(fmt::format("--recovery {}: expected a port, or {}", options.recovery, address.error().expected));
      return false;
    }
    native.recovery = *address;
  }
  if (!read_instruments(options, native)) return false;
  options.trade.native = std::move(native);
  return true;
}

/// Where commands come from.
struct Lines {
  std::unique_ptr<app::LineSource> source;
  EditedLines* edited = nullptr;  // the same, where a person types at a terminal that can be written to
};

Lines lines_for(const std::string& script, bool is_terminal) {
  if (!script.empty()) return {.source = std::make_unique<app::NoLines>()};
  if (!is_terminal || ::isatty(STDOUT_FILENO) != 1)
    return {.source = std::make_unique<app::DescriptorLines>(STDIN_FILENO)};
  auto edited = std::make_unique<EditedLines>("> ", history_file());
  EditedLines* const line = edited.get();
  return {.source = std::move(edited), .edited = line};
}

int run_trade(TradeCommandOptions options) try {
  if (!read_addresses(options) || !read_passwords(options) || !read_native(options)) return k_usage;
  if (options.is_secure || options.tls != net::TlsConfig{}) options.trade.tls = options.tls;
  const auto version = gateway::fix_version_of(options.version);
  if (!version) {
    complain(fmt::format("--version {}: expected FIX.4.2, FIX.4.4 or FIX.5.0SP2", options.version));
    return k_usage;
  }
  options.trade.version = *version;
  const auto loop = options.loop.settings();
  if (!loop) return k_usage;
  options.trade.loop = *loop;
  const std::string& script = options.trade.script;
  if (!options.strategy.empty()) {
    if (script.empty()) return run_strategy(options);
    complain("--script and --strategy: one of them trades");
    return k_usage;
  }
  if (!script.empty() && ::access(script.c_str(), R_OK) != 0) {
    complain(fmt::format("--script {}: the file cannot be read", script));
    return k_usage;
  }
  const app::StopSignal stop;
  const bool is_terminal = script.empty() && ::isatty(STDIN_FILENO) == 1;
  Lines lines = lines_for(script, is_terminal);
  if (lines.edited != nullptr && options.trade.native)
    for (const auto& [name, number] : options.trade.native->instruments) lines.edited->learn(name);
  app::TradeClient client(options.trade, [&](const std::string& line) {
    if (lines.edited != nullptr) return lines.edited->show(line);
    fmt::print("{}\n", line);
    std::fflush(stdout);
  });
  if (!apply_loop(*loop, show_on_stderr)) return k_environment;
  switch (client.run(*lines.source, is_terminal, [&] { return stop.is_raised(); })) {
    case app::TradeOutcome::done:
      return k_success;
    case app::TradeOutcome::refused:
      return k_failed;
    case app::TradeOutcome::unreachable:
      return k_environment;
  }
  return k_environment;
} catch (const std::invalid_argument& wrong) {
  complain(wrong.what());
  return k_usage;
} catch (const std::exception& error) {
  complain(error.what());
  return k_environment;
}

}  // namespace

void add_trade(Command program, int& status) {
  Command command = program.add_command("trade", "A client to type at, or to run a script of orders: FIX or MIT203");
  auto options = std::make_shared<TradeCommandOptions>();
  command
      .add_option("--connect", options->addresses,
                  "Where gateways, or venues, listen, with commas between: tried in turn; else "
                  "127.0.0.1:9878, or 9001 with --native")
      .type_name("HOST:PORT");
  command.add_option("--attempts", options->trade.attempts, "Failed ones until it gives up; 0: one for each gateway")
      .type_name("N")
      .show_default();
  command.add_option("--sender", options->trade.sender, "Our CompID; not with --native").type_name("ID");
  options->trade.target = "DOJIMA";
  command.add_option("--target", options->trade.target, "The gateway's CompID").type_name("ID").show_default();
  command.add_option("--version", options->version, "FIX.4.2, FIX.4.4 or FIX.5.0SP2, as the gateway has it for us")
      .type_name("NAME")
      .show_default();
  options->loop.add_to(command);
  command.add_option("--script", options->trade.script, "Commands, in place of stdin").type_name("FILE");
  command.add_option("--username,--user", options->trade.username, "Of the Logon").type_name("TEXT");
  options->password.add_to(command, "Of the Logon");
  options->new_password.add_to(command, "That we want from the next logon on");
  command.add_flag("--native", options->is_native, "MIT203 with the venue itself, as --user with --password[-file]");
  command.add_option("--recovery", options->recovery, "Its recovery channel: what was said to us before is shown")
      .type_name("PORT");
  command.add_option("--dialect", options->dialect, "Of MIT203: LSE-21.2, BIT-9.4 or LSE-11.8.5").show_default();
  command.add_option("--instrument", options->instruments, "A name for an instrument's number; may be said again")
      .type_name("NAME=NUMBER");
  command.add_flag("--tls", options->is_secure, "Connect by TLS, as the options below do too");
  command.add_option("--trusted", options->tls.trusted_file, "PEM: who may have signed the gateway's certificate")
      .type_name("FILE");
  command.add_option("--server-name", options->tls.server_name, "That certificate's, if not the host's")
      .type_name("NAME");
  command.add_option("--certificate", options->tls.certificate_file, "PEM: ours").type_name("FILE");
  command.add_option("--key", options->tls.key_file, "PEM: of ours").type_name("FILE");
  command
      .add_option("--strategy", options->strategy,
                  "Let a strategy of the back-tests trade; dojima backtest --list names them")
      .type_name("NAME");
  command.add_option("--set", options->sets, "A parameter of the strategy, NAME=VALUE; may be given often")
      .one_value_per_use()
      .type_name("NAME=VALUE");
  command.add_option("--config", options->config, "The venue's configuration: what the strategy trades, and its feed")
      .type_name("FILE");
  command.add_option("--length", options->length, "How long the strategy trades; 0: until it is interrupted")
      .show_default();
  command.add_option("--csv", options->fills_file, "Write the strategy's fills into this file").type_name("FILE");
  options->output.json.add_to(command);
  command.add_option("--report", options->output.page, "Write a report page about the strategy").type_name("FILE");
  command.footer(
      std::string(app::trade_help()) +
      "\nCommands come from stdin. From a terminal they are taken as typed; a script's wait for their answers,\n"
      "one after the other, and the exit status is 1 when anything was refused or not as expected.\n"
      "With --strategy it trades, with the books of the venue's market data; at the end its orders are cancelled.\n"
      "example: dojima trade --sender KONOIKE --strategy touch --set quantity=5 --config venue.toml --length 10s\n"
      "example: echo 'buy 100 KAGA @ 99.5' | dojima trade --connect 127.0.0.1:9878 --sender KONOIKE");
  command.on_run([options, &status] { status = run_trade(*options); });
}

}  // namespace dojima::cli
