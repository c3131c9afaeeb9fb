// What the axes of a sweep are made from: lists and ranges of values, and the settings of a run that they may name.

#include <algorithm>
#include <fmt/core.h>

#include "dojima/backtest/sweep.hpp"
#include "dojima/market/price.hpp"

namespace dojima::backtest {
namespace {

/// A range's number: "12.50ms" is 12.50 and "ms".
struct NumberAndUnit {
  std::string_view number, unit;
};

NumberAndUnit split_unit(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && (text[end] == '-' || text[end] == '.' || (text[end] >= '0' && text[end] <= '9'))) ++end;
  return {text.substr(0, end), text.substr(end)};
}

unsigned decimals_of(std::string_view number) {
  const std::size_t point = number.find('.');
  return point == std::string_view::npos ? 0 : static_cast<unsigned>(number.size() - point - 1);
}

std::expected<std::vector<std::string>, std::string> values_of_range(std::string_view text) {
  constexpr std::string_view k_dots = "..";
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(k_dots, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + k_dots.size();
  }
  const auto wrong = [&] {
    return std::unexpected("\"" + std::string(text) + "\" is no range: FROM..TO or FROM..TO..STEP, numbers with the " +
                           "same unit and a step above 0, such as 0..10, 0.1..0.5..0.2 or 10ms..50ms..10ms");
  };
  if (parts.size() < 2 || parts.size() > 3) return wrong();
  const std::string one = "1" + std::string(split_unit(parts[0]).unit);
  if (parts.size() == 2) parts.emplace_back(one);
  unsigned decimals = 0;
  for (const std::string_view part : parts) {
    if (split_unit(part).unit != split_unit(parts[0]).unit) return wrong();
    decimals = std::max(decimals, decimals_of(split_unit(part).number));
  }
  if (decimals > market::k_scaled_decimals_max / 2) return wrong();
  std::int64_t numbers[3] = {};
  for (std::size_t at = 0; at < 3; ++at) {
    const auto value = market::parse_scaled(split_unit(parts[at]).number, decimals, "a number");
    if (!value) return wrong();
    numbers[at] = *value;
  }
  const auto [from, to, step] = numbers;
  if (step <= 0 || to < from) return wrong();
  if ((to - from) / step >= static_cast<std::int64_t>(k_axis_values_max))
    return std::unexpected("\"" + std::string(text) + "\" has more than " + std::to_string(k_axis_values_max) +
                           " values");
  std::vector<std::string> values;
  for (std::int64_t value = from; value <= to; value += step) {
    char buffer[market::k_scaled_text_max];
    values.push_back(std::string(market::format_scaled(value, decimals, buffer)) +
                     std::string(split_unit(parts[0]).unit));
  }
  return values;
}

}  // namespace

std::expected<SweepAxis, std::string> parse_axis(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    return std::unexpected("--set takes NAME=VALUE, NAME=VALUE,VALUE or NAME=FROM..TO..STEP; got \"" +
                           std::string(text) + "\"");
  SweepAxis axis{.name = std::string(text.substr(0, equals))};
  std::string_view rest = text.substr(equals + 1);
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view value = rest.substr(0, comma);
    // A file's name may have two dots in it, but then it has a colon before.
    if (value.find("..") != std::string_view::npos && value.find(':') == std::string_view::npos) {
      auto values = values_of_range(value);
      if (!values) return std::unexpected(axis.name + ": " + values.error());
      axis.values.insert(axis.values.end(), values->begin(), values->end());
    } else {
      axis.values.emplace_back(value);
    }
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  std::vector<std::string> sorted = axis.values;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    return std::unexpected(axis.name + " has the value \"" + *twice + "\" twice");
  return axis;
}

std::expected<void, std::string> apply_run_setting(BacktestSettings& settings, std::string_view name,
                                                   std::string_view value) {
  const auto take = [&](auto& place, auto parsed) -> std::expected<void, std::string> {
    if (!parsed) return std::unexpected(std::string(name) + ": " + parsed.error());
    place = *parsed;
    return {};
  };
  const auto wrong = [&](const char* words) -> std::expected<void, std::string> {
    return std::unexpected(fmt::format("{} takes {}; got \"{}\"", name, words, value));
  };
  LatencyTexts& latencies = settings.latencies;
  for (const auto& [setting, text] : {std::pair{"run.entry", &latencies.entry},
                                      {"run.response", &latencies.response},
                                      {"run.feed", &latencies.feed},
                                      {"run.computing", &latencies.computing}})
    if (name == setting) {
      *text = std::string(value);
      return {};
    }
  if (name == "run.queue") return take(settings.exchange.queue, parse_queue_model(value));
  if (name == "run.silence") return take(settings.exchange.silence, parse_duration(value));
  if (name == "run.maker_fee") return take(settings.fees.maker, parse_rate(value));
  if (name == "run.taker_fee") return take(settings.fees.taker, parse_rate(value));
  if (name == "run.exchange") {
    for (const ExchangeKind kind : {ExchangeKind::levels, ExchangeKind::orders, ExchangeKind::match}) {
      if (name_of(kind) != value) continue;
      settings.exchange.kind = kind;
      return {};
    }
    return wrong("levels, orders or match");
  }
  if (name == "run.fills") {
    for (const FillRule rule : {FillRule::partial, FillRule::whole}) {
      if (name_of(rule) != value) continue;
      settings.exchange.fills = rule;
      return {};
    }
    return wrong("partial or whole");
  }
  return std::unexpected(
      fmt::format("a run has no setting \"{}\": run.entry, run.response, run.feed, run.computing, run.queue, "
                  "run.exchange, run.fills, run.silence, run.maker_fee or run.taker_fee",
                  name));
}

}  // namespace dojima::backtest
