// Writing a feed and keeping books from it takes no memory once everything is made.

#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>

#include "dojima/mitch/book_builder.hpp"
#include "dojima/mitch/book_publisher.hpp"

// The whole test program counts; sanitizers keep their own operators.
#if !defined(DOJIMA_SANITIZED)

namespace {
std::uint64_t allocations = 0;

void* counted(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void* counted(std::size_t size, std::align_val_t alignment) {
  ++allocations;
  const auto step = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(step, (size + step - 1) / step * step)) return memory;
  throw std::bad_alloc();
}
}  // namespace

void* operator new(std::size_t size) {
  return counted(size);
}
void* operator new[](std::size_t size) {
  return counted(size);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, alignment);
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return counted(size, alignment);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace dojima::mitch::testing {
namespace {

/// Hands every unit on to a builder.
class Receiver final : public FeedSink {
 public:
  void on_unit(Bytes bytes) override {
    const Result<Unit> unit = read_unit(bytes);
    for (const Bytes message : *unit) refused += builder.apply(message) ? 0U : 1U;
  }
  BookBuilder builder{{.instruments = 2, .orders = 256, .levels = 64, .quote_levels = 4}};
  std::size_t refused = 0;
};

TEST(Allocation, none_from_the_report_to_the_book_that_is_kept) {
  Receiver receiver;
  FeedWriter feed(receiver, {});
  BookPublisher publisher(feed, {.orders = 256});
  const std::uint64_t before = allocations;
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
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(failed, 0u);
  EXPECT_EQ(receiver.refused, 0u);
  EXPECT_GT(receiver.builder.order_count(), 0u);
}

}  // namespace
}  // namespace dojima::mitch::testing

#endif
