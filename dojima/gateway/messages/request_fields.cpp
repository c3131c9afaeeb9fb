#include "dojima/gateway/messages/request_fields.hpp"

#include <string_view>

#include "dojima/gateway/messages/values.hpp"

namespace dojima::gateway {

RefusalText text_of(const Refusal& refusal) noexcept {
  constexpr std::size_t k_longest = 64;  // of a value; the words come first
  RefusalText text;
  bool is_first = true;
  for (const char& c : std::string_view(refusal.text)) {
    if (c != '%' || refusal.value.data() == nullptr) {
      text.add({&c, 1});
      continue;
    }
    text.add(is_first ? refusal.value.substr(0, k_longest) : refusal.other.view());
    is_first = false;
  }
  return text;
}

std::expected<std::uint32_t, Refusal> read_instrument(const fix::MessageView& view, const SymbolTable& symbols,
                                                      const Reasons& reasons) noexcept {
  std::optional<std::uint32_t> instrument;
  if (const auto symbol = view.find(tag::k_symbol); symbol && *symbol != "[N/A]") {
    instrument = symbols.instrument_of(*symbol);
    if (!instrument) return refuse_value(reasons.unknown_symbol, tag::k_symbol, "Symbol(55)=% is unknown", *symbol);
  }
  if (view.has(tag::k_security_id) && view.find(tag::k_security_id_source) == "8") {
    const Result<std::int64_t> id = view.integer(tag::k_security_id);
    if (!id || *id <= 0 || *id > k_quantity_max || !symbols.has(static_cast<std::uint32_t>(*id)))
      return refuse_value(reasons.unknown_symbol, tag::k_security_id,
                          "SecurityID(48)=% of SecurityIDSource(22)=8 is unknown", view);
    const auto given = static_cast<std::uint32_t>(*id);
    if (instrument && *instrument != given)
      return refuse_value(reasons.unknown_symbol, tag::k_security_id,
                          "SecurityID(48)=% and Symbol(55)=% name different instruments", view,
                          said_of(view, tag::k_symbol));
    instrument = given;
  }
  if (instrument) return *instrument;
  if (view.has(tag::k_security_id))
    return refuse_value(reasons.unknown_symbol, tag::k_symbol,
                        "SecurityID(48)=% of SecurityIDSource(22)=% names no instrument: Symbol(55) or source 8 does",
                        said_of(view, tag::k_security_id), said_of(view, tag::k_security_id_source));
  return refuse_value(reasons.unknown_symbol, tag::k_symbol,
                      "Symbol(55)=% names no instrument, and there is no SecurityID(48) of SecurityIDSource(22)=8",
                      view);
}

}  // namespace dojima::gateway
