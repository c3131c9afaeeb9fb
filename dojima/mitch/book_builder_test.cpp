#include "dojima/mitch/book_builder.hpp"

#include <gtest/gtest.h>

#include "dojima/mitch/known_answers_test.hpp"

namespace dojima::mitch::testing {
namespace {

using market::Price;
using market::Side;

constexpr std::uint32_t k_rice = 7;

AddOrder bid(std::uint64_t id, std::uint32_t quantity, std::int64_t price) {
  return {.order_id = id, .side = 'B', .quantity = quantity, .instrument_id = k_rice, .price = {price}};
}

AddOrder ask(std::uint64_t id, std::uint32_t quantity, std::int64_t price) {
  AddOrder order = bid(id, quantity, price);
  order.side = 'S';
  return order;
}

OrderModified modified(std::uint64_t id, std::uint32_t quantity, std::int64_t price, std::uint8_t flags) {
  return {.order_id = id, .new_quantity = quantity, .new_price = {price}, .flags = flags};
}

/// A builder that must be sound after every message.
class Books {
 public:
  explicit Books(const BookBuilderLimits& limits = {.instruments = 2, .orders = 8, .levels = 4, .quote_levels = 2})
      : builder(limits) {}

  template <class Message>
  Result<void> apply(const Message& message) {
    const Result<void> applied = builder.apply(message);
    EXPECT_EQ(builder.inconsistency(), nullptr) << builder.inconsistency();
    return applied;
  }
  template <class... Messages>
  void all(const Messages&... messages) {
    (expect(apply(messages)), ...);
  }
  template <class Message>
  ErrorCode refusal(const Message& message) {
    const Result<void> applied = apply(message);
    return applied ? ErrorCode::none : applied.error().code;
  }

  [[nodiscard]] std::vector<std::uint64_t> ids(Side side, SubBook book = SubBook::orders) const {
    std::vector<std::uint64_t> found;
    if (const auto view = builder.find(k_rice))
      view->each_order(side, [&found](const DisplayedOrder& order) { found.push_back(order.id); }, book);
    return found;
  }
  [[nodiscard]] std::vector<DisplayedLevel> levels(Side side) const {
    std::vector<DisplayedLevel> found;
    if (const auto view = builder.find(k_rice))
      view->each_level(side, [&found](const DisplayedLevel& level) { found.push_back(level); });
    return found;
  }
  [[nodiscard]] const InstrumentState& state() const { return builder.find(k_rice)->state(); }

  BookBuilder builder;

 private:
  static void expect(const Result<void>& applied) { EXPECT_TRUE(applied.has_value()); }
};

using Ids = std::vector<std::uint64_t>;
using Levels = std::vector<DisplayedLevel>;

TEST(BookBuilder, puts_orders_at_the_end_of_their_level_best_price_first) {
  Books books;
  books.all(bid(1, 10, 100), bid(2, 20, 101), bid(3, 30, 100), ask(4, 40, 103), ask(5, 50, 102));
  EXPECT_EQ(books.ids(Side::buy), (Ids{2, 1, 3}));
  EXPECT_EQ(books.ids(Side::sell), (Ids{5, 4}));
  EXPECT_EQ(books.levels(Side::buy),
            (Levels{{.price = {101}, .quantity = 20, .orders = 1}, {.price = {100}, .quantity = 40, .orders = 2}}));
  EXPECT_EQ(books.builder.find(k_rice)->best(Side::sell),
            (DisplayedLevel{.price = {102}, .quantity = 50, .orders = 1}));
  EXPECT_EQ(books.builder.find(k_rice)->level_count(Side::buy), 2u);
  EXPECT_EQ(books.builder.order_count(), 5u);
  EXPECT_EQ(books.builder.find_order(3), (DisplayedOrder{.id = 3, .side = Side::buy, .price = {100}, .quantity = 30}));
}

TEST(BookBuilder, knows_negative_prices) {
  Books books;
  books.all(bid(1, 10, -5), bid(2, 10, 5), ask(3, 10, -4), ask(4, 10, 4));
  EXPECT_EQ(books.ids(Side::buy), (Ids{2, 1}));
  EXPECT_EQ(books.ids(Side::sell), (Ids{3, 4}));
}

TEST(BookBuilder, keeps_the_firm_of_an_attributed_order) {
  Books books;
  books.all(AddAttributedOrder{.order_id = 1,
                               .side = 'S',
                               .quantity = 5,
                               .instrument_id = k_rice,
                               .price = {100},
                               .attribution = Text<11>::cut("FIRM1")});
  EXPECT_EQ(books.builder.find_order(1)->attribution, Text<11>::cut("FIRM1"));
}

TEST(BookBuilder, keeps_orders_firm_quotes_and_private_rfq_apart) {
  Books books;
  AddAttributedOrder quote{.order_id = 2, .side = 'B', .quantity = 5, .instrument_id = k_rice, .price = {100}};
  quote.flags = k_firm_quote;
  AddOrder rfq = bid(3, 5, 100);
  rfq.flags = k_private_rfq;
  books.all(bid(1, 10, 100), quote, rfq);
  EXPECT_EQ(books.ids(Side::buy), Ids{1});
  EXPECT_EQ(books.ids(Side::buy, SubBook::firm_quotes), Ids{2});
  EXPECT_EQ(books.ids(Side::buy, SubBook::private_rfq), Ids{3});

  // A delete or modification must name the book of the order.
  EXPECT_EQ(books.refusal(OrderDeleted{.order_id = 2, .instrument_id = k_rice}), ErrorCode::wrong_state);
  EXPECT_EQ(books.refusal(modified(1, 5, 100, k_firm_quote)), ErrorCode::wrong_state);
  books.all(OrderDeleted{.order_id = 2, .flags = k_firm_quote, .instrument_id = k_rice});

  // Each book is cleared alone, and only that of the orders with the statistics.
  books.all(Statistics{.instrument_id = k_rice, .price = {100}},
            OrderBookClear{.instrument_id = k_rice, .flags = k_private_rfq});
  EXPECT_EQ(books.ids(Side::buy, SubBook::private_rfq), Ids{});
  EXPECT_EQ(books.ids(Side::buy), Ids{1});
  EXPECT_EQ(books.state().opening.price, Price{100});
}

TEST(BookBuilder, puts_orders_without_a_limit_before_all_prices) {
  Books books;
  AddOrder market = bid(2, 10, 0);
  market.flags = k_market_order;
  books.all(bid(1, 10, 1'000'000), market);
  EXPECT_EQ(books.ids(Side::buy), (Ids{2, 1}));
  EXPECT_TRUE(books.builder.find(k_rice)->best(Side::buy)->is_market);
  // Whatever price a modification carries, it has none; losing priority sends it to the back of its like.
  market.order_id = 3;
  books.all(market, modified(2, 5, 77, 0));
  EXPECT_EQ(books.ids(Side::buy), (Ids{3, 2, 1}));
}

TEST(BookBuilder, keeps_the_place_of_a_modified_order_only_when_the_flag_says_so) {
  Books books;
  books.all(bid(1, 10, 100), bid(2, 20, 100));
  books.all(modified(1, 5, 100, k_priority_retained));
  EXPECT_EQ(books.ids(Side::buy), (Ids{1, 2}));
  EXPECT_EQ(books.levels(Side::buy), (Levels{{.price = {100}, .quantity = 25, .orders = 2}}));
  books.all(modified(1, 6, 100, 0));
  EXPECT_EQ(books.ids(Side::buy), (Ids{2, 1}));
  books.all(modified(2, 7, 101, 0));
  EXPECT_EQ(books.levels(Side::buy),
            (Levels{{.price = {101}, .quantity = 7, .orders = 1}, {.price = {100}, .quantity = 6, .orders = 1}}));
  // A place at another price cannot be kept.
  books.all(bid(3, 1, 100), modified(2, 7, 100, k_priority_retained));
  EXPECT_EQ(books.ids(Side::buy), (Ids{1, 3, 2}));
}

TEST(BookBuilder, reduces_by_what_was_executed_and_removes_at_zero) {
  Books books;
  books.all(ask(1, 10, 100), OrderExecuted{.order_id = 1, .executed_quantity = 4, .trade_match_id = 1});
  EXPECT_EQ(books.levels(Side::sell), (Levels{{.price = {100}, .quantity = 6, .orders = 1}}));
  EXPECT_EQ(books.state().last_price, Price{100}) << "the order's price";
  EXPECT_EQ(books.refusal(OrderExecuted{.order_id = 1, .executed_quantity = 7}), ErrorCode::out_of_range);
  EXPECT_EQ(books.refusal(OrderExecuted{.order_id = 1, .executed_quantity = 0}), ErrorCode::out_of_range);
  books.all(OrderExecuted{.order_id = 1, .executed_quantity = 6, .trade_match_id = 2});
  EXPECT_EQ(books.builder.order_count(), 0u);
  EXPECT_EQ(books.state().traded_quantity, 10u);
  EXPECT_EQ(books.state().trade_count, 2u);
}

TEST(BookBuilder, sets_the_displayed_quantity_of_an_execution_with_price_and_size) {
  Books books;
  books.all(ask(1, 10, 100), ask(2, 10, 100));
  OrderExecutedWithPriceSize fill{
      .order_id = 1, .executed_quantity = 10, .display_quantity = 8, .trade_match_id = 1, .price = {99}};
  books.all(fill);
  EXPECT_EQ(books.ids(Side::sell), (Ids{1, 2}));
  EXPECT_EQ(books.builder.find_order(1)->quantity, 8u);
  EXPECT_EQ(books.state().last_price, Price{99});
  EXPECT_EQ(books.state().traded_quantity, 10u);
  fill.printable = 'N';
  fill.display_quantity = 0;
  fill.price = {98};
  books.all(fill);
  EXPECT_EQ(books.ids(Side::sell), Ids{2});
  EXPECT_EQ(books.state().last_price, Price{99}) << "not for time and sales";
  EXPECT_EQ(books.state().traded_quantity, 10u);
  fill.executed_quantity = 0;
  fill.order_id = 2;
  EXPECT_EQ(books.refusal(fill), ErrorCode::out_of_range);
}

TEST(BookBuilder, counts_trades_of_hidden_orders_and_auctions_without_touching_the_book) {
  Books books;
  books.all(bid(1, 10, 100), Trade{.executed_quantity = 50, .instrument_id = k_rice, .price = {101}},
            AuctionTrade{.quantity = 70, .instrument_id = k_rice, .price = {102}});
  EXPECT_EQ(books.ids(Side::buy), Ids{1});
  EXPECT_EQ(books.state().last_price, Price{102});
  EXPECT_EQ(books.state().traded_quantity, 120u);
  books.all(Trade{.executed_quantity = 50, .instrument_id = k_rice, .price = {99}, .pt_mod_flags = k_trade_amended},
            AuctionTrade{.quantity = 70, .instrument_id = k_rice, .price = {98}, .pt_mod_flags = k_trade_amended});
  EXPECT_EQ(books.state().traded_quantity, 120u) << "only the price is another one";
  EXPECT_EQ(books.state().trade_count, 2u);
  EXPECT_EQ(books.state().last_price, Price{102});
  books.all(Trade{.executed_quantity = 50, .instrument_id = k_rice, .price = {101}, .pt_mod_flags = k_trade_cancelled});
  EXPECT_EQ(books.state().traded_quantity, 70u);
  EXPECT_EQ(books.state().trade_count, 1u);
  // One of before the feed began.
  books.all(AuctionTrade{.quantity = 700, .instrument_id = k_rice, .price = {101}, .pt_mod_flags = k_trade_cancelled});
  EXPECT_EQ(books.state().traded_quantity, 0u);
}

TEST(BookBuilder, drops_orders_and_statistics_when_the_book_is_cleared) {
  Books books;
  SymbolDirectory directory{.instrument_id = k_rice};
  directory.isin = Text<12>::cut("GB00BH4HKS39");
  books.all(directory, SymbolStatus{.instrument_id = k_rice, .trading_status = 'a'}, bid(1, 10, 100), bid(2, 10, 99),
            ask(3, 10, 100), Statistics{.instrument_id = k_rice, .statistic_type = 'C', .price = {100}},
            AuctionInfo{.paired_quantity = 5, .instrument_id = k_rice, .price = {100}},
            Trade{.executed_quantity = 1, .instrument_id = k_rice});
  AddOrder other = bid(4, 1, 100);
  other.instrument_id = k_rice + 1;
  books.all(other, OrderBookClear{.instrument_id = k_rice});
  EXPECT_EQ(books.ids(Side::buy), Ids{});
  EXPECT_EQ(books.ids(Side::sell), Ids{});
  EXPECT_FALSE(books.state().closing.price.has_value());
  EXPECT_EQ(books.state().auction, AuctionInfo{});
  EXPECT_EQ(books.state().traded_quantity, 0u);
  EXPECT_EQ(books.state().directory, directory);
  EXPECT_EQ(books.state().status.trading_status, 'a');
  EXPECT_EQ(books.builder.order_count(), 1u) << "the other instrument's";
  books.all(bid(1, 10, 100));
  EXPECT_EQ(books.ids(Side::buy), Ids{1}) << "a fresh set of orders follows";
}

TEST(BookBuilder, keeps_what_changes_no_book) {
  Books books;
  const TopOfBook top{.instrument_id = k_rice, .buy_limit_price = {100}, .buy_limit_size = 10};
  const AuctionInfo auction{.paired_quantity = 5, .instrument_id = k_rice, .price = {100}};
  books.all(Time{.seconds = 43200}, SystemEvent{.nanosecond = 1000, .event_code = 'C'}, top, auction,
            Statistics{.instrument_id = k_rice, .statistic_type = 'O', .price = {7}, .open_close_price_indicator = 'F'},
            Statistics{.instrument_id = k_rice, .statistic_type = 'C', .price = {8}});
  EXPECT_EQ(books.builder.event(), 'C');
  EXPECT_EQ(books.state().top, top);
  EXPECT_EQ(books.state().auction, auction);
  EXPECT_EQ(books.state().opening, (PublishedPrice{Price{7}, 'F'}));
  EXPECT_EQ(books.state().closing.price, Price{8});
  books.all(Statistics{.instrument_id = k_rice, .statistic_type = 'C', .price = {-market::k_price_scale}});
  EXPECT_FALSE(books.state().closing.price.has_value()) << "-1: cleared";
}

TEST(BookBuilder, gives_the_time_of_the_last_message) {
  Books books;
  books.all(Time{.seconds = 43200});
  EXPECT_EQ(books.builder.nanoseconds_of_day(), 43'200'000'000'000u);
  AddOrder order = bid(1, 10, 100);
  order.nanosecond = 5000;
  books.all(order);
  EXPECT_EQ(books.builder.nanoseconds_of_day(), 43'200'000'005'000u);
}

TEST(BookBuilder, refuses_what_does_not_fit_and_changes_nothing) {
  Books books;
  books.all(bid(1, 10, 100));
  EXPECT_EQ(books.refusal(bid(1, 5, 99)), ErrorCode::duplicate);
  EXPECT_EQ(books.refusal(bid(2, 0, 99)), ErrorCode::out_of_range);
  EXPECT_EQ(books.refusal(bid(2, 1, INT64_MAX)), ErrorCode::out_of_range);
  EXPECT_EQ(books.refusal(ask(2, 1, -INT64_MAX)), ErrorCode::out_of_range);
  EXPECT_EQ(books.refusal(OrderDeleted{.order_id = 9, .instrument_id = k_rice}), ErrorCode::unknown);
  EXPECT_EQ(books.refusal(OrderDeleted{.order_id = 1, .instrument_id = k_rice + 1}), ErrorCode::wrong_state);
  EXPECT_EQ(books.refusal(modified(9, 1, 100, 0)), ErrorCode::unknown);
  EXPECT_EQ(books.refusal(modified(1, 0, 100, 0)), ErrorCode::out_of_range);
  EXPECT_EQ(books.refusal(modified(1, 1, INT64_MAX, 0)), ErrorCode::out_of_range);
  EXPECT_EQ(books.refusal(OrderExecuted{.order_id = 9, .executed_quantity = 1}), ErrorCode::unknown);
  EXPECT_EQ(books.refusal(OrderExecutedWithPriceSize{.order_id = 9, .executed_quantity = 1}), ErrorCode::unknown);
  EXPECT_EQ(books.levels(Side::buy), (Levels{{.price = {100}, .quantity = 10, .orders = 1}}));
  EXPECT_FALSE(books.builder.find_order(9).has_value());
  EXPECT_FALSE(books.builder.find(k_rice + 1).has_value());
}

TEST(BookBuilder, refuses_orders_levels_and_instruments_beyond_its_capacities) {
  Books books({.instruments = 1, .orders = 3, .levels = 2, .quote_levels = 1});
  books.all(bid(1, 10, 100), bid(2, 10, 101));
  EXPECT_EQ(books.refusal(bid(3, 10, 102)), ErrorCode::no_room) << "a third level";
  AddOrder quote = bid(3, 1, 1);
  quote.instrument_id = k_rice + 1;
  EXPECT_EQ(books.refusal(quote), ErrorCode::no_room) << "a second instrument";
  EXPECT_EQ(books.refusal(SymbolStatus{.instrument_id = k_rice + 1}), ErrorCode::no_room);
  EXPECT_EQ(books.refusal(OrderBookClear{.instrument_id = k_rice + 1}), ErrorCode::no_room);
  // A level that goes makes room for the one that comes.
  books.all(modified(2, 10, 102, 0), bid(3, 10, 100));
  EXPECT_EQ(books.refusal(modified(3, 10, 103, 0)), ErrorCode::no_room) << "its level stays";
  EXPECT_EQ(books.ids(Side::buy), (Ids{2, 1, 3}));
  EXPECT_EQ(books.refusal(bid(4, 10, 100)), ErrorCode::no_room) << "a fourth order";
  EXPECT_EQ(books.builder.instrument_count(), 1u);
}

TEST(BookBuilder, reads_messages_as_they_are_in_a_unit) {
  BookBuilder builder({.instruments = 1, .orders = 8, .levels = 8, .quote_levels = 8});
  std::vector<ErrorCode> answers;
  each(known_application_messages(), [&](const auto& answer) {
    const Result<void> applied = builder.apply(Bytes(octets_of(answer.hex)));
    answers.push_back(applied ? ErrorCode::none : applied.error().code);
  });
  EXPECT_EQ(answers, std::vector<ErrorCode>(16, ErrorCode::none));
  EXPECT_EQ(builder.inconsistency(), nullptr);
  EXPECT_EQ(builder.apply(Bytes(octets_of("02 05"))).error().code, ErrorCode::unknown);
  EXPECT_EQ(builder.apply(Bytes(octets_of("06 54 c0 a8 00"))).error().code, ErrorCode::malformed);
}

}  // namespace
}  // namespace dojima::mitch::testing
