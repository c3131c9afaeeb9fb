#include "tests/fix_cases/pair_world.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <utility>

namespace dojima::pairs {

using namespace std::chrono_literals;

namespace {

constexpr Time k_start = std::chrono::sys_days{std::chrono::year{2026} / 7 / 20} + 8h;

Shape shape_of(Random& random) {
  const bool is_44 = !random.one_in(4);
  Shape shape;
  shape.durability = random.any({journal::Durability::process, journal::Durability::power});
  shape.has_faults = random.one_in(3);
  shape.worker_delay = shape.has_faults ? random.any<time::Duration>({100us, 20ms}) : 100us;
  shape.damage_stride = random.any<std::uint64_t>({0, 0, 0, 2003, 20011});
  shape.config.begin_string = is_44 ? "FIX.4.4" : "FIX.4.2";
  shape.config.heartbeat_interval = std::chrono::seconds{1 + random.below(2)};
  shape.config.logon_timeout = shape.config.logout_timeout = 1s;
  shape.config.max_body = 512;
  shape.config.early_bytes = random.any<std::size_t>({1024, 1 << 16});
  shape.config.resend_chunk = random.any<std::uint64_t>({0, 0, 5, 50});
  shape.config.next_expected = is_44 && random.one_in(3);
  shape.config.last_processed = random.one_in(4);
  shape.config.refusal = random.any({fix::Refusal::silent, fix::Refusal::logout});
  return shape;
}

link::SimulatedNetworkOptions network_of(Random& random) {
  return {.seed = random.draw(),
          .delay = 50us,
          .jitter = random.any<time::Duration>({0us, 100us, 5ms}),
          .max_delivery = random.any<std::size_t>({0, 0, 0, 7, 100, 600}),
          .input_capacity = 1 << 12,
          .output_capacity = random.any<std::size_t>({700, 4096, 1 << 15})};
}

/// Turns between two questions of whether to go on.
constexpr std::uint64_t k_turns_to_ask = std::uint64_t{1} << 16;

/// Then all is well until everything has arrived.
constexpr unsigned k_disruptions_in_a_row = 30;

class World {
 public:
  explicit World(const PairOptions& options)
      : orders_(std::max<std::uint64_t>(1, options.orders / 2)),
        goes_on_(options.goes_on),
        random_(options.seed),
        shape_(shape_of(random_)),
        pause_(shape_.has_faults ? random_.any<time::Duration>({100ms, 400ms})
                                 : random_.any<time::Duration>({20ms, 100ms, 400ms})),
        network_(scheduler_, network_of(random_)),
        sides_{Process({scheduler_, network_, shape_, failure_, options.log}, fix::Role::acceptor, random_.draw()),
               Process({scheduler_, network_, shape_, failure_, options.log}, fix::Role::initiator, random_.draw())},
        disrupt_(scheduler_, *this) {
    sides_[0].set_peer(sides_[1]);
    sides_[1].set_peer(sides_[0]);
  }

  Outcome run() {
    for (Process& side : sides_) {
      side.send_until(orders_);
      side.start(k_start);
    }
    disrupt_.arm(k_start + pause_);
    Outcome outcome;
    for (std::uint64_t turns = 1; failure_.empty() && arrived() < 2 * orders_; ++turns) {
      turn();
      if (disruptions_ >= k_disruptions_in_a_row) rest();
      outcome.was_stopped = turns % k_turns_to_ask == 0 && goes_on_ && !goes_on_(arrived());
      if (outcome.was_stopped) break;
    }
    outcome.failure = failure_;
    outcome.virtual_time = now_ - k_start;
    for (const Process& side : sides_) {
      outcome.both.deaths += side.counts().deaths;
      outcome.both.logons += side.counts().logons;
      outcome.both.troubles += side.counts().troubles;
      outcome.both.refusals += side.counts().refusals;
      outcome.both.failed_starts += side.counts().failed_starts;
      outcome.orders += side.ledger().received();
      outcome.repeated += side.ledger().repeated();
    }
    return outcome;
  }

 private:
  [[nodiscard]] std::uint64_t arrived() const { return sides_[0].ledger().received() + sides_[1].ledger().received(); }

  [[nodiscard]] std::uint64_t handed() const { return sides_[0].ledger().handed() + sides_[1].ledger().handed(); }

  /// Nothing happens for a while: what was handed over arrives now.
  void rest() {
    constexpr time::Duration k_patience = 30s;
    const auto let_send = [this](std::uint64_t orders) {
      for (Process& side : sides_) side.send_until(orders);
    };
    for (Process& side : sides_) side.spare();
    const std::uint64_t damage = std::exchange(shape_.damage_stride, 0u);
    let_send(0);
    disrupt_.disarm();
    const Time begin = now_;
    while (failure_.empty() && arrived() < handed()) {
      turn();
      if (now_ - begin < k_patience || !failure_.empty()) continue;
      failure_ = "all is well, and " + std::to_string(handed() - arrived()) + " orders do not arrive; " +
                 sides_[0].condition() + "; " + sides_[1].condition();
    }
    let_send(orders_);
    shape_.damage_stride = damage;
    disruptions_ = 0;
    disrupt_.arm(now_ + pause_);
  }

  void turn() {
    network_.finish(now_);
    now_ = std::max(now_, scheduler_.next_due());
    static_cast<void>(scheduler_.check(now_, 100'000));
    for (Process& side : sides_) side.finish_instant(now_);
  }

  void disrupt(Time now) {
    ++disruptions_;
    Process& side = sides_[random_.below(2)];
    side.heal();
    switch (random_.below(12)) {
      case 0:
      case 1:
        side.cut();
        break;
      case 2:
        side.pause(true);
        break;
      case 3:
        side.log_out();
        break;
      case 4:
        side.shut_down(now);
        break;
      case 5:
      case 6:
        if (shape_.has_faults) side.trouble_disk();
        break;
      default:
        side.kill();
        break;
    }
    if (random_.one_in(2))
      for (Process& each : sides_) each.pause(false);
    disrupt_.arm(now + random_.within(2 * pause_));
  }

  std::uint64_t orders_;
  std::function<bool(std::uint64_t)> goes_on_;
  Random random_;
  Shape shape_;
  time::Duration pause_;  // between disruptions
  Time now_ = k_start;
  std::string failure_;
  unsigned disruptions_ = 0;  // since the last rest
  sched::Scheduler scheduler_{1024, k_start};
  link::SimulatedNetwork network_;
  std::array<Process, 2> sides_;
  sched::TimerOf<&World::disrupt> disrupt_;
};

}  // namespace

Outcome run_pair(const PairOptions& options) {
  return World(options).run();
}

}  // namespace dojima::pairs
