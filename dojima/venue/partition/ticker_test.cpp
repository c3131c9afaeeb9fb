// What a ticker sees, held against what a sink of all reports sees of the same flow.

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <set>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "dojima/venue/partition_flow_test_support.hpp"
#include "dojima/venue/partition_sinks.hpp"

namespace dojima::venue::testing {
namespace {

using market::BookReport;
using market::BookReportKind;

[[nodiscard]] bool is_refusal(const BookReport& report) {
  return report.kind == BookReportKind::rejected;
}
[[nodiscard]] bool is_trade(const BookReport& report) {
  return report.kind == BookReportKind::traded;
}
[[nodiscard]] bool concerns_a_book(const BookReport& report) {
  return report.kind == BookReportKind::phase_changed || report.kind == BookReportKind::uncrossed ||
         report.kind == BookReportKind::indicative;
}

struct SeenTicker final : TickerSink {
  void on_trade(const BookReport& report, Time) override { trades.push_back(report); }
  void on_refusal(const BookReport& report, std::uint16_t user) override {
    refusals.push_back(report);
    users.push_back(user);
  }
  void on_book(const BookReport& report, Time) override { of_books.push_back(report); }
  [[nodiscard]] std::set<std::size_t> take() {
    std::set<std::size_t> places;
    changed_books().take([&](std::size_t place) { places.insert(place); });
    return places;
  }
  std::vector<BookReport> trades, refusals, of_books;
  std::vector<std::uint16_t> users;
};

struct SeenReports final : ReportSink {
  void on_reports(std::span<const BookReport> reports, Time) override {
    for (const BookReport& report : reports) {
      all.push_back(report);
      places.insert(ChangedBooks::place_of(report.instrument));
    }
  }
  template <class Is>
  [[nodiscard]] std::vector<BookReport> those(Is is) const {
    std::vector<BookReport> found;
    std::ranges::copy_if(all, std::back_inserter(found), is);
    return found;
  }
  std::vector<BookReport> all;
  std::set<std::size_t> places;
};

TEST(Ticker, has_the_trades_refusals_and_phases_of_a_random_flow_and_the_books_that_changed) {
  for (const std::size_t report_buffer : {1U, 16U}) {
    PartitionConfig config = flow_config();
    config.limits.report_buffer = report_buffer;
    World world(config);
    Flow flow(7);
    SeenReports seen;
    flow.next_sink = &seen;
    SeenTicker ticker;
    world.partition.show(&ticker);
    world.partition.observe(&flow);
    std::vector<std::uint16_t> users;
    book::testing::Random random(3);
    for (int step = 0; step < 3000 && !::testing::Test::HasFailure(); ++step) {
      const std::size_t refused = ticker.refusals.size();
      if (step % 100 == 99) {
        market::PhaseChange change;
        change.header.instrument = random.chance(50) ? k_rice : k_silk;
        change.phase = random.chance(30) ? market::Phase::intraday_call : market::Phase::continuous;
        change.is_uncrossed = true;
        world.submit(change);
      } else {
        auto command = flow.next();
        std::visit([&](auto& each) { world.submit(each); }, command);
        for (std::size_t at = refused; at < ticker.users.size(); ++at)
          std::visit([&](auto& each) { EXPECT_EQ(ticker.users[at], each.header.user) << step; }, command);
      }
      if (step % 7 == 0) {
        EXPECT_EQ(ticker.take(), std::exchange(seen.places, {})) << step;
        EXPECT_EQ(ticker.take(), std::set<std::size_t>{}) << "taken already";
      }
    }
    EXPECT_EQ(ticker.trades, seen.those(is_trade));
    EXPECT_EQ(ticker.refusals, seen.those(is_refusal));
    EXPECT_EQ(ticker.of_books, seen.those(concerns_a_book));
    EXPECT_GT(ticker.trades.size(), 300U);
    EXPECT_GT(ticker.refusals.size(), 100U);
    EXPECT_GT(ticker.of_books.size(), 20U);
    EXPECT_TRUE(std::ranges::any_of(ticker.trades,
                                    [](const BookReport& trade) { return (trade.flags & market::k_auction) != 0; }));

    static_cast<void>(ticker.take());
    world.partition.show(nullptr);
    const std::size_t trades = ticker.trades.size();
    for (int step = 0; step < 300; ++step) {
      auto command = flow.next();
      std::visit([&](auto& each) { world.submit(each); }, command);
    }
    EXPECT_EQ(ticker.trades.size(), trades) << "it is not shown any more";
    EXPECT_EQ(ticker.take(), std::set<std::size_t>{});
  }
}

TEST(Ticker, notes_changes_at_the_ends_of_its_table_and_of_instruments_that_share_a_place) {
  ChangedBooks changed;
  const auto last = static_cast<std::uint32_t>(ChangedBooks::k_places - 1);
  for (const std::uint32_t instrument : {std::uint32_t{0}, last, last + 1, last + 9, 0xffffffffU})
    changed.note(instrument);
  std::vector<std::size_t> places;
  changed.take([&](std::size_t place) { places.push_back(place); });
  EXPECT_EQ(places, (std::vector<std::size_t>{0, 8, ChangedBooks::k_places - 1}));
}

}  // namespace
}  // namespace dojima::venue::testing
