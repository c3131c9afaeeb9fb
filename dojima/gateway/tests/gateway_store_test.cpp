// A gateway whose clients' sessions are kept on disk: what a client missed before the gateway's end follows after its
// next start.

#include "dojima/fix/journal_stores.hpp"
#include "dojima/gateway/gateway_test_world.hpp"
#include "dojima/journal/simulated_disk.hpp"

namespace dojima::gateway {
namespace {

using namespace testing;

std::unique_ptr<fix::JournalStores> open_stores(journal::Disk& disk) {
  auto opened = fix::JournalStores::open(
      disk, {.name = "test", .segment_bytes = std::size_t{1} << 16, .disk_bytes = std::uint64_t{1} << 22});
  EXPECT_TRUE(opened);
  return std::move(*opened);
}

TEST(GatewayStore, a_report_that_a_client_missed_follows_after_the_next_start) {
  journal::SimulatedDisk disk;
  market::Sequence outgoing, incoming;  // the client's
  {
    const auto stores = open_stores(disk);
    World world(small_config(), {.stores = stores.get()});
    world.run(10ms);
    world.log_on();
    const market::NewOrder order = world.enter("A-1", 5);
    world.network.cut(world.client.session);
    world.run(10ms);
    outgoing = world.client.session.next_outgoing();
    incoming = world.client.session.next_incoming();
    world.venue.say(world.venue.traded(order, 5, 100, 10 * market::k_price_scale, 0));
    world.run(10ms);
    EXPECT_TRUE(world.client.take().empty());
    while (stores->journal().work()) {
    }
  }
  const auto stores = open_stores(disk);
  EXPECT_EQ(stores->sessions(), 2u);
  World world(small_config(), {.stores = stores.get()});
  world.run(1s);  // later than the first one ended
  world.client.session.store().set_next_outgoing(outgoing);
  world.client.session.store().set_next_incoming(incoming);
  world.network.connect(k_fix_address, world.client.session);
  world.run(100ms);
  EXPECT_TRUE(world.client.session.is_logged_on());
  EXPECT_EQ(world.client.only().show({11, 150, 39, 43}), "8 11=A-1 150=F 39=2 43=Y");
}

}  // namespace
}  // namespace dojima::gateway
