#pragma once

// Memory for asynchronous operations that comes from the object that starts them instead of the heap. The library asks
// for it through the handler's associated allocator when an operation starts and gives it back before the handler
// runs, so one place per kind of operation is enough. Knows nothing of sockets.
//
//   HandlerMemory memory;
//   socket.async_read_some(buffer, with_memory(memory, [](error_code, std::size_t) {}));

#include <cstddef>
#include <utility>

#include "dojima/base/assert.hpp"

namespace dojima::net {

/// Room for one pending operation. Pinned; outlives the operation.
class HandlerMemory {
 public:
  HandlerMemory() = default;
  HandlerMemory(const HandlerMemory&) = delete;
  HandlerMemory& operator=(const HandlerMemory&) = delete;

  [[nodiscard]] void* take(std::size_t size) noexcept {
    DOJIMA_ASSERT(!is_taken_ && size <= sizeof bytes_, "one operation of a known size at a time");
    is_taken_ = true;
    return bytes_;
  }
  void give_back() noexcept { is_taken_ = false; }

 private:
  alignas(std::max_align_t) std::byte bytes_[512];
  bool is_taken_ = false;
};

template <class T>
struct HandlerAllocator {
  using value_type = T;
  explicit HandlerAllocator(HandlerMemory& where) noexcept : memory(&where) {}
  template <class Other>
  HandlerAllocator(const HandlerAllocator<Other>& other) noexcept : memory(other.memory) {}
  T* allocate(std::size_t count) noexcept { return static_cast<T*>(memory->take(count * sizeof(T))); }
  void deallocate(T*, std::size_t) noexcept { memory->give_back(); }
  template <class Other>
  bool operator==(const HandlerAllocator<Other>& other) const noexcept {
    return memory == other.memory;
  }
  HandlerMemory* memory;
};

/// A function with the memory for its operation.
template <class Function>
struct Handler {
  using allocator_type = HandlerAllocator<std::byte>;
  [[nodiscard]] allocator_type get_allocator() const noexcept { return allocator_type(*memory); }
  template <class... Arguments>
  void operator()(Arguments&&... arguments) {
    function(std::forward<Arguments>(arguments)...);
  }
  HandlerMemory* memory;
  Function function;
};

template <class Function>
[[nodiscard]] Handler<Function> with_memory(HandlerMemory& memory, Function function) {
  return {&memory, std::move(function)};
}

}  // namespace dojima::net
