#include "dojima/book/map_queue.hpp"

#include "dojima/base/assert.hpp"

namespace dojima::book {
namespace {

/// A tree node is its value, three pointers and a colour; twice that is ample for any standard library.
constexpr std::size_t node_size(std::size_t value_size) noexcept {
  constexpr std::size_t alignment = alignof(std::max_align_t);
  return (value_size + 8 * sizeof(void*) + alignment - 1) / alignment * alignment;
}

}  // namespace

NodePool::NodePool(std::size_t blocks, std::size_t block_size)
    : block_size_(block_size), memory_(std::make_unique<std::byte[]>(blocks * block_size)) {
  free_.reserve(blocks);
  for (std::size_t block = blocks; block > 0; --block) free_.push_back(memory_.get() + (block - 1) * block_size_);
}

void* NodePool::do_allocate(std::size_t size, std::size_t alignment) {
  DOJIMA_ASSERT(size <= block_size_ && alignment <= alignof(std::max_align_t), "a node fits its block");
  DOJIMA_ASSERT(!free_.empty(), "the book checks for a free level before it needs one");
  void* block = free_.back();
  free_.pop_back();
  return block;
}

void NodePool::do_deallocate(void* block, std::size_t, std::size_t) {
  free_.push_back(block);
}

MapQueue::MapQueue(Side side, OrderTable& orders, std::size_t levels)
    : orders_(orders),
      pool_(levels, node_size(sizeof(Levels::value_type))),
      levels_(&pool_),
      is_buy_(side == Side::buy) {}

MapQueue::Levels::iterator MapQueue::find(Level level) noexcept {
  const Rank rank = rank_of(level);
  const auto best = levels_.begin();
  return best != levels_.end() && best->first == rank ? best : levels_.find(rank);
}

MapQueue::Levels::const_iterator MapQueue::find(Level level) const noexcept {
  return const_cast<MapQueue*>(this)->find(level);
}

void MapQueue::append(Level level, Slot slot) {
  Order& order = orders_[slot];
  DOJIMA_ASSERT(!order.is_resting, "an order rests once");
  Orders& at = levels_.try_emplace(rank_of(level)).first->second;
  order.level = level;
  order.next = k_no_slot;
  order.previous = at.last;
  order.is_resting = true;
  (at.last == k_no_slot ? at.first : orders_[at.last].next) = slot;
  at.last = slot;
  at.total += order.leaves();
  ++at.count;
}

void MapQueue::erase(Slot slot) {
  Order& order = orders_[slot];
  DOJIMA_ASSERT(order.is_resting, "only a resting order is taken out");
  const auto found = find(order.level);
  DOJIMA_ASSERT(found != levels_.end(), "a resting order has a level");
  Orders& at = found->second;
  (order.previous == k_no_slot ? at.first : orders_[order.previous].next) = order.next;
  (order.next == k_no_slot ? at.last : orders_[order.next].previous) = order.previous;
  order.is_resting = false;
  at.total -= order.leaves();
  if (--at.count == 0) {
    DOJIMA_ASSERT(at.total.lots == 0, "a level without orders has nothing left");
    levels_.erase(found);
  }
}

void MapQueue::resize(Slot slot, Quantity change) {
  const auto found = find(orders_[slot].level);
  DOJIMA_ASSERT(orders_[slot].is_resting && found != levels_.end(), "a resting order has a level");
  found->second.total += change;
  DOJIMA_ASSERT(found->second.total.lots >= 0, "a level never has less than nothing");
}

Level MapQueue::worse(Level level) const noexcept {
  const auto next = levels_.upper_bound(rank_of(level));
  return next == levels_.end() ? k_no_level : level_of(next->first);
}

Quantity MapQueue::total(Level level) const noexcept {
  const auto found = find(level);
  return found == levels_.end() ? Quantity{} : found->second.total;
}

std::uint32_t MapQueue::count(Level level) const noexcept {
  const auto found = find(level);
  return found == levels_.end() ? 0 : found->second.count;
}

Slot MapQueue::front(Level level) const noexcept {
  const auto found = find(level);
  return found == levels_.end() ? k_no_slot : found->second.first;
}

}  // namespace dojima::book
