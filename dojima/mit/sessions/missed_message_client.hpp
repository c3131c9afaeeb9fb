#pragma once

// What the member's ends share that ask for missed messages, recovery and drop copies: the Logon, the numbers up to
// which each partition has come, which are kept over connections, the venue's messages by their kinds, and the end.
// When to ask, and what an answer leads to, is each end's own. No allocation after construction.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "dojima/link/connection.hpp"
#include "dojima/mit/dialect.hpp"
#include "dojima/mit/messages.hpp"
#include "dojima/mit/session_base.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::mit {

struct MissedMessageOptions {
  std::string user;                              ///< 1 to 25 characters
  std::string password;                          ///< 1 to 25 characters
  Duration heartbeat = std::chrono::seconds{3};  ///< > 0
  unsigned reply_intervals = 2;                  ///< heartbeats to wait for an answer
  unsigned silence_intervals = 5;                ///< heartbeats without a whole message until the venue is given up
};

class MissedMessageClient : public MemberSession {
 public:
  /// Partitions of a venue, at most.
  static constexpr std::size_t k_most_partitions = 16;

  /// Nothing is asked for any more. Not while connected, but when it has been logged on.
  void forget() noexcept { count_ = 0; }
  /// The highest number of a partition that is known to have arrived; 0 for one that is not asked for.
  [[nodiscard]] market::Sequence highest(std::uint8_t partition) const noexcept;

  [[nodiscard]] std::size_t on_bytes(Bytes bytes, Time now) final;
  void on_writable(Time) final {}
  void on_closed(link::CloseReason reason, Time now) final;

 protected:
  enum class State : std::uint8_t {
    idle,        // no connection
    logging_on,  // the Logon was sent
    asking,      // a request was sent, and nothing goes on before its answer
    receiving,   // messages come
    waiting,     // for a partition that cannot be recovered now
    leaving,     // we said Logout
    closing,     // close was called
  };
  /// A partition, and how far it has come.
  struct Asked {
    std::uint8_t partition = 0;
    market::Sequence highest{};
    bool is_away = false;  // the venue said that it cannot be recovered now
  };

  /// Throws std::invalid_argument for a user or password that no Logon can carry.
  MissedMessageClient(const MissedMessageOptions& options, const Dialect& dialect, sched::Scheduler& scheduler);
  ~MissedMessageClient() = default;

  virtual void on_logged_on(const VenueDay& day, Time now) = 0;
  virtual void on_ack(Recovery response, Time now) = 0;
  virtual void on_report_end(Recovery response, Time now) = 0;
  virtual void on_reject(Time now) = 0;
  virtual void take(const Report& report, Time now) = 0;
  /// The venue says unasked whether a partition can be recovered.
  virtual void on_status(const SystemStatus& /*status*/, Time /*now*/) {}
  /// The connection is gone; `text` dies when this returns.
  virtual void on_end(link::CloseReason reason, std::string_view text, Time now) = 0;

  /// From the next connection on `partition` (1 to 127) is asked for from this number on. Not while connected, but when
  /// it has been logged on.
  void add(std::uint8_t partition, market::Sequence last);
  /// Sends the Logon. False: there was no room, and the end follows.
  [[nodiscard]] bool open(link::Transport& transport, Time now);
  /// For what follows the highest number of the partition, and for that once more.
  [[nodiscard]] static MissedMessageRequest request_of(const Asked& asked) noexcept;
  /// What is asked for of a partition, or null.
  [[nodiscard]] Asked* find(std::uint8_t partition) noexcept;
  void end(std::string_view text);
  void on_heartbeat_due(Time due) final { put_heartbeat(due); }
  void on_watch_due(Time due) final;

  State state_ = State::idle;
  std::array<Asked, k_most_partitions> asked_{};
  std::size_t count_ = 0;
  std::int32_t logon_code_ = 0;  // of this connection, whose end takes it

 private:
  void on_message(Bytes message, Time now);
};

}  // namespace dojima::mit
