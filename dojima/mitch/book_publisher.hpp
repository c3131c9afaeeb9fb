#pragma once

// Publishes on the feed what a book reports: each market::BookReport becomes the messages from which readers keep the
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
#include "dojima/market/day.hpp"
#include "dojima/market/phase.hpp"
#include "dojima/market/report.hpp"
#include "dojima/mitch/book_builder.hpp"
#include "dojima/mitch/feed_writer.hpp"
#include "dojima/time/time.hpp"

namespace dojima::mitch {

struct BookPublisherOptions {
  std::size_t orders = 65'536;    ///< on display at a time
  std::size_t instruments = 256;  ///< that the reports may name
  time::Time midnight{};          ///< of the exchange's day, on the clock of publish()
  std::uint64_t first_trade = 1;  ///< TradeMatchID of the first trade; each further one is one higher
};

class BookPublisher {
 public:
  /// Throws std::bad_alloc.
  BookPublisher(FeedWriter& feed, const BookPublisherOptions& options);

  /// The venue publishes the trading day of this instrument, by publish(): its status is not made of the book's phases.
  /// False: one instrument too many.
  [[nodiscard]] bool follow_day(std::uint32_t instrument);
  /// A phase of the day. Errors as of publish().
  [[nodiscard]] Result<void> publish(const market::SymbolStatus& status);
  /// What kind of auction the next reports of the book are about, and the number of the last trade in it.
  void publish(const market::AuctionInfo& info);
  void publish(const market::AuctionTrade& trade);
  /// A trade counts no more: it is published once more, as cancelled. Errors as of publish().
  [[nodiscard]] Result<void> publish(const market::TradeBreak& broken);
  /// Any message without an effect on the book: the directory, the start of the day.
  template <class Message>
  [[nodiscard]] Result<void> broadcast(const Message& message, time::Time now) {
    now_ = now;
    return send(message);
  }

  /// Appends what the report changes of the visible book, the trades and the state of the auction; often nothing.
  /// `now` is not before midnight and does not go back. TradeMatchID counts the reports of trades. `out_of_range` for a
  /// quantity above UInt32, `no_room` for one order too many on display; the report then was not published.
  [[nodiscard]] Result<void> publish(const market::BookReport& report, time::Time now);

  /// The feed is numbered anew: the next message is one of Time.
  void begin_numbers() noexcept { has_time_ = false; }
  /// For readers who begin here: clears an instrument's books and shows every order of them again, by priority, and its
  /// status. `book` may change with what is written. Allocates. Errors as of publish().
  [[nodiscard]] Result<void> show_again(const BookView& book, time::Time now);

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

  /// What is known of an instrument.
  struct Market {
    market::Phase phase = market::Phase::continuous;
    bool has_day = false;
    char auction_type = '\0';      ///< as the day states it
    std::uint64_t last_trade = 0;  ///< likewise, of the auction
    // What was published trade by trade at the closing price, of the last command that traded there.
    market::Sequence published_command;
    market::Quantity published;
  };

  template <class Message>
  [[nodiscard]] Result<void> send(Message message);
  [[nodiscard]] Result<void> begin(time::Time now);
  [[nodiscard]] Market* market_of(std::uint32_t instrument);
  [[nodiscard]] Result<void> dispatch(const market::BookReport& report, Market& market);
  [[nodiscard]] static char auction_type_of(const Market& market) noexcept;
  [[nodiscard]] Result<void> show(const market::BookReport& report);
  [[nodiscard]] Result<void> hide(const market::BookReport& report);
  [[nodiscard]] Result<void> change(const market::BookReport& report, Priority priority);
  [[nodiscard]] Result<void> trade(const market::BookReport& report);
  [[nodiscard]] Result<void> cross(const market::BookReport& report, Market& market);
  [[nodiscard]] Result<void> cross_order(market::OrderId order, const market::BookReport& report, std::uint64_t trade);
  [[nodiscard]] Result<void> uncross(const market::BookReport& report, Market& market);
  [[nodiscard]] Result<void> change_phase(const market::BookReport& report, Market& market);
  void keep(market::OrderId order, std::int64_t displayed, std::int64_t leaves) noexcept;

  FeedWriter& feed_;
  FixedMap<std::uint64_t, Shown> shown_;
  FixedMap<std::uint32_t, Market> markets_;
  time::Time midnight_;
  std::uint64_t next_trade_;
  time::Time now_{};
  std::uint32_t second_ = 0;
  bool has_time_ = false;
};

/// Stamps a message and appends it, a Time message in front of it when a second has begun.
template <class Message>
Result<void> BookPublisher::send(Message message) {
  if (const Result<void> begun = begin(now_); !begun) return begun;
  constexpr std::int64_t k_second = 1'000'000'000;
  constexpr std::int64_t k_microsecond = 1'000;  // the feed's resolution
  message.nanosecond =
      static_cast<std::uint32_t>((now_ - midnight_).count() % k_second / k_microsecond * k_microsecond);
  return feed_.append(message);
}

}  // namespace dojima::mitch
