// A script of deliveries, waits, sends and closes into a ServerSession, and what comes back into a ClientSession. The
// first byte of each step says what to do. Promises of the session are assertions: one end for each logon, nothing sent
// after it, every timer quiet when the connection is gone.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/mit/client_session.hpp"
#include "dojima/mit/dialect.hpp"
#include "dojima/mit/server_session.hpp"

namespace {

using namespace dojima;
using time::Time;

/// What was sent and not yet delivered; the endpoint's part of keeping unused input is played by `input`.
class Pipe final : public link::Transport {
 public:
  Room prepare(std::size_t size) override {
    if (is_closed || size > bytes_.size() - size_) return {};
    prepared_ = size;
    return Room(bytes_).subspan(size_, size);
  }
  void commit(std::size_t size) override {
    DOJIMA_ASSERT(size <= prepared_, "only prepared room is committed");
    prepared_ = 0;
    size_ += size;
  }
  [[nodiscard]] std::size_t unsent() const override { return size_; }
  void flush() override {}
  void close(link::CloseReason) override {
    DOJIMA_ASSERT(!is_closed, "closed once");
    is_closed = true;
  }
  void set_reading(bool is_wanted) override { is_reading = is_wanted; }

  void take(std::vector<std::byte>& into) {
    into.insert(into.end(), bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(size_));
    size_ = 0;
  }
  void reset() {
    size_ = 0;
    is_closed = false;
    is_reading = true;
  }

  bool is_closed = false;
  bool is_reading = true;

 private:
  std::array<std::byte, 2048> bytes_{};
  std::size_t size_ = 0;
  std::size_t prepared_ = 0;
};

class Venue final : public mit::ServerHandler {
 public:
  mit::LogonReply on_logon(mit::ServerSession& session, const mit::Logon& logon, Time) override {
    if (logon.user.chars[0] == 'X') return {.code = 1};
    session.set_user(5);
    is_on = true;
    return {.code = 0};
  }
  void on_new_order(mit::ServerSession& session, market::NewOrder& order, Time) override {
    DOJIMA_ASSERT(is_on && order.header.user == 5 && order.terms.owner == 5, "only who is logged on trades");
    market::OwnerReport report;
    report.kind = market::OwnerReportKind::accepted;
    report.client_order_id = order.labels.client_order_id;
    static_cast<void>(session.send(report));
    if (order.terms.group == 77) session.logout("asked for");
  }
  void on_replace(mit::ServerSession&, market::Replace&, Time) override { DOJIMA_ASSERT(is_on, "logged on"); }
  void on_cancel(mit::ServerSession&, market::Cancel&, Time) override { DOJIMA_ASSERT(is_on, "logged on"); }
  void on_mass_cancel(mit::ServerSession&, market::MassCancel&, Time) override { DOJIMA_ASSERT(is_on, "logged on"); }
  void on_quote(mit::ServerSession&, market::Quote&, Time) override { DOJIMA_ASSERT(is_on, "logged on"); }
  void on_end(mit::ServerSession& session, market::SessionEnd, Time) override {
    DOJIMA_ASSERT(is_on, "one end for each logon");
    DOJIMA_ASSERT(!session.is_logged_on(), "nobody is logged on at the end");
    is_on = false;
  }
  void on_free(mit::ServerSession&, Time) override { DOJIMA_ASSERT(!is_on, "the end comes before"); }

  bool is_on = false;
};

class Member final : public mit::ClientHandler {
 public:
  void on_logged_on(mit::ClientSession&, std::int32_t, Time) override {}
  void on_logon_refused(mit::ClientSession&, std::int32_t, Time) override {}
  void on_report(mit::ClientSession&, const market::OwnerReport&, std::int32_t, Time) override {}
  void on_reject(mit::ClientSession&, const mit::Reject&, Time) override {}
  void on_end(mit::ClientSession&, link::CloseReason, std::string_view, Time) override { ++ends; }
  int ends = 0;
};

/// One end with its input and output.
struct End {
  link::Connection& session;
  Pipe output;
  std::vector<std::byte> input;
  bool is_open = false;

  void open(Time now) {
    output.reset();
    input.clear();
    is_open = true;
    session.on_open(output, now);
  }
  void deliver(Time now) {
    if (!is_open || output.is_closed || !output.is_reading) return;
    // An exact copy, so that the address sanitizer sees a read past the end.
    const std::vector<std::byte> exact(input);
    const std::size_t used = session.on_bytes(exact, now);
    DOJIMA_ASSERT(used <= exact.size(), "no more than there is");
    DOJIMA_ASSERT(exact.size() - used < 184 || !output.is_reading, "less than a message is left");
    input.erase(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(used));
  }
  void close(Time now) {
    if (!is_open) return;
    is_open = false;
    session.on_closed(link::CloseReason::by_peer, now);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace std::chrono_literals;
  const Bytes bytes = std::as_bytes(std::span(data, size));
  sched::Scheduler scheduler(8);
  Venue venue;
  Member member;
  mit::ServerSession server({.throttle = 8}, mit::lse_21_2::k_dialect, scheduler, venue);
  mit::ClientSession client({.user = "U", .password = "P"}, mit::lse_21_2::k_dialect, scheduler, member);
  End at_server{.session = server}, at_client{.session = client};
  int openings = 0;

  Time now{};
  for (std::size_t at = 0; at < bytes.size();) {
    const auto step = std::to_integer<unsigned>(bytes[at++]);
    switch (step & 7) {
      case 0:  // bytes to the server
      case 1:
      case 2: {
        const std::size_t count = std::min<std::size_t>(step >> 3 << (step & 3), bytes.size() - at);
        at_server.input.insert(at_server.input.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at),
                               bytes.begin() + static_cast<std::ptrdiff_t>(at + count));
        at += count;
        at_server.deliver(now);
        break;
      }
      case 3:  // time
        now += (step >> 3) * 250ms;
        scheduler.check(now, 1000);
        break;
      case 4:  // the client's bytes, or a piece of them, to the server
        at_client.output.take(at_server.input);
        at_server.deliver(now);
        break;
      case 5:  // the server's bytes to the client
        at_server.output.take(at_client.input);
        at_client.deliver(now);
        break;
      case 6: {  // the client sends
        market::NewOrder order;
        order.header.instrument = 1;
        order.terms = {.quantity = {1},
                       .group = static_cast<std::uint8_t>(step >> 3 == 7 ? 77 : 0),
                       .side = market::Side::buy,
                       .type = market::OrderType::market,
                       .capacity = market::Capacity::dealing};
        order.labels = {.client_order_id = Text<20>::cut("A"), .clearing = 1, .executing_trader = 3};
        const bool sent = client.send(order).has_value();
        DOJIMA_ASSERT(!sent || client.is_logged_on(), "only who is logged on sends");
        if (step >> 3 == 9) client.logout("bye");
        break;
      }
      default:  // connections come and go
        if (step >> 3 == 11) server.logout("enough");
        if (!at_server.is_open && !at_client.is_open) {
          at_server.open(now);
          at_client.open(now);
          ++openings;
        } else if (step >> 3 < 8) {
          at_server.close(now);
          at_client.close(now);
        }
        break;
    }
  }
  at_server.close(now);
  at_client.close(now);
  DOJIMA_ASSERT(!venue.is_on, "everything has ended");
  DOJIMA_ASSERT(member.ends == openings, "one end for each connection");
  DOJIMA_ASSERT(scheduler.next_due() == time::k_never, "no timer is left");
  return 0;
}
