#pragma once

// What a venue and a gateway are made from: plain values with defaults that work together on one machine. Read from
// TOML, where every key can be overridden from outside, unknown keys are errors that name the nearest known one, values
// are checked, and trouble is told as "file:line:column: what, and what would be right", all of it at once.
//
//   const auto config = load_venue("venue.toml", {{"listen.port", "9001"}});
//   if (!config) { print(config.error()); return 2; }
//
// docs/app.md lists the keys; `dojima config default venue` prints them with their meaning. Cold path.

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/book/rules.hpp"
#include "dojima/market/instrument.hpp"
#include "dojima/net/idle.hpp"
#include "dojima/venue/segment.hpp"

namespace dojima::app {

struct ListenConfig {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
  bool allow_remote = false;  ///< without it only loopback addresses are accepted
  friend bool operator==(const ListenConfig&, const ListenConfig&) = default;
};

struct NetworkConfig {
  std::uint32_t connections = 64;
  std::uint32_t input_bytes = 1 << 16;   ///< per connection
  std::uint32_t output_bytes = 1 << 20;  ///< per connection
  friend bool operator==(const NetworkConfig&, const NetworkConfig&) = default;
};

struct TickConfig {
  market::Price from;
  market::Price tick;
  friend bool operator==(const TickConfig&, const TickConfig&) = default;
};

struct InstrumentConfig {
  std::uint32_t id = 0;
  std::string symbol;
  std::uint8_t partition = 1;
  std::string segment;
  std::vector<TickConfig> ticks;
  market::Price highest;
  market::Price reference;
  market::Quantity maximum_quantity;
  friend bool operator==(const InstrumentConfig&, const InstrumentConfig&) = default;
};

struct VenueUserConfig {
  std::string name;
  std::string password;
  std::string account;         ///< users with the same one belong together; empty: alone
  std::uint32_t throttle = 0;  ///< messages per second; 0: no limit
  std::uint32_t open_orders = 100'000;
  std::int64_t order_quantity = 1'000'000;
  bool cancel_on_disconnect = true;
  bool cancel_on_logout = true;
  friend bool operator==(const VenueUserConfig&, const VenueUserConfig&) = default;
};

struct VenueConfig {
  ListenConfig listen{.port = 9001};
  NetworkConfig network;
  std::uint32_t heartbeat_ms = 3000;
  std::uint32_t throttle = 0;  ///< before logon and for users without a limit of their own
  std::uint32_t orders = 1 << 16;
  std::uint32_t levels = 4096;
  std::uint32_t reports = 1 << 18;
  std::uint32_t maximum_lag = 1 << 16;
  std::string feed_file;  ///< of the market data; empty: none
  bool keep_journal = false;
  std::uint32_t journal_megabytes = 64;
  book::BookRules rules;  ///< of all books; its accounts stand with the users, see rules_of()
  net::IdlePolicy idle = net::IdlePolicy::block;
  std::uint64_t day_seed = 1;            ///< of the random ends of calls
  std::int32_t utc_offset_minutes = 0;   ///< of the venue's midnight: 60 is an hour before UTC's
  std::vector<venue::Segment> segments;  ///< those with a timetable
  std::vector<InstrumentConfig> instruments;
  std::vector<VenueUserConfig> users;
  friend bool operator==(const VenueConfig&, const VenueConfig&) = default;
};

/// A FIX client of the gateway, the venue user it trades as, and what its orders say where FIX says nothing.
struct ClientConfig {
  std::string comp_id;
  std::string password;  ///< expected in its Logon (554); empty: any
  std::string venue_user;
  std::string venue_password;
  std::uint32_t executing_trader = 3;  ///< 3: the client itself, from 4: short code
  std::uint32_t client_id = 0;
  std::uint32_t decision_maker = 0;
  std::uint8_t role_qualifiers = 0;   ///< as MIT203 has it
  std::uint8_t clearing_account = 1;  ///< 1 client, 3 house
  std::uint8_t mifid_flags = 0;
  std::uint8_t capacity = 3;  ///< 1 matched principal, 2 dealing on own account, 3 any other
  std::string account;
  std::string trader;
  bool auto_cancel = true;
  bool is_named = false;
  friend bool operator==(const ClientConfig&, const ClientConfig&) = default;
};

/// A row of the gateway's symbol table.
struct SymbolConfig {
  std::string symbol;
  std::uint32_t instrument = 0;
  friend bool operator==(const SymbolConfig&, const SymbolConfig&) = default;
};

struct GatewayConfig {
  ListenConfig listen{.port = 9878};
  NetworkConfig network;
  std::string comp_id = "DOJIMA";
  bool reset_on_logon = false;
  std::uint32_t sending_time_tolerance_s = 120;
  std::uint32_t store_messages = 1 << 14;  ///< per client, for resends
  std::uint32_t store_megabytes = 8;       ///< per client
  std::string venue_host = "127.0.0.1";
  std::uint16_t venue_port = 9001;
  std::uint32_t venue_heartbeat_ms = 3000;
  std::uint32_t reconnect_ms = 1000;
  std::uint32_t orders = 1 << 16;  ///< all clients together
  std::uint32_t requests = 1 << 18;
  std::uint32_t remembered_ids = 1 << 17;
  std::uint32_t pending_links = 16;
  net::IdlePolicy idle = net::IdlePolicy::block;
  std::vector<SymbolConfig> symbols;
  std::vector<ClientConfig> clients;
  friend bool operator==(const GatewayConfig&, const GatewayConfig&) = default;
};

/// A segment with a timetable, as `docs/trading-day.md` shows one.
[[nodiscard]] venue::Segment example_segment();

/// "08:00:00", "16:30:00.250": hours, minutes, seconds and at most three decimals, up to 24:00:00.
[[nodiscard]] std::optional<time::Duration> parse_time_of_day(std::string_view text);
[[nodiscard]] std::string time_of_day_text(time::Duration since_midnight);

/// The defaults, with the instruments, users and clients that `config default` shows.
[[nodiscard]] VenueConfig default_venue();
[[nodiscard]] GatewayConfig default_gateway();

enum class ConfigKind : std::uint8_t { venue, gateway };

/// One `--set KEY=VALUE`. Rows of a list are counted from 0: `user.0.password=x`.
struct Override {
  std::string key;
  std::string value;
};

/// Reads "KEY=VALUE". None when there is no '=' or no key.
[[nodiscard]] std::optional<Override> parse_override(std::string_view text);

/// The configuration, or every problem found, one a line.
template <class Config>
using Loaded = std::expected<Config, std::string>;

/// `name` stands for the file in messages.
[[nodiscard]] Loaded<VenueConfig> parse_venue(std::string_view toml, std::string_view name,
                                              std::span<const Override> overrides = {});
[[nodiscard]] Loaded<GatewayConfig> parse_gateway(std::string_view toml, std::string_view name,
                                                  std::span<const Override> overrides = {});
[[nodiscard]] Loaded<VenueConfig> load_venue(const std::string& path, std::span<const Override> overrides = {});
[[nodiscard]] Loaded<GatewayConfig> load_gateway(const std::string& path, std::span<const Override> overrides = {});

/// By the key `kind`, or where that is missing by what else there is.
[[nodiscard]] Loaded<ConfigKind> kind_of(std::string_view toml, std::string_view name);

/// The bytes of a file, or why it cannot be read.
[[nodiscard]] Loaded<std::string> read_text_file(const std::string& path);

/// Commented TOML that reads back to the same values.
[[nodiscard]] std::string text_of(const VenueConfig& config);
[[nodiscard]] std::string text_of(const GatewayConfig& config);

/// The rules of all books, accounts filled in from the users.
[[nodiscard]] book::BookRules rules_of(const VenueConfig& config);

/// What the market rooms want; the configuration has been checked.
[[nodiscard]] market::Instrument make_instrument(const InstrumentConfig& config);

}  // namespace dojima::app
