#include "dojima/venue/recovery/journaled_partition.hpp"

#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/journal/memory_journal.hpp"

namespace dojima::venue {

using journal::text_of;
using journal::Trouble;

namespace {

constexpr std::uint64_t k_progress_step = 1 << 16;

Trouble trouble_at(const Error& error, journal::Sequence sequence, std::string what, std::string advice) {
  return {.error = error, .place = {.sequence = sequence}, .what = std::move(what), .advice = std::move(advice)};
}

Trouble disk_trouble(const Error& error, const char* what) {
  return trouble_at(error, {}, journal::is_of_disk(error) ? what : std::string(what) + ": " + text_of(error),
                    "mend what the message names, or point the venue at another directory");
}

/// The state of a snapshot, if it is one that this build knows and comes to the digest that it was written with. The
/// bytes have been summed, and their writer has loaded and compared them, so the build that wrote them, `known_build`,
/// need not do that again: it takes as long as loading.
Result<void> load_checked(Replayer& replayer, const journal::Snapshot& snapshot, std::string_view known_build = {}) {
  const journal::SnapshotInfo& info = snapshot.info();
  if (info.version != k_state_version)
    return fail(ErrorCode::not_supported, 0, 0, info.version, "version 1 of the state");
  if (const Result<void> loaded = replayer.load(snapshot.bytes()); !loaded) return loaded;
  const bool is_known = !known_build.empty() && replayer.settings().build == known_build;
  if (replayer.last().value != info.sequence.value || (!is_known && replayer.partition()->digest() != info.digest))
    return fail(ErrorCode::refused, 0, 0, 0, "the state that was saved");
  return {};
}

/// Restores the newest good snapshot at or before `up_to` into a new replayer; none is fine.
std::optional<Trouble> restore_newest(journal::Disk& disk, const journal::Identity& identity, journal::Sequence up_to,
                                      journal::Journal& journal, const std::function<void(Partition&)>& on_made,
                                      std::unique_ptr<Replayer>& replayer, PartitionRecovery& recovery) {
  for (;;) {
    replayer = std::make_unique<Replayer>(journal);
    if (on_made) replayer->on_made(on_made);
    auto found = journal::newest_snapshot(disk, identity, up_to);
    if (!found) return disk_trouble(found.error(), "the snapshots cannot be read");
    for (auto& bad : found->passed_over) recovery.passed_over.push_back(std::move(bad));
    recovery.snapshot = {};
    if (!found->snapshot) return {};
    const journal::SnapshotInfo& info = found->snapshot->info();
    const Result<void> loaded = load_checked(*replayer, *found->snapshot);
    if (loaded) {
      recovery.snapshot = info.sequence;
      return {};
    }
    recovery.passed_over.push_back({journal::snapshot_name(info.sequence), loaded.error()});
    if (info.sequence.value == 0) return {};
    up_to = {info.sequence.value - 1};
  }
}

std::optional<Trouble> apply_all(journal::Reader& reader, Replayer& replayer, journal::Sequence last,
                                 const std::function<bool(const Partition*, const journal::Record&)>& before,
                                 const std::function<void(std::uint64_t, std::uint64_t)>& progress,
                                 std::uint64_t& replayed) {
  const std::uint64_t first = replayer.last().value;
  while (replayer.last() < market::Sequence{last.value}) {
    const auto record = reader.next();
    const journal::Sequence at{replayer.last().value + 1};
    if (!record)
      return trouble_at(record.error(), at, "a record cannot be read: " + text_of(record.error()),
                        "look with `dojima journal verify`; restore the directory from a copy");
    if (!*record || (before && !before(replayer.partition(), **record))) break;
    if (const Result<void> applied = replayer.apply(**record); !applied) {
      const bool is_other_build = applied.error().code == ErrorCode::refused;
      return trouble_at(
          applied.error(), at, "record " + std::to_string(at.value) + " cannot be applied: " + text_of(applied.error()),
          is_other_build ? "recover with the build that wrote the journal (`dojima journal info` names it)"
                         : "look with `dojima journal dump`; restore the directory from a copy");
    }
    ++replayed;
    if (progress && replayed % k_progress_step == 0) progress(replayed, last.value - first);
  }
  if (progress) progress(replayed, last.value - first);
  return {};
}

std::optional<Trouble> missing_records(const Replayer& replayer, journal::Sequence first) {
  if (first.value <= replayer.last().value + 1) return {};
  return trouble_at({.code = ErrorCode::missing}, {replayer.last().value + 1},
                    "the records from " + std::to_string(replayer.last().value + 1) + " to " +
                        std::to_string(first.value - 1) + " are not there, and no good snapshot holds them",
                    "restore the missing segments or a snapshot from a copy");
}

}  // namespace

std::optional<Trouble> trouble_of(const PartitionRecovery& recovery) {
  const journal::Recovery& found = recovery.journal;
  if (found.verdict == journal::Verdict::whole || found.verdict == journal::Verdict::torn_tail) return {};
  return Trouble{.error = {.code = ErrorCode::malformed},
                 .place = found.place,
                 .what = std::string(name_of(found.verdict)) + " behind record " + std::to_string(found.last.value) +
                         ": " + found.what,
                 .advice = recovery.advice};
}

journal::Identity identity_of_partition(std::uint8_t app_id) {
  return journal::Identity::of("partition " + std::to_string(app_id));
}

// ---- Opening -------------------------------------------------------------------------------------------------------

std::expected<std::unique_ptr<JournaledPartition>, Trouble> JournaledPartition::open(
    journal::Disk& disk, const JournaledPartitionOptions& options) {
  std::unique_ptr<JournaledPartition> opened(new JournaledPartition(disk));
  if (auto trouble = opened->recover(options)) return std::unexpected(std::move(*trouble));
  return opened;
}

/// From top to bottom: snapshot, journal, records behind it, settings, the clock, sessions that were open.
std::optional<Trouble> JournaledPartition::recover(const JournaledPartitionOptions& options) {
  if (auto trouble = restore(options, {~std::uint64_t{0}})) return trouble;
  if (auto trouble = replay(options)) return trouble;
  recovery_.is_new = replayer_->last().value == 0;
  if (recovery_.is_new) {
    replayer_->begin(options.settings);
    if (!write(options.settings, options.now))
      return trouble_at({.code = ErrorCode::no_room}, {1}, "the journal has no room for the settings",
                        "give it larger segments");
    return {};
  }
  if (replayer_->partition() == nullptr)
    return trouble_at({.code = ErrorCode::missing}, {replayer_->last().value},
                      "the journal ends inside its settings: the venue was stopped before its first start was over",
                      "nothing was traded yet: remove the directory");
  recovery_.last = partition().last_command();
  recovery_.last_time = partition().last_time();
  recovery_.digest = partition().digest();
  recovery_.clock_behind = std::max(Duration{}, recovery_.last_time - options.now);
  if (recovery_.clock_behind > options.clock_tolerance)
    return trouble_at(
        {.code = ErrorCode::out_of_range}, {recovery_.last.value},
        "the clock is " + std::to_string(recovery_.clock_behind.count() / 1'000'000'000) + " s behind the last record",
        "set the clock right; times in the journal never step back, so the venue's time would stop until then");
  if (auto trouble = compare(options)) return trouble;
  return end_sessions(options.now);
}

/// Which snapshot there is has to be known before the journal is opened, and the journal before its partition.
std::optional<Trouble> JournaledPartition::restore(const JournaledPartitionOptions& options, journal::Sequence up_to) {
  const journal::Identity identity = identity_of_partition(options.settings.config.app_id);
  for (;;) {
    auto found = journal::newest_snapshot(disk_, identity, up_to);
    if (!found) return disk_trouble(found.error(), "the snapshots cannot be read");
    for (auto& bad : found->passed_over) recovery_.passed_over.push_back(std::move(bad));
    recovery_.snapshot = found->snapshot ? found->snapshot->info().sequence : journal::Sequence{};
    journal::FileJournalOptions journal_options = options.journal;
    journal_options.identity = identity;
    journal_options.trusted = recovery_.snapshot;
    auto opened = journal::FileJournal::open(disk_, journal_options);
    if (!opened) return std::move(opened.error());
    journal_ = std::move(*opened);
    recovery_.journal = journal_->recovery();
    replayer_ = std::make_unique<Replayer>(*journal_);
    if (!found->snapshot) return {};
    // A loss of power may have taken records that a snapshot holds already: it is of a state that never came back.
    const bool is_ahead = recovery_.snapshot > journal_->last();
    if (!is_ahead) {
      const Result<void> loaded = load_checked(*replayer_, *found->snapshot, options.settings.build);
      if (loaded) return {};
      recovery_.passed_over.push_back({journal::snapshot_name(recovery_.snapshot), loaded.error()});
    }
    up_to = is_ahead ? journal_->last() : journal::Sequence{recovery_.snapshot.value - 1};
    replayer_.reset();
    journal_->abandon();
    journal_.reset();
  }
}

std::optional<Trouble> JournaledPartition::replay(const JournaledPartitionOptions& options) {
  const journal::Sequence last = journal_->last();
  if (last.value == replayer_->last().value) return {};
  if (auto trouble = missing_records(*replayer_, journal_->recovery().first)) return trouble;
  const auto reader = journal_->read_after({replayer_->last().value});
  if (!reader) return disk_trouble(reader.error(), "the records cannot be read");
  return apply_all(**reader, *replayer_, last, {}, options.progress, recovery_.replayed);
}

// ---- Settings ------------------------------------------------------------------------------------------------------

bool JournaledPartition::write(const PartitionSettings& settings, Time now) {
  for (market::Setting& command : commands_of(venue::text_of(settings)))
    if (!partition().submit(command.header, now)) return false;
  return true;
}

/// Other settings are refused or put on record.
std::optional<Trouble> JournaledPartition::compare(const JournaledPartitionOptions& options) {
  recovery_.changes = differences(venue::text_of(replayer_->settings()), venue::text_of(options.settings));
  if (recovery_.changes.empty()) return {};
  const bool is_on = !partition().is_between_days();
  std::vector<Difference> refused;
  for (const Difference& what : recovery_.changes)
    if (what.change == Change::never || (what.change == Change::between_days && is_on)) refused.push_back(what);
  if (!refused.empty())
    return trouble_at({.code = ErrorCode::refused}, {recovery_.last.value},
                      "the journal was written with other settings:\n" + describe(refused),
                      refused.front().change == Change::between_days
                          ? "they can change when no trading day is on: start with the old ones until its end"
                          : "start with the journal's settings, or with a new directory");
  // On record first: who replays the journal changes at the same place.
  if (!write(options.settings, options.now))
    return trouble_at({.code = ErrorCode::no_room}, {recovery_.last.value},
                      "the journal has no room for the changed settings", "free space on its disk");
  if (const Result<void> changed = replayer_->change(options.settings); !changed)
    return trouble_at(changed.error(), {recovery_.last.value},
                      "the changed settings do not fit the state: " + text_of(changed.error()),
                      "start with the journal's settings");
  return {};
}

// ---- Sessions ------------------------------------------------------------------------------------------------------

/// Users that were logged on are not any more, and their orders are cancelled as configured, before anything new
/// happens.
std::optional<Trouble> JournaledPartition::end_sessions(Time now) {
  for (std::size_t user = 0; user < partition().users(); ++user) {
    if (!partition().is_logged_on(static_cast<std::uint16_t>(user))) continue;
    market::UserCommand end{
        .header = {.user = static_cast<std::uint16_t>(user), .type = market::CommandType::end_session},
        .end = market::SessionEnd::disconnect};
    if (!partition().submit(end.header, now))
      return trouble_at({.code = ErrorCode::no_room}, {recovery_.last.value},
                        "the journal has no room for the ends of sessions", "free space on its disk");
    ++recovery_.sessions_ended;
  }
  return {};
}

// ---- Tools ---------------------------------------------------------------------------------------------------------

namespace {

/// By their names, good or not; 0: there is none.
journal::Sequence oldest_snapshot(journal::Disk& disk) {
  const auto names = disk.list();
  constexpr std::string_view k_end = ".snapshot";
  journal::Sequence oldest;
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    if (!name.ends_with(k_end)) continue;
    std::uint64_t number = 0;
    const std::size_t digits = name.size() - k_end.size();
    if (std::from_chars(name.data(), name.data() + digits, number).ptr != name.data() + digits) continue;
    if (oldest.value == 0 || number < oldest.value) oldest = {number};
  }
  return oldest;
}

}  // namespace

std::expected<ReplayedPartition, Trouble> replay_directory(journal::Disk& disk, const ReplayOptions& options) {
  ReplayedPartition result;
  auto nothing = std::make_unique<journal::MemoryJournal>(
      journal::MemoryJournalOptions{.keep = journal::Keep::none, .capacity = 1});
  const auto found = journal::survey(disk);
  if (!found) return std::unexpected(disk_trouble(found.error(), "the directory cannot be read"));
  PartitionRecovery& recovery = result.recovery;
  recovery.journal = {.first = found->first,
                      .last = found->last,
                      .verdict = found->verdict,
                      .place = found->place,
                      .what = found->what,
                      .set_aside = {}};
  recovery.advice = found->advice;
  const journal::Sequence last = std::min(found->last, options.up_to);
  result.replayer = std::make_unique<Replayer>(*nothing);
  if (options.on_made) result.replayer->on_made(options.on_made);
  journal::Sequence newest = last;  // of snapshots
  bool has_snapshot = options.from_snapshot;
  if (options.from_oldest_snapshot) {
    has_snapshot = found->first.value > 1;
    newest = std::min(last, oldest_snapshot(disk));
  }
  if (has_snapshot) {
    if (auto trouble =
            restore_newest(disk, found->identity, newest, *nothing, options.on_made, result.replayer, recovery))
      return std::unexpected(std::move(*trouble));
  }
  result.nothing = std::move(nothing);
  if (auto trouble = missing_records(*result.replayer, found->first)) return std::unexpected(std::move(*trouble));
  if (result.replayer->last().value < last.value) {
    const auto reader = journal::read_directory(disk, *found, {result.replayer->last().value});
    if (!reader) return std::unexpected(disk_trouble(reader.error(), "the records cannot be read"));
    if (auto trouble = apply_all(**reader, *result.replayer, last, options.before, options.progress, recovery.replayed))
      return std::unexpected(std::move(*trouble));
  }
  const Partition* partition = result.replayer->partition();
  recovery.is_new = result.replayer->last().value == 0;
  if (partition != nullptr) {
    recovery.last = partition->last_command();
    recovery.last_time = partition->last_time();
    recovery.digest = partition->digest();
  }
  return result;
}

}  // namespace dojima::venue
