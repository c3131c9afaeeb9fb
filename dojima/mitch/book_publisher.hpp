#pragma once

// Tells the feed what a book says: each market::BookReport becomes the messages that let everybody else keep the
// visible book. Hidden, dark and waiting orders are never shown; of an iceberg only the peak. It remembers what is on
// display and nothing else. A Time message goes out before the first message of a second. Nothing is allocated after
// construction; O(1) per report. One thread; the writer must outlive it.
//
//   BookPublisher publisher(feed, {.orders = 100'000, .midnight = midnight});
//   publisher.publish(report, now);  ...  feed.flush();

#include <cstddef>
#include <cstdint>

#include "dojima/base/error.hpp"
#include "dojima/base/fixed_map.hpp"
#include "dojima/market/phase.hpp"
#include "dojima/market/report.hpp"
#include "dojima/mitch/feed_writer.hpp"
#include "dojima/time/time.hpp"

namespace dojima::mitch {

struct BookPublisherOptions {
  std::size_t orders = 65'536;    ///< on display at a time
  time::Time midnight{};          ///< of the exchange's day, on the clock of publish()
  std::uint64_t first_trade = 1;  ///< TradeMatchID of the first trade; each further one is one higher
};

class BookPublisher {
 public:
  /// Throws std::bad_alloc.
  BookPublisher(FeedWriter& feed, const BookPublisherOptions& options);

  /// Appends what the report changes of the visible book, the trades and the state of the auction; often nothing.
  /// `now` is not before midnight and does not go back. `out_of_range` for a quantity above UInt32, `no_room` for one
  /// order too many on display; the report then was not told.
  [[nodiscard]] Result<void> publish(const market::BookReport& report, time::Time now);

  [[nodiscard]] std::size_t displayed_count() const noexcept { return shown_.size(); }

 private:
  /// An order on display.
  struct Shown {
    market::Price price;
    std::int64_t displayed = 0;
    std::int64_t leaves = 0;
    market::Side side = market::Side::none;
  };
  enum class Priority : std::uint8_t { lost, retained };

  template <class Message>
  [[nodiscard]] Result<void> send(Message message);
  [[nodiscard]] Result<void> show(const market::BookReport& report);
  [[nodiscard]] Result<void> hide(const market::BookReport& report);
  [[nodiscard]] Result<void> change(const market::BookReport& report, Priority priority);
  [[nodiscard]] Result<void> trade(const market::BookReport& report);
  [[nodiscard]] Result<void> cross(const market::BookReport& report);
  [[nodiscard]] Result<void> cross_order(market::OrderId order, const market::BookReport& report, std::uint64_t trade);
  [[nodiscard]] Result<void> uncross(const market::BookReport& report);
  [[nodiscard]] Result<void> change_phase(const market::BookReport& report);
  void keep(market::OrderId order, std::int64_t displayed, std::int64_t leaves) noexcept;

  FeedWriter& feed_;
  FixedMap<std::uint64_t, Shown> shown_;
  time::Time midnight_;
  std::uint64_t next_trade_;
  market::Phase phase_ = market::Phase::continuous;
  // What was told trade by trade at the closing price, of the last command that traded there.
  market::Sequence told_command_;
  market::Quantity told_;
  time::Time now_{};
  std::uint32_t second_ = 0;
  bool has_time_ = false;
};

}  // namespace dojima::mitch
