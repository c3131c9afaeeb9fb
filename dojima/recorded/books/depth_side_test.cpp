#include "dojima/recorded/books/depth_side.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "dojima/flow/random.hpp"

namespace dojima::recorded {
namespace {

using market::Side;

/// The same as a plain map says, best first.
class Model {
 public:
  explicit Model(Side side) : is_buy_(side == Side::buy) {}
  void set(std::int64_t price, std::int64_t quantity) {
    if (quantity == 0) {
      levels_.erase(price);
    } else {
      levels_[price] = quantity;
    }
  }
  [[nodiscard]] std::int64_t at(std::int64_t price) const {
    const auto found = levels_.find(price);
    return found == levels_.end() ? 0 : found->second;
  }
  [[nodiscard]] std::vector<DepthLevel> levels() const {
    std::vector<DepthLevel> list;
    for (const auto& [price, quantity] : levels_) list.push_back({price, quantity});
    if (is_buy_) std::ranges::reverse(list);
    return list;
  }

 private:
  std::map<std::int64_t, std::int64_t> levels_;
  bool is_buy_;
};

std::vector<DepthLevel> levels_of(const DepthSide& side) {
  std::vector<DepthLevel> list;
  side.each([&](const DepthLevel& level) { return list.push_back(level), true; });
  return list;
}

/// A price near a mid that wanders; seldom anywhere.
void compare(Side side, std::int64_t known_tick, std::int64_t step, std::int64_t start) {
  flow::Random random(static_cast<std::uint64_t>(step + known_tick));
  DepthSide depth(side, known_tick);
  Model model(side);
  std::int64_t mid = start;
  for (int count = 0; count < 60'000; ++count) {
    if (count % 20'000 == 19'999) mid += 50'000 * step;  // it leaves the array
    mid += (static_cast<std::int64_t>(random.below(3)) - 1) * step;
    std::int64_t price = mid + (static_cast<std::int64_t>(random.below(41)) - 20) * step;
    if (random.below(50) == 0) price += static_cast<std::int64_t>(random.below(1'000'000)) * step;
    if (random.below(200) == 0) price += 1;  // between ticks, where there are such
    const auto quantity = static_cast<std::int64_t>(random.below(3));
    if (random.below(2) == 0) {
      depth.set(price, quantity);
      model.set(price, quantity);
    } else {
      const std::int64_t change = quantity - 1;
      if (count % 3 == 0) {
        depth.change(price, change);
      } else {
        EXPECT_EQ(depth.add(price, change), model.at(price));
      }
      model.set(price, std::max<std::int64_t>(model.at(price) + change, 0));
    }
    ASSERT_EQ(depth.quantity_at(price), model.at(price));
    const auto expected = model.levels();
    if (count % 512 == 0) {
      ASSERT_EQ(levels_of(depth), expected) << count;
      ASSERT_EQ(depth.level_count(), expected.size());
    }
    const auto best = depth.best();
    ASSERT_EQ(best.has_value(), !expected.empty());
    ASSERT_EQ(depth.is_empty(), expected.empty());
    if (best) {
      ASSERT_EQ(*best, expected.front()) << count;
    }
    if (count % 7000 == 6999) depth.clear(), model = Model(side);
  }
  EXPECT_LT(depth.layouts(), 200u) << "laying out is for when the best price has moved away";
}

TEST(DepthSideLong, says_what_a_plain_map_says) {
  for (const Side side : {Side::buy, Side::sell}) {
    compare(side, 100, 100, 2'231'800);
    compare(side, 0, 100, 2'231'800);
    compare(side, 0, 1, -500);
  }
}

TEST(DepthSide, takes_prices_at_both_ends_of_the_range) {
  constexpr std::int64_t k_least = std::numeric_limits<std::int64_t>::min() + 1,
                         k_most = std::numeric_limits<std::int64_t>::max();
  for (const Side side : {Side::buy, Side::sell}) {
    DepthSide depth(side, 1);
    for (const std::int64_t price : {k_least, std::int64_t{0}, k_most, k_least + 1, k_most - 1}) depth.set(price, 5);
    EXPECT_EQ(depth.level_count(), 5u);
    EXPECT_EQ(depth.best()->price, side == Side::buy ? k_most : k_least);
    EXPECT_EQ(levels_of(depth).back().price, side == Side::buy ? k_least : k_most);
  }
}

}  // namespace
}  // namespace dojima::recorded
