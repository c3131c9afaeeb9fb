#pragma once

// Virtual time, a simulated network and peers that write down what they see: what the session tests are built on.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "dojima/link/simulated_network.hpp"
#include "dojima/mit/client_session.hpp"
#include "dojima/mit/dialect.hpp"
#include "dojima/mit/dialect_test_support.hpp"
#include "dojima/mit/server_session.hpp"
#include "dojima/sched/loop.hpp"

namespace dojima::mit {

using namespace std::chrono_literals;

inline constexpr Time k_start = time::from_nanoseconds(1'784'548'800'000'000'000);  // 2026-07-20T12:00:00Z

using FrameBytes = std::vector<std::byte>;

/// One message as its encoder writes it.
template <class Encode>
FrameBytes octets(Encode encode) {
  FrameBytes room(dialect_under_test().longest);
  room.resize(encode(Room(room)).value());
  return room;
}

inline FrameBytes operator+(FrameBytes left, const FrameBytes& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

inline FrameBytes logon_bytes(std::string_view user = "DOJIMA01") {
  return octets([&](Room room) {
    return dialect_under_test().encode_logon({Text<25>::cut(user), Text<25>::cut("Secret#2026"), {}}, room);
  });
}

inline FrameBytes heartbeat_bytes() {
  return octets(dialect_under_test().encode_heartbeat);
}

inline FrameBytes logout_bytes(std::string_view reason = "bye") {
  return octets([&](Room room) { return dialect_under_test().encode_logout({Text<20>::cut(reason)}, room); });
}

inline market::NewOrder order_of(std::string_view id, std::int64_t quantity = 100) {
  market::NewOrder order;
  order.header.instrument = 7;
  order.terms = {.limit = {market::k_price_scale},
                 .quantity = {quantity},
                 .displayed = {quantity},
                 .side = market::Side::buy,
                 .type = market::OrderType::limit,
                 .capacity = market::Capacity::dealing};
  order.labels = {.client_order_id = Text<20>::cut(id), .clearing = 1, .executing_trader = 3};
  return order;
}

inline FrameBytes order_bytes(std::string_view id) {
  return octets([&](Room room) { return dialect_under_test().encode_new_order(order_of(id), room); });
}

inline FrameBytes mass_cancel_bytes(std::string_view id) {
  const market::MassCancel cancel{.client_order_id = Text<20>::cut(id)};
  return octets([&](Room room) { return dialect_under_test().encode_mass_cancel(cancel, room); });
}

inline FrameBytes quote_bytes(std::string_view id) {
  market::Quote quote;
  quote.header.instrument = 7;
  quote.bid = {9'900'000'000};
  quote.ask = {10'100'000'000};
  quote.bid_size = quote.ask_size = {10};
  quote.labels = {.client_order_id = Text<20>::cut(id), .clearing = 1, .executing_trader = 3};
  quote.capacity = market::Capacity::dealing;
  return octets([&](Room room) { return dialect_under_test().encode_quote(quote, room); });
}

inline market::Cancel cancel_of(std::string_view id, std::string_view original) {
  market::Cancel cancel;
  cancel.header.instrument = 7;
  cancel.client_order_id = Text<20>::cut(id);
  cancel.original_client_order_id = Text<20>::cut(original);
  cancel.side = market::Side::buy;
  return cancel;
}

inline market::Replace replace_of(std::string_view id, std::string_view original) {
  market::Replace replace;
  replace.header.instrument = 7;
  replace.quantity = replace.displayed = {50};
  replace.limit = replace.stop = {-1};
  replace.side = market::Side::buy;
  replace.client_order_id = Text<20>::cut(id);
  replace.original_client_order_id = Text<20>::cut(original);
  return replace;
}

inline market::OwnerReport report_of(std::uint8_t partition, std::uint64_t sequence, std::string_view id = "A") {
  market::OwnerReport report;
  report.kind = market::OwnerReportKind::accepted;
  report.partition = partition;
  report.sequence = {sequence};
  report.client_order_id = Text<20>::cut(id);
  report.order = {17};
  return report;
}

/// A message of a server, in words: "8 accepted A", "3 9901 OrderQty D A", "5 bye" ...
inline std::string words_of(Bytes message) {
  Outbound reply;
  if (!dialect_under_test().decode_reply(message, reply)) return "unreadable";
  const auto text = [](const auto& field) { return std::string(field.view()); };
  switch (reply.kind) {
    case Outbound::Kind::heartbeat:
      return "0";
    case Outbound::Kind::logon_reply:
      return "B " + std::to_string(reply.logon_reply.code);
    case Outbound::Kind::logout:
      return "5 " + text(reply.logout.reason);
    case Outbound::Kind::reject:
      return "3 " + std::to_string(reply.reject.code) + " " + text(reply.reject.reason) + " " +
             (reply.reject.type == '\0' ? std::string("-") : std::string(1, reply.reject.type)) + " " +
             text(reply.reject.client_order_id);
    case Outbound::Kind::report:
      return "8 " + text(reply.report.report.client_order_id) + " " +
             std::to_string(reply.report.report.sequence.value);
    case Outbound::Kind::system_status:
      return "n " + std::to_string(reply.system_status.partition) + " " + std::to_string(reply.system_status.status);
    case Outbound::Kind::missed_ack:
      return "N " + std::to_string(static_cast<int>(reply.missed_ack.response));
    case Outbound::Kind::missed_report:
      return "P " + std::to_string(static_cast<int>(reply.missed_report.response));
    case Outbound::Kind::none:
      break;
  }
  return "other";
}

/// A line of a log: when, counted from the start of the test, and what.
struct Line {
  time::Duration at{};
  std::string what;
  friend bool operator==(const Line&, const Line&) = default;
  friend void PrintTo(const Line& line, std::ostream* out) { *out << line.at.count() << "ns " << line.what; }
};

using Log = std::vector<Line>;

/// Words without their times.
inline std::vector<std::string> words(const Log& log) {
  std::vector<std::string> all;
  for (const Line& line : log) all.push_back(line.what);
  return all;
}

/// A scheduler, a network and a loop; time moves when a test says so.
class World {
 public:
  explicit World(link::SimulatedNetworkOptions options = {.delay = time::Duration{0}})
      : scheduler(1000, k_start), network(scheduler, options), clock_(k_start), pacer_(clock_) {}

  /// Everything up to `since_start`, that instant included.
  void run_until(time::Duration since_start) {
    clock_.advance_to(k_start + since_start);
    for (int quiet = 0; quiet < 2;) quiet = loop_.turn() == sched::Loop::Turn::busy ? 0 : quiet + 1;
  }
  /// What is due now.
  void settle() { run_until(clock_.now() - k_start); }

  sched::Scheduler scheduler;
  link::SimulatedNetwork network;

 private:
  /// Polled every turn, as sockets are: so a turn also sends out what a test did between two of them.
  struct Socket final : sched::Source {
    std::size_t deliver(Time) override { return 0; }
  };

  time::ManualClock clock_;
  sched::LivePacer pacer_;
  Socket socket_;
  std::array<sched::Source*, 2> sources_{&socket_, &network};
  sched::Loop loop_{scheduler, pacer_, sources_};
};

/// The far end of a stream, without any rules: it writes down whole messages and sends what the test gives it.
class RawPeer final : public link::Connection {
 public:
  void on_open(link::Transport& transport, Time) override { transport_ = &transport; }
  std::size_t on_bytes(Bytes bytes, Time now) override {
    std::size_t used = 0;
    while (const Result<Frame> frame = read_frame(bytes.subspan(used), dialect_under_test().longest)) {
      if (frame->size > bytes.size() - used) break;
      const Bytes message = bytes.subspan(used, frame->size);
      messages.emplace_back(message.begin(), message.end());
      log.push_back({now - k_start, words_of(message)});
      used += frame->size;
    }
    return used;
  }
  void on_writable(Time) override {}
  void on_closed(link::CloseReason, Time now) override {
    transport_ = nullptr;
    log.push_back({now - k_start, "closed"});
  }

  /// Nothing when the stream is closed.
  void send(const FrameBytes& bytes) {
    if (transport_ == nullptr) return;
    const Room room = transport_->prepare(bytes.size());
    std::copy(bytes.begin(), bytes.end(), room.begin());
    transport_->commit(bytes.size());
  }
  void close() { transport_->close(link::CloseReason::by_us); }
  [[nodiscard]] bool is_open() const { return transport_ != nullptr; }

  Log log;
  std::vector<FrameBytes> messages;

 private:
  link::Transport* transport_ = nullptr;
};

/// A venue that writes down its requests, and says yes to everyone but those it shall refuse.
class VenueStub final : public ServerHandler {
 public:
  Duration logon_delay(ServerSession&, const Logon&, Time) override { return delay; }
  LogonReply on_logon(ServerSession& session, const Logon& logon, Time now) override {
    write(now, "logon " + std::string(logon.user.view()));
    if (code != 0) return {.code = code};
    session.set_user(user);
    if (throttle != 0) session.set_throttle(throttle);
    ++logons;
    return {.code = 0, .days = 30};
  }
  void on_new_order(ServerSession& session, market::NewOrder& order, Time now) override {
    write(now, "order " + std::string(order.labels.client_order_id.view()) + " of " +
                   std::to_string(order.header.user) + "/" + std::to_string(order.terms.owner));
    if (answers) ignore(session.send(report_of(1, ++sequence, order.labels.client_order_id.view())));
    if (logout_at_order) session.logout("no more orders today, thank you");
  }
  void on_replace(ServerSession&, market::Replace& replace, Time now) override {
    write(now, "replace " + std::string(replace.client_order_id.view()) + " of " + std::to_string(replace.header.user));
  }
  void on_cancel(ServerSession&, market::Cancel& cancel, Time now) override {
    write(now, "cancel " + std::string(cancel.client_order_id.view()) + " of " + std::to_string(cancel.header.user));
  }
  void on_mass_cancel(ServerSession&, market::MassCancel& cancel, Time now) override {
    write(now,
          "mass cancel " + std::string(cancel.client_order_id.view()) + " of " + std::to_string(cancel.header.user));
  }
  void on_quote(ServerSession&, market::Quote& quote, Time now) override {
    write(now,
          "quote " + std::string(quote.labels.client_order_id.view()) + " of " + std::to_string(quote.header.user));
  }
  void on_end(ServerSession&, market::SessionEnd end, Time now) override {
    const char* names[] = {"none", "logout", "disconnect", "forced"};
    write(now, std::string("end ") + names[static_cast<std::size_t>(end)]);
    ++ends;
  }
  void on_writable(ServerSession&, Time now) override { write(now, "writable"); }
  void on_free(ServerSession&, Time now) override { write(now, "free"); }

  static void ignore(bool) {}
  void write(Time now, std::string what) { log.push_back({now - k_start, std::move(what)}); }

  Log log;
  std::int32_t code = 0;
  Duration delay{};  // of logons
  std::uint16_t user = 9;
  std::uint32_t throttle = 0;
  std::uint64_t sequence = 0;
  bool answers = false;
  bool logout_at_order = false;
  int logons = 0;
  int ends = 0;
};

/// A member that writes down what it receives.
class MemberStub final : public ClientHandler {
 public:
  void on_logged_on(ClientSession&, std::int32_t days, Time now) override {
    write(now, "logged on, " + std::to_string(days) + " days");
  }
  void on_logon_refused(ClientSession&, std::int32_t code, Time now) override {
    write(now, "refused " + std::to_string(code));
  }
  void on_report(ClientSession&, const market::OwnerReport& report, std::int32_t code, Time now) override {
    write(now, "report " + std::string(report.client_order_id.view()) + " " + std::to_string(report.partition) + ":" +
                   std::to_string(report.sequence.value) + " code " + std::to_string(code));
  }
  void on_reject(ClientSession&, const Reject& reject, Time now) override {
    write(now, "reject " + std::to_string(reject.code) + " " + std::string(reject.reason.view()));
  }
  void on_end(ClientSession& session, link::CloseReason reason, std::string_view text, Time now) override {
    write(now, std::string("end (") + link::name_of(reason) + ") " + std::string(text));
    if (at_end) at_end(session);
  }
  void on_trouble(ClientSession&, const Error& error, Time now) override {
    write(now, "trouble: " + std::string(name_of(error.code)));
  }
  void on_system_status(ClientSession&, const SystemStatus& status, Time now) override {
    write(now, "status " + std::to_string(status.partition) + " " + std::to_string(status.status));
  }
  void on_writable(ClientSession&, Time now) override { write(now, "writable"); }

  void write(Time now, std::string what) { log.push_back({now - k_start, std::move(what)}); }

  Log log;
  std::function<void(ClientSession&)> at_end;
};

/// Gives every connection the same session.
class OneSession final : public link::Acceptor {
 public:
  explicit OneSession(link::Connection& session) : session_(session) {}
  link::Connection* on_accept(const link::Address&) override { return &session_; }

 private:
  link::Connection& session_;
};

inline const link::Address k_venue{"venue", 1};

}  // namespace dojima::mit
