#include "dojima/app/config.hpp"

#include <functional>
#include <gtest/gtest.h>

#include "dojima/app/nearest.hpp"

namespace dojima::app {
namespace {

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), with);
}

void expect_problem(const std::string& toml, std::string_view problem, std::vector<Override> overrides = {}) {
  const auto venue = parse_venue(toml, "venue.toml", overrides);
  ASSERT_FALSE(venue.has_value()) << problem;
  EXPECT_NE(venue.error().find(problem), std::string::npos) << venue.error();
}

std::string venue_text() {
  return text_of(default_venue());
}

TEST(Config, prints_defaults_that_read_back_to_the_same_values) {
  const auto venue = parse_venue(venue_text(), "venue.toml");
  ASSERT_TRUE(venue.has_value()) << venue.error();
  EXPECT_EQ(*venue, default_venue());
  const auto gateway = parse_gateway(text_of(default_gateway()), "gateway.toml");
  ASSERT_TRUE(gateway.has_value()) << gateway.error();
  EXPECT_EQ(*gateway, default_gateway());
}

TEST(Config, prints_values_that_are_not_defaults_too) {
  VenueConfig venue = default_venue();
  venue.listen = {"0.0.0.0", 7, true};
  venue.idle = net::IdlePolicy::block;
  venue.feed_file = "day.mitch";
  venue.keep_journal = true;
  venue.users[1].password = "quo\"te\\";
  venue.users[1].cancel_on_logout = false;
  venue.instruments[0].ticks = {{{1'000'000}, {1'000'000}}, {{10'000'000'000}, {5'000'000}}};
  const auto read = parse_venue(text_of(venue), "venue.toml");
  ASSERT_TRUE(read.has_value()) << read.error();
  EXPECT_EQ(*read, venue);
}

TEST(Config, says_the_meaning_of_every_key_beside_it) {
  const std::string text = venue_text();
  EXPECT_NE(text.find("port = 9001  # 0: any free port"), std::string::npos) << text;
  EXPECT_NE(text.find("idle = \"ring\"  # spin | yield | block | ring; "), std::string::npos);
}

TEST(Config, wants_new_passwords_where_passwords_have_to_be_changed) {
  VenueConfig venue = default_venue();
  EXPECT_TRUE(venue.full_reports);
  EXPECT_EQ(venue.trades, 1u << 16U);
  venue.users[0].first_password = true;
  const auto refused = parse_venue(text_of(venue), "venue.toml");
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().find("logon.new_passwords = true"), std::string::npos) << refused.error();
  venue.logon.takes_new_passwords = true;
  venue.logon.delay = std::chrono::milliseconds{250};
  const auto read = parse_venue(text_of(venue), "venue.toml");
  ASSERT_TRUE(read.has_value()) << read.error();
  EXPECT_EQ(*read, venue);
}

TEST(Config, keeps_defaults_for_what_is_not_said) {
  const auto venue = parse_venue(R"([[instrument]]
id = 1
symbol = "RICE"
ticks = [{from = 1, tick = 1}]
highest = 1000
reference = "100"
maximum_quantity = 10
[[user]]
name = "A"
password = "B"
)",
                                 "small.toml");
  ASSERT_TRUE(venue.has_value()) << venue.error();
  EXPECT_EQ(venue->listen.port, VenueConfig{}.listen.port);
  EXPECT_EQ(venue->users[0].open_orders, simulate::VenueUserConfig{}.open_orders);
  EXPECT_EQ(venue->instruments[0].ticks[0].tick.units, market::k_price_scale);
  const market::Instrument instrument = make_instrument(venue->instruments[0]);
  EXPECT_EQ(instrument.ticks.level_count(), 1000);
}

TEST(Config, is_overridden_key_by_key) {
  const std::vector<Override> changes = {
      *parse_override("listen.port=0"),        *parse_override("listen.host=::1"),
      *parse_override("user.1.password=1730"), *parse_override("loop.idle=spin"),
      *parse_override("journal.keep=true"),    *parse_override("user.0.name=\"with=equals\""),
      *parse_override("feed.file=day.mitch")};
  const auto venue = parse_venue(venue_text(), "venue.toml", changes);
  ASSERT_TRUE(venue.has_value()) << venue.error();
  EXPECT_EQ(venue->listen.port, 0);
  EXPECT_EQ(venue->listen.host, "::1");
  EXPECT_EQ(venue->users[1].password, "1730");
  EXPECT_EQ(venue->users[0].name, "with=equals");
  EXPECT_EQ(venue->idle, net::IdlePolicy::spin);
  EXPECT_EQ(venue->feed_file, "day.mitch");
  EXPECT_TRUE(venue->keep_journal);
  EXPECT_FALSE(parse_override("nothing").has_value());
  EXPECT_FALSE(parse_override("=x").has_value());
}

TEST(Config, overrides_also_what_the_file_does_not_mention) {
  const std::string text = replaced(venue_text(), "[journal]", "[network]#");
  EXPECT_FALSE(parse_venue(text, "venue.toml").has_value()) << "a section twice";
  const auto venue = parse_venue(venue_text(), "venue.toml", std::vector{Override{"session.throttle", "77"}});
  ASSERT_TRUE(venue.has_value()) << venue.error();
  EXPECT_EQ(venue->throttle, 77u);
}

TEST(Config, names_the_nearest_known_key_and_the_place) {
  expect_problem(replaced(venue_text(), "port = 9001", "prot = 9001"),
                 "venue.toml:7:8: listen.prot: no such key; did you mean \"port\"?");
  expect_problem(replaced(venue_text(), "[limits]", "[limts]"), "did you mean \"limits\"?");
  expect_problem(replaced(venue_text(), "open_orders", "openorders"), "did you mean \"open_orders\"?");
  expect_problem(replaced(venue_text(), "tick = ", "step = "), "instrument.0.ticks.0.step: no such key");
  expect_problem(venue_text(), "--set listen.hots: no such key; did you mean \"host\"?", {{"listen.hots", "x"}});
  expect_problem(venue_text(), "--set user.9.name: there is no row 9; there are 2, counted from 0",
                 {{"user.9.name", "x"}});
  expect_problem("kind = \"venue\"\nzzzzzzzzzzzzzzzzzzzz = 1\n", "venue.toml:2:24: zzzzzzzzzzzzzzzzzzzz: no such key");
}

TEST(Config, knows_the_keys_of_rows_that_are_not_there) {
  const auto venue = parse_venue("user = []\n", "venue.toml");
  ASSERT_FALSE(venue.has_value());
  EXPECT_EQ(venue.error().find("no such key"), std::string::npos) << venue.error();
}

TEST(Config, checks_types_and_ranges) {
  expect_problem(replaced(venue_text(), "port = 9001", "port = 70000"), "70000 is out of range: 0 to 65535");
  expect_problem(replaced(venue_text(), "port = 9001", "port = \"x\""), "expected an integer, found text");
  expect_problem(replaced(venue_text(), "keep = false", "keep = 0"), "expected true or false, found an integer");
  expect_problem(replaced(venue_text(), "\"ring\"", "\"sleep\""), "\"sleep\" is not one of: spin, yield, block, ring");
  expect_problem(replaced(venue_text(), "name = \"KONOIKE\"", "name = 5"), "expected text in quotes");
  expect_problem(replaced(venue_text(), "name = \"KONOIKE\"", "name = \"a\\nb\""), "only printable ASCII");
  expect_problem(replaced(venue_text(), "name = \"KONOIKE\"", "name = \"12345678901234567890123456\""),
                 "longer than 25");
  expect_problem(replaced(venue_text(), "highest = \"2000\"", "highest = 20.5"), "a price in quotes");
  expect_problem(replaced(venue_text(), "highest = \"2000\"", "highest = \"many\""), "is not a price");
  expect_problem(replaced(venue_text(), "[journal]", "journal = 1\n[other]"), "");
}

TEST(Config, checks_what_must_fit_together) {
  expect_problem(replaced(venue_text(), "reference = \"100\"", "reference = \"100.005\""),
                 "not a price of the tick table");
  expect_problem(replaced(venue_text(), "tick = \"0.01\"", "tick = \"0\""), "no tick table");
  expect_problem(replaced(venue_text(), "id = 1002", "id = 1001"), "an earlier row of the list has the same id");
  expect_problem(replaced(venue_text(), "\"YODOYA\"", "\"KONOIKE\""), "an earlier row of the list has the same name");
  expect_problem(replaced(venue_text(), "maximum_lag = 65536", "maximum_lag = 200000"), "at most half");
  expect_problem("kind = \"venue\"\n", "a venue needs a [[user]]");
  const auto gateway = parse_gateway("kind = \"gateway\"\n", "gateway.toml");
  ASSERT_FALSE(gateway.has_value());
  EXPECT_NE(gateway.error().find("a gateway needs a [[client]]"), std::string::npos);
}

GatewayConfig gateway_with_templates() {
  GatewayConfig config = default_gateway();
  config.gateway.fix.session.reset_on_logon = true;
  config.gateway.fix.session.give_up_percent = 300;
  config.fix.schedule_start = "07:00";
  config.fix.schedule_end = "17:30";
  config.fix.time_zone = "Europe/London";
  config.gateway.templates.push_back({.name = "agreed", .session = config.gateway.fix.session});
  config.templates.push_back(config.fix);
  config.gateway.templates[0].session.checks.user_tags = true;
  config.gateway.templates[0].session.profile = fix::Profile::canonical;
  config.templates[0].schedule_days = "Monday Tuesday";
  config.gateway.clients[1].session_template = "agreed";
  config.gateway.clients[1].allowed_hosts = {"10.1.0.0/16", "127.0.0.1"};
  config.gateway.clients[1].sub_id = "DESK";
  config.tls = {.certificate_file = "venue.pem", .key_file = "venue.key", .min_version = net::TlsVersion::tls_1_3};
  return config;
}

TEST(Config, prints_the_sessions_of_a_gateway_and_reads_them_back) {
  const GatewayConfig wanted = gateway_with_templates();
  const auto read = parse_gateway(text_of(wanted), "gateway.toml");
  ASSERT_TRUE(read.has_value()) << read.error();
  EXPECT_EQ(*read, wanted);
}

TEST(Config, a_template_begins_with_the_values_of_fix) {
  const std::string text = R"(kind = "gateway"
[fix]
max_body = 9000
schedule_start = "08:00"
schedule_end = "17:00"
check_values = false
[[template]]
name = "a"
user_tags = true
[[symbol]]
symbol = "RICE"
instrument = 1
[[client]]
comp_id = "C"
venue_user = "U"
venue_password = "P"
template = "a"
)";
  const auto read = parse_gateway(text, "gateway.toml");
  ASSERT_TRUE(read.has_value()) << read.error();
  const fix::SessionConfig& session = read->gateway.templates.at(0).session;
  EXPECT_EQ(session.max_body, 9000u);
  EXPECT_FALSE(session.checks.values);
  EXPECT_TRUE(session.checks.user_tags);
  EXPECT_FALSE(read->gateway.fix.session.checks.user_tags);
  EXPECT_EQ(read->templates.at(0).schedule_start, "08:00");
}

TEST(Config, clients_may_share_a_venue_user_with_one_password) {
  GatewayConfig config = default_gateway();
  config.gateway.clients.at(1).venue_user = config.gateway.clients.at(0).venue_user;
  config.gateway.clients.at(1).venue_password = config.gateway.clients.at(0).venue_password;
  EXPECT_TRUE(parse_gateway(text_of(config), "gateway.toml").has_value());
  config.gateway.clients.at(1).venue_password = "another";
  const auto read = parse_gateway(text_of(config), "gateway.toml");
  ASSERT_FALSE(read.has_value());
  EXPECT_NE(read.error().find("share venue user"), std::string::npos) << read.error();
}

GatewayConfig gateway_with_venues() {
  GatewayConfig config = default_gateway();
  config.gateway.venue_name = "OSAKA";
  config.gateway.other_venues = {{.name = "EDO",
                                  .address = {{"127.0.0.1", 9101}, link::Address{"127.0.0.1", 9102}},
                                  .secondary = gateway::VenueAddress{{"127.0.0.1", 9103}, {}}}};
  config.gateway.symbols.at(0).venue = "EDO";
  const std::string client = config.gateway.clients.at(0).comp_id;
  config.gateway.users = {{.client = client, .venue = "EDO", .logon = {.name = "KOBE", .password = "secret"}},
                          {.client = client, .sub_id = "ANN", .logon = {.name = "ANN", .password = "secret"}}};
  config.gateway.clients.at(0).chain = 7;
  return config;
}

TEST(Config, reads_and_prints_venues_and_users_of_clients) {
  const GatewayConfig config = gateway_with_venues();
  const auto read = parse_gateway(text_of(config), "gateway.toml");
  ASSERT_TRUE(read.has_value()) << read.error();
  EXPECT_EQ(*read, config);
}

TEST(Config, says_what_is_wrong_with_venues_and_users_of_clients) {
  const std::string text = text_of(gateway_with_venues());
  const auto expect = [&text](std::string_view problem, std::vector<Override> overrides) {
    const auto read = parse_gateway(text, "gateway.toml", overrides);
    ASSERT_FALSE(read.has_value()) << problem;
    EXPECT_NE(read.error().find(problem), std::string::npos) << read.error();
  };
  expect("there is no venue KYOTO", {{"symbol.0.venue", "KYOTO"}});
  expect("there is no venue KYOTO", {{"user.0.venue", "KYOTO"}});
  expect("there is no [[client]] NOBODY", {{"user.0.client", "NOBODY"}});
  expect("another venue has the same name", {{"other_venue.0.name", "OSAKA"}});
  expect("a further venue needs a name", {{"other_venue.0.name", ""}});
  expect("is not a numeric address", {{"other_venue.0.host", "edo.example"}});
  expect("has a user at this venue already", {{"user.1.venue", "EDO"}, {"user.1.sub_id", ""}});
  expect("not for both", {{"user.1.account", "A"}});
  expect("a user of a venue needs a password", {{"user.0.password", ""}});
  expect("a client needs a user of a venue", {{"client.1.venue_user", ""}});
}

TEST(Config, says_what_is_wrong_with_the_sessions_of_a_gateway) {
  const std::string text = text_of(gateway_with_templates());
  const auto expect = [&text](std::string_view problem, std::vector<Override> overrides) {
    const auto read = parse_gateway(text, "gateway.toml", overrides);
    ASSERT_FALSE(read.has_value()) << problem;
    EXPECT_NE(read.error().find(problem), std::string::npos) << read.error();
  };
  expect("\"8 o'clock\" is not a time of day", {{"fix.schedule_start", "8 o'clock"}});
  expect("\"Moonday\" is not a day such as Monday", {{"template.0.schedule_days", "Moonday"}});
  expect("needs schedule_start and schedule_end",
         {{"fix.schedule_start", ""}, {"fix.schedule_end", ""}, {"fix.logon_start", "08:00"}});
  expect("knows no time zone \"Mars/Olympus\"", {{"fix.time_zone", "Mars/Olympus"}});
  expect("a session of weeks has",
         {{"template.0.schedule_start_day", "Monday"}, {"template.0.schedule_end_day", "Friday"}});
  expect("logon", {{"fix.logon_start", "06:00"}, {"fix.logon_end", "08:00"}});
  expect("must be more than test_request_percent", {{"fix.give_up_percent", "110"}});
  expect("timestamp_decimals: 0, 3, 6 or 9", {{"template.0.timestamp_decimals", "4"}});
  expect("is not one of: compact, canonical", {{"fix.profile", "pretty"}});
  expect("511 is out of range: 512 to 60000", {{"fix.max_body", "511"}});
  expect("input_bytes must be at least the largest max_body", {{"network.input_bytes", "4096"}});
  expect("there is no [[template]] of this name", {{"client.0.template", "agred"}});
  expect("\"10.1.0.0/33\" is no host", {{"client.0.allowed_hosts", "127.0.0.1 10.1.0.0/33"}});
  expect("without a certificate there is no TLS", {{"tls.certificate", ""}});
  expect("needs the authorities of clients' certificates", {{"tls.demand_client_certificate", "true"}});
  expect("did you mean \"check_values\"?", {{"fix.check_value", "true"}});
  expect("did you mean \"user_tags\"?", {{"template.0.user_tag", "true"}});
}

/// What a start would end with, said by the check already, and of whom.
TEST(Config, says_which_client_has_a_short_code_without_its_qualifier) {
  const auto problem = [](const std::function<void(gateway::OrderDefaults&)>& change) {
    GatewayConfig config = default_gateway();
    config.gateway.clients.back().comp_id = "FIRM9";
    change(config.gateway.clients.back().defaults);
    const auto read = parse_gateway(text_of(config), "gateway.toml");
    return read ? std::string() : read.error();
  };
  const std::string row = "client." + std::to_string(default_gateway().gateway.clients.size() - 1) + ".";
  using Defaults = gateway::OrderDefaults;
  const auto says = [&](const std::string& text, const std::string& key, const std::string& what) {
    EXPECT_NE(text.find(row + key + ": client FIRM9: " + what), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  };
  says(problem([](Defaults& of) { of.client = 77; }), "client_id",
       "short code 77 needs its qualifier: add 1, 2 or 3 to role_qualifiers");
  says(problem([](Defaults& of) { of.decision_maker = 4, of.role_qualifiers = 0x33; }), "decision_maker",
       "short code 4 needs its qualifier: add 4, 8 or 12 to role_qualifiers");
  says(problem([](Defaults& of) { of.executing_trader = 5, of.role_qualifiers = 0x0f; }), "executing_trader",
       "short code 5 needs its qualifier: add 16, 32 or 48 to role_qualifiers");
  says(problem([](Defaults& of) { of.client = 3; }), "client_id", "3 is neither");
  says(problem([](Defaults& of) { of.decision_maker = 1; }), "decision_maker", "1 is neither");
  EXPECT_EQ(problem([](Defaults& of) {
              of.client = of.decision_maker = of.executing_trader = 4;
              of.role_qualifiers = 0x25;
            }),
            "");
  EXPECT_EQ(problem([](Defaults& of) { of.client = 2; }), "");
}

TEST(Config, says_that_a_secondary_gateway_has_a_recovery_port_alone) {
  const std::string text = text_of(default_gateway());
  const std::vector<Override> alone{{"secondary.recovery_port", "9102"}};
  const auto refused = parse_gateway(text, "gateway.toml", alone);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().find("a secondary gateway with a recovery channel needs its port"), std::string::npos)
      << refused.error();
  const std::vector<Override> both{{"secondary.recovery_port", "9102"}, {"secondary.port", "9101"}};
  EXPECT_TRUE(parse_gateway(text, "gateway.toml", both));
  const std::string row = "\n[[other_venue]]\nname = \"B\"\nport = 9301\nsecondary_recovery_port = 9302\n";
  const auto other = parse_gateway(text + row, "gateway.toml");
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().find("needs its secondary_port"), std::string::npos) << other.error();
  EXPECT_TRUE(parse_gateway(text + row + "secondary_port = 9303\n", "gateway.toml"));
}

TEST(Config, says_the_rules_of_the_books) {
  const std::vector<Override> changes = {{"rules.policy", "pro_rata"},
                                         {"rules.self_trade", "cancel_oldest"},
                                         {"rules.self_trade_by", "account"},
                                         {"rules.most_peaks", "50"},
                                         {"rules.seed", "7"},
                                         {"user.1.account", "RICE"},
                                         {"instrument.0.segment", "OSA"}};
  VenueConfig wanted = default_venue();
  wanted.users.push_back({.name = "KAJIMAYA", .password = "rice-1730", .account = "RICE"});
  const auto venue = parse_venue(text_of(wanted), "venue.toml", changes);
  ASSERT_TRUE(venue.has_value()) << venue.error();
  const book::BookRules rules = rules_of(*venue);
  EXPECT_EQ(rules.policy, book::Policy::pro_rata);
  EXPECT_EQ(rules.self_trade, book::SelfTrade::cancel_oldest);
  EXPECT_EQ(rules.scope, book::SelfTradeScope::account);
  EXPECT_EQ(rules.most_peaks, 50);
  EXPECT_EQ(rules.seed, 7u);
  EXPECT_EQ(rules.accounts, (std::vector<std::uint16_t>{0, 1, 1}));
  EXPECT_EQ(make_instrument(venue->instruments[0]).segment, "OSA");
  const auto again = parse_venue(text_of(*venue), "venue.toml");
  ASSERT_TRUE(again.has_value()) << again.error();
  EXPECT_EQ(*again, *venue);
}

TEST(Config, refuses_rules_that_make_no_sense) {
  expect_problem(venue_text(), "\"lifo\" is not one of: fifo, pro_rata, top_pro_rata, size_time",
                 {{"rules.policy", "lifo"}});
  expect_problem(venue_text(), "is not one of: allowed, cancel_newest, cancel_oldest, cancel_both, decrement",
                 {{"rules.self_trade", "none"}});
  expect_problem(venue_text(), "is not one of: owner, account, group", {{"rules.self_trade_by", "firm"}});
  expect_problem(venue_text(), "0 is out of range: 1 to 1000000", {{"rules.most_peaks", "0"}});
  expect_problem(venue_text(), "no [[user]] has an account",
                 {{"rules.self_trade", "decrement"}, {"rules.self_trade_by", "account"}});
  expect_problem(replaced(venue_text(), "policy = ", "polity = "), "did you mean \"policy\"?");
  expect_problem(venue_text(), "longer than 4 characters", {{"instrument.0.segment", "OSAKA"}});
}

VenueConfig venue_with_a_day() {
  VenueConfig venue = default_venue();
  venue.segments.push_back(example_segment());
  venue.instruments[0].segment = venue.instruments[1].segment = example_segment().name;
  return venue;
}

TEST(Config, reads_the_timetable_and_the_bands_of_a_segment) {
  VenueConfig wanted = venue_with_a_day();
  wanted.day_seed = 99;
  wanted.utc_offset_minutes = -300;
  wanted.segments[0].halts_together = true;
  wanted.segments[0].timetable.closing += std::chrono::milliseconds{250};
  const std::string text = text_of(wanted);
  EXPECT_NE(text.find("opening_call = \"07:50:00\""), std::string::npos) << text;
  EXPECT_NE(text.find("closing = \"16:35:00.250\""), std::string::npos) << text;
  const auto venue = parse_venue(text, "venue.toml");
  ASSERT_TRUE(venue.has_value()) << venue.error();
  EXPECT_EQ(*venue, wanted);
  const auto late = parse_venue(text, "venue.toml", std::vector<Override>{{"segment.0.opening", "08:30:00"}});
  ASSERT_TRUE(late.has_value()) << late.error();
  EXPECT_EQ(late->segments[0].timetable.opening, std::chrono::hours{8} + std::chrono::minutes{30});
}

TEST(Config, says_what_is_wrong_with_a_timetable) {
  const std::string text = text_of(venue_with_a_day());
  expect_problem(text, "\"8 o'clock\" is not a time of day such as \"08:00:00\"", {{"segment.0.opening", "8 o'clock"}});
  expect_problem(text, "times rise: start_of_day, opening_call", {{"segment.0.opening", "07:00:00"}});
  expect_problem(text, "10001 is out of range: 0 to 10000", {{"segment.0.static_bp", "10001"}});
  expect_problem(text, "segment.0.name: no [[instrument]] is of this segment",
                 {{"instrument.0.segment", ""}, {"instrument.1.segment", ""}});
  expect_problem(text, "there is no [[segment]] of this name", {{"instrument.2.segment", "SALT"}});
  expect_problem(replaced(text, "closing_call", "closingcall"), "did you mean \"closing_call\"?");
}

TEST(Config, times_for_its_screens_one_request_of_a_power_of_two) {
  const std::vector<Override> every = {*parse_override("dashboard.timed_one_in=1")};
  const auto venue = parse_venue(venue_text(), "venue.toml", every);
  ASSERT_TRUE(venue.has_value()) << venue.error();
  EXPECT_EQ(venue->dashboard.timed_one_in, 1u);
  for (const char* change :
       {"dashboard.timed_one_in=0", "dashboard.timed_one_in=100", "dashboard.timed_one_in=131072"}) {
    const std::vector<Override> wrong = {*parse_override(change)};
    const auto refused = parse_venue(venue_text(), "venue.toml", wrong);
    ASSERT_FALSE(refused.has_value()) << change;
    EXPECT_NE(refused.error().find("dashboard.timed_one_in"), std::string::npos) << refused.error();
  }
}

TEST(Config, knows_times_of_day) {
  using namespace std::chrono_literals;
  EXPECT_EQ(parse_time_of_day("00:00:00"), 0ns);
  EXPECT_EQ(parse_time_of_day("23:59:59.9"), 24h - 100ms);
  EXPECT_EQ(parse_time_of_day("07:05:09.012"), 7h + 5min + 9s + 12ms);
  EXPECT_EQ(parse_time_of_day("24:00:00"), 24h);
  for (const char* wrong : {"", "8:00:00", "08:00", "08:60:00", "08:00:60", "24:00:01", "25:00:00", "08:00:00.",
                            "08:00:00.1234", "08-00-00", "08:00:00,5", "aa:bb:cc", "-1:00:00"})
    EXPECT_FALSE(parse_time_of_day(wrong).has_value()) << wrong;
  for (const auto time : {time::Duration{0}, time::Duration{7h + 5min + 9s}, time::Duration{16h + 35min + 250ms}})
    EXPECT_EQ(parse_time_of_day(time_of_day_text(time)), time);
}

TEST(Config, listens_elsewhere_than_here_only_when_asked_to) {
  expect_problem(venue_text(), "other machines can reach 0.0.0.0; say listen.allow_remote = true",
                 {{"listen.host", "0.0.0.0"}});
  expect_problem(venue_text(), "is not a numeric address or localhost", {{"listen.host", "venue.example"}});
  EXPECT_TRUE(
      parse_venue(venue_text(), "v", std::vector<Override>{{"listen.host", "0.0.0.0"}, {"listen.allow_remote", "true"}})
          .has_value());
}

TEST(Config, limits_the_wakes_of_loops_that_sleep_only) {
  const auto venue =
      parse_venue(venue_text(), "v", std::vector<Override>{{"loop.idle", "ring"}, {"loop.max_wakes", "5000"}});
  ASSERT_TRUE(venue.has_value()) << venue.error();
  EXPECT_EQ(venue->loop.max_wakes, 5000);
  expect_problem(venue_text(), "a loop that is never asleep is not woken",
                 {{"loop.idle", "yield"}, {"loop.max_wakes", "5000"}});
  expect_problem(venue_text(), "is not 100 to 1000000 a second", {{"loop.max_wakes", "1"}});
}

TEST(Config, reports_where_toml_itself_is_broken) {
  expect_problem("kind = \"venue\"\n[listen\n", "venue.toml:2:8: ");
}

TEST(Config, reports_every_problem_at_once) {
  const auto venue = parse_venue(venue_text(), "v", std::vector<Override>{{"listen.port", "-1"}, {"loop.idle", "no"}});
  ASSERT_FALSE(venue.has_value());
  EXPECT_EQ(std::count(venue.error().begin(), venue.error().end(), '\n'), 1) << venue.error();
}

TEST(Config, knows_a_venue_from_a_gateway) {
  EXPECT_EQ(kind_of(venue_text(), "f").value(), ConfigKind::venue);
  EXPECT_EQ(kind_of(text_of(default_gateway()), "f").value(), ConfigKind::gateway);
  EXPECT_EQ(kind_of("[[user]]\n", "f").value(), ConfigKind::venue);
  EXPECT_EQ(kind_of("[[client]]\n", "f").value(), ConfigKind::gateway);
  EXPECT_FALSE(kind_of("", "f").has_value());
  expect_problem(replaced(venue_text(), "kind = \"venue\"", "kind = \"gateway\""), "wanted is one for a venue");
}

TEST(Config, says_that_a_file_cannot_be_read) {
  const auto venue = load_venue("/no/such/file.toml");
  ASSERT_FALSE(venue.has_value());
  EXPECT_NE(venue.error().find("/no/such/file.toml: cannot be read"), std::string::npos);
  EXPECT_NE(read_text_file("/").error().find("/: cannot be read"), std::string::npos);
}

TEST(ConfigLong, refuses_a_file_that_has_no_end) {
  const auto text = read_text_file("/dev/zero");
  ASSERT_FALSE(text.has_value());
  EXPECT_NE(text.error().find("/dev/zero: more than 512 MiB"), std::string::npos) << text.error();
}

TEST(Nearest, finds_the_word_that_was_meant_or_none) {
  const std::vector<std::string> words = {"host", "port", "allow_remote"};
  EXPECT_EQ(nearest("hots", words), "host");
  EXPECT_EQ(nearest("allow-remote", words), "allow_remote");
  EXPECT_EQ(nearest("xyzzy", words), std::nullopt);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", "abc"), 0u);
  EXPECT_EQ(edit_distance("abcd", "acbd"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

}  // namespace
}  // namespace dojima::app
