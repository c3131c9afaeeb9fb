#include "dojima/app/venue_journals.hpp"

#include <filesystem>
#include <fmt/core.h>
#include <system_error>
#include <utility>

namespace dojima::app {

using journal::text_of;

namespace {

/// What a start found, a line for each thing that a person should know.
void show_recovery(const std::string& folder, const venue::PartitionRecovery& recovery,
                   const std::function<void(const std::string&)>& show) {
  if (recovery.is_new) return show(fmt::format("journal {}: new", folder));
  show(fmt::format(
      "journal {}: recovered up to record {}{}, {} records replayed, digest {:016x}", folder, recovery.last.value,
      recovery.snapshot.value == 0 ? std::string() : fmt::format(" from the snapshot of {}", recovery.snapshot.value),
      recovery.replayed, recovery.digest));
  for (const auto& bad : recovery.passed_over)
    show(fmt::format("journal {}: snapshot {} is no good ({}), passed over", folder, bad.file, text_of(bad.error)));
  if (recovery.journal.verdict != journal::Verdict::whole)
    show(fmt::format("journal {}: {} behind record {} in {} at {}: {}", folder, name_of(recovery.journal.verdict),
                     recovery.last.value, recovery.journal.place.file, recovery.journal.place.offset,
                     recovery.journal.what));
  if (recovery.clock_behind.count() > 0)
    show(fmt::format("journal {}: the clock is {} ms behind the last record; times go on from there", folder,
                     recovery.clock_behind.count() / 1'000'000));
  for (const venue::Difference& what : recovery.changes)
    show(fmt::format("journal {}: changed and put on record: {} = {} (was {})", folder, what.key, what.now,
                     what.before));
  if (recovery.sessions_ended != 0)
    show(fmt::format("journal {}: {} sessions were open and have ended", folder, recovery.sessions_ended));
}

}  // namespace

std::string partition_folder(std::uint8_t number) {
  return fmt::format("partition-{}", number);
}

std::expected<std::unique_ptr<VenueJournals>, std::string> VenueJournals::open(
    const simulate::ExchangeConfig& config, time::Time now, const std::function<void(const std::string&)>& show) {
  const simulate::JournalConfig& wanted = config.journal;
  std::unique_ptr<VenueJournals> opened(new VenueJournals(wanted));
  std::error_code failed;
  std::filesystem::create_directories(wanted.directory, failed);
  if (failed)
    return std::unexpected(
        fmt::format("journal {}: the directory cannot be made: {}", wanted.directory, failed.message()));
  for (const std::uint8_t number : simulate::Exchange::partition_numbers(config)) {
    const std::string folder = wanted.directory + "/" + partition_folder(number);
    auto disk = journal::RealDisk::open(folder);
    if (!disk) return std::unexpected(fmt::format("journal {}: cannot be opened: {}", folder, text_of(disk.error())));
    opened->disks_.push_back(std::move(*disk));
    venue::JournaledPartitionOptions options{
        .settings = simulate::Exchange::partition_settings(config, number, wanted.build),
        .now = now,
        .clock_tolerance = std::chrono::seconds{wanted.clock_tolerance_s}};
    options.journal.durability = wanted.durability;
    options.journal.segment_bytes = std::size_t{wanted.segment_megabytes} << 20U;
    options.journal.spare_segments = wanted.spare_segments;
    options.journal.cut_holes = wanted.cut_holes;
    auto partition = venue::JournaledPartition::open(*opened->disks_.back(), options);
    if (!partition) return std::unexpected(fmt::format("journal {}: {}", folder, describe(partition.error())));
    show_recovery(folder, (*partition)->recovery(), show);
    opened->watches_.push_back({.journal = &(*partition)->journal(), .name = folder});
    opened->partitions_.push_back(std::move(*partition));
  }
  if (auto done = opened->open_operations(); !done) return std::unexpected(std::move(done.error()));
  return opened;
}

std::expected<void, std::string> VenueJournals::open_operations() {
  const std::string folder = config_.directory + "/" + k_operator_folder;
  auto disk = journal::RealDisk::open(folder);
  if (!disk) return std::unexpected(fmt::format("journal {}: cannot be opened: {}", folder, text_of(disk.error())));
  operations_disk_ = std::move(*disk);
  auto log = venue::OperatorLog::open(*operations_disk_, config_.durability);
  if (!log) return std::unexpected(fmt::format("journal {}: {}", folder, describe(log.error())));
  operations_ = std::move(*log);
  return {};
}

VenueJournals::~VenueJournals() {
  stop();
}

void VenueJournals::start(const simulate::JournaledPartitions& partitions, const std::function<void()>& wake) {
  threads_.push_back(std::make_unique<journal::JournalThread>(*operations_->journal()));
  for (std::size_t at = 0; at < partitions.size(); ++at) {
    threads_.push_back(std::make_unique<journal::JournalThread>(partitions[at]->journal(),
                                                                journal::JournalThreadOptions{.on_durable = wake}));
    if (config_.snapshot_every == 0) continue;
    watches_[at].follower = std::make_unique<venue::Follower>(
        *partitions[at], venue::FollowerOptions{.every_commands = config_.snapshot_every,
                                                .keep_for = std::chrono::days{config_.snapshot_days},
                                                .keep = config_.snapshots});
    follower_threads_.push_back(std::make_unique<venue::FollowerThread>(*watches_[at].follower));
  }
}

void VenueJournals::stop() {
  follower_threads_.clear();
  for (Watch& watch : watches_) watch.follower.reset();
  threads_.clear();
}

std::vector<std::string> VenueJournals::news() {
  std::vector<std::string> lines;
  for (Watch& watch : watches_) {
    const std::optional<Error> trouble = watch.journal->trouble();
    if (trouble && !watch.is_troubled)
      lines.push_back(
          fmt::format("journal {}: writing fails ({}); orders are refused, cancels are taken from a reserve",
                      watch.name, text_of(*trouble)));
    if (!trouble && watch.is_troubled) lines.push_back(fmt::format("journal {}: writing goes on", watch.name));
    watch.is_troubled = trouble.has_value();
    if (watch.follower == nullptr) continue;
    const venue::FollowerState state = watch.follower->state();
    if (state.failures > watch.failures && state.trouble)
      lines.push_back(fmt::format("journal {}: a snapshot could not be written ({}); older ones are kept", watch.name,
                                  text_of(*state.trouble)));
    if (state.is_lost && !watch.is_lost && state.trouble)
      lines.push_back(fmt::format("journal {}: no more snapshots: record {} cannot be followed ({})", watch.name,
                                  state.at.value + 1, text_of(*state.trouble)));
    watch.failures = state.failures;
    watch.is_lost = state.is_lost;
  }
  return lines;
}

}  // namespace dojima::app
