#pragma once

// The instruments a gateway trades, by the client's Symbol(55) and by the venue's InstrumentID. Built once from the
// configuration; look-ups are O(1), no allocation. Texts live as long as the table.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "dojima/base/fixed_map.hpp"
#include "dojima/base/text.hpp"
#include "dojima/gateway/config.hpp"

namespace dojima::gateway {

class SymbolTable {
 public:
  static constexpr std::size_t k_symbol_max = 24;

  /// Throws std::invalid_argument for a symbol or instrument that is there twice, empty, too long or 0.
  explicit SymbolTable(std::span<const SymbolConfig> symbols);

  /// The instrument of a symbol; none when it is not traded.
  [[nodiscard]] std::optional<std::uint32_t> instrument_of(std::string_view symbol) const noexcept;
  /// Whether the instrument is traded.
  [[nodiscard]] bool has(std::uint32_t instrument) const noexcept { return places_.find(instrument) != nullptr; }
  /// The symbol of a traded instrument; empty for another.
  [[nodiscard]] std::string_view symbol_of(std::uint32_t instrument) const noexcept;

 private:
  std::vector<Text<k_symbol_max>> symbols_;
  FixedMap<Text<k_symbol_max>, std::uint32_t> instruments_;
  FixedMap<std::uint64_t, std::uint32_t> places_;  // in symbols_, by instrument, as a word: that is hashed fastest
};

}  // namespace dojima::gateway
