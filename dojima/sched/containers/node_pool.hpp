#pragma once

// The nodes of a bucket queue's lists: its own, from a pool, and those that events carry.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "dojima/sched/containers/entry_user.hpp"
#include "dojima/sched/core/instant.hpp"
#include "dojima/sched/event.hpp"

namespace dojima::sched::containers {

enum class NodePlace : std::uint8_t { external, intrusive, hybrid };

template <bool HasUser>
struct Node {
  Node* next = nullptr;
  Instant at = k_no_instant;
  Event* event = nullptr;  // null: free
  [[no_unique_address]] EntryUser<HasUser> user{};
};
static_assert(sizeof(Node<false>) == 24 && sizeof(Node<true>) == 32, "a user is one pointer, and none is nothing");

/// Nodes that are no event's own. Memory for `count` of them is taken at construction and touched when it is first
/// used; beyond that each is allocated, which only `intrusive` does: its timers and tickets have no node of their own.
template <NodePlace Place, bool HasUser>
class NodePool {
 public:
  using Node = containers::Node<HasUser>;

  explicit NodePool(std::size_t count)
      : count_(count), nodes_(std::allocator<Node>().allocate(count_), Release{count_}) {}

  [[nodiscard]] Node* take() {
    if (free_ != nullptr) return std::exchange(free_, free_->next);
    if (fresh_ < count_) return ::new (static_cast<void*>(nodes_.get() + fresh_++)) Node;
    return more_.emplace_back(std::make_unique<Node>()).get();
  }
  /// Back to the pool, or to its event.
  void give(Node* node) noexcept {
    node->event = nullptr;
    if (is_own(node)) {
      node->next = free_;
      free_ = node;
    }
  }
  /// Nodes that were ever taken from it.
  [[nodiscard]] std::size_t used() const noexcept { return fresh_ + more_.size(); }

 private:
  struct Release {
    std::size_t count;
    void operator()(Node* nodes) const noexcept { std::allocator<Node>().deallocate(nodes, count); }
  };

  [[nodiscard]] bool is_own(const Node* node) const noexcept {
    if constexpr (Place == NodePlace::external) return true;
    const std::uintptr_t offset =
        reinterpret_cast<std::uintptr_t>(node) - reinterpret_cast<std::uintptr_t>(nodes_.get());
    if (offset < count_ * sizeof(Node)) return true;
    for (const auto& other : more_) {
      if (other.get() == node) return true;
    }
    return false;
  }

  std::size_t count_;
  std::size_t fresh_ = 0;
  std::unique_ptr<Node, Release> nodes_;
  std::vector<std::unique_ptr<Node>> more_;
  Node* free_ = nullptr;
};

}  // namespace dojima::sched::containers
