// What orders change, on its way to their cells.

#include "dojima/venue/risk/risk_profile.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace dojima::venue::testing {
namespace {

struct Sum {
  std::int64_t orders = 0, value = 0, position = 0;
  std::array<std::int64_t, 2> lots{};
};

struct Open {
  std::uint64_t number = 0;
  OrderCells cells;
  std::size_t side = 0;
  std::int64_t lots = 0;
};

/// Orders of many users, as RiskLimits counts them, and every cell of each by itself.
class Counts {
 public:
  static constexpr std::uint16_t k_users = 3'000;

  Counts() {
    house_ = cells_.make_account(Text<10>::cut("HOUSE"));
    for (const std::uint32_t place : {0U, 1U}) cells_.make(house_, place);
    for (std::uint32_t user = 0; user < k_users; ++user)
      for (std::uint32_t place = 0; place <= user % 3; ++place) cells_.make(user, place);
    sums_.resize(cells_.size());
  }

  void enter(std::uint16_t user, bool has_account, std::uint32_t place, std::size_t side, std::int64_t lots) {
    const RiskProfile& profile = profiles_.find(cells_, user, has_account ? house_ : k_everybody, place);
    open_.push_back({.number = profile.number, .cells = profile.cells, .side = side, .lots = lots});
    change(open_.back(), 1, lots, 0);
  }
  void end(std::size_t at) {
    change(open_[at], -1, -open_[at].lots, 0);
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(at));
  }
  void trade(std::size_t at) {
    const std::int64_t lots = (open_[at].lots + 1) / 2;
    const bool is_over = lots == open_[at].lots;
    change(open_[at], is_over ? -1 : 0, -lots, lots);
    open_[at].lots -= lots;
    if (is_over) open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(at));
  }
  /// Limits are other ones.
  void renew() { profiles_.change(); }
  void expect_all() {
    profiles_.settle();
    for (std::uint32_t at = 0; at < cells_.size(); ++at) {
      const RiskCell& cell = cells_[at];
      ASSERT_EQ(cell.open_orders, sums_[at].orders) << at;
      ASSERT_TRUE(cell.open_value == sums_[at].value) << at;
      ASSERT_EQ(cell.open_lots, sums_[at].lots) << at;
      ASSERT_EQ(cell.position, sums_[at].position) << at;
    }
  }
  [[nodiscard]] std::size_t size() const { return open_.size(); }

  std::size_t together = 0, in_cells = 0;

 private:
  static constexpr std::int64_t k_price = 7;

  void change(const Open& order, std::int64_t orders, std::int64_t lots, std::int64_t traded) {
    const std::int64_t bought = order.side == 0 ? traded : -traded;
    RiskProfile* const profile = profiles_.counting(order.number);
    ++(profile != nullptr ? together : in_cells);
    if (profile != nullptr) {
      profile->pending.add(order.side, orders, lots * k_price, lots);
      profile->pending.traded[order.side] += traded;
    }
    for (std::size_t at = 0; at < order.cells.at.size(); ++at) {
      if (order.cells.at[at] == k_no_cell) continue;
      Sum& sum = sums_[order.cells.at[at]];
      sum.orders += orders;
      sum.value += lots * k_price;
      sum.lots[order.side] += lots;
      if (at % 2 == 1) sum.position += bought;
      if (profile != nullptr) continue;
      RiskCell& cell = cells_[order.cells.at[at]];
      cell.open_orders += orders;
      cell.open_value += lots * k_price;
      cell.open_lots[order.side] += lots;
      if (at % 2 == 1) cell.position += bought;
    }
  }

  RiskCells cells_{k_users, 2};
  RiskProfiles profiles_;
  std::uint32_t house_ = 0;
  std::vector<Sum> sums_;
  std::vector<Open> open_;
};

TEST(RiskProfiles, bring_what_orders_change_to_all_of_their_cells_whoever_takes_the_place_of_a_profile) {
  Counts counts;
  std::mt19937_64 draw(23);
  const auto below = [&draw](std::size_t end) { return static_cast<std::size_t>(draw() % end); };
  for (int step = 0; step < 40'000; ++step) {
    if (below(4'000) == 0) counts.renew();
    if (step % 5'000 == 4'999) counts.expect_all();
    if (counts.size() > 2'000 || (counts.size() != 0 && below(3) == 0)) {
      const std::size_t at = below(counts.size());
      below(2) == 0 ? counts.trade(at) : counts.end(at);
      continue;
    }
    // Now of a few, now of more than there are places for.
    const std::size_t users = step / 2'500 % 2 == 0 ? 10 : Counts::k_users;
    counts.enter(static_cast<std::uint16_t>(below(users)), below(2) == 0, static_cast<std::uint32_t>(1 + below(2)),
                 below(2), static_cast<std::int64_t>(1 + below(5)));
  }
  EXPECT_GT(counts.together, 10'000U);
  EXPECT_GT(counts.in_cells, 1'000U) << "of orders whose profile is another one's now";
}

TEST(RiskProfiles, count_nothing_by_limits_that_are_other_ones_now) {
  RiskCells cells(2, 1);
  RiskProfiles profiles;
  const std::uint32_t cell = cells.make(1, 0);
  const std::uint64_t number = profiles.find(cells, 1, k_everybody, 1).number;
  RiskProfile* const profile = profiles.counting(number);
  ASSERT_NE(profile, nullptr);
  profile->pending.add(0, 1, 30, 3);
  EXPECT_EQ(cells[cell].open_orders, 0);
  profiles.change();
  EXPECT_EQ(cells[cell].open_orders, 1);
  EXPECT_EQ(cells[cell].buying(), 3);
  EXPECT_EQ(profiles.counting(number), nullptr) << "somebody may look at executions now";
  EXPECT_EQ(profiles.find(cells, 1, k_everybody, 1).number, number) << "of the same cells";
  EXPECT_EQ(profiles.counting(number), profile);
  cells.make(1, 1);
  profiles.change();
  EXPECT_NE(profiles.find(cells, 1, k_everybody, 1).number, number) << "of other cells";
  EXPECT_EQ(profiles.counting(number), nullptr);
}

}  // namespace
}  // namespace dojima::venue::testing
