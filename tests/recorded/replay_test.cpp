// Recorded days through our books: the facts that are known of how well that can go.

#include "dojima/replay/replay.hpp"

#include "tests/recorded/recorded_data.hpp"

#include <gtest/gtest.h>

#include "dojima/recorded/files/convert.hpp"

namespace dojima {
namespace {

replay::ReplayResult replayed(const std::filesystem::path& file, replay::ReplaySettings settings = {}) {
  time::ManualClock clock(time::from_nanoseconds(0));
  settings.file = file.string();
  auto result = replay::replay(settings, {}, clock);
  if (!result) throw std::runtime_error(result.error());
  EXPECT_EQ(result->trouble, "");
  return *std::move(result);
}

TEST(RecordedReplay, a_day_of_amzn_contradicts_our_book_in_no_row) {
  const auto path = test::recorded_file("lobster/AMZN_2012-06-21_34200000_57600000_message_1.csv.gz");
  if (!path) GTEST_SKIP() << test::k_no_data;
  const replay::ReplayResult result = replayed(*path, {.is_checking = true});
  ASSERT_TRUE(result.window);
  EXPECT_EQ(result.window->rows, 57'514u);
  EXPECT_EQ(result.window->exact, 43'561u);
  EXPECT_EQ(result.window->undetermined, 13'953u);
  EXPECT_EQ(result.window->contradictions, 0u);
  EXPECT_NEAR(100.0 * static_cast<double>(result.window->resyncs) / 57'514, 14.20, 0.005);
}

TEST(RecordedReplay, ten_levels_of_aapl_contradict_our_book_in_no_row) {
  const auto path = test::recorded_file("lobster/AAPL_2012-06-21_first999_message_10.csv.gz");
  if (!path) GTEST_SKIP() << test::k_no_data;
  const replay::ReplayResult result = replayed(*path, {.is_checking = true});
  ASSERT_TRUE(result.window);
  EXPECT_EQ(result.window->exact, 680u);
  EXPECT_EQ(result.window->undetermined, 318u);
  EXPECT_EQ(result.window->contradictions, 0u);
  EXPECT_NEAR(100.0 * static_cast<double>(result.window->resyncs) / 998, 1.40, 0.005);
  EXPECT_EQ(result.window->best_wrong, 0u);
}

TEST(RecordedReplay, orders_and_levels_end_in_the_same_book) {
  const auto path = test::recorded_file("databento/orderbooks_mbo_20240508.dbn.zst");
  if (!path) GTEST_SKIP() << test::k_no_data;
  const replay::ReplayResult result =
      replayed(*path, {.books = {.keeper = recorded::Keeper::mirror}, .is_checking = true});
  EXPECT_EQ(result.keepers_agree, true);
  EXPECT_EQ(result.live_orders, 13'598u);
  EXPECT_EQ(result.counts.trades, 5u);
  EXPECT_EQ(result.counts.traded, 6);
  ASSERT_EQ(result.books.rows.size(), 1u);
  EXPECT_EQ(*result.books.rows[0][1].text(), "5214");
  EXPECT_EQ(*result.books.rows[0][2].text(), "28");
  EXPECT_EQ(*result.books.rows[0][3].text(), "5214.25");
  EXPECT_EQ(*result.books.rows[0][4].text(), "17");
}

TEST(RecordedReplay, level_feeds_end_with_the_best_prices_that_are_known) {
  struct Known {
    const char* file;
    const char *bid, *bid_quantity, *ask, *ask_quantity;
  };
  for (const Known& known : {Known{"binance/spot_btcusdt_20240808.gz", "61685.99", "1.0087", "61686", "2.29327"},
                             Known{"binance/usdm_btcusdt_20240808.gz", "61659.7", "1.486", "61659.8", "0.981"},
                             Known{"binance/cm_btcusd_perp_20240808.gz", "61668.6", "1380", "61668.7", "871"}}) {
    const auto path = test::recorded_file(known.file);
    if (!path) GTEST_SKIP() << test::k_no_data;
    const replay::ReplayResult result = replayed(*path);
    ASSERT_EQ(result.books.rows.size(), 1u) << known.file;
    const auto& row = result.books.rows[0];
    EXPECT_EQ(*row[1].text(), known.bid) << known.file;
    EXPECT_EQ(*row[2].text(), known.bid_quantity) << known.file;
    EXPECT_EQ(*row[3].text(), known.ask) << known.file;
    EXPECT_EQ(*row[4].text(), known.ask_quantity) << known.file;
  }
}

TEST(RecordedReplay, every_recorded_file_comes_back_from_the_compact_format_bit_by_bit) {
  const auto folder = std::filesystem::temp_directory_path() / "dojima-recorded-replay";
  std::filesystem::create_directories(folder);
  std::size_t files = 0;
  for (const char* name :
       {"lobster/AMZN_2012-06-21_34200000_57600000_message_1.csv.gz", "databento/esh4-glbx-mdp3-20231224.mbo.dbn.zst",
        "bitstamp/orders_2015-05-01.csv.xz", "binance/spot_btcusdt_20240808.gz",
        "itch/nasdaq_totalview_itch50_first1000.bin", "fix/jse_ftse_index_fix50_20111124_part1.fix.gz"}) {
    const auto path = test::recorded_file(name);
    if (!path) continue;
    ++files;
    const std::string compact = (folder / "day.events").string();
    const auto converted = recorded::convert({.input = path->string(), .output = compact}, {});
    ASSERT_TRUE(converted) << converted.error();
    auto original = recorded::RecordedFile::open(path->string()), copy = recorded::RecordedFile::open(compact);
    ASSERT_TRUE(original && copy);
    recorded::RecordedEvent one, other;
    std::uint64_t events = 0;
    while (original->reader().next(one) == recorded::Next::event) {
      ASSERT_EQ(copy->reader().next(other), recorded::Next::event) << name;
      ASSERT_EQ(one, other) << name << " event " << events;
      ++events;
    }
    EXPECT_EQ(copy->reader().next(other), recorded::Next::end) << name;
    EXPECT_EQ(original->reader().instruments(), copy->reader().instruments()) << name;
    EXPECT_EQ(events, converted->events_written) << name;
  }
  std::filesystem::remove_all(folder);
  if (files == 0) GTEST_SKIP() << test::k_no_data;
}

}  // namespace
}  // namespace dojima
