#pragma once

// A disk in memory that does what disks do to journals. Everything not synced is lost at a loss of power in any subset
// of its 512-byte sectors, reordered as it likes; the kernel writes sectors back early when it likes; a chosen call
// fails once with a chosen errno, having done part of its work; a failed sync may forget what it should have written,
// so that the next one succeeds without it (as ext4 and xfs do); the disk fills up, becomes read-only, is slow. Names
// are journaled as file systems do it: of the changes since the last `sync_names` a loss of power keeps some first
// part. A process may also end between any two calls and leave all that it wrote. The same seed and calls give the same
// disk. Time is virtual: calls add up what they would have taken. One thread.
//
//   SimulatedDisk disk({.seed = 7});
//   disk.lose_power_at(12);                  // during the twelfth call from now on
//   ... use it until calls fail ...
//   disk.restart();                          // what a new process finds
//
// Files opened before a loss of power, or before the end of the process, only fail until the restart; their mapped
// memory stays valid, and what is written into it is lost.

#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dojima/journal/disk.hpp"

namespace dojima::journal {

struct SimulatedDiskOptions {
  std::uint64_t seed = 1;
  std::uint64_t capacity = std::uint64_t{1} << 30;  ///< bytes of all files together
  bool writes_back = false;                         ///< before each call a sector may get to the disk by itself
  std::chrono::nanoseconds call_cost{};             ///< of every call
  std::chrono::nanoseconds sync_cost{};             ///< of a call that waits for the disk, more
};

class SimulatedDisk final : public Disk {
 public:
  static constexpr std::size_t k_sector = 512;

  explicit SimulatedDisk(const SimulatedDiskOptions& options = {});
  ~SimulatedDisk() override;
  SimulatedDisk(const SimulatedDisk&) = delete;
  SimulatedDisk& operator=(const SimulatedDisk&) = delete;

  [[nodiscard]] Result<std::unique_ptr<File>> open(std::string_view name, OpenMode mode) override;
  [[nodiscard]] Result<void> rename(std::string_view from, std::string_view to) override;
  [[nodiscard]] Result<void> remove(std::string_view name) override;
  [[nodiscard]] Result<std::vector<std::string>> list() override;
  [[nodiscard]] Result<void> sync_names() override;
  [[nodiscard]] Result<std::unique_ptr<File>> lock() override;
  [[nodiscard]] Result<std::uint64_t> free_bytes() override;

  /// Calls so far, of the disk and of its files.
  [[nodiscard]] std::uint64_t calls() const noexcept { return calls_; }
  /// The `call`-th call from now on (1: the next) fails once with `number`.
  void fail_at(std::uint64_t call, int number) noexcept;
  /// Every call that writes, makes, renames or removes fails with `number`; 0: no longer.
  void fail_writes(int number) noexcept { write_fault_ = number; }
  /// The power goes during the `call`-th call from now on: it and all later ones fail.
  void lose_power_at(std::uint64_t call) noexcept;
  /// The power goes now.
  void lose_power() noexcept {
    is_dead_ = true;
    has_process_ended_ = false;
  }
  [[nodiscard]] bool has_power() const noexcept { return !is_dead_; }
  /// Whether calls fail because the process has ended, and not for want of power.
  [[nodiscard]] bool has_process_ended() const noexcept { return has_process_ended_; }
  /// The process ends now: all calls fail, and what it still stores into mapped memory is lost. O(bytes of all files).
  void end_process();
  /// The same in front of the `call`-th call from now on, which fails as all later ones.
  void end_process_at(std::uint64_t call) noexcept;
  /// After a loss of power: what got to the disk, nothing else. After the end of a process: what it had written.
  /// Otherwise nothing happens.
  void restart();
  void set_capacity(std::uint64_t bytes) noexcept { options_.capacity = bytes; }
  /// The `call`-th call from now on takes `cost` more.
  void delay_at(std::uint64_t call, std::chrono::nanoseconds cost) noexcept;
  /// What the calls since the last time would have taken.
  [[nodiscard]] std::chrono::nanoseconds take_elapsed() noexcept;

  /// The file as a process sees it, to look at and to damage; what is changed here is on the disk. Must be there.
  [[nodiscard]] std::vector<std::byte> contents(std::string_view name) const;
  void put(std::string_view name, Bytes bytes);

 private:
  friend class SimulatedFile;
  struct Node;
  struct NameChange;
  /// What happens to a call: 0 nothing, an errno, or `k_power`.
  static constexpr int k_power = -1;
  [[nodiscard]] int begin_call(bool is_writing, bool is_waiting = false);
  /// Ends a call that `begin_call` gave a fault for.
  [[nodiscard]] std::unexpected<Error> failed(int fault, const char* wanted) noexcept;
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) noexcept;
  [[nodiscard]] std::uint64_t used() const noexcept;
  void change_name(NameChange change);
  void write_back_one();

  SimulatedDiskOptions options_;
  std::uint64_t random_;
  std::map<std::string, std::shared_ptr<Node>, std::less<>> names_;       // as a process sees them
  std::map<std::string, std::shared_ptr<Node>, std::less<>> kept_names_;  // as they are on the disk
  std::vector<NameChange> changes_;                                       // from kept_names_ to names_
  std::weak_ptr<Node> lock_;
  std::uint64_t calls_ = 0;
  std::uint64_t fault_at_ = 0, power_at_ = 0, delay_at_ = 0, end_at_ = 0;
  int fault_ = 0;
  int write_fault_ = 0;
  std::chrono::nanoseconds delay_{}, elapsed_{};
  bool is_dead_ = false;
  bool has_process_ended_ = false;  // dead, and nothing is lost
};

}  // namespace dojima::journal
