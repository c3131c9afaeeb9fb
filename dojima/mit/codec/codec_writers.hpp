#pragma once

// Writes messages of both sides, for any dialect that has tables (codec_tables.hpp). Instantiated once per dialect, in
// its own source. Stateless, no allocation.

#include <charconv>
#include <utility>

#include "dojima/mit/codec/codec_quotes.hpp"
#include "dojima/mit/codec/codec_rules.hpp"
#include "dojima/mit/codec/composer.hpp"
#include "dojima/mit/codec/report_writer.hpp"
#include "dojima/mit/codec/venue_day.hpp"

namespace dojima::mit {

template <class D>
class Writer {
  using Logon = typename D::Logon;
  using LogonReply = typename D::LogonReply;
  using Logout = typename D::Logout;
  using Heartbeat = typename D::Heartbeat;
  using Reject = typename D::Reject;
  using SystemStatus = typename D::SystemStatus;
  using MissedMessageRequest = typename D::MissedMessageRequest;
  using MissedMessageRequestAck = typename D::MissedMessageRequestAck;
  using MissedMessageReport = typename D::MissedMessageReport;
  using NewOrder = typename D::NewOrder;
  using OrderCancelReplaceRequest = typename D::OrderCancelReplaceRequest;
  using OrderCancelRequest = typename D::OrderCancelRequest;
  using BusinessReject = typename D::BusinessReject;
  using OrderMassCancelRequest = typename D::OrderMassCancelRequest;
  using OrderMassCancelReport = typename D::OrderMassCancelReport;
  using OwnerReportKind = market::OwnerReportKind;

 public:
  static Result<std::size_t> encode_logon(const mit::Logon& logon, Room room) {
    using M = Logon;
    Composer<M> composer(room);
    composer.put(M::user_name, logon.user)
        .put(M::password, logon.password)
        .put(M::new_password, logon.new_password)
        .put(M::message_version, 1);
    return composer.size();
  }

  static Result<std::size_t> encode_logon_reply(const mit::LogonReply& reply, Room room) {
    using M = LogonReply;
    Text<30> days = text_of(reply.venue_day);
    if (reply.days >= 0 && days.is_empty())
      std::to_chars(days.chars.data(), days.chars.data() + days.chars.size(), reply.days);
    Composer<M> composer(room);
    composer.put(M::reject_code, reply.code).put(M::password_expiry_day_count, days);
    return composer.size();
  }

  static Result<std::size_t> encode_logout(const mit::Logout& logout, Room room) {
    Composer<Logout> composer(room);
    composer.put(Logout::reason, logout.reason);
    return composer.size();
  }

  static Result<std::size_t> encode_heartbeat(Room room) { return Composer<Heartbeat>(room).size(); }

  static Result<std::size_t> encode_reject(const mit::Reject& reject, Room room) {
    using M = Reject;
    Composer<M> composer(room);
    composer.put(M::reject_code, reject.code)
        .put(M::reject_reason, reject.reason)
        .put(M::rejected_message_type, reject.type)
        .put(M::client_order_id, reject.client_order_id);
    return composer.size();
  }

  static Result<std::size_t> encode_missed_request(const mit::MissedMessageRequest& request, Room room) {
    using M = MissedMessageRequest;
    Composer<M> composer(room);
    composer.put(M::app_id, request.partition).put(M::last_msg_seq_num, request.last);
    return composer.size();
  }

  static Result<std::size_t> encode_missed_ack(const mit::MissedMessageAck& ack, Room room) {
    Composer<MissedMessageRequestAck> composer(room);
    composer.put(MissedMessageRequestAck::response_type, static_cast<std::int64_t>(ack.response));
    return composer.size();
  }

  static Result<std::size_t> encode_missed_report(const mit::MissedMessageReport& report, Room room) {
    using M = MissedMessageReport;
    Composer<M> composer(room);
    composer
        .require(report.response != Recovery::unknown_partition, M::response_type,
                 static_cast<std::int64_t>(report.response), "a ResponseType of this message")
        .put(M::response_type, static_cast<std::int64_t>(report.response));
    return composer.size();
  }

  static Result<std::size_t> encode_system_status(const mit::SystemStatus& status, Room room) {
    using M = SystemStatus;
    Composer<M> composer(room);
    composer.put(M::app_id, status.partition).put(M::app_status, status.status);
    return composer.size();
  }

  static Result<std::size_t> encode_new_order(const market::NewOrder& order, Room room) {
    using M = NewOrder;
    const market::OrderTerms& terms = order.terms;
    const market::OrderLabels& labels = order.labels;
    Composer<M> composer(room);
    composer.put(M::client_order_id, labels.client_order_id)
        .put(M::trader_id, labels.trader)
        .put(M::account, labels.account)
        .put(M::clearing_account, labels.clearing)
        .put(M::instrument_id, order.header.instrument)
        .put(M::mifid_flags, labels.mifid)
        .put(M::party_role_qualifiers, labels.roles)
        .require(D::k_order_types.has(number_of(terms.type)), M::order_type, number_of(terms.type),
                 "an order type that the venue's protocol has")
        .put(M::order_type, number_of(terms.type))
        .require(D::k_times_in_force.has(number_of(terms.time_in_force)), M::tif, number_of(terms.time_in_force),
                 "a time in force that the venue's protocol has")
        .put(M::tif, number_of(terms.time_in_force))
        .put_seconds(M::expire_date_time, terms.expiry)
        .require(is_side(terms.side), M::side, number_of(terms.side), "Side 1 or 2")
        .put(M::side, number_of(terms.side))
        .put(M::order_qty, terms.quantity.lots)
        .put(M::display_qty, terms.displayed.lots)
        .put(M::limit_price, terms.limit.units)
        .require(number_of(terms.capacity) >= 1 && number_of(terms.capacity) <= 3, M::capacity,
                 number_of(terms.capacity), "Capacity 1 to 3")
        .put(M::capacity, number_of(terms.capacity))
        .require((terms.flags & ~(market::k_auto_cancel | market::k_named)) == 0, M::auto_cancel, terms.flags,
                 "only the flags of AutoCancel and Anonymity")
        .put(M::auto_cancel, (terms.flags & market::k_auto_cancel) != 0 ? 1 : 0)
        .require(D::k_order_sub_types.has(number_of(terms.sub_type)), M::order_sub_type, number_of(terms.sub_type),
                 "an order sub-type that the venue's protocol has")
        .put(M::order_sub_type, number_of(terms.sub_type))
        .put(M::anonymity, (terms.flags & market::k_named) != 0 ? 1 : 0)
        .put(M::stop_price, terms.stop.units)
        .put(M::client_id, labels.client)
        .put(M::investment_decision_maker, labels.decision_maker)
        .put(M::executing_trader, labels.executing_trader);
    put_passive<M>(composer, terms.passive);
    put_group<M>(composer, terms.group);
    put_minimum<M>(composer, terms.minimum);
    put_offset<M>(composer, terms.offset_bp);
    if constexpr (requires { M::pegged_exec_inst; }) {
      composer.put(M::pegged_exec_inst, terms.peg);
    } else {
      composer.require(terms.peg == 0, M::order_type, terms.peg,
                       "no pegged instruction: the venue's protocol has none");
    }
    if constexpr (requires { M::owner_type; }) {
      composer.put(M::owner_type, terms.owner_type);
    } else {
      composer.require(terms.owner_type == 0, M::order_type, terms.owner_type,
                       "no owner type: the venue's protocol has none");
    }
    if constexpr (requires { M::order_source; }) composer.put(M::order_source, k_order_source);
    return composer.size();
  }

  static Result<std::size_t> encode_quote(const market::Quote& quote, Room room) {
    if constexpr (HasQuotes<D>)
      return QuoteCodec<D>::encode(quote, room);
    else
      return fail(ErrorCode::not_supported, 0, 0, 0, "no quote: the venue's protocol has none");
  }

  static Result<std::size_t> encode_replace(const market::Replace& replace, Room room) {
    using M = OrderCancelReplaceRequest;
    Composer<M> composer(room);
    composer.put(M::client_order_id, replace.client_order_id)
        .put(M::original_client_order_id, replace.original_client_order_id)
        .put_id(M::order_id, replace.order.value)
        .put(M::instrument_id, replace.header.instrument)
        .put_seconds(M::expire_date_time, replace.expiry)
        .put(M::order_qty, replace.quantity.lots)
        .put(M::display_qty, replace.displayed.lots)
        .put(M::limit_price, replace.limit.units)
        .put(M::account, replace.account)
        .require(is_side(replace.side), M::side, number_of(replace.side), "Side 1 or 2")
        .put(M::side, number_of(replace.side))
        .put(M::stop_price, replace.stop.units);
    put_passive<M>(composer, replace.passive);
    put_group<M>(composer, replace.group);
    put_minimum<M>(composer, replace.minimum);
    put_offset<M>(composer, replace.offset_bp);
    return composer.size();
  }

  static Result<std::size_t> encode_cancel(const market::Cancel& cancel, Room room) {
    using M = OrderCancelRequest;
    Composer<M> composer(room);
    composer.put(M::client_order_id, cancel.client_order_id)
        .put(M::original_client_order_id, cancel.original_client_order_id)
        .put_id(M::order_id, cancel.order.value)
        .put(M::instrument_id, cancel.header.instrument)
        .require(is_side(cancel.side), M::side, number_of(cancel.side), "Side 1 or 2")
        .put(M::side, number_of(cancel.side));
    return composer.size();
  }

  static Result<std::size_t> encode_mass_cancel(const market::MassCancel& cancel, Room room) {
    using M = OrderMassCancelRequest;
    const MassCancelKind wanted{.is_account = cancel.is_account,
                                .has_instrument = cancel.header.instrument != 0,
                                .has_segment = !cancel.segment.is_empty(),
                                .has_group = cancel.group != 0};
    MassCancelKind found;
    for (MassCancelKind kind : k_mass_cancel_kinds) {
      const std::uint8_t type = std::exchange(kind.type, std::uint8_t{0});
      if (kind == wanted && D::k_mass_cancel_types.has(type)) found.type = type;
    }
    Composer<M> composer(room);
    composer.put(M::client_order_id, cancel.client_order_id)
        .require(found.type != 0, M::mass_cancel_request_type, 0, "instrument, segment and group as one type has them")
        .require(cancel.side == market::Side::none, M::mass_cancel_request_type, number_of(cancel.side), "both sides")
        .require(!cancel.is_everyone, M::mass_cancel_request_type, 1, "a request of a member")
        .require(
            cancel.of == market::MassCancelOf::orders || (HasQuotes<D> && cancel.of == market::MassCancelOf::quotes),
            M::order_sub_type, number_of(cancel.of), HasQuotes<D> ? "orders or quotes" : "orders: there are no quotes")
        .put(M::order_sub_type, number_of(cancel.of))
        .put(M::mass_cancel_request_type, found.type)
        .put(M::instrument_id, cancel.header.instrument)
        .put(M::segment, cancel.segment);
    put_group<M>(composer, cancel.group);
    return composer.size();
  }

  static std::size_t write_report(const market::OwnerReport& report, std::int32_t code, Room room) noexcept {
    switch (report.kind) {
      case OwnerReportKind::accepted:
        return ReportWriter<D>::template write_carried<OwnerReportKind::accepted>(report, code, room);
      case OwnerReportKind::traded:
        return ReportWriter<D>::template write_carried<OwnerReportKind::traded>(report, code, room);
      case OwnerReportKind::cancelled:
      case OwnerReportKind::replaced:
      case OwnerReportKind::expired:
      case OwnerReportKind::rejected:
      case OwnerReportKind::restated:
      case OwnerReportKind::trade_cancelled:
      case OwnerReportKind::suspended:
        return ReportWriter<D>::write_carried(report, code, room);
      case OwnerReportKind::request_rejected:
        return ReportWriter<D>::write_carried_cancel_reject(report, code, room);
      case OwnerReportKind::business_rejected:
      case OwnerReportKind::mass_cancelled:
      case OwnerReportKind::none:
        break;
    }
    return 0;
  }

  static Result<std::size_t> encode_report(const market::OwnerReport& report, std::int32_t code, Room room) {
    switch (report.kind) {
      case OwnerReportKind::accepted:
      case OwnerReportKind::traded:
      case OwnerReportKind::cancelled:
      case OwnerReportKind::replaced:
      case OwnerReportKind::expired:
      case OwnerReportKind::rejected:
      case OwnerReportKind::restated:
      case OwnerReportKind::trade_cancelled:
      case OwnerReportKind::suspended:
        return ReportWriter<D>::encode(report, code, room);
      case OwnerReportKind::request_rejected:
        return ReportWriter<D>::encode_cancel_reject(report, code, room);
      case OwnerReportKind::business_rejected:
        return encode_business_reject(report, code, room);
      case OwnerReportKind::mass_cancelled:
        return encode_mass_cancel_report(report, code, room);
      case OwnerReportKind::none:
        break;
    }
    return refuse_kind(report);
  }

 private:
  [[gnu::noinline]] static Result<std::size_t> refuse_kind(const market::OwnerReport& report) {
    return fail(ErrorCode::not_supported, 0, 0, number_of(report.kind), "a kind of report that the dialect has");
  }

  /// Fields that a request has only in some dialects: a value for one that is not there cannot be carried.
  template <class M>
  static void put_passive(Composer<M>& composer, std::uint8_t passive) {
    if constexpr (requires { M::passive_only_order; }) {
      composer.put(M::passive_only_order, passive);
    } else {
      composer.require(passive == 0, M::client_order_id, passive, "no PassiveOnlyOrder: the venue's protocol has none");
    }
  }

  template <class M>
  static void put_group(Composer<M>& composer, std::uint8_t group) {
    if constexpr (requires { M::group_id; }) {
      composer.put(M::group_id, group);
    } else {
      composer.require(group == 0, M::client_order_id, group, "no GroupID: the venue's protocol has none");
    }
  }

  template <class M>
  static void put_minimum(Composer<M>& composer, market::Quantity minimum) {
    if constexpr (requires { M::minimum_quantity; }) {
      composer.put(M::minimum_quantity, minimum.lots);
    } else {
      composer.require(minimum.lots == 0, M::client_order_id, minimum.lots,
                       "no MinimumQuantity: the venue's protocol has none");
    }
  }

  template <class M>
  static void put_offset(Composer<M>& composer, std::int32_t offset_bp) {
    if constexpr (requires { M::offset; }) {
      composer.put(M::offset, offset_bp);
    } else {
      composer.require(offset_bp == 0, M::client_order_id, offset_bp, "no Offset: the venue's protocol has none");
    }
  }

  /// OrderSource has no neutral value; this is what is written where a dialect has the field.
  static constexpr std::uint8_t k_order_source = 1;

  [[nodiscard]] static bool is_side(market::Side side) noexcept {
    return side == market::Side::buy || side == market::Side::sell;
  }

  [[gnu::noinline]] static Result<std::size_t> encode_business_reject(const market::OwnerReport& report,
                                                                      std::int32_t code, Room room) {
    using M = BusinessReject;
    Composer<M> composer(room);
    composer.put(M::app_id, report.partition)
        .put(M::sequence_no, report.sequence)
        .put(M::reject_code, code)
        .put(M::client_order_id, report.client_order_id)
        .put_id(M::order_id, report.order.value)
        .put_instant(M::transact_time, report.time, D::k_fraction_ns);
    return composer.size();
  }

  /// MassCancelResponse.
  static constexpr std::uint8_t k_mass_cancel_rejected = 0;
  static constexpr std::uint8_t k_mass_cancel_accepted = 7;

  [[gnu::noinline]] static Result<std::size_t> encode_mass_cancel_report(const market::OwnerReport& report,
                                                                         std::int32_t code, Room room) {
    using M = OrderMassCancelReport;
    const bool is_accepted = report.reason == market::Reason::none;
    Composer<M> composer(room);
    composer.put(M::app_id, report.partition)
        .put(M::sequence_no, report.sequence)
        .put(M::client_order_id, report.client_order_id)
        .put(M::mass_cancel_response, is_accepted ? k_mass_cancel_accepted : k_mass_cancel_rejected)
        .put(M::mass_cancel_reject_reason, is_accepted ? 0 : code)
        .put_instant(M::transact_time, report.time, D::k_fraction_ns);
    return composer.size();
  }
};

}  // namespace dojima::mit
