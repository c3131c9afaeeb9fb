#include "dojima/gateway/records/client_order_ids.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace dojima::gateway {
namespace {

ClientOrderIds::Key key(const std::string& text, std::uint32_t client = 0) {
  return {ClOrdId::from(text).value(), client};
}

TEST(ClientOrderIds, an_id_addresses_the_order_it_was_added_for) {
  ClientOrderIds ids(4);
  const ClOrdIdRef ref = ids.add(key("A", 65'535), {.order = 3, .generation = 1});
  EXPECT_EQ(ids.find(key("A", 65'535)), ref);
  EXPECT_EQ(ids.target(ref).order, 3u);
  EXPECT_EQ(ids.target(ref).generation, 1u);
  EXPECT_EQ(ids.text(ref).view(), "A");
  EXPECT_EQ(ids.key(ref).client, 65'535u);
  EXPECT_FALSE(ids.contains(key("B", 65'535)));
  EXPECT_FALSE(ids.contains(key("A", 1))) << "another client's";
  EXPECT_EQ(ids.size(), 1u);
  EXPECT_TRUE(ids.text(k_no_id).is_empty());
}

TEST(ClientOrderIds, a_detached_id_is_known_and_addresses_nothing) {
  ClientOrderIds ids(4);
  const ClOrdIdRef ref = ids.add(key("A"), {.order = 3, .generation = 1});
  ids.address(ref, {.order = 4, .generation = 2});
  EXPECT_EQ(ids.target(ref).order, 4u);
  ids.detach(ref);
  ASSERT_TRUE(ids.contains(key("A")));
  EXPECT_EQ(ids.target(ref).order, k_no_slot);
}

TEST(ClientOrderIds, an_erased_id_may_be_added_again) {
  ClientOrderIds ids(4);
  ids.erase(ids.add(key("A"), {.order = 3, .generation = 1}));
  EXPECT_FALSE(ids.contains(key("A")));
  EXPECT_EQ(ids.size(), 0u);
  EXPECT_EQ(ids.target(ids.add(key("A"), {.order = 5, .generation = 2})).order, 5u);
}

TEST(ClientOrderIds, room_is_made_by_forgetting_the_oldest_id_of_the_past) {
  ClientOrderIds ids(3);
  std::array<ClOrdIdRef, 3> refs{};
  for (std::size_t at = 0; at < 3; ++at)
    refs[at] = ids.add(key(std::string(1, static_cast<char>('A' + at))), {.order = 1});
  EXPECT_FALSE(ids.has_room());
  ids.retire(refs[1]);
  ids.retire(refs[0]);
  EXPECT_TRUE(ids.has_room(2));
  EXPECT_FALSE(ids.has_room(3));
  ids.add(key("D"), {.order = 2});
  EXPECT_FALSE(ids.contains(key("B")));
  EXPECT_TRUE(ids.contains(key("A")));
  ids.add(key("E"), {.order = 2});
  EXPECT_FALSE(ids.contains(key("A")));
  EXPECT_TRUE(ids.contains(key("C"))) << "of the present";
  EXPECT_EQ(ids.size(), 3u);
  EXPECT_EQ(ids.past_begin(), 2u);
  EXPECT_EQ(ids.past_end(), 2u);
}

TEST(ClientOrderIds, the_text_of_a_forgotten_id_stays_while_a_record_has_it) {
  ClientOrderIds ids(3);
  const ClOrdIdRef held = ids.add(key("HELD"), {.order = 1});
  ids.hold(held);
  ids.retire(held);
  EXPECT_TRUE(ids.has_room(2));
  ids.retire(ids.add(key("B"), {.order = 2}));
  ids.add(key("C"), {.order = 3});
  EXPECT_TRUE(ids.contains(key("HELD"))) << "there was room";
  ids.add(key("D"), {.order = 4});  // the oldest gives no room, so the next goes, too
  EXPECT_FALSE(ids.contains(key("HELD")));
  EXPECT_FALSE(ids.contains(key("B")));
  EXPECT_EQ(ids.text(held).view(), "HELD");
  EXPECT_TRUE(ids.has_text(key("HELD")));
  EXPECT_FALSE(ids.has_room());
  ids.drop(held);
  EXPECT_FALSE(ids.has_text(key("HELD")));
  EXPECT_TRUE(ids.has_room());
}

TEST(ClientOrderIds, a_forgotten_id_that_a_record_has_may_be_used_again) {
  ClientOrderIds ids(2);
  const ClOrdIdRef ref = ids.keep(key("A"));  // as a restored record does
  ids.hold(ref);
  EXPECT_FALSE(ids.contains(key("A")));
  EXPECT_EQ(ids.keep(key("A")), ref);
  EXPECT_EQ(ids.add(key("A"), {.order = 7}), ref);
  EXPECT_TRUE(ids.contains(key("A")));
  EXPECT_EQ(ids.known(), 1u);
  ids.retire(ref);
  EXPECT_TRUE(ids.has_room());
  EXPECT_FALSE(ids.has_room(2)) << "a record has it";
  ids.drop(ref);
  EXPECT_TRUE(ids.has_room(2));
}

TEST(ClientOrderIds, a_text_with_more_holders_than_are_counted_is_never_given_back) {
  constexpr int k_counted = (1 << 14) - 1;
  ClientOrderIds ids(2);
  const ClOrdIdRef often = ids.keep(key("OFTEN")), below = ids.keep(key("BELOW"));
  for (int count = 0; count < k_counted; ++count) ids.hold(often);
  for (int count = 0; count < k_counted - 1; ++count) ids.hold(below);
  for (int count = 0; count < k_counted - 1; ++count) ids.drop(below);
  for (int count = 0; count < k_counted; ++count) ids.drop(often);
  EXPECT_FALSE(ids.has_text(key("BELOW")));
  EXPECT_TRUE(ids.has_text(key("OFTEN")));
}

/// Ids of the past that records hold give no room when they are forgotten. However many of them are the oldest, none is
/// forgotten in a burst, and there is always room where there is said to be.
TEST(ClientOrderIds, an_addition_forgets_a_few_at_most) {
  constexpr std::size_t k_places = 512, k_held = 440;
  ClientOrderIds ids(k_places);
  ASSERT_EQ(ids.reserve(), 32u);
  const std::size_t usable = k_places - ids.reserve();
  for (std::size_t at = 0; at < usable; ++at) {
    const ClOrdIdRef ref = ids.add(key("PAST-" + std::to_string(at)), {.order = 1});
    if (at < k_held) ids.hold(ref);
    ids.retire(ref);
  }
  EXPECT_EQ(ids.past_begin(), 0u) << "there was room";
  EXPECT_TRUE(ids.has_room(usable - k_held));
  EXPECT_FALSE(ids.has_room(usable - k_held + 1));
  std::uint64_t most = 0;
  for (std::size_t at = k_held; at < usable; ++at) {
    ASSERT_TRUE(ids.has_room()) << at;
    const std::uint64_t before = ids.past_begin();
    ids.hold(ids.add(key("NEW-" + std::to_string(at)), {.order = 2}));
    most = std::max(most, ids.past_begin() - before);
  }
  EXPECT_EQ(most, ClientOrderIds::k_forgotten_most);
  EXPECT_FALSE(ids.has_room());
}

/// Ids that were forgotten while records hold them may be used again, and are then the newest: they must not push back
/// those that give room for ever.
TEST(ClientOrderIds, ids_that_are_used_again_do_not_use_up_the_reserve) {
  constexpr std::size_t k_places = 512, k_usable = 480, k_held = 440, k_added = 20;
  ClientOrderIds ids(k_places);
  std::vector<ClOrdIdRef> refs;
  const auto past = [](std::size_t at) { return key("PAST-" + std::to_string(at)); };
  for (std::size_t at = 0; at < k_usable; ++at) {
    refs.push_back(ids.add(past(at), {.order = 1}));
    if (at < k_held) ids.hold(refs[at]);
    ids.retire(refs[at]);
  }
  std::uint64_t most = 0;
  const auto add = [&](const ClientOrderIds::Key& added) {
    const std::uint64_t before = ids.past_begin();
    const ClOrdIdRef ref = ids.add(added, {.order = 2});
    most = std::max(most, ids.past_begin() - before);
    return ref;
  };
  for (std::size_t at = 0; at < k_added; ++at) ids.hold(add(key("NEW-" + std::to_string(at))));
  const std::size_t forgotten = ids.past_begin();
  ASSERT_EQ(forgotten, k_added * ClientOrderIds::k_forgotten_most);
  for (std::size_t at = 0; at < forgotten; ++at) {
    ASSERT_EQ(add(past(at)), refs[at]) << "the text has its place";
    ids.retire(refs[at]);
  }
  // The newest are let go of, and those that nobody held are held.
  for (std::size_t at = forgotten - (k_usable - k_held); at < forgotten; ++at) ids.drop(refs[at]);
  for (std::size_t at = k_held; at < k_usable; ++at)
    if (ids.contains(past(at)) && ids.has_room()) ids.hold(refs[at]);
  for (std::size_t at = k_added; ids.has_room(); ++at) ids.hold(add(key("NEW-" + std::to_string(at))));
  EXPECT_EQ(most, ClientOrderIds::k_forgotten_most);
}

TEST(ClientOrderIds, places_are_as_many_as_the_ids_and_their_reserve) {
  for (const std::size_t count : {1U, 14U, 15U, 16U, 1000U, 196'609U}) {
    const ClientOrderIds ids(ClientOrderIds::places_for(count));
    EXPECT_TRUE(ids.has_room(count)) << count;
    EXPECT_FALSE(ids.has_room(count + 1)) << count;
  }
}

/// Ids that are added, held, dropped, retired and forgotten in any order, against a map of texts and a queue.
TEST(ClientOrderIds, knows_what_a_model_knows) {
  struct Known {
    ClOrdIdRef ref = k_no_id;
    int holders = 0;
    bool is_known = false, is_of_past = false;
    std::uint32_t order = 0;
  };
  for (std::uint32_t seed = 0; seed < 6; ++seed) {
    std::mt19937 random(seed);
    const std::size_t capacity = seed % 3 == 2 ? 40 : 12;  // with a reserve of two, and with none
    const std::uint32_t names = capacity == 12 ? 30 : 80;
    ClientOrderIds ids(capacity);
    std::map<std::string, Known> model;
    std::deque<std::string> past;
    const auto remove_unused = [&](const std::string& text) {
      if (const Known& of = model[text]; !of.is_known && of.holders == 0) model.erase(text);
    };
    for (std::uint32_t step = 0; step < 1500; ++step) {
      const std::string text = "ID-" + std::to_string(random() % names);
      const auto found = model.find(text);
      if (found == model.end() || !found->second.is_known) {
        const bool is_there = found != model.end();
        std::size_t unused = 0;
        for (const auto& each : past) unused += model[each].holders == 0 ? 1U : 0U;
        const bool has_room = capacity - model.size() + unused > ids.reserve();
        ASSERT_EQ(ids.has_room(), has_room);
        if (!is_there && !has_room) continue;
        for (int count = 0; count < 16 && !past.empty() && capacity - model.size() <= ids.reserve(); ++count) {
          model[past.front()].is_known = model[past.front()].is_of_past = false;
          remove_unused(past.front());
          past.pop_front();
        }
        Known& added = model[text];
        added.ref = ids.add(key(text), {.order = step});
        added.is_known = true;
        added.order = step;
      } else if (Known& of = found->second; random() % 3 == 0 && !of.is_of_past) {
        ids.retire(of.ref);
        of.is_of_past = true;
        past.push_back(text);
      } else if (of.holders != 0 && random() % 2 == 0) {
        ids.drop(of.ref);
        --of.holders;
        remove_unused(text);
      } else if (random() % 4 == 0 && !of.is_of_past) {
        ids.erase(of.ref);
        of.is_known = false;
        remove_unused(text);
      } else if (!of.is_of_past || of.holders != 0 || ids.has_room()) {
        ids.hold(of.ref);
        ++of.holders;
      }
      if (auto held = model.begin(); held != model.end() && random() % 2 == 0) {
        std::advance(held, static_cast<std::ptrdiff_t>(random() % model.size()));
        const std::string of = held->first;
        if (held->second.holders != 0) {
          ids.drop(held->second.ref);
          --held->second.holders;
          remove_unused(of);
        }
      }
      ASSERT_EQ(ids.size(), model.size()) << "seed " << seed << " step " << step;
      ASSERT_EQ(ids.past_end() - ids.past_begin(), past.size());
      for (std::size_t at = 0; at < past.size(); ++at)
        ASSERT_EQ(ids.text(ids.past_at(ids.past_begin() + at)).view(), past[at]);
      for (std::uint32_t number = 0; number < names; ++number) {
        const std::string each = "ID-" + std::to_string(number);
        const auto expected = model.find(each);
        ASSERT_EQ(ids.has_text(key(each)), expected != model.end()) << each;
        ASSERT_EQ(ids.contains(key(each)), expected != model.end() && expected->second.is_known) << each;
        if (expected == model.end()) continue;
        ASSERT_EQ(ids.text(expected->second.ref).view(), each);
        if (!expected->second.is_known) continue;
        ASSERT_EQ(ids.target(expected->second.ref).order, expected->second.order);
      }
    }
  }
}

TEST(ClientOrderIdsDeathTest, an_id_that_is_known_is_not_added_again) {
  ClientOrderIds ids(4);
  ids.add(key("A", 2), {.order = 3});
  EXPECT_DEATH(ids.add(key("A", 2), {.order = 5}), "an id is used once .*client, target.order, known_.* = 2, 5, 1");
}

TEST(ClientOrderIdsDeathTest, ids_of_the_present_are_never_forgotten) {
  ClientOrderIds ids(1);
  ids.add(key("A"), {.order = 3});
  EXPECT_DEATH(ids.add(key("B"), {.order = 5}), "where there is no room, there are ids of the past .*= 1, 0");
}

TEST(ClientOrderIdsDeathTest, an_id_belongs_to_the_past_once) {
  ClientOrderIds ids(1);
  const ClOrdIdRef ref = ids.add(key("A"), {.order = 3});
  ids.retire(ref);
  EXPECT_DEATH(ids.retire(ref), "an id belongs to the past once .*= 0, 0, 1");
  EXPECT_DEATH(ids.erase(ref), "what was never used is known, and not of the past");
}

TEST(ClientOrderIdsDeathTest, only_a_known_id_belongs_to_the_past) {
  ClientOrderIds ids(2);
  const ClOrdIdRef ref = ids.keep(key("A", 3));
  EXPECT_DEATH(ids.retire(ref), "only a known id belongs to the past .*= 0, 3");
}

TEST(ClientOrderIdsDeathTest, an_id_is_dropped_by_those_who_hold_it) {
  ClientOrderIds ids(2);
  const ClOrdIdRef ref = ids.add(key("A", 3), {.order = 1});
  EXPECT_DEATH(ids.drop(ref), "an id is dropped by those who hold it .*= 0, 3");
  EXPECT_DEATH(ids.detach(2), "an id is one of those that there are .*= 2, 2");
}

}  // namespace
}  // namespace dojima::gateway
