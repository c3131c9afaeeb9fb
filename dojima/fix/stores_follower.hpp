#pragma once

// The stores of a directory that another process writes, kept warm: for a standby. It reads the records as they come
// and changes nothing. When the writer is gone, the holder of the directory's lock takes over: only what was not read
// yet is read, and the stores are there as JournalStores::open would give them.
//
//   auto follower = StoresFollower::begin(disk, options, [&] { state = {}; });
//   ... again and again: (*follower)->step(1000);
//   if (auto lock = disk.lock()) stores = StoresFollower::take_over(std::move(*follower), std::move(*lock));
//
// One thread. The disk must outlive it.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>

#include "dojima/fix/journal_stores.hpp"
#include "dojima/journal/disk.hpp"
#include "dojima/journal/journal.hpp"
#include "dojima/journal/tailer.hpp"
#include "dojima/journal/trouble.hpp"

namespace dojima::fix {

class StoresFollower {
 public:
  /// Follows the directory, whether or not a journal is begun there. `options` are those that the writer has; `forget`
  /// is called when all that was passed to `options.on_state` must be forgotten, as everything is read again.
  [[nodiscard]] static std::expected<std::unique_ptr<StoresFollower>, journal::Trouble> begin(
      journal::Disk& disk, const JournalStoresOptions& options, std::function<void()> forget);
  ~StoresFollower();
  StoresFollower(const StoresFollower&) = delete;
  StoresFollower& operator=(const StoresFollower&) = delete;

  /// Reads at most `most` of the records that have come. How many it read; fewer: there are no more for now. An error:
  /// the records are not to be understood, and following them has no sense any more. What may pass is `waits_for`.
  [[nodiscard]] std::expected<std::size_t, journal::Trouble> step(std::size_t most);
  /// Why nothing more is read, for a person; empty: nothing is in the way.
  [[nodiscard]] const std::string& waits_for() const noexcept { return waits_for_; }

  /// The record read last.
  [[nodiscard]] journal::Sequence last() const noexcept { return tailer_.last(); }
  /// How often everything was read from the beginning, as the writer had removed what was not read yet.
  [[nodiscard]] std::uint64_t restarts() const noexcept { return restarts_; }
  /// Sessions that are known, and messages kept of all of them.
  [[nodiscard]] std::size_t sessions() const noexcept;
  [[nodiscard]] std::size_t messages() const noexcept;

  struct TakenOver {
    std::unique_ptr<JournalStores> stores;
    journal::Sequence followed;  ///< what was read before
    bool is_cold = false;        ///< the journal did not go on behind that: all of it was read again
  };
  /// The stores, for the process that has the directory's lock. Uses the follower up. Blocks.
  [[nodiscard]] static std::expected<TakenOver, journal::Trouble> take_over(std::unique_ptr<StoresFollower> follower,
                                                                            std::unique_ptr<journal::File> lock);

 private:
  StoresFollower(journal::Disk& disk, const JournalStoresOptions& options, std::function<void()> forget,
                 std::unique_ptr<StoreJournal> stores);
  void begin_anew();

  journal::Disk& disk_;
  JournalStoresOptions options_;
  std::function<void()> forget_;
  std::unique_ptr<StoreJournal> stores_;
  journal::Tailer tailer_;
  std::string waits_for_;
  std::uint64_t restarts_ = 0;
};

}  // namespace dojima::fix
