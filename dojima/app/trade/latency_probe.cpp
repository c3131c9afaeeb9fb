#include "dojima/app/trade/latency_probe.hpp"

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <iterator>
#include <optional>

#include "dojima/app/station.hpp"
#include "dojima/app/trade/native_request.hpp"
#include "dojima/link/datagram.hpp"
#include "dojima/market/command.hpp"
#include "dojima/market/report.hpp"
#include "dojima/mit/client_session.hpp"
#include "dojima/mitch/codec.hpp"
#include "dojima/mitch/unit.hpp"
#include "dojima/net/address.hpp"

namespace dojima::app {
namespace {

using market::OwnerReport;
using market::OwnerReportKind;
using market::Side;

constexpr std::string_view k_names[] = {"submit", "cancel", "replace", "trade", "feed"};
static_assert(std::size(k_names) == k_probe_kinds);

/// The requests of a round, in order; the last two where it trades.
enum class ProbeStep : std::uint8_t { enter, change, cancel, offer, take };

StationOptions station_of(const LatencyProbeOptions& options) {
  constexpr std::size_t k_own_timers = 2, k_connections = 4;
  return {.scheduler = mit::ClientSession::k_timers + k_own_timers,
          .idle = options.idle,
          .fabric = {.max_connections = k_connections, .multicast_interface = options.feed_interface}};
}

class Probe final : public mit::ClientHandler, public link::DatagramReceiver {
 public:
  Probe(const LatencyProbeOptions& options, const std::function<bool()>& stops,
        const std::function<void(std::size_t)>& progress)
      : options_(options),
        stops_(stops),
        progress_(progress),
        station_(station_of(options)),
        session_({.user = options.user, .password = options.password}, *options.dialect, station_.scheduler(), *this),
        next_(station_.scheduler(), *this),
        watch_(station_.scheduler(), *this) {}

  LatencyProbeResult run(const std::function<link::Address(const link::Address&)>& start_venue) {
    link::Address feed, venue = options_.venue;
    if (!options_.feed_line.empty()) {
      const auto line = net::parse_address(options_.feed_line);
      const auto subscribed = line ? station_.fabric().subscribe(*line, *this) : std::unexpected(line.error());
      if (!subscribed) {
        result_.trouble = fmt::format("market data: {} cannot be had", options_.feed_line);
        return std::move(result_);
      }
      feed = *subscribed;
    }
    if (start_venue) venue = start_venue(feed);
    where_ = net::text_of(venue);
    station_.fabric().connect(venue, session_);
    watch_.arm(station_.scheduler().now() + options_.patience);
    look_.arm(station_.scheduler().now());
    station_.run([this] { return !is_over_; });
    sort_trips();
    return std::move(result_);
  }

  // mit::ClientHandler
  void on_logged_on(mit::ClientSession&, std::int32_t, Time now) override {
    is_logged_on_ = true;
    next_.arm(now);
  }
  void on_logon_refused(mit::ClientSession&, std::int32_t code, Time) override {
    trouble(fmt::format("{} refused the logon of {}: {}", where_, options_.user, code_text(code)));
  }
  void on_report(mit::ClientSession&, const OwnerReport& report, std::int32_t code, Time) override {
    take(report, code, clock_.now());
  }
  void on_reject(mit::ClientSession&, const mit::Reject& reject, Time) override {
    trouble(fmt::format("the venue rejected a message: {}", code_text(reject.code)));
    leave();
  }
  void on_end(mit::ClientSession&, link::CloseReason reason, std::string_view text, Time) override {
    is_over_ = true;
    if (is_leaving_) return;
    if (!is_logged_on_ && reason == link::CloseReason::refused)
      trouble(fmt::format("nobody listens at {}; is the venue running?", where_));
    else
      trouble(fmt::format("the session with {} ended: {}", where_, text.empty() ? link::name_of(reason) : text));
  }
  void on_trouble(mit::ClientSession&, const Error& error, Time) override {
    trouble("a message of the venue could not be understood: " + describe_error(error));
    leave();
  }

  // link::DatagramReceiver
  void on_datagram(Bytes datagram, Time) override {
    const Time now = clock_.now();
    const auto unit = mitch::read_unit(datagram);
    if (!unit || !is_logged_on_) return;
    for (const Bytes message : *unit)
      static_cast<void>(mitch::dispatch(message, [&]<class Message>(const Message& of) {
        if constexpr (requires { of.nanosecond; }) hear(of.nanosecond, now);
      }));
  }

 private:
  /// The first one stays.
  void trouble(std::string line) {
    if (result_.trouble.empty()) result_.trouble = std::move(line);
  }

  /// A message says the nanosecond within its second; it is at most half a second old.
  void hear(std::uint32_t nanosecond, Time now) {
    constexpr std::int64_t k_second = 1'000'000'000;
    std::int64_t age = (now.time_since_epoch().count() - nanosecond) % k_second;
    if (age > k_second / 2) age -= k_second;
    if (options_.halves || time::Duration{age} < -k_probe_turn) return;  // of another clock
    const Time at = now - time::Duration{std::max<std::int64_t>(age, 0)};
    if (at <= last_heard_) return;
    last_heard_ = at;
    add(ProbeKind::feed, at, at, now);
  }

  void add(ProbeKind kind, Time sent, Time at_exchange, Time received) {
    if (kind != ProbeKind::feed && options_.halves) at_exchange = sent + (received - sent) / 2;
    if (at_exchange < sent && at_exchange + k_probe_turn >= sent) {
      ++result_.reached_back;
      at_exchange = sent;
    }
    if (at_exchange < sent || received < at_exchange) {
      trouble(
          fmt::format("the venue's clock is {} ns {} this machine's: its times say nothing here; --halves takes it to "
                      "work in the middle of a round trip",
                      at_exchange < sent ? (sent - at_exchange).count() : (at_exchange - received).count(),
                      at_exchange < sent ? "behind" : "before"));
      return leave();
    }
    result_.trips.push_back({kind, sent, at_exchange, received});
  }

  // ---- Requests
  // ------------------------------------------------------------------------------------------------------

  Text<20> name() { return Text<20>::cut(fmt::format("lat{}-{}", begun_ % 1'000'000'000, ++names_)); }

  market::NewOrder order(Side side, bool takes) {
    market::NewOrder order;
    order.header.instrument = options_.instrument;
    order.terms.limit = options_.price;
    order.terms.quantity = order.terms.displayed = options_.quantity;
    order.terms.side = side;
    order.terms.type = market::OrderType::limit;
    order.terms.time_in_force = takes ? market::TimeInForce::immediate_or_cancel : market::TimeInForce::day;
    order.terms.capacity = market::Capacity::any_other;
    order.terms.flags = market::k_auto_cancel;
    constexpr std::uint8_t k_clients_account = 1;
    constexpr std::uint32_t k_client = 3;
    order.labels.clearing = k_clients_account;
    order.labels.executing_trader = k_client;
    order.labels.client_order_id = request_ = name();
    return order;
  }

  void on_next(Time) {
    if (is_leaving_) return;
    switch (step_) {
      case ProbeStep::enter:
      case ProbeStep::offer: {
        const market::NewOrder bid = order(Side::buy, false);
        resting_name_ = request_;
        return send(bid);
      }
      case ProbeStep::change: {
        market::Replace replace;
        replace.header.instrument = options_.instrument;
        replace.order = resting_;
        replace.limit = options_.price;
        replace.stop = {-1};
        replace.quantity = replace.displayed = {options_.quantity.lots + 1};
        replace.side = Side::buy;
        replace.original_client_order_id = resting_name_;
        replace.client_order_id = request_ = name();
        return send(replace);
      }
      case ProbeStep::cancel:
        return send(cancel_of_resting());
      case ProbeStep::take:
        has_bid_traded_ = has_offer_traded_ = false;
        return send(order(Side::sell, true));
    }
  }
  market::Cancel cancel_of_resting() {
    market::Cancel cancel;
    cancel.header.instrument = options_.instrument;
    cancel.order = resting_;
    cancel.side = Side::buy;
    cancel.original_client_order_id = resting_name_;
    cancel.client_order_id = request_ = name();
    return cancel;
  }

  template <class Command>
  void send(const Command& command) {
    sent_ = clock_.now();
    const auto sent = session_.send(command);
    watch_.arm(station_.scheduler().now() + options_.patience);
    if (sent) return;
    trouble(fmt::format("{} cannot carry the request: {}", options_.dialect->name, describe_error(sent.error())));
    leave();
  }

  // ---- Answers
  // -------------------------------------------------------------------------------------------------------

  void take(const OwnerReport& report, std::int32_t code, Time now) {
    const bool is_of_request = report.client_order_id == request_;
    const bool is_of_resting = resting_.value != 0 && report.order == resting_;
    if (!is_of_request && !is_of_resting) return;  // of somebody else's session of this user
    switch (report.kind) {
      case OwnerReportKind::rejected:
      case OwnerReportKind::request_rejected:
      case OwnerReportKind::business_rejected:
        if (!is_leaving_) trouble(fmt::format("the venue refused a request: {}", code_text(code)));
        if (is_leaving_) resting_ = {};
        return leave();
      case OwnerReportKind::suspended:
        trouble("the venue holds the order back: the book is not in continuous trading");
        resting_ = report.order;
        return leave();
      case OwnerReportKind::expired:
        if (step_ != ProbeStep::take || is_of_resting) break;
        trouble("the sell order met nobody: own orders do not trade with each other here; leave out --trades");
        return leave();
      default:
        break;
    }
    if (is_leaving_) {
      if (report.kind == OwnerReportKind::cancelled || report.kind == OwnerReportKind::expired) resting_ = {};
      return leave();
    }
    if (report.kind == OwnerReportKind::traded && step_ != ProbeStep::take) {
      trouble("somebody traded with the order: take a --price that nobody meets");
      if (report.leaves.lots == 0) resting_ = {};
      return leave();
    }
    switch (step_) {
      case ProbeStep::enter:
      case ProbeStep::offer:
        if (report.kind != OwnerReportKind::accepted) return;
        resting_ = report.order;
        add(ProbeKind::submit, sent_, report.time, now);
        return go_on(step_ == ProbeStep::enter ? ProbeStep::change : ProbeStep::take);
      case ProbeStep::change:
        if (report.kind != OwnerReportKind::replaced) return;
        resting_name_ = report.client_order_id;
        add(ProbeKind::replace, sent_, report.time, now);
        return go_on(ProbeStep::cancel);
      case ProbeStep::cancel:
        if (report.kind != OwnerReportKind::cancelled) return;
        resting_ = {};
        add(ProbeKind::cancel, sent_, report.time, now);
        return options_.trades ? go_on(ProbeStep::offer) : end_round();
      case ProbeStep::take:
        if (report.kind != OwnerReportKind::traded) return;
        if (is_of_resting) add(ProbeKind::trade, sent_, report.time, now);
        (is_of_resting ? has_bid_traded_ : has_offer_traded_) = true;
        if (!has_bid_traded_ || !has_offer_traded_) return;
        resting_ = {};
        return end_round();
    }
  }

  void go_on(ProbeStep step) {
    if (is_leaving_) return;
    step_ = step;
    next_.arm(station_.scheduler().now() + options_.gap);
  }
  void end_round() {
    ++result_.rounds;
    if (progress_) progress_(result_.rounds);
    if (result_.rounds >= options_.rounds) return leave();
    go_on(ProbeStep::enter);
  }

  /// What rests is cancelled first.
  void leave() {
    is_leaving_ = true;
    next_.disarm();
    if (resting_.value != 0 && !is_cancelled_ && session_.is_logged_on()) {
      is_cancelled_ = true;
      if (session_.send(cancel_of_resting())) {
        watch_.arm(station_.scheduler().now() + options_.patience);
        return;
      }
    } else if (resting_.value != 0 && session_.is_logged_on() && !has_given_up_) {
      return;
    }
    if (has_said_goodbye_) return;
    has_said_goodbye_ = true;
    session_.logout("bye");
  }

  void on_watch(Time now) {
    if (has_said_goodbye_) {
      is_over_ = true;
      return;
    }
    if (!is_leaving_ || resting_.value != 0)
      trouble(is_logged_on_ ? "the venue does not answer" : fmt::format("no logon: {} does not answer", where_));
    has_given_up_ = true;
    watch_.arm(now + options_.patience);
    leave();
    if (!is_logged_on_) is_over_ = true;
  }
  void on_look(Time now) {
    look_.arm(now + std::chrono::milliseconds{20});
    if (!stops_ || is_leaving_ || !stops_()) return;
    result_.was_interrupted = true;
    leave();
    if (!is_logged_on_) is_over_ = true;
  }

  /// A trade is reported twice, and its own time may be that of an answer before it: those of a kind rise.
  void sort_trips() {
    std::vector<ProbeTrip>& trips = result_.trips;
    std::sort(trips.begin(), trips.end(), [](const ProbeTrip& a, const ProbeTrip& b) {
      return std::tie(a.at_exchange, a.received, a.sent) < std::tie(b.at_exchange, b.received, b.sent);
    });
    std::array<const ProbeTrip*, k_probe_kinds> last{};
    std::vector<ProbeTrip> kept;
    kept.reserve(trips.size());
    for (const ProbeTrip& trip : trips) {
      const ProbeTrip*& before = last[static_cast<std::size_t>(trip.kind)];
      if (before != nullptr && (trip.sent <= before->sent || trip.at_exchange <= before->at_exchange)) continue;
      kept.push_back(trip);
      before = &kept.back();
    }
    trips = std::move(kept);
  }

  const LatencyProbeOptions& options_;
  const std::function<bool()>& stops_;
  const std::function<void(std::size_t)>& progress_;
  time::SystemClock clock_;
  Station station_;
  mit::ClientSession session_;
  sched::TimerOf<&Probe::on_next> next_;
  sched::TimerOf<&Probe::on_watch> watch_;
  sched::TimerOf<&Probe::on_look> look_{station_.scheduler(), *this};
  LatencyProbeResult result_;
  std::string where_;
  std::int64_t begun_ = clock_.now().time_since_epoch().count() / 1'000'000;
  std::uint64_t names_ = 0;
  ProbeStep step_ = ProbeStep::enter;
  Time sent_{}, last_heard_{};
  market::OrderId resting_;
  Text<20> resting_name_, request_;
  bool has_bid_traded_ = false, has_offer_traded_ = false;
  bool is_logged_on_ = false, is_leaving_ = false, is_cancelled_ = false, has_given_up_ = false,
       has_said_goodbye_ = false, is_over_ = false;
};

}  // namespace

std::string_view name_of(ProbeKind kind) noexcept {
  return k_names[static_cast<std::size_t>(kind)];
}

LatencyProbeResult probe_latency(const LatencyProbeOptions& options, const std::function<bool()>& stops,
                                 const std::function<void(std::size_t)>& progress,
                                 const std::function<link::Address(const link::Address&)>& start_venue) {
  Probe probe(options, stops, progress);
  return probe.run(start_venue);
}

std::string latency_file_text(const std::vector<ProbeTrip>& trips) {
  std::string text = "kind,sent,exchange,received\n";
  for (const ProbeTrip& trip : trips)
    text += fmt::format("{},{},{},{}\n", name_of(trip.kind), trip.sent.time_since_epoch().count(),
                        trip.at_exchange.time_since_epoch().count(), trip.received.time_since_epoch().count());
  return text;
}

}  // namespace dojima::app
