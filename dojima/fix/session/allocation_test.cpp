// The steady state of codec and session takes no memory: counted over the whole test program.

#include <array>
#include <gtest/gtest.h>

#include "dojima/base/allocation_counter.hpp"
#include "dojima/fix/business_reject.hpp"
#include "dojima/fix/session_test_peer.hpp"

namespace dojima::fix {
namespace {

using namespace std::chrono_literals;
using testing::SwallowingTransport;

/// Answers every order with a report, and every tenth one with a refusal.
class AnsweringHandler final : public Handler {
 public:
  void on_logon(Session&, Time) override {}
  void on_logout(Session&, std::string_view, Time) override {}
  void on_message(Session& session, const MessageView& message, Time now) override {
    if (++count % 10 == 0) {
      is_good &= business_reject(session, message, BusinessRejectReason::other).has_value();
      return;
    }
    Writer report = session.begin(type::k_execution_report);
    report.field(tag::k_cl_ord_id, *message.find(tag::k_cl_ord_id)).field(tag::k_order_id, count);
    report.field(tag::k_price, message.price(tag::k_price).value()).field(tag::k_transact_time, now);
    is_good &= session.send(report).has_value();
  }
  void on_trouble(Session&, const Error&) override { ++troubles; }
  std::uint64_t count = 0, troubles = 0;
  bool is_good = true;
};

TEST(FixAllocation, a_session_takes_no_memory_once_it_is_made) {
  if (!counts_heap_allocations()) GTEST_SKIP() << "sanitizer builds keep their own operator new";
  constexpr int k_rounds = 500;
  testing::Peer script;  // only writes the input
  std::vector<std::string> input;
  for (unsigned number = 2; number < 2 + 6 * k_rounds; number += 6) {
    input.push_back(script.message("D", number, script.order("a")));
    input.push_back(script.message("1", number + 1, "112=x|"));
    input.push_back(script.message("D", number + 2, "11=b|"));  // rejected
    input.push_back(script.message("2", number + 3, "7=1|16=0|"));
    input.push_back(script.message("D", number + 5, script.order("early")));
    input.push_back(
        script.message("D", number + 4, script.order("late"), "43=Y|122=" + testing::stamp(script.now) + "|"));
    input.push_back("noise");
  }
  const std::string logon = script.message("A", 1, "98=0|108=30|");
  AnsweringHandler handler;
  SwallowingTransport transport;
  sched::Scheduler scheduler(16, script.now);
  Session session(scheduler, testing::Peer::named({.store = {.messages = 64, .bytes = 1 << 15}}), handler);

  const std::uint64_t before = heap_allocations();
  session.on_open(transport, script.now);
  ASSERT_EQ(session.on_bytes(as_bytes(logon), script.now), logon.size());
  Time now = script.now;
  for (const std::string& bytes : input) {
    ASSERT_EQ(session.on_bytes(as_bytes(bytes), now), bytes.size());
    now += 10ms;
    scheduler.check(now, 100);
  }
  session.on_closed(link::CloseReason::by_peer, now);
  EXPECT_EQ(heap_allocations() - before, 0u);
  EXPECT_GT(before, 0u) << "the count works";
  EXPECT_EQ(handler.count, 3u * k_rounds);
  EXPECT_TRUE(handler.is_good);
  EXPECT_EQ(session.next_incoming().value, 2u + 6 * k_rounds);
}

}  // namespace
}  // namespace dojima::fix
