#pragma once

// What the tests of this room share: messages written as readable text, a transport that keeps what it was given, a
// handler that notes its calls, and a scripted peer that talks to one session in virtual time.

#include <chrono>
#include <cstdio>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/fix/message.hpp"
#include "dojima/fix/session.hpp"
#include "dojima/sched/scheduler.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::fix::testing {

using namespace std::chrono_literals;

/// 2026-07-20 12:00:00 UTC.
inline constexpr Time k_noon = std::chrono::sys_days{std::chrono::year{2026} / 7 / 20} + std::chrono::hours{12};

/// `|` to separators and back.
inline std::string wire(std::string text) {
  for (char& character : text) {
    if (character == '|') character = '\x01';
  }
  return text;
}
inline std::string readable(std::string text) {
  for (char& character : text) {
    if (character == '\x01') character = '|';
  }
  return text;
}

/// A whole message: BeginString, the right BodyLength, `body` ("35=0|34=1|", `|` for separators), the right CheckSum.
inline std::string framed(std::string_view body, std::string_view begin_string = "FIX.4.4") {
  const std::string inside = wire(std::string(body));
  std::string text = "8=" + std::string(begin_string) + "\x01" + "9=" + std::to_string(inside.size()) + "\x01" + inside;
  unsigned sum = 0;
  for (const char character : text) sum += static_cast<unsigned char>(character);
  char trailer[16];
  std::snprintf(trailer, sizeof trailer, "10=%03u\x01", sum % 256);
  return text + trailer;
}

inline std::string stamp(Time time) {
  char text[time::k_timestamp_max];
  return std::string(time::format_timestamp(time, 3, text));
}

inline Time utc(const std::string& text) {
  return time::parse_timestamp(text).value();
}

/// Takes everything and keeps nothing.
class SwallowingTransport final : public link::Transport {
 public:
  [[nodiscard]] Room prepare(std::size_t size) override { return Room(room_).first(size); }
  void commit(std::size_t size) override { bytes += size; }
  [[nodiscard]] std::size_t unsent() const override { return 0; }
  void flush() override {}
  void close(link::CloseReason) override {}
  void set_reading(bool) override {}
  std::size_t bytes = 0;

 private:
  std::array<std::byte, 8192> room_{};
};

/// A transport that keeps everything, or takes only `capacity` bytes until they are taken away.
class KeepingTransport final : public link::Transport {
 public:
  [[nodiscard]] Room prepare(std::size_t size) override {
    if (closed_ || size > capacity - kept.size()) return {};
    room_.resize(size);
    return std::as_writable_bytes(std::span(room_));
  }
  void commit(std::size_t size) override { kept.append(room_.data(), size); }
  [[nodiscard]] std::size_t unsent() const override { return kept.size(); }
  void flush() override {}
  void close(link::CloseReason reason) override {
    if (!closed_) closed_ = reason;
  }
  void set_reading(bool is_wanted) override { is_reading = is_wanted; }

  [[nodiscard]] std::optional<link::CloseReason> closed() const { return closed_; }
  void reopen() {
    closed_.reset();
    kept.clear();
    is_reading = true;
  }

  std::string kept;
  bool is_reading = true;
  std::size_t capacity = std::size_t{1} << 24;

 private:
  std::string room_;
  std::optional<link::CloseReason> closed_;
};

/// Notes the calls of a session.
class NotingHandler : public Handler {
 public:
  void on_logon(Session&, Time) override { events.emplace_back("logon"); }
  void on_logout(Session&, std::string_view reason, Time) override {
    events.push_back("logout: " + std::string(reason));
  }
  void on_message(Session& session, const MessageView& message, Time) override {
    EXPECT_EQ(message.msg_seq_num().value(), session.next_incoming());
    events.push_back("message " + std::string(message.find(tag::k_msg_type).value_or("?")) + " " +
                     std::string(message.find(tag::k_cl_ord_id).value_or("")));
  }
  void on_reject(Session&, const MessageView& reject, Time) override {
    events.push_back("reject of " + std::string(reject.find(tag::k_ref_seq_num).value_or("?")));
  }
  void on_closed(Session&, link::CloseReason reason, Time) override {
    events.push_back(std::string("closed: ") + link::name_of(reason));
  }
  void on_unblocked(Session&, Time) override { events.emplace_back("unblocked"); }
  void on_trouble(Session&, const Error& error) override { troubles.push_back(error); }

  std::vector<std::string> take() { return std::exchange(events, {}); }

  std::vector<std::string> events;
  std::vector<Error> troubles;
};

/// The other side of one session: "ME" talks to the session "VENUE".
class Peer {
 public:
  /// Null: a session with a store of its own.
  explicit Peer(SessionConfig config = {}, MessageStore* store = nullptr)
      : scheduler(64, k_noon),
        session(store == nullptr ? Session(scheduler, named(std::move(config)), handler)
                                 : Session(scheduler, named(std::move(config)), handler, *store)) {}
  ~Peer() {
    if (session.is_connected()) session.on_closed(link::CloseReason::by_peer, now);
  }

  static SessionConfig named(SessionConfig config) {
    if (config.sender_comp_id.empty()) config.sender_comp_id = "VENUE";
    if (config.target_comp_id.empty()) config.target_comp_id = "ME";
    return config;
  }

  void connect() {
    transport.reopen();
    session.on_open(transport, now);
  }
  void hang_up() { session.on_closed(link::CloseReason::by_peer, now); }
  /// The network follows what the session asked for.
  void finish_close() {
    ASSERT_TRUE(transport.closed());
    session.on_closed(*transport.closed(), now);
  }

  void run_until(Time time) {
    scheduler.check(time, 10'000);
    now = time;
  }
  void run_for(time::Duration duration) { run_until(now + duration); }

  /// Bytes as they are.
  void send_raw(const std::string& bytes) {
    unused += bytes;
    const std::size_t used = session.on_bytes(as_bytes(unused), now);
    ASSERT_LE(used, unused.size());
    unused.erase(0, used);
  }

  /// `type` and `rest` of a message with the usual header: 35, 34, then `head`, 49, 52, 56, then `rest`.
  [[nodiscard]] std::string message(std::string_view type, unsigned number, std::string_view rest = "",
                                    std::string_view head = "") const {
    return framed("35=" + std::string(type) + "|34=" + std::to_string(number) + "|" + std::string(head) +
                      "49=ME|52=" + stamp(now) + "|56=VENUE|" + std::string(rest),
                  session.config().begin_string);
  }
  void send(std::string_view type, unsigned number, std::string_view rest = "", std::string_view head = "") {
    send_raw(message(type, number, rest, head));
  }
  /// As a duplicate of something sent a second ago.
  void send_again(std::string_view type, unsigned number, std::string_view rest = "") {
    send(type, number, rest, "43=Y|122=" + stamp(now - 1s) + "|");
  }
  /// A NewOrderSingle that breaks no rule.
  [[nodiscard]] std::string order(std::string_view id) const {
    return "11=" + std::string(id) + "|21=1|38=100|40=2|44=12.5|54=1|55=RICE|60=" + stamp(now) + "|";
  }
  void log_on(unsigned number = 1, std::string_view rest = "") {
    send("A", number, "98=0|108=30|" + std::string(rest));
  }

  /// What the session sent since, one text a message, without 8, 9, 10, 49, 56 and the times 52 and 122 (checked).
  std::vector<std::string> take() {
    std::vector<std::string> messages;
    std::string bytes = std::exchange(transport.kept, {});
    for (std::size_t at = 0; at < bytes.size();) {
      const FrameSearch found = find_frame(as_bytes(std::string_view(bytes).substr(at)), k_body_max);
      EXPECT_EQ(found.state, FrameState::whole) << readable(bytes.substr(at));
      if (found.state != FrameState::whole) break;
      messages.push_back(short_text(found.frame));
      at += found.size;
    }
    return messages;
  }

  std::string short_text(const Frame& frame) {
    MessageView view;
    EXPECT_TRUE(view.read(frame, {.allows_empty_values = true}));
    EXPECT_EQ(view.find(tag::k_begin_string), session.config().begin_string);
    EXPECT_EQ(view.find(tag::k_sender_comp_id), session.config().sender_comp_id);
    EXPECT_EQ(view.find(tag::k_target_comp_id), session.config().target_comp_id);
    EXPECT_LE(view.time(tag::k_sending_time).value(), now);
    std::string text;
    for (const Field field : view) {
      if (field.tag == 8 || field.tag == 9 || field.tag == 49 || field.tag == 52 || field.tag == 56) continue;
      const bool is_time = field.tag == tag::k_orig_sending_time || field.tag == tag::k_transact_time;
      text += std::to_string(field.tag) + "=" + (is_time ? "T" : std::string(field.value)) + "|";
    }
    return text;
  }

  Time now = k_noon;
  sched::Scheduler scheduler;
  NotingHandler handler;
  KeepingTransport transport;
  std::string unused;
  Session session;
};

using Texts = std::vector<std::string>;

/// Connects and logs on; what was said until then is forgotten.
inline Peer& logged_on(Peer& peer) {
  peer.connect();
  peer.log_on(1, peer.session.config().begin_string == "FIXT.1.1" ? "1137=9|" : "");
  EXPECT_TRUE(peer.session.is_logged_on()) << peer.session.config().begin_string;
  peer.take();
  peer.handler.take();
  return peer;
}

/// A peer that is logged on with number 1 both ways; nothing said is left to take.
struct Live : Peer {
  explicit Live(SessionConfig config = {}) : Peer(std::move(config)) {
    connect();
    log_on();
    take();
    handler.take();
  }
  /// The session sends an execution report with this text.
  market::Sequence report(std::string_view text) {
    Writer writer = session.begin(type::k_execution_report);
    writer.field(tag::k_text, text);
    return session.send(writer).value();
  }
};

/// An execution report with this text is sent, or is not.
inline void send_report(Session& session, std::string_view text, bool is_good = true) {
  Writer report = session.begin(type::k_execution_report);
  report.field(tag::k_text, text);
  EXPECT_EQ(session.send(report).has_value(), is_good);
}

}  // namespace dojima::fix::testing
