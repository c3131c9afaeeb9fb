#pragma once

// Days of the scripted venue, for tests of what a gateway makes of them.

#include <gtest/gtest.h>
#include <string>

#include "dojima/gateway/tests/gateway_test_recovery.hpp"

namespace dojima::gateway::testing {

using mit::VenueDay;

inline constexpr std::uint64_t k_this_venue = 1'764'000'000'000'000'000;

inline VenueDay day(std::uint64_t number) {
  return {.venue = k_this_venue, .number = number};
}

/// The venue's numbers begin at 1 again; executions go on.
inline void begin_venue_day(RecoveringWorld& world) {
  world.recovery.reports.clear();
  world.recovery.is_later_day = true;
  world.venue.last_sequence = 0;
  if (world.recovery.day.is_said()) ++world.recovery.day.number;
}

inline void end_venue_day(RecoveringWorld& world) {
  world.venue.users.at("USER1")->logout("end of day");
  world.run(1ms);
  begin_venue_day(world);
}

inline void say_day(RecoveringWorld& world, std::uint64_t number) {
  world.recovery.day = day(number);
}

/// The order is open, and its cancel goes to the venue.
inline void expect_open(RecoveringWorld& world, const std::string& id) {
  const std::size_t before = world.venue.cancels.size();
  world.client.send("F", cancel("C-" + id, id));
  world.run(1ms);
  EXPECT_EQ(world.venue.cancels.size(), before + 1) << id;
}

/// Another address of the venue, open also where the first one is not.
struct SecondVenueAddress final : link::Acceptor {
  link::Connection* on_accept(const link::Address& peer) override {
    if (!is_open) return nullptr;
    const bool was_open = std::exchange(venue->is_open, true);
    link::Connection* const connection = venue->on_accept(peer);
    venue->is_open = was_open;
    return connection;
  }
  ScriptedVenue* venue = nullptr;
  bool is_open = true;
};

}  // namespace dojima::gateway::testing
