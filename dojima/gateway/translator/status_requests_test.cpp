#include "dojima/gateway/translator/status_requests.hpp"

#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "dojima/fix/journal_stores.hpp"
#include "dojima/fix/writer.hpp"
#include "dojima/gateway/gateway_test_world.hpp"
#include "dojima/gateway/order_tags.hpp"
#include "dojima/journal/simulated_disk.hpp"

namespace dojima::gateway {
namespace {

using namespace testing;

/// OrderMassStatusRequest(AF) of all orders, kept with its view.
struct QuestionOfAll {
  explicit QuestionOfAll(std::string_view id) {
    fix::Writer writer(std::as_writable_bytes(std::span(room)),
                       {.type = fix::type::k_order_mass_status_request, .sender = "A", .target = "B", .sequence = {7}});
    writer.field(tag::k_mass_status_req_id, id).field(tag::k_mass_status_req_type, "7");
    const Result<Bytes> bytes = writer.finish();
    EXPECT_TRUE(bytes && view.read(*bytes));
  }
  std::array<char, 512> room{};
  fix::MessageView view;
};

/// A client with two open orders, and a journal that may be short of room. What the client is sent stays in its store.
struct Statuses {
  Statuses() {
    auto opened = fix::JournalStores::open(disk, {.name = "test",
                                                  .segment_bytes = std::size_t{1} << 14,
                                                  .disk_bytes = std::uint64_t{1} << 22,
                                                  .largest_message = 4196,
                                                  .state_bytes = std::uint64_t{1} << 17,
                                                  .on_state = [](Bytes) { return Result<void>{}; }});
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().what);
    stores = std::move(*opened);
    journal.begin(*stores, config);
    channels.attach(0, client.session);
    for (const char* id : {"A-1", "A-2"}) {
      const std::uint32_t slot = records.open_order().value();
      Request& request = records.open_request(records.take_number().value(), 0);
      Order& order = records.order_at(slot);
      request.order = slot;
      records.name_order(order, records.add_id(request, ClOrdId::cut(id), slot));
      order.terms.side = market::Side::buy;
      order.terms.type = market::OrderType::limit;
      order.terms.quantity = order.terms.displayed = {100};
      order.instrument = 7;
      order.state = OrderState::live;
    }
  }
  void ask(std::string_view id) {
    const QuestionOfAll question(id);
    statuses.answer_all(0, question.view, k_noon);
    channels.flush();
  }
  void use_up_room() {
    const std::vector<std::byte> state(1000);
    while (!stores->is_short_of_room()) ASSERT_TRUE(stores->write_state(state, true));
  }
  void make_room() {
    while (stores->journal().work()) {
    }
    stores->deliver();
    ASSERT_FALSE(stores->is_short_of_room());
  }
  /// What the client was sent since the last look: type, MassStatusReqID, ClOrdID, LastRptRequested, Text.
  void end(std::uint32_t slot) { records.order_at(slot).state = OrderState::cancelled; }
  std::vector<std::string> sent() {
    std::vector<std::string> messages;
    for (; next < client.session.next_outgoing().value; ++next) {
      const auto stored = client.session.store().find_from({next});
      fix::MessageView view;
      if (!stored || !view.read(stored->bytes)) return messages;
      std::string text = std::string(fix::text_of(view.msg_type()).view());
      for (const fix::Tag tag : {tag::k_mass_status_req_id, tag::k_cl_ord_id, fix::Tag{912}, fix::tag::k_text})
        text += " " + std::string(view.find(tag).value_or("-"));
      messages.push_back(std::move(text));
    }
    return messages;
  }

  journal::SimulatedDisk disk;
  std::unique_ptr<fix::JournalStores> stores;
  sched::Scheduler scheduler{64, k_noon};
  FixClient client{scheduler, "CLIENT1"};
  SymbolTable symbols{std::vector<SymbolConfig>{{"ALPHA", 7}}};
  GatewayCounters counters;
  Records records{{.orders = 4, .requests = 8, .remembered_ids = 8}, 0};
  const std::vector<ClientState> states{1};
  GatewayConfig config{.clients = {{.comp_id = "CLIENT1", .venue_user = "USER1"}}};
  VenueUsers users{config};
  StateJournal journal{records, counters, states, users};
  ClientChannels channels{config.clients, users, symbols, counters, journal, records};
  StatusRequests statuses{symbols, records, users, channels, 1};
  std::uint64_t next = 1;
};

/// The answer to the first pauses while the journal is short of room; it is whole all the same.
TEST(StatusRequests, a_second_question_does_not_break_off_the_answer_to_the_first) {
  Statuses test;
  test.use_up_room();
  test.ask("Q-1");
  EXPECT_TRUE(test.sent().empty());
  test.ask("Q-2");
  EXPECT_EQ(test.sent(), std::vector<std::string>{"j - - - another OrderMassStatusRequest(AF) is being answered"});
  test.make_room();
  test.ask("Q-3");
  EXPECT_EQ(test.sent(),
            (std::vector<std::string>{"8 Q-1 A-1 N -", "8 Q-1 A-2 Y -", "8 Q-3 A-1 N -", "8 Q-3 A-2 Y -"}));
}

TEST(StatusRequests, an_answer_goes_on_when_there_is_room) {
  Statuses test;
  test.use_up_room();
  test.ask("Q-1");
  test.statuses.go_on(k_noon);
  EXPECT_TRUE(test.sent().empty());
  test.make_room();
  test.statuses.go_on(k_noon);
  EXPECT_EQ(test.sent(), (std::vector<std::string>{"8 Q-1 A-1 N -", "8 Q-1 A-2 Y -"}));
}

/// A client that waits for the last report of its answer gets one, whatever has ended meanwhile.
TEST(StatusRequests, an_answer_has_a_last_report_though_orders_end_while_it_is_paused) {
  for (const bool are_all_ended : {false, true}) {
    Statuses test;
    test.use_up_room();
    test.ask("Q-1");
    test.end(1);
    if (are_all_ended) test.end(0);
    test.statuses.go_on(k_noon);
    EXPECT_TRUE(test.sent().empty());
    test.make_room();
    test.statuses.go_on(k_noon);
    EXPECT_EQ(test.sent(),
              std::vector<std::string>{are_all_ended ? "8 Q-1 - Y the orders that are not reported have ended meanwhile"
                                                     : "8 Q-1 A-1 Y -"});
    test.statuses.go_on(k_noon);
    EXPECT_TRUE(test.sent().empty());
  }
}

}  // namespace
}  // namespace dojima::gateway
