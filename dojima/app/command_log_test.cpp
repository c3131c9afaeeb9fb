#include <algorithm>
#include <gtest/gtest.h>

#include "dojima/app/config.hpp"
#include "dojima/base/bytes.hpp"
#include "dojima/recorded/formats/command_log_reader.hpp"
#include "dojima/recorded/formats/format.hpp"
#include "dojima/recorded/reader_test_support.hpp"
#include "dojima/sched/scheduler.hpp"
#include "dojima/simulate/exchange.hpp"

namespace dojima::app {
namespace {

/// An exchange that keeps its journal, with two orders of its first user.
TEST(CommandLog, of_an_exchange_is_read_back_as_the_same_commands) {
  VenueConfig config = default_venue();
  config.keep_journal = true;
  sched::Scheduler scheduler(simulate::Exchange::timers(config) + 16);
  simulate::Exchange exchange(config, scheduler);
  venue::Partition& partition = *exchange.partitions().front();
  for (int times = 0; times < 2; ++times) {
    market::NewOrder order;
    order.header.instrument = config.instruments.front().id;
    order.terms.side = market::Side::buy;
    order.terms.type = market::OrderType::limit;
    order.terms.limit = config.instruments.front().reference;
    order.terms.quantity.lots = 5;
    order.terms.displayed.lots = 5;
    ASSERT_TRUE(partition.submit(order.header, time::from_nanoseconds(1000 + times)));
  }
  const std::string log = exchange.command_log(0);
  EXPECT_EQ(recorded::guess_format(as_bytes(log)), recorded::Format::commands);
  recorded::MemorySource source(log);
  recorded::CommandLogReader reader(source);
  const recorded::ReadEvents all = recorded::read_all(reader);
  EXPECT_EQ(all.trouble, "");
  EXPECT_EQ(all.events.size(), partition.last_command().value);
  EXPECT_EQ(std::ranges::count(all.events, recorded::EventKind::request, &recorded::RecordedEvent::kind), 2);
}

}  // namespace
}  // namespace dojima::app
