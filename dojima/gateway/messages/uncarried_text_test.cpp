#include "dojima/gateway/messages/uncarried_text.hpp"

#include <array>
#include <gtest/gtest.h>
#include <string>

#include "dojima/mit/dialect.hpp"

namespace dojima::gateway {
namespace {

using market::OrderSubType, market::OrderType, market::TimeInForce;

/// What each dialect can carry.
market::NewOrder plain_order() {
  market::NewOrder order;
  order.header.instrument = 7;
  order.terms.type = OrderType::limit;
  order.terms.side = market::Side::buy;
  order.terms.capacity = market::Capacity::any_other;
  order.terms.quantity = order.terms.displayed = {100};
  order.terms.limit = {10};
  return order;
}

/// What the client reads of a command that the dialect's encoder does not take.
template <class Command>
std::string refused(const Command& command, const mit::Dialect& dialect,
                    Result<std::size_t> (*mit::Dialect::*encode)(const Command&, Room)) {
  std::array<std::byte, 512> room;
  const Result<std::size_t> size = (dialect.*encode)(command, room);
  EXPECT_FALSE(size.has_value());
  return size ? "" : std::string(uncarried_text(command, dialect, size.error()).view());
}
std::string refused(const market::NewOrder& order, const mit::Dialect& dialect) {
  return refused(order, dialect, &mit::Dialect::encode_new_order);
}

const mit::Dialect& k_new = mit::lse_21_2::k_dialect;
const mit::Dialect& k_old = mit::lse_11_8_5::k_dialect;
const mit::Dialect& k_bit = mit::bit_9_4::k_dialect;

TEST(UncarriedText, says_which_times_in_force_the_venue_has) {
  market::NewOrder order = plain_order();
  order.terms.time_in_force = TimeInForce::good_till_cancel;
  EXPECT_EQ(refused(order, k_new),
            "TimeInForce(59)=1 (good till cancel) is not accepted by this venue (LSE-21.2): it has 0, 2, 3, 4, 6, 7, "
            "8, 9, C, D, E");
  order.terms.time_in_force = TimeInForce::good_for_scheduled_auction;
  EXPECT_EQ(refused(order, k_bit),
            "TimeInForce(59)=C (good for scheduled auction) is not accepted by this venue (BIT-9.4): it has 0, 1, 2, "
            "3, 4, 6, 7");
}

TEST(UncarriedText, says_which_order_types_the_venue_has) {
  market::NewOrder order = plain_order();
  order.terms.type = OrderType::market_to_limit;
  EXPECT_EQ(refused(order, k_new),
            "OrdType(40)=K (market to limit) is not accepted by this venue (LSE-21.2): it has 1, 2, 3, 4, P, F");
  order.terms.type = OrderType::limit;
  order.terms.sub_type = OrderSubType::offset;
  EXPECT_EQ(refused(order, k_old),
            "OrdType(40)=F (offset) is not accepted by this venue (LSE-11.8.5): it has 1, 2, 3, 4, P");
  order.terms.sub_type = OrderSubType::pegged;
  EXPECT_EQ(refused(order, k_bit),
            "OrdType(40)=P (pegged) is not accepted by this venue (BIT-9.4): it has 1, 2, 3, 4, K");
}

TEST(UncarriedText, says_which_field_the_venue_does_not_have) {
  market::NewOrder order = plain_order();
  order.terms.group = 9;
  EXPECT_EQ(refused(order, k_bit),
            "GroupID(27017)=9 is not accepted by this venue (BIT-9.4): its protocol has no such field here");
  order.terms.group = 0;
  order.terms.owner_type = 1;
  EXPECT_EQ(refused(order, k_old),
            "OwnerType(522)=1 is not accepted by this venue (LSE-11.8.5): its protocol has no such field here");
  market::Replace replace;
  replace.side = market::Side::buy;
  replace.offset_bp = -25;
  EXPECT_EQ(refused(replace, k_old, &mit::Dialect::encode_replace),
            "Offset(27018)=-25 is not accepted by this venue (LSE-11.8.5): its protocol has no such field here");
}

TEST(UncarriedText, names_the_field_of_any_other_trouble) {
  market::NewOrder order = plain_order();
  order.labels.account = Text<10>::cut("\xc3\xa4");
  EXPECT_EQ(refused(order, k_new),
            "Account(1) cannot be carried to this venue (LSE-21.2): expected characters 0 to 127");
  order.labels.account = {};
  order.terms.quantity = {std::int64_t{1} << 40};
  EXPECT_EQ(refused(order, k_new),
            "OrderQty(38) cannot be carried to this venue (LSE-21.2): expected a number that the field can hold");
  EXPECT_EQ(uncarried_text(market::Cancel{}, k_new, {}).view(),
            "the request cannot be carried to this venue (LSE-21.2)");
}

TEST(UncarriedText, says_what_quotes_and_mass_cancels_the_venue_has) {
  market::Quote quote;
  EXPECT_EQ(refused(quote, k_old, &mit::Dialect::encode_quote),
            "Quote(S) is not accepted by this venue (LSE-11.8.5): its protocol has no quotes");
  quote.capacity = market::Capacity::any_other;
  EXPECT_EQ(refused(quote, k_bit, &mit::Dialect::encode_quote),
            "Quote(S) is not accepted by this venue (BIT-9.4): it has quotes for auctions only, none for the day");
  quote.flags = market::k_named;
  EXPECT_EQ(refused(quote, k_new, &mit::Dialect::encode_quote),
            "a named Quote(S), the client's default, is not accepted by this venue (LSE-21.2): its quotes are "
            "anonymous");
  market::MassCancel mass;
  mass.group = 9;
  EXPECT_EQ(refused(mass, k_bit, &mit::Dialect::encode_mass_cancel),
            "MassCancelRequestType(530)=56 is not accepted by this venue (BIT-9.4): it has 1, 7, 9");
  mass.header.instrument = 7;
  mass.is_account = true;
  EXPECT_EQ(refused(mass, k_bit, &mit::Dialect::encode_mass_cancel),
            "MassCancelRequestType(530)=57 of the firm is not accepted by this venue (BIT-9.4): it has 1, 7, 9");
  mass = {};
  mass.of = market::MassCancelOf::quotes;
  EXPECT_EQ(refused(mass, k_old, &mit::Dialect::encode_mass_cancel),
            "QuoteCancel(Z) is not accepted by this venue (LSE-11.8.5): its protocol has no quotes");
}

}  // namespace
}  // namespace dojima::gateway
