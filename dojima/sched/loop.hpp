#pragma once

// One loop for live trading, accelerated replay and back-tests: only the `Pacer` differs. A turn asks the pacer how far
// time has come, then works instant by instant: everything due at t fires, then input of time t is delivered, then the
// sources send out what was produced. So a timer due at 90 never fires after input stamped 100, and a replay repeats
// the day. One thread, no allocation after construction. Over either scheduler: with a UserScheduler, callbacks get
// their user pointer whatever moves time.
//
//   Loop loop(scheduler, pacer, sources);
//   while (loop.turn() != Loop::Turn::stopped) ...

#include <cstddef>
#include <cstdint>
#include <span>

#include "dojima/sched/scheduler.hpp"
#include "dojima/time/clock.hpp"

namespace dojima::sched {

/// Who moves time forward.
class Pacer {
 public:
  /// How far time has come, given when the next thing is known to happen (`k_never`: nothing known). Never earlier
  /// than the answer before. Answering less than `next` means that it is not time yet.
  [[nodiscard]] virtual Time advance(Time next) = 0;

 protected:
  ~Pacer() = default;
};

/// Time moves with a clock.
class LivePacer final : public Pacer {
 public:
  explicit LivePacer(time::Clock& clock) noexcept : clock_(clock) {}
  [[nodiscard]] Time advance(Time) override { return clock_.now(); }

 private:
  time::Clock& clock_;
};

/// Time moves from a chosen instant at a chosen speed of a clock: 1.0 is as fast as live. Speeds 0.1 to 10,000. It can
/// be paused, resumed, stepped from one known thing to the next, and made faster or slower; none of these makes time
/// jump.
class PacedPacer final : public Pacer {
 public:
  /// Throws std::invalid_argument for a speed outside the range.
  PacedPacer(time::Clock& clock, Time start, double speed);
  [[nodiscard]] Time advance(Time next) override;

  [[nodiscard]] double speed() const noexcept { return speed_; }
  /// From now on. False: outside the range, nothing changed.
  [[nodiscard]] bool set_speed(double speed);
  void pause();
  void resume();
  [[nodiscard]] bool is_paused() const noexcept { return is_paused_; }
  /// While paused: time jumps to the next known thing, once for each call.
  void step() noexcept;

  static constexpr double k_slowest = 0.1;
  static constexpr double k_fastest = 10'000;

 private:
  [[nodiscard]] Time reached();
  void anchor();

  time::Clock& clock_;
  Time clock_anchor_;  // when time was at anchor_
  Time anchor_;
  double speed_;
  std::uint64_t steps_ = 0;  // wanted and not made yet
  bool is_paused_ = false;
};

/// What a person does to paced time by a key: space pauses and goes on, s makes a step of what is paused, + and -
/// double and halve the speed. Any other key: nothing.
void move_by_key(PacedPacer& pacer, int key);

/// Time jumps straight to the next known thing; it does not move when nothing is known.
class EventPacer final : public Pacer {
 public:
  explicit EventPacer(Time start) noexcept : now_(start) {}
  [[nodiscard]] Time advance(Time next) override {
    if (next != time::k_never && next > now_) now_ = next;
    return now_;
  }

 private:
  Time now_;
};

/// Where input comes from and where output leaves: a file, a ring, a disk, the sockets of a fabric, a front.
class Source {
 public:
  /// The time of its next input; `k_never` when none is known. Sockets say `k_every_turn`: they are asked once a turn.
  [[nodiscard]] virtual Time next_time() { return k_every_turn; }
  /// Delivers the input of time `now`. How many things were delivered.
  virtual std::size_t deliver(Time now) = 0;
  /// The instant is over: send out what it produced. How many things left.
  virtual std::size_t finish(Time now) {
    static_cast<void>(now);
    return 0;
  }

  static constexpr Time k_every_turn = Time::min();

 protected:
  ~Source() = default;
};

class Loop {
 public:
  enum class Turn {
    busy,     ///< something fired or was delivered
    idle,     ///< nothing to do yet
    done,     ///< nothing is pending, no source knows of more, and no source is asked every turn
    stopped,  ///< stop() was called
  };

  /// `sources` are asked in this order at equal times; they and the array must outlive the loop.
  Loop(Scheduler& scheduler, Pacer& pacer, std::span<Source* const> sources) noexcept
      : plain_(&scheduler), pacer_(pacer), sources_(sources) {}
  /// The same over entries with a user pointer.
  Loop(UserScheduler& scheduler, Pacer& pacer, std::span<Source* const> sources) noexcept
      : user_(&scheduler), pacer_(pacer), sources_(sources) {}

  /// One turn. Bounded: at most `k_max_instants` instants and `k_max_events` entries of one instant, then it returns
  /// `busy` and goes on in the next turn. Input waits until what is due at its instant has fired; sources that are
  /// asked every turn are asked at the last instant of a turn, also when more instants are overdue.
  Turn turn();

  /// Ends the loop after the turn in hand. Safe from callbacks of the same thread.
  void stop() noexcept { is_stopped_ = true; }
  [[nodiscard]] bool is_stopped() const noexcept { return is_stopped_; }

  /// When the next timer or timed input is due; `k_never` when none is known. For callers that wait between turns.
  [[nodiscard]] Time next_time() const;

  static constexpr std::size_t k_max_events = 4096;
  static constexpr std::size_t k_max_instants = 256;

 private:
  struct Next {
    Time at;
    bool is_polled;  // a source is asked every turn
  };
  [[nodiscard]] Next next() const;
  struct Step {
    std::size_t work;
    bool is_complete;
  };
  Step run_instant(Time at, bool is_last);

  template <class Use>
  decltype(auto) with_scheduler(Use use) const {
    return user_ != nullptr ? use(*user_) : use(*plain_);
  }

  Scheduler* plain_ = nullptr;  // one of both
  UserScheduler* user_ = nullptr;
  Pacer& pacer_;
  std::span<Source* const> sources_;
  bool is_stopped_ = false;
};

}  // namespace dojima::sched
