#pragma once

// A fixed array of plain records in memory taken once, meant for tables of some megabytes: from 2 MB on it asks the
// system for huge pages, without which looking up the page of an order costs as much as looking up the order. Elements
// are aligned to a cache line at least. Nothing is allocated after construction. One thread.
//
//   LargeArray<Order> orders(capacity);          // every element default-constructed, its memory touched
//   LargeArray<Level> levels(capacity, k_untouched);   // memory that costs nothing until it is used; all bytes 0
//   LargeArray<Level> ticks(4096, k_by_page);          // likewise where the array is small, page by page

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace dojima {

/// Memory of `bytes` bytes, not touched where that can be had, all 0. Throws std::bad_alloc.
[[nodiscard]] void* take_large_memory(std::size_t bytes);
/// The same with its first 2 MB in small pages: a huge one is cleared as a whole when its first byte is used.
[[nodiscard]] void* take_gradual_memory(std::size_t bytes);
void give_large_memory(void* memory, std::size_t bytes) noexcept;
/// It becomes all 0 again, and what it took of the machine is given back where that can be done.
void clear_large_memory(void* memory, std::size_t bytes) noexcept;
/// Memory as of take_large_memory() in small pages of its own, whatever the size.
[[nodiscard]] void* take_pages(std::size_t bytes);
void give_pages(void* memory, std::size_t bytes) noexcept;

/// What becomes of memory that nobody has used yet.
enum class Memory : std::uint8_t {
  touched,    ///< it is the program's at once: nothing waits for it later
  untouched,  ///< it costs nothing until it is used
  gradual,    ///< likewise, and little as long as little of it is: of much more than will likely be used
};

struct Untouched {};
inline constexpr Untouched k_untouched{};
struct ByPage {};
inline constexpr ByPage k_by_page{};

template <class T>
  requires std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>
class LargeArray {
 public:
  /// Throws std::bad_alloc.
  explicit LargeArray(std::size_t size) : LargeArray(size, k_untouched) {
    std::uninitialized_value_construct_n(elements_, size_);
  }
  /// The elements are all-zero bytes, which must be a value of T.
  LargeArray(std::size_t size, Untouched)
      : size_(size), elements_(static_cast<T*>(take_large_memory(size * sizeof(T)))) {}
  LargeArray(std::size_t size, Memory memory)
      : size_(size),
        elements_(static_cast<T*>(memory == Memory::gradual ? take_gradual_memory(size * sizeof(T))
                                                            : take_large_memory(size * sizeof(T)))) {
    if (memory == Memory::touched) std::uninitialized_value_construct_n(elements_, size_);
  }
  LargeArray(std::size_t size, ByPage)
      : size_(size), elements_(static_cast<T*>(take_pages(size * sizeof(T)))), is_by_page_(true) {}
  /// Leaves `other` without elements.
  LargeArray(LargeArray&& other) noexcept
      : size_(std::exchange(other.size_, 0)),
        elements_(std::exchange(other.elements_, nullptr)),
        is_by_page_(other.is_by_page_) {}
  LargeArray& operator=(LargeArray&&) = delete;
  ~LargeArray() {
    is_by_page_ ? give_pages(elements_, size_ * sizeof(T)) : give_large_memory(elements_, size_ * sizeof(T));
  }

  [[nodiscard]] T& operator[](std::size_t at) noexcept { return elements_[at]; }
  [[nodiscard]] const T& operator[](std::size_t at) const noexcept { return elements_[at]; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  std::size_t size_;
  T* elements_;
  bool is_by_page_ = false;
};

}  // namespace dojima
