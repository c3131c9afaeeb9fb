// The recovery channel by section 8 of the reference: what each side says when, and that everything missed arrives once
// however often the connection is cut. And the reader's end of drop copies, which asks in the same way.

#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dojima/mit/copy_client.hpp"
#include "dojima/mit/recovery_client.hpp"
#include "dojima/mit/recovery_server.hpp"
#include "dojima/mit/reject_codes.hpp"
#include "dojima/mit/sessions/session_test_support.hpp"

namespace dojima::mit {
namespace {

/// Serves reports of two partitions, a few a call.
class Archive final : public RecoveryHandler {
 public:
  LogonReply on_recovery_logon(RecoveryServer& session, const Logon& logon, Time now) override {
    write(now, "logon " + std::string(logon.user.view()));
    session.set_user(9);
    return {.code = code, .venue_day = day};
  }
  Recovery on_recovery_request(RecoveryServer&, const MissedMessageRequest& request, Time now) override {
    write(now, "request " + std::to_string(request.partition) + ":" + std::to_string(request.last.value));
    if (request.partition > 2) return Recovery::unknown_partition;
    if (refuses == request.partition) return Recovery::unavailable;
    partition = request.partition;
    next = request.last.value;
    served = 0;
    return Recovery::good;
  }
  std::optional<Recovery> serve_recovery(RecoveryServer& session, Time) override {
    for (int count = 0; count < 3; ++count) {
      if (served == most) return Recovery::limit;
      // The numbers of a partition run over all its users: this one has every second.
      if (next % 2 == 0) ++next;
      if (next > last) return Recovery::good;
      if (!session.send(report_of(partition, next), 0)) return std::nullopt;
      ++next;
      ++served;
    }
    return std::nullopt;
  }
  void on_recovery_free(RecoveryServer&, Time now) override { write(now, "free"); }
  void write(Time now, std::string what) { log.push_back({now - k_start, std::move(what)}); }

  Log log;
  std::int32_t code = 0;
  VenueDay day;
  std::uint8_t refuses = 0, partition = 0;
  std::uint64_t last = 19, next = 0;
  std::size_t most = 1000, served = 0;
};

class Missing final : public RecoveryClientHandler {
 public:
  void on_recovery_logged_on(RecoveryClient& client, const VenueDay& said, Time) override {
    days.push_back(said);
    if (!begins_anew) return;
    client.forget();
    client.ask_for(2, {});
  }
  void on_recovered(RecoveryClient&, const market::OwnerReport& report, std::int32_t, Time) override {
    reports.push_back(std::to_string(report.partition) + ":" + std::to_string(report.sequence.value));
  }
  void on_repeated(RecoveryClient&, const market::OwnerReport& report, Time) override {
    repeated.push_back(std::to_string(report.partition) + ":" + std::to_string(report.sequence.value));
  }
  void on_recovery_status(RecoveryClient&, const SystemStatus& status, Time) override {
    statuses.push_back(std::to_string(status.partition) + " " + std::to_string(status.status));
  }
  void on_recovery_end(RecoveryClient&, const RecoveryOutcome& outcome, Time) override {
    ++ends;
    last = outcome;
    text = outcome.text;
  }
  std::vector<std::string> reports, repeated, statuses;
  std::vector<VenueDay> days;
  bool begins_anew = false;
  int ends = 0;
  RecoveryOutcome last;
  std::string text;
};

/// A venue's side in its loop: served at the end of each turn.
struct Served : World {
  explicit Served(link::SimulatedNetworkOptions options = {.delay = time::Duration{0}}) : World(options) {
    EXPECT_TRUE(network.listen(k_venue, acceptor));
  }
  void run(time::Duration until) {
    for (time::Duration at = run_; at <= until; at += 1ms) {
      run_until(at);
      while (session.serve(scheduler.now())) settle();
    }
    run_ = until;
  }
  Archive archive;
  RecoveryServer session{RecoveryOptions{}, dialect_under_test(), scheduler, archive};
  OneSession acceptor{session};
  time::Duration run_{};
};

struct Raw : Served {
  Raw() {
    network.connect(k_venue, peer);
    run(0ms);
  }
  void log_on() {
    peer.send(logon_bytes());
    run(run_ + 1ms);
  }
  void ask(std::uint8_t partition, std::uint64_t last) {
    peer.send(octets([&](Room room) { return dialect_under_test().encode_missed_request({partition, {last}}, room); }));
    run(run_ + 1ms);
  }
  RawPeer peer;
};

using Words = std::vector<std::string>;

class MitCopyClient : public InEachDialect {};
INSTANTIATE_TEST_SUITE_P(, MitCopyClient, k_each_dialect, dialect_name);
class MitRecoveryClient : public InEachDialect {};
INSTANTIATE_TEST_SUITE_P(, MitRecoveryClient, k_each_dialect, dialect_name);
class MitRecoveryServer : public InEachDialect {};
INSTANTIATE_TEST_SUITE_P(, MitRecoveryServer, k_each_dialect, dialect_name);

TEST_P(MitRecoveryServer, serves_from_and_including_the_number_and_says_when_that_was_all) {
  Raw world;
  world.log_on();
  world.ask(1, 15);
  EXPECT_EQ(words(world.peer.log), (Words{"B 0", "N 0", "8 A 15", "8 A 17", "8 A 19", "P 0"}));
  EXPECT_EQ(words(world.archive.log), (Words{"logon DOJIMA01", "request 1:15"}));
}

TEST_P(MitRecoveryServer, a_request_during_another_waits_for_its_report) {
  Raw world;
  world.log_on();
  world.peer.send(octets([](Room room) { return dialect_under_test().encode_missed_request({1, {17}}, room); }) +
                  octets([](Room room) { return dialect_under_test().encode_missed_request({3, {1}}, room); }) +
                  octets([](Room room) { return dialect_under_test().encode_missed_request({2, {19}}, room); }));
  world.run(5ms);
  EXPECT_EQ(words(world.peer.log), (Words{"B 0", "N 0", "8 A 17", "8 A 19", "P 0", "N 2", "N 0", "8 A 19", "P 0"}));
}

TEST_P(MitRecoveryServer, more_requests_than_may_wait_are_refused_at_once) {
  Raw world;
  world.log_on();
  FrameBytes all;
  for (std::size_t count = 0; count < RecoveryServer::k_most_waiting + 2; ++count)
    all = all + octets([](Room room) { return dialect_under_test().encode_missed_request({1, {19}}, room); });
  world.peer.send(all);
  world.run(5ms);
  const Words said = words(world.peer.log);
  EXPECT_EQ(std::count(said.begin(), said.end(), "N 0"), 9);
  EXPECT_EQ(std::count(said.begin(), said.end(), "N 1"), 1);
  EXPECT_EQ(std::count(said.begin(), said.end(), "P 0"), 9);
}

TEST_P(MitRecoveryServer, says_where_a_limit_is_reached_and_where_a_partition_cannot_be_recovered) {
  Raw world;
  world.archive.most = 2;
  world.archive.refuses = 2;
  world.log_on();
  world.ask(1, 1);
  world.ask(2, 1);
  EXPECT_EQ(words(world.peer.log), (Words{"B 0", "N 0", "8 A 1", "8 A 3", "P 1", "N 3"}));
}

TEST_P(MitRecoveryServer, before_the_logon_it_serves_nothing) {
  Raw world;
  world.ask(1, 1);
  EXPECT_EQ(words(world.peer.log), (Words{"3 20901 not logged on M "}));
  world.run(6s);
  EXPECT_EQ(words(world.peer.log).back(), "closed") << "no logon within two intervals";
}

TEST_P(MitRecoveryServer, a_refused_logon_is_answered_and_the_connection_closed) {
  Raw world;
  world.archive.code = code::k_unauthorised_front_end;
  world.log_on();
  world.run(10ms);
  EXPECT_EQ(words(world.peer.log), (Words{"B 11", "closed"}));
}

TEST_P(MitRecoveryServer, has_no_orders_no_second_logon_and_no_number_0) {
  Raw world;
  world.log_on();
  world.peer.send(order_bytes("A"));
  world.peer.send(logon_bytes());
  world.ask(1, 0);
  EXPECT_EQ(words(world.peer.log),
            (Words{"B 0", "3 9901 MessageType D ", "3 20902 already logged on A ", "3 9901 LastMsgSeqNum M "}));
}

TEST_P(MitRecoveryServer, ends_who_asks_for_nothing_more_but_not_while_it_serves) {
  Raw world;
  world.archive.last = 1'000'000;
  world.archive.most = 1'000'000;
  world.log_on();
  world.ask(1, 999'999);
  EXPECT_EQ(words(world.peer.log).back(), "P 0");
  for (int second = 1; second <= 14; ++second) {
    world.run(second * 1s);
    world.peer.send(heartbeat_bytes());
  }
  EXPECT_TRUE(world.peer.is_open());
  world.run(16s);
  EXPECT_EQ(words(world.peer.log).back(), "5 no request");
  world.run(18s);
  EXPECT_FALSE(world.peer.is_open());
}

TEST_P(MitRecoveryServer, gives_up_who_falls_silent) {
  Raw world;
  world.log_on();
  world.run(13s);
  world.ask(1, 19);
  world.run(27s);
  EXPECT_TRUE(world.peer.is_open());
  world.run(28500ms);
  EXPECT_EQ(words(world.peer.log).back(), "5 no heartbeat");
}

TEST_P(MitRecoveryServer, reports_that_a_partition_is_away_and_back) {
  Raw world;
  world.log_on();
  world.session.send({1, SystemStatus::k_recovery_unavailable});
  world.session.send({1, SystemStatus::k_recovery_resumed});
  world.run(5ms);
  EXPECT_EQ(words(world.peer.log), (Words{"B 0", "n 1 2", "n 1 1"}));
}

TEST_P(MitRecoveryServer, answers_a_logout_and_bytes_that_are_no_messages) {
  Raw world;
  world.log_on();
  world.peer.send(logout_bytes());
  world.run(5ms);
  EXPECT_EQ(words(world.peer.log), (Words{"B 0", "5 logged out"}));
  Raw other;
  other.log_on();
  other.peer.send(FrameBytes(20, std::byte{'x'}));
  other.run(2s);
  EXPECT_EQ(words(other.peer.log), (Words{"B 0", "3 9901 StartOfMessage - ", "5 stream out of step", "closed"}));
}

struct Recovering : Served {
  using Served::Served;
  void connect() { network.connect(k_venue, client); }
  Missing missing;
  RecoveryClient client{{.user = "DOJIMA01", .password = "Secret#2026"}, dialect_under_test(), scheduler, missing};
};

Words numbers(int from, int to, int partition) {
  Words all;
  for (int number = from; number <= to; number += 2)
    all.push_back(std::to_string(partition) + ":" + std::to_string(number));
  return all;
}

TEST_P(MitRecoveryClient, asks_partition_by_partition_hands_over_what_is_new_and_leaves) {
  Recovering world;
  world.client.ask_for(1, {15});
  world.client.ask_for(2, {0});
  world.connect();
  world.run(100ms);
  Words expected = numbers(17, 19, 1);
  const Words second = numbers(1, 19, 2);
  expected.insert(expected.end(), second.begin(), second.end());
  EXPECT_EQ(world.missing.reports, expected) << "15 had arrived";
  EXPECT_EQ(world.missing.ends, 1);
  EXPECT_TRUE(world.missing.last.is_complete);
  EXPECT_EQ(world.missing.last.recovered, 12u);
  EXPECT_EQ(world.missing.last.duplicates, 1u);
  EXPECT_EQ(world.client.highest(1), market::Sequence{19});
  EXPECT_EQ(world.missing.text, "");
}

TEST_P(MitRecoveryClient, hears_which_day_it_is_before_it_asks_and_may_ask_for_something_else) {
  Recovering world;
  world.archive.day = {.venue = 77, .number = 3};
  world.missing.begins_anew = true;
  world.client.ask_for(1, {15});
  world.connect();
  world.run(100ms);
  EXPECT_EQ(world.missing.days, (std::vector<VenueDay>{{.venue = 77, .number = 3}}));
  EXPECT_EQ(world.missing.reports, numbers(1, 19, 2));
  EXPECT_TRUE(world.missing.last.is_complete);
  EXPECT_EQ(world.client.highest(1).value, 0u);
}

TEST_P(MitRecoveryClient, asks_again_where_the_venue_stops_at_a_limit) {
  Recovering world;
  world.archive.most = 3;
  world.client.ask_for(1, {0});
  world.connect();
  world.run(100ms);
  EXPECT_EQ(world.missing.reports, numbers(1, 19, 1));
  EXPECT_TRUE(world.missing.last.is_complete);
}

TEST_P(MitRecoveryClient, a_limit_that_lets_nothing_through_is_the_end_and_not_a_loop) {
  Recovering world;
  world.archive.most = 1;  // only what has arrived
  world.client.ask_for(1, {15});
  world.connect();
  world.run(100ms);
  EXPECT_FALSE(world.missing.last.is_complete);
  EXPECT_EQ(world.missing.last.response, Recovery::limit);
  EXPECT_EQ(world.missing.last.partition, 1);
}

TEST_P(MitRecoveryClient, a_partition_that_cannot_be_recovered_keeps_no_other_from_it) {
  Recovering world;
  world.archive.refuses = 1;
  world.client.ask_for(1, {1});
  world.client.ask_for(2, {17});
  world.connect();
  world.run(100ms);
  EXPECT_EQ(world.missing.reports, (Words{"2:19"}));
  EXPECT_FALSE(world.missing.last.is_complete);
  EXPECT_EQ(world.missing.last.partition, 1);
  EXPECT_EQ(world.missing.last.response, Recovery::unavailable);
}

TEST_P(MitRecoveryClient, who_does_not_want_to_read_before_the_connection_is_open_is_not_read_for) {
  Recovering world;
  world.client.ask_for(1, {15});
  world.connect();
  world.client.set_reading(false);
  world.run(30s);
  EXPECT_TRUE(world.missing.reports.empty());
  EXPECT_EQ(world.missing.ends, 0) << "nor is the venue's silence measured";
  world.client.set_reading(true);
  world.run(31s);
  EXPECT_EQ(world.missing.ends, 1);
  // The wish holds for the next connection as well, and is forgotten by none.
  world.client.set_reading(false);
  world.connect();
  world.run(32s);
  EXPECT_EQ(world.missing.ends, 1);
  world.client.set_reading(true);
  world.run(33s);
  EXPECT_EQ(world.missing.reports, numbers(17, 19, 1));
  EXPECT_TRUE(world.missing.last.is_complete);
}

TEST_P(MitRecoveryClient, a_refused_logon_ends_it_with_the_code) {
  Recovering world;
  world.archive.code = code::k_invalid_credentials;
  world.client.ask_for(1, {1});
  world.connect();
  world.run(100ms);
  EXPECT_FALSE(world.missing.last.is_complete);
  EXPECT_EQ(world.missing.last.logon_code, code::k_invalid_credentials);
  EXPECT_EQ(world.missing.text, "logon refused");
}

TEST_P(MitRecoveryClient, a_venue_without_answers_is_given_up) {
  World world;
  RawPeer venue;
  OneSession acceptor(venue);
  ASSERT_TRUE(world.network.listen(k_venue, acceptor));
  Missing missing;
  RecoveryClient client({.user = "DOJIMA01", .password = "x"}, dialect_under_test(), world.scheduler, missing);
  client.ask_for(1, {1});
  world.network.connect(k_venue, client);
  world.run_until(7s);
  EXPECT_EQ(missing.text, "no answer to the logon");
  EXPECT_EQ(missing.ends, 1);
}

TEST_P(MitRecoveryClient, nobody_listens) {
  World world;
  Missing missing;
  RecoveryClient client({.user = "DOJIMA01", .password = "x"}, dialect_under_test(), world.scheduler, missing);
  client.ask_for(1, {1});
  world.network.connect(k_venue, client);
  world.run_until(1s);
  EXPECT_EQ(missing.ends, 1);
  EXPECT_EQ(missing.last.reason, link::CloseReason::refused);
}

TEST_P(MitRecoveryClient, a_connection_that_could_not_be_made_says_nothing_of_the_one_before) {
  Recovering world;
  world.client.ask_for(1, {17});
  world.connect();
  world.run(100ms);
  ASSERT_TRUE(world.missing.last.is_complete);
  world.network.connect({"nowhere", 1}, world.client);
  world.run(100ms);
  EXPECT_EQ(world.missing.ends, 2);
  EXPECT_FALSE(world.missing.last.is_complete);
  EXPECT_EQ(world.missing.last.duplicates, 0u);
}

/// Of a connection that was never open nothing was answered, and nothing was said.
TEST_P(MitRecoveryClient, a_refused_logon_is_no_answer_to_the_connections_behind_it) {
  Recovering world;
  world.archive.code = code::k_invalid_credentials;
  world.client.ask_for(1, {1});
  world.connect();
  world.run(100ms);
  ASSERT_EQ(world.missing.last.logon_code, code::k_invalid_credentials);
  world.network.connect({"nowhere", 1}, world.client);
  world.run(200ms);
  EXPECT_EQ(world.missing.ends, 2);
  EXPECT_EQ(world.missing.last.logon_code, 0);
  EXPECT_EQ(world.missing.last.reason, link::CloseReason::refused);
  EXPECT_EQ(world.missing.text, "");
}

TEST_P(MitRecoveryClient, asks_for_every_partition_on_every_connection) {
  Recovering world;
  world.client.ask_for(1, {15});
  world.client.ask_for(2, {17});
  world.connect();
  world.run(100ms);
  ASSERT_EQ(world.missing.reports, (Words{"1:17", "1:19", "2:19"}));
  world.archive.last = 21;
  world.connect();
  world.run(200ms);
  EXPECT_EQ(world.missing.reports, (Words{"1:17", "1:19", "2:19", "1:21", "2:21"}));
  EXPECT_TRUE(world.missing.last.is_complete);
}

/// A venue that says what the test has it say.
struct VenueByHand : World {
  VenueByHand() { EXPECT_TRUE(network.listen(k_venue, acceptor)); }
  void say(const FrameBytes& bytes) {
    venue.send(bytes);
    settle();
  }
  static FrameBytes logon_reply(std::int32_t code = code::k_success) {
    return octets([=](Room room) { return dialect_under_test().encode_logon_reply({.code = code}, room); });
  }
  static FrameBytes ack(Recovery response) {
    return octets([=](Room room) { return dialect_under_test().encode_missed_ack({response}, room); });
  }
  static FrameBytes all_sent(Recovery response = Recovery::good) {
    return octets([=](Room room) { return dialect_under_test().encode_missed_report({response}, room); });
  }
  static FrameBytes report(std::uint8_t partition, std::uint64_t number) {
    return octets([=](Room room) { return dialect_under_test().encode_report(report_of(partition, number), 0, room); });
  }
  static FrameBytes reject() {
    return octets([](Room room) { return dialect_under_test().encode_reject({.code = code::k_value_invalid}, room); });
  }

  RawPeer venue;
  OneSession acceptor{venue};
};

struct ByHand : VenueByHand {
  void connect() {
    network.connect(k_venue, client);
    settle();
  }
  /// Logged on, and a request is answered.
  void begin() {
    client.ask_for(1, {15});
    connect();
    say(logon_reply());
    say(ack(Recovery::good));
  }
  Missing missing;
  RecoveryClient client{{.user = "DOJIMA01", .password = "Secret#2026"}, dialect_under_test(), scheduler, missing};
};

TEST_P(MitRecoveryClient, waits_for_as_long_as_the_venue_says_anything_and_no_longer) {
  ByHand world;
  world.begin();
  for (int second = 10; second <= 40; second += 10) {
    world.run_until(second * 1s);
    world.say(heartbeat_bytes());
  }
  world.run_until(54s);
  EXPECT_EQ(world.missing.ends, 0);
  world.run_until(55s);
  EXPECT_EQ(world.missing.text, "no heartbeat");
}

FrameBytes status_bytes(std::uint8_t partition, std::uint8_t status) {
  return octets([=](Room room) { return dialect_under_test().encode_system_status({partition, status}, room); });
}

TEST_P(MitRecoveryClient, waits_for_a_partition_that_cannot_be_recovered_now_and_asks_again_when_it_can) {
  for (const bool is_in_the_middle : {true, false}) {
    SCOPED_TRACE(is_in_the_middle);
    ByHand world;
    world.client.ask_for(1, {15});
    world.client.ask_for(2, {1});
    world.connect();
    world.say(ByHand::logon_reply());
    if (is_in_the_middle) world.say(ByHand::ack(Recovery::good) + ByHand::report(1, 17));
    world.say(status_bytes(1, SystemStatus::k_recovery_unavailable));
    world.say(is_in_the_middle ? ByHand::all_sent(Recovery::unavailable) : ByHand::ack(Recovery::unavailable));
    EXPECT_EQ(world.venue.messages.size(), 2u) << "the Logon and the request, nothing of partition 2";
    world.run_until(14s);
    world.say(status_bytes(2, SystemStatus::k_recovery_resumed));
    world.run_until(28s);
    EXPECT_EQ(world.missing.ends, 0) << "it is told something now and then";
    const std::size_t before = world.venue.messages.size();
    world.say(status_bytes(1, SystemStatus::k_recovery_resumed));
    ASSERT_EQ(world.venue.messages.size(), before + 1) << "the request again";
    world.say(ByHand::ack(Recovery::good) + ByHand::report(1, 17) + ByHand::report(1, 19) + ByHand::all_sent());
    world.say(ByHand::ack(Recovery::good) + ByHand::all_sent());
    world.run_until(32s);
    EXPECT_EQ(world.missing.reports, (Words{"1:17", "1:19"})) << "each once";
    EXPECT_EQ(world.missing.statuses, (Words{"1 2", "2 1", "1 1"}));
    EXPECT_TRUE(world.missing.last.is_complete);
  }
}

TEST_P(MitRecoveryClient, whose_connection_ends_while_a_partition_is_away_was_not_refused) {
  ByHand world;
  world.client.ask_for(1, {15});
  world.connect();
  world.say(ByHand::logon_reply());
  world.say(status_bytes(1, SystemStatus::k_recovery_unavailable) + ByHand::ack(Recovery::unavailable));
  world.say(logout_bytes("no request"));
  world.run_until(1s);
  EXPECT_EQ(world.missing.ends, 1);
  EXPECT_FALSE(world.missing.last.is_complete);
  EXPECT_TRUE(world.missing.last.is_away);
  EXPECT_EQ(world.missing.last.partition, 1);
  EXPECT_EQ(world.missing.last.response, Recovery::good);
}

TEST_P(MitRecoveryClient, that_reads_again_gives_the_venue_all_of_the_time_to_say_something) {
  ByHand world;
  world.begin();
  world.client.set_reading(false);
  world.run_until(29s);
  world.client.set_reading(true);
  world.run_until(43s);
  EXPECT_EQ(world.missing.ends, 0);
  world.run_until(44s);
  EXPECT_EQ(world.missing.text, "no heartbeat");
}

TEST_P(MitRecoveryClient, that_leaves_is_gone_though_nobody_reads_and_the_venue_does_not_answer) {
  ByHand world;
  world.begin();
  world.run_until(1s);
  world.say(ByHand::all_sent());
  EXPECT_EQ(words(world.venue.log).back(), "5 recovered");
  world.client.set_reading(false);
  world.run_until(3999ms);
  EXPECT_EQ(words(world.venue.log).back(), "5 recovered") << "nothing is said behind it";
  EXPECT_EQ(world.missing.ends, 0);
  world.run_until(4s);
  EXPECT_EQ(world.missing.ends, 1);
  EXPECT_TRUE(world.missing.last.is_complete);
}

TEST_P(MitRecoveryClient, gives_up_a_limit_that_lets_nothing_more_through) {
  ByHand world;
  world.begin();
  world.say(ByHand::report(1, 15) + ByHand::report(1, 17) + ByHand::all_sent(Recovery::limit));
  EXPECT_EQ(world.venue.messages.size(), 3u) << "it asks again";
  world.say(ByHand::ack(Recovery::good));
  world.say(ByHand::report(1, 17) + ByHand::all_sent(Recovery::limit));
  EXPECT_EQ(words(world.venue.log).back(), "5 recovered");
  EXPECT_EQ(world.venue.messages.size(), 4u);
  world.run_until(4s);
  EXPECT_EQ(world.missing.last.response, Recovery::limit);
}

TEST_P(MitRecoveryClient, waits_two_intervals_for_the_answer_to_each_request) {
  ByHand world;
  world.client.ask_for(2, {15});
  world.begin();
  world.say(ByHand::all_sent());
  world.run_until(5999ms);
  EXPECT_EQ(world.missing.ends, 0);
  world.run_until(6s);
  EXPECT_EQ(world.missing.text, "no answer to a request");
}

TEST_P(MitRecoveryClient, has_one_answer_to_its_logon) {
  ByHand world;
  world.begin();
  const std::size_t said = world.venue.messages.size();
  world.say(ByHand::logon_reply());
  EXPECT_EQ(world.venue.messages.size(), said) << "it asks for nothing again";
  EXPECT_EQ(world.missing.days.size(), 1u);
}

/// What belongs to no request at hand is nothing: it neither counts nor ends anything.
TEST_P(MitRecoveryClient, takes_what_it_has_asked_for_and_nothing_else) {
  ByHand world;
  world.client.ask_for(1, {15});
  world.client.ask_for(2, {13});
  world.connect();
  world.say(ByHand::logon_reply());
  world.say(ByHand::report(1, 15) + ByHand::report(1, 17) + ByHand::all_sent());
  EXPECT_EQ(world.venue.messages.size(), 2u) << "the request has no answer yet";
  world.say(ByHand::ack(Recovery::good));
  world.say(ByHand::ack(Recovery::unavailable));
  world.say(ByHand::report(2, 15) + ByHand::report(2, 17) + ByHand::report(1, 13));
  EXPECT_EQ(world.missing.repeated, Words{});
  world.say(ByHand::report(1, 15) + ByHand::report(1, 17) + ByHand::all_sent());
  EXPECT_EQ(world.missing.repeated, (Words{"1:15"}));
  EXPECT_EQ(world.missing.reports, (Words{"1:17"}));
  world.say(ByHand::ack(Recovery::good));
  world.say(ByHand::report(2, 13) + ByHand::all_sent());
  world.say(ByHand::report(2, 19) + ByHand::all_sent());
  world.run_until(4s);
  EXPECT_EQ(world.missing.repeated, (Words{"1:15", "2:13"}));
  EXPECT_EQ(world.missing.reports, (Words{"1:17"})) << "it had said that it leaves";
  EXPECT_TRUE(world.missing.last.is_complete);
  EXPECT_EQ(world.missing.last.recovered, 1u);
  EXPECT_EQ(world.missing.last.duplicates, 5u);
}

TEST_P(MitRecoveryClient, a_rejected_logon_ends_it_at_once) {
  ByHand world;
  world.client.ask_for(1, {15});
  world.connect();
  world.say(ByHand::reject());
  EXPECT_EQ(world.missing.ends, 1);
  EXPECT_EQ(world.missing.text, "logon rejected");
}

TEST_P(MitRecoveryClient, hears_nothing_behind_the_message_that_ended_it) {
  ByHand world;
  world.client.ask_for(1, {15});
  world.connect();
  world.say(ByHand::logon_reply(code::k_invalid_credentials) + logout_bytes("bye"));
  EXPECT_EQ(world.missing.ends, 1);
  EXPECT_EQ(world.missing.text, "logon refused");
  // Nor has the next connection anything of it.
  world.connect();
  world.venue.close();
  world.run_until(1s);
  EXPECT_EQ(world.missing.ends, 2);
  EXPECT_EQ(world.missing.text, "");
}

/// A request that the venue cannot read is not answered otherwise.
TEST_P(MitRecoveryClient, a_rejected_request_keeps_no_other_partition_from_it) {
  ByHand world;
  world.client.ask_for(1, {15});
  world.client.ask_for(2, {15});
  world.client.ask_for(3, {15});
  world.connect();
  world.say(ByHand::logon_reply());
  world.say(ByHand::reject());
  EXPECT_EQ(world.venue.messages.size(), 3u) << "the logon and two requests";
  world.say(ByHand::ack(Recovery::good));
  world.say(ByHand::reject());
  EXPECT_EQ(world.venue.messages.size(), 3u) << "it is about no request";
  world.say(ByHand::all_sent());
  world.say(ByHand::ack(Recovery::limit));
  world.run_until(4s);
  EXPECT_EQ(world.missing.ends, 1);
  EXPECT_FALSE(world.missing.last.is_complete);
  EXPECT_EQ(world.missing.last.partition, 1);
  EXPECT_EQ(world.missing.last.response, Recovery::unavailable);
}

TEST_P(MitRecoveryClient, a_partition_that_is_not_there_misses_nothing_that_never_came) {
  Recovering world;
  world.client.ask_for(3, {0});
  world.client.ask_for(1, {17});
  world.connect();
  world.run(100ms);
  EXPECT_EQ(world.missing.reports, (Words{"1:19"}));
  EXPECT_TRUE(world.missing.last.is_complete);
  EXPECT_TRUE(world.missing.last.absent.test(3));
  EXPECT_EQ(world.missing.last.absent.count(), 1u);
  Recovering other;
  other.client.ask_for(3, {5});
  other.connect();
  other.run(100ms);
  EXPECT_FALSE(other.missing.last.is_complete);
  EXPECT_EQ(other.missing.last.response, Recovery::unknown_partition);
  EXPECT_TRUE(other.missing.last.absent.test(3));
}

TEST_P(MitRecoveryClient, cut_behind_any_number_of_messages_everything_arrives_once) {
  for (std::size_t cut = 0; cut < 30; ++cut) {
    SCOPED_TRACE(cut);
    Recovering world;
    world.client.ask_for(1, {3});
    world.client.ask_for(2, {0});
    world.connect();
    // The venue's program ends when so many messages have arrived; another connection follows.
    for (int step = 0; world.missing.reports.size() < cut && world.missing.ends == 0 && step < 1000; ++step) {
      world.settle();
      static_cast<void>(world.session.serve(world.scheduler.now()));
    }
    if (world.missing.ends == 0) world.session.logout("cut", world.scheduler.now());
    world.run(5s);
    ASSERT_EQ(world.missing.ends, 1);
    if (!world.missing.last.is_complete) {
      world.connect();
      world.run(10s);
    }
    Words expected = numbers(5, 19, 1);
    const Words second = numbers(1, 19, 2);
    expected.insert(expected.end(), second.begin(), second.end());
    EXPECT_EQ(world.missing.reports, expected);
    EXPECT_TRUE(world.missing.last.is_complete);
  }
}

/// Writes down the callbacks of a reader of copies.
class Copied final : public CopyClientHandler {
 public:
  void on_copies_logged_on(CopyClient&, const VenueDay&, Time) override { events.emplace_back("on"); }
  void on_copy(CopyClient&, const market::OwnerReport& report, std::int32_t, Time) override {
    events.push_back("copy " + std::to_string(report.partition) + ":" + std::to_string(report.sequence.value));
  }
  void on_copies_complete(CopyClient&, Time) override { events.emplace_back("complete"); }
  void on_copies_refused(CopyClient&, std::uint8_t partition, Recovery why, Time) override {
    events.push_back("refused " + std::to_string(partition) + " " + std::to_string(static_cast<int>(why)));
  }
  void on_copies_end(CopyClient&, const CopyOutcome& outcome, Time) override {
    events.push_back("end " + std::string(outcome.text));
    last = outcome;
  }
  /// The callbacks since the last take().
  Words take() { return std::exchange(events, {}); }

  Words events;
  CopyOutcome last;
};

struct Copying : VenueByHand {
  void connect() {
    network.connect(k_venue, client);
    settle();
  }
  /// Two partitions are followed, both from the first number on.
  void begin() {
    client.follow(1);
    client.follow(2);
    connect();
    say(logon_reply());
    say(ack(Recovery::good) + ack(Recovery::good));
    copied.take();
  }
  Copied copied;
  CopyClient client{{.user = "HOUSE", .password = "Secret#2026"}, dialect_under_test(), scheduler, copied};
};

TEST_P(MitCopyClient, hands_over_each_copy_once_and_says_when_all_have_come) {
  Copying world;
  world.begin();
  world.say(Copying::report(1, 3) + Copying::report(2, 4) + Copying::report(1, 3) + Copying::report(3, 9));
  world.say(Copying::all_sent() + Copying::report(1, 5));
  EXPECT_EQ(world.copied.take(), (Words{"copy 1:3", "copy 2:4", "complete", "copy 1:5"}));
  EXPECT_EQ(world.client.highest(1).value, 5u);
  world.venue.close();
  world.run_until(1s);
  EXPECT_EQ(world.copied.take(), (Words{"end "}));
  EXPECT_EQ(world.copied.last.copies, 3u);
  EXPECT_EQ(world.copied.last.duplicates, 2u) << "one that it has, and one of a partition that it does not follow";
  // There is nobody to say goodbye to.
  world.client.logout("bye");
  EXPECT_EQ(world.copied.take(), Words{});
}

/// Answers come in the order of the requests, on every connection.
TEST_P(MitCopyClient, names_the_partition_that_is_refused) {
  Copying world;
  world.begin();
  world.say(Copying::ack(Recovery::unavailable));
  EXPECT_EQ(world.copied.take(), Words{}) << "there was no third request";
  world.venue.close();
  world.run_until(1s);
  world.copied.take();
  world.connect();
  world.say(Copying::logon_reply());
  world.say(Copying::ack(Recovery::unavailable) + Copying::ack(Recovery::unknown_partition));
  EXPECT_EQ(world.copied.take(), (Words{"on", "refused 1 3", "refused 2 2"}));
}

TEST_P(MitCopyClient, that_says_goodbye_takes_nothing_more_and_waits_for_one_interval) {
  Copying world;
  world.client.follow(1);
  world.connect();
  world.say(Copying::logon_reply());
  world.copied.take();
  world.client.logout("enough");
  world.settle();
  EXPECT_EQ(words(world.venue.log).back(), "5 enough");
  world.client.logout("twice");
  world.say(Copying::report(1, 3) + Copying::all_sent() + Copying::ack(Recovery::unavailable));
  EXPECT_EQ(words(world.venue.log).back(), "5 enough");
  EXPECT_EQ(world.copied.take(), Words{});
  EXPECT_EQ(world.client.highest(1).value, 0u) << "the next connection asks for it";
  world.run_until(2999ms);
  EXPECT_EQ(world.copied.take(), Words{});
  world.run_until(3s);
  EXPECT_EQ(world.copied.take(), (Words{"end "}));
}

TEST_P(MitCopyClient, that_is_not_logged_on_yet_ends_at_once) {
  Copying world;
  world.connect();
  world.client.logout("not wanted");
  world.settle();
  EXPECT_EQ(world.copied.take(), (Words{"end not wanted"}));
}

TEST_P(MitCopyClient, gives_up_a_venue_that_rejects_a_request_or_says_nothing) {
  Copying rejected;
  rejected.begin();
  rejected.say(Copying::reject());
  EXPECT_EQ(rejected.copied.take(), (Words{"end request rejected"}));
  Copying silent;
  silent.client.follow(1);
  silent.connect();
  silent.say(Copying::logon_reply());
  silent.run_until(14s);
  EXPECT_EQ(silent.copied.take(), (Words{"on"}));
  silent.run_until(15s);
  EXPECT_EQ(silent.copied.take(), (Words{"end no heartbeat"}));
}

TEST_P(MitCopyClient, says_that_it_is_there_though_it_follows_nothing_yet) {
  Copying world;
  world.connect();
  world.say(Copying::logon_reply());
  world.run_until(7s);
  const Words said = words(world.venue.log);
  EXPECT_EQ(std::count(said.begin(), said.end(), "0"), 2);
}

TEST_P(MitCopyClient, a_refused_logon_is_no_answer_to_the_connections_behind_it) {
  Copying world;
  world.connect();
  world.say(Copying::logon_reply(code::k_invalid_credentials));
  EXPECT_EQ(world.copied.take(), (Words{"end logon refused"}));
  EXPECT_EQ(world.copied.last.logon_code, code::k_invalid_credentials);
  world.network.connect({"nowhere", 1}, world.client);
  world.run_until(1s);
  EXPECT_EQ(world.copied.take(), (Words{"end "}));
  EXPECT_EQ(world.copied.last.logon_code, 0);
}

}  // namespace
}  // namespace dojima::mit
