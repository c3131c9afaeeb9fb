#pragma once

// The known-answer messages of MIT303 Issue 11.9, for tests: a record and the bytes on the wire. Application messages
// have no unit header, administrative ones with it.

#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <vector>

#include "dojima/mitch/codec.hpp"

namespace dojima::mitch::testing {

using Octets = std::vector<std::byte>;

/// The bytes of pairs of hexadecimal digits; white space is skipped.
inline Octets octets_of(std::string_view hex) {
  Octets bytes;
  int high = -1;
  for (const char c : hex) {
    if (c == ' ' || c == '\n') continue;
    const std::size_t digit = std::string_view("0123456789abcdef").find(c);
    if (digit == std::string_view::npos) throw std::invalid_argument("not a hexadecimal digit");
    if (high < 0) {
      high = static_cast<int>(digit);
    } else {
      bytes.push_back(static_cast<std::byte>(high * 16 + static_cast<int>(digit)));
      high = -1;
    }
  }
  return bytes;
}

template <class Message>
struct KnownAnswer {
  Message message;
  std::string_view hex;
};

inline constexpr std::uint32_t k_known_instrument = 133215;
inline constexpr std::uint64_t k_known_order = 23057063777141547u;
inline constexpr std::uint64_t k_known_trade = 1338498875692u;

/// The sixteen application messages, in their order in one unit.
inline auto known_application_messages() {
  SymbolDirectory directory{.nanosecond = 2000, .instrument_id = k_known_instrument};
  directory.isin = Text<12>::cut("GB00BH4HKS39");
  directory.sedol = Text<12>::cut("BH4HKS3");
  directory.segment = Text<6>::cut("SET1");
  directory.currency = Text<3>::cut("GBX");
  directory.previous_close_price = {7'050'000'000};
  return std::tuple{
      KnownAnswer<Time>{{.seconds = 43200}, "06 54 c0 a8 00 00"},
      KnownAnswer<SystemEvent>{{.nanosecond = 1000, .event_code = 'O'}, "07 53 e8 03 00 00 4f"},
      KnownAnswer<SymbolDirectory>{directory,
                                   "41 52 d0 07 00 00 5f 08 02 00 00 00 20 47 42 30"
                                   "30 42 48 34 48 4b 53 33 39 42 48 34 48 4b 53 33"
                                   "20 20 20 20 20 53 45 54 31 20 20 20 20 20 20 20"
                                   "20 47 42 58 00 20 20 20 20 80 76 36 a4 01 00 00"
                                   "00"},
      KnownAnswer<SymbolStatus>{{.nanosecond = 3000,
                                 .instrument_id = k_known_instrument,
                                 .trading_status = 'T',
                                 .session_change_reason = 0,
                                 .book_type = 1},
                                "1c 48 b8 0b 00 00 5f 08 02 00 00 00 54 00 20 20"
                                "20 20 00 20 20 20 20 20 20 20 20 01"},
      KnownAnswer<AddOrder>{{.nanosecond = 4000,
                             .order_id = k_known_order,
                             .side = 'B',
                             .quantity = 1000,
                             .instrument_id = k_known_instrument,
                             .price = {12'345'000'000}},
                            "2c 41 a0 0f 00 00 2b 03 00 00 47 ea 51 00 42 e8"
                            "03 00 00 5f 08 02 00 00 00 40 c0 d1 df 02 00 00"
                            "00 00 20 20 20 20 20 20 20 20 20 20"},
      KnownAnswer<AddAttributedOrder>{{.nanosecond = 5000,
                                       .order_id = k_known_order + 1,
                                       .side = 'S',
                                       .quantity = 500,
                                       .instrument_id = k_known_instrument,
                                       .price = {12'350'000'000},
                                       .attribution = Text<11>::cut("FIRM1"),
                                       .flags = k_firm_quote},
                                      "2d 46 88 13 00 00 2c 03 00 00 47 ea 51 00 53 f4"
                                      "01 00 00 5f 08 02 00 00 00 80 0b 1e e0 02 00 00"
                                      "00 46 49 52 4d 31 20 20 20 20 20 20 20"},
      KnownAnswer<OrderModified>{{.nanosecond = 6000,
                                  .order_id = k_known_order,
                                  .new_quantity = 600,
                                  .new_price = {12'345'000'000},
                                  .flags = k_priority_retained},
                                 "1b 55 70 17 00 00 2b 03 00 00 47 ea 51 00 58 02"
                                 "00 00 40 c0 d1 df 02 00 00 00 01"},
      KnownAnswer<OrderExecuted>{
          {.nanosecond = 7000, .order_id = k_known_order, .executed_quantity = 400, .trade_match_id = k_known_trade},
          "1a 45 58 1b 00 00 2b 03 00 00 47 ea 51 00 90 01"
          "00 00 2c 01 c0 a4 37 01 00 00"},
      KnownAnswer<OrderExecutedWithPriceSize>{{.nanosecond = 8000,
                                               .order_id = k_known_order + 1,
                                               .executed_quantity = 100,
                                               .display_quantity = 400,
                                               .trade_match_id = k_known_trade + 1,
                                               .printable = 'Y',
                                               .price = {12'340'000'000}},
                                              "27 43 40 1f 00 00 2c 03 00 00 47 ea 51 00 64 00"
                                              "00 00 90 01 00 00 2d 01 c0 a4 37 01 00 00 59 00"
                                              "75 85 df 02 00 00 00"},
      KnownAnswer<OrderDeleted>{{.nanosecond = 9000, .order_id = k_known_order, .instrument_id = k_known_instrument},
                                "13 44 28 23 00 00 2b 03 00 00 47 ea 51 00 00 5f 08 02 00"},
      KnownAnswer<OrderBookClear>{{.nanosecond = 10000, .instrument_id = k_known_instrument},
                                  "0d 79 10 27 00 00 5f 08 02 00 00 00 00"},
      KnownAnswer<Trade>{{.nanosecond = 11000,
                          .executed_quantity = 50,
                          .instrument_id = k_known_instrument,
                          .price = {12'345'000'000},
                          .trade_match_id = k_known_trade + 2},
                         "23 50 f8 2a 00 00 32 00 00 00 5f 08 02 00 00 00"
                         "40 c0 d1 df 02 00 00 00 2e 01 c0 a4 37 01 00 00"
                         "00 00 00"},
      KnownAnswer<AuctionTrade>{{.nanosecond = 12000,
                                 .quantity = 7000,
                                 .instrument_id = k_known_instrument,
                                 .price = {12'346'000'000},
                                 .trade_match_id = k_known_trade + 3,
                                 .auction_type = 'C'},
                                "22 51 e0 2e 00 00 58 1b 00 00 5f 08 02 00 00 00"
                                "80 02 e1 df 02 00 00 00 2f 01 c0 a4 37 01 00 00"
                                "43 00"},
      KnownAnswer<AuctionInfo>{{.nanosecond = 13000,
                                .paired_quantity = 7000,
                                .instrument_id = k_known_instrument,
                                .price = {12'346'000'000},
                                .auction_type = 'O'},
                               "1e 49 c8 32 00 00 58 1b 00 00 00 00 00 00 00 5f"
                               "08 02 00 00 00 80 02 e1 df 02 00 00 00 4f"},
      KnownAnswer<Statistics>{{.nanosecond = 14000,
                               .instrument_id = k_known_instrument,
                               .statistic_type = 'C',
                               .price = {-100'000'000},
                               .open_close_price_indicator = 'F'},
                              "17 77 b0 36 00 00 5f 08 02 00 00 00 43 00 e1 f5"
                              "05 00 00 00 80 46 00"},
      KnownAnswer<TopOfBook>{{.nanosecond = 15000,
                              .instrument_id = k_known_instrument,
                              .buy_limit_price = {12'340'000'000},
                              .buy_limit_size = 10,
                              .sell_limit_price = {12'350'000'000},
                              .sell_limit_size = 20},
                             "22 71 98 3a 00 00 5f 08 02 00 00 75 85 df 02 00"
                             "00 00 0a 00 00 00 80 0b 1e e0 02 00 00 00 14 00"
                             "00 00"}};
}

/// The eight administrative messages, each as a unit of group 1 without a number.
inline auto known_administrative_units() {
  return std::tuple{
      KnownAnswer<LoginRequest>{{.username = Text<6>::cut("DOJ001"), .password = Text<10>::cut("mit_1234")},
                                "1a 00 01 31 00 00 00 00 12 01 44 4f 4a 30 30 31"
                                "6d 69 74 5f 31 32 33 34 20 20"},
      KnownAnswer<LoginResponse>{{.status = 'A'}, "0b 00 01 31 00 00 00 00 03 02 41"},
      KnownAnswer<ReplayRequest>{{.market_data_group = '1', .first_message = 1000, .count = 10},
                                 "11 00 01 31 00 00 00 00 09 03 31 e8 03 00 00 0a 00"},
      KnownAnswer<ReplayResponse>{{.market_data_group = '1', .first_message = 1000, .count = 10, .status = 'A'},
                                  "12 00 01 31 00 00 00 00 0a 04 31 e8 03 00 00 0a 00 41"},
      KnownAnswer<SnapshotRequest>{{.instrument_id = k_known_instrument},
                                   "18 00 01 31 00 00 00 00 10 81 00 00 00 00 20 20"
                                   "20 20 20 20 5f 08 02 00"},
      KnownAnswer<SnapshotResponse>{{.status = 'A'}, "13 00 01 31 00 00 00 00 0b 82 00 00 00 00 00 00 00 00 41"},
      KnownAnswer<SnapshotComplete>{{.sequence_number = 1015, .instrument_id = k_known_instrument},
                                    "19 00 01 31 00 00 00 00 11 83 f7 03 00 00 20 20"
                                    "20 20 20 20 5f 08 02 00 00"},
      KnownAnswer<LogoutRequest>{{}, "0a 00 01 31 00 00 00 00 02 05"}};
}

/// Calls `visit(const KnownAnswer<Message>&)` for each.
template <class Answers, class Visit>
void each(const Answers& answers, Visit&& visit) {
  std::apply([&visit](const auto&... answer) { (visit(answer), ...); }, answers);
}

/// Calls `visit.template operator()<Message>()` for every message of a list.
template <class Visit, class... Messages>
void each_type(MessageList<Messages...>, Visit&& visit) {
  (visit.template operator()<Messages>(), ...);
}

template <class Visit>
void each_type(Visit&& visit) {
  each_type(ApplicationMessages{}, visit);
  each_type(AdministrativeMessages{}, visit);
}

}  // namespace dojima::mitch::testing
