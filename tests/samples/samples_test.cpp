// One generated day in every format (make_samples.py): all readers give the same market, conversion loses nothing, and
// a replay ends in the same books however time moves.

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

#include "dojima/recorded/books/depth_book.hpp"
#include "dojima/recorded/days/generated_day.hpp"
#include "dojima/recorded/files/convert.hpp"
#include "dojima/recorded/files/event_file.hpp"
#include "dojima/recorded/files/recorded_file.hpp"
#include "dojima/recorded/formats/bitstamp_reader.hpp"
#include "dojima/recorded/formats/bitstamp_writer.hpp"
#include "dojima/recorded/formats/compact.hpp"
#include "dojima/recorded/formats/itch_writer.hpp"
#include "dojima/recorded/formats/lobster_writer.hpp"
#include "dojima/replay/replay.hpp"

namespace dojima {
namespace {

using recorded::Keeper;
using recorded::RecordedEvent;
using replay::Pace;

constexpr const char* k_samples[] = {"RICE_2024-01-15_34200000_57600000_message_5.csv",
                                     "RICE_2024-01-15.itch",
                                     "RICE_2024-01-15.v1.dbn",
                                     "RICE_2024-01-15.v3.dbn",
                                     "RICE_2024-01-15.binance",
                                     "RICE_2024-01-15.bitstamp.csv",
                                     "RICE_2024-01-15.fix",
                                     "RICE_2024-01-15.csv",
                                     "RICE_2024-01-15.events"};

std::string sample(const std::string& name) {
  return DOJIMA_SOURCE_FOLDER "/tests/samples/" + name;
}

/// A folder that is gone when the test is over.
class Scratch {
 public:
  Scratch()
      : path_(std::filesystem::temp_directory_path() / ("dojima-samples-" + std::to_string(::getpid()) + "-" +
                                                        std::to_string(reinterpret_cast<std::uintptr_t>(this)))) {
    std::filesystem::create_directories(path_);
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

struct Contents {
  std::vector<RecordedEvent> events;
  std::vector<recorded::RecordedInstrument> instruments;
  std::string trouble;
};

Contents contents_of(const std::string& file) {
  auto opened = recorded::RecordedFile::open(file);
  if (!opened) return {.trouble = opened.error()};
  Contents all;
  for (auto events = opened->reader().next_batch(); !events.empty(); events = opened->reader().next_batch())
    all.events.insert(all.events.end(), events.begin(), events.end());
  all.instruments = opened->reader().instruments();
  all.trouble = opened->trouble();
  return all;
}

/// Each reading moves it on, and sleeping not at all.
class SteppingClock final : public time::Clock {
 public:
  explicit SteppingClock(time::Duration step = std::chrono::microseconds{20}) : step_(step) {}
  time::Time now() noexcept override { return now_ += step_; }

 private:
  time::Duration step_;
  time::Time now_ = time::from_nanoseconds(1'000'000);
};

replay::ReplayResult replayed(const std::string& file, replay::ReplaySettings settings = {},
                              const replay::ReplayHooks& hooks = {}) {
  SteppingClock clock;
  settings.file = file;
  auto result = replay::replay(settings, hooks, clock);
  if (!result) throw std::runtime_error(result.error());
  EXPECT_EQ(result->trouble, "") << file;
  return *std::move(result);
}

/// "100.01 300 / 100.02 200" of the only instrument.
std::string best_of(const replay::ReplayResult& result) {
  std::string text;
  for (const auto& row : result.books.rows)
    text += *row[1].text() + " " + *row[2].text() + " / " + *row[3].text() + " " + *row[4].text();
  return text;
}

std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream stream(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(Samples, end_in_the_same_market_in_every_format) {
  const std::string expected = best_of(replayed(sample("RICE_2024-01-15.csv")));
  EXPECT_NE(expected, "");
  for (const char* name : k_samples) EXPECT_EQ(best_of(replayed(sample(name))), expected) << name;
}

TEST(Samples, give_the_same_trades_in_every_format) {
  const replay::ReplayResult csv = replayed(sample("RICE_2024-01-15.csv"));
  EXPECT_GT(csv.counts.trades, 10u);
  for (const char* name : k_samples) {
    if (std::string_view(name).find("bitstamp") != std::string_view::npos) continue;  // it has no trades
    EXPECT_EQ(replayed(sample(name)).counts.trades, csv.counts.trades) << name;
  }
}

TEST(Samples, come_back_from_the_compact_format_and_from_csv_bit_by_bit) {
  const Scratch scratch;
  for (const char* name : k_samples) {
    const Contents original = contents_of(sample(name));
    ASSERT_EQ(original.trouble, "");
    ASSERT_GT(original.events.size(), 300u) << name;
    for (const char* copy : {"copy.events", "copy.csv"}) {
      const auto converted = recorded::convert(
          {.input = sample(name), .output = scratch.file(copy), .format = recorded::format_for(copy)}, {});
      ASSERT_TRUE(converted) << converted.error();
      EXPECT_EQ(converted->events_written, original.events.size());
      const Contents again = contents_of(scratch.file(copy));
      EXPECT_EQ(again.trouble, "") << name;
      EXPECT_TRUE(again.events == original.events) << name << " through " << copy;
      EXPECT_TRUE(again.instruments == original.instruments) << name << " through " << copy;
    }
  }
}

TEST(Samples, that_are_cut_or_empty_or_of_nothing_known_give_one_clear_line) {
  const Scratch scratch;
  for (const char* name : k_samples) {
    std::ifstream stream(sample(name), std::ios::binary);
    std::stringstream text;
    text << stream.rdbuf();
    const std::string whole = text.str();
    for (const std::size_t size : {whole.size() / 2, whole.size() - 3}) {
      std::ofstream(scratch.file("cut"), std::ios::binary) << whole.substr(0, size);
      const Contents cut = contents_of(scratch.file("cut"));
      EXPECT_EQ(cut.trouble.find('\n'), std::string::npos) << name;
      if (cut.trouble.empty()) {
        EXPECT_LE(cut.events.size(), contents_of(sample(name)).events.size()) << name;
      }
    }
  }
  std::ofstream(scratch.file("empty")).flush();
  EXPECT_NE(contents_of(scratch.file("empty")).trouble.find("the file is empty"), std::string::npos);
  std::ofstream(scratch.file("noise")) << "hello, this is no market data\n";
  EXPECT_NE(contents_of(scratch.file("noise")).trouble.find("of no format known here"), std::string::npos);
}

// ------------------------------------------------------------------------------------------------------------ replay

TEST(Replay, ends_in_the_same_books_however_time_moves) {
  const std::string file = sample("RICE_2024-01-15.events");
  const replay::ReplayResult flat = replayed(file);
  const replay::ReplayResult leaping = replayed(file, {.pace = Pace::event_driven});
  const replay::ReplayResult paced = replayed(file, {.pace = Pace::paced, .speed = 1000});
  EXPECT_EQ(leaping.digest, flat.digest);
  EXPECT_EQ(paced.digest, flat.digest);
  EXPECT_EQ(paced.events, flat.events);
  ASSERT_TRUE(paced.lateness);
  EXPECT_GT(paced.lateness->count(), 100u);
  EXPECT_LT(std::abs(paced.speed_error), 0.05) << "the clock moves 20 us at a look, that is 20 ms of the day";
}

TEST(Replay, keeps_every_order_where_the_data_say_and_where_matching_puts_it) {
  for (const char* name : {"RICE_2024-01-15.events", "RICE_2024-01-15.itch", "RICE_2024-01-15.v1.dbn"}) {
    const replay::ReplayResult depth = replayed(sample(name), {.is_checking = true});
    const replay::ReplayResult mirror =
        replayed(sample(name), {.books = {.keeper = Keeper::mirror, .orders = 4096}, .is_checking = true});
    EXPECT_EQ(mirror.keepers_agree, true) << name;
    EXPECT_EQ(mirror.live_orders, depth.live_orders) << name;
    EXPECT_EQ(mirror.counts.unknown + mirror.counts.refused, 0u) << name;
    EXPECT_EQ(mirror.counts.trades, depth.counts.trades) << name;
  }
  const std::string file = sample("RICE_2024-01-15.events");
  const replay::ReplayResult match = replayed(file, {.books = {.keeper = Keeper::match, .orders = 4096}});
  EXPECT_EQ(match.counts.matched, match.counts.trades) << "our own market trades by our own rules";
  EXPECT_EQ(match.counts.matched_others, 0u);
  EXPECT_EQ(match.digest, replayed(file).digest);
}

TEST(Replay, of_what_lobster_s_writer_made_of_our_own_market_is_right_in_every_row) {
  const Scratch scratch;
  recorded::GeneratedDayConfig config;
  config.flow = {.seed = 5, .rate = 2000, .clients = 5};
  config.requests = 5000;
  config.start = time::from_nanoseconds(1'705'329'000'000'000'000);
  recorded::GeneratedDay day(config);
  const std::string file = scratch.file("RICE_2024-01-15_34200000_57600000_message_60.csv");
  ASSERT_TRUE(recorded::write_events(day, file, recorded::Format::lobster, {}));
  const replay::ReplayResult result = replayed(file, {.is_checking = true});
  ASSERT_TRUE(result.window);
  EXPECT_GT(result.window->rows, 5000u);
  EXPECT_EQ(result.window->exact, result.window->rows) << "sixty levels are all there are";
  EXPECT_EQ(result.window->contradictions, 0u);
  EXPECT_EQ(result.window->resyncs, 0u);

  // Ten levels: what comes into view cannot be known from one row, and is known to who followed from the beginning.
  recorded::GeneratedDay again(config);
  const std::string narrow = scratch.file("RICE_2024-01-15_34200000_57600000_message_3.csv");
  ASSERT_TRUE(recorded::write_events(again, narrow, recorded::Format::lobster, {}));
  const replay::ReplayResult three = replayed(narrow, {.is_checking = true});
  EXPECT_EQ(three.window->contradictions, 0u);
  EXPECT_GT(three.window->undetermined, 0u);
  EXPECT_EQ(three.window->exact + three.window->undetermined, three.window->rows);
  EXPECT_LE(three.window->resyncs, 3u) << "the first rows say nothing of what rests behind them";
}

TEST(Replay, finds_a_row_that_was_changed) {
  const Scratch scratch;
  const std::string name = "RICE_2024-01-15_34200000_57600000_";
  for (const char* part : {"message_5.csv", "orderbook_5.csv"})
    std::filesystem::copy(sample(name + part), scratch.file(name + part));
  auto rows = lines_of(scratch.file(name + "orderbook_5.csv"));
  // The best ask has one more.
  std::string& row = rows.at(200);
  const std::size_t end = row.find(',', row.find(',') + 1);
  row.replace(row.find(',') + 1, end - row.find(',') - 1, "123456");
  std::ofstream changed(scratch.file(name + "orderbook_5.csv"));
  for (const std::string& line : rows) changed << line << '\n';
  changed.close();
  const replay::ReplayResult result = replayed(scratch.file(name + "message_5.csv"), {.is_checking = true});
  ASSERT_TRUE(result.window);
  EXPECT_EQ(result.window->contradictions, 2u) << "into the row, and out of it";
  EXPECT_EQ(result.window->first_contradiction, 201u);
}

TEST(Replay, writes_bars_and_snapshots_of_what_happened_before_their_time) {
  const Scratch scratch;
  const replay::ReplayResult result =
      replayed(sample("RICE_2024-01-15.events"),
               {.pace = Pace::event_driven, .out = scratch.file("out"), .bar = std::chrono::seconds{5}, .depth = 3});
  const auto bars = lines_of(scratch.file("out/bars.csv"));
  ASSERT_GT(bars.size(), 2u);
  EXPECT_EQ(bars[0], "time,symbol,open,high,low,close,volume,trades,bid,bid_quantity,ask,ask_quantity");
  std::uint64_t trades = 0;
  std::int64_t volume = 0;
  for (std::size_t at = 1; at < bars.size(); ++at) {
    std::stringstream fields(bars[at]);
    std::vector<std::string> values;
    for (std::string value; std::getline(fields, value, ',');) values.push_back(value);
    ASSERT_GE(values.size(), 8u) << bars[at];
    EXPECT_EQ(std::stoll(values[0]) % 5'000'000'000, 0) << "bars end on the clock";
    volume += std::stoll(values[6]);
    trades += std::stoull(values[7]);
  }
  EXPECT_EQ(trades, result.counts.trades);
  EXPECT_EQ(volume, result.counts.traded);
  EXPECT_GT(lines_of(scratch.file("out/snapshots.csv")).size(), bars.size());
}

TEST(Replay, that_is_interrupted_does_not_count_the_wait_for_the_next_event_as_lost_speed) {
  const Scratch scratch;
  const std::string file = scratch.file("far.csv");
  std::ofstream(file) << "event_time,symbol,kind,side,price,quantity\n"
                         "20240115-14:00:00,RICE,trade,buy,100,1\n20240115-14:10:00,RICE,trade,buy,100,1\n"
                         "20240115-15:30:00,RICE,trade,buy,100,1\n";
  SteppingClock clock(std::chrono::seconds{20});
  const time::Time end = clock.now() + std::chrono::minutes{30};
  const auto result = replay::replay({.file = file, .pace = Pace::paced, .speed = 1},
                                     {.is_interrupted = [&] { return clock.now() > end; }}, clock);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->was_interrupted);
  EXPECT_EQ(result->events, 2u);
  EXPECT_GE(result->speed_error, 0);
  EXPECT_LT(result->speed_error, 0.3) << "ten minutes by a clock that moves 20 s at a look, not thirty";
}

TEST(Replay, that_is_paused_moves_step_by_step) {
  const std::string file = sample("RICE_2024-01-15.events");
  std::string keys = " sss+-";
  int looks = 0;
  std::uint64_t shown = 0;
  bool was_paused = false;
  const replay::ReplayHooks hooks{.is_interrupted = [&] { return ++looks > 100; },
                                  .show =
                                      [&](const replay::ReplayNow& now) {
                                        was_paused |= now.is_paused;
                                        shown = now.events;
                                        EXPECT_NE(to_text(now).find("RICE"), std::string::npos);
                                      },
                                  .key =
                                      [&] {
                                        if (keys.empty()) return -1;
                                        const int key = keys.front();
                                        keys.erase(0, 1);
                                        return key;
                                      }};
  SteppingClock clock(std::chrono::milliseconds{2});
  const auto result = replay::replay({.file = file, .pace = Pace::paced, .speed = 1}, hooks, clock);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->was_interrupted);
  EXPECT_TRUE(was_paused);
  EXPECT_GT(result->events, 0u);
  EXPECT_LT(result->events, 12u) << "one step for each key, and what came at the very beginning";
  EXPECT_LE(shown, result->events);
  const replay::ReplayHooks quits{.key = [] { return int{'q'}; }};
  EXPECT_TRUE(replayed(file, {.pace = Pace::paced, .speed = 1}, quits).was_interrupted);
}

TEST(Replay, takes_a_part_of_the_time_and_some_of_the_symbols) {
  const Scratch scratch;
  recorded::GeneratedDayConfig config;
  config.flow = {.seed = 2, .rate = 1000};
  config.instruments = {{.symbol = "RICE"}, {.symbol = "BEAN"}};
  config.requests = 20'000;
  recorded::GeneratedDay day(config);
  const std::string file = scratch.file("two.events");
  ASSERT_TRUE(recorded::write_events(day, file, recorded::Format::compact, {}));
  const time::Time ten = config.start + std::chrono::seconds{10};
  const replay::ReplayResult beans = replayed(file, {.symbols = {"BEAN"}});
  ASSERT_EQ(beans.books.rows.size(), 1u);
  EXPECT_EQ(*beans.books.rows[0][0].text(), "BEAN");
  const replay::ReplayResult before = replayed(file, {.until = ten});
  EXPECT_LT(before.last, ten);
  const replay::ReplayResult warmed = replayed(file, {.pace = Pace::event_driven, .from = ten});
  EXPECT_EQ(warmed.digest, replayed(file).digest) << "what was before went through the books all the same";

  // By the index of the compact file, and event by event.
  for (const char* to : {"part.events", "part.csv"}) {
    const auto part = recorded::convert({.input = file,
                                         .output = scratch.file(to),
                                         .format = recorded::format_for(to),
                                         .from = ten,
                                         .until = ten + std::chrono::seconds{2},
                                         .symbols = {"RICE"}},
                                        {});
    ASSERT_TRUE(part) << part.error();
    EXPECT_GE(part->first, ten);
    EXPECT_LT(part->last, ten + std::chrono::seconds{2});
    EXPECT_NEAR(static_cast<double>(part->events_written), 1200, 300);
    EXPECT_LT(part->events_read + recorded::k_compact_block, contents_of(file).events.size())
        << "blocks before the time are not read";
  }
  EXPECT_TRUE(contents_of(scratch.file("part.events")).events == contents_of(scratch.file("part.csv")).events);
}

TEST(Replay, says_what_it_cannot_open_or_write) {
  SteppingClock clock;
  const auto missing = replay::replay({.file = "/nowhere/at-all"}, {}, clock);
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().find("/nowhere/at-all"), std::string::npos);
  const auto locked = replay::replay({.file = sample("RICE_2024-01-15.csv"), .out = "/proc/no-such-folder"}, {}, clock);
  ASSERT_FALSE(locked);
  EXPECT_NE(locked.error().find("cannot be written"), std::string::npos);
}

TEST(Moments, are_read_as_people_and_programs_write_them) {
  EXPECT_EQ(recorded::parse_moment("2012-06-21T13:30:00"), time::from_nanoseconds(1'340'285'400'000'000'000));
  EXPECT_EQ(recorded::parse_moment("2012-06-21 13:30:00.5Z"), time::from_nanoseconds(1'340'285'400'500'000'000));
  EXPECT_EQ(recorded::parse_moment("1340285400000000001"), time::from_nanoseconds(1'340'285'400'000'000'001));
  EXPECT_FALSE(recorded::parse_moment("yesterday"));
}

std::string as_bitstamp(const std::vector<RecordedEvent>& events,
                        const std::vector<recorded::RecordedInstrument>& instruments) {
  recorded::MemorySink sink;
  recorded::BitstampWriter writer(sink);
  EXPECT_TRUE(writer.write(events, instruments));
  EXPECT_TRUE(writer.finish());
  return sink.text();
}

std::vector<RecordedEvent> of_bitstamp(const std::string& text) {
  recorded::MemorySource source(text);
  recorded::BitstampReader reader(source, {});
  std::vector<RecordedEvent> events;
  for (auto batch = reader.next_batch(); !batch.empty(); batch = reader.next_batch())
    events.insert(events.end(), batch.begin(), batch.end());
  EXPECT_EQ(reader.trouble(), nullptr);
  return events;
}

TEST(Writers, give_bitstamp_back_what_was_read_from_it) {
  const Contents read = contents_of(sample("RICE_2024-01-15.bitstamp.csv"));
  EXPECT_EQ(of_bitstamp(as_bitstamp(read.events, read.instruments)), read.events);
}

TEST(Writers, make_bitstamp_of_a_generated_day_that_ends_with_the_same_book) {
  recorded::GeneratedDayConfig config;
  config.flow = {.seed = 9, .rate = 1000, .clients = 5};
  config.requests = 5000;
  recorded::GeneratedDay day(config);
  std::vector<RecordedEvent> events;
  for (auto batch = day.next_batch(); !batch.empty(); batch = day.next_batch())
    events.insert(events.end(), batch.begin(), batch.end());
  const std::vector<RecordedEvent> written = of_bitstamp(as_bitstamp(events, day.instruments()));
  ASSERT_EQ(written.size(), events.size());
  recorded::DepthBooks ours, theirs;
  ours.apply(events, day.instruments());
  const std::vector<recorded::RecordedInstrument> fine = {{.price_decimals = 8, .quantity_decimals = 8}};
  theirs.apply(written, fine);
  EXPECT_EQ(theirs.live_orders(), ours.live_orders());
  EXPECT_EQ(theirs.counts().unknown, 0u);
  for (const market::Side side : {market::Side::buy, market::Side::sell}) {
    ASSERT_EQ(theirs.of(0).on(side).level_count(), ours.of(0).on(side).level_count());
    ours.of(0).on(side).each([&](const recorded::DepthLevel& level) {
      EXPECT_EQ(theirs.of(0).on(side).quantity_at(level.price * 10'000), level.quantity * 100'000'000);
      return true;
    });
  }
}

TEST(Writers, refuse_what_their_format_cannot_say) {
  recorded::MemorySink sink;
  const std::vector<recorded::RecordedInstrument> rice = {{.symbol = "RICE", .price_decimals = 4}};
  RecordedEvent level{.event_time = time::from_nanoseconds(1'705'329'000'000'000'000),
                      .price = 5,
                      .quantity = 5,
                      .kind = recorded::EventKind::level,
                      .side = market::Side::buy};
  EXPECT_EQ(recorded::LobsterWriter(sink, nullptr, 1).write({&level, 1}, rice).error(),
            "LOBSTER has no message for level");
  EXPECT_EQ(recorded::ItchWriter(sink).write({&level, 1}, rice).error(), "ITCH has no message for level");
  level.kind = recorded::EventKind::add;
  level.quantity = std::int64_t{1} << 40;
  EXPECT_EQ(recorded::ItchWriter(sink).write({&level, 1}, rice).error(),
            "a price or quantity that has no place in ITCH");
  const std::vector<recorded::RecordedInstrument> fine = {{.symbol = "RICE", .price_decimals = 9}};
  EXPECT_FALSE(recorded::LobsterWriter(sink, nullptr, 1).write({&level, 1}, fine));
  EXPECT_FALSE(recorded::ItchWriter(sink).write({&level, 1}, fine));
  EXPECT_EQ(recorded::BitstampWriter(sink).write({&level, 1}, fine).error(),
            "a Bitstamp file has at most eight decimals");
  level.kind = recorded::EventKind::level;
  EXPECT_EQ(recorded::BitstampWriter(sink).write({&level, 1}, rice).error(), "Bitstamp has no event for level");
  level.kind = recorded::EventKind::remove;
  level.price = recorded::k_unknown;
  EXPECT_EQ(recorded::BitstampWriter(sink).write({&level, 1}, rice).error(),
            "an order that Bitstamp's units or fields do not hold: 0");
}

}  // namespace
}  // namespace dojima
