#include "dojima/base/large_array.hpp"

#include <cstdint>
#include <cstring>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace dojima {
namespace {

constexpr std::size_t k_cache_line = 64;
constexpr std::size_t k_huge_page = std::size_t{2} << 20;

}  // namespace

void* take_large_memory(std::size_t bytes) {
#if defined(__linux__)
  if (bytes >= k_huge_page) {
    // Mapped with room to move the beginning to a huge page's: the kernel places mappings by small pages.
    const std::size_t size = (bytes + k_huge_page - 1) / k_huge_page * k_huge_page;
    void* const mapped =
        ::mmap(nullptr, size + k_huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    auto* const begin = static_cast<std::byte*>(mapped);
    const std::size_t before = (k_huge_page - reinterpret_cast<std::uintptr_t>(begin) % k_huge_page) % k_huge_page;
    if (before != 0) ::munmap(begin, before);
    ::munmap(begin + before + size, k_huge_page - before);
    ::madvise(begin + before, size, MADV_HUGEPAGE);  // advice: small pages do as well, only slower
    return begin + before;
  }
#endif
  const std::size_t size = (bytes + k_cache_line - 1) / k_cache_line * k_cache_line;
  void* const memory = ::operator new(size == 0 ? k_cache_line : size, std::align_val_t{k_cache_line});
  std::memset(memory, 0, size);
  return memory;
}

void* take_gradual_memory(std::size_t bytes) {
  void* const memory = take_large_memory(bytes);
#if defined(__linux__)
  // Advice again; what lies behind is huge pages as before.
  if (bytes >= k_huge_page) ::madvise(memory, k_huge_page, MADV_NOHUGEPAGE);
#endif
  return memory;
}

void give_large_memory(void* memory, std::size_t bytes) noexcept {
#if defined(__linux__)
  if (bytes >= k_huge_page) {
    ::munmap(memory, (bytes + k_huge_page - 1) / k_huge_page * k_huge_page);
    return;
  }
#endif
  ::operator delete(memory, std::align_val_t{k_cache_line});
}

void clear_large_memory(void* memory, std::size_t bytes) noexcept {
#if defined(__linux__)
  const std::size_t size = (bytes + k_huge_page - 1) / k_huge_page * k_huge_page;
  if (bytes >= k_huge_page && ::madvise(memory, size, MADV_DONTNEED) == 0) return;
#endif
  std::memset(memory, 0, bytes);
}

void* take_pages(std::size_t bytes) {
#if defined(__linux__)
  if (bytes != 0) {
    void* const mapped =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    return mapped;
  }
#endif
  return take_large_memory(bytes);
}

void give_pages(void* memory, std::size_t bytes) noexcept {
#if defined(__linux__)
  if (bytes != 0) {
    ::munmap(memory, bytes);
    return;
  }
#endif
  give_large_memory(memory, bytes);
}

}  // namespace dojima
