#include "dojima/venue/feed/market_data_writer.hpp"

#include <algorithm>
#include <map>

#include "dojima/venue/limit_keys.hpp"

namespace dojima::venue {
namespace {

/// SymbolStatus of instruments in which nobody may enter orders: inactive on this day, or suspended by the operator.
std::map<std::uint32_t, char> unlisted_statuses(const Partition& partition) {
  constexpr std::int64_t k_not_permitted = 2;
  std::map<std::uint32_t, char> statuses;
  for (const LimitRow& row : partition.limits())
    if (row.of == market::LimitOf::everybody && row.kind == market::LimitKind::permitted && row.instrument != 0 &&
        row.value == k_not_permitted)
      statuses[row.instrument] = row.is_by_operator ? 'S' : 'a';
  return statuses;
}

}  // namespace

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

void MarketDataWriter::start(const Partition& partition, Time now, std::span<const DirectoryEntry> directory) {
  event('O', now);
  const std::map<std::uint32_t, char> unlisted = unlisted_statuses(partition);
  for (const market::Instrument& instrument : partition.instruments()) {
    const auto entry = std::ranges::lower_bound(directory, instrument.id, {}, &DirectoryEntry::instrument);
    const bool is_there = entry != directory.end() && entry->instrument == instrument.id;
    const auto status = unlisted.find(instrument.id);
    directory_.push_back({.instrument_id = instrument.id,
                          .symbol_status = status != unlisted.end() ? status->second : ' ',
                          .isin = is_there ? entry->isin : Text<12>{},
                          .sedol = is_there ? entry->sedol : Text<12>{},
                          .segment = Text<6>::cut(instrument.segment),
                          .currency = is_there ? entry->currency : Text<3>{},
                          .previous_close_price = instrument.reference});
    count_failure(publisher_.broadcast(directory_.back(), now));
  }
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

void MarketDataWriter::start_again(const mitch::BookBuilder& shown, Time now) {
  publisher_.begin_numbers();
  event('O', now);
  for (const mitch::SymbolDirectory& entry : directory_) count_failure(publisher_.broadcast(entry, now));
  for (std::size_t at = 0; at < shown.instrument_count(); ++at)
    count_failure(publisher_.show_again(shown.book_at(at), now));
}

void MarketDataWriter::finish(Time now) {
  event('C', now);
}

}  // namespace dojima::venue
