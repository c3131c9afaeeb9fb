#pragma once

// What fix-echo is configured with, read from TOML:
//
//   port = 9878                      # host = "127.0.0.1", idle = "spin" | "yield" | "block", store_directory =
//   "stores"
//   [[session]]
//   begin_string = "FIX.4.4"
//   sender_comp_id = "ISLD"
//   target_comp_id = "TW"
//   reset_on_logon = true
//
// A session with role = "initiator" connects to `host` and `port` of its own.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/fix/dictionary.hpp"
#include "dojima/fix/schedule.hpp"
#include "dojima/fix/session_config.hpp"
#include "dojima/journal/file_journal.hpp"
#include "dojima/link/connection.hpp"
#include "dojima/net/idle.hpp"
#include "dojima/net/tls_fabric.hpp"

namespace echo {

enum class Store : std::uint8_t { memory, none, journal };

/// What an initiator does besides echoing.
struct Connecting {
  dojima::link::Address address;
  std::chrono::milliseconds reconnect{1000};  ///< between the end of an attempt and the next
  unsigned orders = 0;                        ///< that it sends at its start, before it is connected
  std::chrono::milliseconds logout_after{0};  ///< a Logout so long after the Logon, and the end; 0: never
};

/// A session, or with target_comp_id = "*" a template: one is made for each peer that logs on with a name of its own.
struct SessionRow {
  dojima::fix::SessionConfig config;
  Store store = Store::memory;
  std::optional<dojima::fix::ScheduleConfig> schedule{};  ///< none: one session that never ends
  std::optional<Connecting> connecting{};                 ///< of an initiator
  [[nodiscard]] bool is_template() const noexcept { return config.target_comp_id == "*"; }
};

struct Config {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
  dojima::net::IdlePolicy idle = dojima::net::IdlePolicy::block;
  std::string store_directory;
  dojima::journal::Durability durability = dojima::journal::Durability::process;
  std::optional<dojima::net::TlsConfig> tls;
  std::vector<SessionRow> sessions;
  std::size_t made_sessions = 64;  ///< from templates, at most

  [[nodiscard]] bool has_initiator() const noexcept {
    return std::ranges::any_of(sessions, [](const SessionRow& row) { return row.connecting.has_value(); });
  }
  [[nodiscard]] bool has_acceptor() const noexcept {
    return !std::ranges::all_of(sessions, [](const SessionRow& row) { return row.connecting.has_value(); });
  }
  [[nodiscard]] bool has_template() const noexcept {
    return std::ranges::any_of(sessions, [](const SessionRow& row) { return row.is_template(); });
  }
  /// Sessions that there can be.
  [[nodiscard]] std::size_t sessions_most() const noexcept {
    return sessions.size() + (has_template() ? made_sessions : 0);
  }
  std::vector<std::unique_ptr<dojima::fix::Dictionary>> dictionaries;  ///< of XML files; sessions point to them
};

/// Reads a configuration. Error: text that names the file, and where it is known the line.
[[nodiscard]] std::expected<Config, std::string> read_config(const std::string& file);
/// The same of a text; `name` is what errors call it, and files are looked for beside.
[[nodiscard]] std::expected<Config, std::string> read_config_text(std::string_view text, const std::string& name);

}  // namespace echo
