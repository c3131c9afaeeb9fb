#pragma once

// What a partition is made of: its instruments, its users and their limits, its capacities. Plain values.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "dojima/book/rules.hpp"
#include "dojima/market/instrument.hpp"
#include "dojima/venue/segment.hpp"

namespace dojima::venue {

/// In a command's header: a mass cancel that the operator orders for the user, who gets a report of each order and no
/// answer.
inline constexpr std::uint8_t k_by_operator = 1;
/// ... an end of the day that concerns instruments without a timetable only.
inline constexpr std::uint8_t k_untimed = 2;

/// What a partition may use. All memory is taken at construction.
struct VenueLimits {
  std::size_t orders = 1 << 16;   ///< live orders
  std::size_t levels = 4096;      ///< occupied price levels per side of an instrument
  std::size_t reports = 1 << 18;  ///< report log; raised to least_reports(), and the log itself grows (report_log.hpp)
  std::size_t report_buffer = 256;  ///< book reports between two drains, >= 1
  std::size_t trades = 0;           ///< the newest ones that the operator can still bust, 112 bytes each
};

/// What a user may do in a partition.
struct UserLimits {
  std::uint32_t open_orders = std::numeric_limits<std::uint32_t>::max();      ///< live orders in a partition
  market::Quantity order_quantity{std::numeric_limits<std::int64_t>::max()};  ///< the largest order
};

/// What a partition knows of a user; users are numbered by their place in the configuration.
struct UserSetUp {
  UserLimits limits;
  bool cancel_on_disconnect = true;  ///< ends orders with k_auto_cancel when the link is lost
  bool cancel_on_logout = true;      ///< ... and after a logout, also a forced one
};

struct PartitionConfig {
  std::uint8_t app_id = 1;                      ///< 1 to 4
  std::vector<market::Instrument> instruments;  ///< those of this partition
  std::vector<UserSetUp> users;                 ///< every user of the venue, at most 65,535
  VenueLimits limits;
  std::uint8_t last_market = 21;  ///< LastMarket of trades, as MIT203 numbers it
  book::BookRules rules;          ///< of its books; an owner is a user
  /// Behind so many commands a checkpoint follows, by which a replay sees that it does the same; 0: none. A venue with
  /// a journal on disk wants them.
  std::uint64_t checkpoint_every = 0;
  /// Owners also hear of what happens to their orders without their doing: parked and entering, repriced, replenished,
  /// reduced (MIT203: ExecTypes 9 and D). Off in journals that do not say it.
  bool full_reports = false;
  /// Where more orders than so many end by one command, they end in slices of so many, one command each: mass cancels,
  /// ends of days and of sessions (Partition::sweep). 0: at once, as in journals that do not say it.
  std::uint32_t slice = 0;
  std::vector<Segment> segments;  ///< timetables and bands; instruments of no segment trade continuously for ever
};

/// So many reports must a log have room for, if half of it shall hold what any one command of a partition causes: at
/// most two reports for each order of the opposite side and two of its own. The end of a call trades both sides and
/// ends what is left of them.
[[nodiscard]] constexpr std::size_t most_reports(std::size_t orders, bool has_timetables) noexcept {
  return (has_timetables ? 8 : 4) * orders + 64;
}
/// What it has from the start: the same, but no more for orders beyond these, which no command but a very large one
/// has to do with.
inline constexpr std::size_t k_orders_at_once = 1 << 16;
[[nodiscard]] constexpr std::size_t least_reports(std::size_t orders, bool has_timetables) noexcept {
  return most_reports(orders < k_orders_at_once ? orders : k_orders_at_once, has_timetables);
}

/// What a part of a partition takes when its orders are all in use by plain ones.
struct MemoryPart {
  std::string_view what;
  std::size_t bytes = 0;
};

}  // namespace dojima::venue
