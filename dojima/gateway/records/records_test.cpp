#include "dojima/gateway/records/records.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <iostream>
#include <malloc.h>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "dojima/base/allocation_counter.hpp"

namespace dojima::gateway {
namespace {

ClOrdId id(const std::string& text) {
  return ClOrdId::from(text).value();
}

/// Opens an order with its naming request, as a new order does.
std::uint32_t open(Records& records, const std::string& name) {
  const std::uint64_t number = records.take_number().value();
  const std::uint32_t slot = records.open_order().value();
  Request& request = records.open_request(number, 0);
  request.order = slot;
  records.order_at(slot).current_request = number;
  records.name_order(records.order_at(slot), records.add_id(request, id(name), slot));
  return slot;
}

void close(Records& records, std::uint32_t slot) {
  Order& order = records.order_at(slot);
  order.state = OrderState::cancelled;
  records.close_request(*records.find_request(order.current_request));
  records.retire_order(slot);
}

TEST(GatewayRecords, numbers_rise_and_skip_places_in_use) {
  Records records({.orders = 4, .requests = 8, .remembered_ids = 8}, 0);
  const std::uint32_t first = open(records, "A");  // number 0 stays in use
  for (std::uint64_t expected = 1; expected < 8; ++expected) EXPECT_EQ(records.take_number(), expected);
  EXPECT_EQ(records.take_number(), 9u);  // 8 has the slot of 0
  EXPECT_NE(records.find_request(0), nullptr);
  EXPECT_EQ(records.find_request(8), nullptr);
  close(records, first);
  EXPECT_EQ(records.find_request(0), nullptr);
}

TEST(GatewayRecords, numbers_begin_where_they_are_set_to) {
  Records records({.orders = 4, .requests = 8, .remembered_ids = 8}, 1'000'003);
  EXPECT_EQ(records.take_number(), 1'000'003u);
}

TEST(GatewayRecords, no_number_is_given_out_when_every_place_is_taken) {
  Records records({.orders = 2, .requests = 4, .remembered_ids = 1}, 0);
  for (int count = 0; count < 4; ++count) records.open_request(records.take_number().value(), 0);
  EXPECT_EQ(records.take_number(), std::nullopt);
}

TEST(GatewayRecords, closed_orders_stay_findable_until_their_place_is_needed_oldest_first) {
  Records records({.orders = 3, .requests = 8, .remembered_ids = 8}, 0);
  const std::uint32_t first = open(records, "A"), second = open(records, "B"), third = open(records, "C");
  EXPECT_EQ(records.open_order(), std::nullopt);
  close(records, second);
  close(records, first);
  EXPECT_EQ(records.find_order(0, id("B")), second);
  EXPECT_EQ(open(records, "D"), second);  // the one that closed first
  EXPECT_EQ(records.find_order(0, id("B")), std::nullopt);
  EXPECT_TRUE(records.knows_id(0, id("B")));  // still no id for another order
  EXPECT_EQ(records.find_order(0, id("A")), first);
  EXPECT_EQ(records.find_order(0, id("C")), third);
}

TEST(GatewayRecords, ids_of_the_past_are_forgotten_when_the_room_is_needed_oldest_first) {
  Records records({.orders = 2, .requests = 4, .remembered_ids = 30}, 0);
  for (int count = 0; count < 33; ++count) close(records, open(records, "P" + std::to_string(count)));
  EXPECT_TRUE(records.knows_id(0, id("P0")));
  open(records, "X");
  EXPECT_FALSE(records.knows_id(0, id("P0")));
  EXPECT_TRUE(records.knows_id(0, id("P1")));
  EXPECT_TRUE(records.knows_id(0, id("X")));
  EXPECT_FALSE(records.knows_id(1, id("X")));  // another client's
}

TEST(GatewayRecords, what_was_never_sent_leaves_nothing_behind) {
  Records records({.orders = 1, .requests = 2, .remembered_ids = 1}, 0);
  const std::uint32_t slot = open(records, "A");
  records.undo_request(*records.find_request(records.order_at(slot).current_request));
  records.undo_order(slot);
  EXPECT_FALSE(records.knows_id(0, id("A")));
  EXPECT_EQ(records.orders(), 0u);
  EXPECT_EQ(records.requests(), 0u);
  open(records, "A");
}

TEST(GatewayRecords, an_id_of_a_refused_request_addresses_nothing_but_stays_known) {
  Records records({.orders = 1, .requests = 2, .remembered_ids = 1}, 0);
  open(records, "A");
  records.detach_id(*records.find_request(0));
  EXPECT_EQ(records.find_order(0, id("A")), std::nullopt);
  EXPECT_TRUE(records.knows_id(0, id("A")));
}

TEST(GatewayRecords, limits_that_make_no_sense_are_refused) {
  EXPECT_THROW(Records({.orders = 0, .requests = 8, .remembered_ids = 8}, 0), std::invalid_argument);
  EXPECT_THROW(Records({.orders = 8, .requests = 8, .remembered_ids = 8}, 0), std::invalid_argument);
  EXPECT_THROW(Records({.orders = 4, .requests = 8, .remembered_ids = 0}, 0), std::invalid_argument);
}

TEST(GatewayRecords, a_number_that_was_taken_is_found_again) {
  Records records({.orders = 2, .requests = 4, .remembered_ids = 1}, 41);
  const std::uint64_t number = records.take_number().value();
  EXPECT_EQ(records.find_request(number), nullptr) << "it has no record yet";
  Request& request = records.open_request(number, 0);
  EXPECT_EQ(records.find_request(number), &request);
  EXPECT_EQ(&records.request_at(records.slot_of(request)), &request);
  EXPECT_EQ(records.find_request(number + 4), nullptr) << "another number of the same slot";
}

/// The lists against a model: requests that come and go in any order.
TEST(GatewayRecords, the_requests_of_a_client_are_in_the_order_of_their_numbers) {
  constexpr std::uint32_t k_clients = 3;
  Records records({.orders = 32, .requests = 64, .remembered_ids = 64}, 0, k_clients);
  std::map<std::uint64_t, std::uint32_t> model;  // clients by number
  std::mt19937 random(7);
  for (int step = 0; step < 2000; ++step) {
    if (model.size() < 30 && random() % 2 == 0) {
      const std::uint64_t number = records.take_number().value();
      const auto client = static_cast<std::uint32_t>(random() % k_clients);
      Request& request = records.open_request(number, client);
      records.add_id(request, id("R-" + std::to_string(number)), 0);
      model[number] = client;
    } else if (!model.empty()) {
      const auto at = std::next(model.begin(), static_cast<std::ptrdiff_t>(random() % model.size()));
      records.close_request(*records.find_request(at->first));
      model.erase(at);
    }
    for (std::uint32_t client = 0; client < k_clients; ++client) {
      std::vector<std::uint64_t> listed, expected;
      for (std::uint32_t slot = records.first_request(client); slot != k_no_slot; slot = records.next_request(slot))
        listed.push_back(std::as_const(records).request_at(slot).number);
      for (const auto& [number, owner] : model)
        if (owner == client) expected.push_back(number);
      ASSERT_EQ(listed, expected) << step;
    }
  }
}

/// As `dojima bench gateway --table recover` divides: what an order more to make room for takes more, with the least
/// requests and as many ids of the past as before.
TEST(GatewayRecordsMemory, an_open_order_takes_less_than_four_hundred_bytes) {
  constexpr std::size_t k_few = 1 << 11, k_many = 1 << 14;
  const auto bytes_of = [](std::size_t orders) {
    return Records({.orders = orders, .requests = 2 * orders, .remembered_ids = k_many}, 0, 300).bytes();
  };
  const RecordBytes few = bytes_of(k_few), many = bytes_of(k_many);
  const auto each = [&](std::size_t RecordBytes::* part) {
    return static_cast<double>(many.*part - few.*part) / (k_many - k_few);
  };
  std::cout << "orders " << each(&RecordBytes::orders) << "\nrequests " << each(&RecordBytes::requests) << "\nchanges "
            << each(&RecordBytes::changes) << "\nids " << each(&RecordBytes::ids) << "\nid index "
            << each(&RecordBytes::id_index) << "\nvenue index " << each(&RecordBytes::venue_index) << "\n";
  const double total = static_cast<double>(many.total() - few.total()) / (k_many - k_few);
  std::cout << "an open order: " << total << " bytes\n";
  EXPECT_LT(total, 400);
  EXPECT_GT(total, 300) << "what is counted is there";
  EXPECT_EQ(each(&RecordBytes::parties), 28) << "more for an order that has parties";
}

TEST(GatewayRecordsMemory, requests_and_ids_take_what_the_page_says) {
  constexpr std::size_t k_orders = 1 << 11, k_requests = 1 << 13, k_ids = 1 << 15;
  const auto bytes_of = [](std::size_t requests, std::size_t ids) {
    return static_cast<double>(
        Records({.orders = k_orders, .requests = requests, .remembered_ids = ids}, 0).bytes().total());
  };
  EXPECT_NEAR((bytes_of(2 * k_requests, k_ids) - bytes_of(k_requests, k_ids)) / k_requests, 128, 0.5);
  EXPECT_NEAR((bytes_of(4 * k_requests, 16) - bytes_of(2 * k_requests, 16)) / (2 * k_requests), 196, 0.5)
      << "more changes than ids of the past";
  EXPECT_NEAR((bytes_of(k_requests, 2 * k_ids) - bytes_of(k_requests, k_ids)) / k_ids, 68, 0.5);
}

/// What is counted is what was allocated: a container that is forgotten in the table would cost without being seen.
TEST(GatewayRecordsMemory, all_memory_that_records_take_is_counted) {
  if (!counts_heap_allocations()) GTEST_SKIP() << "the sanitizers' allocator does not say what is allocated";
  const auto allocated = [] {
    const struct mallinfo2 info = ::mallinfo2();
    return static_cast<double>(info.uordblks + info.hblkhd);
  };
  const double before = allocated();
  Records records({.orders = 1 << 15, .requests = 1 << 16, .remembered_ids = 1 << 15}, 0, 16);
  records.note_changes();
  const auto counted =
      static_cast<double>(records.bytes().total() + records.bytes().parties + records.bytes().wanted_parties);
  EXPECT_NEAR(allocated() - before, counted, counted / 200) << "but for the allocator's own pages";
}

/// Orders that come, change and go with the limits used up now and then: what was taken for one is given back.
TEST(GatewayRecords, changes_and_ids_that_are_used_up_come_back) {
  constexpr std::size_t k_orders = 8;
  Records records({.orders = k_orders, .requests = 128, .remembered_ids = 4}, 0);
  std::mt19937 random(11);
  std::vector<std::uint32_t> slots;
  std::map<std::uint32_t, std::vector<std::uint64_t>> changes;  // numbers by order
  std::uint64_t refused = 0, next = 0;
  std::size_t most_changes = 0, pending = 0;
  for (int step = 0; step < 20'000; ++step) {
    const bool is_filling = step / 500 % 2 == 0;
    if (slots.size() < k_orders && random() % 4 == 0) {
      if (!records.take_number()) {  // every id is one that records have
        ++refused;
        continue;
      }
      slots.push_back(open(records, "ID-" + std::to_string(next++)));
    } else if (!slots.empty() && random() % 64 < (is_filling ? 63U : 16U)) {
      const std::uint32_t slot = slots[random() % slots.size()];
      const std::optional<std::uint64_t> number = records.take_number();
      if (!number || !records.has_room_for_changes()) {
        ++refused;
        continue;
      }
      Request& request = records.open_request(*number, 0);
      request.kind = RequestKind::replace;
      request.order = slot;
      records.open_change(request, records.id_of(records.order_at(slot))).terms.quantity = {static_cast<int>(*number)};
      records.add_id(request, id("ID-" + std::to_string(next++)), slot);
      changes[slot].push_back(*number);
      most_changes = std::max(most_changes, ++pending);
    } else if (!slots.empty()) {
      const std::size_t at = random() % slots.size();
      const std::uint32_t slot = slots[at];
      for (const std::uint64_t number : changes[slot]) {
        Request& request = *records.find_request(number);
        ASSERT_EQ(records.wanted_by(request).lots, static_cast<int>(number));
        ASSERT_EQ(records.orig_of(request), records.id_of(records.order_at(slot)));
        records.close_request(request);
        --pending;
      }
      changes.erase(slot);
      close(records, slot);
      slots.erase(slots.begin() + static_cast<std::ptrdiff_t>(at));
    }
    for (const std::uint32_t slot : slots)
      ASSERT_EQ(records.find_order(0, records.id_of(records.order_at(slot))), slot) << step;
    ASSERT_EQ(records.requests(), slots.size() + pending);
  }
  EXPECT_GT(refused, 0u);
  EXPECT_EQ(most_changes, (RecordLimits{.orders = k_orders, .requests = 128, .remembered_ids = 4}).changes());
}

/// Every id is one that a record has: what was written is taken back, and nothing more.
TEST(GatewayRecords, records_that_have_every_id_are_restored) {
  const RecordLimits limits{.orders = 2, .requests = 4, .remembered_ids = 1};
  ASSERT_EQ(limits.ids(), 7u);
  const auto restored = [&](const std::vector<std::string>& origs) {
    Records::Remembered remembered;
    for (std::uint32_t slot = 0; slot < 2; ++slot) {
      SavedOrder order;
      order.state = OrderState::live;
      order.cl_ord_id_text = id(slot == 0 ? "A" : "Z");
      order.current_request = 0;
      remembered.orders.emplace_back(slot, order);
    }
    for (std::uint64_t number = 0; number < 4; ++number) {
      SavedRequest request;
      request.number = number;
      request.order = 0;
      request.is_answered = number == 0;
      request.kind = number == 0 ? RequestKind::new_order : RequestKind::cancel;
      request.is_stale = number > 1;
      request.cl_ord_id_text = id(std::string(1, static_cast<char>('A' + number)));
      if (number != 0) request.orig_cl_ord_id = id(origs[number - 1]);
      remembered.requests.push_back(request);
    }
    remembered.next_number = 4;
    Records records(limits, 0);
    return records.restore(remembered).has_value();
  };
  EXPECT_TRUE(restored({"A", "A", "A"}));
  EXPECT_TRUE(restored({"P", "Q", "A"})) << "the last of them takes the last place";
  EXPECT_FALSE(restored({"P", "Q", "R"}));
}

TEST(GatewayRecords, an_order_is_found_by_the_newest_of_equal_venue_ids) {
  Records records({.orders = 4, .requests = 8, .remembered_ids = 8}, 0);
  const std::uint32_t first = open(records, "A"), second = open(records, "B"), other = open(records, "C");
  records.order_at(other).user = 1;
  records.set_venue_id(first, {77});
  records.set_venue_id(other, {77});
  EXPECT_EQ(records.find_by_venue_id(0, {77}), first);
  EXPECT_EQ(records.find_by_venue_id(1, {77}), other) << "another user's";
  records.set_venue_id(second, {77});
  EXPECT_EQ(records.find_by_venue_id(0, {77}), second);
  records.set_venue_id(first, {78});  // does not take away what is the other's by now
  EXPECT_EQ(records.find_by_venue_id(0, {77}), second);
  EXPECT_EQ(records.find_by_venue_id(0, {78}), first);
  records.set_venue_id(second, {79});
  EXPECT_EQ(records.find_by_venue_id(0, {77}), std::nullopt);
  EXPECT_EQ(records.find_by_venue_id(0, {0}), std::nullopt);
}

TEST(GatewayRecords, number_no_more_clients_than_fit_a_request) {
  const RecordLimits limits{.orders = 2, .requests = 4, .remembered_ids = 1};
  constexpr std::size_t k_most = ClientOrderIds::k_clients_most;
  Records records(limits, 0, k_most);
  EXPECT_EQ(records.open_request(*records.take_number(), k_most - 1).client, k_most - 1);
  try {
    const Records more(limits, 0, k_most + 1);
    ADD_FAILURE();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "a gateway has at most 65,536 clients");
  }
}

TEST(GatewayRecordsDeathTest, a_number_is_taken_before_its_record_is_opened) {
  Records records({.orders = 2, .requests = 4, .remembered_ids = 1}, 3);
  EXPECT_DEATH(records.open_request(3, 0), "a number is taken before its record is opened .*= 3, 3");
}

TEST(GatewayRecordsDeathTest, a_record_is_opened_once) {
  Records records({.orders = 2, .requests = 4, .remembered_ids = 1}, 3);
  records.open_request(records.take_number().value(), 0);
  EXPECT_DEATH(records.open_request(3, 0), "a number is taken only where its slot is free .*= 3, 3, 3");
}

TEST(GatewayRecordsDeathTest, a_request_is_closed_once) {
  Records records({.orders = 2, .requests = 4, .remembered_ids = 1}, 3);
  open(records, "A");
  Request& request = *records.find_request(3);
  records.undo_request(request);
  EXPECT_DEATH(records.undo_request(request), "only a request in use is closed .*= 3, 0");
}

TEST(GatewayRecordsDeathTest, an_order_retires_closed_and_without_a_pending_change) {
  Records records({.orders = 2, .requests = 4, .remembered_ids = 1}, 3);
  const std::uint32_t slot = open(records, "A");
  EXPECT_DEATH(records.retire_order(slot), "only a closed order retires .*= 0, 0, 0");
  records.order_at(slot).state = OrderState::filled;
  records.order_at(slot).pending_change = 2;
  EXPECT_DEATH(records.retire_order(slot), "no change of an order that retires is pending .*= 0, 2, 0");
}

TEST(GatewayRecordsDeathTest, an_order_retires_once) {
  Records records({.orders = 1, .requests = 2, .remembered_ids = 1}, 3);
  const std::uint32_t slot = open(records, "A");
  close(records, slot);
  EXPECT_DEATH(records.retire_order(slot), "an order retires once .*= 0, 1, 1");
}

}  // namespace
}  // namespace dojima::gateway
