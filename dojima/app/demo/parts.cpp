#include "dojima/app/demo/parts.hpp"

#include "dojima/app/dashboard/venue_watch.hpp"
#include "dojima/app/gateway/gateway_server.hpp"
#include "dojima/app/loop/partition_settings.hpp"

namespace dojima::app::demo {
namespace {

constexpr auto k_publish = std::memory_order_release;

std::vector<market::Instrument> instruments_of(const Settings& settings) {
  std::vector<market::Instrument> instruments;
  for (const simulate::InstrumentConfig& instrument : venue_config(settings).instruments)
    instruments.push_back(make_instrument(instrument));
  return instruments;
}

gateway::GatewayConfig staged_gateway(const Settings& settings) {
  gateway::GatewayConfig config = gateway_config(settings).gateway;
  // Clients begin anew at every run, and a run has no memory of clocks.
  config.fix.session.reset_on_logon = true;
  config.stages = {.in = simulate::index_of(simulate::Stage::gateway_in),
                   .out = simulate::index_of(simulate::Stage::gateway_out),
                   .back_in = simulate::index_of(simulate::Stage::gateway_back_in),
                   .back_out = simulate::index_of(simulate::Stage::gateway_back_out)};
  return config;
}

std::vector<Refusals> refusals_of(const simulate::Exchange& exchange) {
  std::vector<Refusals> all;
  for (std::size_t at = 0; at <= static_cast<std::size_t>(market::k_last_reason); ++at) {
    Refusals of{.reason = static_cast<market::Reason>(at)};
    for (const venue::Partition* const partition : exchange.partitions()) of.count += partition->refused(of.reason);
    if (of.count != 0) all.push_back(of);
  }
  return all;
}

}  // namespace

std::unique_ptr<VenueWatch> make_watch(const Settings& settings, const simulate::ExchangeProbe& next,
                                       std::function<bool(std::string_view)> on_pace) {
  if (settings.dashboard.port < 0) return nullptr;
  return std::make_unique<VenueWatch>(VenueWatchOptions{.name = "demo",
                                                        .dashboard = settings.dashboard,
                                                        .next = next.probe,
                                                        .stage_in = next.in,
                                                        .stage_out = next.out,
                                                        .on_pace = std::move(on_pace)},
                                      venue_config(settings));
}

std::expected<void, std::string> start_watch(const Settings& settings, VenueWatch* watch) {
  if (watch == nullptr) return {};
  if (const auto where = watch->start(); !where) return std::unexpected(where.error());
  if (settings.show_dashboard) settings.show_dashboard(watch->url());
  return {};
}

std::expected<void, std::string> start_desk(const Settings& settings, VenueDesk* desk, std::function<void()> wake) {
  if (desk == nullptr) return {};
  auto where = desk->start(std::move(wake));
  if (!where) return std::unexpected(std::move(where.error()));
  if (settings.show_admin) settings.show_admin(*where);
  return {};
}

VenuePart::VenuePart(const Settings& settings, sched::Scheduler& scheduler, simulate::ExchangeProbe probe, Board& board,
                     simulate::JournaledPartitions journaled)
    : exchange_(venue_config(settings), scheduler, probe, std::move(journaled), nullptr,
                settings.admin_port >= 0 ? &operations_ : nullptr, nullptr, thread_idle(settings.idle)),
      board_(board) {
  for (const auto& partition : exchange_.partitions())
    tapes_.push_back(std::make_unique<simulate::Tape>(*partition, simulate::limits_of(exchange_.config())));
  if (settings.has_feed) feed_ = std::make_unique<DayFeed>(settings, exchange_, scheduler);
  if (settings.admin_port >= 0) desk_ = std::make_unique<VenueDesk>(settings, exchange_, operations_, scheduler);
  if (!settings.is_day) return;
  day_ = std::make_unique<simulate::DayLog>(exchange_.config());
  for (const auto& partition : exchange_.partitions()) partition->publish(day_.get());
  exchange_.start_days(scheduler.now());
}

time::Duration VenuePart::thread_time_now() const {
  const venue::PartitionThreads* const threads = exchange_.threads();
  time::Duration taken{0};
  for (std::size_t thread = 0; threads != nullptr && thread < threads->threads(); ++thread)
    taken += threads->processor_time(thread);
  return taken;
}

void VenuePart::after_turn(Phase phase, time::Time) {
  if (!is_flowing_ && phase >= Phase::flowing) {
    is_flowing_ = true;
    thread_time_ = thread_time_now();
  }
  board_.venue.sent.store(exchange_.front().counters().reports_sent, k_publish);
  if (phase != Phase::capturing || is_captured_) return;
  is_captured_ = true;
  thread_time_ = thread_time_now() - thread_time_;
  snapshot_ = simulate::take_snapshot(exchange_, tapes_);
  if (feed_ != nullptr) feed_check_ = feed_->verify();
  refusals_ = refusals_of(exchange_);
  board_.venue.is_captured.store(true, k_publish);
}

GatewayPart::GatewayPart(const Settings& settings, link::Fabric& fabric, sched::Scheduler& scheduler,
                         measure::Probe* probe, Board& board)
    : gateway_(staged_gateway(settings), fabric, scheduler, {.probe = probe}), board_(board) {}

void GatewayPart::after_turn(Phase phase, time::Time) {
  const gateway::GatewayCounters& counters = gateway_.counters();
  board_.gateway.is_up.store(gateway_.is_venue_up(), k_publish);
  board_.gateway.from_venue.store(counters.reports, k_publish);
  board_.gateway.to_clients.store(counters.reports - counters.strays + counters.refused + counters.unsupported,
                                  k_publish);
  board_.gateway.is_idle.store(is_stopped_ && gateway_.is_idle(), k_publish);
  if (phase >= Phase::capturing && !is_captured_) {
    is_captured_ = true;
    counters_ = counters;
  }
  const bool is_alone = board_.clients.connected.load(std::memory_order_acquire) == 0;
  if (phase == Phase::logging_off && is_alone && !is_stopped_) {
    is_stopped_ = true;
    gateway_.stop("the demo is over");
  }
}

ClientsPart::ClientsPart(const Settings& settings, link::Fabric& fabric, const link::Address& gateway,
                         sched::Scheduler& scheduler, simulate::ClientProbe probe, Board& board)
    : clients_(clients_config(settings), instruments_of(settings), scheduler, probe),
      fabric_(fabric),
      gateway_(gateway),
      board_(board) {}

void ClientsPart::after_turn(Phase phase, time::Time now) {
  if (phase != seen_) {
    if (phase == Phase::logging_on) clients_.connect(fabric_, gateway_);
    if (phase == Phase::flowing) clients_.begin(now);
    if (phase == Phase::logging_off) clients_.log_off();
    seen_ = phase;
  }
  if (board_.is_stop_wanted.load(std::memory_order_relaxed)) clients_.end();
  const simulate::LedgerCounts& counts = clients_.ledger().counts();
  board_.clients.logged_on.store(clients_.logged_on(), k_publish);
  board_.clients.connected.store(clients_.connected(), k_publish);
  board_.clients.sent.store(counts.sent, k_publish);
  board_.clients.answered.store(counts.answered, k_publish);
  board_.clients.received.store(clients_.received(), k_publish);
  board_.clients.is_flow_over.store(seen_ == Phase::flowing && !clients_.is_flowing(), k_publish);
}

}  // namespace dojima::app::demo
