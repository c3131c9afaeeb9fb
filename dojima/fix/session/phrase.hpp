#pragma once

// Text that is put together in place: no allocation for a message that says what was wrong.

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dojima::fix {

class Phrase {
 public:
  /// What does not fit is cut off.
  Phrase& operator<<(std::string_view part) noexcept {
    const std::size_t size = std::min(part.size(), sizeof text_ - size_);
    std::copy_n(part.data(), size, text_ + size_);
    size_ += size;
    return *this;
  }
  Phrase& operator<<(std::uint64_t number) noexcept {
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    return *this << std::string_view(digits, static_cast<std::size_t>(end - digits));
  }
  /// Lives as long as this object.
  [[nodiscard]] std::string_view view() const noexcept { return {text_, size_}; }

 private:
  char text_[128];
  std::size_t size_ = 0;
};

}  // namespace dojima::fix
