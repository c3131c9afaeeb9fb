#include "dojima/app/demo/virtual_run.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "dojima/app/dashboard/pace_desk.hpp"
#include "dojima/app/dashboard/venue_watch.hpp"
#include "dojima/app/demo/conclude.hpp"
#include "dojima/app/demo/crew.hpp"
#include "dojima/app/demo/parts.hpp"
#include "dojima/app/demo/served_run.hpp"
#include "dojima/app/demo/timed_run.hpp"
#include "dojima/link/simulated_network.hpp"
#include "dojima/sched/loop.hpp"
#include "dojima/time/clock.hpp"

namespace dojima::app::demo {
namespace {

constexpr auto k_paced_pause = std::chrono::microseconds{50};
constexpr std::size_t k_timers_per_stream = 4;
constexpr std::size_t k_turns_between_looks = 4096;

/// Leads a run in virtual time: at the end of every instant the parts publish their facts and the director looks at
/// them. Instants are the same however time is paced, turns are not.
class VirtualLead final : public sched::Source {
 public:
  VirtualLead(Director& director, Crew& crew, simulate::Clients& clients, ServedRun* served, TimedRun* timed)
      : director_(director), crew_(crew), clients_(clients), served_(served), timed_(timed) {}

  [[nodiscard]] time::Time next_time() override { return director_.next_time(); }
  std::size_t deliver(time::Time) override { return 0; }
  std::size_t finish(time::Time now) override {
    Phase phase;
    do {
      phase = director_.phase();
      crew_.after_turn(phase, now);
      director_.step(now);
      if (director_.phase() != phase) on_phase(now);
    } while (director_.phase() != phase);
    return 0;
  }

 private:
  void on_phase(time::Time now) {
    if (director_.phase() == Phase::flowing) {
      if (served_ != nullptr) served_->begin_flow(now);
      if (timed_ == nullptr) return;
      timed_->pacer().begin(now);
      clients_.align(timed_->pacer().time_minus_ticks());
    } else if (timed_ != nullptr) {
      timed_->pacer().end();
    }
  }

  Director& director_;
  Crew& crew_;
  simulate::Clients& clients_;
  ServedRun* served_;  // null: nothing takes time
  TimedRun* timed_;    // null: nothing waits for the clock
};

class VirtualRun {
 public:
  explicit VirtualRun(const Settings& settings)
      : settings_(settings),
        scheduler_(timers(settings), k_virtual_start),
        network_(scheduler_, network_options(settings)) {
    if (!settings.services.is_none()) served_.emplace(settings, network_, scheduler_);
    if (settings.is_timed) timed_.emplace(settings, k_virtual_start);
    simulate::ExchangeProbe at_venue;
    measure::Probe* at_gateway = nullptr;
    if (served_) at_venue = served_->venue_probe(), at_gateway = served_->gateway_probe();
    if (timed_) at_venue = timed_->venue_probe(), at_gateway = timed_->gateway_probe();
    std::function<bool(std::string_view)> on_pace;
    if (settings.speed != 0) on_pace = [this](std::string_view words) { return pace_.on_words(words); };
    watch_ = make_watch(settings, at_venue, std::move(on_pace));
    if (watch_ != nullptr) at_venue = {watch_.get(), at_venue.in, at_venue.out};
    venue_ = std::make_unique<VenuePart>(settings, scheduler_, at_venue, board_);
    if (watch_ != nullptr) watch_->attach(venue_->exchange());
    gateway_ = std::make_unique<GatewayPart>(settings, served_ ? served_->gateway_fabric() : network_, scheduler_,
                                             at_gateway, board_);
  }

  std::expected<DemoResult, std::string> run(const Stops& stops, const ShowProgress& show) {
    if (auto screens = start_watch(settings_, watch_.get()); !screens)
      return std::unexpected(std::move(screens.error()));
    if (auto answers = start_desk(settings_, venue_->desk(), [] {}); !answers)
      return std::unexpected(std::move(answers.error()));
    const auto venue_at = venue_->exchange().start(served_ ? served_->venue_fabric() : network_, {"127.0.0.1", 0});
    if (!venue_at) return std::unexpected(std::string("the simulated network refuses the venue"));
    const auto gateway_at = gateway_->gateway().start({"127.0.0.1", 0}, *venue_at);
    if (!gateway_at) return std::unexpected(std::string("the simulated network refuses the gateway"));
    const simulate::ClientProbe at_clients = served_  ? served_->client_probe()
                                             : timed_ ? timed_->client_probe()
                                                      : simulate::ClientProbe{};
    ClientsPart clients(settings_, network_, *gateway_at, scheduler_, at_clients, board_);
    Crew crew{.parts = {venue_.get(), gateway_.get(), &clients}, .meter = {}, .applied = {}, .loop = {}};
    Director director(board_, settings_.clients);
    VirtualLead lead(director, crew, clients.clients(), served_ ? &*served_ : nullptr, timed_ ? &*timed_ : nullptr);
    // The network comes last: what the others wrote in an instant leaves with it.
    std::vector<sched::Source*> sources;
    for (const auto& day_clock : venue_->exchange().clocks()) sources.push_back(day_clock.get());
    for (sched::Source* source :
         {static_cast<sched::Source*>(&venue_->exchange().front()), static_cast<sched::Source*>(&clients.clients()),
          static_cast<sched::Source*>(&lead), static_cast<sched::Source*>(&network_)})
      sources.push_back(source);
    if (watch_ != nullptr) sources.push_back(watch_.get());
    if (venue_->desk() != nullptr) sources.push_back(&venue_->desk()->source());
    drive(sources, director, stops, show);
    if (director.flow_begin() == time::Time{}) return std::unexpected(director.failure());
    DemoResult result = conclude(settings_, board_, clients.clients(), *gateway_, *venue_);
    if (served_) {
      result.measured = served_->latencies(clients.clients().ledger());
      result.stations = served_->loads(result.flow_seconds);
      if (settings_.keeps_services) result.services = served_->services();
    }
    if (timed_) {
      result.measured = timed_->latencies(clients.clients().ledger());
      if (settings_.keeps_services) result.services = timed_->services();
    }
    if (watch_ != nullptr && settings_.hold_dashboard) settings_.hold_dashboard();
    return result;
  }

 private:
  /// Where the clock decides, nothing is on its way: the thread hands each request on at once.
  [[nodiscard]] static link::SimulatedNetworkOptions network_options(const Settings& settings) {
    link::SimulatedNetworkOptions options{.seed = settings.seed};
    if (settings.is_timed) options.delay = time::Duration{0};
    return options;
  }
  [[nodiscard]] static std::size_t timers(const Settings& settings) {
    return simulate::Exchange::timers(venue_config(settings)) + simulate::Clients::timers(settings.clients) +
           gateway::Gateway::timers(gateway_config(settings).gateway) +
           k_timers_per_stream * 2 * std::size_t{settings.clients} + ServedRun::k_timers + DayFeed::timers(settings) +
           VenueDesk::timers(settings) + 16;
  }

  /// Until the run is over.
  void drive(const std::vector<sched::Source*>& sources, const Director& director, const Stops& stops,
             const ShowProgress& show) {
    time::SystemClock clock;
    sched::EventPacer event_driven(k_virtual_start);
    std::optional<sched::PacedPacer> paced;
    if (settings_.speed != 0) paced.emplace(clock, k_virtual_start, settings_.speed);
    sched::Pacer& pacer = timed_  ? static_cast<sched::Pacer&>(timed_->pacer())
                          : paced ? static_cast<sched::Pacer&>(*paced)
                                  : event_driven;
    sched::Loop loop(scheduler_, pacer, sources);
    if (watch_ != nullptr) watch_->publish_pace(settings_.speed, false, scheduler_.now());
    for (std::size_t turns = 0; director.phase() != Phase::over; ++turns) {
      if (paced && pace_.apply(*paced)) watch_->publish_pace(paced->speed(), paced->is_paused(), scheduler_.now());
      const sched::Loop::Turn turn = loop.turn();
      if (turn == sched::Loop::Turn::done) break;
      if (turn == sched::Loop::Turn::idle) {
        std::this_thread::sleep_for(k_paced_pause);
        if (watch_ != nullptr) watch_->look_at_wanted(scheduler_.now());
      }
      if (turns % k_turns_between_looks != 0) continue;
      if (stops && stops()) {
        board_.is_stop_wanted.store(true);
        // Its end takes time, too: whoever has paused it, or slowed it down, waits no longer.
        if (paced) hurry(*paced);
      }
      if (show) show(progress(director));
    }
    if (watch_ != nullptr) watch_->publish_pace(paced ? paced->speed() : 0, false, scheduler_.now(), true);
  }

  static void hurry(sched::PacedPacer& pacer) {
    pacer.resume();
    static_cast<void>(pacer.set_speed(sched::PacedPacer::k_fastest));
  }

  [[nodiscard]] Progress progress(const Director& director) const {
    return {.phase = director.phase(),
            .seconds = static_cast<double>((scheduler_.now() - director.flow_begin()).count()) / 1e9,
            .sent = board_.clients.sent.load(),
            .answered = board_.clients.answered.load(),
            .day = venue_->day() != nullptr ? venue_->day()->line() : std::string()};
  }

  const Settings& settings_;
  sched::Scheduler scheduler_;
  link::SimulatedNetwork network_;
  Board board_;
  std::optional<ServedRun> served_;
  std::optional<TimedRun> timed_;
  PaceDesk pace_;
  std::unique_ptr<VenueWatch> watch_;  // null: there are no screens; outlives the venue that calls it
  std::unique_ptr<VenuePart> venue_;
  std::unique_ptr<GatewayPart> gateway_;
};

}  // namespace

std::expected<DemoResult, std::string> run_virtual(const Settings& settings, const Stops& stops,
                                                   const ShowProgress& show) {
  return VirtualRun(settings).run(stops, show);
}

}  // namespace dojima::app::demo
