// Recorded days of real markets, read to their end: the facts that are known of the files.

#include "tests/recorded/recorded_data.hpp"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>

#include "dojima/recorded/books/depth_book.hpp"
#include "dojima/recorded/files/recorded_file.hpp"
#include "dojima/recorded/formats/itch_reader.hpp"

namespace dojima {
namespace {

using recorded::EventKind;
using recorded::RecordedEvent;
using Counts = std::map<std::string, std::uint64_t>;

/// The file opened, its format guessed. Throws where it cannot be.
recorded::RecordedFile opened(const std::filesystem::path& path, const recorded::RecordedOptions& options = {}) {
  auto file = recorded::RecordedFile::open(path.string(), options);
  if (!file) throw std::runtime_error(file.error());
  return std::move(*file);
}

template <class Visit>
void each_event(recorded::RecordedFile& file, Visit visit) {
  recorded::RecordedReader& reader = file.reader();
  for (auto batch = reader.next_batch(); !batch.empty(); batch = reader.next_batch())
    for (const RecordedEvent& event : batch) visit(event);
}

Counts type_counts(const recorded::RecordedFile& file) {
  Counts counts;
  for (const recorded::TypeCount& one : file.reader().type_counts()) counts[one.name] = one.count;
  return counts;
}

struct LobsterSums {
  std::int64_t visible_shares = 0, hidden_shares = 0, visible_notional = 0;
  std::set<std::uint64_t> orders;
  std::uint64_t rows = 0;
};

LobsterSums lobster_sums(recorded::RecordedFile& file) {
  LobsterSums sums;
  each_event(file, [&](const RecordedEvent& event) {
    if (event.kind == EventKind::window) {
      sums.rows += event.has(recorded::k_last) ? 1U : 0U;
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
  recorded::RecordedFile file = opened(*path);
  EXPECT_EQ(file.format(), recorded::Format::lobster);
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
  recorded::RecordedFile file = opened(*path);
  const LobsterSums sums = lobster_sums(file);
  EXPECT_EQ(file.trouble(), "");
  EXPECT_EQ(type_counts(file),
            (Counts{{"1 new order", 471}, {"3 delete", 369}, {"4 execution", 98}, {"5 hidden execution", 61}}));
  EXPECT_EQ(sums.rows, 999u);
  EXPECT_EQ(sums.visible_shares, 4'730);
  EXPECT_EQ(sums.hidden_shares, 5'862);
}

/// Orders in a plain map, and what rests at each price: a second opinion on books.
class OrdersByPrice {
 public:
  struct Best {
    std::int64_t price = 0, quantity = 0;
    std::size_t orders = 0;
    friend bool operator==(const Best&, const Best&) = default;
  };

  /// False: the event names an order that is not here.
  bool apply(const RecordedEvent& event) {
    const auto place = orders_.find(event.order);
    const bool is_known = place != orders_.end();
    switch (event.kind) {
      case EventKind::clear:
        orders_.clear();
        sides_[0].clear(), sides_[1].clear();
        return true;
      case EventKind::add:
        set(event.order, event);
        return true;
      case EventKind::reduce: {
        if (!is_known) return false;
        RecordedEvent left = place->second;
        left.quantity -= event.quantity;
        set(event.order, left);
        return true;
      }
      case EventKind::amend:
        set(event.order, event);
        return is_known;
      case EventKind::remove:
        if (is_known) take_out(event.order);
        return is_known;
      default:
        return true;
    }
  }

  [[nodiscard]] std::optional<Best> best(market::Side side) const {
    const auto& levels = side == market::Side::buy ? sides_[0] : sides_[1];
    if (levels.empty()) return std::nullopt;
    const auto& [price, level] = side == market::Side::buy ? *levels.rbegin() : *levels.begin();
    return Best{price, level.quantity, level.orders};
  }
  [[nodiscard]] bool is_crossed() const {
    const auto bid = best(market::Side::buy), ask = best(market::Side::sell);
    return bid && ask && bid->price >= ask->price;
  }
  [[nodiscard]] std::size_t order_count() const { return orders_.size(); }

 private:
  struct Level {
    std::int64_t quantity = 0;
    std::size_t orders = 0;
  };
  std::map<std::int64_t, Level>& levels_of(const RecordedEvent& event) {
    return sides_[event.side == market::Side::buy ? 0 : 1];
  }
  void take_out(std::uint64_t order) {
    const RecordedEvent& there = orders_.at(order);
    Level& level = levels_of(there)[there.price];
    level.quantity -= there.quantity;
    if (--level.orders == 0) levels_of(there).erase(there.price);
    orders_.erase(order);
  }
  void set(std::uint64_t order, RecordedEvent event) {
    if (orders_.contains(order)) take_out(order);
    if (event.quantity == 0) return;
    Level& level = levels_of(event)[event.price];
    level.quantity += event.quantity;
    ++level.orders;
    orders_[order] = event;
  }

  std::map<std::uint64_t, RecordedEvent> orders_;
  std::map<std::int64_t, Level> sides_[2];
};

struct DbnFacts {
  const char* file;
  Counts counts;
  std::size_t orders;
  OrdersByPrice::Best bid, ask;
  std::int64_t traded;
};

void expect_dbn(const DbnFacts& facts) {
  const auto path = test::recorded_file(facts.file);
  if (!path) GTEST_SKIP() << test::k_no_data;
  recorded::RecordedFile file = opened(*path);
  OrdersByPrice book;
  std::int64_t traded = 0;
  std::uint64_t unknown = 0;
  each_event(file, [&](const RecordedEvent& event) {
    unknown += book.apply(event) ? 0U : 1U;
    if (event.kind == EventKind::trade) traded += event.quantity;
  });
  EXPECT_EQ(file.trouble(), "");
  EXPECT_EQ(file.format(), recorded::Format::dbn);
  EXPECT_EQ(file.reader().notes().at(0).second, "1") << "the metadata's version";
  EXPECT_EQ(type_counts(file), facts.counts);
  EXPECT_EQ(unknown, 0u);
  EXPECT_EQ(book.order_count(), facts.orders);
  EXPECT_EQ(book.best(market::Side::buy), facts.bid);
  EXPECT_EQ(book.best(market::Side::sell), facts.ask);
  EXPECT_EQ(traded, facts.traded);
}

TEST(RecordedDays, databento_esh4_ends_with_the_book_that_is_known) {
  expect_dbn({"databento/esh4-glbx-mdp3-20231224.mbo.dbn.zst",
              {{"mbo A", 8'725}},
              8'725,
              {4'799'000'000'000, 16, 4},
              {4'799'500'000'000, 23, 4},
              0});
}

TEST(RecordedDays, databento_esm4_ends_with_the_book_that_is_known) {
  expect_dbn({"databento/orderbooks_mbo_20240508.dbn.zst",
              {{"mbo A", 13'678}, {"mbo C", 80}, {"mbo F", 5}, {"mbo M", 27}, {"mbo R", 1}, {"mbo T", 5}},
              13'598,
              {5'214'000'000'000, 28, 22},
              {5'214'250'000'000, 17, 11},
              6});
}

TEST(RecordedDays, the_beginning_of_an_itch_day_has_the_messages_that_are_known) {
  const auto path = test::recorded_file("itch/nasdaq_totalview_itch50_first1000.bin");
  if (!path) GTEST_SKIP() << test::k_no_data;
  recorded::RecordedFile file = opened(*path);
  std::uint64_t events = 0;
  each_event(file, [&](const RecordedEvent&) { ++events; });
  EXPECT_EQ(file.trouble(), "");
  EXPECT_EQ(file.format(), recorded::Format::itch50);
  EXPECT_EQ(type_counts(file), (Counts{{"S", 1}, {"R", 993}, {"H", 3}, {"Y", 3}}));
  EXPECT_EQ(events, 1'000u);
}

/// Calls `visit(name, bytes)` for every file of a tar archive.
template <class Visit>
void each_file_of_tar(std::string_view tar, Visit visit) {
  constexpr std::size_t k_block = 512, k_size_at = 124;
  while (tar.size() >= k_block && tar.front() != '\0') {
    const std::size_t size = std::stoull(std::string(tar.substr(k_size_at, 11)), nullptr, 8);
    visit(std::string(tar.substr(0, std::min(tar.find('\0'), k_block))), tar.substr(k_block, size));
    tar.remove_prefix(std::min(tar.size(), k_block + (size + k_block - 1) / k_block * k_block));
  }
}

TEST(RecordedDays, captures_of_the_itch_feed_are_read_whatever_the_message) {
  const auto tar = test::recorded_text("itch/nasdaq_itch50_ouch50_single_message_pcaps.tar.gz");
  if (!tar) GTEST_SKIP() << test::k_no_data;
  Counts counts;
  std::uint64_t captures = 0, others = 0;
  each_file_of_tar(*tar, [&](const std::string& name, std::string_view bytes) {
    if (!name.ends_with(".pcap")) return;
    recorded::MemorySource source(bytes);
    recorded::ItchReader reader(source, {});
    recorded::RecordedEvent event;
    while (reader.next(event) == recorded::Next::event) {
      if (event.kind == EventKind::gap) continue;
      const time::Duration latency = event.receive_time - event.event_time;
      EXPECT_TRUE(latency > time::Duration{0} && latency < std::chrono::seconds{1}) << name << ": midnight in New York";
    }
    for (const recorded::TypeCount& type : reader.type_counts()) counts[type.name] += type.count;
    EXPECT_EQ(reader.trouble() == nullptr, name.find(".Itch.") != std::string::npos) << name;
    (reader.trouble() == nullptr ? captures : others) += 1;
  });
  EXPECT_EQ(captures, 23u);
  EXPECT_EQ(others, 6u) << "order entry over TCP";
  EXPECT_EQ(counts, (Counts{{"A", 38},
                            {"C", 1},
                            {"D", 3},
                            {"E", 2},
                            {"F", 3},
                            {"H", 2},
                            {"I", 2},
                            {"J", 1},
                            {"L", 2},
                            {"P", 1},
                            {"Q", 1},
                            {"S", 1},
                            {"U", 2},
                            {"X", 1},
                            {"Y", 1}}));
}

struct BinanceFacts {
  const char* file;
  std::uint64_t diffs, trades;
  std::int64_t traded;  // all in units of 1e-8
  std::int64_t bid, bid_quantity, ask, ask_quantity;
};

void expect_binance(const BinanceFacts& facts) {
  const auto path = test::recorded_file(facts.file);
  if (!path) GTEST_SKIP() << test::k_no_data;
  recorded::RecordedFile file = opened(*path);
  recorded::DepthBooks books;
  std::int64_t traded = 0;
  std::uint64_t gaps = 0, steps_back = 0;
  time::Time last{};
  each_event(file, [&](const RecordedEvent& event) {
    books.apply(event, file.reader().instruments());
    if (event.kind == EventKind::trade) traded += event.quantity;
    gaps += event.kind == EventKind::gap ? 1U : 0U;
    steps_back += event.receive_time < last ? 1U : 0U;
    last = event.receive_time;
  });
  EXPECT_EQ(file.trouble(), "");
  EXPECT_EQ(gaps, 0u);
  EXPECT_EQ(steps_back, 0u);
  Counts counts = type_counts(file);
  EXPECT_EQ(counts["depth"], facts.diffs);
  EXPECT_EQ(counts["trade"], facts.trades);
  EXPECT_EQ(counts["snapshot"], 1u);
  EXPECT_EQ(traded, facts.traded);
  ASSERT_EQ(books.size(), 1u);
  EXPECT_FALSE(books.of(0).is_crossed());
  EXPECT_EQ(books.of(0).bids.best(), (recorded::DepthLevel{facts.bid, facts.bid_quantity}));
  EXPECT_EQ(books.of(0).asks.best(), (recorded::DepthLevel{facts.ask, facts.ask_quantity}));
}

TEST(RecordedDays, binance_spot_ends_with_the_best_prices_that_are_known) {
  expect_binance({"binance/spot_btcusdt_20240808.gz", 3'451, 9'757, 212'03315000, 61'685'99000000, 1'00870000,
                  61'686'00000000, 2'29327000});
}

TEST(RecordedDays, binance_futures_end_with_the_best_prices_that_are_known) {
  expect_binance({"binance/usdm_btcusdt_20240808.gz", 6'551, 21'313, 2'429'36600000, 61'659'70000000, 1'48600000,
                  61'659'80000000, 98100000});
}

TEST(RecordedDays, binance_coin_margined_futures_end_with_the_best_prices_that_are_known) {
  expect_binance({"binance/cm_btcusd_perp_20240808.gz", 26'847, 2'286, 83'241'00000000, 61'668'60000000, 1'380'00000000,
                  61'668'70000000, 871'00000000});
}

TEST(RecordedDays, the_fix_feed_of_indices_has_the_messages_that_are_known) {
  const auto path = test::recorded_file("fix/jse_ftse_index_fix50_20111124_part1.fix.gz");
  if (!path) GTEST_SKIP() << test::k_no_data;
  recorded::RecordedFile file = opened(*path);
  std::uint64_t indices = 0, gaps = 0;
  each_event(file, [&](const RecordedEvent& event) {
    const bool is_index =
        event.kind == EventKind::value && event.code == static_cast<std::uint8_t>(recorded::ValueCode::index);
    indices += is_index ? 1U : 0U;
    gaps += event.kind == EventKind::gap ? 1U : 0U;
  });
  EXPECT_EQ(file.trouble(), "");
  EXPECT_EQ(file.format(), recorded::Format::fix);
  EXPECT_EQ(type_counts(file), (Counts{{"35=0", 2'522}, {"35=X", 5'810}}));
  EXPECT_EQ(indices, 5'810u);
  EXPECT_EQ(gaps, 0u);
  const auto notes = file.reader().notes();
  EXPECT_EQ(notes.at(0).second, "0") << "length and checksum of every message are right";
  EXPECT_EQ(notes.at(1).second, "0");
}

TEST(RecordedDays, bitstamp_names_orders_from_before_and_crosses_a_naive_book) {
  const auto path = test::recorded_file("bitstamp/orders_2015-05-01.csv.xz");
  if (!path) GTEST_SKIP() << test::k_no_data;
  recorded::RecordedFile file = opened(*path);
  OrdersByPrice book;
  Counts unknown;
  std::set<std::uint64_t> ids;
  std::uint64_t events = 0, samples = 0, crossed = 0;
  each_event(file, [&](const RecordedEvent& event) {
    ids.insert(event.order);
    // The change of an order that was not there puts it there, as the reference did.
    if (!book.apply(event)) ++unknown[std::string(name_of(event.kind))];
    constexpr std::uint64_t k_warm_up = 1'001, k_every = 25;
    if (++events <= k_warm_up || events % k_every != 1) return;
    ++samples;
    crossed += book.is_crossed() ? 1U : 0U;
  });
  EXPECT_EQ(file.trouble(), "");
  EXPECT_EQ(type_counts(file), (Counts{{"changed", 602}, {"created", 24'894}, {"deleted", 24'918}}));
  EXPECT_EQ(ids.size(), 25'076u);
  EXPECT_EQ(unknown, (Counts{{"remove", 205}, {"amend", 4}}));
  EXPECT_EQ(samples, 1'976u);
  EXPECT_EQ(crossed, 788u);
}

}  // namespace
}  // namespace dojima
