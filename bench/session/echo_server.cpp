// dojima-echo-server: one of the servers of dojima-bench-session as a program of its own, for tools that count what it
// does for an echo (echo_costs.py). Prints its port, ends after so many echoes.
//
//   dojima-echo-server --server session --idle block --echoes 1000 --folder /tmp/store

#include "echo_peers.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <thread>

int main(int count, char** words) try {
  using namespace dojima;
  std::string server = "session", idle = "spin", store = "journal", folder;
  std::uint64_t echoes = 1000;
  std::size_t sessions = 1;
  CLI::App app{"Echoes orders over loopback until so many have gone back. For tools that count what that costs."};
  app.add_option("--server", server, "who echoes")->check(CLI::IsMember({"raw", "session"}))->capture_default_str();
  app.add_option("--idle", idle, "between orders")->check(CLI::IsMember({"spin", "block"}))->capture_default_str();
  app.add_option("--store", store, "of the session")
      ->check(CLI::IsMember({"journal", "memory"}))
      ->capture_default_str();
  app.add_option("--folder", folder, "of the journal");
  app.add_option("--sessions", sessions, "with CLIENT, or of several with CLIENT0, CLIENT1 ...")->capture_default_str();
  app.add_option("--echoes", echoes, "how many")->capture_default_str();
  CLI11_PARSE(app, count, words);
  bench::Control control;
  control.is_measured = true;
  control.echoes_most = echoes;
  std::thread announcer([&control] {
    while (control.port == 0) std::this_thread::yield();
    std::printf("%u\n", control.port.load());
    std::fflush(stdout);
  });
  if (server == "raw") {
    bench::serve_raw(control, {.is_busy = idle == "spin"});
  } else {
    bench::serve_sessions(control, {.idle = *net::idle_policy_of(idle),
                                    .store = store == "journal" ? bench::KeepsIn::journal : bench::KeepsIn::memory,
                                    .folder = folder,
                                    .sessions = sessions});
  }
  announcer.join();
  return 0;
} catch (const std::exception& trouble) {
  std::fprintf(stderr, "dojima-echo-server: %s\n", trouble.what());
  return 1;
}
