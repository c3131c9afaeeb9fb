#include "dojima/app/road/fix_road.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "dojima/app/trade/fix/fix_trade_session.hpp"
#include "dojima/app/trade/live/live_orders.hpp"
#include "dojima/app/trade/live/order_market.hpp"
#include "dojima/gateway/gateway.hpp"
#include "dojima/link/simulated_network.hpp"
#include "dojima/market/price.hpp"
#include "dojima/venue/front.hpp"
#include "dojima/venue/partition.hpp"

namespace dojima::app {
namespace {

using time::Duration;
using time::Time;

constexpr const char* k_strategy_name = "STRATEGY";
constexpr const char* k_gateway_name = "DOJIMA";
constexpr const char* k_password = "strategy";
constexpr std::size_t k_venue_sessions = 4;
/// Sessions are there before the market begins.
constexpr Duration k_set_up = std::chrono::seconds{60};
constexpr Duration k_longest_delay = std::chrono::seconds{1};
/// From the client to the gateway, to the venue, and back.
constexpr int k_ways = 4;

venue::FrontConfig front_config(std::size_t users, std::uint16_t user) {
  venue::FrontConfig config;
  config.users.resize(users);  // the participants are in the venue itself
  config.users.at(user).name = k_strategy_name;
  config.users.at(user).password = k_password;
  config.sessions = k_venue_sessions;
  return config;
}

gateway::GatewayConfig gateway_config(const backtest::MarketConfig& market, const FixRoadOptions& options) {
  gateway::GatewayConfig config{.comp_id = k_gateway_name};
  config.clients.push_back({.comp_id = k_strategy_name,
                            .version = options.version,
                            .venue_user = k_strategy_name,
                            .venue_password = k_password});
  std::uint32_t id = 0;
  for (const backtest::MarketInstrument& of : market.instruments)
    config.symbols.push_back({.symbol = of.symbol, .instrument = ++id, .reference = {of.reference}});
  return config;
}

const backtest::MarketConfig& checked(const backtest::MarketConfig& market, const FixRoadOptions& options) {
  for (const backtest::MarketInstrument& of : market.instruments)
    if (of.price_decimals != market::k_price_decimals)
      throw std::invalid_argument(of.symbol + ": over FIX and MIT203 prices have eight decimals");
  for (const Duration each : {options.delay, options.jitter})
    if (each < Duration{} || each > k_longest_delay)
      throw std::invalid_argument("the delay of a connection is from 0 to a second");
  return market;
}

/// Client, gateway and front. The partition is the market's.
class FixRoad final : public backtest::OrderRoad, public TradeSessionHandler, public OrderMarket {
 public:
  FixRoad(const FixRoadOptions& options, venue::Partition& partition, std::uint16_t user,
          const backtest::MarketConfig& market)
      : options_(options),
        gateway_config_(gateway_config(checked(market, options), options)),
        scheduler_(timers(gateway_config_), market.start - k_set_up),
        network_(scheduler_, {.seed = options.seed, .delay = options.delay, .jitter = options.jitter}),
        partitions_{&partition},
        front_(front_config(partition.users(), user), scheduler_, partitions_),
        gateway_(gateway_config_, network_, scheduler_),
        trade_{.gateways = {k_gateway_at},
               .version = options.version,
               .sender = k_strategy_name,
               .target = k_gateway_name},
        session_(scheduler_, network_, trade_, *this),
        orders_(blotter_, *this, session_, reports_, "S", [this](const std::string& line) { note(line); }) {
    for (const backtest::MarketInstrument& of : market.instruments)
      instruments_.push_back({.symbol = of.symbol,
                              .number = instruments_.size() + 1,
                              .price_decimals = market::k_price_decimals,
                              .tick = of.tick});
    set_up(market.start);
  }

  // backtest::OrderRoad
  [[nodiscard]] Time next_time() const override {
    return orders_.has_unsent() ? std::min(unsent_due_, scheduler_.next_due()) : scheduler_.next_due();
  }
  void pass(Time now) override {
    if (orders_.has_unsent() && now >= unsent_due_) orders_.report_unsent();
    settle(now);
  }
  void on_request(const backtest::Request& request, Time now) override {
    settle(now);
    const bool had_unsent = orders_.has_unsent();
    orders_.send(request, now);
    if (!had_unsent) unsent_due_ = now + Duration{1};
    settle(now);
  }
  [[nodiscard]] std::vector<backtest::Report> take_reports() override { return std::exchange(reports_, {}); }
  [[nodiscard]] Duration round_trip() const override { return k_ways * (options_.delay + options_.jitter); }
  [[nodiscard]] std::size_t resting() const override { return blotter_.open_count(); }
  [[nodiscard]] const backtest::ExchangeCounts& counts() const override { return orders_.counts(); }

  // TradeSessionHandler
  void on_attempt(Time) override {}
  void on_logged_on(const std::string&, Time) override { is_logged_on_ = true; }
  void on_note(const std::string& line) override { note(line); }
  void on_logged_out(const std::string& line) override { note(line); }
  void on_closed() override { is_logged_on_ = false; }
  void on_gave_up() override {}
  void on_report(const TradeReport& report, Time now) override { orders_.on_report(report, now); }
  void on_refused(const std::string& id, const std::string& text) override {
    orders_.on_refused(id, text, scheduler_.now());
  }

  // OrderMarket
  [[nodiscard]] const std::vector<recorded::RecordedInstrument>& instruments() const override { return instruments_; }
  [[nodiscard]] std::uint32_t place_of(std::string_view symbol) const override {
    const auto found = std::ranges::find(instruments_, symbol, &recorded::RecordedInstrument::symbol);
    return static_cast<std::uint32_t>(found - instruments_.begin());
  }
  void take_own(std::uint64_t, std::uint32_t, Time) override {}  // the market knows whose order is whose
  void note_news() override {}

 private:
  inline static const link::Address k_venue_at{"127.0.0.1", 9001};
  inline static const link::Address k_gateway_at{"127.0.0.1", 9878};

  [[nodiscard]] static std::size_t timers(const gateway::GatewayConfig& config) {
    constexpr std::size_t k_streams = 8, k_timers_per_stream = 4;
    return venue::Front::timers(k_venue_sessions) + gateway::Gateway::timers(config) + FixTradeSession::timers() +
           k_streams * k_timers_per_stream;
  }

  void note(const std::string& line) const {
    if (options_.print) options_.print(line);
  }

  void set_up(Time start) {
    if (!network_.listen(k_venue_at, front_) || !gateway_.start(k_gateway_at, k_venue_at))
      throw std::runtime_error("the simulated network refuses the gateway");
    session_.start(scheduler_.now());
    while (scheduler_.next_due() <= start && !(is_logged_on_ && gateway_.is_venue_ready(0)))
      settle(scheduler_.next_due());
    if (!is_logged_on_ || !gateway_.is_venue_ready(0))
      throw std::runtime_error("no session of the strategy with the gateway, or of the gateway with the venue");
    while (scheduler_.next_due() < start) settle(scheduler_.next_due());
  }

  /// All that happens until then, instant by instant: what was written in one leaves with it.
  void settle(Time now) {
    do {
      while (!scheduler_.check(now, sched::Loop::k_max_events).is_drained) {
      }
      front_.finish(now);
      gateway_.release();
      network_.finish(now);
    } while (scheduler_.next_due() <= now);
  }

  FixRoadOptions options_;
  gateway::GatewayConfig gateway_config_;
  sched::Scheduler scheduler_;
  link::SimulatedNetwork network_;
  std::array<venue::Partition*, 1> partitions_;
  venue::Front front_;
  gateway::Gateway gateway_;
  TradeOptions trade_;
  FixTradeSession session_;
  Blotter blotter_;
  std::vector<recorded::RecordedInstrument> instruments_;
  std::vector<backtest::Report> reports_;
  LiveOrders orders_;
  Time unsent_due_{};
  bool is_logged_on_ = false;
};

}  // namespace

std::expected<backtest::MarketConfig, std::string> with_eight_decimals(backtest::MarketConfig config) {
  for (backtest::MarketInstrument& of : config.instruments) {
    if (of.price_decimals > market::k_price_decimals)
      return std::unexpected(of.symbol + ": over FIX and MIT203 prices have at most eight decimals");
    for (; of.price_decimals < market::k_price_decimals; ++of.price_decimals)
      if (__builtin_mul_overflow(of.tick, 10, &of.tick) || __builtin_mul_overflow(of.reference, 10, &of.reference))
        return std::unexpected(of.symbol + ": its prices do not fit into eight decimals");
  }
  if (const std::string trouble = complaint(config); !trouble.empty())
    return std::unexpected("with prices of eight decimals: " + trouble);
  return config;
}

backtest::MakeOrderRoad fix_road(FixRoadOptions options) {
  return [options = std::move(options)](venue::Partition& partition, std::uint16_t user,
                                        const backtest::MarketConfig& config) {
    return std::make_unique<FixRoad>(options, partition, user, config);
  };
}

}  // namespace dojima::app
