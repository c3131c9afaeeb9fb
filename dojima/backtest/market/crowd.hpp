#pragma once

// The participants of a generated market and the values that they know: whoever acts next, what it sees and what it
// asks for. Everything that happens by chance is drawn here. O(1) an action but for a participant's own orders. One
// thread.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dojima/backtest/market.hpp"
#include "dojima/backtest/market/market_venue.hpp"
#include "dojima/backtest/market/order_lists.hpp"
#include "dojima/base/text.hpp"
#include "dojima/flow/order_flow.hpp"
#include "dojima/flow/random.hpp"
#include "dojima/market/command.hpp"

namespace dojima::backtest {

/// Client order ids: "1", "2", "3" and so on. O(1) in the mean.
class Names {
 public:
  [[nodiscard]] Text<20> take() noexcept {
    const Text<20> name = next_;
    count_up();
    return name;
  }

 private:
  void count_up() noexcept {
    std::size_t at = digits_;
    while (at != 0 && next_.chars[at - 1] == '9') next_.chars[--at] = '0';
    if (at != 0) {
      ++next_.chars[at - 1];
      return;
    }
    next_.chars[0] = '1';
    next_.chars[digits_++] = '0';
  }

  Text<20> next_ = Text<20>::cut("1");
  std::size_t digits_ = 1;
};

class Crowd {
 public:
  /// Both outlive it. Participants are the users from 1 on.
  Crowd(const MarketConfig& config, MarketVenue& venue);

  /// When somebody acts next.
  [[nodiscard]] Time next() const noexcept { return next_; }
  /// Whoever acts at `now` does.
  void act(Time now);
  /// The same, and at further instants before `bound`, phases of the venue among them, as Exchange::run_ahead().
  void run_ahead(Time bound, std::size_t most, Time& now, std::uint64_t& number);

  /// Ticks from the reference price.
  [[nodiscard]] std::int64_t value(std::uint32_t instrument) const noexcept { return values_[instrument]; }
  /// By kind, over all instruments.
  [[nodiscard]] std::array<std::int64_t, k_population_kinds> positions() const;

 private:
  /// The clients of one order flow. It looks at no book, so that some of its intents are made in one go.
  struct Clients {
    flow::OrderFlow flow;
    OrderLists orders;    // by client, instrument and side
    std::uint16_t first;  // user
    std::size_t resting;
    std::array<flow::Intent, 16> made{};
    std::size_t at = 0;

    [[nodiscard]] const flow::Intent& next() const noexcept { return made[at]; }
    void make() {
      flow.next(made);
      at = 0;
    }
    void pop() {
      if (++at == made.size()) make();
    }
  };
  /// The best prices in ticks, or where they would be.
  struct Sight {
    std::int64_t bid, ask;
    bool has_bid, has_ask;
  };

  /// A population that acts by chance, or the news.
  struct Share {
    const Population* habits = nullptr;  // null: the news
    std::uint16_t first = 0;             // user
    std::uint32_t count = 0;
    std::size_t place = 0;  // of the first of them in noise_ or last_middles_, times instruments
  };
  /// Who acts next by chance, and about which instrument.
  struct Coming {
    Time at{};
    std::size_t share = 0;
    std::uint32_t instrument = 0;
    std::uint32_t one = 0;  // of the share
  };

  void act_now(Time now);
  void draw_next();
  void act_by_chance(Time now);
  [[nodiscard]] std::size_t draw_share();
  void carry_out(Clients& clients, Time now);
  void move_value(std::uint32_t instrument);
  // Each draws who comes next once it has drawn all of its own.
  void act_on_noise(const Population& habits, std::uint16_t user, std::size_t place, std::uint32_t instrument,
                    Time now);
  void act_on_value(const Population& habits, std::uint16_t user, std::uint32_t instrument, Time now);
  void act_on_momentum(const Population& habits, std::uint16_t user, std::size_t place, std::uint32_t instrument,
                       Time now);
  void make_market(const Population& habits, std::uint16_t user, std::uint32_t instrument, Time now);
  [[nodiscard]] std::int64_t draw_quantity(const Population& habits);
  market::OrderId enter(std::uint16_t user, std::uint32_t instrument, Side side, std::int64_t ticks,
                        std::int64_t quantity, bool takes, Time now);
  market::OrderId submit_order(std::uint32_t instrument, std::uint16_t user, Time now);
  void cancel(std::uint16_t user, OrderLists::List orders, std::size_t index, std::uint32_t instrument, Time now);
  [[nodiscard]] Sight look(std::uint32_t instrument);
  [[nodiscard]] std::int64_t around(std::int64_t most);

  const MarketConfig& config_;
  MarketVenue& venue_;
  flow::Random random_;
  std::vector<std::int64_t> values_;
  struct Ticks {
    std::int64_t lowest;     // price of the table, in ticks
    std::int64_t reference;  // likewise
    [[nodiscard]] std::int64_t of(market::Level level) const noexcept { return lowest + market::index_of(level); }
  };
  std::vector<Ticks> ticks_;               // by instrument
  std::vector<const Population*> habits_;  // by user, from 1 on
  std::vector<Share> shares_;              // of the populations that act by chance; behind them the news
  std::vector<double> rates_;              // of each share and those before it
  std::uint64_t mean_gap_ns_ = 0;
  std::vector<Clients> clients_;
  OrderLists noise_;                        // orders of who acts on noise, by instrument, of both sides
  std::vector<std::int64_t> last_middles_;  // momentum: twice the middle at the last look, likewise
  Coming coming_;
  Time next_{};
  Names names_;
  market::NewOrder order_;  // at hand: what differs from order to order is set anew
};

}  // namespace dojima::backtest
