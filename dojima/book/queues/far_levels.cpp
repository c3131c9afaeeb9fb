#include "dojima/book/queues/far_levels.hpp"

namespace dojima::book {

/// A fixed scrambling of the rank: heavier levels are above lighter ones.
std::uint32_t FarLevels::weight_of(LevelIndex level) const noexcept {
  auto value = static_cast<std::uint32_t>(rank_of(level)) * 0x9e3779b1U;
  value ^= value >> 15;
  value *= 0x85ebca77U;
  return value ^ (value >> 13);
}

void FarLevels::insert(LevelIndex level) noexcept {
  const std::int32_t rank = rank_of(level);
  const std::uint32_t weight = weight_of(level);
  LevelIndex* link = &root_;
  while (*link != 0 && weight_of(*link) >= weight)
    link = rank < rank_of(*link) ? &pool_[*link].left : &pool_[*link].right;
  // The level that was here is lighter: its lower ranks hang to the left of the new level, its higher ones to the
  // right.
  LevelIndex rest = *link;
  *link = level;
  LevelIndex* lower = &pool_[level].left;
  LevelIndex* higher = &pool_[level].right;
  while (rest != 0) {
    if (rank_of(rest) < rank) {
      *lower = rest;
      lower = &pool_[rest].right;
      rest = *lower;
    } else {
      *higher = rest;
      higher = &pool_[rest].left;
      rest = *higher;
    }
  }
  *lower = *higher = 0;
}

void FarLevels::erase(LevelIndex level) noexcept {
  const std::int32_t rank = rank_of(level);
  LevelIndex* link = &root_;
  while (*link != level) {
    DOJIMA_ASSERT(*link != 0, "a level that goes is there");
    link = rank < rank_of(*link) ? &pool_[*link].left : &pool_[*link].right;
  }
  LevelIndex left = pool_[level].left, right = pool_[level].right;
  while (left != 0 && right != 0) {
    if (weight_of(left) >= weight_of(right)) {
      *link = left;
      link = &pool_[left].right;
      left = *link;
    } else {
      *link = right;
      link = &pool_[right].left;
      right = *link;
    }
  }
  *link = left != 0 ? left : right;
  pool_[level].left = pool_[level].right = 0;
}

LevelIndex FarLevels::find(std::int32_t rank) const noexcept {
  LevelIndex at = root_;
  while (at != 0 && rank_of(at) != rank) at = rank < rank_of(at) ? pool_[at].left : pool_[at].right;
  return at;
}

LevelIndex FarLevels::at_or_above(std::int64_t rank) const noexcept {
  LevelIndex found = 0;
  for (LevelIndex at = root_; at != 0;) {
    const bool is_above = rank_of(at) >= rank;
    if (is_above) found = at;
    at = is_above ? pool_[at].left : pool_[at].right;
  }
  return found;
}

LevelIndex FarLevels::lowest() const noexcept {
  LevelIndex at = root_;
  while (at != 0 && pool_[at].left != 0) at = pool_[at].left;
  return at;
}

}  // namespace dojima::book
