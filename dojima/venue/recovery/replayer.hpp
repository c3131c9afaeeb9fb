#pragma once

// A partition out of its journal alone: the settings at the beginning say what it is made from, the commands behind
// them what happened. A snapshot takes the place of the commands up to it. Recovery, followers and tools share it.
// Settings that come later, between days, make the partition anew with the same state. One thread.
//
//   Replayer replayer(journal);
//   while (auto record = reader.next(); record && *record)
//     if (auto applied = replayer.apply(**record); !applied) ...   // .error().offset... and replayer.last() say where
//   replayer.partition()->digest()

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dojima/base/error.hpp"
#include "dojima/journal/journal.hpp"
#include "dojima/venue/partition.hpp"
#include "dojima/venue/settings.hpp"

namespace dojima::venue {

/// The version of what save() writes.
inline constexpr std::uint32_t k_state_version = 1;

/// When the last command of a saved state was applied, without loading it.
[[nodiscard]] Result<Time> time_of_state(Bytes state);

class Replayer {
 public:
  /// The journal that its partition writes to if anybody submits a command; it must outlive it.
  explicit Replayer(journal::Journal& journal) : journal_(journal) {}

  /// A partition that no journal has yet. Throws what Partition's constructor does.
  void begin(const PartitionSettings& settings);

  /// Goes on from a state. Before anything was applied. An error: the bytes are no state of this version, or there is
  /// no memory for it; the replayer is of no use then. An order table that the bytes cannot hold is refused before
  /// memory is taken for it. O(capacity).
  [[nodiscard]] Result<void> load(Bytes state);
  /// Settings and state, with at most so many of the newest reports. There must be a partition.
  void save(StateWriter& out, std::uint64_t reports = ~std::uint64_t{0}) const;

  /// The next record. An error: it is no command or not the next, its settings cannot be read, or the partition has
  /// come to something else than it had when the journal was written.
  [[nodiscard]] Result<void> apply(const journal::Record& record);

  /// Null until the settings are complete.
  [[nodiscard]] Partition* partition() noexcept { return partition_.get(); }
  [[nodiscard]] const Partition* partition() const noexcept { return partition_.get(); }
  [[nodiscard]] const PartitionSettings& settings() const noexcept { return settings_; }
  /// The last record applied.
  [[nodiscard]] market::Sequence last() const noexcept;

  /// Called with a partition that was made, before it sees a command; again when settings make it anew.
  void on_made(std::function<void(Partition&)> call) { on_made_ = std::move(call); }

  /// The partition as other settings want it, with the state that it has. An error: the state does not fit them.
  [[nodiscard]] Result<void> change(const PartitionSettings& settings);

 private:
  [[nodiscard]] Result<void> add(const market::Setting& setting);
  void make(const PartitionSettings& settings);

  journal::Journal& journal_;
  std::unique_ptr<Partition> partition_;
  PartitionSettings settings_;
  SettingText text_;
  std::vector<market::Setting> pending_;  // settings before there is a partition that counts them
  std::function<void(Partition&)> on_made_;
};

}  // namespace dojima::venue
