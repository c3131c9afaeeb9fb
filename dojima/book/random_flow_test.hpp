#pragma once

// A seeded flow of commands for one book, most of them sensible and some not: orders around a moving price, cancels and
// replaces of orders that live, have ended or never were, and every kind of bad value.

#include <array>
#include <cstdint>
#include <variant>
#include <vector>

#include "dojima/base/splitmix.hpp"
#include "dojima/book/book_test_support.hpp"

namespace dojima::book::testing {

/// SplitMix64 with the signed numbers of orders.
class Random {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}
  std::uint64_t next() { return random_.next(); }
  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(limit)));
  }
  bool chance(std::int64_t percent) { return below(100) < percent; }

 private:
  SplitMix64 random_;
};

using Command = std::variant<market::NewOrder, market::Replace, market::Cancel, market::MassCancel, market::Expire,
                             market::PhaseChange>;

/// What a flow is made of.
enum class Mix : std::uint8_t {
  plain,  ///< limit and market orders that show all they have
  all,    ///< every type, time in force and condition
  days,   ///< likewise, through the phases of days with calls and halts
};

class RandomFlow {
 public:
  explicit RandomFlow(std::uint64_t seed, Mix mix = Mix::plain) : random_(seed), mix_(mix) {}

  Command next() {
    mid_ += random_.below(3) - 1;
    mid_ = std::min(std::max(mid_, std::int64_t{30}), k_ticks - 30);
    if (mix_ == Mix::days && random_.below(1000) < 25) return phase_change();
    const std::int64_t pick = random_.below(100);
    ++now_;
    if (mix_ != Mix::plain && random_.chance(1)) return random_.chance(50) ? Command(mass_cancel()) : Command(expire());
    if (pick < 60) return new_order();
    if (pick < 80) return cancel();
    return replace();
  }

  /// What the book said: the flow learns which orders there are.
  void learn(const std::vector<BookReport>& reports) {
    for (const BookReport& report : reports) {
      if (report.kind != BookReportKind::added && report.kind != BookReportKind::parked) continue;
      known_[count_++ % known_.size()] = {report.order, report.side};
    }
  }

 private:
  struct Known {
    OrderId order;
    Side side = Side::buy;
  };

  market::NewOrder new_order() {
    const Side side = random_.chance(50) ? Side::buy : Side::sell;
    const std::int64_t away = random_.below(12) - 3;  // a quarter meets the other side
    OrderArguments order{side, 1 + random_.below(30), side == Side::buy ? mid_ - away : mid_ + away};
    const std::int64_t pick = random_.below(100);
    if (pick < 10) order.type = OrderType::market;
    if (pick >= 5 && pick < 18) order.time_in_force = TimeInForce::immediate_or_cancel;
    if (pick >= 18 && pick < 30) order.time_in_force = TimeInForce::fill_or_kill;
    order.owner = static_cast<std::uint16_t>(random_.below(4));
    market::NewOrder command = make_order(order);
    command.header.time = time::from_nanoseconds(now_);
    if (mix_ != Mix::plain && random_.chance(60)) dress(command);
    if (mix_ == Mix::days && random_.chance(25)) meet_an_auction(command);
    if (random_.chance(4)) spoil(command.terms);
    return command;
  }

  /// An order becomes one for auctions alone.
  void meet_an_auction(market::NewOrder& command) {
    market::OrderTerms& terms = command.terms;
    constexpr std::array times{TimeInForce::at_the_opening,
                               TimeInForce::at_the_close,
                               TimeInForce::closing_price_cross,
                               TimeInForce::good_for_next_auction,
                               TimeInForce::good_for_intraday_auction,
                               TimeInForce::good_for_scheduled_auction};
    if (random_.chance(90)) {
      constexpr std::array types{OrderType::limit, OrderType::limit, OrderType::market, OrderType::market_to_limit};
      terms.type = types[static_cast<std::size_t>(random_.below(4))];
      terms.flags = terms.passive = 0;
      terms.minimum = {};
      terms.sub_type = market::OrderSubType::plain;
      terms.limit = at(mid_ + random_.below(13) - 6);
      command.linked = {};
    }
    terms.time_in_force = times[static_cast<std::size_t>(random_.below(6))];
    if (random_.chance(25)) {
      terms.type = OrderType::limit;
      terms.time_in_force = TimeInForce::at_the_close;
      terms.sub_type = market::OrderSubType::offset;
      terms.offset_bp = static_cast<std::int32_t>(random_.below(400) - 150);
      if (random_.chance(5)) terms.offset_bp = static_cast<std::int32_t>(random_.below(30'000) - 15'000);
      if (random_.chance(50)) terms.limit = {};
    }
  }

  /// Mostly the next phase of a day.
  market::PhaseChange phase_change() {
    using market::Phase;
    constexpr std::array day{
        Phase::opening_call,   Phase::continuous, Phase::intraday_call, Phase::continuous,          Phase::halted,
        Phase::reopening_call, Phase::continuous, Phase::closing_call,  Phase::closing_price_cross, Phase::closed};
    market::PhaseChange command;
    command.header.instrument = k_instrument;
    command.header.time = time::from_nanoseconds(now_);
    command.phase = day[hour_++ % day.size()];
    if (random_.chance(15)) command.phase = static_cast<Phase>(random_.below(market::k_phases + 1));
    if (random_.chance(60)) command.reference = {mid_ * k_tick + random_.below(61) - 30};
    command.is_uncrossed = random_.chance(20);
    return command;
  }

  /// A plain order becomes one of the others.
  void dress(market::NewOrder& command) {
    market::OrderTerms& terms = command.terms;
    const std::int64_t lots = terms.quantity.lots;
    const bool is_buy = terms.side == Side::buy;
    const Price limit = at(is_buy ? mid_ - random_.below(9) + 3 : mid_ + random_.below(9) - 3);
    terms.group = static_cast<std::uint8_t>(random_.below(3));
    if (random_.chance(60)) {
      constexpr std::array lasting{TimeInForce::day, TimeInForce::day, TimeInForce::good_till_cancel,
                                   TimeInForce::good_till_date, TimeInForce::good_till_time};
      terms.time_in_force = lasting[static_cast<std::size_t>(random_.below(5))];
      terms.expiry = time::from_nanoseconds(now_ + random_.below(300) - 3);
    }
    switch (random_.below(11)) {
      case 0:
      case 1:  // iceberg
        terms.displayed = {1 + random_.below(lots)};
        if (random_.chance(50)) terms.sub_type = market::OrderSubType::random_peak;
        break;
      case 2:
        terms.displayed = {0};
        if (random_.chance(20)) terms.passive = 99;
        break;
      case 3:
      case 4:
        terms.type = random_.chance(50) ? OrderType::stop : OrderType::stop_limit;
        terms.stop = at(is_buy ? mid_ + random_.below(8) - 1 : mid_ - random_.below(8) + 1);
        terms.limit = at(is_buy ? mid_ + random_.below(10) : mid_ - random_.below(10));
        if (random_.chance(30)) terms.displayed = {random_.below(lots + 1)};
        break;
      case 5:
        terms.type = OrderType::market_to_limit;
        break;
      case 6:
        terms.type = OrderType::limit;
        terms.limit = limit;
        terms.minimum = {1 + random_.below(lots)};
        break;
      case 7:
        terms.type = OrderType::limit;
        terms.limit = limit;
        terms.flags = market::k_all_or_none;
        break;
      case 8:
        terms.sub_type = market::OrderSubType::pegged;
        terms.type = random_.chance(50) ? OrderType::market : OrderType::limit;
        terms.limit = limit;
        terms.stop = {random_.chance(50) ? 0 : -random_.below(30)};
        terms.minimum = {random_.chance(50) ? 0 : 1 + random_.below(lots)};
        if (random_.chance(10)) terms.flags = market::k_all_or_none;
        break;
      case 9:
        terms.type = OrderType::trailing_stop;
        terms.stop = {1 + random_.below(60)};
        break;
      default:
        constexpr std::array<std::uint8_t, 5> rules{99, 100, 1, 2, 3};
        terms.type = OrderType::limit;
        terms.limit = limit;
        terms.passive = rules[static_cast<std::size_t>(random_.below(5))];
        break;
    }
    if (random_.chance(12) && count_ != 0) {
      const Known known = pick_order();
      command.linked = known.order;
      if (random_.chance(90)) terms.side = known.side;
    }
  }

  void spoil(market::OrderTerms& terms) {
    switch (random_.below(10)) {
      case 0:
        terms.quantity = {0};
        break;
      case 1:
        terms.quantity = {k_largest + 1};
        break;
      case 2:
        terms.displayed = {random_.below(40)};
        break;
      case 3:
        terms.limit.units += 1 + random_.below(9);
        break;
      case 4:
        terms.limit = at(k_ticks + 1);
        break;
      case 5:
        terms.type = mix_ != Mix::plain ? OrderType::none : OrderType::stop;
        break;
      case 6:
        terms.time_in_force = TimeInForce::good_for_auction;
        break;
      case 7:
        terms.side = Side::none;
        break;
      case 8:
        terms.minimum = {terms.quantity.lots + 1};
        break;
      default:
        terms.passive = 4;
        break;
    }
  }

  /// Mostly an order that rested lately.
  Known pick_order() {
    if (count_ == 0 || random_.chance(2)) return {OrderId{random_.next()}, Side::buy};
    return known_[static_cast<std::size_t>(random_.next() % std::min(count_, known_.size()))];
  }

  market::MassCancel mass_cancel() {
    market::MassCancel command;
    command.header.instrument = k_instrument;
    command.header.user = owner_guess();
    command.side = static_cast<Side>(random_.below(3));
    command.group = static_cast<std::uint8_t>(random_.below(3));
    command.is_everyone = random_.chance(10);
    command.is_account = command.group == 2;
    return command;
  }

  market::Expire expire() {
    market::Expire command;
    command.header.instrument = k_instrument;
    command.header.time = time::from_nanoseconds(now_);
    command.is_end_of_day = random_.chance(10);
    return command;
  }

  market::Cancel cancel() {
    const Known known = pick_order();
    market::Cancel command;
    command.header.instrument = k_instrument;
    command.order = known.order;
    command.side = random_.chance(2) ? market::opposite(known.side) : known.side;
    command.header.user = owner_guess();
    return command;
  }

  market::Replace replace() {
    const Known known = pick_order();
    market::Replace command;
    command.header.instrument = k_instrument;
    command.order = known.order;
    command.side = random_.chance(2) ? market::opposite(known.side) : known.side;
    command.header.user = owner_guess();
    const std::int64_t away = random_.below(9) - 1;
    command.limit = at(known.side == Side::buy ? mid_ - away : mid_ + away);
    command.quantity = command.displayed = {1 + random_.below(30)};
    command.header.time = time::from_nanoseconds(now_);
    if (mix_ != Mix::plain) {
      command.expiry = time::from_nanoseconds(now_ + random_.below(300) - 3);
      command.stop = random_.chance(50) ? Price{-1} : at(mid_ + random_.below(13) - 6);
      if (random_.chance(40)) command.displayed = {random_.below(command.quantity.lots + 1)};
      if (random_.chance(30)) command.minimum = {1 + random_.below(command.quantity.lots)};
      if (random_.chance(20)) command.passive = random_.chance(50) ? std::uint8_t{99} : std::uint8_t{2};
      if (random_.chance(10)) command.group = static_cast<std::uint8_t>(random_.below(3));
    }
    if (mix_ == Mix::days && random_.chance(10))
      command.offset_bp = static_cast<std::int32_t>(random_.below(400) - 150);
    if (random_.chance(4)) {
      switch (random_.below(6)) {
        case 0:
          command.quantity = {0};
          break;
        case 1:
          command.displayed = {random_.below(40)};
          break;
        case 2:
          command.limit.units += 3;
          break;
        case 3:
          command.passive = 98;
          break;
        case 4:
          command.offset_bp = 1;
          break;
        default:
          command.limit = at(0);
          break;
      }
    }
    return command;
  }

  /// Owners are few, so that a guess is often right.
  std::uint16_t owner_guess() { return static_cast<std::uint16_t>(random_.below(4)); }

  Random random_;
  Mix mix_;
  std::int64_t now_ = 0;  // nanoseconds
  std::int64_t mid_ = 500;
  std::size_t hour_ = 0;
  std::array<Known, 128> known_{};
  std::size_t count_ = 0;
};

}  // namespace dojima::book::testing
