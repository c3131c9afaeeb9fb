#include "echo_peers.hpp"

#include <chrono>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <optional>
#include <poll.h>
#include <sched.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "dojima/fix/acceptor.hpp"
#include "dojima/fix/journal_stores.hpp"
#include "dojima/fix/rewrite.hpp"
#include "dojima/journal/journal_thread.hpp"
#include "dojima/journal/real_disk.hpp"
#include "dojima/net/asio_fabric.hpp"
#include "dojima/sched/loop.hpp"
#include "dojima/time/clock.hpp"

namespace dojima::bench {
namespace {

constexpr useconds_t k_look_us = 50;  // between looks of a busy server that is not measured

int listening_socket(std::uint16_t& port) {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (listener < 0 || ::bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::listen(listener, 1) != 0 || ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::runtime_error("cannot listen");
  port = ntohs(address.sin_port);
  return listener;
}

struct Echo final : fix::Handler {
  void on_logon(fix::Session&, time::Time) override {}
  void on_logout(fix::Session&, std::string_view, time::Time) override {}
  void on_message(fix::Session& session, const fix::MessageView& message, time::Time) override {
    fix::Writer writer = session.begin(message.msg_type());
    fix::rewrite_body(message, session.dictionary_of(message), fix::FieldOrder::compact, writer);
    static_cast<void>(session.send(writer));
  }
  void on_trouble(fix::Session&, const Error&) override {}
};

}  // namespace

void leave_processor_of(int processor) {
  cpu_set_t all;
  CPU_ZERO(&all);
  const long count = ::sysconf(_SC_NPROCESSORS_ONLN);
  for (int other = 0; other < count; ++other) {
    if (other != processor || count == 1) CPU_SET(static_cast<unsigned>(other), &all);
  }
  static_cast<void>(::sched_setaffinity(0, sizeof all, &all));
}

std::uint16_t free_port() {
  std::uint16_t port = 0;
  ::close(listening_socket(port));
  return port;
}

Served::Served(std::function<void(Control&)> serve) {
  const int own = ::sched_getcpu();
  thread_ = std::thread([this, own, serve = std::move(serve)] {
    leave_processor_of(own);
    serve(control_);
  });
  while (control_.port == 0) std::this_thread::yield();
}

Served::~Served() {
  control_.is_stopped = true;
  thread_.join();
}

void serve_raw(Control& control, bool is_busy) {
  std::uint16_t chosen = 0;
  const int listener = listening_socket(chosen);
  control.port = chosen;
  pollfd waiting{.fd = listener, .events = POLLIN, .revents = 0};
  while (::poll(&waiting, 1, 50) == 0) {
    if (control.is_stopped) return static_cast<void>(::close(listener));
  }
  const int peer = ::accept(listener, nullptr, nullptr);
  const int on = 1;
  ::setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const timeval patience{.tv_sec = 0, .tv_usec = 50'000};
  ::setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  char bytes[4096];
  while (!control.is_stopped) {
    const ssize_t size = ::recv(peer, bytes, sizeof bytes, is_busy ? MSG_DONTWAIT : 0);
    if (size == 0) break;
    if (size < 0 && is_busy && !control.is_measured) ::usleep(k_look_us);
    if (size > 0) static_cast<void>(::send(peer, bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL));
  }
  ::close(peer);
  ::close(listener);
}

void serve_session(Control& control, net::IdlePolicy idle, KeepsIn store, const std::string& folder) {
  const net::FabricOptions options{.max_connections = 4};
  time::SystemClock clock;
  sched::Scheduler scheduler(net::AsioFabric::timers(options) + 16, clock.now());
  sched::LivePacer pacer(clock);
  net::AsioFabric fabric(scheduler, options);
  std::unique_ptr<journal::RealDisk> disk;
  std::unique_ptr<fix::JournalStores> stores;
  std::optional<journal::JournalThread> thread;
  Echo echo;
  const fix::SessionConfig config{.sender_comp_id = "ECHO", .target_comp_id = "CLIENT", .reset_on_logon = true};
  std::optional<fix::Session> session;
  if (store == KeepsIn::journal) {
    disk = *journal::RealDisk::open(folder);
    auto opened = fix::JournalStores::open(*disk, {.name = "bench"});
    if (!opened) throw std::runtime_error(opened.error().what);
    stores = *std::move(opened);
    // Seldom: with the other servers it shares what processors there are besides the client's.
    thread.emplace(stores->journal(), journal::JournalThreadOptions{.nap = std::chrono::milliseconds{1}});
    session.emplace(scheduler, config, echo, **stores->store({"FIX.4.4", "ECHO", "CLIENT"}));
  } else {
    session.emplace(scheduler, config, echo);
  }
  fix::SessionAcceptor acceptor(scheduler, {.links = 2}, nullptr);
  acceptor.add(*session);
  const auto where = fabric.listen({"127.0.0.1", 0}, acceptor);
  if (!where) throw std::runtime_error("cannot listen");
  control.port = where->port;
  sched::Source* const sources[] = {&fabric};
  sched::Loop loop(scheduler, pacer, sources);
  while (!control.is_stopped) {
    if (loop.turn() != sched::Loop::Turn::idle) continue;
    if (idle == net::IdlePolicy::spin && !control.is_measured) ::usleep(k_look_us);
    net::rest(idle, fabric, loop.next_time(), scheduler.now());
  }
}

}  // namespace dojima::bench
