#pragma once

// Rivals of the run wheel that keep all entries in order: a binary heap (std::priority_queue), a red-black tree
// (std::multimap) and a sorted array (boost::container::flat_multimap). For tests and benchmarks: exact and in the same
// order as the run wheel, O(log n) or O(n) per entry, and the trees allocate as they go. Entries carry a user or not,
// as the run wheel's do.

#include <algorithm>
#include <boost/container/flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <vector>

#include "dojima/sched/containers/entry_user.hpp"
#include "dojima/sched/core/entry_queue.hpp"
#include "dojima/sched/core/instant.hpp"
#include "dojima/sched/event.hpp"
#include "dojima/sched/wheel/run_entry.hpp"

namespace dojima::sched::containers {

/// What an entry leads to.
template <bool HasUser>
struct Target {
  Event* event;
  [[no_unique_address]] EntryUser<HasUser> user;
};

/// What follows from first_due(): the time of the first entry, or k_no_instant.
template <class Queue, bool HasUser>
class OrderedQueue {
 public:
  using Scheduled = Event;
  using Entry = RunEntry<HasUser>;
  static constexpr bool k_has_user = HasUser;

  [[nodiscard]] bool is_due(Instant limit) const noexcept { return self().first_due() <= limit; }
  [[nodiscard]] Readiness prepare(Instant limit) const noexcept {
    return is_due(limit) ? Readiness::due : Readiness::none;
  }
  [[nodiscard]] Instant lower_bound() const noexcept { return self().first_due(); }
  [[nodiscard]] Instant next() const noexcept { return self().first_due(); }
  void refill() const noexcept {}
  void push_own(Instant at, Event* event, void* user) { static_cast<Queue*>(this)->push(at, event, user); }

 private:
  friend Queue;
  OrderedQueue() = default;
  [[nodiscard]] static Target<HasUser> target_of(Event* event, void* user) noexcept {
    return {event, EntryUser<HasUser>(user)};
  }
  [[nodiscard]] static Entry entry_of(Instant at, const Target<HasUser>& target) noexcept {
    return {at, target.event, target.user.get()};
  }
  [[nodiscard]] const Queue& self() const noexcept { return static_cast<const Queue&>(*this); }
};

template <bool HasUser>
class HeapQueue : public OrderedQueue<HeapQueue<HasUser>, HasUser> {
 public:
  using Entry = RunEntry<HasUser>;

  HeapQueue(std::size_t capacity, Instant) { heap_.reserve(capacity + 1); }

  void push(Instant at, Event* event, void* user) { heap_.push(Item{at, next_order_++, this->target_of(event, user)}); }
  [[nodiscard]] Instant first_due() const noexcept { return heap_.empty() ? k_no_instant : heap_.top().at; }
  [[nodiscard]] Entry first() const noexcept { return this->entry_of(heap_.top().at, heap_.top().target); }
  [[nodiscard]] Entry take() {
    const Item item = heap_.top();
    heap_.pop();
    return this->entry_of(item.at, item.target);
  }
  void erase(Instant at, Event* event) {
    heap_.erase_if([&](const Item& item) { return item.at == at && item.target.event == event; });
  }
  template <class Predicate>
  void erase_if(Predicate predicate) {
    heap_.erase_if([&](const Item& item) { return predicate(*item.target.event); });
  }
  template <class Visit>
  void for_each(Visit visit) {
    heap_.erase_if([&](const Item& item) {
      visit(*item.target.event);
      return false;
    });
  }

 private:
  struct Item {
    Instant at;
    std::uint64_t order;  // FIFO among equal times
    Target<HasUser> target;
  };
  struct IsLater {
    bool operator()(const Item& a, const Item& b) const noexcept {
      return a.at != b.at ? a.at > b.at : a.order > b.order;
    }
  };
  struct Heap : std::priority_queue<Item, std::vector<Item>, IsLater> {
    void reserve(std::size_t count) { this->c.reserve(count); }
    template <class Predicate>
    void erase_if(Predicate predicate) {
      if (std::erase_if(this->c, predicate) != 0) std::make_heap(this->c.begin(), this->c.end(), this->comp);
    }
  };

  Heap heap_;
  std::uint64_t next_order_ = 0;
};

template <bool HasUser>
class TreeQueue : public OrderedQueue<TreeQueue<HasUser>, HasUser> {
 public:
  using Entry = RunEntry<HasUser>;

  TreeQueue(std::size_t, Instant) {}

  void push(Instant at, Event* event, void* user) { tree_.emplace(at, this->target_of(event, user)); }
  [[nodiscard]] Instant first_due() const noexcept { return tree_.empty() ? k_no_instant : tree_.begin()->first; }
  [[nodiscard]] Entry first() const noexcept { return this->entry_of(tree_.begin()->first, tree_.begin()->second); }
  [[nodiscard]] Entry take() {
    const auto node = tree_.begin();
    const Entry entry = this->entry_of(node->first, node->second);
    tree_.erase(node);
    return entry;
  }
  void erase(Instant at, Event* event) {
    for (auto node = tree_.lower_bound(at);; ++node) {
      if (node->second.event == event) {
        tree_.erase(node);
        return;
      }
    }
  }
  template <class Predicate>
  void erase_if(Predicate predicate) {
    std::erase_if(tree_, [&](const auto& node) { return predicate(*node.second.event); });
  }
  template <class Visit>
  void for_each(Visit visit) {
    for (auto& [at, target] : tree_) visit(*target.event);
  }

 private:
  std::multimap<Instant, Target<HasUser>> tree_;
};

/// Latest first, so that the next entry is taken from the back.
template <bool HasUser>
class FlatQueue : public OrderedQueue<FlatQueue<HasUser>, HasUser> {
 public:
  using Entry = RunEntry<HasUser>;

  FlatQueue(std::size_t capacity, Instant) { entries_.reserve(capacity); }

  void push(Instant at, Event* event, void* user) {
    // Before its ties: the back is taken first.
    entries_.emplace_hint(entries_.lower_bound(at), at, this->target_of(event, user));
  }
  [[nodiscard]] Instant first_due() const noexcept {
    return entries_.empty() ? k_no_instant : entries_.rbegin()->first;
  }
  [[nodiscard]] Entry first() const noexcept {
    return this->entry_of(entries_.rbegin()->first, entries_.rbegin()->second);
  }
  [[nodiscard]] Entry take() {
    const auto last = entries_.end() - 1;
    const Entry entry = this->entry_of(last->first, last->second);
    entries_.erase(last);
    return entry;
  }
  void erase(Instant at, Event* event) {
    for (auto entry = entries_.lower_bound(at);; ++entry) {
      if (entry->second.event == event) {
        entries_.erase(entry);
        return;
      }
    }
  }
  template <class Predicate>
  void erase_if(Predicate predicate) {
    for (auto entry = entries_.begin(); entry != entries_.end();) {
      entry = predicate(*entry->second.event) ? entries_.erase(entry) : entry + 1;
    }
  }
  template <class Visit>
  void for_each(Visit visit) {
    for (auto& [at, target] : entries_) visit(*target.event);
  }

 private:
  boost::container::flat_multimap<Instant, Target<HasUser>, std::greater<>> entries_;
};

}  // namespace dojima::sched::containers
