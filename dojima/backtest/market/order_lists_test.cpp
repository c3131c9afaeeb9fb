#include "dojima/backtest/market/order_lists.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "dojima/base/splitmix.hpp"

namespace dojima::backtest {
namespace {

TEST(OrderLists, keep_what_vectors_keep_however_long_they_get) {
  for (const std::size_t room : {0U, 1U, 5U, 7U, 8U, 64U}) {
    constexpr std::size_t k_lists = 5;
    OrderLists lists(k_lists, room);
    EXPECT_GE(lists.room(), room);
    std::vector<std::vector<std::uint64_t>> wanted(k_lists);
    SplitMix64 random(room + 1);
    for (std::uint64_t turn = 1; turn <= 4'000; ++turn) {
      const std::size_t at = random.below(k_lists);
      OrderLists::List list = lists.of(at);
      lists.prefetch(at);
      // Longer and longer: more come than go.
      if (wanted[at].empty() || random.chance(55)) {
        const std::uint64_t order = turn << 32 | turn;
        lists.push_back(at, {order});
        list = lists.of(at);
        wanted[at].push_back(order);
      } else {
        const std::size_t place = random.below(wanted[at].size());
        if (random.chance(50)) {
          list.erase(place);
        } else {
          list.remove({wanted[at][place]});
        }
        wanted[at].erase(wanted[at].begin() + static_cast<std::ptrdiff_t>(place));
      }
      ASSERT_EQ(list.size(), wanted[at].size());
      for (std::size_t place = 0; place < list.size(); ++place) ASSERT_EQ(list[place].value, wanted[at][place]);
    }
    EXPECT_GT(lists.room(), 64u) << "what was asked for has been too little";
    for (std::size_t at = 0; at < k_lists; ++at) EXPECT_EQ(lists.of(at).size(), wanted[at].size());
  }
}

}  // namespace
}  // namespace dojima::backtest
