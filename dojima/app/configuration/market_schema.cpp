// The keys of a generated market: [market], [[segment]], [[instrument]], [[population]].

#include "dojima/app/configuration/market_schema.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

namespace dojima::app {
namespace {

using backtest::MarketConfig;
using backtest::MarketInstrument;
using backtest::Population;

constexpr std::array<std::string_view, backtest::k_population_kinds> k_population_names = {"noise", "value", "momentum",
                                                                                           "market_maker", "flow"};
/// By the place of flow::ArrivalModel.
constexpr std::array<std::string_view, 3> k_arrival_names = {"poisson", "bursts", "hawkes"};
constexpr std::int64_t k_ticks_max = 10'000;

/// How often something happens, in whole times a minute.
void describe_rate(std::string_view key, double& rate, std::int64_t lowest, std::string_view meaning,
                   ConfigVisitor& visitor) {
  auto a_minute = static_cast<std::int64_t>(std::llround(rate * 60));
  visitor.integer(key, a_minute, lowest, 60'000'000, meaning);
  rate = static_cast<double>(a_minute) / 60;
}

void describe_population(Population& of, ConfigVisitor& visitor) {
  describe_enum("kind", of.kind, k_population_names, "what they do", visitor);
  visitor.integer("count", of.count, 1, 10'000, "how many there are");
  describe_rate("actions_a_minute", of.rate, 1, "of each, at random times", visitor);
  visitor.integer("quantity_least", of.quantity_least, 1, 1'000'000, "smallest order");
  visitor.integer("quantity_most", of.quantity_most, 1, 1'000'000, "largest order; of a market maker: each side");
  visitor.integer("depth", of.depth, 1, k_ticks_max,
                  "ticks; noise: how far from the best price; market_maker, flow: from the middle");
  visitor.integer("threshold", of.threshold, 0, k_ticks_max,
                  "ticks; value: that a price must be away from the value; momentum: that it must have moved");
  visitor.integer("error", of.error, 0, k_ticks_max, "ticks; value: most that it is wrong about the value");
  visitor.integer("takes", of.takes, 0, 1000, "noise: of a thousand actions, those that take");
  visitor.integer("resting", of.resting, 1, 10'000, "noise, flow: orders that each keeps before it cancels one");
  visitor.integer("most_position", of.most_position, 1, 1'000'000'000,
                  "market_maker: beyond it, it quotes one side only");
  describe_enum("arrivals", of.arrivals, k_arrival_names, "flow: when its clients act", visitor);
  if (of.quantity_most < of.quantity_least) visitor.complain("quantity_most", "it is below quantity_least");
}

void describe_traded(MarketInstrument& of, ConfigVisitor& visitor) {
  visitor.text("symbol", of.symbol, 24, "what people call it");
  visitor.integer("price_decimals", of.price_decimals, 0, 9, "of its prices");
  visitor.integer("tick", of.tick, 1, 1'000'000'000, "smallest step, in units of the last decimal");
  visitor.integer("reference", of.reference, 1, 1'000'000'000'000,
                  "where prices start, in the same units, on the tick");
  visitor.text("segment", of.segment, 4, "a [[segment]], with auctions; empty: trades continuously");
  if (of.reference % of.tick != 0) visitor.complain("reference", "it is no multiple of the tick");
}

}  // namespace

void describe(MarketConfig& config, ConfigVisitor& visitor) {
  visitor.section("market", "what all share");
  auto seed = static_cast<std::int64_t>(config.seed);
  visitor.integer("seed", seed, 0, std::numeric_limits<std::int64_t>::max(), "the same seed, the same market");
  config.seed = static_cast<std::uint64_t>(seed);
  std::int64_t start_s = config.start.time_since_epoch() / std::chrono::seconds{1};
  visitor.integer("start_s", start_s, 0, 9'000'000'000, "seconds since 1970 when it begins");
  config.start = time::Time{std::chrono::seconds{start_s}};
  describe_whole<std::chrono::milliseconds>("length_ms", config.length, 1, 864'000'000, "how long it goes", visitor);
  describe_rate("news_a_minute", config.news_rate, 0, "moves of each instrument's value", visitor);
  visitor.integer("news_ticks", config.news_ticks, 1, k_ticks_max, "the largest of them");
  visitor.integer("value_range", config.value_range, 1, k_ticks_max,
                  "ticks that values stay within, either side of the reference price");
  visitor.integer("orders", config.orders, 0, 1 << 24, "room for live orders; 0: enough for these participants");
  visitor.section("", "");
  visitor.list("segment", config.segments, "timetables with auctions; times of day are UTC",
               [&](venue::Segment& row) { describe_segment(row, visitor); });
  visitor.list("instrument", config.instruments, "what is traded",
               [&](MarketInstrument& row) { describe_traded(row, visitor); });
  visitor.list("population", config.populations, "who trades",
               [&](Population& row) { describe_population(row, visitor); });
  if (config.populations.empty()) config.populations = backtest::standard_populations();
  const auto has_segment = [&](const std::string& name) {
    return name.empty() || std::ranges::any_of(config.segments, [&](const auto& one) { return one.name == name; });
  };
  for (std::size_t row = 0; row < config.instruments.size(); ++row)
    if (const std::string& name = config.instruments[row].segment; !has_segment(name))
      visitor.complain("instrument." + std::to_string(row) + ".segment", "there is no segment \"" + name + "\"");
  check_unique(config.instruments, &MarketInstrument::symbol, "instrument", "symbol", visitor);
  check_unique(config.segments, &venue::Segment::name, "segment", "name", visitor);
  if (!visitor.has_complained())
    if (const std::string wrong = complaint(config); !wrong.empty()) visitor.complain("market", wrong);
}

}  // namespace dojima::app
