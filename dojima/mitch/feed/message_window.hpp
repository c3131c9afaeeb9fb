#pragma once

// The newest messages of one market data group by their numbers: a ring of places, so that putting and finding one are
// O(1), whatever order they come in. A publisher keeps what readers may ask for again; a reader what came too early,
// and what a snapshot may be behind. Memory is taken at construction, 72 bytes a message. One thread.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/base/bytes.hpp"
#include "dojima/mitch/codec.hpp"

namespace dojima::mitch {

class MessageWindow {
 public:
  /// Of at least so many messages, rounded up to a power of two. Throws std::bad_alloc.
  explicit MessageWindow(std::size_t capacity)
      : mask_(std::bit_ceil(capacity < 2 ? std::size_t{2} : capacity) - 1), places_(mask_ + 1) {}

  /// In the place of the message whose number is smaller by a multiple of the capacity. A message longer than any that
  /// is known keeps its type only.
  void put(std::uint32_t number, Bytes message) noexcept {
    DOJIMA_ASSERT(message.size() >= k_message_header_size, "a message has a length and a type", message.size());
    Place& place = places_[number & mask_];
    place.number = number;
    const bool is_known = message.size() <= k_longest;
    place.size = static_cast<std::uint8_t>(is_known ? message.size() : k_message_header_size);
    std::memcpy(place.bytes, message.data(), place.size);
    place.bytes[0] = std::byte{place.size};
  }

  /// Empty: it is not there. The view dies with the next put().
  [[nodiscard]] Bytes find(std::uint32_t number) const noexcept {
    const Place& place = places_[number & mask_];
    if (place.number != number) return {};
    return {place.bytes, place.size};
  }
  [[nodiscard]] bool has(std::uint32_t number) const noexcept { return !find(number).empty(); }

  void clear() noexcept {
    for (Place& place : places_) place.size = 0;
  }

  [[nodiscard]] std::size_t capacity() const noexcept { return mask_ + 1; }

 private:
  static constexpr std::size_t k_longest = 67;
  struct Place {
    std::uint32_t number = 0;
    std::uint8_t size = 0;  // 0: nothing
    std::byte bytes[k_longest];
  };
  static_assert(sizeof(Place) == 72);

  std::size_t mask_;
  std::vector<Place> places_;
};

}  // namespace dojima::mitch
