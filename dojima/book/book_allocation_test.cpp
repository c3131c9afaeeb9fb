#include <gtest/gtest.h>

#include "dojima/base/allocation_counter.hpp"
#include "dojima/book/book_test_support.hpp"
#include "dojima/book/random_flow_test.hpp"

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
  const std::uint64_t before = heap_allocations();
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
  const std::uint64_t made = heap_allocations() - before;
  EXPECT_GT(trades, 1'000u);
  EXPECT_GT(refusals, 1'000u);
  return made;
}

TEST(Book, allocates_nothing_after_construction_whatever_the_commands) {
  if (!counts_heap_allocations()) GTEST_SKIP() << "sanitizer builds keep their own operator new";
  EXPECT_EQ(allocations_of(Mix::plain), 0u);
  EXPECT_EQ(allocations_of(Mix::all), 0u);
}

TEST(Book, allocates_nothing_after_its_first_call_began) {
  if (!counts_heap_allocations()) GTEST_SKIP() << "sanitizer builds keep their own operator new";
  EXPECT_EQ(allocations_of(Mix::days), 0u);
}

}  // namespace
}  // namespace dojima::book::testing
