#include "dojima/gateway/messages/symbol_table.hpp"

#include <algorithm>
#include <stdexcept>

namespace dojima::gateway {

SymbolTable::SymbolTable(std::span<const SymbolConfig> symbols)
    : instruments_(symbols.size()), places_(symbols.size()) {
  symbols_.reserve(symbols.size());
  for (const SymbolConfig& config : symbols) {
    const Result<Text<k_symbol_max>> symbol = Text<k_symbol_max>::from(config.symbol);
    const bool is_printable =
        std::ranges::all_of(config.symbol, [](char character) { return character >= ' ' && character <= '~'; });
    if (!symbol || config.symbol.empty() || !is_printable)
      throw std::invalid_argument("a symbol has 1 to 24 printable characters");
    if (config.instrument == 0) throw std::invalid_argument("an instrument's number is above zero");
    if (!places_.insert(config.instrument, static_cast<std::uint32_t>(symbols_.size())))
      throw std::invalid_argument("an instrument is there once");
    if (!instruments_.insert(*symbol, config.instrument)) throw std::invalid_argument("a symbol is there once");
    symbols_.push_back(*symbol);
  }
}

std::optional<std::uint32_t> SymbolTable::instrument_of(std::string_view symbol) const noexcept {
  const Result<Text<k_symbol_max>> key = Text<k_symbol_max>::from(symbol);
  // A text that a null cuts short is another text.
  const std::uint32_t* instrument = key && key->view() == symbol ? instruments_.find(*key) : nullptr;
  return instrument == nullptr ? std::nullopt : std::optional(*instrument);
}

std::string_view SymbolTable::symbol_of(std::uint32_t instrument) const noexcept {
  const std::uint32_t* place = places_.find(instrument);
  return place == nullptr ? std::string_view{} : symbols_[*place].view();
}

}  // namespace dojima::gateway
