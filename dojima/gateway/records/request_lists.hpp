#pragma once

// The requests of each client in line, by their slots, first come first. O(1), no allocation after construction.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/gateway/records/order.hpp"

namespace dojima::gateway {

class RequestLists {
 public:
  /// Throws std::bad_alloc.
  RequestLists(std::size_t slots, std::size_t clients) : links_(slots), lists_(clients) {}

  /// The slot, which is in no list, is the client's last.
  void append(std::uint32_t slot, std::uint32_t client) noexcept {
    DOJIMA_ASSERT(client < lists_.size(), "a request is of a client that there is", client, lists_.size());
    List& list = lists_[client];
    links_[slot] = {.before = list.last, .next = k_no_slot};
    (list.last == k_no_slot ? list.first : links_[list.last].next) = slot;
    list.last = slot;
  }
  void remove(std::uint32_t slot, std::uint32_t client) noexcept {
    const Link link = links_[slot];
    List& list = lists_[client];
    std::uint32_t& behind = link.before == k_no_slot ? list.first : links_[link.before].next;
    std::uint32_t& before = link.next == k_no_slot ? list.last : links_[link.next].before;
    DOJIMA_ASSERT(behind == slot && before == slot, "a request is in the list of its client", slot, client);
    behind = link.next;
    before = link.before;
    links_[slot] = {};
  }
  /// k_no_slot: none, and no more.
  [[nodiscard]] std::uint32_t first(std::uint32_t client) const noexcept { return lists_[client].first; }
  [[nodiscard]] std::uint32_t next(std::uint32_t slot) const noexcept { return links_[slot].next; }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return links_.capacity() * sizeof(Link) + lists_.capacity() * sizeof(List);
  }

 private:
  struct Link {
    std::uint32_t before = k_no_slot, next = k_no_slot;
  };
  struct List {
    std::uint32_t first = k_no_slot, last = k_no_slot;
  };
  std::vector<Link> links_;  // by slot
  std::vector<List> lists_;  // by client
};

}  // namespace dojima::gateway
