#include "dojima/venue/threads/partition_threads.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <ctime>
#include <latch>
#include <pthread.h>
#include <stdexcept>
#include <string>

#include "dojima/base/assert.hpp"
#include "dojima/base/thread_name.hpp"

namespace dojima::venue {
namespace {

/// So many commands are shown to a partition's thread together: the end of their ring is a cache line that both threads
/// want, and what the commands need is fetched together.
constexpr std::uint64_t k_shown = 8;
/// So many commands of an instant are worth waking a thread that sleeps: a system call of some microseconds.
constexpr std::uint64_t k_worth_waking = 16;
/// How often a thread looks before it lets others have its core.
constexpr std::uint32_t k_looks = 256;
/// ... and before it sleeps.
constexpr std::uint32_t k_looks_awake = 2048;

void pause_a_moment() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

/// A command as it was posted. What users' requests become is no longer than that.
struct Posted {
  Time now;
  alignas(8) std::byte bytes[sizeof(market::NewOrder)];

  [[nodiscard]] market::CommandHeader& header() noexcept { return *reinterpret_cast<market::CommandHeader*>(bytes); }
};

}  // namespace

/// A partition's ring, and whose turn it is to apply what is in it.
struct PartitionThreads::Lane {
  Lane(Partition& its_partition, std::size_t capacity) : partition(its_partition), ring(capacity) {}

  [[nodiscard]] bool try_lock() noexcept { return !lock.test_and_set(std::memory_order_acquire); }
  void unlock() noexcept { lock.clear(std::memory_order_release); }

  Partition& partition;
  SpscRing<Posted> ring;
  // The thread of the sessions; `stop_at` while the lane is settled, before it posts.
  std::uint64_t posted = 0, settled = 0;
  std::uint64_t stop_at = 0;
  Worker* worker = nullptr;
  PartitionThreadCounters counters;
  alignas(64) std::atomic_flag lock;    // who holds it applies, and is the ring's consumer
  std::atomic<bool> is_blocked{false};  // the command in front waits for the taker
  std::uint64_t by_thread = 0;          // under the lock
};

struct alignas(64) PartitionThreads::Worker {
  std::vector<Lane*> lanes;
  std::atomic<std::uint32_t> calls{0};  // rises when it shall wake up
  std::atomic<bool> is_asleep{false};
  bool is_called = false;  // since the last settle(); the thread of the sessions
  std::latch is_running{1};
  std::jthread thread;
};

PartitionThreads::PartitionThreads(std::span<Partition* const> partitions, const PartitionThreadsOptions& options)
    : idle_(options.idle) {
  if (partitions.empty()) throw std::invalid_argument("partition threads: at least one partition");
  if (options.threads == 0 || options.threads > partitions.size())
    throw std::invalid_argument("partition threads: from one to as many as there are partitions");
  if (options.ring < 2) throw std::invalid_argument("partition threads: room for two commands at least");
  for (std::size_t at = 0; at < options.threads; ++at) workers_.push_back(std::make_unique<Worker>());
  for (Partition* partition : partitions) {
    lanes_.push_back(std::make_unique<Lane>(*partition, options.ring));
    Worker& worker = *workers_[(lanes_.size() - 1) % workers_.size()];
    lanes_.back()->worker = &worker;
    worker.lanes.push_back(lanes_.back().get());
  }
}

PartitionThreads::~PartitionThreads() {
  DOJIMA_ASSERT(!is_any_posted_, "threads end when what was posted is settled", lanes_.size(), workers_.size());
  for (const auto& worker : workers_) {
    worker->thread.request_stop();
    worker->calls.fetch_add(1, std::memory_order_release);
    worker->calls.notify_one();
  }
}

void PartitionThreads::start(const std::function<void(std::size_t)>& on_start) {
  DOJIMA_ASSERT(!is_started_ && taker_ != nullptr, "threads begin once, when there is a taker", is_started_);
  for (std::size_t at = 0; at < workers_.size(); ++at) {
    Worker& worker = *workers_[at];
    worker.thread = std::jthread([this, &worker, &on_start, at](const std::stop_token& stop) {
      name_this_thread("partitions " + std::to_string(at + 1));
      if (on_start) on_start(at);
      worker.is_running.count_down();
      work(worker, stop);
    });
    worker.is_running.wait();
  }
  is_started_ = true;
}

// ---- The thread of the sessions -------------------------------------------------------------------------------------

bool PartitionThreads::post(std::size_t partition, const market::CommandHeader& header, Time now,
                            std::uint64_t stop_at) {
  const std::size_t size = market::size_of(header.type);
  DOJIMA_ASSERT(is_open_ && partition < lanes_.size() && size != 0 && size <= sizeof(Posted::bytes),
                "a user's request is posted while an instant's input is delivered", is_open_, partition, header.type,
                size);
  Lane& lane = *lanes_[partition];
  if (lane.posted == lane.settled) {
    lane.stop_at = stop_at;
    lane.partition.lend();
  }
  const bool is_posted = lane.ring.stage_in_place([&](Posted& place) {
    place.now = now;
    std::memcpy(place.bytes, static_cast<const void*>(&header), size);
  });
  if (!is_posted) return false;
  ++lane.posted;
  is_any_posted_ = true;
  if ((lane.posted - lane.settled) % k_shown == 0) show(lane);
  return true;
}

/// The thread may begin with what was posted. One that sleeps is called once an instant; a call that is missed costs
/// nothing but the help, as settle() applies what nobody has begun.
void PartitionThreads::show(Lane& lane) {
  lane.ring.publish();
  Worker& worker = *lane.worker;
  if (worker.is_called || lane.posted - lane.settled < k_worth_waking ||
      !worker.is_asleep.load(std::memory_order_relaxed))
    return;
  worker.is_called = true;
  worker.calls.fetch_add(1, std::memory_order_release);
  worker.calls.notify_one();
}

/// First every lane is applied as far as that goes without the taker, so that no thread is in any partition when the
/// taker looks at them.
void PartitionThreads::settle_posted() {
  bool is_any_left = false;
  for (const auto& lane : lanes_)
    if (lane->posted != lane->settled) lane->ring.publish();
  for (std::uint32_t looks = 0;; ++looks) {
    bool is_quiet = true;
    for (const auto& each : lanes_) {
      Lane& lane = *each;
      if (lane.posted == lane.settled) continue;
      if (!lane.try_lock()) {
        is_quiet = false;
        continue;
      }
      lane.counters.by_sessions += drain(lane);
      const bool is_left = lane.is_blocked.load(std::memory_order_relaxed);
      lane.counters.by_thread = lane.by_thread;
      lane.unlock();
      lane.counters.most_posted = std::max(lane.counters.most_posted, lane.posted - lane.settled);
      applied_ += lane.posted - lane.settled;
      lane.settled = lane.posted;
      lane.partition.take_back();
      is_any_left = is_any_left || is_left;
    }
    if (is_quiet) break;
    if (looks < k_looks)
      pause_a_moment();
    else
      std::this_thread::yield();
  }
  for (const auto& worker : workers_) worker->is_called = false;
  if (is_any_left) settle_rest();
  is_any_posted_ = false;
}

void PartitionThreads::settle_rest() {
  for (std::size_t at = 0; at < lanes_.size(); ++at) {
    Lane& lane = *lanes_[at];
    if (!lane.is_blocked.load(std::memory_order_relaxed)) continue;
    while (!lane.try_lock()) pause_a_moment();  // a thread that looks at the ring in vain
    while (Posted* const next = lane.ring.front()) {
      taker_->take(at, next->header(), next->now);
      lane.ring.drop();
      ++lane.counters.by_sessions;
    }
    lane.is_blocked.store(false, std::memory_order_relaxed);
    lane.unlock();
  }
}

std::size_t PartitionThreads::finish(Time) {
  settle();
  is_open_ = false;
  const std::size_t applied = applied_;
  applied_ = 0;
  return applied;
}

const PartitionThreadCounters& PartitionThreads::counters(std::size_t partition) const {
  DOJIMA_ASSERT(!is_any_posted_ && partition < lanes_.size(), "counters are read when all is settled", partition,
                lanes_.size());
  return lanes_[partition]->counters;
}

Duration PartitionThreads::processor_time(std::size_t thread) const {
  DOJIMA_ASSERT(is_started_ && thread < workers_.size(), "of a thread that runs", is_started_, thread, workers_.size());
  clockid_t clock{};
  timespec taken{};
  // The handle is what the standard library gives of a thread, and no other thread ends it.
  if (::pthread_getcpuclockid(workers_[thread]->thread.native_handle(), &clock) != 0 ||
      ::clock_gettime(clock, &taken) != 0)
    return Duration{0};
  return std::chrono::seconds{taken.tv_sec} + std::chrono::nanoseconds{taken.tv_nsec};
}

std::size_t PartitionThreads::capacity() const noexcept {
  return lanes_.front()->ring.capacity();
}

// ---- The holder of a lane's lock -----------------------------------------------------------------------------------

/// Applies what is in the ring, up to a command that the taker has to see. How many commands. What the commands that
/// lie there together need is fetched together, before the first of them is applied, where there are many orders.
std::size_t PartitionThreads::drain(Lane& lane) {
  std::size_t applied = 0;
  if (lane.is_blocked.load(std::memory_order_relaxed)) return 0;
  const Partition::Inside inside(lane.partition);
  while (const std::size_t count = std::min(lane.ring.look(), Partition::k_prefetched)) {
    prefetch(lane, count);
    for (std::size_t at = 0; at < count; ++at, ++applied) {
      Posted& next = lane.ring.at(0);
      if (lane.partition.reports().end() >= lane.stop_at || !lane.partition.submit(next.header(), next.now)) {
        lane.is_blocked.store(true, std::memory_order_relaxed);
        return applied;
      }
      lane.ring.drop();
    }
  }
  return applied;
}

void PartitionThreads::prefetch(Lane& lane, std::size_t count) {
  if (count < 2 || lane.partition.live_orders() <= Partition::k_orders_in_caches) return;
  std::array<const market::CommandHeader*, Partition::k_prefetched> next;
  for (std::size_t at = 0; at < count; ++at) next[at] = &lane.ring.at(at).header();
  lane.partition.prefetch(std::span(next).first(count));
}

// ---- The partitions' threads ----------------------------------------------------------------------------------------

bool PartitionThreads::serve(Worker& worker) {
  bool is_any_applied = false;
  for (Lane* const lane : worker.lanes) {
    if (lane->ring.size() == 0 || lane->is_blocked.load(std::memory_order_relaxed) || !lane->try_lock()) continue;
    const std::size_t applied = drain(*lane);
    lane->by_thread += applied;
    lane->unlock();
    is_any_applied = is_any_applied || applied != 0;
  }
  return is_any_applied;
}

void PartitionThreads::work(Worker& worker, const std::stop_token& stop) {
  for (std::uint32_t idle_turns = 0; !stop.stop_requested();) {
    if (serve(worker))
      idle_turns = 0;
    else
      rest(worker, ++idle_turns, stop);
  }
}

void PartitionThreads::rest(Worker& worker, std::uint32_t idle_turns, const std::stop_token& stop) {
  if (idle_ == ThreadIdle::spin || idle_turns < k_looks) return pause_a_moment();
  if (idle_ == ThreadIdle::yield || idle_turns < k_looks_awake) return std::this_thread::yield();
  const std::uint32_t calls = worker.calls.load(std::memory_order_acquire);
  if (stop.stop_requested()) return;
  worker.is_asleep.store(true, std::memory_order_relaxed);
  worker.calls.wait(calls, std::memory_order_acquire);
  worker.is_asleep.store(false, std::memory_order_relaxed);
}

}  // namespace dojima::venue
