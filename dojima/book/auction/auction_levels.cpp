#include "dojima/book/auction/auction_levels.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "dojima/base/assert.hpp"

namespace dojima::book {

// ---- Levels far away -----------------------------------------------------------------------------------------------

void AuctionTree::clear() {
  nodes_.assign(1, Node{});
  root_ = free_ = 0;
}

AuctionTree::Found AuctionTree::first_beyond(std::int64_t lots) const noexcept {
  Found found;
  for (Index at = root_; at != 0;) {
    const Node& node = nodes_[at];
    const AuctionLots left = nodes_[node.left].total;
    if (found.before.sum() + left.sum() > lots) {
      at = node.left;
      continue;
    }
    found.before += left;
    found.key = node.key;
    found.own = node.own;
    if (found.before.sum() + node.own.sum() > lots) return found;
    found.before += node.own;
    at = node.right;
  }
  DOJIMA_ASSERT(false, "the total is beyond");
  return found;
}

std::optional<std::int32_t> AuctionTree::before(std::int64_t key) const noexcept {
  std::optional<std::int32_t> found;
  for (Index at = root_; at != 0;) {
    const Node& node = nodes_[at];
    if (node.key < key) found = node.key;
    at = node.key < key ? node.right : node.left;
  }
  return found;
}

std::optional<std::int32_t> AuctionTree::behind(std::int64_t key) const noexcept {
  std::optional<std::int32_t> found;
  for (Index at = root_; at != 0;) {
    const Node& node = nodes_[at];
    if (node.key > key) found = node.key;
    at = node.key > key ? node.left : node.right;
  }
  return found;
}

AuctionLots AuctionTree::at(std::int32_t key) const noexcept {
  for (Index at = root_; at != 0; at = key < nodes_[at].key ? nodes_[at].left : nodes_[at].right)
    if (nodes_[at].key == key) return nodes_[at].own;
  return {};
}

AuctionTree::Index AuctionTree::make(std::int32_t key, AuctionLots lots) {
  Index at = free_;
  if (at != 0) {
    free_ = nodes_[at].right;
  } else {
    DOJIMA_ASSERT(nodes_.size() < nodes_.capacity(), "no more levels than the book may have");
    at = static_cast<Index>(nodes_.size());
    nodes_.emplace_back();
  }
  nodes_[at] = {.own = lots, .total = lots, .key = key};
  return at;
}

/// The node with its children's sums.
AuctionTree::Index AuctionTree::summed(Index at) {
  Node& node = nodes_[at];
  node.total = node.own;
  node.total += nodes_[node.left].total;
  node.total += nodes_[node.right].total;
  return at;
}

AuctionTree::Index AuctionTree::raised_left(Index at) {
  const Index top = nodes_[at].left;
  nodes_[at].left = nodes_[top].right;
  nodes_[top].right = summed(at);
  return summed(top);
}

AuctionTree::Index AuctionTree::raised_right(Index at) {
  const Index top = nodes_[at].right;
  nodes_[at].right = nodes_[top].left;
  nodes_[top].left = summed(at);
  return summed(top);
}

AuctionTree::Index AuctionTree::joined(Index left, Index right) {
  if (left == 0 || right == 0) return left + right;
  if (weight_of(nodes_[left].key) > weight_of(nodes_[right].key)) {
    nodes_[left].right = joined(nodes_[left].right, right);
    return summed(left);
  }
  nodes_[right].left = joined(left, nodes_[right].left);
  return summed(right);
}

/// The tree below `at` after the change: levels appear, and go when nothing is left there.
AuctionTree::Index AuctionTree::add(Index at, std::int32_t key, AuctionLots change) {
  if (at == 0) return make(key, change);
  if (nodes_[at].key == key) {
    nodes_[at].own += change;
    if (nodes_[at].own.sum() != 0) return summed(at);
    const Index rest = joined(nodes_[at].left, nodes_[at].right);
    nodes_[at].right = std::exchange(free_, at);
    return rest;
  }
  if (key < nodes_[at].key) {
    const Index left = add(nodes_[at].left, key, change);
    nodes_[at].left = left;
    const bool is_lighter = left != 0 && weight_of(nodes_[left].key) > weight_of(nodes_[at].key);
    return is_lighter ? raised_left(at) : summed(at);
  }
  const Index right = add(nodes_[at].right, key, change);
  nodes_[at].right = right;
  const bool is_lighter = right != 0 && weight_of(nodes_[right].key) > weight_of(nodes_[at].key);
  return is_lighter ? raised_right(at) : summed(at);
}

std::uint32_t AuctionTree::weight_of(std::int32_t key) noexcept {
  std::uint32_t mixed = static_cast<std::uint32_t>(key) * 0x9e3779b1U;
  mixed = (mixed ^ (mixed >> 15)) * 0x85ebca77U;
  return mixed ^ (mixed >> 13);
}

// ---- All levels ----------------------------------------------------------------------------------------------------

AuctionLevels::AuctionLevels(std::size_t levels)
    : ticks_(k_ticks, k_by_page), blocks_(k_fan * k_fan, k_untouched), below_(levels), above_(levels) {}

void AuctionLevels::start(market::Level middle) {
  for (std::size_t group = 0; group < k_fan; ++group) {
    if (groups_[group] == AuctionLots{}) continue;
    for (std::size_t block = group * k_fan; block < (group + 1) * k_fan; ++block) {
      if (blocks_[block] == AuctionLots{}) continue;
      for (std::size_t tick = block * k_fan; tick < (block + 1) * k_fan; ++tick) ticks_[tick] = {};
      blocks_[block] = {};
    }
    groups_[group] = {};
  }
  inside_ = market_ = {};
  turn_ = {.key = std::numeric_limits<std::int32_t>::min()};
  below_.clear();
  above_.clear();
  base_ = std::int64_t{market::index_of(middle)} - static_cast<std::int64_t>(k_ticks / 2);
  is_far_ = false;
}

/// Makes `turn_` the first key at which all that was counted up to it is more than `lots`, mostly the one that it is
/// already. False: there is none.
bool AuctionLevels::find_turn(std::int64_t lots) const {
  const std::int64_t turned = turn_.before.sum();
  if (turned <= lots && lots < turned + turn_.own.sum()) [[likely]] {
    return true;
  }
  AuctionLots before = below_.total();
  is_far_ = before.sum() > lots;
  if (is_far_) {
    turn_ = below_.first_beyond(lots);
    return true;
  }
  if (before.sum() + inside_.sum() > lots) {
    turn_ = first_inside(lots, before);
    return true;
  }
  before += inside_;
  is_far_ = before.sum() + above_.total().sum() > lots;
  if (!is_far_) return false;
  turn_ = above_.first_beyond(lots - before.sum());
  turn_.before += before;
  return true;
}

AuctionLevels::Found AuctionLevels::first_inside(std::int64_t lots, AuctionLots before) const noexcept {
  const auto walk = [&before, lots](const auto& sums, std::size_t at) {
    while (before.sum() + sums[at].sum() <= lots) before += sums[at++];
    return at;
  };
  const std::size_t group = walk(groups_, 0);
  const std::size_t block = walk(blocks_, group * k_fan);
  const std::size_t tick = walk(ticks_, block * k_fan);
  return {static_cast<std::int32_t>(base_ + static_cast<std::int64_t>(tick)), ticks_[tick], before};
}

std::optional<std::int32_t> AuctionLevels::before(std::int64_t key) const noexcept {
  if (key > base_ + static_cast<std::int64_t>(k_ticks))
    if (const auto found = above_.before(key)) return found;
  for (std::int64_t at = std::min<std::int64_t>(key - base_, k_ticks) - 1; at >= 0;) {
    const auto tick = static_cast<std::size_t>(at);
    if (groups_[tick >> 2 * k_shift] == AuctionLots{})
      at = static_cast<std::int64_t>(tick >> 2 * k_shift << 2 * k_shift) - 1;
    else if (blocks_[tick >> k_shift] == AuctionLots{})
      at = static_cast<std::int64_t>(tick >> k_shift << k_shift) - 1;
    else if (ticks_[tick] == AuctionLots{})
      --at;
    else
      return static_cast<std::int32_t>(base_ + at);
  }
  return below_.before(key);
}

std::optional<std::int32_t> AuctionLevels::behind(std::int64_t key) const noexcept {
  if (key < base_ - 1)
    if (const auto found = below_.behind(key)) return found;
  for (auto tick = static_cast<std::size_t>(std::max<std::int64_t>(key - base_ + 1, 0)); tick < k_ticks;) {
    if (groups_[tick >> 2 * k_shift] == AuctionLots{})
      tick = ((tick >> 2 * k_shift) + 1) << 2 * k_shift;
    else if (blocks_[tick >> k_shift] == AuctionLots{})
      tick = ((tick >> k_shift) + 1) << k_shift;
    else if (ticks_[tick] == AuctionLots{})
      ++tick;
    else
      return static_cast<std::int32_t>(base_ + static_cast<std::int64_t>(tick));
  }
  return above_.behind(key);
}

AuctionLots AuctionLevels::at(std::int32_t key) const noexcept {
  const std::int64_t offset = std::int64_t{key} - base_;
  if (static_cast<std::uint64_t>(offset) < k_ticks) return ticks_[static_cast<std::size_t>(offset)];
  return offset < 0 ? below_.at(key) : above_.at(key);
}

/// Let F(p) be the bids below p and the asks up to p. At p, `balance` - F(p) is what is wanted beyond what is offered,
/// and it falls with p, so what trades rises up to the last price where it is not negative and falls behind it. F only
/// changes at the keys; the first one beyond `balance` parts the two sides.
AuctionLevels::Best AuctionLevels::best() const {
  const AuctionLots all = total();
  DOJIMA_ASSERT(all.sum() > 0, "there are limits");
  const std::int64_t balance = market_.bids + all.bids - market_.asks;
  if (balance < 0) return all_sell(balance);
  if (!find_turn(balance)) return all_buy(balance);

  const auto [key, own, before] = turn_;
  const std::int64_t more_to_buy = balance - before.sum(), more_to_sell = more_to_buy - own.sum();
  const std::int64_t volume_up_to = market_.asks + before.asks;
  const std::int64_t volume_beyond = volume_up_to + own.asks + more_to_sell;
  // Prices lie between the lowest and the highest limit.
  const bool has_up_to = own.bids != 0 || before.sum() != 0;
  const bool has_beyond = own.asks != 0 || before.sum() + own.sum() != all.sum();
  Best best{.first = key - 1, .last = key, .split = key - 1, .volume = volume_up_to};
  best.surplus = more_to_buy;
  best.surplus_beyond = more_to_sell;
  const bool is_up_to = has_up_to && (!has_beyond || volume_up_to > volume_beyond ||
                                      (volume_up_to == volume_beyond && more_to_buy < -more_to_sell));
  const bool is_beyond = has_beyond && (!has_up_to || volume_beyond > volume_up_to ||
                                        (volume_up_to == volume_beyond && -more_to_sell < more_to_buy));
  if (is_up_to) {
    best.last = key - 1;
    if (more_to_buy == 0) best.first = this->before(key).value_or(key - 1);
  } else if (is_beyond) {
    best.first = key;
    best.volume = volume_beyond;
  } else {  // as good on either side
    best.first = this->before(key).value_or(key - 1);
    const std::optional<std::int32_t> later = behind(key);
    best.last = later ? *later - 1 : key;
  }
  return best;
}

/// More is offered than wanted at every price: the lowest.
AuctionLevels::Best AuctionLevels::all_sell(std::int64_t balance) const {
  const std::int32_t key = *behind(std::int64_t{-1});
  const AuctionLots own = at(key);
  const bool is_bid = own.bids != 0;
  const std::int32_t level = is_bid ? key - 1 : key;
  const std::int64_t surplus = is_bid ? balance : balance - own.sum();
  const std::int64_t offered = is_bid ? market_.asks : market_.asks + own.asks;
  return {level, level, level, offered + surplus, surplus, surplus};
}

/// At no price more is offered than wanted: the highest, and those that are as good.
AuctionLevels::Best AuctionLevels::all_buy(std::int64_t balance) const {
  const AuctionLots all = total();
  const std::int32_t key = *before(std::int64_t{1} << 32);
  const AuctionLots own = at(key);
  const bool is_ask = own.asks != 0;
  const std::int32_t level = is_ask ? key : key - 1;
  const std::int64_t surplus = balance - all.sum() + (is_ask ? 0 : own.bids);
  Best best{level, level, level, market_.asks + all.asks, surplus, surplus};
  if (surplus == 0 && !is_ask) best.first = before(key).value_or(level);
  return best;
}

}  // namespace dojima::book
