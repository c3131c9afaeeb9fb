#pragma once

// Where each field of a message is, by its place and by its tag: filled in one pass over the bytes, asked in O(1).
// About 9 KB, meant to be filled again and again. No allocation; it does not know the bytes.

#include <array>
#include <cstddef>
#include <cstdint>

#include "dojima/base/bytes.hpp"
#include "dojima/base/error.hpp"
#include "dojima/fix/codec/scan.hpp"
#include "dojima/fix/dictionaries/data_fields.hpp"
#include "dojima/fix/frame.hpp"
#include "dojima/fix/tags.hpp"

namespace dojima::fix {

class FieldIndex {
 public:
  /// More fields than this are an error.
  static constexpr std::size_t k_fields_max = k_scan_fields_max;
  static constexpr std::size_t k_absent = ~std::size_t{0};

  FieldIndex() noexcept { slots_.fill(0); }

  void clear() noexcept { count_ = 0; }
  /// The fields of an ordinary message. False: something needs a closer look, and nothing was noted.
  [[nodiscard]] bool fill(const Frame& frame, const Kernels& fast, const DataFields& data_fields) noexcept;
  /// The fields of any message, one by one; errors as of MessageView::read.
  Result<void> fill_carefully(const Frame& frame, bool allows_empty_values, const DataFields& data_fields) noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  /// In the order of the message.
  [[nodiscard]] const FieldEntry& operator[](std::size_t index) const noexcept { return fields_[index]; }
  /// The first field of that tag; k_absent: there is none. O(1); O(fields) where two tags share the low byte.
  [[nodiscard]] std::size_t find(Tag tag) const noexcept {
    std::size_t index = slots_[tag & 0xff];
    // What a message before left there leads to a field of another low byte, or to none.
    if (index >= count_ || (index < k_far && ((fields_[index].tag ^ tag) & 0xff) != 0)) return k_absent;
    for (; index < count_; ++index) {
      if (fields_[index].tag == tag) return index;
    }
    return k_absent;
  }

 private:
  void fill_slots() noexcept;

  std::size_t count_ = 0;
  // By tag & 255: the first field there; k_far: it is there or behind. Not cleared for the next message.
  static constexpr std::size_t k_far = 0xff;
  std::array<std::uint8_t, 256> slots_;
  std::array<FieldEntry, k_fields_max + k_scan_slack> fields_;  // the first count_ are valid
};

/// The tag's number, of a field whose tag is above 65535 (k_large_tag).
[[nodiscard]] std::uint32_t large_number_at(Bytes message, const FieldEntry& entry) noexcept;

}  // namespace dojima::fix
