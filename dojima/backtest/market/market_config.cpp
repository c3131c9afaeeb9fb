#include <algorithm>
#include <fmt/core.h>

#include "dojima/backtest/market.hpp"

namespace dojima::backtest {
namespace {

constexpr double k_rate_min = 0.001, k_rate_max = 1e6;
constexpr std::uint32_t k_count_max = 10'000;
constexpr Duration k_length_max = std::chrono::hours{240};
constexpr Time k_start_max = Time{std::chrono::seconds{9'000'000'000}};
constexpr std::size_t k_participants_max = 60'000;
constexpr std::size_t k_instruments_max = 100;
constexpr std::size_t k_orders_max = std::size_t{1} << 24;

/// What flow::OrderFlow wants beside the ranges that all kinds have.
std::string complaint_of_flow(const MarketConfig& config, const Population& of) {
  constexpr std::int64_t k_reach = 5;  // flow::FlowConfig::reach
  const double all = of.rate * of.count;
  if (!(all >= 1 && all <= 1e7)) return "flow: rate times count is a number from 1 to 10000000";
  for (const MarketInstrument& instrument : config.instruments)
    if (instrument.reference / instrument.tick <= config.value_range + std::max(of.depth, k_reach) + 1)
      return fmt::format("{}: the reference price is further above 0 than value_range and the depth of a flow",
                         instrument.symbol);
  return {};
}

}  // namespace

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
    case PopulationKind::flow:
      return "flow";
  }
  return "?";
}

std::vector<Population> standard_populations() {
  return {{.kind = PopulationKind::noise, .count = 20, .rate = 20},
          {.kind = PopulationKind::value, .count = 5, .rate = 10},
          {.kind = PopulationKind::momentum, .count = 5, .rate = 5, .threshold = 3},
          {.kind = PopulationKind::market_maker, .count = 3, .rate = 20, .quantity_most = 20, .depth = 3}};
}

std::size_t room_for_orders(const MarketConfig& config) {
  if (config.orders != 0) return config.orders;
  std::size_t room = 4096;
  for (const Population& of : config.populations) {
    // A market maker has an order on each side, a flow's client as many as it keeps and those on their way there.
    const std::size_t sides = of.kind == PopulationKind::flow ? 2 : 1;
    const std::size_t each = of.kind == PopulationKind::market_maker ? 2 : sides * of.resting;
    room += std::size_t{2} * of.count * each * config.instruments.size();
  }
  return std::min(room, k_orders_max);
}

std::string complaint(const MarketConfig& config) {
  if (config.length <= Duration{} || config.length > k_length_max)
    return "the length of a market is above 0, and at most ten days";
  if (config.start < Time{} || config.start > k_start_max) return "a market starts between 1970 and 2255";
  if (config.instruments.empty() || config.instruments.size() > k_instruments_max)
    return fmt::format("a market has 1 to {} instruments", k_instruments_max);
  if (config.populations.empty()) return "a market has a population";
  if (config.orders != 0 && (config.orders < 16 || config.orders > k_orders_max))
    return fmt::format("a market has room for 16 to {} orders", k_orders_max);
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
    if (of.price_decimals > 9) return fmt::format("{}: price_decimals is from 0 to 9", of.symbol);
    if (std::ranges::count(config.instruments, of.symbol, &MarketInstrument::symbol) != 1)
      return fmt::format("{}: there are two instruments of this symbol", of.symbol);
  }
  for (const venue::Segment& segment : config.segments)
    if (const char* trouble = venue::complaint(segment); trouble != nullptr)
      return fmt::format("segment {}: {}", segment.name, trouble);
  for (const venue::Segment& segment : config.segments)
    if (std::ranges::count(config.segments, segment.name, &venue::Segment::name) != 1)
      return fmt::format("segment {}: there are two of this name", segment.name);
  std::size_t participants = 0;
  for (const Population& of : config.populations) {
    const auto name = name_of(of.kind);
    participants += of.count;
    if (of.count < 1 || of.count > k_count_max) return fmt::format("{}: count is from 1 to {}", name, k_count_max);
    if (!(of.rate >= k_rate_min && of.rate <= k_rate_max))
      return fmt::format("{}: rate is a number from 0.001 to 1000000", name);
    if (of.quantity_least < 1 || of.quantity_most < of.quantity_least || of.quantity_most > 1'000'000)
      return fmt::format("{}: quantities are from 1 to 1000000, the most not below the least", name);
    if (of.depth < 1 || of.depth > 10'000) return fmt::format("{}: depth is from 1 to 10000 ticks", name);
    if (of.threshold < 0 || of.threshold > 10'000) return fmt::format("{}: threshold is from 0 to 10000 ticks", name);
    if (of.error < 0 || of.error > 10'000) return fmt::format("{}: error is from 0 to 10000 ticks", name);
    if (of.takes > 1000) return fmt::format("{}: takes is in thousandths, at most 1000", name);
    if (of.resting < 1 || of.resting > 10'000) return fmt::format("{}: resting is from 1 to 10000", name);
    if (of.most_position < 1 || of.most_position > 1'000'000'000)
      return fmt::format("{}: most_position is from 1 to 1000000000", name);
    if (of.kind == PopulationKind::flow)
      if (std::string trouble = complaint_of_flow(config, of); !trouble.empty()) return trouble;
  }
  if (participants > k_participants_max) return fmt::format("a market has at most {} participants", k_participants_max);
  return {};
}

}  // namespace dojima::backtest
