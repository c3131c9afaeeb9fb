#pragma once

// New orders and replaces that wait for their client's rate, each client's in their order. Capacity is shared by all
// clients and taken at construction. O(1), but for remove(): O(requests of the client that wait). One thread.

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "dojima/base/pool.hpp"
#include "dojima/market/command.hpp"

namespace dojima::gateway {

class RequestQueue {
 public:
  using Command = std::variant<market::NewOrder, market::Replace>;
  /// `number`: of the request.
  struct Waiting {
    std::uint64_t number = 0;
    Command command;
    std::uint32_t next = k_none;
  };

  /// Throws std::bad_alloc.
  RequestQueue(std::size_t clients, std::size_t capacity) : pool_(capacity), clients_(clients) {}

  /// False: no room.
  [[nodiscard]] bool push(std::uint32_t client, std::uint64_t number, const Command& command) {
    const auto slot = pool_.acquire();
    if (!slot) return false;
    pool_[*slot] = {.number = number, .command = command};
    Line& line = clients_[client];
    (line.last == k_none ? line.first : pool_[line.last].next) = *slot;
    line.last = *slot;
    ++line.size;
    return true;
  }
  [[nodiscard]] bool is_full() const noexcept { return pool_.is_full(); }
  [[nodiscard]] std::uint32_t size(std::uint32_t client) const noexcept { return clients_[client].size; }
  /// The one that came first; null: none waits. Valid until it is removed.
  [[nodiscard]] const Waiting* front(std::uint32_t client) const noexcept {
    const std::uint32_t first = clients_[client].first;
    return first == k_none ? nullptr : &pool_[first];
  }
  /// The one behind; null: it is the last.
  [[nodiscard]] const Waiting* behind(const Waiting& waiting) const noexcept {
    return waiting.next == k_none ? nullptr : &pool_[waiting.next];
  }
  /// False: it does not wait.
  bool remove(std::uint32_t client, std::uint64_t number) noexcept {
    Line& line = clients_[client];
    std::uint32_t before = k_none;
    for (std::uint32_t at = line.first; at != k_none; before = at, at = pool_[at].next) {
      if (pool_[at].number != number) continue;
      (before == k_none ? line.first : pool_[before].next) = pool_[at].next;
      if (line.last == at) line.last = before;
      --line.size;
      pool_.release(at);
      return true;
    }
    return false;
  }
  [[nodiscard]] bool has(std::uint32_t client, std::uint64_t number) const noexcept {
    for (const Waiting* each = front(client); each != nullptr; each = behind(*each))
      if (each->number == number) return true;
    return false;
  }

 private:
  static constexpr std::uint32_t k_none = 0xffff'ffff;
  struct Line {
    std::uint32_t first = k_none, last = k_none;
    std::uint32_t size = 0;
  };

  Pool<Waiting> pool_;
  std::vector<Line> clients_;
};

}  // namespace dojima::gateway
