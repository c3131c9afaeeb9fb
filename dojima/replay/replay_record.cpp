#include "dojima/replay/replay_record.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>
#include <stdexcept>
#include <system_error>

#include "dojima/market/price.hpp"

namespace dojima::replay {

using market::Side;
using recorded::DepthLevel;
using recorded::EventKind;

std::string scaled_text(std::int64_t value, unsigned decimals) {
  char text[market::k_scaled_text_max];
  if (value == recorded::k_unknown) return {};
  return std::string(market::format_scaled(value, std::min(decimals, market::k_scaled_decimals_max), text));
}

std::string level_text(const std::optional<recorded::DepthLevel>& level, const recorded::RecordedInstrument& of) {
  return level ? scaled_text(level->price, of.price_decimals) : std::string();
}

ReplayRecord::ReplayRecord(sched::Scheduler& scheduler, const recorded::ReplayBooks& books,
                           const std::vector<recorded::RecordedInstrument>& instruments,
                           const ReplayRecordSettings& settings)
    : books_(books),
      instruments_(instruments),
      period_(settings.bar),
      levels_(settings.depth),
      timer_(scheduler, *this) {
  if (period_ <= time::Duration{}) throw std::invalid_argument("a bar lasts longer than nothing");
  std::error_code ignored;
  std::filesystem::create_directories(settings.folder, ignored);
  bar_file_.open(settings.folder + "/bars.csv", std::ios::binary);
  snapshot_file_.open(settings.folder + "/snapshots.csv", std::ios::binary);
  bar_file_ << "time,symbol,open,high,low,close,volume,trades,bid,bid_quantity,ask,ask_quantity\n";
  snapshot_file_ << "time,symbol,side,level,price,quantity\n";
  if (!bar_file_ || !snapshot_file_)
    throw std::invalid_argument(settings.folder + ": cannot be written; may you write there?");
}

void ReplayRecord::begin(time::Time time) {
  const std::int64_t period = period_.count(), now = time::nanoseconds_of(time);
  bar_end_ = time::from_nanoseconds((now / period + 1) * period);
  timer_.arm(bar_end_);
}

void ReplayRecord::note(const recorded::RecordedEvent& event) {
  if (event.instrument >= bars_.size()) bars_.resize(event.instrument + 1);
  Bar& bar = bars_[event.instrument];
  ++bar.events;
  const bool is_trade =
      event.kind == EventKind::execute || event.kind == EventKind::trade || event.kind == EventKind::hidden_trade;
  if (!is_trade || event.has(recorded::k_not_printable) || event.quantity <= 0) return;
  const std::int64_t price = books_.last_trade(event.instrument).price;
  if (bar.trades++ == 0) bar.open = bar.high = bar.low = price;
  bar.high = std::max(bar.high, price);
  bar.low = std::min(bar.low, price);
  bar.close = price;
  bar.volume += event.quantity;
}

/// Bars of instruments of which something was heard, at the bar's end.
void ReplayRecord::on_bar(time::Time) {
  for (std::uint32_t instrument = 0; instrument < bars_.size(); ++instrument) {
    Bar& bar = bars_[instrument];
    if (bar.events == 0) continue;
    write_bar(instrument, bar);
    write_snapshot(instrument);
    bar = {};
  }
  bar_end_ += period_;
  if (!is_ended_) timer_.arm(bar_end_);
}

void ReplayRecord::write_bar(std::uint32_t instrument, const Bar& bar) {
  const recorded::RecordedInstrument& of = instruments_[instrument];
  const auto price = [&](std::int64_t value) { return scaled_text(value, of.price_decimals); };
  const auto quantity = [&](std::int64_t value) { return scaled_text(value, of.quantity_decimals); };
  std::string line = fmt::format("{},{}", time::nanoseconds_of(bar_end_), of.symbol);
  for (const std::int64_t value : {bar.open, bar.high, bar.low, bar.close})
    line += "," + (bar.trades == 0 ? std::string() : price(value));
  line += fmt::format(",{},{}", quantity(bar.volume), bar.trades);
  for (const Side side : {Side::buy, Side::sell}) {
    const auto best = books_.best(instrument, side);
    line += best ? fmt::format(",{},{}", price(best->price), quantity(best->quantity)) : std::string(",,");
  }
  bar_file_ << line << '\n';
}

void ReplayRecord::write_snapshot(std::uint32_t instrument) {
  const recorded::RecordedInstrument& of = instruments_[instrument];
  for (const Side side : {Side::buy, Side::sell}) {
    const std::size_t count = books_.levels(instrument, side, levels_);
    for (std::size_t level = 0; level < count; ++level)
      snapshot_file_ << fmt::format("{},{},{},{},{},{}\n", time::nanoseconds_of(bar_end_), of.symbol,
                                    side == Side::buy ? "buy" : "sell", level + 1,
                                    scaled_text(levels_[level].price, of.price_decimals),
                                    scaled_text(levels_[level].quantity, of.quantity_decimals));
  }
}

bool ReplayRecord::finish() {
  is_ended_ = true;
  on_bar(bar_end_);
  bar_file_.close();
  snapshot_file_.close();
  return bar_file_.good() && snapshot_file_.good();
}

}  // namespace dojima::replay
