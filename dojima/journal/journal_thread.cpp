#include "dojima/journal/journal_thread.hpp"

#include <algorithm>
#include <stop_token>
#include <sys/prctl.h>
#include <utility>

#include "dojima/base/thread_name.hpp"

namespace dojima::journal {
namespace {

/// Askings without work before the first nap, and naps before they become longer, where somebody waits for the disk.
constexpr unsigned k_patience = 64, k_naps = 1000;
/// The longest naps without a record before a rest.
constexpr unsigned k_still = 20;
/// What wakes it is seldom alone: records of one turn of a loop, a few microseconds apart, share one sync.
constexpr std::chrono::microseconds k_gathering{100};
constexpr std::chrono::nanoseconds k_sync_again = std::chrono::seconds{1};  // where something has failed

}  // namespace

JournalThread::JournalThread(FileJournal& journal, JournalThreadOptions options)
    : journal_(journal), options_(std::move(options)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

void JournalThread::run(const std::stop_token& stop) {
  name_this_thread("journal");
  ::prctl(PR_SET_TIMERSLACK, 1UL);  // the kernel's 50 us would be most of a nap
  // Else what is committed is durable, and the committing thread knows it.
  const bool is_awaited = journal_.durability() == Durability::power;
  const unsigned patience = is_awaited ? k_patience : 0, naps = is_awaited ? k_naps : 0;
  const std::stop_callback wake(stop, [this] { journal_.end_rest(); });
  Sequence seen = journal_.durable();
  JournalReadiness ready = journal_.readiness();
  Sequence last = journal_.last();
  unsigned idle = 0, still = 0;
  std::chrono::nanoseconds nap = options_.nap;
  using Clock = std::chrono::steady_clock;
  const bool is_synced = !is_awaited && options_.sync_every.count() > 0;
  Clock::time_point next_sync = Clock::now() + options_.sync_every;
  while (!stop.stop_requested()) {
    const bool has_worked = journal_.work();
    if (const Sequence now = journal_.durable(); is_awaited && now != seen) {
      seen = now;
      if (options_.on_durable) options_.on_durable();
    }
    if (const JournalReadiness now = journal_.readiness(); now != ready) {
      ready = now;
      if (options_.on_room) options_.on_room();
    }
    if (has_worked) {
      idle = still = 0;
      nap = options_.nap;
      continue;
    }
    if (is_synced && Clock::now() >= next_sync) {
      journal_.sync_in_use();
      const bool is_in_trouble = journal_.trouble().has_value();
      next_sync = Clock::now() + (is_in_trouble ? std::min(options_.sync_every, k_sync_again) : options_.sync_every);
    }
    if (const Sequence now = journal_.last(); now != last) {
      last = now;
      still = 0;
    }
    if (journal_.trouble()) {
      std::this_thread::sleep_for(options_.retry);
    } else if (options_.idle == WorkerIdle::nap && still >= k_still) {
      const std::chrono::nanoseconds to_sync = next_sync - Clock::now();
      journal_.rest(is_synced ? std::clamp(to_sync, std::chrono::nanoseconds{0}, options_.rest) : options_.rest);
      if (journal_.last() != last) {
        idle = 0;
        nap = options_.nap;
        if (is_awaited) std::this_thread::sleep_for(k_gathering);
      }
    } else if (options_.idle == WorkerIdle::nap && ++idle > patience) {
      std::this_thread::sleep_for(nap);
      if (nap >= options_.longest_nap) ++still;
      if (idle > patience + naps) nap = std::max(nap, std::min(2 * nap, options_.longest_nap));
    } else if (options_.idle != WorkerIdle::spin) {
      std::this_thread::yield();
    }
  }
}

}  // namespace dojima::journal
