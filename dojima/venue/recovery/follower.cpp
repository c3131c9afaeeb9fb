#include "dojima/venue/recovery/follower.hpp"

#include <algorithm>
#include <sys/resource.h>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/base/state.hpp"
#include "dojima/journal/snapshots.hpp"

namespace dojima::venue {

namespace {

constexpr std::chrono::milliseconds k_nap{1};
/// Below the venue's threads: what is late here delays nobody.
constexpr int k_niceness = 10;

}  // namespace

Result<journal::Sequence> write_snapshot(journal::Disk& disk, const journal::Identity& identity,
                                         const Replayer& replayer, std::uint64_t reports) {
  DOJIMA_ASSERT(replayer.partition() != nullptr, "only a partition has a snapshot", replayer.last());
  const journal::SnapshotInfo info{.identity = identity,
                                   .sequence = {replayer.last().value},
                                   .digest = replayer.partition()->digest(),
                                   .version = k_state_version};
  auto file = journal::SnapshotWriter::begin(disk, info);
  if (!file) return std::unexpected(file.error());
  Result<void> written;
  StateWriter out([&](Bytes piece) {
    if (written) written = file->append(piece);
  });
  replayer.save(out, reports);
  out.flush();
  if (!written) return std::unexpected(written.error());
  if (const Result<void> finished = file->finish(); !finished) return std::unexpected(finished.error());

  // As a start would read it.
  const std::string name = journal::snapshot_name(info.sequence);
  Result<void> checked;
  {
    const auto snapshot = journal::read_snapshot(disk, name);
    if (!snapshot) return std::unexpected(snapshot.error());
    journal::MemoryJournal nothing({.keep = journal::Keep::none, .capacity = 1});
    Replayer again(nothing);
    checked = again.load(snapshot->bytes());
    if (checked && again.partition()->digest() != info.digest)
      checked = fail(ErrorCode::refused, 0, 0, 0, "the state that was saved");
  }
  if (checked) return info.sequence;
  static_cast<void>(disk.remove(name));
  return std::unexpected(checked.error());
}

Follower::Follower(JournaledPartition& leader, const FollowerOptions& options)
    : disk_(leader.disk()),
      journal_(leader.journal()),
      options_(options),
      identity_(identity_of_partition(leader.partition().app_id())) {
  std::vector<std::byte> state;
  StateWriter out([&state](Bytes piece) { state.insert(state.end(), piece.begin(), piece.end()); });
  leader.replayer().save(out);
  out.flush();
  const Result<void> loaded = replayer_.load(state);
  DOJIMA_ASSERT(loaded.has_value(), "a state that was just saved can be loaded", state.size());
  last_snapshot_ = leader.recovery().snapshot.value;
  auto reader = journal_.read_after({replayer_.last().value});
  if (reader)
    reader_ = std::move(*reader);
  else
    note(reader.error(), false);
  state_.at = {replayer_.last().value};
}

void Follower::note(const Error& error, bool is_snapshot) {
  const std::lock_guard lock(mutex_);
  state_.trouble = error;
  if (is_snapshot) ++state_.failures;
  if (!is_snapshot) state_.is_lost = is_lost_ = true;
}

bool Follower::step(std::size_t most) {
  if (is_lost_) return false;
  const std::uint64_t durable = journal_.durable().value;
  std::size_t replayed = 0;
  for (; replayed < most && replayer_.last().value < durable; ++replayed) {
    const auto record = reader_->next();
    if (!record) return note(record.error(), false), false;
    if (!*record) break;
    if (const Result<void> applied = replayer_.apply(**record); !applied) return note(applied.error(), false), false;
  }
  if (replayed != 0) {
    const std::lock_guard lock(mutex_);
    state_.at = {replayer_.last().value};
  }
  const bool is_due =
      options_.every_commands != 0 && replayer_.last().value - last_snapshot_ >= options_.every_commands;
  if (is_due) static_cast<void>(snapshot());
  return replayed != 0;
}

Result<journal::Sequence> Follower::snapshot() {
  const Result<journal::Sequence> written = write_snapshot(disk_, identity_, replayer_, options_.reports);
  // Also after a failure: the next one is tried when as much has happened again.
  last_snapshot_ = replayer_.last().value;
  if (!written) {
    note(written.error(), true);
    return written;
  }
  const Result<std::size_t> count = count_to_keep();
  const Result<journal::Sequence> kept =
      count ? journal::keep_snapshots(disk_, *count, journal_, identity_) : std::unexpected(count.error());
  if (!kept) note(kept.error(), true);
  const std::lock_guard lock(mutex_);
  ++state_.snapshots;
  state_.snapshot = *written;
  if (kept) state_.trouble.reset();
  return written;
}

/// As many as are wanted, or more while they are young.
Result<std::size_t> Follower::count_to_keep() {
  if (options_.keep_for == Duration{}) return options_.keep;
  const Time oldest = replayer_.partition()->last_time() - options_.keep_for;
  const auto names = disk_.list();
  if (!names) return std::unexpected(names.error());
  std::size_t young = 0;
  for (const std::string& name : *names) {
    if (!name.ends_with(".snapshot")) continue;
    const auto snapshot = journal::read_snapshot(disk_, name);
    if (!snapshot) continue;
    const auto time = time_of_state(snapshot->bytes());
    if (time && *time >= oldest) ++young;
  }
  return std::max(options_.keep, young);
}

FollowerState Follower::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

FollowerThread::FollowerThread(Follower& follower)
    : thread_([&follower](const std::stop_token& stop) {
        ::setpriority(PRIO_PROCESS, 0, k_niceness);  // of this thread alone, as Linux has it
        while (!stop.stop_requested())
          if (!follower.step()) std::this_thread::sleep_for(k_nap);
      }) {}

}  // namespace dojima::venue
