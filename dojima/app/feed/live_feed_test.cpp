// A venue's live market data over real sockets of this machine: multicast lines, both channels, readers that lose
// some of it on purpose.

#include "dojima/app/feed/live_feed.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <netinet/in.h>
#include <optional>
#include <stdexcept>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "dojima/app/admin_client.hpp"
#include "dojima/app/feed/feed_session.hpp"
#include "dojima/app/passwords/scrypt.hpp"
#include "dojima/app/servers_test_support.hpp"
#include "dojima/app/trade/live_strategy.hpp"
#include "dojima/net/address.hpp"

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
    EXPECT_TRUE(session.compare()) << "it has gone on until both were at the same message";
    EXPECT_EQ(session.comparison().different, 0u) << session.comparison().first;
    EXPECT_GT(session.comparison().compared, 2u);
    EXPECT_GT(session.dropped(), 0u);
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

/// Until it has been refused, or is live though it came late.
Notices followed_late_by(const Market& market, const std::string& user, const std::string& password) {
  FeedSessionOptions options = reader_of(market);
  options.client.user = user;
  options.client.password = password;
  Notices notices;
  FeedSession session(options, notices);
  const auto started = session.start();
  EXPECT_TRUE(started.has_value()) << started.error();
  const auto end = std::chrono::steady_clock::now() + 20s;
  const auto is_there = [&] {
    return session.client().is_live('1') || std::ranges::count(notices.kinds, mitch::FeedNoticeKind::refused) != 0;
  };
  session.run([&] { return !is_there() && std::chrono::steady_clock::now() < end; }, 10ms, [](time::Time) {});
  EXPECT_TRUE(is_there());
  return notices;
}

TEST(LiveFeedLong, lets_in_readers_of_whose_passwords_it_has_only_a_hash) {
  VenueConfig config = venue_with_feed();
  for (FeedReaderConfig& reader : config.feed.readers)
    reader.password = scrypt_text("feed_1234", {.ln = 10, .r = 1, .p = 1});
  const Market market(config);
  EXPECT_NE(testing::trade({market.address()}, orders(3)).outcome, TradeOutcome::unreachable);
  const auto refusals = [](const Notices& of) { return std::ranges::count(of.kinds, mitch::FeedNoticeKind::refused); };
  EXPECT_GE(refusals(followed_late_by(market, "READ1", "feed_4321")), 1);
  EXPECT_EQ(refusals(followed_late_by(market, "READ2", "feed_1234")), 0);
}

TEST(LiveFeed, ends_at_once_when_books_are_missing_and_the_venue_is_gone) {
  VenueConfig config = venue_with_feed();
  config.feed.heartbeat_ms = 50;
  std::optional<Market> market(std::in_place, config);
  EXPECT_NE(testing::trade({market->address()}, orders(3)).outcome, TradeOutcome::unreachable);
  FeedSessionOptions options = reader_of(*market);
  options.client.replay = options.client.recovery = link::Address{"127.0.0.1", 1};  // nobody is there
  options.client.silence = 200ms;
  Notices notices;
  FeedSession session(options, notices);
  const auto started = session.start();
  ASSERT_TRUE(started.has_value()) << started.error();
  const auto& client = session.client();
  const auto limit = std::chrono::steady_clock::now() + 20s;
  auto end = limit;
  session.run(
      [&] {
        if (!client.groups().empty()) market.reset();
        end = std::chrono::steady_clock::now();
        return end < limit && (market || !client.is_line_lost(0) || !client.is_line_lost(1));
      },
      10ms, [](time::Time) {});
  const auto took = std::chrono::steady_clock::now() - end;
  ASSERT_FALSE(market.has_value());
  EXPECT_FALSE(client.is_live(client.groups().at(0))) << "it came late, and asked in vain";
  EXPECT_LT(took, 1500ms) << "it waits for nobody";
}

TEST(LiveFeed, counts_connections_by_soup_bin_tcp_among_its_figures) {
  VenueConfig config = venue_with_feed();
  config.admin.port = 0;
  config.feed.itch_port = 0;
  const Market market(config);
  AdminServer server;
  std::optional<link::Address> itch;
  const auto address_in = [](const std::string& line, const std::string& begin) {
    return net::parse_address(line.substr(begin.size(), line.find(',', begin.size()) - begin.size())).value();
  };
  for (const std::string& line : market.description()) {
    if (const std::string begin = "admin and metrics http://"; line.starts_with(begin))
      server.address = address_in(line, begin);
    if (const std::string begin = "ITCH 5.0, SoupBinTCP "; line.starts_with(begin)) itch = address_in(line, begin);
  }
  ASSERT_TRUE(itch.has_value());
  const auto expect = [&](int connections) {
    const std::string line = "\ndojima_itch_connections " + std::to_string(connections) + "\n";
    std::string figures;
    for (int tries = 0; tries < 500 && figures.find(line) == std::string::npos; ++tries) {
      std::this_thread::sleep_for(10ms);
      figures = page_of(server, "/metrics").value().text;
    }
    EXPECT_NE(figures.find(line), std::string::npos) << figures;
    EXPECT_NE(figures.find("\ndojima_itch_readers 0\n"), std::string::npos) << figures;
  };
  expect(0);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(itch->port);
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int silent = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(::connect(silent, reinterpret_cast<const sockaddr*>(&where), sizeof where), 0);
  expect(1);
  ::close(silent);
  expect(0);
}

TEST(LiveFeed, goes_on_with_the_next_day_in_numbers_from_1_with_the_books_as_they_are) {
  VenueConfig config = venue_with_feed();
  config.admin.port = 0;
  const Market market(config);
  AdminServer server;
  for (const std::string& line : market.description())
    if (const std::string begin = "admin and metrics http://"; line.starts_with(begin))
      if (const auto where = net::parse_address(line.substr(begin.size(), line.find(',') - begin.size())))
        server.address = *where;
  Notices notices;
  FeedSession session(reader_of(market), notices);
  const auto started = session.start();
  ASSERT_TRUE(started.has_value()) << started.error();
  const auto has_orders = [&](std::size_t count) {
    const auto* const books = session.client().books('1');
    return books != nullptr && session.client().is_live('1') && books->order_count() == count;
  };
  EXPECT_NE(testing::trade({market.address()}, {"buy 5 KAGA @ 95", "buy 5 KAGA @ 96"}).outcome,
            TradeOutcome::unreachable);
  const auto restarts = [&] { return std::ranges::count(notices.kinds, mitch::FeedNoticeKind::restarted); };
  const auto sessions = [&] {
    const auto answer = command(server, std::vector<std::string>{"sessions"});
    return answer ? answer->rows.size() : 0;
  };
  const std::size_t at_first = sessions();
  enum class Step { orders, expiries, gateway, another_order, done } step = Step::orders;
  const auto end = std::chrono::steady_clock::now() + 10s;
  const auto goes_on = [&] {
    if (step == Step::orders && has_orders(2)) {
      const auto ended = command(server, std::vector<std::string>{"next-day"});
      EXPECT_TRUE(ended.has_value() && ended->is_done);
      step = Step::expiries;
    } else if (step == Step::expiries && restarts() != 0 && has_orders(0)) {
      step = Step::gateway;
    } else if (step == Step::gateway && sessions() == at_first) {
      EXPECT_NE(testing::trade({market.address()}, {"buy 5 KAGA @ 97"}).outcome, TradeOutcome::unreachable);
      step = Step::another_order;
    } else if (step == Step::another_order && has_orders(1)) {
      step = Step::done;
    }
    return step != Step::done && std::chrono::steady_clock::now() < end;
  };
  session.run(goes_on, 10ms, [](time::Time) {});
  EXPECT_EQ(step, Step::done) << "restarts " << restarts() << ", next " << session.client().next('1');
  EXPECT_EQ(session.client().counts().misfits, 0u);
  EXPECT_EQ(session.client().suspects(), 0u);
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

TEST(LiveFeed, has_a_configuration_whose_mistakes_are_reported_by_their_keys) {
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

/// Takes what is offered, lets orders rest, changes one and cancels it.
class Visitor final : public backtest::Strategy {
 public:
  bool is_done = false, fails = false;
  int trades = 0;
  std::optional<recorded::DepthLevel> first_ask, ask_beside_own;

  backtest::Wakes wakes() const override { return {.on_trades = true, .on_reports = true, .period = 10ms}; }
  void on_trade(backtest::Desk&, const backtest::MarketTrade& trade) override {
    trades += trade.price == k_offer && trade.quantity == 10 ? 1 : 0;
  }
  void on_wake(backtest::Desk& desk) override {
    const auto ask = desk.best(0, market::Side::sell);
    const backtest::OwnOrder* mine = desk.order(resting_);
    switch (step_) {
      case 0:
        if (!ask || !desk.best(0, market::Side::buy)) return;
        first_ask = ask;
        desk.submit({.side = market::Side::buy,
                     .time_in_force = market::TimeInForce::immediate_or_cancel,
                     .price = ask->price,
                     .quantity = 10});
        ++step_;
        return;
      case 1:
        if (desk.position(0) != 10) return;
        desk.submit({.side = market::Side::buy, .price = 98 * k_one, .quantity = 5});
        resting_ = desk.submit({.side = market::Side::sell, .price = 100 * k_one + k_one / 2, .quantity = 7});
        ++step_;
        return;
      case 2:
        if (mine == nullptr || !mine->is_accepted || !ask || ask->quantity != 90) return;
        if (fails) throw std::runtime_error("no more");
        ask_beside_own = ask;
        EXPECT_TRUE(desk.replace(resting_, 100 * k_one + k_one / 4, 9));
        ++step_;
        return;
      case 3:
        if (mine == nullptr || mine->price != 100 * k_one + k_one / 4) return;
        EXPECT_EQ(mine->leaves, 9);
        EXPECT_TRUE(desk.cancel(resting_));
        ++step_;
        return;
      default:
        is_done = mine == nullptr;
    }
  }

  static constexpr std::int64_t k_one = market::k_price_scale, k_offer = 101 * k_one;

 private:
  int step_ = 0;
  backtest::OrderNumber resting_ = 0;
};

LiveStrategyOptions live_options(const Market& market) {
  LiveStrategyOptions options{
      .trade = {.gateways = {market.address()}, .sender = "YODOYA", .target = "DOJIMA"},
      .feed = reader_of(market),
      .instruments = {{.symbol = "KAGA", .id = 1001, .group = '1', .tick = market::k_price_scale / 100}},
      .patience = 5s};
  return options;
}

void visit(bool fails) {
  const Market market(venue_with_feed());
  EXPECT_EQ(testing::trade({market.address()}, {"buy 100 KAGA @ 99", "sell 100 KAGA @ 101"}).outcome,
            TradeOutcome::done);
  Visitor visitor;
  visitor.fails = fails;
  std::vector<std::string> lines;
  LiveStrategy live(live_options(market), visitor, [&](const std::string& line) { lines.push_back(line); });
  const auto outcome = live.run([&] { return visitor.is_done; }, 8s);
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  const backtest::BacktestResult result = live.result({.strategy = "visitor"});
  EXPECT_EQ(result.resting, 0u) << text;
  ASSERT_EQ(result.fills.size(), 1u) << text;
  EXPECT_EQ(result.fills[0].price, Visitor::k_offer);
  EXPECT_EQ(result.fills[0].quantity, 10);
  EXPECT_FALSE(result.fills[0].is_maker);
  ASSERT_EQ(result.instruments.size(), 1u);
  EXPECT_EQ(result.instruments[0].account.position(), 10);
  EXPECT_GE(visitor.trades, 1);
  if (fails) {
    EXPECT_EQ(outcome, TradeOutcome::refused) << text;
    EXPECT_NE(text.find("the strategy: no more"), std::string::npos) << text;
  } else {
    EXPECT_EQ(outcome, TradeOutcome::done) << text;
    EXPECT_TRUE(visitor.is_done) << text;
    EXPECT_EQ(visitor.first_ask, (recorded::DepthLevel{Visitor::k_offer, 100}));
    EXPECT_EQ(visitor.ask_beside_own, (recorded::DepthLevel{Visitor::k_offer, 90})) << "own orders are not in it";
  }
}

TEST(LiveStrategies, trade_as_in_a_back_test_and_leave_no_order_behind) {
  visit(false);
}

TEST(LiveStrategies, that_throw_leave_no_order_behind) {
  visit(true);
}

TEST(LiveStrategies, do_not_begin_without_books) {
  const Market market(venue_with_feed());
  Visitor visitor;
  LiveStrategyOptions options = live_options(market);
  options.feed.line_a = "239.255.77.23:" + std::to_string(20'000 + ::getpid() % 20'000);
  options.feed.line_b.clear();
  options.patience = 300ms;
  std::string text;
  LiveStrategy live(options, visitor, [&](const std::string& line) { text += line + "\n"; });
  EXPECT_EQ(live.run([] { return false; }, 1s), TradeOutcome::unreachable);
  EXPECT_NE(text.find("the market data have not come"), std::string::npos) << text;
  EXPECT_TRUE(live.result({}).fills.empty());
}

struct LiveRun {
  TradeOutcome outcome{};
  std::string text;
  backtest::BacktestResult result;
};

LiveRun run_live(const LiveStrategyOptions& options, backtest::Strategy& strategy, const std::function<bool()>& stops) {
  LiveRun run;
  LiveStrategy live(options, strategy, [&](const std::string& line) { run.text += line + "\n"; });
  run.outcome = live.run(stops, 8s);
  run.result = live.result({.strategy = "own"});
  return run;
}

/// Asks for a cancel before the order is known, and again as long as that is refused.
class Impatient final : public backtest::Strategy {
 public:
  bool is_done = false;
  int refusals = 0, most_at_once = 0;

  backtest::Wakes wakes() const override { return {.on_reports = true}; }
  void on_begin(backtest::Desk& desk) override {
    order_ = desk.submit({.side = market::Side::buy, .price = 90 * market::k_price_scale, .quantity = 5});
    EXPECT_TRUE(desk.cancel(order_));
  }
  void on_report(backtest::Desk& desk, const backtest::Report& report) override {
    at_once_ = desk.now() == last_ ? at_once_ + 1 : 1;
    last_ = desk.now();
    most_at_once = std::max(most_at_once, at_once_);
    if (at_once_ == 1'000) throw std::runtime_error("an instant without end");
    is_done = report.kind == backtest::ReportKind::cancelled;
    if (report.kind != backtest::ReportKind::request_rejected) return;
    ++refusals;
    EXPECT_TRUE(desk.cancel(order_));
  }

 private:
  backtest::OrderNumber order_ = 0;
  time::Time last_{};
  int at_once_ = 0;
};

TEST(LiveStrategies, that_cancel_again_whenever_that_is_refused_leave_the_session_its_turns) {
  const Market market(venue_with_feed());
  Impatient impatient;
  const LiveRun run = run_live(live_options(market), impatient, [&] { return impatient.is_done; });
  EXPECT_EQ(run.outcome, TradeOutcome::done) << run.text;
  EXPECT_TRUE(impatient.is_done) << run.text;
  EXPECT_GE(impatient.refusals, 1);
  EXPECT_LE(impatient.most_at_once, 3);
}

/// Sends one order and keeps what is said of it.
class Single final : public backtest::Strategy {
 public:
  bool throws_at_begin = false, throws_at_end = false;
  std::vector<backtest::Report> reports;
  std::size_t open = 1;

  backtest::Wakes wakes() const override { return {.on_reports = true}; }
  void on_begin(backtest::Desk& desk) override {
    desk.submit({.side = market::Side::buy, .price = 90 * market::k_price_scale, .quantity = 5});
    if (throws_at_begin) throw std::runtime_error("not today");
  }
  void on_report(backtest::Desk& desk, const backtest::Report& report) override {
    reports.push_back(report);
    open = desk.orders().size();
  }
  void on_end(backtest::Desk&) override {
    if (throws_at_end) throw std::runtime_error("no summary");
  }
};

TEST(LiveStrategies, are_notified_that_an_order_is_gone_which_the_venue_refused_as_a_request) {
  VenueConfig config = venue_with_feed();
  config.users.push_back({.name = "NATIVE", .password = "rice-1730"});
  const Market market(config);
  LiveStrategyOptions options = live_options(market);
  options.trade = {.gateways = {market.venue_address()},
                   .native = NativeTradeOptions{.instruments = {{"KAGA", 999'999}}},
                   .username = "NATIVE",
                   .password = "rice-1730"};
  Single single;
  const LiveRun run = run_live(options, single, [&] { return !single.reports.empty(); });
  EXPECT_EQ(run.outcome, TradeOutcome::done) << run.text;
  ASSERT_EQ(single.reports.size(), 1u) << run.text;
  EXPECT_EQ(single.reports[0].kind, backtest::ReportKind::rejected);
  EXPECT_EQ(single.reports[0].quantity, 5);
  EXPECT_EQ(single.reports[0].leaves, 0);
  EXPECT_EQ(single.open, 0u);
  EXPECT_NE(run.text.find("1 refused: "), std::string::npos) << run.text;
}

TEST(LiveStrategies, that_throw_at_the_beginning_or_the_end_are_refused_with_their_result) {
  const Market market(venue_with_feed());
  for (const bool is_begin : {true, false}) {
    Single single;
    single.throws_at_begin = is_begin;
    single.throws_at_end = !is_begin;
    const LiveRun run = run_live(live_options(market), single, [&] { return !single.reports.empty(); });
    EXPECT_EQ(run.outcome, TradeOutcome::refused) << run.text;
    EXPECT_NE(run.text.find(is_begin ? "the strategy: not today" : "the strategy: no summary"), std::string::npos)
        << run.text;
    EXPECT_NE(run.result.trouble, "");
    EXPECT_EQ(run.result.resting, 0u) << run.text;
    EXPECT_GE(run.result.events, 1u);
  }
}

TEST(LiveStrategies, whose_session_is_lost_say_that_orders_may_be_open) {
  auto market = std::make_unique<Market>(venue_with_feed());
  Single single;
  std::jthread closing;
  const LiveRun run = run_live(live_options(*market), single, [&] {
    if (!single.reports.empty() && !closing.joinable()) closing = std::jthread([&market] { market.reset(); });
    return false;
  });
  EXPECT_EQ(run.outcome, TradeOutcome::unreachable) << run.text;
  EXPECT_NE(run.text.find("the session is lost: 1 orders may be open at the venue still"), std::string::npos)
      << run.text;
}

}  // namespace
}  // namespace dojima::app
