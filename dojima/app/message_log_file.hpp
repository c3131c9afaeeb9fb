#pragma once

// A message log in files: a line an entry, with its time, the session and the direction; `dojima fix print FILE` shows
// it, `--follow` while it is written. The sessions' thread puts entries into a ring and never waits: a thread of the
// log's own writes them. When it cannot keep up, or the disk is full, entries are missed, counted, and the log says so.
// Secrets are masked. A file that is large enough, or of another day (UTC, of the entries), becomes FILE.1, that one
// FILE.2, and so on.
//
//   MessageLogFile log({.path = "gateway.log"});   // throws std::system_error when it cannot be written
//   Session session(scheduler, {.log = &log, ...}, handler);

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "dojima/fix/message_log.hpp"

namespace dojima::app {

struct MessageLogOptions {
  std::string path;
  std::uint64_t file_bytes = std::uint64_t{1} << 28;  ///< a file ends with the entry that reaches it
  unsigned files = 10;                                ///< kept, the one in use too; at least 1
  std::size_t ring_bytes = std::size_t{1} << 23;      ///< between the threads; a larger entry is missed
};

class MessageLogFile final : public fix::MessageLog {
 public:
  /// Goes on behind what is in the file. Throws std::system_error, std::bad_alloc.
  explicit MessageLogFile(MessageLogOptions options);
  /// Writes what there is, unless that fails.
  ~MessageLogFile();
  MessageLogFile(const MessageLogFile&) = delete;
  MessageLogFile& operator=(const MessageLogFile&) = delete;

  [[nodiscard]] std::uint32_t add_session(const fix::SessionName& name) override;
  void write(std::uint32_t session, fix::LogEntry entry, Bytes bytes, time::Time now) noexcept override;

  /// Waits until everything is written, at most two seconds. False: it is not.
  bool flush();
  /// Null when every entry is written or may still be, else what is missing and why. Lives until the next call.
  [[nodiscard]] const char* trouble();
  [[nodiscard]] std::uint64_t missed() const noexcept { return missed_.load(std::memory_order_relaxed); }

 private:
  class Output;
  struct Taken {
    std::uint64_t end = 0;      // bytes of the ring
    bool is_empty = false;      // the ring was, once these were taken
    bool is_file_done = false;  // the entry at `end` belongs into a new file
  };

  void run(const std::stop_token& stop);
  void copy_in(std::uint64_t at, Bytes bytes) noexcept;
  void copy_out(std::uint64_t at, Room room) const noexcept;
  [[nodiscard]] Taken take(std::uint64_t from);
  void note_missed();

  const std::size_t capacity_;
  std::unique_ptr<std::byte[]> ring_;
  std::unique_ptr<Output> output_;                     // the writing thread's
  alignas(64) std::atomic<std::uint64_t> put_{0};      // bytes that were put in; entries are whole
  alignas(64) std::atomic<std::uint64_t> written_{0};  // bytes whose entries are in the file
  std::atomic<std::uint64_t> missed_{0};
  std::atomic<int> errno_{0};  // of the last try to write; 0: it went well
  std::atomic<std::int64_t> last_time_{0};
  std::uint64_t missed_shown_ = 0;  // that the log has said
  std::mutex names_guard_;
  std::vector<std::string> names_;  // of sessions; the thread reads them when it writes
  std::string text_;
  std::jthread thread_;
};

}  // namespace dojima::app
