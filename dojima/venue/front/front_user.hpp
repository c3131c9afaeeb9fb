#pragma once

// A user of a front's.

#include <cstdint>
#include <vector>

#include "dojima/market/command.hpp"
#include "dojima/mit/server_session.hpp"
#include "dojima/time/time.hpp"
#include "dojima/venue/report_log.hpp"

namespace dojima::venue {

using time::Time;

/// A user as the front serves it: its session, and how far it has come with its reports.
struct FrontUser {
  mit::ServerSession* session = nullptr;  // while logged on
  bool is_lagging = false;
  bool is_held = false;         // its session is not read
  bool is_too_slow = false;     // logged on, but nothing is sent any more
  bool is_day_over = false;     // likewise: its session is of a day that is over, as the partitions know
  bool is_logout_sent = false;  // with that: Logout was sent before
  std::uint64_t logons = 0;
  market::SessionEnd pending_end = market::SessionEnd::none;  // not taken by every partition yet
  std::vector<Cursor> lag;                                    // per partition, while it is lagging
  Time sent{};                                                // while it is lagging: when it took something last
  Time stall_due{};                                           // until then it has to come to the goal
  std::uint64_t stall_goal = 0;                               // positions of `lag`, added up
  std::vector<std::uint8_t> end_pending;                      // per partition: the end is still to be submitted
  std::vector<std::uint8_t> status_due;                       // per partition: it is to hear that this is away
  std::vector<Cursor> begin;                                  // per partition: where its session's reports begin
  std::vector<market::Sequence> begin_number;                 // per partition: the number of the first of them
};

}  // namespace dojima::venue
