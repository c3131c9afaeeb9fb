#pragma once

// What the parts of a feed client share: its options, its owner, and what it counts.

#include "dojima/mitch/feed/feed_client.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::mitch {

struct FeedContext {
  const FeedClientOptions& options;
  sched::Scheduler& scheduler;
  FeedHandler& handler;
  FeedClientCounts& counts;

  void notify(const FeedNotice& notice, time::Time now) const { handler.on_notice(notice, now); }
};

}  // namespace dojima::mitch
