#pragma once

// The tables of values of MIT303: what a field that has a table may hold, and what it means. Constants.

#include <array>

#include "dojima/base/layout.hpp"

namespace dojima::mitch {

// Bits of Flags and PTModFlags.
inline constexpr std::uint8_t k_priority_retained = 1 << 0;
inline constexpr std::uint8_t k_market_order = 1 << 4;
inline constexpr std::uint8_t k_firm_quote = 1 << 5;
inline constexpr std::uint8_t k_private_rfq = 1 << 6;
inline constexpr std::uint8_t k_trade_cancelled = 1 << 0;
inline constexpr std::uint8_t k_trade_amended = 1 << 1;

inline constexpr std::array k_firm_quote_bits{Meaning{k_firm_quote, "firm quote"}};
inline constexpr std::array k_add_bits{Meaning{k_market_order, "market order"}, Meaning{k_private_rfq, "private RFQ"}};
inline constexpr std::array k_attributed_bits{Meaning{k_market_order, "market order"},
                                              Meaning{k_firm_quote, "firm quote"}};
inline constexpr std::array k_modified_bits{Meaning{k_priority_retained, "priority retained"},
                                            Meaning{k_firm_quote, "firm quote"}};
inline constexpr std::array k_clear_bits{Meaning{k_firm_quote, "firm quote"}, Meaning{k_private_rfq, "private RFQ"}};
inline constexpr std::array k_complete_bits{Meaning{k_firm_quote, "firm quote book"},
                                            Meaning{k_private_rfq, "RFQ quote book"}};
inline constexpr std::array k_trade_bits{Meaning{k_trade_cancelled, "cancelled"}, Meaning{k_trade_amended, "amended"}};

inline constexpr std::array k_event_codes{Meaning{'O', "start of day"}, Meaning{'C', "end of day"}};
inline constexpr std::array k_symbol_statuses{Meaning{' ', "active"}, Meaning{'H', "halt"}, Meaning{'S', "suspended"},
                                              Meaning{'a', "inactive"}};
inline constexpr std::array k_trading_statuses{Meaning{'H', "halt"},
                                               Meaning{'T', "regular trading"},
                                               Meaning{'a', "opening auction call"},
                                               Meaning{'b', "post-close"},
                                               Meaning{'c', "market close"},
                                               Meaning{'d', "closing auction call"},
                                               Meaning{'e', "AESP auction call"},
                                               Meaning{'f', "resume auction call"},
                                               Meaning{'l', "pause"},
                                               Meaning{'m', "pre-mandatory"},
                                               Meaning{'n', "mandatory"},
                                               Meaning{'o', "post-mandatory"},
                                               Meaning{'q', "EDSP auction call"},
                                               Meaning{'r', "periodic auction call"},
                                               Meaning{'t', "end of trade reporting"},
                                               Meaning{'u', "closing price crossing"},
                                               Meaning{'w', "no active session"},
                                               Meaning{'x', "end of post-close"},
                                               Meaning{'G', "scheduled level-1-only auction"}};
inline constexpr std::array k_session_changes{Meaning{0, "scheduled"},           Meaning{1, "extended"},
                                              Meaning{2, "shortened"},           Meaning{3, "market order imbalance"},
                                              Meaning{4, "price outside range"}, Meaning{9, "unavailable"}};
inline constexpr std::array k_book_types{Meaning{1, "on-book"}, Meaning{2, "off-book"}, Meaning{3, "private RFQ"}};
inline constexpr std::array k_sides{Meaning{'B', "buy"}, Meaning{'S', "sell"}};
inline constexpr std::array k_yes_no{Meaning{'Y', "yes"}, Meaning{'N', "no"}};
inline constexpr std::array k_cross_types{Meaning{0, "none"}, Meaning{5, "internal cross"}, Meaning{6, "internal BTF"},
                                          Meaning{7, "committed cross"}, Meaning{8, "committed BTF"}};
inline constexpr std::array k_sub_books{Meaning{0, "regular"}, Meaning{11, "RFQ"}};
inline constexpr std::array k_auction_types{Meaning{'C', "closing"},
                                            Meaning{'O', "opening"},
                                            Meaning{'A', "AESP"},
                                            Meaning{'B', "EDSP"},
                                            Meaning{'E', "resume"},
                                            Meaning{'F', "periodic"},
                                            Meaning{'G', "scheduled level-1-only"}};
inline constexpr std::array k_statistic_types{Meaning{'O', "opening price"}, Meaning{'C', "closing price"}};
inline constexpr std::array k_price_indicators{
    Meaning{'A', "UT"},      Meaning{'B', "AT"},     Meaning{'C', "mid of BBO"},    Meaning{'D', "last AT"},
    Meaning{'E', "last UT"}, Meaning{'F', "manual"}, Meaning{'I', "previous close"}};

inline constexpr std::array k_login_statuses{Meaning{'A', "accepted"},
                                             Meaning{'a', "CompID inactive or locked"},
                                             Meaning{'b', "login limit reached"},
                                             Meaning{'c', "service unavailable"},
                                             Meaning{'d', "concurrent limit reached"},
                                             Meaning{'e', "failed"}};
inline constexpr std::array k_replay_statuses{
    Meaning{'A', "accepted"},           Meaning{'D', "request limit reached"},
    Meaning{'I', "invalid group"},      Meaning{'O', "out of range"},
    Meaning{'U', "replay unavailable"}, Meaning{'c', "concurrent limit reached"},
    Meaning{'d', "unsupported type"},   Meaning{'e', "failed"}};
inline constexpr std::array k_snapshot_statuses{Meaning{'A', "accepted"},
                                                Meaning{'O', "out of range"},
                                                Meaning{'U', "snapshot unavailable"},
                                                Meaning{'a', "segment or symbol missing or invalid"},
                                                Meaning{'b', "request limit reached"},
                                                Meaning{'c', "concurrent limit reached"},
                                                Meaning{'d', "unsupported type"},
                                                Meaning{'e', "failed"}};

}  // namespace dojima::mitch
