// The market data of a venue's whole day, read again: the books that come out of the units must be the venue's, after
// every command and every phase.

#include "dojima/venue/feed/market_data.hpp"

#include <gtest/gtest.h>
#include <map>

#include "dojima/book/random_flow_test.hpp"
#include "dojima/mitch/book_builder.hpp"
#include "dojima/mitch/describe.hpp"
#include "dojima/venue/day_clock.hpp"
#include "dojima/venue/partition_test_support.hpp"
#include "dojima/venue/segment_test_support.hpp"

namespace dojima::venue::testing {
namespace {

using namespace std::chrono_literals;

/// Rice and salt have a day with auctions, bands and halts; silk trades for ever.
PartitionConfig day_config() {
  PartitionConfig config = make_config();
  config.instruments.push_back(make_instrument(k_salt, "SALT"));
  config.instruments[0].segment = config.instruments[2].segment = "FOOD";
  for (market::Instrument& instrument : config.instruments) instrument.reference = at(500);
  config.limits = {.orders = 400, .levels = 200, .reports = 4096, .report_buffer = 3};
  config.segments = {food_segment()};
  config.segments[0].timetable.random_end = 20s;
  return config;
}

/// Reads units as they come, and keeps books of them.
class Reader final : public mitch::FeedSink {
 public:
  void on_unit(Bytes bytes) override {
    const Result<mitch::Unit> unit = mitch::read_unit(bytes);
    ASSERT_TRUE(unit.has_value());
    ASSERT_EQ(unit->header().sequence_number, next_) << "numbered through";
    ASSERT_EQ(unit->header().market_data_group, '2') << "the partition's";
    next_ += unit->header().message_count;
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    for (const Bytes message : *unit) {
      ASSERT_TRUE(books_.apply(message).has_value());
      ++counts_[load_little<char>(message, 1)];
    }
  }

  [[nodiscard]] const mitch::BookBuilder& books() const noexcept { return books_; }
  [[nodiscard]] const std::map<char, std::size_t>& counts() const noexcept { return counts_; }
  [[nodiscard]] Bytes bytes() const noexcept { return bytes_; }

 private:
  mitch::BookBuilder books_{{.instruments = 3, .orders = 400, .levels = 400, .quote_levels = 1}};
  std::map<char, std::size_t> counts_;
  std::vector<std::byte> bytes_;
  std::uint32_t next_ = 1;
};

/// What the venue publishes of its days.
class Facts final : public FeedSink {
 public:
  void on_status(const market::SymbolStatus& status) override { statuses[status.instrument] = status; }
  void on_auction_info(const market::AuctionInfo& info) override { infos[info.instrument] = info; }
  void on_auction_trade(const market::AuctionTrade& trade) override { trades.push_back(trade); }
  std::map<std::uint32_t, market::SymbolStatus> statuses;
  std::map<std::uint32_t, market::AuctionInfo> infos;
  std::vector<market::AuctionTrade> trades;
};

using View = std::vector<mitch::DisplayedOrder>;

/// A day of a partition, in virtual time, and its market data.
class TradingDay {
 public:
  explicit TradingDay(std::uint64_t seed)
      : journal_({.keep = journal::Keep::none, .capacity = 1}),
        partition(day_config(), journal_),
        clock_(partition, scheduler_, seed) {
    partition.publish(&facts);
    clock_.start(k_midnight);
    data.start(k_midnight);
  }

  void run_until(Duration since_midnight) {
    const Time end = k_midnight + since_midnight;
    for (;;) {
      clock_.finish(scheduler_.now());
      const Time next = std::min(scheduler_.next_due(), end);
      scheduler_.check(next, 1);
      clock_.finish(next);
      compare();
      if (next == end && scheduler_.next_due() > end) break;
    }
  }

  template <class Command>
  void submit(Command command) {
    ASSERT_TRUE(partition.submit(command.header, scheduler_.now()).has_value());
    clock_.finish(scheduler_.now());
    compare();
  }

  void compare() const {
    std::size_t count = 0;
    for (const market::Instrument& instrument : partition.instruments()) {
      const auto published = reader.books().find(instrument.id);
      ASSERT_TRUE(published.has_value());
      for (const Side side : {Side::buy, Side::sell}) {
        View expected;
        partition.book(instrument.id)->each_resting(side, [&](const book::RestingOrder& order) {
          if (order.place == book::Place::lit && order.displayed.lots > 0)
            expected.push_back({.id = order.id.value,
                                .side = side,
                                .price = order.price,
                                .quantity = static_cast<std::uint32_t>(order.displayed.lots)});
        });
        View shown;
        published->each_order(side, [&shown](const mitch::DisplayedOrder& order) { shown.push_back(order); });
        ASSERT_EQ(shown, expected) << instrument.symbol;
        count += expected.size();
      }
      compare_day(instrument.id, *published);
    }
    ASSERT_EQ(reader.books().order_count(), count);
    ASSERT_EQ(data.unpublished(), 0u);
  }

  void compare_day(std::uint32_t instrument, const mitch::BookView& published) const {
    if (partition.day(instrument) == nullptr) return;
    const auto status = facts.statuses.find(instrument);
    if (status == facts.statuses.end()) return;
    ASSERT_EQ(published.state().status.trading_status, status->second.trading_status);
    const auto info = facts.infos.find(instrument);
    if (info == facts.infos.end()) return;
    ASSERT_EQ(published.state().auction.price, info->second.price);
    ASSERT_EQ(published.state().auction.paired_quantity, static_cast<std::uint32_t>(info->second.quantity.lots));
    ASSERT_EQ(published.state().auction.auction_type, info->second.auction_type);
  }

 private:
  journal::MemoryJournal journal_;
  sched::Scheduler scheduler_{8, k_midnight};

 public:
  Partition partition;
  Reader reader;
  Facts facts;
  MarketData data{partition, reader, {.orders = 400, .midnight = k_midnight}};

 private:
  DayClock clock_;
};

/// An order on display is made smaller, or cancelled.
void change_an_order(TradingDay& day, book::testing::Random& random) {
  std::vector<book::RestingOrder> shown;
  const Side side = random.chance(50) ? Side::buy : Side::sell;
  day.partition.book(k_rice)->each_resting(side, [&shown](const book::RestingOrder& order) {
    if (order.place == book::Place::lit && order.leaves.lots > 1) shown.push_back(order);
  });
  if (shown.empty()) return;
  const book::RestingOrder& order =
      shown[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(shown.size())))];
  if (random.chance(30)) return day.submit(make_cancel({.user = order.owner, .side = side, .order = order.id}));
  market::Replace smaller = make_replace({.user = order.owner, .side = side, .order = order.id});
  smaller.limit = order.price;
  smaller.quantity = smaller.displayed = order.leaves - market::Quantity{1};
  day.submit(smaller);
}

/// Random orders, changes of them, halts and resumptions over a day.
void trade_a_day(TradingDay& day, std::uint64_t seed) {
  book::testing::RandomFlow flow(seed, book::testing::Mix::all);
  book::testing::Random random(seed);
  for (Duration now = 7h; now < 17h + 30min; now += Duration{1min} + Duration{random.below(1'000'000'000)}) {
    day.run_until(now);
    if (::testing::Test::HasFailure()) return;
    market::DayCommand command;
    command.header.instrument = k_rice;
    command.header.user = market::k_no_user;
    command.event = market::DayEvent::halt;
    if (random.chance(1)) day.submit(command);
    command.event = market::DayEvent::resume;
    if (random.chance(3)) day.submit(command);
    for (std::int64_t count = random.below(5); count > 0; --count) {
      auto next = flow.next();
      auto* order = std::get_if<market::NewOrder>(&next);
      if (order == nullptr) continue;
      order->header.instrument = random.chance(50) ? k_rice : random.chance(50) ? k_salt : k_silk;
      order->linked = {};
      day.submit(*order);
    }
    if (random.chance(50)) change_an_order(day, random);
  }
  day.run_until(24h);
}

TEST(MarketData, of_whole_days_with_auctions_rebuilds_the_books_after_every_event) {
  std::map<char, std::size_t> counts;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    TradingDay day(seed);
    trade_a_day(day, seed);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
    EXPECT_EQ(day.reader.books().inconsistency(), nullptr);
    for (const auto& [type, count] : day.reader.counts()) counts[type] += count;
  }
  for (const char type : {'T', 'S', 'R', 'H', 'A', 'D', 'U', 'E', 'C', 'P', 'Q', 'I', 'w'})
    EXPECT_GT(counts[type], 0u) << type << " was never published";
}

TEST(MarketData, is_sound_to_whoever_reads_the_bytes_alone) {
  TradingDay day(3);
  trade_a_day(day, 3);
  day.data.finish(k_midnight + 24h);
  const mitch::UnitsText text = mitch::describe_units(day.reader.bytes());
  EXPECT_EQ(text.trouble, "");
  EXPECT_EQ(text.messages.size(), day.data.messages());
  for (const MessageText& message : text.messages) EXPECT_FALSE(message.is_troubled()) << lines_of(message);
  EXPECT_EQ(day.reader.books().event(), 'C');
}

TEST(MarketData, is_the_same_of_the_same_commands) {
  TradingDay first(5);
  TradingDay second(5);
  trade_a_day(first, 5);
  trade_a_day(second, 5);
  EXPECT_TRUE(std::ranges::equal(first.reader.bytes(), second.reader.bytes()));
}

/// A file is read from its beginning: numbers that begin anew, and every book once more, would be no use to its reader.
TEST(MarketData, is_one_sequence_over_the_days_of_the_venue) {
  TradingDay day(2);
  trade_a_day(day, 2);
  const auto order = [](Side side, std::int64_t ticks) {
    return make_order({.user = 1, .side = side, .lots = 5, .ticks = ticks, .instrument = k_silk});
  };
  day.submit(order(Side::buy, 400));
  const std::uint64_t before = day.data.messages();
  const std::size_t events = day.reader.counts().at('S');
  const std::size_t orders = day.reader.books().order_count();
  ASSERT_TRUE(day.partition.begin_next_day(k_midnight + 24h).has_value());
  EXPECT_EQ(day.data.messages(), before);
  day.submit(order(Side::buy, 401));
  EXPECT_GT(day.data.messages(), before);
  EXPECT_EQ(day.reader.counts().at('S'), events) << "neither an end nor a start";
  EXPECT_EQ(day.reader.books().order_count(), orders + 1) << "beside those of the day before";
}

TEST(MarketData, publishes_a_trade_under_the_number_that_its_owners_know) {
  TradingDay day(1);
  Cursor cursor;
  for (const Side side : {Side::buy, Side::sell})
    day.submit(make_order({.user = side == Side::buy ? std::uint16_t{0} : std::uint16_t{1},
                           .side = side,
                           .lots = 5,
                           .ticks = 500,
                           .instrument = k_silk}));
  std::uint64_t trade = 0;
  for (const OwnerReport& report : day.partition.reports().read(cursor, day.partition.durable()).reports)
    if (report.kind == OwnerReportKind::traded) trade = report.trade;
  ASSERT_NE(trade, 0u);
  const mitch::UnitsText text = mitch::describe_units(day.reader.bytes());
  const MessageText& executed = text.messages.back();
  ASSERT_EQ(executed.name, "OrderExecuted");
  bool is_published = false;
  for (const FieldText& field : executed.fields) is_published |= field.value == std::to_string(trade);
  EXPECT_TRUE(is_published) << lines_of(executed);
}

TEST(MarketData, says_when_a_phase_is_to_end) {
  TradingDay day(1);
  day.run_until(8h + 1min);
  const auto published = day.reader.books().find(k_rice);
  EXPECT_EQ(published->state().status.trading_status, 'a');
  EXPECT_EQ(published->state().status.new_end_time.view().substr(0, 5), "09:00");
  EXPECT_EQ(published->state().directory.segment.view(), "FOOD");
}

TEST(MarketData, begins_with_the_reference_data_of_each_instrument_and_whether_it_takes_orders) {
  journal::MemoryJournal journal({.keep = journal::Keep::none, .capacity = 1});
  Partition partition(day_config(), journal);
  const auto forbid = [&](std::uint32_t instrument, std::uint8_t flags) {
    market::RiskCommand command{.value = 2, .kind = market::LimitKind::permitted, .of = market::LimitOf::everybody};
    command.header.instrument = instrument;
    command.header.flags = flags;
    ASSERT_TRUE(partition.submit(command.header, k_midnight).has_value());
  };
  forbid(k_silk, k_by_configuration);
  forbid(k_salt, 0);
  Reader reader;
  MarketData data(partition, reader, {.orders = 400, .midnight = k_midnight});
  const std::vector<DirectoryEntry> directory{
      {.instrument = k_rice, .isin = Text<12>::cut("GB0002634946"), .sedol = Text<12>::cut("0263494")},
      {.instrument = k_silk, .currency = Text<3>::cut("JPY")},
      {.instrument = 999'999, .currency = Text<3>::cut("GBX")}};
  data.start(k_midnight, directory);
  const auto entry = [&](std::uint32_t instrument) { return reader.books().find(instrument)->state().directory; };
  EXPECT_EQ(entry(k_rice).isin.view(), "GB0002634946");
  EXPECT_EQ(entry(k_rice).sedol.view(), "0263494");
  EXPECT_EQ(entry(k_rice).currency.view(), "");
  EXPECT_EQ(entry(k_rice).symbol_status, ' ');
  EXPECT_EQ(entry(k_rice).previous_close_price, at(500));
  EXPECT_EQ(entry(k_silk).currency.view(), "JPY");
  EXPECT_EQ(entry(k_silk).symbol_status, 'a') << "not on this day";
  EXPECT_EQ(entry(k_salt).symbol_status, 'S') << "by the operator";
  EXPECT_EQ(entry(k_salt).isin.view(), "");
  EXPECT_EQ(data.unpublished(), 0u);
}

TEST(MarketData, counts_what_the_feed_cannot_carry) {
  TradingDay day(1);
  market::BookReport report{.instrument = k_silk, .kind = market::BookReportKind::added, .side = Side::buy};
  report.displayed = report.leaves = report.quantity = {std::int64_t{1} << 32};
  day.data.on_reports({&report, 1}, k_midnight);
  EXPECT_EQ(day.data.unpublished(), 1u);
  ASSERT_TRUE(day.data.trouble().has_value());
  EXPECT_EQ(day.data.trouble()->code, ErrorCode::out_of_range);
}

}  // namespace
}  // namespace dojima::venue::testing
