#pragma once

// Orders that were never sent, followed through recorded ones: at every step of a grid in time an order joins the back
// of the queue at the best bid and at the best ask, and what happened to the recorded orders says when it would have
// been filled. First in, first out: it moves up when an order ahead of it is executed or cancelled, and is filled with
// the first execution of an order behind it, with a trade at a worse price, or when the other side's best price reaches
// its own. It takes nothing from anybody, so it is small and the market does not react to it.
//
//   FillSampler sampler({.horizon = 10s, .every = 1s});
//   while (!(events = reader.next_batch()).empty()) sampler.take(events, reader.instruments());
//   const Answer<std::vector<FillSample>> samples = sampler.finish();
//
// Orders that the recording does not know by their entry were there before it. Where a recording shows only the best
// prices (LOBSTER with one level), orders ahead may be cancelled unseen while others are better; when the level comes
// back, no more can be ahead than rests there. Memory: 160 bytes a sample, and the orders of the instrument.
// O(live samples) an event about the touch.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dojima/market/order.hpp"
#include "dojima/queueing/answer.hpp"
#include "dojima/recorded/event.hpp"
#include "dojima/time/time.hpp"

namespace dojima::queueing {

/// Events of the recent past, per second, that count less the older they are (exponentially).
enum class RecentKind : std::uint8_t {
  executions,  ///< displayed or hidden
  cancels,
  entries,
};
inline constexpr std::size_t k_recent_kinds = 3;
/// Over what time, in seconds.
inline constexpr std::array<double, 4> k_recent_memories_s = {2, 10, 60, 600};
inline constexpr std::size_t k_recent_rates = 2 * k_recent_kinds * k_recent_memories_s.size();
/// Place in FillSample::rates, of the order's own side or of the other, over k_recent_memories_s[memory].
[[nodiscard]] constexpr std::size_t recent_rate(RecentKind kind, bool is_own, std::size_t memory) noexcept {
  return (static_cast<std::size_t>(kind) * k_recent_memories_s.size() + memory) * 2 + (is_own ? 0 : 1);
}

struct FillPlan {
  time::Duration horizon = std::chrono::seconds{10};  ///< above 0
  time::Duration every = std::chrono::seconds{1};     ///< between two orders of a side; above 0
  /// Each order is a sample again 1, 2, 4, ... steps after it joined, until the horizon, while it waits at the best
  /// price: so there are samples from every place of the queue. Otherwise only when it joins the back.
  bool is_asked_again = false;
  std::string symbol{};  ///< of the instrument; empty: the only one that has orders
};

struct FillSample {
  time::Time at;
  market::Side side = market::Side::none;
  std::uint32_t steps_waited = 0;                          ///< since it joined the back
  std::int64_t ahead = 0;                                  ///< quantity in front of it, at most `own`
  std::int64_t own = 0;                                    ///< quantity at the best price of its side
  std::int64_t other = 0;                                  ///< at the best price of the other side
  std::int64_t spread = 0;                                 ///< in price units, above 0
  std::array<float, k_recent_rates> rates{};               ///< see recent_rate()
  time::Duration filled_after = time::Duration::max();     ///< from `at`; max: not while it was followed
  time::Duration mid_moved_after = time::Duration::max();  ///< likewise
  bool was_out_of_view = false;                            ///< its level was not shown for some of the time

  [[nodiscard]] bool is_filled_within(time::Duration horizon) const noexcept { return filled_after <= horizon; }
  /// Whether it is known that it was filled before the mid moved, or not.
  [[nodiscard]] bool is_race_decided() const noexcept {
    return filled_after != time::Duration::max() || mid_moved_after != time::Duration::max();
  }
  /// Filled no later than by the event that moved the mid.
  [[nodiscard]] bool is_filled_before_move() const noexcept {
    return filled_after != time::Duration::max() && filled_after <= mid_moved_after;
  }
};

class FillSampler {
 public:
  /// The plan's horizon and step are above 0.
  explicit FillSampler(FillPlan plan);
  ~FillSampler();

  void take(std::span<const recorded::RecordedEvent> events, std::span<const recorded::RecordedInstrument> instruments);

  /// The samples by time, buys before sells, whose horizon ended before the recording did. Refused when it has no
  /// orders of the instrument, several instruments and none was named, or is shorter than the horizon. Once.
  [[nodiscard]] Answer<std::vector<FillSample>> finish();

  /// Price units of the smallest step that the recording states or that was seen between prices; 1 at least. After
  /// take().
  [[nodiscard]] std::int64_t tick() const noexcept;
  /// Mean quantity of the orders that were entered; 1 when there are none.
  [[nodiscard]] double mean_order() const noexcept;
  /// From the first event to the last.
  [[nodiscard]] time::Time first() const noexcept;
  [[nodiscard]] time::Time last() const noexcept;

 private:
  class Market;
  std::unique_ptr<Market> market_;
};

}  // namespace dojima::queueing
