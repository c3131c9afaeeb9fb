#include "dojima/backtest/market.hpp"

#include <algorithm>
#include <stdexcept>

#include "dojima/backtest/market/crowd.hpp"
#include "dojima/backtest/market/market_venue.hpp"

namespace dojima::backtest {
namespace {

const MarketConfig& checked(const MarketConfig& config) {
  if (const std::string trouble = complaint(config); !trouble.empty()) throw std::invalid_argument(trouble);
  return config;
}

}  // namespace

/// Exchange and stream.
class Market::Parts final : public Exchange, public EventStream {
 public:
  Parts(const MarketConfig& config, journal::Journal* journal, const MakeOrderRoad& make_road)
      : config_(checked(config)), venue_(config_, *this, journal), crowd_(config_, venue_) {
    if (make_road) venue_.by_strategy([&] { road_ = make_road(venue_.partition(), k_strategy_user, config_); });
    for (const MarketInstrument& of : config_.instruments)
      instruments_.push_back({.symbol = of.symbol,
                              .number = instruments_.size() + 1,
                              .price_decimals = of.price_decimals,
                              .quantity_decimals = 0,
                              .tick = of.tick});
  }

  // EventStream: one event for each instant at which something happens here.
  std::span<const RecordedEvent> next_batch() override {
    const Time at = next();
    if (at >= end()) {
      reached_ = end();
      return {};
    }
    tick_ = {};
    tick_.event_time = reached_ = at;
    tick_.kind = recorded::EventKind::notice;
    return {&tick_, 1};
  }
  const std::vector<RecordedInstrument>& instruments() const override { return instruments_; }

  // Exchange
  void on_event(const RecordedEvent&, std::span<const RecordedInstrument>, Time now) override {
    if (venue_.next_phase() <= now) venue_.keep_time(now);
    if (crowd_.next() <= now) crowd_.act(now);
    if (road_) pass(now);
  }
  [[nodiscard]] bool keep_books(FeedBooks* books) override {
    if (road_) return false;
    venue_.keep_books(books, instruments_);
    return true;
  }
  void run_ahead(Time bound, std::size_t most, Time& now, std::uint64_t& number) override {
    if (venue_.next_phase() <= now) venue_.keep_time(now);
    crowd_.run_ahead(std::min(bound, end()), most, now, number);
    reached_ = now;
  }
  void on_request(const Request& request, Time now) override {
    if (!road_) return venue_.on_request(request, now);
    if (reached_ >= end()) return refuse(request, now);
    by_road([&] { road_->on_request(request, now); });
  }
  [[nodiscard]] bool has_own_time() const noexcept override { return road_ != nullptr; }
  [[nodiscard]] Time next_time() override {
    if (!road_) return time::k_never;
    // What is on its way at the end arrives.
    const Time at = std::max(road_->next_time(), config_.start);
    return at <= end() + road_->round_trip() ? at : time::k_never;
  }
  void pass(Time now) override {
    by_road([&] { road_->pass(now); });
  }
  [[nodiscard]] std::optional<DepthLevel> best(std::uint32_t instrument, Side side) const override {
    if (instrument >= instruments_.size()) return std::nullopt;
    const auto price = venue_.book(instrument).best(side);
    if (!price) return std::nullopt;
    return DepthLevel{price->units, venue_.book(instrument).total(side, *price).lots};
  }
  [[nodiscard]] std::size_t resting() const override { return road_ ? road_->resting() : venue_.own_resting(); }
  [[nodiscard]] const ExchangeCounts& counts() const override { return road_ ? road_->counts() : venue_.counts(); }
  [[nodiscard]] bool makes_market() const noexcept override { return true; }

  [[nodiscard]] const MarketCounts& market_counts() {
    MarketCounts& counts = venue_.market_counts();
    counts.positions = crowd_.positions();
    return counts;
  }
  [[nodiscard]] std::int64_t value(std::uint32_t instrument) const noexcept {
    return config_.instruments[instrument].reference + crowd_.value(instrument) * config_.instruments[instrument].tick;
  }
  [[nodiscard]] double done() const noexcept {
    return static_cast<double>((reached_ - config_.start).count()) / static_cast<double>(config_.length.count());
  }
  [[nodiscard]] const MarketVenue& venue() const noexcept { return venue_; }

 private:
  [[nodiscard]] Time end() const noexcept { return config_.start + config_.length; }
  template <class Do>
  void by_road(Do work) {
    venue_.by_strategy(work);
    for (const Report& report : road_->take_reports()) reports.push_back(report);
  }
  /// Behind the end of the market nothing leaves for it.
  void refuse(const Request& request, Time now) {
    Report& report = reports.emplace_back();
    report = {.order = request.order, .at = now, .price = request.terms.price, .instrument = request.terms.instrument};
    report.kind = request.kind == RequestKind::submit ? ReportKind::rejected : ReportKind::request_rejected;
    report.quantity = request.kind == RequestKind::submit ? request.terms.quantity : 0;
    report.side = request.terms.side;
    report.reason = market::Reason::book_closed;
  }
  [[nodiscard]] Time next() const noexcept { return std::max(reached_, std::min(crowd_.next(), venue_.next_phase())); }

  MarketConfig config_;
  MarketVenue venue_;
  Crowd crowd_;
  std::unique_ptr<OrderRoad> road_;  // null: there is none
  std::vector<RecordedInstrument> instruments_;
  Time reached_ = config_.start;
  RecordedEvent tick_{};
};

Market::Market(const MarketConfig& config, journal::Journal* journal, const MakeOrderRoad& make_road)
    : parts_(std::make_unique<Parts>(config, journal, make_road)) {}
Market::~Market() = default;
EventStream& Market::stream() noexcept {
  return *parts_;
}
Exchange& Market::exchange() noexcept {
  return *parts_;
}
const MarketCounts& Market::counts() const noexcept {
  return parts_->market_counts();
}
std::int64_t Market::value(std::uint32_t instrument) const noexcept {
  return parts_->value(instrument);
}
std::int64_t Market::own_position(std::uint32_t instrument) const noexcept {
  return parts_->venue().position(k_strategy_user, instrument);
}
Money Market::own_cash(std::uint32_t instrument) const noexcept {
  return parts_->venue().cash(k_strategy_user, instrument);
}
std::int64_t Market::position_of_all(std::uint32_t instrument) const noexcept {
  std::int64_t sum = 0;
  for (std::size_t user = 0; user < parts_->venue().users(); ++user)
    sum += parts_->venue().position(static_cast<std::uint16_t>(user), instrument);
  return sum;
}
Money Market::cash_of_all(std::uint32_t instrument) const noexcept {
  Money sum = 0;
  for (std::size_t user = 0; user < parts_->venue().users(); ++user)
    sum += parts_->venue().cash(static_cast<std::uint16_t>(user), instrument);
  return sum;
}
double Market::done() const noexcept {
  return parts_->done();
}
std::uint64_t Market::digest() const {
  return parts_->venue().digest();
}

}  // namespace dojima::backtest
