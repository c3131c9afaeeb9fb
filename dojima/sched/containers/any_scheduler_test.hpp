#pragma once

// Every container and shape that the suite of every_container_test.cpp is run over, behind one interface, so that the
// suite is compiled once and not once for each of them.

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "dojima/sched/containers/rivals.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::sched::every_container {

/// A scheduler over whatever container. Its timers are armed through base().
class AnyScheduler {
 public:
  /// An event that every container takes, those that link events among themselves as well.
  using Scheduled = containers::BucketQueue<containers::NodePlace::intrusive>::Scheduled;

  AnyScheduler() = default;
  AnyScheduler(const AnyScheduler&) = delete;
  AnyScheduler& operator=(const AnyScheduler&) = delete;
  virtual ~AnyScheduler() = default;

  virtual SchedulerBase& base() = 0;
  [[nodiscard]] virtual const SchedulerBase& base() const = 0;
  [[nodiscard]] virtual bool schedule(Scheduled& event, Time at) = 0;
  [[nodiscard]] virtual Time next_due() const = 0;
  virtual SchedulerBase::Fired check(Time now, std::size_t max_events) = 0;

  [[nodiscard]] Time now() const { return base().now(); }
  [[nodiscard]] std::size_t size() const { return base().size(); }
};

/// One row of the containers that the suite is run over.
struct ContainerCase {
  const char* name;
  std::function<std::unique_ptr<AnyScheduler>(std::size_t capacity, Time start)> make;
  bool has_one_node = false;  ///< an event can be pending once only
  bool is_linear = false;     ///< an insertion costs O(n)
};

/// The rivals of the run wheel, and the run wheel with entries of both kinds in its default and unusual shapes.
[[nodiscard]] const std::vector<ContainerCase>& every_container();

}  // namespace dojima::sched::every_container
