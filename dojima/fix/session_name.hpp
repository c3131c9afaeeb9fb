#pragma once

// What distinguishes one FIX session from another, for what is kept or written of many: stores on disk and message
// logs.

#include <string_view>

namespace dojima::fix {

/// The names as our own side sees them. The texts belong to its maker.
struct SessionName {
  std::string_view begin_string{};
  std::string_view sender_comp_id{};  ///< ours
  std::string_view target_comp_id{};  ///< the peer's
  std::string_view qualifier{};       ///< distinguishes sessions of the same names; may be empty
  friend bool operator==(const SessionName&, const SessionName&) = default;
};

}  // namespace dojima::fix
