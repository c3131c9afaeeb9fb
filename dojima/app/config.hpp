#pragma once

// What a venue and a gateway are made from: plain values with defaults that work together on one machine. Read from
// TOML, where every key can be overridden from outside, unknown keys are errors that name the nearest known one, values
// are checked, and trouble is reported as "file:line:column: what, and what would be right", all of it at once.
//
//   const auto config = load_venue("venue.toml", {{"listen.port", "9001"}});
//   if (!config) { print(config.error()); return 2; }
//
// docs/app.md lists the keys; `dojima config default venue` prints them with their meaning. Cold path.

#include <chrono>
#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/app/dashboard_config.hpp"
#include "dojima/app/feed/feed_config.hpp"
#include "dojima/app/fix_settings.hpp"
#include "dojima/app/loop/loop_settings.hpp"
#include "dojima/gateway/config.hpp"
#include "dojima/journal/durability.hpp"
#include "dojima/net/config.hpp"
#include "dojima/net/idle.hpp"
#include "dojima/net/tls_fabric.hpp"
#include "dojima/simulate/exchange_config.hpp"
#include "dojima/venue/segment.hpp"

namespace dojima::app {

/// Who operates a server under a name of its own.
struct OperatorConfig {
  std::string name;         ///< 1 to 12 characters, once; in the log of what was done
  std::string token_file;   ///< of what its commands must carry
  bool only_looks = false;  ///< it changes nothing
  friend bool operator==(const OperatorConfig&, const OperatorConfig&) = default;
};

/// Where `dojima admin` and Prometheus find a server.
struct AdminConfig {
  std::string host = "127.0.0.1";
  std::int32_t port = -1;  ///< 0: any free one; -1: nobody is answered
  bool allow_remote = false;
  std::string token_file;                 ///< of what commands must carry; empty: a new one at every start
  std::vector<OperatorConfig> operators;  ///< besides whoever has that token
  friend bool operator==(const AdminConfig&, const AdminConfig&) = default;
};

/// Which passwords are in a file of their own: by the key's path, such as client.0.venue_password, the file.
using SecretFiles = std::map<std::string, std::string>;

/// `dojima venue`: an exchange, where it listens and what it writes.
struct VenueConfig : simulate::ExchangeConfig {
  VenueConfig() {
    trades = 1 << 16;
    full_reports = true;
  }

  net::ListenConfig listen{.port = 9001};
  std::int32_t recovery_port = -1;   ///< on the same host; -1: there is no recovery channel
  std::int32_t secondary_port = -1;  ///< of the secondary gateway, on the same host; -1: there is none
  std::int32_t copies_port = -1;     ///< of drop copies, on the same host; -1: there is no such channel
  bool clear_passwords = true;       ///< of users may be in the configuration
  std::string password_file;         ///< of passwords that users chose; empty: they are gone with the process
  SecretFiles password_files;        ///< of readers of the feed and of drop copies
  net::NetworkConfig network;
  std::string instrument_file;  ///< of instruments besides those of the configuration; empty: none
  std::string feed_file;        ///< of the market data; empty: none
  FeedConfig feed;              ///< live
  AdminConfig admin;
  DashboardConfig dashboard;
  net::IdlePolicy idle = net::IdlePolicy::ring;
  LoopSettings loop;
  friend bool operator==(const VenueConfig&, const VenueConfig&) = default;
};

/// Where a gateway keeps its orders and the numbers and messages of its FIX sessions (docs/gateway.md). What is kept of
/// a session is GatewayLimits::store_messages and store_bytes.
struct GatewayJournalConfig {
  std::string directory;  ///< empty: in memory
  journal::Durability durability = journal::Durability::process;
  std::uint32_t segment_megabytes = 16;
  std::uint32_t spare_segments = 4;  ///< ready ahead, 1 to 8
  std::uint32_t megabytes = 1024;    ///< of the disk, all segments together
  std::uint32_t messages = 1 << 20;  ///< kept of all sessions together; 16 bytes of memory each
  bool cut_holes = false;            ///< journal::FileJournalOptions::cut_holes
  friend bool operator==(const GatewayJournalConfig&, const GatewayJournalConfig&) = default;
};

/// What FIX sessions say, in files for people.
struct MessageLogConfig {
  std::string file;               ///< empty: none
  std::uint32_t megabytes = 256;  ///< until another file is begun
  std::uint32_t files = 10;       ///< kept, the one in use too
  friend bool operator==(const MessageLogConfig&, const MessageLogConfig&) = default;
};

/// A gateway that follows the journal of another until it takes over.
struct StandbyConfig {
  std::int32_t admin_port = -1;  ///< where it answers meanwhile, else as AdminConfig; 0: any free one; -1: nowhere
  time::Duration poll = std::chrono::milliseconds{10};  ///< how often it looks whether there is more, or nobody else
  friend bool operator==(const StandbyConfig&, const StandbyConfig&) = default;
};

/// `dojima gateway`: a gateway, where it listens and where its venue is.
struct GatewayConfig {
  net::ListenConfig listen{.port = 9878};
  /// What a slow client has not read waits in its session's store, not in its connection.
  net::NetworkConfig network{.output_bytes = 1 << 18};
  std::uint32_t connections = 512;  ///< of clients, and of those that have not logged on, at a time
  std::string venue_host = "127.0.0.1";
  std::uint16_t venue_port = 9001;
  std::int32_t venue_recovery_port = -1;  ///< of the venue's recovery channel; -1: what is missed is not recovered
  std::string secondary_host = "127.0.0.1";
  std::int32_t secondary_port = -1;           ///< of the venue's secondary gateway; -1: there is none
  std::int32_t secondary_recovery_port = -1;  ///< likewise of its recovery channel
  gateway::GatewayConfig gateway{.reconnect = std::chrono::seconds{1}};
  std::string instrument_file;         ///< of symbols besides those of the configuration; empty: none
  FixSettings fix;                     ///< what GatewayServer makes GatewayConfig::fix from, besides its values there
  std::vector<FixSettings> templates;  ///< of each of GatewayConfig::templates
  SecretFiles password_files;          ///< of clients, drop copies and users of venues
  net::TlsConfig tls;                  ///< of clients; without a certificate: none
  GatewayJournalConfig journal;
  MessageLogConfig message_log;
  AdminConfig admin;
  DashboardConfig dashboard;
  StandbyConfig standby;
  net::IdlePolicy idle = net::IdlePolicy::ring;
  LoopSettings loop;
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

/// The password of the users of default_venue(), known to everybody: for a market on one machine.
inline constexpr std::string_view k_default_password = "rice-1730";
/// Where the gateway of default_gateway_text() reads it.
inline constexpr std::string_view k_default_password_file = "gateway.password";

/// What `config default` prints: default_venue() with the hash of its users' password, and default_gateway(), which
/// reads it from k_default_password_file. Neither has it in clear.
[[nodiscard]] std::string default_venue_text();
[[nodiscard]] std::string default_gateway_text();

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

}  // namespace dojima::app
