#pragma once

// The files of a venue's days, written when a day is over: by a thread of its own, out of the journal, beside the venue
// that goes on. One folder for a day, day-N, which is there once all of its files are; so a venue that ended meanwhile
// writes them at its next start. Belongs to the venue's loop.
//
//   DayKeeper keeper("/var/lib/venue", "/var/lib/venue-files", write);
//   keeper.look(front.day_number(), now, show);       // now and then

#include <atomic>
#include <cstdint>
#include <expected>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "dojima/time/time.hpp"

namespace dojima::app {

/// Writes the files of a day out of the journals of a directory into a folder. What they hold, or why they could not be
/// written, for a person.
using DayWriter = std::function<std::expected<std::string, std::string>(
    const std::string& directory, std::uint64_t day, const std::string& folder, const std::stop_token& stop)>;

class DayKeeper {
 public:
  /// Times that a day is tried in one life of the venue: its end may not be in the files of the journal yet.
  static constexpr unsigned k_tries = 5;
  static constexpr time::Duration k_retry = std::chrono::seconds{2};

  DayKeeper(std::string journal, std::string folder, DayWriter write)
      : journal_(std::move(journal)), folder_(std::move(folder)), write_(std::move(write)) {}
  /// Waits for what is being written, which gives up.
  ~DayKeeper() = default;
  DayKeeper(const DayKeeper&) = delete;
  DayKeeper& operator=(const DayKeeper&) = delete;

  /// The venue's present day: the one before it is written unless it is there. `show` gets a line when it was, or could
  /// not be.
  void look(std::uint64_t day, time::Time now, const std::function<void(const std::string&)>& show);
  [[nodiscard]] std::string folder_of(std::uint64_t day) const { return folder_ + "/day-" + std::to_string(day); }

 private:
  void begin();
  void report(time::Time now, const std::function<void(const std::string&)>& show);

  std::string journal_, folder_;
  DayWriter write_;
  std::uint64_t day_ = 0;  // that is being written, or was last
  bool has_day_ = false, is_writing_ = false;
  unsigned tries_ = 0;
  time::Time due_ = time::k_never;  // of the next try
  std::expected<std::string, std::string> outcome_;
  std::atomic<bool> is_done_ = false;
  std::jthread thread_;  // ends before what it uses
};

}  // namespace dojima::app
