#include "dojima/backtest/exchanges/match_exchange.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dojima/book/book.hpp"
#include "dojima/flow/random.hpp"

namespace dojima::backtest {
namespace {

using market::BookReport;
using market::BookReportKind;
using market::OrderId;
using market::TimeInForce;
using recorded::EventKind;
using recorded::k_unknown;
using recorded::RecordedEvent;

/// Reports of the last command.
class Kept final : public book::ReportBuffer {
 public:
  Kept() : ReportBuffer(4) {}
  std::vector<BookReport> reports;

 private:
  void drain(std::span<const BookReport> more, Time) override {
    reports.insert(reports.end(), more.begin(), more.end());
  }
};

/// What docs/backtest.md says of `match`, with a plain map of its own from recorded orders to the book's, which knows
/// no record, and with executions that never rest. Own orders are limit orders.
class NaiveMatch {
 public:
  explicit NaiveMatch(const std::vector<recorded::RecordedInstrument>& instruments)
      : orders_({.capacity = k_room, .owners = 2}) {
    for (const recorded::RecordedInstrument& recorded : instruments) {
      const auto at = static_cast<std::uint32_t>(markets_.size());
      auto ticks =
          market::TickTable::uniform({recorded.tick}, {-1'000'000 * recorded.tick}, {1'000'000 * recorded.tick});
      markets_.push_back(std::make_unique<market::Instrument>(market::Instrument{
          .id = at + 1, .symbol = recorded.symbol, .ticks = std::move(ticks).value(), .maximum_quantity = {1'000}}));
      books_.push_back(
          std::make_unique<book::Book>(*markets_.back(), orders_, kept_, book::BookLimits{.levels = k_room}));
    }
  }

  void on_event(const RecordedEvent& event) {
    ++counts.events;
    const Key key{event.order, event.instrument};
    switch (event.kind) {
      case EventKind::add:
        return enter(event, key, event.side);
      case EventKind::execute:
        return take(event, key);
      case EventKind::reduce:
      case EventKind::remove:
      case EventKind::amend:
      case EventKind::replace:
        return change(event, key);
      case EventKind::level:
        ++counts.refused;
        return;
      default:
        return;
    }
  }
  void submit_own(OrderNumber number, std::uint32_t instrument, Side side, std::int64_t price, std::int64_t quantity) {
    ++counts.requests;
    // Its number is known before it trades.
    own_.emplace_back(number, OrderId{});
    enter_order(instrument, side, price, quantity, TimeInForce::good_till_cancel, 1);
  }
  void cancel_own(OrderNumber number, std::uint32_t instrument, Side side) {
    ++counts.requests;
    for (const auto& [own, id] : own_)
      if (own == number) submit(instrument, market::Cancel{.order = id, .side = side}, 1);
  }
  [[nodiscard]] std::optional<recorded::DepthLevel> best(std::uint32_t instrument, Side side) const {
    const auto level = books_[instrument]->best_level(side);
    return level ? std::optional(recorded::DepthLevel{level->price.units, level->total.lots}) : std::nullopt;
  }

  ExchangeCounts counts;
  std::string fills;  // "order quantity @ price"

 private:
  static constexpr std::size_t k_room = 1 << 13;
  using Key = std::pair<std::uint64_t, std::uint32_t>;
  struct Known {
    OrderId id;
    std::int64_t price;
    Side side;
  };

  template <class Command>
  void submit(std::uint32_t instrument, Command command, std::uint16_t user) {
    command.header.instrument = instrument + 1;
    command.header.user = user;
    kept_.reports.clear();
    kept_.begin({counts.events}, {});
    books_[instrument]->apply(command);
    kept_.finish();
    for (const BookReport& report : kept_.reports) {
      if (report.kind == BookReportKind::accepted && user == 1) own_.back().second = report.order;
      if (report.kind != BookReportKind::traded) continue;
      for (const OrderId id : {report.order, report.other})
        for (const auto& [number, own] : own_)
          if (own == id) {
            ++counts.fills;
            fills += std::to_string(number) + " " + std::to_string(report.quantity.lots) + " @ " +
                     std::to_string(report.price.units) + "\n";
          }
    }
  }
  void enter_order(std::uint32_t instrument, Side side, std::int64_t price, std::int64_t quantity,
                   TimeInForce time_in_force, std::uint16_t user) {
    market::NewOrder order;
    order.terms.type = market::OrderType::limit;
    order.terms.limit = {price};
    order.terms.quantity = order.terms.displayed = {quantity};
    order.terms.side = side;
    order.terms.time_in_force = time_in_force;
    submit(instrument, order, user);
  }
  void enter(const RecordedEvent& event, const Key& key, Side side) {
    if (side != Side::none && event.price != k_unknown && event.quantity > 0) {
      enter_order(event.instrument, side, event.price, event.quantity, TimeInForce::good_till_cancel, 0);
      if (kept_.reports.front().kind != BookReportKind::rejected) {
        known_.insert_or_assign(key, Known{kept_.reports.front().order, event.price, side});
        return;
      }
      // A number that came again leads to whom it led, now as the record says.
      if (const auto known = known_.find(key); known != known_.end())
        known->second = {known->second.id, event.price, side};
    }
    ++counts.refused;
  }
  /// The order's slot, or none; counted.
  book::Slot find(const Key& key) {
    const auto known = known_.find(key);
    const book::Slot slot = known == known_.end() ? book::k_no_slot : orders_.find(known->second.id);
    counts.unknown += slot == book::k_no_slot ? 1u : 0u;
    counts.missing += slot == book::k_no_slot && known != known_.end() ? 1u : 0u;
    return slot;
  }
  void take(const RecordedEvent& event, const Key& key) {
    const book::Slot slot = find(key);
    const auto known = known_.find(key);
    Side side = known != known_.end() ? known->second.side : event.side;
    std::int64_t price = event.price == k_unknown && known != known_.end() ? known->second.price : event.price;
    if (slot != book::k_no_slot) {
      price = orders_.limit(slot).units;
      side = orders_[slot].side;
    }
    // Of an order that nobody has seen, the execution is nobody's business but that of own orders.
    const bool has_own =
        std::ranges::any_of(own_, [&](const auto& own) { return orders_.find(own.second) != book::k_no_slot; });
    if (known == known_.end() && !has_own) return;
    if (side == Side::none || price == k_unknown || event.quantity <= 0) return;
    enter_order(event.instrument, market::opposite(side), price, event.quantity, TimeInForce::immediate_or_cancel, 0);
    if (slot == book::k_no_slot) return;
    bool is_same = false;
    for (const BookReport& report : kept_.reports)
      if (report.kind == BookReportKind::traded)
        is_same = report.order == known->second.id && report.quantity.lots == event.quantity;
    ++(is_same ? counts.matched : counts.matched_others);
    if (is_same && orders_.find(known->second.id) == book::k_no_slot) known_.erase(known);
  }
  void change(const RecordedEvent& event, const Key& key) {
    const Key other{event.other, event.instrument};
    const book::Slot slot = find(key);
    const auto known = known_.find(key);
    if (slot == book::k_no_slot) {
      if (known != known_.end() && event.kind != EventKind::reduce) known_.erase(known);
      if (event.kind == EventKind::replace && event.side != Side::none) enter(event, other, event.side);
      return;
    }
    const Side side = orders_[slot].side;
    std::int64_t left = 0;
    if (event.kind == EventKind::reduce) left = orders_[slot].leaves.lots - event.quantity;
    if (event.kind == EventKind::amend) left = event.quantity == k_unknown ? orders_[slot].leaves.lots : event.quantity;
    if (left > 0) {
      const bool moves = event.kind == EventKind::amend && event.price != k_unknown;
      known->second.price = moves ? event.price : known->second.price;
      const market::Quantity quantity = orders_.executed(slot) + market::Quantity{left};
      submit(event.instrument,
             market::Replace{.order = known->second.id,
                             .limit = moves ? market::Price{event.price} : orders_.limit(slot),
                             .stop = {-1},
                             .quantity = quantity,
                             .displayed = quantity,
                             .side = side},
             0);
      return;
    }
    submit(event.instrument, market::Cancel{.order = known->second.id, .side = side}, 0);
    known_.erase(known);
    if (event.kind == EventKind::replace) enter(event, other, event.side == Side::none ? side : event.side);
  }

  Kept kept_;
  book::OrderTable orders_;
  std::vector<std::unique_ptr<market::Instrument>> markets_;
  std::vector<std::unique_ptr<book::Book>> books_;
  std::map<Key, Known> known_;
  std::vector<std::pair<OrderNumber, OrderId>> own_;
};

/// Of orders that are there, of some that are not, and what no feed should say. Numbers count up, or come again.
RecordedEvent any_event(flow::Random& random, std::uint64_t& newest, bool counts_up) {
  const auto any_order = [&] {
    return counts_up ? newest - std::min<std::uint64_t>(random.below(60), newest) : random.below(120) << 40;
  };
  constexpr EventKind k_kinds[] = {EventKind::add,     EventKind::add,     EventKind::add,     EventKind::add,
                                   EventKind::execute, EventKind::execute, EventKind::execute, EventKind::remove,
                                   EventKind::reduce,  EventKind::amend,   EventKind::replace, EventKind::trade};
  RecordedEvent event{.kind = k_kinds[random.below(std::size(k_kinds))]};
  if (random.below(300) == 0) event.kind = random.below(2) == 0 ? EventKind::clear : EventKind::level;
  event.order = any_order();
  event.other = any_order();
  if (counts_up && event.kind == EventKind::add && random.below(8) != 0) event.order = ++newest;
  if (counts_up && event.kind == EventKind::replace && random.below(8) != 0) event.other = ++newest;
  event.instrument = static_cast<std::uint32_t>(random.below(2));
  event.side = random.below(2) == 0 ? Side::buy : Side::sell;
  event.quantity = static_cast<std::int64_t>(1 + random.below(6));
  event.price = static_cast<std::int64_t>(event.side == Side::buy ? 94 + random.below(7) : 100 + random.below(7));
  const bool may_lack_side = event.kind != EventKind::trade;
  if (may_lack_side && random.below(10) == 0) event.side = Side::none;
  if (event.kind != EventKind::add && event.kind != EventKind::level && random.below(2) == 0) event.price = k_unknown;
  // Who takes the place of an order that only the record has is known to the record alone: a number that is new.
  if (event.kind == EventKind::replace && event.side == Side::none) event.other = ++newest + (std::uint64_t{1} << 60);
  if (event.kind == EventKind::amend && random.below(3) == 0) event.quantity = k_unknown;
  if (event.kind == EventKind::execute && random.below(30) == 0) event.quantity = 0;
  return event;
}

class Match : public testing::TestWithParam<std::tuple<std::uint64_t, bool, bool>> {};

TEST_P(Match, does_what_a_map_beside_a_book_does_whatever_the_record_says) {
  const auto [seed, counts_up, has_own] = GetParam();
  flow::Random random(seed);
  // Of the second, prices off the tick are refused here and not by the record.
  const std::vector<recorded::RecordedInstrument> instruments{{.symbol = "RICE", .tick = 1},
                                                              {.symbol = "BEAN", .tick = 2}};
  NaiveMatch naive(instruments);
  MatchExchange exchange({.kind = ExchangeKind::match, .orders = std::size_t{1} << 13});
  std::string fills;
  std::vector<OrderRequest> own;
  std::uint64_t newest = 0;
  for (int step = 0; step < 12'000; ++step) {
    const Time now = time::from_nanoseconds(step);
    if (has_own && random.below(9) == 0) {
      const bool is_new = own.empty() || random.below(3) != 0;
      const std::size_t at = is_new ? own.size() : own.size() - 1 - random.below(std::min<std::size_t>(own.size(), 4));
      if (is_new)
        own.push_back({.instrument = static_cast<std::uint32_t>(random.below(2)),
                       .side = random.below(2) == 0 ? Side::buy : Side::sell,
                       .price = static_cast<std::int64_t>(98 + 2 * random.below(3)),
                       .quantity = static_cast<std::int64_t>(1 + random.below(4))});
      exchange.on_request(
          {.kind = is_new ? RequestKind::submit : RequestKind::cancel, .order = at + 1, .terms = own[at], .sent = now},
          now);
      if (is_new)
        naive.submit_own(at + 1, own[at].instrument, own[at].side, own[at].price, own[at].quantity);
      else
        naive.cancel_own(at + 1, own[at].instrument, own[at].side);
    } else {
      const RecordedEvent event = any_event(random, newest, counts_up);
      exchange.on_event(event, instruments, now);
      naive.on_event(event);
    }
    for (const Report& report : exchange.reports)
      if (report.kind == ReportKind::traded)
        fills += std::to_string(report.order) + " " + std::to_string(report.quantity) + " @ " +
                 std::to_string(report.price) + "\n";
    exchange.reports.clear();
    for (const std::uint32_t instrument : {0u, 1u})
      for (const Side side : {Side::buy, Side::sell})
        ASSERT_EQ(exchange.best(instrument, side), naive.best(instrument, side)) << step;
    const ExchangeCounts& counts = exchange.counts();
    ASSERT_EQ(std::tie(counts.unknown, counts.missing, counts.refused, counts.matched, counts.matched_others),
              std::tie(naive.counts.unknown, naive.counts.missing, naive.counts.refused, naive.counts.matched,
                       naive.counts.matched_others))
        << step;
    ASSERT_EQ(counts.fills, naive.counts.fills) << step;
  }
  EXPECT_EQ(fills, naive.fills);
  EXPECT_GT(naive.counts.matched, 5u);
  EXPECT_GT(naive.counts.matched_others, 100u);
  EXPECT_GT(naive.counts.missing, 100u);
  EXPECT_GT(naive.counts.refused, 100u);
  if (has_own) {
    EXPECT_GT(naive.counts.fills, 100u);
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, Match, testing::Combine(testing::Values(1u, 2u, 3u), testing::Bool(), testing::Bool()));

}  // namespace
}  // namespace dojima::backtest
