#pragma once

// The bucket whose time has come: its nodes in firing order, as an array. Newcomers of its time are inserted.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "dojima/sched/containers/node_pool.hpp"
#include "dojima/sched/core/instant.hpp"

namespace dojima::sched::containers {

template <bool HasUser>
class OpenBucket {
 public:
  using Node = containers::Node<HasUser>;

  [[nodiscard]] bool is_empty() const noexcept { return at_ == nodes_.size(); }
  /// The next one; it must not be empty.
  [[nodiscard]] const Node* first() const noexcept { return nodes_[at_]; }
  /// As first(), and it is gone.
  [[nodiscard]] Node* take() noexcept {
    if (at_ + k_nodes_ahead < nodes_.size()) __builtin_prefetch(nodes_[at_ + k_nodes_ahead]->event, 1);
    return nodes_[at_++];
  }

  void clear() noexcept {
    nodes_.clear();
    at_ = 0;
  }
  /// Takes a list that was built at its head. It must be clear.
  void open(Node* list) {
    for (Node* node = list; node != nullptr; node = node->next) nodes_.push_back(node);
    std::reverse(nodes_.begin(), nodes_.end());
    nodes_.size() > k_crowd ? sort_crowd() : sort_few();
  }
  /// Behind all of its time.
  void insert(Node* node) {
    auto place = nodes_.begin() + static_cast<std::ptrdiff_t>(at_);
    place =
        std::upper_bound(place, nodes_.end(), node->at, [](Instant at, const Node* other) { return at < other->at; });
    nodes_.insert(place, node);
  }

  /// Takes out those for which `predicate(*node)`, and hands each to `drop(node)`.
  template <class Predicate, class Drop>
  void erase_where(Predicate predicate, Drop drop) {
    for (std::size_t at = at_; at < nodes_.size();) {
      if (!predicate(*nodes_[at])) {
        ++at;
        continue;
      }
      drop(nodes_[at]);
      nodes_.erase(nodes_.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t at = at_; at < nodes_.size(); ++at) visit(*nodes_[at]);
  }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return nodes_.capacity() * sizeof(Node*) + crowd_.capacity() * sizeof(Placed);
  }

 private:
  static constexpr std::size_t k_nodes_ahead = 1;
  static constexpr std::size_t k_crowd = 32;
  struct Placed {
    Instant at;
    std::size_t place;
    Node* node;
  };

  /// Insertion: a bucket has a few entries.
  void sort_few() noexcept {
    for (std::size_t next = 1; next < nodes_.size(); ++next) {
      Node* const node = nodes_[next];
      std::size_t place = next;
      for (; place > 0 && node->at < nodes_[place - 1]->at; --place) nodes_[place] = nodes_[place - 1];
      nodes_[place] = node;
    }
  }
  /// For a crowded one keys beside each other, with their places.
  void sort_crowd() {
    crowd_.clear();
    for (std::size_t place = 0; place < nodes_.size(); ++place)
      crowd_.push_back({nodes_[place]->at, place, nodes_[place]});
    std::sort(crowd_.begin(), crowd_.end(),
              [](const Placed& a, const Placed& b) { return a.at != b.at ? a.at < b.at : a.place < b.place; });
    for (std::size_t place = 0; place < nodes_.size(); ++place) nodes_[place] = crowd_[place].node;
  }

  std::vector<Node*> nodes_;  // in order, from at_ on
  std::size_t at_ = 0;
  std::vector<Placed> crowd_;
};

}  // namespace dojima::sched::containers
