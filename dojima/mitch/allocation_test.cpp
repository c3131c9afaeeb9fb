// Writing a feed and keeping books from it takes no memory once everything is made.

#include <cstdint>
#include <gtest/gtest.h>

#include "dojima/base/allocation_counter.hpp"
#include "dojima/mitch/book_builder.hpp"
#include "dojima/mitch/book_publisher.hpp"

namespace dojima::mitch::testing {
namespace {

/// Hands every unit on to a builder.
class ApplyingSink final : public FeedSink {
 public:
  void on_unit(Bytes bytes) override {
    const Result<Unit> unit = read_unit(bytes);
    for (const Bytes message : *unit) refused += builder.apply(message) ? 0U : 1U;
  }
  BookBuilder builder{{.instruments = 2, .orders = 256, .levels = 64, .quote_levels = 4}};
  std::size_t refused = 0;
};

TEST(Allocation, none_from_the_report_to_the_book_that_is_kept) {
  if (!counts_heap_allocations()) GTEST_SKIP() << "sanitizer builds keep their own operator new";
  ApplyingSink receiver;
  FeedWriter feed(receiver, {});
  BookPublisher publisher(feed, {.orders = 256});
  const std::uint64_t before = heap_allocations();
  std::size_t failed = 0;
  for (std::uint64_t turn = 0; turn < 150; ++turn) {
    const std::uint64_t id = turn + 1;
    market::BookReport report{.order = {id},
                              .price = {static_cast<std::int64_t>(100 + id % 50)},
                              .quantity = {10},
                              .leaves = {10},
                              .displayed = {10},
                              .instrument = 7,
                              .kind = market::BookReportKind::added,
                              .side = market::Side::buy};
    failed += publisher.publish(report, {}) ? 0U : 1U;
    report.kind = market::BookReportKind::traded;
    report.quantity = {4};
    report.leaves = report.displayed = {6};
    failed += publisher.publish(report, {}) ? 0U : 1U;
    report.kind = market::BookReportKind::cancelled;
    report.displayed = {};
    if (turn % 3 != 0) failed += publisher.publish(report, {}) ? 0U : 1U;
    feed.flush();
    if (turn % 50 == 49) {
      static_cast<void>(feed.append(OrderBookClear{.instrument_id = 8}));
      feed.heartbeat();
    }
  }
  EXPECT_EQ(heap_allocations(), before);
  EXPECT_EQ(failed, 0u);
  EXPECT_EQ(receiver.refused, 0u);
  EXPECT_GT(receiver.builder.order_count(), 0u);
}

}  // namespace
}  // namespace dojima::mitch::testing
