#pragma once

// Who leads a demo from start to end: venue and gateway meet, clients log on, the flow runs, everything is answered,
// the venue's state is taken, everybody logs off. The director only looks at facts that the parts publish and sets the
// phase that they look at, so it may run in a thread of its own (over sockets) or after every turn (in virtual time).

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "dojima/time/time.hpp"

namespace dojima::app::demo {

enum class Phase : std::uint8_t {
  meeting,      ///< the gateway logs on to the venue
  logging_on,   ///< clients log on to the gateway
  flowing,      ///< requests are made
  draining,     ///< no more requests; the last answers are on their way
  capturing,    ///< the venue's state is taken
  logging_off,  ///< everybody says goodbye
  over,
};

/// What the parts of a demo share between threads: each group of facts has one writer.
struct Board {
  std::atomic<Phase> phase{Phase::meeting};
  std::atomic<bool> is_stop_wanted{false};

  struct alignas(64) ClientFacts {
    std::atomic<std::uint64_t> logged_on{0};
    std::atomic<std::uint64_t> connected{0};
    std::atomic<std::uint64_t> sent{0};
    std::atomic<std::uint64_t> answered{0};
    std::atomic<std::uint64_t> received{0};
    std::atomic<std::uint64_t> lost_sessions{0};
    std::atomic<bool> is_flow_over{false};
  } clients;
  struct alignas(64) GatewayFacts {
    std::atomic<bool> is_up{false};
    std::atomic<bool> is_idle{false};
    std::atomic<std::uint64_t> from_venue{0};  ///< reports that came
    std::atomic<std::uint64_t> to_clients{0};  ///< messages that clients shall get
  } gateway;
  struct alignas(64) VenueFacts {
    std::atomic<std::uint64_t> sent{0};  ///< reports
    std::atomic<bool> is_captured{false};
  } venue;
};

class Director {
 public:
  Director(Board& board, std::uint64_t clients) : board_(board), clients_(clients) {}

  /// Looks at the facts at `now`, which never falls, and goes on when it is time.
  void step(time::Time now);

  [[nodiscard]] Phase phase() const noexcept { return phase_; }
  /// When step() goes on although no fact has changed; `k_never`: only facts count.
  [[nodiscard]] time::Time next_time() const noexcept;
  /// When the flow began; the epoch: it never did.
  [[nodiscard]] time::Time flow_begin() const noexcept { return flow_begin_; }

  /// Why the run could not begin, or was cut short; empty: all went its way.
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }

  static constexpr time::Duration k_start_patience{std::chrono::seconds{10}};
  static constexpr time::Duration k_drain_patience{std::chrono::seconds{5}};
  static constexpr time::Duration k_settled{std::chrono::milliseconds{50}};

 private:
  void enter(Phase phase, time::Time now);
  void give_up(const char* why, time::Time now);
  void step_draining(time::Time now);
  [[nodiscard]] bool is_even() const noexcept;

  Board& board_;
  std::uint64_t clients_;
  Phase phase_ = Phase::meeting;
  bool is_begun_ = false;
  time::Time since_{};  // of the phase
  time::Time flow_begin_{};

  std::array<std::uint64_t, 5> facts_{};  // while draining
  time::Time unchanged_since_{};
  std::string failure_;
};

}  // namespace dojima::app::demo
