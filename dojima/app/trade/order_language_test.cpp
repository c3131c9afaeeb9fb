#include "dojima/app/trade/order_language.hpp"

#include <gtest/gtest.h>
#include <random>
#include <string>

#include "dojima/app/trade/blotter_text.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::app {
namespace {

using market::Capacity, market::OrderSubType, market::OrderTerms, market::OrderType, market::Side, market::TimeInForce;

const time::Time k_noon = time::parse_timestamp("20261223-12:00:00").value();

OrderEntry order(std::string_view text) {
  WordReader words(split_words("100 KAGA " + std::string(text)));
  const auto read = read_order(words, Side::buy, k_noon);
  EXPECT_TRUE(read.has_value()) << text << ": " << (read ? "" : read.error());
  return read.value_or(OrderEntry{});
}

OrderTerms terms(std::string_view text) {
  return order(text).terms;
}

std::string wrong_in(std::string_view text) {
  WordReader words(split_words("100 KAGA " + std::string(text)));
  const auto read = read_order(words, Side::buy, k_noon);
  EXPECT_FALSE(read.has_value()) << text;
  return read ? "" : read.error();
}

TEST(OrderLanguage, has_every_type_of_order) {
  EXPECT_EQ(terms("market").type, OrderType::market);
  EXPECT_EQ(terms("@ 12").type, OrderType::limit);
  EXPECT_EQ(terms("stop 13").type, OrderType::stop);
  EXPECT_EQ(terms("stop 13 market").type, OrderType::stop);
  EXPECT_EQ(terms("stop 13 @ 14").type, OrderType::stop_limit);
  EXPECT_EQ(terms("@ 14 stop 13").stop.units, 1'300'000'000);
  EXPECT_EQ(terms("mtl").type, OrderType::market_to_limit);
  EXPECT_EQ(terms("peg").type, OrderType::market);
  EXPECT_EQ(terms("peg @ 12").type, OrderType::limit);
  EXPECT_EQ(terms("peg").sub_type, OrderSubType::pegged);
  EXPECT_EQ(terms("offset -25 close").offset_bp, -25);
  EXPECT_EQ(terms("offset 25 @ 12 close").type, OrderType::limit);
  EXPECT_EQ(terms("offset 25 close").sub_type, OrderSubType::offset);
}

TEST(OrderLanguage, has_every_time_in_force) {
  const std::pair<const char*, TimeInForce> words[] = {{"day", TimeInForce::day},
                                                       {"gtc", TimeInForce::good_till_cancel},
                                                       {"ioc", TimeInForce::immediate_or_cancel},
                                                       {"fok", TimeInForce::fill_or_kill},
                                                       {"opg", TimeInForce::at_the_opening},
                                                       {"close", TimeInForce::at_the_close},
                                                       {"atc", TimeInForce::at_the_close},
                                                       {"gfa", TimeInForce::good_for_auction},
                                                       {"cpx", TimeInForce::closing_price_cross},
                                                       {"atclose", TimeInForce::at_closing_price},
                                                       {"next", TimeInForce::good_for_next_auction},
                                                       {"intraday", TimeInForce::good_for_intraday_auction},
                                                       {"scheduled", TimeInForce::good_for_scheduled_auction},
                                                       {"avd", TimeInForce::auction_volume_discovery},
                                                       {"vdc", TimeInForce::volume_discovery_and_cross}};
  for (const auto& [word, value] : words) EXPECT_EQ(terms("@ 12 " + std::string(word)).time_in_force, value) << word;
}

TEST(OrderLanguage, reads_the_end_of_an_order) {
  const auto at = [](const char* text) { return time::parse_timestamp(text).value(); };
  EXPECT_EQ(terms("@ 12 gtd 2026-12-24").expiry, at("20261224-23:59:59"));
  EXPECT_EQ(terms("@ 12 gtd 20261224").expiry, at("20261224-23:59:59"));
  EXPECT_EQ(terms("@ 12 gtt 16:30").expiry, at("20261223-16:30:00"));
  EXPECT_EQ(terms("@ 12 gtt 2026-12-24T16:30:05").expiry, at("20261224-16:30:05"));
  EXPECT_EQ(terms("@ 12 gtt 20261224-16:30:05").time_in_force, TimeInForce::good_till_time);
  EXPECT_NE(wrong_in("@ 12 gtd").find("gtd needs its end"), std::string::npos);
  EXPECT_NE(wrong_in("@ 12 gtd 2026-13-24").find("not a date"), std::string::npos);
  for (const char* const end : {"noon", "25:00", ":30", "1:30", "16:30:00.5", "x16:30"})
    EXPECT_NE(wrong_in("@ 12 gtt " + std::string(end)).find("not a time"), std::string::npos) << end;
}

TEST(OrderLanguage, reads_what_is_shown_and_the_conditions) {
  EXPECT_EQ(terms("@ 12").displayed.lots, 100);
  EXPECT_EQ(terms("@ 12 display=10").displayed.lots, 10);
  EXPECT_EQ(terms("@ 12 hidden").displayed.lots, 0);
  EXPECT_EQ(terms("@ 12 peak=10").sub_type, OrderSubType::random_peak);
  EXPECT_EQ(terms("peg min=50").minimum.lots, 50);
  EXPECT_EQ(terms("peg pegs=nopegs").peg, 2);
  EXPECT_EQ(terms("@ 12 passive=99 group=7").passive, 99);
  EXPECT_EQ(terms("@ 12 passive=99 group=7").group, 7);
  EXPECT_NE(wrong_in("@ 12 display=101").find("above the quantity"), std::string::npos);
  EXPECT_NE(wrong_in("@ 12 hidden display=10").find("do not go together"), std::string::npos);
  EXPECT_NE(wrong_in("@ 12 group=256").find("not a number from 1 to 255"), std::string::npos);
}

TEST(OrderLanguage, reads_whose_order_it_is) {
  const OrderEntry entry = order(
      "@ 12 account=RICE trader=KONOIKE capacity=matched clearing=house owner=retail client=5:person "
      "executing=7:algo decision=4 anonymous dea algo");
  EXPECT_EQ(entry.account, "RICE");
  EXPECT_EQ(entry.trader, "KONOIKE");
  EXPECT_EQ(entry.terms.capacity, Capacity::matched_principal);
  EXPECT_EQ(entry.clearing, 3);
  EXPECT_EQ(entry.owner_type, 1);
  EXPECT_EQ(entry.client, (NumberedParty{5, 3}));
  EXPECT_EQ(entry.executing_trader, (NumberedParty{7, 2}));
  EXPECT_EQ(entry.decision_maker, (NumberedParty{4, 0}));
  EXPECT_EQ(entry.is_named, false);
  EXPECT_EQ(entry.mifid, k_direct_access | k_algorithm);
  EXPECT_EQ(order("@ 12").mifid, std::nullopt);
  EXPECT_NE(wrong_in("@ 12 account=LONGER-THAN-TEN").find("1 to 10 characters"), std::string::npos);
  EXPECT_NE(wrong_in("@ 12 capacity=other").find("none of agency, dealing, matched"), std::string::npos);
  EXPECT_NE(wrong_in("@ 12 client=x").find("client=x is not a number"), std::string::npos);
}

TEST(OrderLanguage, refuses_what_cannot_go_together) {
  EXPECT_NE(wrong_in("market @ 12").find("a market order has no price"), std::string::npos);
  EXPECT_NE(wrong_in("@ 12 @ 13").find("the price is said twice"), std::string::npos);
  EXPECT_NE(wrong_in("@ 12 ioc day").find("the time in force is said twice"), std::string::npos);
  EXPECT_NE(wrong_in("peg stop 12").find("a stop order is"), std::string::npos);
  EXPECT_NE(wrong_in("peg offset 1").find("one of market, mtl, peg and offset"), std::string::npos);
  EXPECT_NE(wrong_in("peak=10 market").find("random peaks"), std::string::npos);
  EXPECT_NE(wrong_in("@ 12 acount=RICE").find("did you mean account?"), std::string::npos);
}

TEST(OrderLanguage, shows_an_order_as_it_can_be_typed) {
  for (const char* const text : {"@ 12.5", "market ioc", "stop 13", "stop 13 @ 14 gtd 2026-12-24", "peg", "peg @ 12",
                                 "offset 25 @ 12 close", "offset -5 close", "mtl", "@ 12 gtt 2026-12-24T16:30:00"}) {
    const OrderEntry entry = order(text);
    EXPECT_EQ(order_text(entry), "buy 100 KAGA " + std::string(text));
  }
}

TEST(OrderLanguage, reads_any_words_as_a_good_order_or_a_sentence) {
  std::mt19937_64 random(20261123);
  const auto draw = [&](std::size_t size) { return static_cast<std::size_t>(random() % size); };
  const std::vector<std::string>& words = order_words();
  const std::vector<std::string> values{"0",      "1",          "50",    "-5", "99999999999999999999",
                                        "12.5",   "2099-01-01", "16:30", "x",  "agency",
                                        "5:algo", "=",          "@",     "",   "retail",
                                        "any",    "house"};
  int good = 0;
  for (int line = 0; line < 5000; ++line) {
    std::string text = draw(2) == 0 ? "@ 12" : "";
    for (std::size_t count = draw(5); count > 0; --count) {
      const std::string& word = words[draw(words.size())];
      const std::string& value = values[draw(values.size())];
      text += " " + (draw(2) == 0 ? word + "=" + value : word + " " + value);
    }
    WordReader reader(split_words("100 KAGA " + text));
    const auto read = read_order(reader, Side::sell, k_noon);
    if (!read) {
      EXPECT_FALSE(read.error().empty()) << text;
      continue;
    }
    ++good;
    EXPECT_TRUE(reader.is_over()) << text;
    EXPECT_EQ(read->terms.quantity.lots, 100) << text;
    EXPECT_LE(read->terms.displayed.lots, 100) << text;
    EXPECT_NE(read->terms.type, OrderType::none) << text;
    // As it is shown, it is the same kind of order again.
    WordReader again(split_words(order_text(*read).substr(5)));
    const auto second = read_order(again, Side::sell, k_noon);
    ASSERT_TRUE(second.has_value()) << order_text(*read) << ": " << second.error();
    EXPECT_EQ(order_text(*second), order_text(*read));
  }
  EXPECT_GT(good, 200);
}

}  // namespace
}  // namespace dojima::app
