#pragma once

// What a gateway is configured with at start-up: its clients with the venue users they trade through, the values that
// FIX 4.4 does not carry and the venue wants, the symbols, and every capacity. Plain values; docs/gateway.md explains
// each.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dojima/fix/schedule.hpp"
#include "dojima/fix/session_config.hpp"
#include "dojima/gateway/client_limits.hpp"
#include "dojima/gateway/fix_version.hpp"
#include "dojima/link/connection.hpp"
#include "dojima/market/order.hpp"
#include "dojima/mit/dialect.hpp"
#include "dojima/time/time.hpp"

namespace dojima::gateway {

/// Where one of a venue's gateways takes sessions.
struct VenueAddress {
  link::Address real_time;
  std::optional<link::Address> recovery{};  ///< none: what was missed is lost
  friend bool operator==(const VenueAddress&, const VenueAddress&) = default;
};

/// A venue besides the first one, which is where Gateway::start says.
struct VenueConfig {
  std::string name;  ///< once in a gateway
  VenueAddress address;
  std::optional<VenueAddress> secondary{};                  ///< its other gateway
  time::Duration reconnect = std::chrono::seconds{3};       ///< as GatewayConfig::reconnect, of this one
  time::Duration heartbeat = std::chrono::seconds{3};       ///< > 0
  const mit::Dialect* dialect = &mit::lse_21_2::k_dialect;  ///< that it speaks; never null
  friend bool operator==(const VenueConfig&, const VenueConfig&) = default;
};

/// How a user logs on at a venue.
struct VenueLogon {
  std::string name;            ///< 1 to 25 characters
  std::string password;        ///< 1 to 25 characters; of clients that share the user the same
  std::string new_password{};  ///< up to 25 characters; empty: it keeps the one that it has
  friend bool operator==(const VenueLogon&, const VenueLogon&) = default;
};

/// Whom a client trades as at a venue, besides ClientConfig::venue_user at the first: always, or where its orders name
/// a SenderSubID(50) or an Account(1). Of these at most one, and each user once for a client.
struct UserConfig {
  std::string client;     ///< a ClientConfig::comp_id
  std::string venue{};    ///< a venue's name; empty: the first
  std::string sub_id{};   ///< up to 32 characters; empty: no matter
  std::string account{};  ///< up to 10 characters; empty: no matter
  VenueLogon logon;
  friend bool operator==(const UserConfig&, const UserConfig&) = default;
};

/// What an order of a client says where its FIX message says nothing.
struct OrderDefaults {
  std::uint32_t executing_trader = 3;  ///< 3: the client itself, from 4: a short code (needs a qualifier); never 0
  std::uint32_t client = 0;            ///< ClientID: 0 none, 1 aggregated, 2 pending allocation, from 4: short code
  std::uint32_t decision_maker = 0;    ///< 0 none, from 4: a short code (needs a qualifier)
  std::uint8_t role_qualifiers = 0;    ///< three 2-bit groups: client, decision maker, executing trader
  std::uint8_t clearing_account = 1;   ///< 1 client, 3 house
  std::uint8_t mifid_flags = 0;        ///< bit 0 direct access, bit 1 liquidity provision, bit 2 algorithm
  market::Capacity capacity = market::Capacity::any_other;
  std::string account;      ///< up to 10 characters
  std::string trader;       ///< TraderID, up to 11 characters
  bool auto_cancel = true;  ///< follow the user's cancel-on-disconnect set-up; FIX has no field for it
  bool is_named = false;    ///< show the identity before the trade
  friend bool operator==(const OrderDefaults&, const OrderDefaults&) = default;
};

/// How the FIX sessions of clients behave.
struct SessionTemplate {
  std::string name;  ///< what clients call it; once in a gateway
  /// Of these, names, role, version, credentials, hosts and memory are the gateway's and the client's, not the
  /// template's.
  fix::SessionConfig session{};
  std::optional<fix::ScheduleConfig> schedule{};  ///< none: one session that never ends
  friend bool operator==(const SessionTemplate&, const SessionTemplate&) = default;
};

/// What becomes of the venue's Reject(3) and BusinessReject(j) of a client's request.
enum class VenueRefusals : std::uint8_t {
  reports,  ///< an answer to the request: ExecutionReport(8), OrderCancelReject(9), OrderMassCancelReport(r), ...
  rejects,  ///< FIX's own Reject(3) and BusinessMessageReject(j), as annex B of the MIT203 reference pairs them
};

/// One FIX session and the venue user behind it.
struct ClientConfig {
  std::string comp_id;                       ///< the client's SenderCompID; once in a gateway
  std::string sub_id{};                      ///< its SenderSubID(50), where its session has one
  std::string location_id{};                 ///< its SenderLocationID(142), likewise
  std::string session_template{};            ///< a name of GatewayConfig::templates; empty: GatewayConfig::fix
  std::vector<std::string> allowed_hosts{};  ///< as fix::SessionConfig; empty: any
  std::string username{};                    ///< Username(553) the client must log on with; empty: none required
  std::string password;                      ///< Password(554), likewise
  FixVersion version = FixVersion::fix_4_4;
  bool has_venue_fields = false;  ///< its reports say what no version publishes a field for (docs/gateway.md)
  VenueRefusals venue_refusals = VenueRefusals::reports;
  std::string venue_user;      ///< at the first venue, 1 to 25 characters; clients that name the same one share it
                               ///< (docs/gateway.md)
  std::string venue_password;  ///< 1 to 25 characters; of clients that share the user the same
  /// Up to 25 characters; empty: none. The venue is asked to take it, and it is the password from the next logon on,
  /// also where the venue has taken it before.
  std::string venue_new_password{};
  OrderDefaults defaults;
  ClientLimits limits{};  ///< until they are changed while the gateway runs
  CancelOnDisconnect cancel_on_disconnect = CancelOnDisconnect::never;  ///< where its Logon does not say
  time::Duration cancel_grace{};                                        ///< so long may it be away, at least 0
  /// Cancels and replaces that may wait for the answer to the one before them; 0: a second one is refused.
  std::uint32_t chain = 0;
  friend bool operator==(const ClientConfig&, const ClientConfig&) = default;
};

/// A FIX session that carries the executions reported to a firm's clients; OnBehalfOfCompID(115) names the client.
struct DropCopyConfig {
  std::string comp_id;                                      ///< its SenderCompID; once among these and the clients
  std::string sub_id{}, location_id{}, session_template{};  ///< as of a client
  std::vector<std::string> allowed_hosts{};
  std::string username{}, password{};
  FixVersion version = FixVersion::fix_4_4;
  std::vector<std::string> clients{};  ///< CompIDs of clients of its version; empty: all of its version
  friend bool operator==(const DropCopyConfig&, const DropCopyConfig&) = default;
};

struct SymbolConfig {
  std::string symbol;            ///< Symbol(55), 1 to 24 characters; once in a gateway
  std::uint32_t instrument = 0;  ///< > 0; SecurityID(48) with SecurityIDSource(22) = 8, and InstrumentID; once
  market::Price reference{};     ///< where the price collar begins, until somebody trades; 0: none
  std::string venue{};           ///< where it is traded; empty: at the first venue
  // What SecurityList(y) says of it besides; empty: nothing. The gateway holds no order to it.
  std::string name{}, isin{}, sedol{}, currency{};
  std::uint32_t lot = 1;        ///< units in a lot, which quantities are in
  std::uint32_t file_line = 0;  ///< of the file of reference data, from 1 on; 0: of the configuration itself
  friend bool operator==(const SymbolConfig&, const SymbolConfig&) = default;
};

/// All memory is taken at construction. Running out is a clean reject of the request, and nothing changes.
struct GatewayLimits {
  std::size_t orders = 1 << 16;          ///< order records, of live orders and of closed ones that are remembered
  std::size_t requests = 1 << 18;        ///< request records, rounded up to a power of two; at least 2 * orders
  std::size_t remembered_ids = 1 << 17;  ///< ClOrdIDs of the past that are recognised as duplicates
  std::size_t store_messages = 1 << 14;  ///< per client: messages kept for resending
  std::size_t store_bytes = 1 << 23;     ///< per client: bytes of those messages
  std::size_t held_reports = 1 << 14;  ///< of all clients, while a recovery is under way; then its session begins anew
  /// Requests of a venue user that the venue has not answered; at most (requests - orders) / users. While there are as
  /// many its clients are not read, until half of them are answered.
  std::size_t in_flight = 1 << 12;
  std::size_t pending_links = 256;         ///< connections that have not logged on yet
  std::size_t waiting_requests = 1 << 10;  ///< of all clients, that wait for their client's rate; more are refused
  std::size_t recent_orders = 1 << 13;     ///< of clients with a window for duplicates; the oldest is forgotten
  friend bool operator==(const GatewayLimits&, const GatewayLimits&) = default;
};

/// Stage numbers of the probe.
struct GatewayStages {
  std::uint8_t in = 0;        ///< a client's request was delivered
  std::uint8_t out = 1;       ///< the request was handed to the venue's connection
  std::uint8_t back_in = 2;   ///< a report of the venue was delivered
  std::uint8_t back_out = 3;  ///< its FIX message was handed over
  std::uint32_t one_in = 1;   ///< requests are marked whose number is a multiple of it, a power of two
  friend bool operator==(const GatewayStages&, const GatewayStages&) = default;
};

struct GatewayConfig {
  std::string comp_id = "DOJIMA";     ///< the gateway's own, in all sessions
  std::vector<ClientConfig> clients;  ///< at least one
  std::vector<SymbolConfig> symbols;  ///< at least one
  std::string venue_name;             ///< of the first venue; may be empty
  std::vector<VenueConfig> other_venues;
  std::vector<UserConfig> users;  ///< of the clients, besides those that their rows name
  std::vector<DropCopyConfig> drop_copies;
  GatewayLimits limits;
  time::Duration reconnect = std::chrono::seconds{3};        ///< between two attempts to reach the venue, > 0
  time::Duration venue_heartbeat = std::chrono::seconds{3};  ///< > 0
  const mit::Dialect* dialect = &mit::lse_21_2::k_dialect;   ///< that the venue speaks; never null
  SessionTemplate fix;                                       ///< of clients that name no template; its name is empty
  std::vector<SessionTemplate> templates;                    ///< of those that do
  std::uint32_t shared_cancel_rate = 1000;        ///< cancels a second for each user that clients share; 0: no limit
  std::chrono::milliseconds probe_timeout{2000};  ///< fix::SessionAcceptorOptions::probe_timeout
  std::uint64_t first_request = 0;  ///< number of the first request; higher than any this venue has seen from our users
  GatewayStages stages;
  friend bool operator==(const GatewayConfig&, const GatewayConfig&) = default;
};

}  // namespace dojima::gateway
