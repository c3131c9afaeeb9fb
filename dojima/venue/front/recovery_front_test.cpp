// Members that missed reports ask for them on the recovery channel and have each once, in order; who may not ask, and
// what cannot be served, is answered as section 8 of the reference says.

#include "dojima/venue/recovery/recovery_front.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dojima/base/allocation_counter.hpp"
#include "dojima/journal/simulated_disk.hpp"
#include "dojima/venue/front/recovery_test_support.hpp"
#include "dojima/venue/recovery/journal_directory_test_support.hpp"

namespace dojima::venue::testing {
namespace {

class RecoveryChannel : public mit::InEachDialect {};
INSTANTIATE_TEST_SUITE_P(, RecoveryChannel, mit::k_each_dialect, mit::dialect_name);

using mit::Recovery;

TEST_P(RecoveryChannel, gives_back_the_fills_of_a_member_who_was_away_once_and_in_order) {
  RecoveringVenue venue;
  venue.trade_while_anna_is_away(5);
  const auto anna = venue.recover("ANNA", venue.missed_from, 0);
  ASSERT_EQ(anna->reports.size(), 5u);
  std::uint64_t before = venue.missed_from;
  for (const OwnerReport& report : anna->reports) {
    EXPECT_EQ(report.kind, OwnerReportKind::traded);
    EXPECT_GT(report.sequence.value, before);
    before = report.sequence.value;
  }
  EXPECT_TRUE(anna->last.is_complete);
  EXPECT_EQ(venue.recovery.counters().reports_sent, 6u) << "the one she had, and five";
  // Nothing of it is in the session itself, and what comes now is only there.
  const auto again = venue.recover("ANNA", before, 0);
  EXPECT_TRUE(again->reports.empty());
  EXPECT_TRUE(again->last.is_complete);
}

/// What sessions sent in the instant of a request is done when the request is answered.
TEST_P(RecoveryChannel, is_asked_in_the_instants_in_which_orders_come) {
  RecoveringVenue venue;
  venue.trade_while_anna_is_away(2);
  OrderInEveryInstant orders(*venue.bert, venue.scheduler);
  const auto anna = venue.recover("ANNA", venue.missed_from, 0);
  orders.stop();
  EXPECT_EQ(anna->reports.size(), 2u);
  EXPECT_TRUE(anna->last.is_complete);
  venue.run(10ms);
  EXPECT_GT(orders.sent, 5);
  EXPECT_EQ(std::ranges::count(venue.bert->reports, OwnerReportKind::accepted, &OwnerReport::kind), orders.sent + 2);
}

TEST_P(RecoveryChannel, serves_the_present_day_only_and_refuses_numbers_of_earlier_ones) {
  RecoveringVenue venue;
  venue.trade_while_anna_is_away(3);
  ASSERT_GT(venue.missed_from, 2u);
  ASSERT_TRUE(venue.front.end_day(venue.scheduler.now()).has_value());
  venue.run(10s);
  EXPECT_FALSE(venue.anna->is_on);
  for (Member* member : {venue.bert.get(), venue.anna.get()}) venue.network.connect(venue.address, member->session);
  venue.run(1ms);
  ASSERT_TRUE(venue.anna->is_on && venue.bert->is_on);
  // Nothing was said to her yet today: from 1 on there is nothing, and what she had is refused.
  const auto old = venue.recover("ANNA", venue.missed_from, 0);
  EXPECT_FALSE(old->last.is_complete);
  EXPECT_EQ(old->last.partition, 1);
  EXPECT_EQ(old->last.response, Recovery::unavailable);
  EXPECT_EQ(old->day, venue.front.venue_day());
  EXPECT_EQ(old->day.number, 1u);
  EXPECT_TRUE(old->day.is_said());
  const auto none = venue.recover("ANNA", 0, 0);
  EXPECT_TRUE(none->last.is_complete);
  EXPECT_TRUE(none->reports.empty());
  // Reports to both: a number that was Bert's is none of hers, one of her own is.
  for (int count = 0; count < 3; ++count) {
    venue.send(*venue.bert, valid_order({.side = Side::buy, .lots = 1, .ticks = 50, .id = "b"}));
    venue.send(*venue.anna, valid_order({.side = Side::buy, .lots = 1, .ticks = 50, .id = "a"}));
  }
  venue.anna->session.logout("lunch");
  venue.run(5s);
  venue.network.connect(venue.address, venue.anna->session);
  venue.run(1ms);
  EXPECT_EQ(venue.recover("ANNA", 3, 0)->last.response, Recovery::unavailable);
  const auto own = venue.recover("ANNA", 4, 0);
  EXPECT_TRUE(own->last.is_complete);
  ASSERT_EQ(own->reports.size(), 1u);
  EXPECT_EQ(own->reports[0].sequence.value, 6u);
}

/// A partition on a disk whose log no longer has what Anna missed.
struct ArchivingVenue {
  explicit ArchivingVenue(const RecoveryFrontConfig& recovery_config) {
    FrontConfig config = make_front_config();
    config.users.push_back({.name = "DORA", .password = "Secret#2026"});  // as many as the partition has
    front.emplace(config, scheduler, std::vector<Partition*>{&partition()});
    recovery.emplace(in_dialect(recovery_config), scheduler, *front, std::vector<Partition*>{&partition()},
                     std::vector<ReportArchive*>{&archive});
    EXPECT_TRUE(network.listen(orders, *front) && network.listen(missed, *recovery));
    for (int count = 0; partition().reports().first_kept().value < 100; ++count) {
      auto order = make_order({.user = 0,
                               .side = count % 2 == 0 ? Side::buy : Side::sell,
                               .lots = 1,
                               .ticks = count % 2 == 0 ? 50 : 100,
                               .instrument = k_silk});
      EXPECT_TRUE(partition().submit(order.header, scheduler.now()).has_value());
      market::MassCancel cancel;
      cancel.header.user = 0;
      EXPECT_TRUE(partition().submit(cancel.header, scheduler.now()).has_value());
      run(1us);
    }
    network.connect(orders, anna.session);
    run(1ms);
    EXPECT_TRUE(anna.is_on);
  }
  void run(time::Duration duration) {
    link::run_instants(scheduler, duration, [&](Time now) {
      journaled->journal().work();
      front->finish(now);
      while (recovery->finish(now) != 0) network.finish(now);
      network.finish(now);
    });
  }
  [[nodiscard]] Partition& partition() { return journaled->partition(); }
  /// One byte in the middle of what is written in the first file of the journal is another one.
  void damage() {
    const auto names = disk.list();
    for (const std::string& name : *names)
      if (file.empty() && name.ends_with(".segment")) file = name;
    ASSERT_FALSE(file.empty());
    whole = disk.contents(file);
    std::vector<std::byte> changed = whole;
    changed[8192] ^= std::byte{0x40};
    disk.put(file, changed);
  }
  void repair() { disk.put(file, whole); }

  journal::SimulatedDisk disk;
  std::unique_ptr<JournaledPartition> journaled =
      std::move(*JournaledPartition::open(disk, journal_options(journal_settings(), k_start)));
  ReportArchive archive{*journaled, {.has_thread = false}};
  sched::Scheduler scheduler{512, k_start};
  link::SimulatedNetwork network{scheduler, {}};
  const link::Address orders{"venue", 1}, missed{"recovery", 1};
  std::optional<Front> front;
  std::optional<RecoveryFront> recovery;
  Member anna{scheduler, "ANNA"};
  std::string file;
  std::vector<std::byte> whole;
};

TEST_P(RecoveryChannel, says_that_a_journal_cannot_be_read_and_reads_it_again_until_it_can) {
  ArchivingVenue venue({.archive_retry = 5s});
  venue.damage();
  Recoverer anna(venue.scheduler, "ANNA");
  anna.client.ask_for(venue.partition().app_id(), {1});
  venue.network.connect(venue.missed, anna.client);
  venue.run(4s);
  EXPECT_TRUE(venue.recovery->is_unreadable(0));
  EXPECT_FALSE(anna.is_over);
  EXPECT_EQ(anna.statuses, std::vector<int>{2});
  venue.run(4s);
  EXPECT_EQ(venue.recovery->counters().unreadable, 2u) << "read again, in vain";
  venue.repair();
  venue.run(4s);
  EXPECT_FALSE(venue.recovery->is_unreadable(0));
  EXPECT_TRUE(anna.last.is_complete);
  EXPECT_EQ(anna.statuses, (std::vector{2, 1}));
  ASSERT_FALSE(anna.reports.empty());
  EXPECT_EQ(anna.reports.size() + anna.last.duplicates, venue.partition().reports().next_number().value - 1);
}

TEST_P(RecoveryChannel, what_is_in_the_log_is_served_while_the_journal_cannot_be_read) {
  ArchivingVenue venue({.archive_retry = 5s});
  venue.damage();
  Recoverer anna(venue.scheduler, "ANNA");
  anna.client.ask_for(venue.partition().app_id(), {1});
  venue.network.connect(venue.missed, anna.client);
  venue.run(1s);
  ASSERT_TRUE(venue.recovery->is_unreadable(0));
  venue.network.cut(anna.client);
  venue.run(1s);
  Recoverer newer(venue.scheduler, "ANNA");
  newer.client.ask_for(venue.partition().app_id(), {venue.partition().reports().first_kept().value + 1});
  venue.network.connect(venue.missed, newer.client);
  venue.run(1s);
  EXPECT_TRUE(newer.last.is_complete);
  EXPECT_EQ(newer.statuses, std::vector<int>{});
}

/// A member then goes on without what was missed, and knows it.
TEST_P(RecoveryChannel, a_journal_that_stays_unreadable_has_lost_what_is_asked_for) {
  ArchivingVenue venue({.archive_retry = 1s, .archive_attempts = 3});
  venue.damage();
  Recoverer anna(venue.scheduler, "ANNA");
  anna.client.ask_for(venue.partition().app_id(), {1});
  venue.network.connect(venue.missed, anna.client);
  venue.run(1500ms);
  EXPECT_FALSE(anna.is_over);
  venue.run(2s);
  EXPECT_TRUE(anna.is_over);
  EXPECT_EQ(anna.statuses, (std::vector{2, 1})) << "asked again, it hears that there is nothing";
  EXPECT_EQ(anna.last.response, Recovery::unavailable);
  EXPECT_FALSE(anna.last.is_away);
}

/// The journal has today's reports from any number on: of one that was of an earlier day those in front of it would be
/// missed. What is asked for comes in parts, be it that the journal gives no more at a time or that a request does not.
TEST_P(RecoveryChannel, refuses_numbers_of_earlier_days_also_where_the_journal_would_serve_them) {
  for (const auto& [most, messages] : {std::pair(std::size_t{5}, 100'000u), std::pair(std::size_t{100'000}, 4u)}) {
    journal::SimulatedDisk disk;
    auto journaled = JournaledPartition::open(disk, journal_options(journal_settings(), k_start));
    ASSERT_TRUE(journaled);
    Partition& partition = (*journaled)->partition();
    ReportArchive archive(**journaled, {.most = most, .has_thread = false});
    FrontConfig config = make_front_config();
    config.users.push_back({.name = "DORA", .password = "Secret#2026"});  // as many as the partition has
    sched::Scheduler scheduler{512, k_start};
    link::SimulatedNetwork network(scheduler, {});
    Front front(config, scheduler, std::vector<Partition*>{&partition});
    RecoveryFront recovery(in_dialect({.messages = messages, .messages_a_turn = 5}), scheduler, front,
                           std::vector<Partition*>{&partition}, std::vector<ReportArchive*>{&archive});
    const link::Address orders{"venue", 1}, missed{"recovery", 1};
    ASSERT_TRUE(network.listen(orders, front) && network.listen(missed, recovery));
    const auto run = [&](time::Duration duration) {
      link::run_instants(scheduler, duration, [&](Time now) {
        (*journaled)->journal().work();
        front.finish(now);
        while (recovery.finish(now) != 0) network.finish(now);
        network.finish(now);
      });
    };
    ASSERT_TRUE(partition.begin_next_day(scheduler.now()).has_value());
    Cursor cursor = partition.reports().find({1});
    std::vector<OwnerReport> reports;
    for (int count = 0; partition.reports().first_kept().value < 100; ++count) {
      auto order = make_order({.user = static_cast<std::uint16_t>(count % 3),
                               .side = count % 2 == 0 ? Side::buy : Side::sell,
                               .lots = 1,
                               .ticks = 100,
                               .instrument = k_silk});
      ASSERT_TRUE(partition.submit(order.header, scheduler.now()).has_value());
      const auto batch = partition.reports().read(cursor, {~std::uint64_t{0}});
      reports.insert(reports.end(), batch.reports.begin(), batch.reports.end());
      run(1us);
    }
    Member anna(scheduler, "ANNA"), dora(scheduler, "DORA");
    for (Member* member : {&anna, &dora}) network.connect(orders, member->session);
    run(1ms);
    ASSERT_TRUE(anna.is_on && dora.is_on);
    const auto recover = [&](std::uint64_t last, std::string_view user = "ANNA") {
      auto recoverer = std::make_unique<Recoverer>(scheduler, user);
      recoverer->client.ask_for(partition.app_id(), {last});
      network.connect(missed, recoverer->client);
      for (int count = 0; count < 2000 && !recoverer->is_over; ++count) run(10ms);
      return recoverer;
    };
    const auto number_of = [&](bool is_hers) {
      return std::ranges::find_if(
                 reports,
                 [&](const OwnerReport& each) { return each.sequence.value > 50 && (each.user == 0) == is_hers; })
          ->sequence.value;
    };
    ASSERT_LT(number_of(false), 100u);
    const auto other = recover(number_of(false));
    EXPECT_EQ(other->last.response, Recovery::unavailable);
    EXPECT_TRUE(other->reports.empty());
    const auto own = recover(number_of(true));
    EXPECT_LE(own->last.duplicates, recovery.counters().requests) << "the one that she has, in each answer";
    EXPECT_TRUE(own->last.is_complete);
    EXPECT_EQ(own->reports.size(),
              static_cast<std::size_t>(std::ranges::count_if(reports, [&](const OwnerReport& each) {
                return each.user == 0 && each.sequence.value > number_of(true);
              })));
    EXPECT_EQ(recover(60, "DORA")->last.response, Recovery::unavailable) << "the journal has nothing of hers";
    EXPECT_GT(recovery.counters().archived, 3u);
    EXPECT_LE(recovery.counters().reports_sent, recovery.counters().requests * messages);
  }
}

TEST_P(RecoveryChannel, says_which_day_of_which_venue_it_is_and_never_that_of_another_session) {
  RecoveringVenue venue;
  EXPECT_FALSE(venue.front.venue_day().is_said());
  market::UserCommand command{.header = {.user = 0, .type = market::CommandType::logon}};
  ASSERT_TRUE(venue.partition_one.submit(command.header, venue.scheduler.now()).has_value());
  EXPECT_FALSE(venue.front.venue_day().is_said()) << "the other partition has not begun";
  venue.trade_while_anna_is_away(1);
  const mit::VenueDay first = venue.recover("ANNA", venue.missed_from, 0)->day;
  EXPECT_TRUE(first.is_said());
  EXPECT_EQ(first.number, 0u);
  venue.run(1s);
  // The numbers begin anew in both partitions, and no session is logged out before that is durable.
  venue.journal_two.lag();
  ASSERT_TRUE(venue.front.end_day(venue.scheduler.now()).has_value());
  venue.run(100ms);
  ASSERT_TRUE(venue.front.is_day_over(0) && venue.anna->is_on);
  const auto between = venue.recover("ANNA", venue.missed_from, 0);
  EXPECT_EQ(between->last.logon_code, mit::code::k_no_session);
  EXPECT_FALSE(between->day.is_said());
  venue.journal_two.is_lagging = false;
  venue.run(10s);
  venue.network.connect(venue.address, venue.anna->session);
  venue.run(1ms);
  ASSERT_TRUE(venue.anna->is_on);
  EXPECT_EQ(venue.recover("ANNA", 0, 0)->day, (mit::VenueDay{.venue = first.venue, .number = 1}));
  // Another venue began at another time.
  RecoveringVenue other;
  other.run(1s);
  other.trade_while_anna_is_away(1);
  EXPECT_NE(other.recover("ANNA", 0, 0)->day.venue, first.venue);
}

TEST_P(RecoveryChannel, from_number_0_everything_of_the_user_and_nothing_of_others) {
  RecoveringVenue venue;
  venue.trade_while_anna_is_away(3);
  const auto anna = venue.recover("ANNA", 0, 0);
  EXPECT_EQ(anna->reports.size(), 6u) << "three accepted, three traded";
  for (const OwnerReport& report : anna->reports) EXPECT_EQ(report.user, 0);
}

TEST_P(RecoveryChannel, stops_in_front_of_the_first_report_of_the_session) {
  RecoveringVenue venue;
  venue.trade_while_anna_is_away(1);
  venue.send(*venue.anna, valid_order({.side = Side::buy, .lots = 1, .ticks = 90, .id = "A9"}));
  const auto anna = venue.recover("ANNA", venue.missed_from, 0);
  ASSERT_EQ(anna->reports.size(), 1u);
  EXPECT_EQ(venue.anna->reports.back().client_order_id.view(), "A9");
  EXPECT_LT(anna->reports[0].sequence, venue.anna->reports.back().sequence);
}

TEST_P(RecoveryChannel, is_for_users_with_a_session_and_their_password_one_at_a_time) {
  RecoveringVenue venue;
  EXPECT_EQ(venue.recover("ANNA", 0, 0)->last.logon_code, mit::code::k_no_session);
  const auto anna = venue.log_on("ANNA");
  EXPECT_EQ(venue.recover("ANNA", 0, 0, "wrong")->last.logon_code, mit::code::k_invalid_credentials);
  EXPECT_EQ(venue.recover("NOBODY", 0, 0)->last.logon_code, mit::code::k_user_not_found);
  RawPeer first;
  venue.network.connect(venue.port, first);
  venue.run(1ms);
  std::byte room[200];
  const auto size =
      mit::dialect_under_test().encode_logon({Text<25>::cut("ANNA"), Text<25>::cut("Secret#2026"), {}}, Room(room));
  first.say(Bytes(room).first(*size));
  venue.run(1ms);
  EXPECT_EQ(venue.recover("ANNA", 0, 0)->last.logon_code, mit::code::k_already_logged_in);
  EXPECT_EQ(venue.recovery.counters().logons_refused, 4u);
  // The end of the session is the end of its recovery.
  anna->session.logout("done");
  venue.run(5s);
  EXPECT_TRUE(first.is_closed);
}

TEST_P(RecoveryChannel, bounds_messages_of_a_request_and_requests_of_a_session) {
  RecoveringVenue venue({.requests = 4, .messages = 2});
  venue.trade_while_anna_is_away(4);
  // From the number she has: itself and one, then the last again and one, and so on.
  const auto anna = venue.recover("ANNA", venue.missed_from, 0);
  EXPECT_EQ(anna->reports.size(), 4u);
  EXPECT_FALSE(anna->last.is_complete) << "the fifth request was one too many";
  EXPECT_EQ(anna->last.response, Recovery::limit);
  // A new session has new requests.
  venue.anna->session.logout("again");
  venue.run(5s);
  venue.network.connect(venue.address, venue.anna->session);
  venue.run(1ms);
  EXPECT_TRUE(venue.recover("ANNA", anna->client.highest(1).value, 0)->last.is_complete);
}

TEST_P(RecoveryChannel, what_the_log_has_lost_is_unavailable_and_never_left_out) {
  RecoveringVenue venue({}, {.orders = 8, .levels = 8, .reports = 96});
  venue.trade_while_anna_is_away(2);
  for (int count = 0; count < 60; ++count) {
    const std::string id = "C" + std::to_string(count);
    venue.send(*venue.bert, valid_order({.side = Side::buy, .lots = 1, .ticks = 50, .id = id}));
    market::MassCancel cancel{.client_order_id = Text<20>::cut("M" + std::to_string(count))};
    cancel.header.instrument = k_rice;
    venue.send(*venue.bert, cancel);
  }
  const auto anna = venue.recover("ANNA", venue.missed_from, 0);
  EXPECT_TRUE(anna->reports.empty());
  EXPECT_EQ(anna->last.partition, 1);
  EXPECT_EQ(anna->last.response, Recovery::unavailable);
}

TEST_P(RecoveryChannel, refuses_while_a_partition_is_away_and_says_when_it_is_back) {
  RecoveringVenue venue;
  venue.trade_while_anna_is_away(1);
  venue.recovery.set_available(0, false);
  const auto anna = venue.recover("ANNA", venue.missed_from, 0);
  EXPECT_FALSE(anna->is_over) << "it waits";
  EXPECT_TRUE(anna->reports.empty());
  venue.recovery.set_available(0, true);
  venue.run(100ms);
  EXPECT_EQ(anna->reports.size(), 1u);
  EXPECT_TRUE(anna->last.is_complete);
  // Who is not told in time that it is back is no longer there, and was not refused for good.
  venue.recovery.set_available(0, false);
  const auto late = venue.recover("ANNA", venue.missed_from, 0);
  venue.run(20s);
  EXPECT_EQ(late->text, "no request");
  EXPECT_TRUE(late->last.is_away);
  EXPECT_EQ(late->last.response, Recovery::good);
  venue.recovery.set_available(0, true);
  EXPECT_EQ(venue.recover("ANNA", venue.missed_from, 0)->reports.size(), 1u);
}

TEST_P(RecoveryChannel, an_unknown_partition_is_named_so) {
  RecoveringVenue venue;
  const auto anna = venue.log_on("ANNA");
  Recoverer recoverer(venue.scheduler, "ANNA");
  recoverer.client.ask_for(7, {1});
  venue.network.connect(venue.port, recoverer.client);
  venue.run(100ms);
  EXPECT_EQ(recoverer.last.response, Recovery::unknown_partition);
}

TEST_P(RecoveryChannel, serves_many_messages_through_many_turns) {
  RecoveringVenue venue({.messages_a_turn = 3, .reports_a_turn = 5});
  venue.trade_while_anna_is_away(20);
  EXPECT_EQ(venue.recover("ANNA", venue.missed_from, 0)->reports.size(), 20u);
}

TEST_P(RecoveryChannel, refuses_more_connections_than_it_has_and_configurations_without_sense) {
  RecoveringVenue venue({.sessions = 1});
  RawPeer first, second;
  venue.network.connect(venue.port, first);
  venue.run(1ms);
  venue.network.connect(venue.port, second);
  venue.run(1ms);
  EXPECT_TRUE(second.is_closed);
  EXPECT_EQ(venue.recovery.counters().connections_refused, 1u);
  const std::vector<Partition*> partitions{&venue.partition_one};
  EXPECT_THROW(RecoveryFront({.sessions = 0}, venue.scheduler, venue.front, partitions), std::invalid_argument);
  EXPECT_THROW(RecoveryFront({.messages = 0}, venue.scheduler, venue.front, partitions), std::invalid_argument);
  EXPECT_THROW(RecoveryFront({}, venue.scheduler, venue.front, {}), std::invalid_argument);
}

TEST_P(RecoveryChannel, knows_nobody_whose_connection_is_gone) {
  RecoveringVenue venue({.sessions = 2});
  venue.trade_while_anna_is_away(1);
  Recoverer anna(venue.scheduler, "ANNA"), bert(venue.scheduler, "BERT");
  for (Recoverer* each : {&anna, &bert}) {
    each->client.ask_for(1, {});
    venue.network.connect(venue.port, each->client);
  }
  venue.run(100ms);
  ASSERT_TRUE(anna.last.is_complete && bert.last.is_complete);
  EXPECT_TRUE(venue.recover("ANNA", 0, 0)->last.is_complete);
  EXPECT_TRUE(venue.recover("BERT", 0, 0)->last.is_complete);
}

/// An OrderCancelReject comes again to a user that asks from it, and to none that has nothing.
TEST_P(RecoveryChannel, gives_back_no_refusal_that_was_the_first_thing_said) {
  RecoveringVenue venue;
  venue.anna = venue.log_on("ANNA");
  market::Cancel cancel;
  cancel.header.instrument = k_rice;
  cancel.client_order_id = Text<20>::cut("c");
  cancel.original_client_order_id = Text<20>::cut("nobody's");
  cancel.side = Side::buy;
  venue.send(*venue.anna, cancel);
  ASSERT_EQ(venue.anna->session.highest_sequence(1).value, 1u);
  venue.anna->session.logout("lunch");
  venue.run(5s);
  venue.network.connect(venue.address, venue.anna->session);
  venue.run(1ms);
  const auto anna = venue.recover("ANNA", 0, 0);
  EXPECT_TRUE(anna->last.is_complete);
  EXPECT_TRUE(anna->reports.empty());
}

/// On the first day there is no number of an earlier one: a member compares what comes.
TEST_P(RecoveryChannel, serves_any_number_on_the_first_day) {
  RecoveringVenue venue;
  venue.trade_while_anna_is_away(3);
  const auto berts = venue.bert->reports.front().sequence;
  EXPECT_NE(berts.value, venue.missed_from);
  const auto anna = venue.recover("ANNA", berts.value, 0);
  EXPECT_TRUE(anna->last.is_complete);
  EXPECT_FALSE(anna->reports.empty());
}

/// A connection that is gone leaves its place to the next one.
TEST_P(RecoveryChannel, has_its_sessions_again_when_they_are_over) {
  RecoveringVenue venue({.sessions = 1});
  venue.trade_while_anna_is_away(1);
  for (int times = 0; times < 3; ++times) {
    EXPECT_EQ(venue.recover("ANNA", venue.missed_from, 0)->reports.size(), 1u);
    RawPeer silent;
    venue.network.connect(venue.port, silent);
    venue.run(20s);
    EXPECT_TRUE(silent.is_closed) << "nobody logs on";
  }
  EXPECT_EQ(venue.recovery.counters().connections_refused, 0u);
  EXPECT_EQ(venue.recovery.counters().connections, 6u);
}

TEST(ReportLogFind, finds_numbers_among_reports_without_any_in_a_ring_that_has_gone_round) {
  ReportLog log(16);
  EXPECT_EQ(log.find({1}).position, 0u);
  EXPECT_EQ(log.first_kept(), market::Sequence{1});
  std::uint64_t number = 0;
  for (std::uint64_t at = 0; at < 100; ++at) {
    OwnerReport report;
    report.sequence = {at % 3 == 1 ? ++number : 0};
    report.command = {at + 1};
    log.append(report);
    for (std::uint64_t wanted = 1; wanted <= number + 1; ++wanted) {
      Cursor cursor = log.find({wanted});
      std::uint64_t first = 0;
      for (auto batch = log.read(cursor, {1000}); !batch.reports.empty() && first == 0;
           batch = log.read(cursor, {1000})) {
        for (const OwnerReport& each : batch.reports)
          if (first == 0) first = each.sequence.value;
      }
      const std::uint64_t expected = wanted > number ? 0 : std::max(wanted, log.first_kept().value);
      EXPECT_EQ(first, expected) << at << " " << wanted;
    }
  }
}

}  // namespace
}  // namespace dojima::venue::testing
