#include "dojima/recorded/books/replay_books.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "dojima/book/book.hpp"

namespace dojima::recorded {
namespace {

using market::BookReport;
using market::BookReportKind;
using market::OrderId;
using market::Side;

class DepthKeeper final : public ReplayBooks {
 public:
  explicit DepthKeeper(bool counts_crossings) : counts_crossings_(counts_crossings) {}

  void apply(std::span<const RecordedEvent> events, std::span<const RecordedInstrument> instruments) override {
    DOJIMA_CHECK_SLOW(misplaced_event(events, instruments) == events.size(),
                      "every event that a book takes is of a known kind, side and instrument",
                      misplaced_event(events, instruments), events.size(), instruments.size());
    if (!counts_crossings_) return books_.apply(events, instruments);
    for (const RecordedEvent& event : events) {
      books_.apply(event, instruments);
      if (event.has(k_last)) crossings_ += books_.of(event.instrument).is_crossed() ? 1u : 0u;
    }
  }
  std::optional<DepthLevel> best(std::uint32_t instrument, Side side) const override {
    return instrument < books_.size() ? books_.of(instrument).on(side).best() : std::nullopt;
  }
  std::size_t levels(std::uint32_t instrument, Side side, std::span<DepthLevel> levels) const override {
    if (instrument >= books_.size()) return 0;
    std::size_t count = 0;
    books_.of(instrument).on(side).each([&](const DepthLevel& level) {
      if (count == levels.size()) return false;
      levels[count++] = level;
      return true;
    });
    return count;
  }
  DepthLevel last_trade(std::uint32_t instrument) const override {
    return instrument < books_.size() ? books_.of(instrument).last_trade : DepthLevel{};
  }
  std::size_t size() const override { return books_.size(); }
  std::size_t live_orders() const override { return books_.live_orders(); }
  ReplayCounts counts() const override {
    const DepthCounts& counts = books_.counts();
    return {.events = counts.events,
            .unknown = counts.unknown,
            .refused = counts.duplicates + counts.too_much + counts.nonsense,
            .trades = counts.trades,
            .traded = counts.traded,
            .crossings = crossings_};
  }

 private:
  DepthBooks books_;
  bool counts_crossings_;
  std::uint64_t crossings_ = 0;
};

/// The last command's reports.
class Reports final : public book::ReportBuffer {
 public:
  Reports() : ReportBuffer(64) {}
  std::vector<BookReport> list;

 private:
  void drain(std::span<const BookReport> reports, time::Time) override {
    list.insert(list.end(), reports.begin(), reports.end());
  }
};

/// What mirror and match have in common: a book::Book for each instrument over one table of orders.
class OrderBooks : public ReplayBooks {
 public:
  OrderBooks(const ReplayBooksOptions& options, std::vector<std::int64_t> ticks, book::Ids ids)
      : orders_({.capacity = options.orders, .ids = ids}),
        counts_crossings_(options.counts_crossings),
        ticks_(std::move(ticks)) {}

  void apply(std::span<const RecordedEvent> events, std::span<const RecordedInstrument> instruments) final {
    DOJIMA_CHECK_SLOW(misplaced_event(events, instruments) == events.size(),
                      "every event that a book takes is of a known kind, side and instrument",
                      misplaced_event(events, instruments), events.size(), instruments.size());
    while (books_.size() < instruments.size()) add_book(instruments[books_.size()]);
    for (const RecordedEvent& event : events) {
      ++counts_.events;
      if (event.kind == EventKind::trade || event.kind == EventKind::hidden_trade)
        note_trade(event, event.price);
      else
        carry_out(event);
      if (!counts_crossings_ || !event.has(k_last)) continue;
      const auto bid = books_[event.instrument]->book.best(Side::buy);
      const auto ask = books_[event.instrument]->book.best(Side::sell);
      counts_.crossings += bid && ask && *bid >= *ask ? 1u : 0u;
    }
  }
  std::optional<DepthLevel> best(std::uint32_t instrument, Side side) const final {
    if (instrument >= books_.size()) return std::nullopt;
    const book::Book& book = books_[instrument]->book;
    const std::optional<market::Price> price = book.best(side);
    if (!price) return std::nullopt;
    return DepthLevel{price->units, book.total(side, *price).lots};
  }
  std::size_t levels(std::uint32_t instrument, Side side, std::span<DepthLevel> levels) const final {
    if (instrument >= books_.size()) return 0;
    const book::Book& book = books_[instrument]->book;
    std::size_t count = 0;
    // Best price first, and within it one order behind the other.
    bool is_full = levels.empty();
    book.each_resting(side, [&](const book::RestingOrder& order) {
      if (is_full || order.place != book::Place::lit) return;
      if (count == 0 || levels[count - 1].price != order.price.units) {
        if (count == levels.size()) {
          is_full = true;
          return;
        }
        levels[count++] = {order.price.units, 0};
      }
      levels[count - 1].quantity += order.leaves.lots;
    });
    return count;
  }
  DepthLevel last_trade(std::uint32_t instrument) const final {
    return instrument < books_.size() ? books_[instrument]->last_trade : DepthLevel{};
  }
  std::size_t size() const final { return books_.size(); }
  std::size_t live_orders() const final { return orders_.size(); }
  ReplayCounts counts() const final { return counts_; }

 protected:
  struct One {
    One(market::Instrument of, book::OrderTable& orders, book::ReportBuffer& reports)
        : instrument(std::move(of)), book(instrument, orders, reports, {.levels = orders.capacity()}) {}
    market::Instrument instrument;
    book::Book book;
    DepthLevel last_trade{};
  };

  virtual void carry_out(const RecordedEvent& event) = 0;

  [[nodiscard]] One& book_of(const RecordedEvent& event) { return *books_[event.instrument]; }
  void refuse() { ++counts_.refused; }
  /// What an amendment does not tell stays as it was.
  static void complete(RecordedEvent& event, market::Price price, market::Quantity leaves) {
    if (event.kind != EventKind::amend) return;
    if (event.price == k_untold) event.price = price.units;
    if (event.quantity == k_untold) event.quantity = leaves.lots;
  }
  void note_trade(const RecordedEvent& event, std::int64_t price) {
    if (event.has(k_not_printable) || event.quantity <= 0) return;
    ++counts_.trades;
    counts_.traded += event.quantity;
    book_of(event).last_trade = {price == k_untold ? 0 : price, event.quantity};
  }

  Reports reports_;
  book::OrderTable orders_;
  ReplayCounts counts_;

 private:
  void add_book(const RecordedInstrument& recorded) {
    const std::size_t at = books_.size();
    std::int64_t tick = recorded.tick != 0 ? recorded.tick : at < ticks_.size() ? ticks_[at] : 1;
    tick = std::max<std::int64_t>(tick, 1);
    // As many ticks as a table can number, most of them above zero.
    constexpr std::int64_t k_below = std::int64_t{1} << 28, k_above = std::int64_t{1} << 30;
    const std::int64_t most = std::numeric_limits<std::int64_t>::max() / tick;
    auto table =
        market::TickTable::uniform({tick}, {-tick * std::min(k_below, most)}, {tick * std::min(k_above, most)});
    const std::int64_t largest =
        std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(orders_.capacity() + 1);
    books_.push_back(std::make_unique<One>(market::Instrument{.id = static_cast<std::uint32_t>(at + 1),
                                                              .symbol = recorded.symbol,
                                                              .ticks = std::move(table).value(),
                                                              .maximum_quantity = {largest}},
                                           orders_, reports_));
  }

  bool counts_crossings_;
  std::vector<std::int64_t> ticks_;
  std::vector<std::unique_ptr<One>> books_;
};

/// Every order where the data say it stands; book::Book::mirror.
class MirrorKeeper final : public OrderBooks {
 public:
  MirrorKeeper(const ReplayBooksOptions& options, std::vector<std::int64_t> ticks)
      : OrderBooks(options, std::move(ticks), book::Ids::foreign) {}

 private:
  void carry_out(const RecordedEvent& event) override {
    switch (event.kind) {
      case EventKind::add:
        return add(event, event.order, event.side);
      case EventKind::reduce:
      case EventKind::execute:
      case EventKind::remove:
      case EventKind::amend:
      case EventKind::replace:
        return change(event);
      case EventKind::clear:
        return clear(event);
      case EventKind::level:
        return refuse();
      default:
        return;
    }
  }

  void add(const RecordedEvent& event, std::uint64_t id, Side side) {
    BookReport report{.order = {id},
                      .price = {event.price},
                      .leaves = {event.quantity},
                      .displayed = {event.quantity},
                      .instrument = book_of(event).instrument.id,
                      .kind = BookReportKind::added,
                      .side = side};
    if (event.price == k_untold || !book_of(event).book.mirror(report)) refuse();
  }

  void change(RecordedEvent event) {
    const book::Slot slot = orders_.find({event.order});
    if (event.kind == EventKind::execute)
      note_trade(event,
                 event.price != k_untold || slot == book::k_no_slot ? event.price : orders_.terms(slot).limit.units);
    if (slot == book::k_no_slot || orders_[slot].instrument != book_of(event).instrument.id) {
      ++counts_.unknown;
      if (event.kind == EventKind::replace && event.side != Side::none) add(event, event.other, event.side);
      return;
    }
    const market::Quantity leaves = orders_[slot].leaves;
    const market::Price price = orders_.terms(slot).limit;
    complete(event, price, leaves);
    const Side side = orders_[slot].side;
    BookReport report{.order = {event.order},
                      .price = price,
                      .quantity = leaves,
                      .instrument = book_of(event).instrument.id,
                      .kind = BookReportKind::cancelled,
                      .side = side,
                      .flags = market::k_was_resting};
    const bool is_part =
        (event.kind == EventKind::reduce || event.kind == EventKind::execute) && event.quantity < leaves.lots;
    const bool keeps_place =
        event.kind == EventKind::amend && event.price == price.units && event.quantity <= leaves.lots;
    if (is_part || (keeps_place && event.quantity > 0)) {
      report.kind = is_part ? BookReportKind::reduced : BookReportKind::replaced;
      report.leaves = is_part ? leaves - market::Quantity{event.quantity} : market::Quantity{event.quantity};
      report.quantity = is_part ? market::Quantity{event.quantity} : report.leaves;
      report.displayed = report.leaves;
    } else if ((event.kind == EventKind::reduce || event.kind == EventKind::execute) && event.quantity > leaves.lots) {
      refuse();
    }
    if (!book_of(event).book.mirror(report)) return refuse();
    if (event.kind == EventKind::amend && !keeps_place && event.quantity > 0) add(event, event.order, side);
    if (event.kind == EventKind::replace) add(event, event.other, event.side == Side::none ? side : event.side);
  }

  void clear(const RecordedEvent& event) {
    One& one = book_of(event);
    std::vector<BookReport> ending;
    for (const Side side : {Side::buy, Side::sell}) {
      if (event.side != Side::none && event.side != side) continue;
      one.book.each_resting(side, [&](const book::RestingOrder& order) {
        ending.push_back({.order = order.id,
                          .price = order.price,
                          .quantity = order.leaves,
                          .instrument = one.instrument.id,
                          .kind = BookReportKind::cancelled,
                          .side = side,
                          .flags = market::k_was_resting});
      });
    }
    for (const BookReport& report : ending)
      if (!one.book.mirror(report)) refuse();
  }
};

/// Recorded orders are entered, and who is executed is what the book's own rules say.
class MatchKeeper final : public OrderBooks {
 public:
  MatchKeeper(const ReplayBooksOptions& options, std::vector<std::int64_t> ticks)
      : OrderBooks(options, std::move(ticks), book::Ids::issued) {}

 private:
  void carry_out(const RecordedEvent& event) override {
    switch (event.kind) {
      case EventKind::add:
        return enter(event, event.order, event.side);
      case EventKind::execute:
        return take(event);
      case EventKind::reduce:
      case EventKind::remove:
      case EventKind::amend:
      case EventKind::replace:
        return change(event);
      case EventKind::level:
        return refuse();
      default:
        return;
    }
  }

  template <class Command>
  void submit(One& one, Command& command, const RecordedEvent& event) {
    command.header.instrument = one.instrument.id;
    command.header.time = event.event_time;
    reports_.list.clear();
    reports_.begin({counts_.events}, event.event_time);
    one.book.apply(command);
    reports_.finish();
    if (!reports_.list.empty() && reports_.list.front().kind == BookReportKind::rejected) refuse();
  }

  static market::NewOrder order_of(const RecordedEvent& event, Side side) {
    market::NewOrder order;
    order.terms.limit = {event.price};
    order.terms.quantity = order.terms.displayed = {event.quantity};
    order.terms.side = side;
    order.terms.type = market::OrderType::limit;
    order.terms.time_in_force = market::TimeInForce::good_till_cancel;
    return order;
  }

  void enter(const RecordedEvent& event, std::uint64_t id, Side side) {
    if (side == Side::none || event.price == k_untold || event.quantity <= 0) return refuse();
    market::NewOrder order = order_of(event, side);
    submit(book_of(event), order, event);
    for (const BookReport& report : reports_.list) {
      if (report.kind != BookReportKind::added) continue;
      if (OrderMap::Order* known = ours_.find(id, event.instrument)) ours_.erase(*known);
      ours_.insert({.id = id,
                    .price = static_cast<std::int64_t>(report.order.value),
                    .quantity = 1,
                    .instrument = event.instrument,
                    .side = side});
    }
  }

  /// Our order of that number, or no slot.
  [[nodiscard]] book::Slot find(const RecordedEvent& event) {
    const OrderMap::Order* known = ours_.find(event.order, event.instrument);
    return known == nullptr ? book::k_no_slot : orders_.find({static_cast<std::uint64_t>(known->price)});
  }

  /// Somebody takes what the data say was taken, at the price where they say it was.
  void take(const RecordedEvent& event) {
    const book::Slot slot = find(event);
    if (slot == book::k_no_slot) {
      ++counts_.unknown;
      note_trade(event, event.price);
      return;
    }
    const OrderId meant = orders_.id(slot);
    RecordedEvent wanted = event;
    wanted.price = orders_.terms(slot).limit.units;
    note_trade(event, wanted.price);
    market::NewOrder order = order_of(wanted, market::opposite(orders_[slot].side));
    order.terms.time_in_force = market::TimeInForce::immediate_or_cancel;
    submit(book_of(event), order, event);
    bool is_same = false;
    for (const BookReport& report : reports_.list)
      if (report.kind == BookReportKind::traded)
        is_same = report.order == meant && report.quantity.lots == event.quantity;
    ++(is_same ? counts_.matched : counts_.matched_others);
  }

  void change(RecordedEvent event) {
    const book::Slot slot = find(event);
    if (slot == book::k_no_slot) {
      ++counts_.unknown;
      if (event.kind == EventKind::replace && event.side != Side::none) enter(event, event.other, event.side);
      return;
    }
    const Side side = orders_[slot].side;
    const std::int64_t leaves = orders_[slot].leaves.lots;
    complete(event, orders_.terms(slot).limit, {leaves});
    const bool is_part = event.kind == EventKind::reduce && event.quantity < leaves;
    if (is_part || (event.kind == EventKind::amend && event.quantity > 0)) {
      market::Replace replace{
          .order = orders_.id(slot),
          .limit = is_part ? orders_.terms(slot).limit : market::Price{event.price},
          .stop = {-1},
          .quantity = orders_.executed(slot) + market::Quantity{is_part ? leaves - event.quantity : event.quantity},
          .side = side};
      replace.displayed = replace.quantity;
      return submit(book_of(event), replace, event);
    }
    market::Cancel cancel{.order = orders_.id(slot), .side = side};
    submit(book_of(event), cancel, event);
    if (event.kind == EventKind::replace) enter(event, event.other, event.side == Side::none ? side : event.side);
  }

  OrderMap ours_;  // its price is the number that our table gave
};

}  // namespace

std::uint64_t ReplayBooks::digest() const {
  std::uint64_t digest = 14695981039346656037ULL;
  const auto mix = [&digest](std::uint64_t value) { digest = (digest ^ value) * 1099511628211ULL; };
  std::vector<DepthLevel> room(std::size_t{1} << 16);
  for (std::uint32_t instrument = 0; instrument < size(); ++instrument) {
    for (const Side side : {Side::buy, Side::sell}) {
      const std::size_t count = levels(instrument, side, room);
      mix(count);
      for (const DepthLevel& level : std::span(room).first(count)) {
        mix(static_cast<std::uint64_t>(level.price));
        mix(static_cast<std::uint64_t>(level.quantity));
      }
    }
  }
  return digest;
}

std::unique_ptr<ReplayBooks> make_replay_books(const ReplayBooksOptions& options, std::vector<std::int64_t> ticks) {
  switch (options.keeper) {
    case Keeper::mirror:
      return std::make_unique<MirrorKeeper>(options, std::move(ticks));
    case Keeper::match:
      return std::make_unique<MatchKeeper>(options, std::move(ticks));
    case Keeper::depth:
      break;
  }
  return std::make_unique<DepthKeeper>(options.counts_crossings);
}

}  // namespace dojima::recorded
