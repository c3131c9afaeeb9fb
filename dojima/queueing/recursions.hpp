#pragma once

// Queues simulated by recursion, job by job: what a job finds follows from what the job before it found. First come,
// first served; times are drawn or recorded, in ticks. D. Lindley, "The theory of queues with a single server" (1952);
// J. Kiefer and J. Wolfowitz, "On the theory of queues with many servers" (1955).
//
//   LindleyQueue queue;
//   for (...) waits.add(queue.serve(arrival, service));

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/queueing/sampler.hpp"

namespace dojima::queueing {

/// One server. O(1) a job.
class LindleyQueue {
 public:
  /// The wait of a job that arrives at `arrival`, not before the last one, and needs `service`.
  Ticks serve(Ticks arrival, Ticks service) noexcept {
    const Ticks start = std::max(arrival, free_);
    free_ = start + service;
    return start - arrival;
  }
  /// When the server has done all work so far.
  [[nodiscard]] Ticks free_at() const noexcept { return free_; }

 private:
  Ticks free_ = 0;
};

/// Several servers; a job goes to the one that is free first. O(log servers) a job, allocates nothing after its making.
class ManyServerQueue {
 public:
  /// `servers` >= 1.
  explicit ManyServerQueue(std::size_t servers) : free_(servers, 0) {
    DOJIMA_ASSERT(servers >= 1, "a queue has a server");
  }

  Ticks serve(Ticks arrival, Ticks service) noexcept {
    const Ticks start = std::max(arrival, free_.front());
    replace_first(start + service);
    return start - arrival;
  }

 private:
  /// The heap's least value makes room for another, which sinks to its place.
  void replace_first(Ticks value) noexcept {
    const std::size_t count = free_.size();
    std::size_t hole = 0;
    for (;;) {
      std::size_t child = 2 * hole + 1;
      if (child >= count) break;
      if (child + 1 < count && free_[child + 1] < free_[child]) ++child;
      if (free_[child] >= value) break;
      free_[hole] = free_[child];
      hole = child;
    }
    free_[hole] = value;
  }

  std::vector<Ticks> free_;  // when each server is done; the least first, as a heap
};

/// A fixed number of customers and one server: each thinks, asks, waits, is served, thinks again. O(log customers).
class FiniteSourceQueue {
 public:
  /// `first_asks`: when each customer asks for the first time; at least one.
  explicit FiniteSourceQueue(std::vector<Ticks> first_asks);

  /// The wait of the next to ask, who needs `service` and thinks for `think` afterwards.
  Ticks serve(Ticks service, Ticks think);

 private:
  std::vector<Ticks> asks_;  // a heap, the least first
  LindleyQueue server_;
};

}  // namespace dojima::queueing
