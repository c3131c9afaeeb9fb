#pragma once

// What the configuration of an earlier life said that its open orders depend on, as entries of the journal: the FIX
// version of each client, the dialect of each venue, the symbol of each instrument. What was said last counts. A
// journal of an earlier version says nothing of it.
//
//   write_configured(out, client);                        // where out.has_room(k_configured_max)
//   SavedConfiguration saved;
//   saved.apply(in);                                      // what follows an entry's kind
//   const std::string* symbol = saved.symbol_of(1001);    // null: nothing is known

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "dojima/base/state.hpp"
#include "dojima/gateway/config.hpp"
#include "dojima/gateway/records/record_image.hpp"
#include "dojima/mit/dialect.hpp"

namespace dojima::gateway {

/// Bytes that an entry takes at most; that of a symbol.
inline constexpr std::size_t k_configured_max = 2 + 2 * 256;
inline constexpr std::size_t k_configured_symbol_max = 2 + 1 + 24 + 4;

void write_configured(EntryWriter& out, const ClientConfig& client) noexcept;
/// The venue of that name, which may be empty.
void write_configured(EntryWriter& out, std::string_view venue, const mit::Dialect& dialect) noexcept;
void write_configured(EntryWriter& out, const SymbolConfig& symbol) noexcept;

class SavedConfiguration {
 public:
  /// False: the reader failed.
  [[nodiscard]] bool apply(StateReader& in);

  // Null: nothing is known.
  [[nodiscard]] const std::string* version_of(const std::string& client) const noexcept {
    return find(versions_, client);
  }
  [[nodiscard]] const std::string* dialect_of(const std::string& venue) const noexcept {
    return find(dialects_, venue);
  }
  [[nodiscard]] const std::string* symbol_of(std::uint32_t instrument) const noexcept {
    return find(symbols_, instrument);
  }

 private:
  template <class Map>
  [[nodiscard]] static const std::string* find(const Map& map, const typename Map::key_type& key) noexcept {
    const auto found = map.find(key);
    return found == map.end() ? nullptr : &found->second;
  }

  std::unordered_map<std::string, std::string> versions_, dialects_;
  std::unordered_map<std::uint32_t, std::string> symbols_;  // by instrument
};

}  // namespace dojima::gateway
