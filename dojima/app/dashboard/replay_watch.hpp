#pragma once

// A replay on the screens of browsers: levels of the books as far as a ladder shows them, every trade, phases and
// auction prices as the recording tells them, and time that can be paused, paced and sent elsewhere. The replay's
// thread never waits for the dashboard's: books are looked at thirty times a second of the clock, and told by what
// changed.
//
//   ReplayWatch watch({.name = "AMZN", .dashboard = {.port = 0}, .can_jump = replay::can_jump(settings)});
//   const auto where = watch.start();
//   replay::replay(settings, {.watcher = &watch}, clock);

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dojima/app/dashboard/pace_desk.hpp"
#include "dojima/app/dashboard/screens.hpp"
#include "dojima/market/phase.hpp"
#include "dojima/replay/replay.hpp"

namespace dojima::app {

struct ReplayWatchOptions {
  std::string name;  ///< what is watched, for a person
  DashboardConfig dashboard;
  bool can_jump = false;
  std::function<void()> on_over{};  ///< the replay has come to its end, again after each jump
  /// Between two looks at the books; 0: every turn.
  std::chrono::nanoseconds pause = std::chrono::milliseconds{33};
};

class ReplayWatch final : public replay::ReplayWatcher {
 public:
  static constexpr std::size_t k_levels = 60;          ///< of a side, that are told
  static constexpr std::size_t k_looks = 256;          ///< instruments in one look; the others follow in the next
  static constexpr std::size_t k_instruments = 8'192;  ///< beyond them the fewer levels have room in a snapshot

  /// Throws std::bad_alloc.
  explicit ReplayWatch(ReplayWatchOptions options);

  [[nodiscard]] std::expected<link::Address, std::string> start() { return screens_.start(); }
  [[nodiscard]] std::string describe() const { return screens_.describe(); }
  [[nodiscard]] web::FactChannel& channel() noexcept { return screens_.channel(); }
  [[nodiscard]] PaceDesk& desk() noexcept { return desk_; }

  // replay::ReplayWatcher
  void on_event(const recorded::RecordedEvent& event, const recorded::ReplayBooks& books, Instruments instruments,
                bool is_skipped) override;
  void on_jump(time::Time now) override;
  void on_turn(time::Time now, const recorded::ReplayBooks& books, Instruments instruments,
               const sched::PacedPacer* pacer, const std::optional<double>& progress, bool is_over) override;
  bool move(sched::PacedPacer& pacer) override;
  [[nodiscard]] std::optional<time::Time> wanted_time() override { return desk_.take_jump(); }

 private:
  /// As it was told.
  struct Instrument {
    std::array<std::vector<recorded::DepthLevel>, 2> sides;
    recorded::DepthLevel last;
    std::uint64_t trades = 0, volume = 0;
    std::int64_t indicative = 0, indicative_quantity = 0;
    market::Phase phase = market::Phase::continuous;
    bool is_touched = false;
    bool is_shown = false;  // the market as a whole is none that can be looked at
  };

  void grow(Instruments instruments);
  void show(std::uint32_t at, const recorded::RecordedInstrument& of);
  [[nodiscard]] static web::InstrumentFact instrument_fact(std::uint32_t at, const recorded::RecordedInstrument& of);
  void tell_trade(const recorded::RecordedEvent& event, const recorded::ReplayBooks& books,
                  const recorded::RecordedInstrument& of, bool is_skipped);
  void tell_phase(const recorded::RecordedEvent& event);
  void tell_auction(const recorded::RecordedEvent& event, const recorded::RecordedInstrument& of);
  void tell_books(const recorded::ReplayBooks& books, Instruments instruments);
  void tell_side(std::uint32_t at, market::Side side, std::span<const recorded::DepthLevel> now, unsigned decimals);
  void take_snapshot(const recorded::ReplayBooks& books, Instruments instruments);
  void tell_pace(const sched::PacedPacer& pacer, const std::optional<double>& progress, bool is_over);

  ReplayWatchOptions options_;
  PaceDesk desk_;
  Screens screens_;
  std::vector<Instrument> instruments_;  // as the reader numbers them
  std::deque<std::uint32_t> touched_;
  std::array<recorded::DepthLevel, k_levels> levels_;
  time::Time now_{}, first_{}, last_{};
  std::optional<time::Time> begins_at_;  // where time begins anew, until that has been told
  bool is_over_ = false;
  std::chrono::steady_clock::time_point next_look_{};
};

}  // namespace dojima::app
