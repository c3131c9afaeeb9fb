#pragma once

// The texts of the built-in dictionaries (dojima/fix/dictionaries/*.dict), compiled into the program. Static.

#include <string_view>

namespace dojima::fix {

[[nodiscard]] std::string_view text_of_fix42() noexcept;
[[nodiscard]] std::string_view text_of_fix44() noexcept;
[[nodiscard]] std::string_view text_of_fix50sp2() noexcept;
[[nodiscard]] std::string_view text_of_fixt11() noexcept;

}  // namespace dojima::fix
