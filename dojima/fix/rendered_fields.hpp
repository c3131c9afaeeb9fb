#pragma once

// Fields that are the same in many messages, kept as they were written, with the sum that CheckSum(10) asks for:
// Writer::keep takes them from a message, Writer::again writes them into others. A plain value, no allocation.
//
//   const std::size_t from = writer.mark();
//   writer.field(tag::k_symbol, "RICE").field(tag::k_side, '1');
//   if (writer.keep(from, kept)) ...                   // and in the next message: writer.again(kept)

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dojima/fix/codec/written.hpp"

namespace dojima::fix {

class RenderedFields {
 public:
  /// Longer ones are not kept.
  static constexpr std::size_t k_most = 184;

  [[nodiscard]] bool is_empty() const noexcept { return size_ == 0; }
  /// With the separator behind each field.
  [[nodiscard]] std::string_view view() const noexcept { return {text_.data(), size_}; }
  void clear() noexcept { size_ = 0; }

 private:
  friend class Writer;

  std::array<char, k_most + k_touched> text_{};  // it is copied in sixteens
  std::uint32_t size_ = 0;
  std::uint32_t sum_ = 0;
};

}  // namespace dojima::fix
