#pragma once

// Messages in MoldUDP64 datagrams (specification 1.00, NASDAQ): numbered through a session, gathered until a datagram
// is full or flush() is called, a heartbeat when nothing else was sent for a while, and the end of the session sent as
// long as it is asked to. A reader that misses some asks a SoupServer. Nothing is allocated after construction. One
// thread; the lines outlive it.
//
//   MoldPublisher mold({.session = "0001"}, scheduler, {line});
//   mold.append(message);  mold.flush();

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "dojima/base/text.hpp"
#include "dojima/link/datagram.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::mitch {

struct MoldOptions {
  Text<10> session;
  std::size_t datagram_size = 1'400;  ///< at most; at least 128
  time::Duration heartbeat = std::chrono::seconds{1};
};

struct MoldCounts {
  std::uint64_t datagrams = 0;  ///< with messages, each counted once for all lines
  std::uint64_t heartbeats = 0;
  std::uint64_t failed = 0;  ///< that a line did not take
};

class MoldPublisher {
 public:
  static constexpr std::size_t k_timers = 1;
  static constexpr std::size_t k_header = 20;

  /// Throws std::bad_alloc, std::invalid_argument for a datagram that no message may fit.
  MoldPublisher(const MoldOptions& options, sched::Scheduler& scheduler, std::vector<link::DatagramSender*> lines);

  /// Begins with heartbeats.
  void start(time::Time now) { silence_.arm(now + options_.heartbeat); }
  /// A message of 1 to 64 bytes.
  void append(Bytes message);
  /// Sends what has gathered.
  void flush();
  /// No message follows: instead of heartbeats the end of the session is sent from now on.
  void end();

  /// The number of the message that is appended next, from 1 on.
  [[nodiscard]] std::uint64_t next() const noexcept { return next_; }
  [[nodiscard]] const MoldCounts& counts() const noexcept { return counts_; }

 private:
  void on_silence(time::Time now);
  void send(std::uint64_t number, std::uint16_t count);
  void put(std::size_t at, std::uint64_t value, std::size_t size);

  MoldOptions options_;
  std::vector<link::DatagramSender*> lines_;
  std::vector<std::byte> room_;
  std::size_t size_ = k_header;
  std::uint16_t count_ = 0;
  std::uint64_t next_ = 1;
  bool has_sent_ = false;  // since the timer was last due
  bool is_over_ = false;
  MoldCounts counts_;
  sched::TimerOf<&MoldPublisher::on_silence> silence_;
};

}  // namespace dojima::mitch
