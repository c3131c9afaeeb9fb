// A session that follows a schedule, against a scripted peer in virtual time.

#include "dojima/fix/scheduled_session.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "dojima/fix/journal_stores.hpp"
#include "dojima/fix/session_test_peer.hpp"
#include "dojima/journal/simulated_disk.hpp"
#include "dojima/time/timestamp_text.hpp"
#include "dojima/time/zone_rules_test_support.hpp"

namespace dojima::fix {
namespace {

using namespace std::chrono_literals;
using std::chrono::Friday;
using std::chrono::Monday;
using testing::utc;
using Texts = std::vector<std::string>;

struct NotingObserver final : ScheduleObserver {
  void on_numbers_reset(Session& session, Time now) override {
    EXPECT_FALSE(session.is_connected());
    EXPECT_EQ(session.next_outgoing().value, 1u);
    EXPECT_EQ(session.next_incoming().value, 1u);
    resets.push_back(testing::stamp(now));
  }
  Texts resets;
};

/// The acceptor VENUE, by a schedule, and the peer ME.
struct Day {
  Day(ScheduleConfig config, const std::string& start, ScheduledSessionOptions options = {},
      Refusal refusal = Refusal::silent)
      : now(utc(start)),
        scheduler(64, now),
        venue(scheduler, SessionSchedule(std::move(config)),
              {.role = Role::acceptor,
               .sender_comp_id = "VENUE",
               .target_comp_id = "ME",
               .logout_timeout = 10s,
               .refusal = refusal},
              handler, store, with(std::move(options)), now) {}
  ~Day() {
    if (venue.session().is_connected()) venue.session().on_closed(link::CloseReason::by_peer, now);
  }

  ScheduledSessionOptions with(ScheduledSessionOptions options) {
    options.observer = &observer;
    return options;
  }

  void run_until(const std::string& text) { run_to(utc(text)); }
  void run_to(Time time) {
    scheduler.check(time, 10'000);
    now = time;
  }
  void connect() {
    transport.reopen();
    venue.session().on_open(transport, now);
  }
  void send(const std::string& type, unsigned number, const std::string& rest = "") {
    const std::string bytes = testing::framed("35=" + type + "|34=" + std::to_string(number) +
                                              "|49=ME|52=" + testing::stamp(now) + "|56=VENUE|" + rest);
    EXPECT_EQ(venue.session().on_bytes(as_bytes(bytes), now), bytes.size());
  }
  void log_on(unsigned number = 1) {
    connect();
    send("A", number, "98=0|108=0|");
  }
  /// What was sent, as MsgType, number and Text.
  Texts take() {
    Texts messages;
    const std::string bytes = std::exchange(transport.kept, {});
    for (std::size_t at = 0; at < bytes.size();) {
      const FrameSearch found = find_frame(as_bytes(std::string_view(bytes).substr(at)), k_body_max);
      if (found.state != FrameState::whole) {
        ADD_FAILURE() << testing::readable(bytes);
        break;
      }
      MessageView view;
      EXPECT_TRUE(view.read(found.frame));
      messages.push_back(std::string(*view.find(tag::k_msg_type)) + " " + std::string(*view.find(tag::k_msg_seq_num)) +
                         " " + std::string(view.find(tag::k_text).value_or("")));
      at += found.size;
    }
    return messages;
  }
  /// The network follows a close that was asked for.
  void finish_close() {
    ASSERT_TRUE(transport.closed());
    venue.session().on_closed(*transport.closed(), now);
  }
  Result<market::Sequence> send_report() {
    Writer report = venue.session().begin(type::k_execution_report);
    report.field(tag::k_order_id, "1");
    return venue.session().send(report);
  }

  Time now;
  sched::Scheduler scheduler;
  testing::NotingHandler handler;
  NotingObserver observer;
  testing::KeepingTransport transport;
  MemoryStore store{{.messages = 64, .bytes = 1 << 14}};
  ScheduledSession venue;
};

ScheduleConfig office_hours() {
  return {.session = Hours::daily(8h, 16h), .logon = {}, .zone = {}};
}

TEST(ScheduledSession, at_the_end_of_the_day_it_logs_out_and_begins_numbers_anew) {
  Day day(office_hours(), "20260720-09:00:00");
  day.log_on();
  day.run_until("20260720-15:59:59.999");
  EXPECT_EQ(day.take(), (Texts{"A 1 "}));
  day.run_until("20260720-16:00:00");
  EXPECT_EQ(day.take(), (Texts{"5 2 End of the session"}));
  EXPECT_EQ(day.venue.session().next_outgoing().value, 3u) << "the Logout has to be answered first";
  day.send("5", 2);
  day.finish_close();
  EXPECT_EQ(day.handler.take(), (Texts{"logon", "logout: logged out", "closed: closed by us"}));
  EXPECT_EQ(day.observer.resets, (Texts{"20260720-16:00:00.000"}));
  EXPECT_EQ(day.venue.numbers_begun(), utc("20260720-16:00:00"));

  day.run_until("20260721-08:00:00");
  day.log_on(1);
  EXPECT_EQ(day.take(), (Texts{"A 1 "}));
  EXPECT_EQ(day.handler.take(), (Texts{"logon"}));
  EXPECT_EQ(day.observer.resets.size(), 1u) << "once a day";
}

TEST(ScheduledSession, a_peer_that_does_not_answer_the_logout_is_dropped_and_the_numbers_begin_anew) {
  Day day(office_hours(), "20260720-09:00:00");
  day.log_on();
  day.run_until("20260720-16:00:09.999");
  EXPECT_FALSE(day.transport.closed());
  EXPECT_TRUE(day.observer.resets.empty());
  day.run_until("20260720-16:00:10");
  day.finish_close();
  EXPECT_EQ(day.observer.resets, (Texts{"20260720-16:00:10.000"}));
}

TEST(ScheduledSession, a_connection_that_has_not_logged_on_at_the_end_of_the_day_is_closed) {
  Day day(office_hours(), "20260720-15:59:55");
  day.connect();
  day.run_until("20260720-16:00:00");
  ASSERT_TRUE(day.transport.closed());
  EXPECT_TRUE(day.take().empty());
  day.finish_close();
  EXPECT_EQ(day.observer.resets.size(), 1u);
}

TEST(ScheduledSession, without_a_connection_the_numbers_begin_anew_at_the_boundary) {
  Day day(office_hours(), "20260720-09:00:00");
  ASSERT_TRUE(day.send_report());
  EXPECT_EQ(day.store.next_outgoing().value, 2u);
  day.run_until("20260720-15:59:59.999");
  EXPECT_EQ(day.store.next_outgoing().value, 2u);
  day.run_until("20260720-16:00:00");
  EXPECT_EQ(day.store.next_outgoing().value, 1u);
  day.run_until("20260722-12:00:00");
  EXPECT_EQ(day.observer.resets, (Texts{"20260720-16:00:00.000", "20260721-16:00:00.000"}));
}

TEST(ScheduledSession, what_is_sent_between_two_days_belongs_to_the_next) {
  Day day(office_hours(), "20260720-20:00:00");
  ASSERT_TRUE(day.send_report());
  day.run_until("20260721-08:00:00");
  day.log_on();
  day.send("2", 2, "7=1|16=0|");
  EXPECT_EQ(day.take(), (Texts{"A 2 ", "8 1 ", "4 2 "})) << "the Logon is not sent again";
}

TEST(ScheduledSession, what_is_sent_after_a_day_of_messages_has_the_numbers_of_the_next) {
  Day day(office_hours(), "20260720-09:00:00");
  day.log_on();
  for (int count = 0; count < 5; ++count) ASSERT_TRUE(day.send_report());
  day.run_until("20260720-16:00:00");
  day.send("5", 2);
  day.finish_close();
  const Result<market::Sequence> sent = day.send_report();
  ASSERT_TRUE(sent);
  EXPECT_EQ(sent->value, 1u);
}

TEST(ScheduledSession, the_gate_is_open_in_the_logon_hours_only) {
  Day day({.session = Hours::daily(8h, 16h), .logon = Hours::daily(8h, 9h), .zone = {}}, "20260720-07:00:00");
  EXPECT_FALSE(day.venue.may_log_on(utc("20260720-07:59:59")));
  EXPECT_TRUE(day.venue.may_log_on(utc("20260720-08:00:00")));
  EXPECT_FALSE(day.venue.may_log_on(utc("20260720-09:00:00")));
  EXPECT_EQ(day.venue.next_logon(utc("20260720-09:00:00")), utc("20260721-08:00:00"));
}

TEST(ScheduledSession, who_logged_on_in_time_stays_when_the_logon_hours_end) {
  Day day({.session = Hours::daily(8h, 16h), .logon = Hours::daily(8h, 9h), .zone = {}}, "20260720-08:00:00");
  day.log_on();
  day.run_until("20260720-15:00:00");
  EXPECT_TRUE(day.venue.session().is_logged_on());
}

TEST(ScheduledSession, a_logon_outside_of_the_hours_is_refused_as_the_session_is_configured) {
  for (const Refusal refusal : {Refusal::silent, Refusal::logout}) {
    Day day(office_hours(), "20260720-07:00:00", {}, refusal);
    day.log_on();
    EXPECT_EQ(day.take(), refusal == Refusal::silent ? Texts{} : Texts{"5 1 Outside of session hours"});
    day.finish_close();
    EXPECT_EQ(day.handler.take(), (Texts{"closed: closed by us"})) << "there was no session";
    ASSERT_EQ(day.handler.troubles.size(), 1u);
    EXPECT_EQ(day.handler.troubles[0].code, ErrorCode::refused);
    day.run_until("20260720-08:00:00");
    day.log_on();
    EXPECT_EQ(day.handler.take(), (Texts{"logon"}));
  }
}

TEST(ScheduledSession, within_the_hours_the_application_decides_about_a_logon) {
  struct Refusing final : testing::NotingHandler {
    LogonDecision on_logon_request(Session&, const MessageView& logon, Time) override {
      events.push_back("request " + std::string(logon.find(tag::k_sender_comp_id).value_or("?")));
      return {.is_accepted = false, .text = "not you"};
    }
  } handler;
  const Time now = utc("20260720-09:00:00");
  sched::Scheduler scheduler(64, now);
  testing::KeepingTransport transport;
  ScheduledSession venue(scheduler, SessionSchedule(office_hours()),
                         {.sender_comp_id = "VENUE", .target_comp_id = "ME", .refusal = Refusal::logout}, handler, {},
                         now);
  venue.session().on_open(transport, now);
  const std::string logon = testing::framed("35=A|34=1|49=ME|52=20260720-09:00:00|56=VENUE|98=0|108=30|");
  EXPECT_EQ(venue.session().on_bytes(as_bytes(logon), now), logon.size());
  EXPECT_EQ(handler.take(), (Texts{"request ME"}));
  EXPECT_NE(testing::readable(transport.kept).find("58=not you|"), std::string::npos);
  venue.session().on_closed(link::CloseReason::by_us, now);
}

TEST(ScheduledSession, where_days_follow_on_each_other_the_gate_is_closed_until_the_numbers_are_those_of_the_new_day) {
  Day day({.session = Hours::daily(17h, 17h), .logon = {}, .zone = {}}, "20260720-12:00:00");
  day.log_on();
  EXPECT_TRUE(day.venue.may_log_on(utc("20260720-16:59:59")));
  day.run_until("20260720-17:00:03");
  EXPECT_FALSE(day.venue.may_log_on(day.now));
  day.send("5", 2);
  day.finish_close();
  EXPECT_TRUE(day.venue.may_log_on(day.now));
  EXPECT_EQ(day.venue.session_day(), (Period{utc("20260720-17:00:00"), utc("20260721-17:00:00")}));
  day.log_on(1);
  EXPECT_EQ(day.take().back(), "A 1 ");
}

TEST(ScheduledSession, after_a_restart_numbers_of_a_day_that_is_over_begin_anew) {
  struct Case {
    const char* begun;
    const char* start;
    bool begins_anew;
  };
  for (const Case& each :
       {Case{"20260720-08:00:00", "20260720-15:00:00", false}, Case{"20260719-16:00:10", "20260720-15:00:00", false},
        Case{"20260720-08:00:00", "20260720-16:00:00", true}, Case{"20260720-08:00:00", "20260721-07:00:00", true},
        Case{"20260720-08:00:00", "20260721-12:00:00", true}, Case{"20260720-08:00:00", "20270720-12:00:00", true}}) {
    sched::Scheduler scheduler(64, utc(each.start));
    testing::NotingHandler handler;
    MemoryStore store({.messages = 64, .bytes = 1 << 14});
    store.set_next_outgoing({7});
    store.set_next_incoming({9});
    store.set_numbers_begun(utc(each.begun));
    ScheduledSession venue(scheduler, SessionSchedule(office_hours()),
                           {.sender_comp_id = "VENUE", .target_comp_id = "ME"}, handler, store, {}, utc(each.start));
    EXPECT_EQ(store.next_outgoing().value, each.begins_anew ? 1u : 7u) << each.begun << " " << each.start;
    EXPECT_EQ(store.next_incoming().value, each.begins_anew ? 1u : 9u) << each.begun << " " << each.start;
    EXPECT_EQ(venue.numbers_begun(), utc(each.begins_anew ? each.start : each.begun))
        << each.begun << " " << each.start;
    // Either way the next boundary is one.
    scheduler.check(utc(each.start) + 24h, 100);
    EXPECT_EQ(store.next_outgoing().value, 1u);
  }
}

TEST(ScheduledSession, a_store_on_disk_knows_over_restarts_which_day_its_numbers_belong_to) {
  journal::SimulatedDisk disk;
  // Each life: when it starts, which number its first message gets, and when the numbers were begun by then.
  struct Life {
    const char* start;
    std::uint64_t first;
    const char* begun;
  };
  for (const Life& life :
       {Life{"20260720-09:00:00", 1, "20260720-09:00:00"}, Life{"20260720-15:59:59", 3, "20260720-09:00:00"},
        Life{"20260720-16:00:00", 1, "20260720-16:00:00"}, Life{"20260721-07:00:00", 3, "20260720-16:00:00"},
        Life{"20260721-15:00:00", 5, "20260720-16:00:00"}, Life{"20260724-12:00:00", 1, "20260724-12:00:00"},
        Life{"20260724-12:00:01", 3, "20260724-12:00:00"}}) {
    const auto stores = JournalStores::open(disk, {.segment_bytes = 1 << 16, .disk_bytes = 1 << 22}).value();
    MessageStore& store = *stores->store({"FIX.4.4", "VENUE", "ME"}).value();
    sched::Scheduler scheduler(64, utc(life.start));
    testing::NotingHandler handler;
    ScheduledSession venue(scheduler, SessionSchedule(office_hours()),
                           {.sender_comp_id = "VENUE", .target_comp_id = "ME"}, handler, store, {}, utc(life.start));
    EXPECT_EQ(venue.numbers_begun(), utc(life.begun)) << life.start;
    for (const std::uint64_t number : {life.first, life.first + 1}) {
      Writer report = venue.session().begin(type::k_execution_report);
      report.field(tag::k_order_id, "1");
      EXPECT_EQ(venue.session().send(report)->value, number) << life.start;
    }
    stores->journal().abandon();  // as a process that is killed
  }
}

TEST(ScheduledSession, a_reset_within_the_day_begins_the_numbers_of_that_day) {
  Day day(office_hours(), "20260720-07:00:00");
  day.run_until("20260720-09:00:00");
  day.log_on();
  day.run_until("20260720-12:00:00");
  day.send("A", 1, "98=0|108=30|141=Y|");
  EXPECT_EQ(day.venue.numbers_begun(), utc("20260720-12:00:00"));
}

TEST(ScheduledSession, a_weekly_session_lasts_from_monday_to_friday_of_london) {
  Day week({.session = Hours::weekly(Monday, 7h, Friday, 17h), .logon = {}, .zone = time::testing::london()},
           "20260323-07:00:00");
  week.log_on();
  week.run_until("20260327-16:59:59");
  EXPECT_TRUE(week.venue.session().is_logged_on());
  week.run_until("20260327-17:00:00");
  EXPECT_EQ(week.take().back(), "5 2 End of the session");
  week.send("5", 2);
  week.finish_close();
  // Summer time begins that Sunday.
  EXPECT_FALSE(week.venue.may_log_on(utc("20260330-05:59:59")));
  EXPECT_TRUE(week.venue.may_log_on(utc("20260330-06:00:00")));
}

TEST(ScheduledSession, a_session_that_never_ends_keeps_its_numbers) {
  Day day({}, "20260720-09:00:00");
  ASSERT_TRUE(day.send_report());
  day.run_until("20360720-09:00:00");
  EXPECT_EQ(day.store.next_outgoing().value, 2u);
  EXPECT_TRUE(day.observer.resets.empty());
  EXPECT_TRUE(day.venue.may_log_on(day.now));
}

TEST(ScheduledSession, what_the_session_reports_reaches_the_application) {
  Day day(office_hours(), "20260720-09:00:00");
  day.log_on();
  day.send("D", 2, "11=a|21=1|38=100|40=2|44=12.5|54=1|55=RICE|60=20260720-09:00:00|");
  day.send("3", 3, "45=1|");
  day.send("D", 4, "11=b|");
  EXPECT_EQ(day.handler.take(), (Texts{"logon", "message D a", "reject of 1"}));
  EXPECT_FALSE(day.handler.troubles.empty());
}

TEST(ScheduledSession, with_a_store_of_its_own_it_does_the_same) {
  sched::Scheduler scheduler(64, utc("20260720-09:00:00"));
  testing::NotingHandler handler;
  ScheduledSession venue(scheduler, SessionSchedule(office_hours()),
                         {.sender_comp_id = "VENUE", .target_comp_id = "ME"}, handler, {}, utc("20260720-09:00:00"));
  venue.session().store().set_next_outgoing({5});
  scheduler.check(utc("20260720-16:00:00"), 100);
  EXPECT_EQ(venue.session().next_outgoing().value, 1u);
}

TEST(ScheduledSession, times_out_of_range_are_refused) {
  sched::Scheduler scheduler(64, utc("20260720-09:00:00"));
  testing::NotingHandler handler;
  const SessionConfig config{.sender_comp_id = "VENUE", .target_comp_id = "ME"};
  const SessionSchedule schedule(office_hours());
  MemoryStore store({.messages = 64, .bytes = 1 << 14});
  store.set_numbers_begun(Time::min());
  EXPECT_THROW(ScheduledSession(scheduler, schedule, config, handler, store, {}, scheduler.now()),
               std::invalid_argument);
  EXPECT_THROW(ScheduledSession(scheduler, schedule, config, handler, {}, time::k_never), std::invalid_argument);
}

}  // namespace
}  // namespace dojima::fix
