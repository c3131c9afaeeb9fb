#pragma once

// Cancels all open orders of a client when it goes (ClientConfig::cancel_on_disconnect) or an operator says so: by one
// mass cancel through its venue user, or order by order where it has several or others share it; the client sees only
// the ends of its orders. What is due is in the journal, so a gateway that is killed with its client carries it out in
// its next life. Deterministic, one thread, no allocation; O(requests of the client) for each venue session that begins
// while something was sent, and where the user is shared, else O(1).

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dojima/gateway/config.hpp"
#include "dojima/gateway/counters.hpp"
#include "dojima/gateway/limits/client_state.hpp"
#include "dojima/gateway/limits/order_limits.hpp"
#include "dojima/gateway/records/records.hpp"
#include "dojima/gateway/translator/client_channels.hpp"
#include "dojima/gateway/translator/order_cancels.hpp"
#include "dojima/gateway/translator/state_journal.hpp"
#include "dojima/gateway/translator/waiting_requests.hpp"
#include "dojima/gateway/venue_users.hpp"

namespace dojima::gateway {

class CancelAll {
 public:
  /// Until a mass cancel that could not be sent, or was refused, is tried again.
  static constexpr std::chrono::seconds k_retry{1};

  /// What it works on; all of it outlives this.
  struct Parts {
    Records& records;
    ClientChannels& channels;
    GatewayCounters& counters;
    StateJournal& journal;
    const OrderLimits& limits;
    WaitingRequests& waiting;
    OrderCancels& order_cancels;
    const VenueUsers& users;
    std::vector<ClientState>& states;
  };

  CancelAll(const Parts& parts, std::span<const ClientConfig> clients);

  /// The gateway begins to work: a client that was connected when its journal ended has been lost now.
  void begin(std::uint32_t client, Time now);
  /// The client's session has begun; `wanted`: what its Logon says, none: what is configured.
  void on_logon(std::uint32_t client, std::optional<CancelOnDisconnect> wanted, Time now);
  /// It has ended; `is_logout`: after a Logout.
  void on_logout(std::uint32_t client, bool is_logout, Time now);
  /// The venue takes requests of the client from now on, and has sent all that was missed.
  void on_venue_ready(std::uint32_t client, Time now);
  /// What is due by now.
  void on_due(std::uint32_t client, Time now);
  /// At once, or as soon as the venue takes it.
  void kill(std::uint32_t client, Time now);

 private:
  struct Client {
    CancelOnDisconnect configured;
    time::Duration grace;
    Time next_try = Time::min();
  };

  void end_session(std::uint32_t client, CancelCause cause, Time now);
  void make_due(std::uint32_t client, CancelCause cause, Time now);
  void write(std::uint32_t client);
  void try_send(std::uint32_t client, Time now);
  [[nodiscard]] bool send(std::uint32_t client, Time now);
  [[nodiscard]] bool send_command(std::uint32_t client, const ClientPresence& presence);
  [[nodiscard]] bool has_quotes(std::uint32_t client) const noexcept;
  [[nodiscard]] bool is_each(std::uint32_t client) const noexcept { return !parts_.users.is_alone(client); }
  void try_later(std::uint32_t client, Time now);
  void finish(std::uint32_t client);
  /// Open orders of the client that came before request `number` and behind it.
  struct Survivors {
    bool has_older = false, has_newer = false;
  };
  [[nodiscard]] Survivors survivors(std::uint32_t client, std::uint64_t number) const noexcept;

  Parts parts_;
  std::vector<Client> clients_;
};

}  // namespace dojima::gateway
