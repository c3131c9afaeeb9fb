#include "dojima/gateway/gateway.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/base/pool.hpp"
#include "dojima/fix/acceptor.hpp"
#include "dojima/fix/early_buffers.hpp"
#include "dojima/fix/journal_stores.hpp"
#include "dojima/fix/message_log.hpp"
#include "dojima/fix/scheduled_session.hpp"
#include "dojima/fix/session.hpp"
#include "dojima/fix/store.hpp"
#include "dojima/gateway/drop_copy/drop_copies.hpp"
#include "dojima/gateway/flow_control.hpp"
#include "dojima/gateway/messages/logon_reader.hpp"
#include "dojima/gateway/setup/session_setup.hpp"
#include "dojima/gateway/translator.hpp"
#include "dojima/gateway/venue_link.hpp"

namespace dojima::gateway {
namespace {

constexpr std::size_t k_session_timers = 4;  // what a fix::ScheduledSession reserves
/// Clients whose messages overtake a gap at one time; those of others come with the resend.
constexpr std::size_t k_early_buffers = 64;
constexpr std::size_t k_early_bytes = std::size_t{1} << 16;

[[nodiscard]] std::string_view name_of(OrderState state) noexcept {
  if (state == OrderState::pending_new) return "pending new";
  return state == OrderState::suspended ? "suspended" : "live";
}

[[nodiscard]] OrderSummary summary_of(const Order& order, const ClOrdId& id) {
  return {.client = order.client,
          .instrument = order.instrument,
          .cl_ord_id = id,
          .terms = order.terms,
          .order_id = order.order_id,
          .executed = order.cumulative,
          .leaves = order.leaves(),
          .state = name_of(order.state),
          .is_stale = order.is_stale,
          .has_pending_change = order.pending_change != k_no_slot};
}

constexpr std::size_t k_in_flight_least = 16;  // however few records there are
/// What one message to the gateway is answered with, but for requests that waited.
constexpr std::size_t k_answers_most = 16;
/// What a message is longer than its body, and its record than both.
constexpr std::size_t k_around_body = 256;

/// No more requests are under way than there are records for, nor reports that a client's store could not keep.
[[nodiscard]] FlowLimits flow_limits(const GatewayConfig& config, std::size_t users) {
  const std::size_t spare = config.limits.requests - std::min(config.limits.requests, config.limits.orders);
  const std::size_t records = spare / std::max<std::size_t>(users, 1);
  return {.in_flight = std::min(config.limits.in_flight, std::max(records, k_in_flight_least)),
          .backlog = config.limits.store_messages / 2,
          .journal_room = Gateway::journal_room(config)};
}

}  // namespace

class Gateway::Wiring final : public fix::AcceptorObserver, public fix::RoomListener {
 public:
  Wiring(const GatewayConfig& config, link::Fabric& fabric, sched::Scheduler& scheduler, GatewayParts parts)
      : fabric_(fabric),
        scheduler_(scheduler),
        early_(std::min(config.clients.size(), k_early_buffers), k_early_bytes),
        parts_(parts),
        translator_(checked(config), parts.probe),
        held_(config.limits.held_reports),
        flow_(translator_.users(), config.clients.size(), flow_limits(config, translator_.users().size())),
        drop_copies_(translator_.counters(), parts.saved == nullptr ? nullptr : parts.stores),
        acceptor_(scheduler, acceptor_options(config), this) {
    for (const ClientConfig& client : config.clients) {
      const auto index = static_cast<std::uint32_t>(clients_.size());
      clients_.push_back(std::make_unique<Client>(*this, index, config, client));
      translator_.attach(index, clients_.back()->session());
      flow_.attach(index, clients_.back()->session());
      acceptor_.add(clients_.back()->session());
    }
    for (std::uint8_t venue = 0; venue < translator_.users().venues(); ++venue)
      venue_configs_.push_back(venue_at(config, venue));
    for (std::uint32_t user = 0; user < translator_.users().size(); ++user) {
      const VenueUser& configured = translator_.users()[user];
      venues_.push_back(std::make_unique<VenueLink>(VenueLink::Parts{.fabric = fabric_,
                                                                     .scheduler = scheduler_,
                                                                     .translator = translator_,
                                                                     .held = held_,
                                                                     .flow = flow_,
                                                                     .observer = parts.observer},
                                                    user, venue_configs_[configured.venue], configured));
      translator_.attach_user(user, venues_.back()->session());
      flow_.attach_user(user, venues_.back()->session());
    }
    add_drop_copies(config);
    translator_.set_observer(parts.observer);
    if (parts.stores == nullptr) return;
    if (parts.saved != nullptr) begin_journal();
    flow_.watch(parts.stores);
    parts.stores->watch_room(this);
  }
  ~Wiring() {
    if (parts_.stores != nullptr) parts_.stores->watch_room(nullptr);
  }
  Wiring(const Wiring&) = delete;
  Wiring& operator=(const Wiring&) = delete;

  void begin_journal() {
    restore(*parts_.saved);
    const journal::FileJournal& journal = parts_.stores->journal();
    waits_for_disk_ = journal.durability() == journal::Durability::power;
    if (waits_for_disk_)
      for (const auto& venue : venues_) venue->hold_for(journal);
    translator_.begin_journal(*parts_.stores);
  }

  Result<link::Address> start(const link::Address& listen, const link::Address& venue,
                              const std::optional<link::Address>& recovery,
                              const std::optional<VenueAddress>& secondary) {
    link::Fabric& clients = parts_.client_fabric == nullptr ? fabric_ : *parts_.client_fabric;
    Result<link::Address> bound = clients.listen(listen, acceptor_);
    if (!bound) return bound;
    translator_.begin(scheduler_.now());
    drop_copies_.follow_all();
    venue_configs_.front().address = {venue, recovery};
    venue_configs_.front().secondary = secondary;
    for (std::uint32_t user = 0; user < venues_.size(); ++user) {
      const VenueConfig& where = venue_configs_[translator_.users()[user].venue];
      venues_[user]->start(where.address, where.secondary);
    }
    return bound;
  }

  void add_drop_copies(const GatewayConfig& config) {
    for (std::uint32_t client = 0; client < clients_.size(); ++client)
      drop_copies_.attach(client, clients_[client]->session(), clients_[client]->session().config().target_comp_id);
    for (const DropCopyConfig& each : config.drop_copies) {
      const ClientConfig identity = identity_of(each);
      const std::vector<std::uint32_t> followed = clients_of(config, each);
      copies_.push_back(std::make_unique<DropCopy>(
          copies_.size(), DropCopy::Parts{.scheduler = scheduler_,
                                          .session = copy_session(config, identity),
                                          .schedule = schedule_of(config, identity),
                                          .store = copy_store(config, identity, followed.size()),
                                          .observer = parts_.observer}));
      acceptor_.add(copies_.back()->session());
      std::vector<CopyPosition> positions;
      for (const std::uint32_t client : followed) {
        positions.push_back(parts_.saved != nullptr ? parts_.saved->position(each.comp_id, config.clients[client])
                                                    : CopyPosition{.copy = each.comp_id});
        positions.back().client = client;
      }
      drop_copies_.add(*copies_.back(), positions);
    }
    translator_.set_drop_copies(drop_copies_);
  }

  /// Nobody's requests wait for a drop copy: it lags as far as its store reaches.
  [[nodiscard]] fix::SessionConfig copy_session(const GatewayConfig& config, const ClientConfig& identity) {
    fix::SessionConfig session = session_config(config, identity, early_, parts_);
    session.stall_timeout = {};
    return session;
  }

  /// In memory it has room for what the stores of its clients have room for.
  [[nodiscard]] fix::MessageStore& copy_store(const GatewayConfig& config, const ClientConfig& identity,
                                              std::size_t followed) {
    if (parts_.stores != nullptr) return store_of(*parts_.stores, config, identity);
    const std::size_t times = std::max<std::size_t>(followed, 1);
    copy_stores_.push_back(std::make_unique<fix::MemoryStore>(
        fix::StoreCapacity{config.limits.store_messages * times, config.limits.store_bytes * times}));
    return *copy_stores_.back();
  }

  void release() {
    if (waits_for_disk_)
      for (const auto& venue : venues_) venue->release(scheduler_.now());
  }

  /// Whoever goes on may use up the room again, which begins all anew.
  void on_room(bool is_short) override {
    if (is_short) {
      ++translator_.counters().journal_waits;
      flow_.hold_venues();
      for (const auto& venue : venues_) venue->hold_recovery();
      return;
    }
    const Time now = scheduler_.now();
    translator_.go_on(now);
    drop_copies_.follow_all();
    for (const auto& client : clients_)
      if (!flow_.is_short_of_room()) client->go_on(now);
    for (const auto& venue : venues_)
      if (!flow_.is_short_of_room()) venue->go_on(now);
    if (!flow_.is_short_of_room()) flow_.read_venues();
  }

  void restore(const SavedState& saved) {
    const Result<void> restored = translator_.restore(saved);
    if (restored) return;
    std::array<char, 200> text{};
    throw std::runtime_error("the gateway's journal does not go with its configuration: " +
                             std::string(describe(restored.error(), text)));
  }

  void stop(std::string_view text) {
    for (const auto& client : clients_) client->session().logout(text);
    for (const auto& venue : venues_) venue->stop(text);
    for (const auto& copy : copies_) copy->session().logout(text);
  }

  [[nodiscard]] bool is_idle() const noexcept {
    return acceptor_.links() == 0 && std::ranges::none_of(venues_, [](const auto& venue) { return !venue->is_idle(); });
  }

 private:
  friend class Gateway;

  [[nodiscard]] std::uint32_t place(std::size_t client) const noexcept {
    DOJIMA_ASSERT(client < clients_.size(), "a client's place is in the configuration", client, clients_.size());
    return static_cast<std::uint32_t>(client);
  }

  void on_refused(const fix::RefusedConnection& refused, Time now) override {
    if (parts_.observer != nullptr) parts_.observer->on_refused(refused, now);
  }

  template <class Is>
  [[nodiscard]] bool is_all_of(std::size_t client, Is is) const {
    return std::ranges::all_of(translator_.users().of(place(client)),
                               [&](std::uint32_t user) { return is(*venues_[user]); });
  }

  /// One client: its FIX session, and the way from it to the translator.
  class Client final : public fix::Handler {
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
          due_timer_(wiring.scheduler_, *this) {
      wiring.translator_.set_timer(index, due_timer_);
    }

    [[nodiscard]] fix::Session& session() noexcept { return session_.session(); }

    [[nodiscard]] fix::MessageStore& store(const GatewayConfig& config, const ClientConfig& client) {
      if (own_store_ != nullptr) return *own_store_;
      return store_of(*wiring_.parts_.stores, config, client);
    }

    // fix::Handler
    fix::LogonDecision on_logon_request(fix::Session&, const fix::MessageView& logon, Time) override {
      const Result<std::optional<CancelOnDisconnect>> wanted = read_cancel_on_disconnect(logon);
      if (!wanted) return {.is_accepted = false, .text = wanted.error().expected};
      cancel_on_disconnect_ = *wanted;
      return {};
    }
    void on_logon(fix::Session&, Time now) override {
      translator().on_client_up(index_, cancel_on_disconnect_, now);
      if (observer() != nullptr) observer()->on_client_up(index_, now);
    }
    void on_logout(fix::Session& session, std::string_view reason, Time now) override {
      translator().on_client_down(index_, session.has_ended_by_logout(), now);
      wiring_.flow_.on_client(index_);
      if (observer() != nullptr) observer()->on_client_down(index_, reason, now);
    }
    void on_message(fix::Session&, const fix::MessageView& message, Time now) override {
      const std::size_t written = wiring_.flow_.written_while_short();
      translator().on_client(index_, message, now);
      wiring_.flow_.on_request(index_);
      wiring_.flow_.check_room(written, translator().counters().unwritten);
    }
    /// The journal has room again.
    void go_on(Time now) {
      if (std::exchange(is_due_, false)) on_due(now);
    }
    void on_unblocked(fix::Session&, Time) override { wiring_.flow_.on_client(index_); }
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

    void on_due(Time now) {
      is_due_ = wiring_.flow_.is_short_of_room();
      if (!is_due_) translator().on_due(index_, now);
    }
    [[nodiscard]] Translator& translator() noexcept { return wiring_.translator_; }
    [[nodiscard]] Observer* observer() noexcept { return wiring_.parts_.observer; }

    Wiring& wiring_;
    std::uint32_t index_;
    std::unique_ptr<fix::MemoryStore> own_store_;  // where there is none on disk
    fix::ScheduledSession session_;
    sched::TimerOf<&Client::on_due> due_timer_;
    std::optional<CancelOnDisconnect> cancel_on_disconnect_;  // by the Logon in hand
    bool is_due_ = false;                                     // its timer fired while the journal was short of room
  };

  link::Fabric& fabric_;
  sched::Scheduler& scheduler_;
  fix::EarlyBuffers early_;
  GatewayParts parts_;
  Translator translator_;
  Pool<HeldReport> held_;
  FlowControl flow_;
  bool waits_for_disk_ = false;
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<std::unique_ptr<VenueLink>> venues_;              // by user
  std::vector<VenueConfig> venue_configs_;                      // by place
  std::vector<std::unique_ptr<fix::MemoryStore>> copy_stores_;  // where there are none on disk
  std::vector<std::unique_ptr<DropCopy>> copies_;
  DropCopies drop_copies_;
  fix::SessionAcceptor acceptor_;  // forgets the sessions before they go
};

std::size_t Gateway::timers(const GatewayConfig& config) noexcept {
  return config.drop_copies.size() * k_session_timers +
         config.clients.size() * (k_session_timers + VenueLink::k_timers + 1) +
         config.users.size() * VenueLink::k_timers + links_of(config);
}

std::size_t Gateway::journal_room(const GatewayConfig& config) noexcept {
  std::size_t chained = 0;
  for (const ClientConfig& client : config.clients) chained = std::max<std::size_t>(chained, client.chain);
  std::size_t body = config.fix.session.max_body;
  for (const SessionTemplate& each : config.templates) body = std::max(body, each.session.max_body);
  // Refusals of all that waits, or a list of all symbols; each with what it changes.
  const std::size_t answers = k_answers_most + chained + config.limits.waiting_requests + config.symbols.size();
  return answers * (1 + config.drop_copies.size()) * (body + fix::k_state_piece + k_around_body);
}

Gateway::Gateway(const GatewayConfig& config, link::Fabric& fabric, sched::Scheduler& scheduler, GatewayParts parts)
    : wiring_(std::make_unique<Wiring>(config, fabric, scheduler, parts)) {}

Gateway::~Gateway() = default;

Result<link::Address> Gateway::start(const link::Address& listen, const link::Address& venue,
                                     const std::optional<link::Address>& recovery,
                                     const std::optional<VenueAddress>& secondary) {
  return wiring_->start(listen, venue, recovery, secondary);
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
  return client < clients() && wiring_->clients_[client]->session().is_logged_on();
}

bool Gateway::is_venue_up(std::size_t client) const noexcept {
  return client < clients() &&
         wiring_->is_all_of(client, [](const VenueLink& link) { return link.session().is_logged_on(); });
}

bool Gateway::is_venue_ready(std::size_t client) const noexcept {
  return client < clients() && wiring_->is_all_of(client, [](const VenueLink& link) { return link.is_ready(); });
}

bool Gateway::is_venue_up() const noexcept {
  return std::ranges::all_of(wiring_->venues_, [](const auto& venue) { return venue->session().is_logged_on(); });
}

ClientStatus Gateway::status(std::size_t client) const noexcept {
  const fix::Session& session = wiring_->clients_[client]->session();
  return {.is_up = session.is_logged_on(),
          .is_venue_up = is_venue_up(client),
          .is_venue_ready = is_venue_ready(client),
          .next_incoming = session.next_incoming(),
          .next_outgoing = session.next_outgoing(),
          .waiting = session.waiting()};
}

std::uint64_t Gateway::open_orders() const noexcept {
  const Records& records = wiring_->translator_.records();
  return records.orders() - records.closed_orders();
}

void Gateway::visit_open_orders(const std::function<void(const OrderSummary&)>& visit) const {
  const Records& records = wiring_->translator_.records();
  for (std::uint32_t slot = 0; slot < records.order_capacity(); ++slot) {
    if (!records.has_order(slot)) continue;
    const Order& order = records.order_at(slot);
    if (is_open(order.state)) visit(summary_of(order, records.id_of(order)));
  }
}

std::uint64_t Gateway::requests_in_use() const noexcept {
  return wiring_->translator_.records().requests();
}

void Gateway::log_out(std::size_t client, std::string_view text) {
  wiring_->clients_[client]->session().logout(text);
}

Result<void> Gateway::set_numbers(std::size_t client, market::Sequence next_incoming, market::Sequence next_outgoing) {
  fix::Session& session = wiring_->clients_[client]->session();
  if (session.is_connected()) return fail(ErrorCode::wrong_state, 0, 0, 0, "a client that is not connected");
  if (next_incoming.value == 0 || next_outgoing.value == 0)
    return fail(ErrorCode::out_of_range, 0, 0, 0, "numbers above 0");
  session.store().set_next_incoming(next_incoming);
  session.store().set_next_outgoing(next_outgoing);
  return {};
}

const ClientLimits& Gateway::limits(std::size_t client) const noexcept {
  return wiring_->translator_.state(wiring_->place(client)).limits;
}

Result<void> Gateway::change_limits(std::size_t client, const ClientLimits& limits) {
  return wiring_->translator_.change_limits(wiring_->place(client), limits);
}

void Gateway::kill(std::size_t client, bool cancel_orders) {
  wiring_->translator_.kill(wiring_->place(client), cancel_orders, wiring_->scheduler_.now());
}

bool Gateway::is_killed(std::size_t client) const noexcept {
  return wiring_->translator_.state(wiring_->place(client)).is_killed;
}

void Gateway::revive(std::size_t client) {
  wiring_->translator_.revive(wiring_->place(client));
}

void Gateway::set_draining(bool is_draining) noexcept {
  wiring_->translator_.set_draining(is_draining);
}

bool Gateway::is_draining() const noexcept {
  return wiring_->translator_.is_draining();
}

bool Gateway::waits_for_journal() const noexcept {
  return wiring_->flow_.is_short_of_room();
}

const GatewayCounters& Gateway::counters() const noexcept {
  return wiring_->translator_.counters();
}

const Translator& Gateway::translator() const noexcept {
  return wiring_->translator_;
}

}  // namespace dojima::gateway
