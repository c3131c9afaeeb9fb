#pragma once

// The exchange `levels`: any data with levels or orders, and trades. An own order's place is estimated
// (queue_model.hpp). It is filled
//
//   by a trade at a worse price than its own, or at its own once its turn has come,
//   by a level of the other side that comes to meet it,
//
// with FillRule::partial as far as the trade or the level reaches, what others of ours got taken off; with
// FillRule::whole at once and whole.

#include "dojima/backtest/exchanges/record_exchange.hpp"

namespace dojima::backtest {

class LevelsExchange final : public RecordExchange {
 public:
  explicit LevelsExchange(const ExchangeSettings& settings) : RecordExchange(settings) {
    quiet.are_levels_by_price = true;
  }

 private:
  void follow(const recorded::RecordedEvent& event, OwnBook& own) override;
  void place(RestingOwn& order) override;
  /// Whether a level's new quantity is about own orders: it is at a price of theirs, meets one, or was taken from.
  [[nodiscard]] bool concerns(const recorded::RecordedEvent& level, OwnBook& own) const noexcept;
  void follow_level(const recorded::RecordedEvent& event, OwnBook& own);
  void follow_order(const recorded::RecordedEvent& event, OwnBook& own);
  /// Somebody on `aggressor`'s side traded; `comes_in_turn`: with displayed orders, so that queues moved.
  void trade(OwnBook& own, Side aggressor, std::int64_t price, std::int64_t quantity, bool comes_in_turn);
  void change_level(OwnBook& own, Side side, std::int64_t price, std::int64_t before, std::int64_t after);
};

}  // namespace dojima::backtest
