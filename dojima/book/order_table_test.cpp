#include "dojima/book/order_table.hpp"

#include <chrono>
#include <deque>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>
#include <stdexcept>
#include <unistd.h>
#include <vector>

namespace dojima::book {
namespace {

market::OrderTerms terms_of(std::uint16_t owner) {
  return {.quantity = {10}, .displayed = {10}, .owner = owner, .side = Side::buy, .type = market::OrderType::limit};
}

Slot add(OrderTable& table, std::uint16_t owner = 0) {
  return table.add(terms_of(owner), {}, 1);
}

std::vector<OrderId> ids_of_owner(const OrderTable& table, std::uint16_t owner) {
  std::vector<OrderId> ids;
  for (const Slot slot : table.of_owner(owner)) ids.push_back(table.id(slot));
  return ids;
}

TEST(OrderTable, names_an_order_by_partition_generation_and_slot) {
  OrderTable table({.partition = 3, .capacity = 4});
  add(table);
  const Slot second = add(table);
  EXPECT_EQ(table.id(second).value, 0x3000'0001'0000'0001u);
  EXPECT_EQ(table.find(table.id(second)), second);
  EXPECT_EQ(table.find(OrderId{}), k_no_slot);
}

TEST(OrderTable, does_not_find_an_ended_order_when_its_slot_is_used_again) {
  OrderTable table({.capacity = 1});
  const Slot slot = add(table);
  const OrderId first = table.id(slot);
  table.release(slot);
  EXPECT_EQ(table.find(first), k_no_slot);
  const OrderId second = table.id(add(table));
  EXPECT_NE(first, second);
  EXPECT_EQ(table.find(first), k_no_slot);
  EXPECT_NE(table.find(second), k_no_slot);
}

TEST(OrderTable, keeps_a_released_order_readable_until_the_next_is_added) {
  OrderTable table({.capacity = 2});
  market::OrderLabels labels{.client_order_id = Text<20>::cut("mine")};
  const Slot slot = table.add(terms_of(0), labels, 7);
  const OrderId id = table.id(slot);
  table.release(slot);
  EXPECT_EQ(table.slot_of(id), slot);
  EXPECT_EQ(table.labels(slot).client_order_id.view(), "mine");
  EXPECT_EQ(table[slot].instrument, 7u);
}

TEST(OrderTable, gives_the_terms_of_a_compact_order) {
  OrderTable table({.capacity = 2});
  market::OrderTerms terms = terms_of(0);
  terms.limit = {70};
  terms.time_in_force = market::TimeInForce::good_till_date;
  terms.expiry = time::Time{std::chrono::seconds{3}};
  terms.group = 4;
  terms.capacity = market::Capacity::dealing;
  terms.peg = 5;
  terms.flags = market::k_named;
  terms.owner_type = 6;
  const Slot slot = table.add(terms, {}, 7);
  table.compact(slot);
  ASSERT_TRUE(table[slot].is_compact());
  table[slot].state &= static_cast<std::uint8_t>(~k_expanded);  // the record is another's from here on
  table[slot].quantity = {12};
  terms.quantity = terms.displayed = {12};
  EXPECT_EQ(table.quantity(slot).lots, 12);
  EXPECT_EQ(table.limit(slot).units, 70);
  EXPECT_EQ(table.terms(slot), terms);
  table[slot].state &= static_cast<std::uint8_t>(~k_expanded);
  table.release(slot);
  EXPECT_EQ(table.terms(slot), terms);
}

TEST(OrderTable, keeps_what_was_changed_of_a_compact_orders_terms) {
  OrderTable table({.capacity = 2});
  const Slot slot = table.add(terms_of(0), {}, 7);
  table.compact(slot);
  table.change_terms(slot).quantity = {4};
  EXPECT_FALSE(table[slot].is_compact());
  EXPECT_EQ(table.terms(slot).quantity.lots, 4);
  EXPECT_EQ(table.quantity(slot).lots, 4);
  table.compact(slot);  // it displays more than it has
  EXPECT_FALSE(table[slot].is_compact());
}

TEST(OrderTable, uses_free_slots_again_oldest_first_when_there_are_few) {
  OrderTable table({.capacity = 3});
  const Slot a = add(table), b = add(table);
  table.release(b);
  table.release(a);
  EXPECT_EQ(static_cast<std::uint32_t>(add(table)), 2u);
  EXPECT_EQ(add(table), b);
  EXPECT_EQ(add(table), a);
  EXPECT_TRUE(table.is_full());
}

TEST(OrderTable, uses_a_freed_slot_again_when_a_thousand_more_were_freed) {
  OrderTable table({.capacity = 4'096});
  const Slot first = add(table);
  table.release(first);
  for (int freed = 0; freed < 1'024; ++freed) {
    const Slot slot = add(table);
    ASSERT_NE(slot, first);
    table.release(slot);
  }
  EXPECT_EQ(add(table), first);
}

TEST(OrderTable, begins_generations_again_at_one_behind_the_last) {
  OrderTable table({.capacity = 1, .first_generation = OrderTable::k_last_generation});
  Slot slot = add(table);
  const OrderId last = table.id(slot);
  EXPECT_EQ(last.value >> 32 & OrderTable::k_last_generation, OrderTable::k_last_generation);
  table.release(slot);
  slot = add(table);
  EXPECT_EQ(table.id(slot).value, 0x1000'0001'0000'0000u);
  EXPECT_EQ(table.find(last), k_no_slot);
}

TEST(OrderTable, lists_an_owners_orders_in_the_order_of_entry) {
  OrderTable table({.capacity = 8, .owners = 2});
  const Slot a = add(table, 1), b = add(table, 1), c = add(table, 1);
  add(table, 0);
  const OrderId id_a = table.id(a), id_c = table.id(c);
  table.release(b);
  const OrderId id_d = table.id(add(table, 1));
  EXPECT_EQ(ids_of_owner(table, 1), (std::vector<OrderId>{id_a, id_c, id_d}));
  EXPECT_EQ(table.count_of_owner(1), 3u);
  table.release(a);
  EXPECT_EQ(ids_of_owner(table, 1), (std::vector<OrderId>{id_c, id_d}));
  EXPECT_EQ(table.count_of_owner(0), 1u);
}

TEST(OrderTable, finds_orders_with_foreign_ids_and_takes_each_once) {
  OrderTable table({.capacity = 2, .ids = Ids::foreign});
  const Slot slot = table.adopt({0xabcdef}, terms_of(0), 1);
  EXPECT_EQ(table.find({0xabcdef}), slot);
  EXPECT_EQ(table.adopt({0xabcdef}, terms_of(0), 1), k_no_slot);
  EXPECT_NE(table.adopt({5}, terms_of(0), 1), k_no_slot);
  EXPECT_EQ(table.adopt({6}, terms_of(0), 1), k_no_slot);  // full
  table.release(slot);
  EXPECT_EQ(table.find({0xabcdef}), k_no_slot);
  EXPECT_NE(table.adopt({6}, terms_of(0), 1), k_no_slot);
}

TEST(OrderTable, forgets_a_foreign_id_in_its_place_while_others_crowd_around_it) {
  constexpr std::size_t k_capacity = 200;
  OrderTable table({.capacity = k_capacity, .ids = Ids::foreign});
  std::map<std::uint64_t, Slot> model;
  std::uint64_t next = 0;
  for (std::uint64_t turn = 0; turn < 4'000; ++turn) {
    if (model.size() == k_capacity || turn % 3 == 2) {
      const auto gone = std::next(model.begin(), static_cast<std::ptrdiff_t>(turn * 31 % model.size()));
      table.release(gone->second);
      ASSERT_EQ(table.find({gone->first}), k_no_slot);
      model.erase(gone);
    }
    const std::uint64_t id = ++next << 20;
    model[id] = table.adopt({id}, terms_of(0), 1);
    ASSERT_NE(model[id], k_no_slot);
  }
  ASSERT_EQ(table.size(), model.size());
  for (const auto& [id, slot] : model) {
    ASSERT_EQ(table.find({id}), slot);
    ASSERT_EQ(table.id(slot), OrderId{id});
  }
}

TEST(OrderTable, has_another_digest_when_the_ids_to_come_differ) {
  OrderTable one({.capacity = 3}), other({.capacity = 3});
  EXPECT_EQ(one.digest(), other.digest());
  const Slot a = add(one), b = add(one), c = add(other), d = add(other);
  EXPECT_EQ(one.digest(), other.digest());
  one.release(a);
  one.release(b);
  other.release(d);
  other.release(c);  // both are empty now, but will give out slots in another order
  EXPECT_NE(one.digest(), other.digest());
}

TEST(OrderTable, is_the_same_whether_its_memory_was_touched_before_or_not) {
  for (const std::uint32_t generation : {1u, 9u}) {
    // Of the larger one the first huge page's memory lies in small pages, and more of it is used.
    for (const std::size_t capacity : {3'000u, 70'000u})
      for (const Memory memory : {Memory::untouched, Memory::gradual}) {
        OrderTable touched({.capacity = capacity, .first_generation = generation});
        OrderTable untouched({.capacity = capacity, .first_generation = generation, .memory = memory});
        for (int step = 0; step < static_cast<int>(capacity / 3 * 5); ++step) {
          const Slot slot = add(touched);
          ASSERT_EQ(add(untouched), slot);
          ASSERT_EQ(untouched.id(slot), touched.id(slot));
          if (step % 2 == 0) continue;
          touched.release(slot);
          untouched.release(slot);
        }
        EXPECT_EQ(untouched.digest(), touched.digest());
      }
  }
}

/// Kilobytes of this process that lie in memory.
std::int64_t resident_kb() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t all = 0, resident = 0;
  statm >> all >> resident;
  return resident * (::sysconf(_SC_PAGESIZE) / 1024);
}

TEST(OrderTable, takes_no_memory_for_orders_that_never_lived_where_it_is_untouched) {
  const std::int64_t before = resident_kb();
  const OrderTable table({.capacity = 1 << 20, .memory = Memory::untouched});
  EXPECT_LT(resident_kb() - before, 16'384) << "4 bytes a slot are touched, and 128 are not";
}

TEST(OrderTable, takes_little_memory_for_a_few_orders_where_it_is_gradual) {
  OrderTable table({.capacity = 1 << 20, .memory = Memory::gradual});
  const std::int64_t before = resident_kb();
  for (int order = 0; order < 100; ++order) table.extra(add(table)) = {};
  EXPECT_LT(resident_kb() - before, 1'024) << "no huge page";
}

TEST(OrderTable, cannot_be_made_with_options_out_of_range) {
  EXPECT_THROW(OrderTable({.partition = 0}), std::invalid_argument);
  EXPECT_THROW(OrderTable({.partition = 16}), std::invalid_argument);
  EXPECT_THROW(OrderTable({.capacity = 0}), std::invalid_argument);
  EXPECT_THROW(OrderTable({.owners = 0}), std::invalid_argument);
  EXPECT_THROW(OrderTable({.first_generation = 0}), std::invalid_argument);
}

RC_GTEST_PROP(OrderTable, finds_exactly_the_live_orders, (const std::vector<std::uint8_t>& steps)) {
  OrderTable table({.capacity = 5, .owners = 3});
  std::deque<OrderId> live, ended;
  for (const std::uint8_t step : steps) {
    if ((step & 1) == 0 && !table.is_full()) {
      live.push_back(table.id(add(table, step % 3)));
    } else if (!live.empty()) {
      const auto at = live.begin() + step % static_cast<int>(live.size());
      table.release(table.find(*at));
      ended.push_back(*at);
      live.erase(at);
    }
    RC_ASSERT(table.size() == live.size());
    for (const OrderId id : live) RC_ASSERT(table.find(id) != k_no_slot);
    for (const OrderId id : ended) RC_ASSERT(table.find(id) == k_no_slot);
    std::size_t listed = 0;
    for (std::uint16_t owner = 0; owner < 3; ++owner) listed += ids_of_owner(table, owner).size();
    RC_ASSERT(listed == live.size());
  }
}

}  // namespace
}  // namespace dojima::book
