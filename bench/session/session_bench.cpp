// dojima-bench-session: what an order costs that a session answers, over loopback: the time from sending a
// NewOrderSingle until its echo is there, beside sockets that only echo, and QuickFIX, in the same rounds.

#include "bench/temporary_folder.hpp"
#include "echo_peers.hpp"
#include "quickfix_echo.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "dojima/evidence/build_identity.hpp"
#include "dojima/fix/frame.hpp"
#include "dojima/fix/writer.hpp"
#include "dojima/harness/bench_harness.hpp"

namespace {

using namespace dojima;

constexpr std::size_t k_batch = 500;

/// A client that never sleeps: it writes a message and looks until a whole one is back.
class Client {
 public:
  Client(std::uint16_t port, bool is_session) {
    socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int attempt = 0; ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0; ++attempt) {
      if (attempt == 100) throw std::runtime_error("cannot connect");
      ::usleep(20'000);
    }
    const int on = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (!is_session) return;
    fix::Writer logon = begin(fix::type::k_logon);
    logon.field(fix::tag::k_encrypt_method, 0)
        .field(fix::tag::k_heart_bt_int, 0)
        .field(fix::tag::k_reset_seq_num_flag, true);
    exchange(logon);
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void order() {
    fix::Writer order = begin(fix::type::k_new_order_single);
    order.field(fix::tag::k_cl_ord_id, "ORDER-0000001").field(fix::tag::k_handl_inst, '1');
    order.field(fix::tag::k_symbol, "RICE").field(fix::tag::k_side, '1').field(fix::tag::k_transact_time, now_);
    order.field(fix::tag::k_order_qty, 100)
        .field(fix::tag::k_ord_type, '2')
        .field(fix::tag::k_price, market::Price{1'250'000'000});
    order.field(fix::tag::k_account, "ACCOUNT-17")
        .field(fix::tag::k_time_in_force, '0')
        .field(fix::tag::k_text, "an order of usual size");
    exchange(order);
  }

 private:
  fix::Writer begin(fix::MsgType type) {
    now_ = std::chrono::time_point_cast<time::Duration>(std::chrono::system_clock::now());
    return {room_, {.type = type, .sender = "CLIENT", .target = "ECHO", .sequence = {next_++}, .sending_time = now_}};
  }
  void exchange(fix::Writer& writer) {
    const auto message = writer.finish();
    if (!message) throw std::runtime_error("a message that does not fit");
    const auto sent = ::send(socket_, message->data(), message->size(), MSG_NOSIGNAL);
    if (sent != static_cast<ssize_t>(message->size())) throw std::runtime_error("a short send");
    std::size_t received = 0;
    for (;;) {
      const ssize_t size = ::recv(socket_, answer_.data() + received, answer_.size() - received, MSG_DONTWAIT);
      if (size == 0) throw std::runtime_error("the peer has closed");
      if (size < 0) continue;
      received += static_cast<std::size_t>(size);
      const fix::FrameSearch found = fix::find_frame(Bytes(answer_).first(received));
      if (found.state == fix::FrameState::garbled) throw std::runtime_error("an answer that is no message");
      if (found.state == fix::FrameState::whole) return;
    }
  }

  int socket_ = -1;
  std::uint64_t next_ = 1;
  time::Time now_{};
  std::array<std::byte, 1024> room_{};
  std::array<std::byte, 4096> answer_{};
};

/// Who answers, with what it needs.
struct Peer {
  bench::TemporaryFolder folder;
  std::unique_ptr<bench::Served> served;
  std::unique_ptr<bench::QuickFixEcho> quickfix;
};

/// Round trips with one peer, which is made first and ends last. Of busy peers only the one that is measured is busy.
class Trips final : public harness::Competitor {
 public:
  Trips(std::unique_ptr<Peer> peer, std::uint16_t port, bool is_session)
      : peer_(std::move(peer)), client_(port, is_session) {}
  void prepare() override {
    if (peer_->served != nullptr) peer_->served->control().is_measured = true;
    client_.order();
  }
  harness::Operations run() override {
    std::array<double, k_batch> took{};
    for (double& each : took) {
      const auto begin = std::chrono::steady_clock::now();
      client_.order();
      each = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
    }
    if (peer_->served != nullptr) peer_->served->control().is_measured = false;
    std::sort(took.begin(), took.end());
    return harness::Operations{}
        .add("", k_batch)
        .figure("p50_us", took[k_batch / 2])
        .figure("p99_us", took[k_batch * 99 / 100]);
  }

 private:
  std::unique_ptr<Peer> peer_;
  Client client_;
};

std::unique_ptr<harness::Competitor> raw(bool is_busy) {
  auto peer = std::make_unique<Peer>();
  peer->served =
      std::make_unique<bench::Served>([is_busy](bench::Control& control) { bench::serve_raw(control, is_busy); });
  const std::uint16_t port = peer->served->control().port;
  return std::make_unique<Trips>(std::move(peer), port, false);
}

std::unique_ptr<harness::Competitor> session(net::IdlePolicy idle, bench::KeepsIn store) {
  auto peer = std::make_unique<Peer>();
  peer->served = std::make_unique<bench::Served>([idle, store, folder = peer->folder.path()](bench::Control& control) {
    bench::serve_session(control, idle, store, folder);
  });
  const std::uint16_t port = peer->served->control().port;
  return std::make_unique<Trips>(std::move(peer), port, true);
}

std::unique_ptr<harness::Competitor> quickfix() {
  auto peer = std::make_unique<Peer>();
  const std::uint16_t port = bench::free_port();
  peer->quickfix = std::make_unique<bench::QuickFixEcho>(port, peer->folder.path());
  return std::make_unique<Trips>(std::move(peer), port, true);
}

harness::BenchTable echo_table(bool is_busy) {
  const net::IdlePolicy idle = is_busy ? net::IdlePolicy::spin : net::IdlePolicy::block;
  harness::BenchTable table{.name = is_busy ? "busy" : "blocking",
                            .title = is_busy ? "an order and its echo over loopback, the server looking all the time"
                                             : "an order and its echo over loopback, the server asleep between orders"};
  table.competitors = {
      {"raw", [=](const harness::BenchCase&) { return raw(is_busy); }},
      {"session, journal", [=](const harness::BenchCase&) { return session(idle, bench::KeepsIn::journal); }},
      {"session, memory", [=](const harness::BenchCase&) { return session(idle, bench::KeepsIn::memory); }}};
  if (!is_busy) table.competitors.push_back({"QuickFIX", [](const harness::BenchCase&) { return quickfix(); }});
  table.baseline = "raw";
  table.operation = "echo";
  table.targets = {{"session, journal", "raw", is_busy ? 1.2 : 1.15}};
  if (!is_busy) table.targets.push_back({"session, journal", "QuickFIX", 0.4});
  table.notes = {"the client never sleeps, on a processor of its own; its write of the order is part of all rows",
                 "session: dictionary and all checks on; journal: its messages in a journal of durability process; "
                 "QuickFIX: ThreadedSocketAcceptor with FileStore and without a dictionary"};
  return table;
}

}  // namespace

int main(int count, char** words) {
  return harness::run_benchmarks(
      {.name = "session", .tables = {echo_table(true), echo_table(false)}, .build = evidence::build_identity()}, count,
      words);
}
