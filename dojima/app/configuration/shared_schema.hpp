#pragma once

// The sections and checks that the configurations of a venue and of a gateway share.

#include <array>
#include <chrono>
#include <cstdint>
#include <fmt/core.h>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/app/config.hpp"
#include "dojima/app/configuration/config_schema.hpp"

namespace dojima::app {

inline constexpr std::int64_t k_million = 1'000'000;
inline constexpr std::int64_t k_uint32_max = 4'294'967'295;
inline constexpr std::int64_t k_int32_max = 2'147'483'647;  // of quantities and instruments on the native wire
/// By the place of journal::Durability.
inline constexpr std::array<std::string_view, 3> k_durabilities = {"none", "process", "power"};

void describe_kind(ConfigKind kind, ConfigVisitor& visitor);
/// [listen]
void describe_listen(net::ListenConfig& listen, ConfigVisitor& visitor, std::string_view meaning);
/// [admin]
void describe_admin(AdminConfig& admin, ConfigVisitor& visitor);
/// [[operator]]: behind all sections.
void describe_operators(AdminConfig& admin, ConfigVisitor& visitor);
/// [dashboard]
void describe_dashboard(DashboardConfig& dashboard, ConfigVisitor& visitor);
/// [network]
void describe_network(net::NetworkConfig& network, std::uint32_t& connections, ConfigVisitor& visitor);
/// [loop]
void describe_loop(net::IdlePolicy& idle, LoopSettings& loop, ConfigVisitor& visitor);
/// A dialect of MIT203 by its name.
void describe_dialect(const mit::Dialect*& dialect, std::string_view meaning, ConfigVisitor& visitor);

/// A duration that is configured in whole `Unit`s.
template <class Unit>
void describe_whole(std::string_view key, time::Duration& value, std::int64_t lowest, std::int64_t highest,
                    std::string_view meaning, ConfigVisitor& visitor) {
  std::int64_t count = std::chrono::duration_cast<Unit>(value).count();
  visitor.integer(key, count, lowest, highest, meaning);
  value = Unit{count};
}

/// Complains about the rows of a list that repeat an earlier one's key.
template <class Row, class Key>
void check_unique(const std::vector<Row>& rows, Key Row::* key, std::string_view list, std::string_view name,
                  ConfigVisitor& visitor) {
  std::set<Key> seen;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (!seen.insert(rows[row].*key).second)
      visitor.complain(std::string(list) + "." + std::to_string(row) + "." + std::string(name),
                       "an earlier row of the list has the same " + std::string(name));
  }
}

/// Likewise of rows that a file may have brought behind those of the configuration: those are called by its line, and
/// the key by its column. Rows of the file differ from each other already.
template <class Row, class Key>
void check_unique_with_file(const std::vector<Row>& rows, Key Row::* key, std::string_view list, std::string_view name,
                            const std::string& file, std::string_view column, ConfigVisitor& visitor) {
  std::set<Key> seen;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (seen.insert(rows[row].*key).second) continue;
    if (rows[row].file_line == 0)
      visitor.complain(fmt::format("{}.{}.{}", list, row, name),
                       fmt::format("an earlier row of the list has the same {}", name));
    else
      visitor.complain("reference.instruments", fmt::format("{}:{}: {}: {} is in [[{}]], too", file,
                                                            rows[row].file_line, column, rows[row].*key, list));
  }
}

}  // namespace dojima::app
