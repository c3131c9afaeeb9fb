#pragma once

// The sending end of a market data group: messages go in, units go out on all lines alike, a heartbeat when nothing
// else was sent for a while, and what was sent is kept for the replay and recovery channels. Messages gather until the
// unit is full or flush() is called, once a turn: so a busy venue sends few units, and one with little to say waits for
// nobody. A state machine; it waits for no reader. Nothing is allocated after construction. One thread.
//
//   FeedPublisher publisher({.group = '1'}, scheduler, {line_a, line_b});
//   publisher.writer().append(Time{.seconds = 43200});  publisher.flush();

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dojima/link/datagram.hpp"
#include "dojima/mitch/feed/published_feed.hpp"
#include "dojima/mitch/feed_writer.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::mitch {

struct FeedPublisherOptions {
  char group = '1';
  std::size_t unit_size = 1'400;
  std::size_t messages = 65'000;  ///< kept for replay
  BookBuilderLimits books;        ///< kept for recovery
  time::Duration heartbeat = std::chrono::seconds{1};
};

struct FeedPublisherCounts {
  std::uint64_t units = 0;  ///< with messages, each counted once for all lines
  std::uint64_t bytes = 0;  ///< of these
  std::uint64_t heartbeats = 0;
  std::uint64_t failed = 0;  ///< datagrams that a line did not take
};

class FeedPublisher final : private FeedSink {
 public:
  static constexpr std::size_t k_timers = 1;

  /// The lines outlive it, and `file`, which gets every unit but heartbeats; it may be null. Throws std::bad_alloc,
  /// std::invalid_argument for a unit size that no message may fit.
  FeedPublisher(const FeedPublisherOptions& options, sched::Scheduler& scheduler,
                std::vector<link::DatagramSender*> lines, FeedSink* file = nullptr)
      : heartbeat_(options.heartbeat),
        lines_(std::move(lines)),
        file_(file),
        published_(*this, {.group = options.group, .messages = options.messages, .books = options.books}),
        writer_(published_, {.unit_size = options.unit_size, .market_data_group = options.group}),
        silence_(scheduler, *this) {}

  /// Begins with heartbeats.
  void start(time::Time now) { silence_.arm(now + heartbeat_); }
  [[nodiscard]] FeedWriter& writer() noexcept { return writer_; }
  /// Sends what has gathered.
  void flush() { writer_.flush(); }

  /// Sends what has gathered, and numbers what follows from 1 on. Who is being sent messages again, and has not got all
  /// of them, loses its connection.
  void begin_numbers() {
    writer_.flush();
    published_.begin_numbers();
    writer_.restart();
  }

  [[nodiscard]] const PublishedFeed& published() const noexcept { return published_; }
  [[nodiscard]] const FeedPublisherCounts& counts() const noexcept { return counts_; }

 private:
  void on_unit(Bytes unit) override;
  void on_silence(time::Time now);

  time::Duration heartbeat_;
  std::vector<link::DatagramSender*> lines_;
  FeedSink* file_;
  PublishedFeed published_;
  FeedWriter writer_;
  bool has_sent_ = false;  // since the timer was last due
  FeedPublisherCounts counts_;
  sched::TimerOf<&FeedPublisher::on_silence> silence_;
};

}  // namespace dojima::mitch
