#include "dojima/book/queues/level_pool.hpp"

#include <bit>

namespace dojima::book {

static_assert(sizeof(std::uint64_t*) == sizeof(std::uint64_t), "a free window holds an address in a word");

LevelPool::LevelPool(std::size_t levels, std::size_t window_ticks, Memory memory)
    : records_(levels + 1, memory),
      windows_(window_ticks * sizeof(LevelIndex) / sizeof(std::uint64_t) + window_ticks / 64, memory) {}

LevelPool::Window LevelPool::take_window(unsigned log2) noexcept {
  const std::size_t words = window_bytes(log2) / sizeof(std::uint64_t);
  std::uint64_t* begin = free_windows_[log2];
  if (begin != nullptr) {
    free_windows_[log2] = std::bit_cast<std::uint64_t*>(*begin);
    *begin = 0;
  } else {
    if (windows_.size() - used_words_ < words) return {};
    begin = &windows_[used_words_];
    used_words_ += words;
  }
  const std::size_t bit_words = (std::size_t{1} << log2) / 64;
  return {begin, reinterpret_cast<LevelIndex*>(begin + bit_words)};
}

void LevelPool::give_window(Window window, unsigned log2) noexcept {
  *window.bits = std::bit_cast<std::uint64_t>(free_windows_[log2]);
  free_windows_[log2] = window.bits;
}

}  // namespace dojima::book
