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

std::string_view said_of(const fix::MessageView& view, fix::Tag tag) noexcept {
  return view.find(tag).value_or("(none)");
}

Refused refuse_value(std::uint16_t reason, fix::Tag tag, const char* text, std::string_view value,
                     std::string_view other) noexcept {
  return Refused(Refusal{.answer = Refusal::Answer::report,
                         .reason = reason,
                         .tag = tag,
                         .text = text,
                         .value = value,
                         .other = Text<32>::cut(other)});
}

Refused refuse_value(std::uint16_t reason, fix::Tag tag, const char* text, const fix::MessageView& view,
                     std::string_view other) noexcept {
  return refuse_value(reason, tag, text, said_of(view, tag), other);
}

Refused refuse_number(std::uint16_t reason, fix::Tag tag, const char* text, const fix::MessageView& view,
                      std::int64_t other) noexcept {
  return refuse_value(reason, tag, text, view, TextInPlace<20>{}.add(other).view());
}

Refused missing(fix::Tag tag, const char* text, std::string_view value, std::string_view other) noexcept {
  constexpr auto k_reason = static_cast<std::uint16_t>(fix::BusinessRejectReason::conditionally_required_field_missing);
  return Refused(Refusal{.answer = Refusal::Answer::business,
                         .reason = k_reason,
                         .tag = tag,
                         .text = text,
                         .value = value,
                         .other = Text<32>::cut(other)});
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
