#pragma once

// Rivals of the run wheel: the three containers of the article "Hybrid Containers for C++", buckets of linked nodes.
//
//   external    a node from a pool for every entry; an event may have any number of entries
//   intrusive   the node is a part of the event: one entry per event
//   hybrid      the event's own node while that is free, else one from the pool
//
// A bucket's list is built at its head (bucket_ring.hpp); when its time comes, it is put in order into an array
// (open_bucket.hpp). Beyond the horizon of the buckets entries wait in an ordered map. Exact and in the same order as
// the run wheel. Entries carry a user or not, as the run wheel's do. For tests and benchmarks.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <type_traits>

#include "dojima/sched/containers/bucket_ring.hpp"
#include "dojima/sched/containers/node_pool.hpp"
#include "dojima/sched/containers/open_bucket.hpp"
#include "dojima/sched/core/entry_queue.hpp"
#include "dojima/sched/core/instant.hpp"
#include "dojima/sched/event.hpp"
#include "dojima/sched/wheel/run_entry.hpp"

namespace dojima::sched::containers {

/// An event with a node of its own.
template <bool HasUser>
class LinkedEvent : public Event {
 protected:
  ~LinkedEvent() = default;

 private:
  template <NodePlace, bool>
  friend class BucketQueue;
  Node<HasUser> node_;
};

struct BucketShape {
  std::size_t buckets_per_entry = 1;  ///< 1: as the article has it; 4: what was measured to be the best
  std::size_t prefetch_ahead = 0;     ///< heads of lists to fetch before their time: 0, or 8
};

template <NodePlace Place, bool HasUser = false>
class BucketQueue {
 public:
  using Scheduled = std::conditional_t<Place == NodePlace::external, Event, LinkedEvent<HasUser>>;
  using Entry = RunEntry<HasUser>;
  using Node = containers::Node<HasUser>;
  static constexpr bool k_has_user = HasUser;
  /// Of the node that an event carries.
  static constexpr std::size_t k_bytes_in_event = Place == NodePlace::external ? 0 : sizeof(Node);

  BucketQueue(std::size_t capacity, Instant start, BucketShape shape = {})
      : prefetch_ahead_(shape.prefetch_ahead),
        ring_(capacity * shape.buckets_per_entry),
        current_(ring_.bucket_of(start)),
        // An event's own node may be free and yet another entry come from the pool, so it holds all.
        pool_(Place == NodePlace::intrusive ? 0 : capacity) {}

  [[nodiscard]] bool can_hold(const Scheduled& event) const noexcept {
    if constexpr (Place == NodePlace::intrusive) return event.node_.event == nullptr;
    return true;
  }

  void push(Instant at, Scheduled* event, void* user) {
    if constexpr (Place != NodePlace::external) {
      if (event->node_.event == nullptr) return insert(&event->node_, at, event, user);
    }
    push_own(at, event, user);
  }
  void push_own(Instant at, Event* event, void* user) { insert(pool_.take(), at, event, user); }

  [[nodiscard]] bool is_due(Instant limit) const noexcept { return !open_.is_empty() && open_.first()->at <= limit; }
  [[nodiscard]] Readiness prepare(Instant limit) {
    while (open_.is_empty()) {
      if (!open_next(limit)) return Readiness::none;
    }
    return is_due(limit) ? Readiness::due : Readiness::none;
  }
  [[nodiscard]] Entry first() const noexcept { return entry_of(*open_.first()); }
  [[nodiscard]] Entry take() {
    Node* const node = open_.take();
    const Entry entry = entry_of(*node);
    pool_.give(node);
    return entry;
  }

  [[nodiscard]] Instant lower_bound() const noexcept {
    return open_.is_empty() ? ring_.begin_of(current_) : open_.first()->at;
  }
  [[nodiscard]] Instant next() {
    if (!open_.is_empty()) return open_.first()->at;
    const std::uint64_t bucket = ring_.first_used(current_);
    const Instant later = later_.empty() ? k_no_instant : later_.begin()->first;
    return bucket == k_no_instant ? later : std::min(later, ring_.earliest_in(bucket));
  }
  void refill() const noexcept {}
  /// Memory that was ever touched, without the nodes inside events; of the pool what was taken from it.
  [[nodiscard]] std::size_t bytes_in_use() const noexcept {
    constexpr std::size_t k_tree_node = 48;  // three links, colour, key and value
    return ring_.bytes() + open_.bytes() + pool_.used() * sizeof(Node) + later_.size() * k_tree_node;
  }

  void erase(Instant at, Event* event) {
    erase_where([&](const Node& node) { return node.at == at && node.event == event; }, ring_.bucket_of(at));
  }
  template <class Predicate>
  void erase_if(Predicate predicate) {
    for (std::size_t bucket = 0; bucket < ring_.size(); ++bucket)
      erase_where([&](const Node& node) { return predicate(*node.event); }, bucket);
  }
  template <class Visit>
  void for_each(Visit visit) {
    const auto visit_event = [&](const Node& node) { visit(*node.event); };
    ring_.for_each(visit_event);
    open_.for_each(visit_event);
    for (auto& [at, node] : later_) visit_event(*node);
  }

 private:
  [[nodiscard]] static Entry entry_of(const Node& node) noexcept { return {node.at, node.event, node.user.get()}; }

  void insert(Node* node, Instant at, Event* event, void* user) {
    node->at = at;
    node->event = event;
    node->user = EntryUser<HasUser>(user);
    const std::uint64_t bucket = ring_.bucket_of(node->at);
    if (bucket < current_) {
      open_.insert(node);
    } else if (bucket - current_ < ring_.size()) {
      ring_.link(node);
    } else {
      later_.emplace(node->at, node);
    }
  }

  /// Opens the first bucket that begins at or before `limit`. False: there is none.
  bool open_next(Instant limit) {
    std::uint64_t bucket = ring_.first_used(current_);
    if (!later_.empty()) bucket = std::min(bucket, ring_.bucket_of(later_.begin()->first));
    const std::uint64_t end = ring_.bucket_of(limit);
    open_.clear();
    const bool is_any_due = bucket <= end;
    // Nothing was scheduled directly into what the horizon reaches now: what waited for it comes first.
    current_ = is_any_due ? bucket : std::max(current_, end);
    while (!later_.empty() && ring_.bucket_of(later_.begin()->first) - current_ < ring_.size()) {
      ring_.link(later_.begin()->second);
      later_.erase(later_.begin());
    }
    if (!is_any_due) return false;
    ++current_;
    open_.open(ring_.unlink_all(bucket));
    if (prefetch_ahead_ != 0) ring_.prefetch(bucket + prefetch_ahead_);
    return true;
  }

  template <class Predicate>
  void erase_where(Predicate predicate, std::uint64_t bucket) {
    const auto drop = [this](Node* node) { pool_.give(node); };
    ring_.erase_where(bucket, predicate, drop);
    open_.erase_where(predicate, drop);
    std::erase_if(later_, [&](const auto& later) {
      if (!predicate(*later.second)) return false;
      drop(later.second);
      return true;
    });
  }

  std::size_t prefetch_ahead_;
  BucketRing<HasUser> ring_;
  std::uint64_t current_;  // the first bucket that is not open
  NodePool<Place, HasUser> pool_;
  OpenBucket<HasUser> open_;
  std::multimap<Instant, Node*> later_;
};

}  // namespace dojima::sched::containers
