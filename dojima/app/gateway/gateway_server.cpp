#include "dojima/app/gateway/gateway_server.hpp"

#include <cerrno>
#include <fmt/core.h>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "dojima/app/admin/admin_desk.hpp"
#include "dojima/app/admin/gateway_admin.hpp"
#include "dojima/app/admin/gateway_times.hpp"
#include "dojima/app/configuration/password_schema.hpp"
#include "dojima/app/dashboard/gateway_watch.hpp"
#include "dojima/app/fix_settings.hpp"
#include "dojima/app/gateway/seldom_lines.hpp"
#include "dojima/app/listen_error.hpp"
#include "dojima/app/venue_server.hpp"
#include "dojima/fix/acceptor.hpp"
#include "dojima/gateway/venue_users.hpp"
#include "dojima/journal/disk.hpp"
#include "dojima/mit/reject_codes.hpp"
#include "dojima/net/address.hpp"

namespace dojima::app {
namespace {

/// What the code of a LogonReply means; one that is not known has no words.
std::string logon_text(std::int32_t code) {
  const std::string_view words = mit::words_of_logon(code);
  return std::string(words.empty() ? "its meaning is not known" : words);
}
constexpr std::chrono::seconds k_gateway_look{1};
constexpr std::chrono::milliseconds k_ready_look{5}, k_listen_again{10};
constexpr std::size_t k_timers = 3;

/// Hours and dictionaries that the configuration names, put where the sessions look for them.
GatewayConfig resolved(GatewayConfig config, std::vector<std::unique_ptr<const fix::Dictionary>>& dictionaries) {
  const auto resolve = [&](const FixSettings& settings, gateway::SessionTemplate& made) {
    auto schedule = schedule_of(settings);
    if (!schedule)
      throw std::runtime_error(fmt::format("{}: {}", schedule.error().key, std::move(schedule.error().what)));
    if (*schedule) made.schedule = *std::move(schedule);
    auto dictionary = read_dictionary(settings.dictionary);
    if (!dictionary) throw std::runtime_error(dictionary.error());
    if (*dictionary == nullptr) return;
    dictionaries.push_back(std::move(*dictionary));
    made.session.dictionary = dictionaries.back().get();
  };
  resolve(config.fix, config.gateway.fix);
  config.templates.resize(config.gateway.templates.size());
  for (std::size_t at = 0; at < config.templates.size(); ++at)
    resolve(config.templates[at], config.gateway.templates[at]);
  return config;
}

std::string words_for(const gateway::EndedDays& days) {
  if (!days.first || !days.last) return "a day";
  if (*days.first == *days.last) return fmt::format("day {}", *days.first);
  return fmt::format("a day from {} to {}", *days.first, *days.last);
}

std::string words_for(const mit::SystemStatus& status) {
  switch (status.status) {
    case mit::SystemStatus::k_recovery_resumed:
      return fmt::format("partition {} can be recovered again", status.partition);
    case mit::SystemStatus::k_recovery_unavailable:
      return fmt::format("the venue says that partition {} cannot be recovered now; waiting", status.partition);
    default:
      return fmt::format("the venue says that partition {} is not available; it may refuse orders", status.partition);
  }
}

bool is_secure(const GatewayConfig& config) noexcept {
  return !config.tls.certificate_file.empty();
}

net::TlsFabricOptions tls_options(const GatewayConfig& config) {
  return {.max_connections = config.connections,
          .input_capacity = config.network.input_bytes,
          .output_capacity = config.network.output_bytes};
}

/// Null: clients are taken without TLS.
std::unique_ptr<net::TlsFabric> secured(const GatewayConfig& config, Station& station, net::TlsHandler& handler) {
  if (!is_secure(config)) return nullptr;
  const auto context = net::TlsContext::make(net::TlsRole::server, config.tls);
  if (!context) throw std::runtime_error("tls: " + context.error().text);
  return std::make_unique<net::TlsFabric>(station.fabric(), station.scheduler(), *context, tls_options(config),
                                          &handler);
}

/// Without screens, which want all marks, those that figures are made of are enough.
const gateway::GatewayStages& sampled(GatewayConfig& config, bool has_screens) {
  if (!has_screens) config.gateway.stages.one_in = GatewayTimes::k_one_in;
  return config.gateway.stages;
}

}  // namespace

/// What happens to the sessions, as lines.
class GatewayServer::Events final : public gateway::Observer, public net::TlsHandler {
 public:
  Events(const GatewayConfig& config, sched::Scheduler& scheduler, Log log, GatewayWatch* watch)
      : config_(config),
        users_(config.gateway),
        log_(std::move(log)),
        watch_(watch),
        is_incomplete_(users_.size()),
        quiet_(scheduler, *this) {}

  /// A user, and its venue where that has a name.
  [[nodiscard]] static std::string name_of(const gateway::VenueUsers& users, std::uint32_t user) {
    const std::string_view venue = users.venue_name(users[user].venue);
    return fmt::format("{}{}{}", users[user].name, venue.empty() ? "" : " of venue ", venue);
  }

  void on_client_up(std::size_t client, Time) override { say("client {} logged on", name(client)); }
  void on_client_down(std::size_t client, std::string_view text, Time) override {
    say("client {} is gone: {}", name(client), text);
  }
  void on_drop_copy_up(std::size_t copy, Time) override {
    if (watch_ != nullptr) watch_->set_drop_copy(copy, true);
    say("drop copy {} logged on", config_.gateway.drop_copies[copy].comp_id);
  }
  void on_drop_copy_down(std::size_t copy, std::string_view text, Time) override {
    if (watch_ != nullptr) watch_->set_drop_copy(copy, false);
    say("drop copy {} is gone: {}", config_.gateway.drop_copies[copy].comp_id, text);
  }
  void on_venue_up(std::size_t user, Time) override {
    is_down_reported_ = false;
    say("venue took user {}", user_name(user));
  }
  void on_venue_down(std::size_t user, std::string_view text, Time) override {
    // Attempts go on for ever; one line says so.
    if (is_down_reported_) return;
    is_down_reported_ = true;
    say("no venue for user {}: {}; trying again every {} ms", user_name(user), text,
        std::chrono::duration_cast<std::chrono::milliseconds>(config_.gateway.reconnect).count());
  }
  void on_venue_refused(std::size_t user, std::int32_t code, Time) override {
    say("venue refused user {} with code {}: {}", user_name(user), code, logon_text(code));
  }
  void on_venue_password(std::size_t user, Time) override {
    say("venue took the new password of user {}: put it where its venue_password or venue_password_file is",
        user_name(user));
  }
  void on_venue_recovery(std::size_t user, const mit::RecoveryOutcome& outcome, Time) override {
    const bool was_incomplete = is_incomplete_[user];
    is_incomplete_[user] = !outcome.is_complete;
    // Attempts go on for ever; one line says so, and each that brought something.
    if (outcome.recovered == 0 && (outcome.is_complete || was_incomplete)) return;
    const std::string name = user_name(user);
    if (outcome.is_complete) return say("user {}: {} missed reports recovered", name, outcome.recovered);
    say("user {}: recovery is not complete, {} reports came{}; trying again", name, outcome.recovered,
        outcome.text.empty() ? std::string() : fmt::format(" ({})", outcome.text));
  }
  void on_venue_unrecoverable(std::size_t user, Time) override {
    say("user {}: the venue no longer has what was missed; executions may be missing", user_name(user));
  }
  void on_venue_next_day(std::size_t user, const gateway::EndedDays& days, Time) override {
    const std::string which = words_for(days);
    if (!days.is_missed) return say("user {}: {} of the venue is over, its numbers begin anew", user_name(user), which);
    say("user {}: {} of the venue ended before all of it had come: executions and ends of orders may be missing, only "
        "the venue's files of the day have them; orders that were open say so in Text(58)",
        user_name(user), which);
  }
  void on_venue_status(std::size_t user, const mit::SystemStatus& status, Time) override {
    say("user {}: {}", user_name(user), words_for(status));
  }
  void on_venue_trouble(std::size_t user, const Error& error, Time) override {
    say("trouble with the venue session of user {}: {}", user_name(user), journal::text_of(error));
  }
  void on_unknown_trade(std::size_t client, std::string_view order_id, std::string_view exec_id,
                        std::string_view reason, Time) override {
    say("client {} does not know execution {} of order {} (DKReason {}); people have to settle it", name(client),
        exec_id, order_id, reason);
  }
  void on_cancel_all(std::size_t client, std::string_view cause, std::uint32_t orders, Time) override {
    say("client {}: open orders to be {}: {}", name(client), cause, orders);
  }
  void on_other_venue(std::size_t user, std::uint64_t orders, Time) override {
    say("user {}: this is another venue than before, or it has lost what it had; {} open orders are lost",
        user_name(user), orders);
  }
  void on_refused(const fix::RefusedConnection& refused, Time now) override {
    if (!may_say_refused(now)) return;
    std::string names;
    for (const std::string_view name : {refused.begin_string, refused.sender_comp_id, refused.target_comp_id})
      if (!name.empty()) names += fmt::format(" {}", name);
    const bool has_error = refused.error.code != ErrorCode::none;
    const std::string why = !refused.text.empty() ? std::string(refused.text)
                            : has_error           ? journal::text_of(refused.error)
                                                  : std::string{};
    say("refused {}:{}:{} {}{}{}", refused.peer.host, refused.peer.port, names, fix::text_of(refused.reason),
        why.empty() ? "" : ": ", why);
  }
  void on_secured(const net::TlsPeer&, Time) override {}
  void on_trouble(const net::TlsTrouble& trouble, Time now) override {
    if (!may_say_refused(now)) return;
    say("refused {}:{}: TLS: {}", trouble.address.host, trouble.address.port,
        trouble.text.empty() ? link::name_of(trouble.reason) : trouble.text);
  }
  void on_trouble(std::size_t client, const Error& error, Time) override {
    say("trouble with client {}: {}", name(client), journal::text_of(error));
  }

 private:
  [[nodiscard]] std::string user_name(std::size_t user) const {
    return name_of(users_, static_cast<std::uint32_t>(user));
  }
  [[nodiscard]] const std::string& name(std::size_t client) const { return config_.gateway.clients[client].comp_id; }
  [[nodiscard]] bool may_say_refused(Time now) {
    const std::optional<std::uint64_t> left_out = refusals_.ask(now);
    if (left_out) say_left_out(*left_out);
    wait_for_quiet();
    return left_out.has_value();
  }
  /// The end of a second in which some were left out, where no refusal follows that could say so.
  void on_quiet(Time now) {
    say_left_out(refusals_.take(now));
    wait_for_quiet();
  }
  void wait_for_quiet() {
    if (const std::optional<Time> due = refusals_.due(); due && *due < quiet_.deadline()) quiet_.arm(*due);
  }
  void say_left_out(std::uint64_t count) {
    if (count != 0) say("{} more were refused since the last line about one", count);
  }
  template <class... Values>
  void say(fmt::format_string<Values...> format, Values&&... values) {
    log_(fmt::format(format, std::forward<Values>(values)...));
  }

  const GatewayConfig& config_;
  const gateway::VenueUsers users_;
  Log log_;
  GatewayWatch* watch_;  // may be null
  bool is_down_reported_ = false;
  std::vector<bool> is_incomplete_;  // by user: the last recovery was
  SeldomLines refusals_{100};        // strangers can bring about as many as they like
  sched::TimerOf<&Events::on_quiet> quiet_;
};

std::expected<std::unique_ptr<GatewayServer>, std::string> GatewayServer::make(const GatewayConfig& config, Log log) {
  std::unique_ptr<GatewayJournal> journal;
  if (!config.journal.directory.empty()) {
    auto opened = GatewayJournal::open(config, log);
    if (!opened) return std::unexpected(std::move(opened.error()));
    journal = std::move(*opened);
  }
  return make(config, std::move(log), std::move(journal));
}

std::expected<std::unique_ptr<GatewayServer>, std::string> GatewayServer::make(
    const GatewayConfig& config, Log log, std::unique_ptr<GatewayJournal> journal) {
  std::unique_ptr<MessageLogFile> message_log;
  try {
    const MessageLogConfig& wanted = config.message_log;
    if (!wanted.file.empty())
      message_log = std::make_unique<MessageLogFile>(MessageLogOptions{
          .path = wanted.file, .file_bytes = std::uint64_t{wanted.megabytes} << 20U, .files = wanted.files});
  } catch (const std::system_error& error) {
    return std::unexpected(fmt::format("the message log cannot be written: {}", error.what()));
  }
  try {
    return std::make_unique<GatewayServer>(config, std::move(log), std::move(journal), std::move(message_log));
  } catch (const std::runtime_error& error) {
    return std::unexpected(std::string(error.what()));
  }
}

GatewayServer::GatewayServer(const GatewayConfig& config, Log log, std::unique_ptr<GatewayJournal> journal,
                             std::unique_ptr<MessageLogFile> message_log)
    : config_(resolved(config, dictionaries_)),
      log_(log),
      journal_(std::move(journal)),
      passwords_(journal_ == nullptr ? nullptr : std::make_unique<fix::StoredPasswords>(journal_->stores())),
      message_log_(std::move(message_log)),
      station_({.scheduler = gateway::Gateway::timers(config.gateway) + k_timers + AdminDesk::k_timers +
                             (is_secure(config) ? net::TlsFabric::timers(tls_options(config)) : 0),
                .idle = config.idle,
                .fabric = fabric_options(
                    config.network, config.connections + config.gateway.clients.size() + config.gateway.users.size(),
                    config.loop)}),
      watch_(config_.dashboard.port < 0 ? nullptr : std::make_unique<GatewayWatch>(config_)),
      times_(config_.admin.port < 0
                 ? nullptr
                 : std::make_unique<GatewayTimes>(gauges_, sampled(config_, watch_ != nullptr), watch_.get())),
      events_(std::make_unique<Events>(
          config_, station_.scheduler(), [this](const std::string& line) { say(line); }, watch_.get())),
      secure_(secured(config_, station_, *events_)),
      gateway_(std::make_unique<gateway::Gateway>(
          config_.gateway, station_.fabric(), station_.scheduler(),
          gateway::GatewayParts{.probe = times_ != nullptr ? static_cast<measure::Probe*>(times_.get()) : watch_.get(),
                                .observer = events_.get(),
                                .stores = journal_ == nullptr ? nullptr : &journal_->stores(),
                                .saved = journal_ == nullptr ? nullptr : &journal_->saved(),
                                .message_log = message_log_.get(),
                                .credentials = passwords_.get(),
                                .client_fabric = secure_.get()})),
      look_(station_.scheduler(), *this),
      ready_look_(station_.scheduler(), *this) {
  if (config.admin.port >= 0) {
    admin_ = std::make_unique<GatewayAdmin>(config_, *gateway_, gauges_,
                                            journal_ == nullptr ? nullptr : &journal_->stores().journal());
    desk_ = std::make_unique<AdminDesk>(config_.admin, *admin_, gauges_, station_.scheduler(), log_);
    station_.add(*desk_);
  }
  if (watch_ != nullptr) {
    watch_->attach(*gateway_);
    station_.add(*watch_);
  }
  if (journal_ == nullptr) return;
  journal_->release_with(*gateway_);
  station_.add(*journal_);
}

GatewayServer::~GatewayServer() {
  if (desk_ != nullptr) desk_->stop();
  if (journal_ != nullptr) journal_->stop();
}

void GatewayServer::say(const std::string& line) {
  log_(line);
  if (watch_ != nullptr) watch_->note(line);
}

/// What a person should know of files that cannot be written, as it changes.
void GatewayServer::on_look(time::Time now) {
  look_.arm(now + k_gateway_look);
  if (const std::string news = journal_ != nullptr ? journal_->news() : std::string(); !news.empty()) say(news);
  const char* trouble = message_log_ != nullptr ? message_log_->trouble() : nullptr;
  if ((trouble == nullptr) == log_trouble_.empty()) return;
  log_trouble_ = trouble != nullptr ? trouble : "";
  log_(trouble != nullptr ? trouble : "the message log is written again");
}

std::expected<link::Address, std::string> GatewayServer::start(time::Duration patience) {
  if (journal_ != nullptr) journal_->start([this] { station_.fabric().wake(); });
  if (journal_ != nullptr || message_log_ != nullptr) look_.arm(station_.scheduler().now() + k_gateway_look);
  std::optional<link::Address> recovery;
  if (config_.venue_recovery_port >= 0)
    recovery = {config_.venue_host, static_cast<std::uint16_t>(config_.venue_recovery_port)};
  std::optional<gateway::VenueAddress> secondary;
  if (config_.secondary_port >= 0)
    secondary = {{config_.secondary_host, static_cast<std::uint16_t>(config_.secondary_port)}, {}};
  if (secondary && config_.secondary_recovery_port >= 0)
    secondary->recovery = {config_.secondary_host, static_cast<std::uint16_t>(config_.secondary_recovery_port)};
  const link::Address wanted{config_.listen.host, config_.listen.port};
  const auto begun = std::chrono::steady_clock::now();
  auto where = gateway_->start(wanted, {config_.venue_host, config_.venue_port}, recovery, secondary);
  while (!where && where.error().got == EADDRINUSE && std::chrono::steady_clock::now() - begun < patience) {
    std::this_thread::sleep_for(k_listen_again);
    where = gateway_->start(wanted, {config_.venue_host, config_.venue_port}, recovery, secondary);
  }
  if (!where) return std::unexpected(describe_listen_error(wanted, "listen.port", where.error()));
  if (auto answers = start_desk(patience); !answers) return std::unexpected(std::move(answers.error()));
  if (auto screens = start_screens(patience); !screens) {
    // A gateway that has taken over goes on without its screens.
    if (!taken_over_at_) return std::unexpected(std::move(screens.error()));
    log_(screens.error());
  }
  if (!taken_over_at_) return *std::move(where);
  const time::Duration took = time::SystemClock().now() - *taken_over_at_;
  log_(fmt::format("takeover: ports taken {} ms after the lock",
                   std::chrono::duration_cast<std::chrono::milliseconds>(took).count()));
  ready_look_.arm(station_.scheduler().now());
  return *std::move(where);
}

std::expected<void, std::string> GatewayServer::start_desk(time::Duration patience) {
  if (desk_ == nullptr) return {};
  auto answers = desk_->start([this] { station_.fabric().wake(); }, patience);
  if (!answers) return std::unexpected(std::move(answers.error()));
  admin_address_ = *std::move(answers);
  return {};
}

std::expected<void, std::string> GatewayServer::start_screens(time::Duration patience) {
  if (watch_ == nullptr) return {};
  const auto begun = std::chrono::steady_clock::now();
  auto where = watch_->start();
  while (!where && std::chrono::steady_clock::now() - begun < patience / 4) {
    std::this_thread::sleep_for(k_listen_again);
    where = watch_->start();
  }
  if (!where) return std::unexpected(std::move(where.error()));
  if (taken_over_at_) log_(watch_->describe());
  return {};
}

void GatewayServer::log_when_ready(time::Time since) {
  taken_over_at_ = since;
}

void GatewayServer::on_ready_look(time::Time now) {
  std::size_t ready = 0;
  for (std::size_t client = 0; client < gateway_->clients(); ++client)
    ready += gateway_->is_venue_ready(client) ? 1U : 0U;
  if (ready < gateway_->clients()) return ready_look_.arm(now + k_ready_look);
  log_(fmt::format(
      "takeover: all {} venue users are ready {} ms after the lock", ready,
      std::chrono::duration_cast<std::chrono::milliseconds>(time::SystemClock().now() - *taken_over_at_).count()));
}

std::vector<std::string> GatewayServer::describe(const link::Address& where) const {
  std::vector<std::string> lines;
  if (const std::string idle = station_.describe_idle(); !idle.empty()) lines.push_back(idle);
  lines.push_back(
      fmt::format("FIX {} as {}{}", net::text_of(where), config_.gateway.comp_id, is_secure(config_) ? ", TLS" : ""));
  lines.push_back(fmt::format("venue {}", net::text_of({config_.venue_host, config_.venue_port})));
  for (const gateway::VenueConfig& venue : config_.gateway.other_venues)
    lines.push_back(fmt::format("venue {} {}", venue.name, net::text_of(venue.address.real_time)));
  if (config_.secondary_port >= 0)
    lines.push_back(fmt::format("secondary gateway {}:{}", config_.secondary_host, config_.secondary_port));
  if (config_.venue_recovery_port >= 0)
    lines.push_back(fmt::format("what is missed is recovered from port {}", config_.venue_recovery_port));
  if (journal_ != nullptr)
    lines.push_back(fmt::format("orders and FIX sessions in {}, durability {}", config_.journal.directory,
                                journal::name_of(config_.journal.durability)));
  if (message_log_ != nullptr) lines.push_back(fmt::format("FIX messages in {}", config_.message_log.file));
  if (desk_ != nullptr) lines.push_back(desk_->describe(admin_address_));
  if (watch_ != nullptr) lines.push_back(watch_->describe());
  constexpr std::size_t k_shown = 50;
  const std::vector<gateway::SymbolConfig>& symbols = config_.gateway.symbols;
  if (symbols.size() > k_shown) lines.push_back(fmt::format("{} symbols", symbols.size()));
  for (const gateway::SymbolConfig& symbol : std::span(symbols).first(symbols.size() > k_shown ? 0 : symbols.size()))
    lines.push_back(fmt::format("symbol {} is instrument {}{}{}", symbol.symbol, symbol.instrument,
                                symbol.venue.empty() ? "" : " of venue ", symbol.venue));
  const gateway::VenueUsers users(config_.gateway);
  for (std::uint32_t client = 0; client < config_.gateway.clients.size(); ++client)
    for (const std::uint32_t user : users.of(client))
      lines.push_back(
          fmt::format("client {} trades as {}", config_.gateway.clients[client].comp_id, Events::name_of(users, user)));
  for (const gateway::DropCopyConfig& copy : config_.gateway.drop_copies)
    lines.push_back(
        fmt::format("drop copy {} of {}", copy.comp_id,
                    copy.clients.empty() ? "all clients" : fmt::format("{}", fmt::join(copy.clients, ", "))));
  if (const std::size_t clear = clear_passwords(config_); clear != 0)
    lines.push_back(
        fmt::format("warning: {} passwords are in clear in the configuration; let password_file or "
                    "venue_password_file name files "
                    "of ours alone in their place",
                    clear));
  return lines;
}

void GatewayServer::shut_down() {
  gateway_->stop("gateway closes");
  station_.fabric().stop_listening();
  station_.run_at_most(std::chrono::seconds{2}, [&] { return !gateway_->is_idle(); });
  if (message_log_ != nullptr) static_cast<void>(message_log_->flush());
}

}  // namespace dojima::app
