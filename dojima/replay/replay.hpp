#pragma once

// A recorded file through the books: flat out, paced by a clock at a chosen speed, or from event to event through the
// scheduler. All but flat out run the loop that runs live trading (sched::Loop); only the pacer differs. On the way
// bars and snapshots of the books can be written, and the recorded book be compared with ours.
//
//   auto result = replay({.file = "AMZN_2012-06-21_34200000_57600000_message_1.csv.gz", .is_checking = true}, hooks,
//   clock);
//
// One thread. The file is streamed: memory is that of the books. Allocates while books grow.

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dojima/evidence/artefact.hpp"
#include "dojima/measure/histogram.hpp"
#include "dojima/recorded/books/replay_books.hpp"
#include "dojima/recorded/books/window_check.hpp"
#include "dojima/recorded/files/recorded_file.hpp"
#include "dojima/sched/loop.hpp"
#include "dojima/time/clock.hpp"

namespace dojima::replay {

enum class Pace : std::uint8_t {
  flat_out,      ///< batch by batch, time does not matter
  event_driven,  ///< through the scheduler, time jumps from event to event
  paced,         ///< through the scheduler, time runs at a speed of the clock
};

struct ReplaySettings {
  std::string file;
  recorded::RecordedOptions recorded{};
  recorded::ReplayBooksOptions books{};
  Pace pace = Pace::flat_out;
  double speed = 1;                    ///< paced: 0.1 to 10,000
  std::vector<std::string> symbols{};  ///< only these; empty: all
  std::optional<time::Time> from{};    ///< what is before goes through the books at once, unpaced and unwritten
  std::optional<time::Time> until{};   ///< ends behind the last event before this
  std::string out{};                   ///< folder for bars.csv and snapshots.csv; empty: none
  time::Duration bar = std::chrono::minutes{1};
  std::size_t depth = 5;  ///< levels of a snapshot
  bool is_checking = false;
};

/// How far a replay is, for the line that a person watches.
struct ReplayNow {
  time::Time time;
  std::uint64_t events = 0;
  double elapsed_s = 0;
  std::optional<double> progress;  ///< 0 to 1
  std::string symbol;
  std::string bid, ask, last;  ///< as text; empty: none
  bool is_paused = false;
  double speed = 0;  ///< 0: not paced
};

/// "10:00:01.25  AMZN 223.18 / 223.20  last 223.19  1.2 M events/s  43 %"
[[nodiscard]] std::string to_text(const ReplayNow& now);

/// Who watches a replay event by event, and may move its time. Called by the replay, in its thread.
class ReplayWatcher {
 public:
  using Instruments = std::span<const recorded::RecordedInstrument>;

  /// The books have taken this event. `is_skipped`: on the way to where the replay begins, or to a time that was asked
  /// for.
  virtual void on_event(const recorded::RecordedEvent& event, const recorded::ReplayBooks& books,
                        Instruments instruments, bool is_skipped) = 0;
  /// The books are others from here on: time was moved to `now`. Before the events that are skipped on the way.
  virtual void on_jump(time::Time now) = 0;
  /// Between two turns. `pacer`: null where time is not paced; `is_over`: no event is left.
  virtual void on_turn(time::Time now, const recorded::ReplayBooks& books, Instruments instruments,
                       const sched::PacedPacer* pacer, const std::optional<double>& progress, bool is_over) = 0;
  /// Paced: pauses, steps and speeds as somebody wants it. Whether somebody did.
  virtual bool move(sched::PacedPacer& pacer) = 0;
  /// Paced: the time to go to, once; none: nobody wants to. Only where can_jump().
  [[nodiscard]] virtual std::optional<time::Time> wanted_time() = 0;

 protected:
  ~ReplayWatcher() = default;
};

/// Whether a replay can go to another time: it reads a file that can be read again, and writes no bars.
[[nodiscard]] bool can_jump(const ReplaySettings& settings) noexcept;

/// All may be empty.
struct ReplayHooks {
  std::function<bool()> is_interrupted{};
  std::function<void(const ReplayNow&)> show{};  ///< about ten times a second
  std::function<int()> key{};                    ///< a key that was pressed, or -1: sched::move_by_key(), and q ends
  /// A paced replay that is watched stays at its end, until it is interrupted or sent to another time.
  ReplayWatcher* watcher = nullptr;
};

struct ReplayResult {
  std::string format;
  std::vector<std::string> names;  ///< of the files
  std::uint64_t events = 0;
  double elapsed_s = 0;
  time::Time first = recorded::k_unknown_time, last = recorded::k_unknown_time;  ///< by replay time
  recorded::ReplayCounts counts;
  std::size_t instruments = 0;  ///< with a book; the whole market is none
  std::size_t live_orders = 0;
  std::uint64_t digest = 0;
  bool was_interrupted = false;
  evidence::Table books;                         ///< best bid and ask, last trade of each instrument
  std::optional<recorded::WindowCounts> window;  ///< checked against the recorded book
  std::optional<bool> keepers_agree;             ///< checked against a book of levels beside it
  // Paced.
  double speed_error = 0;  ///< how far the speed was off, relative; up to the last event that was played
  std::unique_ptr<measure::Histogram> lateness;  ///< ns of the clock from an event's due time to its delivery
  std::string trouble;                           ///< where the file ended too early; empty: nowhere
};

/// The error is one line for the user: the file cannot be opened, or written to.
[[nodiscard]] std::expected<ReplayResult, std::string> replay(const ReplaySettings& settings, const ReplayHooks& hooks,
                                                              time::Clock& clock);

/// The result for people and programs. Checks: the recorded book, the keepers, the file's end.
[[nodiscard]] evidence::Artefact artefact_of(const ReplaySettings& settings, const ReplayResult& result);

}  // namespace dojima::replay
