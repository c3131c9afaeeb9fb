#pragma once

// The participants of a generated market and the values that they know: whoever acts next, what it sees and what it
// asks for. Everything that happens by chance is drawn here. O(1) an action but for a participant's own orders. One
// thread.

#include <cstdint>
#include <vector>

#include "dojima/backtest/market.hpp"
#include "dojima/backtest/market/market_venue.hpp"
#include "dojima/flow/order_flow.hpp"
#include "dojima/flow/random.hpp"

namespace dojima::backtest {

class Crowd {
 public:
  /// Both outlive it. Participants are the users from 1 on.
  Crowd(const MarketConfig& config, MarketVenue& venue);

  /// When somebody acts next.
  [[nodiscard]] Time next() const noexcept { return next_; }
  /// Whoever acts at `now` does.
  void act(Time now);

  /// Ticks from the reference price.
  [[nodiscard]] std::int64_t value(std::uint32_t instrument) const noexcept { return values_[instrument]; }
  /// By kind, over all instruments.
  [[nodiscard]] std::array<std::int64_t, k_population_kinds> positions() const;

 private:
  struct Participant {
    std::uint16_t user = 0;
    const Population* habits = nullptr;
    std::vector<std::int64_t> last_middle;      // momentum: twice the middle at its last look, by instrument
    std::vector<std::vector<Entered>> entered;  // its orders that stood, the oldest first, by instrument and side
  };
  /// The clients of one order flow.
  struct Clients {
    flow::OrderFlow flow;
    flow::Intent next;
    std::size_t first;  // of its participants
    std::size_t resting;
  };
  /// The best prices in ticks, or where they would be.
  struct Sight {
    std::int64_t bid, ask;
    bool has_bid, has_ask;
  };

  void plan();
  void draw_next();
  void act_by_chance(Time now);
  void carry_out(Clients& clients, Time now);
  void move_value(std::uint32_t instrument);
  void act_on_noise(Participant& one, std::uint32_t instrument, Time now);
  void act_on_value(const Participant& one, std::uint32_t instrument, Time now);
  void act_on_momentum(Participant& one, std::uint32_t instrument, Time now);
  void make_market(const Participant& one, std::uint32_t instrument, Time now);
  Entered enter(const Participant& one, std::uint32_t instrument, Side side, std::int64_t ticks, bool takes, Time now);
  Entered submit(market::NewOrder& order, std::uint32_t instrument, std::uint16_t user, Time now);
  void cancel(const Entered& entered, std::uint32_t instrument, std::uint16_t user, Time now);
  [[nodiscard]] std::vector<Entered>& standing_of(Participant& one, std::size_t place);
  [[nodiscard]] Sight look(std::uint32_t instrument);
  [[nodiscard]] std::int64_t around(std::int64_t most);

  const MarketConfig& config_;
  MarketVenue& venue_;
  flow::Random random_;
  std::vector<std::int64_t> values_;
  std::vector<Participant> participants_;
  struct Share {
    double rate;  // of this and those before
    std::size_t first;
    std::uint32_t count;
  };
  std::vector<Share> shares_;  // of the populations that act by chance; behind them the news
  std::uint64_t mean_gap_ns_ = 0;
  std::vector<Clients> clients_;
  Time next_by_chance_{};
  Time next_{};
  std::uint64_t names_ = 0;
};

}  // namespace dojima::backtest
