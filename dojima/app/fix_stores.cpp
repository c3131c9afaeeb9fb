#include "dojima/app/fix_stores.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>
#include <system_error>
#include <utility>

#include "dojima/app/venue_journals.hpp"

namespace dojima::app {
namespace {

fix::JournalStoresOptions options_of(const GatewayConfig& config) {
  const FixStoreConfig& wanted = config.store;
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
  options.messages = std::min<std::size_t>(wanted.messages, limits.store_messages * config.gateway.clients.size());
  // Clients come and go from one configuration to the next.
  options.sessions = std::max<std::size_t>(options.sessions, 2 * config.gateway.clients.size());
  options.cut_holes = wanted.cut_holes;
  return options;
}

}  // namespace

std::expected<std::unique_ptr<FixStores>, std::string> FixStores::open(
    const GatewayConfig& config, const std::function<void(const std::string&)>& show) {
  const std::string& directory = config.store.directory;
  std::unique_ptr<FixStores> opened(new FixStores(directory));
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  if (failed)
    return std::unexpected(fmt::format("FIX store {}: the directory cannot be made: {}", directory, failed.message()));
  auto disk = journal::RealDisk::open(directory);
  if (!disk)
    return std::unexpected(fmt::format("FIX store {}: cannot be opened: {}", directory, text_of(disk.error())));
  opened->disk_ = std::move(*disk);
  auto stores = fix::JournalStores::open(*opened->disk_, options_of(config));
  if (!stores) return std::unexpected(text_of(stores.error(), directory));
  opened->stores_ = std::move(*stores);
  const journal::Recovery& recovery = opened->stores_->journal().recovery();
  show(recovery.last.value == 0
           ? fmt::format("FIX store {}: new", directory)
           : fmt::format("FIX store {}: recovered up to record {}, {} sessions, {} messages", directory,
                         recovery.last.value, opened->stores_->sessions(), opened->stores_->messages()));
  if (recovery.verdict != journal::Verdict::whole)
    show(fmt::format("FIX store {}: {} behind record {} in {} at {}: {}", directory, name_of(recovery.verdict),
                     recovery.last.value, recovery.place.file, recovery.place.offset, recovery.what));
  return opened;
}

FixStores::~FixStores() {
  stop();
}

void FixStores::start(const std::function<void()>& wake) {
  thread_ =
      std::make_unique<journal::JournalThread>(stores_->journal(), journal::JournalThreadOptions{.on_durable = wake});
}

void FixStores::stop() {
  thread_.reset();
}

std::string FixStores::news() {
  const std::optional<Error> trouble = stores_->journal().trouble();
  if (trouble.has_value() == is_troubled_) return {};
  is_troubled_ = trouble.has_value();
  if (!trouble) return fmt::format("FIX store {}: writing goes on", directory_);
  return fmt::format("FIX store {}: writing fails ({}); sessions end when there is no room for their messages",
                     directory_, text_of(*trouble));
}

}  // namespace dojima::app
