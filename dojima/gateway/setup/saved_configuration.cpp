#include "dojima/gateway/setup/saved_configuration.hpp"

#include "dojima/gateway/fix_version.hpp"

namespace dojima::gateway {
namespace {

constexpr std::size_t k_text_max = 255;

enum class Said : std::uint8_t { version = 1, dialect = 2, symbol = 3 };

void begin_entry(EntryWriter& out, Said said, std::string_view name) noexcept {
  out.add(static_cast<std::uint8_t>(EntryKind::configured));
  out.add(static_cast<std::uint8_t>(said));
  out.add_text(name.substr(0, k_text_max));
}

}  // namespace

void write_configured(EntryWriter& out, const ClientConfig& client) noexcept {
  begin_entry(out, Said::version, client.comp_id);
  out.add_text(name_of(client.version));
}

void write_configured(EntryWriter& out, std::string_view venue, const mit::Dialect& dialect) noexcept {
  begin_entry(out, Said::dialect, venue);
  out.add_text(std::string_view(dialect.name).substr(0, k_text_max));
}

void write_configured(EntryWriter& out, const SymbolConfig& symbol) noexcept {
  begin_entry(out, Said::symbol, symbol.symbol);
  out.add(symbol.instrument);
}

bool SavedConfiguration::apply(StateReader& in) {
  std::uint8_t said = 0;
  std::string_view name, value;
  if (!in.read(said) || !read_text(in, name, k_text_max)) return false;
  switch (static_cast<Said>(said)) {
    case Said::version:
    case Said::dialect:
      if (!read_text(in, value, k_text_max)) return false;
      (static_cast<Said>(said) == Said::version ? versions_ : dialects_).insert_or_assign(std::string(name), value);
      return true;
    case Said::symbol: {
      std::uint32_t instrument = 0;
      if (!in.read(instrument)) return false;
      symbols_.insert_or_assign(instrument, name);
      return true;
    }
  }
  return in.fail("what a gateway's configuration said");
}

}  // namespace dojima::gateway
