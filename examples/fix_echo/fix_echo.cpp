// fix-echo: FIX sessions that echo orders, on the installed library alone: acceptors of all versions on one port, and
// initiators.
//
//   fix-echo --config echo.toml

#include "echo_config.hpp"
#include "echo_server.hpp"

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "dojima/fix/journal_stores.hpp"
#include "dojima/journal/journal_thread.hpp"
#include "dojima/journal/real_disk.hpp"
#include "dojima/net/asio_fabric.hpp"
#include "dojima/net/idle.hpp"
#include "dojima/net/tls_fabric.hpp"
#include "dojima/sched/loop.hpp"
#include "dojima/sched/scheduler.hpp"
#include "dojima/time/clock.hpp"

namespace {

using namespace dojima;

volatile std::sig_atomic_t s_is_stopped = 0;

void stop(int) {
  s_is_stopped = 1;
}

/// The journal of all sessions that have their store in one.
struct Journal {
  std::unique_ptr<journal::RealDisk> disk;
  std::unique_ptr<fix::JournalStores> stores;
};

/// Handshakes that failed, as lines.
struct Handshakes final : net::TlsHandler {
  explicit Handshakes(bool is_silent) : is_quiet(is_silent) {}
  void on_secured(const net::TlsPeer&, time::Time) override {}
  void on_trouble(const net::TlsTrouble& trouble, time::Time) override {
    if (is_quiet) return;
    const std::string text(trouble.text.empty() ? link::name_of(trouble.reason) : trouble.text);
    std::fprintf(stderr, "%s: refused: TLS: %s\n", trouble.address.host.c_str(), text.c_str());
  }
  const bool is_quiet;
};

/// What the system said: errors of a disk have its errno.
std::string system_text(const dojima::Error& error) {
  return error.got > 0 && error.got < 200 ? std::string(": ") + std::strerror(static_cast<int>(error.got)) : "";
}

std::optional<Journal> open_journal(const echo::Config& config) {
  auto disk = journal::RealDisk::open(config.store_directory);
  if (!disk) {
    std::fprintf(stderr, "fix-echo: cannot open the directory %s%s\n", config.store_directory.c_str(),
                 system_text(disk.error()).c_str());
    return std::nullopt;
  }
  auto stores = fix::JournalStores::open(**disk, {.name = "echo", .durability = config.durability});
  if (!stores) {
    const journal::Trouble& trouble = stores.error();
    std::fprintf(stderr, "fix-echo: %s: %s%s (%s)\n", (config.store_directory + "/" + trouble.place.file).c_str(),
                 trouble.what.c_str(), system_text(trouble.error).c_str(), trouble.advice.c_str());
    return std::nullopt;
  }
  return Journal{*std::move(disk), *std::move(stores)};
}

int serve(const echo::Config& config, bool is_quiet) {
  std::optional<Journal> kept;
  if (!config.store_directory.empty()) {
    kept = open_journal(config);
    if (!kept) return 1;
  }
  // Beside the sessions' and those of strangers, some that are closing.
  constexpr std::size_t k_closing = 8;
  const net::TlsFabricOptions tls_options{.max_connections = echo::EchoServer::links(config) + k_closing};
  const net::FabricOptions fabric_options{.max_connections = tls_options.max_connections + k_closing,
                                          .ring = config.idle == net::IdlePolicy::ring};
  time::SystemClock clock;
  sched::Scheduler scheduler(
      net::AsioFabric::timers(fabric_options) + net::TlsFabric::timers(tls_options) + echo::EchoServer::timers(config),
      clock.now());
  sched::LivePacer pacer(clock);
  net::AsioFabric fabric(scheduler, fabric_options);
  echo::EchoServer server(scheduler, config, kept ? kept->stores.get() : nullptr, is_quiet);
  std::optional<journal::JournalThread> thread;
  if (kept) {
    const auto wake = [&] { fabric.wake(); };
    thread.emplace(kept->stores->journal(), journal::JournalThreadOptions{.on_durable = wake, .on_room = wake});
  }
  Handshakes handshakes(is_quiet);
  std::optional<net::TlsFabric> secure;
  if (config.tls) {
    const auto context = net::TlsContext::make(net::TlsRole::server, *config.tls);
    if (!context) {
      std::fprintf(stderr, "fix-echo: tls: %s\n", context.error().text.c_str());
      return 1;
    }
    secure.emplace(fabric, scheduler, *context, tls_options, &handshakes);
  }
  if (config.has_acceptor()) {
    const link::Address address{config.host, config.port};
    const auto where = secure ? secure->listen(address, server.acceptor()) : fabric.listen(address, server.acceptor());
    if (!where) {
      std::fprintf(stderr, "fix-echo: cannot listen on %s:%u\n", config.host.c_str(), config.port);
      return 1;
    }
    std::printf("listening on %s:%u, %zu sessions\n", where->host.c_str(), where->port, config.sessions.size());
  }
  for (const echo::SessionRow& row : config.sessions)
    if (row.connecting)
      std::printf("connecting to %s:%u\n", row.connecting->address.host.c_str(), row.connecting->address.port);
  std::fflush(stdout);
  server.connect(fabric, scheduler.now());
  sched::Source* const sources[] = {&server, &fabric};
  sched::Loop loop(scheduler, pacer, sources);
  bool is_ending = false;
  while (!is_ending || fabric.open_connections() > 0) {
    if (s_is_stopped != 0 && !is_ending) {
      is_ending = true;
      fabric.stop_listening();
      server.stop("the server ends");
    }
    if (loop.turn() == sched::Loop::Turn::idle) {
      std::fflush(stdout);
      net::rest(config.idle, fabric, loop.next_time(), scheduler.now());
    }
  }
  return 0;
}

}  // namespace

int main(int count, char** words) try {
  std::string file;
  bool is_quiet = false;
  CLI::App app{
      "FIX sessions, acceptors on one port and initiators, that echo NewOrderSingle, SecurityDefinition and Email, "
      "and refuse the rest. Ends in order on Ctrl-C. Exit status 1: it cannot serve; 2: wrong arguments or "
      "configuration."};
  app.add_option("--config", file, "TOML: port, and a [[session]] for each session")->required();
  app.add_flag("--quiet", is_quiet, "say nothing of sessions and refusals");
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& trouble) {
    return app.exit(trouble) == 0 ? 0 : 2;
  }
  const auto config = echo::read_config(file);
  if (!config) {
    std::fprintf(stderr, "fix-echo: %s\n", config.error().c_str());
    return 2;
  }
  std::signal(SIGINT, stop);
  std::signal(SIGTERM, stop);
  return serve(*config, is_quiet);
} catch (const std::exception& trouble) {
  std::fprintf(stderr, "fix-echo: %s\n", trouble.what());
  return 2;
}
