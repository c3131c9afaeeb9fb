#pragma once

// What is measured while a back-test runs: fills, round trips, how the market moved behind each fill, and the equity
// over time. docs/backtest.md defines each figure. Exact whole numbers while it runs; the performance is worked out at
// the end, in doubles. One thread.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dojima/backtest/account.hpp"
#include "dojima/backtest/orders.hpp"

namespace dojima::backtest {

/// One execution of an own order.
struct Fill {
  OrderNumber order = 0;
  Time at{};        ///< at the exchange
  Time received{};  ///< by the strategy
  std::int64_t price = 0;
  std::int64_t quantity = 0;
  std::int64_t leaves = 0;    ///< of the order
  std::int64_t position = 0;  ///< of the instrument, behind it
  Duration rested{};          ///< maker: in the queue
  std::uint32_t instrument = 0;
  Side side = Side::none;
  bool is_maker = false;
  friend bool operator==(const Fill&, const Fill&) = default;
};

/// From flat to flat, instrument by instrument. A fill that turns a position around ends one trip and begins the next;
/// its fee belongs to the one that ends.
class RoundTrips {
 public:
  /// `fee` of the fill, as the account has it.
  void apply(const Fill& fill, Money fee, const Account& account);

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint64_t winners() const noexcept { return winners_; }
  [[nodiscard]] Money profit() const noexcept { return profit_; }
  [[nodiscard]] Duration held() const noexcept { return held_; }  ///< by all of them

 private:
  std::int64_t position_ = 0;
  Money cash_ = 0;
  Time begin_{};
  std::uint64_t count_ = 0, winners_ = 0;
  Money profit_ = 0;
  Duration held_{};
};

/// The best prices of an instrument now.
struct Touch {
  std::optional<std::int64_t> bid, ask;
};

/// How far the middle price has come behind a fill: summed as side * (middle - price) * quantity.
struct Markout {
  Duration after{};
  std::uint64_t fills = 0;
  std::int64_t quantity = 0;
  Money twice_gain = 0;  ///< in price units times quantity units, twice
};
inline constexpr std::array<Duration, 5> k_markout_horizons = {
    std::chrono::milliseconds{1}, std::chrono::milliseconds{10}, std::chrono::milliseconds{100},
    std::chrono::seconds{1}, std::chrono::seconds{10}};

/// Looks at the market when a time is over: behind each fill, and in equal steps for the equity.
class Marks {
 public:
  using TouchOf = std::function<Touch(std::uint32_t instrument)>;
  /// The equity of all instruments in the currency's units.
  using EquityOf = std::function<double()>;

  /// `every` > 0.
  Marks(Time begin, Duration every, TouchOf touch_of, EquityOf equity_of);

  /// When it looks next: at the market as it is when all of that instant has happened.
  [[nodiscard]] Time next() const noexcept { return next_; }
  /// All that was due before `now`, by the market as it is. `fills` in the order of time.
  void advance(Time now, std::span<const Fill> fills);
  /// `fills` has one more.
  void note_fill(std::span<const Fill> fills) { find_next(fills); }
  /// The last equity.
  void finish(Time now);

  /// Of an instrument; one for each horizon.
  [[nodiscard]] const std::vector<std::array<Markout, k_markout_horizons.size()>>& markouts() const noexcept {
    return markouts_;
  }
  [[nodiscard]] const std::vector<std::pair<Time, double>>& equity() const noexcept { return equity_; }

 private:
  void find_next(std::span<const Fill> fills);
  void look(const Fill& fill, std::size_t horizon);

  TouchOf touch_of_;
  EquityOf equity_of_;
  Duration every_;
  Time sample_;
  Time next_;
  std::array<std::size_t, k_markout_horizons.size()> at_{};  // the first fill that waits, by horizon
  std::vector<std::array<Markout, k_markout_horizons.size()>> markouts_;
  std::vector<std::pair<Time, double>> equity_;
};

/// Of an equity in equal steps.
struct Performance {
  double profit = 0;        ///< last less first
  double drawdown = 0;      ///< the deepest fall from a height before it, >= 0
  Duration longest_fall{};  ///< the longest time below a height before it
  /// Mean change of a step over its standard deviation, times the square root of the steps of a day of 24 hours; none:
  /// too few steps, or they are all alike.
  std::optional<double> sharpe{};
  /// The same over the root of the mean square of the changes below 0.
  std::optional<double> sortino{};
};
[[nodiscard]] Performance performance_of(std::span<const std::pair<Time, double>> equity, Duration every);

}  // namespace dojima::backtest
