// A logged-on FIX client that says anything, in front of a venue that answers anything. The input is a script: raw
// bytes and framed messages from the client, reports of any content from the venue, losses of either side, time. What
// the gateway tells the client must stay a stream of whole messages in order, and every open order's quantities must
// add up; the gateway's own assertions watch the rest.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/fix/message.hpp"
#include "dojima/gateway/gateway.hpp"
#include "dojima/gateway/messages/values.hpp"
#include "dojima/link/network_test_support.hpp"
#include "dojima/link/simulated_network.hpp"
#include "dojima/mit/dialect.hpp"
#include "dojima/mit/server_session.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace {

using namespace dojima;
using namespace std::chrono_literals;
using time::Time;

constexpr Time k_start = std::chrono::sys_days{std::chrono::year{2026} / 7 / 20};
const link::Address k_fix{"gateway", 1};
const link::Address k_venue{"venue", 2};

class Script {
 public:
  Script(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  [[nodiscard]] bool is_over() const { return size_ == 0; }
  std::uint8_t byte() {
    if (size_ == 0) return 0;
    --size_;
    return *data_++;
  }
  std::string_view take(std::size_t size) {
    size = std::min(size, size_);
    const std::string_view text(reinterpret_cast<const char*>(data_), size);
    data_ += size;
    size_ -= size;
    return text;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
};

/// A client without manners: bytes out as they are, whole messages in.
class RawClient final : public link::Connection {
 public:
  void on_open(link::Transport& transport, Time now) override {
    transport_ = &transport;
    const std::string sequence = std::to_string(next_++);
    say_framed("35=A|34=" + sequence + "|49=C|52=" + stamp(now) + "|56=DOJIMA|98=0|108=0|");
  }
  std::size_t on_bytes(Bytes bytes, Time) override {
    std::size_t used = 0;
    for (;;) {
      const fix::FrameSearch found = fix::find_frame(bytes.subspan(used));
      if (found.state == fix::FrameState::incomplete) return used;
      DOJIMA_ASSERT(found.state == fix::FrameState::whole, "a gateway says nothing but messages");
      DOJIMA_ASSERT(view_.read(found.frame).has_value(), "a gateway's messages can be read");
      check();
      used += found.size;
    }
  }
  void on_writable(Time) override {}
  void on_closed(link::CloseReason, Time) override { transport_ = nullptr; }

  [[nodiscard]] bool is_open() const { return transport_ != nullptr; }
  void say(std::string_view text) {
    if (transport_ == nullptr) return;
    const Room room = transport_->prepare(text.size());
    if (room.empty()) return;
    std::ranges::copy(dojima::as_bytes(text), room.begin());
    transport_->commit(text.size());
  }
  void say_framed(std::string body) {
    std::ranges::replace(body, '|', '\x01');
    std::string text =
        "8=FIX.4.4\x01"
        "9=" +
        std::to_string(body.size()) + "\x01" + body;
    unsigned sum = 0;
    for (const char c : text) sum += static_cast<unsigned char>(c);
    std::array<char, 8> trailer;
    std::snprintf(trailer.data(), trailer.size(), "10=%03u\x01", sum % 256);
    say(text + trailer.data());
  }
  /// An application message with a right header.
  void say_message(char type, std::string_view fields, Time now) {
    say_framed(std::string("35=") + type + "|34=" + std::to_string(next_++) + "|49=C|52=" + stamp(now) + "|56=DOJIMA|" +
               std::string(fields));
  }

 private:
  static std::string stamp(Time now) {
    std::array<char, time::k_timestamp_max> text;
    return std::string(time::format_timestamp(now, 3, text));
  }
  void check() const {
    if (view_.msg_type() != fix::type::k_execution_report) return;
    const auto status = view_.find(fix::tag::k_ord_status);
    const auto total = view_.integer(fix::tag::k_order_qty), done = view_.integer(fix::tag::k_cum_qty),
               left = view_.integer(fix::tag::k_leaves_qty);
    DOJIMA_ASSERT(status && done && left && *done >= 0 && *left >= 0, "a report has its quantities");
    if (status == "0" || status == "1")
      DOJIMA_ASSERT(total && *done + *left == *total, "what is done and what is left make the order");
    else
      DOJIMA_ASSERT(*left == 0 || status == "9" || status == "A", "nothing is left of a closed order");
  }

  link::Transport* transport_ = nullptr;
  fix::MessageView view_;
  std::uint64_t next_ = 1;
};

/// A venue that says what the script wants.
class WildVenue final : public link::Acceptor, public mit::ServerHandler {
 public:
  explicit WildVenue(sched::Scheduler& scheduler) : session_({}, mit::lse_21_2::k_dialect, scheduler, *this) {}
  link::Connection* on_accept(const link::Address&) override { return session_.is_connected() ? nullptr : &session_; }
  mit::LogonReply on_logon(mit::ServerSession&, const mit::Logon&, Time) override { return {}; }
  void on_new_order(mit::ServerSession&, market::NewOrder& order, Time) override {
    requested_.push_back(
        {order.labels.client_order_id, order.header.instrument, order.terms.side, order.terms.quantity});
  }
  void on_replace(mit::ServerSession&, market::Replace& replace, Time) override {
    requested_.push_back({replace.client_order_id, replace.header.instrument, replace.side, replace.quantity});
  }
  void on_cancel(mit::ServerSession&, market::Cancel& cancel, Time) override {
    requested_.push_back({cancel.client_order_id, cancel.header.instrument, cancel.side, {}});
  }
  void on_mass_cancel(mit::ServerSession&, market::MassCancel&, Time) override {}
  void on_quote(mit::ServerSession&, market::Quote&, Time) override {}
  void on_end(mit::ServerSession&, market::SessionEnd, Time) override {}

  void answer(Script& script, Time now) {
    if (!session_.is_logged_on()) return;
    Requested requested;
    if (!requested_.empty()) requested = requested_[script.byte() % requested_.size()];
    const unsigned kind = script.byte() % 14;
    if (kind == 9) {
      static_cast<void>(session_.send(mit::Reject{.code = script.byte(),
                                                  .reason = Text<30>::cut(script.take(script.byte() % 8)),
                                                  .type = static_cast<char>(script.byte()),
                                                  .client_order_id = requested.id}));
      return;
    }
    market::OwnerReport report;
    report.sequence = {++sequence_};
    report.time = now;
    report.order = {script.byte() % 4u};
    report.execution = ++execution_;
    report.client_order_id = kind == 10 ? Text<20>::cut(script.take(script.byte() % 21)) : requested.id;
    report.partition = 1;
    report.instrument = requested.instrument;
    report.side = requested.side;
    report.kind = static_cast<market::OwnerReportKind>(kind == 10 ? 2 : kind > 10 ? kind - 1 : kind);
    report.reference = script.byte();
    constexpr std::array k_statuses{0, 1, 2, 4, 6, 8, 9};
    report.status = static_cast<market::OrderStatus>(k_statuses[script.byte() % k_statuses.size()]);
    report.quantity = {script.byte()};
    const std::uint8_t less = script.byte();
    report.leaves = {less < 128 ? std::max<std::int64_t>(0, requested.quantity.lots - report.quantity.lots) : less};
    report.price = {script.byte() - 128};
    report.reason = static_cast<market::Reason>(script.byte() % 22);
    report.liquidity = static_cast<char>(script.byte() & 0x7f);
    report.restatement = script.byte();
    report.counterparty = Text<11>::cut(script.take(script.byte() % 12));
    if (report.kind == market::OwnerReportKind::none) return;
    if (std::ranges::any_of(report.counterparty.chars, [](char c) { return static_cast<signed char>(c) < 0; })) return;
    if (std::ranges::any_of(report.client_order_id.chars, [](char c) { return static_cast<signed char>(c) < 0; }))
      return;
    static_cast<void>(session_.send(report, static_cast<std::int32_t>(20'000 + script.byte())));
  }
  [[nodiscard]] const mit::ServerSession& session() const { return session_; }

 private:
  struct Requested {
    Text<20> id;
    std::uint32_t instrument = 7;
    market::Side side = market::Side::buy;
    market::Quantity quantity;
  };
  mit::ServerSession session_;
  std::vector<Requested> requested_;
  std::uint64_t sequence_ = 0, execution_ = 0;
};

gateway::GatewayConfig small_config() {
  gateway::GatewayConfig config;
  config.clients = {{.comp_id = "C", .venue_user = "U", .venue_password = "p"}};
  config.clients[0].limits = {.rate = 2, .rate_action = gateway::RateAction::queue, .queue = 2, .open_orders = 3};
  config.clients[0].cancel_on_disconnect = gateway::CancelOnDisconnect::logout;
  config.symbols = {{"A", 7}};
  config.limits = {.orders = 4,
                   .requests = 16,
                   .remembered_ids = 4,
                   .store_messages = 32,
                   .store_bytes = 1 << 15,
                   .pending_links = 2};
  config.fix.session.sending_time_tolerance = {};
  return config;
}

struct World {
  World() : network(scheduler, {.input_capacity = 1 << 13, .output_capacity = 1 << 14}), venue(scheduler) {
    DOJIMA_ASSERT(network.listen(k_venue, venue).has_value(), "no other listener has the address");
    DOJIMA_ASSERT(gateway.start(k_fix, k_venue).has_value(), "no other listener has the address");
    run(1ms);
    network.connect(k_fix, client);
    run(1ms);
  }
  void run(time::Duration duration) { link::run_for(network, scheduler, duration); }
  sched::Scheduler scheduler{128, k_start};
  link::SimulatedNetwork network;
  WildVenue venue;
  gateway::Gateway gateway{small_config(), network, scheduler};
  RawClient client;
};

/// A request of the usual fields, any of which the script may change.
std::string request(char type, Script& script) {
  const std::uint8_t id = script.byte(), orig = script.byte(), quantity = script.byte();
  std::string text = "11=" + std::to_string(id % 32) + "|";
  if (type != 'D') text += "41=" + std::to_string(orig % 32) + "|";
  text += "55=A|54=1|60=20260720-00:00:00|";
  if (type != 'F') text += "38=" + std::to_string(quantity) + "|40=2|44=1|";
  text += script.take(script.byte() % 64);
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Script script(data, size);
  World world;
  while (!script.is_over()) {
    switch (script.byte() % 12) {
      case 0:
        world.client.say(script.take(script.byte()));
        break;
      case 1:
        world.client.say_message(static_cast<char>(script.byte()), script.take(script.byte()), world.scheduler.now());
        break;
      case 2:
      case 3:
      case 4:
        world.client.say_message('D', request('D', script), world.scheduler.now());
        break;
      case 5:
        world.client.say_message('F', request('F', script), world.scheduler.now());
        break;
      case 6:
        world.client.say_message('G', request('G', script), world.scheduler.now());
        break;
      case 7:
      case 8:
      case 9:
        world.run(1ms);
        world.venue.answer(script, world.scheduler.now());
        break;
      case 10:
        world.network.cut(world.venue.session());
        world.run(std::chrono::milliseconds{script.byte() * 20});
        break;
      default:
        if (!world.client.is_open()) world.network.connect(k_fix, world.client);
        world.run(std::chrono::milliseconds{script.byte()});
    }
  }
  world.run(1ms);
  return 0;
}
