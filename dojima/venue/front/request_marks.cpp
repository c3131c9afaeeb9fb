#include "dojima/venue/front/request_marks.hpp"

#include <bit>
#include <cstring>

#include "dojima/mit/identifiers.hpp"

namespace dojima::venue {

/// Never 0. Ids of which two have one are taken for one another, which is one wrong time in 2^64.
std::uint64_t RequestMarks::hash_of(const Text<20>& client_order_id) noexcept {
  std::uint64_t first = 0, second = 0;
  std::uint32_t third = 0;
  static_assert(sizeof first + sizeof second + sizeof third == sizeof client_order_id.chars);
  const char* const at = client_order_id.chars.data();
  std::memcpy(&first, at, sizeof first);
  std::memcpy(&second, at + sizeof first, sizeof second);
  std::memcpy(&third, at + sizeof first + sizeof second, sizeof third);
  // The multiplications carry every character into the upper bits; rotated, none meets its like of another word.
  constexpr std::uint64_t k_odd = 0x9e3779b97f4a7c15U;
  const std::uint64_t mixed = ((first * k_odd ^ second) * k_odd ^ std::rotl(std::uint64_t{third}, 29)) * k_odd;
  return mixed | 1U;
}

bool RequestMarks::is_waiting(const Text<20>& client_order_id) const noexcept {
  if (one_in_ == 1) return true;
  const std::uint64_t hash = hash_of(client_order_id);
  return places_[hash >> 32U & (k_places - 1)] == hash;
}

void RequestMarks::choose(const Text<20>& client_order_id) {
  if (one_in_ == 1) {
    distance_ = 1;
    return mark(stages_.in, client_order_id);
  }
  random_ = random_ * 6364136223846793005U + 1442695040888963407U;
  // From 1 to 2 one_in - 1, one_in in the mean.
  distance_ = 1 + static_cast<std::uint32_t>((random_ >> 32U) * (2 * std::uint64_t{one_in_} - 1) >> 32U);
  if (++chosen_ % k_given_up_after == 0) {
    places_.fill(0);
    waiting_ = 0;
    waiting_bits_ = 0;
  }
  const std::uint64_t hash = hash_of(client_order_id);
  std::uint64_t& place = places_[hash >> 32U & (k_places - 1)];
  if (place == 0) ++waiting_;
  waiting_bits_ |= bit_of(client_order_id);
  place = hash;  // one that waits here already is not measured
  mark(stages_.in, client_order_id);
}

void RequestMarks::answer(const Text<20>& client_order_id) {
  if (one_in_ == 1) return mark(stages_.out, client_order_id);
  const std::uint64_t hash = hash_of(client_order_id);
  std::uint64_t& place = places_[hash >> 32U & (k_places - 1)];
  if (place != hash) return;
  place = 0;
  if (--waiting_ == 0) waiting_bits_ = 0;
  mark(stages_.out, client_order_id);
}

void RequestMarks::mark(std::uint8_t stage, const Text<20>& client_order_id) {
  if (const Result<std::uint64_t> number = mit::parse_base62(client_order_id.view())) probe_->mark(stage, *number);
}

}  // namespace dojima::venue
