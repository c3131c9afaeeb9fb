#pragma once

// The thread that does a journal's slow work: it calls `FileJournal::work` again and again, waits a little when there
// was nothing to do, and rests when nothing came for some time, until something does (`FileJournal::rest`). The thread
// that writes the journal never waits for it, and wakes it only from a rest. Where records are durable as soon as they
// are committed (`Durability::process`, `none`) nobody waits for it at all: it naps longer, and notifies nobody.
//
//   JournalThread thread(journal, {.on_durable = [&] { loop.wake(); }});   // from the journal's thread
//
// Destroy it before the journal is closed.

#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>

#include "dojima/journal/file_journal.hpp"

namespace dojima::journal {

enum class WorkerIdle : std::uint8_t {
  spin,   ///< asks again at once: a core of its own
  yield,  ///< lets others run, then asks again
  nap,    ///< asks a few times, then sleeps
};

struct JournalThreadOptions {
  WorkerIdle idle = WorkerIdle::nap;
  std::chrono::nanoseconds nap = std::chrono::microseconds{20};  ///< with work expected soon
  /// The longest nap: naps double while there is nothing to do, at once where nobody waits for this thread, else after
  /// a thousand of them. A journal populates 4 MiB ahead of its records, and has spare segments behind those.
  std::chrono::nanoseconds longest_nap = std::chrono::microseconds{500};
  /// After twenty of these without a record it rests for so long, or until there is something to do.
  std::chrono::nanoseconds rest = std::chrono::seconds{1};
  std::chrono::nanoseconds retry = std::chrono::milliseconds{10};  ///< after something failed
  /// So often the segment in use is synced, where records are durable as soon as they are committed: `synced()` is
  /// hardly older. 0: only the ends of segments. The kernel writes it back by itself about as often.
  std::chrono::nanoseconds sync_every = std::chrono::seconds{10};
  std::function<void()> on_durable{};  ///< when `durable()` has moved; `power` only
  std::function<void()> on_room{};     ///< when `FileJournal::readiness()` has changed
};

class JournalThread {
 public:
  /// Throws std::system_error when there can be no thread.
  explicit JournalThread(FileJournal& journal, JournalThreadOptions options = {});

 private:
  void run(const std::stop_token& stop);
  FileJournal& journal_;
  JournalThreadOptions options_;
  std::jthread thread_;
};

}  // namespace dojima::journal
