// dojima trade

#include <cstdio>
#include <fmt/core.h>
#include <memory>
#include <unistd.h>

#include "dojima/app/stop_signal.hpp"
#include "dojima/app/trade_client.hpp"
#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/net/address.hpp"

namespace dojima::cli {
namespace {

struct Options {
  std::string address = "127.0.0.1:9878";
  app::TradeOptions trade;
};

int run_trade(Options options) {
  const auto address = net::parse_address(options.address);
  if (!address) {
    complain(fmt::format("--connect {}: expected {}", options.address, address.error().expected));
    return k_usage;
  }
  options.trade.gateway = *address;
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
}

}  // namespace

void add_trade(Command program, int& status) {
  Command command = program.add_command("trade", "A FIX client to type at, or to run a script of orders");
  auto options = std::make_shared<Options>();
  command.add_option("--connect", options->address, "Where the gateway listens").type_name("HOST:PORT").show_default();
  command.add_option("--sender", options->trade.sender, "Our CompID").required().type_name("ID");
  options->trade.target = "DOJIMA";
  command.add_option("--target", options->trade.target, "The gateway's CompID").type_name("ID").show_default();
  command.add_option("--password", options->trade.password, "Of the Logon").type_name("TEXT");
  command.footer(
      std::string(app::trade_help()) +
      "\nCommands come from stdin. From a terminal they are taken as typed; a script's wait for their answers,\n"
      "one after the other, and the exit status is 1 when anything was refused.\n"
      "example: echo 'buy 100 KAGA @ 99.5' | dojima trade --connect 127.0.0.1:9878 --sender KONOIKE");
  command.on_run([options, &status] { status = run_trade(*options); });
}

}  // namespace dojima::cli
