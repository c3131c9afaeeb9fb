#pragma once

// Checks and reads what changes orders that are there, OrderCancelReplaceRequest `G`, OrderCancelRequest `F` and
// OrderMassCancelRequest `q`, for any dialect that has tables. Instantiated once per dialect, by its reader. Stateless,
// no allocation.

#include "dojima/mit/codec/codec_quotes.hpp"
#include "dojima/mit/codec/codec_rules.hpp"

namespace dojima::mit {

template <class D>
class ChangeReader {
  using OrderCancelReplaceRequest = typename D::OrderCancelReplaceRequest;
  using OrderCancelRequest = typename D::OrderCancelRequest;
  using OrderMassCancelRequest = typename D::OrderMassCancelRequest;

 public:
  /// Whether a replace with no passive rule keeps every rule: all in one test, because most do. Which rule another one
  /// breaks is found out rule by rule.
  [[nodiscard]] static bool is_plain_replace(Bytes whole) noexcept {
    using M = OrderCancelReplaceRequest;
    const Bytes message = exactly<M>(whole);
    const auto side = static_cast<unsigned>(load(message, M::side));
    bool holds = is_identifier(message, M::client_order_id) && message[M::client_order_id.offset] != std::byte{0} &&
                 is_ascii(message, M::original_client_order_id) && is_identifier(message, M::account) &&
                 names_order(message, M::order_id);
    holds &= load(message, M::instrument_id) >= 1;
    holds &= (message[M::reserved_2.offset] | message[M::reserved_3.offset]) == std::byte{0};
    static_assert(M::reserved_2.info().width == 1 && M::reserved_3.info().width == 1);
    holds &= static_cast<std::int64_t>(load(message, M::order_qty)) >= 1;
    holds &= static_cast<std::int64_t>(load(message, M::display_qty)) >= 0;
    holds &= side - 1 <= 1;
    if constexpr (requires { M::passive_only_order; }) holds &= load(message, M::passive_only_order) == 0;
    if constexpr (requires { M::minimum_quantity; }) holds &= load(message, M::minimum_quantity) >= 0;
    return holds;
  }

  static Fault check_replace(Bytes message) { return is_plain_replace(message) ? Fault{} : search_replace(message); }
  /// Which rule it breaks, rule by rule.
  static Fault search_replace(Bytes message) {
    using M = OrderCancelReplaceRequest;
    Rules rules(message);
    rules.identifier(M::client_order_id)
        .present(M::client_order_id)
        .ascii(M::original_client_order_id)
        .order_id(M::order_id)
        .at_least(M::instrument_id, 1)
        .zero(M::reserved_2)
        .at_least(M::order_qty, 1, code::k_replace_quantity)
        .at_least(M::display_qty, 0)
        .identifier(M::account)
        .zero(M::reserved_3)
        .one_of(M::side, {1, 2});
    if constexpr (requires { M::passive_only_order; }) rules.one_of(M::passive_only_order, {0, 1, 2, 3, 99, 100});
    if constexpr (requires { M::minimum_quantity; }) rules.at_least(M::minimum_quantity, 0);
    return rules.fault();
  }

  /// Each field is written once, in its place, as of an order.
  static void read_replace(Bytes whole, Inbound& request) {
    using M = OrderCancelReplaceRequest;
    const Bytes message = exactly<M>(whole);
    request.kind = Inbound::Kind::replace;
    market::Replace& replace = request.replace;
    replace.header = {.instrument = static_cast<std::uint32_t>(load(message, M::instrument_id)),
                      .type = market::CommandType::replace};
    replace.order.value = id_in(message, M::order_id);
    replace.limit.units = load(message, M::limit_price);
    replace.stop.units = load(message, M::stop_price);
    replace.quantity.lots = lots_in(message, M::order_qty);
    replace.displayed.lots = lots_in(message, M::display_qty);
    replace.minimum = {};
    if constexpr (requires { M::minimum_quantity; }) replace.minimum.lots = load(message, M::minimum_quantity);
    replace.expiry = seconds_in(message, M::expire_date_time);
    replace.offset_bp = 0;
    if constexpr (requires { M::offset; }) replace.offset_bp = load(message, M::offset);
    replace.side = static_cast<market::Side>(load(message, M::side));
    replace.group = 0;
    if constexpr (requires { M::group_id; }) replace.group = load(message, M::group_id);
    replace.passive = 0;
    if constexpr (requires { M::passive_only_order; })
      replace.passive = static_cast<std::uint8_t>(load(message, M::passive_only_order));
    replace.flags = 0;
    load_into(replace.client_order_id, message, M::client_order_id);
    load_into(replace.original_client_order_id, message, M::original_client_order_id);
    load_into(replace.account, message, M::account);
    for (std::uint8_t& reserved : replace.reserved) reserved = 0;
  }

  /// The same of a cancel.
  [[nodiscard]] static bool is_plain_cancel(Bytes whole) noexcept {
    using M = OrderCancelRequest;
    const Bytes message = exactly<M>(whole);
    const auto side = static_cast<unsigned>(load(message, M::side));
    return is_identifier(message, M::client_order_id) && message[M::client_order_id.offset] != std::byte{0} &&
           is_ascii(message, M::original_client_order_id) && names_order(message, M::order_id) &&
           load(message, M::instrument_id) >= 1 && side - 1 <= 1 && message[M::rfq_id.offset] == std::byte{0} &&
           is_ascii(message, M::rfq_id);
  }

  static Fault check_cancel(Bytes message) { return is_plain_cancel(message) ? Fault{} : search_cancel(message); }
  static Fault search_cancel(Bytes message) {
    using M = OrderCancelRequest;
    return Rules(message)
        .identifier(M::client_order_id)
        .present(M::client_order_id)
        .ascii(M::original_client_order_id)
        .order_id(M::order_id)
        .at_least(M::instrument_id, 1)
        .one_of(M::side, {1, 2})
        .ascii(M::rfq_id)
        .require(message[M::rfq_id.offset] == std::byte{0}, M::rfq_id, 0, "null: there are no RFQ quotes to cancel")
        .fault();
  }

  static void read_cancel(Bytes whole, Inbound& request) {
    using M = OrderCancelRequest;
    const Bytes message = exactly<M>(whole);
    market::Cancel& cancel = begin(request, Inbound::Kind::cancel, request.cancel);
    cancel.header.instrument = static_cast<std::uint32_t>(load(message, M::instrument_id));
    cancel.order.value = id_in(message, M::order_id);
    load_into(cancel.client_order_id, message, M::client_order_id);
    load_into(cancel.original_client_order_id, message, M::original_client_order_id);
    cancel.side = static_cast<market::Side>(load(message, M::side));
  }

  /// Fields that a type does not need are not looked at. What must be there and is 0 is missing.
  static Fault check_mass_cancel(Bytes message) {
    using M = OrderMassCancelRequest;
    const MassCancelKind kind = mass_cancel_kind(load(message, M::mass_cancel_request_type), D::k_mass_cancel_types);
    Rules rules(message);
    rules.identifier(M::client_order_id)
        .present(M::client_order_id)
        .require(kind.type != 0, M::mass_cancel_request_type, load(message, M::mass_cancel_request_type),
                 "a value of the MassCancelRequestType table");
    if (kind.has_instrument) {
      const std::int32_t instrument = load(message, M::instrument_id);
      rules.require(instrument != 0, M::instrument_id, 0, "a value", code::k_value_missing, ErrorCode::missing)
          .at_least(M::instrument_id, 1);
    }
    if constexpr (requires { M::group_id; })
      if (kind.has_group)
        rules.require(load(message, M::group_id) != 0, M::group_id, 0, "a value", code::k_value_missing,
                      ErrorCode::missing);
    rules.ascii(M::segment);
    if (kind.has_segment) rules.present(M::segment);
    const std::uint8_t sub_type = load(message, M::order_sub_type);
    const bool is_kind = sub_type == 0 || (HasQuotes<D> && sub_type == number_of(market::MassCancelOf::quotes));
    return rules.require(is_kind, M::order_sub_type, sub_type, HasQuotes<D> ? "0 orders, 3 quotes" : "0 orders")
        .fault();
  }

  static void read_mass_cancel(Bytes message, Inbound& request) {
    using M = OrderMassCancelRequest;
    const MassCancelKind kind = mass_cancel_kind(load(message, M::mass_cancel_request_type), D::k_mass_cancel_types);
    market::MassCancel& cancel = begin(request, Inbound::Kind::mass_cancel, request.mass_cancel);
    if (kind.has_instrument) cancel.header.instrument = static_cast<std::uint32_t>(load(message, M::instrument_id));
    if (kind.has_segment) cancel.segment = load(message, M::segment);
    if constexpr (requires { M::group_id; })
      if (kind.has_group) cancel.group = load(message, M::group_id);
    cancel.is_account = kind.is_account;
    cancel.of = static_cast<market::MassCancelOf>(load(message, M::order_sub_type));
    cancel.client_order_id = load(message, M::client_order_id);
  }
};

}  // namespace dojima::mit
