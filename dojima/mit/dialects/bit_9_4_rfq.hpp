#pragma once

// The request-for-quote messages of the dialect `BIT-9.4`, as tables. Included by bit_9_4.hpp.

#include "dojima/mit/layout.hpp"
#include "dojima/mit/values.hpp"

namespace dojima::mit::bit_9_4 {

struct QuoteRequest {
  static constexpr Sender k_sender = Sender::both;
  static constexpr char k_type = 'a';
  static constexpr std::size_t k_size = 144;
  static constexpr const char* k_name = "QuoteRequest";
  static constexpr UInt8Field partition_id{4, "PartitionID"};
  static constexpr Int32Field sequence_number{5, "SequenceNumber", {}, FieldRule::not_negative};
  static constexpr TextField<10> quote_req_id{9, "QuoteReqID"};
  static constexpr UInt8Field order_book{19, "OrderBook", k_order_books};
  static constexpr UInt8Field private_quote{20, "PrivateQuote"};
  static constexpr Int32Field instrument_id{21, "InstrumentID", {}, FieldRule::not_negative};
  static constexpr Int8Field side{25, "Side", k_no_side_too};
  static constexpr UInt64Field order_quantity{26, "OrderQuantity", {}, FieldRule::not_negative};
  static constexpr UInt32Field expire_time{34, "ExpireTime"};
  static constexpr TextField<60> market_makers{38, "MarketMakers"};
  static constexpr TextField<11> contra_trader{98, "ContraTrader"};
  static constexpr TextField<11> contra_firm{109, "ContraFirm"};
  static constexpr TextField<10> rfq_id{120, "RFQID"};
  static constexpr UInt32Field client_id{130, "ClientID"};
  static constexpr UInt32Field investment_decision_maker{134, "InvestmentDecisionMaker"};
  static constexpr UInt32Field executing_trader{138, "ExecutingTrader"};
  static constexpr BitField mifid_flags{142, "FXMiFIDFlags", k_mifid_bits};
  static constexpr BitField party_role_qualifiers{143, "PartyRoleQualifiers", k_role_bits};
  static constexpr auto k_places =
      FieldList(partition_id, sequence_number, quote_req_id, order_book, private_quote, instrument_id, side,
                order_quantity, expire_time, market_makers, contra_trader, contra_firm, rfq_id, client_id,
                investment_decision_maker, executing_trader, mifid_flags, party_role_qualifiers);
};

struct QuoteRequestReject {
  static constexpr Sender k_sender = Sender::both;
  static constexpr char k_type = 'b';
  static constexpr std::size_t k_size = 118;
  static constexpr const char* k_name = "QuoteRequestReject";
  static constexpr UInt8Field partition_id{4, "PartitionID"};
  static constexpr Int32Field sequence_number{5, "SequenceNumber", {}, FieldRule::not_negative};
  static constexpr TextField<10> quote_req_id{9, "QuoteReqID"};
  static constexpr Int32Field reject_code{19, "RejectCode"};
  static constexpr UInt8Field order_book{23, "OrderBook", k_order_books};
  static constexpr Int32Field instrument_id{24, "InstrumentID", {}, FieldRule::not_negative};
  static constexpr Int8Field side{28, "Side", k_no_side_too};
  static constexpr UInt64Field order_quantity{29, "OrderQuantity", {}, FieldRule::not_negative};
  static constexpr TextField<60> market_makers{37, "MarketMakers"};
  static constexpr TextField<11> contra_trader{97, "ContraTrader"};
  static constexpr TextField<10> rfq_id{108, "RFQID"};
  static constexpr auto k_places = FieldList(partition_id, sequence_number, quote_req_id, reject_code, order_book,
                                             instrument_id, side, order_quantity, market_makers, contra_trader, rfq_id);
};

struct QuoteStatusReport {
  static constexpr Sender k_sender = Sender::server;
  static constexpr char k_type = 'c';
  static constexpr std::size_t k_size = 143;
  static constexpr const char* k_name = "QuoteStatusReport";
  static constexpr UInt8Field partition_id{4, "PartitionID"};
  static constexpr Int32Field sequence_number{5, "SequenceNumber", {}, FieldRule::not_negative};
  static constexpr ReservedField<20> reserved_for_future_use_1{9, "Reservedforfutureuse1"};
  static constexpr TextField<10> quote_req_id{29, "QuoteReqID"};
  static constexpr UInt8Field quote_status{39, "QuoteStatus", k_quote_statuses};
  static constexpr Int32Field reject_code{40, "RejectCode"};
  static constexpr UInt8Field order_book{44, "OrderBook", k_order_books};
  static constexpr TextField<60> market_makers{45, "MarketMakers"};
  static constexpr TextField<10> rfq_id{105, "RFQID"};
  static constexpr UInt32Field expire_time{115, "ExpireTime"};
  static constexpr TextField<12> bid_id{119, "BidID"};
  static constexpr TextField<12> offer_id{131, "OfferID"};
  static constexpr auto k_places =
      FieldList(partition_id, sequence_number, reserved_for_future_use_1, quote_req_id, quote_status, reject_code,
                order_book, market_makers, rfq_id, expire_time, bid_id, offer_id);
};

struct RFQQuote {
  static constexpr Sender k_sender = Sender::both;
  static constexpr char k_type = 'd';
  static constexpr std::size_t k_size = 138;
  static constexpr const char* k_name = "RFQQuote";
  static constexpr UInt8Field partition_id{4, "PartitionID"};
  static constexpr Int32Field sequence_number{5, "SequenceNumber", {}, FieldRule::not_negative};
  static constexpr TextField<20> quote_msg_id{9, "QuoteMsgID"};
  static constexpr TextField<10> rfq_id{29, "RFQID"};
  static constexpr Int32Field instrument_id{39, "InstrumentID", {}, FieldRule::not_negative};
  static constexpr PriceField bid_price{43, "BidPrice"};
  static constexpr UInt64Field bid_quantity{51, "BidQuantity", {}, FieldRule::not_negative};
  static constexpr PriceField offer_price{59, "OfferPrice"};
  static constexpr UInt64Field offer_quantity{67, "OfferQuantity", {}, FieldRule::not_negative};
  static constexpr UInt8Field auto_cancel{75, "AutoCancel", k_auto_cancels};
  static constexpr TextField<11> market_makers{76, "MarketMakers"};
  static constexpr TextField<11> market_maker_firm{87, "MarketMakerFirm"};
  static constexpr TextField<12> bid_id{98, "BidID"};
  static constexpr TextField<12> offer_id{110, "OfferID"};
  static constexpr UInt8Field capacity{122, "Capacity", k_capacities};
  static constexpr UInt8Field clearing_account{123, "ClearingAccount", k_clearing_accounts};
  static constexpr UInt32Field client_id{124, "ClientID"};
  static constexpr UInt32Field investment_decision_maker{128, "InvestmentDecisionMaker"};
  static constexpr UInt32Field executing_trader{132, "ExecutingTrader"};
  static constexpr BitField mifid_flags{136, "FXMiFIDFlags", k_mifid_bits};
  static constexpr BitField party_role_qualifiers{137, "PartyRoleQualifiers", k_role_bits};
  static constexpr auto k_places = FieldList(
      partition_id, sequence_number, quote_msg_id, rfq_id, instrument_id, bid_price, bid_quantity, offer_price,
      offer_quantity, auto_cancel, market_makers, market_maker_firm, bid_id, offer_id, capacity, clearing_account,
      client_id, investment_decision_maker, executing_trader, mifid_flags, party_role_qualifiers);
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
  static constexpr UInt8Field order_book{68, "OrderBook", k_order_books};
  static constexpr auto k_places = FieldList(partition_id, sequence_number, quote_msg_id, rfq_id, bid_id, offer_id,
                                             quote_ack_status, reject_code, order_book);
};

struct QuoteResponse {
  static constexpr Sender k_sender = Sender::both;
  static constexpr char k_type = 'f';
  static constexpr std::size_t k_size = 88;
  static constexpr const char* k_name = "QuoteResponse";
  static constexpr UInt8Field partition_id{4, "PartitionID"};
  static constexpr Int32Field sequence_number{5, "SequenceNumber", {}, FieldRule::not_negative};
  static constexpr TextField<20> quote_msg_id{9, "QuoteMsgID"};
  static constexpr TextField<10> rfq_id{29, "RFQID"};
  static constexpr UInt8Field quote_resp_type{39, "QuoteRespType", k_bit_quote_responses};
  static constexpr Int32Field instrument_id{40, "InstrumentID", {}, FieldRule::not_negative};
  static constexpr UInt8Field side{44, "Side", k_sides};
  static constexpr UInt64Field order_quantity{45, "OrderQuantity", {}, FieldRule::not_negative};
  static constexpr PriceField cover_price{53, "CoverPrice"};
  static constexpr UInt8Field order_book{61, "OrderBook", k_order_books};
  static constexpr TextField<12> bid_id{62, "BidID"};
  static constexpr TextField<12> offer_id{74, "OfferID"};
  static constexpr UInt8Field capacity{86, "Capacity", k_capacities};
  static constexpr UInt8Field clearing_account{87, "ClearingAccount", k_clearing_accounts};
  static constexpr auto k_places =
      FieldList(partition_id, sequence_number, quote_msg_id, rfq_id, quote_resp_type, instrument_id, side,
                order_quantity, cover_price, order_book, bid_id, offer_id, capacity, clearing_account);
};

struct RFQExecutionReport {
  static constexpr Sender k_sender = Sender::server;
  static constexpr char k_type = 'g';
  static constexpr std::size_t k_size = 136;
  static constexpr const char* k_name = "RFQExecutionReport";
  static constexpr UInt8Field partition_id{4, "PartitionID"};
  static constexpr Int32Field sequence_number{5, "SequenceNumber", {}, FieldRule::not_negative};
  static constexpr TextField<12> execution_id{9, "ExecutionID", FieldRule::base62};
  static constexpr TextField<10> rfq_id{21, "RFQID"};
  static constexpr TextField<12> order_id{31, "OrderID", FieldRule::base62};
  static constexpr AlphaField execution_type{43, "ExecutionType", k_bit_exec_types};
  static constexpr UInt64Field trade_match_id{44, "TradeMatchID"};
  static constexpr UInt8Field side{52, "Side", k_sides};
  static constexpr UInt64Field executed_quantity{53, "ExecutedQuantity", {}, FieldRule::not_negative};
  static constexpr PriceField executed_price{61, "ExecutedPrice"};
  static constexpr PriceField last_par_price{69, "LastParPrice"};
  static constexpr PriceField yield{77, "Yield"};
  static constexpr PriceField accrued_interest_amt{85, "AccruedInterestAmt"};
  static constexpr UInt8Field order_status{93, "OrderStatus", k_order_statuses};
  static constexpr UInt64Field leaves_quantity{94, "LeavesQuantity", {}, FieldRule::not_negative};
  static constexpr Int32Field instrument_id{102, "InstrumentID", {}, FieldRule::not_negative};
  static constexpr PriceField par_price{106, "ParPrice"};
  static constexpr PriceField converted_yield{114, "ConvertedYield"};
  static constexpr TextField<11> contra_firm{122, "ContraFirm"};
  static constexpr UInt8Field capacity{133, "Capacity", k_capacities};
  static constexpr UInt8Field clearing_account{134, "ClearingAccount", k_clearing_accounts};
  static constexpr BitField waiver_flags{135, "WaiverFlags", k_waiver_bits};
  static constexpr auto k_places = FieldList(
      partition_id, sequence_number, execution_id, rfq_id, order_id, execution_type, trade_match_id, side,
      executed_quantity, executed_price, last_par_price, yield, accrued_interest_amt, order_status, leaves_quantity,
      instrument_id, par_price, converted_yield, contra_firm, capacity, clearing_account, waiver_flags);
};

}  // namespace dojima::mit::bit_9_4
