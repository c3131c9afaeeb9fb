#include "dojima/app/demo/run.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <optional>
#include <stdexcept>
#include <thread>

#include "dojima/app/dashboard/venue_watch.hpp"
#include "dojima/app/demo/conclude.hpp"
#include "dojima/app/demo/crew.hpp"
#include "dojima/app/demo/handicap.hpp"
#include "dojima/app/demo/killed_run.hpp"
#include "dojima/app/demo/live_lead.hpp"
#include "dojima/app/demo/parts.hpp"
#include "dojima/app/demo/virtual_run.hpp"
#include "dojima/app/gateway/gateway_server.hpp"
#include "dojima/app/listen_error.hpp"
#include "dojima/app/loop/machine_settings.hpp"
#include "dojima/app/loop/partition_settings.hpp"
#include "dojima/app/station.hpp"
#include "dojima/app/venue_journals.hpp"
#include "dojima/app/venue_server.hpp"
#include "dojima/base/thread_name.hpp"
#include "dojima/evidence/evidence.hpp"

namespace dojima::app::demo {
namespace {

std::string listen_error(const net::ListenConfig& listen, const Error& error) {
  return describe_listen_error({listen.host, listen.port}, "listen.port", error);
}

/// What a Time is ahead of the Ticks of the same moment: of a few tries the one that took the least time.
std::int64_t time_minus_ticks() {
  time::SystemClock clock;
  std::uint64_t least = ~std::uint64_t{0};
  std::int64_t difference = 0;
  for (int count = 0; count < 100; ++count) {
    const std::uint64_t before = time::read_ticks().count;
    const std::int64_t now = time::nanoseconds_of(clock.now());
    const std::uint64_t took = time::read_ticks().count - before;
    if (took >= least) continue;
    least = took;
    difference = now - static_cast<std::int64_t>(before + took / 2);
  }
  return difference;
}

/// What is on disk is what the venue is.
simulate::Check verify_journal(const simulate::Exchange& exchange) {
  std::uint64_t records = 0;
  for (const auto& partition : exchange.journaled()) {
    const auto replayed = venue::replay_directory(partition->disk());
    if (!replayed) return {"the journal on disk gives the same state again", false, replayed.error().what};
    records += replayed->recovery.last.value;
    if (replayed->recovery.digest != partition->partition().digest())
      return {"the journal on disk gives the same state again", false,
              fmt::format("partition {} comes to another state", partition->partition().app_id())};
  }
  return {"the journal on disk gives the same state again", true, fmt::format("{} records", records)};
}

void append_texts(std::vector<std::string>& lines, const AppliedSettings& settings, std::string_view whose) {
  for (const AppliedSetting& setting : settings) lines.push_back(fmt::format("{} ({})", text_of(setting), whose));
}

/// Venue, gateway and clients over real sockets.
class LiveRun {
 public:
  explicit LiveRun(const Settings& settings)
      : settings_(settings),
        columns_(simulate::k_stages, simulate::request_capacity(settings.seconds, settings.rate) * k_spare_numbers),
        handicap_(columns_, settings.handicap) {
    const std::size_t timers = simulate::Exchange::timers(venue_config(settings)) +
                               simulate::Clients::timers(settings.clients) +
                               gateway::Gateway::timers(gateway_config(settings).gateway) + VenueDesk::timers(settings);
    const std::size_t connections = std::size_t{8} * settings.clients + 32;
    for (std::size_t thread = 0; thread < threads(settings.topology); ++thread) {
      stations_.push_back(
          std::make_unique<Station>(StationOptions{.scheduler = timers,
                                                   .idle = settings.idle,
                                                   .fabric = {.max_connections = connections,
                                                              .output_capacity = 1 << 20,
                                                              .busy_poll_us = busy_poll_of(settings.loop),
                                                              .max_wakes = max_wakes_of(settings.loop),
                                                              .wakes_by_trial = has_usual_wakes(settings.loop)}}));
    }
    crews_.resize(stations_.size());
  }

  ~LiveRun() {
    if (journals_ != nullptr) journals_->stop();
  }

  std::expected<DemoResult, std::string> run(const Stops& stops, const ShowProgress& show,
                                             const ShowProgress& before_kill);

 private:
  std::expected<simulate::JournaledPartitions, std::string> open_journal();
  [[nodiscard]] std::optional<std::string> try_thread_settings() const;
  [[nodiscard]] MemoryUse lead(Director& director, const Stops& stops, const ShowProgress& show,
                               const ShowProgress& before_kill);
  void report_threads(DemoResult& result, const AppliedSettings& of_process) const;
  void report_partitions(DemoResult& result, const VenuePart& venue) const;
  [[nodiscard]] std::size_t gateway_thread() const { return std::min<std::size_t>(1, stations_.size() - 1); }

  Settings settings_;
  std::unique_ptr<VenueJournals> journals_;  // their disks outlive the venue
  Board board_;
  measure::StageColumns columns_;
  Handicap handicap_;
  std::vector<std::unique_ptr<Station>> stations_;
  std::vector<Crew> crews_;
};

std::expected<DemoResult, std::string> LiveRun::run(const Stops& stops, const ShowProgress& show,
                                                    const ShowProgress& before_kill) {
  simulate::JournaledPartitions journaled;
  if (!settings_.journal.empty()) {
    auto opened = open_journal();
    if (!opened) return std::unexpected(std::move(opened.error()));
    journaled = std::move(*opened);
  }
  Station& venue_station = *stations_.back();
  Station& gateway_station = *stations_[gateway_thread()];
  Station& client_station = *stations_.front();

  measure::Probe* const at_venue =
      settings_.handicap > time::Duration{0} ? static_cast<measure::Probe*>(&handicap_) : &columns_;
  simulate::ExchangeProbe probe{at_venue, simulate::index_of(simulate::Stage::venue_in),
                                simulate::index_of(simulate::Stage::venue_out)};
  const std::unique_ptr<VenueWatch> watch = make_watch(settings_, probe);
  if (watch != nullptr) probe = watch->probe();
  VenuePart venue(settings_, venue_station.scheduler(), probe, board_, std::move(journaled));
  if (watch != nullptr) watch->attach(venue.exchange());
  if (auto screens = start_watch(settings_, watch.get()); !screens) return std::unexpected(std::move(screens.error()));
  if (journals_ != nullptr)
    journals_->start(venue.exchange().journaled(), [&venue_station] { venue_station.fabric().wake(); });
  if (auto answers = start_desk(settings_, venue.desk(), [&venue_station] { venue_station.fabric().wake(); }); !answers)
    return std::unexpected(std::move(answers.error()));
  const net::ListenConfig venue_listen = venue_config(settings_).listen;
  const auto venue_at = venue.exchange().start(venue_station.fabric(), {venue_listen.host, venue_listen.port});
  if (!venue_at) return std::unexpected(listen_error(venue_listen, venue_at.error()));

  GatewayPart gateway(settings_, gateway_station.fabric(), gateway_station.scheduler(), &columns_, board_);
  const net::ListenConfig listen = gateway_config(settings_).listen;
  const auto gateway_at = gateway.gateway().start({listen.host, listen.port}, *venue_at);
  if (!gateway_at) return std::unexpected(listen_error(listen, gateway_at.error()));

  ClientsPart clients(settings_, client_station.fabric(), *gateway_at, client_station.scheduler(),
                      {&columns_, time_minus_ticks()}, board_);
  if (venue.exchange().threads() != nullptr) venue_station.add(*venue.exchange().threads());
  if (venue.desk() != nullptr) venue_station.add(venue.desk()->source());
  venue_station.add(venue.exchange().front());
  if (watch != nullptr) venue_station.add(*watch);
  client_station.add(clients.clients());
  crews_.back().parts.push_back(&venue);
  crews_[gateway_thread()].parts.push_back(&gateway);
  crews_.front().parts.push_back(&clients);

  auto of_process = apply_to_process(settings_.loop);
  if (!of_process) return std::unexpected(std::move(of_process.error()));
  if (auto refused = try_thread_settings()) return std::unexpected(std::move(*refused));
  if (auto begun = start_partition_threads(venue.exchange(), settings_.loop, stations_.size()); !begun)
    return std::unexpected(std::move(begun.error()));
  Director director(board_, settings_.clients);
  const MemoryUse memory = lead(director, stops, show, before_kill);
  // Its threads use the partitions, which go before it.
  if (journals_ != nullptr) journals_->stop();
  if (venue.desk() != nullptr) venue.desk()->stop();
  if (director.flow_begin() == time::Time{}) {
    const std::string& why = clients.clients().trouble();
    return std::unexpected(director.failure() + (why.empty() ? "" : "; " + why));
  }
  DemoResult result = conclude(settings_, board_, clients.clients(), gateway, venue);
  report_threads(result, *of_process);
  if (venue.desk() != nullptr) result.allocations.back().had_operator = venue.desk()->commands() != 0;
  report_partitions(result, venue);
  result.checks.push_back(simulate::verify_allocations(result.allocations));
  result.memory = memory;
  // What is left of the flow has to be long enough to show a growth.
  if (memory.is_known() && result.clients.answered >= 2 * settings_.memory_warm_up)
    result.checks.push_back(verify_memory(memory));
  if (journals_ != nullptr) result.checks.push_back(verify_journal(venue.exchange()));
  result.measured = join_stages(columns_, clients.clients().ledger());
  if (settings_.keeps_services) result.services = join_services(columns_);
  if (watch != nullptr) watch->publish_pace(1, false, venue_station.scheduler().now(), true);
  if (watch != nullptr && settings_.hold_dashboard) settings_.hold_dashboard();
  return result;
}

/// A journal that is begun here: clients and gateway begin anew, so the venue must.
std::expected<simulate::JournaledPartitions, std::string> LiveRun::open_journal() {
  time::SystemClock clock;
  auto opened = VenueJournals::open(venue_config(settings_), clock.now(), [](const std::string&) {});
  if (!opened) return std::unexpected(std::move(opened.error()));
  journals_ = std::move(*opened);
  simulate::JournaledPartitions partitions = journals_->take_partitions();
  if (std::ranges::all_of(partitions, [](const auto& of) { return of->recovery().is_new; })) return partitions;
  return std::unexpected(fmt::format(
      "{} holds a journal already, and the demo's clients begin anew: look into it with dojima journal recover, or "
      "name another folder",
      settings_.journal));
}

/// Each thread's settings in a thread that goes again: a refusal is known before anything runs.
std::optional<std::string> LiveRun::try_thread_settings() const {
  std::optional<std::string> refused;
  for (std::size_t thread = 0; thread < stations_.size() && !refused; ++thread) {
    std::jthread([&] {
      if (const auto applied = apply_to_thread(settings_.loop, thread); !applied) refused = applied.error();
    }).join();
  }
  return refused;
}

MemoryUse LiveRun::lead(Director& director, const Stops& stops, const ShowProgress& show,
                        const ShowProgress& before_kill) {
  std::vector<std::jthread> crews;
  for (std::size_t thread = 0; thread < stations_.size(); ++thread) {
    crews.emplace_back([this, thread] {
      name_this_thread(thread_name(settings_.topology, thread));
      Station& station = *stations_[thread];
      // It has been tried: what is refused now was only wished for, or has changed since.
      crews_[thread].loop = apply_to_thread(settings_.loop, thread).value_or(AppliedSettings{});
      crews_[thread].applied = evidence::applied_settings();
      Phase seen = Phase::meeting;
      station.run([&] {
        const Phase phase = board_.phase.load(std::memory_order_acquire);
        // A flow that began before the thread slept would begin late.
        const time::Time now = phase == seen ? station.scheduler().now() : station.clock_now();
        seen = phase;
        crews_[thread].after_turn(phase, now);
        return phase != Phase::over;
      });
    });
  }
  LiveLead leader(director, board_, stops, show, settings_.kill_after, before_kill, settings_.memory_warm_up);
  leader.run();
  return leader.memory();
}

/// What they allocated, and which settings they have.
void LiveRun::report_threads(DemoResult& result, const AppliedSettings& of_process) const {
  for (std::size_t thread = 0; thread < crews_.size(); ++thread) {
    result.allocations.push_back({std::string(thread_name(settings_.topology, thread)),
                                  crews_[thread].meter.allocations(), counts_heap_allocations()});
    result.threads.push_back({.thread = std::string(thread_name(settings_.topology, thread)),
                              .cpu_s = crews_[thread].meter.cpu_s(),
                              .wall_s = crews_[thread].meter.wall_s()});
    result.applied.set(thread_name(settings_.topology, thread), crews_[thread].applied);
    result.loop.set(thread_name(settings_.topology, thread), document_of(crews_[thread].loop));
    append_texts(result.loop_lines, crews_[thread].loop, thread_name(settings_.topology, thread));
  }
  result.loop.set("process", document_of(of_process));
  append_texts(result.loop_lines, of_process, "process");
}

void LiveRun::report_partitions(DemoResult& result, const VenuePart& venue) const {
  const simulate::Exchange& exchange = venue.exchange();
  if (exchange.threads() == nullptr) return;
  result.partition_work.threads = exchange.threads()->threads();
  for (std::size_t at = 0; at < exchange.partitions().size(); ++at) {
    const venue::PartitionThreadCounters& counters = exchange.threads()->counters(at);
    result.partition_work.by_thread += counters.by_thread;
    result.partition_work.by_sessions += counters.by_sessions;
  }
  result.threads.push_back({.thread = std::string(k_partition_threads),
                            .cpu_s = std::chrono::duration<double>(venue.thread_time()).count(),
                            .wall_s = crews_.back().meter.wall_s()});
}

}  // namespace

double MemoryUse::growth() const noexcept {
  return begin_bytes == 0 ? 0 : static_cast<double>(end_bytes) / static_cast<double>(begin_bytes) - 1;
}

std::string text_of(const MemoryUse& memory) {
  const auto mib = [](std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 20); };
  return fmt::format("resident memory: {:.1f} MiB after {} answers, {:.1f} MiB at the end, {:+.1f} %",
                     mib(memory.begin_bytes), memory.warm_up, mib(memory.end_bytes), memory.growth() * 100);
}

simulate::Check verify_memory(const MemoryUse& memory) {
  return {
      "memory stays what it was", memory.growth() <= k_memory_tolerance,
      fmt::format("{:+.1f} % since the warm-up, at most {:+.1f} %", memory.growth() * 100, k_memory_tolerance * 100)};
}

bool DemoResult::is_ok() const noexcept {
  return std::ranges::all_of(checks, &simulate::Check::is_ok);
}

std::expected<DemoResult, std::string> run(const Settings& settings, const Stops& stops, const ShowProgress& show,
                                           const ShowProgress& before_kill) {
  if (const char* wrong = complaint(settings)) throw std::invalid_argument(wrong);
  if (settings.is_virtual) return run_virtual(settings, stops, show);
  if (has_kills(settings)) return run_with_kills(settings, stops, show);
  return LiveRun(settings).run(stops, show, before_kill);
}

}  // namespace dojima::app::demo
