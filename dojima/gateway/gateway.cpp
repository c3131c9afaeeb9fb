#include "dojima/gateway/gateway.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "dojima/base/pool.hpp"
#include "dojima/fix/acceptor.hpp"
#include "dojima/fix/early_buffers.hpp"
#include "dojima/fix/journal_stores.hpp"
#include "dojima/fix/message_log.hpp"
#include "dojima/fix/session.hpp"
#include "dojima/gateway/translator.hpp"
#include "dojima/gateway/venue_link.hpp"

namespace dojima::gateway {
namespace {

constexpr std::size_t k_session_timers = 3;  // what a fix::Session reserves
/// Clients whose messages overtake a gap at one time; those of others come with the resend.
constexpr std::size_t k_early_buffers = 64;
constexpr std::size_t k_early_bytes = std::size_t{1} << 16;

[[nodiscard]] fix::SessionConfig session_config(const GatewayConfig& config, const ClientConfig& client,
                                                fix::EarlyBuffers& early, fix::MessageLog* log) {
  return {.role = fix::Role::acceptor,
          .begin_string = std::string(begin_string_of(client.version)),
          .sender_comp_id = config.comp_id,
          .target_comp_id = client.comp_id,
          .reset_on_logon = config.reset_on_logon,
          .sending_time_tolerance = std::chrono::duration_cast<std::chrono::seconds>(config.sending_time_tolerance),
          .timestamp_decimals = config.timestamp_decimals,
          .store = {config.limits.store_messages, config.limits.store_bytes},
          .early_buffers = &early,
          .log = log,
          .password = client.password,
          .default_appl_ver_id = std::string(application_version_of(client.version)),
          .dictionary = &order_entry_dictionary(client.version)};
}

/// The client's store on disk; null: its session has one of its own, in memory.
[[nodiscard]] fix::MessageStore* store_of(fix::JournalStores* stores, const GatewayConfig& config,
                                          const ClientConfig& client) {
  if (stores == nullptr) return nullptr;
  const Result<fix::MessageStore*> store =
      stores->store({std::string(begin_string_of(client.version)), config.comp_id, client.comp_id});
  if (!store) throw std::runtime_error("the FIX store has no room for client " + client.comp_id);
  return *store;
}

[[nodiscard]] std::size_t links_of(const GatewayConfig& config) noexcept {
  return config.clients.size() + config.limits.pending_links;
}

const GatewayConfig& checked(const GatewayConfig& config) {
  if (config.clients.empty()) throw std::invalid_argument("a gateway has at least one client");
  if (config.symbols.empty()) throw std::invalid_argument("a gateway trades at least one symbol");
  if (config.dialect == nullptr) throw std::invalid_argument("a gateway speaks a dialect of MIT203");
  if (config.reconnect <= time::Duration{0}) throw std::invalid_argument("the time between connections is above zero");
  if (config.venue_heartbeat <= time::Duration{0}) throw std::invalid_argument("the venue's heartbeat is above zero");
  if (config.limits.held_reports == 0) throw std::invalid_argument("at least one report may be held");
  if (config.limits.pending_links == 0) throw std::invalid_argument("at least one connection may wait for its logon");
  for (const ClientConfig& client : config.clients) {
    const auto same = [&](auto member) { return std::ranges::count(config.clients, client.*member, member) > 1; };
    if (same(&ClientConfig::comp_id)) throw std::invalid_argument("a client's comp id is there once");
    if (same(&ClientConfig::venue_user)) throw std::invalid_argument("a venue user serves one client");
  }
  return config;
}

}  // namespace

class Gateway::Wiring {
 public:
  Wiring(const GatewayConfig& config, link::Fabric& fabric, sched::Scheduler& scheduler, GatewayParts parts)
      : fabric_(fabric),
        scheduler_(scheduler),
        observer_(parts.observer),
        early_(std::min(config.clients.size(), k_early_buffers), k_early_bytes),
        stores_(parts.stores),
        message_log_(parts.message_log),
        translator_(checked(config), parts.probe),
        held_(config.limits.held_reports),
        acceptor_(scheduler, {.links = links_of(config), .unknown_links = config.limits.pending_links}) {
    for (const ClientConfig& client : config.clients) {
      const auto index = static_cast<std::uint32_t>(clients_.size());
      clients_.push_back(std::make_unique<Client>(*this, index, config, client));
      translator_.attach(index, clients_.back()->session_, clients_.back()->venue_.session());
      acceptor_.add(clients_.back()->session_);
    }
    translator_.set_observer(parts.observer);
    if (parts.saved == nullptr || parts.stores == nullptr) return;
    restore(*parts.saved);
    const journal::FileJournal& journal = parts.stores->journal();
    waits_for_disk_ = journal.durability() == journal::Durability::power;
    if (waits_for_disk_)
      for (const auto& client : clients_) client->venue_.hold_for(journal);
    translator_.begin_journal(*parts.stores);
  }

  Result<link::Address> start(const link::Address& listen, const link::Address& venue,
                              const std::optional<link::Address>& recovery) {
    Result<link::Address> bound = fabric_.listen(listen, acceptor_);
    if (!bound) return bound;
    for (const auto& client : clients_) client->venue_.start(venue, recovery);
    return bound;
  }

  void release() {
    if (waits_for_disk_)
      for (const auto& client : clients_) client->venue_.release();
  }

  void restore(const SavedState& saved) {
    const Result<void> restored = translator_.restore(saved);
    if (restored) return;
    std::array<char, 200> text{};
    throw std::runtime_error("the gateway's journal does not go with its configuration: " +
                             std::string(describe(restored.error(), text)));
  }

  void stop(std::string_view text) {
    for (const auto& client : clients_) client->stop(text);
  }

  [[nodiscard]] bool is_idle() const noexcept {
    return acceptor_.links() == 0 &&
           std::ranges::none_of(clients_, [](const auto& client) { return !client->venue_.is_idle(); });
  }

 private:
  friend class Gateway;

  /// One client: its FIX session, its venue user, and the way from one to the other.
  class Client final : public fix::Handler {
   public:
    Client(Wiring& wiring, std::uint32_t index, const GatewayConfig& config, const ClientConfig& client)
        : wiring_(wiring),
          index_(index),
          session_(make_session(wiring, config, client, *this)),
          venue_({.fabric = wiring.fabric_,
                  .scheduler = wiring.scheduler_,
                  .translator = wiring.translator_,
                  .held = wiring.held_,
                  .observer = wiring.observer_},
                 index, config, client) {}

    static fix::Session make_session(Wiring& wiring, const GatewayConfig& config, const ClientConfig& client,
                                     fix::Handler& handler) {
      fix::SessionConfig session = session_config(config, client, wiring.early_, wiring.message_log_);
      fix::MessageStore* const store = store_of(wiring.stores_, config, client);
      if (store == nullptr) return {wiring.scheduler_, std::move(session), handler};
      return {wiring.scheduler_, std::move(session), handler, *store};
    }

    void stop(std::string_view text) {
      session_.logout(text);
      venue_.stop(text);
    }

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

   private:
    friend class Wiring;
    friend class Gateway;

    [[nodiscard]] Translator& translator() noexcept { return wiring_.translator_; }
    [[nodiscard]] Observer* observer() noexcept { return wiring_.observer_; }

    Wiring& wiring_;
    std::uint32_t index_;
    fix::Session session_;
    VenueLink venue_;
  };

  link::Fabric& fabric_;
  sched::Scheduler& scheduler_;
  Observer* observer_;
  fix::EarlyBuffers early_;
  fix::JournalStores* stores_;
  fix::MessageLog* message_log_;
  Translator translator_;
  Pool<HeldReport> held_;
  bool waits_for_disk_ = false;
  std::vector<std::unique_ptr<Client>> clients_;
  fix::SessionAcceptor acceptor_;  // forgets the sessions before they go
};

std::size_t Gateway::timers(const GatewayConfig& config) noexcept {
  return config.clients.size() * (k_session_timers + VenueLink::k_timers) + links_of(config);
}

Gateway::Gateway(const GatewayConfig& config, link::Fabric& fabric, sched::Scheduler& scheduler, GatewayParts parts)
    : wiring_(std::make_unique<Wiring>(config, fabric, scheduler, parts)) {}

Gateway::~Gateway() = default;

Result<link::Address> Gateway::start(const link::Address& listen, const link::Address& venue,
                                     const std::optional<link::Address>& recovery) {
  return wiring_->start(listen, venue, recovery);
}

void Gateway::stop(std::string_view text) {
  wiring_->stop(text);
}

void Gateway::release() {
  wiring_->release();
}

bool Gateway::is_idle() const noexcept {
  return wiring_->is_idle();
}

std::size_t Gateway::clients() const noexcept {
  return wiring_->clients_.size();
}

bool Gateway::is_client_up(std::size_t client) const noexcept {
  return client < clients() && wiring_->clients_[client]->session_.is_logged_on();
}

bool Gateway::is_venue_up(std::size_t client) const noexcept {
  return client < clients() && wiring_->clients_[client]->venue_.session().is_logged_on();
}

bool Gateway::is_venue_ready(std::size_t client) const noexcept {
  return client < clients() && wiring_->clients_[client]->venue_.is_ready();
}

bool Gateway::is_venue_up() const noexcept {
  return std::ranges::all_of(wiring_->clients_,
                             [](const auto& client) { return client->venue_.session().is_logged_on(); });
}

const GatewayCounters& Gateway::counters() const noexcept {
  return wiring_->translator_.counters();
}

const Translator& Gateway::translator() const noexcept {
  return wiring_->translator_;
}

}  // namespace dojima::gateway
