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
#include <memory>
#include <optional>
#include <string_view>

#include "dojima/base/error.hpp"
#include "dojima/gateway/client_key.hpp"
#include "dojima/gateway/config.hpp"
#include "dojima/gateway/counters.hpp"
#include "dojima/gateway/observer.hpp"
#include "dojima/gateway/saved_state.hpp"
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

using time::Time;

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

  /// Takes all memory. Throws std::invalid_argument for a configuration that makes no sense, std::runtime_error when
  /// the stores have no room for a client's session, or what was saved does not go with the configuration,
  /// std::bad_alloc.
  Gateway(const GatewayConfig& config, link::Fabric& fabric, sched::Scheduler& scheduler, GatewayParts parts = {});
  ~Gateway();
  Gateway(const Gateway&) = delete;
  Gateway& operator=(const Gateway&) = delete;

  /// Listens for clients at `listen` and begins to connect every venue user to `venue`, and to its recovery channel at
  /// `recovery`; none: what was missed is not recovered. `secondary`: the venue's other gateway, which is tried after
  /// three attempts on the first. Where it listens (with the port that was chosen), or why it
  /// cannot. Once.
  [[nodiscard]] Result<link::Address> start(const link::Address& listen, const link::Address& venue,
                                            const std::optional<link::Address>& recovery = std::nullopt,
                                            const std::optional<VenueAddress>& secondary = std::nullopt);

  /// Requests that waited for the journal leave as far as it has become durable: for the end of each turn of the loop,
  /// before the fabric; only a journal of durability `power` has anything to wait for. O(clients).
  void release();

  /// Says Logout to all clients and to the venue, and connects no more.
  void stop(std::string_view text);
  /// No connection is left.
  [[nodiscard]] bool is_idle() const noexcept;

  [[nodiscard]] std::size_t clients() const noexcept;
  [[nodiscard]] bool is_client_up(std::size_t client) const noexcept;
  [[nodiscard]] bool is_venue_up(std::size_t client) const noexcept;
  /// It is, and what it missed has been recovered: requests leave.
  [[nodiscard]] bool is_venue_ready(std::size_t client) const noexcept;
  /// Every venue user is logged on.
  [[nodiscard]] bool is_venue_up() const noexcept;

  [[nodiscard]] const GatewayCounters& counters() const noexcept;
  [[nodiscard]] const Translator& translator() const noexcept;

 private:
  class Wiring;
  std::unique_ptr<Wiring> wiring_;
};

}  // namespace dojima::gateway
