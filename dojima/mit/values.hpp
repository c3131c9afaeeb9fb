#pragma once

// What the numbers and characters of MIT203 fields mean, for printing messages and for documents. Which of them a
// server takes is decided by the dialect's rules, not here. Constants.

#include <array>

#include "dojima/mit/layout.hpp"

namespace dojima::mit {

inline constexpr std::array k_sides{Meaning{1, "buy"}, Meaning{2, "sell"}};
inline constexpr std::array k_clearing_accounts{Meaning{1, "client"}, Meaning{3, "house"}};
inline constexpr std::array k_order_types{
    Meaning{1, "market"},     Meaning{2, "limit"},           Meaning{3, "stop"},
    Meaning{4, "stop limit"}, Meaning{5, "market to limit"}, Meaning{6, "unpriced limit"}};
inline constexpr std::array k_order_sub_types{Meaning{0, "plain"}, Meaning{3, "quote"}, Meaning{5, "pegged"},
                                              Meaning{51, "random peak iceberg"}, Meaning{55, "offset"}};
inline constexpr std::array k_times_in_force{Meaning{0, "day"},
                                             Meaning{1, "good till cancel"},
                                             Meaning{3, "immediate or cancel"},
                                             Meaning{4, "fill or kill"},
                                             Meaning{5, "at the opening"},
                                             Meaning{6, "good till date"},
                                             Meaning{8, "good till time"},
                                             Meaning{9, "good for auction"},
                                             Meaning{10, "at the close"},
                                             Meaning{12, "closing price crossing"},
                                             Meaning{13, "at closing price"},
                                             Meaning{50, "good for next auction"},
                                             Meaning{51, "good for intraday auction"},
                                             Meaning{52, "good for scheduled auction"},
                                             Meaning{54, "auction volume discovery"},
                                             Meaning{55, "volume discovery and closing price crossing"}};
inline constexpr std::array k_capacities{Meaning{1, "matched principal"}, Meaning{2, "principal"},
                                         Meaning{3, "any other or agency"}};
inline constexpr std::array k_auto_cancels{Meaning{0, "keep"}, Meaning{1, "as the user is set up"}};
inline constexpr std::array k_anonymities{Meaning{0, "anonymous"}, Meaning{1, "named"}};
inline constexpr std::array k_passive_rules{Meaning{0, "none"},
                                            Meaning{1, "best or joining the best price"},
                                            Meaning{2, "within one price point"},
                                            Meaning{3, "within two price points"},
                                            Meaning{99, "no match with a visible order"},
                                            Meaning{100, "a new best price"}};
inline constexpr std::array k_peg_rules{Meaning{0, "default"}, Meaning{1, "may trade with mid-pegged"},
                                        Meaning{2, "may not trade with mid-pegged"}};
inline constexpr std::array k_owner_types{Meaning{0, "none"}, Meaning{1, "retail investor"},
                                          Meaning{2, "retail liquidity provider"}};
inline constexpr std::array k_mifid_bits{Meaning{1, "direct electronic access"}, Meaning{2, "liquidity provision"},
                                         Meaning{4, "algorithm"}};
inline constexpr std::array k_role_bits{Meaning{1, "client: legal entity"},
                                        Meaning{2, "client: algorithm"},
                                        Meaning{4, "decision maker: legal entity"},
                                        Meaning{8, "decision maker: algorithm"},
                                        Meaning{16, "executing trader: legal entity"},
                                        Meaning{32, "executing trader: algorithm"}};
inline constexpr std::array k_waiver_bits{Meaning{1 << 1, "CLSE"}, Meaning{1 << 3, "ILQD"}, Meaning{1 << 5, "RFPT"}};
inline constexpr std::array k_mass_cancel_types{Meaning{3, "firm, of an instrument"},
                                                Meaning{4, "firm, of a segment"},
                                                Meaning{7, "own, all"},
                                                Meaning{8, "firm, all"},
                                                Meaning{9, "own, of an instrument"},
                                                Meaning{15, "own, of a segment"},
                                                Meaning{56, "own, of a group"},
                                                Meaning{57, "firm, of an instrument and group"},
                                                Meaning{58, "firm, of a group"}};
inline constexpr std::array k_mass_cancel_responses{Meaning{0, "rejected"}, Meaning{7, "accepted"}};
inline constexpr std::array k_exec_types{
    Meaning{'0', "new"},          Meaning{'4', "cancelled"}, Meaning{'5', "replaced"}, Meaning{'8', "rejected"},
    Meaning{'9', "suspended"},    Meaning{'C', "expired"},   Meaning{'D', "restated"}, Meaning{'F', "trade"},
    Meaning{'H', "trade cancel"}, Meaning{'L', "triggered"}};
inline constexpr std::array k_order_statuses{
    Meaning{0, "new"},     Meaning{1, "partially filled"}, Meaning{2, "filled"},   Meaning{4, "cancelled"},
    Meaning{6, "expired"}, Meaning{8, "rejected"},         Meaning{9, "suspended"}};
/// What 1 and 51 of `BIT-9.4` say is not in the source.
inline constexpr std::array k_restatements{Meaning{1, "1"}, Meaning{3, "repriced"}, Meaning{8, "market option"},
                                           Meaning{51, "51"}, Meaning{100, "replenished"}};
inline constexpr std::array k_liquidities{Meaning{'A', "added"}, Meaning{'R', "removed"}, Meaning{'C', "auction"}};
inline constexpr std::array k_markets{Meaning{21, "XLON"}, Meaning{22, "XLOM"}, Meaning{23, "AIMX"},
                                      Meaning{24, "XPVT"}, Meaning{25, "XLOX"}};
inline constexpr std::array k_trade_types{Meaning{0, "visible"}, Meaning{1, "hidden"}, Meaning{2, "not specified"}};
inline constexpr std::array k_request_answers{Meaning{0, "successful"}, Meaning{1, "request limit reached"},
                                              Meaning{2, "invalid AppID"}, Meaning{3, "service unavailable"}};
inline constexpr std::array k_download_answers{Meaning{0, "complete"}, Meaning{1, "message limit reached"},
                                               Meaning{3, "service unavailable"}};
inline constexpr std::array k_app_statuses{Meaning{1, "recovery service resumed"},
                                           Meaning{2, "recovery service not available"},
                                           Meaning{3, "partition service not available"}};
inline constexpr std::array k_order_books{Meaning{1, "regular"}, Meaning{11, "RFQ"}};
inline constexpr std::array k_quote_statuses{Meaning{1, "accepted"}, Meaning{2, "rejected"}};
inline constexpr std::array k_cross_types{Meaning{5, "internal cross"}, Meaning{6, "internal BTF"},
                                          Meaning{7, "committed cross"}, Meaning{8, "committed BTF"}};
inline constexpr std::array k_party_roles{Meaning{1, "executing firm"}, Meaning{17, "counterparty firm"}};
inline constexpr std::array k_working_indicators{Meaning{0, "unset"}, Meaning{1, "working"}, Meaning{2, "not working"}};
inline constexpr std::array k_message_versions{Meaning{1, "1"}};
inline constexpr std::array k_private_quotes{Meaning{2, "private"}};
inline constexpr std::array k_disclosures{Meaning{0, "no"}, Meaning{1, "yes"}};
/// The issues number these; what most of the numbers say is not in the source.
inline constexpr std::array k_quote_request_types{Meaning{0, "0"}, Meaning{1, "1"}, Meaning{2, "2"},
                                                  Meaning{3, "3"}, Meaning{4, "4"}, Meaning{5, "5"}};
inline constexpr std::array k_execution_strategies{Meaning{1, "1"}, Meaning{4, "4"}};
inline constexpr std::array k_quote_responses{Meaning{1, "1"},     Meaning{3, "3"},    Meaning{7, "7"},
                                              Meaning{8, "8"},     Meaning{11, "11"},  Meaning{100, "100"},
                                              Meaning{101, "101"}, Meaning{102, "102"}};
inline constexpr std::array k_order_sources{Meaning{1, "1"}, Meaning{3, "3"}, Meaning{7, "7"}, Meaning{8, "8"},
                                            Meaning{9, "9"}};

// What each dialect has of the tables that differ.

inline constexpr auto k_rfq_books = only<11>(k_order_books);
inline constexpr auto k_regular_books = only<1>(k_order_books);
inline constexpr auto k_mass_cancel_sub_types = only<0, 3>(k_order_sub_types);
inline constexpr auto k_no_side_too = std::array{Meaning{0, "none"}, Meaning{1, "buy"}, Meaning{2, "sell"}};

inline constexpr auto k_lse_order_types = only<1, 2, 3, 4>(k_order_types);
inline constexpr auto k_lse_order_sub_types = only<0, 5, 51, 55>(k_order_sub_types);
inline constexpr auto k_lse_times_in_force = only<0, 3, 4, 5, 6, 8, 10, 12, 50, 51, 52, 54, 55>(k_times_in_force);
inline constexpr auto k_lse_exec_types = only<'0', '4', '5', '8', '9', 'C', 'D', 'F', 'H'>(k_exec_types);
inline constexpr auto k_lse_restatements = only<3, 8, 100>(k_restatements);
inline constexpr auto k_rfq_exec_types = only<'4', 'C', 'D', 'F', 'H'>(k_exec_types);
inline constexpr auto k_rfq_order_statuses = only<1, 2, 4, 6>(k_order_statuses);
inline constexpr auto k_rfq_markets = only<21, 22, 23>(k_markets);
inline constexpr auto k_rfq_waiver_bits = only<1 << 3>(k_waiver_bits);

inline constexpr auto k_bit_order_sub_types = only<0, 51>(k_order_sub_types);
inline constexpr auto k_bit_times_in_force = only<0, 1, 3, 4, 5, 6, 8, 9, 10, 12, 13>(k_times_in_force);
inline constexpr auto k_bit_quote_times_in_force = only<5, 9>(k_times_in_force);
inline constexpr auto k_bit_exec_types = only<'0', '4', '5', '8', 'C', 'D', 'F', 'H', 'L'>(k_exec_types);
inline constexpr auto k_bit_mass_cancel_types = only<3, 4, 7, 8, 9, 15>(k_mass_cancel_types);
inline constexpr auto k_bit_quote_responses = only<1, 7>(k_quote_responses);

}  // namespace dojima::mit
