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

#include <algorithm>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dojima/fix/dictionary.hpp"
#include "dojima/fix/schedule.hpp"
#include "dojima/fix/session_config.hpp"
#include "dojima/journal/file_journal.hpp"
#include "dojima/net/idle.hpp"
#include "dojima/net/tls_fabric.hpp"

namespace echo {

enum class Store : std::uint8_t { memory, none, journal };

/// A session, or with target_comp_id = "*" a template: one is made for each peer that logs on with a name of its own.
struct SessionRow {
  dojima::fix::SessionConfig config;
  Store store = Store::memory;
  std::optional<dojima::fix::ScheduleConfig> schedule{};  ///< none: one session that never ends
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

}  // namespace echo
