#pragma once

// The journals of a venue on disk: a folder for each partition, opened and recovered at the start, and the threads that
// do their slow work and write their snapshots. docs/operations.md says what to do for each message.
//
//   auto opened = VenueJournals::open(config, clock.now(), show);
//   if (!opened) complain(opened.error());
//   Exchange exchange(config, scheduler, opened->take_partitions());
//   opened->start([&] { fabric.wake(); });                    // before the first command

#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dojima/journal/journal_thread.hpp"
#include "dojima/journal/real_disk.hpp"
#include "dojima/simulate/exchange.hpp"
#include "dojima/venue/operator_log.hpp"
#include "dojima/venue/recovery/follower.hpp"

namespace dojima::app {

class VenueJournals {
 public:
  /// Recovers what is in `config.journal.directory`, or begins it. `show` gets a line for whatever a person should
  /// know. The error is text of several lines: what, where, what to do.
  [[nodiscard]] static std::expected<std::unique_ptr<VenueJournals>, std::string> open(
      const simulate::ExchangeConfig& config, time::Time now, const std::function<void(const std::string&)>& show);
  /// Stops the threads; the partitions, which close their journals, must have gone before, or go without them.
  ~VenueJournals();
  VenueJournals(const VenueJournals&) = delete;
  VenueJournals& operator=(const VenueJournals&) = delete;

  /// What the operator did, beside the partitions.
  [[nodiscard]] venue::OperatorLog& operations() noexcept { return *operations_; }
  /// For the exchange; once.
  [[nodiscard]] simulate::JournaledPartitions take_partitions() { return std::move(partitions_); }

  /// Threads begin. `wake` is called from them when `durable()` has moved.
  void start(const simulate::JournaledPartitions& partitions, const std::function<void()>& wake);
  /// Threads end: before the partitions' journals are closed.
  void stop();

  /// What is wrong now that was not when it was asked last, and what is well again, a line each.
  [[nodiscard]] std::vector<std::string> news();

 private:
  explicit VenueJournals(const simulate::JournalConfig& config) : config_(config) {}
  [[nodiscard]] std::expected<void, std::string> open_operations();

  struct Watch {
    journal::FileJournal* journal = nullptr;
    std::string name;
    bool is_troubled = false;
    std::uint64_t failures = 0;
    bool is_lost = false;
    std::unique_ptr<venue::Follower> follower;
  };

  simulate::JournalConfig config_;
  std::vector<std::unique_ptr<journal::RealDisk>> disks_;
  simulate::JournaledPartitions partitions_;
  std::vector<Watch> watches_;
  std::unique_ptr<journal::RealDisk> operations_disk_;
  std::unique_ptr<venue::OperatorLog> operations_;
  std::vector<std::unique_ptr<journal::JournalThread>> threads_;
  std::vector<std::unique_ptr<venue::FollowerThread>> follower_threads_;
};

/// The folder of the operator's log, in the directory of a venue.
inline constexpr const char* k_operator_folder = "operator";
/// "partition-1", in the directory of a venue.
[[nodiscard]] std::string partition_folder(std::uint8_t number);

}  // namespace dojima::app
