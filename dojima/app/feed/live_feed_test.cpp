// A venue's live market data over real sockets of this machine: multicast lines, both channels, readers that lose
// some of it on purpose.

#include "dojima/app/feed/live_feed.hpp"

#include <atomic>
#include <charconv>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

#include "dojima/app/feed/feed_session.hpp"
#include "dojima/app/servers_test_support.hpp"

namespace dojima::app {
namespace {

using namespace std::chrono_literals;
using testing::Market;

/// Groups that tests which run at the same time on this machine do not share.
std::string group_of(char line) {
  return "239.255.77." + std::string(line == 'A' ? "21" : "22") + ":" + std::to_string(20'000 + ::getpid() % 20'000);
}

VenueConfig venue_with_feed() {
  VenueConfig config = Market::venue_config();
  config.feed.line_a = group_of('A');
  config.feed.line_b = group_of('B');
  config.feed.replay_port = config.feed.recovery_port = 0;
  config.feed.readers = {{.name = "READ1", .password = "feed_1234"},
                         {.name = "READ2", .password = "feed_1234"},
                         {.name = "READ3", .password = "feed_1234"},
                         {.name = "READ4", .password = "feed_1234"}};
  return config;
}

/// The port of a channel, as the venue says it at the start.
link::Address channel_of(const Market& market, const std::string& name) {
  for (const std::string& line : market.description())
    if (const std::string begin = "MIT303 " + name + " 127.0.0.1:"; line.starts_with(begin)) {
      link::Address address{"127.0.0.1", 0};
      std::from_chars(line.data() + begin.size(), line.data() + line.size(), address.port);
      return address;
    }
  ADD_FAILURE() << "the venue does not say where " << name << " is";
  return {};
}

struct Notices final : mitch::FeedHandler {
  void on_notice(const mitch::FeedNotice& notice, time::Time) override { kinds.push_back(notice.kind); }
  std::vector<mitch::FeedNoticeKind> kinds;
};

FeedSessionOptions reader_of(const Market& market) {
  FeedSessionOptions options{.line_a = group_of('A'), .line_b = group_of('B'), .idle = net::IdlePolicy::block};
  options.client = {.user = "READ1",
                    .password = "feed_1234",
                    .replay = channel_of(market, "replay"),
                    .recovery = channel_of(market, "recovery"),
                    .retry = 20ms};
  for (const auto& each : default_venue().instruments)
    options.client.instruments.push_back({static_cast<char>('0' + each.partition), each.id});
  options.client.books = {.instruments = 64, .orders = 4'096, .levels = 256, .quote_levels = 4};
  return options;
}

/// Orders at several prices, some that trade, some that are changed and cancelled.
std::vector<std::string> orders(int count) {
  std::vector<std::string> lines;
  for (int number = 1; number <= count; ++number) {
    const std::string price = std::to_string(95 + number % 10);
    lines.push_back((number % 2 == 0 ? "buy " : "sell ") + std::to_string(10 * number) + " KAGA @ " + price);
    if (number % 3 == 0) lines.push_back("cancel " + std::to_string(number - 1));
  }
  return lines;
}

TEST(LiveFeed, is_followed_by_multicast_with_a_third_of_all_datagrams_lost_from_before_the_day_or_from_its_middle) {
  const Market market(venue_with_feed());
  std::atomic<bool> has_traded{false};
  const auto follow = [&](std::uint64_t seed) {
    FeedSessionOptions options = reader_of(market);
    options.client.user = seed == 1 ? "READ1" : "READ3";
    options.control_user = seed == 1 ? "READ2" : "READ4";
    options.control_password = "feed_1234";
    options.drop_ppm = 330'000;
    options.seed = seed;
    Notices notices;
    FeedSession session(options, notices);
    const auto started = session.start();
    ASSERT_TRUE(started.has_value()) << started.error();
    const auto end = std::chrono::steady_clock::now() + 20s;
    std::uint32_t settled = 0;
    session.run(
        [&] {
          const bool is_settled = has_traded && session.client().is_live('1') && session.comparison().compared > 2;
          settled = is_settled ? settled + 1 : 0;
          return settled < 20 && std::chrono::steady_clock::now() < end;
        },
        10ms, [](time::Time) {});
    EXPECT_TRUE(session.compare()) << "both are at the same message";
    EXPECT_EQ(session.comparison().different, 0u) << session.comparison().first;
    EXPECT_GT(session.comparison().compared, 2u);
    EXPECT_GT(session.dropped(), 5u);
    EXPECT_GT(session.client().counts().messages, 20u);
    EXPECT_EQ(session.client().counts().misfits, 0u);
    ASSERT_NE(session.client().books('1'), nullptr);
    EXPECT_GT(session.client().books('1')->order_count(), 3u);
  };
  std::jthread early([&] { follow(1); });
  std::this_thread::sleep_for(50ms);
  // Cancels of what has been filled are refused.
  EXPECT_NE(testing::trade({market.address()}, orders(30)).outcome, TradeOutcome::unreachable);
  std::jthread late([&] { follow(2); });
  std::this_thread::sleep_for(50ms);
  EXPECT_NE(testing::trade({market.address()}, orders(30), "YODOYA").outcome, TradeOutcome::unreachable);
  has_traded = true;
}

TEST(LiveFeed, says_which_line_or_port_cannot_be_had) {
  const auto problem = [](const VenueConfig& config) {
    const auto server = VenueServer::make(config);
    EXPECT_TRUE(server.has_value());
    const auto started = (*server)->start();
    return started ? std::string("started") : started.error();
  };
  VenueConfig config = venue_with_feed();
  config.feed.interface = "192.0.2.1";
  EXPECT_NE(problem(config).find("cannot send feed.line_a to 239.255.77.21:"), std::string::npos) << problem(config);
  const Market taken(venue_with_feed());
  config = venue_with_feed();
  config.feed.replay_port = channel_of(taken, "replay").port;
  EXPECT_NE(problem(config).find("feed.replay_port"), std::string::npos) << problem(config);
}

TEST(LiveFeed, has_a_configuration_whose_mistakes_are_told_by_their_keys) {
  const auto problem = [](const std::vector<std::string>& sets) {
    std::vector<Override> overrides;
    for (const std::string& set : sets) overrides.push_back(parse_override(set).value());
    const auto config = parse_venue(text_of(venue_with_feed()), "venue.toml", overrides);
    return config ? std::string("good") : config.error();
  };
  EXPECT_EQ(problem({}), "good");
  for (const auto& [set, words] : {std::pair{"feed.line_a=nowhere", "is no HOST:PORT"},
                                   {"feed.line_a=239.255.1.1:0", "is no HOST:PORT"},
                                   {"feed.line_a=10.1.2.3:5000", "other machines get what is sent to 10.1.2.3"},
                                   {"feed.interface=10.1.2.3", "other machines get what leaves by 10.1.2.3"},
                                   {"feed.interface=here", "is not a numeric address"},
                                   {"feed.unit_bytes=20", "feed.unit_bytes"},
                                   {"feed.messages=0", "feed.messages"},
                                   {"feed.line=239.255.1.1:5000", "no such key"}})
    EXPECT_NE(problem({set}).find(words), std::string::npos) << set << ": " << problem({set});
  EXPECT_NE(problem({"feed.line_b=" + group_of('A')}).find("the lines are the same"), std::string::npos);
  VenueConfig nobody = venue_with_feed();
  nobody.feed.readers.clear();
  const auto none = parse_venue(text_of(nobody), "venue.toml");
  ASSERT_FALSE(none.has_value());
  EXPECT_NE(none.error().find("nobody may log in at the channels"), std::string::npos) << none.error();
}

}  // namespace
}  // namespace dojima::app
