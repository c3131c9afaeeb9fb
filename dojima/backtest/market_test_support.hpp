#pragma once

// A second, naive market to hold the generated one against.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "dojima/base/text.hpp"
#include "dojima/market/command.hpp"
#include "dojima/recorded/books/depth_side.hpp"

namespace dojima::backtest {

using market::Side;
using recorded::DepthLevel;

/// Instrument, price, quantity.
using Trades = std::vector<std::array<std::int64_t, 3>>;

/// Price-time priority by looking through all orders, for the commands that participants make.
class NaiveMarket {
 public:
  Trades trades;

  void apply(const market::CommandHeader& header) {
    switch (header.type) {
      case market::CommandType::new_order: {
        const auto& order = reinterpret_cast<const market::NewOrder&>(header);
        const bool rests = order.terms.type == market::OrderType::limit &&
                           (order.terms.time_in_force == market::TimeInForce::day ||
                            order.terms.time_in_force == market::TimeInForce::good_till_cancel);
        Resting fresh = make(header, order.labels.client_order_id, order.terms.side, order.terms.quantity.lots);
        fresh.price = order.terms.type == market::OrderType::limit ? order.terms.limit.units
                      : order.terms.side == Side::buy              ? INT64_MAX
                                                                   : 0;
        if (order.terms.time_in_force == market::TimeInForce::fill_or_kill && reachable(fresh) < fresh.leaves) return;
        match(fresh);
        if (rests && fresh.leaves > 0) resting_.push_back(fresh);
        return;
      }
      case market::CommandType::cancel: {
        const auto& cancel = reinterpret_cast<const market::Cancel&>(header);
        const Text<20>& name =
            cancel.original_client_order_id.is_empty() ? cancel.client_order_id : cancel.original_client_order_id;
        std::erase_if(resting_, [&](const Resting& one) { return one.user == header.user && one.name == name; });
        return;
      }
      case market::CommandType::replace: {
        const auto& replace = reinterpret_cast<const market::Replace&>(header);
        const auto found = std::ranges::find_if(resting_, [&](const Resting& one) {
          return one.user == header.user && one.name == replace.original_client_order_id;
        });
        if (found == resting_.end() || replace.quantity.lots <= found->executed) return;
        amend(found, replace.limit.units, replace.quantity.lots - found->executed);
        return;
      }
      case market::CommandType::quote: {
        const auto& quote = reinterpret_cast<const market::Quote&>(header);
        const auto ask = side_of_quote(header, Side::sell);
        const bool is_raised = ask != resting_.end() && quote.bid_size.lots != 0 && quote.bid.units >= ask->price;
        set_side(quote, is_raised ? Side::sell : Side::buy);
        set_side(quote, is_raised ? Side::buy : Side::sell);
        return;
      }
      default:
        return;
    }
  }
  [[nodiscard]] std::optional<DepthLevel> best(std::uint32_t instrument, Side side) const {
    std::optional<DepthLevel> level;
    for (const Resting& one : resting_) {
      if (one.instrument != instrument + 1 || one.side != side) continue;
      if (!level || (side == Side::buy ? one.price > level->price : one.price < level->price))
        level = DepthLevel{one.price, 0};
      if (one.price == level->price) level->quantity += one.leaves;
    }
    return level;
  }

 private:
  struct Resting {
    std::uint32_t instrument;
    std::uint16_t user;
    Text<20> name;
    Side side;
    std::int64_t price, leaves, executed;
    bool is_quote;
  };
  using Place = std::vector<Resting>::iterator;

  static Resting make(const market::CommandHeader& header, const Text<20>& name, Side side, std::int64_t leaves) {
    return {header.instrument, header.user, name, side, 0, leaves, 0, header.type == market::CommandType::quote};
  }
  static bool meets(const Resting& taker, const Resting& maker) {
    if (taker.instrument != maker.instrument || taker.side == maker.side) return false;
    return taker.side == Side::buy ? taker.price >= maker.price : taker.price <= maker.price;
  }
  [[nodiscard]] std::int64_t reachable(const Resting& taker) const {
    std::int64_t sum = 0;
    for (const Resting& one : resting_) sum += meets(taker, one) ? one.leaves : 0;
    return sum;
  }
  void match(Resting& taker) {
    while (taker.leaves > 0) {
      Place first = resting_.end();  // the best price, and of that the oldest
      for (Place at = resting_.begin(); at != resting_.end(); ++at)
        if (meets(taker, *at) && (first == resting_.end() ||
                                  (taker.side == Side::buy ? at->price < first->price : at->price > first->price)))
          first = at;
      if (first == resting_.end()) return;
      const std::int64_t quantity = std::min(taker.leaves, first->leaves);
      trades.push_back({taker.instrument - 1, first->price, quantity});
      for (Resting* one : {&taker, &*first}) {
        one->leaves -= quantity;
        one->executed += quantity;
      }
      if (first->leaves == 0) resting_.erase(first);
    }
  }
  void amend(Place at, std::int64_t price, std::int64_t leaves) {
    if (price == at->price && leaves <= at->leaves) {
      at->leaves = leaves;
      return;
    }
    Resting moved = *at;
    resting_.erase(at);
    moved.price = price;
    moved.leaves = leaves;
    match(moved);
    if (moved.leaves > 0) resting_.push_back(moved);
  }
  Place side_of_quote(const market::CommandHeader& header, Side side) {
    return std::ranges::find_if(resting_, [&](const Resting& one) {
      return one.is_quote && one.user == header.user && one.instrument == header.instrument && one.side == side;
    });
  }
  void set_side(const market::Quote& quote, Side side) {
    const std::int64_t price = side == Side::buy ? quote.bid.units : quote.ask.units;
    const std::int64_t size = side == Side::buy ? quote.bid_size.lots : quote.ask_size.lots;
    const Place at = side_of_quote(quote.header, side);
    if (at != resting_.end() && size == 0) {
      resting_.erase(at);
    } else if (at != resting_.end()) {
      amend(at, price, size);
    } else if (size > 0) {
      Resting fresh = make(quote.header, quote.labels.client_order_id, side, size);
      fresh.price = price;
      match(fresh);
      if (fresh.leaves > 0) resting_.push_back(fresh);
    }
  }

  std::vector<Resting> resting_;  // the oldest first
};

}  // namespace dojima::backtest
