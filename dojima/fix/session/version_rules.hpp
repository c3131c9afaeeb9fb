#pragma once

// What differs between the versions of FIX in a session: which fields and messages they have, by BeginString(8). Plain
// facts of the specifications.

#include <cstdint>
#include <string_view>

#include "dojima/fix/tags.hpp"

namespace dojima::fix {

/// BeginString(8) of FIX 5.0, whose version is named by DefaultApplVerID(1137).
inline constexpr std::string_view k_fixt = "FIXT.1.1";

struct VersionRules {
  std::string_view begin_string;
  bool has_reset_flag = true;     ///< ResetSeqNumFlag(141), from 4.1
  bool has_details = true;        ///< 371 to 373 in a Reject, 383 in a Logon, 369, BusinessMessageReject: from 4.2
  bool has_next_expected = true;  ///< NextExpectedMsgSeqNum(789), from 4.4
  std::uint8_t last_reject_reason = 0xff;  ///< reasons above it are not named in 373
  std::uint64_t endless = 0;               ///< EndSeqNo(16) that means all: 999999 up to 4.1
  unsigned decimals = 9;                   ///< of timestamps, at most
};

inline constexpr VersionRules k_version_rules[] = {
    {.begin_string = "FIX.4.0",
     .has_reset_flag = false,
     .has_details = false,
     .has_next_expected = false,
     .endless = 999'999,
     .decimals = 0},
    {.begin_string = "FIX.4.1", .has_details = false, .has_next_expected = false, .endless = 999'999, .decimals = 0},
    {.begin_string = "FIX.4.2",
     .has_next_expected = false,
     .last_reject_reason = static_cast<std::uint8_t>(RejectReason::invalid_msg_type)},
    {.begin_string = "FIX.4.3",
     .has_next_expected = false,
     .last_reject_reason = static_cast<std::uint8_t>(RejectReason::field_separator_in_value)},
    {.begin_string = "FIX.4.4"},
    {.begin_string = k_fixt}};

/// Null: no version of FIX that sessions here speak.
[[nodiscard]] constexpr const VersionRules* find_version_rules(std::string_view begin_string) noexcept {
  for (const VersionRules& version : k_version_rules) {
    if (version.begin_string == begin_string) return &version;
  }
  return nullptr;
}

}  // namespace dojima::fix
