#pragma once

// FIX 4.4 clients in front of a MIT203 venue: one FIX acceptor for all clients, one venue user per client, and a
// translator with the state of all orders between them. Venue users are connected at start and again after every
// loss, for ever; clients may come and go, their reports wait in the session's store and are resent. All rules,
// mappings and capacities: docs/gateway.md. No allocation after start(). One thread; the fabric, the scheduler, the
// probe, the observer and the log must outlive the gateway, and no connection of the fabric may outlive it: stop(),
// then let the loop run until is_idle(), or destroy the fabric without running it again.
//
//   Gateway gateway(config, fabric, scheduler);
//   Result<link::Address> bound = gateway.start({"127.0.0.1", 9878}, {"127.0.0.1", 9001});
//   while (loop.turn() != Loop::Turn::stopped) ...

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "dojima/base/error.hpp"
#include "dojima/gateway/client_key.hpp"
#include "dojima/gateway/config.hpp"
#include "dojima/gateway/counters.hpp"
#include "dojima/gateway/gateway_status.hpp"
#include "dojima/gateway/observer.hpp"
#include "dojima/link/connection.hpp"
#include "dojima/measure/probe.hpp"
#include "dojima/sched/scheduler.hpp"
#include "dojima/time/time.hpp"

namespace dojima::fix {
class Credentials;
class JournalStores;
class MessageLog;
struct RefusedConnection;
}  // namespace dojima::fix

namespace dojima::gateway {

class UnknownTrades;

using time::Time;

class SavedState;
class Translator;

/// What a gateway may use besides its configuration; all may be null.
struct GatewayParts {
  measure::Probe* probe = nullptr;  ///< see stages in the configuration; client numbers as client_key()
  Observer* observer = nullptr;
  /// Of the clients' sessions, and of the gateway's state, if they were opened with `state_bytes`; null: in memory.
  fix::JournalStores* stores = nullptr;
  const SavedState* saved = nullptr;        ///< what their journal says of the state; null: only sessions are kept
  fix::MessageLog* message_log = nullptr;   ///< of the clients' sessions
  fix::Credentials* credentials = nullptr;  ///< for clients that change their password; null: none may
  link::Fabric* client_fabric = nullptr;    ///< where clients are taken; null: that of the venue's connections
};

class Gateway {
 public:
  /// Scheduler entries that a gateway of this configuration reserves.
  [[nodiscard]] static std::size_t timers(const GatewayConfig& config) noexcept;
  /// Bytes of records that one message to a gateway of this configuration leads to at most; for
  /// fix::JournalStoresOptions::room_kept.
  [[nodiscard]] static std::size_t journal_room(const GatewayConfig& config) noexcept;

  /// Takes all memory. Throws std::invalid_argument for a configuration that makes no sense, std::runtime_error when
  /// the stores have no room for a client's session, or what was saved does not go with the configuration,
  /// std::bad_alloc.
  Gateway(const GatewayConfig& config, link::Fabric& fabric, sched::Scheduler& scheduler, GatewayParts parts = {});
  ~Gateway();
  Gateway(const Gateway&) = delete;
  Gateway& operator=(const Gateway&) = delete;

  /// Listens for clients at `listen` and begins to connect every venue user of the first venue to `venue`, and to its
  /// recovery channel at `recovery`; none: what was missed is not recovered. `secondary`: the venue's other gateway,
  /// which is tried after three attempts on the first. The other venues' addresses are in the configuration. Where it
  /// listens (with the port that was chosen), or why it cannot. Once.
  [[nodiscard]] Result<link::Address> start(const link::Address& listen, const link::Address& venue,
                                            const std::optional<link::Address>& recovery = std::nullopt,
                                            const std::optional<VenueAddress>& secondary = std::nullopt);

  /// Requests that waited for the journal leave as far as it has become durable: for the end of each turn of the loop,
  /// before the fabric and behind JournalStores::deliver(); only a journal of durability `power` has anything to wait
  /// for. O(clients).
  void release();

  /// Says Logout to all clients and to the venue, and connects no more.
  void stop(std::string_view text);
  /// No connection is left.
  [[nodiscard]] bool is_idle() const noexcept;

  [[nodiscard]] std::size_t clients() const noexcept;
  [[nodiscard]] bool is_client_up(std::size_t client) const noexcept;
  /// All its venue users are logged on.
  [[nodiscard]] bool is_venue_up(std::size_t client) const noexcept;
  /// They are, what they missed has been recovered, and what their last sessions led to has been answered: requests
  /// leave.
  [[nodiscard]] bool is_venue_ready(std::size_t client) const noexcept;
  /// Every venue user is logged on.
  [[nodiscard]] bool is_venue_up() const noexcept;

  // For an operator, at any time between two turns of the loop. `client` is its place in the configuration, below
  // clients(). What is changed here is in the journal and holds in the next life of the gateway too.

  [[nodiscard]] ClientStatus status(std::size_t client) const noexcept;
  /// O(clients + venue users).
  [[nodiscard]] GatewayConnections connections() const noexcept;
  [[nodiscard]] std::uint64_t open_orders() const noexcept;
  /// Every open order, in no order of time. O(order records).
  void visit_open_orders(const std::function<void(const OrderSummary&)>& visit) const;
  /// The trades that clients said last that they do not know, the oldest first; also those of earlier lives.
  [[nodiscard]] const UnknownTrades& unknown_trades() const noexcept;
  /// Request records in use: of open orders and of requests that the venue has not answered.
  [[nodiscard]] std::uint64_t requests_in_use() const noexcept;
  /// Ends the client's FIX session with a Logout of this text; the client may log on again.
  void log_out(std::size_t client, std::string_view text);
  /// Sets the numbers of a FIX session by hand; both > 0. Setting the outgoing one back forgets the messages from there
  /// on. `wrong_state` while the client is connected.
  Result<void> set_numbers(std::size_t client, market::Sequence next_incoming, market::Sequence next_outgoing);

  [[nodiscard]] const ClientLimits& limits(std::size_t client) const noexcept;
  /// From now on these limits hold instead; what is open or waits stays. Errors, nothing has changed then:
  /// `out_of_range`, `too_long`; `unknown`: a symbol that the gateway does not trade, by its place in the list.
  /// Allocates.
  [[nodiscard]] Result<void> change_limits(std::size_t client, const ClientLimits& limits);
  /// From now on all new orders and replaces of the client are refused; those that wait for its rate are at once.
  /// `cancel_orders`: all its open orders are cancelled, now or as soon as the venue takes requests.
  void kill(std::size_t client, bool cancel_orders);
  [[nodiscard]] bool is_killed(std::size_t client) const noexcept;
  /// The client may trade again.
  void revive(std::size_t client);
  /// From now on new orders of all clients are refused; what is open can be changed and cancelled. Of this life of the
  /// gateway only.
  void set_draining(bool is_draining) noexcept;
  [[nodiscard]] bool is_draining() const noexcept;

  /// Nobody is read: the journal has no room for what would follow.
  [[nodiscard]] bool waits_for_journal() const noexcept;
  [[nodiscard]] const GatewayCounters& counters() const noexcept;
  [[nodiscard]] const Translator& translator() const noexcept;

 private:
  class Wiring;
  std::unique_ptr<Wiring> wiring_;
};

}  // namespace dojima::gateway
