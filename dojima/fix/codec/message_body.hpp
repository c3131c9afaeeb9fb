#pragma once

// The fields of a message in the room that it is written into, and the sum of their bytes, which CheckSum(10) asks for.
// What is usual is written at once; where something is out of the ordinary (no room, an empty text, a separator in a
// value, a long number), nothing is, and the writer finds out why. Only for the writer. No allocation.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "dojima/base/bytes.hpp"
#include "dojima/fix/codec/stamp_text.hpp"
#include "dojima/fix/codec/summed_text.hpp"
#include "dojima/fix/field_list.hpp"
#include "dojima/fix/tags.hpp"
#include "dojima/market/price.hpp"

namespace dojima::fix {

class MessageBody {
 public:
  MessageBody() noexcept = default;
  explicit MessageBody(Room room) noexcept : room_(room) {}

  /// Fields go from `at` on; the last `reserved` bytes of the room stay free.
  void begin(std::size_t at, std::size_t reserved) noexcept {
    written_ = at;
    // Places are counted in 32 bits, and no message is that long.
    limit_ = std::min<std::size_t>(room_.size(), std::size_t{1} << 30);
    limit_ -= std::min(limit_, reserved);
  }
  /// Nothing fits any more.
  void shut() noexcept { limit_ = 0; }

  [[nodiscard]] Room room() const noexcept { return room_; }
  [[nodiscard]] std::size_t end() const noexcept { return static_cast<std::uint32_t>(written_); }
  /// Of all that was written since begin() and of `more` characters, modulo 256.
  [[nodiscard]] std::uint32_t sum_with(Lanes more) const noexcept {
    ByteSums all = sums_;
    all.add(more);
    return static_cast<std::uint32_t>(written_ >> 32) + all.total();
  }
  /// Whether so many bytes fit; none do after shut().
  [[nodiscard, gnu::always_inline]] bool has_room(std::size_t needed) const noexcept {
    return end() + needed <= limit_;
  }
  /// The same for a field: tag 0 is none.
  [[nodiscard, gnu::always_inline]] bool has_room(Tag tag, std::size_t needed) const noexcept {
    return tag != 0 && has_room(needed);
  }

  /// Fields of usual values. False: nothing was written.
  [[nodiscard, gnu::always_inline]] bool put(Tag tag, std::string_view value) noexcept {
    const TagText text = tag_text_of(tag);
    if (value.empty() || !has_room(tag, text.size + value.size() + 1 + k_touched)) [[unlikely]]
      return false;
    char* const at = open(text);
    const CopiedText copied = copy_text(at, value.data(), value.size());
    if (is_any(copied.separators)) [[unlikely]]
      return false;
    return close(text, at, copied.text);
  }
  [[nodiscard, gnu::always_inline]] bool put(Tag tag, char value) noexcept {
    const TagText text = tag_text_of(tag);
    if (value == '\x01' || !has_room(tag, text.size + 2)) [[unlikely]]
      return false;
    char* const at = open(text);
    at[0] = value;
    return close(text, at, {.end = at + 1, .sum = static_cast<unsigned char>(value)});
  }
  [[nodiscard, gnu::always_inline]] bool put(Tag tag, Whole value) noexcept {
    constexpr std::size_t k_most = 1 + 8;
    const TagText text = tag_text_of(tag);
    if (value.magnitude >= k_eight_digits_end || !has_room(tag, text.size + k_most + 1)) [[unlikely]]
      return false;
    char* const at = open(text);
    *at = '-';
    Written digits = put_short_number(at + (value.is_negative ? 1 : 0), value.magnitude);
    digits.sum = value.is_negative ? '-' : 0;
    return close(text, at, digits);
  }
  [[nodiscard, gnu::always_inline]] bool put(Tag tag, market::Price value) noexcept {
    constexpr std::size_t k_most = 1 + 8 + 1 + 8;
    constexpr std::uint64_t k_end = k_eight_digits_end * std::uint64_t{market::k_price_scale};
    const TagText text = tag_text_of(tag);
    const std::uint64_t magnitude = whole_of(value.units).magnitude;
    if (magnitude >= k_end || !has_room(tag, text.size + k_most + 1)) [[unlikely]]
      return false;
    char* const at = open(text);
    return close(text, at, put_short_price(at, value.units < 0, magnitude));
  }
  /// All of a list in one pass; `stamp` is that of the message.
  template <class First, class... Rest>
  [[nodiscard, gnu::always_inline]] bool put_all(const StampText& stamp, First first, Rest... rest) noexcept {
    constexpr std::size_t k_usual = k_touched + (First::k_usual + ... + Rest::k_usual);
    if (!has_room(k_usual)) [[unlikely]]
      return false;
    Pen pen = pen_with(limit_ - end() - k_usual);
    pen.put<true>(first, stamp);
    (pen.put<false>(rest, stamp), ...);
    pen.end();
    if (!pen.is_good()) [[unlikely]]
      return false;
    take(pen);
    return true;
  }

  /// Writes `tag=` where there is room, and says where the value belongs.
  [[nodiscard, gnu::always_inline]] char* open(const TagText& text) noexcept {
    char* const at = chars() + end();
    store_word(at, text.bytes);  // the room of the trailer is behind it
    return at + text.size;
  }
  /// Ends a value that was written at `at` with the separator, and counts the field. True.
  [[gnu::always_inline]] bool close(const TagText& text, char* at, const Written& value) noexcept {
    *value.end = '\x01';
    const std::uint64_t sum = std::uint64_t{sum_of(text.bytes)} + value.beside() + 1;
    sums_.add(value.lanes);
    written_ += text.size + static_cast<std::size_t>(value.end - at) + 1 + (sum << 32);
    return true;
  }
  /// Writes from the end on, with so much room more than usual; take() counts what it has written.
  [[nodiscard, gnu::always_inline]] Pen pen_with(std::size_t spare) noexcept { return {chars() + end(), spare}; }
  [[gnu::always_inline]] void take(const Pen& pen) noexcept {
    sums_.add(pen.sums());
    written_ += static_cast<std::size_t>(pen.at() - (chars() + end())) + (std::uint64_t{pen.sum()} << 32);
  }
  /// Bytes that fit, whose sum is known.
  void append(Bytes bytes, std::uint32_t sum) noexcept {
    std::memcpy(room_.data() + end(), bytes.data(), bytes.size());
    written_ += bytes.size() + (std::uint64_t{sum} << 32);
  }

 private:
  [[nodiscard]] char* chars() const noexcept { return reinterpret_cast<char*>(room_.data()); }

  Room room_;
  // Where the message ends, and above 32 bits the sum of those bytes from the body on that sums_ does not have: one
  // addition a field, for each field waits for the one before.
  std::uint64_t written_ = 0;
  std::size_t limit_ = 0;  // of end()
  ByteSums sums_;
};

}  // namespace dojima::fix
