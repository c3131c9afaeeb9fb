// Which order a user means by a client order id, against a list of what was assigned.

#include "dojima/venue/partition/order_names.hpp"

#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>
#include <string>
#include <tuple>
#include <vector>

namespace dojima::venue {
namespace {

Text<20> id(std::string_view text) {
  return Text<20>::cut(text);
}

TEST(OrderNames, give_an_id_to_the_latest_order_and_not_back_to_an_earlier_one) {
  OrderNames names(4);
  names.assign(id("a"), 1, {10});
  names.assign(id("a"), 1, {11});
  names.assign(id("a"), 2, {12});
  EXPECT_EQ(names.find(id("a"), 1).value, 11u);
  EXPECT_EQ(names.find(id("a"), 2).value, 12u);
  names.release(id("a"), 1, {10});  // the earlier one ends: the id is the later one's
  EXPECT_EQ(names.find(id("a"), 1).value, 11u);
  names.release(id("a"), 1, {11});
  EXPECT_EQ(names.find(id("a"), 1).value, 0u);
}

TEST(OrderNames, know_nothing_by_an_empty_id) {
  OrderNames names(1);
  names.assign(id(""), 1, {10});
  EXPECT_EQ(names.find(id(""), 1).value, 0u);
}

TEST(OrderNamesDeathTest, have_room_for_every_live_order_and_for_no_more) {
  OrderNames names(1);
  names.assign(id("a"), 1, {10});
  EXPECT_DEATH(for (int at = 0; at < 100; ++at) names.assign(id(std::to_string(at)), 1, {11}),
               "a name for every live order.* 11, 1");
}

RC_GTEST_PROP(OrderNames, are_what_a_map_would_say, (const std::vector<std::tuple<bool, int, int>>& steps)) {
  OrderNames names(64);
  std::map<std::pair<std::string, std::uint16_t>, std::uint64_t> model;
  std::uint64_t order = 0;
  for (const auto& [is_assigned, name, who] : steps) {
    const std::string text(1, static_cast<char>('a' + (name & 7)));
    const auto user = static_cast<std::uint16_t>(who & 3);
    if (is_assigned) {
      names.assign(id(text), user, {++order});
      model[{text, user}] = order;
    } else if (const auto known = model.find({text, user}); known != model.end()) {
      names.release(id(text), user, {known->second});
      model.erase(known);
    }
    for (const auto& [key, expected] : model) RC_ASSERT(names.find(id(key.first), key.second).value == expected);
    RC_ASSERT(names.find(id(text), user).value == (model.contains({text, user}) ? model[{text, user}] : 0));
  }
}

}  // namespace
}  // namespace dojima::venue
