#pragma once

// The replay and the recovery channel of MIT303: a port where readers log in, and ask for messages again by their
// numbers (replay), or for the books as they are (recovery). docs/mitch.md has its rules, limits and answers. A slow
// reader is waited for, then ended; it costs nobody else anything but its share of a turn. Deterministic; nothing is
// allocated after construction, but for a session's room for the largest snapshot that it has asked for. One thread,
// that of the feeds; the objects that it is given outlive it.
//
//   FeedServer replay({.channel = FeedChannel::replay, .readers = {...}}, scheduler, feeds);
//   fabric.listen({"127.0.0.1", 14304}, replay);

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dojima/base/text.hpp"
#include "dojima/link/connection.hpp"
#include "dojima/mitch/feed/published_feed.hpp"
#include "dojima/mitch/feed/reader_passwords.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::mitch {

enum class FeedChannel : std::uint8_t { replay, recovery };

/// Who may log in.
struct FeedReader {
  Text<6> comp_id;
  Text<10> password;
  bool is_locked = false;  ///< its login is answered with 'a'
  std::string host;  ///< a link::host_matches pattern: a login from elsewhere is not answered; empty: from anywhere
  /// What is kept in the place of its password, until one was right; empty: `password` is that, as it is.
  std::string password_kept{};
};

struct FeedServerConfig {
  FeedChannel channel = FeedChannel::replay;
  std::vector<FeedReader> readers;
  ReaderPasswords* passwords = nullptr;  ///< outlives the server; null: no reader has a `password_kept`
  std::uint32_t first_connection = 0;    ///< the number of its first connection for `passwords`
  std::size_t connections = 16;          ///< at a time; more are refused
  std::size_t sessions = 8;              ///< logged in at a time; one more is answered with 'd'
  std::uint32_t logins = 1'000;          ///< of a reader in a day; one more is answered with 'b'
  std::uint32_t requests = 10'000;       ///< likewise; 'D' (replay), 'b' (recovery)
  std::size_t waiting = 8;               ///< requests behind the one that is served; one more is answered with 'c'
  time::Duration patience = std::chrono::seconds{5};      ///< for the login, for a request, and for the logout
  time::Duration stall = std::chrono::seconds{10};        ///< a reader that takes nothing for so long is ended
  time::Duration delay = std::chrono::milliseconds{100};  ///< of the second login in a row; twice as long each time
  time::Duration longest_delay = std::chrono::seconds{4};
  time::Duration quiet = std::chrono::seconds{10};  ///< without a login of the reader; the next is a first one again
  time::Duration day_offset{};                      ///< of the midnight at which limits begin anew, before UTC's
  std::size_t unit_size = 1'400;
  std::size_t bytes_a_turn = 1 << 16;  ///< sent to each session, so that nobody waits long
};

struct FeedServerCounts {
  std::uint64_t connections = 0;
  std::uint64_t connections_refused = 0;
  std::uint64_t logins = 0;
  std::uint64_t logins_refused = 0;  ///< with an answer
  std::uint64_t cut = 0;             ///< without an answer: unknown, twice, no login or no request in time, no unit
  std::uint64_t requests = 0;
  std::uint64_t requests_refused = 0;
  std::uint64_t messages = 0;   ///< application messages sent
  std::uint64_t snapshots = 0;  ///< of instruments
  std::uint64_t slow = 0;       ///< sessions that did not read: nothing taken in time, or what they asked for went
};

class FeedServer final : public link::Acceptor {
 public:
  /// Scheduler entries that it reserves.
  [[nodiscard]] static constexpr std::size_t timers(const FeedServerConfig& config) noexcept {
    return 2 * config.connections;
  }

  /// Throws std::bad_alloc, std::length_error (the scheduler is full), std::invalid_argument: a reader without a name,
  /// or twice, a unit that no message may fit.
  FeedServer(FeedServerConfig config, sched::Scheduler& scheduler, std::span<const PublishedFeed* const> feeds);
  ~FeedServer();
  FeedServer(const FeedServer&) = delete;
  FeedServer& operator=(const FeedServer&) = delete;

  /// A free session, or null.
  [[nodiscard]] link::Connection* on_accept(const link::Address& peer) override;

  /// While it is not, logins are answered with 'c' and requests with 'U'.
  void set_available(bool is_available) noexcept;
  /// Ends all sessions; what they asked for is left out.
  void close_all();

  [[nodiscard]] const FeedServerCounts& counts() const noexcept;
  /// Connections, logged in or not.
  [[nodiscard]] std::size_t connections() const noexcept;
  /// Readers that are logged in.
  [[nodiscard]] std::size_t logged_in() const noexcept;

  /// What sessions share; private to the sources.
  struct Desk;

 private:
  std::unique_ptr<Desk> desk_;
};

}  // namespace dojima::mitch
