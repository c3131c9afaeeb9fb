#include <cstdlib>
#include <gtest/gtest.h>
#include <new>

#include "dojima/book/book_test_support.hpp"
#include "dojima/book/random_flow_test.hpp"

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

namespace dojima::book::testing {
namespace {

/// Keeps the last command's reports in place.
class FixedCollector final : public ReportBuffer {
 public:
  FixedCollector() : ReportBuffer(8) { reports.reserve(4096); }
  std::vector<BookReport> reports;

 private:
  void drain(std::span<const BookReport> more, time::Time) override {
    reports.insert(reports.end(), more.begin(), more.end());
  }
};

/// Allocations of 50,000 commands.
std::uint64_t allocations_of(Mix mix) {
  const market::Instrument instrument = make_instrument();
  OrderTable orders({.capacity = 100, .owners = 8});
  FixedCollector collector;
  Book book(instrument, orders, collector, {.levels = 12});
  if (mix == Mix::days) {  // the first call takes its memory
    market::PhaseChange call;
    call.phase = market::Phase::opening_call;
    book.apply(call);
  }
  RandomFlow flow(5, mix);
  std::size_t trades = 0, refusals = 0;
  const std::uint64_t before = allocations;
  for (std::uint64_t sequence = 1; sequence <= 50'000; ++sequence) {
    const Command command = flow.next();
    collector.reports.clear();
    collector.begin({sequence}, {});
    std::visit([&book](const auto& each) { book.apply(each); }, command);
    collector.finish();
    flow.learn(collector.reports);
    for (const BookReport& report : collector.reports) {
      trades += report.kind == BookReportKind::traded ? 1 : 0;
      refusals += report.kind == BookReportKind::rejected ? 1 : 0;
    }
  }
  const std::uint64_t made = allocations - before;
  EXPECT_GT(trades, 1'000u);
  EXPECT_GT(refusals, 1'000u);
  return made;
}

TEST(Book, allocates_nothing_after_construction_whatever_it_is_told) {
  EXPECT_EQ(allocations_of(Mix::plain), 0u);
  EXPECT_EQ(allocations_of(Mix::all), 0u);
}

TEST(Book, allocates_nothing_after_its_first_call_began) {
  EXPECT_EQ(allocations_of(Mix::days), 0u);
}

}  // namespace
}  // namespace dojima::book::testing

#endif
