#pragma once

// A seeded flow of commands for one book, most of them sensible and some not: orders around a moving price, cancels and
// replaces of orders that live, have ended or never were, and every kind of bad value.

#include <array>
#include <cstdint>
#include <variant>
#include <vector>

#include "dojima/book/book_test_support.hpp"

namespace dojima::book::testing {

/// splitmix64, the same everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t value = state_;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31);
  }
  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(limit));
  }
  bool chance(std::int64_t percent) { return below(100) < percent; }

 private:
  std::uint64_t state_;
};

using Command = std::variant<market::NewOrder, market::Replace, market::Cancel>;

class RandomFlow {
 public:
  explicit RandomFlow(std::uint64_t seed) : random_(seed) {}

  Command next() {
    mid_ += random_.below(3) - 1;
    mid_ = std::min(std::max(mid_, std::int64_t{30}), k_ticks - 30);
    const std::int64_t pick = random_.below(100);
    if (pick < 60) return new_order();
    if (pick < 80) return cancel();
    return replace();
  }

  /// What the book said: the flow learns which orders there are.
  void learn(const std::vector<BookReport>& reports) {
    for (const BookReport& report : reports) {
      if (report.kind != BookReportKind::added) continue;
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
    if (random_.chance(4)) spoil(command.terms);
    return command;
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
        terms.type = OrderType::stop;
        break;
      case 6:
        terms.time_in_force = TimeInForce::good_till_date;
        break;
      case 7:
        terms.side = Side::none;
        break;
      case 8:
        terms.minimum = {1};
        break;
      default:
        terms.passive = 1;
        break;
    }
  }

  /// Mostly an order that rested lately.
  Known pick_order() {
    if (count_ == 0 || random_.chance(2)) return {OrderId{random_.next()}, Side::buy};
    return known_[static_cast<std::size_t>(random_.next() % std::min(count_, known_.size()))];
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
          command.passive = 1;
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
  std::int64_t mid_ = 500;
  std::array<Known, 128> known_{};
  std::size_t count_ = 0;
};

}  // namespace dojima::book::testing
