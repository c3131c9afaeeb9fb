#include "dojima/gateway/messages/request_reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <stdexcept>

#include "dojima/fix/rules.hpp"
#include "dojima/gateway/messages/values.hpp"

namespace dojima::gateway {
namespace {

using fix::MessageView;
using fix::Tag;
using market::OrderSubType, market::OrderTerms, market::OrderType, market::Price, market::Quantity, market::TimeInForce;

using Refused = std::unexpected<Refusal>;

constexpr std::int64_t k_quantity_max = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t k_second = 1'000'000'000;

/// Reasons differ by the kind of answer: 103 for a new order, 102 for the other two.
struct Reasons {
  std::uint16_t unknown_symbol, unsupported, quantity, other;
};
constexpr Reasons k_new_order_reasons{order_reject::k_unknown_symbol, order_reject::k_unsupported_characteristic,
                                      order_reject::k_incorrect_quantity, order_reject::k_other};
constexpr Reasons k_change_reasons{cancel_reject::k_other, cancel_reject::k_exchange_option, cancel_reject::k_other,
                                   cancel_reject::k_other};

Refused refuse(std::uint16_t reason, Tag tag, const char* text) noexcept {
  return Refused(Refusal{Refusal::Answer::report, reason, tag, text});
}

/// A value that does not have its tag's format or range is the session's business.
Refused unreadable(const Error& error) noexcept {
  const auto reason = static_cast<std::uint16_t>(fix::reason_of(error));
  return Refused(
      Refusal{Refusal::Answer::session, reason, error.field, error.expected == nullptr ? "" : error.expected});
}

Refused missing(Tag tag, const char* text) noexcept {
  constexpr auto k_reason = static_cast<std::uint16_t>(fix::BusinessRejectReason::conditionally_required_field_missing);
  return Refused(Refusal{Refusal::Answer::business, k_reason, tag, text});
}

/// Fields that change what an order means and have no place at the venue: dropping them would trade something else.
struct Uncarried {
  Tag tag;
  const char* text;
};
constexpr std::array k_uncarried{
    Uncarried{tag::k_exec_inst, "ExecInst(18) is not supported"},
    Uncarried{tag::k_cash_order_qty, "CashOrderQty(152) is not supported"},
    Uncarried{tag::k_effective_time, "EffectiveTime(168) is not supported"},
    Uncarried{tag::k_peg_offset_value, "PegOffsetValue(211) is not supported"},
    Uncarried{tag::k_trading_session_count, "NoTradingSessions(386) is not supported"},
    Uncarried{tag::k_discretion_inst, "DiscretionInst(388) is not supported"},
    Uncarried{tag::k_price_type, "PriceType(423) is not supported"},
    Uncarried{tag::k_order_percent, "OrderPercent(516) is not supported"},
    Uncarried{tag::k_target_strategy, "TargetStrategy(847) is not supported"},
};

Read check_carried(const MessageView& view, const Reasons& reasons) noexcept {
  for (const Uncarried& field : k_uncarried) {
    if (view.has(field.tag)) return refuse(reasons.unsupported, field.tag, field.text);
  }
  return {};
}

/// A number between two bounds in an optional field; 0 leaves `value` alone.
template <class T>
Read read_number(const MessageView& view, Tag tag, std::int64_t least, std::int64_t most, const Reasons& reasons,
                 const char* text, T& value) noexcept {
  if (!view.has(tag)) return {};
  const Result<std::int64_t> number = view.integer(tag);
  if (!number) return unreadable(number.error());
  if (*number < least || *number > most) return refuse(reasons.unsupported, tag, text);
  value = static_cast<T>(*number);
  return {};
}

template <std::size_t Capacity>
Read read_text(const MessageView& view, Tag tag, const Reasons& reasons, const char* text,
               Text<Capacity>& value) noexcept {
  const std::optional<std::string_view> found = view.find(tag);
  if (!found) return {};
  const Result<Text<Capacity>> fits = Text<Capacity>::from(*found);
  if (!fits || fits->view() != *found) return refuse(reasons.other, tag, text);
  value = *fits;
  return {};
}

/// Symbol(55), SecurityID(48) with source 8, or both if they agree.
std::expected<std::uint32_t, Refusal> read_instrument(const MessageView& view, const SymbolTable& symbols,
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

std::expected<Quantity, Refusal> read_quantity(const MessageView& view, Tag tag, std::int64_t least,
                                               const Reasons& reasons, const char* text) noexcept {
  const Result<Quantity> quantity = view.quantity(tag);
  if (!quantity) return unreadable(quantity.error());
  if (quantity->lots < least || quantity->lots > k_quantity_max) return refuse(reasons.quantity, tag, text);
  return *quantity;
}

/// A price that the order needs. Zero and below never reach the venue: there a negative price means "unchanged".
Read read_price(const MessageView& view, Tag tag, const Reasons& reasons, const char* text, Price& price) noexcept {
  const Result<Price> value = view.price(tag);
  if (!value) return unreadable(value.error());
  if (value->units <= 0) return refuse(reasons.other, tag, text);
  price = *value;
  return {};
}

[[nodiscard]] bool has_limit(const OrderTerms& terms) noexcept {
  return terms.type == OrderType::limit || terms.type == OrderType::stop_limit;
}
[[nodiscard]] bool has_stop(const OrderTerms& terms) noexcept {
  return terms.type == OrderType::stop || terms.type == OrderType::stop_limit;
}

/// Price(44) and StopPx(99) as far as the type uses them; others are ignored, as the venue does.
Read read_prices(const MessageView& view, const Reasons& reasons, OrderTerms& terms) noexcept {
  const bool is_limit_optional = terms.sub_type == OrderSubType::offset;
  if (has_limit(terms) && !(is_limit_optional && !view.has(tag::k_price))) {
    if (!view.has(tag::k_price)) return missing(tag::k_price, "Price(44) is required for this OrdType");
    if (Read read = read_price(view, tag::k_price, reasons, "Price must be above zero", terms.limit); !read)
      return read;
  }
  if (has_stop(terms)) {
    if (!view.has(tag::k_stop_px)) return missing(tag::k_stop_px, "StopPx(99) is required for this OrdType");
    return read_price(view, tag::k_stop_px, reasons, "StopPx must be above zero", terms.stop);
  }
  return {};
}

/// ExpireDate(432), YYYYMMDD, as the first instant of that day, UTC.
[[nodiscard]] Result<time::Time> date_in(std::string_view text) noexcept {
  constexpr Tag k_tag = tag::k_expire_date;
  constexpr auto k_reason = static_cast<std::int64_t>(fix::RejectReason::incorrect_format);
  const bool is_shaped =
      text.size() == 8 && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!is_shaped) return fail(ErrorCode::malformed, k_tag, 0, k_reason, "YYYYMMDD");
  const auto number = [&](std::size_t at, std::size_t size) {
    unsigned value = 0;
    std::from_chars(text.data() + at, text.data() + at + size, value);
    return value;
  };
  const std::chrono::year_month_day date{std::chrono::year{static_cast<int>(number(0, 4))},
                                         std::chrono::month{number(4, 2)}, std::chrono::day{number(6, 2)}};
  if (!date.ok() || date.year() < std::chrono::year{1970} || date.year() > std::chrono::year{2105})
    return fail(ErrorCode::out_of_range, k_tag, 0, static_cast<std::int64_t>(fix::RejectReason::value_incorrect),
                "a date from 1970 to 2105");
  return time::Time{std::chrono::sys_days{date}};
}

/// The end of a good-till-date order, in whole seconds.
Read read_expiry(const MessageView& view, const Reasons& reasons, time::Time& expiry) noexcept {
  if (const auto date = view.find(tag::k_expire_date)) {
    const Result<time::Time> day = date_in(*date);
    if (!day) return unreadable(day.error());
    expiry = *day;
    return {};
  }
  const Result<time::Time> at = view.time(tag::k_expire_time);
  if (!at) return unreadable(at.error());
  const std::int64_t nanoseconds = time::nanoseconds_of(*at);
  if (nanoseconds % k_second != 0 || nanoseconds / k_second > std::numeric_limits<std::uint32_t>::max())
    return refuse(reasons.other, tag::k_expire_time, "ExpireTime must be whole seconds before 2106");
  expiry = *at;
  return {};
}

/// None: the message has both fields, or none.
[[nodiscard]] ExpiryField expiry_field_of(const MessageView& view) noexcept {
  const bool has_date = view.has(tag::k_expire_date), has_time = view.has(tag::k_expire_time);
  return has_date == has_time ? ExpiryField::none : has_date ? ExpiryField::date : ExpiryField::time;
}

/// TimeInForce(59) with its expiry; absent: day.
Read read_time_in_force(const MessageView& view, const Reasons& reasons, OrderTerms& terms) noexcept {
  if (!view.has(tag::k_time_in_force)) return {};
  const Result<char> value = view.character(tag::k_time_in_force);
  if (!value) return unreadable(value.error());
  const ExpiryField field = expiry_field_of(view);
  const std::optional<TimeInForce> time_in_force = time_in_force_of(*value, field);
  if (!time_in_force && *value == '6')
    return missing(tag::k_expire_date, "TimeInForce 6 needs ExpireDate(432) or ExpireTime(126), and not both");
  if (!time_in_force) return refuse(reasons.unsupported, tag::k_time_in_force, "TimeInForce is not supported");
  terms.time_in_force = *time_in_force;
  return *value == '6' ? read_expiry(view, reasons, terms.expiry) : Read{};
}

/// MaxFloor(111) is the part that is shown; absent: all of it.
Read read_displayed(const MessageView& view, const Reasons& reasons, OrderTerms& terms) noexcept {
  terms.displayed = terms.quantity;
  if (!view.has(tag::k_max_floor)) return {};
  const auto displayed = read_quantity(view, tag::k_max_floor, 0, reasons, "MaxFloor is above 2147483647");
  if (!displayed) return Refused(displayed.error());
  if (*displayed > terms.quantity) return refuse(reasons.quantity, tag::k_max_floor, "MaxFloor is above OrderQty");
  terms.displayed = *displayed;
  return {};
}

/// Fields that the venue reads of some orders only and would ignore of all others.
Read read_conditions(const MessageView& view, const Reasons& reasons, OrderTerms& terms) noexcept {
  const bool is_pegged = terms.sub_type == OrderSubType::pegged, is_offset = terms.sub_type == OrderSubType::offset;
  if (view.has(tag::k_min_qty)) {
    const auto minimum = read_quantity(view, tag::k_min_qty, 0, reasons, "MinQty is above 2147483647");
    if (!minimum) return Refused(minimum.error());
    if (minimum->lots != 0 && !is_pegged)
      return refuse(reasons.unsupported, tag::k_min_qty, "MinQty is supported for pegged orders only");
    terms.minimum = *minimum;
  }
  if (Read read = read_number(view, tag::k_offset, std::numeric_limits<std::int32_t>::min(), k_quantity_max, reasons,
                              "Offset is out of range", terms.offset_bp);
      !read)
    return read;
  if (terms.offset_bp != 0 && !is_offset)
    return refuse(reasons.unsupported, tag::k_offset, "Offset is supported for offset orders only");
  if (Read read = read_number(view, tag::k_passive_only_order, 0, 100, reasons, "PassiveOnlyOrder is out of range",
                              terms.passive);
      !read)
    return read;
  return read_number(view, tag::k_group_id, 0, 255, reasons, "GroupID is out of range", terms.group);
}

/// Parties(453): client, investment decision maker, executing trader as numbers; the trader's name as text. Other
/// roles have no place at the venue.
Read read_parties(const MessageView& view, market::OrderLabels& labels) noexcept {
  const Result<fix::Group> parties = view.group(tag::k_no_party_ids, fix::k_party_members);
  if (!parties) return unreadable(parties.error());
  for (std::size_t index = 0; index < parties->size(); ++index) {
    const fix::GroupEntry party = (*parties)[index];
    const std::string_view role = party.find(tag::k_party_role).value_or("");
    const std::string_view id = party.find(tag::k_party_id).value_or("");
    if (role == "100") {
      const Result<Text<11>> trader = Text<11>::from(id);
      if (!trader || trader->view() != id)
        return refuse(order_reject::k_other, tag::k_party_id, "PartyID of role 100 must have at most 11 characters");
      labels.trader = *trader;
      continue;
    }
    std::uint32_t* const place = role == "3"     ? &labels.client
                                 : role == "122" ? &labels.decision_maker
                                 : role == "12"  ? &labels.executing_trader
                                                 : nullptr;
    if (place == nullptr) continue;
    const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), *place);
    if (error != std::errc{} || end != id.data() + id.size())
      return refuse(order_reject::k_other, tag::k_party_id, "PartyID of roles 3, 12 and 122 is a number");
  }
  return {};
}

/// OrderCapacity(528) and AccountType(581).
Read read_owner(const MessageView& view, market::NewOrder& order) noexcept {
  if (view.has(tag::k_order_capacity)) {
    const Result<char> value = view.character(tag::k_order_capacity);
    if (!value) return unreadable(value.error());
    const auto capacity = capacity_of(*value);
    if (!capacity)
      return refuse(order_reject::k_unsupported_characteristic, tag::k_order_capacity,
                    "OrderCapacity must be A, P or R");
    order.terms.capacity = *capacity;
  }
  if (const auto type = view.find(tag::k_account_type)) {
    const auto clearing = clearing_of(*type);
    if (!clearing)
      return refuse(order_reject::k_unsupported_characteristic, tag::k_account_type, "AccountType must be 1 or 3");
    order.labels.clearing = *clearing;
  }
  return {};
}

std::expected<TypeOfOrder, Refusal> read_type(const MessageView& view, const Reasons& reasons) noexcept {
  const Result<char> value = view.character(tag::k_ord_type);
  if (!value) return unreadable(value.error());
  const auto type = type_of(*value, view.has(tag::k_price));
  if (!type) return refuse(reasons.unsupported, tag::k_ord_type, "OrdType is not supported");
  return *type;
}

std::expected<market::Side, Refusal> read_side(const MessageView& view, const Reasons& reasons) noexcept {
  const Result<char> value = view.character(tag::k_side);
  if (!value) return unreadable(value.error());
  const auto side = side_of(*value);
  if (!side) return refuse(reasons.unsupported, tag::k_side, "Side must be 1 or 2");
  return *side;
}

/// That the message is about this order.
Read check_same_order(const MessageView& view, const SymbolTable& symbols, const Order& order) noexcept {
  const auto instrument = read_instrument(view, symbols, k_change_reasons);
  if (!instrument) return Refused(instrument.error());
  if (*instrument != order.instrument)
    return refuse(cancel_reject::k_other, tag::k_symbol, "the order is in another instrument");
  const auto side = read_side(view, k_change_reasons);
  if (!side) return Refused(side.error());
  if (*side != order.terms.side) return refuse(cancel_reject::k_other, tag::k_side, "the order has the other side");
  return {};
}

/// OrdType and TimeInForce can be repeated, not changed.
Read check_unchanged(const MessageView& view, const Order& order) noexcept {
  const auto type = read_type(view, k_change_reasons);
  if (!type) return Refused(type.error());
  if (*type != TypeOfOrder{order.terms.type, order.terms.sub_type})
    return refuse(cancel_reject::k_exchange_option, tag::k_ord_type, "OrdType cannot be changed");
  if (view.has(tag::k_time_in_force)) {
    const Result<char> value = view.character(tag::k_time_in_force);
    if (!value) return unreadable(value.error());
    if (*value != fix_of(order.terms.time_in_force))
      return refuse(cancel_reject::k_exchange_option, tag::k_time_in_force, "TimeInForce cannot be changed");
  }
  return {};
}

/// What is shown after a change of the total that does not say it: a visible order stays visible, an iceberg keeps its
/// peak as far as the total reaches.
[[nodiscard]] Quantity displayed_after(const OrderTerms& before, Quantity quantity) noexcept {
  return before.displayed == before.quantity ? quantity : std::min(before.displayed, quantity);
}

Read read_new_quantity(const MessageView& view, const Order& order, OrderTerms& terms) noexcept {
  if (view.has(tag::k_order_qty)) {
    const auto quantity =
        read_quantity(view, tag::k_order_qty, 1, k_change_reasons, "OrderQty must be 1 to 2147483647");
    if (!quantity) return Refused(quantity.error());
    terms.quantity = *quantity;
  }
  if (view.has(tag::k_max_floor)) return read_displayed(view, k_change_reasons, terms);
  terms.displayed = displayed_after(order.terms, terms.quantity);
  return {};
}

/// A good-till-date order may get another end, of the same kind.
Read read_new_expiry(const MessageView& view, OrderTerms& terms) noexcept {
  const ExpiryField field = expiry_field_of(view);
  if (!view.has(tag::k_expire_date) && !view.has(tag::k_expire_time)) return {};
  if (field == ExpiryField::none || time_in_force_of('6', field) != terms.time_in_force)
    return refuse(cancel_reject::k_exchange_option, tag::k_expire_date, "the expiry does not fit the TimeInForce");
  return read_expiry(view, k_change_reasons, terms.expiry);
}

}  // namespace

market::NewOrder make_template(const OrderDefaults& defaults) {
  const auto text = [](const auto& fits, const char* complaint) {
    if (!fits) throw std::invalid_argument(complaint);
    return *fits;
  };
  if (defaults.clearing_account != 1 && defaults.clearing_account != 3)
    throw std::invalid_argument("the clearing account is 1 (client) or 3 (house)");
  if (defaults.executing_trader < 3) throw std::invalid_argument("the executing trader is 3 or a short code from 4");
  if (defaults.client == 3) throw std::invalid_argument("the client id is 0, 1, 2 or a short code from 4");
  if (defaults.decision_maker != 0 && defaults.decision_maker < 4)
    throw std::invalid_argument("the decision maker is 0 or a short code from 4");
  if (defaults.role_qualifiers > 0x3f) throw std::invalid_argument("role qualifiers are three groups of two bits");
  if (defaults.mifid_flags > 7) throw std::invalid_argument("there are three MiFID flags");
  if (fix_of(defaults.capacity) == '\0') throw std::invalid_argument("the capacity is one of three");
  const auto needs = [&](std::uint32_t id, unsigned party) {
    return id >= 4 && (defaults.role_qualifiers >> (2 * party) & 3) == 0;
  };
  if (needs(defaults.client, 0) || needs(defaults.decision_maker, 1) || needs(defaults.executing_trader, 2))
    throw std::invalid_argument("a short code needs a role qualifier");
  market::NewOrder order;
  order.terms.capacity = defaults.capacity;
  order.terms.flags = static_cast<std::uint8_t>((defaults.auto_cancel ? market::k_auto_cancel : 0) |
                                                (defaults.is_named ? market::k_named : 0));
  order.labels.account = text(Text<10>::from(defaults.account), "an account has at most 10 characters");
  order.labels.trader = text(Text<11>::from(defaults.trader), "a trader id has at most 11 characters");
  order.labels.clearing = defaults.clearing_account;
  order.labels.mifid = defaults.mifid_flags;
  order.labels.roles = defaults.role_qualifiers;
  order.labels.client = defaults.client;
  order.labels.decision_maker = defaults.decision_maker;
  order.labels.executing_trader = defaults.executing_trader;
  return order;
}

std::expected<ClOrdId, Refusal> read_id(const MessageView& view, Tag tag) noexcept {
  const Result<std::string_view> text = view.text(tag);
  if (!text) return unreadable(text.error());
  const Result<ClOrdId> id = ClOrdId::from(*text);
  constexpr auto k_reason = static_cast<std::uint16_t>(fix::RejectReason::value_incorrect);
  if (!id || id->view() != *text)
    return Refused(Refusal{Refusal::Answer::session, k_reason, tag, "at most 40 characters, none of them null"});
  return *id;
}

Read read_new_order(const MessageView& view, const SymbolTable& symbols, market::NewOrder& order) noexcept {
  constexpr const Reasons& k_reasons = k_new_order_reasons;
  const auto instrument = read_instrument(view, symbols, k_reasons);
  if (!instrument) return Refused(instrument.error());
  order.header.instrument = *instrument;
  OrderTerms& terms = order.terms;
  const auto side = read_side(view, k_reasons);
  if (!side) return Refused(side.error());
  terms.side = *side;
  const auto type = read_type(view, k_reasons);
  if (!type) return Refused(type.error());
  terms.type = type->type;
  terms.sub_type = type->sub_type;
  if (!view.has(tag::k_order_qty)) return missing(tag::k_order_qty, "OrderQty(38) is required");
  const auto quantity = read_quantity(view, tag::k_order_qty, 1, k_reasons, "OrderQty must be 1 to 2147483647");
  if (!quantity) return Refused(quantity.error());
  terms.quantity = *quantity;
  if (Read read = check_carried(view, k_reasons); !read) return read;
  if (Read read = read_prices(view, k_reasons, terms); !read) return read;
  if (Read read = read_time_in_force(view, k_reasons, terms); !read) return read;
  if (Read read = read_displayed(view, k_reasons, terms); !read) return read;
  if (Read read = read_conditions(view, k_reasons, terms); !read) return read;
  if (Read read =
          read_number(view, tag::k_pegged_exec_inst, 0, 2, k_reasons, "PeggedExecInst is out of range", terms.peg);
      !read)
    return read;
  if (Read read = read_owner(view, order); !read) return read;
  if (Read read =
          read_text(view, tag::k_account, k_reasons, "Account must have at most 10 characters", order.labels.account);
      !read)
    return read;
  return read_parties(view, order.labels);
}

Read read_cancel(const MessageView& view, const SymbolTable& symbols, const Order& order) noexcept {
  return check_same_order(view, symbols, order);
}

Read read_replace(const MessageView& view, const SymbolTable& symbols, const Order& order, OrderTerms& terms,
                  Text<10>& account) noexcept {
  constexpr const Reasons& k_reasons = k_change_reasons;
  terms = order.terms;
  if (Read read = check_same_order(view, symbols, order); !read) return read;
  if (Read read = check_unchanged(view, order); !read) return read;
  if (Read read = check_carried(view, k_reasons); !read) return read;
  if (Read read = read_prices(view, k_reasons, terms); !read) return read;
  if (Read read = read_new_quantity(view, order, terms); !read) return read;
  if (Read read = read_new_expiry(view, terms); !read) return read;
  if (Read read = read_conditions(view, k_reasons, terms); !read) return read;
  if (terms.group == 0 && order.terms.group != 0)
    return refuse(k_reasons.unsupported, tag::k_group_id, "GroupID cannot go back to 0");
  return read_text(view, tag::k_account, k_reasons, "Account must have at most 10 characters", account);
}

}  // namespace dojima::gateway
