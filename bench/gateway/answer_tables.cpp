// Orders at a steady rate through gateway and venue, or through a relay and an echo: when each is answered, and what
// that takes.

#include "gateway_tables.hpp"
#include "order_client.hpp"
#include "relay.hpp"
#include "road.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <string>

namespace dojima::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t k_orders = 200;  // in a batch
constexpr std::int64_t k_slow = 500;   // a second

enum class Shows : std::uint8_t { times, costs };

/// A batch of orders, each sent when it is due, whatever has been answered by then.
template <class Way>
class Orders final : public harness::Competitor {
 public:
  template <class Options>
  Orders(const Options& options, bool is_session, std::int64_t rate, Shows shows)
      : way_(options),
        client_({.port = way_.port(), .name = client_name(0), .is_session = is_session}),
        period_(std::chrono::nanoseconds{1'000'000'000 / rate}),
        shows_(shows) {}

  void prepare() override {
    way_.set_measured(true);
    client_.cancel_all();
    client_.send_order();
    client_.await(1);
    bytes_out_ = client_.bytes_out();
    bytes_in_ = client_.bytes_in();
    gateway_ = way_.gateway().use();
    venue_ = way_.venue().use();
  }

  harness::Operations run() override {
    send_all();
    harness::Operations done;
    done.add("", k_orders);
    const ThreadUse gateway = way_.gateway().use() - gateway_, venue = way_.venue().use() - venue_;
    way_.set_measured(false);
    const auto each = [](std::uint64_t count) { return static_cast<double>(count) / k_orders; };
    if (shows_ == Shows::times) {
      std::sort(took_us_.begin(), took_us_.end());
      return done.figure("p50_us", took_us_[k_orders / 2])
          .figure("p99_us", took_us_[k_orders * 99 / 100])
          .figure("bytes_out", each(client_.bytes_out() - bytes_out_))
          .figure("bytes_in", each(client_.bytes_in() - bytes_in_));
    }
    return done.figure("gateway_calls", each(gateway.calls))
        .figure("gateway_empty_calls", each(gateway.empty_calls))
        .figure("gateway_sleeps", each(gateway.sleeps))
        .figure("gateway_preempted", each(gateway.preemptions))
        .figure("gateway_cpu_us", each(gateway.processor_ns) / 1000)
        .figure("venue_calls", each(venue.calls))
        .figure("venue_sleeps", each(venue.sleeps))
        .figure("venue_cpu_us", each(venue.processor_ns) / 1000);
  }

 private:
  /// Until all are answered. An order's time begins when it was due.
  void send_all() {
    const SteadyClock::time_point first = SteadyClock::now() + period_;
    const SteadyClock::time_point last = first + k_orders * period_ + std::chrono::seconds{10};
    std::size_t sent = 0;
    for (std::size_t answered = 0; answered < k_orders;) {
      if (sent < k_orders && SteadyClock::now() >= first + sent * period_) {
        client_.send_order();
        ++sent;
      }
      const std::size_t more = client_.look();
      const SteadyClock::time_point now = SteadyClock::now();
      for (std::size_t each = 0; each < more; ++each, ++answered)
        took_us_[answered] = std::chrono::duration<double, std::micro>(now - (first + answered * period_)).count();
      if (now > last) throw std::runtime_error("orders without an answer");
    }
  }

  Way way_;
  OrderClient client_;
  SteadyClock::duration period_;
  Shows shows_;
  std::array<double, k_orders> took_us_{};
  std::uint64_t bytes_out_ = 0, bytes_in_ = 0;
  ThreadUse gateway_, venue_;
};

net::IdlePolicy idle_of(const harness::BenchCase& of) {
  return *net::idle_policy_of(of.text("idle"));
}

harness::BenchCompetitor through_gateway(const char* name, bool is_journaled, Shows shows) {
  return {name, [=](const harness::BenchCase& of) -> std::unique_ptr<harness::Competitor> {
            const RoadOptions options{.is_journaled = is_journaled, .idle = idle_of(of)};
            return std::make_unique<Orders<Road>>(options, true, of.integer("rate"), shows);
          }};
}

harness::BenchCompetitor through_relay(Shows shows) {
  return {"relay", [=](const harness::BenchCase& of) -> std::unique_ptr<harness::Competitor> {
            return std::make_unique<Orders<Relay>>(RelayOptions{.idle = idle_of(of)}, false, of.integer("rate"), shows);
          }};
}

harness::BenchTable table_of(Shows shows) {
  harness::BenchTable table;
  table.parameters = {{"idle", {"block", "ring", "yield"}}, {"rate", {k_slow, std::int64_t{5000}}}};
  table.competitors = {through_relay(shows), through_gateway("gateway", false, shows),
                       through_gateway("gateway, journal", true, shows)};
  table.baseline = "relay";
  table.operation = "order";
  table.is_quick = [](const harness::BenchCase& of) { return of.integer("rate") != k_slow; };
  table.notes = {
      "client, gateway and venue are three threads over loopback; the client never sleeps, on a processor of its own",
      "rate: orders a second, each sent when it is due; its time begins then. ns_per_order is the pace, no result",
      "idle: of gateway and venue; the relay blocks where they have a ring. relay: as many sockets, hops and bytes, "
      "nothing read but how much came",
      "journal: of gateway and venue, durability process, and the FIX session's store on disk"};
  return table;
}

}  // namespace

harness::BenchTable answer_table() {
  harness::BenchTable table = table_of(Shows::times);
  table.name = "answer";
  table.title = "an order from the client through gateway and venue, and its answer back";
  for (const char* idle : {"block", "ring", "yield"}) {
    const std::vector<std::pair<std::string, evidence::Cell>> where{{"idle", idle}, {"rate", k_slow}};
    table.targets.push_back(
        {.competitor = "gateway", .against = "relay", .limit = 1.3, .where = where, .figure = "p50_us"});
    table.targets.push_back(
        {.competitor = "gateway, journal", .against = "gateway", .limit = 1.1, .where = where, .figure = "p50_us"});
  }
  return table;
}

harness::BenchTable calls_table() {
  harness::BenchTable table = table_of(Shows::costs);
  table.name = "calls";
  table.title = "what gateway and venue ask of the kernel for an order and its answer, both legs";
  for (const char* competitor : {"gateway", "gateway, journal"})
    table.targets.push_back({.competitor = competitor, .against = "", .limit = 4, .figure = "gateway_calls"});
  table.notes.push_back(
      "calls: system calls of the serving thread that moved bytes, or waited and found something; empty: reads "
      "and waits that found nothing, and yields; sleeps, preempted: context switches");
  return table;
}

}  // namespace dojima::bench
