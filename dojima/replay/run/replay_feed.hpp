#pragma once

// The events of a recorded file as input of a loop, or all at once: those that are wanted go through the books, to who
// watches and into the record.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dojima/measure/histogram.hpp"
#include "dojima/recorded/books/replay_books.hpp"
#include "dojima/recorded/books/window_check.hpp"
#include "dojima/recorded/files/recorded_file.hpp"
#include "dojima/replay/replay.hpp"
#include "dojima/replay/replay_record.hpp"
#include "dojima/sched/loop.hpp"

namespace dojima::replay {

class ReplayFeed final : public sched::Source {
 public:
  /// `watcher` may be null. All but the file outlive it.
  ReplayFeed(const ReplaySettings& settings, recorded::RecordedFile file, std::vector<std::int64_t> ticks,
             ReplayWatcher* watcher);

  [[nodiscard]] recorded::ReplayBooks& books() noexcept { return *books_; }
  [[nodiscard]] recorded::RecordedFile& file() noexcept { return file_; }
  [[nodiscard]] bool is_at_end() { return !has_event(); }
  [[nodiscard]] time::Time front_time() { return time_of(rest_.front()); }
  [[nodiscard]] time::Time now() const noexcept { return now_; }
  [[nodiscard]] std::uint64_t events() const noexcept { return events_; }
  [[nodiscard]] time::Time first() const noexcept { return first_; }
  [[nodiscard]] const recorded::RecordedEvent& last_event() const noexcept { return last_event_; }
  [[nodiscard]] const recorded::WindowCheck& window() const noexcept { return window_; }
  /// Books of levels that are kept beside the others, to be compared with them; null: none.
  [[nodiscard]] const recorded::ReplayBooks* beside() const noexcept { return beside_.get(); }

  /// What comes before `time`, at once.
  void skip_to(time::Time time);
  /// The next batch, at once. False: there is none.
  bool take_batch();

  /// From here on what is delivered is late against this pacer, and is recorded.
  void attend(sched::PacedPacer* pacer, measure::Histogram* lateness, ReplayRecord* record);

  time::Time next_time() override { return has_event() ? front_time() : time::k_never; }
  std::size_t deliver(time::Time now) override;

 private:
  /// Times of a file may step back; time does not.
  [[nodiscard]] time::Time time_of(const recorded::RecordedEvent& event) const noexcept {
    const time::Time at = event.replay_time();
    return at == recorded::k_unknown_time || at < now_ ? now_ : at;
  }
  [[nodiscard]] bool has_event();
  void choose();
  void cut();
  void take(std::size_t count);

  const ReplaySettings& settings_;
  ReplayWatcher* watcher_;  // null: nobody watches
  recorded::RecordedFile file_;
  std::unique_ptr<recorded::ReplayBooks> books_, beside_;
  recorded::WindowCheck window_;
  std::span<const recorded::RecordedEvent> rest_;
  std::vector<recorded::RecordedEvent> chosen_;
  time::Time now_{}, first_ = recorded::k_unknown_time;
  recorded::RecordedEvent last_event_;
  std::uint64_t events_ = 0;
  bool is_over_ = false;
  bool is_skipping_ = false;
  sched::PacedPacer* pacer_ = nullptr;
  measure::Histogram* lateness_ = nullptr;
  ReplayRecord* record_ = nullptr;
};

/// From the beginning of the file. The error is one line for the user.
[[nodiscard]] std::expected<std::unique_ptr<ReplayFeed>, std::string> open_feed(const ReplaySettings& settings,
                                                                                const std::vector<std::int64_t>& ticks,
                                                                                ReplayWatcher* watcher);

}  // namespace dojima::replay
