#include "dojima/backtest/market.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <stdexcept>

#include "dojima/backtest/market/market_venue.hpp"
#include "dojima/flow/random.hpp"

namespace dojima::backtest {
namespace {

constexpr double k_rate_max = 1e6;
constexpr std::uint32_t k_count_max = 10'000;
constexpr std::size_t k_participants_max = 60'000;

/// Somebody who trades.
struct Participant {
  std::uint16_t user = 0;
  const Population* habits = nullptr;
  std::vector<std::int64_t> last_middle;            // momentum: twice the middle at its last look, by instrument
  std::vector<std::vector<std::uint64_t>> entered;  // noise: its orders by name, the oldest first, by instrument
};

}  // namespace

/// Exchange, stream and participants.
class Market::Parts final : public Exchange, public EventStream {
 public:
  explicit Parts(const MarketConfig& config)
      : config_(config), random_(config.seed), venue_(config_, participants_in(config), *this) {
    for (const MarketInstrument& of : config.instruments) {
      instruments_.push_back({.symbol = of.symbol,
                              .number = instruments_.size() + 1,
                              .price_decimals = of.price_decimals,
                              .quantity_decimals = 0,
                              .tick = of.tick});
      values_.push_back(0);
    }
    double rate = 0;
    for (const Population& population : config_.populations) {
      for (std::uint32_t at = 0; at < population.count; ++at) {
        rate += population.rate;
        Participant one{.user = static_cast<std::uint16_t>(participants_.size() + 1), .habits = &population};
        one.last_middle.resize(config.instruments.size());
        one.entered.resize(config.instruments.size());
        participants_.push_back(std::move(one));
      }
      rates_.push_back(rate);
    }
    rate += config_.news_rate * static_cast<double>(config.instruments.size());
    rates_.push_back(rate);
    // Whole numbers from here on.
    mean_gap_ns_ = static_cast<std::uint64_t>(1e9 / rate);
    next_action_ = config.start;
    draw_next();
  }

  // EventStream: one event for each instant at which something happens here.
  std::span<const RecordedEvent> next_batch() override {
    const Time at = std::min(next_action_, venue_.next_phase());
    if (at >= config_.start + config_.length) return {};
    tick_ = {};
    tick_.event_time = at;
    tick_.kind = recorded::EventKind::notice;
    return {&tick_, 1};
  }
  const std::vector<RecordedInstrument>& instruments() const override { return instruments_; }

  // Exchange
  void on_event(const RecordedEvent&, std::span<const RecordedInstrument>, Time now) override {
    venue_.keep_time(now);
    if (next_action_ > now) return;
    act(now);
    draw_next();
  }
  void on_request(const Request& request, Time now) override { venue_.on_request(request, now); }
  [[nodiscard]] std::optional<DepthLevel> best(std::uint32_t instrument, Side side) const override {
    if (instrument >= instruments_.size()) return std::nullopt;
    const auto price = venue_.book(instrument).best(side);
    if (!price) return std::nullopt;
    return DepthLevel{price->units, venue_.book(instrument).total(side, *price).lots};
  }
  [[nodiscard]] std::size_t resting() const override { return venue_.own_resting(); }
  [[nodiscard]] const ExchangeCounts& counts() const override { return venue_.counts(); }
  [[nodiscard]] bool makes_market() const noexcept override { return true; }

  [[nodiscard]] const MarketCounts& market_counts() {
    MarketCounts& counts = venue_.market_counts();
    counts.positions = {};
    for (const Participant& one : participants_)
      for (std::uint32_t instrument = 0; instrument < instruments_.size(); ++instrument)
        counts.positions[static_cast<std::size_t>(one.habits->kind)] += venue_.position(one.user, instrument);
    return counts;
  }
  [[nodiscard]] std::int64_t value(std::uint32_t instrument) const noexcept {
    return config_.instruments[instrument].reference + values_[instrument] * config_.instruments[instrument].tick;
  }
  [[nodiscard]] std::uint64_t digest() const { return venue_.digest(); }

 private:
  static std::size_t participants_in(const MarketConfig& config) {
    if (const std::string trouble = complaint(config); !trouble.empty()) throw std::invalid_argument(trouble);
    std::size_t participants = 0;
    for (const Population& population : config.populations) participants += population.count;
    return participants;
  }
  void draw_next() {
    __extension__ using Wide = unsigned __int128;
    const std::uint64_t gap_q32 = flow::exponential_q32(random_.next());
    next_action_ += Duration{static_cast<std::int64_t>((static_cast<Wide>(gap_q32) * mean_gap_ns_) >> 32) + 1};
  }
  /// -most to most.
  [[nodiscard]] std::int64_t around(std::int64_t most) {
    return static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(2 * most + 1))) - most;
  }
  [[nodiscard]] Side any_side() { return random_.below(2) == 0 ? Side::buy : Side::sell; }

  void act(Time now) {
    ++venue_.market_counts().actions;
    // In thousandths of the smallest share, so that no draw is a fraction.
    const double draw = static_cast<double>(random_.below(std::uint64_t{1} << 53)) * 0x1p-53 * rates_.back();
    const auto place = static_cast<std::size_t>(std::ranges::upper_bound(rates_, draw) - rates_.begin());
    const auto instrument = static_cast<std::uint32_t>(random_.below(instruments_.size()));
    if (place >= config_.populations.size()) return move_value(instrument);
    std::size_t first = 0;
    for (std::size_t before = 0; before < place; ++before) first += config_.populations[before].count;
    Participant& one = participants_[first + random_.below(config_.populations[place].count)];
    switch (one.habits->kind) {
      case PopulationKind::noise:
        return act_on_noise(one, instrument, now);
      case PopulationKind::value:
        return act_on_value(one, instrument, now);
      case PopulationKind::momentum:
        return act_on_momentum(one, instrument, now);
      case PopulationKind::market_maker:
        return make_market(one, instrument, now);
    }
  }

  /// By up to news_ticks, the likelier towards the reference the further away it is.
  void move_value(std::uint32_t instrument) {
    std::int64_t& value = values_[instrument];
    const auto size = static_cast<std::int64_t>(1 + random_.below(static_cast<std::uint64_t>(config_.news_ticks)));
    const std::int64_t pull = around(config_.value_range);
    value += pull < value ? -size : size;
    value = std::clamp(value, -config_.value_range, config_.value_range);
  }

  /// In ticks.
  struct Sight {
    std::int64_t bid, ask;
    bool has_bid, has_ask;
  };
  [[nodiscard]] Sight look(std::uint32_t instrument) const {
    const auto bid = venue_.book(instrument).best(Side::buy), ask = venue_.book(instrument).best(Side::sell);
    const MarketInstrument& of = config_.instruments[instrument];
    const std::int64_t reference = of.reference / of.tick;
    return {.bid = bid   ? bid->units / of.tick
                   : ask ? ask->units / of.tick - 1
                         : reference - 1,
            .ask = ask   ? ask->units / of.tick
                   : bid ? bid->units / of.tick + 1
                         : reference + 1,
            .has_bid = bid.has_value(),
            .has_ask = ask.has_value()};
  }

  /// Answers its name.
  std::uint64_t enter(const Participant& one, std::uint32_t instrument, Side side, std::int64_t ticks, bool takes,
                      Time now) {
    market::NewOrder order;
    const std::int64_t tick = config_.instruments[instrument].tick;
    const Population& habits = *one.habits;
    order.terms.limit = {ticks * tick};
    order.terms.quantity = order.terms.displayed = {
        habits.quantity_least + static_cast<std::int64_t>(random_.below(
                                    static_cast<std::uint64_t>(habits.quantity_most - habits.quantity_least + 1)))};
    order.terms.owner = one.user;
    order.terms.side = side;
    order.terms.type = market::OrderType::limit;
    // In a call nothing can be taken at once.
    const bool is_continuous = venue_.book(instrument).phase() == market::Phase::continuous;
    order.terms.time_in_force =
        takes && is_continuous ? market::TimeInForce::immediate_or_cancel : market::TimeInForce::day;
    order.terms.capacity = market::Capacity::dealing;
    order.labels.client_order_id = Text<20>::cut(std::to_string(++names_));
    venue_.submit(order, instrument, one.user, now);
    return names_;
  }

  void act_on_noise(Participant& one, std::uint32_t instrument, Time now) {
    const Side side = any_side();
    const Sight sight = look(instrument);
    if (random_.below(1000) < one.habits->takes) {
      const bool is_there = side == Side::buy ? sight.has_ask : sight.has_bid;
      if (is_there) enter(one, instrument, side, side == Side::buy ? sight.ask : sight.bid, true, now);
      return;
    }
    std::vector<std::uint64_t>& entered = one.entered[instrument];
    if (entered.size() >= one.habits->resting) {
      market::Cancel cancel;
      cancel.original_client_order_id = Text<20>::cut(std::to_string(entered.front() / 2));
      cancel.client_order_id = Text<20>::cut(std::to_string(++names_));
      cancel.side = entered.front() % 2 == 0 ? Side::buy : Side::sell;
      entered.erase(entered.begin());
      venue_.submit(cancel, instrument, one.user, now);
    }
    const auto away = static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(one.habits->depth + 1)));
    const std::int64_t ticks = side == Side::buy ? sight.ask - 1 - away : sight.bid + 1 + away;
    const std::uint64_t name = enter(one, instrument, side, ticks, false, now);
    entered.push_back(name * 2 + (side == Side::buy ? 0 : 1));
  }

  void act_on_value(const Participant& one, std::uint32_t instrument, Time now) {
    const MarketInstrument& of = config_.instruments[instrument];
    const std::int64_t value = of.reference / of.tick + values_[instrument] + around(one.habits->error);
    const Sight sight = look(instrument);
    if (sight.has_ask && sight.ask + one.habits->threshold <= value)
      enter(one, instrument, Side::buy, sight.ask, true, now);
    else if (sight.has_bid && sight.bid - one.habits->threshold >= value)
      enter(one, instrument, Side::sell, sight.bid, true, now);
  }

  void act_on_momentum(Participant& one, std::uint32_t instrument, Time now) {
    const Sight sight = look(instrument);
    if (!sight.has_bid || !sight.has_ask) return;
    const std::int64_t middle = sight.bid + sight.ask, before = std::exchange(one.last_middle[instrument], middle);
    if (before == 0) return;
    if (middle - before >= 2 * one.habits->threshold) enter(one, instrument, Side::buy, sight.ask, true, now);
    if (before - middle >= 2 * one.habits->threshold) enter(one, instrument, Side::sell, sight.bid, true, now);
  }

  void make_market(const Participant& one, std::uint32_t instrument, Time now) {
    const Sight sight = look(instrument);
    const Population& habits = *one.habits;
    const std::int64_t tick = config_.instruments[instrument].tick;
    const std::int64_t held = venue_.position(one.user, instrument);
    // A tick for each tenth of what it may hold, away from where it holds.
    const std::int64_t skew = -held * 10 / std::max<std::int64_t>(habits.most_position, 1);
    const std::int64_t middle = (sight.bid + sight.ask) / 2 + skew;
    const std::int64_t half = 1 + static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(habits.depth)));
    market::Quote quote;
    quote.bid = {(middle - half) * tick};
    quote.ask = {(middle + half) * tick};
    quote.bid_size = {held >= habits.most_position ? 0 : habits.quantity_most};
    quote.ask_size = {held <= -habits.most_position ? 0 : habits.quantity_most};
    quote.capacity = market::Capacity::dealing;
    quote.labels.client_order_id = Text<20>::cut(std::to_string(++names_));
    venue_.submit(quote, instrument, one.user, now);
  }

  MarketConfig config_;
  flow::Random random_;
  MarketVenue venue_;
  std::vector<RecordedInstrument> instruments_;
  std::vector<std::int64_t> values_;  // ticks from the reference
  std::vector<Participant> participants_;
  std::vector<double> rates_;  // summed, by population; the last is the news
  std::uint64_t mean_gap_ns_ = 0;
  Time next_action_{};
  std::uint64_t names_ = 0;
  RecordedEvent tick_{};
};

std::string_view name_of(PopulationKind kind) noexcept {
  switch (kind) {
    case PopulationKind::noise:
      return "noise";
    case PopulationKind::value:
      return "value";
    case PopulationKind::momentum:
      return "momentum";
    case PopulationKind::market_maker:
      return "market_maker";
  }
  return "?";
}

std::vector<Population> standard_populations() {
  return {{.kind = PopulationKind::noise, .count = 20, .rate = 20},
          {.kind = PopulationKind::value, .count = 5, .rate = 10},
          {.kind = PopulationKind::momentum, .count = 5, .rate = 5, .threshold = 3},
          {.kind = PopulationKind::market_maker, .count = 3, .rate = 20, .quantity_most = 20, .depth = 3}};
}

std::string complaint(const MarketConfig& config) {
  if (config.length <= Duration{}) return "the length of a market is above 0";
  if (config.instruments.empty()) return "a market has an instrument";
  if (config.populations.empty()) return "a market has a population";
  if (config.orders < 16) return "a market has room for 16 orders at least";
  if (!(config.news_rate >= 0 && config.news_rate <= k_rate_max)) return "news_rate is a number from 0 to 1000000";
  if (config.news_ticks < 1 || config.news_ticks > 10'000) return "news_ticks is a whole number from 1 to 10000";
  if (config.value_range < 1 || config.value_range > 10'000) return "value_range is a whole number from 1 to 10000";
  for (const MarketInstrument& of : config.instruments) {
    const bool is_fine = of.tick > 0 && of.tick <= 1'000'000'000 && of.reference > 0 && of.reference % of.tick == 0 &&
                         of.reference <= 1'000'000'000'000 && of.reference / of.tick > config.value_range + 1;
    if (!is_fine)
      return fmt::format(
          "{}: the reference price is a multiple of the tick, and further above 0 than value_range ticks", of.symbol);
    const bool has_segment = of.segment.empty() || std::ranges::any_of(config.segments, [&](const venue::Segment& one) {
                               return one.name == of.segment;
                             });
    if (!has_segment) return fmt::format("{}: there is no segment \"{}\"", of.symbol, of.segment);
  }
  for (const venue::Segment& segment : config.segments)
    if (const char* trouble = venue::complaint(segment); trouble != nullptr)
      return fmt::format("segment {}: {}", segment.name, trouble);
  std::size_t participants = 0;
  for (const Population& of : config.populations) {
    const auto name = name_of(of.kind);
    participants += of.count;
    if (of.count < 1 || of.count > k_count_max) return fmt::format("{}: count is from 1 to {}", name, k_count_max);
    if (!(of.rate > 0 && of.rate <= k_rate_max)) return fmt::format("{}: rate is above 0, at most 1000000", name);
    if (of.quantity_least < 1 || of.quantity_most < of.quantity_least || of.quantity_most > 1'000'000)
      return fmt::format("{}: quantities are from 1 to 1000000, the most not below the least", name);
    if (of.depth < 1 || of.depth > 10'000) return fmt::format("{}: depth is from 1 to 10000 ticks", name);
    if (of.threshold < 0 || of.threshold > 10'000) return fmt::format("{}: threshold is from 0 to 10000 ticks", name);
    if (of.error < 0 || of.error > 10'000) return fmt::format("{}: error is from 0 to 10000 ticks", name);
    if (of.takes > 1000) return fmt::format("{}: takes is in thousandths, at most 1000", name);
    if (of.resting < 1 || of.resting > 10'000) return fmt::format("{}: resting is from 1 to 10000", name);
    if (of.most_position < 1 || of.most_position > 1'000'000'000)
      return fmt::format("{}: most_position is from 1 to 1000000000", name);
  }
  if (participants > k_participants_max) return fmt::format("a market has at most {} participants", k_participants_max);
  return {};
}

Market::Market(const MarketConfig& config) : parts_(std::make_unique<Parts>(config)) {}
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
std::uint64_t Market::digest() const {
  return parts_->digest();
}

}  // namespace dojima::backtest
