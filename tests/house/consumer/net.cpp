// Sockets, installed: an address is read and a network over real sockets is made. Exit status 0 when all came as
// expected.

#include "dojima/net/address.hpp"
#include "dojima/net/asio_fabric.hpp"
#include "dojima/sched/scheduler.hpp"

int main() {
  const auto address = dojima::net::parse_address("127.0.0.1:9001");
  dojima::sched::Scheduler scheduler(dojima::net::AsioFabric::timers({}) + 1);
  dojima::net::AsioFabric fabric(scheduler, {});
  return address && address->port == 9001 && fabric.open_connections() == 0 ? 0 : 1;
}
