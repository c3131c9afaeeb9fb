#include "dojima/sched/scheduler.hpp"

namespace dojima::sched {

template class BasicScheduler<RunWheel<false>>;
template class BasicScheduler<RunWheel<true>>;

Scheduler::Scheduler(std::size_t capacity, Time start, const RunWheelShape& shape)
    : BasicScheduler(capacity, 0, start, shape) {}

UserScheduler::UserScheduler(std::size_t capacity, std::size_t cancellable, Time start, const RunWheelShape& shape)
    : BasicScheduler(capacity, cancellable, start, shape) {}

}  // namespace dojima::sched
