#pragma once

// Orders that were never sent, waiting at the best prices of one instrument, and the samples that they are.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dojima/market/order.hpp"
#include "dojima/queueing/fills/fill_samples.hpp"
#include "dojima/queueing/fills/touch_follower.hpp"
#include "dojima/queueing/sampling/recent_rates.hpp"
#include "dojima/time/time.hpp"

namespace dojima::queueing {

class WaitingOrders {
 public:
  /// The plan outlives it.
  explicit WaitingOrders(const FillPlan& plan) : plan_(plan) {}

  /// The recording begins: the first step of the grid is the one behind it.
  void begin(time::Time now);
  /// Orders join at the steps of the grid that lie before `now`: behind all that happened up to them. `entries`: of the
  /// recording so far.
  void ask_until(time::Time now, const RecentRates& rates, std::uint64_t entries);
  /// What an event at `now` did to the queues.
  void follow(const QueueChange& change, time::Time now);
  /// The best prices behind an event at `now`; how many levels the recording shows, 0: all.
  void look_at(const Touch& touch, std::size_t shown_levels, time::Time now);

  [[nodiscard]] std::vector<FillSample>& samples() noexcept { return samples_; }

 private:
  /// An order that waits, and the sample that is about it.
  struct Waiting {
    std::size_t sample = 0;
    market::Side side = market::Side::none;
    std::int64_t price = 0;
    std::int64_t ahead = 0;
    std::uint64_t entry = 0;          // orders with higher numbers are behind it
    std::int64_t doubled_mid = 0;     // when it was asked
    std::uint32_t steps_to_next = 0;  // since it joined; 0: it is not asked again
    bool is_filled = false;
  };

  void ask_again(const RecentRates& rates);
  [[nodiscard]] Waiting waiting_of(Waiting order, std::uint32_t steps, const RecentRates& rates);
  void follow(Waiting& order, const QueueChange& change, time::Time now);
  void fill(Waiting& order, time::Time now);

  const FillPlan& plan_;
  std::vector<FillSample> samples_;
  std::vector<Waiting> waiting_;
  Touch touch_;
  bool is_whole_ = false;  // the touch is known
  time::Time begin_{}, next_{};
};

}  // namespace dojima::queueing
