#pragma once

// A venue made from its configuration, over any network and any time: partitions with their journals, and the front
// that serves users. `VenueServer` runs one over sockets, the demo also over a simulated network. No allocation after
// construction. One thread; where the configuration has more, they are for the partitions.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dojima/journal/memory_journal.hpp"
#include "dojima/link/connection.hpp"
#include "dojima/measure/probe.hpp"
#include "dojima/sched/scheduler.hpp"
#include "dojima/simulate/exchange_config.hpp"
#include "dojima/venue/day_clock.hpp"
#include "dojima/venue/feed/durable_feed.hpp"
#include "dojima/venue/feed/market_data.hpp"
#include "dojima/venue/front.hpp"
#include "dojima/venue/next_day_clock.hpp"
#include "dojima/venue/partition.hpp"
#include "dojima/venue/recovery/copy_front.hpp"
#include "dojima/venue/recovery/journaled_partition.hpp"
#include "dojima/venue/recovery/recovery_front.hpp"
#include "dojima/venue/recovery/report_archive.hpp"
#include "dojima/venue/threads/partition_threads.hpp"

namespace dojima::simulate {

/// Probe stages of a venue, and who takes the marks; the probe may be null.
struct ExchangeProbe {
  measure::Probe* probe = nullptr;
  std::uint8_t in = 0;
  std::uint8_t out = 1;
  std::uint8_t taken = venue::k_no_stage;  ///< venue::RequestStages::taken
  std::uint32_t one_in = 1;                ///< venue::FrontConfig::marked_one_in
};

/// Partitions with journals on disk, in the order of their numbers.
using JournaledPartitions = std::vector<std::unique_ptr<venue::JournaledPartition>>;

class Exchange {
 public:
  /// Scheduler entries that it reserves.
  [[nodiscard]] static std::size_t timers(const ExchangeConfig& config) noexcept;

  /// The numbers of the partitions that have instruments.
  [[nodiscard]] static std::vector<std::uint8_t> partition_numbers(const ExchangeConfig& config);
  /// What a partition is made from; `build` names the program.
  [[nodiscard]] static venue::PartitionSettings partition_settings(const ExchangeConfig& config, std::uint8_t number,
                                                                   std::string build = {});

  /// `journaled`: a partition for each number of partition_numbers(), opened with its partition_settings(); the caller
  /// that opened them does their journals' slow work. None: journals are in memory. `passwords`: keeps those that users
  /// choose, `access`: locks and kill switches, `hasher`: compares passwords; they outlive it and may be null. `idle`:
  /// of threads of partitions. Throws std::invalid_argument for a configuration that makes no sense, std::bad_alloc.
  Exchange(const ExchangeConfig& config, sched::Scheduler& scheduler, ExchangeProbe probe = {},
           JournaledPartitions journaled = {}, venue::PasswordKeeper* passwords = nullptr,
           venue::AccessKeeper* access = nullptr, venue::PasswordHasher* hasher = nullptr,
           venue::ThreadIdle idle = venue::ThreadIdle::sleep);

  /// Threads of the partitions, which are the loop's first source and begin with start(); null: they have none.
  [[nodiscard]] venue::PartitionThreads* threads() noexcept { return threads_.get(); }
  [[nodiscard]] const venue::PartitionThreads* threads() const noexcept { return threads_.get(); }

  /// Takes MIT203 sessions at that address. Where, or why not.
  [[nodiscard]] Result<link::Address> start(link::Fabric& fabric, const link::Address& where);
  /// Takes recovery sessions at that address; without it there are none.
  [[nodiscard]] Result<link::Address> start_recovery(link::Fabric& fabric, const link::Address& where);

  /// Takes sessions of drop copies at that address. Only where there are readers.
  [[nodiscard]] Result<link::Address> start_copies(link::Fabric& fabric, const link::Address& where);

  [[nodiscard]] venue::Front& front() noexcept { return *front_; }
  [[nodiscard]] const venue::Front& front() const noexcept { return *front_; }
  /// `wake` is called by another thread when reports have been brought back from a journal. Before start_recovery() and
  /// start_copies().
  void on_archive_ready(const std::function<void()>& wake);
  /// A source of the loop, behind the front.
  [[nodiscard]] venue::RecoveryFront& recovery() noexcept { return *recovery_; }
  /// Likewise; null: nobody gets copies.
  [[nodiscard]] venue::CopyFront* copies() noexcept { return copies_.get(); }
  [[nodiscard]] const venue::CopyFront* copies() const noexcept { return copies_.get(); }
  /// In the order of their numbers; only those that have instruments.
  [[nodiscard]] const std::vector<venue::Partition*>& partitions() const noexcept { return partitions_; }
  /// Empty where journals are in memory.
  [[nodiscard]] const JournaledPartitions& journaled() const noexcept { return journaled_; }
  [[nodiscard]] const ExchangeConfig& config() const noexcept { return config_; }

  /// Its market data goes into the sink from now on, each partition's under its number, once the commands behind it are
  /// durable. Before start_days(). Throws std::bad_alloc.
  void publish(mitch::FeedSink& sink, time::Time now);
  /// Market data that waits until it is durable leaves: at the end of every instant, before the sockets.
  [[nodiscard]] sched::Source& feeds() noexcept { return feed_release_; }
  /// The end of the market data's day.
  void finish_feed(time::Time now);
  /// Facts that the feed could not carry.
  [[nodiscard]] std::uint64_t unpublished() const noexcept;

  /// The trading day of `now` begins, where there are timetables: phases that are over are gone through at once.
  void start_days(time::Time now);
  /// The limits of the configuration and the days of its instruments hold from now on, but for what the operator has
  /// changed since: at the construction, and when another day has begun. Throws std::runtime_error where a journal has
  /// no room.
  void set_limits(time::Time now);
  /// By the operator, as the front does it, with what the role forbids from here on. Throws as set_limits().
  [[nodiscard]] Result<std::uint16_t> add_user(const venue::NewUser& user, time::Time now);
  [[nodiscard]] Result<void> remove_user(std::uint16_t user, time::Time now);
  [[nodiscard]] Result<void> set_role(std::uint16_t user, UserRole role, time::Time now);
  /// Who there is, with places that nobody has; by their numbers.
  [[nodiscard]] const std::vector<VenueUserConfig>& users() const noexcept { return config_.users; }
  /// The venue's midnight before `now`.
  [[nodiscard]] time::Time midnight_of(time::Time now) const noexcept;
  /// Replays the kept journals into partitions made anew. Null when they come to the same state; else what differs.
  [[nodiscard]] const char* replay_mismatch() const;
  /// The commands of a kept journal back to back, by the index of its partition: what `recorded::CommandLogReader`
  /// reads.
  [[nodiscard]] std::string command_log(std::size_t partition) const;
  /// Sources of the loop, before the front; none where there are no timetables.
  [[nodiscard]] const std::vector<std::unique_ptr<venue::DayClock>>& clocks() const noexcept { return clocks_; }

 private:
  void make_partitions();
  ExchangeConfig config_;
  std::vector<std::unique_ptr<journal::MemoryJournal>> journals_;
  std::vector<std::unique_ptr<venue::Partition>> in_memory_;
  JournaledPartitions journaled_;
  std::vector<venue::Partition*> partitions_;
  /// Releases all feeds.
  struct FeedRelease final : sched::Source {
    explicit FeedRelease(Exchange& of) : exchange(of) {}
    [[nodiscard]] time::Time next_time() override { return time::k_never; }
    std::size_t deliver(time::Time) override { return 0; }
    std::size_t finish(time::Time) override;
    Exchange& exchange;
  };

  FeedRelease feed_release_{*this};
  std::vector<std::unique_ptr<venue::DurableFeed>> held_feeds_;
  std::vector<std::unique_ptr<venue::MarketData>> feeds_;
  std::vector<std::unique_ptr<venue::DayClock>> clocks_;
  std::unique_ptr<venue::NextDayClock> next_day_;
  std::unique_ptr<venue::Front> front_;
  std::vector<std::unique_ptr<venue::ReportArchive>> archives_;  // of partitions with journals on disk
  std::unique_ptr<venue::RecoveryFront> recovery_;
  std::unique_ptr<venue::CopyFront> copies_;          // null: nobody gets copies
  std::unique_ptr<venue::PartitionThreads> threads_;  // null: one thread does it all; they end first
};

}  // namespace dojima::simulate
