// The program dojima-budget-road: the whole road in virtual time and one thread, for a program that counts
// (valgrind --tool=callgrind --instr-atstart=no). Books are filled and a few rounds made uncounted, then so many
// requests, one at a time, from a client's bytes to the last report, are counted. With it: what was sent and answered,
// as one line of JSON on stdout. Linked a second time as dojima-budget-copies, whose memcpy counts bytes.

#include "bench/budget/orders.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <valgrind/callgrind.h>

#include "dojima/gateway/gateway.hpp"
#include "dojima/link/simulated_network.hpp"
#include "dojima/sched/loop.hpp"
#include "dojima/simulate/exchange.hpp"

namespace {

using namespace dojima;
using bench::AnswerCounter, bench::OrderScript, bench::Request;

/// A client's end of a connection: bytes out, answers counted.
class CountedClient final : public link::Connection {
 public:
  void on_open(link::Transport& transport, time::Time) override { transport_ = &transport; }
  std::size_t on_bytes(Bytes bytes, time::Time) override {
    answers.take({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    return bytes.size();
  }
  void on_writable(time::Time) override {}
  void on_closed(link::CloseReason, time::Time) override { transport_ = nullptr; }

  [[nodiscard]] bool is_open() const { return transport_ != nullptr; }
  bool send(const std::string& bytes) {
    const Room room = transport_ == nullptr ? Room{} : transport_->prepare(bytes.size());
    if (room.size() != bytes.size()) return false;
    std::memcpy(room.data(), bytes.data(), bytes.size());
    transport_->commit(bytes.size());
    return true;
  }
  AnswerCounter answers;

 private:
  link::Transport* transport_ = nullptr;
};

class Road {
 public:
  Road()
      : venue_(bench::road_venue(), scheduler_),
        gateway_(bench::road_gateway().gateway, network_, scheduler_),
        sources_{&venue_.front(), &network_},
        loop_(scheduler_, pacer_, sources_),
        step_(scheduler_, *this) {}

  /// False: somebody did not log on.
  bool start() {
    const auto venue_at = venue_.start(network_, {"127.0.0.1", 0});
    if (!venue_at) return false;
    const auto gateway_at = gateway_.start({"127.0.0.1", 0}, *venue_at);
    if (!gateway_at) return false;
    run_until(scheduler_.now() + std::chrono::seconds{1});
    for (CountedClient& client : clients_) network_.connect(*gateway_at, client);
    run_until(scheduler_.now() + std::chrono::milliseconds{1});
    for (std::size_t client = 0; client < bench::k_clients; ++client) {
      if (!clients_[client].send(script_.logon(client, scheduler_.now()))) return false;
    }
    // The network sends at the end of an instant.
    run_until(scheduler_.now() + std::chrono::seconds{1});
    return gateway_.is_venue_up() && clients_[0].answers.is_logged_on() && clients_[1].answers.is_logged_on();
  }

  /// So many requests, one a millisecond: each is answered before the next.
  void pass(std::size_t requests) {
    left_ = requests;
    step_.arm(scheduler_.now() + k_step);
    while (left_ != 0 || is_waiting_) loop_.turn();
    run_until(scheduler_.now() + k_step);
  }

  [[nodiscard]] std::size_t resting() const { return script_.resting(); }
  [[nodiscard]] std::uint64_t answered() const { return clients_[0].answers.reports() + clients_[1].answers.reports(); }
  [[nodiscard]] std::uint64_t expected() const { return expected_; }
  [[nodiscard]] std::string surprise() const {
    return clients_[0].answers.surprise().empty() ? clients_[1].answers.surprise() : clients_[0].answers.surprise();
  }
  [[nodiscard]] std::uint64_t state() const { return venue_digest(); }

 private:
  static constexpr time::Duration k_step = std::chrono::milliseconds{1};

  [[nodiscard]] std::uint64_t venue_digest() const {
    std::uint64_t digest = 0;
    for (const venue::Partition* partition : venue_.partitions()) digest = digest * 31 + partition->digest();
    return digest;
  }

  void on_step(time::Time now) {
    is_waiting_ = false;
    if (left_ == 0) return;
    --left_;
    const Request request = script_.next(now);
    expected_ += request.reports;
    if (!clients_[request.client].send(request.bytes)) std::abort();
    is_waiting_ = true;
    step_.arm(now + k_step);
  }

  void run_until(time::Time end) {
    // What was sent between two turns leaves first.
    for (sched::Source* source : sources_) source->finish(scheduler_.now());
    while (loop_.next_time() <= end && loop_.next_time() != time::k_never) loop_.turn();
    scheduler_.check(end, 1 << 20);
    for (sched::Source* source : sources_) source->finish(end);
  }

  static constexpr std::size_t k_timers = 4096;
  sched::Scheduler scheduler_{k_timers, app::demo::k_virtual_start};
  sched::EventPacer pacer_{app::demo::k_virtual_start};
  link::SimulatedNetwork network_{scheduler_, {}};
  simulate::Exchange venue_;
  gateway::Gateway gateway_;
  CountedClient clients_[bench::k_clients];
  OrderScript script_;
  sched::Source* sources_[2];
  sched::Loop loop_;
  std::size_t left_ = 0;
  std::uint64_t expected_ = 0;
  bool is_waiting_ = false;
  sched::TimerOf<&Road::on_step> step_;
};

}  // namespace

int main(int count, char** words) {
  if (count != 2 || std::atol(words[1]) <= 0) {
    std::fputs("usage: dojima-budget-road REQUESTS (dojima bench budget runs it)\n", stderr);
    return 2;
  }
  const auto requests = static_cast<std::size_t>(std::atol(words[1]));
  constexpr std::size_t k_warm_up = 40 * OrderScript::k_round;
  Road road;
  if (!road.start()) {
    std::fputs("dojima-budget-road: the clients did not log on\n", stderr);
    return 1;
  }
  road.pass(road.resting() + k_warm_up);
  CALLGRIND_START_INSTRUMENTATION;
  road.pass(requests);
  CALLGRIND_STOP_INSTRUMENTATION;
  if (!road.surprise().empty() || road.answered() != road.expected()) {
    std::fprintf(stderr, "dojima-budget-road: %llu reports where %llu were expected%s%s\n",
                 static_cast<unsigned long long>(road.answered()), static_cast<unsigned long long>(road.expected()),
                 road.surprise().empty() ? "" : ", and this: ", road.surprise().c_str());
    return 1;
  }
  std::printf("{\"requests\": %zu, \"reports\": %llu, \"state\": \"%016llx\"}\n", requests,
              static_cast<unsigned long long>(road.answered()), static_cast<unsigned long long>(road.state()));
  return 0;
}
