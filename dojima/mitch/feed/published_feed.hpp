#pragma once

// What has been published of one market data group, for those who missed some of it: the newest messages by their
// numbers, and the books as they are behind the last one. Units pass through on their way to the lines. Nothing is
// allocated after construction. One thread; the lines may not call it.
//
//   PublishedFeed published(lines, {.group = '1'});
//   FeedWriter writer(published, {.market_data_group = '1'});

#include <cstddef>
#include <cstdint>

#include "dojima/mitch/book_builder.hpp"
#include "dojima/mitch/feed/message_window.hpp"
#include "dojima/mitch/feed_writer.hpp"

namespace dojima::mitch {

struct PublishedFeedOptions {
  char group = '1';
  std::size_t messages = 65'000;  ///< that can be asked for again; MIT303 has 65,000
  BookBuilderLimits books;
};

class PublishedFeed final : public FeedSink {
 public:
  /// Throws std::bad_alloc.
  PublishedFeed(FeedSink& lines, const PublishedFeedOptions& options)
      : lines_(lines),
        group_(options.group),
        kept_(options.messages),
        window_(options.messages),
        books_(options.books) {}

  void on_unit(Bytes unit) override;
  /// The next message is number 1. Those before cannot be asked for any more; the books stay.
  void begin_numbers() noexcept {
    window_.clear();
    last_ = 0;
  }

  [[nodiscard]] char group() const noexcept { return group_; }
  /// The number of the last message; 0: none.
  [[nodiscard]] std::uint32_t last() const noexcept { return last_; }
  /// The number of the oldest message that is still there; 0: none.
  [[nodiscard]] std::uint32_t oldest() const noexcept;
  /// A message between these. The view dies with the next unit.
  [[nodiscard]] Bytes message(std::uint32_t number) const noexcept { return window_.find(number); }
  /// As a reader of every message has them.
  [[nodiscard]] const BookBuilder& books() const noexcept { return books_; }
  /// Messages that fit no book: a capacity was used up. Snapshots of their instruments are wrong.
  [[nodiscard]] std::uint64_t misfits() const noexcept { return misfits_; }

 private:
  FeedSink& lines_;
  char group_;
  std::size_t kept_;
  MessageWindow window_;
  BookBuilder books_;
  std::uint32_t last_ = 0;
  std::uint64_t misfits_ = 0;
};

}  // namespace dojima::mitch
