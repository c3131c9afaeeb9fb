#pragma once

// The commands that the tables of bench book feed to every storage: made once, from a seed, by a generator with a book
// of its own (std::map of std::list, nothing of dojima/book), which also says what must come out. Aggressive orders are
// sized to fill completely and replacements go to another passive price, so no engine needs a convention to agree.

#include <cstdint>
#include <string_view>
#include <vector>

#include "dojima/market/order.hpp"

namespace dojima::bench {

enum class Deed : std::uint8_t { add, cancel, modify, take };

/// 16 bytes. Orders are named by dense numbers from 0 up.
struct FlowCommand {
  std::uint32_t order = 0;
  std::int32_t price = 0;  ///< add, modify: the limit; take: the worst price it needs
  std::int32_t quantity = 0;
  Deed deed = Deed::add;
  market::Side side = market::Side::none;
};
static_assert(sizeof(FlowCommand) == 16);

/// What an aggressive order meets, one by one.
struct FlowFill {
  std::uint32_t maker = 0;
  std::int32_t quantity = 0;
  bool is_last = false;  ///< of its taker
  bool is_gone = false;  ///< nothing is left of the maker
};

struct FlowCounts {
  std::uint64_t adds = 0, cancels = 0, modifies = 0, takes = 0;
  std::uint64_t trades = 0, volume = 0;
  std::uint64_t live = 0, bid_levels = 0, ask_levels = 0;
  friend bool operator==(const FlowCounts&, const FlowCounts&) = default;
};

enum class Placement : std::uint8_t {
  uniform,  ///< anywhere within so many ticks of a middle that stays
  touch,    ///< near the own side's best price, one in ten improving it
};

/// The recipe of a flow. Shares are of 10,000.
struct FlowShape {
  std::string_view name;
  Placement placement = Placement::uniform;
  std::int32_t ticks = 1000;                                  ///< per side, at most
  std::uint32_t resting = 100'000;                            ///< orders before the timing starts
  std::uint32_t adds = 4472, cancels = 4029, modifies = 499;  ///< the rest takes
  std::int32_t largest_taker = 44;                            ///< makers have 1 to 100, takers 1 to this
  bool is_young_cancelled = false;  ///< 85 % of cancels by age, about 400 orders in the mean; else all uniform
};

struct Flow {
  FlowShape shape;
  std::vector<FlowCommand> commands;  ///< the first `shape.resting` are not timed
  std::vector<FlowFill> fills;        ///< of all takers, in order
  FlowCounts counts;                  ///< of the timed commands; `live` and levels at the end
  std::uint32_t orders = 0;           ///< numbers used
  std::uint32_t most_live = 0;
  std::int32_t lowest = 0, highest = 0;  ///< prices used
};

/// 4,000,000 timed commands as a yardstick that others have measured themselves with: see docs/book-performance.md.
[[nodiscard]] FlowShape deep_shape();
[[nodiscard]] FlowShape itch_shape();
/// The five workloads of the table `storages`.
[[nodiscard]] const std::vector<FlowShape>& storage_shapes();

[[nodiscard]] Flow make_flow(const FlowShape& shape, std::size_t timed);

}  // namespace dojima::bench
