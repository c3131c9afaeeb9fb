#include "dojima/backtest/account.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <stdexcept>

#include "dojima/base/assert.hpp"
#include "dojima/market/price.hpp"

namespace dojima::backtest {
namespace {

constexpr std::int64_t k_fee_scale = 1'000'000'000;
constexpr Money k_most_money = Money{1} << 123;

}  // namespace

std::expected<std::int64_t, std::string> parse_rate(std::string_view text) {
  unsigned shift = 0;
  std::string_view number = text;
  if (number.ends_with('%')) {
    shift = 2;
    number.remove_suffix(1);
  } else if (number.ends_with("bp")) {
    shift = 4;
    number.remove_suffix(2);
  }
  const auto rate = market::parse_scaled(number, k_fee_decimals - shift, "a rate");
  if (rate && *rate >= -k_fee_scale && *rate <= k_fee_scale) return *rate;
  return std::unexpected("\"" + std::string(text) +
                         "\" is no rate: 0.0005, 0.05% or 5bp, at most 1, no finer than 1e-9");
}

Account::Account(unsigned price_decimals, unsigned quantity_decimals, const Fees& fees) noexcept
    : fees_of_(fees), decimals_(price_decimals + quantity_decimals + k_fee_decimals), fee_unit_(1) {
  for (unsigned decimal = 0; decimal < price_decimals + quantity_decimals; ++decimal) fee_unit_ *= 10;
}

Money Account::value(std::int64_t price, std::int64_t quantity) const noexcept {
  return static_cast<Money>(price) * quantity * k_fee_scale;
}

void Account::apply(market::Side side, std::int64_t price, std::int64_t quantity, bool is_maker) {
  DOJIMA_ASSERT(quantity > 0, "something was traded", quantity);
  const Money worth = static_cast<Money>(price) * quantity;
  // Each part is below an eighth of what Money holds, so that their sums, doubled, are numbers.
  const Money size = worth < 0 ? -worth : worth;
  const Money per_trade = std::abs(fees_of_.per_trade);
  const bool is_too_much = size > k_most_money / k_fee_scale || turned_ > k_most_money - size * k_fee_scale ||
                           (per_trade != 0 && fee_unit_ > (k_most_money - per_trades_) / per_trade) ||
                           std::max(bought_, sold_) > std::numeric_limits<std::int64_t>::max() - quantity;
  if (is_too_much) throw std::overflow_error("more money or quantity than an account holds; take fewer decimals");
  turned_ += size * k_fee_scale;
  per_trades_ += fee_unit_ * per_trade;
  const Money fee = worth * (is_maker ? fees_of_.maker : fees_of_.taker) + fee_unit_ * fees_of_.per_trade;
  const bool is_buy = side == market::Side::buy;
  cash_ += (is_buy ? -worth : worth) * k_fee_scale - fee;
  fees_ += fee;
  turnover_ += worth * k_fee_scale;
  position_ += is_buy ? quantity : -quantity;
  (is_buy ? bought_ : sold_) += quantity;
  last_price_ = price;
  ++fills_;
  maker_fills_ += is_maker ? 1 : 0;
}

Money Account::twice_equity(std::optional<std::int64_t> bid, std::optional<std::int64_t> ask) const noexcept {
  const std::int64_t low = bid ? *bid : ask ? *ask : last_price_;
  const std::int64_t high = ask ? *ask : low;
  constexpr Money k_most = k_most_money / k_fee_scale;
  const Money twice_worth = static_cast<Money>(position_) * (static_cast<Money>(low) + high);
  return 2 * cash_ + std::clamp(twice_worth, -k_most, k_most) * k_fee_scale;
}

double Account::amount(Money money) const noexcept {
  double scale = 1;
  for (unsigned decimal = 0; decimal < decimals_; ++decimal) scale *= 10;
  return static_cast<double>(money) / scale;
}

std::string money_text(Money money, unsigned decimals) {
  const bool is_negative = money < 0;
  __extension__ using Wide = unsigned __int128;
  Wide rest = is_negative ? -static_cast<Wide>(money) : static_cast<Wide>(money);
  std::string digits;
  for (unsigned digit = 0; rest != 0 || digit <= decimals; ++digit) {
    if (digit == decimals && decimals != 0) digits += '.';
    digits += static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
  }
  std::ranges::reverse(digits);
  if (decimals != 0) {
    while (digits.ends_with('0')) digits.pop_back();
    if (digits.ends_with('.')) digits.pop_back();
  }
  return (is_negative ? "-" : "") + digits;
}

}  // namespace dojima::backtest
