#pragma once

// What a journal on disk is and promises, as its segments and snapshots say it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dojima::journal {

/// What `Journal::durable()` of a journal on disk promises.
enum class Durability : std::uint8_t {
  none,     ///< nothing: records reach the file soon; durable() is last()
  process,  ///< records survive the end of the process, however it comes, not a loss of power; durable() is last()
  power,    ///< records up to durable() survive a loss of power; it follows last()
};

/// "none", "process" or "power".
[[nodiscard]] std::string_view name_of(Durability durability) noexcept;

/// Whose journal it is: chosen by its owner, the same in all its files. Files of another are refused.
struct Identity {
  std::array<std::byte, 16> bytes{};
  friend bool operator==(const Identity&, const Identity&) = default;

  /// The first 16 characters of `name`.
  [[nodiscard]] static Identity of(std::string_view name) noexcept;
};

}  // namespace dojima::journal
