#include "dojima/mitch/feed/feed_client.hpp"

#include <gtest/gtest.h>
#include <stdexcept>

#include "dojima/mitch/book_publisher.hpp"
#include "dojima/mitch/feed/feed_world_test_support.hpp"

namespace dojima::mitch::testing {
namespace {

TEST(FeedClient, follows_from_the_beginning_without_asking_anybody) {
  FeedWorld world({.has_begun = false});
  Reader& reader = world.join();
  world.begin();
  world.trade(300);
  world.settle();
  world.expect_equal(reader);
  EXPECT_EQ(world.replay->counts().connections, 0u);
  EXPECT_EQ(world.recovery->counts().connections, 0u);
  EXPECT_EQ(reader.client->counts().messages, world.feeds[0]->last() + world.feeds[1]->last());
  EXPECT_EQ(reader.client->counts().duplicates, reader.client->counts().messages) << "each of them on both lines";
  EXPECT_EQ(reader.count(FeedNoticeKind::live), 2u);
}

TEST(FeedClient, takes_from_one_line_what_the_other_loses) {
  FeedWorld world({.a = {.is_dead = true}, .b = {.jitter = 300us}, .has_begun = false});
  Reader& reader = world.join();
  world.begin();
  world.trade(300);
  world.run(6s);
  world.expect_equal(reader);
  EXPECT_EQ(world.replay->counts().connections, 0u) << "what was overtaken is waited for";
  EXPECT_EQ(reader.count(FeedNoticeKind::line_lost), 1u);
  EXPECT_TRUE(reader.client->is_line_lost(0));
  EXPECT_FALSE(reader.client->is_line_lost(1));
  world.datagrams.set_conditions(k_line_a, {});
  world.run(3s);
  EXPECT_EQ(reader.count(FeedNoticeKind::line_back), 1u);
}

TEST(FeedClient, asks_for_what_both_lines_lost_and_is_equal_when_the_gap_is_closed) {
  FeedWorld world({.a = {.loss_ppm = 200'000}, .b = {.loss_ppm = 200'000}});
  Reader& reader = world.join();
  world.trade(500);
  world.settle();
  world.expect_equal(reader);
  const FeedClientCounts& counts = reader.client->counts();
  EXPECT_GT(counts.gaps, 5u);
  EXPECT_GT(counts.replayed, 5u);
  EXPECT_EQ(counts.skipped, 0u);
  EXPECT_EQ(counts.misfits, 0u);
  EXPECT_EQ(reader.count(FeedNoticeKind::gap), reader.count(FeedNoticeKind::gap_closed));
}

TEST(FeedClient, joins_late_by_snapshots_of_its_instruments) {
  FeedWorld world;
  world.trade(500);
  Reader& reader = world.join();
  world.trade(200);
  world.settle();
  world.expect_equal(reader);
  EXPECT_EQ(reader.count(FeedNoticeKind::recovered), k_feed_instruments);
  EXPECT_EQ(world.replay->counts().connections, 0u);
  EXPECT_EQ(world.recovery->counts().snapshots, k_feed_instruments);
}

TEST(FeedClient, joins_late_by_segments) {
  FeedWorld world;
  world.trade(300);
  FeedClientOptions options = FeedWorld::client_options();
  options.instruments.clear();
  options.segments = {Text<6>::cut("RICE"), Text<6>::cut("SALT")};
  Reader& reader = world.join(options);
  world.trade(200);
  world.settle();
  world.expect_equal(reader);
  EXPECT_EQ(world.replay->counts().connections, 0u);
}

TEST(FeedClient, is_not_live_without_a_segment_that_nobody_has) {
  FeedWorld world;
  world.trade(300);
  FeedClientOptions options = FeedWorld::client_options();
  options.instruments.clear();
  options.segments = {Text<6>::cut("NOPE")};
  Reader& reader = world.join(options);
  world.trade(200);
  world.settle();
  const auto refused = std::ranges::find(reader.notices, FeedNoticeKind::refused, &FeedNotice::kind);
  ASSERT_NE(refused, reader.notices.end());
  EXPECT_FALSE(refused->is_login);
  EXPECT_EQ(refused->segment.view(), "NOPE");
  EXPECT_STREQ(refusal_words(*refused), "there is no such segment");
  EXPECT_EQ(reader.client->lacking_segments(), 1u);
  EXPECT_FALSE(reader.client->is_live('1'));
  EXPECT_EQ(reader.count(FeedNoticeKind::live), 0u);
}

TEST(FeedClient, says_why_a_channel_refuses) {
  FeedWorld world;
  world.trade(50);
  FeedClientOptions options = FeedWorld::client_options();
  options.password = "feed_4321";
  Reader& reader = world.join(options);
  world.trade(50);
  world.run(1s);
  const auto refused = std::ranges::find(reader.notices, FeedNoticeKind::refused, &FeedNotice::kind);
  ASSERT_NE(refused, reader.notices.end());
  EXPECT_TRUE(refused->is_login);
  EXPECT_STREQ(refusal_words(*refused), "another password");
  const auto words = [](FeedChannel channel, bool is_login, const char* letters) {
    std::string all;
    for (const char* at = letters; *at != '\0'; ++at)
      all += std::string(refusal_words({.channel = channel, .status = *at, .is_login = is_login})) + "; ";
    return all;
  };
  EXPECT_EQ(words(FeedChannel::replay, true, "abcde"),
            "the user is locked; too many logins today; the channel is not available; too many sessions at a time; "
            "another password; ");
  EXPECT_EQ(words(FeedChannel::replay, false, "DIOUcde"),
            "too many requests today; there is no such group; older than what is kept, or beyond the last message; the "
            "channel is not available; too many requests wait already; a message of another type; it cannot be read; ");
  EXPECT_EQ(
      words(FeedChannel::recovery, false, "abUcdeX"),
      "there is no such instrument; too many requests today; the channel is not available; too many requests wait "
      "already; a message of another type; it cannot be read; no reason that is known; ");
}

TEST(FeedClient, joins_late_by_replaying_the_day_where_it_knows_no_instrument) {
  FeedWorld world;
  world.trade(300);
  FeedClientOptions options = FeedWorld::client_options();
  options.instruments.clear();
  Reader& reader = world.join(options);
  world.trade(200);
  world.settle();
  world.expect_equal(reader);
  EXPECT_EQ(reader.client->counts().messages, world.feeds[0]->last() + world.feeds[1]->last());
  EXPECT_EQ(world.recovery->counts().connections, 0u);
}

TEST(FeedClient, finds_the_instruments_by_itself_where_the_day_is_too_old_to_be_replayed) {
  FeedWorld world({.messages = 64});
  world.trade(300);
  FeedClientOptions options = FeedWorld::client_options();
  options.instruments.clear();
  Reader& reader = world.join(options);
  world.trade(400);
  world.settle();
  EXPECT_EQ(reader.count(FeedNoticeKind::refused), 2u) << "each group's day";
  world.expect_equal(reader);
}

TEST(FeedClient, goes_to_recovery_where_replay_does_not_reach) {
  FeedWorld world({.messages = 32});
  Reader& reader = world.join();
  world.trade(100);
  for (const link::Address& line : {k_line_a, k_line_b}) world.datagrams.set_conditions(line, {.is_dead = true});
  world.trade(200);
  for (const link::Address& line : {k_line_a, k_line_b}) world.datagrams.set_conditions(line, {});
  world.trade(200);
  world.settle();
  world.expect_equal(reader);
  EXPECT_GT(reader.client->counts().skipped, 0u);
  EXPECT_GE(reader.count(FeedNoticeKind::recovered), k_feed_instruments);
}

TEST(FeedClient, goes_to_recovery_where_replay_cannot_be_had) {
  FeedWorld world({.a = {.loss_ppm = 100'000}, .b = {.is_dead = true}});
  FeedClientOptions options = FeedWorld::client_options();
  options.replay = link::Address{"nobody", 9};
  Reader& reader = world.join(options);
  world.trade(300);
  world.settle();
  world.expect_equal(reader);
  EXPECT_GT(reader.count(FeedNoticeKind::unreachable), 0u);
  EXPECT_GT(reader.client->counts().snapshots, 0u);
}

TEST(FeedClient, goes_on_when_a_channel_breaks_in_the_middle_of_an_answer) {
  FeedWorld world;
  world.trade(2'000);
  Reader& reader = world.join();
  for (int count = 0; count < 6; ++count) {
    world.trade(3);
    world.recovery->close_all();
  }
  world.trade(100);
  world.settle();
  world.expect_equal(reader);
  EXPECT_GT(reader.count(FeedNoticeKind::unreachable), 0u);
}

TEST(FeedClient, without_channels_says_what_it_gave_up_and_has_a_book_again_when_it_is_cleared) {
  FeedWorld world;
  FeedClientOptions options = FeedWorld::client_options();
  options.replay.reset();
  options.recovery.reset();
  Reader& reader = world.join(options);
  world.trade(50);
  for (const link::Address& line : {k_line_a, k_line_b}) world.datagrams.set_conditions(line, {.is_dead = true});
  world.trade(50);
  for (const link::Address& line : {k_line_a, k_line_b}) world.datagrams.set_conditions(line, {});
  world.trade(50);
  world.run(1s);
  EXPECT_EQ(reader.count(FeedNoticeKind::given_up), 2u);
  EXPECT_EQ(reader.client->suspects(), k_feed_instruments);
  EXPECT_FALSE(reader.client->is_live('1'));
  EXPECT_TRUE(reader.client->is_suspect(1));
  FeedWriter& feed = world.publishers[0]->writer();
  for (const std::uint32_t id : {1U, 3U, 5U}) ASSERT_TRUE(feed.append(OrderBookClear{.instrument_id = id}).has_value());
  world.publishers[0]->flush();
  world.run(1s);
  EXPECT_TRUE(reader.client->is_live('1'));
  EXPECT_EQ(reader.client->suspects(), 3u);
}

TEST(FeedClient, begins_anew_when_the_numbers_do) {
  FeedWorld world;
  Reader& reader = world.join();
  world.trade(100);
  world.settle();
  link::DatagramSender* const line = world.datagrams.publish(k_line_a).value();
  // Another publisher takes the lines over, as after a restart of the venue.
  struct Lines final : FeedSink {
    void on_unit(Bytes unit) override { to->send(unit); }
    link::DatagramSender* to = nullptr;
  } lines;
  lines.to = line;
  FeedWriter feed(lines, {.market_data_group = '1'});
  world.publishers.clear();
  world.run(3s);
  RandomDay day(77, 0);
  day.begin(feed);
  feed.flush();
  for (int count = 0; count < 50; ++count) {
    day.next(feed);
    feed.flush();
    world.run(1ms);
  }
  EXPECT_EQ(reader.count(FeedNoticeKind::restarted), 1u);
  EXPECT_EQ(reader.client->next('1'), feed.next_sequence());
  EXPECT_TRUE(reader.client->is_live('1'));
}

/// The end of a day and the beginning of the next, whose books are shown again by more messages than there were before.
void follow_into_the_next_day(FeedWorld& world) {
  Reader& reader = world.join();
  world.trade(30);
  world.settle();
  world.trade(5);  // a line that lags brings these behind the other's first of the next day
  FeedPublisher& group = *world.publishers[0];
  const std::uint64_t before = digest_of(group.published().books(), ~0U);
  ASSERT_TRUE(group.writer().append(SystemEvent{.event_code = 'C'}).has_value());
  group.begin_numbers();
  EXPECT_EQ(group.published().last(), 0u);
  EXPECT_EQ(group.published().oldest(), 0u);
  BookPublisher again(group.writer(), {});
  again.begin_numbers();
  const BookBuilder& books = group.published().books();
  for (int round = 0; round < 30; ++round) {
    for (std::size_t at = 0; at < books.instrument_count(); ++at)
      ASSERT_TRUE(again.show_again(books.book_at(at), time::Time{} + 9h).has_value());
    group.flush();
    world.run(1ms);
  }
  world.run(100ms);
  EXPECT_EQ(reader.count(FeedNoticeKind::restarted), 1u);
  EXPECT_EQ(reader.count(FeedNoticeKind::misfit), 0u);
  EXPECT_EQ(reader.count(FeedNoticeKind::gap), 0u);
  EXPECT_EQ(reader.client->next('1'), group.writer().next_sequence());
  EXPECT_EQ(digest_of(*reader.client->books('1'), ~0U), before);
  EXPECT_TRUE(reader.client->is_live('1'));
}

TEST(FeedClient, goes_on_with_the_next_day_at_once_when_it_has_seen_the_end_of_the_last) {
  FeedWorld world;
  follow_into_the_next_day(world);
}

TEST(FeedClient, takes_no_unit_of_the_day_before_for_one_of_the_next_where_a_line_lags) {
  FeedWorld world({.b = {.delay = 1ms}});
  follow_into_the_next_day(world);
}

TEST(FeedClient, counts_and_leaves_out_what_is_no_unit_of_the_real_time_channel) {
  FeedWorld world;
  Reader& reader = world.join();
  world.trade(10);
  const std::uint32_t next = reader.client->next('1');
  std::array<std::byte, 64> room;
  UnitWriter unit(room, '1');
  const auto take = [&](Bytes bytes) { reader.client->line(0).on_datagram(bytes, world.scheduler.now()); };
  take({});
  take(as_bytes("no unit at all"));
  unit.begin(next);
  ASSERT_TRUE(unit.append(LogoutRequest{}).has_value());
  take(unit.finish());
  unit.begin(0);
  ASSERT_TRUE(unit.append(Time{}).has_value());
  take(unit.finish());
  unit.begin(next);
  ASSERT_TRUE(unit.append(Time{}).has_value());
  const Bytes good = unit.finish();
  take(Bytes(room).first(good.size() + 1));  // a datagram holds one unit and nothing else
  EXPECT_EQ(reader.client->counts().malformed, 5u);
  EXPECT_EQ(reader.client->next('1'), next);
  for (const char group : {'3', '4'}) {
    UnitWriter other(room, group);
    other.begin(1);
    take(other.finish());
  }
  EXPECT_EQ(reader.client->counts().foreign, 2u);
}

TEST(FeedClient, refuses_names_that_no_login_carries) {
  FeedWorld world;
  Reader reader;
  for (const char* name : {"", "SEVENTY"}) {
    FeedClientOptions options = FeedWorld::client_options(name);
    EXPECT_THROW(FeedClient(options, world.scheduler, nullptr, reader), std::invalid_argument);
  }
  FeedClientOptions options = FeedWorld::client_options();
  options.password = "01234567890";
  EXPECT_THROW(FeedClient(options, world.scheduler, nullptr, reader), std::invalid_argument);
}

TEST(FeedClient, has_the_venues_books_after_every_gap_of_random_days) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    follow_a_random_day(seed, 60, 200'000);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace dojima::mitch::testing
