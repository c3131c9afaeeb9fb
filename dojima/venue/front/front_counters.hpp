#pragma once

// What a front has counted since it was made.

#include <cstdint>

namespace dojima::venue {

struct FrontCounters {
  std::uint64_t connections = 0;
  std::uint64_t connections_refused = 0;  ///< all sessions taken
  std::uint64_t logons = 0;
  std::uint64_t logons_refused = 0;
  std::uint64_t logons_delayed = 0;
  std::uint64_t logons_busy = 0;  ///< of those refused: too many waited for their passwords to be compared
  std::uint64_t passwords_changed = 0;
  std::uint64_t commands = 0;          ///< taken by a partition
  std::uint64_t commands_refused = 0;  ///< the partition could not take them: journal full, or reports wait for it
  std::uint64_t unavailable = 0;       ///< times that a partition's journal began to refuse orders
  std::uint64_t drained_refused = 0;   ///< orders while the venue is being drained
  std::uint64_t reports_sent = 0;
  std::uint64_t reports_missed = 0;  ///< their user was not logged on, or was ended because it did not read
  std::uint64_t sessions_ended = 0;  ///< because they did not read
  std::uint64_t holds = 0;           ///< times that a session was not read for a while
  std::uint64_t trades_busted = 0;
  std::uint64_t trades_corrected = 0;
  std::uint64_t days_begun = 0;
};

}  // namespace dojima::venue
