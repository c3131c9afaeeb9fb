#include "dojima/venue/market_data.hpp"

namespace dojima::venue {

MarketData::MarketData(Partition& partition, mitch::FeedSink& sink, const MarketDataOptions& options)
    : partition_(partition),
      feed_(sink, {.unit_size = options.unit_size, .market_data_group = static_cast<char>('0' + partition.app_id())}),
      publisher_(feed_, {.orders = options.orders,
                         .instruments = partition.instruments().size(),
                         .midnight = options.midnight,
                         .first_trade = partition.next_trade()}) {
  for (const market::Instrument& instrument : partition.instruments())
    if (partition.day(instrument.id) != nullptr)
      DOJIMA_ASSERT(publisher_.follow_day(instrument.id), "room for every instrument");
  partition.observe(this);
  partition.publish(this);
}

MarketData::~MarketData() {
  partition_.dismiss(static_cast<const ReportSink*>(this));
  partition_.dismiss(static_cast<const FeedSink*>(this));
}

void MarketData::count_failure(const Result<void>& published) {
  if (published) return;
  ++unpublished_;
  if (!trouble_) trouble_ = published.error();
}

void MarketData::event(char code, Time now) {
  count_failure(publisher_.tell_everybody(mitch::SystemEvent{.event_code = code}, now));
}

void MarketData::start(Time now) {
  event('O', now);
  for (const market::Instrument& instrument : partition_.instruments())
    count_failure(publisher_.tell_everybody(mitch::SymbolDirectory{.instrument_id = instrument.id,
                                                                   .segment = Text<6>::cut(instrument.segment),
                                                                   .previous_close_price = instrument.reference},
                                            now));
  for (const market::Instrument& instrument : partition_.instruments()) show_book(*partition_.book(instrument.id), now);
  feed_.flush();
}

/// What rests already, best price first: a partition that was recovered does not begin with empty books.
void MarketData::show_book(const book::Book& book, Time now) {
  const std::uint32_t instrument = book.instrument().id;
  if (book.phase() != market::Phase::continuous)
    count_failure(publisher_.publish({.instrument = instrument,
                                      .kind = market::BookReportKind::phase_changed,
                                      .flags = static_cast<std::uint8_t>(book.phase())},
                                     now));
  for (const market::Side side : {market::Side::buy, market::Side::sell})
    book.each_resting(side, [&](const book::RestingOrder& order) {
      if (order.place != book::Place::lit) return;
      count_failure(publisher_.publish({.order = order.id,
                                        .price = order.price,
                                        .quantity = order.leaves,
                                        .leaves = order.leaves,
                                        .displayed = order.displayed,
                                        .instrument = instrument,
                                        .kind = market::BookReportKind::added,
                                        .side = order.side},
                                       now));
    });
}

void MarketData::finish(Time now) {
  event('C', now);
  feed_.flush();
}

void MarketData::on_reports(std::span<const market::BookReport> reports, Time now) {
  for (const market::BookReport& report : reports) count_failure(publisher_.publish(report, now));
  feed_.flush();
}

void MarketData::on_status(const market::SymbolStatus& status) {
  count_failure(publisher_.tell(status));
  feed_.flush();
}

void MarketData::on_auction_info(const market::AuctionInfo& info) {
  publisher_.tell(info);
}

void MarketData::on_auction_trade(const market::AuctionTrade& trade) {
  publisher_.tell(trade);
}

void MarketData::on_trade_break(const market::TradeBreak& broken) {
  count_failure(publisher_.tell(broken));
  feed_.flush();
}

}  // namespace dojima::venue
