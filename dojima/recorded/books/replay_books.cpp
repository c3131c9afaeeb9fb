#include "dojima/recorded/books/replay_books.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "dojima/base/assert.hpp"
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

/// What the book said of the last command, as far as a replay asks. Read where the book wrote it, but for a command
/// that has more reports than there is room for.
class Outcome final : public book::ReportBuffer {
 public:
  Outcome() : ReportBuffer(64) {}

  void expect(OrderId order, std::int64_t quantity) {
    expected_ = order;
    quantity_ = quantity;
    added = {};
    is_refused = is_as_expected = false;
    filled.clear();
  }
  void end_command() {
    look_at(pending());
    taken();
  }

  OrderId added;  // 0: nothing came to rest
  bool is_refused = false;
  bool is_as_expected = false;  // the last trade was with that order, for that quantity
  std::vector<OrderId> filled;  // resting orders that are gone

 private:
  void drain(std::span<const BookReport> reports, time::Time) override { look_at(reports); }
  void look_at(std::span<const BookReport> reports) {
    for (const BookReport& report : reports) {
      if (report.kind == BookReportKind::added) added = report.order;
      if (report.kind == BookReportKind::rejected) is_refused = true;
      if (report.kind != BookReportKind::traded) continue;
      is_as_expected = report.order == expected_ && report.quantity.lots == quantity_;
      if (report.leaves.lots == 0) filled.push_back(report.order);
    }
  }

  OrderId expected_;
  std::int64_t quantity_ = 0;
};

/// What mirror and match have in common: a book::Book for each instrument over one table of orders, and the map from
/// the feed's numbers to them, which an event asks once: an order that ends goes from the cell where it was found.
class OrderBooks : public ReplayBooks {
 public:
  OrderBooks(const ReplayBooksOptions& options, std::vector<std::int64_t> ticks)
      : orders_({.capacity = options.orders}), counts_crossings_(options.counts_crossings), ticks_(std::move(ticks)) {}

  void apply(std::span<const RecordedEvent> events, std::span<const RecordedInstrument> instruments) final {
    DOJIMA_CHECK_SLOW(misplaced_event(events, instruments) == events.size(),
                      "every event that a book takes is of a known kind, side and instrument",
                      misplaced_event(events, instruments), events.size(), instruments.size());
    while (books_.size() < instruments.size()) add_book(instruments[books_.size()]);
    for (std::size_t at = 0; at < events.size(); ++at) {
      const RecordedEvent& event = events[at];
      look_ahead(events, at);
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
    const auto level = books_[instrument]->book.best_level(side);
    return level ? std::optional(DepthLevel{level->price.units, level->total.lots}) : std::nullopt;
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
  /// The live order with a feed's number: its price is the id that our table gave it. Null: there is none.
  using Known = OrderMap::Order;
  [[nodiscard]] Known* find(const RecordedEvent& event) { return ours_.find(event.order, event.instrument); }
  [[nodiscard]] static OrderId id_of(const Known& known) { return {static_cast<std::uint64_t>(known.price)}; }
  [[nodiscard]] book::Slot slot_of(const Known& known) const { return orders_.slot_of(id_of(known)); }
  void refuse() { ++counts_.refused; }
  /// What an amendment does not have stays as it was.
  static void complete(RecordedEvent& event, market::Price price, market::Quantity leaves) {
    if (event.kind != EventKind::amend) return;
    if (event.price == k_unknown) event.price = price.units;
    if (event.quantity == k_unknown) event.quantity = leaves.lots;
  }
  void note_trade(const RecordedEvent& event, std::int64_t price) {
    if (event.has(k_not_printable) || event.quantity <= 0) return;
    ++counts_.trades;
    counts_.traded += event.quantity;
    book_of(event).last_trade = {price == k_unknown ? 0 : price, event.quantity};
  }

  Outcome outcome_;
  book::OrderTable orders_;
  OrderMap ours_;
  ReplayCounts counts_;

 private:
  /// What a few events on from here will need has time to come from memory: their orders' places in the map, then the
  /// orders, then what rests beside them. No branch asks whether the orders are there.
  void look_ahead(std::span<const RecordedEvent> events, std::size_t at) {
    constexpr std::size_t k_map = 12, k_order = 8, k_neighbours = 4;
    if (at + k_map >= events.size()) return;
    ours_.prefetch(events[at + k_map].order);
    const auto likely = [&](const RecordedEvent& event) {
      const Known* const home = ours_.home(event.order);
      return id_of(home[OrderMap::is_in(home[1], event.order, event.instrument) ? 1 : 0]);
    };
    orders_.slots().prefetch(book::Slot{static_cast<std::uint32_t>(likely(events[at + k_order]).value)});
    const RecordedEvent& near = events[at + k_neighbours];
    books_[near.instrument]->book.prefetch_neighbours(likely(near));
  }
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
                                           orders_, outcome_));
  }

  bool counts_crossings_;
  std::vector<std::int64_t> ticks_;
  std::vector<std::unique_ptr<One>> books_;
};

/// Every order where the data say it is; book::Book::place, change, remove.
class MirrorKeeper final : public OrderBooks {
 public:
  MirrorKeeper(const ReplayBooksOptions& options, std::vector<std::int64_t> ticks)
      : OrderBooks(options, std::move(ticks)) {}

 private:
  void carry_out(const RecordedEvent& event) override {
    switch (event.kind) {
      case EventKind::add:
        return add(event, event.order, event.side);
      case EventKind::reduce:
      case EventKind::execute:
      case EventKind::remove:
        return take(event);
      case EventKind::amend:
        return amend(event);
      case EventKind::replace:
        return replace(event);
      case EventKind::clear:
        return clear(event);
      case EventKind::level:
        return refuse();
      default:
        return;
    }
  }

  void add(const RecordedEvent& event, std::uint64_t id, Side side) {
    if (event.price == k_unknown || ours_.find(id, event.instrument) != nullptr) return refuse();
    const book::Slot slot = book_of(event).book.place(side, {event.price}, {event.quantity});
    if (slot == book::k_no_slot) return refuse();
    ours_.insert({.id = id,
                  .price = static_cast<std::int64_t>(orders_.id(slot).value),
                  .quantity = 1,
                  .instrument = event.instrument,
                  .side = side});
  }

  void end(const RecordedEvent& event, Known& known, book::Slot slot) {
    book_of(event).book.remove(slot);
    ours_.erase(known);
  }

  /// Some of an order is gone, or all of it.
  void take(const RecordedEvent& event) {
    Known* const known = find(event);
    const bool is_execution = event.kind == EventKind::execute;
    if (known == nullptr) {
      if (is_execution) note_trade(event, event.price);
      ++counts_.unknown;
      return;
    }
    const book::Slot slot = slot_of(*known);
    if (is_execution) note_trade(event, event.price != k_unknown ? event.price : orders_.limit(slot).units);
    const std::int64_t left = orders_[slot].leaves.lots;
    if (event.kind != EventKind::remove) {
      if (event.quantity < left) {
        if (event.quantity <= 0) return refuse();
        return book_of(event).book.change(slot, {left - event.quantity});
      }
      if (event.quantity > left) refuse();
    }
    end(event, *known, slot);
  }

  /// It keeps its place when only the quantity fell.
  void amend(RecordedEvent event) {
    Known* const known = find(event);
    if (known == nullptr) {
      ++counts_.unknown;
      return;
    }
    const book::Slot slot = slot_of(*known);
    const market::Price price = orders_.limit(slot);
    const market::Quantity leaves = orders_[slot].leaves;
    complete(event, price, leaves);
    book::Book& book = book_of(event).book;
    if (event.quantity > 0 && event.price == price.units && event.quantity <= leaves.lots)
      return book.change(slot, {event.quantity});
    const Side side = orders_[slot].side;
    book.remove(slot);
    if (event.quantity > 0) {
      const book::Slot moved = book.place(side, {event.price}, {event.quantity});
      if (moved != book::k_no_slot) {
        known->price = static_cast<std::int64_t>(orders_.id(moved).value);
        return;
      }
      refuse();
    }
    ours_.erase(*known);
  }

  void replace(const RecordedEvent& event) {
    Side side = event.side;
    if (Known* const known = find(event)) {
      if (side == Side::none) side = known->side;
      end(event, *known, slot_of(*known));
    } else {
      ++counts_.unknown;
      if (side == Side::none) return;
    }
    add(event, event.other, side);
  }

  void clear(const RecordedEvent& event) {
    book::Book& book = book_of(event).book;
    std::vector<OrderId> ending;
    for (const Side side : {Side::buy, Side::sell}) {
      if (event.side != Side::none && event.side != side) continue;
      book.each_resting(side, [&](const book::RestingOrder& order) { ending.push_back(order.id); });
    }
    for (const OrderId id : ending) book.remove(orders_.slot_of(id));
    ours_.erase_if([&](const Known& known) {
      return known.instrument == event.instrument && (event.side == Side::none || known.side == event.side);
    });
  }
};

/// Recorded orders are entered, and who is executed is what the book's own rules say.
class MatchKeeper final : public OrderBooks {
 public:
  MatchKeeper(const ReplayBooksOptions& options, std::vector<std::int64_t> ticks)
      : OrderBooks(options, std::move(ticks)), numbers_(options.orders) {
    entering_.terms.type = market::OrderType::limit;
  }

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

  /// `known` is the order that the event is about, null if it is none of ours yet; it is forgotten if it is filled.
  template <class Command>
  void submit(Command& command, const RecordedEvent& event, Known* known) {
    One& one = book_of(event);
    command.header.instrument = one.instrument.id;
    command.header.time = event.event_time;
    outcome_.expect(known != nullptr ? id_of(*known) : OrderId{}, event.quantity);
    outcome_.begin({counts_.events}, event.event_time);
    one.book.apply(command);
    outcome_.end_command();
    if (outcome_.is_refused) refuse();
    for (const OrderId id : outcome_.filled) {
      Known* filled = known;
      if (known == nullptr || id != id_of(*known)) {
        filled = ours_.find(numbers_[static_cast<std::uint32_t>(id.value)], event.instrument);
        if (filled == nullptr || id_of(*filled) != id) continue;  // its number is another order's by now
      }
      ours_.erase(*filled);
    }
  }

  void enter_order(const RecordedEvent& event, Known* known, Side side, market::Price limit,
                   market::TimeInForce time_in_force) {
    market::OrderTerms& terms = entering_.terms;
    terms.limit = limit;
    terms.quantity = terms.displayed = {event.quantity};
    terms.side = side;
    terms.time_in_force = time_in_force;
    submit(entering_, event, known);
  }

  void enter(const RecordedEvent& event, std::uint64_t id, Side side) {
    if (side == Side::none || event.price == k_unknown || event.quantity <= 0) return refuse();
    enter_order(event, nullptr, side, {event.price}, market::TimeInForce::good_till_cancel);
    if (outcome_.added.value == 0) return;
    const auto added = static_cast<std::int64_t>(outcome_.added.value);
    numbers_[static_cast<std::uint32_t>(outcome_.added.value)] = id;
    if (Known* known = ours_.find(id, event.instrument)) {
      known->price = added;
      known->side = side;
      return;
    }
    ours_.insert({.id = id, .price = added, .quantity = 1, .instrument = event.instrument, .side = side});
  }

  /// Somebody takes what the data say was taken, at the price where they say it was.
  void take(const RecordedEvent& event) {
    Known* const known = find(event);
    if (known == nullptr) {
      ++counts_.unknown;
      note_trade(event, event.price);
      return;
    }
    const book::Slot slot = slot_of(*known);
    const market::Price limit = orders_.limit(slot);
    note_trade(event, limit.units);
    // Nothing is left of what takes no more than rests there, and the book is fastest with what may rest itself.
    const bool is_plain = event.quantity <= orders_[slot].leaves.lots;
    enter_order(event, known, market::opposite(orders_[slot].side), limit,
                is_plain ? market::TimeInForce::good_till_cancel : market::TimeInForce::immediate_or_cancel);
    DOJIMA_ASSERT(!is_plain || outcome_.added.value == 0,
                  "an order that takes no more than rests at its price never rests", event.order, event.quantity,
                  limit.units);
    ++(outcome_.is_as_expected ? counts_.matched : counts_.matched_others);
  }

  void change(const RecordedEvent& event) {
    Known* const known = find(event);
    if (known == nullptr) {
      ++counts_.unknown;
      if (event.kind == EventKind::replace && event.side != Side::none) enter(event, event.other, event.side);
      return;
    }
    const book::Slot slot = slot_of(*known);
    const Side side = orders_[slot].side;
    const std::int64_t leaves = orders_[slot].leaves.lots;
    const bool is_amend = event.kind == EventKind::amend;
    std::int64_t left = 0;  // of the order
    if (event.kind == EventKind::reduce) left = std::max<std::int64_t>(leaves - event.quantity, 0);
    if (is_amend) left = event.quantity == k_unknown ? leaves : event.quantity;
    if (left > 0) {
      market::Replace replace{
          .order = id_of(*known),
          .limit = is_amend && event.price != k_unknown ? market::Price{event.price} : orders_.limit(slot),
          .stop = {-1},
          .quantity = orders_.executed(slot) + market::Quantity{left},
          .side = side};
      replace.displayed = replace.quantity;
      submit(replace, event, known);
      // It may have met the other side and be gone; what ends of itself no report names.
      if (orders_.find(id_of(*known)) == book::k_no_slot) ours_.erase(*known);
      return;
    }
    market::Cancel cancel{.order = id_of(*known), .side = side};
    submit(cancel, event, known);
    ours_.erase(*known);
    if (event.kind == EventKind::replace) enter(event, event.other, event.side == Side::none ? side : event.side);
  }

  market::NewOrder entering_;           // what is the same for each is set once
  std::vector<std::uint64_t> numbers_;  // the feed's, of the order in each slot
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
