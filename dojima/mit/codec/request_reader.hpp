#pragma once

// Reads and checks what a client sends, for any dialect that has tables (codec_tables.hpp). Instantiated once per
// dialect, in its own source. Stateless, no allocation.

#include "dojima/mit/codec/codec_changes.hpp"
#include "dojima/mit/codec/codec_orders.hpp"
#include "dojima/mit/codec/codec_quotes.hpp"
#include "dojima/mit/codec/codec_rules.hpp"
#include "dojima/mit/codec/session_request_reader.hpp"

namespace dojima::mit {

/// What the venue's Reject of a request says that breaks a rule. ClientOrderID is the first field of requests about
/// orders and quotes, so it could be read unless the fault is its own or the header's.
template <class D>
void fill_refusal(Bytes message, char type, const Fault& fault, mit::Reject& refusal) {
  using NewOrder = typename D::NewOrder;
  using OrderCancelReplaceRequest = typename D::OrderCancelReplaceRequest;
  using OrderCancelRequest = typename D::OrderCancelRequest;
  using OrderMassCancelRequest = typename D::OrderMassCancelRequest;
  static constexpr auto k_client_order_id = NewOrder::client_order_id;
  static_assert(OrderCancelReplaceRequest::client_order_id.offset == NewOrder::client_order_id.offset &&
                OrderCancelRequest::client_order_id.offset == NewOrder::client_order_id.offset &&
                OrderMassCancelRequest::client_order_id.offset == NewOrder::client_order_id.offset);
  refusal = {.code = fault.code, .reason = Text<30>::cut(fault.name), .type = type};
  const bool has_id = type == NewOrder::k_type || type == OrderCancelReplaceRequest::k_type ||
                      type == OrderCancelRequest::k_type || type == OrderMassCancelRequest::k_type ||
                      (HasQuotes<D> && type == 'S');
  if (has_id && fault.error.offset > k_client_order_id.offset)
    refusal.client_order_id = load(message, k_client_order_id);
}

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
  using Orders = NewOrderReader<D>;
  using Changes = ChangeReader<D>;
  using Session = SessionRequestReader<D>;
  static constexpr std::size_t k_longest = longest_of(D::k_layouts);

 public:
  /// As Dialect::decode_request.
  static Result<void> decode_request(Bytes message, Inbound& request, mit::Reject& refusal) {
    request.kind = Inbound::Kind::none;
    if (read_plain(message, request)) [[likely]]
      return {};
    return decode_checked(message, request, refusal);
  }

  /// As Dialect::read_request.
  static void read_request(Bytes message, Inbound& request) {
    switch (load_little<char>(message, k_type_offset)) {
      case NewOrder::k_type:
        return Orders::read(message, request);
      case OrderCancelReplaceRequest::k_type:
        return Changes::read_replace(message, request);
      case OrderCancelRequest::k_type:
        return Changes::read_cancel(message, request);
      case OrderMassCancelRequest::k_type:
        return Changes::read_mass_cancel(message, request);
      case Logon::k_type:
        return Session::read_logon(message, request);
      case Logout::k_type:
        return Session::read_logout(message, request);
      case MissedMessageRequest::k_type:
        return Session::read_missed_messages(message, request);
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
  /// The requests that come most often, if they keep every rule; nothing of them is known otherwise.
  [[nodiscard]] static bool read_plain(Bytes message, Inbound& request) {
    if (!is_framed(message, k_longest)) return false;
    const char type = load_little<char>(message, k_type_offset);
    if (type == NewOrder::k_type && message.size() == NewOrder::k_size && Orders::is_plain(message)) {
      Orders::read(message, request);
      return true;
    }
    if (type == OrderCancelRequest::k_type && message.size() == OrderCancelRequest::k_size &&
        Changes::is_plain_cancel(message)) {
      Changes::read_cancel(message, request);
      return true;
    }
    if (type == OrderCancelReplaceRequest::k_type && message.size() == OrderCancelReplaceRequest::k_size &&
        Changes::is_plain_replace(message)) {
      Changes::read_replace(message, request);
      return true;
    }
    return false;
  }

  /// Any request, rule by rule: what a plain one does not need stays out of its way.
  [[gnu::noinline]] static Result<void> decode_checked(Bytes message, Inbound& request, mit::Reject& refusal) {
    const Result<char> type = type_of(message, k_longest);
    if (!type) {
      refusal = {.code = code::k_value_invalid, .reason = header_field(type.error())};
      return std::unexpected(type.error());
    }
    const Fault fault = decode_any(message, *type, request);
    if (fault.is_none()) return {};
    request.kind = Inbound::Kind::none;
    fill_refusal<D>(message, *type, fault, refusal);
    return std::unexpected(fault.error);
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
        return decode_as<NewOrder>(message, request, Orders::check, Orders::read);
      case OrderCancelReplaceRequest::k_type:
        return decode_as<OrderCancelReplaceRequest>(message, request, Changes::check_replace, Changes::read_replace);
      case OrderCancelRequest::k_type:
        return decode_as<OrderCancelRequest>(message, request, Changes::check_cancel, Changes::read_cancel);
      case OrderMassCancelRequest::k_type:
        return decode_as<OrderMassCancelRequest>(message, request, Changes::check_mass_cancel,
                                                 Changes::read_mass_cancel);
      case Logon::k_type:
        return decode_as<Logon>(message, request, Session::check_logon, Session::read_logon);
      case Logout::k_type:
        return decode_as<Logout>(message, request, Session::check_logout, Session::read_logout);
      case MissedMessageRequest::k_type:
        return decode_as<MissedMessageRequest>(message, request, Session::check_missed_messages,
                                               Session::read_missed_messages);
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
};

}  // namespace dojima::mit
