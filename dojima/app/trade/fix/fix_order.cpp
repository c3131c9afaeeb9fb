#include "dojima/app/trade/fix/fix_order.hpp"

#include <array>
#include <fmt/core.h>

#include "dojima/app/trade/fix/tags.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::app {
namespace {

using gateway::FixVersion;
using market::Capacity, market::OrderSubType, market::OrderTerms, market::OrderType, market::Side, market::TimeInForce;

bool is_oldest(const FixFields& fields) {
  return fields.version() == FixVersion::fix_4_2;
}
bool is_newest(const FixFields& fields) {
  return fields.version() == FixVersion::fix_5_0_sp2;
}

char type_of(const OrderTerms& terms) {
  if (terms.sub_type == OrderSubType::pegged) return 'P';
  if (terms.sub_type == OrderSubType::offset) return 'F';
  switch (terms.type) {
    case OrderType::market:
      return '1';
    case OrderType::stop:
      return '3';
    case OrderType::stop_limit:
      return '4';
    case OrderType::market_to_limit:
      return 'K';
    default:
      return '2';
  }
}

/// '\0': there is no TimeInForce(59) for it.
char time_in_force_of(TimeInForce time_in_force) {
  switch (time_in_force) {
    case TimeInForce::day:
      return '0';
    case TimeInForce::good_till_cancel:
      return '1';
    case TimeInForce::at_the_opening:
      return '2';
    case TimeInForce::immediate_or_cancel:
      return '3';
    case TimeInForce::fill_or_kill:
      return '4';
    case TimeInForce::good_till_date:
    case TimeInForce::good_till_time:
      return '6';
    case TimeInForce::at_the_close:
      return '7';
    case TimeInForce::good_for_intraday_auction:
      return '8';
    case TimeInForce::good_for_next_auction:
      return '9';
    case TimeInForce::good_for_scheduled_auction:
      return 'C';
    case TimeInForce::auction_volume_discovery:
      return 'D';
    case TimeInForce::volume_discovery_and_cross:
      return 'E';
    case TimeInForce::closing_price_cross:
    case TimeInForce::good_for_auction:
    case TimeInForce::at_closing_price:
      break;
  }
  return '\0';
}

void put_time_in_force(FixFields& fields, const OrderTerms& terms) {
  if (terms.time_in_force == TimeInForce::closing_price_cross) {
    fields.field(tag::k_trading_session_count, std::int64_t{1}).field(tag::k_trading_session_id, 'a');
    return;
  }
  const char value = time_in_force_of(terms.time_in_force);
  if (value == '\0') {
    fields.refuse("FIX has no word for this time in force; MIT203 (--native) has");
    return;
  }
  fields.field(tag::k_time_in_force, value);
  char text[time::k_timestamp_max];
  const std::string_view end = time::format_timestamp(terms.expiry, 0, text);
  if (terms.time_in_force == TimeInForce::good_till_date) fields.field(tag::k_expire_date, end.substr(0, 8));
  if (terms.time_in_force == TimeInForce::good_till_time) fields.field(tag::k_expire_time, end);
}

void put_displayed(FixFields& fields, const OrderTerms& terms) {
  const bool is_random = terms.sub_type == OrderSubType::random_peak;
  if (terms.displayed == terms.quantity && !is_random) return;
  if (is_newest(fields)) {
    if (terms.displayed.lots == 0) {
      fields.field(tag::k_display_method, '4');
    } else {
      fields.field(tag::k_display_qty, terms.displayed).field(tag::k_display_method, is_random ? '3' : '1');
    }
  } else if (is_random) {
    fields.field(tag::k_display_method, '3');
  } else {
    fields.field(tag::k_max_floor, terms.displayed);
  }
}

/// Type, prices, what is shown and the conditions.
void put_terms(FixFields& fields, const OrderTerms& terms) {
  const bool has_limit = terms.type == OrderType::limit || terms.type == OrderType::stop_limit;
  const bool has_stop = terms.type == OrderType::stop || terms.type == OrderType::stop_limit;
  fields.field(tag::k_order_qty, terms.quantity).field(tag::k_ord_type, type_of(terms));
  if (has_limit && !(terms.sub_type == OrderSubType::offset && terms.limit.units == 0))
    fields.field(tag::k_price, terms.limit);
  if (has_stop) fields.field(tag::k_stop_px, terms.stop);
  if (terms.sub_type == OrderSubType::offset) fields.field(tag::k_offset, std::int64_t{terms.offset_bp});
}

void put_conditions(FixFields& fields, const OrderTerms& terms) {
  if (terms.minimum.lots != 0) fields.field(tag::k_min_qty, terms.minimum);
  if (terms.passive != 0) fields.field(tag::k_passive_only_order, std::int64_t{terms.passive});
  if (terms.group != 0) fields.field(tag::k_group_id, std::int64_t{terms.group});
  if (terms.peg != 0) fields.field(tag::k_pegged_exec_inst, std::int64_t{terms.peg});
}

void put_capacity(FixFields& fields, Capacity capacity) {
  if (capacity == Capacity::none) return;
  const char value = capacity == Capacity::matched_principal ? 'R' : capacity == Capacity::dealing ? 'P' : 'A';
  if (is_oldest(fields) && value == 'R') {
    fields.refuse("FIX.4.2 has no capacity of a matched principal");
  } else {
    fields.field(is_oldest(fields) ? tag::k_rule_80a : tag::k_order_capacity, value);
  }
}

void put_parties(FixFields& fields, const OrderEntry& order) {
  struct Numbered {
    const std::optional<NumberedParty>& party;
    std::int64_t role;
  };
  constexpr std::int64_t k_trader_role = 100;
  const std::array parties{Numbered{order.client, 3}, Numbered{order.decision_maker, 122},
                           Numbered{order.executing_trader, 12}};
  std::int64_t count = order.trader.empty() ? 0 : 1;
  for (const Numbered& each : parties) count += each.party ? 1 : 0;
  if (count == 0) return;
  fields.field(tag::k_no_party_ids, count);
  for (const auto& [party, role] : parties) {
    if (!party) continue;
    fields.field(tag::k_party_id, std::int64_t{party->id})
        .field(tag::k_party_id_source, is_newest(fields) ? 'P' : 'D')
        .field(tag::k_party_role, role);
    constexpr std::array<const char*, 4> k_qualifiers{"", "23", "22", "24"};
    if (party->qualifier != 0) fields.field(tag::k_party_role_qualifier, k_qualifiers[party->qualifier]);
  }
  if (!order.trader.empty())
    fields.field(tag::k_party_id, order.trader)
        .field(tag::k_party_id_source, 'D')
        .field(tag::k_party_role, k_trader_role);
}

void put_mifid(FixFields& fields, std::uint8_t flags) {
  fields.field(tag::k_order_origination, (flags & k_direct_access) != 0 ? '5' : '1');
  fields.field(tag::k_order_attribute_count, std::int64_t{2})
      .field(tag::k_order_attribute_type, '2')
      .field(tag::k_order_attribute_value, (flags & k_liquidity_provision) != 0 ? 'Y' : 'N')
      .field(tag::k_order_attribute_type, '4')
      .field(tag::k_order_attribute_value, (flags & k_algorithm) != 0 ? 'Y' : 'N');
}

void put_owner(FixFields& fields, const OrderEntry& order) {
  if (!order.account.empty()) fields.field(tag::k_account, order.account);
  if (order.clearing) fields.field(tag::k_account_type, std::int64_t{*order.clearing});
  put_capacity(fields, order.terms.capacity);
  if (order.owner_type) fields.field(tag::k_owner_type, std::int64_t{*order.owner_type});
  if (order.is_named) fields.field(tag::k_pre_trade_anonymity, *order.is_named ? 'N' : 'Y');
  put_parties(fields, order);
  if (order.mifid) put_mifid(fields, *order.mifid);
}

void put_instrument(FixFields& fields, const OrderEntry& order) {
  // FIX 4.2 cannot do without HandlInst; the venue knows one way only.
  if (is_oldest(fields)) fields.field(tag::k_handl_inst, '1');
  fields.field(tag::k_symbol, order.symbol)
      .field(tag::k_side, order.terms.side == Side::buy ? '1' : '2')
      .transact_time();
}

}  // namespace

FixFields fix_new_order(const TradeRequest& request, FixVersion version) {
  FixFields fields(version, fix::type::k_new_order_single);
  const OrderEntry& order = request.order->entry;
  fields.field(tag::k_cl_ord_id, request.id);
  put_instrument(fields, order);
  put_terms(fields, order.terms);
  put_time_in_force(fields, order.terms);
  put_displayed(fields, order.terms);
  put_conditions(fields, order.terms);
  put_owner(fields, order);
  return fields;
}

FixFields fix_replace(const TradeRequest& request, FixVersion version) {
  FixFields fields(version, fix::type::k_order_cancel_replace_request);
  const BlotterOrder& order = *request.order;
  const Amendment& amendment = request.command.amendment;
  OrderTerms terms = order.entry.terms;
  terms.quantity = amendment.quantity.value_or(terms.quantity);
  terms.limit = amendment.limit.value_or(terms.limit);
  terms.stop = amendment.stop.value_or(terms.stop);
  fields.field(tag::k_orig_cl_ord_id, order.id).field(tag::k_cl_ord_id, request.id);
  put_instrument(fields, order.entry);
  put_terms(fields, terms);
  put_time_in_force(fields, terms);
  if (amendment.displayed) {
    terms.displayed = *amendment.displayed;
    put_displayed(fields, terms);
  }
  return fields;
}

}  // namespace dojima::app
