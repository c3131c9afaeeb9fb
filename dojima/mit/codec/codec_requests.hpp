#pragma once

// Reads and checks what a client sends, for any dialect that has tables (codec_tables.hpp). Instantiated once per
// dialect, in its own source. Stateless, no allocation.

#include "dojima/mit/codec/codec_changes.hpp"
#include "dojima/mit/codec/codec_orders.hpp"
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
  using Orders = NewOrderReader<D>;
  using Changes = ChangeReader<D>;
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
    fill_refusal(message, *type, fault, refusal);
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
