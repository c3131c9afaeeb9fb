#pragma once

// A reader's end of the replay or recovery channel: it logs in when there is something to ask for, asks one thing after
// the other, and logs out when nothing is left. Where the channel fails it is tried again, later each time.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dojima/link/connection.hpp"
#include "dojima/mitch/feed/feed_client.hpp"
#include "dojima/mitch/unit.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::mitch {

/// What is asked for: messages of a group, the book of an instrument, the books of a segment.
struct FeedRequest {
  char group = '\0';
  std::uint32_t first = 0;
  std::uint16_t count = 0;
  std::uint32_t instrument = 0;
  Text<6> segment;
  friend bool operator==(const FeedRequest&, const FeedRequest&) = default;
};

class RequestChannel;

class RequestOwner {
 public:
  virtual void on_answered(const RequestChannel& channel, const FeedRequest& request, char status, time::Time now) = 0;
  virtual void on_replayed(const FeedRequest& request, std::uint32_t number, Bytes message, time::Time now) = 0;
  virtual void on_snapshot_message(char group, Bytes message) = 0;
  virtual void on_snapshot_complete(char group, const SnapshotComplete& complete, time::Time now) = 0;
  /// All of what was asked for has come.
  virtual void on_done(const RequestChannel& channel, const FeedRequest& request, time::Time now) = 0;
  /// The channel was lost, with an answer to a login or without (null); the request is made again unless it is dropped.
  virtual void on_lost(RequestChannel& channel, const FeedRequest& request, char status, unsigned tries,
                       time::Time now) = 0;

 protected:
  ~RequestOwner() = default;
};

class RequestChannel final : public link::Connection {
 public:
  RequestChannel(FeedChannel channel, const FeedClientOptions& options, const link::Address& where,
                 sched::Scheduler& scheduler, link::Fabric& fabric, RequestOwner& owner);

  [[nodiscard]] FeedChannel channel() const noexcept { return channel_; }
  /// Behind what was asked for before; nothing where it waits already.
  void ask(const FeedRequest& request, time::Time now);
  /// Nothing is asked for this group any more; messages of it that still come are left out.
  void drop(char group);
  /// Requests for this group that have not been answered in whole.
  [[nodiscard]] std::size_t requested(char group) const noexcept;
  /// It was lost so often in a row, and is not tried again just yet.
  [[nodiscard]] bool is_down(unsigned tries) const noexcept { return state_ == State::waiting && tries_ >= tries; }
  void stop();

  void on_open(link::Transport& transport, time::Time now) override;
  [[nodiscard]] std::size_t on_bytes(Bytes bytes, time::Time now) override;
  void on_writable(time::Time now) override { static_cast<void>(now); }
  void on_closed(link::CloseReason reason, time::Time now) override;

 private:
  enum class State : std::uint8_t {
    idle,     // not connected, nothing to ask for
    waiting,  // not connected; it is tried again at the timer's time
    connecting,
    logging_in,
    ready,
    asked,      // the response is awaited
    receiving,  // what was asked for comes
    closing,
  };

  void connect();
  void ask_next(time::Time now);
  void on_unit(const Unit& unit, time::Time now);
  void on_login(Bytes message, time::Time now);
  void on_answer(Bytes message, time::Time now);
  template <class Response>
  void take_answer(Bytes message, time::Time now);
  void on_replayed(const Unit& unit, time::Time now);
  void on_snapshot(const Unit& unit, time::Time now);
  void finish(time::Time now);
  void close();
  void on_timer(time::Time now);
  template <class Message>
  void send(const Message& message);

  FeedChannel channel_;
  const FeedClientOptions& options_;
  link::Address where_;
  link::Fabric& fabric_;
  RequestOwner& owner_;
  State state_ = State::idle;
  bool is_stopped_ = false;
  bool is_leaving_ = false;  // it closes because nothing was left to ask for
  bool is_dropped_ = false;  // what is coming is not wanted any more
  link::Transport* transport_ = nullptr;
  std::vector<FeedRequest> requests_;  // the first is the one in hand
  std::uint32_t came_ = 0;             // messages of it
  unsigned tries_ = 0;
  char status_ = '\0';  // of a login that was refused
  sched::TimerOf<&RequestChannel::on_timer> timer_;
};

}  // namespace dojima::mitch
