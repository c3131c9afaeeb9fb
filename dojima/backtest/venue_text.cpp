#include <algorithm>
#include <array>
#include <fmt/core.h>

#include "dojima/backtest/backtest.hpp"
#include "dojima/market/price.hpp"

namespace dojima::backtest {
namespace {

/// Where a key's latency is kept; null: it is none of these.
std::string* latency_of(VenueSettings& venue, std::string_view key) {
  LatencyTexts& texts = venue.latencies;
  const std::array<std::pair<std::string_view, std::string*>, 6> keys{{{"feed", &texts.feed},
                                                                       {"entry", &texts.entry},
                                                                       {"entry_cancel", &texts.cancel},
                                                                       {"entry_replace", &texts.replace},
                                                                       {"response", &texts.response},
                                                                       {"response_trade", &texts.trade}}};
  const auto found = std::ranges::find(keys, key, &std::pair<std::string_view, std::string*>::first);
  return found == keys.end() ? nullptr : found->second;
}

/// The error is one line; none: it was taken.
std::string take(VenueSettings& venue, std::string_view key, std::string_view value) {
  if (std::string* text = latency_of(venue, key); text != nullptr) {
    *text = value;
    return {};
  }
  if (key == "maker_fee" || key == "taker_fee") {
    const auto rate = parse_rate(value);
    if (!rate) return rate.error();
    (key == "maker_fee" ? venue.fees.maker : venue.fees.taker) = *rate;
    return {};
  }
  if (key == "trade_fee") {
    const auto amount = market::parse_scaled(value, k_fee_decimals, "an amount");
    if (!amount) return fmt::format("trade_fee takes an amount of the currency, such as 0.01; got \"{}\"", value);
    venue.fees.per_trade = *amount;
    return {};
  }
  return fmt::format(
      "there is no \"{}\" of a venue: feed, entry, entry_cancel, entry_replace, response, "
      "response_trade, maker_fee, taker_fee or trade_fee",
      key);
}

}  // namespace

std::expected<VenueSettings, std::string> parse_venue(std::string_view text, const VenueSettings& given) {
  VenueSettings venue = given;
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 || text.substr(0, equals).find_first_of(":,") != text.npos)
    return std::unexpected(
        fmt::format("a venue is NAME=FILE, and more behind commas: A=day.events,entry=2ms; got \"{}\"", text));
  venue.name = text.substr(0, equals);
  text.remove_prefix(equals + 1);
  const std::size_t end = std::min(text.find(','), text.size());
  venue.file = text.substr(0, end);
  if (venue.file.empty() || venue.file == "-")
    return std::unexpected(fmt::format("venue {}: its day is a file, which is read twice", venue.name));
  text.remove_prefix(end);
  while (!text.empty()) {
    text.remove_prefix(1);
    const std::string_view pair = text.substr(0, text.find(','));
    text.remove_prefix(pair.size());
    const std::size_t middle = std::min(pair.find('='), pair.size());
    const std::string_view value = middle == pair.size() ? std::string_view() : pair.substr(middle + 1);
    if (const std::string trouble = take(venue, pair.substr(0, middle), value); !trouble.empty())
      return std::unexpected(fmt::format("venue {}: {}", venue.name, trouble));
  }
  return venue;
}

}  // namespace dojima::backtest
