#include "dojima/app/trade/latency_probe.hpp"

#include <fmt/core.h>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>

#include "dojima/app/station.hpp"
#include "dojima/app/trade/native_request.hpp"
#include "dojima/app/trade/probe/probe_farewell.hpp"
#include "dojima/app/trade/probe/probe_feed.hpp"
#include "dojima/app/trade/probe/probe_round.hpp"
#include "dojima/app/trade/probe/probe_trips.hpp"
#include "dojima/market/report.hpp"
#include "dojima/mit/client_session.hpp"
#include "dojima/net/address.hpp"

namespace dojima::app {
namespace {

constexpr std::string_view k_names[] = {"submit", "cancel", "replace", "trade", "feed"};
static_assert(std::size(k_names) == k_probe_kinds);

constexpr std::chrono::milliseconds k_feed_patience{500}, k_feed_look{1};

StationOptions station_of(const LatencyProbeOptions& options) {
  constexpr std::size_t k_probe_timers = 2, k_connections = 4;
  return {.scheduler = mit::ClientSession::k_timers + k_probe_timers,
          .idle = options.idle,
          .fabric = {.max_connections = k_connections, .multicast_interface = options.feed_interface}};
}

/// None: the line cannot be had.
std::optional<link::Address> subscribe(Station& station, const std::string& line, link::DatagramReceiver& receiver) {
  const auto address = net::parse_address(line);
  const auto subscribed = address ? station.fabric().subscribe(*address, receiver) : std::unexpected(address.error());
  return subscribed ? std::optional(*subscribed) : std::nullopt;
}

/// Logs on, sends the requests of its rounds, and takes the time of every answer.
class Probe final : public mit::ClientHandler {
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
      const auto subscribed = subscribe(station_, options_.feed_line, feed_);
      if (!subscribed) return {.trouble = fmt::format("market data: {} cannot be had", options_.feed_line)};
      feed = *subscribed;
    }
    if (start_venue) venue = start_venue(feed);
    where_ = net::text_of(venue);
    station_.fabric().connect(venue, session_);
    watch_.arm(station_.scheduler().now() + options_.patience);
    look_.arm(station_.scheduler().now());
    station_.run([this] { return !is_over_; });
    result_.trips = trips_.take_sorted();
    result_.reached_back = trips_.reached_back();
    return std::move(result_);
  }

  // mit::ClientHandler
  void on_logged_on(mit::ClientSession&, std::int32_t, Time now) override {
    is_logged_on_ = true;
    if (!options_.halves && !options_.feed_line.empty()) feed_.listen();
    next_.arm(now);
  }
  void on_logon_refused(mit::ClientSession&, std::int32_t code, Time) override {
    trouble(fmt::format("{} refused the logon of {}: {}", where_, options_.user, logon_code_text(code)));
  }
  void on_report(mit::ClientSession&, const market::OwnerReport& report, std::int32_t code, Time) override {
    const Time now = clock_.now();
    const ProbeRound::Answer answer = round_.take(report, code, farewell_.has_begun());
    if (!answer.trouble.empty()) trouble(answer.trouble);
    if (answer.trip) add(*answer.trip, sent_, report.time, now);
    if (answer.then == ProbeRound::Then::go_on) go_on();
    if (answer.then == ProbeRound::Then::end_round) end_round();
    if (answer.then == ProbeRound::Then::leave) leave();
  }
  void on_reject(mit::ClientSession&, const mit::Reject& reject, Time) override {
    give_up(fmt::format("the venue rejected a message: {}", code_text(reject.code)));
  }
  void on_end(mit::ClientSession&, link::CloseReason reason, std::string_view text, Time) override {
    is_over_ = true;
    if (farewell_.has_begun()) return;
    trouble(!is_logged_on_ && reason == link::CloseReason::refused
                ? fmt::format("nobody listens at {}; is the venue running?", where_)
                : fmt::format("the session with {} ended: {}", where_, text.empty() ? link::name_of(reason) : text));
  }
  void on_trouble(mit::ClientSession&, const Error& error, Time) override {
    give_up("a message of the venue could not be understood: " + describe_error(error));
  }

 private:
  /// The first one stays.
  void trouble(std::string line) {
    if (result_.trouble.empty()) result_.trouble = std::move(line);
  }
  void add(ProbeKind kind, Time sent, Time at_exchange, Time received) {
    if (std::string wrong = trips_.add(kind, sent, at_exchange, received); !wrong.empty()) give_up(std::move(wrong));
  }
  void give_up(std::string line) {
    trouble(std::move(line));
    leave();
  }

  void on_next(Time now) {
    if (farewell_.has_begun()) return;
    if (feed_until_ != Time{}) return await_feed(now);
    std::visit([this](const auto& request) { send(request); }, round_.next());
  }
  template <class Command>
  void send(const Command& command) {
    sent_ = clock_.now();
    const auto sent = session_.send(command);
    watch_.arm(station_.scheduler().now() + options_.patience);
    if (sent) return;
    give_up(fmt::format("{} cannot carry the request: {}", options_.dialect->name, describe_error(sent.error())));
  }
  void go_on() {
    if (!farewell_.has_begun()) next_.arm(station_.scheduler().now() + options_.gap);
  }
  void end_round() {
    ++result_.rounds;
    if (progress_) progress_(result_.rounds);
    if (result_.rounds < options_.rounds) return go_on();
    feed_until_ = station_.scheduler().now() + k_feed_patience;
    await_feed(station_.scheduler().now());
  }
  /// The market data of the last request may still be on its way.
  void await_feed(Time now) {
    if (!feed_.lacks(sent_) || now >= feed_until_) return leave();
    next_.arm(now + k_feed_look);
  }
  void leave() {
    next_.disarm();
    if (farewell_.go_on()) watch_.arm(station_.scheduler().now() + options_.patience);
  }

  void on_watch(Time now) {
    if (farewell_.has_logged_out()) {
      is_over_ = true;
      return;
    }
    if (!farewell_.has_begun() || round_.rests())
      trouble(is_logged_on_ ? "the venue does not answer" : fmt::format("no logon: {} does not answer", where_));
    farewell_.give_up();
    watch_.arm(now + options_.patience);
    leave();
    if (!is_logged_on_) is_over_ = true;
  }
  void on_look(Time now) {
    look_.arm(now + std::chrono::milliseconds{20});
    if (!stops_ || farewell_.has_begun() || !stops_()) return;
    result_.was_interrupted = true;
    leave();
    if (!is_logged_on_) is_over_ = true;
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
  ProbeTrips trips_{options_.halves};
  ProbeRound round_{options_, clock_.now().time_since_epoch().count() / 1'000'000};
  ProbeFarewell farewell_{session_, round_};
  ProbeFeed feed_{clock_, [this](Time at, Time now) { add(ProbeKind::feed, at, at, now); }};
  std::string where_;
  Time sent_{}, feed_until_{};
  bool is_logged_on_ = false, is_over_ = false;
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
