#include "dojima/gateway/records/client_order_ids.hpp"

#include <gtest/gtest.h>
#include <string>

#include "dojima/base/slow_checks_test_support.hpp"

namespace dojima::gateway {
namespace {

ClientOrderIds::Key key(const std::string& text, std::uint32_t client = 0) {
  return {ClOrdId::from(text).value(), client};
}

TEST(ClientOrderIds, an_id_addresses_the_order_it_was_added_for) {
  ClientOrderIds ids(4);
  ids.add(key("A"), {.order = 3, .generation = 1});
  ASSERT_NE(ids.find(key("A")), nullptr);
  EXPECT_EQ(ids.find(key("A"))->order, 3u);
  EXPECT_EQ(ids.find(key("A"))->generation, 1u);
  EXPECT_FALSE(ids.contains(key("B")));
  EXPECT_FALSE(ids.contains(key("A", 1))) << "another client's";
  EXPECT_EQ(ids.size(), 1u);
}

TEST(ClientOrderIds, a_detached_id_is_known_and_addresses_nothing) {
  ClientOrderIds ids(4);
  ids.add(key("A"), {.order = 3, .generation = 1});
  ids.detach(key("A"));
  ASSERT_TRUE(ids.contains(key("A")));
  EXPECT_EQ(ids.find(key("A"))->order, k_no_slot);
  ids.detach(key("B"));
  EXPECT_FALSE(ids.contains(key("B"))) << "detaching makes no id known";
}

TEST(ClientOrderIds, an_erased_id_may_be_added_again) {
  ClientOrderIds ids(4);
  ids.add(key("A"), {.order = 3, .generation = 1});
  ids.erase(key("A"));
  EXPECT_FALSE(ids.contains(key("A")));
  ids.add(key("A"), {.order = 5, .generation = 2});
  EXPECT_EQ(ids.find(key("A"))->order, 5u);
}

TEST(ClientOrderIds, room_is_made_by_forgetting_the_oldest_id_of_the_past) {
  ClientOrderIds ids(3);
  for (const char* text : {"A", "B", "C"}) ids.add(key(text), {.order = 1});
  ids.retire(key("B"));
  ids.retire(key("A"));
  ids.add(key("D"), {.order = 2});
  EXPECT_FALSE(ids.contains(key("B")));
  EXPECT_TRUE(ids.contains(key("A")));
  ids.add(key("E"), {.order = 2});
  EXPECT_FALSE(ids.contains(key("A")));
  EXPECT_TRUE(ids.contains(key("C"))) << "of the present";
  EXPECT_EQ(ids.size(), 3u);
}

TEST(ClientOrderIdsDeathTest, an_id_that_is_known_is_not_added_again) {
  ClientOrderIds ids(4);
  ids.add(key("A", 2), {.order = 3});
  EXPECT_DEATH(ids.add(key("A", 2), {.order = 5}),
               "an id is used once .*key.client, target.order, targets_.size.. = 2, 5, 1");
}

TEST(ClientOrderIdsDeathTest, ids_of_the_present_are_never_forgotten) {
  ClientOrderIds ids(1);
  ids.add(key("A"), {.order = 3});
  EXPECT_DEATH(ids.add(key("B"), {.order = 5}), "a full map holds ids of the past .*= 1");
}

TEST(ClientOrderIdsDeathTest, an_id_belongs_to_the_past_once) {
  ClientOrderIds ids(1);
  ids.add(key("A"), {.order = 3});
  ids.retire(key("A"));
  EXPECT_DEATH(ids.retire(key("A")), "ids of the past are at most as many as known ones .*past_count_ = 1");
}

TEST(ClientOrderIdsDeathTest, only_a_known_id_belongs_to_the_past) {
  if (!k_has_slow_checks) GTEST_SKIP() << k_no_slow_checks;
  ClientOrderIds ids(2);
  EXPECT_DEATH(ids.retire(key("A", 3)), "only a known id belongs to the past .*key.client = 3");
}

}  // namespace
}  // namespace dojima::gateway
