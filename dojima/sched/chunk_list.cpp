#include "dojima/sched/chunk_list.hpp"

#include <bit>

namespace dojima::sched {

ChunkPool::ChunkPool(std::size_t bytes, std::size_t count)
    : bytes_(bytes),
      shift_(static_cast<unsigned>(std::countr_zero(bytes))),
      count_(count),
      memory_(static_cast<std::byte*>(::operator new(bytes* count, std::align_val_t{bytes})), Release{bytes}) {
  DOJIMA_ASSERT(bytes == 128 || bytes == 512 || bytes == 2048, "entries of 24 bytes end with a chunk");
  DOJIMA_ASSERT(count <= UINT32_MAX, "a chunk's number has 32 bits");
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
