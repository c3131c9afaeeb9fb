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

/// A table of orders and their names.
struct Named {
  explicit Named(std::size_t capacity) : orders({.capacity = capacity, .owners = 4}), names(orders) {}

  /// An order enters.
  book::Slot enter(std::string_view id, std::uint16_t user) {
    market::OrderLabels labels;
    labels.client_order_id = Text<20>::cut(id);
    const book::Slot slot = orders.add({.quantity = {1}, .owner = user, .side = market::Side::buy}, labels, 7);
    hashes[slot] = names.assign(slot);
    return slot;
  }
  /// It ends.
  void leave(book::Slot slot) {
    orders.release(slot);  // reports follow what the book did
    names.release(slot, hashes.at(slot));
  }
  [[nodiscard]] book::Slot find(std::string_view id, std::uint16_t user) const {
    return names.find(Text<20>::cut(id), user);
  }

  book::OrderTable orders;
  OrderNames names;
  std::map<book::Slot, std::uint32_t> hashes;
};

TEST(OrderNames, give_an_id_to_the_latest_order_and_not_back_to_an_earlier_one) {
  Named of(4);
  const book::Slot earlier = of.enter("a", 1), later = of.enter("a", 1), other = of.enter("a", 2);
  EXPECT_EQ(of.find("a", 1), later);
  EXPECT_EQ(of.find("a", 2), other);
  of.leave(earlier);  // the id is the later one's
  EXPECT_EQ(of.find("a", 1), later);
  of.leave(later);
  EXPECT_EQ(of.find("a", 1), book::k_no_slot);
}

TEST(OrderNames, do_not_find_an_earlier_order_when_the_later_one_ends_first) {
  Named of(4);
  const book::Slot earlier = of.enter("a", 1), later = of.enter("a", 1);
  of.leave(later);
  EXPECT_EQ(of.find("a", 1), book::k_no_slot);
  of.leave(earlier);
  EXPECT_EQ(of.find("a", 1), book::k_no_slot);
}

TEST(OrderNames, know_nothing_by_an_empty_id) {
  Named of(1);
  const book::Slot order = of.enter("", 1);
  EXPECT_EQ(of.find("", 1), book::k_no_slot);
  of.leave(order);
}

TEST(OrderNames, distinguish_ids_that_differ_in_any_character) {
  Named of(64);
  const std::string all(20, 'A');
  for (std::size_t at = 0; at < all.size(); ++at) {
    std::string one = all;
    one[at] = 'B';
    const book::Slot slot = of.enter(one, 1);
    EXPECT_EQ(of.find(one, 1), slot) << at;
    EXPECT_EQ(of.find(all, 1), book::k_no_slot) << at;
  }
}

TEST(OrderNamesDeathTest, have_room_for_every_live_order_and_for_no_more) {
  Named of(1);
  const book::Slot only = of.enter("0", 1);
  EXPECT_DEATH(
      for (char name = 'a'; name < 'z'; ++name) {
        of.orders.labels(only).client_order_id = Text<20>::cut(std::string_view(&name, 1));
        of.names.assign(only);
      },
      "a name for every live order.*, 1");
}

/// Orders of one user, by number.
struct Numbered : Named {
  using Named::Named;
  void enter(std::size_t number) { slots[number] = Named::enter(std::to_string(number), 1); }
  void leave(std::size_t number) {
    Named::leave(slots.at(number));
    slots.erase(number);
  }
  void expect_all(std::size_t until) const {
    for (std::size_t number = 0; number < until; ++number) {
      const auto known = slots.find(number);
      ASSERT_EQ(find(std::to_string(number), 1), known != slots.end() ? known->second : book::k_no_slot) << number;
    }
  }
  std::map<std::size_t, book::Slot> slots;
};

TEST(OrderNames, go_into_larger_tables_with_more_orders_and_begin_anew_when_all_have_ended) {
  constexpr std::size_t k_orders = 20'000;
  Numbered of(k_orders);
  for (int round = 0; round < 2; ++round) {
    for (std::size_t number = 0; number < k_orders; ++number) {
      of.enter(number);
      if (number % 3 == 2) of.leave(number - 1);
      // The tables hold 2,048 and 8,192 names.
      for (const std::size_t most : {std::size_t{2'048}, std::size_t{8'192}})
        if (of.slots.size() + 1 >= most && of.slots.size() <= most + 1) of.expect_all(number + 10);
    }
    of.expect_all(k_orders);
    for (std::size_t number = 0; number < k_orders; ++number)
      if (of.slots.contains(number)) of.leave(number);
    of.expect_all(100);
  }
}

TEST(OrderNames, stay_in_a_larger_table_until_the_last_of_them_has_ended) {
  constexpr std::size_t k_orders = 3'000;
  Numbered of(k_orders);
  for (std::size_t number = 0; number < k_orders; ++number) of.enter(number);
  for (std::size_t number = 0; number + 1 < k_orders; ++number) of.leave(number);
  of.expect_all(k_orders);
  for (std::size_t number = 0; number + 1 < k_orders; ++number) of.enter(number);
  of.expect_all(k_orders);
}

RC_GTEST_PROP(OrderNames, are_what_a_map_would_say, (const std::vector<std::tuple<bool, int, int>>& steps)) {
  constexpr std::size_t k_most = 12;
  Named of(k_most);
  std::map<std::pair<std::string, std::uint16_t>, book::Slot> model;
  std::vector<std::pair<book::Slot, std::pair<std::string, std::uint16_t>>> live;
  for (const auto& [enters, name, who] : steps) {
    const std::pair key{std::string(1, static_cast<char>('a' + (name & 7))), static_cast<std::uint16_t>(who & 3)};
    if (enters && live.size() < k_most) {
      const book::Slot slot = of.enter(key.first, key.second);
      model[key] = slot;
      live.emplace_back(slot, key);
    } else if (!live.empty()) {
      const auto ended = live.begin() + (name & 0xffff) % static_cast<std::ptrdiff_t>(live.size());
      of.leave(ended->first);
      if (const auto known = model.find(ended->second); known != model.end() && known->second == ended->first)
        model.erase(known);
      live.erase(ended);
    }
    for (char text = 'a'; text <= 'h'; ++text)
      for (std::uint16_t user = 0; user < 4; ++user) {
        const auto known = model.find({std::string(1, text), user});
        RC_ASSERT(of.find(std::string_view(&text, 1), user) ==
                  (known != model.end() ? known->second : book::k_no_slot));
      }
  }
}

}  // namespace
}  // namespace dojima::venue
