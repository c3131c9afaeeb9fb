#pragma once

// A reader of the live feed: it takes the first copy of every message from lines A and B, closes gaps by the replay
// channel, and joins late, or after a gap that replay does not reach, by the recovery channel. Its books are the
// venue's whenever a group is live. A state machine: datagrams, connections and time come in, messages, notices and
// requests go out; no sockets and no clock. One thread; the objects that it is given outlive it. Memory of a group is
// taken when the group is first heard of, 72 bytes for each message of the window besides its books.
//
//   FeedClient client({.user = "READER", .password = "feed_1234", .replay = {{"127.0.0.1", 14304}}}, scheduler,
//   &fabric,
//                     handler);
//   datagrams.subscribe(line_a, client.line(0));  datagrams.subscribe(line_b, client.line(1));
//   client.start(now);
//
// What it does where is in docs/mitch.md.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dojima/base/text.hpp"
#include "dojima/link/datagram.hpp"
#include "dojima/mitch/book_builder.hpp"
#include "dojima/mitch/feed/feed_server.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::mitch {

/// An instrument that is known before any message has named it.
struct FollowedInstrument {
  char group = '1';
  std::uint32_t id = 0;
};

struct FeedClientOptions {
  std::string user;                             ///< CompID at both channels, up to 6 characters
  std::string password;                         ///< up to 10
  std::optional<link::Address> replay;          ///< none: gaps go to recovery
  std::optional<link::Address> recovery;        ///< none: what replay does not give is lost
  std::vector<FollowedInstrument> instruments;  ///< asked for when it joins late
  std::vector<Text<6>> segments;                ///< likewise
  BookBuilderLimits books;                      ///< of each group
  std::size_t groups = 8;                       ///< market data groups; units of more are counted and left out
  std::size_t window = 1 << 17;                 ///< messages of a group kept while something before them is missing
  std::uint32_t replay_most = 65'000;           ///< messages missing; more go to recovery
  time::Duration patience = std::chrono::milliseconds{5};  ///< a missing message waits for the other line
  time::Duration silence = std::chrono::seconds{4};        ///< a line without a unit for so long is lost
  time::Duration restart = std::chrono::seconds{2};  ///< numbers that stay behind for so long mean that they began anew
  time::Duration answer = std::chrono::seconds{5};   ///< a channel that says nothing for so long is given up
  time::Duration retry = std::chrono::milliseconds{250};  ///< after a failure of a channel; twice as long each time
  time::Duration longest_retry = std::chrono::seconds{10};
};

enum class FeedNoticeKind : std::uint8_t {
  joined,       ///< a group is heard of; `first` is the number that comes next
  gap,          ///< `count` messages from `first` on are missing on both lines
  gap_closed,   ///< none is missing any more
  recovering,   ///< `count` messages from `first` on will not come: the books are asked for
  recovered,    ///< an instrument's book is good again, as of the message `first`
  live,         ///< no message is missing and no book is suspect
  refused,      ///< a channel said `status`
  unreachable,  ///< a channel cannot be had, or ended before its time; it is tried again
  restarted,    ///< the group's numbers began anew
  misfit,       ///< message `first` does not fit the book, which is suspect now
  given_up,     ///< the instrument stays suspect until its book is cleared; instrument 0: the group's
  line_lost,
  line_back,
};

struct FeedNotice {
  FeedNoticeKind kind = FeedNoticeKind::joined;
  char group = '\0';  ///< null: it is about a line or a channel
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t instrument = 0;
  std::size_t line = 0;
  FeedChannel channel = FeedChannel::replay;
  char status = '\0';
  bool is_login = false;  ///< what was refused; else a request
  Text<6> segment;        ///< whose books were asked for; empty: no segment's
};

/// What happens to a reader. Called from the loop only; it may not call the client.
class FeedHandler {
 public:
  /// Every message that came, once, in the order of its group, before it changes the books.
  virtual void on_message(char group, std::uint32_t number, Bytes message, time::Time now) {
    static_cast<void>(group), static_cast<void>(number), static_cast<void>(message), static_cast<void>(now);
  }
  virtual void on_notice(const FeedNotice& notice, time::Time now) = 0;

 protected:
  ~FeedHandler() = default;
};

struct FeedClientCounts {
  std::uint64_t units = 0;
  std::uint64_t messages = 0;    ///< passed on
  std::uint64_t duplicates = 0;  ///< messages that were there already, most of them from the other line
  std::uint64_t malformed = 0;   ///< datagrams that are no unit of the real-time channel
  std::uint64_t foreign = 0;     ///< units of one group too many
  std::uint64_t gaps = 0;
  std::uint64_t missing = 0;   ///< messages that were missing when their gap was found
  std::uint64_t replayed = 0;  ///< messages that the replay channel brought
  std::uint64_t skipped = 0;   ///< messages that never came: the books went to recovery
  std::uint64_t replay_requests = 0;
  std::uint64_t snapshot_requests = 0;
  std::uint64_t refused = 0;  ///< requests and logins
  std::uint64_t snapshots = 0;
  std::uint64_t stale_snapshots = 0;  ///< asked for again: what came after them was no longer there
  std::uint64_t misfits = 0;
  std::uint64_t restarts = 0;
};

class FeedClient {
 public:
  static constexpr std::size_t k_lines = 2;

  /// Scheduler entries that it reserves.
  [[nodiscard]] static constexpr std::size_t timers(const FeedClientOptions& options) noexcept {
    return options.groups + 3;
  }

  /// `fabric` reaches the channels; null: there are none. Throws std::invalid_argument for a name or password that no
  /// login carries, std::length_error: the scheduler is full.
  FeedClient(FeedClientOptions options, sched::Scheduler& scheduler, link::Fabric* fabric, FeedHandler& handler);
  ~FeedClient();
  FeedClient(const FeedClient&) = delete;
  FeedClient& operator=(const FeedClient&) = delete;

  /// Where the datagrams of line A (0) and B (1) go.
  [[nodiscard]] link::DatagramReceiver& line(std::size_t which) noexcept;
  /// Begins to watch the lines.
  void start(time::Time now);
  /// Ends its sessions with the channels; nothing is asked for any more.
  void stop();

  /// The books of a group; null: it was not heard of.
  [[nodiscard]] const BookBuilder* books(char group) const noexcept;
  /// In the order in which they were heard of.
  [[nodiscard]] std::string groups() const;
  /// The number of the message that comes next; 0: it was not heard of.
  [[nodiscard]] std::uint32_t next(char group) const noexcept;
  /// No message is missing, no book is suspect, and no segment is lacking.
  [[nodiscard]] bool is_live(char group) const noexcept;
  /// Segments whose books the recovery channel refused, or had not given before stop(), where a group was joined late:
  /// of that day it stays unknown what they hold.
  [[nodiscard]] std::size_t lacking_segments() const noexcept;
  /// Messages that are missing now, as far as is known.
  [[nodiscard]] std::uint64_t missing() const noexcept;
  /// Instruments whose books are not known to be the venue's.
  [[nodiscard]] std::size_t suspects() const noexcept;
  [[nodiscard]] bool is_suspect(std::uint32_t instrument) const noexcept;
  [[nodiscard]] bool is_line_lost(std::size_t which) const noexcept;
  [[nodiscard]] const FeedClientCounts& counts() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// "gap", "line lost"...
[[nodiscard]] const char* name_of(FeedNoticeKind kind) noexcept;
/// Why a channel refused, of a notice of this kind: "another password". Section 9 of MIT303.
[[nodiscard]] const char* refusal_words(const FeedNotice& notice) noexcept;

}  // namespace dojima::mitch
