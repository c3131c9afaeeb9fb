#pragma once

// Messages of a session over TCP by SoupBinTCP (specification 3.00, NASDAQ): a reader logs in with the number of the
// message that it wants first and gets all from there on, those of the past as quickly as it reads, then each as it
// comes. Messages are kept in a ring; a reader that falls out of it, or takes nothing for a while, is ended and costs
// nobody anything. Deterministic; nothing is allocated after construction. One thread.
//
//   SoupServer soup({.session = "0001", .readers = {...}}, scheduler);
//   fabric.listen({"127.0.0.1", 14305}, soup);
//   soup.append(message);  soup.flush(now);

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "dojima/base/text.hpp"
#include "dojima/link/connection.hpp"
#include "dojima/mitch/feed/feed_server.hpp"
#include "dojima/mitch/feed/message_window.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::mitch {

struct SoupServerConfig {
  Text<10> session;
  std::vector<FeedReader> readers;
  ReaderPasswords* passwords = nullptr;  ///< as FeedServerConfig
  std::uint32_t first_connection = 0;
  std::size_t connections = 16;
  std::size_t messages = 1 << 16;                      ///< kept, 72 bytes each
  time::Duration login = std::chrono::seconds{5};      ///< a connection that does not log in for so long is ended
  time::Duration heartbeat = std::chrono::seconds{1};  ///< of ours, when nothing else was sent
  time::Duration silence = std::chrono::seconds{15};   ///< a reader that says nothing for so long is ended
  std::size_t bytes_a_turn = 1 << 16;                  ///< sent to each reader, so that nobody waits long
};

struct SoupCounts {
  std::uint64_t connections = 0;
  std::uint64_t connections_refused = 0;
  std::uint64_t logins = 0;
  std::uint64_t logins_refused = 0;
  std::uint64_t cut = 0;       ///< no login in time, no packet of the protocol, silent for too long
  std::uint64_t slow = 0;      ///< readers that fell behind what is kept
  std::uint64_t messages = 0;  ///< sent
};

class SoupServer final : public link::Acceptor {
 public:
  /// Scheduler entries that it reserves.
  [[nodiscard]] static constexpr std::size_t timers(const SoupServerConfig& config) noexcept {
    return 2 * config.connections;
  }

  /// Throws std::bad_alloc, std::length_error: the scheduler is full, std::invalid_argument: a reader's `password_kept`
  /// and nobody who compares it.
  SoupServer(SoupServerConfig config, sched::Scheduler& scheduler);
  ~SoupServer();
  SoupServer(const SoupServer&) = delete;
  SoupServer& operator=(const SoupServer&) = delete;

  [[nodiscard]] link::Connection* on_accept(const link::Address& peer) override;

  /// A message of 1 to 64 bytes, the next of the session; it leaves with flush().
  void append(Bytes message);
  void flush(time::Time now);
  /// No message follows; readers that have all are sent the end of the session and ended.
  void end(time::Time now);
  void close_all();

  [[nodiscard]] std::uint64_t next() const noexcept;
  [[nodiscard]] const SoupCounts& counts() const noexcept;
  [[nodiscard]] std::size_t logged_in() const noexcept;
  /// At present, logged in or not.
  [[nodiscard]] std::size_t connections() const noexcept;

 private:
  struct Desk;
  class Session;

  std::unique_ptr<Desk> desk_;
};

}  // namespace dojima::mitch
