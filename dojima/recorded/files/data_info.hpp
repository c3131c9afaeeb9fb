#pragma once

// What is in a file of recorded data: how many events of which kind, from when to when, where its numbers jump, of
// which instruments. Collected batch by batch while the file is read; O(1) per event, memory grows with the instruments
// only.
//
//   DataInfo info;
//   while (!(events = reader.next_batch()).empty()) info.add(events);
//   info.events(), info.gaps(), ...

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "dojima/recorded/event.hpp"

namespace dojima::recorded {

/// From when to when; both k_unknown_time where no event has a time.
struct TimeSpan {
  time::Time first = k_unknown_time;
  time::Time last = k_unknown_time;
  std::uint64_t steps_back = 0;  ///< events of a time before that of the event in front of them

  void add(time::Time time) noexcept {
    if (time == k_unknown_time) return;
    if (first == k_unknown_time || time < first) first = time;
    if (time > last) last = time;
    if (time < previous_) ++steps_back;
    previous_ = time;
  }

 private:
  time::Time previous_ = k_unknown_time;
};

class DataInfo {
 public:
  struct OfInstrument {
    std::uint64_t events = 0;
    std::uint64_t trades = 0;  ///< executions and trades, those of auctions too, cancelled ones not taken off
    TimeSpan time;             ///< replay times
  };

  void add(std::span<const RecordedEvent> events);

  [[nodiscard]] std::uint64_t events() const noexcept { return events_; }
  [[nodiscard]] std::uint64_t count(EventKind kind) const noexcept { return kinds_[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] const TimeSpan& event_time() const noexcept { return event_time_; }
  [[nodiscard]] const TimeSpan& receive_time() const noexcept { return receive_time_; }
  /// How often numbers jump, and how many are missing in all.
  [[nodiscard]] std::uint64_t gaps() const noexcept { return count(EventKind::gap); }
  [[nodiscard]] std::uint64_t missing() const noexcept { return missing_; }
  /// Receive time less event time, smallest and largest; below zero: the recorder's clock is behind. Only where some
  /// event has both; snapshots do not count.
  [[nodiscard]] bool has_latency() const noexcept { return least_latency_ <= most_latency_; }
  [[nodiscard]] time::Duration least_latency() const noexcept { return least_latency_; }
  [[nodiscard]] time::Duration most_latency() const noexcept { return most_latency_; }
  /// By the reader's index; there may be fewer than the reader has.
  [[nodiscard]] const std::vector<OfInstrument>& instruments() const noexcept { return instruments_; }

 private:
  std::uint64_t events_ = 0, missing_ = 0;
  std::array<std::uint64_t, k_event_kinds> kinds_{};
  TimeSpan event_time_, receive_time_;
  time::Duration least_latency_ = time::Duration::max(), most_latency_ = time::Duration::min();
  std::vector<OfInstrument> instruments_;
};

}  // namespace dojima::recorded
