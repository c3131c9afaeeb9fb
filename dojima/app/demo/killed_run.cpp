#include "dojima/app/demo/killed_run.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fmt/core.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "dojima/app/demo/killed/journaled_venue.hpp"
#include "dojima/app/demo/killed/killer.hpp"
#include "dojima/app/demo/killed/servers.hpp"
#include "dojima/app/station.hpp"
#include "dojima/app/venue_server.hpp"

namespace dojima::app::demo {
namespace {

using namespace std::chrono_literals;
using time::Duration;
using time::Time;

constexpr Duration k_beat = 1ms;        // how often processes are looked after
constexpr Duration k_reconnect = 20ms;  // of clients
constexpr Duration k_logon_patience = 20s;
constexpr Duration k_settled = 1500ms;      // without news, everything being answered
constexpr Duration k_drain_patience = 20s;  // without news, something being unanswered
constexpr Duration k_show = 250ms;

double ms_of(Duration duration) noexcept {
  return std::chrono::duration<double, std::milli>(duration).count();
}

std::vector<market::Instrument> instruments_of(const VenueConfig& config) {
  std::vector<market::Instrument> instruments;
  for (const simulate::InstrumentConfig& instrument : config.instruments)
    instruments.push_back(make_instrument(instrument));
  return instruments;
}

/// Clients that trade with servers which come and go.
class KilledRun {
 public:
  KilledRun(const Settings& settings, const std::string& folder)
      : settings_(settings),
        servers_(settings_, folder),
        killer_(settings_, servers_),
        station_({.scheduler = simulate::Clients::timers(settings.clients) + 8,
                  .idle = settings.idle,
                  .fabric = {.max_connections = std::size_t{4} * settings.clients + 8, .output_capacity = 1 << 20}}),
        clients_(clients_config(settings), instruments_of(servers_.venue_config()), station_.scheduler(), {}),
        beat_(station_.scheduler(), *this) {
    station_.add(clients_);
  }

  std::expected<DemoResult, std::string> run(const Stops& stops, const ShowProgress& show) {
    if (auto begun = servers_.begin(); !begun) return std::unexpected(std::move(begun.error()));
    stops_ = &stops;
    show_ = &show;
    beat_.arm(station_.scheduler().now());
    if (auto on = log_on(); !on) return std::unexpected(std::move(on.error()));
    flow_begin_ = station_.scheduler().now();
    clients_.begin(flow_begin_);
    killer_.begin(flow_begin_);
    while (clients_.is_flowing() && killer_.failure().empty())
      station_.run_at_most(50ms, [&] { return clients_.is_flowing(); });
    drain();
    clients_.log_off();
    station_.run_at_most(2s, [&] { return clients_.logged_on() != 0; });
    beat_.disarm();
    servers_.kill_all();
    if (!killer_.failure().empty()) return std::unexpected(killer_.failure());
    return conclude();
  }

 private:
  std::expected<void, std::string> log_on() {
    clients_.connect(station_.fabric(), servers_.gateway_at());
    station_.run_at_most(k_logon_patience,
                         [&] { return clients_.logged_on() != settings_.clients && killer_.failure().empty(); });
    if (clients_.logged_on() == settings_.clients) return {};
    return std::unexpected("the clients could not log on to the gateway:\n" + servers_.gateway().output());
  }

  void on_beat(Time now) {
    beat_.arm(now + k_beat);
    if (*stops_ && (*stops_)()) {
      is_interrupted_ = true;
      clients_.end();
    }
    if (*show_ && now >= next_show_) show_progress(now);
    if (now >= next_connect_ && flow_begin_ != Time{}) {
      clients_.reconnect();
      next_connect_ = now + k_reconnect;
    }
    killer_.look_after(now);
    if (clients_.is_flowing()) killer_.kill_if_due(now);
  }

  /// Until everything is answered and nothing comes any more.
  void drain() {
    std::uint64_t seen = ~std::uint64_t{0};
    Time changed = station_.scheduler().now();
    while (killer_.failure().empty()) {
      station_.run_at_most(20ms, [] { return true; });
      const simulate::LedgerCounts& counts = clients_.ledger().counts();
      const Time now = station_.scheduler().now();
      if (clients_.received() != seen) {
        seen = clients_.received();
        changed = now;
      }
      const bool is_even =
          counts.sent == counts.answered && killer_.is_all_up() && clients_.logged_on() == settings_.clients;
      if (now - changed >= (is_even ? k_settled : k_drain_patience)) return;
    }
  }

  void show_progress(Time now) {
    next_show_ = now + k_show;
    const simulate::LedgerCounts& counts = clients_.ledger().counts();
    const bool has_begun = flow_begin_ != Time{};
    (*show_)({.phase = has_begun ? Phase::flowing : Phase::logging_on,
              .seconds = has_begun ? seconds_since_begin(now) : 0,
              .sent = counts.sent,
              .answered = counts.answered});
  }

  [[nodiscard]] double seconds_since_begin(Time now) const { return ms_of(now - flow_begin_) / 1e3; }

  // ---- What was right
  // ------------------------------------------------------------------------------------------------

  std::expected<DemoResult, std::string> conclude() {
    DemoResult result{.settings = settings_};
    result.is_interrupted = is_interrupted_;
    result.flow_seconds = ms_of(clients_.flow_time()) / 1e3;
    result.clients = clients_.ledger().counts();
    result.kills = killer_.kills();
    auto venue = venue_from_journal(servers_.venue_config());
    if (!venue) return std::unexpected(std::move(venue.error()));
    result.venue = std::move(*venue);
    simulate::Verdict verdict =
        simulate::verify(clients_.ledger(), settings_.clients,
                         static_cast<std::uint32_t>(clients_.instruments().size()), result.venue, {});
    if (verdict.offender) result.history = clients_.ledger().history(*verdict.offender);
    result.checks = std::move(verdict.checks);
    result.checks.push_back(verify_kills());
    return result;
  }

  [[nodiscard]] simulate::Check verify_kills() const {
    const std::vector<Kill>& kills = killer_.kills();
    double slowest = 0;
    for (const Kill& kill : kills) slowest = std::max(slowest, kill.back_ms);
    const bool is_whole = kills.size() == settings_.kills || is_interrupted_;
    return {"killed processes came back, and sessions went on", is_whole && killer_.is_all_up(),
            fmt::format("{} kills of {}, back within {:.0f} ms; {} sessions cut, {} requests not made meanwhile",
                        kills.size(), settings_.kills, slowest, clients_.lost_sessions(), clients_.skipped())};
  }

  const Settings settings_;
  Servers servers_;
  Killer killer_;
  Station station_;
  simulate::Clients clients_;
  sched::TimerOf<&KilledRun::on_beat> beat_;
  const Stops* stops_ = nullptr;
  const ShowProgress* show_ = nullptr;
  bool is_interrupted_ = false;
  Time flow_begin_{}, next_connect_{}, next_show_{};
};

}  // namespace

std::expected<DemoResult, std::string> run_with_kills(const Settings& settings, const Stops& stops,
                                                      const ShowProgress& show) {
  std::signal(SIGPIPE, SIG_IGN);
  if (!settings.journal.empty()) return KilledRun(settings, settings.journal).run(stops, show);
  std::string folder = std::filesystem::temp_directory_path() / "dojima-demo-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) return std::unexpected(std::string("no temporary folder"));
  auto result = KilledRun(settings, folder).run(stops, show);
  if (!result) return std::unexpected(fmt::format("{}\nkept in {}", result.error(), folder));
  if (result->is_ok()) {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  } else {
    result->trouble = "journals and configurations are kept in " + folder;
  }
  return result;
}

}  // namespace dojima::app::demo
