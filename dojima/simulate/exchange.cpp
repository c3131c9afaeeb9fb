#include "dojima/simulate/exchange.hpp"

#include <algorithm>

#include "dojima/base/assert.hpp"
#include "dojima/base/bytes.hpp"

namespace dojima::simulate {
namespace {

constexpr std::uint8_t k_partitions = 4;

venue::UserConfig user_of(const VenueUserConfig& config, std::uint32_t throttle) {
  return {.name = config.name,
          .password = config.password,
          .set_up = {.limits = {.open_orders = config.open_orders, .order_quantity = {config.order_quantity}},
                     .cancel_on_disconnect = config.cancel_on_disconnect,
                     .cancel_on_logout = config.cancel_on_logout},
          .throttle = config.throttle != 0 ? config.throttle : throttle};
}

}  // namespace

std::size_t Exchange::timers(const ExchangeConfig& config) noexcept {
  const std::size_t clocks = config.segments.empty() ? 0 : k_partitions * venue::DayClock::k_timers;
  return venue::Front::timers(config.connections) + clocks;
}

venue::PartitionConfig Exchange::partition_config(std::uint8_t number) const {
  venue::PartitionConfig partition{.app_id = number, .limits = limits_of(config_)};
  for (const VenueUserConfig& user : config_.users) partition.users.push_back(user_of(user, config_.throttle).set_up);
  partition.rules = rules_of(config_);
  partition.segments = config_.segments;
  for (const InstrumentConfig& instrument : config_.instruments) {
    if (instrument.partition == number) partition.instruments.push_back(make_instrument(instrument));
  }
  return partition;
}

const char* Exchange::replay_mismatch() const {
  for (std::size_t at = 0; at < partitions_.size(); ++at) {
    if (journals_[at]->keep() != journal::Keep::all) return "the journal was not kept";
    journal::MemoryJournal nothing({.keep = journal::Keep::none, .capacity = 1});
    venue::Partition again(partition_config(partitions_[at]->app_id()), nothing);
    journal::MemoryJournal::Cursor cursor;
    while (const auto record = journals_[at]->read(cursor))
      if (!again.replay(record->bytes)) return "a record of the journal is no command";
    if (again.last_command() != partitions_[at]->last_command()) return "the journal lacks commands";
    if (again.digest() != partitions_[at]->digest()) return "the same commands came to another state";
  }
  return nullptr;
}

std::string Exchange::command_log(std::size_t partition) const {
  const journal::MemoryJournal& journal = *journals_[partition];
  DOJIMA_ASSERT(journal.keep() == journal::Keep::all, "the journal is kept");
  std::string log;
  log.reserve(journal.used());
  for (journal::MemoryJournal::Cursor at; const auto record = journal.read(at);) log += as_text(record->bytes);
  return log;
}

Exchange::Exchange(const ExchangeConfig& config, sched::Scheduler& scheduler, ExchangeProbe probe) : config_(config) {
  venue::FrontConfig front;
  for (const VenueUserConfig& user : config.users) front.users.push_back(user_of(user, config.throttle));
  front.sessions = config.connections;
  front.session.heartbeat = std::chrono::milliseconds{config.heartbeat_ms};
  front.session.throttle = config.throttle;
  front.maximum_lag = config.maximum_lag;
  front.stage_in = probe.in;
  front.stage_out = probe.out;

  std::vector<venue::Partition*> partitions;
  for (std::uint8_t number = 1; number <= k_partitions; ++number) {
    venue::PartitionConfig partition = partition_config(number);
    if (partition.instruments.empty()) continue;
    journals_.push_back(std::make_unique<journal::MemoryJournal>(journal::MemoryJournalOptions{
        .keep = config.keep_journal ? journal::Keep::all : journal::Keep::none,
        .capacity = config.keep_journal ? std::size_t{config.journal_megabytes} << 20 : 1}));
    partitions_.push_back(std::make_unique<venue::Partition>(std::move(partition), *journals_.back()));
    partitions.push_back(partitions_.back().get());
    if (!config.segments.empty())
      clocks_.push_back(std::make_unique<venue::DayClock>(*partitions_.back(), scheduler, config.day_seed));
  }
  front_ = std::make_unique<venue::Front>(std::move(front), scheduler, partitions, probe.probe);
}

time::Time Exchange::midnight_of(time::Time now) const noexcept {
  const time::Duration offset = std::chrono::minutes{config_.utc_offset_minutes};
  return std::chrono::floor<std::chrono::days>(now + offset) - offset;
}

void Exchange::publish(mitch::FeedSink& sink, time::Time now) {
  for (const auto& partition : partitions_) {
    feeds_.push_back(std::make_unique<venue::MarketData>(
        *partition, sink, venue::MarketDataOptions{.orders = config_.orders, .midnight = midnight_of(now)}));
    feeds_.back()->start(now);
  }
}

void Exchange::finish_feed(time::Time now) {
  for (const auto& feed : feeds_) feed->finish(now);
}

std::uint64_t Exchange::untold() const noexcept {
  std::uint64_t count = 0;
  for (const auto& feed : feeds_) count += feed->unpublished();
  return count;
}

void Exchange::start_days(time::Time now) {
  for (const auto& clock : clocks_) clock->start(midnight_of(now));
}

Result<link::Address> Exchange::start(link::Fabric& fabric, const link::Address& where) {
  return fabric.listen(where, *front_);
}

}  // namespace dojima::simulate
