#include "dojima/app/venue_server.hpp"

#include <algorithm>
#include <fmt/core.h>

#include "dojima/app/admin/admin_desk.hpp"
#include "dojima/app/admin/venue_admin.hpp"
#include "dojima/app/admin/venue_times.hpp"
#include "dojima/app/configuration/password_schema.hpp"
#include "dojima/app/dashboard/venue_watch.hpp"
#include "dojima/app/feed/live_feed.hpp"
#include "dojima/app/listen_error.hpp"
#include "dojima/app/loop/partition_settings.hpp"
#include "dojima/net/address.hpp"

namespace dojima::app {
namespace {

/// How often files are looked at for trouble.
constexpr std::chrono::milliseconds k_look{250};

std::size_t connections_of(const VenueConfig& config) noexcept {
  return config.connections + (config.recovery_port >= 0 ? config.recovery.connections : 0) +
         (config.copies_port >= 0 ? config.copies.connections : 0);
}

std::unique_ptr<VenueWatch> make_watch(const VenueConfig& config) {
  if (config.dashboard.port < 0) return nullptr;
  return std::make_unique<VenueWatch>(VenueWatchOptions{.name = "venue", .dashboard = config.dashboard}, config);
}

/// Null: nobody is answered.
std::unique_ptr<VenueTimes> make_times(const VenueConfig& config, measure::GaugeBoard& board, VenueWatch* watch) {
  if (config.admin.port < 0) return nullptr;
  return std::make_unique<VenueTimes>(board, watch != nullptr ? watch->probe() : simulate::ExchangeProbe{},
                                      simulate::Exchange::partition_numbers(config));
}

}  // namespace

net::FabricOptions fabric_options(const net::NetworkConfig& config, std::size_t connections, const LoopSettings& loop) {
  return {.max_connections = connections,
          .input_capacity = config.input_bytes,
          .output_capacity = config.output_bytes,
          .busy_poll_us = busy_poll_of(loop),
          .max_wakes = max_wakes_of(loop),
          .wakes_by_trial = has_usual_wakes(loop)};
}

std::expected<std::unique_ptr<VenueServer>, std::string> VenueServer::make(const VenueConfig& config, Show show) {
  std::unique_ptr<PasswordFile> passwords;
  if (!config.password_file.empty()) {
    auto opened = PasswordFile::open(config.password_file);
    if (!opened) return std::unexpected(std::move(opened.error()));
    passwords = std::make_unique<PasswordFile>(*std::move(opened));
    if (!passwords->seal([](std::string_view clear) { return scrypt_text(clear); }))
      return std::unexpected(
          fmt::format("{}: the passwords in it cannot be replaced by what scrypt makes of them", config.password_file));
  }
  std::unique_ptr<VenueJournals> journals;
  if (!config.journal.directory.empty()) {
    time::SystemClock clock;
    VenueConfig with_places = config;
    simulate::add_spare_users(with_places);
    auto opened = VenueJournals::open(with_places, clock.now(), show ? show : [](const std::string&) {});
    if (!opened) return std::unexpected(std::move(opened.error()));
    journals = std::move(*opened);
  }
  return std::make_unique<VenueServer>(config, std::move(journals), std::move(show), std::move(passwords));
}

/// What the operator has said of users, and what they have chosen, goes before the configuration.
VenueConfig VenueServer::with_users(VenueConfig config, const venue::OperatorLog& operations,
                                    const PasswordFile* passwords) {
  simulate::add_spare_users(config);
  for (const auto& [name, access] : operations.accesses()) {
    if (access.place < config.users.size() && config.users[access.place].is_spare)
      config.users[access.place].name = name;
    const auto user = std::ranges::find(config.users, name, &simulate::VenueUserConfig::name);
    if (user == config.users.end()) continue;
    user->is_removed = access.is_removed;
    if (access.right != venue::UserRight::as_configured)
      user->role = access.right == venue::UserRight::read ? simulate::UserRole::read : simulate::UserRole::trade;
  }
  if (passwords != nullptr) passwords->apply_to(config);
  // Of whom the file has gone: nobody knows a password that is compared with this.
  for (simulate::VenueUserConfig& user : config.users)
    if (!user.name.empty() && user.password.empty()) user.password = "no password is kept of this user";
  return config;
}

VenueServer::VenueServer(const VenueConfig& config, std::unique_ptr<VenueJournals> journals, Show show,
                         std::unique_ptr<PasswordFile> passwords)
    : passwords_(std::move(passwords)),
      journals_(std::move(journals)),
      feed_(config.feed_file.empty() ? nullptr : std::make_unique<FeedFile>(config.feed_file)),
      station_({.scheduler = simulate::Exchange::timers(config) + 1 + AdminDesk::k_timers,
                .idle = config.idle,
                .fabric = fabric_options(config.network, connections_of(config), config.loop)}),
      config_(with_users(config, operations(), passwords_.get())),
      show_(std::move(show)),
      watch_(make_watch(config_)),
      times_(make_times(config_, gauges_, watch_.get())),
      exchange_(config_, station_.scheduler(), probe(),
                journals_ != nullptr ? journals_->take_partitions() : simulate::JournaledPartitions(), passwords_.get(),
                &operations(), &password_desk_, thread_idle(config_.idle)),
      look_(station_.scheduler(), *this) {
  if (feed_ != nullptr || config_.feed.is_live()) {
    live_ = std::make_unique<LiveFeed>(config_, exchange_.partitions(), feed_.get(), gauges_, &password_desk_);
  }
  if (exchange_.threads() != nullptr) station_.add(*exchange_.threads());
  if (config_.admin.port >= 0) {
    admin_ = std::make_unique<VenueAdmin>(config_, exchange_, operations(), gauges_);
    desk_ = std::make_unique<AdminDesk>(
        config_.admin, *admin_, gauges_, station_.scheduler(), show_ ? show_ : [](const std::string&) {});
    station_.add(*desk_);
  }
  for (const auto& clock : exchange_.clocks()) station_.add(*clock);
  if (live_ != nullptr) station_.add(*live_);
  station_.add(exchange_.front());
  station_.add(exchange_.recovery());
  if (exchange_.copies() != nullptr) station_.add(*exchange_.copies());
  if (watch_ != nullptr) {
    watch_->attach(exchange_);
    station_.add(*watch_);
  }
  if (times_ == nullptr) return;
  times_->attach(exchange_);
  station_.add(times_->reading());
  station_.add_behind_sockets(times_->sent());
}

/// The probe that is called when requests come in and answers leave.
simulate::ExchangeProbe VenueServer::probe() noexcept {
  if (times_ != nullptr) return times_->probe();
  return watch_ != nullptr ? watch_->probe() : simulate::ExchangeProbe{};
}

VenueServer::~VenueServer() {
  if (desk_ != nullptr) desk_->stop();
  if (journals_ != nullptr) journals_->stop();
}

/// What a person should know of files that cannot be written, as it changes.
void VenueServer::on_look(time::Time now) {
  look_.arm(now + k_look);
  if (const time::Time today = exchange_.midnight_of(now); today != listed_) {
    listed_ = today;
    exchange_.set_limits(now);
  }
  if (days_ != nullptr && !exchange_.front().is_ending_day()) days_->look(exchange_.front().day_number(), now, show_);
  if (!show_) return;
  if (journals_ != nullptr)
    for (const std::string& line : journals_->news()) show_(line);
  const char* trouble = feed_ != nullptr ? feed_->trouble() : nullptr;
  if ((trouble == nullptr) == feed_trouble_.empty()) return;
  feed_trouble_ = trouble != nullptr ? trouble : "";
  show_(trouble != nullptr ? trouble : "market data is written again");
}

void VenueServer::write_days_by(DayWriter writer) {
  const std::string& folder = config_.journal.day_files;
  if (journals_ != nullptr && !folder.empty())
    days_ = std::make_unique<DayKeeper>(config_.journal.directory, folder, std::move(writer));
}

std::expected<link::Address, std::string> VenueServer::start() {
  const time::Time now = station_.scheduler().now();
  if (auto started = start_partition_threads(exchange_, config_.loop); !started)
    return std::unexpected(std::move(started.error()));
  if (journals_ != nullptr) journals_->start(exchange_.journaled(), [this] { station_.fabric().wake(); });
  if (live_ != nullptr)
    if (auto started = live_->start(now); !started) return std::unexpected(std::move(started.error()));
  exchange_.start_days(now);
  listed_ = exchange_.midnight_of(now);
  look_.arm(now + k_look);
  exchange_.on_archive_ready([this] { station_.fabric().wake(); });
  if (config_.recovery_port >= 0) {
    const auto port = static_cast<std::uint16_t>(config_.recovery_port);
    const link::Address wanted{config_.listen.host, port};
    auto where = exchange_.start_recovery(station_.fabric(), wanted);
    if (!where)
      return std::unexpected("recovery channel: " + describe_listen_error(wanted, "recovery.port", where.error()));
    recovery_ = *std::move(where);
  }
  if (config_.secondary_port >= 0) {
    const link::Address wanted{config_.listen.host, static_cast<std::uint16_t>(config_.secondary_port)};
    auto where = exchange_.start(station_.fabric(), wanted);
    if (!where)
      return std::unexpected("secondary gateway: " + describe_listen_error(wanted, "secondary.port", where.error()));
    secondary_ = *std::move(where);
  }
  if (config_.copies_port >= 0) {
    const link::Address wanted{config_.listen.host, static_cast<std::uint16_t>(config_.copies_port)};
    auto where = exchange_.start_copies(station_.fabric(), wanted);
    if (!where)
      return std::unexpected("drop copies: " + describe_listen_error(wanted, "drop_copy.port", where.error()));
    copies_ = *std::move(where);
  }
  const link::Address wanted{config_.listen.host, config_.listen.port};
  auto where = exchange_.start(station_.fabric(), wanted);
  if (!where) return std::unexpected(describe_listen_error(wanted, "listen.port", where.error()));
  if (desk_ != nullptr) {
    auto answers = desk_->start([this] { station_.fabric().wake(); });
    if (!answers) return std::unexpected(std::move(answers.error()));
    admin_address_ = *std::move(answers);
  }
  if (watch_ != nullptr)
    if (const auto screens = watch_->start(); !screens) return std::unexpected(screens.error());
  return *std::move(where);
}

std::vector<std::string> VenueServer::describe(const link::Address& where) const {
  const VenueConfig& config = config_;
  std::vector<std::string> lines;
  if (const std::string idle = station_.describe_idle(); !idle.empty()) lines.push_back(idle);
  if (const venue::PartitionThreads* threads = exchange_.threads(); threads != nullptr)
    lines.push_back(fmt::format("threads: sessions on one, {} partitions on {}", exchange_.partitions().size(),
                                threads->threads()));
  lines.push_back(fmt::format("MIT203 real-time {}", net::text_of(where)));
  if (secondary_) lines.push_back(fmt::format("MIT203 secondary {}", net::text_of(*secondary_)));
  if (recovery_) lines.push_back(fmt::format("MIT203 recovery {}", net::text_of(*recovery_)));
  if (copies_) lines.push_back(fmt::format("MIT203 drop copies {}", net::text_of(*copies_)));
  if (feed_ != nullptr) lines.push_back(fmt::format("MIT303 market data in {}", config.feed_file));
  if (live_ != nullptr) lines.insert(lines.end(), live_->description().begin(), live_->description().end());
  if (journals_ != nullptr)
    lines.push_back(fmt::format("journal in {}, durability {}", config.journal.directory,
                                journal::name_of(config.journal.durability)));
  if (desk_ != nullptr) lines.push_back(desk_->describe(admin_address_));
  constexpr std::size_t k_shown = 50;
  if (config.instruments.size() > k_shown) lines.push_back(fmt::format("{} instruments", config.instruments.size()));
  if (watch_ != nullptr) lines.push_back(watch_->describe());
  for (const simulate::InstrumentConfig& instrument : config.instruments) {
    if (config.instruments.size() > k_shown) break;
    char reference[market::k_price_text_max];
    lines.push_back(fmt::format("instrument {} {} in partition {}, reference price {}", instrument.id,
                                instrument.symbol, instrument.partition,
                                market::format_price(instrument.reference, reference)));
  }
  for (const venue::Segment& segment : config.segments)
    lines.push_back(fmt::format("segment {}: opening auction {}, closing auction {}, end of day {}", segment.name,
                                time_of_day_text(segment.timetable.opening),
                                time_of_day_text(segment.timetable.closing),
                                time_of_day_text(segment.timetable.end_of_day)));
  for (const simulate::VenueUserConfig& user : config.users) {
    if (user.name.empty() || user.is_removed) continue;
    lines.push_back(fmt::format(
        "user {}, {} open orders, {}", user.name, user.open_orders,
        user.throttle == 0 ? std::string("no message limit") : fmt::format("{} messages per second", user.throttle)));
  }
  for (const simulate::VenueUserConfig& user : config.users) {
    if (user.is_removed && !user.is_spare)
      lines.push_back(fmt::format("user {} was removed by the operator, whatever its [[user]] says", user.name));
  }
  if (const std::size_t clear = clear_passwords(config); clear != 0)
    lines.push_back(fmt::format(
        "warning: {} passwords are in clear in the configuration; let password_hash, what dojima config hash-password "
        "prints, take their place (of a [[feed_reader]] or [[drop_copy_reader]] password_file may as well)",
        clear));
  return lines;
}

void VenueServer::shut_down() {
  station_.fabric().stop_listening();
  exchange_.front().logout_all("venue closes");
  station_.run_at_most(std::chrono::seconds{2}, [&] { return station_.fabric().open_connections() != 0; });
  if (live_ != nullptr) live_->end_day(station_.scheduler().now());
  if (feed_ != nullptr) feed_->flush();
}

const char* VenueServer::feed_trouble() {
  if (live_ != nullptr && live_->unpublished() != 0)
    return "quantities that the market data cannot carry were left out of it";
  return feed_ != nullptr ? feed_->trouble() : nullptr;
}

}  // namespace dojima::app
