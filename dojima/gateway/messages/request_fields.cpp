#include "dojima/gateway/messages/request_fields.hpp"

#include <string_view>

#include "dojima/gateway/messages/values.hpp"

namespace dojima::gateway {

RefusalText text_of(const Refusal& refusal) noexcept {
  constexpr std::size_t k_longest = 64;  // of a value; the words come first
  RefusalText text;
  for (const char& c : std::string_view(refusal.text)) {
    if (c == '%' && refusal.value.data() != nullptr)
      text.add(refusal.value.substr(0, k_longest));
    else
      text.add({&c, 1});
  }
  return text;
}

std::expected<std::uint32_t, Refusal> read_instrument(const fix::MessageView& view, const SymbolTable& symbols,
                                                      const Reasons& reasons) noexcept {
  std::optional<std::uint32_t> instrument;
  if (const auto symbol = view.find(tag::k_symbol); symbol && *symbol != "[N/A]") {
    instrument = symbols.instrument_of(*symbol);
    if (!instrument) return refuse(reasons.unknown_symbol, tag::k_symbol, "unknown symbol");
  }
  if (view.has(tag::k_security_id) && view.find(tag::k_security_id_source) == "8") {
    const Result<std::int64_t> id = view.integer(tag::k_security_id);
    if (!id || *id <= 0 || *id > k_quantity_max || !symbols.has(static_cast<std::uint32_t>(*id)))
      return refuse(reasons.unknown_symbol, tag::k_security_id, "unknown instrument in SecurityID");
    const auto given = static_cast<std::uint32_t>(*id);
    if (instrument && *instrument != given)
      return refuse(reasons.unknown_symbol, tag::k_security_id, "Symbol and SecurityID name different instruments");
    instrument = given;
  }
  if (!instrument) return refuse(reasons.unknown_symbol, tag::k_symbol, "no Symbol, and no SecurityID with source 8");
  return *instrument;
}

}  // namespace dojima::gateway
