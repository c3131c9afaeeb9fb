#pragma once

// The heart of the gateway: requests of FIX clients become commands of the venue, and reports become messages to the
// clients, with the state of every order in between. It owns all records and no session: FIX sessions and venue
// sessions are attached once and used as ways out. Deterministic: the same calls give the same bytes. O(1) per message
// (records/records.hpp), no allocation after construction, one thread. docs/gateway.md has every rule.
//
//   Translator translator(config);
//   translator.attach(0, fix_session);
//   translator.attach_user(0, venue_session);
//   translator.on_client(0, view, now);            // from fix::Handler::on_message
//   translator.on_venue(0, report, code, now);     // from mit::ClientHandler::on_report

#include <cstdint>
#include <optional>
#include <vector>

#include "dojima/fix/message.hpp"
#include "dojima/fix/session.hpp"
#include "dojima/gateway/config.hpp"
#include "dojima/gateway/counters.hpp"
#include "dojima/gateway/limits/client_state.hpp"
#include "dojima/gateway/limits/order_limits.hpp"
#include "dojima/gateway/messages/symbol_table.hpp"
#include "dojima/gateway/records/records.hpp"
#include "dojima/gateway/translator/cancel_all.hpp"
#include "dojima/gateway/translator/chain_queue.hpp"
#include "dojima/gateway/translator/client_channels.hpp"
#include "dojima/gateway/translator/client_to_exchange.hpp"
#include "dojima/gateway/translator/exchange_to_client.hpp"
#include "dojima/gateway/translator/order_cancels.hpp"
#include "dojima/gateway/translator/request_probe.hpp"
#include "dojima/gateway/translator/state_journal.hpp"
#include "dojima/gateway/translator/venue_days.hpp"
#include "dojima/gateway/translator/venue_sessions.hpp"
#include "dojima/gateway/translator/waiting_requests.hpp"
#include "dojima/gateway/venue_users.hpp"
#include "dojima/market/report.hpp"
#include "dojima/measure/probe.hpp"
#include "dojima/mit/client_session.hpp"
#include "dojima/time/time.hpp"

namespace dojima::gateway {

using time::Time;

class SavedState;

class Translator {
 public:
  using ReportChannel = ExchangeToClient::Channel;

  /// Takes all memory. `probe` may be null. Throws std::invalid_argument, std::bad_alloc.
  explicit Translator(const GatewayConfig& config, measure::Probe* probe = nullptr);
  Translator(const Translator&) = delete;
  Translator& operator=(const Translator&) = delete;

  /// The way out to a client, who is numbered by its place in the configuration, and that to the venue for a venue user
  /// (users()). Both outlive the translator's use.
  void attach(std::uint32_t client, fix::Session& session) { channels_.attach(client, session); }
  void attach_user(std::uint32_t user, mit::ClientSession& venue) { channels_.attach_user(user, venue); }

  /// What calls on_due(client) when it fires. Outlives the translator's use.
  void set_timer(std::uint32_t client, sched::Timer& timer) noexcept { channels_.set_timer(client, timer); }

  /// What was remembered in an earlier life; before begin_journal(). Errors: what SavedState::Content::records and
  /// Records::restore say.
  [[nodiscard]] Result<void> restore(const SavedState& saved);
  /// From now on the state is written into the journal of these stores, which outlive the translator. Throws
  /// std::runtime_error.
  void begin_journal(fix::JournalStores& stores) { journal_.begin(stores, config_); }

  /// The gateway begins to work: clients that were connected when the journal ended have been lost now.
  void begin(Time now);

  /// Who copies what is reported to clients; outlives the translator's use.
  void set_drop_copies(DropCopies& copies) noexcept {
    channels_.set_drop_copies(&copies);
    journal_.set_drop_copies(&copies);
  }
  /// May be null.
  void set_observer(Observer* observer) noexcept { channels_.set_observer(observer); }

  /// An application message of a client, as its session delivers it.
  void on_client(std::uint32_t client, const fix::MessageView& message, Time now) {
    client_to_exchange_.on_message(client, message, now);
  }

  /// The client's FIX session has begun; `wanted`: what its Logon says on a disconnect.
  void on_client_up(std::uint32_t client, std::optional<CancelOnDisconnect> wanted, Time now) {
    cancel_all_.on_logon(client, wanted, now);
  }
  /// It has ended; `is_logout`: after a Logout.
  void on_client_down(std::uint32_t client, bool is_logout, Time now) { cancel_all_.on_logout(client, is_logout, now); }
  /// The client's timer has fired.
  void on_due(std::uint32_t client, Time now);

  /// A report to the user, as its session delivers it; `code` as on the wire. Whether it answers a new order, a replace
  /// or a cancel.
  bool on_venue(std::uint32_t user, const market::OwnerReport& report, std::int32_t code,
                ReportChannel channel = ReportChannel::live) {
    return exchange_to_client_.on_report(user, report, code, channel);
  }
  /// A request refused in front of the venue.
  void on_venue_reject(std::uint32_t user, const mit::Reject& reject, Time now) {
    exchange_to_client_.on_reject(user, reject, now);
  }
  /// What becomes of requests and orders when the session of a venue user (users()) begins, ends and is recovered.
  [[nodiscard]] VenueSessions& venue_sessions() noexcept { return venue_sessions_; }
  [[nodiscard]] const VenueSessions& venue_sessions() const noexcept { return venue_sessions_; }
  /// Which day of its venue the last reports to each venue user are of.
  [[nodiscard]] VenueDays& venue_days() noexcept { return venue_days_; }
  [[nodiscard]] const VenueDays& venue_days() const noexcept { return venue_days_; }
  /// The journal has room again: answers that were broken off or put off for want of it go on.
  void go_on(Time now);

  [[nodiscard]] const ClientState& state(std::uint32_t client) const noexcept { return states_[client]; }
  /// Requests of the client that wait for its rate.
  [[nodiscard]] std::uint32_t waiting(std::uint32_t client) const noexcept { return waiting_.size(client); }
  [[nodiscard]] const UnknownTrades& unknown_trades() const noexcept { return journal_.unknown_trades(); }
  [[nodiscard]] const ClientRejects& rejects(std::uint32_t client) const noexcept { return channels_.rejects(client); }
  [[nodiscard]] const OrderLimits& limits() const noexcept { return limits_; }
  /// From now on these limits hold. Errors: OrderLimits::change; nothing has changed then.
  [[nodiscard]] Result<void> change_limits(std::uint32_t client, const ClientLimits& limits);
  /// From now on new orders and replaces of the client are refused, those that wait as soon as the journal has room for
  /// that; `cancel_orders`: and all that are open cancelled.
  void kill(std::uint32_t client, bool cancel_orders, Time now);
  void revive(std::uint32_t client);
  /// Whether new orders of all clients are refused.
  void set_draining(bool is_draining) noexcept { limits_.set_draining(is_draining); }
  [[nodiscard]] bool is_draining() const noexcept { return limits_.is_draining(); }

  [[nodiscard]] const GatewayCounters& counters() const noexcept { return counters_; }
  [[nodiscard]] GatewayCounters& counters() noexcept { return counters_; }
  [[nodiscard]] const Records& records() const noexcept { return records_; }
  [[nodiscard]] const SymbolTable& symbols() const noexcept { return symbols_; }
  [[nodiscard]] const VenueUsers& users() const noexcept { return users_; }

 private:
  const GatewayConfig config_;
  GatewayCounters counters_;
  RequestProbe probe_;
  SymbolTable symbols_;
  VenueUsers users_;
  Records records_;
  std::vector<ClientState> states_;
  OrderLimits limits_;
  StateJournal journal_;
  ClientChannels channels_;
  MassCancels mass_cancels_;
  OrderCancels order_cancels_;
  ChainQueue chain_;
  QuoteOrders quotes_;
  ExchangeToClient exchange_to_client_;
  WaitingRequests waiting_;
  CancelAll cancel_all_;
  ClientToExchange client_to_exchange_;
  VenueSessions venue_sessions_;
  VenueDays venue_days_;
  std::vector<bool> was_killed_;  // this client, while the journal was short of room
};

}  // namespace dojima::gateway
