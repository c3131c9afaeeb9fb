#include "dojima/backtest/queue_model.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace dojima::backtest {
namespace {

constexpr std::array<std::pair<std::string_view, QueueModel>, 6> k_queue_models{
    {{"risk_averse", QueueModel::risk_averse},
     {"power1", QueueModel::power1},
     {"power2", QueueModel::power2},
     {"power3", QueueModel::power3},
     {"log1", QueueModel::log1},
     {"log2", QueueModel::log2}}};

constexpr unsigned k_exponent_max = 8;

[[nodiscard]] bool is_power(QueueModel model) noexcept {
  return model == QueueModel::power1 || model == QueueModel::power2 || model == QueueModel::power3;
}

[[nodiscard]] double power(double base, unsigned exponent) noexcept {
  double result = base;
  for (unsigned factor = 1; factor < exponent; ++factor) result *= base;
  return result;
}

/// How likely what goes from the level goes from behind; not a number where nothing rests.
[[nodiscard]] double chance_behind(const QueueModelSettings& settings, double ahead, double behind,
                                   double unit) noexcept {
  const auto f = [&](double x) {
    return is_power(settings.model) ? power(x, settings.exponent) : portable_log(1 + x / unit);
  };
  switch (settings.model) {
    case QueueModel::power1:
    case QueueModel::log1: {
      const double of_behind = f(behind);
      return of_behind / (of_behind + f(ahead));
    }
    case QueueModel::power2:
    case QueueModel::log2:
      return f(behind) / f(behind + ahead);
    case QueueModel::power3:
      return 1 - f(ahead / (ahead + behind));
    case QueueModel::risk_averse:
      break;
  }
  return 1;
}

/// The least of both, the second where the first is not a number.
[[nodiscard]] double least(double a, double b) noexcept {
  return a < b ? a : b;
}

}  // namespace

std::string_view name_of(QueueModel model) noexcept {
  for (const auto& [name, value] : k_queue_models)
    if (value == model) return name;
  return "?";
}

std::expected<QueueModelSettings, std::string> parse_queue_model(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  for (const auto& [known, model] : k_queue_models) {
    if (known != name) continue;
    QueueModelSettings settings{.model = model};
    if (colon == std::string_view::npos) return settings;
    const std::string_view exponent = text.substr(colon + 1);
    const auto [end, error] = std::from_chars(exponent.data(), exponent.data() + exponent.size(), settings.exponent);
    const bool is_number = error == std::errc() && end == exponent.data() + exponent.size();
    if (is_power(model) && is_number && settings.exponent >= 1 && settings.exponent <= k_exponent_max) return settings;
    return std::unexpected("queue model \"" + std::string(text) + "\": the exponent of power1, power2 or power3 is a " +
                           "whole number from 1 to 8");
  }
  return std::unexpected("there is no queue model \"" + std::string(text) +
                         "\": risk_averse, power1, power2, power3 (with an exponent: power3:3), log1 or log2");
}

std::string to_text(const QueueModelSettings& settings) {
  std::string text(name_of(settings.model));
  if (is_power(settings.model)) text += ":" + std::to_string(settings.exponent);
  return text;
}

void QueuePlace::on_level(const QueueModelSettings& settings, std::int64_t before, std::int64_t after,
                          double unit) noexcept {
  const auto now_there = static_cast<double>(after);
  if (settings.model == QueueModel::risk_averse) {
    ahead = least(ahead, now_there);
    traded = 0;
    return;
  }
  const auto was_there = static_cast<double>(before);
  const double gone = was_there - now_there - traded;  // what trades took has been counted
  traded = 0;
  if (gone < 0) {
    ahead = least(ahead, now_there);
    return;
  }
  const double behind = was_there - ahead;
  double chance = chance_behind(settings, ahead, behind, unit);
  if (std::isinf(chance)) chance = 1;
  const double estimate = ahead - (1 - chance) * gone + least(behind - chance * gone, 0);
  ahead = least(estimate, now_there);
}

std::int64_t QueuePlace::excess(std::int64_t lot) const noexcept {
  return ahead < 0 ? static_cast<std::int64_t>(std::round(-ahead / static_cast<double>(lot))) * lot : 0;
}

double portable_log(double x) noexcept {
  constexpr double k_ln2 = 0.693147180559945309417232121458;
  constexpr std::uint64_t k_fraction = (std::uint64_t{1} << 52) - 1;
  if (x == 0) return -std::numeric_limits<double>::infinity();
  if (!(x >= std::numeric_limits<double>::min())) return std::numeric_limits<double>::quiet_NaN();
  const auto bits = std::bit_cast<std::uint64_t>(x);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  double mantissa = std::bit_cast<double>((bits & k_fraction) | std::uint64_t{1023} << 52);
  if (mantissa > 1.4142135623730951) {
    mantissa /= 2;
    ++exponent;
  }
  // ln m = 2 artanh((m - 1) / (m + 1)), whose argument is below 0.1716.
  const double argument = (mantissa - 1) / (mantissa + 1);
  const double square = argument * argument;
  double sum = 0;
  for (int term = 23; term >= 1; term -= 2) sum = sum * square + 1.0 / term;
  return exponent * k_ln2 + 2 * argument * sum;
}

double portable_exp(double x) noexcept {
  constexpr double k_ln2 = 0.693147180559945309417232121458;
  constexpr double k_far = 700;
  if (!(x < k_far)) return std::numeric_limits<double>::infinity();
  if (x < -k_far) return 0;
  const int power = static_cast<int>(x / k_ln2 + (x < 0 ? -0.5 : 0.5));
  const double rest = x - power * k_ln2;  // at most 0.35
  double sum = 1;
  for (int term = 18; term >= 1; --term) sum = 1 + sum * rest / term;
  return sum * std::bit_cast<double>(static_cast<std::uint64_t>(1023 + power) << 52);
}

}  // namespace dojima::backtest
