#pragma once

// The cells of limits that an order counts in, by their numbers.

#include <array>
#include <cstddef>
#include <cstdint>

namespace dojima::venue {

/// The one behind all others, which nobody reads: what is counted in no cell is counted there, without a question.
inline constexpr std::uint32_t k_no_cell = 1 << 16;

/// The cells of an order: of its user in all instruments and in its own, of its account likewise.
struct OrderCells {
  static constexpr std::size_t k_most = 4;

  std::array<std::uint32_t, k_most> at{k_no_cell, k_no_cell, k_no_cell, k_no_cell};
  friend bool operator==(const OrderCells&, const OrderCells&) = default;
  [[nodiscard]] bool has(std::uint32_t cell) const noexcept {
    return at[0] == cell || at[1] == cell || at[2] == cell || at[3] == cell;
  }
  [[nodiscard]] bool is_empty() const noexcept { return *this == OrderCells{}; }
};

}  // namespace dojima::venue
