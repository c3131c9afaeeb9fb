#include "dojima/app/trade/live/live_market.hpp"

#include <algorithm>
#include <concepts>
#include <fmt/core.h>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/market/price.hpp"
#include "dojima/mitch/codec.hpp"

namespace dojima::app {
namespace {

using market::Side;
using recorded::EventKind;
using recorded::RecordedEvent;

recorded::MarketState state_of(char trading_status) noexcept {
  switch (trading_status) {
    case 'T':
      return recorded::MarketState::trading;
    case 'a':
      return recorded::MarketState::opening;
    case 'd':
    case 'u':
      return recorded::MarketState::closing;
    case 'H':
      return recorded::MarketState::halted;
    case 'e':
    case 'f':
    case 'l':
    case 'q':
    case 'r':
      return recorded::MarketState::paused;
    default:
      return recorded::MarketState::closed;
  }
}

}  // namespace

LiveMarket::LiveMarket(const LiveStrategyOptions& options, const Blotter& blotter, std::vector<RecordedEvent>& events,
                       LiveStrategy::Print print)
    : instruments_(options.instruments),
      has_line_{!options.feed.line_a.empty(), !options.feed.line_b.empty()},
      blotter_(blotter),
      events_(events),
      print_(std::move(print)),
      is_stale_(options.instruments.size()) {
  for (const LiveInstrument& of : instruments_) {
    places_.emplace(of.id, static_cast<std::uint32_t>(recorded_.size()));
    recorded_.push_back(
        {.symbol = of.symbol, .number = of.id, .price_decimals = market::k_price_decimals, .tick = of.tick});
  }
}

void LiveMarket::open() {
  is_open_ = true;
  for (std::uint32_t place = 0; place < instruments_.size(); ++place) mark_stale(place);
}

std::uint32_t LiveMarket::place_of(std::string_view symbol) const {
  const auto found = std::ranges::find(instruments_, symbol, &LiveInstrument::symbol);
  DOJIMA_ASSERT(found != instruments_.end(), "only what the strategy trades is asked for", instruments_.size());
  return static_cast<std::uint32_t>(found - instruments_.begin());
}

void LiveMarket::take_own(std::uint64_t order, std::uint32_t number, Time now) {
  own_[order] = number;
  // The feed may have said it before anybody knew whose it is.
  const auto found = shown_.find(order);
  if (found == shown_.end()) return;
  event_of(EventKind::remove, found->second.place, now).order = order;
  shown_.erase(found);
}

void LiveMarket::show_stale_books(const mitch::FeedClient& feed, Time now) {
  for (std::uint32_t place = 0; place < instruments_.size(); ++place)
    if (is_stale_[place]) show_book(place, feed, now);
}

RecordedEvent& LiveMarket::event_of(EventKind kind, std::uint32_t place, Time now) {
  RecordedEvent& event = events_.emplace_back();
  event.event_time = now;
  event.instrument = place;
  event.kind = kind;
  is_news_ = true;
  return event;
}

void LiveMarket::add(std::uint64_t order, const Shown& shown, Time now) {
  if (own_.contains(order)) return;
  shown_[order] = shown;
  RecordedEvent& event = event_of(EventKind::add, shown.place, now);
  event.order = order;
  event.side = shown.side;
  event.price = shown.price;
  event.quantity = shown.quantity;
}

/// All of a book anew.
void LiveMarket::show_book(std::uint32_t place, const mitch::FeedClient& feed, Time now) {
  is_stale_[place] = false;
  std::erase_if(shown_, [&](const auto& one) { return one.second.place == place; });
  const std::size_t first = events_.size();  // what is there already came by itself
  event_of(EventKind::clear, place, now);
  const LiveInstrument& of = instruments_[place];
  const mitch::BookBuilder* books = feed.books(of.group);
  const auto book = books == nullptr ? std::nullopt : books->find(of.id);
  if (!book) return;
  for (const Side side : {Side::buy, Side::sell})
    book->each_order(side, [&](const mitch::DisplayedOrder& order) {
      if (!order.is_market) add(order.id, {place, side, order.price.units, order.quantity}, now);
    });
  for (std::size_t at = first; at < events_.size(); ++at) events_[at].flags |= recorded::k_snapshot;
}

void LiveMarket::traded(std::uint64_t order, std::int64_t quantity, std::optional<std::int64_t> price,
                        std::uint64_t match, std::optional<std::int64_t> left, bool is_printable, Time now) {
  if (const auto own = own_.find(order); own != own_.end()) {
    // Nothing leaves the book that the strategy sees, but everybody sees the trade.
    const BlotterOrder* mine = blotter_.find(own->second);
    RecordedEvent& event = event_of(EventKind::trade, place_of(mine->entry.symbol), now);
    event.side = market::opposite(mine->entry.terms.side);
    event.price = price.value_or(mine->entry.terms.limit.units);
    event.quantity = quantity;
    event.other = match;
    return;
  }
  const auto found = shown_.find(order);
  if (found == shown_.end()) return;
  Shown& shown = found->second;
  RecordedEvent& event = event_of(EventKind::execute, shown.place, now);
  event.order = order;
  event.side = shown.side;
  event.price = price.value_or(shown.price);
  event.quantity = quantity;
  event.other = match;
  if (!is_printable) event.flags |= recorded::k_not_printable;
  shown.quantity -= quantity;
  const std::int64_t now_left = left.value_or(shown.quantity);
  if (shown.quantity > 0 && now_left != shown.quantity) {  // an iceberg's next peak
    RecordedEvent& more = event_of(EventKind::amend, shown.place, now);
    more.order = order;
    more.quantity = shown.quantity = now_left;
  } else if (now_left > 0 && shown.quantity <= 0) {
    add(order, {shown.place, shown.side, shown.price, now_left}, now);
    return;
  }
  if (shown.quantity <= 0) shown_.erase(order);
}

void LiveMarket::on_message(char, std::uint32_t, Bytes message, Time now) {
  if (!is_open_) return;
  const auto add_displayed = [&](const auto& of) {
    const auto place = place_of(of.instrument_id);
    constexpr unsigned k_elsewhere = mitch::k_market_order | mitch::k_firm_quote | mitch::k_private_rfq;
    if (!place || (of.flags & k_elsewhere) != 0) return;
    add(of.order_id, {*place, of.side == 'B' ? Side::buy : Side::sell, of.price.units, of.quantity}, now);
  };
  static_cast<void>(mitch::dispatch(message, [&]<class Message>(const Message& of) {
    if constexpr (std::same_as<Message, mitch::AddOrder> || std::same_as<Message, mitch::AddAttributedOrder>) {
      add_displayed(of);
    } else if constexpr (std::same_as<Message, mitch::OrderDeleted>) {
      const auto found = shown_.find(of.order_id);
      if (found == shown_.end()) return;
      event_of(EventKind::remove, found->second.place, now).order = of.order_id;
      shown_.erase(found);
    } else if constexpr (std::same_as<Message, mitch::OrderModified>) {
      const auto found = shown_.find(of.order_id);
      if (found == shown_.end()) return;
      RecordedEvent& event = event_of(EventKind::amend, found->second.place, now);
      event.order = of.order_id;
      event.price = found->second.price = of.new_price.units;
      event.quantity = found->second.quantity = of.new_quantity;
    } else if constexpr (std::same_as<Message, mitch::OrderExecuted>) {
      traded(of.order_id, of.executed_quantity, std::nullopt, of.trade_match_id, std::nullopt, true, now);
    } else if constexpr (std::same_as<Message, mitch::OrderExecutedWithPriceSize>) {
      traded(of.order_id, of.executed_quantity, of.price.units, of.trade_match_id, of.display_quantity,
             of.printable == 'Y', now);
    } else if constexpr (std::same_as<Message, mitch::Trade>) {
      const auto place = place_of(of.instrument_id);
      if (!place) return;
      RecordedEvent& event = event_of(EventKind::hidden_trade, *place, now);
      event.price = of.price.units;
      event.quantity = of.executed_quantity;
      event.other = of.trade_match_id;
    } else if constexpr (std::same_as<Message, mitch::AuctionTrade>) {
      const auto place = place_of(of.instrument_id);
      if (!place) return;
      RecordedEvent& event = event_of(EventKind::trade, *place, now);
      event.price = of.price.units;
      event.quantity = of.quantity;
      event.other = of.trade_match_id;
      event.flags |= recorded::k_in_auction;
    } else if constexpr (std::same_as<Message, mitch::SymbolStatus>) {
      if (const auto place = place_of(of.instrument_id))
        event_of(EventKind::status, *place, now).code = static_cast<std::uint8_t>(state_of(of.trading_status));
    } else if constexpr (std::same_as<Message, mitch::OrderBookClear>) {
      if (const auto place = place_of(of.instrument_id)) mark_stale(*place);
    }
  }));
}

void LiveMarket::on_notice(const mitch::FeedNotice& notice, Time) {
  using Kind = mitch::FeedNoticeKind;
  switch (notice.kind) {
    case Kind::recovered:
    case Kind::restarted:
    case Kind::live:
      for (std::uint32_t place = 0; place < instruments_.size(); ++place)
        if (notice.group == instruments_[place].group) mark_stale(place);
      return;
    case Kind::refused:
      return print_(fmt::format("market data: {}: {}", mitch::name_of(notice.kind), mitch::refusal_words(notice)));
    case Kind::recovering:
    case Kind::unreachable:
    case Kind::misfit:
    case Kind::given_up:
      return print_(fmt::format("market data: {}", mitch::name_of(notice.kind)));
    case Kind::line_lost:
    case Kind::line_back:
      if (!has_line_[notice.line == 0 ? 0 : 1]) return;
      return print_(fmt::format("market data: {} {}", mitch::name_of(notice.kind), notice.line == 0 ? 'A' : 'B'));
    case Kind::joined:
    case Kind::gap:
    case Kind::gap_closed:
      return;
  }
}

}  // namespace dojima::app
