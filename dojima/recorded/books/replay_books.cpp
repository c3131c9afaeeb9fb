#include "dojima/recorded/books/replay_books.hpp"

#include <algorithm>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/book/book.hpp"
#include "dojima/recorded/books/matching_books.hpp"

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

/// What mirror and match have in common: a book::Book for each instrument over one table of orders, and the map from
/// the feed's numbers to them, which an event asks once: an order that ends goes from the cell where it was found.
class OrderBooks : public ReplayBooks {
 public:
  OrderBooks(const ReplayBooksOptions& options, std::vector<std::int64_t> ticks)
      : books_({.capacity = options.orders}, std::move(ticks)), counts_crossings_(options.counts_crossings) {}

  void apply(std::span<const RecordedEvent> events, std::span<const RecordedInstrument> instruments) final {
    DOJIMA_CHECK_SLOW(misplaced_event(events, instruments) == events.size(),
                      "every event that a book takes is of a known kind, side and instrument",
                      misplaced_event(events, instruments), events.size(), instruments.size());
    books_.add_books(instruments);
    last_trades_.resize(books_.size());
    for (std::size_t at = 0; at < events.size(); ++at) {
      const RecordedEvent& event = events[at];
      look_ahead(events, at);
      ++counts_.events;
      if (event.kind == EventKind::trade || event.kind == EventKind::hidden_trade)
        note_trade(event, event.price);
      else
        carry_out(event);
      if (!counts_crossings_ || !event.has(k_last)) continue;
      const auto bid = books_.of(event.instrument).best(Side::buy);
      const auto ask = books_.of(event.instrument).best(Side::sell);
      counts_.crossings += bid && ask && *bid >= *ask ? 1u : 0u;
    }
  }
  std::optional<DepthLevel> best(std::uint32_t instrument, Side side) const final {
    if (instrument >= books_.size()) return std::nullopt;
    const auto level = books_.of(instrument).best_level(side);
    return level ? std::optional(DepthLevel{level->price.units, level->total.lots}) : std::nullopt;
  }
  std::size_t levels(std::uint32_t instrument, Side side, std::span<DepthLevel> levels) const final {
    if (instrument >= books_.size()) return 0;
    const book::Book& book = books_.of(instrument);
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
    return instrument < books_.size() ? last_trades_[instrument] : DepthLevel{};
  }
  std::size_t size() const final { return books_.size(); }
  std::size_t live_orders() const final { return orders().size(); }
  ReplayCounts counts() const final { return counts_; }

 protected:
  virtual void carry_out(const RecordedEvent& event) = 0;

  [[nodiscard]] book::Book& book_of(const RecordedEvent& event) { return books_.of(event.instrument); }
  [[nodiscard]] book::OrderTable& orders() noexcept { return books_.orders(); }
  [[nodiscard]] const book::OrderTable& orders() const noexcept { return books_.orders(); }
  /// The live order with a feed's number: its price is the id that our table gave it. Null: there is none.
  using Known = OrderMap::Order;
  [[nodiscard]] Known* find(const RecordedEvent& event) { return ours_.find(event.order, event.instrument); }
  [[nodiscard]] static OrderId id_of(const Known& known) { return {static_cast<std::uint64_t>(known.price)}; }
  [[nodiscard]] book::Slot slot_of(const Known& known) const { return orders().slot_of(id_of(known)); }
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
    last_trades_[event.instrument] = {price == k_unknown ? 0 : price, event.quantity};
  }

  MatchingBooks books_;
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
    orders().slots().prefetch(book::Slot{static_cast<std::uint32_t>(likely(events[at + k_order]).value)});
    const RecordedEvent& near = events[at + k_neighbours];
    books_.of(near.instrument).prefetch_neighbours(likely(near));
  }
  bool counts_crossings_;
  std::vector<DepthLevel> last_trades_;  // by instrument
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
    const book::Slot slot = book_of(event).place(side, {event.price}, {event.quantity});
    if (slot == book::k_no_slot) return refuse();
    ours_.insert({.id = id,
                  .price = static_cast<std::int64_t>(orders().id(slot).value),
                  .quantity = 1,
                  .instrument = event.instrument,
                  .side = side});
  }

  void end(const RecordedEvent& event, Known& known, book::Slot slot) {
    book_of(event).remove(slot);
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
    if (is_execution) note_trade(event, event.price != k_unknown ? event.price : orders().limit(slot).units);
    const std::int64_t left = orders()[slot].leaves.lots;
    if (event.kind != EventKind::remove) {
      if (event.quantity < left) {
        if (event.quantity <= 0) return refuse();
        return book_of(event).change(slot, {left - event.quantity});
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
    const market::Price price = orders().limit(slot);
    const market::Quantity leaves = orders()[slot].leaves;
    complete(event, price, leaves);
    book::Book& book = book_of(event);
    if (event.quantity > 0 && event.price == price.units && event.quantity <= leaves.lots)
      return book.change(slot, {event.quantity});
    const Side side = orders()[slot].side;
    book.remove(slot);
    if (event.quantity > 0) {
      const book::Slot moved = book.place(side, {event.price}, {event.quantity});
      if (moved != book::k_no_slot) {
        known->price = static_cast<std::int64_t>(orders().id(moved).value);
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
    book::Book& book = book_of(event);
    std::vector<OrderId> ending;
    for (const Side side : {Side::buy, Side::sell}) {
      if (event.side != Side::none && event.side != side) continue;
      book.each_resting(side, [&](const book::RestingOrder& order) { ending.push_back(order.id); });
    }
    for (const OrderId id : ending) book.remove(orders().slot_of(id));
    ours_.erase_if([&](const Known& known) {
      return known.instrument == event.instrument && (event.side == Side::none || known.side == event.side);
    });
  }
};

/// Recorded orders are entered, and who is executed is what the book's own rules say.
class MatchKeeper final : public OrderBooks {
 public:
  MatchKeeper(const ReplayBooksOptions& options, std::vector<std::int64_t> ticks)
      : OrderBooks(options, std::move(ticks)), numbers_(options.orders) {}

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

  /// Behind a command: orders that it has filled are forgotten. `known` is the order that the event is about, null if
  /// it is none of ours yet.
  void settle(const RecordedEvent& event, Known* known) {
    const std::span<const BookReport> said = books_.reports();
    if (said.empty()) {
      // An execution that met the order itself.
      if (orders().find(id_of(*known)) == book::k_no_slot) ours_.erase(*known);
      return;
    }
    if (said.front().kind == BookReportKind::rejected) [[unlikely]]
      refuse();
    if (said.size() == 1) return;  // it met nobody
    for (const BookReport& report : said) {
      if (report.kind != BookReportKind::traded || report.leaves.lots != 0) continue;
      Known* filled = known;
      if (known == nullptr || report.order != id_of(*known)) {
        filled = ours_.find(numbers_[static_cast<std::uint32_t>(report.order.value)], event.instrument);
        if (filled == nullptr || id_of(*filled) != report.order) continue;  // its number is another order's by now
      }
      ours_.erase(*filled);
    }
  }

  void enter(const RecordedEvent& event, std::uint64_t id, Side side) {
    if (side == Side::none || event.price == k_unknown || event.quantity <= 0) return refuse();
    books_.set_time(event.event_time);
    books_.enter(event.instrument, side, event.price, event.quantity);
    const std::span<const BookReport> said = books_.reports();
    const BookReport& last = said.back();
    const bool rests = last.kind == BookReportKind::added;
    // Accepted and added is all that most orders are.
    if (!rests || said.size() != 2) [[unlikely]]
      settle(event, nullptr);
    if (!rests) return;
    const auto added = static_cast<std::int64_t>(last.order.value);
    numbers_[static_cast<std::uint32_t>(last.order.value)] = id;
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
    note_trade(event, orders().limit(slot).units);
    books_.set_time(event.event_time);
    const bool is_met = books_.execute(event.instrument, slot, event.quantity);
    settle(event, known);
    ++(is_met ? counts_.matched : counts_.matched_others);
  }

  void change(const RecordedEvent& event) {
    Known* const known = find(event);
    if (known == nullptr) {
      ++counts_.unknown;
      if (event.kind == EventKind::replace && event.side != Side::none) enter(event, event.other, event.side);
      return;
    }
    const book::Slot slot = slot_of(*known);
    const OrderId id = id_of(*known);
    const Side side = orders()[slot].side;
    books_.set_time(event.event_time);
    const bool goes_on = books_.change(event, slot);
    settle(event, known);
    // It may have met the other side and be gone; what ends of itself no report names.
    if (goes_on && orders().find(id) != book::k_no_slot) return;
    ours_.erase(*known);
    if (event.kind == EventKind::replace) enter(event, event.other, event.side == Side::none ? side : event.side);
  }

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
