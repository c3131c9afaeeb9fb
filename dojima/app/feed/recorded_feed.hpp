#pragma once

// A venue's market data of a file: units of MIT303 back to back, as `dojima venue --feed FILE` writes them. They come
// to a reader's line at the times that are in them, by the clock at some speed or as fast as they are read. The file
// says times of day and no date, so that time begins at the epoch's midnight; it does not go back where the file does.
//
//   RecordedFeed feed(bytes, options, handler);
//   feed.run({.speed = 10}, [&] { return !stop.is_raised(); }, [&](const RecordedFeed::Now& now) { show(now); });

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "dojima/app/dashboard/pace_desk.hpp"
#include "dojima/base/bytes.hpp"
#include "dojima/mitch/feed/feed_client.hpp"
#include "dojima/mitch/unit.hpp"
#include "dojima/sched/loop.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::app {

/// The units of a file as a source of a loop.
class UnitsOfFile final : public sched::Source {
 public:
  /// Both outlive it.
  UnitsOfFile(Bytes bytes, link::DatagramReceiver& to);

  /// Of the first unit.
  [[nodiscard]] time::Time begin() const noexcept { return begin_; }
  [[nodiscard]] bool is_over() const noexcept { return !unit_; }
  /// From 0 to 1.
  [[nodiscard]] double progress() const noexcept;
  /// Why it ended before the end of the file; empty: it did not.
  [[nodiscard]] const std::string& trouble() const noexcept { return trouble_; }

  // sched::Source
  [[nodiscard]] time::Time next_time() override { return unit_ ? time_ : time::k_never; }
  std::size_t deliver(time::Time now) override;

 private:
  void read();

  Bytes bytes_;
  link::DatagramReceiver& to_;
  std::size_t at_ = 0;               // of the unit in hand
  std::optional<mitch::Unit> unit_;  // none: it is over
  time::Time time_{}, begin_{};
  std::array<std::uint32_t, 256> seconds_{};  // of the last Time of each group
  std::string trouble_;
};

class RecordedFeed {
 public:
  struct Pace {
    double speed = 0;          ///< times the clock's, 0.1 to 10000; 0: as fast as it goes
    PaceDesk* desk = nullptr;  ///< who moves the time of a paced run; may be null
    bool stays = false;        ///< at the end of the file, until `goes_on()` says no
  };
  /// Now and then, twenty times a second at most, and once at the end of the file.
  struct Now {
    time::Time time;
    double speed = 0, progress = 0;
    bool is_paused = false, is_over = false;
  };

  /// The bytes and the handler outlive it. Throws std::bad_alloc.
  RecordedFeed(Bytes bytes, const mitch::FeedClientOptions& options, mitch::FeedHandler& handler);

  void run(const Pace& pace, const std::function<bool()>& goes_on, const std::function<void(const Now&)>& show);

  [[nodiscard]] const mitch::FeedClient& client() const noexcept { return client_; }
  [[nodiscard]] const UnitsOfFile& units() const noexcept { return units_; }

 private:
  /// Nobody can be asked for what is missing in a file, and no line of it is lost.
  [[nodiscard]] static mitch::FeedClientOptions alone(mitch::FeedClientOptions options);

  mitch::FeedClientOptions options_;
  sched::Scheduler scheduler_;
  mitch::FeedClient client_;
  UnitsOfFile units_;
};

}  // namespace dojima::app
