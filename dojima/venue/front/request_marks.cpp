#include "dojima/venue/front/request_marks.hpp"

#include <cstring>

#include "dojima/mit/identifiers.hpp"

namespace dojima::venue {

bool RequestMarks::is_chosen(const Text<20>& client_order_id) const noexcept {
  if (chosen_mask_ == 0) return true;
  std::uint64_t first = 0, second = 0;
  std::uint32_t third = 0;
  static_assert(sizeof first + sizeof second + sizeof third == sizeof client_order_id.chars);
  const char* const at = client_order_id.chars.data();
  std::memcpy(&first, at, sizeof first);
  std::memcpy(&second, at + sizeof first, sizeof second);
  std::memcpy(&third, at + sizeof first + sizeof second, sizeof third);
  // Odd multipliers carry every character into the upper bits: those of the golden ratio, and of the roots of 2 and 3.
  const std::uint64_t mixed =
      (first * 0x9e3779b97f4a7c15U) ^ (second * 0x6a09e667f3bcc909U) ^ (third * 0xbb67ae8584caa73bU);
  return ((mixed * 0x9e3779b97f4a7c15U) >> 32U & chosen_mask_) == 0;
}

void RequestMarks::mark(std::uint8_t stage, const Text<20>& client_order_id) {
  if (const Result<std::uint64_t> number = mit::parse_base62(client_order_id.view())) probe_->mark(stage, *number);
}

}  // namespace dojima::venue
