#include "dojima/base/allocation_counter.hpp"

#include <cstdlib>
#include <new>

#if !defined(DOJIMA_SANITIZED)

namespace {

thread_local std::uint64_t allocations = 0;

void* allocate(std::size_t size, std::size_t alignment) noexcept {
  ++allocations;
  if (size == 0) size = 1;
  if (alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) return std::malloc(size);
  void* memory = nullptr;
  return ::posix_memalign(&memory, alignment, size) == 0 ? memory : nullptr;
}

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
  void* memory = allocate(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

constexpr std::size_t k_default = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

}  // namespace

void* operator new(std::size_t size) {
  return allocate_or_throw(size, k_default);
}
void* operator new[](std::size_t size) {
  return allocate_or_throw(size, k_default);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size, k_default);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size, k_default);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace dojima {
std::uint64_t heap_allocations() noexcept {
  return allocations;
}
bool counts_heap_allocations() noexcept {
  return true;
}
}  // namespace dojima

#else

namespace dojima {
std::uint64_t heap_allocations() noexcept {
  return 0;
}
bool counts_heap_allocations() noexcept {
  return false;
}
}  // namespace dojima

#endif
