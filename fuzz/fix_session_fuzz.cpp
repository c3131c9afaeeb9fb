// A script of bytes plays the peer, the clock, the network and the application of one session. The first byte says
// which:
//
//   0xf8 to 0xff   an acceptor over FIXT 1.1 that is logged on already
//   0xf0 to 0xf7   an acceptor over FIXT 1.1
//   0xe8 to 0xef   an acceptor over FIX 4.4 that is logged on already
//   0xe0 to 0xe7   an initiator over FIX 4.4 that is logged on already
//   below          an acceptor over FIX 4.4
//
// Each step is one byte that says what, one that says how much, and for messages that many bytes of text. Whatever
// happens, the session sends only whole messages that keep the rules, delivers messages in order, and says nothing
// after its end.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include "dojima/base/assert.hpp"
#include "dojima/fix/message.hpp"
#include "dojima/fix/rules.hpp"
#include "dojima/fix/session.hpp"
#include "dojima/sched/scheduler.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace {

using namespace dojima;
using namespace std::chrono_literals;
using fix::Session;
using time::Time;

constexpr Time k_start = std::chrono::sys_days{std::chrono::year{2026} / 7 / 20};

class CheckingTransport final : public link::Transport {
 public:
  [[nodiscard]] Room prepare(std::size_t size) override {
    if (closed || size > capacity) return {};
    room_.resize(size);
    return std::as_writable_bytes(std::span(room_));
  }
  void commit(std::size_t size) override {
    capacity -= size;
    fix::MessageView view;
    DOJIMA_ASSERT(view.read(as_bytes(std::string_view(room_).substr(0, size))), "what is sent is one whole message");
    const fix::Dictionary* rules = fix::dictionary_of(*view.find(fix::tag::k_begin_string));
    DOJIMA_ASSERT(fix::check_message(view, *rules) || view.msg_type() == fix::type::k_execution_report,
                  "and keeps the rules");
  }
  [[nodiscard]] std::size_t unsent() const override { return 0; }
  void flush() override {}
  void close(link::CloseReason reason) override {
    if (!closed) closed = reason;
  }
  void set_reading(bool is_wanted) override { is_reading = is_wanted; }
  std::optional<link::CloseReason> closed;
  bool is_reading = true;
  std::size_t capacity = 100'000;

 private:
  std::string room_;
};

class CheckingHandler final : public fix::Handler {
 public:
  void on_logon(Session& session, Time) override {
    DOJIMA_ASSERT(session.is_logged_on() && !is_on, "one logon at a time");
    is_on = true;
  }
  void on_logout(Session&, std::string_view, Time) override {
    DOJIMA_ASSERT(is_on, "a logout ends a logon");
    is_on = false;
  }
  void on_message(Session& session, const fix::MessageView& message, Time) override {
    DOJIMA_ASSERT(is_on, "messages come between logon and logout");
    DOJIMA_ASSERT(message.msg_seq_num() == session.next_incoming(), "messages come in order");
    fix::Writer report = session.begin(fix::type::k_execution_report);
    report.field(fix::tag::k_text, "seen");
    static_cast<void>(session.send(report));
  }
  void on_trouble(Session&, const Error& error) override { DOJIMA_ASSERT(error.code != ErrorCode::none, "a trouble"); }
  bool is_on = false;
};

struct Play {
  Play(bool over_fixt, fix::Role its_role) : is_fixt(over_fixt), role(its_role) {}
  bool is_fixt;
  fix::Role role;
  CheckingHandler handler;
  CheckingTransport transport;
  sched::Scheduler scheduler{8, k_start};
  Session session{scheduler,
                  {.role = role,
                   .begin_string = is_fixt ? "FIXT.1.1" : "FIX.4.4",
                   .sender_comp_id = "S",
                   .target_comp_id = "P",
                   .heartbeat_interval = 5s,
                   .max_body = 1024,
                   .store = {.messages = 8, .bytes = 4096},
                   .early_bytes = 512},
                  handler};
  Time now = k_start;
  std::string waiting;

  void connect() {
    if (session.is_connected()) return;
    transport.closed.reset();
    transport.is_reading = true;
    waiting.clear();
    session.on_open(transport, now);
  }
  void disconnect() {
    if (session.is_connected()) session.on_closed(transport.closed.value_or(link::CloseReason::by_peer), now);
  }
  void log_on() {
    send("A", 0,
         is_fixt ? "98=0\x01"
                   "108=5\x01"
                   "1137=9\x01"
                 : "98=0\x01"
                   "108=5\x01");
  }
  void feed(std::string_view bytes) {
    if (!session.is_connected() || transport.closed || !transport.is_reading) return;
    waiting += bytes;
    const std::size_t used = session.on_bytes(as_bytes(waiting), now);
    DOJIMA_ASSERT(used <= waiting.size(), "a session uses what it was shown");
    waiting.erase(0, used);
    DOJIMA_ASSERT(waiting.size() < 1200 || !transport.is_reading, "what waits is less than one message");
  }
  /// A message with a right frame and header; its number is the expected one plus `ahead`.
  void send(std::string_view type, std::int64_t ahead, std::string_view rest) {
    char stamp[time::k_timestamp_max];
    const std::int64_t number =
        std::max<std::int64_t>(0, static_cast<std::int64_t>(session.next_incoming().value) + ahead);
    std::string body = "35=" + std::string(type) +
                       "\x01"
                       "34=" +
                       std::to_string(number) +
                       "\x01"
                       "49=P\x01"
                       "52=" +
                       std::string(time::format_timestamp(now, 3, stamp)) +
                       "\x01"
                       "56=S\x01" +
                       std::string(rest);
    std::string text =
        "8=" + session.config().begin_string + "\x01" + "9=" + std::to_string(body.size()) + "\x01" + body;
    char trailer[16];
    std::snprintf(trailer, sizeof trailer, "10=%03u\x01", static_cast<unsigned>(fix::check_sum(as_bytes(text))));
    feed(text + trailer);
  }
};

void step(Play& play, unsigned what, unsigned amount, std::string_view& script) {
  const auto take = [&script](std::size_t size) {
    const std::string_view taken = script.substr(0, size);
    script.remove_prefix(taken.size());
    return taken;
  };
  switch (what % 9) {
    case 0:
      play.connect();
      break;
    case 1:
      play.disconnect();
      break;
    case 2:
      play.now += std::chrono::milliseconds{amount * 20};
      play.scheduler.check(play.now, 1000);
      break;
    case 3:
      play.feed(take(amount));
      break;
    case 4:
      play.log_on();
      break;
    case 5: {
      const std::string_view type = take(1);
      play.send(type, 0, take(amount));
      break;
    }
    case 6: {
      const std::string_view type = take(1);
      play.send(type, static_cast<std::int64_t>(amount % 16) - 8, take(std::size_t{amount} / 16 * 4));
      break;
    }
    case 7: {
      fix::Writer report = play.session.begin(fix::type::k_execution_report);
      report.field(fix::tag::k_text, std::string(amount + 1, 'x'));
      static_cast<void>(play.session.send(report));
      break;
    }
    default:
      play.transport.capacity = std::size_t{amount} * 16;
      if (play.session.is_connected()) play.session.on_writable(play.now);
      if (amount == 7) play.session.logout("end");
      break;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const unsigned first = size > 0 ? data[0] : 0;
  constexpr unsigned k_fixt_from = 0xf0, k_initiator_from = 0xe0, k_initiator_end = 0xe8, k_logged_on = 0x08;
  const bool is_initiator = first >= k_initiator_from && first < k_initiator_end;
  Play play(first >= k_fixt_from, is_initiator ? fix::Role::initiator : fix::Role::acceptor);
  if (is_initiator || (first >= k_initiator_end && (first & k_logged_on) != 0)) {
    play.connect();
    play.log_on();
    DOJIMA_ASSERT(play.session.is_logged_on(), "a good Logon begins a session");
  }
  std::string_view script(reinterpret_cast<const char*>(data), size);
  for (int steps = 0; script.size() >= 2 && steps < 200; ++steps) {
    const auto what = static_cast<unsigned char>(script[0]), amount = static_cast<unsigned char>(script[1]);
    script.remove_prefix(2);
    step(play, what, amount, script);
    // The network tells at once that a connection is closed.
    if (play.transport.closed) play.disconnect();
  }
  play.disconnect();
  DOJIMA_ASSERT(!play.handler.is_on, "every logon has its logout");
  return 0;
}
