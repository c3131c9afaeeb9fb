#include "dojima/queueing/recursions.hpp"

#include <functional>
#include <utility>

namespace dojima::queueing {

FiniteSourceQueue::FiniteSourceQueue(std::vector<Ticks> first_asks) : asks_(std::move(first_asks)) {
  DOJIMA_ASSERT(!asks_.empty(), "a closed system has a customer");
  std::ranges::make_heap(asks_, std::greater{});
}

Ticks FiniteSourceQueue::serve(Ticks service, Ticks think) {
  std::ranges::pop_heap(asks_, std::greater{});
  const Ticks wait = server_.serve(asks_.back(), service);
  asks_.back() = server_.free_at() + think;
  std::ranges::push_heap(asks_, std::greater{});
  return wait;
}

}  // namespace dojima::queueing
