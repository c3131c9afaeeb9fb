#pragma once

// Sessions that note what happens to them, and a loop's turns over a fabric of real sockets.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/net/asio_fabric.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::net::testing {

using link::Address;
using link::CloseReason;

constexpr std::size_t k_turns = 2'000'000;  // far more than any exchange on loopback takes

/// A session that notes its callbacks.
class Recorder : public link::Connection {
 public:
  virtual ~Recorder() = default;

  void on_open(link::Transport& transport, Time now) override {
    EXPECT_TRUE(is_in_loop);
    way_out = &transport;
    opened_at = now;
    ++opened;
  }
  std::size_t on_bytes(Bytes bytes, Time) override {
    EXPECT_TRUE(is_in_loop);
    EXPECT_EQ(closed, 0) << "no bytes after the end";
    if (!is_reading) return 0;
    if (keeps_text) received.append(as_text(bytes));
    bytes_received += bytes.size();
    last_bytes = ++calls;
    return bytes.size();
  }
  void on_writable(Time) override {
    EXPECT_TRUE(is_in_loop);
    ++writable;
  }
  void on_closed(CloseReason why, Time) override {
    EXPECT_TRUE(is_in_loop);
    way_out = nullptr;
    reason = why;
    ++closed;
    last_end = ++calls;
  }

  bool send(std::string_view text) {
    const Room room = way_out->prepare(text.size());
    if (room.size() < text.size()) return false;
    std::ranges::copy(as_bytes(text), room.begin());
    way_out->commit(text.size());
    return true;
  }

  static inline bool is_in_loop = false;
  static inline std::uint64_t calls = 0;  // of all recorders, to know which came first

  link::Transport* way_out = nullptr;
  Time opened_at{};
  std::string received;
  std::size_t bytes_received = 0;
  bool is_reading = true;
  bool keeps_text = true;
  std::uint64_t last_bytes = 0, last_end = 0;
  int opened = 0, writable = 0, closed = 0;
  CloseReason reason = CloseReason::none;
};

/// Gives out recorders, one per connection.
class Host : public link::Acceptor {
 public:
  link::Connection* on_accept(const Address& peer) override {
    EXPECT_TRUE(Recorder::is_in_loop);
    EXPECT_NE(peer.port, 0);
    if (sessions.size() == most) return nullptr;
    sessions.push_back(std::make_unique<Recorder>());
    return sessions.back().get();
  }
  void on_turned_away(const Address& peer) override {
    EXPECT_TRUE(Recorder::is_in_loop);
    EXPECT_NE(peer.port, 0);
    ++turned_away;
  }
  std::size_t most = 1000;
  int turned_away = 0;
  std::vector<std::unique_ptr<Recorder>> sessions;
};

/// One loop's worth of turns over a fabric, each a millisecond later than the one before. Never waits.
struct Turns {
  explicit Turns(const FabricOptions& options = {})
      : scheduler(AsioFabric::timers(options), now), fabric(scheduler, with_ring(options)) {}
  /// The tests are run a second time with DOJIMA_TEST_RING in the environment.
  [[nodiscard]] static FabricOptions with_ring(FabricOptions options) {
    options.ring = options.ring || std::getenv("DOJIMA_TEST_RING") != nullptr;
    return options;
  }
  void turn() {
    now += time::Duration{1'000'000};
    scheduler.check(now, 1000);
    Recorder::is_in_loop = true;
    fabric.deliver(now);
    Recorder::is_in_loop = false;
    fabric.finish(now);
  }
  template <class Condition>
  [[nodiscard]] bool until(Condition condition) {
    for (std::size_t count = 0; count < k_turns; ++count) {
      if (condition()) return true;
      turn();
    }
    return false;
  }
  Time now = time::from_nanoseconds(1'700'000'000'000'000'000);
  sched::Scheduler scheduler;
  AsioFabric fabric;
};

struct Pair {
  explicit Pair(const FabricOptions& options = {}) : turns(options) {
    const auto where = turns.fabric.listen({"127.0.0.1", 0}, host);
    EXPECT_TRUE(where.has_value());
    turns.fabric.connect(*where, client);
    EXPECT_EQ(client.opened, 0) << "nothing is called back before the call returns";
    EXPECT_TRUE(turns.until([&] { return client.opened == 1 && host.sessions.size() == 1; }));
  }
  [[nodiscard]] Recorder& server() { return *host.sessions.front(); }
  Turns turns;
  Host host;
  Recorder client;
};

}  // namespace dojima::net::testing
