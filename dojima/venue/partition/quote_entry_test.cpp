#include "dojima/venue/partition/quote_entry.hpp"

#include <map>
#include <utility>
#include <vector>

#include "dojima/book/random_flow_test.hpp"
#include "dojima/venue/partition_test_support.hpp"
#include "dojima/venue/state_test_support.hpp"

namespace dojima::venue::testing {
namespace {

using enum OwnerReportKind;
using QuoteKinds = std::vector<OwnerReportKind>;

struct QuoteArguments {
  std::uint16_t user = 0;
  std::int64_t bid = 0;  // ticks
  std::int64_t bid_lots = 0;
  std::int64_t ask = 0;
  std::int64_t ask_lots = 0;
  std::string_view id = "Q1";
  std::uint32_t instrument = k_rice;
};

market::Quote make_quote(const QuoteArguments& arguments) {
  market::Quote quote;
  quote.header.instrument = arguments.instrument;
  quote.header.user = arguments.user;
  quote.bid = at(arguments.bid);
  quote.bid_size = {arguments.bid_lots};
  quote.ask = at(arguments.ask);
  quote.ask_size = {arguments.ask_lots};
  quote.labels.client_order_id = Text<20>::cut(arguments.id);
  quote.capacity = market::Capacity::dealing;
  return quote;
}

const market::Quote k_usual = make_quote({.bid = 99, .bid_lots = 10, .ask = 101, .ask_lots = 12});

TEST(QuoteEntry, makes_two_orders_of_one_id_each_with_a_report_of_its_own) {
  World world;
  const auto reports = world.submit(k_usual);
  ASSERT_EQ(kinds_of(reports), (QuoteKinds{accepted, accepted}));
  EXPECT_EQ(reports[0].side, Side::buy);
  EXPECT_EQ(reports[1].side, Side::sell);
  EXPECT_NE(reports[0].order, reports[1].order);
  EXPECT_EQ(reports[0].command, reports[1].command) << "one command, one place in the journal";
  for (const OwnerReport& report : reports) EXPECT_EQ(report.client_order_id.view(), "Q1");
  EXPECT_EQ(reports[0].leaves.lots, 10);
  EXPECT_EQ(reports[1].leaves.lots, 12);
  EXPECT_EQ(world.partition.open_orders(0), 2u);
}

TEST(QuoteEntry, amends_both_sides_which_keep_their_orders_and_where_they_can_their_place) {
  World world;
  const auto first = world.submit(k_usual);
  const OrderId behind = world.add({.user = 1, .side = Side::buy, .lots = 5, .ticks = 99});
  const auto amended = world.submit(make_quote({.bid = 99, .bid_lots = 7, .ask = 102, .ask_lots = 20, .id = "Q2"}));
  ASSERT_EQ(kinds_of(amended), (QuoteKinds{replaced, replaced}));
  EXPECT_EQ(amended[0].order, first[0].order);
  EXPECT_EQ(amended[1].order, first[1].order);
  for (const OwnerReport& report : amended) EXPECT_EQ(report.client_order_id.view(), "Q2");
  EXPECT_EQ(amended[0].leaves.lots, 7);
  EXPECT_EQ(amended[1].leaves.lots, 20);
  // A smaller size keeps its place: the quote trades before the order behind it.
  const auto trade = world.submit(make_order({.user = 2, .side = Side::sell, .lots = 7, .ticks = 99}));
  ASSERT_EQ(kinds_of(trade), (QuoteKinds{accepted, traded, traded}));
  EXPECT_EQ(trade[1].order, first[0].order);
  EXPECT_NE(trade[1].order, behind);
}

TEST(QuoteEntry, takes_a_size_for_what_shall_be_left_whatever_was_executed) {
  World world;
  static_cast<void>(world.submit(k_usual));
  static_cast<void>(world.submit(make_order({.user = 1, .side = Side::sell, .lots = 4, .ticks = 99})));
  const auto amended = world.submit(make_quote({.bid = 99, .bid_lots = 10, .ask = 101, .ask_lots = 12, .id = "Q2"}));
  ASSERT_EQ(kinds_of(amended), (QuoteKinds{replaced, replaced}));
  EXPECT_EQ(amended[0].leaves.lots, 10);
  EXPECT_EQ(amended[0].status, OrderStatus::partially_filled);
}

TEST(QuoteEntry, enters_a_side_that_was_filled_anew_and_ends_one_without_a_size) {
  World world;
  const auto first = world.submit(k_usual);
  static_cast<void>(world.submit(make_order({.user = 1, .side = Side::sell, .lots = 10, .ticks = 99})));
  const auto next = world.submit(make_quote({.bid = 98, .bid_lots = 3, .id = "Q2"}));
  ASSERT_EQ(kinds_of(next), (QuoteKinds{accepted, cancelled}));
  EXPECT_NE(next[0].order, first[0].order);
  EXPECT_EQ(next[1].order, first[1].order);
  EXPECT_EQ(next[1].client_order_id.view(), "Q2") << "an answer carries the id of the request";
  EXPECT_EQ(world.partition.open_orders(0), 1u);
  const auto none = world.submit(make_quote({.id = "Q3"}));
  ASSERT_EQ(kinds_of(none), (QuoteKinds{cancelled}));
  EXPECT_EQ(world.partition.open_orders(0), 0u);
}

TEST(QuoteEntry, moves_up_and_down_without_meeting_itself) {
  World world;
  static_cast<void>(world.submit(k_usual));
  const auto up = world.submit(make_quote({.bid = 103, .bid_lots = 5, .ask = 105, .ask_lots = 5, .id = "Q2"}));
  ASSERT_EQ(kinds_of(up), (QuoteKinds{replaced, replaced}));
  EXPECT_EQ(up[0].side, Side::sell) << "the ask makes way first";
  const auto down = world.submit(make_quote({.bid = 95, .bid_lots = 5, .ask = 97, .ask_lots = 5, .id = "Q3"}));
  ASSERT_EQ(kinds_of(down), (QuoteKinds{replaced, replaced}));
  EXPECT_EQ(down[0].side, Side::buy);
  EXPECT_EQ(world.partition.totals(0).trades, 0u);
}

TEST(QuoteEntry, refuses_both_sides_where_one_is_invalid_and_changes_nothing) {
  World world;
  const auto first = world.submit(k_usual);
  const std::uint64_t before = world.partition.book(k_rice)->state_digest();
  const auto refused_for = [&](const market::Quote& quote) {
    const auto reports = world.submit(quote);
    EXPECT_EQ(kinds_of(reports), (QuoteKinds{rejected, rejected}));
    EXPECT_EQ(reports.at(0).side, Side::buy);
    EXPECT_EQ(reports.at(1).side, Side::sell);
    EXPECT_EQ(reports.at(0).order.value, 0u);
    for (const auto& report : reports) EXPECT_EQ(report.client_order_id, quote.labels.client_order_id);
    return reports.at(0).reason;
  };
  EXPECT_EQ(refused_for(make_quote({.bid = 101, .bid_lots = 1, .ask = 101, .ask_lots = 1})),
            Reason::price_out_of_range);
  market::Quote uneven = k_usual;
  uneven.ask.units += 1;
  EXPECT_EQ(refused_for(uneven), Reason::price_not_on_tick);
  EXPECT_EQ(refused_for(make_quote({.bid = 99, .bid_lots = 10, .ask = 101, .ask_lots = 2'000'000})),
            Reason::quantity_out_of_range);
  EXPECT_EQ(refused_for(make_quote({.bid = 99, .bid_lots = -1, .ask = 101, .ask_lots = 1})),
            Reason::quantity_out_of_range);
  EXPECT_EQ(world.partition.book(k_rice)->state_digest(), before);
  EXPECT_EQ(world.partition.open_orders(0), 2u);
  // Another user has no quote that could be taken back.
  const auto nothing = world.submit(make_quote({.user = 1, .id = "Q9"}));
  ASSERT_EQ(kinds_of(nothing), (QuoteKinds{rejected}));
  EXPECT_EQ(nothing[0].client_order_id.view(), "Q9");
  EXPECT_EQ(nothing[0].reason, Reason::quantity_out_of_range);
  static_cast<void>(first);
}

TEST(QuoteEntry, of_an_unknown_instrument_or_user_is_refused_once) {
  World world;
  market::Quote quote = k_usual;
  quote.header.instrument = 99;
  const auto unlisted = world.submit(quote);
  ASSERT_EQ(kinds_of(unlisted), (QuoteKinds{business_rejected}));
  EXPECT_EQ(unlisted[0].partition, 0);
  quote = k_usual;
  quote.header.user = 77;
  const auto unknown = world.submit(quote);
  ASSERT_EQ(kinds_of(unknown), (QuoteKinds{rejected}));
  EXPECT_EQ(unknown[0].reason, Reason::unknown_user);
}

TEST(QuoteEntry, is_held_to_the_limits_of_the_user_and_the_room_of_the_table_as_a_whole) {
  PartitionConfig config = make_config();
  config.users[1].limits.open_orders = 1;
  config.users[2].limits.order_quantity = {11};
  config.limits.orders = 3;
  World world(config);
  EXPECT_EQ(world.submit(make_quote({.user = 1, .bid = 99, .bid_lots = 1, .ask = 101, .ask_lots = 1})).at(0).reason,
            Reason::too_many_orders);
  EXPECT_EQ(kinds_of(world.submit(make_quote({.user = 1, .bid = 99, .bid_lots = 1}))), (QuoteKinds{accepted}));
  EXPECT_EQ(kinds_of(world.submit(make_quote({.user = 1, .bid = 98, .bid_lots = 1, .id = "Q2"}))),
            (QuoteKinds{replaced}))
      << "an amendment brings no order";
  market::Quote large = k_usual;
  large.header.user = 2;
  EXPECT_EQ(world.submit(large).at(0).reason, Reason::quantity_out_of_range);
  static_cast<void>(world.add({.user = 3, .side = Side::buy, .lots = 1, .ticks = 90}));
  EXPECT_EQ(world.submit(k_usual).at(0).reason, Reason::order_table_full) << "room for one of two";
}

TEST(QuoteEntry, refuses_each_side_that_there_is_or_shall_be) {
  World world;
  static_cast<void>(world.submit(k_usual));
  const auto sides_refused = [&](const market::Quote& quote) {
    std::vector<Side> sides;
    for (const OwnerReport& report : world.submit(quote)) {
      EXPECT_EQ(report.kind, rejected);
      sides.push_back(report.side);
    }
    return sides;
  };
  using Sides = std::vector<Side>;
  // One side is invalid, the other would be taken back.
  EXPECT_EQ(sides_refused(make_quote({.ask = 101, .ask_lots = 2'000'000})), (Sides{Side::buy, Side::sell}));
  EXPECT_EQ(sides_refused(make_quote({.bid = 99, .bid_lots = 2'000'000})), (Sides{Side::buy, Side::sell}));
  market::Quote uneven = k_usual;
  uneven.bid.units -= 1;
  EXPECT_EQ(sides_refused(uneven), (Sides{Side::buy, Side::sell}));
  // Of who has no quote.
  EXPECT_EQ(sides_refused(make_quote({.user = 1, .bid = 99, .bid_lots = 2'000'000})), (Sides{Side::buy}));
  EXPECT_EQ(sides_refused(make_quote({.user = 1, .ask = 101, .ask_lots = 2'000'000})), (Sides{Side::sell}));
  EXPECT_EQ(world.partition.open_orders(0), 2u);
  EXPECT_EQ(world.partition.open_orders(1), 0u);
}

/// A price without a size means nothing: no side has to make way for it.
TEST(QuoteEntry, ends_a_bid_before_the_ask_changes_whatever_price_it_says) {
  World world;
  static_cast<void>(world.submit(k_usual));
  const auto reports = world.submit(make_quote({.bid = 150, .bid_lots = 0, .ask = 102, .ask_lots = 5, .id = "Q2"}));
  ASSERT_EQ(kinds_of(reports), (QuoteKinds{cancelled, replaced}));
  EXPECT_EQ(reports[0].side, Side::buy);
}

TEST(QuoteEntry, takes_the_last_two_places_of_the_table) {
  PartitionConfig config = make_config();
  config.limits.orders = 3;
  World world(config);
  static_cast<void>(world.add({.user = 3, .side = Side::buy, .lots = 1, .ticks = 90}));
  EXPECT_EQ(kinds_of(world.submit(k_usual)), (QuoteKinds{accepted, accepted}));
}

TEST(QuoteEntry, enters_orders_with_what_the_quote_says_of_them) {
  World world;
  market::Quote lasting = k_usual;
  lasting.time_in_force = market::TimeInForce::good_till_cancel;
  lasting.peg = 5;
  const auto reports = world.submit(lasting);
  ASSERT_EQ(kinds_of(reports), (QuoteKinds{accepted, accepted}));
  for (const OwnerReport& report : reports) EXPECT_EQ(report.peg, 5);
  EXPECT_EQ(kinds_of(world.submit(make_quote({.user = 1, .bid = 98, .bid_lots = 1}))), (QuoteKinds{accepted}));
  market::Expire expire;
  expire.is_end_of_day = true;
  EXPECT_EQ(kinds_of(world.submit(expire)), (QuoteKinds{expired})) << "the one that is for the day";
  EXPECT_EQ(world.partition.open_orders(0), 2u);
}

TEST(QuoteEntry, is_left_alone_by_a_cancel_of_the_wrong_side_or_in_another_instrument) {
  World world;
  const auto first = world.submit(k_usual);
  EXPECT_EQ(kinds_of(world.submit(make_cancel({.side = Side::sell, .order = first[0].order}))),
            (QuoteKinds{request_rejected}));
  market::Cancel elsewhere = make_cancel({.side = Side::buy, .order = first[0].order});
  elsewhere.header.instrument = k_silk;
  EXPECT_EQ(kinds_of(world.submit(elsewhere)), (QuoteKinds{request_rejected}));
  EXPECT_EQ(world.partition.open_orders(0), 2u);
}

/// There are so many quotes at a time, of all users together, however many orders there is room for.
TEST(QuoteEntry, of_who_has_none_is_refused_where_the_table_of_quotes_is_full) {
  PartitionConfig config = make_config();
  config.users.resize(Quotes::k_most / 2 + 1);
  config.limits.orders = Quotes::k_most + 64;
  World world(config);
  const auto quote = [&](std::size_t user, std::uint32_t instrument, std::int64_t ticks) {
    market::Quote made =
        make_quote({.user = static_cast<std::uint16_t>(user), .bid = ticks, .bid_lots = 1, .instrument = instrument});
    world.now += std::chrono::microseconds{1};
    EXPECT_TRUE(world.partition.submit(made.header, world.now).has_value());
    return world.read();
  };
  for (std::size_t user = 0; user < Quotes::k_most / 2; ++user)
    for (const std::uint32_t instrument : {k_rice, k_silk})
      ASSERT_EQ(kinds_of(quote(user, instrument, 90)), (QuoteKinds{accepted})) << user;
  const auto refused = quote(Quotes::k_most / 2, k_rice, 90);
  ASSERT_EQ(kinds_of(refused), (QuoteKinds{rejected}));
  EXPECT_EQ(refused[0].reason, Reason::order_table_full);
  const auto amended = quote(0, k_rice, 89);
  ASSERT_EQ(kinds_of(amended), (QuoteKinds{replaced})) << "who has one may change it";
  market::Cancel cancel = make_cancel({.side = Side::buy, .order = amended[0].order, .id = "C1"});
  static_cast<void>(world.partition.submit(cancel.header, world.now));
  EXPECT_EQ(kinds_of(world.read()), (QuoteKinds{cancelled}));
  EXPECT_EQ(kinds_of(quote(Quotes::k_most / 2, k_rice, 90)), (QuoteKinds{accepted})) << "and gives room when it ends";
}

TEST(QuoteEntry, ends_as_a_whole_when_either_side_is_cancelled) {
  for (const Side side : {Side::buy, Side::sell}) {
    World world;
    const auto first = world.submit(k_usual);
    const std::size_t at = side == Side::buy ? 0 : 1;
    const auto ended = world.submit(make_cancel({.side = side, .order = first[at].order, .id = "C1"}));
    ASSERT_EQ(kinds_of(ended), (QuoteKinds{cancelled, cancelled}));
    EXPECT_EQ(ended[0].order, first[at].order) << "the one that was named comes first";
    for (const OwnerReport& report : ended) EXPECT_EQ(report.client_order_id.view(), "C1");
    EXPECT_EQ(world.partition.open_orders(0), 0u);
  }
}

TEST(QuoteEntry, is_found_by_its_client_order_id_and_the_side) {
  for (const Side side : {Side::buy, Side::sell}) {
    World world;
    static_cast<void>(world.submit(k_usual));
    const auto ended = world.submit(make_cancel({.side = side, .original = "Q1", .id = "C1"}));
    ASSERT_EQ(kinds_of(ended), (QuoteKinds{cancelled, cancelled}));
    EXPECT_EQ(ended[0].side, side);
  }
}

TEST(QuoteEntry, with_one_side_left_is_not_meant_by_its_id_and_the_other_side) {
  World world;
  static_cast<void>(world.submit(k_usual));
  static_cast<void>(world.submit(make_order({.user = 1, .side = Side::sell, .lots = 10, .ticks = 99})));
  const auto refused = world.submit(make_cancel({.side = Side::buy, .original = "Q1", .id = "C1"}));
  ASSERT_EQ(kinds_of(refused), (QuoteKinds{request_rejected}));
  EXPECT_EQ(refused[0].reason, Reason::unknown_order);
  EXPECT_EQ(refused[0].order.value, 0u) << "and says nothing of the order that is left";
  EXPECT_EQ(world.partition.open_orders(0), 1u);
}

TEST(QuoteEntry, is_cancelled_by_nobody_else_and_not_changed_by_a_replace) {
  World world;
  const auto first = world.submit(k_usual);
  const auto foreign = world.submit(make_cancel({.user = 1, .side = Side::buy, .order = first[0].order}));
  ASSERT_EQ(kinds_of(foreign), (QuoteKinds{request_rejected}));
  const auto changed = world.submit(make_replace({.side = Side::buy, .order = first[0].order, .lots = 5, .ticks = 98}));
  ASSERT_EQ(kinds_of(changed), (QuoteKinds{request_rejected}));
  EXPECT_EQ(changed[0].reason, Reason::not_supported);
  EXPECT_EQ(world.partition.open_orders(0), 2u);
}

TEST(QuoteEntry, is_left_alone_by_a_mass_cancel_of_orders_and_its_orders_by_one_of_quotes) {
  World world;
  static_cast<void>(world.submit(k_usual));
  static_cast<void>(world.add({.user = 0, .side = Side::buy, .lots = 1, .ticks = 90}));
  market::MassCancel cancel;
  const auto orders = world.submit(cancel);
  ASSERT_EQ(kinds_of(orders), (QuoteKinds{mass_cancelled, cancelled}));
  EXPECT_EQ(world.partition.open_orders(0), 2u);
  static_cast<void>(world.add({.user = 0, .side = Side::buy, .lots = 1, .ticks = 90}));
  cancel.of = market::MassCancelOf::quotes;
  ASSERT_EQ(kinds_of(world.submit(cancel)), (QuoteKinds{mass_cancelled, cancelled, cancelled}));
  EXPECT_EQ(world.partition.open_orders(0), 1u);
  static_cast<void>(world.submit(k_usual));
  cancel.of = market::MassCancelOf::orders_and_quotes;
  ASSERT_EQ(kinds_of(world.submit(cancel)), (QuoteKinds{mass_cancelled, cancelled, cancelled, cancelled}));
}

TEST(QuoteEntry, belongs_to_one_user_in_one_instrument_and_ends_with_the_session_if_it_shall) {
  World world;
  market::Quote kept = k_usual;
  kept.header.instrument = k_silk;
  market::Quote other = make_quote({.user = 1, .bid = 98, .bid_lots = 1, .ask = 102, .ask_lots = 1});
  market::Quote following = k_usual;
  following.flags = market::k_auto_cancel;
  for (const market::Quote& quote : {following, other, kept})
    EXPECT_EQ(kinds_of(world.submit(quote)), (QuoteKinds{accepted, accepted}));
  EXPECT_EQ(kinds_of(world.end(0, SessionEnd::logout)), (QuoteKinds{expired, expired}));
  EXPECT_EQ(world.partition.open_orders(0), 2u);
  EXPECT_EQ(kinds_of(world.submit(k_usual)), (QuoteKinds{accepted, accepted})) << "nothing of the old one is left";
}

TEST(QuoteEntry, trades_what_it_can_of_one_side_before_the_other_enters) {
  World world;
  const OrderId ask = world.add({.user = 1, .side = Side::sell, .lots = 4, .ticks = 98});
  const auto reports = world.submit(k_usual);
  ASSERT_EQ(kinds_of(reports), (QuoteKinds{accepted, traded, traded, accepted}));
  EXPECT_EQ(reports[1].order, ask);
  EXPECT_EQ(reports[2].leaves.lots, 6);
  EXPECT_EQ(reports[3].side, Side::sell);
}

/// What the reports say of each user's quote: order ids by user, instrument and side.
class QuoteModel {
 public:
  void learn(const std::vector<OwnerReport>& reports) {
    for (const OwnerReport& report : reports) {
      const bool has_ended = report.kind == cancelled || report.kind == expired ||
                             (report.kind == traded && report.status == OrderStatus::filled);
      if (has_ended)
        leaves.erase(report.order.value);
      else if (report.kind == accepted || report.kind == replaced || report.kind == traded)
        leaves[report.order.value] = report.leaves.lots;
    }
  }
  std::map<std::uint64_t, std::int64_t> leaves;
};

TEST(QuoteEntry, of_random_quotes_shows_what_the_last_one_wanted_and_replays_and_loads_to_the_same) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(seed);
    World world;
    book::testing::Random random(seed);
    QuoteModel model;
    for (int step = 0; step < 400; ++step) {
      const auto user = static_cast<std::uint16_t>(random.below(3));
      const std::int64_t middle = 100 + random.below(9) - 4;
      if (random.chance(30)) {
        const Side side = random.chance(50) ? Side::buy : Side::sell;
        model.learn(world.submit(make_order({.user = 3, .side = side, .lots = 1 + random.below(8), .ticks = middle})));
        continue;
      }
      const QuoteArguments wanted{.user = user,
                                  .bid = middle - 1 - random.below(2),
                                  .bid_lots = random.below(6),
                                  .ask = middle + random.below(3),
                                  .ask_lots = random.below(6)};
      const auto reports = world.submit(make_quote(wanted));
      model.learn(reports);
      // Each side that came through has what was wanted, but for what it traded at once.
      std::int64_t shown[2] = {};
      std::int64_t executed[2] = {};
      for (const OwnerReport& report : reports) {
        if (report.user != user) continue;
        if (wanted.bid_lots == 0 && wanted.ask_lots == 0) continue;
        ASSERT_NE(report.kind, rejected) << wanted.bid_lots << " " << wanted.ask_lots;
        const std::size_t at = report.side == Side::buy ? 0 : 1;
        if (report.kind == traded) executed[at] += report.quantity.lots;
        shown[at] = report.leaves.lots;
      }
      if (reports.empty() || (wanted.bid_lots == 0 && wanted.ask_lots == 0)) continue;
      EXPECT_EQ(shown[0] + executed[0], wanted.bid_lots);
      EXPECT_EQ(shown[1] + executed[1], wanted.ask_lots);
      EXPECT_LE(world.partition.open_orders(user), 2u);
    }
    EXPECT_EQ(model.leaves.size(), world.partition.live_orders());
    Partition fresh(make_config(), world.journal);
    for (journal::MemoryJournal::Cursor at; const auto record = world.journal.read(at);)
      ASSERT_TRUE(fresh.replay(record->bytes));
    EXPECT_EQ(fresh.digest(), world.partition.digest());
    journal::MemoryJournal empty{journal::MemoryJournalOptions{}};
    Partition loaded(make_config(), empty);
    ASSERT_TRUE(load(loaded, save(world.partition)));
    EXPECT_EQ(loaded.digest(), world.partition.digest());
    market::Quote next = make_quote({.user = 1, .bid = 50, .bid_lots = 3, .ask = 150, .ask_lots = 4, .id = "last"});
    next.header.sequence = {world.partition.last_command().value + 1};
    next.header.time = world.now;
    loaded.apply(next.header);
    fresh.apply(next.header);
    EXPECT_EQ(loaded.digest(), fresh.digest()) << "the loaded one knows which orders are quotes";
  }
}

}  // namespace
}  // namespace dojima::venue::testing
