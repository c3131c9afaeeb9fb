#include "dojima/app/gateway/gateway_journal.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fmt/core.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif
#include <system_error>
#include <utility>

namespace dojima::app {
namespace {

using journal::text_of;

fix::JournalStoresOptions options_of(const GatewayConfig& config) {
  const GatewayJournalConfig& wanted = config.journal;
  const gateway::GatewayLimits& limits = config.gateway.limits;
  fix::JournalStoresOptions options;
  options.name = "gateway";
  options.durability = wanted.durability;
  options.segment_bytes = std::size_t{wanted.segment_megabytes} << 20U;
  options.spare_segments = wanted.spare_segments;
  options.disk_bytes = std::uint64_t{wanted.megabytes} << 20U;
  constexpr std::size_t k_around_body = 100;
  options.largest_message = std::max(options.largest_message, config.gateway.fix.session.max_body + k_around_body);
  for (const gateway::SessionTemplate& each : config.gateway.templates)
    options.largest_message = std::max(options.largest_message, each.session.max_body + k_around_body);
  options.messages_per_session = limits.store_messages;
  options.bytes_per_session = limits.store_bytes;
  const std::size_t sessions = config.gateway.clients.size() + config.gateway.drop_copies.size();
  // A drop copy keeps what the stores of its clients keep.
  const std::size_t stores = config.gateway.clients.size() * (1 + config.gateway.drop_copies.size());
  options.messages = std::min<std::size_t>(wanted.messages, limits.store_messages * stores);
  // Clients come and go from one configuration to the next.
  options.sessions = std::max<std::size_t>(options.sessions, 2 * sessions);
  options.cut_holes = wanted.cut_holes;
  options.room_kept = gateway::Gateway::journal_room(config.gateway);
  options.state_bytes = gateway::SavedState::bytes_most(config.gateway);
  return options;
}

}  // namespace

GatewayJournal::GatewayJournal(const GatewayConfig& config)
    : directory_(config.journal.directory), saved_(gateway::SavedState::ids_most(config.gateway)) {}

fix::JournalStoresOptions GatewayJournal::options(const GatewayConfig& config) {
  fix::JournalStoresOptions options = options_of(config);
  options.on_state = [this](Bytes piece) { return saved_.apply(piece); };
  return options;
}

std::expected<std::unique_ptr<GatewayJournal>, std::string> GatewayJournal::unopened(const GatewayConfig& config) {
  const std::string& directory = config.journal.directory;
  std::unique_ptr<GatewayJournal> made(new GatewayJournal(config));
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  if (failed)
    return std::unexpected(fmt::format("journal {}: the directory cannot be made: {}", directory, failed.message()));
  auto disk = journal::RealDisk::open(directory);
  if (!disk) return std::unexpected(fmt::format("journal {}: cannot be opened: {}", directory, text_of(disk.error())));
  made->disk_ = std::move(*disk);
  return made;
}

std::expected<std::unique_ptr<GatewayJournal>, std::string> GatewayJournal::open(const GatewayConfig& config,
                                                                                 const Show& show) {
  auto opened = unopened(config);
  if (!opened) return opened;
  GatewayJournal& made = **opened;
  auto stores = fix::JournalStores::open(*made.disk_, made.options(config));
  if (!stores) {
    const bool is_in_use = journal::is_of_disk(stores.error().error) && stores.error().error.got == EWOULDBLOCK;
    return std::unexpected(fmt::format("journal {}: {}{}", made.directory_, describe(stores.error()),
                                       is_in_use ? ", or be its standby: dojima gateway --follow DIR" : ""));
  }
  made.stores_ = std::move(*stores);
  made.show_recovery(show);
  return opened;
}

void GatewayJournal::show_recovery(const Show& show) const {
  const journal::Recovery& recovery = stores_->journal().recovery();
  show(recovery.last.value == 0
           ? fmt::format("journal {}: new", directory_)
           : fmt::format("journal {}: recovered up to record {}, {} sessions, {} messages, {} open orders", directory_,
                         recovery.last.value, stores_->sessions(), stores_->messages(), saved_.open_orders()));
  if (recovery.verdict != journal::Verdict::whole)
    show(fmt::format("journal {}: {} behind record {} in {} at {}: {}", directory_, name_of(recovery.verdict),
                     recovery.last.value, recovery.place.file, recovery.place.offset, recovery.what));
}

GatewayJournal::~GatewayJournal() {
  stop();
}

void GatewayJournal::release_with(gateway::Gateway& gateway) {
  gateway_ = &gateway;
  saved_ = gateway::SavedState();
#if defined(__GLIBC__)
  // Many small pieces: without this the process keeps them, though nothing will ever need as many again.
  malloc_trim(0);
#endif
}

void GatewayJournal::start(const std::function<void()>& wake) {
  thread_ = std::make_unique<journal::JournalThread>(
      stores_->journal(), journal::JournalThreadOptions{.on_durable = wake, .on_room = wake});
}

void GatewayJournal::stop() {
  thread_.reset();
}

std::string GatewayJournal::news() {
  const std::optional<Error> trouble = stores_->journal().trouble();
  if (trouble.has_value() != is_troubled_) {
    is_troubled_ = trouble.has_value();
    if (!trouble) return fmt::format("journal {}: writing goes on", directory_);
    return fmt::format(
        "journal {}: writing fails ({}); when there is no room nobody is read any more, and sessions end", directory_,
        text_of(*trouble));
  }
  if (stores_->is_short_of_room() == is_short_) return {};
  is_short_ = !is_short_;
  if (!is_short_) return fmt::format("journal {}: there is room again, everybody is read", directory_);
  return fmt::format("journal {}: no spare segment in time; nobody is read until there is one", directory_);
}

}  // namespace dojima::app
