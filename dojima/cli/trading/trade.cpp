// dojima trade

#include <algorithm>
#include <cstdio>
#include <fmt/core.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unistd.h>

#include "dojima/app/stop_signal.hpp"
#include "dojima/app/trade_client.hpp"
#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/net/address.hpp"

namespace dojima::cli {
namespace {

struct Options {
  std::string addresses = "127.0.0.1:9878";
  bool is_secure = false;
  net::TlsConfig tls;
  app::TradeOptions trade;
};

int run_trade(Options options) try {
  for (std::string_view rest = options.addresses; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    const auto address = net::parse_address(std::string(one));
    if (!address) {
      complain(fmt::format("--connect {}: expected {}", one, address.error().expected));
      return k_usage;
    }
    options.trade.gateways.push_back(*address);
  }
  if (options.trade.gateways.empty()) {
    complain("--connect: expected HOST:PORT");
    return k_usage;
  }
  if (options.is_secure || options.tls != net::TlsConfig{}) options.trade.tls = options.tls;
  const app::StopSignal stop;
  const bool is_terminal = ::isatty(STDIN_FILENO) == 1;
  app::TradeClient client(options.trade, [](const std::string& line) {
    fmt::print("{}\n", line);
    std::fflush(stdout);
  });
  app::DescriptorLines lines(STDIN_FILENO);
  switch (client.run(lines, is_terminal, [&] { return stop.is_raised(); })) {
    case app::TradeOutcome::done:
      return k_success;
    case app::TradeOutcome::refused:
      return k_failed;
    case app::TradeOutcome::unreachable:
      return k_environment;
  }
  return k_environment;
} catch (const std::runtime_error& error) {
  complain(error.what());
  return k_environment;
}

}  // namespace

void add_trade(Command program, int& status) {
  Command command = program.add_command("trade", "A FIX client to type at, or to run a script of orders");
  auto options = std::make_shared<Options>();
  command.add_option("--connect", options->addresses, "Where gateways listen, with commas between: tried in turn")
      .type_name("HOST:PORT")
      .show_default();
  command.add_option("--attempts", options->trade.attempts, "Failed ones until it gives up; 0: one for each gateway")
      .type_name("N")
      .show_default();
  command.add_option("--sender", options->trade.sender, "Our CompID").required().type_name("ID");
  options->trade.target = "DOJIMA";
  command.add_option("--target", options->trade.target, "The gateway's CompID").type_name("ID").show_default();
  command.add_option("--username", options->trade.username, "Of the Logon").type_name("TEXT");
  command.add_option("--password", options->trade.password, "Of the Logon").type_name("TEXT");
  command.add_flag("--tls", options->is_secure, "Connect by TLS, as the options below do too");
  command.add_option("--trusted", options->tls.trusted_file, "PEM: who may have signed the gateway's certificate")
      .type_name("FILE");
  command.add_option("--server-name", options->tls.server_name, "That certificate's, if not the host's")
      .type_name("NAME");
  command.add_option("--certificate", options->tls.certificate_file, "PEM: ours").type_name("FILE");
  command.add_option("--key", options->tls.key_file, "PEM: of ours").type_name("FILE");
  command.footer(
      std::string(app::trade_help()) +
      "\nCommands come from stdin. From a terminal they are taken as typed; a script's wait for their answers,\n"
      "one after the other, and the exit status is 1 when anything was refused.\n"
      "example: echo 'buy 100 KAGA @ 99.5' | dojima trade --connect 127.0.0.1:9878 --sender KONOIKE");
  command.on_run([options, &status] { status = run_trade(*options); });
}

}  // namespace dojima::cli
