#pragma once

// What a scheduler asks of the container of its entries. RunWheel says each operation in full.

#include <concepts>
#include <cstdint>

#include "dojima/sched/core/instant.hpp"
#include "dojima/sched/event.hpp"

namespace dojima::sched {

/// Whether something may fire now.
enum class Readiness : std::uint8_t {
  due,   ///< the next entry is due
  none,  ///< nothing is due
  busy,  ///< what is due next is being prepared, and the limit for one go is used up
};

template <class Queue>
concept EntryQueue = requires(Queue queue, const Queue same, Instant at, Event* event,
                              typename Queue::Scheduled* scheduled, void* user) {
  queue.push(at, scheduled, user);
  queue.push_own(at, event, user);
  { same.is_due(at) } -> std::same_as<bool>;
  { queue.prepare(at) } -> std::same_as<Readiness>;
  { queue.take().at } -> std::convertible_to<Instant>;
  { same.lower_bound() } -> std::same_as<Instant>;
  { queue.next() } -> std::same_as<Instant>;
  queue.refill();
  queue.erase(at, event);
  queue.erase_if([](const Event&) { return true; });
  queue.for_each([](Event&) {});
  { Queue::k_has_user } -> std::convertible_to<bool>;
};

}  // namespace dojima::sched
