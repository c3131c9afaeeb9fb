// Recorded days of real markets, read to their end: the facts that are known of the files.

#include "tests/recorded/recorded_data.hpp"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>

#include "dojima/app/recorded_file.hpp"

namespace dojima {
namespace {

using flow::EventKind;
using flow::RecordedEvent;
using Counts = std::map<std::string, std::uint64_t>;

/// The file opened, its format guessed. Throws where it cannot be.
app::RecordedFile opened(const std::filesystem::path& path, const app::RecordedOptions& options = {}) {
  auto file = app::RecordedFile::open(path.string(), options);
  if (!file) throw std::runtime_error(file.error());
  return std::move(*file);
}

template <class Visit>
void each_event(app::RecordedFile& file, Visit visit) {
  flow::RecordedReader& reader = file.reader();
  for (auto batch = reader.next_batch(); !batch.empty(); batch = reader.next_batch())
    for (const RecordedEvent& event : batch) visit(event);
}

Counts type_counts(const app::RecordedFile& file) {
  Counts counts;
  for (const flow::TypeCount& one : file.reader().type_counts()) counts[one.name] = one.count;
  return counts;
}

struct LobsterSums {
  std::int64_t visible_shares = 0, hidden_shares = 0, visible_notional = 0;
  std::set<std::uint64_t> orders;
  std::uint64_t rows = 0;
};

LobsterSums lobster_sums(app::RecordedFile& file) {
  LobsterSums sums;
  each_event(file, [&](const RecordedEvent& event) {
    if (event.kind == EventKind::window) {
      sums.rows += event.has(flow::k_last) ? 1U : 0U;
      return;
    }
    sums.orders.insert(event.order);
    if (event.kind == EventKind::execute) {
      sums.visible_shares += event.quantity;
      sums.visible_notional += event.quantity * event.price;
    }
    if (event.kind == EventKind::hidden_trade) sums.hidden_shares += event.quantity;
  });
  return sums;
}

TEST(RecordedDays, lobster_amzn_has_the_sums_that_are_known) {
  const auto path = test::recorded_file("lobster/AMZN_2012-06-21_34200000_57600000_message_1.csv.gz");
  if (!path) GTEST_SKIP() << test::k_no_data;
  app::RecordedFile file = opened(*path);
  EXPECT_EQ(file.format(), flow::Format::lobster);
  const LobsterSums sums = lobster_sums(file);
  EXPECT_EQ(file.trouble(), "");
  EXPECT_EQ(type_counts(file), (Counts{{"1 new order", 27'845},
                                       {"2 partial cancel", 16},
                                       {"3 delete", 18'235},
                                       {"4 execution", 8'974},
                                       {"5 hidden execution", 2'445}}));
  EXPECT_EQ(sums.rows, 57'515u);
  EXPECT_EQ(sums.visible_shares, 613'248);
  EXPECT_EQ(sums.hidden_shares, 197'507);
  EXPECT_EQ(sums.visible_notional, 1'365'336'194'400);
  EXPECT_EQ(sums.orders.size(), 34'546u);
  EXPECT_EQ(file.reader().instruments().at(0).symbol, "AMZN");
}

TEST(RecordedDays, lobster_aapl_has_the_sums_that_are_known) {
  const auto path = test::recorded_file("lobster/AAPL_2012-06-21_first999_orderbook_10.csv.gz");
  if (!path) GTEST_SKIP() << test::k_no_data;
  app::RecordedFile file = opened(*path);
  const LobsterSums sums = lobster_sums(file);
  EXPECT_EQ(file.trouble(), "");
  EXPECT_EQ(type_counts(file),
            (Counts{{"1 new order", 471}, {"3 delete", 369}, {"4 execution", 98}, {"5 hidden execution", 61}}));
  EXPECT_EQ(sums.rows, 999u);
  EXPECT_EQ(sums.visible_shares, 4'730);
  EXPECT_EQ(sums.hidden_shares, 5'862);
}

}  // namespace
}  // namespace dojima
