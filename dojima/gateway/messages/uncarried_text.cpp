#include "dojima/gateway/messages/uncarried_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "dojima/gateway/messages/field_names.hpp"
#include "dojima/gateway/messages/values.hpp"
#include "dojima/mit/values.hpp"

namespace dojima::gateway {
namespace {

using market::OrderSubType, market::OrderType, market::TimeInForce;

/// Null: the dialect has no such message.
[[nodiscard]] const MessageLayout* layout_in(const mit::Dialect& dialect, char type) noexcept {
  const auto found = std::ranges::find(dialect.layouts, type, &MessageLayout::type);
  return found == dialect.layouts.end() ? nullptr : &*found;
}

/// Null: the message has no such field.
[[nodiscard]] const FieldInfo* field_in(const MessageLayout& layout, std::string_view name) noexcept {
  const auto found = std::ranges::find_if(layout.fields, [=](const FieldInfo& field) { return name == field.name; });
  return found == layout.fields.end() ? nullptr : &*found;
}

template <class Value>
[[nodiscard]] bool has_value(const FieldInfo* field, Value value) noexcept {
  return field != nullptr && (field->meanings.empty() || std::ranges::find(field->meanings, std::int64_t(value),
                                                                           &Meaning::value) != field->meanings.end());
}

/// What the number means, whether or not the dialect has it.
template <class Value>
[[nodiscard]] std::string_view meaning_of(Meanings meanings, Value value) noexcept {
  const auto found = std::ranges::find(meanings, std::int64_t(value), &Meaning::value);
  return found == meanings.end() ? std::string_view{} : found->text;
}

/// "is not accepted by this venue (LSE-21.2): ", behind what is not.
UncarriedText& refuse_in(UncarriedText& text, const mit::Dialect& dialect) noexcept {
  return text.add(" is not accepted by this venue (").add(dialect.name).add("): ");
}

/// "it has 0, 2, 3": those of `values` that are.
template <class IsThere>
void list(UncarriedText& text, std::string_view values, IsThere is_there) noexcept {
  text.add("it has ");
  bool is_first = true;
  for (const char value : values) {
    if (!is_there(value)) continue;
    text.add(is_first ? "" : ", ").add({&value, 1});
    is_first = false;
  }
}

/// A field that not all dialects have, with the command's value of it; 0 says nothing.
struct OptionalField {
  std::string_view native;
  std::int64_t value;
};

/// The first field whose value has no place in the message; empty: each has.
[[nodiscard]] UncarriedText text_of_absent(const mit::Dialect& dialect, const MessageLayout& layout,
                                           std::span<const OptionalField> fields) noexcept {
  UncarriedText text;
  for (const auto& [native, value] : fields) {
    if (value == 0 || field_in(layout, native) != nullptr) continue;
    text.add(fix_name_of(native)).add("=").add(value);
    refuse_in(text, dialect).add("its protocol has no such field here");
    break;
  }
  return text;
}

/// Any other trouble, by the field that the codec names.
[[nodiscard]] UncarriedText text_of_error(const mit::Dialect& dialect, const MessageLayout* layout,
                                          const Error& error) noexcept {
  UncarriedText text;
  std::string_view name;
  if (layout != nullptr)
    for (const FieldInfo& field : layout->fields)
      if (field.offset == error.field && error.field != 0) name = fix_name_of(field.name);
  text.add(name.empty() ? "the request" : name).add(" cannot be carried to this venue (").add(dialect.name).add(")");
  if (!name.empty() && error.expected != nullptr) text.add(": expected ").add(error.expected);
  return text;
}

[[nodiscard]] UncarriedText text_of_time_in_force(const mit::Dialect& dialect, const FieldInfo* field,
                                                  TimeInForce time_in_force) noexcept {
  UncarriedText text;
  const char fix = fix_of(time_in_force);
  if (fix == '\0')
    text.add("TradingSessionID(336)=a");
  else
    text.add("TimeInForce(59)=").add({&fix, 1});
  text.add(" (").add(meaning_of(mit::k_times_in_force, time_in_force)).add(")");
  refuse_in(text, dialect);
  list(text, "0123456789CDE", [=](char value) {
    const auto is_there = [=](ExpiryField expiry) {
      const auto known = time_in_force_of(value, expiry);
      return known && has_value(field, *known);
    };
    return is_there(ExpiryField::date) || is_there(ExpiryField::time);
  });
  return text;
}

[[nodiscard]] UncarriedText text_of_type(const mit::Dialect& dialect, const MessageLayout& layout,
                                         TypeOfOrder type) noexcept {
  UncarriedText text;
  const FieldInfo* const types = field_in(layout, "OrderType");
  const FieldInfo* const sub_types = field_in(layout, "OrderSubType");
  const bool is_plain = type.sub_type == OrderSubType::plain;
  const char fix = fix_of(type);
  if (type.sub_type == OrderSubType::random_peak)
    text.add("DisplayMethod(1084)=3");
  else
    text.add("OrdType(40)=").add({&fix, 1});
  text.add(" (")
      .add(is_plain ? meaning_of(mit::k_order_types, type.type) : meaning_of(mit::k_order_sub_types, type.sub_type))
      .add(")");
  refuse_in(text, dialect);
  if (type.sub_type == OrderSubType::random_peak) return text.add("it has no peaks of random size");
  list(text, "1234KPF", [=](char value) {
    const auto known = type_of(value, true);
    return known && has_value(types, known->type) && has_value(sub_types, known->sub_type);
  });
  return text;
}

/// A mass cancel as FIX asks for it.
struct MassCancelType {
  std::uint8_t native;
  bool is_firm;
  std::string_view fix;
};
constexpr std::array k_mass_cancels{
    MassCancelType{9, false, "1"},   MassCancelType{7, false, "7"},  MassCancelType{15, false, "9"},
    MassCancelType{56, false, "56"}, MassCancelType{3, true, "1"},   MassCancelType{8, true, "7"},
    MassCancelType{4, true, "9"},    MassCancelType{58, true, "56"}, MassCancelType{57, true, "57"}};

[[nodiscard]] std::string_view fix_type_of(const market::MassCancel& command) noexcept {
  const bool has_instrument = command.header.instrument != 0;
  if (command.group != 0) return has_instrument ? "57" : "56";
  if (!command.segment.is_empty()) return "9";
  return has_instrument ? "1" : "7";
}

[[nodiscard]] bool has_type_of(const MessageLayout& layout, const market::MassCancel& command) noexcept {
  const FieldInfo* const types = field_in(layout, "MassCancelRequestType");
  return std::ranges::any_of(k_mass_cancels, [&](const MassCancelType& type) {
    return type.is_firm == command.is_account && type.fix == fix_type_of(command) && has_value(types, type.native);
  });
}

[[nodiscard]] UncarriedText text_of_mass_cancel(const mit::Dialect& dialect, const MessageLayout& layout,
                                                const market::MassCancel& command) noexcept {
  UncarriedText text;
  const FieldInfo* const types = field_in(layout, "MassCancelRequestType");
  text.add("MassCancelRequestType(530)=").add(fix_type_of(command));
  text.add(command.is_account ? " of the firm" : "");
  refuse_in(text, dialect).add("it has");
  bool is_first = true;
  for (const MassCancelType& type : k_mass_cancels) {
    if (type.is_firm != command.is_account || !has_value(types, type.native)) continue;
    text.add(is_first ? " " : ", ").add(type.fix);
    is_first = false;
  }
  return text;
}

}  // namespace

UncarriedText uncarried_text(const market::NewOrder& command, const mit::Dialect& dialect,
                             const Error& error) noexcept {
  const MessageLayout* const layout = layout_in(dialect, 'D');
  const market::OrderTerms& terms = command.terms;
  if (layout == nullptr) return text_of_error(dialect, layout, error);
  const FieldInfo* const times = field_in(*layout, "TIF");
  if (!has_value(times, terms.time_in_force)) return text_of_time_in_force(dialect, times, terms.time_in_force);
  if (!has_value(field_in(*layout, "OrderType"), terms.type) ||
      !has_value(field_in(*layout, "OrderSubType"), terms.sub_type))
    return text_of_type(dialect, *layout, {terms.type, terms.sub_type});
  const std::array optional{
      OptionalField{"PassiveOnlyOrder", terms.passive},     OptionalField{"GroupID", terms.group},
      OptionalField{"MinimumQuantity", terms.minimum.lots}, OptionalField{"Offset", terms.offset_bp},
      OptionalField{"PeggedExecInst", terms.peg},           OptionalField{"OwnerType", terms.owner_type}};
  const UncarriedText text = text_of_absent(dialect, *layout, optional);
  return text.view().empty() ? text_of_error(dialect, layout, error) : text;
}

UncarriedText uncarried_text(const market::Replace& command, const mit::Dialect& dialect, const Error& error) noexcept {
  const MessageLayout* const layout = layout_in(dialect, 'G');
  if (layout == nullptr) return text_of_error(dialect, layout, error);
  const std::array optional{OptionalField{"PassiveOnlyOrder", command.passive}, OptionalField{"GroupID", command.group},
                            OptionalField{"MinimumQuantity", command.minimum.lots},
                            OptionalField{"Offset", command.offset_bp}};
  const UncarriedText text = text_of_absent(dialect, *layout, optional);
  return text.view().empty() ? text_of_error(dialect, layout, error) : text;
}

UncarriedText uncarried_text(const market::Cancel&, const mit::Dialect& dialect, const Error& error) noexcept {
  return text_of_error(dialect, layout_in(dialect, 'F'), error);
}

UncarriedText uncarried_text(const market::MassCancel& command, const mit::Dialect& dialect,
                             const Error& error) noexcept {
  const MessageLayout* const layout = layout_in(dialect, 'q');
  UncarriedText text;
  if (command.of == market::MassCancelOf::quotes && layout_in(dialect, 'S') == nullptr)
    return refuse_in(text.add("QuoteCancel(Z)"), dialect).add("its protocol has no quotes");
  if (layout != nullptr && (error.code == ErrorCode::not_supported || !has_type_of(*layout, command)))
    return text_of_mass_cancel(dialect, *layout, command);
  return text_of_error(dialect, layout, error);
}

UncarriedText uncarried_text(const market::Quote& command, const mit::Dialect& dialect, const Error& error) noexcept {
  const MessageLayout* const layout = layout_in(dialect, 'S');
  UncarriedText text;
  if (layout == nullptr) return refuse_in(text.add("Quote(S)"), dialect).add("its protocol has no quotes");
  const FieldInfo* const times = field_in(*layout, "TIF");
  if (times != nullptr && !has_value(times, command.time_in_force))
    return refuse_in(text.add("Quote(S)"), dialect).add("it has quotes for auctions only, none for the day");
  if ((command.flags & market::k_named) != 0 && field_in(*layout, "Anonymity") == nullptr)
    return refuse_in(text.add("a named Quote(S), the client's default,"), dialect).add("its quotes are anonymous");
  const std::array optional{OptionalField{"PeggedExecInst", command.peg}};
  text = text_of_absent(dialect, *layout, optional);
  return text.view().empty() ? text_of_error(dialect, layout, error) : text;
}

}  // namespace dojima::gateway
