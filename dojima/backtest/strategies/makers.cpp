// Strategies that make a market: touch, grid and glft.

#include <algorithm>
#include <cmath>

#include "dojima/backtest/queue_model.hpp"
#include "dojima/backtest/strategies/parameters.hpp"

namespace dojima::backtest {
namespace {

/// Looks each period, at every instrument that has two sides, and quotes.
class MarketMaker : public Strategy {
 public:
  explicit MarketMaker(const Parameters& parameters)
      : quantity_(parameters.text("quantity")),
        period_(parameters.duration("period")),
        most_(parameters.whole("max_position")) {}

  [[nodiscard]] Wakes wakes() const override { return {.period = period_}; }

  void on_wake(Desk& desk) override {
    const auto instruments = desk.instruments();
    for (std::uint32_t instrument = 0; instrument < instruments.size(); ++instrument) {
      const auto quotes = quotes_of(desk, instrument);
      if (!quotes) continue;
      while (quantities_.size() <= instrument)
        quantities_.push_back(quantity_of(quantity_, instruments[quantities_.size()]));
      const std::int64_t quantity = quantities_[instrument];
      const std::int64_t held = desk.position(instrument) / quantity;
      bids_.clear();
      asks_.clear();
      quote(desk, instrument, *quotes, static_cast<double>(desk.position(instrument)) / static_cast<double>(quantity));
      if (held >= most_) bids_.clear();
      if (held <= -most_) asks_.clear();
      keep_at(desk, instrument, Side::buy, bids_, quantity);
      keep_at(desk, instrument, Side::sell, asks_, quantity);
    }
  }

 protected:
  /// Into bids_ and asks_; `position` in orders.
  virtual void quote(const Desk& desk, std::uint32_t instrument, const Quotes& quotes, double position) = 0;
  [[nodiscard]] Duration period() const noexcept { return period_; }
  std::vector<std::int64_t> bids_, asks_;

 private:
  std::string quantity_;
  Duration period_;
  std::int64_t most_;
  std::vector<std::int64_t> quantities_;  // by instrument
};

class TouchMaker final : public MarketMaker {
 public:
  explicit TouchMaker(const Parameters& parameters) : MarketMaker(parameters), offset_(parameters.whole("offset")) {}

 private:
  void quote(const Desk& desk, std::uint32_t instrument, const Quotes& quotes, double) override {
    const std::int64_t away = offset_ * desk.tick(instrument);
    bids_.push_back(quotes.bid.price - away);
    asks_.push_back(quotes.ask.price + away);
  }
  std::int64_t offset_;
};

class GridMaker final : public MarketMaker {
 public:
  explicit GridMaker(const Parameters& parameters)
      : MarketMaker(parameters),
        levels_(parameters.whole("levels")),
        spacing_(parameters.whole("spacing")),
        offset_(parameters.whole("offset")) {}

 private:
  void quote(const Desk& desk, std::uint32_t instrument, const Quotes& quotes, double) override {
    // On a lattice of its own, so that orders stay where they are while the market moves by less than a step.
    const std::int64_t step = spacing_ * desk.tick(instrument), away = offset_ * desk.tick(instrument);
    const std::int64_t bid = on_tick(static_cast<double>(quotes.bid.price - away), step, Side::buy);
    const std::int64_t ask = on_tick(static_cast<double>(quotes.ask.price + away), step, Side::sell);
    for (std::int64_t level = 0; level < levels_; ++level) {
      bids_.push_back(bid - level * step);
      asks_.push_back(ask + level * step);
    }
  }
  std::int64_t levels_, spacing_, offset_;
};

/// O. Gueant, C.-A. Lehalle, J. Fernandez-Tapia, "Dealing with the inventory risk" (2013), the asymptotic quotes with a
/// drift of 0. Prices in ticks, the position in orders:
///
///   half spread  1/gamma ln(1 + gamma/k) + c/2,  skew  c * position,
///   c = sigma sqrt(gamma / (2 A k) (1 + gamma/k)^(1 + k/gamma))
class GlftMaker final : public MarketMaker {
 public:
  explicit GlftMaker(const Parameters& parameters)
      : MarketMaker(parameters),
        sigma_(parameters.real("sigma")),
        half_life_s_(static_cast<double>(parameters.duration("half_life").count()) / 1e9) {
    const double gamma = parameters.real("gamma"), a = parameters.real("a"), k = parameters.real("k");
    const double log = portable_log(1 + gamma / k);
    half_spread_ = log / gamma;
    skew_ = std::sqrt(gamma / (2 * a * k) * portable_exp((1 + k / gamma) * log));
  }

 private:
  struct Measured {
    double middle = 0;
    double variance = 0;  // ticks squared a second
    bool is_begun = false;
  };

  void quote(const Desk& desk, std::uint32_t instrument, const Quotes& quotes, double position) override {
    const auto tick = static_cast<double>(desk.tick(instrument));
    const double middle = (static_cast<double>(quotes.bid.price) + static_cast<double>(quotes.ask.price)) / 2;
    const double skew = skew_ * sigma_of(instrument, middle / tick);
    const double bid = middle - (half_spread_ + skew / 2 + skew * position) * tick;
    const double ask = middle + (half_spread_ + skew / 2 - skew * position) * tick;
    // It makes a market: neither quote takes.
    bids_.push_back(std::min(on_tick(bid, desk.tick(instrument), Side::buy), quotes.bid.price));
    asks_.push_back(std::max(on_tick(ask, desk.tick(instrument), Side::sell), quotes.ask.price));
  }

  double sigma_of(std::uint32_t instrument, double middle) {
    if (sigma_ > 0) return sigma_;
    if (instrument >= measured_.size()) measured_.resize(instrument + 1);
    Measured& measured = measured_[instrument];
    const double elapsed_s = static_cast<double>(period().count()) / 1e9;
    const double change = middle - measured.middle;
    if (measured.is_begun) {
      const double weight = std::min(1.0, elapsed_s / half_life_s_ * k_ln2);
      measured.variance += weight * (change * change / elapsed_s - measured.variance);
    }
    measured.is_begun = true;
    measured.middle = middle;
    return std::sqrt(measured.variance);
  }

  static constexpr double k_ln2 = 0.6931471805599453;
  double sigma_, half_life_s_, half_spread_ = 0, skew_ = 0;
  std::vector<Measured> measured_;
};

}  // namespace

std::unique_ptr<Strategy> make_touch(const Parameters& parameters) {
  return std::make_unique<TouchMaker>(parameters);
}
std::unique_ptr<Strategy> make_grid(const Parameters& parameters) {
  return std::make_unique<GridMaker>(parameters);
}
std::unique_ptr<Strategy> make_glft(const Parameters& parameters) {
  return std::make_unique<GlftMaker>(parameters);
}

}  // namespace dojima::backtest
