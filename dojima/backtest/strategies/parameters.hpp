#pragma once

// Parameters of a strategy, read from checked texts, and what strategies do with orders again and again.

#include <cstdint>
#include <string>
#include <string_view>

#include "dojima/backtest/strategies.hpp"

namespace dojima::backtest {

/// All parameters of one strategy, with values that make_strategy() has checked.
class Parameters {
 public:
  explicit Parameters(ParameterTexts values) : values_(std::move(values)) {}
  [[nodiscard]] std::int64_t whole(std::string_view name) const;
  [[nodiscard]] double real(std::string_view name) const;
  [[nodiscard]] Duration duration(std::string_view name) const;
  [[nodiscard]] const std::string& text(std::string_view name) const;

 private:
  ParameterTexts values_;
};

/// `text` in units of the instrument. Throws std::invalid_argument where it is finer than those.
[[nodiscard]] std::int64_t quantity_of(std::string_view text, const RecordedInstrument& instrument);

/// The best prices, where both sides have one and they are apart.
struct Quotes {
  DepthLevel bid, ask;
};
[[nodiscard]] std::optional<Quotes> quotes_of(const Desk& desk, std::uint32_t instrument);

/// Own orders of a side come to be at `prices` and nowhere else: those elsewhere are cancelled, those missing are
/// submitted, post-only. Orders that have not been accepted or are changing are left alone, and count as being there.
void keep_at(Desk& desk, std::uint32_t instrument, Side side, std::span<const std::int64_t> prices,
             std::int64_t quantity);

/// Down for bids and up for asks to a multiple of `tick`.
[[nodiscard]] std::int64_t on_tick(double price, std::int64_t tick, Side side);

[[nodiscard]] std::unique_ptr<Strategy> make_touch(const Parameters& parameters);
[[nodiscard]] std::unique_ptr<Strategy> make_grid(const Parameters& parameters);
[[nodiscard]] std::unique_ptr<Strategy> make_glft(const Parameters& parameters);
[[nodiscard]] std::unique_ptr<Strategy> make_imbalance(const Parameters& parameters);
[[nodiscard]] std::unique_ptr<Strategy> make_twap(const Parameters& parameters);

}  // namespace dojima::backtest
