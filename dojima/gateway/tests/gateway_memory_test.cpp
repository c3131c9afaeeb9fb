// What a client costs that is not connected.

#include <fstream>
#include <gtest/gtest.h>
#include <malloc.h>
#include <memory>
#include <unistd.h>

#include "dojima/base/allocation_counter.hpp"
#include "dojima/gateway/gateway_test_world.hpp"

namespace dojima::gateway::testing {
namespace {

std::size_t heap_bytes() {
  const auto heap = ::mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

/// Memory of this process that the system has given: pages that nobody has written to are none of it.
std::size_t resident_bytes() {
  std::size_t size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

TEST(GatewayMemory, a_client_that_is_not_connected_costs_at_most_64_KiB) {
  if (!counts_heap_allocations()) GTEST_SKIP() << "sanitizer builds keep their own heap";
  constexpr std::size_t k_clients = 200;
  GatewayConfig config = small_config();
  config.limits.store_messages = GatewayLimits{}.store_messages;
  config.limits.store_bytes = GatewayLimits{}.store_bytes;
  config.clients.resize(1);
  GatewayConfig many = config;
  for (std::size_t client = 1; client < k_clients; ++client) {
    many.clients.push_back(many.clients[0]);
    many.clients.back().comp_id = "CLIENT" + std::to_string(client + 1);
    many.clients.back().venue_user = "USER" + std::to_string(client + 1);
  }
  sched::Scheduler scheduler(Gateway::timers(config) + Gateway::timers(many), k_noon);
  link::SimulatedNetwork network(scheduler, {});
  const Gateway one(config, network, scheduler);  // what is made once for all gateways is made now
  const std::size_t heap = heap_bytes(), resident = resident_bytes();
  const Gateway gateway(many, network, scheduler);
  const std::size_t each = (heap_bytes() - heap) / k_clients;
  EXPECT_LE(each, std::size_t{1} << 16);
  EXPECT_GT(each, 1000U) << "the count works";
  EXPECT_LE(resident_bytes(), resident + k_clients * (std::size_t{1} << 16)) << "what is beside the heap";
  RecordProperty("bytes_per_client", std::to_string(each));
}

}  // namespace
}  // namespace dojima::gateway::testing
