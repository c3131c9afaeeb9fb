#include "dojima/mit/connection_attempts.hpp"

#include <gtest/gtest.h>
#include <string>

namespace dojima::mit {
namespace {

/// Where so many attempts go, none of which succeeds.
std::string ways(ConnectionAttempts attempts, int count, bool has_secondary) {
  std::string all;
  for (; count > 0; --count) {
    all += attempts.next() == VenueGateway::primary ? 'p' : 's';
    attempts.note_failure(has_secondary);
  }
  return all;
}

TEST(ConnectionAttempts, go_three_times_to_the_primary_then_three_times_to_the_secondary_gateway) {
  EXPECT_EQ(ways({}, 14, true), "pppssspppssspp");
  EXPECT_EQ(ways({}, 7, false), "ppppppp");
}

TEST(ConnectionAttempts, begin_anew_after_a_session) {
  ConnectionAttempts attempts;
  for (int count = 0; count < 4; ++count) attempts.note_failure(true);
  EXPECT_EQ(attempts.next(), VenueGateway::secondary);
  attempts.note_success();
  EXPECT_EQ(ways(attempts, 4, true), "ppps");
}

}  // namespace
}  // namespace dojima::mit
