// The ring of facts: what goes in comes out, of reports what screens show; full is an answer.

#include "dojima/web/dashboard/fact_ring.hpp"

#include <cstdint>
#include <cstring>
#include <deque>
#include <gtest/gtest.h>
#include <random>

#include "dojima/market/report.hpp"
#include "dojima/time/time.hpp"
#include "dojima/web/dashboard/fact.hpp"

namespace dojima::web {
namespace {

using market::BookReport;
using market::BookReportKind;

/// What docs/dashboard.md says that screens show of a report.
[[nodiscard]] BookReport shown_of(const BookReport& report) {
  BookReport shown{.instrument = report.instrument,
                   .kind = report.kind,
                   .side = report.side,
                   .reason = report.reason,
                   .flags = report.flags};
  const bool is_auction = report.kind == BookReportKind::traded && (report.flags & market::k_auction) != 0;
  switch (report.kind) {
    case BookReportKind::added:
    case BookReportKind::replenished:
    case BookReportKind::traded:
    case BookReportKind::replaced:
    case BookReportKind::reduced:
    case BookReportKind::cancelled:
    case BookReportKind::expired:
    case BookReportKind::triggered:
      shown.order = report.order;
      break;
    default:
      break;
  }
  const bool has_price = report.kind == BookReportKind::added || report.kind == BookReportKind::replenished ||
                         report.kind == BookReportKind::traded || report.kind == BookReportKind::indicative ||
                         report.kind == BookReportKind::uncrossed;
  if (has_price) shown.price = report.price;
  if (report.kind == BookReportKind::traded || report.kind == BookReportKind::indicative ||
      report.kind == BookReportKind::uncrossed)
    shown.quantity = report.quantity;
  if (report.kind == BookReportKind::indicative || report.kind == BookReportKind::uncrossed)
    shown.leaves = report.leaves;
  if (is_auction) shown.other = report.other;
  if (report.kind == BookReportKind::added || report.kind == BookReportKind::replenished ||
      (report.kind == BookReportKind::traded && !is_auction) || report.kind == BookReportKind::replaced ||
      report.kind == BookReportKind::reduced) {
    shown.displayed = report.displayed;
    shown.leaves = report.leaves;
  }
  return shown;
}

class RandomFacts {
 public:
  explicit RandomFacts(std::uint32_t seed) : random_(seed) {}

  [[nodiscard]] std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  /// Mostly a little later; also far away, and back.
  [[nodiscard]] time::Time time() {
    const std::uint64_t how = below(20);
    if (how == 0) now_ = static_cast<std::int64_t>(random_() >> 2U);
    if (how == 1) now_ -= 5;
    if (how == 2) now_ += std::int64_t{1} << 32;
    if (how == 3) now_ += (std::int64_t{1} << 32) - 1;
    if (how > 8) now_ += static_cast<std::int64_t>(below(1'000'000));
    return time::from_nanoseconds(now_);
  }
  [[nodiscard]] BookReport report() {
    const auto number = [this] { return static_cast<std::int64_t>(random_() >> below(64)); };
    BookReport report{.sequence = {random_()},
                      .order = {random_()},
                      .other = {random_()},
                      .price = {number()},
                      .quantity = {number()},
                      .leaves = {number()},
                      .displayed = {number()},
                      .instrument = static_cast<std::uint32_t>(random_()),
                      .kind = static_cast<BookReportKind>(below(15)),
                      .side = static_cast<market::Side>(below(3)),
                      .reason = static_cast<market::Reason>(below(41)),
                      .flags = static_cast<std::uint8_t>(random_())};
    if (below(2) == 0) report.leaves = report.displayed;
    return report;
  }

 private:
  std::mt19937_64 random_;
  std::int64_t now_ = 1'700'000'000'000'000'000;
};

TEST(FactRings, give_what_they_were_told_and_of_reports_what_is_shown) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    RandomFacts random(seed);
    FactRing ring(std::size_t{1024} << (seed % 3));
    struct Told {
      std::int64_t time;
      FactKind kind;
      std::uint16_t owner;
      BookReport report;
      NoticeFact notice;
      CounterFact counter;
    };
    std::deque<Told> told;
    Fact fact;
    std::uint64_t refused = 0;
    for (int step = 0; step < 3'000; ++step) {
      if (random.below(100) < 50) {
        const time::Time now = random.time();
        Told one{.time = time::nanoseconds_of(now),
                 .kind = FactKind::report,
                 .owner = static_cast<std::uint16_t>(random.below(65'536)),
                 .report = random.report(),
                 .notice = {},
                 .counter = {}};
        bool is_taken = false;
        switch (random.below(4)) {
          case 0:
            one.kind = FactKind::notice;
            one.notice.number = static_cast<std::uint32_t>(step);
            one.notice.text.fill(static_cast<char>('a' + step % 26));
            is_taken = ring.push(one.kind, now, one.notice, one.owner);
            break;
          case 1:
            one.kind = FactKind::counter;
            one.counter = {.value = random.below(~std::uint64_t{0}), .counter = 7};
            is_taken = ring.push(one.kind, now, one.counter, one.owner);
            break;
          default:
            is_taken = ring.push(one.kind, now, one.report, one.owner);
        }
        if (is_taken) {
          told.push_back(one);
        } else {
          ++refused;
          EXPECT_LT(ring.free(), FactRing::k_longest) << "there was room";
        }
        continue;
      }
      // Now and then all of it, so that the ring goes round.
      for (std::uint64_t count = random.below(400) == 0 ? 1000 : random.below(2); count != 0; --count) {
        if (told.empty()) {
          EXPECT_FALSE(ring.pop(fact));
          EXPECT_EQ(ring.free(), ring.capacity());
          break;
        }
        ASSERT_TRUE(ring.pop(fact));
        const Told& one = told.front();
        EXPECT_EQ(fact.time, one.time);
        EXPECT_EQ(fact.owner, one.owner);
        ASSERT_EQ(fact.kind, one.kind);
        if (one.kind == FactKind::report) {
          EXPECT_EQ(fact.as<BookReport>(), shown_of(one.report)) << static_cast<int>(one.report.kind);
        } else if (one.kind == FactKind::notice) {
          const auto notice = fact.as<NoticeFact>();
          EXPECT_EQ(std::memcmp(&notice, &one.notice, sizeof notice), 0);
        } else {
          EXPECT_EQ(fact.as<CounterFact>().value, one.counter.value);
          EXPECT_EQ(fact.as<CounterFact>().counter, one.counter.counter);
        }
        told.pop_front();
      }
    }
    EXPECT_GT(refused, 0U) << "it was full at times";
  }
}

TEST(FactRings, take_forty_bytes_for_an_order_and_twentyfour_for_its_end) {
  FactRing ring(1024);
  const time::Time now = time::from_nanoseconds(5);
  ASSERT_TRUE(ring.push(FactKind::counter, now, CounterFact{}));
  const std::size_t free = ring.free();
  BookReport report{
      .order = {1}, .price = {2}, .leaves = {3}, .displayed = {3}, .instrument = 1, .kind = BookReportKind::added};
  ASSERT_TRUE(ring.push(FactKind::report, now, report));
  EXPECT_EQ(free - ring.free(), 40U);
  report.leaves = {9};
  ASSERT_TRUE(ring.push(FactKind::report, now, report));
  EXPECT_EQ(free - ring.free(), 88U) << "an iceberg";
  report.kind = BookReportKind::cancelled;
  ASSERT_TRUE(ring.push(FactKind::report, now, report));
  EXPECT_EQ(free - ring.free(), 112U);
}

TEST(FactRingsDeathTest, take_a_report_as_nothing_else) {
  FactRing ring(1024);
  EXPECT_DEATH(static_cast<void>(ring.push(FactKind::counter, {}, BookReport{})), "a report, and it alone");
  EXPECT_DEATH(static_cast<void>(ring.push(FactKind::report, {}, CounterFact{})), "a report, and it alone");
}

}  // namespace
}  // namespace dojima::web
