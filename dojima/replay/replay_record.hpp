#pragma once

// What a replay leaves behind besides its counts: bars and snapshots of the books as CSV, taken by a timer of the
// scheduler, so that a bar that ends at ten holds what happened before ten.
//
//   ReplayRecord record(scheduler, books, instruments, {.folder = "out"});
//   record.note(event);                       // after each event went through the books

#include <cstdint>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dojima/recorded/books/replay_books.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::replay {

struct ReplayRecordSettings {
  std::string folder;
  time::Duration bar = std::chrono::minutes{1};  ///< > 0
  std::size_t depth = 5;
};

class ReplayRecord {
 public:
  /// Makes the folder and writes the first lines. `instruments` may grow; all outlive the record. Throws
  /// std::invalid_argument where files cannot be written.
  ReplayRecord(sched::Scheduler& scheduler, const recorded::ReplayBooks& books,
               const std::vector<recorded::RecordedInstrument>& instruments, const ReplayRecordSettings& settings);

  /// The first bar begins with the last full period before `time`.
  void begin(time::Time time);
  void note(const recorded::RecordedEvent& event);
  /// The last bar. False: something could not be written.
  [[nodiscard]] bool finish();
  /// No more events come: the timer is not armed again.
  void end() noexcept { is_ended_ = true; }

 private:
  struct Bar {
    std::int64_t open = 0, high = 0, low = 0, close = 0;
    std::int64_t volume = 0;
    std::uint64_t trades = 0, events = 0;
  };

  void on_bar(time::Time due);
  void write_bar(std::uint32_t instrument, const Bar& bar);
  void write_snapshot(std::uint32_t instrument);

  const recorded::ReplayBooks& books_;
  const std::vector<recorded::RecordedInstrument>& instruments_;
  time::Duration period_;
  std::vector<recorded::DepthLevel> levels_;
  std::vector<Bar> bars_;  // by instrument
  std::ofstream bar_file_, snapshot_file_;
  time::Time bar_end_{};
  bool is_ended_ = false;
  sched::TimerOf<&ReplayRecord::on_bar> timer_;
};

/// "223.18"; empty for k_unknown.
[[nodiscard]] std::string scaled_text(std::int64_t value, unsigned decimals);
/// The price of a level; empty: there is none.
[[nodiscard]] std::string level_text(const std::optional<recorded::DepthLevel>& level,
                                     const recorded::RecordedInstrument& of);

}  // namespace dojima::replay
