#pragma once

// System calls and readings of the kernel's clock of each thread, counted where the program calls the C library: linked
// into dojima-budget-sockets, whose own recv, send, epoll_wait, clock_gettime ... come before the library's.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dojima::bench {

enum class Call : std::uint8_t { receive, receive_empty, send, wait, look, control, file, clock };
inline constexpr std::size_t k_calls = 8;

/// What one thread called; read by any thread.
struct CallCounts {
  std::array<std::atomic<std::uint64_t>, k_calls> counts{};
  [[nodiscard]] std::uint64_t of(Call call) const noexcept {
    return counts[static_cast<std::size_t>(call)].load(std::memory_order_relaxed);
  }
};

/// From now on the calls of this thread go there; null: nowhere.
void count_calls_of_this_thread(CallCounts* counts) noexcept;

}  // namespace dojima::bench
