// Units of a file to a reader: its books, its times, and files that are damaged.

#include "dojima/app/feed/recorded_feed.hpp"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/mitch/feed/feed_world_test_support.hpp"

namespace dojima::app {
namespace {

using mitch::testing::digest_of;

/// What a venue writes into its file: both groups' units in turn.
struct Written final : mitch::FeedSink {
  explicit Written(int rounds) {
    std::vector<mitch::testing::RandomDay> days;
    std::vector<mitch::FeedWriter> feeds;
    for (std::size_t group = 0; group < 2; ++group) {
      days.emplace_back(5 + group, group);
      feeds.emplace_back(*this, mitch::FeedWriterOptions{.market_data_group = static_cast<char>('1' + group)});
      days[group].begin(feeds[group]);
    }
    for (int round = 0; round < rounds; ++round)
      for (std::size_t group = 0; group < 2; ++group) {
        days[group].next(feeds[group]);
        feeds[group].flush();
      }
  }
  void on_unit(Bytes unit) override {
    const std::size_t group = mitch::read_unit(unit)->header().market_data_group == '1' ? 0 : 1;
    for (const Bytes message : *mitch::read_unit(unit)) EXPECT_TRUE(books[group].apply(message).has_value());
    begins.push_back(bytes.size());
    bytes.insert(bytes.end(), unit.begin(), unit.end());
  }

  std::vector<std::byte> bytes;
  std::vector<std::size_t> begins;  // of the units
  std::vector<mitch::BookBuilder> books = [] {
    std::vector<mitch::BookBuilder> made;
    for (int group = 0; group < 2; ++group) made.emplace_back(mitch::BookBuilderLimits{});
    return made;
  }();
};

struct Heard final : mitch::FeedHandler {
  void on_message(char, std::uint32_t, Bytes, time::Time now) override {
    ++messages;
    first = std::min(first, now);
    EXPECT_GE(now, last) << "time does not go back";
    last = now;
  }
  void on_notice(const mitch::FeedNotice& notice, time::Time) override { notices.push_back(notice.kind); }
  std::uint64_t messages = 0;
  std::vector<mitch::FeedNoticeKind> notices;
  time::Time first = time::k_never, last{};
};

void expect_equal_books(const RecordedFeed& feed, const Written& file) {
  constexpr std::uint32_t k_all = ~std::uint32_t{0};
  ASSERT_EQ(feed.client().groups().size(), 2U);
  for (std::size_t group = 0; group < 2; ++group)
    EXPECT_EQ(digest_of(*feed.client().books(static_cast<char>('1' + group)), k_all),
              digest_of(file.books[group], k_all));
}

const auto k_always = [] { return true; };
const auto k_show_nothing = [](const RecordedFeed::Now&) {};

TEST(RecordedFeedTest, a_reader_comes_to_the_books_of_the_file_at_the_times_in_it) {
  const Written file(800);
  Heard heard;
  RecordedFeed feed(file.bytes, {}, heard);
  std::vector<RecordedFeed::Now> shown;
  feed.run({}, k_always, [&](const RecordedFeed::Now& now) { shown.push_back(now); });
  expect_equal_books(feed, file);
  EXPECT_EQ(feed.units().trouble(), "");
  EXPECT_EQ(heard.messages, feed.client().counts().messages);
  EXPECT_EQ(heard.first, time::from_nanoseconds(28'800'000'000'000)) << "eight o'clock";
  EXPECT_GT(heard.last, heard.first + std::chrono::seconds{5});
  EXPECT_LT(heard.last, heard.first + std::chrono::seconds{60});
  EXPECT_TRUE(std::ranges::all_of(heard.notices, [](mitch::FeedNoticeKind kind) {
    return kind == mitch::FeedNoticeKind::joined || kind == mitch::FeedNoticeKind::live;
  })) << "no line is lost, nothing is missing";
  ASSERT_GE(shown.size(), 2U);
  EXPECT_FALSE(shown.front().is_over);
  EXPECT_TRUE(shown.back().is_over);
  EXPECT_EQ(shown.back().progress, 1);
}

TEST(RecordedFeedTest, time_can_be_paused_stepped_and_hurried) {
  const Written file(300);
  Heard heard;
  RecordedFeed feed(file.bytes, {}, heard);
  PaceDesk desk;
  EXPECT_TRUE(desk.on_words("pause"));
  int step = 0;
  std::uint64_t before = 0;
  // Asked before every turn.
  const auto goes_on = [&] {
    if (step < 20) {
      if (step == 10) {
        before = heard.messages;
        EXPECT_TRUE(desk.on_words("step"));
      }
      if (step == 19) {
        EXPECT_GT(heard.messages, before) << "a step is one";
        EXPECT_TRUE(desk.on_words("speed 10000"));
        EXPECT_TRUE(desk.on_words("resume"));
      }
      ++step;
    }
    return true;
  };
  bool was_paused = false;
  feed.run({.speed = 1, .desk = &desk}, goes_on, [&](const RecordedFeed::Now& now) {
    was_paused = was_paused || now.is_paused;
    if (now.is_over) {
      EXPECT_EQ(now.speed, 10'000);
    }
  });
  EXPECT_TRUE(was_paused);
  expect_equal_books(feed, file);
}

TEST(RecordedFeedTest, what_is_missing_or_damaged_is_said) {
  const Written file(50);
  Heard heard;
  {
    RecordedFeed cut(Bytes(file.bytes).first(file.begins.back() + 5), {}, heard);
    cut.run({}, k_always, k_show_nothing);
    EXPECT_EQ(cut.units().trouble(),
              "at byte " + std::to_string(file.begins.back()) + " is no unit of MIT303: the file ends within it");
  }
  std::vector<std::byte> damaged = file.bytes;
  damaged[file.begins[3] + 2] = std::byte{77};  // so many messages
  RecordedFeed of_damaged(damaged, {}, heard);
  of_damaged.run({}, k_always, k_show_nothing);
  EXPECT_EQ(of_damaged.units().trouble(),
            "at byte " + std::to_string(file.begins[3]) + " is no unit of MIT303: its messages do not fill it");
  EXPECT_LT(of_damaged.units().progress(), 1);
  const Written longer(800);
  std::vector<std::byte> gap = longer.bytes;
  gap.erase(gap.begin() + static_cast<std::ptrdiff_t>(longer.begins[10]),
            gap.begin() + static_cast<std::ptrdiff_t>(longer.begins[11]));
  Heard rest;
  RecordedFeed of_gap(gap, {}, rest);
  of_gap.run({}, k_always, k_show_nothing);
  EXPECT_EQ(of_gap.client().counts().gaps, 1U) << "a unit is left out";
  EXPECT_EQ(of_gap.client().missing(), 0U) << "it goes on behind it";
  EXPECT_GT(rest.messages, 1'500U);
  EXPECT_NE(of_gap.client().suspects(), 0U) << "with books that are not known to be right";
  EXPECT_EQ(of_gap.units().trouble(), "");
  RecordedFeed empty({}, {}, heard);
  empty.run({}, k_always, k_show_nothing);
  EXPECT_EQ(empty.client().groups(), "");
}

}  // namespace
}  // namespace dojima::app
