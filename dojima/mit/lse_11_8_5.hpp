#pragma once

// The dialect `LSE-11.8.5`: MIT203 Native Trading Gateway, Issue 11.8.5 (8 September 2017), London Stock Exchange,
// derived from `LSE-21.2`: NewOrder ends behind ExecutingTrader, and where 21.2 has Offset (cancel/replace), OwnerType
// and PeggedExecInst (report) and nanoseconds, it has reserved bytes and microseconds. It has no NewQuote here, because
// the published table of lengths gives none. What a table costs that shares the rest: this file.

#include <array>

#include "dojima/mit/codec/codec_tables.hpp"
#include "dojima/mit/dialect.hpp"
#include "dojima/mit/layout.hpp"
#include "dojima/mit/lse_21_2.hpp"
#include "dojima/mit/values.hpp"

namespace dojima::mit::lse_11_8_5 {

using lse_21_2::BusinessReject;
using lse_21_2::Heartbeat;
using lse_21_2::Logon;
using lse_21_2::LogonReply;
using lse_21_2::Logout;
using lse_21_2::MissedMessageReport;
using lse_21_2::MissedMessageRequest;
using lse_21_2::MissedMessageRequestAck;
using lse_21_2::OrderCancelReject;
using lse_21_2::OrderCancelRequest;
using lse_21_2::OrderMassCancelReport;
using lse_21_2::OrderMassCancelRequest;
using lse_21_2::Reject;
using lse_21_2::SystemStatus;

/// An offset order has no field for its offset.
inline constexpr auto k_order_sub_types = only<0, 5, 51>(mit::k_order_sub_types);

struct NewOrder {
  static constexpr Sender k_sender = Sender::client;
  static constexpr char k_type = 'D';
  static constexpr std::size_t k_size = 105;
  static constexpr const char* k_name = "NewOrder";
  static constexpr TextField<20> client_order_id{4, "ClientOrderID", FieldRule::present_identifier};
  static constexpr TextField<11> trader_id{24, "TraderID"};
  static constexpr TextField<10> account{35, "Account", FieldRule::identifier};
  static constexpr UInt8Field clearing_account{45, "ClearingAccount", k_clearing_accounts};  // 1 client, 3 house
  static constexpr Int32Field instrument_id{46, "InstrumentID", {}, FieldRule::positive};
  static constexpr BitField mifid_flags{50, "MiFIDFlags", k_mifid_bits};
  static constexpr BitField party_role_qualifiers{51, "PartyRoleQualifiers", k_role_bits};
  static constexpr UInt8Field order_type{52, "OrderType", k_lse_order_types};
  static constexpr UInt8Field tif{53, "TIF", k_lse_times_in_force};
  static constexpr UInt32Field expire_date_time{54, "ExpireDateTime"};  // Unix seconds
  static constexpr UInt8Field side{58, "Side", k_sides};
  static constexpr Int32Field order_qty{59, "OrderQty", {}, FieldRule::positive};
  static constexpr Int32Field display_qty{63, "DisplayQty", {}, FieldRule::not_negative};
  static constexpr PriceField limit_price{67, "LimitPrice"};
  static constexpr UInt8Field capacity{75, "Capacity", k_capacities};
  static constexpr UInt8Field auto_cancel{76, "AutoCancel", k_auto_cancels};
  static constexpr UInt8Field order_sub_type{77, "OrderSubType", k_order_sub_types};
  static constexpr UInt8Field anonymity{78, "Anonymity", k_anonymities};  // 1 named
  static constexpr PriceField stop_price{79, "StopPrice"};
  static constexpr UInt8Field passive_only_order{87, "PassiveOnlyOrder", k_passive_rules};
  static constexpr UInt32Field client_id{88, "ClientID"};
  static constexpr UInt32Field investment_decision_maker{92, "InvestmentDecisionMaker"};
  static constexpr UInt8Field group_id{96, "GroupID"};
  static constexpr Int32Field minimum_quantity{97, "MinimumQuantity"};
  static constexpr UInt32Field executing_trader{101, "ExecutingTrader"};
  static constexpr auto k_places =
      FieldList(client_order_id, trader_id, account, clearing_account, instrument_id, mifid_flags,
                party_role_qualifiers, order_type, tif, expire_date_time, side, order_qty, display_qty, limit_price,
                capacity, auto_cancel, order_sub_type, anonymity, stop_price, passive_only_order, client_id,
                investment_decision_maker, group_id, minimum_quantity, executing_trader);
};

struct OrderCancelReplaceRequest {
  static constexpr Sender k_sender = Sender::client;
  static constexpr char k_type = 'G';
  static constexpr std::size_t k_size = 116;
  static constexpr const char* k_name = "OrderCancelReplaceRequest";
  static constexpr TextField<20> client_order_id{4, "ClientOrderID", FieldRule::present_identifier};
  static constexpr TextField<20> original_client_order_id{24, "OriginalClientOrderID"};
  static constexpr TextField<12> order_id{44, "OrderID", FieldRule::base62};
  static constexpr Int32Field instrument_id{56, "InstrumentID", {}, FieldRule::positive};
  static constexpr UInt8Field group_id{60, "GroupID"};                          // 0 unchanged
  static constexpr Int8Field reserved_2{61, "Reserved2", {}, FieldRule::zero};  // must be 0
  static constexpr UInt32Field expire_date_time{62, "ExpireDateTime"};
  static constexpr Int32Field order_qty{66, "OrderQty", {}, FieldRule::positive};  // the new total
  static constexpr Int32Field display_qty{70, "DisplayQty", {}, FieldRule::not_negative};
  static constexpr PriceField limit_price{74, "LimitPrice"};                     // negative for market and stop orders
  static constexpr TextField<10> account{82, "Account", FieldRule::identifier};  // null unchanged
  static constexpr Int8Field reserved_3{92, "Reserved3", {}, FieldRule::zero};   // must be 0
  static constexpr Int8Field side{93, "Side", k_sides};
  static constexpr PriceField stop_price{94, "StopPrice"};  // negative unchanged
  static constexpr Int8Field passive_only_order{102, "PassiveOnlyOrder", k_passive_rules};
  static constexpr ReservedField<9> reserved{103, "Reserved"};
  static constexpr Int32Field minimum_quantity{112, "MinimumQuantity", {}, FieldRule::not_negative};
  static constexpr auto k_places =
      FieldList(client_order_id, original_client_order_id, order_id, instrument_id, group_id, reserved_2,
                expire_date_time, order_qty, display_qty, limit_price, account, reserved_3, side, stop_price,
                passive_only_order, reserved, minimum_quantity);
};

struct ExecutionReport {
  static constexpr Sender k_sender = Sender::server;
  static constexpr char k_type = '8';
  static constexpr std::size_t k_size = 155;
  static constexpr const char* k_name = "ExecutionReport";
  static constexpr UInt8Field app_id{4, "AppID"};
  static constexpr Int32Field sequence_no{5, "SequenceNo", {}, FieldRule::not_negative};
  static constexpr TextField<12> execution_id{9, "ExecutionID", FieldRule::base62};
  static constexpr TextField<20> client_order_id{21, "ClientOrderID"};
  static constexpr TextField<12> order_id{41, "OrderID", FieldRule::base62};
  static constexpr AlphaField exec_type{53, "ExecType", k_lse_exec_types};
  static constexpr TextField<12> execution_report_ref_id{54, "ExecutionReportRefID",
                                                         FieldRule::base62};      // only ExecType H
  static constexpr UInt8Field order_status{66, "OrderStatus", k_order_statuses};  // a number, not ASCII
  static constexpr Int32Field order_reject_code{67, "OrderRejectCode"};           // only ExecType 8 and C
  static constexpr PriceField executed_price{71, "ExecutedPrice"};
  static constexpr Int32Field executed_qty{79, "ExecutedQty", {}, FieldRule::not_negative};
  static constexpr Int32Field leaves_qty{83, "LeavesQty", {}, FieldRule::not_negative};
  static constexpr BitField waiver_flags{87, "WaiverFlags", k_waiver_bits};
  static constexpr Int32Field display_qty{88, "DisplayQty", {}, FieldRule::not_negative};
  static constexpr Int32Field instrument_id{92, "InstrumentID", {}, FieldRule::not_negative};
  static constexpr UInt8Field restatement_reason{96, "RestatementReason", k_lse_restatements};
  static constexpr ReservedField<1> reserved_1{97, "Reserved1"};
  static constexpr Int8Field side{98, "Side", k_sides};
  static constexpr ReservedField<1> reserved_3{99, "Reserved3"};
  static constexpr ReservedField<7> reserved_2{100, "Reserved2"};
  static constexpr TextField<11> counterparty{107, "Counterparty"};
  static constexpr AlphaField trade_liquidity_indicator{118, "TradeLiquidityIndicator", k_liquidities};
  static constexpr UInt64Field trade_match_id{119, "TradeMatchID"};
  static constexpr UInt64Field transact_time{
      127, "TransactTime", {}, FieldRule::instant};  // seconds | microseconds << 32
  static constexpr UInt8Field last_market{135, "LastMarket", k_markets};
  static constexpr UInt8Field type_of_trade{136, "TypeOfTrade", k_trade_types};
  static constexpr UInt8Field capacity{137, "Capacity", k_capacities};
  static constexpr ReservedField<1> reserved_4{138, "Reserved4"};
  static constexpr TextField<12> public_order_id{139, "PublicOrderID", FieldRule::base62};
  static constexpr Int32Field minimum_quantity{151, "MinimumQuantity", {}, FieldRule::not_negative};
  static constexpr auto k_places =
      FieldList(app_id, sequence_no, execution_id, client_order_id, order_id, exec_type, execution_report_ref_id,
                order_status, order_reject_code, executed_price, executed_qty, leaves_qty, waiver_flags, display_qty,
                instrument_id, restatement_reason, reserved_1, side, reserved_3, reserved_2, counterparty,
                trade_liquidity_indicator, trade_match_id, transact_time, last_market, type_of_trade, capacity,
                reserved_4, public_order_id, minimum_quantity);
};

/// Every message of the dialect.
using Messages =
    MessageList<Logon, LogonReply, Logout, Heartbeat, MissedMessageRequest, MissedMessageRequestAck,
                MissedMessageReport, Reject, SystemStatus, NewOrder, OrderCancelReplaceRequest, OrderCancelRequest,
                OrderMassCancelRequest, ExecutionReport, OrderCancelReject, OrderMassCancelReport, BusinessReject>;
inline constexpr auto k_layouts = layouts_of(Messages{});

/// What the codec is made for (codec_tables.hpp).
struct Tables {
  using Logon = lse_11_8_5::Logon;
  using LogonReply = lse_11_8_5::LogonReply;
  using Logout = lse_11_8_5::Logout;
  using Heartbeat = lse_11_8_5::Heartbeat;
  using Reject = lse_11_8_5::Reject;
  using SystemStatus = lse_11_8_5::SystemStatus;
  using MissedMessageRequest = lse_11_8_5::MissedMessageRequest;
  using MissedMessageRequestAck = lse_11_8_5::MissedMessageRequestAck;
  using MissedMessageReport = lse_11_8_5::MissedMessageReport;
  using NewOrder = lse_11_8_5::NewOrder;
  using OrderCancelReplaceRequest = lse_11_8_5::OrderCancelReplaceRequest;
  using OrderCancelRequest = lse_11_8_5::OrderCancelRequest;
  using ExecutionReport = lse_11_8_5::ExecutionReport;
  using OrderMassCancelRequest = lse_11_8_5::OrderMassCancelRequest;
  using OrderCancelReject = lse_11_8_5::OrderCancelReject;
  using OrderMassCancelReport = lse_11_8_5::OrderMassCancelReport;
  using BusinessReject = lse_11_8_5::BusinessReject;

  static constexpr const char* k_name = "LSE-11.8.5";
  static constexpr std::span<const MessageLayout> k_layouts = lse_11_8_5::k_layouts;
  static constexpr std::int64_t k_fraction_ns = 1'000;
  static constexpr ValueSet k_order_types = lse_21_2::Tables::k_order_types;
  static constexpr ValueSet k_order_sub_types{0, 5, 51};
  static constexpr ValueSet k_times_in_force = lse_21_2::Tables::k_times_in_force;
  static constexpr ValueSet k_mass_cancel_types = lse_21_2::Tables::k_mass_cancel_types;
};

}  // namespace dojima::mit::lse_11_8_5
