#pragma once

// The hold model, the workload that schedulers are compared by, for tests and benchmarks: N events are pending at all
// times, each one fired schedules itself again after a random delay. Random numbers are drawn in firing order, so two
// schedulers that differ in a single swap differ for ever after; the hash of a run says whether they do. One thread;
// allocates when made.
//
//   HoldModel<Scheduler> model(std::make_unique<Scheduler>(n), n, HoldDelay::uniform);
//   while (model.fired() < 100'000) model.step(1ms);

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/sched/event.hpp"

namespace dojima::sched {

/// 64 random bits a draw, the same on every machine: a Weyl sequence through one 128-bit multiplication.
class HoldRandom {
 public:
  std::uint64_t operator()() noexcept {
    state_ += 0xa0761d6478bd642f;
    const auto product = static_cast<Wide>(state_) * (state_ ^ 0xe7037ed1a0b428db);
    return static_cast<std::uint64_t>(product >> 64) ^ static_cast<std::uint64_t>(product);
  }
  /// `count` * `draw` / 2^32, in full width.
  [[nodiscard]] static std::uint64_t scaled(std::uint64_t draw, std::uint64_t count) noexcept {
    return static_cast<std::uint64_t>(static_cast<Wide>(draw >> 32) * count >> 32);
  }

 private:
  __extension__ using Wide = unsigned __int128;
  std::uint64_t state_ = 12345;
};

/// How long after it fired an event is due again.
enum class HoldDelay : std::uint8_t {
  uniform,      ///< up to 1 s
  exponential,  ///< mean 0.425 s, cut at 4.1 s
  grid,         ///< whole milliseconds up to 1 s: many ties
  bimodal,      ///< nine of ten below 1 ms, the others up to 10 s
  crowded,      ///< within 1 us
  at_now,       ///< half of them at once, the others up to 1 s
  far,          ///< one of 256 up to an hour, the others below 1 ms
};

class HoldDelays {
 public:
  explicit HoldDelays(HoldDelay kind) : kind_(kind) {
    if (kind != HoldDelay::exponential) return;
    for (std::size_t knot = 0; knot < knots_.size(); ++knot) {
      const double share = knot + 1 == knots_.size() ? 1 - 1.0 / 16'384 : static_cast<double>(knot) / 1024;
      knots_[knot] = static_cast<std::uint64_t>(std::floor(-std::log(1 - share) * 0.5e9 * 0.85));
    }
  }

  [[nodiscard]] std::uint64_t operator()(std::uint64_t draw) const noexcept {
    if (kind_ == HoldDelay::uniform) [[likely]]
      return 1 + HoldRandom::scaled(draw, 1'000'000'000);
    return skewed(draw);
  }

 private:
  [[nodiscard, gnu::noinline]] std::uint64_t skewed(std::uint64_t draw) const noexcept {
    constexpr auto k_scaled = HoldRandom::scaled;
    switch (kind_) {
      case HoldDelay::uniform:
        break;
      case HoldDelay::exponential: {
        const std::uint64_t from = knots_[draw % 1024], to = knots_[draw % 1024 + 1];
        return 1 + from + k_scaled(draw, to - from);
      }
      case HoldDelay::grid:
        return 1'000'000 * (1 + k_scaled(draw, 1000));
      case HoldDelay::bimodal:
        return 1 + k_scaled(draw, draw % 1024 < 922 ? 1'000'000 : 10'000'000'000);
      case HoldDelay::crowded:
        return 1 + k_scaled(draw, 1000);
      case HoldDelay::at_now:
        return draw % 2 != 0 ? 0 : 1 + k_scaled(draw, 1'000'000'000);
      case HoldDelay::far:
        return draw % 256 == 0 ? k_scaled(draw, 3'600'000'000'000) : 1 + k_scaled(draw, 1'000'000);
    }
    return 1;
  }

  HoldDelay kind_;
  std::array<std::uint64_t, 1025> knots_{};  // of the exponential distribution's inverse
};

/// What a run hashes; benchmarks leave it out.
enum class HoldHash : std::uint8_t { none, firing_sequence };

template <class Scheduler, HoldHash Hash = HoldHash::none>
class HoldModel {
 public:
  /// Schedules all events, from time 0 on, which is the scheduler's now(). It has room for `count` entries.
  HoldModel(std::unique_ptr<Scheduler> scheduler, std::size_t count, HoldDelay delay)
      : delays_(delay), events_(count), scheduler_(std::move(scheduler)) {
    for (std::size_t id = 0; id < count; ++id) {
      events_[id].model_ = this;
      events_[id].id_ = static_cast<std::uint32_t>(id);
      events_[id].schedule_from(Time{}, *this);
    }
  }

  /// Moves time on by `step` and fires all that is due.
  void step(time::Duration step) {
    now_ += step;
    while (!scheduler_->check(now_, std::size_t{1} << 30).is_drained) continue;
  }
  [[nodiscard]] std::uint64_t fired() const noexcept { return fired_; }
  [[nodiscard]] std::uint64_t hash() const noexcept { return hash_; }
  [[nodiscard]] Time now() const noexcept { return now_; }
  [[nodiscard]] Scheduler& scheduler() noexcept { return *scheduler_; }

 private:
  /// 64 bytes, as an event of an application would have at least. Where entries carry a user it is the model.
  class alignas(64) Repeating final : public Scheduler::Scheduled {
   public:
    void fire(Time due, void* user) override {
      ++count_;
      HoldModel& model = has_user() ? *static_cast<HoldModel*>(user) : *model_;
      model.note(due, id_);
      schedule_from(due, model);
    }
    void schedule_from(Time from, HoldModel& model) {
      const Time due = from + time::Duration{static_cast<std::int64_t>(model.delays_(model.random_()))};
      [[maybe_unused]] bool is_scheduled = false;
      if constexpr (has_user()) {
        is_scheduled = model.scheduler_->schedule(*this, due, &model);
      } else {
        is_scheduled = model.scheduler_->schedule(*this, due);
      }
      DOJIMA_CHECK_SLOW(is_scheduled, "there is room for all");
    }

   private:
    friend class HoldModel;
    static constexpr bool has_user() {
      return requires(Scheduler& of, typename Scheduler::Scheduled& event, void* user) {
        of.schedule(event, Time{}, user);
      };
    }
    HoldModel* model_ = nullptr;
    std::uint32_t count_ = 0;
    std::uint32_t id_ = 0;
  };
  static_assert(sizeof(Repeating) == 64, "one line of the cache, whatever a container keeps in it");

  void note(Time due, std::uint32_t id) noexcept {
    ++fired_;
    if constexpr (Hash == HoldHash::firing_sequence) {
      const auto time = static_cast<std::uint64_t>(time::nanoseconds_of(due));
      hash_ = (hash_ ^ (time * 0x9E3779B97F4A7C15) ^ id) * 0xff51afd7ed558ccd;
      hash_ ^= hash_ >> 29;
    }
  }

  HoldDelays delays_;
  HoldRandom random_;
  Time now_{};
  std::uint64_t fired_ = 0;
  std::uint64_t hash_ = 0;
  std::vector<Repeating> events_;
  std::unique_ptr<Scheduler> scheduler_;  // goes first: events outlive their entries
};

}  // namespace dojima::sched
