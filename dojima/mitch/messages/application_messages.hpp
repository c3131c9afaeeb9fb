#pragma once

// The messages of MIT303 (Level 2 MITCH, Issue 11.9): the application messages, which are numbered on the feed. Each
// record carries its layout: `table()` binds its members to their places on the wire, in wire order; codec.hpp reads,
// writes and checks by it. Members mean what the wire says, in its units: quantities in lots, prices in 1e-8, and texts
// without the spaces behind them. Plain records, no allocation.

#include <cstdint>

#include "dojima/base/layout.hpp"
#include "dojima/market/price.hpp"
#include "dojima/mitch/messages/binding.hpp"

namespace dojima::mitch {

/// First in every second in which anything else is sent.
struct Time {
  static constexpr char k_type = 'T';
  static constexpr std::size_t k_size = 6;
  static constexpr const char* k_name = "Time";

  std::uint32_t seconds = 0;  ///< since midnight, local time of the exchange

  [[nodiscard]] static constexpr auto table() noexcept {
    return FieldList{bind(&Time::seconds, UInt32Field{2, "Seconds"})};
  }
  friend bool operator==(const Time&, const Time&) = default;
};

struct SystemEvent {
  static constexpr char k_type = 'S';
  static constexpr std::size_t k_size = 7;
  static constexpr const char* k_name = "SystemEvent";

  std::uint32_t nanosecond = 0;  ///< from the last Time message
  char event_code = 'O';

  [[nodiscard]] static constexpr auto table() noexcept {
    return FieldList{bind(&SystemEvent::nanosecond, UInt32Field{2, "Nanosecond"}),
                     bind(&SystemEvent::event_code, AlphaField{6, "EventCode", k_event_codes})};
  }
  friend bool operator==(const SystemEvent&, const SystemEvent&) = default;
};

struct SymbolDirectory {
  static constexpr char k_type = 'R';
  static constexpr std::size_t k_size = 65;
  static constexpr const char* k_name = "SymbolDirectory";

  std::uint32_t nanosecond = 0;  ///< from the last Time message
  std::uint32_t instrument_id = 0;
  char symbol_status = ' ';
  Text<12> isin;
  Text<12> sedol;
  Text<6> segment;
  Text<6> underlying;  ///< reserved
  Text<3> currency;
  market::Price previous_close_price;

  [[nodiscard]] static constexpr auto table() noexcept {
    return FieldList{bind(&SymbolDirectory::nanosecond, UInt32Field{2, "Nanosecond"}),
                     bind(&SymbolDirectory::instrument_id, UInt32Field{6, "InstrumentID"}),
                     ReservedField<1>{10},
                     ReservedField<1>{11},
                     bind(&SymbolDirectory::symbol_status, AlphaField{12, "SymbolStatus", k_symbol_statuses}),
                     bind(&SymbolDirectory::isin, SpacedTextField<12>{13, "ISIN"}),
                     bind(&SymbolDirectory::sedol, SpacedTextField<12>{25, "SEDOL"}),
                     bind(&SymbolDirectory::segment, SpacedTextField<6>{37, "Segment"}),
                     bind(&SymbolDirectory::underlying, SpacedTextField<6>{43, "Underlying"}),
                     bind(&SymbolDirectory::currency, SpacedTextField<3>{49, "Currency"}),
                     ReservedField<1>{52},
                     ReservedSpaces<4>{53},
                     bind(&SymbolDirectory::previous_close_price, SignedPriceField{57, "PreviousClosePrice"})};
  }
  friend bool operator==(const SymbolDirectory&, const SymbolDirectory&) = default;
};

struct SymbolStatus {
  static constexpr char k_type = 'H';
  static constexpr std::size_t k_size = 28;
  static constexpr const char* k_name = "SymbolStatus";

  std::uint32_t nanosecond = 0;  ///< from the last Time message
  std::uint32_t instrument_id = 0;
  char trading_status = 'T';
  std::uint8_t flags = 0;
  Text<4> reason;  ///< of a halt or manual change
  std::uint8_t session_change_reason = 0;
  Text<8> new_end_time;  ///< HH:MM:SS local, or empty
  std::uint8_t book_type = 1;

  [[nodiscard]] static constexpr auto table() noexcept {
    return FieldList{
        bind(&SymbolStatus::nanosecond, UInt32Field{2, "Nanosecond"}),
        bind(&SymbolStatus::instrument_id, UInt32Field{6, "InstrumentID"}),
        ReservedField<1>{10},
        ReservedField<1>{11},
        bind(&SymbolStatus::trading_status, AlphaField{12, "TradingStatus", k_trading_statuses}),
        bind(&SymbolStatus::flags, BitField{13, "Flags", k_firm_quote_bits}),
        bind(&SymbolStatus::reason, SpacedTextField<4>{14, "Reason"}),
        bind(&SymbolStatus::session_change_reason, UInt8Field{18, "SessionChangeReason", k_session_changes}),
        bind(&SymbolStatus::new_end_time, SpacedTextField<8>{19, "NewEndTime"}),
        bind(&SymbolStatus::book_type, UInt8Field{27, "BookType", k_book_types})};
  }
  friend bool operator==(const SymbolStatus&, const SymbolStatus&) = default;
};

/// An anonymous order joins the book.
struct AddOrder {
  static constexpr char k_type = 'A';
  static constexpr std::size_t k_size = 44;
  static constexpr const char* k_name = "AddOrder";

  std::uint32_t nanosecond = 0;  ///< from the last Time message
  std::uint64_t order_id = 0;
  char side = 'B';
  std::uint32_t quantity = 0;  ///< displayed
  std::uint32_t instrument_id = 0;
  market::Price price;
  std::uint8_t flags = 0;

  [[nodiscard]] static constexpr auto table() noexcept {
    return FieldList{bind(&AddOrder::nanosecond, UInt32Field{2, "Nanosecond"}),
                     bind(&AddOrder::order_id, UInt64Field{6, "OrderID"}),
                     bind(&AddOrder::side, AlphaField{14, "Side", k_sides}),
                     bind(&AddOrder::quantity, UInt32Field{15, "Quantity"}),
                     bind(&AddOrder::instrument_id, UInt32Field{19, "InstrumentID"}),
                     ReservedField<1>{23},
                     ReservedField<1>{24},
                     bind(&AddOrder::price, SignedPriceField{25, "Price"}),
                     bind(&AddOrder::flags, BitField{33, "Flags", k_add_bits}),
                     ReservedSpaces<10>{34}};
  }
  friend bool operator==(const AddOrder&, const AddOrder&) = default;
};

/// A named order or quote joins the book.
struct AddAttributedOrder {
  static constexpr char k_type = 'F';
  static constexpr std::size_t k_size = 45;
  static constexpr const char* k_name = "AddAttributedOrder";

  std::uint32_t nanosecond = 0;  ///< from the last Time message
  std::uint64_t order_id = 0;
  char side = 'B';
  std::uint32_t quantity = 0;  ///< displayed
  std::uint32_t instrument_id = 0;
  market::Price price;
  Text<11> attribution;  ///< the firm
  std::uint8_t flags = 0;

  [[nodiscard]] static constexpr auto table() noexcept {
    return FieldList{bind(&AddAttributedOrder::nanosecond, UInt32Field{2, "Nanosecond"}),
                     bind(&AddAttributedOrder::order_id, UInt64Field{6, "OrderID"}),
                     bind(&AddAttributedOrder::side, AlphaField{14, "Side", k_sides}),
                     bind(&AddAttributedOrder::quantity, UInt32Field{15, "Quantity"}),
                     bind(&AddAttributedOrder::instrument_id, UInt32Field{19, "InstrumentID"}),
                     ReservedField<1>{23},
                     ReservedField<1>{24},
                     bind(&AddAttributedOrder::price, SignedPriceField{25, "Price"}),
                     bind(&AddAttributedOrder::attribution, SpacedTextField<11>{33, "Attribution"}),
                     bind(&AddAttributedOrder::flags, BitField{44, "Flags", k_attributed_bits})};
  }
  friend bool operator==(const AddAttributedOrder&, const AddAttributedOrder&) = default;
};

/// The rest of a displayed order leaves the book.
struct OrderDeleted {
  static constexpr char k_type = 'D';
  static constexpr std::size_t k_size = 19;
  static constexpr const char* k_name = "OrderDeleted";

  std::uint32_t nanosecond = 0;  ///< from the last Time message
  std::uint64_t order_id = 0;
  std::uint8_t flags = 0;
  std::uint32_t instrument_id = 0;

  [[nodiscard]] static constexpr auto table() noexcept {
    return FieldList{bind(&OrderDeleted::nanosecond, UInt32Field{2, "Nanosecond"}),
                     bind(&OrderDeleted::order_id, UInt64Field{6, "OrderID"}),
                     bind(&OrderDeleted::flags, BitField{14, "Flags", k_firm_quote_bits}),
                     bind(&OrderDeleted::instrument_id, UInt32Field{15, "InstrumentID"})};
  }
  friend bool operator==(const OrderDeleted&, const OrderDeleted&) = default;
};

struct OrderModified {
  static constexpr char k_type = 'U';
  static constexpr std::size_t k_size = 27;
  static constexpr const char* k_name = "OrderModified";

  std::uint32_t nanosecond = 0;  ///< from the last Time message
  std::uint64_t order_id = 0;
  std::uint32_t new_quantity = 0;
  market::Price new_price;
  std::uint8_t flags = 0;

  [[nodiscard]] static constexpr auto table() noexcept {
    return FieldList{bind(&OrderModified::nanosecond, UInt32Field{2, "Nanosecond"}),
                     bind(&OrderModified::order_id, UInt64Field{6, "OrderID"}),
                     bind(&OrderModified::new_quantity, UInt32Field{14, "NewQuantity"}),
                     bind(&OrderModified::new_price, SignedPriceField{18, "NewPrice"}),
                     bind(&OrderModified::flags, BitField{26, "Flags", k_modified_bits})};
  }
  friend bool operator==(const OrderModified&, const OrderModified&) = default;
};

/// All orders of the instrument are dropped.
struct OrderBookClear {
  static constexpr char k_type = 'y';
  static constexpr std::size_t k_size = 13;
  static constexpr const char* k_name = "OrderBookClear";

  std::uint32_t nanosecond = 0;  ///< from the last Time message
  std::uint32_t instrument_id = 0;
  std::uint8_t flags = 0;

  [[nodiscard]] static constexpr auto table() noexcept {
    return FieldList{bind(&OrderBookClear::nanosecond, UInt32Field{2, "Nanosecond"}),
                     bind(&OrderBookClear::instrument_id, UInt32Field{6, "InstrumentID"}), ReservedField<1>{10},
                     ReservedField<1>{11}, bind(&OrderBookClear::flags, BitField{12, "Flags", k_clear_bits})};
  }
  friend bool operator==(const OrderBookClear&, const OrderBookClear&) = default;
};

/// A fill at the displayed price.
struct OrderExecuted {
  static constexpr char k_type = 'E';
  static constexpr std::size_t k_size = 26;
  static constexpr const char* k_name = "OrderExecuted";

  std::uint32_t nanosecond = 0;  ///< from the last Time message
  std::uint64_t order_id = 0;
  std::uint32_t executed_quantity = 0;
  std::uint64_t trade_match_id = 0;

  [[nodiscard]] static constexpr auto table() noexcept {
    return FieldList{bind(&OrderExecuted::nanosecond, UInt32Field{2, "Nanosecond"}),
                     bind(&OrderExecuted::order_id, UInt64Field{6, "OrderID"}),
                     bind(&OrderExecuted::executed_quantity, UInt32Field{14, "ExecutedQuantity"}),
                     bind(&OrderExecuted::trade_match_id, UInt64Field{18, "TradeMatchID"})};
  }
  friend bool operator==(const OrderExecuted&, const OrderExecuted&) = default;
};

/// A fill at another price, or with a new displayed size.
struct OrderExecutedWithPriceSize {
  static constexpr char k_type = 'C';
  static constexpr std::size_t k_size = 39;
  static constexpr const char* k_name = "OrderExecutedWithPriceSize";

  std::uint32_t nanosecond = 0;  ///< from the last Time message
  std::uint64_t order_id = 0;
  std::uint32_t executed_quantity = 0;
  std::uint32_t display_quantity = 0;  ///< left on display
  std::uint64_t trade_match_id = 0;
  char printable = 'Y';
  market::Price price;

  [[nodiscard]] static constexpr auto table() noexcept {
    return FieldList{bind(&OrderExecutedWithPriceSize::nanosecond, UInt32Field{2, "Nanosecond"}),
                     bind(&OrderExecutedWithPriceSize::order_id, UInt64Field{6, "OrderID"}),
                     bind(&OrderExecutedWithPriceSize::executed_quantity, UInt32Field{14, "ExecutedQuantity"}),
                     bind(&OrderExecutedWithPriceSize::display_quantity, UInt32Field{18, "DisplayQuantity"}),
                     bind(&OrderExecutedWithPriceSize::trade_match_id, UInt64Field{22, "TradeMatchID"}),
                     bind(&OrderExecutedWithPriceSize::printable, AlphaField{30, "Printable", k_yes_no}),
                     bind(&OrderExecutedWithPriceSize::price, SignedPriceField{31, "Price"})};
  }
  friend bool operator==(const OrderExecutedWithPriceSize&, const OrderExecutedWithPriceSize&) = default;
};

/// A hidden order was filled, or a trade cancelled.
struct Trade {
  static constexpr char k_type = 'P';
  static constexpr std::size_t k_size = 35;
  static constexpr const char* k_name = "Trade";

  std::uint32_t nanosecond = 0;  ///< from the last Time message
  std::uint32_t executed_quantity = 0;
  std::uint32_t instrument_id = 0;
  market::Price price;
  std::uint64_t trade_match_id = 0;
  std::uint8_t cross_type = 0;
  std::uint8_t sub_book = 0;
  std::uint8_t pt_mod_flags = 0;

  [[nodiscard]] static constexpr auto table() noexcept {
    return FieldList{bind(&Trade::nanosecond, UInt32Field{2, "Nanosecond"}),
                     bind(&Trade::executed_quantity, UInt32Field{6, "ExecutedQuantity"}),
                     bind(&Trade::instrument_id, UInt32Field{10, "InstrumentID"}),
                     ReservedField<1>{14},
                     ReservedField<1>{15},
                     bind(&Trade::price, SignedPriceField{16, "Price"}),
                     bind(&Trade::trade_match_id, UInt64Field{24, "TradeMatchID"}),
                     bind(&Trade::cross_type, UInt8Field{32, "CrossType", k_cross_types}),
                     bind(&Trade::sub_book, UInt8Field{33, "SubBook", k_sub_books}),
                     bind(&Trade::pt_mod_flags, BitField{34, "PTModFlags", k_trade_bits})};
  }
  friend bool operator==(const Trade&, const Trade&) = default;
};

struct AuctionTrade {
  static constexpr char k_type = 'Q';
  static constexpr std::size_t k_size = 34;
  static constexpr const char* k_name = "AuctionTrade";

  std::uint32_t nanosecond = 0;  ///< from the last Time message
  std::uint32_t quantity = 0;
  std::uint32_t instrument_id = 0;
  market::Price price;
  std::uint64_t trade_match_id = 0;
  char auction_type = 'O';
  std::uint8_t pt_mod_flags = 0;

  [[nodiscard]] static constexpr auto table() noexcept {
    return FieldList{bind(&AuctionTrade::nanosecond, UInt32Field{2, "Nanosecond"}),
                     bind(&AuctionTrade::quantity, UInt32Field{6, "Quantity"}),
                     bind(&AuctionTrade::instrument_id, UInt32Field{10, "InstrumentID"}),
                     ReservedField<1>{14},
                     ReservedField<1>{15},
                     bind(&AuctionTrade::price, SignedPriceField{16, "Price"}),
                     bind(&AuctionTrade::trade_match_id, UInt64Field{24, "TradeMatchID"}),
                     bind(&AuctionTrade::auction_type, AlphaField{32, "AuctionType", k_auction_types}),
                     bind(&AuctionTrade::pt_mod_flags, BitField{33, "PTModFlags", k_trade_bits})};
  }
  friend bool operator==(const AuctionTrade&, const AuctionTrade&) = default;
};

struct AuctionInfo {
  static constexpr char k_type = 'I';
  static constexpr std::size_t k_size = 30;
  static constexpr const char* k_name = "AuctionInfo";

  std::uint32_t nanosecond = 0;       ///< from the last Time message
  std::uint32_t paired_quantity = 0;  ///< would match at the indicative price
  std::uint32_t instrument_id = 0;
  market::Price price;  ///< indicative
  char auction_type = 'O';

  [[nodiscard]] static constexpr auto table() noexcept {
    return FieldList{bind(&AuctionInfo::nanosecond, UInt32Field{2, "Nanosecond"}),
                     bind(&AuctionInfo::paired_quantity, UInt32Field{6, "PairedQuantity"}),
                     ReservedField<4>{10},
                     ReservedField<1>{14},
                     bind(&AuctionInfo::instrument_id, UInt32Field{15, "InstrumentID"}),
                     ReservedField<1>{19},
                     ReservedField<1>{20},
                     bind(&AuctionInfo::price, SignedPriceField{21, "Price"}),
                     bind(&AuctionInfo::auction_type, AlphaField{29, "AuctionType", k_auction_types})};
  }
  friend bool operator==(const AuctionInfo&, const AuctionInfo&) = default;
};

struct Statistics {
  static constexpr char k_type = 'w';
  static constexpr std::size_t k_size = 23;
  static constexpr const char* k_name = "Statistics";

  std::uint32_t nanosecond = 0;  ///< from the last Time message
  std::uint32_t instrument_id = 0;
  char statistic_type = 'O';
  market::Price price;  ///< -1 when cleared
  char open_close_price_indicator = 'A';

  [[nodiscard]] static constexpr auto table() noexcept {
    return FieldList{
        bind(&Statistics::nanosecond, UInt32Field{2, "Nanosecond"}),
        bind(&Statistics::instrument_id, UInt32Field{6, "InstrumentID"}),
        ReservedField<1>{10},
        ReservedField<1>{11},
        bind(&Statistics::statistic_type, AlphaField{12, "StatisticType", k_statistic_types}),
        bind(&Statistics::price, SignedPriceField{13, "Price"}),
        bind(&Statistics::open_close_price_indicator, AlphaField{21, "OpenClosePriceIndicator", k_price_indicators}),
        ReservedField<1>{22}};
  }
  friend bool operator==(const Statistics&, const Statistics&) = default;
};

/// Only in a scheduled level-1-only auction.
struct TopOfBook {
  static constexpr char k_type = 'q';
  static constexpr std::size_t k_size = 34;
  static constexpr const char* k_name = "TopOfBook";

  std::uint32_t nanosecond = 0;  ///< from the last Time message
  std::uint32_t instrument_id = 0;
  market::Price buy_limit_price;  ///< 0 if no visible bid
  std::uint32_t buy_limit_size = 0;
  market::Price sell_limit_price;  ///< 0 if no visible offer
  std::uint32_t sell_limit_size = 0;

  [[nodiscard]] static constexpr auto table() noexcept {
    return FieldList{bind(&TopOfBook::nanosecond, UInt32Field{2, "Nanosecond"}),
                     bind(&TopOfBook::instrument_id, UInt32Field{6, "InstrumentID"}),
                     bind(&TopOfBook::buy_limit_price, SignedPriceField{10, "BuyLimitPrice"}),
                     bind(&TopOfBook::buy_limit_size, UInt32Field{18, "BuyLimitSize"}),
                     bind(&TopOfBook::sell_limit_price, SignedPriceField{22, "SellLimitPrice"}),
                     bind(&TopOfBook::sell_limit_size, UInt32Field{30, "SellLimitSize"})};
  }
  friend bool operator==(const TopOfBook&, const TopOfBook&) = default;
};

}  // namespace dojima::mitch
