#pragma once

// Money and holdings of one instrument, exact: cash is a whole number of units so small that prices times quantities
// times fee rates are whole, so nothing is ever rounded and money is conserved to the unit. Doubles appear only in
// reports. One thread; O(1) a fill.
//
//   Account account(2, 8, {.maker = *parse_rate("-0.005%"), .taker = *parse_rate("0.05%")});
//   account.apply(Side::buy, price, quantity, is_maker);
//   account.equity(bid, ask);

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "dojima/market/order.hpp"

namespace dojima::backtest {

/// 10^-(price decimals + quantity decimals + 9) of the currency.
__extension__ using Money = __int128;

/// What the exchange takes; below 0: pays.
struct Fees {
  std::int64_t maker = 0;      ///< 1e-9 of the value
  std::int64_t taker = 0;      ///< likewise
  std::int64_t per_trade = 0;  ///< 1e-9 of the currency, for each fill
  friend bool operator==(const Fees&, const Fees&) = default;
};
inline constexpr unsigned k_fee_decimals = 9;
/// "0.0005", "0.05%" or "5bp", at most 1, in units of 1e-9. The error is one line for the user.
[[nodiscard]] std::expected<std::int64_t, std::string> parse_rate(std::string_view text);

class Account {
 public:
  Account(unsigned price_decimals, unsigned quantity_decimals, const Fees& fees) noexcept;

  /// `quantity` > 0. Throws std::overflow_error where an amount would be beyond what Money holds; then nothing has
  /// changed.
  void apply(market::Side side, std::int64_t price, std::int64_t quantity, bool is_maker);

  /// Bought less sold.
  [[nodiscard]] std::int64_t position() const noexcept { return position_; }
  /// Received less paid, fees included.
  [[nodiscard]] Money cash() const noexcept { return cash_; }
  [[nodiscard]] Money fees() const noexcept { return fees_; }
  /// Value of all fills.
  [[nodiscard]] Money turnover() const noexcept { return turnover_; }
  [[nodiscard]] std::int64_t bought() const noexcept { return bought_; }
  [[nodiscard]] std::int64_t sold() const noexcept { return sold_; }
  [[nodiscard]] std::uint64_t fills() const noexcept { return fills_; }
  [[nodiscard]] std::uint64_t maker_fills() const noexcept { return maker_fills_; }

  /// Twice the cash and the position at the middle between `bid` and `ask`: twice, so that the middle is whole. Where
  /// one is missing the other counts; both: the last fill's price.
  [[nodiscard]] Money twice_equity(std::optional<std::int64_t> bid, std::optional<std::int64_t> ask) const noexcept;
  /// The decimals of a Money.
  [[nodiscard]] unsigned decimals() const noexcept { return decimals_; }
  [[nodiscard]] double amount(Money money) const noexcept;
  /// The value of `quantity` at `price`.
  [[nodiscard]] Money value(std::int64_t price, std::int64_t quantity) const noexcept;

 private:
  Fees fees_of_;
  unsigned decimals_;
  Money fee_unit_;  // 1e-9 of the currency
  std::int64_t position_ = 0, bought_ = 0, sold_ = 0, last_price_ = 0;
  std::uint64_t fills_ = 0, maker_fills_ = 0;
  Money cash_ = 0, fees_ = 0, turnover_ = 0;
  Money turned_ = 0, per_trades_ = 0;  // without signs: bounds of all that is added up
};

/// "-12.000000345": exact, no zeros behind the last digit.
[[nodiscard]] std::string money_text(Money money, unsigned decimals);

}  // namespace dojima::backtest
