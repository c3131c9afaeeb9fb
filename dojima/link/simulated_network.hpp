#pragma once

// A network in virtual time, inside one scheduler: connections with delays, split deliveries, cuts and peers that do
// not read, all from one seed. The same sessions that run over real sockets run over it unchanged. It never delivers
// synchronously: everything arrives by a scheduler entry. For tests and simulation; allocation happens when
// connections are made, not per message.
//
//   SimulatedNetwork network(scheduler, {.seed = 1, .delay = 50us});
//   network.listen({"venue", 1}, acceptor);  network.connect({"venue", 1}, client);

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dojima/link/buffer.hpp"
#include "dojima/link/connection.hpp"
#include "dojima/sched/loop.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::link {

struct SimulatedNetworkOptions {
  std::uint64_t seed = 1;
  time::Duration delay{50'000};  ///< one way, per delivery
  time::Duration jitter{0};      ///< up to this much more, drawn per delivery; order within a stream is kept
  std::size_t max_delivery = 0;  ///< split what is sent into pieces of 1 to this many bytes; 0: whole
  std::size_t input_capacity = 1 << 16;
  std::size_t output_capacity = 1 << 20;
};

class SimulatedNetwork final : public Fabric, public sched::Source {
 public:
  /// The scheduler must have room for four timers per connection.
  SimulatedNetwork(sched::Scheduler& scheduler, SimulatedNetworkOptions options);
  ~SimulatedNetwork();

  SimulatedNetwork(const SimulatedNetwork&) = delete;
  SimulatedNetwork& operator=(const SimulatedNetwork&) = delete;

  [[nodiscard]] Result<Address> listen(const Address& address, Acceptor& acceptor) override;
  void connect(const Address& address, Connection& connection) override;
  /// Those who connect from now on are of this host; at first "simulated".
  void come_from(std::string host) { host_ = std::move(host); }
  /// Nobody listens there any more. Live connections stay.
  void stop_listening(const Address& address);

  /// Both ends of the stream to which `connection` belongs see it broken after the delay; what is on the way is lost.
  void cut(const Connection& connection);
  /// What was sent to `connection` waits until it is resumed: a peer that does not read.
  void pause(const Connection& connection);
  void resume(const Connection& connection);

  /// Streams that are open now.
  [[nodiscard]] std::size_t open_streams() const noexcept;

  // As a source of the loop it only flushes at the end of each instant.
  [[nodiscard]] Time next_time() override { return time::k_never; }
  std::size_t deliver(Time) override { return 0; }
  std::size_t finish(Time now) override;

 private:
  class End;
  struct Stream;

  [[nodiscard]] std::uint64_t draw() noexcept;
  [[nodiscard]] Time arrival(Time earliest) noexcept;
  [[nodiscard]] End* end_of(const Connection& connection) noexcept;
  void sweep();

  sched::Scheduler& scheduler_;
  SimulatedNetworkOptions options_;
  std::uint64_t random_;
  std::string host_ = "simulated";
  std::uint16_t next_port_ = 40'000;
  std::map<Address, Acceptor*> listeners_;
  std::vector<std::unique_ptr<Stream>> streams_;
};

}  // namespace dojima::link
