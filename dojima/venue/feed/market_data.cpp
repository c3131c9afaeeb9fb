#include "dojima/venue/feed/market_data.hpp"

namespace dojima::venue {

MarketData::MarketData(Partition& partition, mitch::FeedSink& sink, const MarketDataOptions& options)
    : partition_(partition),
      feed_(sink, {.unit_size = options.unit_size, .market_data_group = static_cast<char>('0' + partition.app_id())}),
      writer_(partition, feed_, {.orders = options.orders, .midnight = options.midnight}) {
  partition.observe(this);
  partition.publish(this);
}

MarketData::~MarketData() {
  partition_.dismiss(static_cast<const ReportSink*>(this));
  partition_.dismiss(static_cast<const FeedSink*>(this));
}

void MarketData::start(Time now, std::span<const DirectoryEntry> directory) {
  writer_.start(partition_, now, directory);
  feed_.flush();
}

void MarketData::finish(Time now) {
  writer_.finish(now);
  feed_.flush();
}

void MarketData::on_reports(std::span<const market::BookReport> reports, Time now) {
  for (const market::BookReport& report : reports) writer_.write(report, now);
  feed_.flush();
}

void MarketData::on_status(const market::SymbolStatus& status) {
  writer_.write(status);
  feed_.flush();
}

void MarketData::on_auction_info(const market::AuctionInfo& info) {
  writer_.write(info);
}

void MarketData::on_auction_trade(const market::AuctionTrade& trade) {
  writer_.write(trade);
}

void MarketData::on_trade_break(const market::TradeBreak& broken) {
  writer_.write(broken);
  feed_.flush();
}

}  // namespace dojima::venue
