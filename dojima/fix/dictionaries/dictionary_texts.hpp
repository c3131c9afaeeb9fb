#pragma once

// The texts of the built-in dictionaries (dojima/fix/dictionaries/*.dict), compiled into the library.

#include <cstdint>
#include <string_view>

namespace dojima::fix {

/// One for each file, by its name.
enum class DictionaryText : std::uint8_t { fix40, fix41, fix42, fix43, fix44, fix50, fix50sp1, fix50sp2, fixt11 };

/// The file's text, in the form of dictionary_model.hpp. Static.
[[nodiscard]] std::string_view text_of(DictionaryText text) noexcept;

}  // namespace dojima::fix
