#pragma once

// Checks and reads NewOrder `D`, for any dialect that has tables. Instantiated once per dialect, by its reader.
// Stateless, no allocation.

#include "dojima/mit/codec/codec_rules.hpp"

namespace dojima::mit {

template <class D>
class NewOrderReader {
  using M = typename D::NewOrder;
  using Time = time::Time;

 public:
  /// Whether an order without a sub-type keeps every rule: all in one test, because most orders do. Which rule another
  /// one breaks is found out rule by rule.
  [[nodiscard]] static bool is_plain(Bytes whole) noexcept {
    const Bytes message = exactly<M>(whole);
    const unsigned type = load(message, M::order_type), clearing = load(message, M::clearing_account);
    const unsigned capacity = load(message, M::capacity);
    const std::uint8_t mifid = load(message, M::mifid_flags), qualifiers = load(message, M::party_role_qualifiers);
    const std::uint32_t client = load(message, M::client_id), trader = load(message, M::executing_trader);
    const std::uint32_t decision_maker = load(message, M::investment_decision_maker);
    const auto side = static_cast<unsigned>(load(message, M::side));
    bool holds = is_identifier(message, M::client_order_id) && message[M::client_order_id.offset] != std::byte{0} &&
                 is_identifier(message, M::account) && is_ascii(message, M::trader_id);
    holds &= clearing == 1 || clearing == 3;
    holds &= load(message, M::instrument_id) >= 1;
    holds &= ((mifid & 0xf8) | (qualifiers & 0xc0)) == 0;
    holds &= D::k_order_types.has(load(message, M::order_type));
    holds &= D::k_times_in_force.has(load(message, M::tif));
    holds &= side - 1 <= 1;
    holds &= static_cast<std::int64_t>(load(message, M::order_qty)) >= 1;
    holds &= static_cast<std::int64_t>(load(message, M::display_qty)) >= 0;
    holds &= capacity - 1 <= 2;
    holds &= load(message, M::auto_cancel) <= 1;
    holds &= load(message, M::anonymity) <= 1;
    holds &= load(message, M::order_sub_type) == 0 && D::k_order_sub_types.has(0);
    if constexpr (requires { M::passive_only_order; }) holds &= load(message, M::passive_only_order) == 0;
    if constexpr (requires { M::order_source; }) holds &= load(message, M::order_source) == 1;
    if constexpr (requires { M::owner_type; }) holds &= load(message, M::owner_type) <= 2;
    holds &= client != 3 && trader >= 3 && (decision_maker == 0 || decision_maker >= k_first_short_code);
    holds &= is_qualified(qualifiers, 0, client);
    holds &= is_qualified(qualifiers, 1, decision_maker);
    holds &= is_qualified(qualifiers, 2, trader);
    holds &= (type != 2 && type != 4) || load(message, M::limit_price) >= 1;
    holds &= (type != 3 && type != 4) || load(message, M::stop_price) >= 1;
    return holds;
  }

  static Fault check(Bytes message) {
    if (is_plain(message)) return {};
    Rules rules(message);
    check_values(rules, message);
    check_conditions(rules, message);
    return rules.fault();
  }

  /// Fields that do not apply to the kind of order are ignored: they become 0. Each is written once, in its place: an
  /// order that is cleared first is cleared by a loop that takes its time to begin.
  static void read(Bytes whole, Inbound& request) {
    const Bytes message = exactly<M>(whole);
    request.kind = Inbound::Kind::new_order;
    market::NewOrder& order = request.new_order;
    order.header = {.instrument = static_cast<std::uint32_t>(load(message, M::instrument_id)),
                    .type = market::CommandType::new_order};
    read_terms(message, order.terms);
    order.linked = {};

    load_into(order.labels.account, message, M::account);
    read_labels<M>(message, order.labels);
  }

 private:
  /// Level 1: every field by itself, in wire order.
  static void check_values(Rules& rules, Bytes message) {
    const std::uint8_t mifid = load(message, M::mifid_flags);
    const std::uint8_t qualifiers = load(message, M::party_role_qualifiers);
    const std::uint32_t client = load(message, M::client_id);
    const std::uint32_t decision_maker = load(message, M::investment_decision_maker);
    const std::uint32_t trader = load(message, M::executing_trader);
    [[maybe_unused]] const bool is_pegged =
        load(message, M::order_sub_type) == static_cast<std::uint8_t>(market::OrderSubType::pegged);
    rules.identifier(M::client_order_id)
        .present(M::client_order_id)
        .ascii(M::trader_id)
        .identifier(M::account)
        .one_of(M::clearing_account, {1, 3})
        .at_least(M::instrument_id, 1)
        .require((mifid & 0xf8) == 0, M::mifid_flags, mifid, "bits 3 to 7 zero")
        .require((qualifiers & 0xc0) == 0, M::party_role_qualifiers, qualifiers, "bits 6 and 7 zero")
        .one_of(M::order_type, D::k_order_types)
        .one_of(M::tif, D::k_times_in_force)
        .one_of(M::side, {1, 2})
        .at_least(M::order_qty, 1)
        .at_least(M::display_qty, 0)
        .one_of(M::capacity, {1, 2, 3})
        .one_of(M::auto_cancel, {0, 1})
        .one_of(M::order_sub_type, D::k_order_sub_types)
        .one_of(M::anonymity, {0, 1});
    if constexpr (requires { M::passive_only_order; }) rules.one_of(M::passive_only_order, {0, 1, 2, 3, 99, 100});
    if constexpr (requires { M::order_source; }) rules.one_of(M::order_source, {1, 3, 7, 8, 9});
    rules.require(client != 3, M::client_id, client, "0, 1, 2 or a short code from 4")
        .require(decision_maker == 0 || decision_maker >= k_first_short_code, M::investment_decision_maker,
                 decision_maker, "0 or a short code from 4");
    if constexpr (requires { M::minimum_quantity; })
      if (is_pegged) rules.at_least(M::minimum_quantity, 0);
    rules.require(trader >= 3, M::executing_trader, trader, "3 or a short code from 4");
    if constexpr (requires { M::pegged_exec_inst; })
      if (is_pegged) rules.one_of(M::pegged_exec_inst, {0, 1, 2});
    if constexpr (requires { M::owner_type; }) rules.one_of(M::owner_type, {0, 1, 2});
  }

  /// Level 2: what a field must be because of others.
  static void check_conditions(Rules& rules, Bytes message) {
    const std::uint8_t qualifiers = load(message, M::party_role_qualifiers);
    const std::uint8_t type = load(message, M::order_type);
    const bool is_offset = load(message, M::order_sub_type) == static_cast<std::uint8_t>(market::OrderSubType::offset);
    rules.require(is_qualified(qualifiers, 0, load(message, M::client_id)) &&
                      is_qualified(qualifiers, 1, load(message, M::investment_decision_maker)) &&
                      is_qualified(qualifiers, 2, load(message, M::executing_trader)),
                  M::party_role_qualifiers, qualifiers, "a qualifier for every short code");
    if (type == 2 || type == 4) rules.at_least(M::limit_price, is_offset ? 0 : 1);
    if (type == 3 || type == 4) rules.at_least(M::stop_price, 1);
  }

  [[gnu::always_inline]] static void read_terms(Bytes message, market::OrderTerms& terms) {
    using market::OrderSubType, market::OrderType, market::TimeInForce;
    const auto type = static_cast<OrderType>(load(message, M::order_type));
    const auto sub_type = static_cast<OrderSubType>(load(message, M::order_sub_type));
    const auto time_in_force = static_cast<TimeInForce>(load(message, M::tif));
    const bool is_pegged = sub_type == OrderSubType::pegged;
    const bool is_timed = time_in_force == TimeInForce::good_till_date || time_in_force == TimeInForce::good_till_time;
    terms.limit.units =
        type == OrderType::limit || type == OrderType::stop_limit ? load(message, M::limit_price) : std::int64_t{0};
    terms.stop.units =
        type == OrderType::stop || type == OrderType::stop_limit ? load(message, M::stop_price) : std::int64_t{0};
    terms.quantity.lots = lots_in(message, M::order_qty);
    terms.displayed.lots = lots_in(message, M::display_qty);
    terms.minimum = {};
    if constexpr (requires { M::minimum_quantity; })
      if (is_pegged) terms.minimum.lots = load(message, M::minimum_quantity);
    terms.expiry = is_timed ? seconds_in(message, M::expire_date_time) : Time{};
    terms.offset_bp = 0;
    if constexpr (requires { M::offset; })
      if (sub_type == OrderSubType::offset) terms.offset_bp = load(message, M::offset);
    terms.owner = 0;
    terms.group = 0;
    if constexpr (requires { M::group_id; }) terms.group = load(message, M::group_id);
    terms.side = static_cast<market::Side>(load(message, M::side));
    terms.type = type;
    terms.time_in_force = time_in_force;
    terms.passive = 0;
    if constexpr (requires { M::passive_only_order; }) terms.passive = load(message, M::passive_only_order);
    terms.sub_type = sub_type;
    terms.capacity = static_cast<market::Capacity>(load(message, M::capacity));
    terms.peg = 0;
    if constexpr (requires { M::pegged_exec_inst; })
      if (is_pegged) terms.peg = load(message, M::pegged_exec_inst);
    terms.flags = static_cast<std::uint8_t>((load(message, M::auto_cancel) != 0 ? market::k_auto_cancel : 0) |
                                            (load(message, M::anonymity) != 0 ? market::k_named : 0));
    terms.owner_type = 0;
    if constexpr (requires { M::owner_type; }) terms.owner_type = load(message, M::owner_type);
  }
};

}  // namespace dojima::mit
