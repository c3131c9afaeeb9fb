#pragma once

// The place of an own order in the queue of its price, estimated from totals alone: how much is ahead of it. At first
// all that rests there; trades at the price take from ahead; what else goes from the level went from ahead or from
// behind, and the models differ in what they assume of that:
//
//   risk_averse   only trades bring it forward; it is never further back than the level is long
//   power1        behind with the probability f(behind) / (f(behind) + f(ahead)), f(x) = x^n
//   power2        f(behind) / f(behind + ahead)
//   power3        1 - f(ahead / (ahead + behind))
//   log1          as power1 with f(x) = ln(1 + x), x in whole units of the quantity
//   log2          as power2 with the same
//
// After Rigtorp, "Estimating order queue position" (2013), in the form that hftbacktest gave it, so that both give the
// same fills. Doubles, with +, -, * and / only (the logarithm too): the same on every machine. O(1).

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace dojima::backtest {

enum class QueueModel : std::uint8_t { risk_averse, power1, power2, power3, log1, log2 };
[[nodiscard]] std::string_view name_of(QueueModel model) noexcept;

struct QueueModelSettings {
  QueueModel model = QueueModel::power3;
  unsigned exponent = 3;  ///< n of the powers, 1 to 8
  friend bool operator==(const QueueModelSettings&, const QueueModelSettings&) = default;
};
/// "risk_averse", "power3" or "power3:2" (n), "log1". The error is one line for the user.
[[nodiscard]] std::expected<QueueModelSettings, std::string> parse_queue_model(std::string_view text);
[[nodiscard]] std::string to_text(const QueueModelSettings& settings);

/// One own order's place, in units of the instrument.
struct QueuePlace {
  double ahead = 0;   ///< below 0: trades have gone past it, by so much
  double traded = 0;  ///< at its price since the last update of the level; the next one has it, too

  /// Behind all that rests there.
  static QueuePlace behind(std::int64_t quantity) noexcept { return {.ahead = static_cast<double>(quantity)}; }
  void on_trade(std::int64_t quantity) noexcept {
    ahead -= static_cast<double>(quantity);
    traded += static_cast<double>(quantity);
  }
  /// The level went from `before` to `after`. `unit` is how many units of the instrument make 1 of its quantity.
  void on_level(const QueueModelSettings& settings, std::int64_t before, std::int64_t after, double unit) noexcept;
  /// How much of a trade has come to it, to the nearest lot (half a lot counts as one): 0 when it is not its turn.
  [[nodiscard]] std::int64_t excess(std::int64_t lot) const noexcept;
};

/// ln(x) to about 1e-15, from basic arithmetic alone; minus infinity for 0, not a number for x < 0.
[[nodiscard]] double portable_log(double x) noexcept;
/// e^x likewise; infinite above 700, 0 below -700.
[[nodiscard]] double portable_exp(double x) noexcept;

}  // namespace dojima::backtest
