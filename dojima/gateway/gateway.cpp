#include "dojima/gateway/gateway.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "dojima/fix/acceptor.hpp"
#include "dojima/fix/early_buffers.hpp"
#include "dojima/fix/journal_stores.hpp"
#include "dojima/fix/message_log.hpp"
#include "dojima/fix/scheduled_session.hpp"
#include "dojima/fix/session.hpp"
#include "dojima/fix/store.hpp"
#include "dojima/gateway/translator.hpp"
#include "dojima/mit/client_session.hpp"
#include "dojima/mit/dialect.hpp"

namespace dojima::gateway {
namespace {

constexpr std::size_t k_session_timers = 4;  // what a fix::ScheduledSession reserves
constexpr std::size_t k_reconnect_timers = 1;
/// Clients whose messages overtake a gap at one time; those of others come with the resend.
constexpr std::size_t k_early_buffers = 64;
constexpr std::size_t k_early_bytes = std::size_t{1} << 16;

[[nodiscard]] std::size_t links_of(const GatewayConfig& config) noexcept {
  return config.clients.size() + config.limits.pending_links;
}

[[nodiscard]] const SessionTemplate& template_of(const GatewayConfig& config, const ClientConfig& client) {
  if (client.session_template.empty()) return config.fix;
  const auto found = std::ranges::find(config.templates, client.session_template, &SessionTemplate::name);
  if (found == config.templates.end()) throw std::invalid_argument("client " + client.comp_id + " names no template");
  return *found;
}

[[nodiscard]] fix::SessionConfig session_config(const GatewayConfig& config, const ClientConfig& client,
                                                fix::EarlyBuffers& early, const GatewayParts& parts) {
  fix::SessionConfig session = template_of(config, client).session;
  session.role = fix::Role::acceptor;
  session.begin_string = config.begin_string;
  session.sender_comp_id = config.comp_id;
  session.target_comp_id = client.comp_id;
  session.target_sub_id = client.sub_id;
  session.target_location_id = client.location_id;
  session.store = {config.limits.store_messages, config.limits.store_bytes};
  session.early_buffers = &early;
  session.log = parts.message_log;
  session.username = client.username;
  session.password = client.password;
  session.credentials = parts.credentials;
  session.allowed_hosts = client.allowed_hosts;
  return session;
}

[[nodiscard]] fix::SessionSchedule schedule_of(const GatewayConfig& config, const ClientConfig& client) {
  const std::optional<fix::ScheduleConfig>& schedule = template_of(config, client).schedule;
  return schedule ? fix::SessionSchedule(*schedule) : fix::SessionSchedule();
}

[[nodiscard]] fix::SessionAcceptorOptions acceptor_options(const GatewayConfig& config) {
  fix::SessionAcceptorOptions options{.links = links_of(config),
                                      .unknown_links = config.limits.pending_links,
                                      .logon_timeout = config.fix.session.logon_timeout,
                                      .probe_timeout = config.probe_timeout,
                                      .max_body = config.fix.session.max_body};
  for (const SessionTemplate& each : config.templates)
    options.max_body = std::max(options.max_body, each.session.max_body);
  return options;
}

/// The client's store on disk.
[[nodiscard]] fix::MessageStore& store_of(fix::JournalStores& stores, const GatewayConfig& config,
                                          const ClientConfig& client) {
  const Result<fix::MessageStore*> store = stores.store({config.begin_string, config.comp_id, client.comp_id});
  if (!store) throw std::runtime_error("the FIX store has no room for client " + client.comp_id);
  return **store;
}

[[nodiscard]] mit::ClientOptions venue_options(const GatewayConfig& config, const ClientConfig& client) {
  return {.user = client.venue_user, .password = client.venue_password, .heartbeat = config.venue_heartbeat};
}

const GatewayConfig& checked(const GatewayConfig& config) {
  if (config.clients.empty()) throw std::invalid_argument("a gateway has at least one client");
  if (config.symbols.empty()) throw std::invalid_argument("a gateway trades at least one symbol");
  if (config.reconnect <= time::Duration{0}) throw std::invalid_argument("the time between connections is above zero");
  if (config.venue_heartbeat <= time::Duration{0}) throw std::invalid_argument("the venue's heartbeat is above zero");
  if (config.limits.pending_links == 0) throw std::invalid_argument("at least one connection may wait for its logon");
  for (const ClientConfig& client : config.clients) {
    const auto same = [&](auto member) { return std::ranges::count(config.clients, client.*member, member) > 1; };
    if (same(&ClientConfig::comp_id)) throw std::invalid_argument("a client's comp id is there once");
    if (same(&ClientConfig::venue_user)) throw std::invalid_argument("a venue user serves one client");
  }
  for (const SessionTemplate& each : config.templates)
    if (each.name.empty() || std::ranges::count(config.templates, each.name, &SessionTemplate::name) > 1)
      throw std::invalid_argument("a template has a name of its own");
  return config;
}

}  // namespace

class Gateway::Wiring final : public fix::AcceptorObserver {
 public:
  Wiring(const GatewayConfig& config, link::Fabric& fabric, sched::Scheduler& scheduler, GatewayParts parts)
      : fabric_(fabric),
        scheduler_(scheduler),
        reconnect_(config.reconnect),
        early_(std::min(config.clients.size(), k_early_buffers), k_early_bytes),
        parts_(parts),
        translator_(checked(config), parts.log, parts.probe),
        acceptor_(scheduler, acceptor_options(config), this) {
    for (const ClientConfig& client : config.clients) {
      const auto index = static_cast<std::uint32_t>(clients_.size());
      clients_.push_back(std::make_unique<Client>(*this, index, config, client));
      translator_.attach(index, clients_.back()->session(), clients_.back()->venue_);
      acceptor_.add(clients_.back()->session());
    }
  }

  Result<link::Address> start(const link::Address& listen, const link::Address& venue) {
    venue_ = venue;
    link::Fabric& clients = parts_.client_fabric == nullptr ? fabric_ : *parts_.client_fabric;
    Result<link::Address> bound = clients.listen(listen, acceptor_);
    if (!bound) return bound;
    for (const auto& client : clients_) client->connect();
    return bound;
  }

  void stop(std::string_view text) {
    is_stopping_ = true;
    for (const auto& client : clients_) client->stop(text);
  }

  [[nodiscard]] bool is_idle() const noexcept {
    return acceptor_.links() == 0 &&
           std::ranges::none_of(clients_, [](const auto& client) { return client->is_reaching_venue_; });
  }

 private:
  friend class Gateway;

  void on_refused(const fix::RefusedConnection& refused, Time now) override {
    if (parts_.observer != nullptr) parts_.observer->on_refused(refused, now);
  }

  /// One client: its FIX session, its venue user, and the way from one to the other.
  class Client final : public fix::Handler, public mit::ClientHandler {
   public:
    Client(Wiring& wiring, std::uint32_t index, const GatewayConfig& config, const ClientConfig& client)
        : wiring_(wiring),
          index_(index),
          own_store_(wiring.parts_.stores != nullptr ? nullptr
                                                     : std::make_unique<fix::MemoryStore>(fix::StoreCapacity{
                                                           config.limits.store_messages, config.limits.store_bytes})),
          session_(wiring.scheduler_, schedule_of(config, client),
                   session_config(config, client, wiring.early_, wiring.parts_), *this, store(config, client), {},
                   wiring.scheduler_.now()),
          venue_(venue_options(config, client), mit::lse_21_2::k_dialect, wiring.scheduler_, *this),
          reconnect_timer_(wiring.scheduler_, *this) {}

    [[nodiscard]] fix::Session& session() noexcept { return session_.session(); }

    [[nodiscard]] fix::MessageStore& store(const GatewayConfig& config, const ClientConfig& client) {
      if (own_store_ != nullptr) return *own_store_;
      return store_of(*wiring_.parts_.stores, config, client);
    }

    void connect() {
      is_reaching_venue_ = true;
      ++translator().counters().venue_attempts;
      wiring_.fabric_.connect(wiring_.venue_, venue_);
    }

    void stop(std::string_view text) {
      reconnect_timer_.disarm();
      session().logout(text);
      venue_.logout(text);
    }

    void on_reconnect_due(Time) { connect(); }

    // fix::Handler
    void on_logon(fix::Session&, Time now) override {
      if (observer() != nullptr) observer()->on_client_up(index_, now);
    }
    void on_logout(fix::Session&, std::string_view reason, Time now) override {
      if (observer() != nullptr) observer()->on_client_down(index_, reason, now);
    }
    void on_message(fix::Session&, const fix::MessageView& message, Time now) override {
      translator().on_client(index_, message, now);
    }
    void on_reject(fix::Session&, const fix::MessageView& reject, Time now) override {
      if (observer() == nullptr) return;
      const auto number = reject.sequence(fix::tag::k_ref_seq_num).value_or(market::Sequence{}).value;
      observer()->on_trouble(index_,
                             {ErrorCode::refused, fix::tag::k_ref_seq_num, 0, static_cast<std::int64_t>(number),
                              "messages that the client accepts"},
                             now);
    }
    void on_trouble(fix::Session&, const Error& error) override {
      if (observer() != nullptr) observer()->on_trouble(index_, error, wiring_.scheduler_.now());
    }

    // mit::ClientHandler
    void on_logged_on(mit::ClientSession& venue, std::int32_t, Time now) override {
      // What a real-time session brings is never a repetition; only a venue that numbers anew could look like one.
      venue.forget_sequences();
      was_venue_up_ = true;
      ++translator().counters().venue_sessions;
      if (observer() != nullptr) observer()->on_venue_up(index_, now);
    }
    void on_logon_refused(mit::ClientSession&, std::int32_t code, Time now) override {
      if (observer() != nullptr) observer()->on_venue_refused(index_, code, now);
    }
    void on_report(mit::ClientSession&, const market::OwnerReport& report, std::int32_t code, Time now) override {
      translator().on_venue(index_, report, code, now);
    }
    void on_reject(mit::ClientSession&, const mit::Reject& reject, Time now) override {
      translator().on_venue_reject(index_, reject, now);
    }
    void on_end(mit::ClientSession&, link::CloseReason reason, std::string_view text, Time now) override {
      is_reaching_venue_ = false;
      if (std::exchange(was_venue_up_, false)) translator().on_venue_end(index_);
      if (observer() != nullptr) observer()->on_venue_down(index_, text.empty() ? name_of(reason) : text, now);
      if (!wiring_.is_stopping_) reconnect_timer_.arm(now + wiring_.reconnect_);
    }
    void on_trouble(mit::ClientSession&, const Error& error, Time now) override {
      if (observer() != nullptr) observer()->on_trouble(index_, error, now);
    }

   private:
    friend class Wiring;
    friend class Gateway;

    [[nodiscard]] Translator& translator() noexcept { return wiring_.translator_; }
    [[nodiscard]] Observer* observer() noexcept { return wiring_.parts_.observer; }

    Wiring& wiring_;
    std::uint32_t index_;
    std::unique_ptr<fix::MemoryStore> own_store_;  // where there is none on disk
    fix::ScheduledSession session_;
    mit::ClientSession venue_;
    sched::TimerOf<&Client::on_reconnect_due> reconnect_timer_;
    bool is_reaching_venue_ = false;  // from connect() until on_end
    bool was_venue_up_ = false;       // in this connection
  };

  link::Fabric& fabric_;
  sched::Scheduler& scheduler_;
  time::Duration reconnect_;
  fix::EarlyBuffers early_;
  GatewayParts parts_;
  link::Address venue_;
  Translator translator_;
  std::vector<std::unique_ptr<Client>> clients_;
  fix::SessionAcceptor acceptor_;  // forgets the sessions before they go
  bool is_stopping_ = false;
};

std::size_t Gateway::timers(const GatewayConfig& config) noexcept {
  return config.clients.size() * (k_session_timers + mit::ClientSession::k_timers + k_reconnect_timers) +
         links_of(config);
}

Gateway::Gateway(const GatewayConfig& config, link::Fabric& fabric, sched::Scheduler& scheduler, GatewayParts parts)
    : wiring_(std::make_unique<Wiring>(config, fabric, scheduler, parts)) {}

Gateway::~Gateway() = default;

Result<link::Address> Gateway::start(const link::Address& listen, const link::Address& venue) {
  return wiring_->start(listen, venue);
}

void Gateway::stop(std::string_view text) {
  wiring_->stop(text);
}

bool Gateway::is_idle() const noexcept {
  return wiring_->is_idle();
}

std::size_t Gateway::clients() const noexcept {
  return wiring_->clients_.size();
}

bool Gateway::is_client_up(std::size_t client) const noexcept {
  return client < clients() && wiring_->clients_[client]->session().is_logged_on();
}

bool Gateway::is_venue_up(std::size_t client) const noexcept {
  return client < clients() && wiring_->clients_[client]->venue_.is_logged_on();
}

bool Gateway::is_venue_up() const noexcept {
  return std::ranges::all_of(wiring_->clients_, [](const auto& client) { return client->venue_.is_logged_on(); });
}

const GatewayCounters& Gateway::counters() const noexcept {
  return wiring_->translator_.counters();
}

const Translator& Gateway::translator() const noexcept {
  return wiring_->translator_;
}

}  // namespace dojima::gateway
