#pragma once

// What a session's configuration must be and what follows from it. Used by SessionCore, at construction.

#include <cstddef>
#include <string_view>

#include "dojima/fix/dictionary.hpp"
#include "dojima/fix/session/version_rules.hpp"
#include "dojima/fix/session_config.hpp"

namespace dojima::fix {

/// HeartBtInt(108) goes from 0 to this.
inline constexpr std::int64_t k_heartbeat_seconds_max = 86'400;

/// The configuration with what it left to the dictionary. Throws std::invalid_argument for one that cannot work.
[[nodiscard]] SessionConfig checked(SessionConfig config);

/// The rules of its version.
[[nodiscard]] const VersionRules& version_rules_of(const SessionConfig& config) noexcept;

/// The dictionary that it names, or that its begin_string stands for.
[[nodiscard]] const Dictionary& dictionary_for(const SessionConfig& config);

/// Bytes of the largest message that the session writes. Below the largest that it reads, because a duplicate is longer
/// than the message was.
[[nodiscard]] std::size_t message_size_max(const SessionConfig& config) noexcept;

}  // namespace dojima::fix
