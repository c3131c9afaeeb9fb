#include "dojima/recorded/books/order_map.hpp"

#include <gtest/gtest.h>
#include <map>
#include <utility>
#include <vector>

#include "dojima/flow/random.hpp"

namespace dojima::recorded {
namespace {

using Key = std::pair<std::uint64_t, std::uint32_t>;

/// Numbers that count up, and numbers that all belong into the same few cells.
std::uint64_t some_id(flow::Random& random) {
  const bool is_crowded = random.below(2) == 0;
  return is_crowded ? random.below(200) << 20 : 5000 + random.below(3000);
}

TEST(OrderMap, holds_what_a_plain_map_holds_however_orders_crowd) {
  flow::Random random(11);
  OrderMap map(64);
  std::map<Key, std::int64_t> plain;
  for (int step = 0; step < 60'000; ++step) {
    const Key key{some_id(random), static_cast<std::uint32_t>(random.below(2))};
    OrderMap::Order* const found = map.find(key.first, key.second);
    const auto expected = plain.find(key);
    ASSERT_EQ(found != nullptr, expected != plain.end()) << step;
    if (found == nullptr) {
      map.insert({.id = key.first, .price = step, .quantity = step + 1, .instrument = key.second});
      plain[key] = step + 1;
    } else {
      ASSERT_EQ(found->quantity, expected->second);
      map.erase(*found);
      plain.erase(expected);
    }
    ASSERT_EQ(map.size(), plain.size());
    if (step % 20'000 != 19'999) continue;
    map.erase_if([](const OrderMap::Order& order) { return order.id % 3 == 0; });
    std::erase_if(plain, [](const auto& entry) { return entry.first.first % 3 == 0; });
    ASSERT_EQ(map.size(), plain.size());
  }
  for (const auto& [key, quantity] : plain) {
    const OrderMap::Order* const found = map.find(key.first, key.second);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->quantity, quantity);
  }
}

TEST(OrderMap, keeps_the_number_of_a_caller_beside_each_order_while_it_grows_and_shrinks) {
  flow::Random random(12);
  OrderMap map(64, OrderMap::Tags::kept);
  std::map<Key, std::uint64_t> plain;
  for (std::uint64_t step = 1; step < 40'000; ++step) {
    const Key key{some_id(random), static_cast<std::uint32_t>(random.below(2))};
    OrderMap::Order* const found = map.find(key.first, key.second);
    if (found == nullptr) {
      const OrderMap::Order& inserted = map.insert({.id = key.first, .quantity = 1, .instrument = key.second});
      ASSERT_EQ(map.tag(inserted), 0u) << step;
      if (step % 3 != 0) map.tag(inserted) = step;
      plain[key] = step % 3 != 0 ? step : 0;
    } else {
      ASSERT_EQ(map.tag(*found), plain[key]) << step;
      map.erase(*found);
      ASSERT_EQ(map.tag(*found), plain[key]) << "until the next insert";
      plain.erase(key);
    }
    if (step % 9'000 != 0) continue;
    map.erase_if([](const OrderMap::Order& order) { return order.id % 3 == 0; });
    std::erase_if(plain, [](const auto& entry) { return entry.first.first % 3 == 0; });
  }
  std::size_t seen = 0;
  map.each([&](const OrderMap::Order& order) {
    ++seen;
    EXPECT_EQ(map.tag(order), plain.at({order.id, order.instrument}));
  });
  EXPECT_EQ(seen, plain.size());
}

TEST(OrderMap, ends_a_search_in_a_table_full_of_holes) {
  OrderMap map;
  // Young orders go past old ones, which then leave: everywhere a pair has been passed.
  for (std::uint64_t round = 0; round < 64; ++round) {
    std::vector<std::uint64_t> ids;
    for (std::uint64_t id = 0; id < 100; ++id) ids.push_back(round * 8 + (id << 20) + (std::uint64_t{1} << 50) * round);
    for (const std::uint64_t id : ids) map.insert({.id = id, .quantity = 1});
    for (const std::uint64_t id : ids)
      if (id != ids.back()) map.erase(*map.find(id, 0));
    EXPECT_NE(map.find(ids.back(), 0), nullptr);
    EXPECT_EQ(map.find(ids.front() + 7, 0), nullptr);
  }
  EXPECT_EQ(map.size(), 64u);
}

}  // namespace
}  // namespace dojima::recorded
