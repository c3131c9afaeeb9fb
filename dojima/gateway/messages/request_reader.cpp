#include "dojima/gateway/messages/request_reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "dojima/base/digits.hpp"
#include "dojima/gateway/messages/owner_reader.hpp"
#include "dojima/gateway/messages/repeated_fields.hpp"
#include "dojima/gateway/messages/request_fields.hpp"
#include "dojima/gateway/messages/values.hpp"
#include "dojima/gateway/messages/whole_words.hpp"

namespace dojima::gateway {
namespace {

using fix::MessageView;
using fix::Tag;
using market::OrderSubType, market::OrderTerms, market::OrderType, market::Price, market::Quantity, market::TimeInForce;

constexpr std::int64_t k_second = 1'000'000'000;

constexpr const char* k_order_qty_text = "OrderQty(38)=% is out of range: 1 to 2147483647";

/// Fields that change what an order means and have no place at the venue: dropping them would trade something else.
constexpr std::array k_uncarried{
    Uncarried{tag::k_cash_order_qty, "CashOrderQty(152)=% is not supported: OrderQty(38) says how much"},
    Uncarried{tag::k_effective_time, "EffectiveTime(168)=% is not supported: an order begins when it comes"},
    Uncarried{tag::k_max_show, "MaxShow(210)=% is not supported: MaxFloor(111) or DisplayQty(1138) says what is shown"},
    Uncarried{tag::k_discretion_inst, "DiscretionInst(388)=% is not supported: a price has no discretion"},
    Uncarried{tag::k_discretion_offset, "DiscretionOffsetValue(389)=% is not supported: a price has no discretion"},
    Uncarried{tag::k_price_type, "PriceType(423)=% is not supported: prices are per unit"},
    Uncarried{tag::k_order_percent, "OrderPercent(516)=% is not supported: OrderQty(38) says how much"},
    Uncarried{tag::k_target_strategy, "TargetStrategy(847)=% is not supported: the venue has no strategies"},
    Uncarried{tag::k_secondary_display_qty, "SecondaryDisplayQty(1082)=% is not supported: peaks have one size"},
    Uncarried{tag::k_display_low_qty, "DisplayLowQty(1085)=% is not supported: the venue has its own random sizes"},
    Uncarried{tag::k_display_high_qty, "DisplayHighQty(1086)=% is not supported: the venue has its own random sizes"},
    Uncarried{tag::k_display_min_incr, "DisplayMinIncr(1087)=% is not supported: the venue has its own random sizes"},
    Uncarried{tag::k_refresh_qty, "RefreshQty(1088)=% is not supported: a peak comes back as DisplayQty(1138)"},
    Uncarried{tag::k_match_increment, "MatchIncrement(1089)=% is not supported: executions have any size"},
    Uncarried{tag::k_max_price_levels, "MaxPriceLevels(1090)=% is not supported: Price(44) is the limit"},
    Uncarried{tag::k_trigger_type, "TriggerType(1100)=% is not supported: OrdType(40) 3 and 4 wait for StopPx(99)"},
    Uncarried{tag::k_trigger_action, "TriggerAction(1101)=% is not supported: OrdType(40) 3 and 4 wait for StopPx(99)"},
    Uncarried{tag::k_trigger_price, "TriggerPrice(1102)=% is not supported: OrdType(40) 3 and 4 wait for StopPx(99)"},
};

/// Fields that a plain order or change of one has. Those that are not among them may say more of it than
/// read_plain_order() and read_plain_change() look at.
constexpr std::array k_plain{fix::tag::k_begin_string,
                             fix::tag::k_body_length,
                             fix::tag::k_msg_type,
                             fix::tag::k_msg_seq_num,
                             fix::tag::k_sender_comp_id,
                             fix::tag::k_sender_sub_id,
                             fix::tag::k_sending_time,
                             fix::tag::k_target_comp_id,
                             fix::tag::k_target_sub_id,
                             tag::k_account,
                             tag::k_cl_ord_id,
                             tag::k_handl_inst,
                             tag::k_security_id_source,
                             tag::k_order_qty,
                             tag::k_ord_type,
                             tag::k_orig_cl_ord_id,
                             tag::k_price,
                             tag::k_security_id,
                             tag::k_side,
                             tag::k_symbol,
                             tag::k_time_in_force,
                             tag::k_transact_time};

/// The tags of k_plain as bits, all below 64.
constexpr std::uint64_t k_plain_bits = [] {
  std::uint64_t bits = 0;
  for (const Tag tag : k_plain) bits |= std::uint64_t{1} << tag;
  return bits;
}();
static_assert(std::ranges::all_of(k_plain, [](Tag tag) { return tag < 64; }));

/// Whether the message has the fields of a plain order alone. O(fields).
[[nodiscard]] bool is_plain_order(const MessageView& view) noexcept {
  for (std::size_t at = 0; at < view.size(); ++at)
    if (const Tag tag = view[at].tag; tag >= 64 || (k_plain_bits >> tag & 1) == 0) return false;
  return true;
}

/// The venue pegs to the middle, without an offset: whatever a pegged order says of its peg must be that.
Read check_peg(const MessageView& view, const OrderTerms& terms, const Reasons& reasons) noexcept {
  const bool is_pegged = terms.sub_type == OrderSubType::pegged;
  const auto type = [&] { return said_of(view, tag::k_ord_type); };
  if (const auto instruction = view.find(tag::k_exec_inst); instruction && !(is_pegged && *instruction == "M"))
    return refuse_value(reasons.unsupported, tag::k_exec_inst,
                        "ExecInst(18)=% of OrdType(40)=% is not supported: the venue has M, of P", *instruction,
                        type());
  if (const auto peg = view.find(tag::k_peg_price_type); peg && !(is_pegged && *peg == "2"))
    return refuse_value(reasons.unsupported, tag::k_peg_price_type,
                        "PegPriceType(1094)=% of OrdType(40)=% is not supported: the venue has 2, of P", *peg, type());
  if (!view.has(tag::k_peg_offset_value)) return {};
  const Result<Price> offset = view.price(tag::k_peg_offset_value);
  if (!offset) return unreadable(offset.error());
  if (!is_pegged || offset->units != 0)
    return refuse_value(reasons.unsupported, tag::k_peg_offset_value,
                        "PegOffsetValue(211)=% of OrdType(40)=% is not supported: the venue has 0, of P", view, type());
  return {};
}

/// A price that the order needs. Zero and below never reach the venue: there a negative price means "unchanged".
Read read_price(const MessageView& view, Tag tag, const Reasons& reasons, const char* text, Price& price) noexcept {
  const Result<Price> value = view.price(tag);
  if (!value) return unreadable(value.error());
  if (value->units <= 0) return refuse_value(reasons.other, tag, text, view);
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
    if (!view.has(tag::k_price))
      return missing(tag::k_price, "Price(44) is required for OrdType(40)=%", said_of(view, tag::k_ord_type));
    constexpr const char* k_text = "Price(44)=% is out of range: above 0";
    if (Read read = read_price(view, tag::k_price, reasons, k_text, terms.limit); !read) return read;
  }
  if (has_stop(terms)) {
    if (!view.has(tag::k_stop_px))
      return missing(tag::k_stop_px, "StopPx(99) is required for OrdType(40)=%", said_of(view, tag::k_ord_type));
    return read_price(view, tag::k_stop_px, reasons, "StopPx(99)=% is out of range: above 0", terms.stop);
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
    // The last day on which it can trade, so it ends with that day: the venue's field is an instant in whole seconds.
    expiry = *day + std::chrono::days{1} - std::chrono::seconds{1};
    return {};
  }
  const Result<time::Time> at = view.time(tag::k_expire_time);
  if (!at) return unreadable(at.error());
  const std::int64_t nanoseconds = time::nanoseconds_of(*at);
  if (nanoseconds % k_second != 0 || nanoseconds / k_second > std::numeric_limits<std::uint32_t>::max())
    return refuse_value(reasons.other, tag::k_expire_time,
                        "ExpireTime(126)=% is not supported: the venue has whole seconds before 2106", view);
  expiry = *at;
  return {};
}

/// None: the message has both fields, or none.
[[nodiscard]] ExpiryField expiry_field_of(const MessageView& view) noexcept {
  const bool has_date = view.has(tag::k_expire_date), has_time = view.has(tag::k_expire_time);
  return has_date == has_time ? ExpiryField::none : has_date ? ExpiryField::date : ExpiryField::time;
}

/// NoTradingSessions(386) of 1 with TradingSessionID(336) `a`, and no TimeInForce: good for the closing price cross.
[[nodiscard]] std::expected<bool, Refusal> is_closing_cross(const MessageView& view, const Reasons& reasons) noexcept {
  if (!view.has(tag::k_trading_session_count)) return false;
  constexpr std::array k_members{tag::k_trading_session_id, tag::k_trading_session_sub_id};
  const Result<fix::Group> sessions = view.group(tag::k_trading_session_count, k_members);
  if (!sessions) return unreadable(sessions.error());
  if (sessions->size() != 1)
    return refuse_value(reasons.unsupported, tag::k_trading_session_count,
                        "NoTradingSessions(386)=% is not supported: the venue has 1, with TradingSessionID(336)=a",
                        view);
  const std::string_view session = (*sessions)[0].find(tag::k_trading_session_id).value_or("(none)");
  if (session != "a")
    return refuse_value(reasons.unsupported, tag::k_trading_session_count,
                        "TradingSessionID(336)=% is not supported: the venue has a, the closing price cross", session);
  if (view.has(tag::k_time_in_force))
    return refuse_value(reasons.unsupported, tag::k_trading_session_count,
                        "TradingSessionID(336)=% and TimeInForce(59)=% say the same: use one", session,
                        said_of(view, tag::k_time_in_force));
  return true;
}

/// Of an order that is good till a time, with no end or with two.
Refused refuse_ends(const MessageView& view) noexcept {
  if (!view.has(tag::k_expire_date))
    return missing(tag::k_expire_date, "TimeInForce(59)=6 needs ExpireDate(432) or ExpireTime(126)");
  return missing(tag::k_expire_date, "ExpireTime(126)=% and ExpireDate(432)=% are two ends: use one",
                 said_of(view, tag::k_expire_time), said_of(view, tag::k_expire_date));
}

/// TimeInForce(59) with its expiry; absent: day.
Read read_time_in_force(const MessageView& view, const Reasons& reasons, OrderTerms& terms) noexcept {
  if (!view.has(tag::k_time_in_force)) return {};
  const Result<char> value = view.character(tag::k_time_in_force);
  if (!value) return unreadable(value.error());
  const ExpiryField field = expiry_field_of(view);
  const std::optional<TimeInForce> time_in_force = time_in_force_of(*value, field);
  if (!time_in_force && *value == '6') return refuse_ends(view);
  if (!time_in_force)
    return refuse_value(reasons.unsupported, tag::k_time_in_force,
                        "TimeInForce(59)=% is not supported: the gateway has 0 to 4, 6 to 9, C, D and E", view);
  terms.time_in_force = *time_in_force;
  return *value == '6' ? read_expiry(view, reasons, terms.expiry) : Read{};
}

/// The same, or the trading session that stands for it; only an order that is good till a time has an end.
Read read_any_time_in_force(const MessageView& view, const Reasons& reasons, OrderTerms& terms) noexcept {
  const auto is_cross = is_closing_cross(view, reasons);
  if (!is_cross) return Refused(is_cross.error());
  if (*is_cross) terms.time_in_force = TimeInForce::closing_price_cross;
  if (Read read = read_time_in_force(view, reasons, terms); !read) return read;
  if (terms.time_in_force == TimeInForce::good_till_date || terms.time_in_force == TimeInForce::good_till_time)
    return {};
  const auto said = [&] { return said_of(view, tag::k_time_in_force); };
  if (view.has(tag::k_expire_date))
    return refuse_value(reasons.unsupported, tag::k_expire_date,
                        "ExpireDate(432)=% needs TimeInForce(59)=6: here it is %", view, said());
  if (view.has(tag::k_expire_time))
    return refuse_value(reasons.unsupported, tag::k_expire_time,
                        "ExpireTime(126)=% needs TimeInForce(59)=6: here it is %", view, said());
  return {};
}

/// DisplayMethod(1084): 1 a peak of one size, 3 peaks of random size, 4 nothing is shown.
Read read_display_method(const MessageView& view, const Reasons& reasons, OrderTerms& terms) noexcept {
  const auto method = view.find(tag::k_display_method);
  if (!method) return {};
  if (*method != "1" && *method != "3" && *method != "4")
    return refuse_value(reasons.unsupported, tag::k_display_method,
                        "DisplayMethod(1084)=% is not supported: the venue has 1, 3 and 4", *method);
  const bool is_random = *method == "3";
  if (is_random && terms.sub_type != OrderSubType::plain && terms.sub_type != OrderSubType::random_peak)
    return refuse_value(reasons.unsupported, tag::k_display_method,
                        "DisplayMethod(1084)=% of OrdType(40)=% is not supported: it has no peaks of random size",
                        *method, said_of(view, tag::k_ord_type));
  if (is_random && !view.has(tag::k_display_qty))
    return missing(tag::k_display_qty, "DisplayMethod(1084)=3 needs DisplayQty(1138)");
  if (is_random && terms.displayed.lots == 0)
    return refuse_value(reasons.unsupported, tag::k_display_qty,
                        "DisplayQty(1138)=% is no peak: DisplayMethod(1084)=3 needs one above 0", view);
  if (is_random) terms.sub_type = OrderSubType::random_peak;
  if (*method != "4") return {};
  if (view.has(tag::k_display_qty) && terms.displayed.lots != 0)
    return refuse_value(reasons.unsupported, tag::k_display_qty,
                        "DisplayQty(1138)=% would be shown, and DisplayMethod(1084)=4 shows nothing", view);
  terms.displayed = {};
  return {};
}

/// The part that is shown: DisplayQty(1138) with DisplayMethod(1084), or MaxFloor(111); absent: all of it.
Read read_displayed(const MessageView& view, const Reasons& reasons, OrderTerms& terms) noexcept {
  terms.displayed = terms.quantity;
  const bool has_floor = view.has(tag::k_max_floor), has_quantity = view.has(tag::k_display_qty);
  if (has_floor && has_quantity)
    return refuse_value(reasons.unsupported, tag::k_max_floor,
                        "MaxFloor(111)=% and DisplayQty(1138)=% say the same: use one", view,
                        said_of(view, tag::k_display_qty));
  if (has_floor && view.has(tag::k_display_method))
    return refuse_value(reasons.unsupported, tag::k_max_floor,
                        "MaxFloor(111)=% and DisplayMethod(1084)=% say the same: use one", view,
                        said_of(view, tag::k_display_method));
  if (has_floor || has_quantity) {
    const Tag tag = has_floor ? tag::k_max_floor : tag::k_display_qty;
    const auto displayed = read_quantity(view, tag, 0, reasons,
                                         has_floor ? "MaxFloor(111)=% is out of range: 0 to 2147483647"
                                                   : "DisplayQty(1138)=% is out of range: 0 to 2147483647");
    if (!displayed) return Refused(displayed.error());
    if (*displayed > terms.quantity)
      return refuse_number(
          reasons.quantity, tag,
          has_floor ? "MaxFloor(111)=% is above OrderQty(38)=%" : "DisplayQty(1138)=% is above OrderQty(38)=%", view,
          terms.quantity.lots);
    terms.displayed = *displayed;
  }
  return read_display_method(view, reasons, terms);
}

/// Fields that the venue reads of some orders only and would ignore of all others.
Read read_conditions(const MessageView& view, const Reasons& reasons, OrderTerms& terms) noexcept {
  const bool is_pegged = terms.sub_type == OrderSubType::pegged, is_offset = terms.sub_type == OrderSubType::offset;
  if (view.has(tag::k_min_qty)) {
    const auto minimum =
        read_quantity(view, tag::k_min_qty, 0, reasons, "MinQty(110)=% is out of range: 0 to 2147483647");
    if (!minimum) return Refused(minimum.error());
    if (minimum->lots != 0 && !is_pegged)
      return refuse_value(reasons.unsupported, tag::k_min_qty, "MinQty(110)=% needs OrdType(40)=P: here it is %", view,
                          said_of(view, tag::k_ord_type));
    terms.minimum = *minimum;
  }
  if (Read read = read_number(view, tag::k_offset, std::numeric_limits<std::int32_t>::min(), k_quantity_max, reasons,
                              "Offset(27018)=% is out of range: -2147483648 to 2147483647", terms.offset_bp);
      !read)
    return read;
  if (terms.offset_bp != 0 && !is_offset)
    return refuse_value(reasons.unsupported, tag::k_offset, "Offset(27018)=% needs OrdType(40)=F: here it is %", view,
                        said_of(view, tag::k_ord_type));
  if (Read read = read_number(view, tag::k_passive_only_order, 0, 100, reasons,
                              "PassiveOnlyOrder(27010)=% is out of range: 0 to 100", terms.passive);
      !read)
    return read;
  return read_number(view, tag::k_group_id, 0, 255, reasons, "GroupID(27017)=% is out of range: 0 to 255", terms.group);
}

std::expected<TypeOfOrder, Refusal> read_type(const MessageView& view, const Reasons& reasons) noexcept {
  const Result<char> value = view.character(tag::k_ord_type);
  if (!value) return unreadable(value.error());
  const auto type = type_of(*value, view.has(tag::k_price));
  if (!type)
    return refuse_value(reasons.unsupported, tag::k_ord_type,
                        "OrdType(40)=% is not supported: the gateway has 1, 2, 3, 4, K, P and F", view);
  return *type;
}

std::expected<market::Side, Refusal> read_side(const MessageView& view, const Reasons& reasons) noexcept {
  const Result<char> value = view.character(tag::k_side);
  if (!value) return unreadable(value.error());
  const auto side = side_of(*value);
  if (!side)
    return refuse_value(reasons.unsupported, tag::k_side, "Side(54)=% is not supported: the venue has 1 and 2", view);
  return *side;
}

/// That the message is about this order.
Read check_same_order(const MessageView& view, const SymbolTable& symbols, const Order& order) noexcept {
  const auto instrument = read_instrument(view, symbols, k_change_reasons);
  if (!instrument) return Refused(instrument.error());
  if (*instrument != order.instrument) return refuse_instrument(view, symbols, order);
  const auto side = read_side(view, k_change_reasons);
  if (!side) return Refused(side.error());
  return *side == order.terms.side ? Read{} : refuse_side(view, order);
}

/// OrdType and TimeInForce can be repeated, not changed.
Read check_unchanged(const MessageView& view, const Order& order) noexcept {
  const auto type = read_type(view, k_change_reasons);
  if (!type) return Refused(type.error());
  // Icebergs of random peaks have the letter of their type.
  if (type->type != order.terms.type || fix_of(*type) != fix_of(TypeOfOrder{order.terms.type, order.terms.sub_type}))
    return refuse_type(view, order);
  const auto is_cross = is_closing_cross(view, k_change_reasons);
  if (!is_cross) return Refused(is_cross.error());
  if (*is_cross && order.terms.time_in_force != TimeInForce::closing_price_cross)
    return refuse_time_in_force(view, order);
  if (view.has(tag::k_time_in_force)) {
    const Result<char> value = view.character(tag::k_time_in_force);
    if (!value) return unreadable(value.error());
    if (*value != fix_of(order.terms.time_in_force)) return refuse_time_in_force(view, order);
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
    const auto quantity = read_quantity(view, tag::k_order_qty, 1, k_change_reasons, k_order_qty_text);
    if (!quantity) return Refused(quantity.error());
    terms.quantity = *quantity;
  }
  if (view.has(tag::k_max_floor) || view.has(tag::k_display_qty) || view.has(tag::k_display_method)) {
    if (Read read = read_displayed(view, k_change_reasons, terms); !read) return read;
    return check_display_method(view, order);
  }
  terms.displayed = displayed_after(order.terms, terms.quantity);
  return {};
}

/// A good-till-date order may get another end, of the same kind.
Read read_new_expiry(const MessageView& view, OrderTerms& terms) noexcept {
  constexpr std::uint16_t k_reason = cancel_reject::k_exchange_option;
  const bool has_date = view.has(tag::k_expire_date), has_time = view.has(tag::k_expire_time);
  if (!has_date && !has_time) return {};
  if (has_date && has_time)
    return refuse_value(k_reason, tag::k_expire_date, "ExpireTime(126)=% and ExpireDate(432)=% are two ends: use one",
                        said_of(view, tag::k_expire_time), said_of(view, tag::k_expire_date));
  const bool is_date = terms.time_in_force == TimeInForce::good_till_date;
  if (!is_date && terms.time_in_force != TimeInForce::good_till_time) {
    const char before = fix_of(terms.time_in_force);
    return refuse_value(k_reason, has_date ? tag::k_expire_date : tag::k_expire_time,
                        has_date ? "ExpireDate(432)=% needs TimeInForce(59)=6: the order has %"
                                 : "ExpireTime(126)=% needs TimeInForce(59)=6: the order has %",
                        view, before == '\0' ? "TradingSessionID(336)=a" : character(before).view());
  }
  if (is_date != has_date)
    return refuse_value(k_reason, has_date ? tag::k_expire_date : tag::k_expire_time,
                        has_date ? "ExpireDate(432)=% does not fit: the order ends at an ExpireTime(126)"
                                 : "ExpireTime(126)=% does not fit: the order ends at an ExpireDate(432)",
                        view);
  return read_expiry(view, k_change_reasons, terms.expiry);
}

/// What is left to be read of a new order behind its instrument, side, type and quantity.
Read read_rest(const MessageView& view, market::NewOrder& order, OrderParties& said) noexcept {
  constexpr const Reasons& k_reasons = k_new_order_reasons;
  OrderTerms& terms = order.terms;
  if (Read read = check_absent(view, k_uncarried, k_reasons.unsupported); !read) return read;
  if (Read read = check_peg(view, terms, k_reasons); !read) return read;
  if (Read read = read_prices(view, k_reasons, terms); !read) return read;
  if (Read read = read_any_time_in_force(view, k_reasons, terms); !read) return read;
  if (Read read = read_displayed(view, k_reasons, terms); !read) return read;
  if (Read read = read_conditions(view, k_reasons, terms); !read) return read;
  if (Read read = read_number(view, tag::k_pegged_exec_inst, 0, 2, k_reasons, k_pegged_exec_inst_text, terms.peg);
      !read)
    return read;
  if (terms.peg != 0 && terms.sub_type != OrderSubType::pegged)
    return refuse_value(k_reasons.unsupported, tag::k_pegged_exec_inst,
                        "PeggedExecInst(27021)=% needs OrdType(40)=P: here it is %", view,
                        said_of(view, tag::k_ord_type));
  return read_owner(view, order, said);
}

/// The same of a message that is_plain_order(): what it does not have is not looked for.
Read read_plain_order(const MessageView& view, market::NewOrder& order) noexcept {
  OrderTerms& terms = order.terms;
  if (Read read = read_prices(view, k_new_order_reasons, terms); !read) return read;
  if (Read read = read_time_in_force(view, k_new_order_reasons, terms); !read) return read;
  terms.displayed = terms.quantity;
  return read_account(view, order.labels);
}

/// What is left to be read of a change behind what it says of its order.
Read read_rest_of_change(const MessageView& view, const Order& order, const OwnerOfOrder& owner,
                         OrderTerms& terms) noexcept {
  constexpr const Reasons& k_reasons = k_change_reasons;
  if (Read read = check_absent(view, k_uncarried, k_reasons.unsupported); !read) return read;
  if (Read read = check_peg(view, terms, k_reasons); !read) return read;
  if (Read read = read_prices(view, k_reasons, terms); !read) return read;
  if (Read read = read_new_quantity(view, order, terms); !read) return read;
  if (Read read = read_new_expiry(view, terms); !read) return read;
  if (Read read = read_conditions(view, k_reasons, terms); !read) return read;
  if (terms.group == 0 && order.terms.group != 0)
    return refuse_number(k_reasons.unsupported, tag::k_group_id,
                         "GroupID(27017)=% cannot be: the order has %, and a group cannot be left", view,
                         order.terms.group);
  if (Read read = check_peg_unchanged(view, order.terms); !read) return read;
  return check_owner_unchanged(view, order, owner);
}

/// The same of a message that is_plain_order().
Read read_plain_change(const MessageView& view, const Order& order, OrderTerms& terms) noexcept {
  if (Read read = read_prices(view, k_change_reasons, terms); !read) return read;
  return read_new_quantity(view, order, terms);
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

Read read_id(const MessageView& view, Tag tag, ClOrdId& id) noexcept {
  const Result<std::string_view> text = view.text(tag);
  if (!text) return unreadable(text.error());
  const std::size_t size = text->size();
  if (size - 8 <= 8) [[likely]] {
    const std::uint64_t first = load_word(text->data()), last = load_word(text->data() + size - 8);
    if (!has_null(first) && !has_null(last)) [[likely]] {
      const std::uint64_t second = size == 8 ? 0 : last >> 8 * (16 - size);  // without those that are in the first
      store_pair(id.chars.data(), first, second);
      std::memset(id.chars.data() + 16, 0, sizeof id.chars - 16);
      return {};
    }
  }
  constexpr auto k_reason = static_cast<std::uint16_t>(fix::RejectReason::value_incorrect);
  if (size > k_cl_ord_id_max || text->find('\0') != std::string_view::npos)
    return Refused(Refusal{Refusal::Answer::session, k_reason, tag, "at most 40 characters, none of them null"});
  id = ClOrdId::cut(*text);
  return {};
}

Read read_new_order(const MessageView& view, const SymbolTable& symbols, market::NewOrder& order,
                    OrderParties& said) noexcept {
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
  const auto quantity = read_quantity(view, tag::k_order_qty, 1, k_reasons, k_order_qty_text);
  if (!quantity) return Refused(quantity.error());
  terms.quantity = *quantity;
  return is_plain_order(view) ? read_plain_order(view, order) : read_rest(view, order, said);
}

Read read_cancel(const MessageView& view, const SymbolTable& symbols, const Order& order) noexcept {
  return check_same_order(view, symbols, order);
}

Read read_replace(const MessageView& view, const SymbolTable& symbols, const Order& order, const OwnerOfOrder& owner,
                  OrderTerms& terms, Text<10>& account) noexcept {
  constexpr const Reasons& k_reasons = k_change_reasons;
  terms = order.terms;
  if (Read read = check_same_order(view, symbols, order); !read) return read;
  if (Read read = check_unchanged(view, order); !read) return read;
  Read read =
      is_plain_order(view) ? read_plain_change(view, order, terms) : read_rest_of_change(view, order, owner, terms);
  if (!read) return read;
  return read_text(view, tag::k_account, k_reasons, k_account_text, account);
}

}  // namespace dojima::gateway
