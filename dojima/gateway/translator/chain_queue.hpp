#pragma once

// Changes that wait for the answer to the one before them, of the same order (ClientConfig::chain): only which, in
// their order; their records say what. O(waiting of the client), no allocation after construction.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dojima/gateway/config.hpp"

namespace dojima::gateway {

class ChainQueue {
 public:
  struct Entry {
    std::uint64_t number = 0;  ///< of the request
    std::uint32_t order = 0;   ///< slot
  };

  /// Throws std::bad_alloc.
  explicit ChainQueue(std::span<const ClientConfig> clients) : lines_(clients.size()) {
    for (std::size_t client = 0; client < clients.size(); ++client) {
      lines_[client].most = clients[client].chain;
      lines_[client].entries.reserve(clients[client].chain);
    }
  }

  [[nodiscard]] bool has_room(std::uint32_t client) const noexcept {
    return lines_[client].entries.size() < lines_[client].most;
  }
  /// There is room.
  void push(std::uint32_t client, const Entry& entry) { lines_[client].entries.push_back(entry); }
  /// In the order in which they came.
  [[nodiscard]] std::span<const Entry> entries(std::uint32_t client) const noexcept { return lines_[client].entries; }
  void remove(std::uint32_t client, std::size_t place) noexcept {
    std::vector<Entry>& entries = lines_[client].entries;
    entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(place));
  }

 private:
  struct Line {
    std::uint32_t most = 0;
    std::vector<Entry> entries{};
  };
  std::vector<Line> lines_;
};

}  // namespace dojima::gateway
