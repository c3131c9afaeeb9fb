#include "dojima/sched/wheel/chunk_list.hpp"

#include <bit>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace dojima::sched {

ChunkPool::ChunkPool(std::size_t bytes, std::size_t count)
    : bytes_(bytes),
      shift_(static_cast<unsigned>(std::countr_zero(bytes))),
      count_(count),
      memory_(static_cast<std::byte*>(::operator new(bytes* count, std::align_val_t{bytes})), Release{bytes}) {
  DOJIMA_ASSERT(bytes == 128 || bytes == 512 || bytes == 2048, "entries of 24 bytes end with a chunk", bytes);
  DOJIMA_ASSERT(count <= UINT32_MAX, "a chunk's number has 32 bits", count);
#if defined(__linux__)
  // Asks for huge pages; without them everything works the same.
  constexpr std::size_t k_huge_page = std::size_t{1} << 21;
  const auto begin = (reinterpret_cast<std::uintptr_t>(memory_.get()) + k_huge_page - 1) / k_huge_page * k_huge_page;
  const auto end = (reinterpret_cast<std::uintptr_t>(memory_.get()) + bytes * count) / k_huge_page * k_huge_page;
  if (end > begin) static_cast<void>(madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE));
#endif
}

std::byte* extend(ChunkPool& pool, ChunkList& list, std::size_t header) noexcept {
  std::byte* const chunk = pool.take();
  if (list.is_empty()) {
    list.head = pool.number_of(chunk);
  } else {
    ChunkPool::next_of(list.write - pool.chunk_bytes()) = chunk;
  }
  ++list.chunks;
  return chunk + header;
}

}  // namespace dojima::sched
