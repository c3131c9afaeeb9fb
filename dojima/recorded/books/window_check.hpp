#pragma once

// Holds a recorded book (LOBSTER's order-book rows, `window` events) against what the recorded messages make of it in
// book::Book. A file of L levels shows only orders inside them, so a book that follows the messages alone cannot
// stay right; two questions can be answered exactly:
//
//   one step     the row before, put into the book, and the message make this row: exact; or a level came into view
//   that
//                nobody could know of: not determinable; or they differ: a contradiction, of the data or of the book
//   free running the book follows the messages, and takes the row over where it differs: how often it had to
//
//   WindowCheck check;
//   for (const RecordedEvent& event : events) check.take(event);
//   check.counts().contradictions;
//
// One instrument. O(levels) a row. Memory as book::OrderTable of 65,536 orders, twice.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "dojima/recorded/books/depth_side.hpp"
#include "dojima/recorded/event.hpp"

namespace dojima::recorded {

struct WindowCounts {
  std::uint64_t rows = 0;  ///< compared: all but the first
  std::uint64_t exact = 0;
  std::uint64_t undetermined = 0;
  std::uint64_t contradictions = 0;
  std::uint64_t first_contradiction = 0;  ///< its row, from 1; 0: none
  // Free running.
  std::uint64_t resyncs = 0;     ///< rows that were taken over because they differed
  std::uint64_t best_wrong = 0;  ///< of these, rows whose best level differed
  friend bool operator==(const WindowCounts&, const WindowCounts&) = default;
};

class WindowCheck {
 public:
  WindowCheck();
  ~WindowCheck();

  /// Events in the order of the file. `tick`: of the instrument.
  void take(const RecordedEvent& event, std::int64_t tick);
  [[nodiscard]] const WindowCounts& counts() const noexcept { return counts_; }

 private:
  class Seeded;

  void compare_step();
  void compare_run();
  void end_row();

  std::unique_ptr<Seeded> step_, run_;
  std::vector<RecordedEvent> messages_;  // since the last row
  std::vector<DepthLevel> bids_, asks_;  // the row that is coming in
  std::vector<DepthLevel> bids_before_, asks_before_;
  std::size_t window_ = 0;  // levels of a row
  std::size_t window_before_ = 0;
  bool has_before_ = false;
  WindowCounts counts_;
};

}  // namespace dojima::recorded
