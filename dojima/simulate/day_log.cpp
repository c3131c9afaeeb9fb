#include "dojima/simulate/day_log.hpp"

#include <algorithm>
#include <fmt/core.h>

#include "dojima/base/assert.hpp"

namespace dojima::simulate {

using market::DayPhase;

std::string_view name_of(DayPhase phase) noexcept {
  switch (phase) {
    case DayPhase::no_day:
      return "no day";
    case DayPhase::start_of_day:
      return "start of day";
    case DayPhase::opening_call:
      return "opening call";
    case DayPhase::opening_extension:
      return "opening call, extended";
    case DayPhase::regular:
      return "regular trading";
    case DayPhase::intraday_call:
      return "intraday call";
    case DayPhase::intraday_extension:
      return "intraday call, extended";
    case DayPhase::volatility_halt:
      return "volatility halt";
    case DayPhase::reopening_call:
      return "re-opening call";
    case DayPhase::reopening_extension:
      return "re-opening call, extended";
    case DayPhase::closing_call:
      return "closing call";
    case DayPhase::closing_extension:
      return "closing call, extended";
    case DayPhase::closing_price_cross:
      return "closing price cross";
    case DayPhase::post_close:
      return "post-close";
    case DayPhase::end_of_day:
      return "end of day";
    case DayPhase::halted:
      return "halted";
  }
  return "unnamed phase";
}

DayLog::DayLog(const ExchangeConfig& config) {
  constexpr std::size_t k_phases_of_a_day = 4096;
  for (const InstrumentConfig& instrument : config.instruments) {
    instruments_.push_back({.id = instrument.id, .status = {}, .info = {}});
    statistics_.push_back({.symbol = instrument.symbol, .opening = {}, .closing = {}});
  }
  statuses_.reserve(k_phases_of_a_day);
}

std::size_t DayLog::place(std::uint32_t instrument) const {
  const auto found = std::ranges::find(instruments_, instrument, &Instrument::id);
  DOJIMA_ASSERT(found != instruments_.end(), "the venue reports its own instruments");
  return static_cast<std::size_t>(found - instruments_.begin());
}

const std::string& DayLog::symbol(std::uint32_t instrument) const {
  return statistics_[place(instrument)].symbol;
}

void DayLog::on_status(const market::SymbolStatus& status) {
  const std::scoped_lock held(writing_);
  const std::size_t at = place(status.instrument);
  instruments_[at].status = status;
  instruments_[at].info = {};
  DayStatistics& statistics = statistics_[at];
  if (status.reason == market::DayReason::price_outside_range) ++statistics.interruptions;
  if (status.reason == market::DayReason::extended) ++statistics.extensions;
  statistics.is_whole = status.phase == DayPhase::end_of_day;
  statuses_.push_back(status);
}

void DayLog::on_auction_info(const market::AuctionInfo& info) {
  const std::scoped_lock held(writing_);
  const std::size_t at = place(info.instrument);
  instruments_[at].info = info;
  ++statistics_[at].indicative_prices;
}

void DayLog::on_auction_trade(const market::AuctionTrade& trade) {
  const std::scoped_lock held(writing_);
  DayStatistics& statistics = statistics_[place(trade.instrument)];
  ++statistics.auctions;
  statistics.auction_volume += trade.quantity.lots;
  if (trade.auction_type == 'O') {
    statistics.opening = trade.price;
    statistics.opening_volume = trade.quantity.lots;
  } else if (trade.auction_type == 'C') {
    statistics.closing = trade.price;
    statistics.closing_volume = trade.quantity.lots;
  }
}

std::string DayLog::line() const {
  if (instruments_.empty()) return {};
  const auto found =
      std::ranges::find_if(instruments_, [](const Instrument& each) { return each.info.quantity.lots > 0; });
  const Instrument& shown = found == instruments_.end() ? instruments_.front() : *found;
  std::string text = fmt::format("{} {}", symbol(shown.id), name_of(shown.status.phase));
  if (shown.info.quantity.lots > 0) {
    char digits[market::k_price_text_max];
    text +=
        fmt::format(", indicative {} x {}", market::format_price(shown.info.price, digits), shown.info.quantity.lots);
    if (shown.info.imbalance.lots > 0)
      text += fmt::format(", {} more to {}", shown.info.imbalance.lots,
                          shown.info.imbalance_side == market::Side::buy ? "buy" : "sell");
  }
  return text;
}

}  // namespace dojima::simulate
