#pragma once

// The instruments a gateway trades, by the client's Symbol(55) and by the venue's InstrumentID. Built once from the
// configuration; look-ups are O(1), no allocation. Texts live as long as the table.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "dojima/fix/rendered_fields.hpp"
#include "dojima/gateway/config.hpp"
#include "dojima/gateway/records/slot_index.hpp"

namespace dojima::gateway {

class SymbolTable {
 public:
  static constexpr std::size_t k_symbol_max = 24;

  /// Throws std::invalid_argument for a symbol or instrument that is there twice, empty, too long or 0.
  explicit SymbolTable(std::span<const SymbolConfig> symbols);

  /// The instrument of a symbol; none when it is not traded.
  [[nodiscard]] std::optional<std::uint32_t> instrument_of(std::string_view symbol) const noexcept {
    const std::uint32_t place = place_of(symbol);
    return place == k_nowhere ? std::nullopt : std::optional(traded_[place].instrument);
  }
  /// Whether the instrument is traded.
  [[nodiscard]] bool has(std::uint32_t instrument) const noexcept { return place_of(instrument) != k_nowhere; }
  /// The symbol of a traded instrument; empty for another.
  [[nodiscard]] std::string_view symbol_of(std::uint32_t instrument) const noexcept;
  /// Symbol(55), SecurityID(48) and SecurityIDSource(22) of a traded instrument, as reports have them; null for
  /// another.
  [[nodiscard]] const fix::RenderedFields* fields_of(std::uint32_t instrument) const noexcept;

 private:
  static constexpr std::uint32_t k_nowhere = SlotIndex::k_nowhere;

  struct Traded {
    std::array<char, k_symbol_max> characters{};
    std::uint32_t size = 0;
    std::uint32_t instrument = 0;
    fix::RenderedFields fields;
    [[nodiscard]] std::string_view symbol() const noexcept { return {characters.data(), size}; }
  };

  [[nodiscard]] static std::uint64_t hash_of(std::uint64_t word) noexcept;
  [[nodiscard]] static std::uint64_t hash_of(std::string_view symbol) noexcept;
  [[nodiscard]] std::uint32_t place_of(std::uint32_t instrument) const noexcept;
  [[nodiscard]] std::uint32_t place_of(std::string_view symbol) const noexcept;

  std::vector<Traded> traded_;
  SlotIndex by_symbol_, by_instrument_;  // places in traded_
};

}  // namespace dojima::gateway
