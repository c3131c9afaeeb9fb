#pragma once

// What the naive order book of reference_book_test.hpp consists of: its orders in one bag, the words that rules use of
// them, how they end, and reports.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <list>
#include <optional>
#include <set>
#include <vector>

#include "dojima/book/rules.hpp"
#include "dojima/market/command.hpp"
#include "dojima/market/report.hpp"

namespace dojima::book::testing {

class ReferenceState {
 public:
  struct Rules {
    std::uint32_t instrument;
    std::int64_t tick, lowest, highest;  // prices
    std::int64_t largest;                // order
    std::size_t orders, levels, hidden_levels, stop_levels;
    BookRules book;
  };
  using Reports = std::vector<market::BookReport>;
  using Kind = market::BookReportKind;
  using Reason = market::Reason;
  using Side = market::Side;
  using Type = market::OrderType;

  explicit ReferenceState(const Rules& rules) : rules_(rules), random_(rules.book.seed), generations_(rules.orders, 0) {
    for (std::size_t slot = 0; slot < rules.orders; ++slot) free_.push_back(slot);
  }

 protected:
  using Phase = market::Phase;
  enum class Spot { out, lit, hidden, dark, stop, trailing, waiting, unlimited };
  struct Order {
    std::uint64_t id = 0;
    market::OrderTerms terms;
    std::int64_t executed = 0;
    Spot spot = Spot::out;
    std::int64_t shown = 0;     // lit
    std::uint64_t arrival = 0;  // at its spot
    std::uint64_t born = 0;
    std::uint64_t linked = 0;
    std::int64_t trigger = 0;  // trailing
    bool is_fired = false;     // trailing
    [[nodiscard]] std::int64_t leaves() const { return terms.quantity.lots - executed; }
  };
  /// `surplus` is to buy if positive, to sell if negative.
  struct Outcome {
    std::int64_t price = 0, volume = 0, surplus = 0;
    bool operator==(const Outcome&) const = default;
  };

  // ---- Words -------------------------------------------------------------------------------------------------------

  static bool is_buy(const Order& order) { return order.terms.side == Side::buy; }
  static bool waits(const Order& order) {
    return order.spot == Spot::stop || order.spot == Spot::trailing || order.spot == Spot::waiting;
  }
  static bool rests(const Order& order) { return order.spot != Spot::out && !waits(order); }
  static bool is_pegged(const market::OrderTerms& terms) { return terms.sub_type == market::OrderSubType::pegged; }
  static bool is_whole(const market::OrderTerms& terms) { return (terms.flags & market::k_all_or_none) != 0; }
  static bool is_dark(const market::OrderTerms& terms) {
    return is_pegged(terms) || is_whole(terms) || terms.minimum.lots != 0;
  }
  static bool is_stop(const market::OrderTerms& terms) {
    return terms.type == Type::stop || terms.type == Type::stop_limit;
  }
  static bool has_limit(const market::OrderTerms& terms) {
    return terms.type == Type::limit || terms.type == Type::stop_limit;
  }
  static bool is_timed(const market::OrderTerms& terms) {
    return terms.time_in_force == market::TimeInForce::good_till_date ||
           terms.time_in_force == market::TimeInForce::good_till_time;
  }
  static bool lasts(const market::OrderTerms& terms) {
    return terms.time_in_force == market::TimeInForce::day ||
           terms.time_in_force == market::TimeInForce::good_till_cancel || is_timed(terms);
  }
  static bool may_show(const market::OrderTerms& terms) {
    return (has_limit(terms) || terms.type == Type::market_to_limit) && (lasts(terms) || is_for_auctions(terms)) &&
           !is_dark(terms);
  }
  static bool is_offset(const market::OrderTerms& terms) { return terms.sub_type == market::OrderSubType::offset; }
  static bool is_call(Phase phase) {
    return phase == Phase::opening_call || phase == Phase::intraday_call || phase == Phase::reopening_call ||
           phase == Phase::closing_call;
  }
  bool is_shut() const { return phase_ == Phase::halted || phase_ == Phase::closed; }

  /// The phases in which an order for auctions alone is in the book; others have none.
  static std::set<Phase> phases_of(const market::OrderTerms& terms) {
    switch (terms.time_in_force) {
      case market::TimeInForce::at_the_opening:
        return {Phase::opening_call};
      case market::TimeInForce::at_the_close:
        return {Phase::closing_call};
      case market::TimeInForce::closing_price_cross:
        return {Phase::closing_price_cross};
      case market::TimeInForce::good_for_intraday_auction:
        return {Phase::intraday_call};
      case market::TimeInForce::good_for_scheduled_auction:
        return {Phase::opening_call, Phase::intraday_call, Phase::closing_call};
      case market::TimeInForce::good_for_next_auction:
        return {Phase::opening_call, Phase::intraday_call, Phase::reopening_call, Phase::closing_call};
      default:
        return {};
    }
  }
  static bool is_for_auctions(const market::OrderTerms& terms) { return !phases_of(terms).empty(); }
  static bool takes_part_in(const market::OrderTerms& terms, Phase phase) { return phases_of(terms).contains(phase); }
  static std::int64_t would_show(const market::OrderTerms& terms, const Order& order) {
    return std::min(terms.displayed.lots, terms.quantity.lots - order.executed);
  }
  static bool is_better(Side side, std::int64_t one, std::int64_t other) {
    return side == Side::buy ? one > other : one < other;
  }

  // ---- Ends --------------------------------------------------------------------------------------------------------

  std::uint64_t unlink(Order& order) {
    const std::uint64_t other = order.linked;
    if (other != 0) find(other)->linked = 0;
    order.linked = 0;
    return other;
  }

  void end(Order& order, Kind kind, Reason reason) {
    const bool rested = rests(order);
    maker_id_ = order.id;
    say(kind, order, order.leaves(), rested ? market::k_was_resting : 0);
    reports_.back().leaves = reports_.back().displayed = {};
    reports_.back().reason = reason;
    remove(order.id);
  }

  void remove(std::uint64_t id) {
    Order& order = *find(id);
    unlink(order);
    orders_.remove_if([id](const Order& each) { return each.id == id; });
    free_.push_back(id & 0xffffffff);
  }

  Order* find(std::uint64_t id) {
    for (Order& order : orders_)
      if (order.id == id) return &order;
    return nullptr;
  }

  // ---- Reports -----------------------------------------------------------------------------------------------------

  void begin(std::uint64_t sequence) {
    sequence_ = sequence;
    reports_.clear();
  }

  static std::int64_t visible(const Order& order) {
    if (order.spot == Spot::lit) return order.shown;
    if (order.spot != Spot::out || is_dark(order.terms) || is_stop(order.terms) ||
        order.terms.type == Type::trailing_stop)
      return 0;
    return would_show(order.terms, order);
  }

  void say(Kind kind, const Order& order, std::int64_t lots, std::uint8_t flags = 0) {
    reports_.push_back({.sequence = {sequence_},
                        .order = {order.id},
                        .price = order.terms.limit,
                        .quantity = {lots},
                        .leaves = {order.leaves()},
                        .displayed = {visible(order)},
                        .instrument = rules_.instrument,
                        .kind = kind,
                        .side = order.terms.side,
                        .flags = flags});
  }

  Reports refuse(market::OrderId order, Side side, Reason reason, std::uint8_t flags) {
    reports_.push_back({.sequence = {sequence_},
                        .order = order,
                        .instrument = rules_.instrument,
                        .kind = Kind::rejected,
                        .side = side,
                        .reason = reason,
                        .flags = flags});
    return reports_;
  }

  void say(Kind kind, const Outcome& outcome) {
    const bool is_some = outcome.volume != 0;
    reports_.push_back({.sequence = {sequence_},
                        .price = {is_some ? outcome.price : 0},
                        .quantity = {outcome.volume},
                        .leaves = {is_some ? std::abs(outcome.surplus) : 0},
                        .instrument = rules_.instrument,
                        .kind = kind,
                        .side = !is_some || outcome.surplus == 0 ? Side::none
                                : outcome.surplus > 0            ? Side::buy
                                                                 : Side::sell});
  }

  Rules rules_;
  std::uint64_t sequence_ = 0;
  Reports reports_;
  std::list<Order> orders_;
  std::optional<std::int64_t> last_, middle_;
  std::multiset<std::int64_t> trades_;  // prices since the stop orders were last looked at
  Phase phase_ = Phase::continuous;
  std::optional<std::int64_t> reference_, closing_;
  bool is_collected_ = false;
  Outcome published_;
  std::uint64_t clock_ = 0;
  std::uint64_t random_;
  std::uint64_t maker_id_ = 0;  // who ended last
  std::deque<std::size_t> free_;
  std::vector<std::uint64_t> generations_;
};

}  // namespace dojima::book::testing
