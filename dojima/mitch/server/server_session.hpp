#pragma once

// A reader's session at a replay or recovery channel. One object per connection that may be open at once, used again
// after it was closed.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dojima/link/connection.hpp"
#include "dojima/mitch/codec.hpp"
#include "dojima/mitch/feed/feed_server.hpp"
#include "dojima/mitch/feed/reader_passwords.hpp"
#include "dojima/mitch/server/snapshot_writer.hpp"
#include "dojima/mitch/unit.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::mitch {

class ServerSession;

/// A reader as the channel knows it.
struct KnownReader {
  FeedReader reader;
  bool is_here = false;      // it has a session
  std::uint32_t logins = 0;  // of the day
  std::uint32_t requests = 0;
  time::Time last_login{};
  unsigned repeats = 0;  // logins in a row
};

struct FeedServer::Desk {
  Desk(FeedServerConfig of, sched::Scheduler& by, std::span<const PublishedFeed* const> what);
  ~Desk();

  /// Begins a day when one has begun.
  void look_at_day(time::Time now);
  [[nodiscard]] const PublishedFeed* find(char group) const noexcept;

  FeedServerConfig config;
  sched::Scheduler& scheduler;
  std::vector<const PublishedFeed*> feeds;
  std::vector<KnownReader> readers;
  std::vector<std::unique_ptr<ServerSession>> sessions;
  std::vector<ServerSession*> free;
  FeedServerCounts counts;
  std::size_t logged_in = 0;
  std::int64_t day = 0;
  bool is_available = true;
};

class ServerSession final : public link::Connection {
 public:
  ServerSession(FeedServer::Desk& desk, std::uint32_t number);

  /// The next connection comes from there.
  void expect(const link::Address& peer) { host_ = peer.host; }
  void close_if_open();

  void on_open(link::Transport& transport, time::Time now) override;
  [[nodiscard]] std::size_t on_bytes(Bytes bytes, time::Time now) override;
  void on_writable(time::Time now) override;
  void on_closed(link::CloseReason reason, time::Time now) override;

 private:
  enum class State : std::uint8_t {
    free,
    new_here,  // connected; the login is awaited
    delayed,   // the answer to the login waits
    open,      // logged in
    closing,   // close was called
  };

  /// A request, from its arrival until all of its answer has left.
  struct Request {
    char status = '\0';  // null: to be seen when its turn comes
    ReplayRequest replay;
    SnapshotRequest snapshot;
    std::uint32_t next = 0;  // replay: the number that is sent next
    bool is_answered = false;
  };

  void on_message(Bytes message, time::Time now);
  void log_in(const LoginRequest& login, time::Time now);
  /// As far as the password has been compared.
  void go_on_with_login(time::Time now);
  /// None: somebody compares it meanwhile.
  [[nodiscard]] std::optional<ReaderVerdict> compare_password() const;
  [[nodiscard]] char status_of(ReaderVerdict password, KnownReader& reader) const;
  [[nodiscard]] time::Duration delay_of(KnownReader& reader, time::Time now) const;
  void answer_login(time::Time now);
  template <class Wanted>
  void take_request(Bytes message, time::Time now);
  void put(const Request& request, time::Time now);
  [[nodiscard]] char status_of(const ReplayRequest& wanted) const;
  [[nodiscard]] char status_of(const SnapshotRequest& wanted) const;

  void serve(time::Time now);
  [[nodiscard]] bool answer(Request& request);
  [[nodiscard]] bool send_messages(Request& request, std::size_t& allowance);
  [[nodiscard]] bool send_snapshot(Request& request, std::size_t& allowance);
  template <class Message>
  [[nodiscard]] bool send(const Message& message);

  void cut();
  void close(link::CloseReason reason);
  void on_limit(time::Time now);
  void on_turn(time::Time now) { serve(now); }

  FeedServer::Desk& desk_;
  const std::uint32_t number_;  // of the connection
  State state_ = State::free;
  link::Transport* transport_ = nullptr;
  std::string host_;
  LoginRequest login_;               // while its password is being compared
  KnownReader* asked_as_ = nullptr;  // whose it would be; null: none is being compared
  KnownReader* reader_ = nullptr;
  char login_status_ = 'A';
  char group_ = '1';  // of the request in hand
  bool has_no_room_ = false;
  std::vector<Request> requests_;  // the first is the one in hand
  SnapshotWriter snapshot_;
  sched::TimerOf<&ServerSession::on_limit> limit_;  // of the login, of silence, of a reader that does not read
  sched::TimerOf<&ServerSession::on_turn> turn_;
};

}  // namespace dojima::mitch
