// dojima-echo-server: one of the servers of dojima-bench-session as a program of its own, for tools that count what it
// does for an echo (echo_costs.py). Prints its port, ends after so many echoes.
//
//   dojima-echo-server --server session --idle block --echoes 1000 --folder /tmp/store

#include "echo_peers.hpp"

#include <cstdio>
#include <string>
#include <thread>

#include "dojima/harness/program_options.hpp"

int main(int count, char** words) try {
  using namespace dojima;
  std::string server = "session", idle = "spin", store = "journal", folder;
  std::uint64_t echoes = 1000;
  std::size_t sessions = 1;
  harness::ProgramOptions program{
      "Echoes orders over loopback until so many have gone back. For tools that count what that costs."};
  program.add("--server", server, "who echoes").one_of({"raw", "session"}).show_default();
  program.add("--idle", idle, "between orders").one_of({"spin", "block"}).show_default();
  program.add("--store", store, "of the session").one_of({"journal", "memory"}).show_default();
  program.add("--folder", folder, "of the journal");
  program.add("--sessions", sessions, "with CLIENT, or of several with CLIENT0, CLIENT1 ...").show_default();
  program.add("--echoes", echoes, "how many").show_default();
  if (const auto status = program.parse(count, words)) return *status;
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
