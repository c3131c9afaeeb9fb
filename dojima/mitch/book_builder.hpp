#pragma once

// Keeps the visible book of every instrument from the messages of the feed: which displayed orders are at which
// price, in which order, what was traded, what the auction would give, in which phase the instrument is. Orders, the
// firm-quote book and the private-RFQ book of an instrument are separate. Crossed books are fine: in a call they are.
//
// A message that does not fit what is here (an order that nobody added, more executed than is there) is an Error
// and changes nothing; so is a capacity that is used up. After such an error the book of the instrument is suspect
// until it is cleared. Adding and ending an order costs O(log levels + levels better than its own), everything else
// O(log levels). Memory is taken at construction. One thread.
//
//   BookBuilder books({.instruments = 100, .orders = 100'000});
//   for (Bytes message : unit) static_cast<void>(books.apply(message));
//   books.find(133215)->best(market::Side::buy);

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dojima/base/error.hpp"
#include "dojima/base/fixed_map.hpp"
#include "dojima/base/pool.hpp"
#include "dojima/market/order.hpp"
#include "dojima/market/price.hpp"
#include "dojima/mitch/codec.hpp"

namespace dojima::mitch {

/// The books of one instrument: Flags bit 5 names the firm-quote book, bit 6 the private RFQ.
enum class SubBook : std::uint8_t { orders = 0, firm_quotes = 1, private_rfq = 2 };
inline constexpr std::size_t k_sub_book_count = 3;

struct BookBuilderLimits {
  std::size_t instruments = 64;
  std::size_t orders = 65'536;    ///< on display at a time, of all instruments
  std::size_t levels = 1'024;     ///< price levels per side of an instrument's orders
  std::size_t quote_levels = 64;  ///< likewise of its firm quotes and of its private RFQs
};

/// An order on display.
struct DisplayedOrder {
  std::uint64_t id = 0;
  market::Side side = market::Side::none;
  market::Price price;
  std::uint32_t quantity = 0;
  bool is_market = false;  ///< it has no limit: before all prices, and `price` means nothing
  Text<11> attribution;    ///< empty: anonymous
  friend bool operator==(const DisplayedOrder&, const DisplayedOrder&) = default;
};

/// What a level adds up to.
struct DisplayedLevel {
  market::Price price;
  std::uint64_t quantity = 0;
  std::uint32_t orders = 0;
  bool is_market = false;
  friend bool operator==(const DisplayedLevel&, const DisplayedLevel&) = default;
};

/// A price that is published and may be cleared.
struct PublishedPrice {
  std::optional<market::Price> price;  ///< none: never published, or cleared
  char indicator = '\0';               ///< OpenClosePriceIndicator
  friend bool operator==(const PublishedPrice&, const PublishedPrice&) = default;
};

/// What the feed says of an instrument besides its orders. Directory and status are as the message had them; `status`
/// has no instrument before the first of them.
struct InstrumentState {
  SymbolDirectory directory;
  SymbolStatus status;
  AuctionInfo auction;
  TopOfBook top;
  PublishedPrice opening;
  PublishedPrice closing;
  std::optional<market::Price> last_price;  ///< of the last trade that was not cancelled
  std::uint64_t traded_quantity = 0;        ///< printable fills, hidden fills and auctions, less what was cancelled
  std::uint64_t trade_count = 0;            ///< messages of a trade, less those that cancelled one
};

namespace detail {

using Slot = std::uint32_t;
inline constexpr Slot k_no_slot = ~Slot{0};

struct Node {
  DisplayedOrder order;
  std::uint32_t instrument = 0;  // its index
  SubBook book = SubBook::orders;
  Slot next = k_no_slot;
  Slot previous = k_no_slot;
};

/// A price with its orders, oldest first. `rank` rises towards the better prices of its side.
struct LevelNode {
  std::int64_t rank = 0;
  Slot first = k_no_slot;
  Slot last = k_no_slot;
  std::uint64_t quantity = 0;
  std::uint32_t orders = 0;
};

/// One side of one book: levels in a sorted row, the best one last, so that changes at the top move little.
using Ladder = std::vector<LevelNode>;

struct InstrumentBook {
  std::uint32_t id = 0;
  InstrumentState state;
  Ladder sides[k_sub_book_count][2];
};

}  // namespace detail

/// A look at the books of one instrument. Dies with the builder; what it shows changes with every message.
class BookView {
 public:
  BookView(const detail::InstrumentBook& book, const Pool<detail::Node>& nodes) noexcept
      : book_(&book), nodes_(&nodes) {}

  [[nodiscard]] std::uint32_t instrument() const noexcept { return book_->id; }
  [[nodiscard]] const InstrumentState& state() const noexcept { return book_->state; }

  /// The best level of a side; none when nothing is on display. Orders without a limit are a level of their own. O(1).
  [[nodiscard]] std::optional<DisplayedLevel> best(market::Side side, SubBook book = SubBook::orders) const noexcept;

  [[nodiscard]] std::size_t level_count(market::Side side, SubBook book = SubBook::orders) const noexcept {
    return ladder(side, book).size();
  }

  /// Calls `visit(const DisplayedLevel&)`, best first.
  template <class Visit>
  void each_level(market::Side side, Visit&& visit, SubBook book = SubBook::orders) const {
    const detail::Ladder& levels = ladder(side, book);
    for (std::size_t at = levels.size(); at > 0; --at) visit(shown(levels[at - 1], side));
  }

  /// Calls `visit(const DisplayedOrder&)` by priority: best price first, oldest first within a price.
  template <class Visit>
  void each_order(market::Side side, Visit&& visit, SubBook book = SubBook::orders) const {
    const detail::Ladder& levels = ladder(side, book);
    for (std::size_t at = levels.size(); at > 0; --at)
      for (detail::Slot slot = levels[at - 1].first; slot != detail::k_no_slot; slot = (*nodes_)[slot].next)
        visit((*nodes_)[slot].order);
  }

 private:
  [[nodiscard]] const detail::Ladder& ladder(market::Side side, SubBook book) const noexcept;
  [[nodiscard]] static DisplayedLevel shown(const detail::LevelNode& level, market::Side side) noexcept;

  const detail::InstrumentBook* book_;
  const Pool<detail::Node>* nodes_;
};

class BookBuilder {
 public:
  /// Throws std::bad_alloc.
  explicit BookBuilder(const BookBuilderLimits& limits);

  /// One application message as in a unit. Errors of dispatch() and of the calls below; administrative and
  /// withdrawn types are `unknown`.
  [[nodiscard]] Result<void> apply(Bytes message);

  // Orders. `duplicate` for an id that is on display; `unknown` for one that is not; `out_of_range` for a quantity of
  // 0, more executed than is there, and a limit of the largest magnitude; `wrong_state` when instrument or book are
  // not the order's; `no_room` for a capacity.
  [[nodiscard]] Result<void> apply(const AddOrder& message);
  [[nodiscard]] Result<void> apply(const AddAttributedOrder& message);
  [[nodiscard]] Result<void> apply(const OrderDeleted& message);
  [[nodiscard]] Result<void> apply(const OrderModified& message);
  [[nodiscard]] Result<void> apply(const OrderExecuted& message);
  [[nodiscard]] Result<void> apply(const OrderExecutedWithPriceSize& message);
  /// Drops the orders of the book that Flags names, and with those of the order book the statistics. O(orders).
  [[nodiscard]] Result<void> apply(const OrderBookClear& message);

  // What changes no book. `no_room` for one instrument too many.
  [[nodiscard]] Result<void> apply(const Time& message);
  [[nodiscard]] Result<void> apply(const SystemEvent& message);
  [[nodiscard]] Result<void> apply(const SymbolDirectory& message);
  [[nodiscard]] Result<void> apply(const SymbolStatus& message);
  [[nodiscard]] Result<void> apply(const Trade& message);
  [[nodiscard]] Result<void> apply(const AuctionTrade& message);
  [[nodiscard]] Result<void> apply(const AuctionInfo& message);
  [[nodiscard]] Result<void> apply(const Statistics& message);
  [[nodiscard]] Result<void> apply(const TopOfBook& message);

  /// None for an instrument that no message has named.
  [[nodiscard]] std::optional<BookView> find(std::uint32_t instrument) const noexcept;
  /// Calls `visit(BookView)` for every instrument, in the order in which they were first named.
  template <class Visit>
  void each_book(Visit&& visit) const {
    for (std::size_t at = 0; at < used_; ++at) visit(BookView(books_[at], nodes_));
  }
  /// The books of the instrument that was first named as that one, from 0 on, below instrument_count(). O(1).
  [[nodiscard]] BookView book_at(std::size_t place) const noexcept;
  /// An order on display. O(1).
  [[nodiscard]] std::optional<DisplayedOrder> find_order(std::uint64_t id) const noexcept;
  /// The instrument of an order on display. O(1).
  [[nodiscard]] std::optional<std::uint32_t> instrument_of(std::uint64_t order) const noexcept;

  [[nodiscard]] std::size_t order_count() const noexcept { return nodes_.size(); }
  [[nodiscard]] std::size_t instrument_count() const noexcept { return used_; }
  /// Since midnight of the exchange, of the last message that carried a time.
  [[nodiscard]] std::uint64_t nanoseconds_of_day() const noexcept { return nanoseconds_of_day_; }
  /// EventCode of the last SystemEvent; null before the first.
  [[nodiscard]] char event() const noexcept { return event_; }

  /// Null when levels, totals and links agree, else what is wrong. O(orders + levels). For tests.
  [[nodiscard]] const char* inconsistency() const;

 private:
  using Slot = detail::Slot;

  void stamp(std::uint32_t nanosecond) noexcept;
  [[nodiscard]] Result<std::uint32_t> index_of(std::uint32_t instrument);
  template <class Change>
  [[nodiscard]] Result<void> with_state(std::uint32_t instrument, Change&& change);
  [[nodiscard]] Result<Slot> slot_of(std::uint64_t order) const noexcept;
  [[nodiscard]] Result<void> add(const DisplayedOrder& order, std::uint32_t instrument, SubBook book);
  [[nodiscard]] Result<void> move(Slot slot, market::Price price, std::uint32_t quantity);
  [[nodiscard]] detail::Ladder& ladder_of(const detail::Node& node) noexcept;
  [[nodiscard]] bool has_place(const detail::Ladder& ladder, std::int64_t rank) const noexcept;
  void append(Slot slot);
  void take_out(Slot slot);
  void resize(Slot slot, std::uint32_t quantity);
  void end(Slot slot);
  void traded(InstrumentState& state, market::Price price, std::uint64_t quantity) noexcept;
  void cancelled(InstrumentState& state, std::uint64_t quantity) noexcept;
  [[nodiscard]] const char* inconsistency_of(const detail::InstrumentBook& book, SubBook sub_book, market::Side side,
                                             std::size_t& orders) const;

  Pool<detail::Node> nodes_;
  FixedMap<std::uint64_t, Slot> slots_;
  FixedMap<std::uint32_t, std::uint32_t> indexes_;
  std::vector<detail::InstrumentBook> books_;
  std::size_t used_ = 0;
  std::uint64_t second_ = 0;
  std::uint64_t nanoseconds_of_day_ = 0;
  char event_ = '\0';
};

}  // namespace dojima::mitch
