#pragma once

// Schedulers over the rivals of the run wheel, with the interface of `Scheduler`. For tests and benchmarks.

#include "dojima/sched/containers/bucket_queue.hpp"
#include "dojima/sched/containers/ordered_queues.hpp"
#include "dojima/sched/core/basic_scheduler.hpp"

namespace dojima::sched::containers {

template <EntryQueue Queue>
class RivalScheduler final : public BasicScheduler<Queue> {
 public:
  /// As UserScheduler.
  template <class... Arguments>
  explicit RivalScheduler(std::size_t capacity, std::size_t cancellable = 0, Time start = Time{},
                          Arguments&&... arguments)
      : BasicScheduler<Queue>(capacity, cancellable, start, std::forward<Arguments>(arguments)...) {}
};

using HeapScheduler = RivalScheduler<HeapQueue<false>>;                        ///< std::priority_queue
using TreeScheduler = RivalScheduler<TreeQueue<false>>;                        ///< std::multimap
using FlatScheduler = RivalScheduler<FlatQueue<false>>;                        ///< boost::container::flat_multimap
using ExternalScheduler = RivalScheduler<BucketQueue<NodePlace::external>>;    ///< the article's option 1
using IntrusiveScheduler = RivalScheduler<BucketQueue<NodePlace::intrusive>>;  ///< option 2
using HybridScheduler = RivalScheduler<BucketQueue<NodePlace::hybrid>>;        ///< option 3

/// The same over entries with a user pointer, beside `UserScheduler`.
using UserHeapScheduler = RivalScheduler<HeapQueue<true>>;
using UserTreeScheduler = RivalScheduler<TreeQueue<true>>;
using UserFlatScheduler = RivalScheduler<FlatQueue<true>>;
using UserExternalScheduler = RivalScheduler<BucketQueue<NodePlace::external, true>>;
using UserIntrusiveScheduler = RivalScheduler<BucketQueue<NodePlace::intrusive, true>>;
using UserHybridScheduler = RivalScheduler<BucketQueue<NodePlace::hybrid, true>>;

}  // namespace dojima::sched::containers
