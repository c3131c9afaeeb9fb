#pragma once

// The request-for-quote messages of the dialect `LSE-21.2`, as tables. Included by lse_21_2.hpp. Types `a b d f` travel
// both ways with one layout; fields that a direction does not use are zero or null.

#include "dojima/mit/layout.hpp"
#include "dojima/mit/values.hpp"

namespace dojima::mit::lse_21_2 {

struct QuoteRequest {
  static constexpr Sender k_sender = Sender::both;
  static constexpr char k_type = 'a';
  static constexpr std::size_t k_size = 184;
  static constexpr const char* k_name = "QuoteRequest";
  static constexpr UInt8Field partition_id{4, "PartitionID"};
  static constexpr Int32Field sequence_number{5, "SequenceNumber", {}, FieldRule::not_negative};
  static constexpr TextField<10> quote_req_id{9, "QuoteReqID"};
  static constexpr UInt8Field order_book{19, "OrderBook", k_rfq_books};
  static constexpr UInt8Field private_quote{20, "PrivateQuote", k_private_quotes};
  static constexpr Int32Field instrument_id{21, "InstrumentID", {}, FieldRule::not_negative};
  static constexpr UInt8Field side{25, "Side", k_no_side_too};
  static constexpr Int32Field order_quantity{26, "OrderQuantity", {}, FieldRule::not_negative};
  static constexpr UInt32Field expire_time{30, "ExpireTime"};
  static constexpr TextField<60> market_makers{34, "MarketMakers"};
  static constexpr TextField<11> contra_trader{94, "ContraTrader"};
  static constexpr TextField<11> contra_firm{105, "ContraFirm"};
  static constexpr TextField<10> rfq_id{116, "RFQID"};
  static constexpr UInt32Field client_id{126, "ClientID"};
  static constexpr UInt32Field investment_decision_maker{130, "InvestmentDecisionMaker"};
  static constexpr UInt32Field executing_trader{134, "ExecutingTrader"};
  static constexpr BitField mifid_flags{138, "MiFIDFlags", k_mifid_bits};
  static constexpr BitField party_role_qualifiers{139, "PartyRoleQualifiers", k_role_bits};
  static constexpr UInt8Field quote_request_type{140, "QuoteRequestType", k_quote_request_types};
  static constexpr PriceField price{141, "Price"};
  static constexpr UInt8Field rfq_execution_delay{149, "RFQExecutionDelay"};
  static constexpr UInt8Field rfq_min_quotes{150, "RFQMinQuotes"};
  static constexpr UInt8Field account_type{151, "AccountType", k_clearing_accounts};
  static constexpr UInt8Field order_capacity{152, "OrderCapacity", k_capacities};
  static constexpr UInt8Field rfq_disclose_side{153, "RFQDiscloseSide", k_disclosures};
  static constexpr UInt32Field expire_time_milliseconds{154, "ExpireTimeMilliseconds", {}, FieldRule::milliseconds};
  static constexpr UInt8Field auto_rfq_exec_strategy{158, "AutoRFQExecStrategy", k_execution_strategies};
  static constexpr UInt8Field num_of_competitors{159, "NumOfCompetitors"};
  static constexpr UInt8Field market_maker_rank{160, "MarketMakerRank"};
  static constexpr ReservedField<23> reserved{161, "Reserved"};
  static constexpr auto k_places =
      FieldList(partition_id, sequence_number, quote_req_id, order_book, private_quote, instrument_id, side,
                order_quantity, expire_time, market_makers, contra_trader, contra_firm, rfq_id, client_id,
                investment_decision_maker, executing_trader, mifid_flags, party_role_qualifiers, quote_request_type,
                price, rfq_execution_delay, rfq_min_quotes, account_type, order_capacity, rfq_disclose_side,
                expire_time_milliseconds, auto_rfq_exec_strategy, num_of_competitors, market_maker_rank, reserved);
};

struct QuoteStatusReport {
  static constexpr Sender k_sender = Sender::server;
  static constexpr char k_type = 'c';
  static constexpr std::size_t k_size = 147;
  static constexpr const char* k_name = "QuoteStatusReport";
  static constexpr UInt8Field partition_id{4, "PartitionID"};
  static constexpr Int32Field sequence_number{5, "SequenceNumber", {}, FieldRule::not_negative};
  static constexpr TextField<20> quote_msg_id{9, "QuoteMsgID"};
  static constexpr TextField<10> quote_req_id{29, "QuoteReqID"};
  static constexpr UInt8Field quote_status{39, "QuoteStatus", k_quote_statuses};
  static constexpr Int32Field reject_code{40, "RejectCode"};
  static constexpr UInt8Field order_book{44, "OrderBook", k_rfq_books};
  static constexpr TextField<60> market_makers{45, "MarketMakers"};
  static constexpr TextField<10> rfq_id{105, "RFQID"};
  static constexpr UInt32Field expire_time{115, "ExpireTime"};
  static constexpr TextField<12> bid_id{119, "BidID"};
  static constexpr TextField<12> offer_id{131, "OfferID"};
  static constexpr UInt32Field expire_time_milliseconds{143, "ExpireTimeMilliseconds", {}, FieldRule::milliseconds};
  static constexpr auto k_places =
      FieldList(partition_id, sequence_number, quote_msg_id, quote_req_id, quote_status, reject_code, order_book,
                market_makers, rfq_id, expire_time, bid_id, offer_id, expire_time_milliseconds);
};

struct QuoteRequestReject {
  static constexpr Sender k_sender = Sender::both;
  static constexpr char k_type = 'b';
  static constexpr std::size_t k_size = 114;
  static constexpr const char* k_name = "QuoteRequestReject";
  static constexpr UInt8Field partition_id{4, "PartitionID"};
  static constexpr Int32Field sequence_number{5, "SequenceNumber", {}, FieldRule::not_negative};
  static constexpr TextField<10> quote_req_id{9, "QuoteReqID"};
  static constexpr Int32Field reject_code{19, "RejectCode"};
  static constexpr UInt8Field order_book{23, "OrderBook", k_rfq_books};
  static constexpr Int32Field instrument_id{24, "InstrumentID", {}, FieldRule::not_negative};
  static constexpr UInt8Field side{28, "Side", k_no_side_too};
  static constexpr Int32Field order_quantity{29, "OrderQuantity", {}, FieldRule::not_negative};
  static constexpr TextField<60> market_makers{33, "MarketMakers"};
  static constexpr TextField<11> contra_trader{93, "ContraTrader"};
  static constexpr TextField<10> rfq_id{104, "RFQID"};
  static constexpr auto k_places = FieldList(partition_id, sequence_number, quote_req_id, reject_code, order_book,
                                             instrument_id, side, order_quantity, market_makers, contra_trader, rfq_id);
};

struct RFQQuote {
  static constexpr Sender k_sender = Sender::both;
  static constexpr char k_type = 'd';
  static constexpr std::size_t k_size = 146;
  static constexpr const char* k_name = "RFQQuote";
  static constexpr UInt8Field partition_id{4, "PartitionID"};
  static constexpr Int32Field sequence_number{5, "SequenceNumber", {}, FieldRule::not_negative};
  static constexpr TextField<20> quote_msg_id{9, "QuoteMsgID"};
  static constexpr TextField<10> rfq_id{29, "RFQID"};
  static constexpr Int32Field instrument_id{39, "InstrumentID", {}, FieldRule::not_negative};
  static constexpr PriceField bid_price{43, "BidPrice"};
  static constexpr Int32Field bid_quantity{51, "BidQuantity", {}, FieldRule::not_negative};
  static constexpr PriceField offer_price{55, "OfferPrice"};
  static constexpr Int32Field offer_quantity{63, "OfferQuantity", {}, FieldRule::not_negative};
  static constexpr UInt8Field auto_cancel{67, "AutoCancel", k_auto_cancels};
  static constexpr TextField<11> market_maker{68, "MarketMaker"};
  static constexpr TextField<11> market_maker_firm{79, "MarketMakerFirm"};
  static constexpr TextField<12> bid_id{90, "BidID"};
  static constexpr TextField<12> offer_id{102, "OfferID"};
  static constexpr UInt8Field capacity{114, "Capacity", k_capacities};
  static constexpr UInt8Field clearing_account{115, "ClearingAccount", k_clearing_accounts};
  static constexpr UInt32Field client_id{116, "ClientID"};
  static constexpr UInt32Field investment_decision_maker{120, "InvestmentDecisionMaker"};
  static constexpr UInt32Field executing_trader{124, "ExecutingTrader"};
  static constexpr BitField mifid_flags{128, "MiFIDFlags", k_mifid_bits};
  static constexpr BitField party_role_qualifiers{129, "PartyRoleQualifiers", k_role_bits};
  static constexpr ReservedField<16> reserved{130, "Reserved"};
  static constexpr auto k_places = FieldList(
      partition_id, sequence_number, quote_msg_id, rfq_id, instrument_id, bid_price, bid_quantity, offer_price,
      offer_quantity, auto_cancel, market_maker, market_maker_firm, bid_id, offer_id, capacity, clearing_account,
      client_id, investment_decision_maker, executing_trader, mifid_flags, party_role_qualifiers, reserved);
};

struct QuoteAck {
  static constexpr Sender k_sender = Sender::server;
  static constexpr char k_type = 'e';
  static constexpr std::size_t k_size = 69;
  static constexpr const char* k_name = "QuoteAck";
  static constexpr UInt8Field partition_id{4, "PartitionID"};
  static constexpr Int32Field sequence_number{5, "SequenceNumber", {}, FieldRule::not_negative};
  static constexpr TextField<20> quote_msg_id{9, "QuoteMsgID"};
  static constexpr TextField<10> rfq_id{29, "RFQID"};
  static constexpr TextField<12> bid_id{39, "BidID"};
  static constexpr TextField<12> offer_id{51, "OfferID"};
  static constexpr UInt8Field quote_ack_status{63, "QuoteAckStatus", k_quote_statuses};
  static constexpr Int32Field reject_code{64, "RejectCode"};
  static constexpr UInt8Field order_book{68, "OrderBook", k_rfq_books};
  static constexpr auto k_places = FieldList(partition_id, sequence_number, quote_msg_id, rfq_id, bid_id, offer_id,
                                             quote_ack_status, reject_code, order_book);
};

struct QuoteResponse {
  static constexpr Sender k_sender = Sender::both;
  static constexpr char k_type = 'f';
  static constexpr std::size_t k_size = 92;
  static constexpr const char* k_name = "QuoteResponse";
  static constexpr UInt8Field partition_id{4, "PartitionID"};
  static constexpr Int32Field sequence_number{5, "SequenceNumber", {}, FieldRule::not_negative};
  static constexpr TextField<20> quote_msg_id{9, "QuoteMsgID"};
  static constexpr TextField<10> rfq_id{29, "RFQID"};
  static constexpr UInt8Field quote_resp_type{39, "QuoteRespType", k_quote_responses};
  static constexpr Int32Field instrument_id{40, "InstrumentID", {}, FieldRule::not_negative};
  static constexpr UInt8Field side{44, "Side", k_sides};
  static constexpr Int32Field order_quantity{45, "OrderQuantity", {}, FieldRule::not_negative};
  static constexpr PriceField limit_price{49, "LimitPrice"};
  static constexpr UInt8Field order_book{57, "OrderBook", k_rfq_books};
  static constexpr TextField<12> bid_id{58, "BidID"};
  static constexpr TextField<12> offer_id{70, "OfferID"};
  static constexpr UInt8Field capacity{82, "Capacity", k_capacities};
  static constexpr UInt8Field clearing_account{83, "ClearingAccount", k_clearing_accounts};
  static constexpr ReservedField<8> reserved{84, "Reserved"};
  static constexpr auto k_places =
      FieldList(partition_id, sequence_number, quote_msg_id, rfq_id, quote_resp_type, instrument_id, side,
                order_quantity, limit_price, order_book, bid_id, offer_id, capacity, clearing_account, reserved);
};

struct RFQExecutionReport {
  static constexpr Sender k_sender = Sender::server;
  static constexpr char k_type = 'g';
  static constexpr std::size_t k_size = 157;
  static constexpr const char* k_name = "RFQExecutionReport";
  static constexpr UInt8Field partition_id{4, "PartitionID"};
  static constexpr Int32Field sequence_number{5, "SequenceNumber", {}, FieldRule::not_negative};
  static constexpr TextField<12> execution_id{9, "ExecutionID", FieldRule::base62};
  static constexpr TextField<10> rfq_id{21, "RFQID"};
  static constexpr TextField<12> order_id{31, "OrderID", FieldRule::base62};
  static constexpr AlphaField execution_type{43, "ExecutionType", k_rfq_exec_types};
  static constexpr UInt64Field trade_match_id{44, "TradeMatchID"};
  static constexpr UInt8Field side{52, "Side", k_sides};
  static constexpr Int32Field executed_quantity{53, "ExecutedQuantity", {}, FieldRule::not_negative};
  static constexpr PriceField executed_price{57, "ExecutedPrice"};
  static constexpr UInt64Field transact_time{65, "TransactTime", {}, FieldRule::instant};
  static constexpr ReservedField<8> reserved_2{73, "Reserved2"};
  static constexpr ReservedField<8> reserved_3{81, "Reserved3"};
  static constexpr UInt8Field order_status{89, "OrderStatus", k_rfq_order_statuses};
  static constexpr Int32Field leaves_quantity{90, "LeavesQuantity", {}, FieldRule::not_negative};
  static constexpr Int32Field instrument_id{94, "InstrumentID", {}, FieldRule::not_negative};
  static constexpr ReservedField<8> reserved_4{98, "Reserved4"};
  static constexpr ReservedField<8> reserved_5{106, "Reserved5"};
  static constexpr TextField<11> contra_firm{114, "ContraFirm"};
  static constexpr UInt8Field capacity{125, "Capacity", k_capacities};
  static constexpr UInt8Field clearing_account{126, "ClearingAccount", k_clearing_accounts};
  static constexpr BitField waiver_flags{127, "WaiverFlags", k_rfq_waiver_bits};
  static constexpr TextField<12> execution_report_ref_id{128, "ExecutionReportRefID", FieldRule::base62};
  static constexpr UInt8Field contra_order_book{140, "ContraOrderBook", k_regular_books};
  static constexpr PriceField avg_px{141, "AvgPx"};
  static constexpr UInt8Field last_market{149, "LastMarket", k_rfq_markets};
  static constexpr ReservedField<7> reserved{150, "Reserved"};
  static constexpr auto k_places =
      FieldList(partition_id, sequence_number, execution_id, rfq_id, order_id, execution_type, trade_match_id, side,
                executed_quantity, executed_price, transact_time, reserved_2, reserved_3, order_status, leaves_quantity,
                instrument_id, reserved_4, reserved_5, contra_firm, capacity, clearing_account, waiver_flags,
                execution_report_ref_id, contra_order_book, avg_px, last_market, reserved);
};

}  // namespace dojima::mit::lse_21_2
