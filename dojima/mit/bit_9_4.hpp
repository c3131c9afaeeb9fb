#pragma once

// The dialect `BIT-9.4`: MIT203 – BIT – Millennium Exchange, Native Trading Gateway, Issue 9.4 (August 2017), Borsa
// Italiana. From one public description, so every layout here is single-source; BusinessReject is 55 bytes in it and 63
// in every other dialect. The administrative messages are those of `LSE-21.2`; quantities have 64 bits and times
// microseconds.

#include <array>

#include "dojima/mit/codec/codec_tables.hpp"
#include "dojima/mit/dialect.hpp"
#include "dojima/mit/dialects/bit_9_4_rfq.hpp"
#include "dojima/mit/layout.hpp"
#include "dojima/mit/lse_21_2.hpp"
#include "dojima/mit/values.hpp"

namespace dojima::mit::bit_9_4 {

using lse_21_2::Heartbeat;
using lse_21_2::Logon;
using lse_21_2::LogonReply;
using lse_21_2::Logout;
using lse_21_2::MissedMessageReport;
using lse_21_2::MissedMessageRequest;
using lse_21_2::MissedMessageRequestAck;
using lse_21_2::Reject;
using lse_21_2::SystemStatus;

struct NewOrder {
  static constexpr Sender k_sender = Sender::client;
  static constexpr char k_type = 'D';
  static constexpr std::size_t k_size = 118;
  static constexpr const char* k_name = "NewOrder";
  static constexpr TextField<20> client_order_id{4, "ClientOrderID", FieldRule::present_identifier};
  static constexpr TextField<11> trader_id{24, "TraderID"};
  static constexpr TextField<10> account{35, "Account", FieldRule::identifier};
  static constexpr UInt8Field clearing_account{45, "ClearingAccount", k_clearing_accounts};
  static constexpr Int32Field instrument_id{46, "InstrumentID", {}, FieldRule::positive};
  static constexpr BitField mifid_flags{50, "FXMiFIDFlags", k_mifid_bits};
  static constexpr BitField party_role_qualifiers{51, "PartyRoleQualifiers", k_role_bits};
  static constexpr UInt8Field order_type{52, "OrderType", k_order_types};
  static constexpr UInt8Field tif{53, "TIF", k_bit_times_in_force};
  static constexpr UInt32Field expire_date_time{54, "ExpireDateTime"};
  static constexpr Int8Field side{58, "Side", k_sides};
  static constexpr UInt64Field order_qty{59, "OrderQty", {}, FieldRule::positive};
  static constexpr UInt64Field display_qty{67, "DisplayQty", {}, FieldRule::not_negative};
  static constexpr PriceField limit_price{75, "LimitPrice"};
  static constexpr UInt8Field capacity{83, "Capacity", k_capacities};
  static constexpr UInt8Field auto_cancel{84, "AutoCancel", k_auto_cancels};
  static constexpr UInt8Field order_sub_type{85, "OrderSubType", k_bit_order_sub_types};
  static constexpr UInt8Field anonymity{86, "Anonymity", k_anonymities};
  static constexpr PriceField stop_price{87, "StoppedPrice"};
  static constexpr ReservedField<8> reserved_1{95, "ReservedField1"};
  static constexpr ReservedField<2> reserved_2{103, "ReservedField2"};
  static constexpr UInt8Field order_source{105, "OrderSource", k_order_sources};
  static constexpr UInt32Field client_id{106, "ClientID"};
  static constexpr UInt32Field investment_decision_maker{110, "InvestmentDecisionMaker"};
  static constexpr UInt32Field executing_trader{114, "ExecutingTrader"};
  static constexpr auto k_places =
      FieldList(client_order_id, trader_id, account, clearing_account, instrument_id, mifid_flags,
                party_role_qualifiers, order_type, tif, expire_date_time, side, order_qty, display_qty, limit_price,
                capacity, auto_cancel, order_sub_type, anonymity, stop_price, reserved_1, reserved_2, order_source,
                client_id, investment_decision_maker, executing_trader);
};

struct NewQuote {
  static constexpr Sender k_sender = Sender::client;
  static constexpr char k_type = 'S';
  static constexpr std::size_t k_size = 100;
  static constexpr const char* k_name = "NewQuote";
  static constexpr TextField<20> client_order_id{4, "ClientOrderID", FieldRule::present_identifier};
  static constexpr TextField<11> trader_id{24, "TraderID"};
  static constexpr UInt8Field clearing_account{35, "ClearingAccount", k_clearing_accounts};
  static constexpr Int32Field instrument_id{36, "InstrumentID", {}, FieldRule::positive};
  static constexpr PriceField bid_price{40, "BidPrice", {}, FieldRule::not_negative};
  static constexpr UInt64Field bid_size{48, "BidSize", {}, FieldRule::not_negative};
  static constexpr PriceField ask_price{56, "AskPrice", {}, FieldRule::not_negative};
  static constexpr UInt64Field ask_size{64, "AskSize", {}, FieldRule::not_negative};
  static constexpr UInt8Field capacity{72, "Capacity", k_capacities};
  static constexpr UInt8Field auto_cancel{73, "AutoCancel", k_auto_cancels};
  static constexpr ReservedField<10> reserved_1{74, "ReservedField1"};
  static constexpr UInt8Field tif{84, "TIF", k_bit_quote_times_in_force};
  static constexpr UInt8Field anonymity{85, "Anonymity", k_anonymities};
  static constexpr UInt32Field client_id{86, "ClientID", {}, FieldRule::client_code};
  static constexpr UInt32Field investment_decision_maker{90, "InvestmentDecisionMaker", {}, FieldRule::decision_code};
  static constexpr UInt32Field executing_trader{94, "ExecutingTrader", {}, FieldRule::executing_code};
  static constexpr BitField mifid_flags{98, "FXMiFIDFlags", k_mifid_bits};
  static constexpr BitField party_role_qualifiers{99, "PartyRoleQualifiers", k_role_bits};
  static constexpr auto k_places =
      FieldList(client_order_id, trader_id, clearing_account, instrument_id, bid_price, bid_size, ask_price, ask_size,
                capacity, auto_cancel, reserved_1, tif, anonymity, client_id, investment_decision_maker,
                executing_trader, mifid_flags, party_role_qualifiers);
};

struct OrderCancelReplaceRequest {
  static constexpr Sender k_sender = Sender::client;
  static constexpr char k_type = 'G';
  static constexpr std::size_t k_size = 120;
  static constexpr const char* k_name = "OrderModificationRequest";
  static constexpr TextField<20> client_order_id{4, "ClientOrderID", FieldRule::present_identifier};
  static constexpr TextField<20> original_client_order_id{24, "OriginalClientOrderID"};
  static constexpr TextField<12> order_id{44, "OrderID", FieldRule::base62};
  static constexpr Int32Field instrument_id{56, "InstrumentID", {}, FieldRule::positive};
  static constexpr ReservedField<1> reserved_1{60, "ReservedField1"};
  static constexpr ReservedField<1> reserved_2{61, "ReservedField2"};
  static constexpr UInt32Field expire_date_time{62, "ExpireDateTime"};
  static constexpr UInt64Field order_qty{66, "OrderQty", {}, FieldRule::positive};
  static constexpr UInt64Field display_qty{74, "DisplayQty", {}, FieldRule::not_negative};
  static constexpr PriceField limit_price{82, "LimitPrice"};
  static constexpr TextField<10> account{90, "Account", FieldRule::identifier};
  static constexpr ReservedField<1> reserved_3{100, "ReservedField3"};
  static constexpr Int8Field side{101, "Side", k_sides};
  static constexpr PriceField stop_price{102, "StoppedPrice"};
  static constexpr ReservedField<8> reserved_4{110, "ReservedField4"};
  static constexpr ReservedField<2> reserved_5{118, "ReservedField5"};
  static constexpr auto k_places = FieldList(
      client_order_id, original_client_order_id, order_id, instrument_id, reserved_1, reserved_2, expire_date_time,
      order_qty, display_qty, limit_price, account, reserved_3, side, stop_price, reserved_4, reserved_5);
};

struct OrderCancelRequest {
  static constexpr Sender k_sender = Sender::client;
  static constexpr char k_type = 'F';
  static constexpr std::size_t k_size = 73;
  static constexpr const char* k_name = "CancelRequest";
  static constexpr TextField<20> client_order_id{4, "ClientOrderID", FieldRule::present_identifier};
  static constexpr TextField<20> original_client_order_id{24, "OriginalClientOrderID"};
  static constexpr TextField<12> order_id{44, "OrderID", FieldRule::base62};
  static constexpr Int32Field instrument_id{56, "InstrumentID", {}, FieldRule::positive};
  static constexpr ReservedField<1> reserved_1{60, "ReservedField1"};
  static constexpr ReservedField<1> reserved_2{61, "ReservedField2"};
  static constexpr Int8Field side{62, "Side", k_sides};
  static constexpr TextField<10> rfq_id{63, "RFQID"};
  static constexpr auto k_places = FieldList(client_order_id, original_client_order_id, order_id, instrument_id,
                                             reserved_1, reserved_2, side, rfq_id);
};

struct OrderMassCancelRequest {
  static constexpr Sender k_sender = Sender::client;
  static constexpr char k_type = 'q';
  static constexpr std::size_t k_size = 46;
  static constexpr const char* k_name = "MassCancelRequest";
  static constexpr TextField<20> client_order_id{4, "ClientOrderID", FieldRule::present_identifier};
  static constexpr UInt8Field mass_cancel_request_type{24, "MassCancelRequestType", k_bit_mass_cancel_types};
  static constexpr Int32Field instrument_id{25, "InstrumentID"};
  static constexpr Int8Field order_book{29, "OrderBook", k_order_books};
  static constexpr ReservedField<1> reserved_1{30, "ReservedField1"};
  static constexpr TextField<4> segment{31, "Segment"};
  static constexpr UInt8Field order_sub_type{35, "OrderSubType", k_mass_cancel_sub_types};
  static constexpr ReservedField<10> reserved_2{36, "ReservedField2"};
  static constexpr auto k_places = FieldList(client_order_id, mass_cancel_request_type, instrument_id, order_book,
                                             reserved_1, segment, order_sub_type, reserved_2);
};

struct NewOrderCross {
  static constexpr Sender k_sender = Sender::client;
  static constexpr char k_type = 'C';
  static constexpr std::size_t k_size = 151;
  static constexpr const char* k_name = "NewOrderCrossMessage";
  static constexpr TextField<20> cross_id{4, "CrossID"};
  static constexpr UInt8Field cross_type{24, "CrossType", k_cross_types};
  static constexpr TextField<20> buy_side_cl_ord_id{25, "BuySideClOrdID"};
  static constexpr UInt8Field buy_side_order_capacity{45, "BuySideOrderCapacity", k_capacities};
  static constexpr UInt8Field buy_side_clearing_account{46, "BuySideClearingAccount", k_clearing_accounts};
  static constexpr UInt64Field buy_side_order_quantity{47, "BuySideOrderQuantity", {}, FieldRule::not_negative};
  static constexpr TextField<11> buy_side_firm_id{55, "BuySideFirmID"};
  static constexpr UInt8Field buy_side_party_role{66, "BuySidePartyRole", k_party_roles};
  static constexpr BitField buy_mifid_flags{67, "BuyFXMiFIDFlags", k_mifid_bits};
  static constexpr UInt32Field buy_client_id{68, "BuyClientID"};
  static constexpr UInt32Field buy_investment_decision_maker{72, "BuyInvestmentDecisionMaker"};
  static constexpr UInt32Field buy_executing_trader{76, "BuyExecutingTrader"};
  static constexpr BitField buy_party_role_qualifiers{80, "BuyPartyRoleQualifiers", k_role_bits};
  static constexpr TextField<20> sell_side_cl_ord_id{81, "SellSideClOrdID"};
  static constexpr UInt8Field sell_side_order_capacity{101, "SellSideOrderCapacity", k_capacities};
  static constexpr UInt8Field sell_side_clearing_account{102, "SellSideClearingAccount", k_clearing_accounts};
  static constexpr UInt64Field sell_side_order_quantity{103, "SellSideOrderQuantity", {}, FieldRule::not_negative};
  static constexpr TextField<11> sell_side_firm_id{111, "SellSideFirmID"};
  static constexpr UInt8Field sell_side_party_role{122, "SellSidePartyRole", k_party_roles};
  static constexpr BitField sell_mifid_flags{123, "SellFXMiFIDFlags", k_mifid_bits};
  static constexpr UInt32Field sell_client_id{124, "SellClientID"};
  static constexpr UInt32Field sell_investment_decision_maker{128, "SellInvestmentDecisionMaker"};
  static constexpr UInt32Field sell_executing_trader{132, "SellExecutingTrader"};
  static constexpr BitField sell_party_role_qualifiers{136, "SellPartyRoleQualifiers", k_role_bits};
  static constexpr Int32Field instrument_id{137, "InstrumentID", {}, FieldRule::positive};
  static constexpr PriceField price{141, "Price"};
  static constexpr UInt8Field order_type{149, "OrderType", k_order_types};
  static constexpr UInt8Field tif{150, "TIF", k_bit_times_in_force};
  static constexpr auto k_places =
      FieldList(cross_id, cross_type, buy_side_cl_ord_id, buy_side_order_capacity, buy_side_clearing_account,
                buy_side_order_quantity, buy_side_firm_id, buy_side_party_role, buy_mifid_flags, buy_client_id,
                buy_investment_decision_maker, buy_executing_trader, buy_party_role_qualifiers, sell_side_cl_ord_id,
                sell_side_order_capacity, sell_side_clearing_account, sell_side_order_quantity, sell_side_firm_id,
                sell_side_party_role, sell_mifid_flags, sell_client_id, sell_investment_decision_maker,
                sell_executing_trader, sell_party_role_qualifiers, instrument_id, price, order_type, tif);
};

struct CrossOrderCancelRequest {
  static constexpr Sender k_sender = Sender::client;
  static constexpr char k_type = 'H';
  static constexpr std::size_t k_size = 125;
  static constexpr const char* k_name = "CrossOrderCancelRequest";
  static constexpr TextField<20> cross_id{4, "CrossID"};
  static constexpr TextField<20> original_cross_id{24, "OriginalCrossID"};
  static constexpr UInt8Field cross_type{44, "CrossType", k_cross_types};
  static constexpr TextField<20> buy_side_original_cl_ord_id{45, "BuySideOriginalClOrdID"};
  static constexpr UInt64Field buy_side_order_quantity{65, "BuySideOrderQuantity", {}, FieldRule::not_negative};
  static constexpr TextField<20> sell_side_cl_ord_id{73, "SellSideClOrdID"};
  static constexpr UInt64Field sell_side_order_quantity{93, "SellSideOrderQuantity", {}, FieldRule::not_negative};
  static constexpr Int32Field instrument_id{101, "InstrumentID", {}, FieldRule::positive};
  static constexpr TextField<20> client_order_id{105, "ClientOrderID"};
  static constexpr auto k_places =
      FieldList(cross_id, original_cross_id, cross_type, buy_side_original_cl_ord_id, buy_side_order_quantity,
                sell_side_cl_ord_id, sell_side_order_quantity, instrument_id, client_order_id);
};

struct ExecutionReport {
  static constexpr Sender k_sender = Sender::server;
  static constexpr char k_type = '8';
  static constexpr std::size_t k_size = 229;
  static constexpr const char* k_name = "ExecutionReport";
  static constexpr UInt8Field app_id{4, "AppID"};
  static constexpr Int32Field sequence_no{5, "SequenceNo", {}, FieldRule::not_negative};
  static constexpr TextField<12> execution_id{9, "ExecutionID", FieldRule::base62};
  static constexpr TextField<20> client_order_id{21, "ClientOrderID"};
  static constexpr TextField<12> order_id{41, "OrderID", FieldRule::base62};
  static constexpr AlphaField exec_type{53, "ExecType", k_bit_exec_types};
  static constexpr TextField<12> execution_report_ref_id{54, "ExecutionReportRefID", FieldRule::base62};
  static constexpr UInt8Field order_status{66, "OrderStatus", k_order_statuses};
  static constexpr Int32Field order_reject_code{67, "OrderRejectCode"};
  static constexpr PriceField executed_price{71, "ExecutedPrice"};
  static constexpr UInt64Field executed_qty{79, "ExecutedQty", {}, FieldRule::not_negative};
  static constexpr UInt64Field leaves_qty{87, "LeavesQty", {}, FieldRule::not_negative};
  static constexpr UInt8Field working_indicator{95, "WorkingIndicator", k_working_indicators};
  static constexpr UInt64Field display_qty{96, "DisplayQty", {}, FieldRule::not_negative};
  static constexpr Int32Field instrument_id{104, "InstrumentID", {}, FieldRule::not_negative};
  static constexpr BitField waiver_flags{108, "WaiverFlags", k_waiver_bits};
  static constexpr ReservedField<1> reserved_for_future_use_1{109, "Reservedforfutureuse1"};
  static constexpr UInt8Field side{110, "Side", k_sides};
  static constexpr ReservedField<8> reserved_for_future_use_2{111, "Reservedforfutureuse2"};
  static constexpr TextField<11> counterparty{119, "Counterparty"};
  static constexpr AlphaField trade_liquidity_indicator{130, "TradeLiquidityIndicator", k_liquidities};
  static constexpr UInt64Field trade_match_id{131, "TradeMatchID"};
  static constexpr UInt64Field transact_time{139, "TransactTime", {}, FieldRule::instant};
  static constexpr ReservedField<8> reserved_field_1{147, "Reservedfield1"};
  static constexpr ReservedField<2> reserved_field_2{155, "Reservedfield2"};
  static constexpr UInt8Field order_source{157, "OrderSource", k_order_sources};
  static constexpr PriceField avg_px{158, "AvgPx"};
  static constexpr PriceField implied_price{166, "ImpliedPrice"};
  static constexpr TextField<20> cross_id{174, "CrossID"};
  static constexpr UInt8Field cross_type{194, "CrossType", k_cross_types};
  static constexpr TextField<20> original_cross_id{195, "OriginalCrossID"};
  static constexpr UInt8Field restatement_reason{215, "RestatementReason", k_restatements};
  static constexpr TextField<12> public_order_id{216, "PublicOrderID", FieldRule::base62};
  static constexpr UInt8Field type_of_trade{228, "TypeOfTrade", k_trade_types};
  static constexpr auto k_places = FieldList(
      app_id, sequence_no, execution_id, client_order_id, order_id, exec_type, execution_report_ref_id, order_status,
      order_reject_code, executed_price, executed_qty, leaves_qty, working_indicator, display_qty, instrument_id,
      waiver_flags, reserved_for_future_use_1, side, reserved_for_future_use_2, counterparty, trade_liquidity_indicator,
      trade_match_id, transact_time, reserved_field_1, reserved_field_2, order_source, avg_px, implied_price, cross_id,
      cross_type, original_cross_id, restatement_reason, public_order_id, type_of_trade);
};

struct OrderCancelReject {
  static constexpr Sender k_sender = Sender::server;
  static constexpr char k_type = '9';
  static constexpr std::size_t k_size = 63;
  static constexpr const char* k_name = "CancelReject";
  static constexpr UInt8Field app_id{4, "AppID"};
  static constexpr Int32Field sequence_no{5, "SequenceNo", {}, FieldRule::not_negative};
  static constexpr TextField<20> client_order_id{9, "ClientOrderID"};
  static constexpr TextField<12> order_id{29, "OrderID", FieldRule::base62};
  static constexpr Int32Field cancel_reject_reason{41, "CancelRejectReason"};
  static constexpr UInt64Field transact_time{45, "TransactTime", {}, FieldRule::instant};
  static constexpr TextField<10> rfq_id{53, "RFQID"};
  static constexpr auto k_places =
      FieldList(app_id, sequence_no, client_order_id, order_id, cancel_reject_reason, transact_time, rfq_id);
};

struct OrderMassCancelReport {
  static constexpr Sender k_sender = Sender::server;
  static constexpr char k_type = 'r';
  static constexpr std::size_t k_size = 56;
  static constexpr const char* k_name = "OrderMassCancelReport";
  static constexpr UInt8Field app_id{4, "AppID"};
  static constexpr Int32Field sequence_no{5, "SequenceNo", {}, FieldRule::not_negative};
  static constexpr TextField<20> client_order_id{9, "ClientOrderID"};
  static constexpr UInt8Field mass_cancel_response{29, "MassCancelResponse", k_mass_cancel_responses};
  static constexpr Int32Field mass_cancel_reject_reason{30, "MassCancelRejectReason"};
  static constexpr Int32Field total_affected_orders{34, "TotalAffectedOrders"};
  static constexpr UInt64Field transact_time{38, "TransactTime", {}, FieldRule::instant};
  static constexpr ReservedField<10> reserved_1{46, "ReservedField1"};
  static constexpr auto k_places =
      FieldList(app_id, sequence_no, client_order_id, mass_cancel_response, mass_cancel_reject_reason,
                total_affected_orders, transact_time, reserved_1);
};

struct BusinessReject {
  static constexpr Sender k_sender = Sender::server;
  static constexpr char k_type = 'j';
  static constexpr std::size_t k_size = 55;
  static constexpr const char* k_name = "BusinessReject";
  static constexpr UInt8Field app_id{4, "AppID"};
  static constexpr Int32Field sequence_no{5, "SequenceNo", {}, FieldRule::not_negative};
  static constexpr Int32Field reject_code{9, "RejectCode"};
  static constexpr TextField<20> client_order_id{13, "ClientOrderID"};
  static constexpr TextField<12> order_id{33, "OrderID", FieldRule::base62};
  static constexpr UInt64Field transact_time{45, "TransactTime", {}, FieldRule::instant};
  static constexpr ReservedField<2> reserved_1{53, "ReservedField1"};
  static constexpr auto k_places =
      FieldList(app_id, sequence_no, reject_code, client_order_id, order_id, transact_time, reserved_1);
};

/// Every message of the dialect.
using Messages =
    MessageList<Logon, LogonReply, Logout, Heartbeat, MissedMessageRequest, MissedMessageRequestAck,
                MissedMessageReport, Reject, SystemStatus, NewOrder, NewQuote, OrderCancelReplaceRequest,
                OrderCancelRequest, OrderMassCancelRequest, NewOrderCross, CrossOrderCancelRequest, ExecutionReport,
                OrderCancelReject, OrderMassCancelReport, BusinessReject, QuoteRequest, QuoteRequestReject,
                QuoteStatusReport, RFQQuote, QuoteAck, QuoteResponse, RFQExecutionReport>;
inline constexpr auto k_layouts = layouts_of(Messages{});

/// What the codec is made for (codec_tables.hpp).
struct Tables {
  using Logon = bit_9_4::Logon;
  using LogonReply = bit_9_4::LogonReply;
  using Logout = bit_9_4::Logout;
  using Heartbeat = bit_9_4::Heartbeat;
  using Reject = bit_9_4::Reject;
  using SystemStatus = bit_9_4::SystemStatus;
  using MissedMessageRequest = bit_9_4::MissedMessageRequest;
  using MissedMessageRequestAck = bit_9_4::MissedMessageRequestAck;
  using MissedMessageReport = bit_9_4::MissedMessageReport;
  using NewOrder = bit_9_4::NewOrder;
  using NewQuote = bit_9_4::NewQuote;
  using OrderCancelReplaceRequest = bit_9_4::OrderCancelReplaceRequest;
  using OrderCancelRequest = bit_9_4::OrderCancelRequest;
  using ExecutionReport = bit_9_4::ExecutionReport;
  using OrderMassCancelRequest = bit_9_4::OrderMassCancelRequest;
  using OrderCancelReject = bit_9_4::OrderCancelReject;
  using OrderMassCancelReport = bit_9_4::OrderMassCancelReport;
  using BusinessReject = bit_9_4::BusinessReject;

  static constexpr const char* k_name = "BIT-9.4";
  static constexpr std::span<const MessageLayout> k_layouts = bit_9_4::k_layouts;
  static constexpr std::int64_t k_fraction_ns = 1'000;
  /// The protocol's 6, an unpriced limit order, has no neutral value.
  static constexpr ValueSet k_order_types{1, 2, 3, 4, 5};
  static constexpr ValueSet k_order_sub_types{0, 51};
  static constexpr ValueSet k_times_in_force{0, 1, 3, 4, 5, 6, 8, 9, 10, 12, 13};
  static constexpr ValueSet k_mass_cancel_types{3, 4, 7, 8, 9, 15};
};

}  // namespace dojima::mit::bit_9_4
