#pragma once

// Which records may have changed since they were last written to the journal: all that were given out to be changed.
// Nothing is noted before begin(). O(1) each. More changes than k_noted between two times that they are written take
// memory once: the end of a venue session changes all orders of its clients.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dojima::gateway {

class RecordChanges {
 public:
  static constexpr std::size_t k_noted = 1024;

  /// A request that is over.
  struct Ended {
    std::uint64_t number = 0;
    bool is_withdrawn = false;  ///< it was never sent
    bool is_detached = false;   ///< its ClOrdID addresses nothing
  };
  std::vector<std::uint32_t> orders;    ///< slots, each once; of those in use
  std::vector<std::uint32_t> requests;  ///< likewise
  std::vector<Ended> ended;             ///< in their order

  [[nodiscard]] bool is_empty() const noexcept { return orders.empty() && requests.empty() && ended.empty(); }

  /// From now on changes of so many slots of each are noted. Throws std::bad_alloc.
  void begin(std::size_t order_slots, std::size_t request_slots) {
    is_on_ = true;
    is_order_noted_.assign(order_slots, false);
    is_request_noted_.assign(request_slots, false);
    orders.reserve(k_noted);
    requests.reserve(k_noted);
    ended.reserve(k_noted);
  }
  [[nodiscard]] bool is_on() const noexcept { return is_on_; }
  void note_order(std::uint32_t slot) noexcept { note(orders, is_order_noted_, slot); }
  void note_request(std::uint32_t slot) noexcept { note(requests, is_request_noted_, slot); }
  /// They have been written.
  void forget() noexcept {
    for (const std::uint32_t slot : orders) is_order_noted_[slot] = false;
    for (const std::uint32_t slot : requests) is_request_noted_[slot] = false;
    orders.clear();
    requests.clear();
    ended.clear();
  }
  /// Of memory, but for the object itself.
  [[nodiscard]] std::size_t bytes() const noexcept {
    return (orders.capacity() + requests.capacity()) * sizeof(std::uint32_t) + ended.capacity() * sizeof(Ended) +
           (is_order_noted_.capacity() + is_request_noted_.capacity()) / 8;
  }

 private:
  void note(std::vector<std::uint32_t>& list, std::vector<bool>& noted, std::uint32_t slot) noexcept {
    if (!is_on_ || noted[slot]) return;
    noted[slot] = true;
    list.push_back(slot);
  }

  bool is_on_ = false;
  std::vector<bool> is_order_noted_, is_request_noted_;
};

}  // namespace dojima::gateway
