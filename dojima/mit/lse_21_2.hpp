#pragma once

// The dialect `LSE-21.2`: MIT203 Native Trading Gateway, Issue 21.2 (20 July 2026), London Stock Exchange. One struct
// of field places per message, with the field's values beside it; `k_dialect` is the table of functions over them.
// Adding a message is adding a struct and a row in `k_layouts`; the request-for-quote messages are in a file of
// their own.
//
// Offsets count from the start-of-message byte; the header (start, length, type) takes the first four.

#include <array>

#include "dojima/mit/codec/codec_tables.hpp"
#include "dojima/mit/dialect.hpp"
#include "dojima/mit/dialects/lse_21_2_rfq.hpp"
#include "dojima/mit/layout.hpp"
#include "dojima/mit/values.hpp"

namespace dojima::mit::lse_21_2 {

struct Logon {
  static constexpr Sender k_sender = Sender::client;
  static constexpr char k_type = 'A';
  static constexpr std::size_t k_size = 80;
  static constexpr const char* k_name = "Logon";
  static constexpr TextField<25> user_name{4, "UserName", FieldRule::present};
  static constexpr TextField<25> password{29, "Password", FieldRule::present};
  static constexpr TextField<25> new_password{54, "NewPassword"};
  static constexpr UInt8Field message_version{79, "MessageVersion", k_message_versions};  // 1
  static constexpr auto k_places = FieldList(user_name, password, new_password, message_version);
};

struct LogonReply {
  static constexpr Sender k_sender = Sender::server;
  static constexpr char k_type = 'B';
  static constexpr std::size_t k_size = 38;
  static constexpr const char* k_name = "LogonReply";
  static constexpr Int32Field reject_code{4, "RejectCode"};
  static constexpr TextField<30> password_expiry_day_count{8, "PasswordExpiryDayCount"};  // digits
  static constexpr auto k_places = FieldList(reject_code, password_expiry_day_count);
};

struct Logout {
  static constexpr Sender k_sender = Sender::both;
  static constexpr char k_type = '5';
  static constexpr std::size_t k_size = 24;
  static constexpr const char* k_name = "Logout";
  static constexpr TextField<20> reason{4, "Reason"};
  static constexpr auto k_places = FieldList(reason);
};

struct Heartbeat {
  static constexpr Sender k_sender = Sender::both;
  static constexpr char k_type = '0';
  static constexpr std::size_t k_size = 4;
  static constexpr const char* k_name = "Heartbeat";
  static constexpr FieldList<> k_places{};
};

struct MissedMessageRequest {
  static constexpr Sender k_sender = Sender::client;
  static constexpr char k_type = 'M';
  static constexpr std::size_t k_size = 9;
  static constexpr const char* k_name = "MissedMessageRequest";
  static constexpr Int8Field app_id{4, "AppID", {}, FieldRule::positive};
  static constexpr Int32Field last_msg_seq_num{5, "LastMsgSeqNum", {}, FieldRule::positive};
  static constexpr auto k_places = FieldList(app_id, last_msg_seq_num);
};

struct MissedMessageRequestAck {
  static constexpr Sender k_sender = Sender::server;
  static constexpr char k_type = 'N';
  static constexpr std::size_t k_size = 5;
  static constexpr const char* k_name = "MissedMessageRequestAck";
  static constexpr UInt8Field response_type{4, "ResponseType", k_request_answers};
  static constexpr auto k_places = FieldList(response_type);
};

struct MissedMessageReport {
  static constexpr Sender k_sender = Sender::server;
  static constexpr char k_type = 'P';
  static constexpr std::size_t k_size = 5;
  static constexpr const char* k_name = "MissedMessageReport";
  static constexpr UInt8Field response_type{4, "ResponseType", k_download_answers};
  static constexpr auto k_places = FieldList(response_type);
};

struct Reject {
  static constexpr Sender k_sender = Sender::server;
  static constexpr char k_type = '3';
  static constexpr std::size_t k_size = 59;
  static constexpr const char* k_name = "Reject";
  static constexpr Int32Field reject_code{4, "RejectCode"};
  static constexpr TextField<30> reject_reason{8, "RejectReason"};
  static constexpr AlphaField rejected_message_type{38, "RejectedMessageType"};
  static constexpr TextField<20> client_order_id{39, "ClientOrderID"};
  static constexpr auto k_places = FieldList(reject_code, reject_reason, rejected_message_type, client_order_id);
};

struct SystemStatus {
  static constexpr Sender k_sender = Sender::server;
  static constexpr char k_type = 'n';
  static constexpr std::size_t k_size = 6;
  static constexpr const char* k_name = "SystemStatus";
  static constexpr UInt8Field app_id{4, "AppID"};
  static constexpr UInt8Field app_status{5, "AppStatus", k_app_statuses};
  static constexpr auto k_places = FieldList(app_id, app_status);
};

struct NewOrder {
  static constexpr Sender k_sender = Sender::client;
  static constexpr char k_type = 'D';
  static constexpr std::size_t k_size = 125;
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
  static constexpr UInt8Field order_sub_type{77, "OrderSubType", k_lse_order_sub_types};
  static constexpr UInt8Field anonymity{78, "Anonymity", k_anonymities};  // 1 named
  static constexpr PriceField stop_price{79, "StopPrice"};
  static constexpr UInt8Field passive_only_order{87, "PassiveOnlyOrder", k_passive_rules};
  static constexpr UInt32Field client_id{88, "ClientID"};
  static constexpr UInt32Field investment_decision_maker{92, "InvestmentDecisionMaker"};
  static constexpr UInt8Field group_id{96, "GroupID"};
  static constexpr Int32Field minimum_quantity{97, "MinimumQuantity"};
  static constexpr UInt32Field executing_trader{101, "ExecutingTrader"};
  static constexpr Int32Field offset{105, "Offset"};  // basis points
  static constexpr UInt8Field pegged_exec_inst{109, "PeggedExecInst", k_peg_rules};
  static constexpr UInt8Field owner_type{110, "OwnerType", k_owner_types};
  static constexpr ReservedField<14> reserved{111, "Reserved"};
  static constexpr auto k_places = FieldList(
      client_order_id, trader_id, account, clearing_account, instrument_id, mifid_flags, party_role_qualifiers,
      order_type, tif, expire_date_time, side, order_qty, display_qty, limit_price, capacity, auto_cancel,
      order_sub_type, anonymity, stop_price, passive_only_order, client_id, investment_decision_maker, group_id,
      minimum_quantity, executing_trader, offset, pegged_exec_inst, owner_type, reserved);
};

struct NewQuote {
  static constexpr Sender k_sender = Sender::client;
  static constexpr char k_type = 'S';
  static constexpr std::size_t k_size = 81;
  static constexpr const char* k_name = "NewQuote";
  static constexpr TextField<20> client_order_id{4, "ClientOrderID", FieldRule::present_identifier};
  static constexpr TextField<11> trader_id{24, "TraderID"};
  static constexpr UInt8Field clearing_account{35, "ClearingAccount", k_clearing_accounts};
  static constexpr Int32Field instrument_id{36, "InstrumentID", {}, FieldRule::positive};
  static constexpr PriceField bid_price{40, "BidPrice", {}, FieldRule::not_negative};
  static constexpr Int32Field bid_size{48, "BidSize", {}, FieldRule::not_negative};
  static constexpr PriceField ask_price{52, "AskPrice", {}, FieldRule::not_negative};
  static constexpr Int32Field ask_size{60, "AskSize", {}, FieldRule::not_negative};
  static constexpr UInt8Field capacity{64, "Capacity", k_capacities};
  static constexpr UInt8Field auto_cancel{65, "AutoCancel", k_auto_cancels};
  static constexpr UInt32Field client_id{66, "ClientID", {}, FieldRule::client_code};
  static constexpr UInt32Field investment_decision_maker{70, "InvestmentDecisionMaker", {}, FieldRule::decision_code};
  static constexpr UInt32Field executing_trader{74, "ExecutingTrader", {}, FieldRule::executing_code};
  static constexpr BitField mifid_flags{78, "MiFIDFlags", k_mifid_bits};
  static constexpr BitField party_role_qualifiers{79, "PartyRoleQualifiers", k_role_bits};
  static constexpr UInt8Field pegged_exec_inst{80, "PeggedExecInst", k_peg_rules};
  static constexpr auto k_places =
      FieldList(client_order_id, trader_id, clearing_account, instrument_id, bid_price, bid_size, ask_price, ask_size,
                capacity, auto_cancel, client_id, investment_decision_maker, executing_trader, mifid_flags,
                party_role_qualifiers, pegged_exec_inst);
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
  static constexpr Int32Field offset{103, "Offset"};
  static constexpr ReservedField<5> reserved{107, "Reserved"};
  static constexpr Int32Field minimum_quantity{112, "MinimumQuantity", {}, FieldRule::not_negative};
  static constexpr auto k_places =
      FieldList(client_order_id, original_client_order_id, order_id, instrument_id, group_id, reserved_2,
                expire_date_time, order_qty, display_qty, limit_price, account, reserved_3, side, stop_price,
                passive_only_order, offset, reserved, minimum_quantity);
};

struct OrderCancelRequest {
  static constexpr Sender k_sender = Sender::client;
  static constexpr char k_type = 'F';
  static constexpr std::size_t k_size = 73;
  static constexpr const char* k_name = "OrderCancelRequest";
  static constexpr TextField<20> client_order_id{4, "ClientOrderID", FieldRule::present_identifier};
  static constexpr TextField<20> original_client_order_id{24, "OriginalClientOrderID"};
  static constexpr TextField<12> order_id{44, "OrderID", FieldRule::base62};
  static constexpr Int32Field instrument_id{56, "InstrumentID", {}, FieldRule::positive};
  static constexpr ReservedField<1> reserved_1{60, "Reserved1"};
  static constexpr ReservedField<1> reserved_2{61, "Reserved2"};
  static constexpr UInt8Field side{62, "Side", k_sides};
  static constexpr TextField<10> rfq_id{63, "RFQID"};  // only to cancel an RFQ quote
  static constexpr auto k_places = FieldList(client_order_id, original_client_order_id, order_id, instrument_id,
                                             reserved_1, reserved_2, side, rfq_id);
};

struct OrderMassCancelRequest {
  static constexpr Sender k_sender = Sender::client;
  static constexpr char k_type = 'q';
  static constexpr std::size_t k_size = 46;
  static constexpr const char* k_name = "OrderMassCancelRequest";
  static constexpr TextField<20> client_order_id{4, "ClientOrderID", FieldRule::present_identifier};
  static constexpr UInt8Field mass_cancel_request_type{24, "MassCancelRequestType", k_mass_cancel_types};
  static constexpr Int32Field instrument_id{25, "InstrumentID"};
  static constexpr ReservedField<1> reserved_1{29, "Reserved1"};
  static constexpr UInt8Field group_id{30, "GroupID"};
  static constexpr TextField<4> segment{31, "Segment"};
  static constexpr UInt8Field order_sub_type{35, "OrderSubType", k_mass_cancel_sub_types};
  static constexpr ReservedField<10> reserved{36, "Reserved"};
  static constexpr auto k_places = FieldList(client_order_id, mass_cancel_request_type, instrument_id, reserved_1,
                                             group_id, segment, order_sub_type, reserved);
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
  static constexpr UInt8Field pegged_exec_inst{97, "PeggedExecInst", k_peg_rules};
  static constexpr Int8Field side{98, "Side", k_sides};
  static constexpr UInt8Field owner_type{99, "OwnerType", k_owner_types};
  static constexpr ReservedField<7> reserved_2{100, "Reserved2"};
  static constexpr TextField<11> counterparty{107, "Counterparty"};
  static constexpr AlphaField trade_liquidity_indicator{118, "TradeLiquidityIndicator", k_liquidities};
  static constexpr UInt64Field trade_match_id{119, "TradeMatchID"};
  static constexpr UInt64Field transact_time{
      127, "TransactTime", {}, FieldRule::instant};  // seconds | nanoseconds << 32
  static constexpr UInt8Field last_market{135, "LastMarket", k_markets};
  static constexpr UInt8Field type_of_trade{136, "TypeOfTrade", k_trade_types};
  static constexpr UInt8Field capacity{137, "Capacity", k_capacities};
  static constexpr ReservedField<1> reserved_4{138, "Reserved4"};
  static constexpr TextField<12> public_order_id{139, "PublicOrderID", FieldRule::base62};
  static constexpr Int32Field minimum_quantity{151, "MinimumQuantity", {}, FieldRule::not_negative};
  static constexpr auto k_places =
      FieldList(app_id, sequence_no, execution_id, client_order_id, order_id, exec_type, execution_report_ref_id,
                order_status, order_reject_code, executed_price, executed_qty, leaves_qty, waiver_flags, display_qty,
                instrument_id, restatement_reason, pegged_exec_inst, side, owner_type, reserved_2, counterparty,
                trade_liquidity_indicator, trade_match_id, transact_time, last_market, type_of_trade, capacity,
                reserved_4, public_order_id, minimum_quantity);
};

struct OrderCancelReject {
  static constexpr Sender k_sender = Sender::server;
  static constexpr char k_type = '9';
  static constexpr std::size_t k_size = 63;
  static constexpr const char* k_name = "OrderCancelReject";
  static constexpr UInt8Field app_id{4, "AppID"};
  static constexpr Int32Field sequence_no{5, "SequenceNo", {}, FieldRule::not_negative};
  static constexpr TextField<20> client_order_id{9, "ClientOrderID"};
  static constexpr TextField<12> order_id{29, "OrderID", FieldRule::base62};  // "NONE": unknown
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
  static constexpr ReservedField<4> reserved_1{34, "Reserved1"};
  static constexpr UInt64Field transact_time{38, "TransactTime", {}, FieldRule::instant};
  static constexpr ReservedField<10> reserved_2{46, "Reserved2"};
  static constexpr auto k_places = FieldList(app_id, sequence_no, client_order_id, mass_cancel_response,
                                             mass_cancel_reject_reason, reserved_1, transact_time, reserved_2);
};

struct BusinessReject {
  static constexpr Sender k_sender = Sender::server;
  static constexpr char k_type = 'j';
  static constexpr std::size_t k_size = 63;
  static constexpr const char* k_name = "BusinessReject";
  static constexpr UInt8Field app_id{4, "AppID"};
  static constexpr Int32Field sequence_no{5, "SequenceNo", {}, FieldRule::not_negative};
  static constexpr Int32Field reject_code{9, "RejectCode"};
  static constexpr TextField<20> client_order_id{13, "ClientOrderID"};
  static constexpr TextField<12> order_id{33, "OrderID", FieldRule::base62};
  static constexpr UInt64Field transact_time{45, "TransactTime", {}, FieldRule::instant};
  static constexpr ReservedField<10> reserved{53, "Reserved"};
  static constexpr auto k_places =
      FieldList(app_id, sequence_no, reject_code, client_order_id, order_id, transact_time, reserved);
};

/// Every message of the dialect.
using Messages = MessageList<Logon, LogonReply, Logout, Heartbeat, MissedMessageRequest, MissedMessageRequestAck,
                             MissedMessageReport, Reject, SystemStatus, NewOrder, NewQuote, OrderCancelReplaceRequest,
                             OrderCancelRequest, OrderMassCancelRequest, ExecutionReport, OrderCancelReject,
                             OrderMassCancelReport, BusinessReject, QuoteRequest, QuoteStatusReport, QuoteRequestReject,
                             RFQQuote, QuoteAck, QuoteResponse, RFQExecutionReport>;
inline constexpr auto k_layouts = layouts_of(Messages{});

/// What the codec is made for (codec_tables.hpp).
struct Tables {
  using Logon = lse_21_2::Logon;
  using LogonReply = lse_21_2::LogonReply;
  using Logout = lse_21_2::Logout;
  using Heartbeat = lse_21_2::Heartbeat;
  using Reject = lse_21_2::Reject;
  using SystemStatus = lse_21_2::SystemStatus;
  using MissedMessageRequest = lse_21_2::MissedMessageRequest;
  using MissedMessageRequestAck = lse_21_2::MissedMessageRequestAck;
  using MissedMessageReport = lse_21_2::MissedMessageReport;
  using NewOrder = lse_21_2::NewOrder;
  using NewQuote = lse_21_2::NewQuote;
  using OrderCancelReplaceRequest = lse_21_2::OrderCancelReplaceRequest;
  using OrderCancelRequest = lse_21_2::OrderCancelRequest;
  using ExecutionReport = lse_21_2::ExecutionReport;
  using OrderMassCancelRequest = lse_21_2::OrderMassCancelRequest;
  using OrderCancelReject = lse_21_2::OrderCancelReject;
  using OrderMassCancelReport = lse_21_2::OrderMassCancelReport;
  using BusinessReject = lse_21_2::BusinessReject;

  static constexpr const char* k_name = "LSE-21.2";
  static constexpr std::span<const MessageLayout> k_layouts = lse_21_2::k_layouts;
  static constexpr std::int64_t k_fraction_ns = 1;
  static constexpr ValueSet k_order_types{1, 2, 3, 4};
  static constexpr ValueSet k_order_sub_types{0, 5, 51, 55};
  static constexpr ValueSet k_times_in_force{0, 3, 4, 5, 6, 8, 10, 12, 50, 51, 52, 54, 55};
  static constexpr ValueSet k_mass_cancel_types{3, 4, 7, 8, 9, 15, 56, 57, 58};
};

}  // namespace dojima::mit::lse_21_2
