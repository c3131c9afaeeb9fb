// The program dojima-budget-sockets: the whole road over loopback, venue and gateway in threads of their own that sleep
// when there is nothing to do, and clients that send a request when the one before is answered. Counts the system
// calls, clock readings, context switches and wake-ups of both threads. One line of JSON on stdout.

#include "bench/budget/counted_calls.hpp"
#include "bench/budget/orders.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <memory>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <optional>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "dojima/app/demo/parts.hpp"
#include "dojima/app/station.hpp"
#include "dojima/measure/probe.hpp"

namespace {

using namespace dojima;
using bench::Call;

/// A number behind `key` in one of the kernel's files of a thread.
std::optional<std::uint64_t> field_of(pid_t thread, const char* file, const std::string& key) {
  std::ifstream stream("/proc/self/task/" + std::to_string(thread) + "/" + file);
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos) return std::strtoull(line.c_str() + colon + 1, nullptr, 10);
  }
  return std::nullopt;
}

/// What has been counted of a thread so far.
struct Reading {
  std::array<std::uint64_t, bench::k_calls> calls{};
  std::uint64_t turns = 0;
  std::optional<std::uint64_t> voluntary, involuntary, wake_ups;
};

/// A station in a thread of its own, counted.
class CountedThread {
 public:
  explicit CountedThread(const app::StationOptions& options) : station(options) {}
  ~CountedThread() { stop(); }

  void start() {
    thread_ = std::thread([this] {
      id_.store(::gettid());
      bench::count_calls_of_this_thread(&calls_);
      station.run([this] {
        turns_.fetch_add(1, std::memory_order_relaxed);
        return !is_over_.load();
      });
      bench::count_calls_of_this_thread(nullptr);
    });
    while (id_.load() == 0) std::this_thread::yield();
  }
  void stop() {
    is_over_.store(true);
    if (!thread_.joinable()) return;
    station.fabric().wake();
    thread_.join();
  }
  [[nodiscard]] Reading read() const {
    Reading reading;
    for (std::size_t call = 0; call < bench::k_calls; ++call) reading.calls[call] = calls_.of(static_cast<Call>(call));
    reading.turns = turns_.load(std::memory_order_relaxed);
    reading.voluntary = field_of(id_.load(), "status", "voluntary_ctxt_switches");
    reading.involuntary = field_of(id_.load(), "status", "nonvoluntary_ctxt_switches");
    reading.wake_ups = field_of(id_.load(), "sched", "nr_wakeups ");
    if (!reading.wake_ups) reading.wake_ups = field_of(id_.load(), "sched", "se.statistics.nr_wakeups ");
    return reading;
  }

  app::Station station;

 private:
  bench::CallCounts calls_;
  std::atomic<std::uint64_t> turns_{0};
  std::atomic<bool> is_over_{false};
  std::atomic<pid_t> id_{0};
  std::thread thread_;
};

/// The clients: plain sockets, one request at a time.
class Clients {
 public:
  explicit Clients(std::uint16_t port) {
    for (int& socket : sockets_) {
      socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_port = htons(port);
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      const int one = 1;
      ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
      if (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) fail("connect");
    }
  }
  ~Clients() {
    for (const int socket : sockets_) ::close(socket);
  }

  void log_on() {
    for (std::size_t client = 0; client < bench::k_clients; ++client) say(client, script_.logon(client, now()));
    while (!answers_[0].is_logged_on() || !answers_[1].is_logged_on()) listen();
  }
  void pass(std::size_t requests) {
    for (; requests > 0; --requests) {
      const bench::Request request = script_.next(now());
      expected_ += request.reports;
      say(request.client, request.bytes);
      while (answers_[0].reports() + answers_[1].reports() < expected_) listen();
    }
  }
  [[nodiscard]] std::size_t resting() const { return script_.resting(); }

 private:
  [[noreturn]] static void fail(const char* what) {
    std::fprintf(stderr, "dojima-budget-sockets: %s: %s\n", what, std::strerror(errno));
    std::exit(3);
  }
  [[nodiscard]] static time::Time now() { return time::SystemClock().now(); }
  void say(std::size_t client, const std::string& bytes) {
    if (::send(sockets_[client], bytes.data(), bytes.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(bytes.size()))
      fail("send");
  }
  void listen() {
    std::array<pollfd, bench::k_clients> ready{};
    for (std::size_t client = 0; client < bench::k_clients; ++client)
      ready[client] = {.fd = sockets_[client], .events = POLLIN, .revents = 0};
    constexpr int k_patience_ms = 10'000;
    if (::poll(ready.data(), ready.size(), k_patience_ms) <= 0) {
      errno = ETIMEDOUT;
      fail("no answer");
    }
    for (std::size_t client = 0; client < bench::k_clients; ++client) {
      if (ready[client].revents == 0) continue;
      std::array<char, 4096> room;
      const ssize_t got = ::recv(sockets_[client], room.data(), room.size(), 0);
      if (got <= 0) fail("the gateway closed the connection");
      answers_[client].take({room.data(), static_cast<std::size_t>(got)});
      if (answers_[client].surprise().empty()) continue;
      std::fprintf(stderr, "dojima-budget-sockets: not a report: %s\n", answers_[client].surprise().c_str());
      std::exit(1);
    }
  }

  int sockets_[bench::k_clients]{-1, -1};
  bench::OrderScript script_;
  std::array<bench::AnswerCounter, bench::k_clients> answers_;
  std::uint64_t expected_ = 0;
};

void print_number(const char* name, std::optional<std::uint64_t> before, std::optional<std::uint64_t> after,
                  std::size_t requests) {
  if (before && after) {
    std::printf(", \"%s\": %.4f", name, static_cast<double>(*after - *before) / static_cast<double>(requests));
  } else {
    std::printf(", \"%s\": null", name);
  }
}

void print_thread(const char* name, const Reading& before, const Reading& after, std::size_t requests) {
  std::printf("{\"thread\": \"%s\"", name);
  const char* const names[bench::k_calls] = {"receives", "empty_receives", "sends", "waits",
                                             "looks",    "controls",       "files", "kernel_clock_reads"};
  for (std::size_t call = 0; call < bench::k_calls; ++call)
    print_number(names[call], before.calls[call], after.calls[call], requests);
  print_number("turns", before.turns, after.turns, requests);
  print_number("voluntary_switches", before.voluntary, after.voluntary, requests);
  print_number("involuntary_switches", before.involuntary, after.involuntary, requests);
  print_number("wake_ups", before.wake_ups, after.wake_ups, requests);
  std::printf("}");
}

net::FabricOptions fabric_options() {
  return {.max_connections = 16};
}

app::StationOptions station_options(std::size_t timers) {
  return {.scheduler = timers + 16, .idle = net::IdlePolicy::block, .fabric = fabric_options()};
}

int run(std::size_t requests, bool has_probe) {
  const app::demo::Settings settings = bench::road_settings();
  measure::StageColumns columns(simulate::k_stages, 1 << 17);
  measure::Probe* probe = has_probe ? &columns : nullptr;
  CountedThread venue_thread(station_options(simulate::Exchange::timers(bench::road_venue())));
  CountedThread gateway_thread(station_options(gateway::Gateway::timers(bench::road_gateway().gateway)));
  const simulate::ExchangeProbe venue_probe{
      .probe = probe, .in = index_of(simulate::Stage::venue_in), .out = index_of(simulate::Stage::venue_out)};
  simulate::Exchange venue(bench::road_venue(), venue_thread.station.scheduler(), venue_probe);
  venue_thread.station.add(venue.front());
  app::demo::Board board;
  app::demo::GatewayPart gateway(settings, gateway_thread.station.fabric(), gateway_thread.station.scheduler(), probe,
                                 board);
  const auto venue_at = venue.start(venue_thread.station.fabric(), {"127.0.0.1", 0});
  if (!venue_at) return 3;
  const auto gateway_at = gateway.gateway().start({"127.0.0.1", 0}, *venue_at);
  if (!gateway_at) return 3;
  venue_thread.start();
  gateway_thread.start();
  Clients clients(gateway_at->port);
  clients.log_on();
  std::this_thread::sleep_for(std::chrono::milliseconds{300});  // until all venue users are logged on
  clients.pass(clients.resting() + 40 * bench::OrderScript::k_round);
  const Reading gateway_before = gateway_thread.read();
  const Reading venue_before = venue_thread.read();
  clients.pass(requests);
  const Reading gateway_after = gateway_thread.read();
  const Reading venue_after = venue_thread.read();
  std::printf("{\"threads\": [");
  print_thread("gateway", gateway_before, gateway_after, requests);
  std::printf(", ");
  print_thread("venue", venue_before, venue_after, requests);
  std::printf("]}\n");
  std::fflush(stdout);
  gateway_thread.stop();
  venue_thread.stop();
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const bool has_probe = count == 3 && std::string_view(words[2]) == "--probe";
  if (count < 2 || count > 3 || std::atol(words[1]) <= 0 || (count == 3 && !has_probe)) {
    std::fputs("usage: dojima-budget-sockets REQUESTS [--probe] (dojima bench budget runs it)\n", stderr);
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);
  return run(static_cast<std::size_t>(std::atol(words[1])), has_probe);
}
