#include "dojima/gateway/messages/symbol_table.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <stdexcept>

#include "dojima/base/assert.hpp"
#include "dojima/base/digits.hpp"
#include "dojima/fix/writer.hpp"
#include "dojima/gateway/order_tags.hpp"

namespace dojima::gateway {
namespace {

[[nodiscard]] fix::RenderedFields rendered(const SymbolConfig& config) noexcept {
  std::array<std::byte, 256> room;
  fix::Writer writer(room, "FIX.4.4");
  writer.field(tag::k_msg_type, '8');
  const std::size_t from = writer.mark();
  writer.field(tag::k_symbol, config.symbol)
      .field(tag::k_security_id, config.instrument)
      .field(tag::k_security_id_source, '8');
  fix::RenderedFields fields;
  [[maybe_unused]] const bool is_kept = writer.keep(from, fields);
  DOJIMA_ASSERT(is_kept, "a symbol that was checked can be in a message", config.instrument);
  return fields;
}

}  // namespace

SymbolTable::SymbolTable(std::span<const SymbolConfig> symbols)
    : by_symbol_(symbols.size()), by_instrument_(symbols.size()) {
  traded_.reserve(symbols.size());
  for (const SymbolConfig& config : symbols) {
    const bool is_printable =
        std::ranges::all_of(config.symbol, [](char character) { return character >= ' ' && character <= '~'; });
    if (config.symbol.size() > k_symbol_max || config.symbol.empty() || !is_printable)
      throw std::invalid_argument("a symbol has 1 to 24 printable characters");
    if (config.instrument == 0) throw std::invalid_argument("an instrument's number is above zero");
    if (has(config.instrument)) throw std::invalid_argument("an instrument is there once");
    if (instrument_of(config.symbol)) throw std::invalid_argument("a symbol is there once");
    Traded& traded = traded_.emplace_back();
    std::ranges::copy(config.symbol, traded.characters.begin());
    traded.size = static_cast<std::uint32_t>(config.symbol.size());
    traded.instrument = config.instrument;
    traded.fields = rendered(config);
    const auto place = static_cast<std::uint32_t>(traded_.size() - 1);
    by_symbol_.insert(hash_of(config.symbol), place);
    by_instrument_.insert(hash_of(std::uint64_t{config.instrument}), place);
  }
}

/// One round of a multiplication to both sides is enough for a word.
std::uint64_t SymbolTable::hash_of(std::uint64_t word) noexcept {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(word ^ 0x9e3779b97f4a7c15ULL) * 0xd6e8feb86659fd93ULL;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// Of its length and its ends: what is between them distinguishes few symbols.
std::uint64_t SymbolTable::hash_of(std::string_view symbol) noexcept {
  const std::size_t size = symbol.size();
  if (size < 4) {
    std::uint64_t word = size;
    for (const char character : symbol) word = word << 8 | static_cast<unsigned char>(character);
    return hash_of(word);
  }
  if (size < 8) {
    std::uint32_t first = 0, last = 0;
    std::memcpy(&first, symbol.data(), sizeof first);
    std::memcpy(&last, symbol.data() + size - sizeof last, sizeof last);
    return hash_of(first | std::uint64_t{last} << 32);
  }
  return hash_of(load_word(symbol.data()) + hash_of(load_word(symbol.data() + size - 8) ^ size));
}

std::uint32_t SymbolTable::place_of(std::uint32_t instrument) const noexcept {
  return by_instrument_.find(hash_of(std::uint64_t{instrument}),
                             [&](std::uint32_t place) { return traded_[place].instrument == instrument; });
}

std::uint32_t SymbolTable::place_of(std::string_view symbol) const noexcept {
  return by_symbol_.find(hash_of(symbol), [&](std::uint32_t place) { return traded_[place].symbol() == symbol; });
}

std::string_view SymbolTable::symbol_of(std::uint32_t instrument) const noexcept {
  const std::uint32_t place = place_of(instrument);
  return place == k_nowhere ? std::string_view{} : traded_[place].symbol();
}

const fix::RenderedFields* SymbolTable::fields_of(std::uint32_t instrument) const noexcept {
  const std::uint32_t place = place_of(instrument);
  return place == k_nowhere ? nullptr : &traded_[place].fields;
}

}  // namespace dojima::gateway
