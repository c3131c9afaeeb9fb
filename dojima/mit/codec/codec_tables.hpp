#pragma once

// What the codec (codec.hpp) wants of a dialect: a struct `Tables` that names its messages, with the same member for
// the same field, and says what differs otherwise. A member that a message does not have is a field that the dialect
// does not carry: when writing a request, a value for it is an error. Constants.
//
//   struct Tables {
//     using NewOrder = ...;  ...                         // fourteen messages; NewQuote only where there are quotes
//     static constexpr const char* k_name = "LSE-21.2";
//     static constexpr std::span<const MessageLayout> k_layouts = ...;
//     static constexpr std::int64_t k_fraction_ns = 1;   // what the second word of TransactTime counts
//     static constexpr ValueSet k_order_types{1, 2, 3, 4};
//     static constexpr ValueSet k_order_sub_types{0, 5, 51, 55}, k_times_in_force{0, 3, ...};
//     static constexpr ValueSet k_mass_cancel_types{3, 4, 7, ...};
//   };

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "dojima/mit/layout.hpp"

namespace dojima::mit {

/// Numbers from 0 to 63.
class ValueSet {
 public:
  constexpr ValueSet(std::initializer_list<int> values) noexcept {
    for (const int value : values) bits_ |= std::uint64_t{1} << value;
  }
  [[nodiscard]] constexpr bool has(std::uint8_t value) const noexcept {
    return value < 64 && (bits_ >> value & 1) != 0;
  }

 private:
  std::uint64_t bits_ = 0;
};

/// Whether a field's table of values has this one.
template <class Field>
[[nodiscard]] constexpr bool has_value(const Field& field, std::int64_t value) noexcept {
  return std::ranges::any_of(field.meanings, [value](const Meaning& meaning) { return meaning.value == value; });
}

/// Bytes of the longest message of a dialect.
[[nodiscard]] constexpr std::size_t longest_of(std::span<const MessageLayout> layouts) noexcept {
  std::size_t longest = 0;
  for (const MessageLayout& layout : layouts) longest = std::max<std::size_t>(longest, layout.size);
  return longest;
}

/// The row of each type, 255 for none.
[[nodiscard]] constexpr std::array<std::uint8_t, 256> rows_by_type(std::span<const MessageLayout> layouts) noexcept {
  std::array<std::uint8_t, 256> rows{};
  rows.fill(255);
  for (std::size_t row = 0; row < layouts.size(); ++row)
    rows[static_cast<unsigned char>(layouts[row].type)] = static_cast<std::uint8_t>(row);
  return rows;
}

}  // namespace dojima::mit
