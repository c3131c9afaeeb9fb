#include "dojima/app/demo/killed_run.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <memory>
#include <random>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "dojima/app/child_process.hpp"
#include "dojima/app/station.hpp"
#include "dojima/app/venue_journals.hpp"
#include "dojima/app/venue_server.hpp"
#include "dojima/journal/real_disk.hpp"
#include "dojima/net/address.hpp"
#include "dojima/venue/recovery/journaled_partition.hpp"

namespace dojima::app::demo {
namespace {

using namespace std::chrono_literals;
using time::Duration;
using time::Time;

constexpr Duration k_beat = 1ms;            // how often processes are looked after
constexpr Duration k_reconnect = 20ms;      // of clients
constexpr Duration k_start_patience = 30s;  // for a process that was started
constexpr Duration k_logon_patience = 20s;
constexpr Duration k_settled = 1500ms;      // without news, everything being answered
constexpr Duration k_drain_patience = 20s;  // without news, something being unanswered
constexpr Duration k_show = 250ms;
constexpr std::int64_t k_down_least_ms = 20, k_down_more_ms = 200;

double ms_of(Duration duration) noexcept {
  return std::chrono::duration<double, std::milli>(duration).count();
}

/// A server as a process, which is killed and started again.
class Server {
 public:
  /// `ready`: what the line begins with that says where it listens.
  Server(std::string name, std::string program, std::string config_file, std::string ready)
      : name_(std::move(name)),
        program_(std::move(program)),
        words_({name_, "--config", std::move(config_file)}),
        ready_(std::move(ready)) {}

  void add_words(const std::vector<std::string>& words) { words_.insert(words_.end(), words.begin(), words.end()); }
  void start() { process_ = std::make_unique<ChildProcess>(program_, words_); }
  void kill() {
    process_->kill();
    process_.reset();
  }
  [[nodiscard]] bool is_dead() const noexcept { return process_ == nullptr; }
  /// Where it listens, once it does.
  [[nodiscard]] std::optional<link::Address> address(const std::string& ready) {
    const auto rest = process_->rest_of_line(ready);
    if (!rest) return std::nullopt;
    const auto address = net::parse_address(rest->substr(0, rest->find(' ')));
    return address ? std::optional(*address) : std::nullopt;
  }
  [[nodiscard]] bool is_ready() { return !is_dead() && address(ready_).has_value(); }
  [[nodiscard]] bool has_ended() { return !is_dead() && process_->has_ended(); }
  [[nodiscard]] std::string output() { return is_dead() ? std::string() : process_->output(); }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  std::string name_, program_;
  std::vector<std::string> words_;
  std::string ready_;
  std::unique_ptr<ChildProcess> process_;
};

std::vector<market::Instrument> instruments_of(const VenueConfig& config) {
  std::vector<market::Instrument> instruments;
  for (const simulate::InstrumentConfig& instrument : config.instruments)
    instruments.push_back(make_instrument(instrument));
  return instruments;
}

class KilledRun {
 public:
  KilledRun(const Settings& settings, std::string folder)
      : settings_(settings),
        folder_(std::move(folder)),
        random_(settings.seed),
        venue_config_(venue_config(settings)),
        gateway_config_(gateway_config(settings)),
        station_({.scheduler = simulate::Clients::timers(settings.clients) + 8,
                  .idle = settings.idle,
                  .fabric = {.max_connections = std::size_t{4} * settings.clients + 8, .output_capacity = 1 << 20}}),
        clients_(clients_config(settings), instruments_of(venue_config_), station_.scheduler(), {}),
        beat_(station_.scheduler(), *this) {
    venue_config_.journal.directory = folder_ + "/venue";
    venue_config_.journal.snapshot_every = 0;  // every trade is counted at the end
    venue_config_.recovery_port = 0;
    venue_config_.recovery.connections = settings.clients + 4;
    gateway_config_.journal.directory = folder_ + "/gateway";
    gateway_config_.journal.durability = settings.durability;
    gateway_config_.gateway.reconnect = 20ms;
    gateway_config_.gateway.limits.store_messages = std::size_t{1} << 18;
    station_.add(clients_);
  }

  std::expected<DemoResult, std::string> run(const Stops& stops, const ShowProgress& show) {
    if (auto begun = begin(); !begun) return std::unexpected(std::move(begun.error()));
    stops_ = &stops;
    show_ = &show;
    beat_.arm(station_.scheduler().now());
    if (auto on = log_on(); !on) return std::unexpected(std::move(on.error()));
    flow_begin_ = station_.scheduler().now();
    clients_.begin(flow_begin_);
    plan_next_kill();
    while (clients_.is_flowing() && failure_.empty()) station_.run_at_most(50ms, [&] { return clients_.is_flowing(); });
    drain();
    clients_.log_off();
    station_.run_at_most(2s, [&] { return clients_.logged_on() != 0; });
    beat_.disarm();
    // The venue first: when it sees the gateway's sessions end, orders that go with them expire.
    for (Server* server : {&*venue_, &*gateway_})
      if (!server->is_dead()) server->kill();
    if (!failure_.empty()) return std::unexpected(failure_);
    return conclude();
  }

 private:
  // ---- Processes -------------------------------------------------------------------------------------------------

  std::expected<void, std::string> begin() {
    std::error_code failed;
    for (const std::string& directory : {venue_config_.journal.directory, gateway_config_.journal.directory}) {
      if (std::filesystem::exists(directory, failed))
        return std::unexpected(
            fmt::format("{} is there already, and the demo's clients begin anew: name another folder", directory));
      std::filesystem::create_directories(directory, failed);
      if (failed) return std::unexpected(fmt::format("{} cannot be made: {}", directory, failed.message()));
    }
    const std::string venue_file = folder_ + "/venue.toml", gateway_file = folder_ + "/gateway.toml";
    std::ofstream(venue_file) << text_of(venue_config_);
    venue_.emplace("venue", settings_.program, venue_file, "MIT203 real-time ");
    venue_->start();
    if (auto up = wait_for(*venue_); !up) return up;
    // It keeps the ports that it has got.
    const auto real_time = venue_->address("MIT203 real-time "), recovery = venue_->address("MIT203 recovery ");
    if (!recovery) return std::unexpected("the venue does not say where it recovers:\n" + venue_->output());
    venue_->add_words({"--set", fmt::format("listen.port={}", real_time->port), "--set",
                       fmt::format("recovery.port={}", recovery->port)});
    gateway_config_.venue_port = real_time->port;
    gateway_config_.venue_recovery_port = recovery->port;
    std::ofstream(gateway_file) << text_of(gateway_config_);
    gateway_.emplace("gateway", settings_.program, gateway_file, "FIX ");
    gateway_->start();
    if (auto up = wait_for(*gateway_); !up) return up;
    gateway_at_ = *gateway_->address("FIX ");
    gateway_->add_words({"--set", fmt::format("listen.port={}", gateway_at_.port)});
    return {};
  }

  std::expected<void, std::string> wait_for(Server& server) {
    const Time end = clock_.now() + k_start_patience;
    while (!server.is_ready()) {
      if (server.has_ended() || clock_.now() > end)
        return std::unexpected(fmt::format("the {} does not start:\n{}", server.name(), server.output()));
      ::usleep(1000);
    }
    return {};
  }

  std::expected<void, std::string> log_on() {
    clients_.connect(station_.fabric(), gateway_at_);
    station_.run_at_most(k_logon_patience,
                         [&] { return clients_.logged_on() != settings_.clients && failure_.empty(); });
    if (clients_.logged_on() == settings_.clients) return {};
    return std::unexpected("the clients could not log on to the gateway:\n" + gateway_->output());
  }

  void plan_next_kill() {
    const auto planned = static_cast<double>(kills_.size() + 1) / (settings_.kills + 1);
    next_kill_ = flow_begin_ + Duration{static_cast<std::int64_t>(settings_.seconds * planned * 1e9)};
  }

  [[nodiscard]] Server& victim() {
    if (!settings_.kills_venue) return *gateway_;
    if (!settings_.kills_gateway) return *venue_;
    return kills_.size() % 2 == 0 ? *gateway_ : *venue_;
  }

  /// Kills what is due, and starts again what is down for long enough.
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
    look_after(now);
    const bool is_due = clients_.is_flowing() && kills_.size() < settings_.kills && down_ == nullptr &&
                        flow_begin_ != Time{} && now >= next_kill_;
    if (!is_due) return;
    down_ = &victim();
    down_->kill();
    killed_at_ = now;
    start_at_ =
        now + std::chrono::milliseconds{k_down_least_ms + static_cast<std::int64_t>(random_() % k_down_more_ms)};
    kills_.push_back({.at_s = seconds_since_begin(now), .process = down_->name()});
    plan_next_kill();
  }

  void look_after(Time now) {
    for (Server* server : {&*gateway_, &*venue_})
      if (server->has_ended())
        failure_ = fmt::format("the {} has ended by itself:\n{}", server->name(), server->output());
    if (down_ == nullptr) return;
    if (down_->is_dead()) {
      if (now < start_at_) return;
      down_->start();
      kills_.back().down_ms = ms_of(now - killed_at_);
      start_at_ = now;
    } else if (down_->is_ready()) {
      kills_.back().back_ms = ms_of(now - start_at_);
      down_ = nullptr;
    } else if (now - start_at_ > k_start_patience) {
      failure_ = fmt::format("the {} does not come back:\n{}", down_->name(), down_->output());
    }
  }

  /// Until everything is answered and nothing comes any more.
  void drain() {
    std::uint64_t seen = ~std::uint64_t{0};
    Time changed = station_.scheduler().now();
    while (failure_.empty()) {
      station_.run_at_most(20ms, [] { return true; });
      const simulate::LedgerCounts& counts = clients_.ledger().counts();
      const Time now = station_.scheduler().now();
      if (clients_.received() != seen) {
        seen = clients_.received();
        changed = now;
      }
      const bool is_even =
          counts.sent == counts.answered && down_ == nullptr && clients_.logged_on() == settings_.clients;
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

  // ---- What was right --------------------------------------------------------------------------------------------

  std::expected<DemoResult, std::string> conclude() {
    DemoResult result{.settings = settings_};
    result.is_interrupted = is_interrupted_;
    result.flow_seconds = ms_of(clients_.flow_time()) / 1e3;
    result.clients = clients_.ledger().counts();
    result.kills = kills_;
    auto venue = venue_from_journal();
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
    double slowest = 0;
    for (const Kill& kill : kills_) slowest = std::max(slowest, kill.back_ms);
    const bool is_whole = kills_.size() == settings_.kills || is_interrupted_;
    return {"killed processes came back, and sessions went on", is_whole && down_ == nullptr,
            fmt::format("{} kills of {}, back within {:.0f} ms; {} sessions cut, {} requests not made meanwhile",
                        kills_.size(), settings_.kills, slowest, clients_.lost_sessions(), clients_.skipped())};
  }

  /// The venue as its journals say it was, every command applied again.
  std::expected<simulate::VenueSnapshot, std::string> venue_from_journal() {
    simulate::VenueSnapshot snapshot;
    snapshot.users.resize(venue_config_.users.size());
    std::size_t index = 0;
    for (const std::uint8_t number : simulate::Exchange::partition_numbers(venue_config_)) {
      const std::string folder = venue_config_.journal.directory + "/" + partition_folder(number);
      const auto disk = journal::RealDisk::open(folder);
      if (!disk) return std::unexpected(fmt::format("{} cannot be opened: {}", folder, journal::text_of(disk.error())));
      std::unique_ptr<simulate::Tape> tape;
      venue::ReplayOptions options;
      options.from_snapshot = false;
      options.on_made = [&](venue::Partition& made) {
        tape = std::make_unique<simulate::Tape>(made, simulate::limits_of(venue_config_));
      };
      const auto replayed = venue::replay_directory(**disk, options);
      if (!replayed) return std::unexpected(fmt::format("{}: {}", folder, replayed.error().what));
      const venue::Partition* partition = replayed->replayer->partition();
      if (partition == nullptr) return std::unexpected(folder + " holds no commands");
      simulate::add_partition(snapshot, *partition, *tape, index++);
      snapshot.front.reports_sent += partition->reports().next_number().value - 1;
    }
    return snapshot;
  }

  const Settings settings_;
  const std::string folder_;
  std::mt19937_64 random_;
  VenueConfig venue_config_;
  GatewayConfig gateway_config_;
  time::SystemClock clock_;
  Station station_;
  simulate::Clients clients_;
  sched::TimerOf<&KilledRun::on_beat> beat_;
  std::optional<Server> venue_, gateway_;
  link::Address gateway_at_;
  const Stops* stops_ = nullptr;
  const ShowProgress* show_ = nullptr;
  bool is_interrupted_ = false;
  std::string failure_;
  Time flow_begin_{}, next_kill_{}, next_connect_{}, next_show_{};
  Server* down_ = nullptr;  // what is killed or comes back
  Time killed_at_{}, start_at_{};
  std::vector<Kill> kills_;
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
