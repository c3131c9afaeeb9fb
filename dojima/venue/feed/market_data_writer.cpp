#include "dojima/venue/feed/market_data_writer.hpp"

namespace dojima::venue {

MarketDataWriter::MarketDataWriter(const Partition& partition, mitch::FeedWriter& feed,
                                   const MarketDataWriterOptions& options)
    : publisher_(feed, {.orders = options.orders,
                        .instruments = partition.instruments().size(),
                        .midnight = options.midnight,
                        .first_trade = partition.next_trade()}) {
  for (const market::Instrument& instrument : partition.instruments())
    if (partition.day(instrument.id) != nullptr)
      DOJIMA_ASSERT(publisher_.follow_day(instrument.id), "room for every instrument");
}

void MarketDataWriter::count_failure(const Result<void>& published) {
  if (published) return;
  ++unpublished_;
  if (!trouble_) trouble_ = published.error();
}

void MarketDataWriter::event(char code, Time now) {
  count_failure(publisher_.broadcast(mitch::SystemEvent{.event_code = code}, now));
}

void MarketDataWriter::start(const Partition& partition, Time now) {
  event('O', now);
  for (const market::Instrument& instrument : partition.instruments())
    count_failure(publisher_.broadcast(mitch::SymbolDirectory{.instrument_id = instrument.id,
                                                              .segment = Text<6>::cut(instrument.segment),
                                                              .previous_close_price = instrument.reference},
                                       now));
  for (const market::Instrument& instrument : partition.instruments()) show_book(*partition.book(instrument.id), now);
}

/// What rests already, best price first: a partition that was recovered does not begin with empty books.
void MarketDataWriter::show_book(const book::Book& book, Time now) {
  const std::uint32_t instrument = book.instrument().id;
  if (book.phase() != market::Phase::continuous)
    write({.instrument = instrument,
           .kind = market::BookReportKind::phase_changed,
           .flags = static_cast<std::uint8_t>(book.phase())},
          now);
  for (const market::Side side : {market::Side::buy, market::Side::sell})
    book.each_resting(side, [&](const book::RestingOrder& order) {
      if (order.place != book::Place::lit) return;
      write({.order = order.id,
             .price = order.price,
             .quantity = order.leaves,
             .leaves = order.leaves,
             .displayed = order.displayed,
             .instrument = instrument,
             .kind = market::BookReportKind::added,
             .side = order.side},
            now);
    });
}

void MarketDataWriter::finish(Time now) {
  event('C', now);
}

}  // namespace dojima::venue
