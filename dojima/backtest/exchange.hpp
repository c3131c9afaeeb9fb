#pragma once

// Where own orders meet the recorded market, in three ways:
//
//   levels   the place in the queue is estimated from what rests at the price (queue_model.hpp); any data with trades
//   orders   the exact place, first in, first out, by arrival; data with orders
//   match    own orders are entered into a book that matches the recorded ones as well, so that they have an impact
//
// Events come in the order of the exchange's clock, requests in between, and what happens to own orders is left in
// `reports`. With `levels` and `orders` the recorded market goes on as recorded: an own fill takes nothing from
// anybody. docs/backtest.md has the rules of each. One thread; memory as the recorded books and own orders need.

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/backtest/orders.hpp"
#include "dojima/backtest/queue_model.hpp"
#include "dojima/base/straight_line.hpp"
#include "dojima/recorded/books/depth_book.hpp"
#include "dojima/recorded/books/depth_side.hpp"
#include "dojima/recorded/event.hpp"

namespace dojima::backtest {

enum class ExchangeKind : std::uint8_t { levels, orders, match };
[[nodiscard]] std::string_view name_of(ExchangeKind kind) noexcept;

/// How much of an own order a trade fills.
enum class FillRule : std::uint8_t {
  partial,  ///< as much as there is: no quantity is used twice
  whole,    ///< all of it, once its turn has come: for orders small beside what is traded
};
[[nodiscard]] std::string_view name_of(FillRule rule) noexcept;

struct ExchangeSettings {
  ExchangeKind kind = ExchangeKind::levels;
  QueueModelSettings queue{};          ///< levels
  FillRule fills = FillRule::partial;  ///< levels
  std::int64_t lot = 1;                ///< levels: smallest quantity, in units of the instrument, > 0
  Duration silence{};                  ///< no order takes when its instrument had no event for longer; 0: any time
  std::size_t orders = std::size_t{1} << 18;  ///< match: room for live orders
  std::vector<std::int64_t> ticks{};          ///< match: of each instrument whose reader has none
};

/// What became of the recorded market around own orders.
struct ExchangeCounts {
  std::uint64_t events = 0;
  std::uint64_t requests = 0;
  std::uint64_t fills = 0;
  std::uint64_t unknown = 0;  ///< events that named an order that is not there
  std::uint64_t refused = 0;  ///< events that did not fit the book
  std::uint64_t missing = 0;  ///< match: of the unknown ones, orders that were there in the record
  std::uint64_t matched = 0;  ///< match: recorded executions that met the recorded order, for all of the quantity
  std::uint64_t matched_others = 0;  ///< match: recorded executions that met somebody else, or nobody
};

/// The books as a strategy knows them, and which of them had an event in the instant at hand.
class FeedBooks {
 public:
  /// Whether anybody asks for noted().
  explicit FeedBooks(bool is_noting) : is_noting_(is_noting) {}

  void apply(const recorded::RecordedEvent& event, std::span<const recorded::RecordedInstrument> instruments) {
    books_.apply(event, instruments);
    note(event.instrument);
  }
  /// Of an event that comes soon.
  [[gnu::always_inline]] void prefetch(const recorded::RecordedEvent& event) const noexcept { books_.prefetch(event); }
  // In place of an event, where `record` has taken it (BookFlight).
  void add_books(const recorded::DepthBooks& record) { books_.add_books(record); }
  /// Of a book that is there.
  void apply(const recorded::BookChange& change) {
    using Kind = recorded::BookChange::Kind;
    if (change.kind == Kind::order) {
      books_.side(change.instrument, change.side).add(change.price, change.after - change.before);
    } else if (change.kind == Kind::level) {
      books_.side(change.instrument, change.side).set(change.price, change.after);
    } else if (change.kind == Kind::trade) {
      books_.set_last_trade(change.instrument, {change.price, change.after});
    }
    note(change.instrument);
  }
  /// A level of a book that is there.
  void set_level(std::uint32_t instrument, Side side, recorded::DepthLevel level) {
    books_.side(instrument, side).set(level.price, level.quantity);
  }
  // By the exchange itself, in place of an event (Exchange::keep_books); books that are there.
  void add_books(std::span<const recorded::RecordedInstrument> instruments) {
    books_.add_books(instruments);
    sides_.clear();
    for (std::uint32_t at = 0; at < instruments.size(); ++at)
      for (const Side side : {Side::buy, Side::sell}) sides_.push_back(&books_.side(at, side));
  }
  void change_level(std::uint32_t instrument, Side side, std::int64_t price, std::int64_t change) {
    sides_[2 * std::size_t{instrument} + (side == Side::buy ? 0 : 1)]->change(price, change);
    note(instrument);
  }
  void trade(std::uint32_t instrument, recorded::DepthLevel trade) {
    books_.set_last_trade(instrument, trade);
    note(instrument);
  }
  /// An event that changes no book.
  void note(std::uint32_t instrument) {
    if (!is_noting_) return;
    if (instrument >= is_noted_.size()) is_noted_.resize(instrument + 1);
    if (is_noted_[instrument] != 0) return;
    is_noted_[instrument] = 1;
    noted_.push_back(instrument);
  }

  [[nodiscard]] std::size_t size() const noexcept { return books_.size(); }
  [[nodiscard]] const recorded::Depth& of(std::uint32_t instrument) const noexcept { return books_.of(instrument); }
  /// In the order of their first events since forget().
  [[nodiscard]] std::span<const std::uint32_t> noted() const noexcept { return noted_; }
  void forget() noexcept {
    for (const std::uint32_t instrument : noted_) is_noted_[instrument] = 0;
    noted_.clear();
  }

 private:
  recorded::DepthBooks books_;
  std::vector<recorded::DepthSide*> sides_;  // of add_books(): by instrument and side
  std::vector<std::uint8_t> is_noted_;
  std::vector<std::uint32_t> noted_;
  bool is_noting_;
};

/// Where own orders are in a book, for the question whether an event may be about them.
struct OwnPrices {
  /// Of a side, the better the lower: ~price of bids, the price of asks. Of no order: nothing lies between these.
  struct Keys {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    std::int64_t last = std::numeric_limits<std::int64_t>::min();
    friend bool operator==(const Keys&, const Keys&) = default;
  };
  std::array<Keys, 2> keys;  ///< of bids and of asks
  bool is_quiet = true;      ///< there are none, and the record takes its course
  friend bool operator==(const OwnPrices&, const OwnPrices&) = default;

  /// What is at a price of one side, before own orders of that side or among them, or meets some of the other.
  struct Place {
    bool is_behind_first, is_among, meets;
  };
  /// Without a branch: no branch prediction could know what comes next.
  [[nodiscard, gnu::always_inline]] Place place_of(Side side, std::int64_t price) const noexcept {
    const std::uint64_t is_bid = side == Side::buy ? 1 : 0;
    const std::int64_t key = either(0 - is_bid, ~price, price);
    const Keys &beside = keys[1 - is_bid], &others = keys[is_bid];
    return {.is_behind_first = key >= beside.first,
            .is_among = all(key >= beside.first, key <= beside.last),
            .meets = ~key >= others.first};
  }
};

/// Which events change the record and nothing else: no own order sees them. A view of what the exchange keeps.
struct QuietEvents {
  const OwnPrices* own = nullptr;    ///< by instrument
  std::size_t size = 0;              ///< instruments; what is about others is not taken
  bool are_levels_by_price = false;  ///< levels away from own orders do not concern them

  [[nodiscard, gnu::always_inline]] bool takes(const recorded::RecordedEvent& event) const noexcept {
    if (event.instrument >= size) [[unlikely]]
      return false;
    const OwnPrices& there = own[event.instrument];
    if (there.is_quiet) return event.kind != recorded::EventKind::status;
    if (!all(are_levels_by_price, event.kind == recorded::EventKind::level)) return false;
    const OwnPrices::Place place = there.place_of(event.side, event.price);
    return all(!place.is_among, !place.meets);
  }
};

class Exchange {
 public:
  virtual ~Exchange() = default;
  /// The next event, at `now`. `instruments` as the reader has them.
  virtual void on_event(const recorded::RecordedEvent& event, std::span<const recorded::RecordedInstrument> instruments,
                        Time now) = 0;
  /// A request that arrives at `now`.
  virtual void on_request(const Request& request, Time now) = 0;
  /// Of the exchange's book, by which own holdings are valued.
  [[nodiscard]] virtual std::optional<recorded::DepthLevel> best(std::uint32_t instrument, Side side) const = 0;
  /// Own orders that rest.
  [[nodiscard]] virtual std::size_t resting() const = 0;
  [[nodiscard]] virtual const ExchangeCounts& counts() const = 0;

  /// The recorded books, as they are in the record; null: it has none. What is done to them meanwhile is undone before
  /// the next call.
  [[nodiscard]] virtual recorded::DepthBooks* record() noexcept { return nullptr; }

  /// An event that comes soon: what it will need has time to come from memory.
  virtual void prefetch(const recorded::RecordedEvent& event) const { static_cast<void>(event); }

  /// Whether what the strategy sees comes from here (`feed`) and not from the events that are handed in.
  [[nodiscard]] virtual bool makes_market() const noexcept { return false; }

  // Of an exchange that makes the market, for a strategy that hears of everything at the instant at which it happens
  // and only looks at books.

  /// From here on it changes `books` itself, which outlive that, and `feed` stays empty; null: as before. False: it
  /// does not do that.
  [[nodiscard]] virtual bool keep_books(FeedBooks* books) {
    static_cast<void>(books);
    return false;
  }
  /// With keep_books(): its event at `now`, and further ones before `bound`, `most` > 0 together, until there is a
  /// report. `now` and `number` go on with each.
  virtual void run_ahead(Time bound, std::size_t most, Time& now, std::uint64_t& number) {
    static_cast<void>(bound);
    static_cast<void>(most);
    static_cast<void>(now);
    static_cast<void>(number);
  }

  // Of one that requests and reports have a way of their own to.

  /// Whether anything happens there between its events.
  [[nodiscard]] virtual bool has_own_time() const noexcept { return false; }
  /// When that is next; k_never: nothing is on its way.
  [[nodiscard]] virtual Time next_time() { return time::k_never; }
  /// All that happens until then.
  virtual void pass(Time now) { static_cast<void>(now); }

  /// What the last calls brought about, oldest first; the caller takes them out. A report that says when it came is not
  /// received earlier, whatever the latencies.
  std::vector<Report> reports;
  std::vector<recorded::RecordedEvent> feed;
  /// Of events that it takes, the caller may apply each to record() in place of on_event(): nothing else would happen.
  QuietEvents quiet;
};

/// Throws std::bad_alloc.
[[nodiscard]] std::unique_ptr<Exchange> make_exchange(const ExchangeSettings& settings);

}  // namespace dojima::backtest
