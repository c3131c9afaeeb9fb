#pragma once

// What programs share that trade with an echo over real sockets: a port, a loop with a network, and an order that every
// version of FIX knows.

#include <chrono>
#include <cstdint>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

#include "dojima/fix/session.hpp"
#include "dojima/net/asio_fabric.hpp"
#include "dojima/net/free_port_test_support.hpp"
#include "dojima/net/idle.hpp"
#include "dojima/sched/loop.hpp"
#include "dojima/time/clock.hpp"

namespace dojima::order_client {

using net::testing::free_port;

/// What a thread with a loop and a network of its own has.
struct Looping {
  explicit Looping(net::IdlePolicy idle_policy = net::IdlePolicy::block)
      : idle(idle_policy),
        scheduler(net::AsioFabric::timers(options) + 64, clock.now()),
        pacer(clock),
        fabric(scheduler, options) {}

  /// Turns the loop as long as `goes_on()`, which is called after each turn.
  template <class GoesOn>
  void run(GoesOn goes_on) {
    sched::Source* const sources[] = {&fabric};
    sched::Loop loop(scheduler, pacer, sources);
    while (goes_on()) {
      if (loop.turn() == sched::Loop::Turn::idle) net::rest(idle, fabric, loop.next_time(), scheduler.now());
    }
  }

  net::IdlePolicy idle;
  net::FabricOptions options{.max_connections = 16};
  time::SystemClock clock;
  sched::Scheduler scheduler;
  sched::LivePacer pacer;
  net::AsioFabric fabric;
};

/// A NewOrderSingle at the market, valid in the session's version. Errors: as Session::send.
inline Result<market::Sequence> send_order(fix::Session& session, const std::string& cl_ord_id, int quantity,
                                           time::Time now) {
  fix::Writer order = session.begin(fix::type::k_new_order_single);
  order.field(fix::tag::k_cl_ord_id, cl_ord_id).field(fix::tag::k_handl_inst, '1');
  order.field(fix::tag::k_order_qty, quantity).field(fix::tag::k_ord_type, '1').field(fix::tag::k_side, '1');
  order.field(fix::tag::k_symbol, "RICE");
  if (session.config().begin_string > "FIX.4.1") order.field(fix::tag::k_transact_time, now);
  return session.send(order);
}

}  // namespace dojima::order_client
