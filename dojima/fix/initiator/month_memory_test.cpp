// A month of two sides with their stores on simulated disks, numbers that begin anew every day: neither the disks nor
// the memory grow after the first days.

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <malloc.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "dojima/fix/initiator/initiator_test_world.hpp"
#include "dojima/fix/journal_stores.hpp"
#include "dojima/fix/scheduled_session.hpp"
#include "dojima/journal/simulated_disk.hpp"

namespace dojima::fix {
namespace {

using namespace std::chrono_literals;
using testing::utc;

const link::Address k_venue{"venue", 1};
constexpr int k_days = 31;
constexpr int k_first_days = 4;  // until everything that is kept has been there once

/// An application that counts, and its store.
struct MemorySide : Handler, ScheduleObserver {
  MemorySide() {
    auto opened = JournalStores::open(disk, {.name = "month",
                                             .segment_bytes = std::size_t{1} << 16,
                                             .disk_bytes = std::uint64_t{1} << 23,
                                             .messages = std::size_t{1} << 14,
                                             .sessions = 4});
    EXPECT_TRUE(opened);
    stores = std::move(*opened);
    work();
  }
  void on_logon(Session&, Time) override {}
  void on_logout(Session&, std::string_view, Time) override {}
  void on_message(Session&, const MessageView& message, Time) override {
    EXPECT_EQ(message.integer(tag::k_cl_ord_id).value(), ++received);
  }
  void on_trouble(Session&, const Error& error) override { ADD_FAILURE() << error.expected; }
  void on_numbers_reset(Session&, Time) override { ++resets; }

  void send(Session& session, Time now) {
    Writer order = session.begin(type::k_new_order_single);
    order.field(tag::k_cl_ord_id, ++sent).field(tag::k_symbol, "RICE").field(tag::k_side, '1');
    order.field(tag::k_transact_time, now).field(tag::k_ord_type, '1');
    EXPECT_TRUE(session.send(order));
  }
  void work() const {
    while (stores->journal().work()) {
    }
  }
  [[nodiscard]] std::uint64_t disk_bytes() {
    std::uint64_t bytes = 0;
    const auto names = disk.list();
    for (const std::string& name : *names) bytes += disk.contents(name).size();
    return bytes;
  }

  journal::SimulatedDisk disk;
  std::unique_ptr<JournalStores> stores;
  std::int64_t sent = 0, received = 0;
  int resets = 0;
};

/// Resident memory of this process.
std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// What one day left behind.
struct Sample {
  std::uint64_t files = 0, bytes = 0, heap = 0, resident = 0;
};

TEST(FixMonthLong, disk_and_memory_do_not_grow_after_the_first_days) {
  testing::World world("20260301-00:00:00");
  const SessionSchedule schedule({.session = Hours::daily(8h, 20h)});
  MemorySide client_side, venue_side;
  const auto store_of = [](MemorySide& side, const SessionConfig& config) -> MessageStore& {
    return **side.stores->store({config.begin_string, config.sender_comp_id, config.target_comp_id});
  };
  ScheduledSession venue(world.scheduler, schedule, testing::venue_config(), venue_side,
                         store_of(venue_side, testing::venue_config()), {.observer = &venue_side}, world.now);
  ScheduledSession client(world.scheduler, schedule, testing::client_config(), client_side,
                          store_of(client_side, testing::client_config()), {.observer = &client_side}, world.now);
  SessionAcceptor port(world.scheduler, {.links = 4, .unknown_links = 4});
  ASSERT_TRUE(port.add(venue.session()));
  ASSERT_TRUE(world.network.listen(k_venue, port));
  Initiator initiator(world.scheduler, world.network, client, {.hosts = {k_venue}, .delay_max = 5s});
  initiator.start(world.now);

  std::vector<Sample> days;
  days.reserve(k_days);
  for (int day = 0; day < k_days; ++day) {
    for (int minute = 0; minute < 24 * 60; ++minute) {
      const bool is_busy = minute % 60 < 40;  // else there are heartbeats
      for (int order = 0; order < 4 && is_busy && client.may_log_on(world.now); ++order) {
        client_side.send(client.session(), world.now);
        venue_side.send(venue.session(), world.now);
      }
      if (minute == 12 * 60) world.network.cut(initiator);
      world.run_for(1min);
      client_side.work();
      venue_side.work();
    }
    days.push_back({.files = client_side.disk.list()->size() + venue_side.disk.list()->size(),
                    .bytes = client_side.disk_bytes() + venue_side.disk_bytes(),
                    .heap = ::mallinfo2().uordblks,
                    .resident = resident_bytes()});
    ASSERT_EQ(client_side.resets, day + 1);
    ASSERT_EQ(venue_side.resets, day + 1);
  }
  EXPECT_EQ(client_side.received, venue_side.sent);
  EXPECT_EQ(venue_side.received, client_side.sent);
  EXPECT_GT(client_side.sent, 40'000);
  const auto most = [&days](std::size_t first, std::size_t end, auto member) {
    std::uint64_t value = 0;
    for (std::size_t day = first; day < end; ++day) value = std::max(value, days[day].*member);
    return value;
  };
  for (const auto& [member, slack] : {std::pair{&Sample::files, 0U},
                                      {&Sample::bytes, 0U},
                                      {&Sample::heap, 1U << 14},
                                      {&Sample::resident, 1U << 20}}) {
    EXPECT_LE(most(k_first_days, k_days, member), most(0, k_first_days, member) + slack);
  }
  initiator.stop();
  world.run_for(1min);
}

}  // namespace
}  // namespace dojima::fix
