#pragma once

// Rivals of the run wheel: the three containers of the article "Hybrid Containers for C++", buckets of linked nodes.
//
//   external    a node from a pool for every entry; an event may have any number of entries
//   intrusive   the node is a part of the event: one entry per event
//   hybrid      the event's own node while that is free, else one from the pool
//
// A bucket's list is built at its head; when its time comes, it is put in order into an array. Beyond the horizon of
// the buckets entries wait in an ordered map. Exact and in the same order as the run wheel. For tests and benchmarks.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "dojima/sched/core/entry_queue.hpp"
#include "dojima/sched/core/instant.hpp"
#include "dojima/sched/event.hpp"
#include "dojima/sched/wheel/run_entry.hpp"

namespace dojima::sched::containers {

enum class NodePlace : std::uint8_t { external, intrusive, hybrid };

struct Node {
  Node* next = nullptr;
  Instant at = k_no_instant;
  Event* event = nullptr;  // null: free
};

/// An event with a node of its own.
class LinkedEvent : public Event {
 protected:
  ~LinkedEvent() = default;

 private:
  template <NodePlace>
  friend class BucketQueue;
  Node node_;
};

struct BucketShape {
  std::size_t buckets_per_entry = 1;  ///< 1: as the article has it; 4: what was measured to be the best
  std::size_t prefetch_ahead = 0;     ///< heads of lists to fetch before their time: 0, or 8
};

template <NodePlace Place>
class BucketQueue {
 public:
  using Scheduled = std::conditional_t<Place == NodePlace::external, Event, LinkedEvent>;
  using Entry = RunEntry<false>;
  static constexpr bool k_has_user = false;
  /// Of the node that an event carries.
  static constexpr std::size_t k_bytes_in_event = Place == NodePlace::external ? 0 : sizeof(Node);

  BucketQueue(std::size_t capacity, Instant start, BucketShape shape = {})
      : bucket_bits_(
            static_cast<unsigned>(std::bit_width(std::max<std::size_t>(1024, capacity * shape.buckets_per_entry) - 1))),
        shift_(k_horizon_bits > bucket_bits_ ? k_horizon_bits - bucket_bits_ : 0),
        prefetch_ahead_(shape.prefetch_ahead),
        current_(start >> shift_),
        buckets_(std::size_t{1} << bucket_bits_),
        used_((buckets_.size() + 63) / 64),
        // An event's own node may be free and yet another entry come from the pool, so it holds all.
        node_count_(Place == NodePlace::intrusive ? 0 : capacity),
        nodes_(std::allocator<Node>().allocate(node_count_), Release{node_count_}) {}

  [[nodiscard]] bool can_hold(const Scheduled& event) const noexcept {
    if constexpr (Place == NodePlace::intrusive) return event.node_.event == nullptr;
    return true;
  }

  void push(Instant at, Scheduled* event, void*) {
    if constexpr (Place != NodePlace::external) {
      if (event->node_.event == nullptr) {
        event->node_.at = at;
        event->node_.event = event;
        return insert(&event->node_);
      }
    }
    push_own(at, event, nullptr);
  }
  void push_own(Instant at, Event* event, void*) {
    Node* const node = take_node();
    node->at = at;
    node->event = event;
    insert(node);
  }

  [[nodiscard]] bool is_due(Instant limit) const noexcept {
    return open_at_ < open_.size() && open_[open_at_]->at <= limit;
  }
  [[nodiscard]] Readiness prepare(Instant limit) {
    while (open_at_ == open_.size()) {
      if (!open_next(limit)) return Readiness::none;
    }
    return is_due(limit) ? Readiness::due : Readiness::none;
  }
  [[nodiscard]] Entry first() const noexcept { return {open_[open_at_]->at, open_[open_at_]->event, nullptr}; }
  [[nodiscard]] Entry take() {
    if (open_at_ + k_nodes_ahead < open_.size()) __builtin_prefetch(open_[open_at_ + k_nodes_ahead]->event, 1);
    Node* const node = open_[open_at_++];
    const Entry entry{node->at, node->event, nullptr};
    give(node);
    return entry;
  }

  [[nodiscard]] Instant lower_bound() const noexcept {
    return open_at_ < open_.size() ? open_[open_at_]->at : current_ << shift_;
  }
  [[nodiscard]] Instant next() {
    if (open_at_ < open_.size()) return open_[open_at_]->at;
    const std::uint64_t bucket = first_used();
    Instant earliest = later_.empty() ? k_no_instant : later_.begin()->first;
    if (bucket == k_no_instant) return earliest;
    for (const Node* node = buckets_[bucket & mask()]; node != nullptr; node = node->next)
      earliest = std::min(earliest, node->at);
    return earliest;
  }
  void refill() const noexcept {}
  /// Memory that was ever touched, without the nodes inside events; of the pool what was taken from it.
  [[nodiscard]] std::size_t bytes_in_use() const noexcept {
    constexpr std::size_t k_tree_node = 48;  // three links, colour, key and value
    return (buckets_.size() + used_.size() + open_.capacity()) * sizeof(void*) +
           (fresh_ + more_.size()) * sizeof(Node) + crowd_.capacity() * sizeof(Placed) + later_.size() * k_tree_node;
  }

  void erase(Instant at, Event* event) {
    erase_where([&](const Node& node) { return node.at == at && node.event == event; }, (at >> shift_) & mask());
  }
  template <class Predicate>
  void erase_if(Predicate predicate) {
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket)
      erase_where([&](const Node& node) { return predicate(*node.event); }, bucket);
  }
  template <class Visit>
  void for_each(Visit visit) {
    for (Node* list : buckets_) {
      for (; list != nullptr; list = list->next) visit(*list->event);
    }
    for (std::size_t at = open_at_; at < open_.size(); ++at) visit(*open_[at]->event);
    for (auto& [at, node] : later_) visit(*node->event);
  }

 private:
  static constexpr unsigned k_horizon_bits = 31;  // 2.1 s
  static constexpr std::size_t k_nodes_ahead = 1;

  [[nodiscard]] std::uint64_t mask() const noexcept { return buckets_.size() - 1; }

  void insert(Node* node) {
    const std::uint64_t bucket = node->at >> shift_;
    if (bucket < current_) {  // of the open bucket
      auto place = open_.begin() + static_cast<std::ptrdiff_t>(open_at_);
      place =
          std::upper_bound(place, open_.end(), node->at, [](Instant at, const Node* other) { return at < other->at; });
      open_.insert(place, node);
    } else if (bucket - current_ < buckets_.size()) {
      link(node);
    } else {
      later_.emplace(node->at, node);
    }
  }
  void link(Node* node) noexcept {
    const std::size_t bucket = static_cast<std::size_t>((node->at >> shift_) & mask());
    node->next = buckets_[bucket];
    buckets_[bucket] = node;
    used_[bucket / 64] |= std::uint64_t{1} << (bucket % 64);
  }
  [[nodiscard]] Node* take_node() {
    if (free_ != nullptr) return std::exchange(free_, free_->next);
    if (fresh_ < node_count_) return ::new (static_cast<void*>(nodes_.get() + fresh_++)) Node;
    // intrusive: timers and tickets have no node of their own
    return more_.emplace_back(std::make_unique<Node>()).get();
  }
  /// Back to the pool, or to its event.
  void give(Node* node) noexcept {
    node->event = nullptr;
    if (is_of_pool(node)) {
      node->next = free_;
      free_ = node;
    }
  }
  [[nodiscard]] bool is_of_pool(const Node* node) const noexcept {
    if constexpr (Place == NodePlace::external) return true;
    const std::uintptr_t offset =
        reinterpret_cast<std::uintptr_t>(node) - reinterpret_cast<std::uintptr_t>(nodes_.get());
    if (offset < node_count_ * sizeof(Node)) return true;
    for (const auto& other : more_) {
      if (other.get() == node) return true;
    }
    return false;
  }

  /// The first bucket that has a list, from the current one on.
  [[nodiscard]] std::uint64_t first_used() const noexcept {
    const std::size_t from = static_cast<std::size_t>(current_ & mask());
    for (std::size_t step = 0; step <= used_.size(); ++step) {
      const std::size_t word = (from / 64 + step) % used_.size();
      std::uint64_t bits = used_[word];
      if (step == 0) bits &= ~std::uint64_t{0} << (from % 64);
      if (bits == 0) continue;
      const std::size_t bucket = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      return current_ + ((bucket - from) & mask());
    }
    return k_no_instant;
  }

  /// Opens the first bucket that begins at or before `limit`. False: there is none.
  bool open_next(Instant limit) {
    std::uint64_t bucket = first_used();
    if (!later_.empty()) bucket = std::min(bucket, later_.begin()->first >> shift_);
    const std::uint64_t end = limit >> shift_;
    open_.clear();
    open_at_ = 0;
    const bool is_any_due = bucket <= end;
    // Nothing was scheduled directly into what the horizon reaches now: what waited for it comes first.
    current_ = is_any_due ? bucket : std::max(current_, end);
    while (!later_.empty() && (later_.begin()->first >> shift_) - current_ < buckets_.size()) {
      link(later_.begin()->second);
      later_.erase(later_.begin());
    }
    if (!is_any_due) return false;
    ++current_;
    const std::size_t index = static_cast<std::size_t>(bucket & mask());
    for (Node* node = buckets_[index]; node != nullptr; node = node->next) open_.push_back(node);
    buckets_[index] = nullptr;
    used_[index / 64] &= ~(std::uint64_t{1} << (index % 64));
    std::reverse(open_.begin(), open_.end());
    // Insertion: a bucket has a few entries. For a crowded one keys beside each other, with their places.
    if (open_.size() > 32) {
      crowd_.clear();
      for (std::size_t place = 0; place < open_.size(); ++place)
        crowd_.push_back({open_[place]->at, place, open_[place]});
      std::sort(crowd_.begin(), crowd_.end(),
                [](const Placed& a, const Placed& b) { return a.at != b.at ? a.at < b.at : a.place < b.place; });
      for (std::size_t place = 0; place < open_.size(); ++place) open_[place] = crowd_[place].node;
    } else {
      for (std::size_t next = 1; next < open_.size(); ++next) {
        Node* const node = open_[next];
        std::size_t place = next;
        for (; place > 0 && node->at < open_[place - 1]->at; --place) open_[place] = open_[place - 1];
        open_[place] = node;
      }
    }
    if (prefetch_ahead_ != 0) {
      __builtin_prefetch(buckets_[static_cast<std::size_t>((bucket + prefetch_ahead_) & mask())], 1);
    }
    return true;
  }

  template <class Predicate>
  void erase_where(Predicate predicate, std::uint64_t bucket) {
    for (Node** link = &buckets_[static_cast<std::size_t>(bucket)]; *link != nullptr;) {
      Node* const node = *link;
      if (!predicate(*node)) {
        link = &node->next;
        continue;
      }
      *link = node->next;
      give(node);
    }
    if (buckets_[static_cast<std::size_t>(bucket)] == nullptr)
      used_[bucket / 64] &= ~(std::uint64_t{1} << (bucket % 64));
    for (std::size_t at = open_at_; at < open_.size();) {
      if (!predicate(*open_[at])) {
        ++at;
        continue;
      }
      give(open_[at]);
      open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(at));
    }
    for (auto later = later_.begin(); later != later_.end();) {
      if (!predicate(*later->second)) {
        ++later;
        continue;
      }
      give(later->second);
      later = later_.erase(later);
    }
  }

  unsigned bucket_bits_;
  unsigned shift_;
  std::size_t prefetch_ahead_;
  std::uint64_t current_;  // the first bucket that is not open
  std::vector<Node*> buckets_;
  std::vector<std::uint64_t> used_;
  struct Release {
    std::size_t count;
    void operator()(Node* nodes) const noexcept { std::allocator<Node>().deallocate(nodes, count); }
  };
  std::size_t node_count_;
  std::size_t fresh_ = 0;
  std::unique_ptr<Node, Release> nodes_;
  std::vector<std::unique_ptr<Node>> more_;
  Node* free_ = nullptr;
  std::vector<Node*> open_;  // the open bucket, in order, from open_at_ on
  std::size_t open_at_ = 0;
  struct Placed {
    Instant at;
    std::size_t place;
    Node* node;
  };
  std::vector<Placed> crowd_;
  std::multimap<Instant, Node*> later_;
};

}  // namespace dojima::sched::containers
