// The numbered rules of section 8 of the MIT203 reference for the real-time session, each at the venue with a member's
// or a raw connection. Rule 6, how a member connects, is the gateway's (gateway_venue_test.cpp); the recovery
// session's are in recovery_front_test.cpp.

#include <gtest/gtest.h>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "dojima/venue/front/front_test_support.hpp"
#include "dojima/venue/operator_log.hpp"

namespace dojima::venue::testing {
namespace {

class RealTimeRule : public mit::InEachDialect {};
INSTANTIATE_TEST_SUITE_P(, RealTimeRule, mit::k_each_dialect, mit::dialect_name);

FrontConfig with_rules(const LogonRules& rules) {
  FrontConfig config = make_front_config();
  config.logon = rules;
  return config;
}

/// A venue whose members stay until its end.
struct MemberVenue : Venue {
  using Venue::Venue;
  Member& log_on(std::string_view user, std::string_view password = "Secret#2026", std::string_view new_password = {}) {
    members.push_back(std::make_unique<Member>(scheduler, user, password, new_password));
    network.connect(address, members.back()->session);
    run(1ms);
    return *members.back();
  }
  std::vector<std::unique_ptr<Member>> members;
};

using Octets = std::vector<std::byte>;

Octets logon_bytes(std::string_view password = "Secret#2026") {
  Octets room(mit::dialect_under_test().longest);
  room.resize(
      *mit::dialect_under_test().encode_logon({Text<25>::cut("ANNA"), Text<25>::cut(password), {}}, Room(room)));
  return room;
}

TEST_P(RealTimeRule, n_1_a_connection_without_logon_within_two_heartbeat_intervals_is_dropped) {
  MemberVenue venue;
  RawPeer late;
  venue.network.connect(venue.address, late);
  venue.run(5999ms);
  EXPECT_FALSE(late.is_closed);
  venue.run(2ms);
  EXPECT_TRUE(late.is_closed);
  EXPECT_EQ(late.received, "");
}

TEST_P(RealTimeRule, n_2_the_answer_to_a_logon_says_whether_it_and_its_new_password_are_taken) {
  MemberVenue venue(with_rules({.takes_new_passwords = true, .password_days = 90, .failures = 2}));
  EXPECT_TRUE(venue.log_on("ANNA", "Secret#2026").is_on);
  EXPECT_TRUE(venue.log_on("BERT", "Secret#2026", "Other#2026").is_on);
  EXPECT_EQ(venue.log_on("CARL", "Secret#2026", "nothing").refusal, mit::code::k_password_too_short);
  EXPECT_EQ(venue.log_on("CARL", "Secret#2026", "no-digit-in").refusal, mit::code::k_new_password_refused);
  EXPECT_EQ(venue.log_on("CARL", "wrong").refusal, mit::code::k_invalid_credentials);
  EXPECT_EQ(venue.log_on("CARL", "wrong").refusal, mit::code::k_invalid_credentials);
  EXPECT_EQ(venue.log_on("CARL", "Secret#2026").refusal, mit::code::k_user_locked);
  EXPECT_TRUE(venue.front.accounts().is_locked(2));
  ASSERT_TRUE(venue.front.accounts().set_locked(2, false, venue.scheduler.now()));
  EXPECT_TRUE(venue.log_on("CARL", "Secret#2026").is_on);
  EXPECT_EQ(venue.front.counters().passwords_changed, 1u);
}

TEST_P(RealTimeRule, n_2_an_expired_password_is_refused_without_a_new_one) {
  MemberVenue venue(with_rules({.takes_new_passwords = true, .password_days = 90}));
  venue.run(90 * 24h);
  EXPECT_EQ(venue.log_on("CARL").refusal, mit::code::k_password_expired);
  EXPECT_TRUE(venue.log_on("CARL", "Secret#2026", "Other#2026").is_on);
}

TEST_P(RealTimeRule, n_2_a_member_hears_how_long_its_password_is_good_for) {
  MemberVenue venue(with_rules({.takes_new_passwords = true, .password_days = 90}));
  RawPeer peer;
  venue.network.connect(venue.address, peer);
  venue.run(1ms);
  peer.say(logon_bytes());
  venue.run(1ms);
  mit::Outbound reply;
  ASSERT_TRUE(mit::dialect_under_test().decode_reply(as_bytes(std::string_view(peer.received)), reply));
  EXPECT_EQ(reply.logon_reply, (mit::LogonReply{0, 90}));
}

TEST_P(RealTimeRule, n_3_what_comes_before_the_answer_to_the_logon_is_refused) {
  MemberVenue venue(with_rules({.delay = 1s, .quiet = 1h}));
  venue.log_on("ANNA", "wrong");
  RawPeer peer;
  venue.network.connect(venue.address, peer);
  venue.run(1ms);
  peer.say(logon_bytes());
  Octets order(mit::dialect_under_test().longest);
  order.resize(*mit::dialect_under_test().encode_new_order(valid_order({.lots = 1, .ticks = 100}), Room(order)));
  peer.say(order);
  venue.run(1ms);
  mit::Outbound reply;
  ASSERT_TRUE(mit::dialect_under_test().decode_reply(as_bytes(std::string_view(peer.received)), reply));
  ASSERT_EQ(reply.kind, mit::Outbound::Kind::reject);
  EXPECT_EQ(reply.reject.code, mit::code::k_not_logged_on);
  EXPECT_EQ(venue.partition_one.live_orders(), 0u);
}

/// Quotes of members: LSE-11.8.5 has none, and BIT-9.4 has them for auctions.
TEST_P(RealTimeRule, n_3_a_message_that_the_dialect_does_not_have_is_refused_as_an_unknown_type) {
  MemberVenue venue;
  RawPeer peer;
  venue.network.connect(venue.address, peer);
  venue.run(1ms);
  peer.say(logon_bytes());
  venue.run(1ms);
  peer.received.clear();
  market::Quote quote;
  quote.header.instrument = k_rice;
  quote.bid = at(99);
  quote.ask = at(101);
  quote.bid_size = quote.ask_size = {10};
  quote.labels = {.client_order_id = Text<20>::cut("Q1"), .clearing = 1, .executing_trader = 3};
  quote.capacity = market::Capacity::dealing;
  const mit::Dialect& dialect = mit::dialect_under_test();
  if (&dialect == &mit::bit_9_4::k_dialect) quote.time_in_force = market::TimeInForce::good_for_auction;
  const bool has_quotes = &dialect != &mit::lse_11_8_5::k_dialect;
  Octets bytes(200);
  const Result<std::size_t> written = dialect.encode_quote(quote, Room(bytes));
  EXPECT_EQ(written.has_value(), has_quotes);
  // What a member of another dialect would send.
  bytes.resize(has_quotes ? *written : *mit::lse_21_2::k_dialect.encode_quote(quote, Room(bytes)));
  peer.say(bytes);
  venue.run(1ms);
  mit::Outbound reply;
  const Bytes received = as_bytes(std::string_view(peer.received));
  const auto first = mit::read_frame(received, dialect.longest);
  ASSERT_TRUE(first.has_value());
  ASSERT_TRUE(dialect.decode_reply(received.first(first->size), reply));
  if (has_quotes) {
    ASSERT_EQ(reply.kind, mit::Outbound::Kind::report);
    EXPECT_EQ(reply.report.report.client_order_id.view(), "Q1");
    return;
  }
  ASSERT_EQ(reply.kind, mit::Outbound::Kind::reject);
  EXPECT_EQ(reply.reject.code, mit::code::k_value_invalid);
  EXPECT_EQ(reply.reject.reason.view(), "MessageType");
  EXPECT_EQ(reply.reject.type, 'S');
  EXPECT_FALSE(peer.is_closed) << "the session goes on";
}

TEST_P(RealTimeRule, n_4_a_user_has_one_session) {
  MemberVenue venue;
  Member& anna = venue.log_on("ANNA", "Secret#2026");
  EXPECT_EQ(venue.log_on("ANNA", "Secret#2026").refusal, mit::code::k_already_logged_in);
  EXPECT_TRUE(anna.is_on);
  anna.session.logout("done");
  venue.run(5s);
  EXPECT_TRUE(venue.log_on("ANNA", "Secret#2026").is_on);
}

TEST_P(RealTimeRule, n_4_repeated_logons_are_answered_later_and_later) {
  MemberVenue venue(with_rules({.delay = 500ms, .longest_delay = 4s, .quiet = 30s}));
  std::vector<std::int64_t> waited;
  for (int count = 0; count < 6; ++count) {
    const Time asked = venue.scheduler.now();
    Member member(venue.scheduler, "ANNA", "wrong");
    venue.network.connect(venue.address, member.session);
    while (member.ends == 0) venue.run(10ms);
    EXPECT_EQ(member.refusal, mit::code::k_invalid_credentials);
    waited.push_back((venue.scheduler.now() - asked) / 100ms);
  }
  EXPECT_EQ(waited, (std::vector<std::int64_t>{0, 5, 10, 20, 40, 40}));
  EXPECT_EQ(venue.front.counters().logons_delayed, 5u);
  Member& bert = venue.log_on("BERT", "Secret#2026");
  EXPECT_TRUE(bert.is_on) << "nobody else waits";
  venue.run(30s);
  EXPECT_TRUE(venue.log_on("ANNA", "Secret#2026").is_on) << "a quiet time forgives";
}

TEST_P(RealTimeRule, n_4_a_logon_that_waits_may_be_given_up) {
  MemberVenue venue(with_rules({.delay = 2s, .quiet = 30s}));
  venue.log_on("ANNA", "wrong");
  Member& gone = venue.log_on("ANNA", "Secret#2026");
  EXPECT_FALSE(gone.is_on);
  venue.network.cut(gone.session);
  venue.run(10s);
  EXPECT_FALSE(venue.front.is_logged_on(0));
  EXPECT_EQ(venue.front.free_sessions(), 4u);
  Member& waiting = venue.log_on("ANNA", "Secret#2026");
  venue.run(5s);
  EXPECT_TRUE(waiting.is_on);
}

TEST_P(RealTimeRule, n_5_passwords_have_eight_to_fourteen_characters_of_three_kinds) {
  MemberVenue venue(with_rules({.takes_new_passwords = true}));
  const std::pair<const char*, std::int32_t> tries[] = {
      {"Ab#4567", mit::code::k_password_too_short},     {"Ab#456789012345", mit::code::k_password_too_long},
      {"Abcdefgh#", mit::code::k_new_password_refused}, {"12345678#", mit::code::k_new_password_refused},
      {"Abcdefgh1", mit::code::k_new_password_refused}, {"Ab#45678", 0}};
  for (const auto& [password, code] : tries)
    EXPECT_EQ(venue.log_on("ANNA", "Secret#2026", password).refusal, code) << password;
  EXPECT_TRUE(venue.front.is_logged_on(0));
}

TEST_P(RealTimeRule, n_5_the_first_password_must_be_changed_once) {
  FrontConfig config = with_rules({.takes_new_passwords = true});
  config.users[0].must_change_password = true;
  MemberVenue venue(config);
  EXPECT_EQ(venue.log_on("ANNA", "Secret#2026").refusal, mit::code::k_password_expired);
  Member& anna = venue.log_on("ANNA", "Secret#2026", "Other#2026");
  EXPECT_TRUE(anna.is_on);
  EXPECT_TRUE(venue.log_on("BERT", "Secret#2026").is_on);
}

TEST_P(RealTimeRule, n_5_a_new_password_takes_effect_at_the_next_logon) {
  MemberVenue venue(with_rules({.takes_new_passwords = true}));
  Member& anna = venue.log_on("ANNA", "Secret#2026", "Other#2026");
  ASSERT_TRUE(anna.is_on);
  EXPECT_TRUE(anna.session.has_changed_password());
  std::uint16_t user = 9;
  EXPECT_EQ(venue.front.accounts().identify({Text<25>::cut("ANNA"), Text<25>::cut("Secret#2026"), {}}, user).code, 0)
      << "until then the recovery channel wants the old one";
  anna.session.logout("done");
  venue.run(5s);
  EXPECT_EQ(venue.log_on("ANNA", "Secret#2026").refusal, mit::code::k_invalid_credentials);
  // The member's session has gone over to it by itself.
  venue.network.connect(venue.address, anna.session);
  venue.run(1ms);
  EXPECT_TRUE(anna.is_on);
  EXPECT_FALSE(anna.session.has_changed_password());
}

/// Keeps what it is given, or refuses to.
struct Keeper final : PasswordKeeper {
  bool keep(std::string_view user, std::string_view password, Time) override {
    if (is_broken) return false;
    kept.emplace_back(std::string(user) + " " + std::string(password));
    return true;
  }
  void take_back(std::string_view user) override { kept.emplace_back(std::string(user) + " as before"); }
  bool is_broken = false;
  std::vector<std::string> kept;
};

TEST_P(RealTimeRule, n_5_a_password_that_cannot_be_kept_is_not_changed) {
  Keeper keeper;
  FrontConfig config = with_rules({.takes_new_passwords = true});
  config.passwords = &keeper;
  MemberVenue venue(config);
  keeper.is_broken = true;
  EXPECT_EQ(venue.log_on("ANNA", "Secret#2026", "Other#2026").refusal, mit::code::k_system_suspended);
  keeper.is_broken = false;
  venue.journal_two.is_full = true;
  EXPECT_EQ(venue.log_on("ANNA", "Secret#2026", "Other#2026").refusal, mit::code::k_system_suspended);
  EXPECT_EQ(keeper.kept, (std::vector<std::string>{"ANNA Other#2026", "ANNA as before"})) << "taken back";
  venue.journal_two.is_full = false;
  EXPECT_TRUE(venue.log_on("ANNA", "Secret#2026").is_on);
  EXPECT_EQ(keeper.kept.size(), 2u);
}

/// Answers at the third time of asking: which password was meant is what its hash begins with.
struct PatientHasher final : PasswordHasher {
  std::optional<PasswordAnswer> find(const PasswordAsker& asker, const PasswordQuestion& question) override {
    askers.emplace_back(asker.connection, asker.user, asker.host);
    if (is_busy) return PasswordAnswer{.is_busy = true};
    if (++asked % 3 != 0) return std::nullopt;
    return PasswordAnswer{.is_right = question.kept.empty() || question.kept == hash_of(question.password),
                          .kept = question.chosen.empty() ? std::string() : hash_of(question.chosen)};
  }
  static std::string hash_of(std::string_view password) { return std::string(password) + std::string(30, '.'); }
  std::vector<std::tuple<std::uint32_t, std::uint16_t, std::string>> askers;
  int asked = 0;
  bool is_busy = false;
};

TEST_P(RealTimeRule, n_5_a_logon_that_nobody_has_time_for_is_refused_and_may_be_tried_again) {
  PatientHasher hasher;
  FrontConfig config = make_front_config();
  config.users[0].password = config.users[2].password = PatientHasher::hash_of("Secret#2026");
  config.hasher = &hasher;
  MemberVenue venue(config);
  hasher.is_busy = true;
  EXPECT_EQ(venue.log_on("ANNA", "Secret#2026").refusal, mit::code::k_logons_busy);
  EXPECT_TRUE(venue.log_on("BERT", "Secret#2026").is_on) << "of this one it is known";
  hasher.is_busy = false;
  hasher.askers.clear();
  const Member& anna = venue.log_on("ANNA", "Secret#2026");
  const Member& carl = venue.log_on("CARL", "Secret#2026");
  venue.run(200ms);
  EXPECT_TRUE(anna.is_on && carl.is_on);
  EXPECT_EQ(venue.front.counters().logons_busy, 1u);
  EXPECT_EQ(venue.front.counters().logons_refused, 1u);
  ASSERT_GE(hasher.askers.size(), 2u);
  std::set<std::uint32_t> connections;
  for (const auto& [connection, user, host] : hasher.askers) {
    connections.insert(connection);
    EXPECT_EQ(host, std::get<2>(hasher.askers.front()));
    EXPECT_NE(host, "") << "where it comes from";
  }
  EXPECT_EQ(connections.size(), 2u) << "each of its own";
}

TEST_P(RealTimeRule, n_5_passwords_of_which_a_hash_is_kept_are_compared_while_nobody_else_waits) {
  PatientHasher hasher;
  Keeper keeper;
  FrontConfig config = with_rules({.takes_new_passwords = true});
  config.users[0].password = PatientHasher::hash_of("Secret#2026");
  config.passwords = &keeper;
  config.hasher = &hasher;
  MemberVenue venue(config);
  Member& anna = venue.log_on("ANNA", "Secret#2026", "Other#2026");
  EXPECT_FALSE(anna.is_on) << "it is being compared";
  EXPECT_TRUE(venue.log_on("BERT", "Secret#2026").is_on) << "of this one it is known";
  Member& gone = venue.log_on("ANNA", "wrong");
  venue.network.cut(gone.session);
  venue.run(60ms);
  EXPECT_TRUE(anna.is_on);
  EXPECT_EQ(keeper.kept, (std::vector<std::string>{"ANNA " + PatientHasher::hash_of("Other#2026")}));
  EXPECT_EQ(venue.log_on("ANNA", "wrong").refusal, mit::code::k_invalid_credentials)
      << "at once: the right one is known";
  venue.run(10s);
  EXPECT_TRUE(anna.is_on);
  EXPECT_EQ(venue.front.free_sessions(), 2u);
}

TEST_P(RealTimeRule, n_2_the_operator_lets_a_password_expire_also_beyond_the_process) {
  OperatorLog log;
  FrontConfig config = with_rules({.takes_new_passwords = true});
  config.access = &log;
  {
    MemberVenue venue(config);
    const Time now = venue.scheduler.now();
    ASSERT_TRUE(venue.front.accounts().expire_password(2, now));
    EXPECT_EQ(venue.front.accounts().expire_password(2, now).error().code, ErrorCode::wrong_state);
    ASSERT_TRUE(venue.front.accounts().set_locked(2, true, now));
    ASSERT_TRUE(venue.front.accounts().set_locked(2, false, now));
    EXPECT_EQ(venue.front.accounts().access_of(2), UserAccess{.is_expired = true}) << "a lock changes nothing of it";
    EXPECT_EQ(venue.log_on("CARL").refusal, mit::code::k_password_expired);
  }
  {
    MemberVenue again(config);
    EXPECT_EQ(again.log_on("CARL").refusal, mit::code::k_password_expired);
    EXPECT_TRUE(again.log_on("CARL", "Secret#2026", "Other#2026").is_on);
    EXPECT_EQ(log.access_of("CARL"), UserAccess{});
  }
  MemberVenue third(config);
  EXPECT_TRUE(third.log_on("CARL").is_on);
  FrontConfig fixed = make_front_config();
  MemberVenue without(fixed);
  EXPECT_EQ(without.front.accounts().expire_password(2, without.scheduler.now()).error().code,
            ErrorCode::not_supported);
}

}  // namespace
}  // namespace dojima::venue::testing
