#pragma once

// The versions of FIX that a gateway's clients may speak, each with the dictionary that their messages are held
// against: the published one, extended by what annex B of the MIT203 reference needs and the version has no place for
// (docs/gateway.md, "The extension of the dictionaries").
//
//   const fix::Dictionary& dictionary = order_entry_dictionary(FixVersion::fix_4_4);
//   dictionary.field(59)->allows("9");     // true: good for the next auction

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "dojima/fix/dictionary.hpp"

namespace dojima::gateway {

enum class FixVersion : std::uint8_t { fix_4_2, fix_4_4, fix_5_0_sp2 };
inline constexpr std::array k_fix_versions{FixVersion::fix_4_2, FixVersion::fix_4_4, FixVersion::fix_5_0_sp2};

/// "FIX.4.2", "FIX.4.4", "FIX.5.0SP2".
[[nodiscard]] std::string_view name_of(FixVersion version) noexcept;
/// None: it is none of these.
[[nodiscard]] std::optional<FixVersion> fix_version_of(std::string_view name) noexcept;

/// BeginString(8): "FIXT.1.1" for FIX 5.0 SP2.
[[nodiscard]] std::string_view begin_string_of(FixVersion version) noexcept;
/// DefaultApplVerID(1137): "9" for FIX 5.0 SP2, else empty.
[[nodiscard]] std::string_view application_version_of(FixVersion version) noexcept;

/// As the version's specification has it, without the extension.
[[nodiscard]] const fix::Dictionary& published_dictionary(FixVersion version);
/// Made when it is first asked for (1 to 30 ms) and kept to the end of the program. Safe from any thread.
[[nodiscard]] const fix::Dictionary& order_entry_dictionary(FixVersion version);

}  // namespace dojima::gateway
