#pragma once

// Books out of recorded events, as deep as the events go but without queues: what rests at each price of every
// instrument, from order events or from level events. Counts what did not fit and goes on: recorded data refers to
// orders from before the recording, and a replay has to live with that. For queues, priorities and own orders there is
// book::Book (replay_books.hpp takes either).
//
//   DepthBooks books;
//   for (const RecordedEvent& event : events) books.apply(event, reader.instruments());
//   books.of(0).bids.best();
//
// O(1) an event but `clear` of an order feed. Memory grows with live orders and levels. One thread.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dojima/base/fifo.hpp"
#include "dojima/recorded/books/depth_side.hpp"
#include "dojima/recorded/books/order_map.hpp"
#include "dojima/recorded/event.hpp"
#include "dojima/time/time.hpp"

namespace dojima::recorded {

struct Depth {
  explicit Depth(std::int64_t tick) : bids(market::Side::buy, tick), asks(market::Side::sell, tick) {}
  DepthSide bids;
  DepthSide asks;
  DepthLevel last_trade{};  ///< quantity 0: none yet

  [[nodiscard]] DepthSide& on(market::Side side) noexcept { return side == market::Side::buy ? bids : asks; }
  [[nodiscard]] const DepthSide& on(market::Side side) const noexcept {
    return side == market::Side::buy ? bids : asks;
  }
  /// The best bid is not below the best ask.
  [[nodiscard]] bool is_crossed() const noexcept {
    const auto bid = bids.best(), ask = asks.best();
    return bid && ask && bid->price >= ask->price;
  }
};

struct DepthCounts {
  std::uint64_t events = 0;
  std::uint64_t changes = 0;     ///< events that were about the book and did fit
  std::uint64_t unknown = 0;     ///< named an order that is not there
  std::uint64_t duplicates = 0;  ///< added an order that was there: the new one counts
  std::uint64_t too_much = 0;    ///< took more from an order than it had: it is gone
  std::uint64_t nonsense = 0;    ///< an order or level without side, price or a quantity
  std::uint64_t trades = 0;
  std::int64_t traded = 0;  ///< quantity, all instruments
  friend bool operator==(const DepthCounts&, const DepthCounts&) = default;
};

/// What an event did to a book: the quantity at a price, or the last trade.
struct BookChange {
  enum class Kind : std::uint8_t { nothing, order, level, trade };  ///< by an event of an order, or of a level
  time::Time at{};                                                  ///< as given to note_changes()
  std::int64_t price = 0;
  std::int64_t before = 0;  ///< quantity; trade: 0
  std::int64_t after = 0;   ///< quantity; trade: what was traded
  std::uint32_t instrument = 0;
  market::Side side = market::Side::none;  ///< trade: none
  Kind kind = Kind::nothing;
};

/// What an event did to the order that it names.
struct OrderStep {
  std::int64_t price = 0;
  std::int64_t before = 0;  ///< quantity; 0: it came
  std::int64_t after = 0;   ///< 0: it is gone
  market::Side side = market::Side::none;
  std::uint8_t mark = 0;                   ///< (OrderMap::Order)
  const OrderMap::Order* order = nullptr;  ///< where it lies, or lay; until the next event
};

class DepthBooks {
 public:
  using Tags = OrderMap::Tags;
  explicit DepthBooks(Tags tags = Tags::none) : orders_(0, tags) {}

  /// `instruments` as the reader has them now: the same ones as before, and more.
  void apply(const RecordedEvent& event, std::span<const RecordedInstrument> instruments) {
    while (event.instrument >= books_.size()) [[unlikely]]
      add_book(instruments);
    apply(event);
  }
  void apply(std::span<const RecordedEvent> events, std::span<const RecordedInstrument> instruments);
  /// As apply(), of an event of this kind, which is add, reduce, remove or execute, as nearly all events of order feeds
  /// are: an order comes, or some or all of it goes. False: something else, or an order in an unusual place of the map;
  /// nothing was changed.
  template <EventKind Kind>
  [[nodiscard]] bool apply_usual(const RecordedEvent& event, std::span<const RecordedInstrument> instruments,
                                 OrderStep& step) {
    while (event.instrument >= books_.size()) [[unlikely]]
      add_book(instruments);
    return apply_usual_kind<Kind>(event, step);
  }

  /// From now on each event adds to `changes` what it does, in its order, with the time `at`: all changes undone from
  /// the last to the first are the books before. Null: no more.
  void note_changes(Fifo<BookChange>* changes, time::Time at = {}) noexcept {
    noted_ = noted_trades_ = changes;
    noted_at_ = at;
  }
  /// Likewise, but of trades alone: levels change and nobody will want them back.
  void note_trades(Fifo<BookChange>* trades, time::Time at) noexcept {
    noted_ = nullptr;
    noted_trades_ = trades;
    noted_at_ = at;
  }
  /// Of an event that comes soon: its level, or where its order is looked up, has time to come from memory. For
  /// instruments that have no book yet nothing is done.
  [[gnu::always_inline]] void prefetch(const RecordedEvent& event) const noexcept {
    if (event.kind != EventKind::level) return orders_.prefetch(event.order);
    if (event.instrument < books_.size()) books_[event.instrument]->on(event.side).prefetch(event.price);
  }

  // For the maker of a market, which knows every order: changes of levels without events, and no order is remembered.
  // Such books take no events of orders.
  void add_books(std::span<const RecordedInstrument> instruments) {
    while (books_.size() < instruments.size()) add_book(instruments);
  }
  /// As many as there are in `others`, with their ticks.
  void add_books(const DepthBooks& others) {
    while (books_.size() < others.size())
      books_.push_back(std::make_unique<Depth>(others.books_[books_.size()]->bids.known_tick()));
  }
  /// Of a book that is there; it stays where it is.
  [[nodiscard]] DepthSide& side(std::uint32_t instrument, market::Side side) noexcept {
    return books_[instrument]->on(side);
  }
  void set_last_trade(std::uint32_t instrument, DepthLevel trade) noexcept { books_[instrument]->last_trade = trade; }

  [[nodiscard]] std::size_t size() const noexcept { return books_.size(); }
  [[nodiscard]] const Depth& of(std::uint32_t instrument) const noexcept { return *books_[instrument]; }
  [[nodiscard]] const DepthCounts& counts() const noexcept { return counts_; }
  [[nodiscard]] std::size_t live_orders() const noexcept { return orders_.size(); }
  /// The live order of that number, where it stays until the next event; null: there is none.
  [[nodiscard]] const OrderMap::Order* order(std::uint64_t id, std::uint32_t instrument) noexcept {
    return orders_.find(id, instrument);
  }
  /// Calls `visit(OrderMap::Order)` for each live order, in no order that means anything.
  template <class Visit>
  void each_order(Visit&& visit) const {
    orders_.each(visit);
  }
  /// What a caller that keeps tags has noted beside an order, whatever the record does to it but a replacement. Of an
  /// order that an event has just ended it is still there; beside one that came it is anything until it is set.
  [[nodiscard]] std::uint64_t& tag(const OrderMap::Order& order) noexcept { return orders_.tag(order); }
  /// Sets the mark (OrderMap::Order) of a live order; of no other anything. A new order has 0; it is kept by whatever
  /// the record does to the order but a replacement, which is another order.
  void mark(std::uint64_t id, std::uint32_t instrument, std::uint8_t mark) noexcept {
    if (OrderMap::Order* const order = orders_.find(id, instrument)) order->mark = mark;
  }
  /// Over every level of every instrument. O(levels).
  [[nodiscard]] std::uint64_t digest() const;

 private:
  void add_book(std::span<const RecordedInstrument> instruments);
  void apply(const RecordedEvent& event) {
    if (event.kind == EventKind::level) {
      ++counts_.events;
      return set_level(event);
    }
    constexpr std::uint32_t k_of_orders =
        1u << static_cast<unsigned>(EventKind::add) | 1u << static_cast<unsigned>(EventKind::reduce) |
        1u << static_cast<unsigned>(EventKind::remove) | 1u << static_cast<unsigned>(EventKind::execute);
    const bool may_be_usual = (k_of_orders >> static_cast<unsigned>(event.kind) % 32 & 1) != 0;
    if (!may_be_usual || !apply_usual_of_any_kind(event)) apply_any(event);
  }
  [[nodiscard]] bool apply_usual_of_any_kind(const RecordedEvent& event);
  template <EventKind Kind>
  [[nodiscard]] bool apply_usual_kind(const RecordedEvent& event, OrderStep& step);
  [[nodiscard]] bool apply_usual_as(std::uint64_t add, std::uint64_t ends, const RecordedEvent& event, OrderStep* step);
  void apply_any(const RecordedEvent& event);
  void add_order(std::uint64_t id, const RecordedEvent& event, market::Side side);
  void take(const RecordedEvent& event);
  void take_all(OrderMap::Order& order);
  void amend(const RecordedEvent& event);
  void replace(const RecordedEvent& event);
  void set_level(const RecordedEvent& event);
  /// Adds to a level of an order feed.
  void change(std::uint32_t instrument, market::Side side, std::int64_t price, std::int64_t by) {
    const std::int64_t before = books_[instrument]->on(side).add(price, by);
    if (noted_ != nullptr)
      note_change(*noted_, instrument, side, price, before, std::max<std::int64_t>(before + by, 0));
  }
  void note_change(Fifo<BookChange>& noted, std::uint32_t instrument, market::Side side, std::int64_t price,
                   std::int64_t before, std::int64_t after, BookChange::Kind kind = BookChange::Kind::order) {
    // Field by field: g++ 12 puts a whole one together on the stack and waits for its own bytes to copy it.
    BookChange& change = noted.add();
    change.at = noted_at_;
    change.price = price;
    change.before = before;
    change.after = after;
    change.instrument = instrument;
    change.side = side;
    change.kind = kind;
  }
  void clear(const RecordedEvent& event);
  void note_trade(const RecordedEvent& event, std::int64_t price);

  std::vector<std::unique_ptr<Depth>> books_;
  // What each event touches beside its level comes first.
  Fifo<BookChange>*noted_ = nullptr, *noted_trades_ = nullptr;
  time::Time noted_at_{};
  OrderMap orders_;
  DepthCounts counts_;
};

}  // namespace dojima::recorded
