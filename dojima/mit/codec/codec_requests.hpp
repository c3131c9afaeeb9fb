#pragma once

// Reads and checks what a client sends, for any dialect that has tables (codec_tables.hpp). Instantiated once per
// dialect, in its own source. Stateless, no allocation.

#include "dojima/mit/codec/codec_quotes.hpp"
#include "dojima/mit/codec/codec_rules.hpp"

namespace dojima::mit {

template <class D>
class RequestReader {
  using Logon = typename D::Logon;
  using Logout = typename D::Logout;
  using Heartbeat = typename D::Heartbeat;
  using NewOrder = typename D::NewOrder;
  using OrderCancelReplaceRequest = typename D::OrderCancelReplaceRequest;
  using OrderCancelRequest = typename D::OrderCancelRequest;
  using OrderMassCancelRequest = typename D::OrderMassCancelRequest;
  using MissedMessageRequest = typename D::MissedMessageRequest;
  using Time = time::Time;
  static constexpr std::size_t k_longest = longest_of(D::k_layouts);

 public:
  /// As Dialect::decode_request.
  static Result<void> decode_request(Bytes message, Inbound& request, mit::Reject& refusal) {
    request.kind = Inbound::Kind::none;
    if (read_plain(message, request)) [[likely]]
      return {};
    const Result<char> type = type_of(message, k_longest);
    if (!type) {
      refusal = {.code = code::k_value_invalid, .reason = header_field(type.error())};
      return std::unexpected(type.error());
    }
    const Fault fault = decode_any(message, *type, request);
    if (fault.is_none()) return {};
    request.kind = Inbound::Kind::none;
    fill_refusal(message, *type, fault, refusal);
    return std::unexpected(fault.error);
  }

  /// As Dialect::read_request.
  static void read_request(Bytes message, Inbound& request) {
    switch (load_little<char>(message, k_type_offset)) {
      case NewOrder::k_type:
        return read_new_order(message, request);
      case OrderCancelReplaceRequest::k_type:
        return read_replace(message, request);
      case OrderCancelRequest::k_type:
        return read_cancel(message, request);
      case OrderMassCancelRequest::k_type:
        return read_mass_cancel(message, request);
      case Logon::k_type:
        return read_logon(message, request);
      case Logout::k_type:
        return read_logout(message, request);
      case MissedMessageRequest::k_type:
        return read_missed_messages(message, request);
      case Heartbeat::k_type:
        request.kind = Inbound::Kind::heartbeat;
        return;
      default:
        request.kind = Inbound::Kind::none;
        if constexpr (HasQuotes<D>)
          if (load_little<char>(message, k_type_offset) == D::NewQuote::k_type) QuoteCodec<D>::read(message, request);
    }
  }

 private:
  [[nodiscard]] static Time seconds_in(Bytes message, UInt32Field field) noexcept {
    return time::from_nanoseconds(load(message, field) * k_second);
  }

  static Fault check_logout(Bytes message) { return Rules(message).ascii(Logout::reason).fault(); }

  static void read_logout(Bytes message, Inbound& request) {
    begin(request, Inbound::Kind::logout, request.logout).reason = load(message, Logout::reason);
  }

  static Fault check_missed_messages(Bytes message) {
    using M = MissedMessageRequest;
    return Rules(message).at_least(M::app_id, 1).at_least(M::last_msg_seq_num, 1).fault();
  }

  static void read_missed_messages(Bytes message, Inbound& request) {
    using M = MissedMessageRequest;
    mit::MissedMessageRequest& read = begin(request, Inbound::Kind::missed_messages, request.missed_messages);
    read.partition = static_cast<std::uint8_t>(load(message, M::app_id));
    read.last.value = static_cast<std::uint64_t>(load(message, M::last_msg_seq_num));
  }

  static Fault check_logon(Bytes message) {
    using M = Logon;
    return Rules(message)
        .ascii(M::user_name)
        .present(M::user_name)
        .ascii(M::password)
        .present(M::password)
        .ascii(M::new_password)
        .one_of(M::message_version, {1})
        .fault();
  }

  static void read_logon(Bytes message, Inbound& request) {
    using M = Logon;
    mit::Logon& logon = begin(request, Inbound::Kind::logon, request.logon);
    logon.user = load(message, M::user_name);
    logon.password = load(message, M::password);
    logon.new_password = load(message, M::new_password);
  }

  /// Level 1: every field by itself, in wire order.
  static void check_new_order_values(Rules& rules, Bytes message) {
    using M = NewOrder;
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
  static void check_new_order_conditions(Rules& rules, Bytes message) {
    using M = NewOrder;
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

  /// Whether an order without a sub-type keeps every rule: all in one test, because most orders do. Which rule another
  /// one breaks is found out rule by rule.
  [[nodiscard]] static bool is_plain_order(Bytes whole) noexcept {
    using M = NewOrder;
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

  static Fault check_new_order(Bytes message) {
    if (is_plain_order(message)) return {};
    Rules rules(message);
    check_new_order_values(rules, message);
    check_new_order_conditions(rules, message);
    return rules.fault();
  }

  /// Fields that do not apply to the kind of order are ignored: they become 0. Each is written once, in its place: an
  /// order that is cleared first is cleared by a loop that takes its time to begin.
  static void read_new_order(Bytes whole, Inbound& request) {
    using M = NewOrder;
    const Bytes message = exactly<M>(whole);
    request.kind = Inbound::Kind::new_order;
    market::NewOrder& order = request.new_order;
    order.header = {.instrument = static_cast<std::uint32_t>(load(message, M::instrument_id)),
                    .type = market::CommandType::new_order};
    read_terms(message, order.terms);
    order.linked = {};

    order.labels.account = load(message, M::account);
    read_labels<M>(message, order.labels);
  }

  [[gnu::always_inline]] static void read_terms(Bytes message, market::OrderTerms& terms) {
    using M = NewOrder;
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

  static Fault check_replace(Bytes message) {
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

  static void read_replace(Bytes whole, Inbound& request) {
    using M = OrderCancelReplaceRequest;
    const Bytes message = exactly<M>(whole);
    market::Replace& replace = begin(request, Inbound::Kind::replace, request.replace);
    replace.header.instrument = static_cast<std::uint32_t>(load(message, M::instrument_id));
    replace.order.value = id_in(message, M::order_id);
    replace.limit.units = load(message, M::limit_price);
    replace.stop.units = load(message, M::stop_price);
    replace.quantity.lots = lots_in(message, M::order_qty);
    replace.displayed.lots = lots_in(message, M::display_qty);
    if constexpr (requires { M::minimum_quantity; }) replace.minimum.lots = load(message, M::minimum_quantity);
    replace.expiry = seconds_in(message, M::expire_date_time);
    if constexpr (requires { M::offset; }) replace.offset_bp = load(message, M::offset);
    replace.side = static_cast<market::Side>(load(message, M::side));
    if constexpr (requires { M::group_id; }) replace.group = load(message, M::group_id);
    if constexpr (requires { M::passive_only_order; })
      replace.passive = static_cast<std::uint8_t>(load(message, M::passive_only_order));
    replace.client_order_id = load(message, M::client_order_id);
    replace.original_client_order_id = load(message, M::original_client_order_id);
    replace.account = load(message, M::account);
  }

  /// The same of a cancel that means its order by a client order id.
  [[nodiscard]] static bool is_plain_cancel(Bytes whole) noexcept {
    using M = OrderCancelRequest;
    const Bytes message = exactly<M>(whole);
    const auto side = static_cast<unsigned>(load(message, M::side));
    return is_identifier(message, M::client_order_id) && message[M::client_order_id.offset] != std::byte{0} &&
           is_ascii(message, M::original_client_order_id) && is_null(message, M::order_id) &&
           load(message, M::instrument_id) >= 1 && side - 1 <= 1 && message[M::rfq_id.offset] == std::byte{0} &&
           is_ascii(message, M::rfq_id);
  }

  static Fault check_cancel(Bytes message) {
    using M = OrderCancelRequest;
    if (is_plain_cancel(message)) return {};
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
    cancel.client_order_id = load(message, M::client_order_id);
    cancel.original_client_order_id = load(message, M::original_client_order_id);
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

  /// The requests that come most often, if they keep every rule; nothing of them is known otherwise.
  [[nodiscard]] static bool read_plain(Bytes message, Inbound& request) {
    if (!is_framed(message, k_longest)) return false;
    const char type = load_little<char>(message, k_type_offset);
    if (type == NewOrder::k_type && message.size() == NewOrder::k_size && is_plain_order(message)) {
      read_new_order(message, request);
      return true;
    }
    if (type == OrderCancelRequest::k_type && message.size() == OrderCancelRequest::k_size &&
        is_plain_cancel(message)) {
      read_cancel(message, request);
      return true;
    }
    return false;
  }

  /// Checks, then reads.
  template <class Message>
  static Fault decode_as(Bytes message, Inbound& request, Fault (*check)(Bytes), void (*read)(Bytes, Inbound&)) {
    Fault fault = check_size<Message>(message);
    if (fault.is_none()) fault = check(message);
    if (fault.is_none()) read(message, request);
    return fault;
  }

  static Fault decode_any(Bytes message, char type, Inbound& request) {
    switch (type) {
      case NewOrder::k_type:
        return decode_as<NewOrder>(message, request, check_new_order, read_new_order);
      case OrderCancelReplaceRequest::k_type:
        return decode_as<OrderCancelReplaceRequest>(message, request, check_replace, read_replace);
      case OrderCancelRequest::k_type:
        return decode_as<OrderCancelRequest>(message, request, check_cancel, read_cancel);
      case OrderMassCancelRequest::k_type:
        return decode_as<OrderMassCancelRequest>(message, request, check_mass_cancel, read_mass_cancel);
      case Logon::k_type:
        return decode_as<Logon>(message, request, check_logon, read_logon);
      case Logout::k_type:
        return decode_as<Logout>(message, request, check_logout, read_logout);
      case MissedMessageRequest::k_type:
        return decode_as<MissedMessageRequest>(message, request, check_missed_messages, read_missed_messages);
      case Heartbeat::k_type:
        request.kind = Inbound::Kind::heartbeat;
        return check_size<Heartbeat>(message);
      default:
        break;
    }
    if constexpr (HasQuotes<D>)
      if (type == D::NewQuote::k_type)
        return decode_as<typename D::NewQuote>(message, request, QuoteCodec<D>::check, QuoteCodec<D>::read);
    return unknown_type(type);
  }

  /// ClientOrderID is the first field of these, and of quotes, so it could be read unless the fault is its own or the
  /// header's.
  static constexpr auto k_client_order_id = NewOrder::client_order_id;
  static_assert(OrderCancelReplaceRequest::client_order_id.offset == NewOrder::client_order_id.offset &&
                OrderCancelRequest::client_order_id.offset == NewOrder::client_order_id.offset &&
                OrderMassCancelRequest::client_order_id.offset == NewOrder::client_order_id.offset);

  static void fill_refusal(Bytes message, char type, const Fault& fault, mit::Reject& refusal) {
    refusal = {.code = fault.code, .reason = Text<30>::cut(fault.name), .type = type};
    const bool has_id = type == NewOrder::k_type || type == OrderCancelReplaceRequest::k_type ||
                        type == OrderCancelRequest::k_type || type == OrderMassCancelRequest::k_type ||
                        (HasQuotes<D> && type == 'S');
    if (has_id && fault.error.offset > k_client_order_id.offset)
      refusal.client_order_id = load(message, k_client_order_id);
  }
};

}  // namespace dojima::mit
