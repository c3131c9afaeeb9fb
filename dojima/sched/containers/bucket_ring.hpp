#pragma once

// The buckets of a bucket queue: lists of nodes, each for a stretch of 2^n ns, as many as the horizon has; the ring
// goes round. Which of them have a list is a bit each.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "dojima/sched/containers/node_pool.hpp"
#include "dojima/sched/core/instant.hpp"

namespace dojima::sched::containers {

template <bool HasUser>
class BucketRing {
 public:
  using Node = containers::Node<HasUser>;

  /// At least `buckets` of them, and 1,024.
  explicit BucketRing(std::size_t buckets)
      : heads_(std::bit_ceil(std::max<std::size_t>(1024, buckets))), used_((heads_.size() + 63) / 64) {
    const auto bits = static_cast<unsigned>(std::countr_zero(heads_.size()));
    shift_ = k_horizon_bits > bits ? k_horizon_bits - bits : 0;
  }

  /// Buckets are numbered from the beginning of time.
  [[nodiscard]] std::uint64_t bucket_of(Instant at) const noexcept { return at >> shift_; }
  [[nodiscard]] Instant begin_of(std::uint64_t bucket) const noexcept { return bucket << shift_; }
  [[nodiscard]] std::size_t size() const noexcept { return heads_.size(); }
  /// Of a bucket's nodes; k_no_instant: it has none. O(nodes).
  [[nodiscard]] Instant earliest_in(std::uint64_t bucket) const noexcept {
    Instant earliest = k_no_instant;
    for (const Node* node = heads_[place_of(bucket)]; node != nullptr; node = node->next)
      earliest = std::min(earliest, node->at);
    return earliest;
  }

  /// At the head of its bucket's list.
  void link(Node* node) noexcept {
    const std::size_t place = place_of(bucket_of(node->at));
    node->next = heads_[place];
    heads_[place] = node;
    used_[place / 64] |= std::uint64_t{1} << (place % 64);
  }
  /// A bucket's list, which it has no more.
  [[nodiscard]] Node* unlink_all(std::uint64_t bucket) noexcept {
    const std::size_t place = place_of(bucket);
    mark_empty(place);
    return std::exchange(heads_[place], nullptr);
  }
  /// The first bucket that has a list, from `current` on; k_no_instant: none.
  [[nodiscard]] std::uint64_t first_used(std::uint64_t current) const noexcept {
    const std::size_t from = place_of(current);
    for (std::size_t step = 0; step <= used_.size(); ++step) {
      const std::size_t word = (from / 64 + step) % used_.size();
      std::uint64_t bits = used_[word];
      if (step == 0) bits &= ~std::uint64_t{0} << (from % 64);
      if (bits == 0) continue;
      const std::size_t place = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      return current + ((place - from) & mask());
    }
    return k_no_instant;
  }
  void prefetch(std::uint64_t bucket) const noexcept { __builtin_prefetch(heads_[place_of(bucket)], 1); }

  /// Takes those of a bucket out for which `predicate(*node)`, and hands each to `drop(node)`.
  template <class Predicate, class Drop>
  void erase_where(std::uint64_t bucket, Predicate predicate, Drop drop) {
    const std::size_t place = place_of(bucket);
    for (Node** link = &heads_[place]; *link != nullptr;) {
      Node* const node = *link;
      if (!predicate(*node)) {
        link = &node->next;
        continue;
      }
      *link = node->next;
      drop(node);
    }
    if (heads_[place] == nullptr) mark_empty(place);
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Node* list : heads_) {
      for (; list != nullptr; list = list->next) visit(*list);
    }
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return (heads_.size() + used_.size()) * sizeof(void*); }

 private:
  static constexpr unsigned k_horizon_bits = 31;  // 2.1 s

  [[nodiscard]] std::uint64_t mask() const noexcept { return heads_.size() - 1; }
  [[nodiscard]] std::size_t place_of(std::uint64_t bucket) const noexcept {
    return static_cast<std::size_t>(bucket & mask());
  }
  void mark_empty(std::size_t place) noexcept { used_[place / 64] &= ~(std::uint64_t{1} << (place % 64)); }

  std::vector<Node*> heads_;
  std::vector<std::uint64_t> used_;
  unsigned shift_ = 0;
};

}  // namespace dojima::sched::containers
