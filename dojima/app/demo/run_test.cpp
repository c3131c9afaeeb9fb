#include "dojima/app/demo/run.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "dojima/app/admin_client.hpp"
#include "dojima/app/demo/presentation.hpp"
#include "dojima/base/allocation_counter.hpp"
#include "dojima/net/address.hpp"
#include "dojima/simulate/clients.hpp"
#include "dojima/web/dashboard/frame.hpp"
#include "dojima/web/dashboard/screen.hpp"
#include "dojima/web/raw_client_test_support.hpp"

namespace dojima::app::demo {
namespace {

void expect_ok(const DemoResult& result) {
  for (const simulate::Check& check : result.checks) EXPECT_TRUE(check.is_ok) << check.name << ": " << check.detail;
  EXPECT_TRUE(result.is_ok()) << text_of(result);
}

TEST(Demo, takes_memory_that_grows_by_more_than_a_twentieth_for_a_failure) {
  const MemoryUse flat{.warm_up = 300'000, .begin_bytes = 400 << 20, .end_bytes = 410 << 20};
  EXPECT_TRUE(verify_memory(flat).is_ok);
  EXPECT_EQ(text_of(flat), "resident memory: 400.0 MiB after 300000 answers, 410.0 MiB at the end, +2.5 %");
  const MemoryUse grown{.warm_up = 300'000, .begin_bytes = 400 << 20, .end_bytes = 421 << 20};
  EXPECT_FALSE(verify_memory(grown).is_ok);
  EXPECT_EQ(verify_memory(grown).detail, "+5.2 % since the warm-up, at most +5.0 %");
  EXPECT_TRUE(verify_memory({.warm_up = 1, .begin_bytes = 400 << 20, .end_bytes = 300 << 20}).is_ok) << "it shrank";
  EXPECT_FALSE(MemoryUse{}.is_known());
}

TEST(DemoLong, looks_at_its_memory_behind_a_warm_up_and_at_the_end) {
  Settings settings{.seconds = 0.4, .clients = 2, .rate = 2000, .idle = net::IdlePolicy::block};
  const auto has_check = [](const DemoResult& result) {
    return std::ranges::count(result.checks, "memory stays what it was", &simulate::Check::name) == 1;
  };
  settings.memory_warm_up = 200;
  const auto warm = run(settings);
  ASSERT_TRUE(warm.has_value()) << warm.error();
  expect_ok(*warm);
  ASSERT_TRUE(warm->memory.is_known());
  EXPECT_GE(warm->memory.warm_up, 200u);
  EXPECT_LT(warm->memory.warm_up, warm->clients.answered);
  EXPECT_GT(warm->memory.begin_bytes, 16u << 20) << "books and stores are there";
  EXPECT_TRUE(has_check(*warm));
  EXPECT_NE(text_of(*warm).find("\n" + text_of(warm->memory) + "\n"), std::string::npos) << text_of(*warm);
  const std::string json = artefact_of(*warm).text();
  for (const char* figure : {"resident_begin_bytes", "resident_end_bytes"})
    EXPECT_NE(json.find(figure), std::string::npos) << figure;
  settings.memory_warm_up = warm->clients.answered * 3 / 4;
  const auto rather_warm = run(settings);
  ASSERT_TRUE(rather_warm.has_value()) << rather_warm.error();
  EXPECT_FALSE(has_check(*rather_warm)) << "too little is left of the flow";
  settings.memory_warm_up = 1'000'000;
  const auto cold = run(settings);
  ASSERT_TRUE(cold.has_value()) << cold.error();
  EXPECT_FALSE(cold->memory.is_known());
  EXPECT_FALSE(has_check(*cold));
  EXPECT_EQ(text_of(*cold).find("resident memory"), std::string::npos);
}

TEST(DemoLong, trades_the_same_in_virtual_time_every_time) {
  const Settings settings{.seconds = 0.5, .clients = 3, .rate = 4000, .seed = 7, .is_virtual = true};
  const auto first = run(settings);
  const auto second = run(settings);
  ASSERT_TRUE(first.has_value() && second.has_value());
  expect_ok(*first);
  EXPECT_GT(first->venue.trades, 100u);
  EXPECT_GT(first->clients.sent, 1800u);
  EXPECT_EQ(first->venue.trade_digest, second->venue.trade_digest);
  EXPECT_EQ(text_of(*first), text_of(*second));
  const auto other = run({.seconds = 0.5, .clients = 3, .rate = 4000, .seed = 8, .is_virtual = true});
  EXPECT_NE(first->venue.trade_digest, other->venue.trade_digest) << "another seed is another day";
}

TEST(DemoLong, lets_in_as_many_clients_at_once_as_it_takes) {
  const auto result = run({.seconds = 0.1, .clients = 64, .rate = 4000, .seed = 7, .is_virtual = true});
  ASSERT_TRUE(result.has_value()) << result.error();
  expect_ok(*result);
  EXPECT_GT(result->clients.sent, 300u);
}

TEST(DemoLong, trades_the_same_at_every_pace_of_virtual_time) {
  Settings settings{.seconds = 0.2, .clients = 3, .rate = 4000, .seed = 7, .is_virtual = true};
  const auto event_driven = run(settings);
  ASSERT_TRUE(event_driven.has_value());
  EXPECT_GT(event_driven->venue.trades, 50u);
  for (const double speed : {1.0, 10.0, 10'000.0}) {
    settings.speed = speed;
    const auto paced = run(settings);
    ASSERT_TRUE(paced.has_value());
    expect_ok(*paced);
    EXPECT_EQ(paced->venue.trade_digest, event_driven->venue.trade_digest) << speed;
    EXPECT_EQ(paced->venue.trades, event_driven->venue.trades);
    EXPECT_EQ(paced->clients.sent, event_driven->clients.sent);
    EXPECT_EQ(paced->flow_seconds, event_driven->flow_seconds);
    EXPECT_NE(text_of(*paced).find("times the clock's"), std::string::npos);
  }
}

TEST(DemoLong, ends_on_request_also_while_it_is_paused) {
  Settings settings{.seconds = 60, .clients = 2, .rate = 500, .is_virtual = true, .speed = 1, .dashboard = {.port = 0}};
  std::string url;
  settings.show_dashboard = [&](const std::string& shown) { url = shown; };
  std::unique_ptr<web::RawSocket> page;
  int still = 0;
  double seconds = -1;
  const auto stops = [&] {
    if (page == nullptr && seconds > 0) {
      const std::string port = url.substr(url.rfind(':', url.find('#')) + 1), token = url.substr(url.find('=') + 1);
      page = std::make_unique<web::RawSocket>(static_cast<std::uint16_t>(std::stoul(port)), "/live",
                                              std::string(web::k_frame_protocol));
      page->say_text("pace " + token + " pause");
    }
    return still > 20;
  };
  const auto result = run(settings, stops, [&](const Progress& now) {
    still = page != nullptr && now.seconds == seconds ? still + 1 : 0;
    seconds = now.seconds;
  });
  ASSERT_TRUE(result.has_value()) << result.error();
  EXPECT_GT(still, 20) << "it was paused";
  EXPECT_LT(result->flow_seconds, 30);
  expect_ok(*result);
}

TEST(DemoLong, says_on_its_pages_that_it_is_over) {
  for (const bool is_virtual : {true, false}) {
    Settings settings{
        .seconds = 0.3, .clients = 2, .rate = 500, .is_virtual = is_virtual, .speed = is_virtual ? 10.0 : 0.0};
    settings.dashboard.port = 0;
    std::string url;
    settings.show_dashboard = [&](const std::string& shown) { url = shown; };
    web::Screen screen;
    settings.hold_dashboard = [&] {
      const std::string port = url.substr(url.find(':', url.find("//")) + 1);
      web::RawSocket page(static_cast<std::uint16_t>(std::stoul(port)), "/live", std::string(web::k_frame_protocol));
      for (int frames = 0; frames < 30 && !screen.state().is_over; ++frames) {
        const auto frame = page.hear();
        if (!frame || !screen.apply(std::as_bytes(std::span(*frame)))) break;
      }
    };
    const auto result = run(settings);
    ASSERT_TRUE(result.has_value()) << result.error();
    EXPECT_TRUE(screen.state().is_over) << (is_virtual ? "in virtual time" : "by the clock");
    EXPECT_EQ(screen.state().speed, is_virtual ? 10.0 : 1.0);
  }
}

TEST(DemoLong, runs_a_whole_trading_day_with_the_same_trades_at_every_pace) {
  Settings settings{.seconds = 2, .clients = 3, .rate = 4000, .seed = 1, .is_virtual = true, .is_day = true};
  std::string line;
  const auto day = run(settings, {}, [&](const Progress& progress) {
    if (progress.day.find("indicative") != std::string::npos) line = text_of(progress, settings);
  });
  ASSERT_TRUE(day.has_value()) << day.error();
  expect_ok(*day);
  EXPECT_NE(line.find("call, indicative "), std::string::npos) << line;
  ASSERT_EQ(day->day.size(), 4u);
  for (const simulate::DayStatistics& of : day->day) {
    EXPECT_TRUE(of.is_whole) << of.symbol;
    EXPECT_GE(of.auctions, 3u) << "opening, intraday, closing";
    EXPECT_GT(of.opening.units, 0);
    EXPECT_GT(of.closing.units, 0);
    EXPECT_GT(of.indicative_prices, 10u);
  }
  EXPECT_TRUE(day->venue.resting.empty()) << "day orders end with the day";
  EXPECT_NE(text_of(*day).find("closing price cross"), std::string::npos);
  settings.speed = 10'000;
  const auto paced = run(settings);
  ASSERT_TRUE(paced.has_value());
  EXPECT_EQ(paced->venue.trade_digest, day->venue.trade_digest);
  settings.speed = 0;
  settings.seed = 2;
  EXPECT_NE(run(settings)->venue.trade_digest, day->venue.trade_digest);
  EXPECT_THROW((void)run({.is_day = true}), std::invalid_argument) << "only virtual time has such days";
}

TEST(DemoLong, runs_over_real_sockets_with_nothing_lost_and_every_stage_measured) {
  for (const Topology topology : {Topology::shared, Topology::two, Topology::three}) {
    const auto result = run({.seconds = 0.4, .clients = 2, .rate = 1000, .topology = topology});
    ASSERT_TRUE(result.has_value()) << result.error();
    expect_ok(*result);
    EXPECT_GT(result->clients.sent, 200u);
    const Measured& measured = result->measured;
    ASSERT_EQ(measured.parts.size(), simulate::k_parts.size());
    const std::uint64_t whole = measured.parts.back().nanoseconds.count();
    EXPECT_EQ(whole + measured.unmeasured, result->clients.answered);
    EXPECT_GT(whole, result->clients.answered * 9 / 10);
    std::uint64_t in_stretches = 0;
    for (const Stretch& stretch : measured.stretches) in_stretches += stretch.answered;
    EXPECT_EQ(in_stretches, whole);
    EXPECT_EQ(result->allocations.size(), threads(topology));
  }
}

/// Of that name, which the result has.
const simulate::Check& check_of(const DemoResult& result, std::string_view name) {
  const auto check = std::ranges::find(result.checks, name, &simulate::Check::name);
  if (check == result.checks.end()) throw std::runtime_error("there is no such check");
  return *check;
}

TEST(DemoLong, has_a_reader_of_the_market_data_who_ends_with_the_venues_books) {
  for (const bool is_day : {false, true}) {
    Settings settings{.seconds = 1, .clients = 3, .rate = 4000, .is_virtual = true, .is_day = is_day};
    const auto without = run(settings);
    settings.has_feed = true;
    const auto result = run(settings);
    ASSERT_TRUE(result.has_value() && without.has_value());
    expect_ok(*result);
    const std::string& detail = check_of(*result, "a reader of the market data has the venue's books").detail;
    EXPECT_NE(detail.find(" of them lost on one of two lines"), std::string::npos) << detail;
    EXPECT_EQ(detail.find(" 0 of them lost"), std::string::npos) << detail;
    EXPECT_EQ(result->venue.trade_digest, without->venue.trade_digest) << "nobody trades otherwise for it";
  }
}

TEST(DemoLong, counts_what_limits_refuse_equally_on_both_sides) {
  for (const bool is_day : {false, true}) {
    const auto result =
        run({.seconds = 1, .clients = 4, .rate = 8000, .is_virtual = true, .is_day = is_day, .has_limits = true});
    ASSERT_TRUE(result.has_value());
    expect_ok(*result);
    const std::string& detail =
        check_of(*result, "what limits refused is counted equally at the venue and by the clients").detail;
    for (const char* limit : {" quantity", " rate", " open orders", " duplicate"})
      EXPECT_NE(detail.find(limit), std::string::npos) << limit << " in " << detail;
    EXPECT_GT(result->clients.rejected, 100u);
    EXPECT_GT(result->venue.trades, 50u);
  }
}

/// The operator of a demo: what dojima admin does to the line that says where.
class DemoOperator {
 public:
  explicit DemoOperator(Settings& settings) {
    settings.admin_port = 0;
    settings.show_admin = [this](const std::string& line) {
      constexpr std::string_view k_where = "http://", k_token = "token in ";
      const std::size_t at = line.find(k_where) + k_where.size(), end = line.find(',', at);
      server_ = {.address = net::parse_address(line.substr(at, end - at)).value(),
                 .token_file = line.substr(line.find(k_token) + k_token.size())};
    };
  }
  [[nodiscard]] bool is_live() const { return page_of(server_, "/live").value().is_good; }
  [[nodiscard]] AdminAnswer say(const std::vector<std::string>& words) const {
    auto answer = command(server_, words);
    return answer ? *std::move(answer) : AdminAnswer::refusal(answer.error());
  }

 private:
  AdminServer server_;
};

TEST(DemoLong, goes_on_when_its_operator_uses_the_kill_switch_in_the_middle) {
  for (const bool is_virtual : {false, true}) {
    Settings settings{.seconds = 1.5, .clients = 3, .rate = 1000, .is_virtual = is_virtual};
    if (is_virtual) settings.speed = 1;
    settings.has_limits = true;
    const DemoOperator operator_of(settings);
    std::jthread killer;
    AdminAnswer answer;
    const auto result = run(settings, {}, [&](const Progress& now) {
      if (killer.joinable() || now.phase != Phase::flowing || now.seconds < 0.3) return;
      killer = std::jthread([&] {
        answer = operator_of.say({"kill", "DEMO1", "cancel", "--", "limit", "breach"});
        EXPECT_TRUE(operator_of.is_live());
      });
    });
    if (killer.joinable()) killer.join();
    ASSERT_TRUE(result.has_value()) << result.error();
    EXPECT_TRUE(answer.is_done) << answer.text;
    expect_ok(*result);
    const std::string& detail =
        check_of(*result, "what limits refused is counted equally at the venue and by the clients").detail;
    EXPECT_NE(detail.find(" kill switch"), std::string::npos) << detail;
  }
}

TEST(DemoLong, loses_nothing_where_partitions_have_threads) {
  for (const net::IdlePolicy idle : {net::IdlePolicy::yield, net::IdlePolicy::block}) {
    const auto result = run(
        {.seconds = 0.5, .clients = 3, .rate = 20'000, .topology = Topology::three, .idle = idle, .venue_threads = 2});
    ASSERT_TRUE(result.has_value()) << result.error();
    expect_ok(*result);
    EXPECT_EQ(result->partition_work.threads, 1u);
    // What a session's timer brings is submitted, and what the gateway refuses never comes.
    EXPECT_GT(result->partition_work.by_thread + result->partition_work.by_sessions, result->clients.answered / 2);
    ASSERT_EQ(result->threads.size(), 4u);
    EXPECT_EQ(result->threads.back().thread, "partitions");
    EXPECT_NE(text_of(*result).find("of the venue's commands "), std::string::npos);
  }
  EXPECT_THROW((void)run({.venue_threads = 6}), std::invalid_argument);
  EXPECT_THROW((void)run({.venue_threads = 2, .is_virtual = true}), std::invalid_argument);
}

TEST(DemoLong, begins_its_flow_when_the_thread_is_awake_and_not_where_it_went_to_sleep) {
  // The clients' thread has slept for nearly 50 ms by then.
  const auto result = run({.seconds = 0.08, .clients = 1, .rate = 2000, .idle = net::IdlePolicy::block});
  ASSERT_TRUE(result.has_value()) << result.error();
  const PartLatency& due_to_sent = result->measured.parts.front();
  ASSERT_EQ(due_to_sent.name, "client: due to sent");
  EXPECT_GT(due_to_sent.nanoseconds.count(), 80u);
  EXPECT_LT(due_to_sent.nanoseconds.value_at(0.75), 15'000'000u) << "a third of all were late by more";
}

TEST(DemoLong, ends_early_and_in_order_on_request) {
  bool is_asked = false;
  const auto result = run(
      {.seconds = 3600, .clients = 1, .rate = 500}, [&] { return is_asked; },
      [&](const Progress& progress) { is_asked = is_asked || progress.answered > 50; });
  ASSERT_TRUE(result.has_value()) << result.error();
  EXPECT_TRUE(result->is_interrupted);
  expect_ok(*result);
  EXPECT_LT(result->clients.sent, 100'000u);
}

TEST(Demo, refuses_settings_that_make_no_sense) {
  EXPECT_THROW((void)run({.seconds = 0}), std::invalid_argument);
  EXPECT_THROW((void)run({.clients = 0}), std::invalid_argument);
  EXPECT_THROW((void)run({.clients = 65}), std::invalid_argument);
  EXPECT_THROW((void)run({.rate = 0}), std::invalid_argument);
  EXPECT_THROW((void)run({.is_virtual = true, .handicap = time::Duration{1}}), std::invalid_argument);
  EXPECT_THROW((void)run({.handicap = time::Duration{-1}}), std::invalid_argument);
  EXPECT_THROW((void)run({.speed = 10}), std::invalid_argument) << "live time has the clock's speed";
  EXPECT_THROW((void)run({.is_virtual = true, .speed = 0.05}), std::invalid_argument);
  EXPECT_THROW((void)run({.is_virtual = true, .speed = 20'000}), std::invalid_argument);
  EXPECT_THROW((void)run({.has_feed = true}), std::invalid_argument) << "it is read in virtual time";
  EXPECT_THROW((void)run({.kills_venue = true, .program = "dojima", .admin_port = 0}), std::invalid_argument);
  EXPECT_THROW((void)run({.admin_port = 65'536}), std::invalid_argument);
  EXPECT_THROW((void)run({.seconds = 86'400, .rate = 10'000}), std::invalid_argument);
}

TEST(Demo, joins_stages_over_the_gateways_numbers) {
  measure::StageColumns columns(simulate::k_stages, 8);
  simulate::Ledger ledger(4, 1, 1);
  // The client's request 2 is the gateway's number 5; each part took one microsecond more than the one before.
  columns.bind(5, 2);
  std::uint64_t at = 1'000'000;
  for (std::uint8_t stage = 0; stage < simulate::k_stages; ++stage) {
    at += std::uint64_t{1000} * stage;
    const bool is_clients = stage < 2 || stage == 8;
    columns.mark_at(stage, is_clients ? 2 : 5, time::Ticks{at});
  }
  columns.bind(6, 3);  // another one, without its stages
  const Measured measured = join_stages(columns, ledger);
  const auto& parts = measured.parts;
  ASSERT_EQ(parts.size(), simulate::k_stages);
  for (std::size_t part = 0; part + 1 < simulate::k_stages; ++part)
    EXPECT_EQ(parts[part].nanoseconds.max(), 1000 * (part + 1));
  EXPECT_EQ(parts.back().nanoseconds.max(), 36'000u);
  EXPECT_EQ(parts.back().nanoseconds.count(), 1u);
  ASSERT_EQ(measured.stretches.size(), 1u);
  EXPECT_EQ(measured.stretches[0].max_ns, 36'000u);
  EXPECT_EQ(measured.stretches[0].p99_ns, 0u) << "one request has no 99th percentile";

  using measure::ServiceRecord;
  const std::vector<ServiceRecord> expected = {
      {.arrival_ns = 0, .start_ns = 1'000, .end_ns = 36'000, .kind = k_road_kind, .server = 0},
      {.arrival_ns = 1'000, .start_ns = 3'000, .end_ns = 6'000, .kind = k_gateway_kind, .server = k_request_server},
      {.arrival_ns = 6'000, .start_ns = 10'000, .end_ns = 15'000, .kind = k_venue_kind, .server = k_request_server},
      {.arrival_ns = 15'000, .start_ns = 21'000, .end_ns = 28'000, .kind = k_gateway_kind, .server = k_report_server}};
  EXPECT_EQ(join_services(columns), expected);
}

TEST(Demo, services_of_sockets_are_in_order_of_arrival_and_of_time_though_counters_differ) {
  measure::StageColumns columns(simulate::k_stages, 4);
  for (const std::uint64_t number : {0u, 1u}) {  // the second was due first
    columns.bind(number, number);
    for (std::uint8_t stage = 0; stage < simulate::k_stages; ++stage)
      columns.mark_at(stage, number, time::Ticks{5'000 - 1'000 * number + 100 * stage});
  }
  measure::StageColumns ahead(simulate::k_stages, 4);
  ahead.bind(0, 0);
  for (std::uint8_t stage = 0; stage < simulate::k_stages; ++stage)  // the gateway's processor is 50 ns behind
    ahead.mark_at(stage, 0, time::Ticks{stage == simulate::index_of(simulate::Stage::gateway_in) ? 1'050U : 1'100U});
  std::uint64_t last = 0;
  for (const auto& record : join_services(columns)) {
    EXPECT_GE(record.arrival_ns, last);
    last = record.arrival_ns;
  }
  EXPECT_EQ(last, 1'500u) << "the later one's report: since the first was due";
  for (const auto& record : join_services(ahead)) {
    EXPECT_LE(record.arrival_ns, record.start_ns);
    EXPECT_LE(record.start_ns, record.end_ns);
  }
  EXPECT_TRUE(join_services(measure::StageColumns(simulate::k_stages, 4)).empty());
}

TEST(Demo, cuts_the_flow_into_stretches_by_due_time) {
  constexpr std::uint64_t k_requests = 24'000;
  measure::StageColumns columns(simulate::k_stages, k_requests);
  const simulate::Ledger ledger(4, 1, 1);
  // One every 100 us; the second half takes twice as long.
  for (std::uint64_t number = 0; number < k_requests; ++number) {
    columns.bind(number, number);
    const std::uint64_t step = number < k_requests / 2 ? 1000 : 2000;
    for (std::uint8_t stage = 0; stage < simulate::k_stages; ++stage)
      columns.mark_at(stage, number, time::Ticks{1 + number * 100'000 + stage * step});
  }
  const Measured measured = join_stages(columns, ledger);
  ASSERT_EQ(measured.stretches.size(), 20u) << "each has enough requests for a 99th percentile";
  EXPECT_NEAR(measured.stretch_s, 0.12, 1e-4);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_NEAR(static_cast<double>(measured.stretches[i].answered), 1200, 1);
    EXPECT_DOUBLE_EQ(measured.stretches[i].begin_s, static_cast<double>(i) * measured.stretch_s);
    EXPECT_EQ(measured.stretches[i].max_ns, i < 10 ? 8000u : 16'000u);
    EXPECT_NE(measured.stretches[i].p99_ns, 0u);
  }
}

TEST(DemoLong, wastes_the_time_of_a_handicap_in_the_venue) {
  const Settings settings{.seconds = 0.3, .clients = 1, .rate = 500, .handicap = std::chrono::microseconds{200}};
  const auto result = run(settings);
  ASSERT_TRUE(result.has_value()) << result.error();
  expect_ok(*result);
  const auto venue = std::ranges::find(result->measured.parts, "venue", &PartLatency::name);
  ASSERT_NE(venue, result->measured.parts.end());
  EXPECT_GE(venue->nanoseconds.min(), 200'000u);
}

TEST(Demo, shows_people_and_scripts_the_same) {
  const auto result = run({.seconds = 0.1, .clients = 1, .rate = 1000, .is_virtual = true});
  ASSERT_TRUE(result.has_value());
  const std::string text = text_of(*result);
  EXPECT_NE(text.find("quantity conserved"), std::string::npos) << text;
  const std::string json = artefact_of(*result).text();
  EXPECT_NE(json.find("\"dojima.lab.run/1\""), std::string::npos) << json;
  EXPECT_NE(json.find("quantity conserved"), std::string::npos);
}

TEST(DemoClients, know_a_request_by_the_digits_of_its_id) {
  EXPECT_EQ(simulate::number_of("DEMO1-42"), 42u);
  EXPECT_EQ(simulate::number_of("A-B-7"), 7u);
  for (const char* id : {"", "42", "DEMO1-", "DEMO1-x", "DEMO1-4x", "DEMO1-99999999999"})
    EXPECT_EQ(simulate::number_of(id), simulate::k_no_number) << id;
}

TEST(DemoDirector, goes_on_when_counts_agree_and_gives_up_when_they_do_not) {
  Board board;
  Director director(board, 2);
  time::Time now = time::from_nanoseconds(0) + std::chrono::hours{1};
  const auto step = [&](time::Duration after) {
    now += after;
    director.step(now);
    return director.phase();
  };
  constexpr time::Duration k_short{1'000'000};
  EXPECT_EQ(step(k_short), Phase::meeting);
  board.gateway.is_up = true;
  EXPECT_EQ(step(k_short), Phase::logging_on);
  board.clients.logged_on = 2;
  EXPECT_EQ(step(k_short), Phase::flowing);
  board.clients.is_flow_over = true;
  EXPECT_EQ(step(k_short), Phase::draining);
  board.clients.sent = board.clients.answered = 5;
  board.clients.received = 7;
  board.gateway.to_clients = board.gateway.from_venue = board.venue.sent = 8;
  step(k_short);
  EXPECT_EQ(step(Director::k_settled), Phase::draining) << "one message is still on its way";
  board.clients.received = 8;
  step(k_short);
  EXPECT_EQ(step(k_short), Phase::draining) << "not settled yet";
  EXPECT_EQ(step(Director::k_settled), Phase::capturing);
  board.venue.is_captured = true;
  EXPECT_EQ(step(k_short), Phase::logging_off);
  board.gateway.is_idle = true;
  EXPECT_EQ(step(k_short), Phase::over);
  EXPECT_EQ(director.failure(), "");
}

TEST(DemoDirector, says_when_it_goes_on_by_itself) {
  Board board;
  Director director(board, 1);
  const time::Time begin = time::from_nanoseconds(0) + std::chrono::hours{1};
  EXPECT_EQ(director.next_time(), time::k_never) << "it has not begun";
  director.step(begin);
  EXPECT_EQ(director.next_time(), begin + Director::k_start_patience);
  board.gateway.is_up = true;
  board.clients.logged_on = 1;
  director.step(begin);
  director.step(begin);
  EXPECT_EQ(director.next_time(), time::k_never) << "the flow ends when it ends";
  board.clients.is_flow_over = true;
  director.step(begin);
  EXPECT_EQ(director.next_time(), begin + Director::k_settled) << "nothing was sent, so nothing is on its way";
  board.clients.sent = 1;
  director.step(begin + time::Duration{1});
  EXPECT_EQ(director.next_time(), begin + time::Duration{1} + Director::k_drain_patience);
}

TEST(DemoDirector, does_not_wait_for_ever) {
  Board board;
  Director director(board, 1);
  time::Time now = time::from_nanoseconds(0) + std::chrono::hours{1};
  director.step(now);
  now += Director::k_start_patience;
  director.step(now);
  EXPECT_EQ(director.phase(), Phase::logging_off);
  EXPECT_NE(director.failure().find("could not log on to the venue"), std::string::npos);
  now += Director::k_drain_patience;
  director.step(now);
  EXPECT_EQ(director.phase(), Phase::over);
}

}  // namespace
}  // namespace dojima::app::demo
