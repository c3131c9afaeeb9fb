#pragma once

// Partitions on threads of their own. The thread of the sessions posts the commands that an instant's input brings,
// into a ring for each partition; the partitions' threads journal, check, match and report meanwhile, and at the end of
// the instant the thread of the sessions settles: it waits until everything posted is applied, and applies itself what
// no thread has begun. So between two instants partitions are idle, and callers read and change them there as before,
// without a lock; an order that comes alone waits for no other thread; and every partition gets the same commands in
// the same order as with one thread, and gives the same bytes.
//
// As a source of the loop it must be the first one: what the others deliver is posted, and what they finish is settled.
// Nothing is allocated after construction. docs/venue.md says when threads gain something.
//
//   PartitionThreads threads(partitions, {.threads = 2});
//   Front front({.users = users, .threads = &threads}, scheduler, partitions);
//   threads.start();
//   Loop loop(scheduler, pacer, sources = {&threads, &clock, &front, &fabric});

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

#include "dojima/base/ring.hpp"
#include "dojima/market/command.hpp"
#include "dojima/sched/loop.hpp"
#include "dojima/venue/partition.hpp"

namespace dojima::venue {

/// What a thread does that has nothing to do: look again, let others have its core and look again, or sleep until
/// enough is posted to be worth a system call.
enum class ThreadIdle : std::uint8_t { spin, yield, sleep };

struct PartitionThreadsOptions {
  std::size_t threads = 1;  ///< 1 to as many as there are partitions, which are dealt to them in turn
  std::size_t ring = 1024;  ///< commands that wait for a partition, >= 2; with more the sessions settle in between
  ThreadIdle idle = ThreadIdle::sleep;
};

/// How the commands of a partition came to be applied.
struct PartitionThreadCounters {
  std::uint64_t by_thread = 0;    ///< by its own thread
  std::uint64_t by_sessions = 0;  ///< by the thread of the sessions, which had come to the end of its instant
  std::uint64_t most_posted = 0;  ///< in one instant
};

class PartitionThreads final : public sched::Source {
 public:
  /// Who applies what the threads leave: a command before which reports have to leave, or that a journal has no room
  /// for.
  class Taker {
   public:
    virtual void take(std::size_t partition, market::CommandHeader& header, Time now) = 0;

   protected:
    ~Taker() = default;
  };

  /// The partitions must outlive it. Throws std::bad_alloc, std::invalid_argument.
  PartitionThreads(std::span<Partition* const> partitions, const PartitionThreadsOptions& options);
  /// Ends the threads. What is posted must have been settled.
  ~PartitionThreads();
  PartitionThreads(const PartitionThreads&) = delete;
  PartitionThreads& operator=(const PartitionThreads&) = delete;

  /// Before start(); it outlives the last settle().
  void set_taker(Taker& taker) noexcept { taker_ = &taker; }
  /// Begins the threads; `on_start` is called by each of them first, with its number from 0, one after the other. Once.
  /// Throws std::system_error.
  void start(const std::function<void(std::size_t)>& on_start = {});

  // The thread of the sessions.
  /// Whether commands may be posted: between deliver() and finish() of an instant, once started.
  [[nodiscard]] bool is_open() const noexcept { return is_open_; }
  /// `header` is the beginning of a record of its type, which is copied. The thread stops before the command whose
  /// partition has `stop_at` reports or more; what counts is the first one since settle(). False: the ring is full.
  [[nodiscard]] bool post(std::size_t partition, const market::CommandHeader& header, Time now, std::uint64_t stop_at);
  /// Everything posted has been applied or taken, and no thread is in a partition. O(1) where nothing was posted.
  void settle() {
    if (is_any_posted_) settle_posted();
  }

  [[nodiscard]] Time next_time() override { return k_every_turn; }
  std::size_t deliver(Time) override {
    is_open_ = is_started_;
    return 0;
  }
  std::size_t finish(Time) override;

  /// After settle().
  [[nodiscard]] const PartitionThreadCounters& counters(std::size_t partition) const;
  [[nodiscard]] std::size_t threads() const noexcept { return workers_.size(); }
  /// What a thread has taken of its processor; once started. A system call. Any thread may ask.
  [[nodiscard]] Duration processor_time(std::size_t thread) const;
  /// Commands that a partition's ring holds.
  [[nodiscard]] std::size_t capacity() const noexcept;

 private:
  struct Lane;
  struct Worker;

  static void show(Lane& lane);
  void settle_posted();
  void settle_rest();
  void work(Worker& worker, const std::stop_token& stop);
  void rest(Worker& worker, std::uint32_t idle_turns, const std::stop_token& stop);
  [[nodiscard]] static bool serve(Worker& worker);
  [[nodiscard]] static std::size_t drain(Lane& lane);
  static void prefetch(Lane& lane, std::size_t count);

  ThreadIdle idle_;
  std::vector<std::unique_ptr<Lane>> lanes_;  // by partition
  std::vector<std::unique_ptr<Worker>> workers_;
  Taker* taker_ = nullptr;
  bool is_started_ = false;
  bool is_open_ = false;
  bool is_any_posted_ = false;
  std::size_t applied_ = 0;  // since the last finish()
};

}  // namespace dojima::venue
