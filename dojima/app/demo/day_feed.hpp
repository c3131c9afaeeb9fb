#pragma once

// The market data of a demo's day, as a reader has it: every partition publishes MIT303 on two lines, of which each
// loses datagrams by a seeded draw, and a feed client rebuilds the books of what comes. At the end they are what the
// venue's are. Virtual time only: one thread.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dojima/app/demo/settings.hpp"
#include "dojima/mitch/feed/feed_client.hpp"
#include "dojima/sched/scheduler.hpp"
#include "dojima/simulate/checks.hpp"
#include "dojima/simulate/exchange.hpp"
#include "dojima/venue/feed/market_data.hpp"

namespace dojima::app::demo {

class DayFeed final : private mitch::FeedHandler {
 public:
  /// Scheduler entries that it reserves.
  [[nodiscard]] static std::size_t timers(const Settings& settings);

  /// Publishes what happens in the partitions from now on; they, the scheduler and the settings outlive it.
  DayFeed(const Settings& settings, const simulate::Exchange& exchange, sched::Scheduler& scheduler);
  ~DayFeed();
  DayFeed(const DayFeed&) = delete;
  DayFeed& operator=(const DayFeed&) = delete;

  /// Whether the reader has every message and the books that the venue has now. O(orders).
  [[nodiscard]] simulate::Check verify() const;

 private:
  class Lines;
  struct Group {
    std::unique_ptr<Lines> lines;
    std::unique_ptr<venue::MarketData> data;
  };

  void on_notice(const mitch::FeedNotice& notice, time::Time now) override;
  [[nodiscard]] std::string mismatch(std::size_t group) const;

  const simulate::Exchange& exchange_;
  mitch::FeedClient client_;
  std::vector<Group> groups_;
  std::uint64_t given_up_ = 0;  // what will not come, and books that do not fit
};

}  // namespace dojima::app::demo
