#include "dojima/book/storages/intrusive_queue.hpp"

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

IntrusiveQueue::IntrusiveQueue(Side side, OrderTable& orders, std::size_t levels)
    : orders_(orders),
      pool_(levels, node_size(sizeof(Levels::value_type))),
      levels_(&pool_),
      is_buy_(side == Side::buy) {}

IntrusiveQueue::Levels::iterator IntrusiveQueue::find(Level level) noexcept {
  const Rank rank = rank_of(level);
  const auto best = levels_.begin();
  return best != levels_.end() && best->first == rank ? best : levels_.find(rank);
}

IntrusiveQueue::Levels::const_iterator IntrusiveQueue::find(Level level) const noexcept {
  return const_cast<IntrusiveQueue*>(this)->find(level);
}

void IntrusiveQueue::append(Level level, Slot slot) {
  levels_.try_emplace(rank_of(level)).first->second.append(orders_, slot, static_cast<std::uint32_t>(index_of(level)));
}

std::array<std::uint32_t, 3> IntrusiveQueue::join(Level level, Slot slot, Quantity leaves) {
  LinkedOrders& orders = levels_.try_emplace(rank_of(level)).first->second;
  return orders.join(orders_, slot, leaves, static_cast<std::uint32_t>(index_of(level)));
}

void IntrusiveQueue::erase(Slot slot) {
  Order& order = orders_[slot];
  DOJIMA_ASSERT(order.is_resting(), "only a resting order is taken out");
  const auto found = find(level_noted(order));
  DOJIMA_ASSERT(found != levels_.end(), "a resting order has a level");
  if (!found->second.erase(orders_, order)) return;
  DOJIMA_ASSERT(found->second.total.lots == 0, "a level without orders has nothing left");
  levels_.erase(found);
}

void IntrusiveQueue::resize(Slot slot, Quantity change) {
  Order& order = orders_[slot];
  const auto found = find(level_noted(order));
  DOJIMA_ASSERT(order.is_resting() && found != levels_.end(), "a resting order has a level");
  order.leaves += change;
  found->second.total += change;
  DOJIMA_ASSERT(found->second.total.lots >= 0, "a level never has less than nothing");
}

bool IntrusiveQueue::fill(Slot slot, Quantity quantity) {
  Order& order = orders_[slot];
  const auto found = find(level_noted(order));
  DOJIMA_ASSERT(order.is_resting() && found != levels_.end(), "a resting order has a level");
  order.leaves -= quantity;
  found->second.total -= quantity;
  DOJIMA_ASSERT(order.leaves.lots >= 0, "an order never has less than nothing");
  if (order.leaves.lots != 0) return false;
  if (found->second.erase(orders_, order)) levels_.erase(found);
  return true;
}

void IntrusiveQueue::drop_front(Slot kept, std::uint32_t orders, Quantity total) {
  const auto best = levels_.begin();
  if (best->second.drop_front(orders_, kept, orders, total)) levels_.erase(best);
}

Level IntrusiveQueue::worse(Level level) const noexcept {
  const auto next = levels_.upper_bound(rank_of(level));
  return next == levels_.end() ? k_no_level : level_of(next->first);
}

Quantity IntrusiveQueue::total(Level level) const noexcept {
  const auto found = find(level);
  return found == levels_.end() ? Quantity{} : found->second.total;
}

std::uint32_t IntrusiveQueue::count(Level level) const noexcept {
  const auto found = find(level);
  return found == levels_.end() ? 0 : found->second.count;
}

Slot IntrusiveQueue::front(Level level) const noexcept {
  const auto found = find(level);
  return found == levels_.end() ? k_no_slot : found->second.front();
}

const char* IntrusiveQueue::inconsistency() const noexcept {
  for (const auto& [rank, orders] : levels_) {
    const auto note = static_cast<std::uint32_t>(index_of(level_of(rank)));
    if (const char* wrong = orders.inconsistency(orders_, note)) return wrong;
  }
  return nullptr;
}

}  // namespace dojima::book
