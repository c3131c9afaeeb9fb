#include "dojima/journal/journal_thread.hpp"

#include <sys/prctl.h>
#include <utility>

namespace dojima::journal {
namespace {

/// Askings without work before the first nap.
constexpr unsigned k_patience = 64;

}  // namespace

JournalThread::JournalThread(FileJournal& journal, JournalThreadOptions options)
    : journal_(journal), options_(std::move(options)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

void JournalThread::run(const std::stop_token& stop) {
  ::prctl(PR_SET_TIMERSLACK, 1UL);  // the kernel's 50 us would be most of a nap
  Sequence seen = journal_.durable();
  unsigned idle = 0;
  while (!stop.stop_requested()) {
    const bool has_worked = journal_.work();
    if (const Sequence now = journal_.durable(); now != seen) {
      seen = now;
      if (options_.on_durable) options_.on_durable();
    }
    if (has_worked) {
      idle = 0;
      continue;
    }
    if (journal_.trouble()) {
      std::this_thread::sleep_for(options_.retry);
    } else if (options_.idle == WorkerIdle::nap && ++idle > k_patience) {
      std::this_thread::sleep_for(options_.nap);
    } else if (options_.idle != WorkerIdle::spin) {
      std::this_thread::yield();
    }
  }
}

}  // namespace dojima::journal
