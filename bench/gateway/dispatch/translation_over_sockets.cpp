// Over loopback: the client in the calling thread, which never sleeps, gateway and venue in a thread each, which sleep
// when there is nothing.

#include "bench/gateway/order_client.hpp"
#include "bench/gateway/server_thread.hpp"
#include "filling_venue.hpp"
#include "stage_marks.hpp"
#include "translation.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "dojima/app/station.hpp"
#include "dojima/gateway/gateway.hpp"

namespace dojima::bench {
namespace {

void serve_venue(ServerControl& control) {
  app::Station station({.scheduler = 64, .idle = net::IdlePolicy::block, .fabric = {.max_connections = 4}});
  FillingVenue venue(station.scheduler());
  const auto where = station.fabric().listen({"127.0.0.1", 0}, venue);
  if (!where) throw std::runtime_error("the venue cannot listen");
  control.port = where->port;
  station.run([&] { return !control.ends_turn(false); });
}

void serve_gateway(ServerControl& control, std::uint16_t venue, StageMarks& marks) {
  gateway::GatewayConfig config;
  config.clients = {{.comp_id = "CLIENT", .password = {}, .venue_user = "USER", .venue_password = "rice"}};
  config.symbols = {{"KAGA", 1001}};
  config.reconnect = std::chrono::milliseconds{20};
  config.venue_heartbeat = std::chrono::hours{1};
  app::Station station({.scheduler = gateway::Gateway::timers(config),
                        .idle = net::IdlePolicy::block,
                        .fabric = {.max_connections = 8}});
  gateway::Gateway gateway(config, station.fabric(), station.scheduler(), {.probe = &marks});
  const auto where = gateway.start({"127.0.0.1", 0}, {"127.0.0.1", venue});
  if (!where) throw std::runtime_error("the gateway cannot listen");
  station.run([&] {
    if (gateway.is_venue_ready(0)) control.port = where->port;
    return !control.ends_turn(false);
  });
  // No connection may outlive the gateway.
  gateway.stop("end");
  station.fabric().stop_listening();
  station.run_at_most(std::chrono::seconds{2}, [&] { return !gateway.is_idle(); });
}

double median(std::vector<double>& of) {
  std::nth_element(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2), of.end());
  return of[of.size() / 2];
}

class OverSockets final : public Translation {
 public:
  StageTimes run(Arrival arrival, std::size_t orders) override {
    sent_.resize(orders);
    received_.resize(orders);
    const std::size_t at_once = arrival == Arrival::in_order ? 1 : orders;
    for (std::size_t order = 0; order < orders; order += at_once) {
      for (std::size_t each = order; each < order + at_once; ++each) {
        sent_[each] = time::read_ticks();
        client_.send_order();
      }
      for (std::size_t each = order; each < order + at_once;) {
        const std::size_t more = client_.look();
        const time::Ticks now = time::read_ticks();
        for (std::size_t got = 0; got < more; ++got) received_[each++] = now;
      }
    }
    const StageTimes times = times_of(orders);
    next_ += orders;
    return times;
  }

 private:
  [[nodiscard]] StageTimes times_of(std::size_t orders) {
    StageTimes times;
    const auto stage = [&](auto earlier, auto later) {
      std::vector<double> took(orders);
      for (std::size_t order = 0; order < orders; ++order)
        took[order] = static_cast<double>(time::nanoseconds_between(earlier(order), later(order)));
      return median(took);
    };
    const auto sent = [&](std::size_t order) { return sent_[order]; };
    const auto received = [&](std::size_t order) { return received_[order]; };
    const auto mark = [&](std::uint8_t of) {
      return [this, of](std::size_t order) { return marks_.at(of, next_ + order); };
    };
    times.to_request = stage(sent, mark(0));
    times.request = stage(mark(0), mark(1));
    times.venue = stage(mark(1), mark(2));
    times.report = stage(mark(2), mark(3));
    times.to_client = stage(mark(3), received);
    times.total = stage(sent, received);
    return times;
  }

  StageMarks marks_;
  ServerThread venue_{serve_venue};
  ServerThread gateway_{[this](ServerControl& control) { serve_gateway(control, venue_.port(), marks_); }};
  OrderClient client_{{.port = gateway_.port(), .name = "CLIENT"}};
  std::vector<time::Ticks> sent_, received_;
  std::uint64_t next_ = 0;  // request
};

}  // namespace

std::unique_ptr<Translation> translation_over_sockets() {
  return std::make_unique<OverSockets>();
}

}  // namespace dojima::bench
