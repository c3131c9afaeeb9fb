#include "dojima/venue/limit_keys.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <system_error>

#include "dojima/market/price.hpp"

namespace dojima::venue {
namespace {

using market::LimitKind;

constexpr std::int64_t k_million = 1'000'000;
constexpr std::int64_t k_lots = std::int64_t{1} << 53;
constexpr std::int64_t k_largest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t k_hour_ms = 3'600'000, k_day_ms = 24 * k_hour_ms;
constexpr std::int64_t k_executions = 100'000;

constexpr std::array k_keys{
    LimitKey{LimitKind::killed, "killed", LimitForm::number, 1, false, "kill switch: 1 is set"},
    LimitKey{LimitKind::stopped, "stopped", LimitForm::number, 0, true, "by max_repeats; 0 lets it go on"},
    LimitKey{LimitKind::permitted, "permitted", LimitForm::permit, 2, false, "yes or no; of an instrument before all"},
    LimitKey{LimitKind::rate, "max_rate", LimitForm::number, 100'000, true,
             "new orders, replaces and quotes in any second"},
    LimitKey{LimitKind::order_quantity, "max_quantity", LimitForm::number, k_lots, false, "lots of an order"},
    LimitKey{LimitKind::collar_bp, "price_collar", LimitForm::percent, k_million, false,
             "percent that a price may be from the last trade, else the instrument's reference"},
    LimitKey{LimitKind::collar_ticks, "collar_ticks", LimitForm::number, k_million * 1000, false,
             "ticks that a price may be from there"},
    LimitKey{LimitKind::collar_from, "collar_from", LimitForm::from, 1, false,
             "last or reference: where price_collar and collar_ticks count from"},
    LimitKey{LimitKind::order_value, "max_value", LimitForm::number, k_largest, false,
             "price * quantity of an order, in whole units of the currency"},
    LimitKey{LimitKind::open_orders, "max_open_orders", LimitForm::number, 100 * k_million, true, "at a time"},
    LimitKey{LimitKind::open_value, "max_open_value", LimitForm::number, k_largest, true,
             "price * quantity left of all open orders, in whole units of the currency"},
    LimitKey{LimitKind::position, "max_position", LimitForm::number, k_lots, true,
             "lots in an instrument, long or short, with all that could still trade"},
    LimitKey{LimitKind::duplicate_ms, "duplicate_ms", LimitForm::number, k_hour_ms, true,
             "so long no second order of the same instrument, side, price and quantity"},
    LimitKey{LimitKind::repeats, "max_repeats", LimitForm::number, k_executions, true,
             "so many executions in repeats_ms stop it until the operator says stopped=0"},
    LimitKey{LimitKind::repeats_ms, "repeats_ms", LimitForm::number, k_day_ms, true, "0: a second"},
    LimitKey{LimitKind::protection, "protection", LimitForm::number, k_executions, true,
             "so many executions in protection_ms cancel its open orders and quotes"},
    LimitKey{LimitKind::protection_ms, "protection_ms", LimitForm::number, k_day_ms, true, "0: a second"},
    LimitKey{LimitKind::position_now, "position", LimitForm::integer, k_lots, true,
             "no limit: the position in lots from here on, of one instrument"},
    LimitKey{LimitKind::cancel_orders, "cancel", LimitForm::none, 0, false, "no limit: open orders are cancelled"},
};

}  // namespace

std::span<const LimitKey> limit_keys() noexcept {
  return k_keys;
}

const LimitKey* find_limit_key(std::string_view name) noexcept {
  const auto key = std::ranges::find(k_keys, name, &LimitKey::name);
  return key == k_keys.end() ? nullptr : &*key;
}

const LimitKey* key_of(LimitKind kind) noexcept {
  const auto key = std::ranges::find(k_keys, kind, &LimitKey::kind);
  return key == k_keys.end() ? nullptr : &*key;
}

Result<std::int64_t> parse_limit(const LimitKey& key, std::string_view text) noexcept {
  constexpr unsigned k_percent_decimals = 2;
  const auto wrong = [](const char* expected) { return fail(ErrorCode::out_of_range, 0, 0, 0, expected); };
  switch (key.form) {
    case LimitForm::permit:
      if (text == "yes" || text == "true") return 1;
      if (text == "no" || text == "false") return 2;
      if (text.empty() || text == "0") return 0;
      return wrong("yes or no");
    case LimitForm::from:
      if (text == "last") return 0;
      if (text == "reference") return 1;
      return wrong("last or reference");
    case LimitForm::percent: {
      const auto value = market::parse_scaled(text, k_percent_decimals, "percent with at most two decimals");
      if (!value) return value;
      if (*value < 0 || *value > key.most) return wrong("0 to 10000 percent");
      return *value;
    }
    case LimitForm::number:
    case LimitForm::integer: {
      std::int64_t value = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      const std::int64_t least = key.form == LimitForm::integer ? -key.most : 0;
      if (error != std::errc{} || end != text.data() + text.size() || value < least || value > key.most)
        return fail(ErrorCode::out_of_range, 0, 0, key.most, "a whole number in its range");
      return value;
    }
    case LimitForm::none:
      break;
  }
  return wrong("no value");
}

std::string text_of_limit(const LimitKey& key, std::int64_t value) {
  switch (key.form) {
    case LimitForm::permit:
      return value == 0 ? "" : value == 1 ? "yes" : "no";
    case LimitForm::from:
      return value == 0 ? "last" : "reference";
    case LimitForm::percent: {
      std::array<char, market::k_scaled_text_max> text{};
      return std::string(market::format_scaled(value, 2, text));
    }
    case LimitForm::number:
    case LimitForm::integer:
      return std::to_string(value);
    case LimitForm::none:
      break;
  }
  return {};
}

}  // namespace dojima::venue
