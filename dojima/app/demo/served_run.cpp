#include "dojima/app/demo/served_run.hpp"

#include <algorithm>
#include <string_view>

#include "dojima/fix/frame.hpp"
#include "dojima/mit/dialect.hpp"

namespace dojima::app::demo {
namespace {

using simulate::Stage;

constexpr std::size_t k_longest_mit = 4096;
// The numbers of the hosts among those that are interrupted.
constexpr std::size_t k_gateway_host = 0;
constexpr std::size_t k_venue_host = 1;

/// Of sessions, not of orders: Logon, Heartbeat, TestRequest, ResendRequest, Reject, SequenceReset, Logout.
bool is_session_message(const fix::Frame& frame) noexcept {
  const std::string_view body = as_text(frame.bytes.subspan(frame.body_begin));
  constexpr std::string_view k_session_types = "A012345";
  return body.size() > 4 && body[4] == '\x01' && k_session_types.find(body[3]) != std::string_view::npos;
}

/// Logon, Logout, Heartbeat, System Status, Missed Message Request and its ends.
bool is_session_message(const mit::Frame& frame) noexcept {
  return std::string_view("AB50nMNP").find(frame.type) != std::string_view::npos;
}

time::Ticks ticks_of(time::Time at) noexcept {
  return {static_cast<std::uint64_t>(time::nanoseconds_of(at))};
}

constexpr std::uint8_t column(Stage stage) noexcept {
  return simulate::index_of(stage);
}
constexpr std::uint8_t column(ServiceStart start) noexcept {
  return static_cast<std::uint8_t>(start);
}

/// A request's way, mark by mark.
constexpr std::array<std::uint8_t, k_served_stages> k_served_columns = {column(Stage::due),
                                                                        column(Stage::client_sent),
                                                                        column(Stage::gateway_in),
                                                                        column(ServiceStart::gateway),
                                                                        column(Stage::gateway_out),
                                                                        column(Stage::venue_in),
                                                                        column(ServiceStart::venue),
                                                                        column(Stage::venue_out),
                                                                        column(Stage::gateway_back_in),
                                                                        column(ServiceStart::gateway_back),
                                                                        column(Stage::gateway_back_out),
                                                                        column(Stage::client_received)};

link::Work as_one(Bytes bytes) noexcept {
  return {.size = bytes.size()};
}

}  // namespace

void ServingLog::on_served(const link::Served& served) {
  if (served.kind == 0 || served.arrival < begin_) return;
  const std::size_t place = served.kind - 1U;
  const auto wait = static_cast<double>((served.start - served.arrival).count());
  StationLoad& load = loads_[place];
  ++load.messages;
  load.mean_wait_ns += wait;  // sums, until they are shown
  load.mean_service_ns += static_cast<double>((served.end - served.start).count());
  load.longest_wait_ns = std::max(load.longest_wait_ns, wait);
  if (!keeps_) return;
  const auto since = [this](time::Time at) { return static_cast<std::uint64_t>((at - begin_).count()); };
  records_.push_back({.arrival_ns = since(served.arrival),
                      .start_ns = since(served.start),
                      .end_ns = since(served.end),
                      .kind = kind_,
                      .server = static_cast<Serving>(place) == Serving::reports ? k_report_server : k_request_server});
}

ServedRun::Model::Model(const Settings& settings, bool is_gateway) : is_gateway_(is_gateway) {
  for (std::size_t at = 0; at < k_servings; ++at) {
    takes_time_[at] = !settings.services.of[at].is_none();
    draws_.emplace_back(settings.services.of[at], settings.seed, at);
  }
}

/// The kind is the place for the observer, one more than Serving; 0: nobody counts it.
link::Work ServedRun::Model::timed(std::size_t size, Serving serving) {
  const auto place = static_cast<std::size_t>(serving);
  if (!takes_time_[place]) return {.size = size};
  return {.size = size,
          .service = time::Duration{static_cast<std::int64_t>(draws_[place].next())},
          .kind = static_cast<std::uint16_t>(place + 1)};
}

link::Work ServedRun::Model::take(Bytes bytes, bool is_accepted) {
  if (is_gateway_ && is_accepted) {  // a client's FIX
    const fix::FrameSearch found = fix::find_frame(bytes, fix::k_body_max);
    if (found.state == fix::FrameState::incomplete) return {};
    if (found.state == fix::FrameState::garbled || is_session_message(found.frame)) return {.size = found.size};
    return timed(found.size, Serving::gateway);
  }
  const Result<mit::Frame> frame = mit::read_frame(bytes, k_longest_mit);
  if (!frame) return frame.error().code == ErrorCode::incomplete ? link::Work{} : as_one(bytes);
  if (frame->size > bytes.size()) return {};
  if (is_session_message(*frame)) return {.size = frame->size};
  return timed(frame->size, is_gateway_ ? Serving::reports : Serving::venue);
}

void ServedRun::Marks::mark_served(std::uint8_t arrival, ServiceStart start, const link::BusyHost& host,
                                   std::uint64_t number) {
  run_.columns_.mark_at(arrival, number, ticks_of(host.current().arrival));
  run_.columns_.mark_at(static_cast<std::uint8_t>(start), number, ticks_of(host.current().start));
}

void ServedRun::Marks::mark(std::uint8_t stage, std::uint64_t number) {
  switch (static_cast<Stage>(stage)) {
    case Stage::gateway_in:
      return mark_served(stage, ServiceStart::gateway, run_.gateway_host_, number);
    case Stage::venue_in:
      return mark_served(stage, ServiceStart::venue, run_.venue_host_, number);
    case Stage::gateway_back_in:
      return mark_served(stage, ServiceStart::gateway_back, run_.gateway_host_, number);
    default:
      run_.columns_.mark_at(stage, number, ticks_of(run_.scheduler_.now()));
  }
}

void ServedRun::Marks::bind(std::uint64_t number, std::uint64_t client_number) {
  run_.columns_.bind(number, client_number);
}

ServedRun::ServedRun(const Settings& settings, link::Fabric& network, sched::Scheduler& scheduler)
    : plan_(settings.services),
      stalls_(settings.stalls),
      seed_(settings.seed),
      scheduler_(scheduler),
      columns_(k_served_stages, simulate::request_capacity(settings.seconds, settings.rate) * k_spare_numbers),
      gateway_model_(settings, true),
      venue_model_(settings, false),
      gateway_log_(k_gateway_kind, settings.keeps_services),
      venue_log_(k_venue_kind, settings.keeps_services),
      gateway_host_(network, scheduler, gateway_model_, &gateway_log_,
                    {.interruptions = interruptions_of(stalls_, k_gateway_host)}),
      venue_host_(network, scheduler, venue_model_, &venue_log_,
                  {.interruptions = interruptions_of(stalls_, k_venue_host)}) {}

simulate::ExchangeProbe ServedRun::venue_probe() noexcept {
  return {&marks_, simulate::index_of(Stage::venue_in), simulate::index_of(Stage::venue_out)};
}

void ServedRun::begin_flow(time::Time now) {
  gateway_log_.begin(now);
  venue_log_.begin(now);
  gateway_host_.begin_interruptions(offset_of(stalls_, k_gateway_host, seed_));
  venue_host_.begin_interruptions(offset_of(stalls_, k_venue_host, seed_));
}

Measured ServedRun::latencies(const simulate::Ledger& ledger) const {
  return join_stages(columns_, ledger, {.parts = k_served_parts, .columns = k_served_columns});
}

std::vector<StationLoad> ServedRun::loads(double flow_seconds) const {
  std::vector<StationLoad> shown;
  for (const Serving serving : {Serving::gateway, Serving::reports, Serving::venue}) {
    if (plan_.at(serving).is_none()) continue;
    StationLoad load = (serving == Serving::venue ? venue_log_ : gateway_log_).load(serving);
    load.name = serving == Serving::reports ? "gateway, back" : std::string(name_of(serving));
    if (flow_seconds > 0) load.load = load.mean_service_ns / (flow_seconds * 1e9);
    if (load.messages != 0) {
      load.mean_wait_ns /= static_cast<double>(load.messages);
      load.mean_service_ns /= static_cast<double>(load.messages);
    }
    shown.push_back(std::move(load));
  }
  return shown;
}

std::vector<measure::ServiceRecord> ServedRun::services() const {
  std::vector<measure::ServiceRecord> all = gateway_log_.records();
  all.insert(all.end(), venue_log_.records().begin(), venue_log_.records().end());
  return all;
}

}  // namespace dojima::app::demo
