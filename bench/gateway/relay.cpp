#include "relay.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "dojima/fix/frame.hpp"
#include "dojima/fix/writer.hpp"
#include "dojima/mit/lse_21_2.hpp"

namespace dojima::bench {
namespace {

constexpr std::size_t k_request_size = mit::lse_21_2::NewOrder::k_size;
constexpr std::size_t k_answer_size = mit::lse_21_2::ExecutionReport::k_size;
constexpr int k_patience_ms = 50;        // of a server that sleeps
constexpr std::size_t k_few = 8;         // sockets that a server which never sleeps reads without asking for them
constexpr unsigned k_turns_to_look = 8;  // between two looks for who has connected, then

/// A report as the gateway writes one, in its fields and its length.
std::string report() {
  std::array<std::byte, 1024> room{};
  fix::Writer writer(room, {.type = fix::type::k_execution_report,
                            .sender = "DOJIMA",
                            .target = "CLIENT000",
                            .sequence = {123'456},
                            .sending_time = time::Time{std::chrono::seconds{1'800'000'000}}});
  writer.field(fix::tag::k_order_id, "00000000001A").field(fix::tag::k_cl_ord_id, "O000000001");
  writer.field(fix::tag::k_exec_id, "00000000001B")
      .field(fix::tag::k_exec_type, '0')
      .field(fix::tag::k_ord_status, '0');
  writer.field(fix::tag::k_symbol, "KAGA").field(fix::tag::k_security_id, "1001").field(fix::tag::k_side, '1');
  writer.field(fix::tag::k_order_qty, 100).field(fix::tag::k_ord_type, '2').field(fix::tag::k_price, 50);
  writer.field(fix::tag::k_time_in_force, '0').field(fix::tag::k_leaves_qty, 100).field(fix::tag::k_cum_qty, 0);
  writer.field(fix::tag::k_avg_px, 0).field(fix::tag::k_text, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
  const auto message = writer.finish();
  if (!message) throw std::runtime_error("a report that does not fit");
  return {reinterpret_cast<const char*>(message->data()), message->size()};
}

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

/// Where bytes come in, and what leaves where for each `unit` of them.
struct Hop {
  int to = -1;
  std::size_t unit = 0;  // 0: the first message that comes
  std::size_t pending = 0;
  const std::string* leaves = nullptr;
};

/// Sockets whose bytes become others at other sockets.
class Pump {
 public:
  /// `next`: where every socket that connects is joined with one of its own; 0: nowhere, it is answered itself.
  Pump(std::uint16_t next, net::IdlePolicy idle) : next_(next), idle_(idle), set_(::epoll_create1(0)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    if (listener_ < 0 || ::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        ::listen(listener_, 512) != 0 || ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
      throw std::runtime_error("the relay cannot listen");
    port_ = ntohs(address.sin_port);
    watch(listener_);
  }
  ~Pump() {
    for (const int socket : sockets_) ::close(socket);
    ::close(listener_);
    ::close(set_);
  }
  Pump(const Pump&) = delete;
  Pump& operator=(const Pump&) = delete;

  void serve(ServerControl& control) {
    control.port = port_;
    const bool is_busy = !net::sleeps(idle_);
    do {
      const bool reads_directly = is_busy && sockets_.size() <= k_few && ++turns_ % k_turns_to_look != 0;
      const bool has_moved = reads_directly ? read_all() : read_ready(is_busy ? 0 : k_patience_ms);
      if (!has_moved && idle_ == net::IdlePolicy::yield) ::sched_yield();
    } while (!control.ends_turn(is_busy));
  }

 private:
  void watch(int socket) {
    epoll_event event{.events = EPOLLIN, .data = {.fd = socket}};
    if (::epoll_ctl(set_, EPOLL_CTL_ADD, socket, &event) != 0) throw std::runtime_error("the relay cannot watch");
  }
  void take(int socket, const Hop& hop) {
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (hops_.size() <= static_cast<std::size_t>(socket)) hops_.resize(static_cast<std::size_t>(socket) + 1);
    hops_[static_cast<std::size_t>(socket)] = hop;
    sockets_.push_back(socket);
    watch(socket);
  }
  void accept_all() {
    for (int socket = 0; (socket = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK)) >= 0;) {
      if (next_ == 0) {
        take(socket, {.to = socket, .unit = k_request_size, .leaves = &answer_});
        continue;
      }
      const int other = ::socket(AF_INET, SOCK_STREAM, 0);
      const sockaddr_in address = loopback(next_);
      if (other < 0 || ::connect(other, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        throw std::runtime_error("the relay cannot connect");
      take(socket, {.to = other, .unit = 0, .leaves = &request_});
      take(other, {.to = socket, .unit = k_answer_size, .leaves = &report_});
    }
  }
  /// Whether any socket had something.
  bool read_all() {
    bool has_moved = false;
    for (const int socket : sockets_) has_moved |= read(socket);
    return has_moved;
  }
  bool read_ready(int patience_ms) {
    const int count = ::epoll_wait(set_, ready_.data(), static_cast<int>(ready_.size()), patience_ms);
    for (int at = 0; at < count; ++at) {
      const int socket = ready_[static_cast<std::size_t>(at)].data.fd;
      if (socket == listener_)
        accept_all();
      else
        read(socket);
    }
    return count > 0;
  }
  bool read(int socket) {
    const ssize_t size = ::recv(socket, bytes_.data(), bytes_.size(), MSG_DONTWAIT);
    if (size == 0) static_cast<void>(::epoll_ctl(set_, EPOLL_CTL_DEL, socket, nullptr));
    if (size <= 0) return false;
    Hop& hop = hops_[static_cast<std::size_t>(socket)];
    if (hop.unit == 0) hop.unit = size_of_first(static_cast<std::size_t>(size));
    hop.pending += static_cast<std::size_t>(size);
    out_.clear();
    for (; hop.pending >= hop.unit; hop.pending -= hop.unit) out_ += *hop.leaves;
    if (!out_.empty() && ::send(hop.to, out_.data(), out_.size(), MSG_NOSIGNAL) < 0 && errno == EAGAIN)
      throw std::runtime_error("the relay's peer does not read");
    return true;
  }

  /// All messages of a client have the size of its first one, with which others may have come.
  [[nodiscard]] std::size_t size_of_first(std::size_t size) const {
    const fix::FrameSearch found = fix::find_frame(as_bytes(std::string_view(bytes_.data(), size)));
    if (found.state != fix::FrameState::whole) throw std::runtime_error("the relay's first bytes are no message");
    return found.size;
  }

  std::uint16_t next_;
  net::IdlePolicy idle_;
  int set_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  unsigned turns_ = 0;
  std::vector<Hop> hops_;  // by socket
  std::vector<int> sockets_;
  std::vector<epoll_event> ready_ = std::vector<epoll_event>(256);
  std::vector<char> bytes_ = std::vector<char>(1 << 16);
  std::string request_ = std::string(k_request_size, 'r');
  std::string answer_ = std::string(k_answer_size, 'a');
  std::string report_ = report();
  std::string out_;
};

}  // namespace

Relay::Relay(const RelayOptions& options) {
  echo_ = std::make_unique<ServerThread>([options](ServerControl& control) { Pump(0, options.idle).serve(control); });
  relay_ = std::make_unique<ServerThread>(
      [options, next = echo_->port()](ServerControl& control) { Pump(next, options.idle).serve(control); });
}

}  // namespace dojima::bench
