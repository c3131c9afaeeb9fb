#pragma once

// Who keeps the books in a replay: levels alone, a mirror of every order in book::Book, or book::Book with matching, in
// which recorded orders are entered and recorded trades are made by orders that take. One interface, a call per batch.
//
//   auto books = make_replay_books({.keeper = Keeper::mirror}, ticks);
//   books->apply(events, reader.instruments());
//   books->best(0, Side::buy);

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "dojima/recorded/books/depth_book.hpp"
#include "dojima/recorded/event.hpp"

namespace dojima::recorded {

enum class Keeper : std::uint8_t {
  depth,   ///< what rests at each price; any data, fastest
  mirror,  ///< every order with its place in the queue, as the data say
  match,   ///< recorded orders go into a book that matches; recorded executions are made by an order that takes
};

struct ReplayCounts {
  std::uint64_t events = 0;
  std::uint64_t unknown = 0;    ///< named an order that is not there
  std::uint64_t refused = 0;    ///< did not fit the book: known already, off the tick, without side or price
  std::uint64_t trades = 0;     ///< that count for volumes
  std::int64_t traded = 0;      ///< quantity
  std::uint64_t crossings = 0;  ///< changes after which a best bid was not below the best ask
  // Matching alone.
  std::uint64_t matched = 0;         ///< recorded executions that met the same order, for the same quantity
  std::uint64_t matched_others = 0;  ///< recorded executions that met somebody else, or nobody
};

class ReplayBooks {
 public:
  virtual ~ReplayBooks() = default;
  /// `instruments` as the reader has them now.
  virtual void apply(std::span<const RecordedEvent> events, std::span<const RecordedInstrument> instruments) = 0;
  [[nodiscard]] virtual std::optional<DepthLevel> best(std::uint32_t instrument, market::Side side) const = 0;
  /// The first levels of a side, best first, at most as many as there is room for; how many there are.
  [[nodiscard]] virtual std::size_t levels(std::uint32_t instrument, market::Side side,
                                           std::span<DepthLevel> levels) const = 0;
  /// Quantity 0: none yet.
  [[nodiscard]] virtual DepthLevel last_trade(std::uint32_t instrument) const = 0;
  [[nodiscard]] virtual std::size_t size() const = 0;
  [[nodiscard]] virtual std::size_t live_orders() const = 0;
  [[nodiscard]] virtual ReplayCounts counts() const = 0;
  /// Over the levels of all books: the same for every keeper that agrees.
  [[nodiscard]] std::uint64_t digest() const;
};

struct ReplayBooksOptions {
  Keeper keeper = Keeper::depth;
  std::size_t orders = std::size_t{1} << 18;  ///< live at once, for mirror and match
  bool counts_crossings = false;
};

/// `ticks`: of each instrument, where the reader has none; may be shorter. Throws std::bad_alloc.
[[nodiscard]] std::unique_ptr<ReplayBooks> make_replay_books(const ReplayBooksOptions& options,
                                                             std::vector<std::int64_t> ticks = {});

}  // namespace dojima::recorded
