#include "echo_peers.hpp"

#include "bench/other_processors.hpp"
#include "tls_stream.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <optional>
#include <poll.h>
#include <stdexcept>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "dojima/fix/acceptor.hpp"
#include "dojima/fix/journal_stores.hpp"
#include "dojima/fix/rewrite.hpp"
#include "dojima/journal/journal_thread.hpp"
#include "dojima/journal/real_disk.hpp"
#include "dojima/net/asio_fabric.hpp"
#include "dojima/net/tls_fabric.hpp"
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
      ::listen(listener, 16) != 0 || ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::runtime_error("cannot listen");
  port = ntohs(address.sin_port);
  return listener;
}

struct Echo final : fix::Handler {
  explicit Echo(Control& of) noexcept : control(of) {}
  void on_logon(fix::Session&, time::Time) override {}
  void on_logout(fix::Session&, std::string_view, time::Time) override {}
  void on_message(fix::Session& session, const fix::MessageView& message, time::Time) override {
    fix::Writer writer = session.begin(message.msg_type());
    fix::rewrite_body(message, session.dictionary_of(message), fix::FieldOrder::compact, writer);
    static_cast<void>(session.send(writer));
    ++control.echoes;
  }
  void on_trouble(fix::Session&, const Error&) override {}
  Control& control;
};

}  // namespace

std::uint16_t free_port() {
  std::uint16_t port = 0;
  ::close(listening_socket(port));
  return port;
}

Served::Served(std::function<void(Control&)> serve) {
  const int own = ::sched_getcpu();
  thread_ = std::thread([this, own, serve = std::move(serve)] {
    OnOtherProcessors::leave(own);
    serve(control_);
  });
  while (control_.port == 0) std::this_thread::yield();
}

Served::~Served() {
  control_.is_stopped = true;
  thread_.join();
}

namespace {

void echo_plain(Control& control, int peer, bool is_busy) {
  const timeval patience{.tv_sec = 0, .tv_usec = 50'000};
  ::setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  char bytes[4096];
  while (control.is_wanted()) {
    const ssize_t size = ::recv(peer, bytes, sizeof bytes, is_busy ? MSG_DONTWAIT : 0);
    if (size == 0) break;
    if (size < 0 && is_busy && !control.is_measured) ::usleep(k_look_us);
    if (size <= 0) continue;
    static_cast<void>(::send(peer, bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL));
    ++control.echoes;
  }
}

void echo_secured(Control& control, int peer, const std::string& pem) try {
  TlsStream stream(peer, TlsStream::Side::server, pem);
  std::byte bytes[4096];
  while (control.is_wanted()) {
    const std::size_t size = stream.read_some(bytes);
    if (size == 0) {
      if (!control.is_measured) ::usleep(k_look_us);
      continue;
    }
    stream.write(Bytes(bytes, size));
    ++control.echoes;
  }
} catch (const std::runtime_error&) {
  // The client has gone.
}

}  // namespace

void serve_raw(Control& control, const RawOptions& options) {
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
  if (options.pem.empty()) {
    echo_plain(control, peer, options.is_busy);
  } else {
    echo_secured(control, peer, options.pem);
  }
  ::close(peer);
  ::close(listener);
}

namespace {

/// Accepts whoever connects, into an epoll set.
void accept_into(int set, int listener, std::vector<int>& peers) {
  const int peer = ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK);
  if (peer < 0) return;
  peers.push_back(peer);
  const int on = 1;
  ::setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  epoll_event event{.events = EPOLLIN, .data = {.fd = peer}};
  ::epoll_ctl(set, EPOLL_CTL_ADD, peer, &event);
}

}  // namespace

void serve_raw_sockets(Control& control, std::size_t sockets) {
  std::uint16_t chosen = 0;
  const int listener = listening_socket(chosen);
  const int set = ::epoll_create1(0);
  epoll_event event{.events = EPOLLIN, .data = {.fd = listener}};
  ::epoll_ctl(set, EPOLL_CTL_ADD, listener, &event);
  control.port = chosen;
  std::vector<epoll_event> ready(std::min<std::size_t>(sockets + 1, 256));
  std::vector<int> peers;
  char bytes[4096];
  while (control.is_wanted()) {
    const int count = ::epoll_wait(set, ready.data(), static_cast<int>(ready.size()), 0);
    if (count <= 0 && !control.is_measured) ::usleep(k_look_us);
    for (int at = 0; at < count; ++at) {
      const int peer = ready[static_cast<std::size_t>(at)].data.fd;
      if (peer == listener) {
        accept_into(set, listener, peers);
        continue;
      }
      const ssize_t size = ::recv(peer, bytes, sizeof bytes, MSG_DONTWAIT);
      if (size == 0) ::epoll_ctl(set, EPOLL_CTL_DEL, peer, nullptr);
      if (size <= 0) continue;
      static_cast<void>(::send(peer, bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL));
      ++control.echoes;
    }
  }
  for (const int peer : peers) ::close(peer);
  ::close(set);
  ::close(listener);
}

std::string client_name(std::size_t number, std::size_t sessions) {
  return sessions == 1 ? "CLIENT" : "CLIENT" + std::to_string(number);
}

namespace {

/// The sessions of one server, with their stores.
class Sessions {
 public:
  /// `wake`: what ends the rest of the loop; called by the journal's thread.
  Sessions(sched::Scheduler& scheduler, const SessionOptions& options, Control& control,
           const std::function<void()>& wake)
      : echo_(control), acceptor_(scheduler, {.links = options.sessions + 1}, nullptr) {
    if (options.store == KeepsIn::journal) open_journal(options.folder, wake);
    for (std::size_t number = 0; number < options.sessions; ++number) {
      const std::string client = client_name(number, options.sessions);
      const fix::SessionConfig config{
          .sender_comp_id = "ECHO", .target_comp_id = client, .reset_on_logon = true, .early_buffers = &shared_};
      sessions_.push_back(stores_ == nullptr
                              ? std::make_unique<fix::Session>(scheduler, config, echo_)
                              : std::make_unique<fix::Session>(scheduler, config, echo_,
                                                               **stores_->store({"FIX.4.4", "ECHO", client})));
      acceptor_.add(*sessions_.back());
    }
  }
  [[nodiscard]] fix::SessionAcceptor& acceptor() noexcept { return acceptor_; }
  /// At the end of a turn of the loop.
  void deliver() {
    if (stores_ != nullptr) stores_->deliver();
  }

 private:
  void open_journal(const std::string& folder, const std::function<void()>& wake) {
    disk_ = *journal::RealDisk::open(folder);
    auto opened = fix::JournalStores::open(*disk_, {.name = "bench"});
    if (!opened) throw std::runtime_error(opened.error().what);
    stores_ = *std::move(opened);
    // Seldom: with the other servers it shares what processors there are besides the client's.
    thread_.emplace(stores_->journal(),
                    journal::JournalThreadOptions{.nap = std::chrono::milliseconds{1}, .on_room = wake});
  }

  std::unique_ptr<journal::RealDisk> disk_;
  std::unique_ptr<fix::JournalStores> stores_;
  std::optional<journal::JournalThread> thread_;
  Echo echo_;
  fix::EarlyBuffers shared_{8, std::size_t{1} << 16};
  std::vector<std::unique_ptr<fix::Session>> sessions_;
  fix::SessionAcceptor acceptor_;
};

net::FabricOptions fabric_options(std::size_t sessions) {
  net::FabricOptions options{.max_connections = sessions + 3};
  if (sessions > 16) options.input_capacity = options.output_capacity = 1 << 14;
  return options;
}

}  // namespace

void serve_sessions(Control& control, const SessionOptions& options) {
  const net::FabricOptions fabric_of = fabric_options(options.sessions);
  const net::TlsFabricOptions secure_of{.max_connections = options.pem.empty() ? 0 : fabric_of.max_connections};
  time::SystemClock clock;
  sched::Scheduler scheduler(
      net::AsioFabric::timers(fabric_of) + net::TlsFabric::timers(secure_of) + options.sessions * 8 + 16, clock.now());
  sched::LivePacer pacer(clock);
  net::AsioFabric fabric(scheduler, fabric_of);
  std::optional<net::TlsFabric> secure;
  if (!options.pem.empty()) {
    auto context = net::TlsContext::make(net::TlsRole::server, {.certificate_file = options.pem});
    if (!context) throw std::runtime_error(context.error().text);
    secure.emplace(fabric, scheduler, *context, secure_of);
  }
  Sessions sessions(scheduler, options, control, [&fabric] { fabric.wake(); });
  const link::Address loopback{"127.0.0.1", 0};
  const auto where =
      secure ? secure->listen(loopback, sessions.acceptor()) : fabric.listen(loopback, sessions.acceptor());
  if (!where) throw std::runtime_error("cannot listen");
  control.port = where->port;
  sched::Source* const sources[] = {&fabric};
  sched::Loop loop(scheduler, pacer, sources);
  while (control.is_wanted()) {
    const sched::Loop::Turn turn = loop.turn();
    sessions.deliver();
    if (turn != sched::Loop::Turn::idle) continue;
    if (options.idle == net::IdlePolicy::spin && !control.is_measured) ::usleep(k_look_us);
    net::rest(options.idle, fabric, loop.next_time(), scheduler.now());
  }
}

}  // namespace dojima::bench
