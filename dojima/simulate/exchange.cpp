#include "dojima/simulate/exchange.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <stdexcept>

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
          .throttle = config.throttle != 0 ? config.throttle : throttle,
          .must_change_password = config.first_password,
          .password_since = config.password_since,
          .is_removed = config.is_removed};
}

}  // namespace

std::size_t Exchange::timers(const ExchangeConfig& config) noexcept {
  const std::size_t clocks = k_partitions * venue::DayClock::k_timers;
  const std::size_t copies = config.copies.readers.empty() ? 0 : venue::CopyFront::timers(config.copies.connections);
  return venue::Front::timers(config.connections) + venue::RecoveryFront::timers(config.recovery.connections) + copies +
         clocks + venue::NextDayClock::k_timers;
}

std::vector<std::uint8_t> Exchange::partition_numbers(const ExchangeConfig& config) {
  std::vector<std::uint8_t> numbers;
  for (std::uint8_t number = 1; number <= k_partitions; ++number)
    if (std::ranges::any_of(config.instruments,
                            [number](const InstrumentConfig& of) { return of.partition == number; }))
      numbers.push_back(number);
  return numbers;
}

venue::PartitionSettings Exchange::partition_settings(const ExchangeConfig& config, std::uint8_t number,
                                                      std::string build) {
  venue::PartitionSettings settings{.config = {.app_id = number, .limits = limits_of(config)},
                                    .day_seed = config.day_seed,
                                    .utc_offset_minutes = config.utc_offset_minutes,
                                    .build = std::move(build)};
  for (const VenueUserConfig& user : config.users) {
    settings.config.users.push_back(user_of(user, config.throttle).set_up);
    // Who is at a spare place the operator's log says: the place is what it always was.
    settings.user_names.push_back(user.is_spare ? std::string() : user.name);
  }
  settings.config.rules = rules_of(config);
  settings.config.segments = config.segments;
  settings.config.full_reports = config.full_reports;
  settings.config.slice = config.slice;
  if (!config.journal.directory.empty()) settings.config.checkpoint_every = config.journal.checkpoint_every;
  for (const InstrumentConfig& instrument : config.instruments)
    if (instrument.partition == number) settings.config.instruments.push_back(make_instrument(instrument));
  return settings;
}

const char* Exchange::replay_mismatch() const {
  if (journals_.empty()) return "the journal is not in memory";
  for (std::size_t at = 0; at < partitions_.size(); ++at) {
    if (journals_[at]->keep() != journal::Keep::all) return "the journal was not kept";
    journal::MemoryJournal nothing({.keep = journal::Keep::none, .capacity = 1});
    venue::Partition again(partition_settings(config_, partitions_[at]->app_id()).config, nothing);
    journal::MemoryJournal::Cursor cursor;
    while (const auto record = journals_[at]->read(cursor))
      if (!again.replay(record->bytes)) return "a record of the journal is no command";
    if (again.last_command() != partitions_[at]->last_command()) return "the journal lacks commands";
    if (again.digest() != partitions_[at]->digest()) return "the same commands came to another state";
  }
  return nullptr;
}

std::string Exchange::command_log(std::size_t partition) const {
  DOJIMA_ASSERT(partition < journals_.size(), "the journal is in memory", partition, journals_.size());
  const journal::MemoryJournal& journal = *journals_[partition];
  DOJIMA_ASSERT(journal.keep() == journal::Keep::all, "the journal is kept");
  std::string log;
  log.reserve(journal.used());
  for (journal::MemoryJournal::Cursor at; const auto record = journal.read(at);) log += as_text(record->bytes);
  return log;
}

Exchange::Exchange(const ExchangeConfig& config, sched::Scheduler& scheduler, ExchangeProbe probe,
                   JournaledPartitions journaled, venue::PasswordKeeper* passwords, venue::AccessKeeper* access,
                   venue::PasswordHasher* hasher, venue::ThreadIdle idle)
    : config_(config), journaled_(std::move(journaled)) {
  make_partitions();
  set_limits(scheduler.now());
  if (config_.threads > 1)
    threads_ = std::make_unique<venue::PartitionThreads>(
        partitions_, venue::PartitionThreadsOptions{
                         .threads = std::min<std::size_t>(config_.threads - 1, partitions_.size()), .idle = idle});
  venue::FrontConfig front;
  front.threads = threads_.get();
  for (const VenueUserConfig& user : config_.users) front.users.push_back(user_of(user, config_.throttle));
  front.sessions = config_.connections;
  front.dialect = config_.dialect;
  front.logon = config_.logon;
  front.passwords = passwords;
  front.access = access;
  front.hasher = hasher;
  front.session.heartbeat = std::chrono::milliseconds{config_.heartbeat_ms};
  front.session.stall = std::chrono::milliseconds{config_.stall_ms};
  front.session.throttle = config_.throttle;
  front.maximum_lag = config_.maximum_lag;
  front.stages = {.in = probe.in, .taken = probe.taken, .out = probe.out};
  front.marked_one_in = probe.one_in;
  for (venue::Partition* partition : partitions_)
    clocks_.push_back(std::make_unique<venue::DayClock>(*partition, scheduler, config_.day_seed));
  venue::RecoveryFrontConfig recovery{.sessions = config_.recovery.connections,
                                      .requests = config_.recovery.requests,
                                      .messages = config_.recovery.messages};
  recovery.dialect = config_.dialect;
  recovery.session.heartbeat = front.session.heartbeat;
  front_ = std::make_unique<venue::Front>(std::move(front), scheduler, partitions_, probe.probe);
  next_day_ = std::make_unique<venue::NextDayClock>(*front_, scheduler);
  std::vector<venue::ReportArchive*> archives;
  for (const auto& partition : journaled_) {
    archives_.push_back(std::make_unique<venue::ReportArchive>(
        *partition, venue::ReportArchiveOptions{.most = config_.recovery.messages}));
    archives.push_back(archives_.back().get());
  }
  recovery_ = std::make_unique<venue::RecoveryFront>(recovery, scheduler, *front_, partitions_, archives);
  if (config_.copies.readers.empty()) return;
  venue::CopyFrontConfig copies{.readers = {}, .sessions = config_.copies.connections, .session = recovery.session};
  copies.dialect = config_.dialect;
  copies.hasher = hasher;
  for (const CopyReaderConfig& reader : config_.copies.readers)
    copies.readers.push_back({.name = reader.name,
                              .password = reader.password,
                              .users = users_of(reader, config_.users),
                              .host = reader.host});
  copies_ = std::make_unique<venue::CopyFront>(std::move(copies), scheduler, *front_, partitions_, archives);
}

void Exchange::make_partitions() {
  const std::vector<std::uint8_t> numbers = partition_numbers(config_);
  if (!journaled_.empty()) {
    DOJIMA_ASSERT(numbers.size() == journaled_.size(), "a journal for every partition", numbers.size(),
                  journaled_.size());
    for (std::size_t at = 0; at < numbers.size(); ++at) {
      venue::Partition& partition = journaled_[at]->partition();
      DOJIMA_ASSERT(partition.app_id() == numbers[at], "journals in the order of the partitions", partition.app_id(),
                    numbers[at]);
      partitions_.push_back(&partition);
    }
    return;
  }
  for (const std::uint8_t number : numbers) {
    journals_.push_back(std::make_unique<journal::MemoryJournal>(journal::MemoryJournalOptions{
        .keep = config_.keep_journal ? journal::Keep::all : journal::Keep::none,
        .capacity = config_.keep_journal ? std::size_t{config_.journal_megabytes} << 20 : 1}));
    in_memory_.push_back(
        std::make_unique<venue::Partition>(partition_settings(config_, number).config, *journals_.back()));
    partitions_.push_back(in_memory_.back().get());
  }
}

namespace {

/// What the limit is of and which one, as a command to set it. None: the user or the instrument is not there.
std::optional<market::RiskCommand> command_of(const ExchangeConfig& config, const LimitConfig& limit,
                                              market::LimitKind kind, std::int64_t value) {
  market::RiskCommand command{.value = value, .kind = kind};
  command.header.flags = venue::k_by_configuration;
  command.header.user = market::k_no_user;
  command.who = Text<20>::cut("configuration");
  if (!limit.user.empty()) {
    const auto user = std::ranges::find(config.users, limit.user, &VenueUserConfig::name);
    if (user == config.users.end()) return {};
    command.of = market::LimitOf::user;
    command.header.user = static_cast<std::uint16_t>(user - config.users.begin());
  } else if (!limit.account.empty()) {
    command.of = market::LimitOf::account;
    command.account = Text<10>::cut(limit.account);
  }
  if (limit.instrument.empty()) return command;
  const auto instrument = std::ranges::find(config.instruments, limit.instrument, &InstrumentConfig::symbol);
  if (instrument == config.instruments.end()) return {};
  command.header.instrument = instrument->id;
  return command;
}

[[nodiscard]] bool is_about(const venue::LimitRow& row, const market::RiskCommand& command) {
  return row.of == command.of && row.user == command.header.user && row.account == command.account &&
         row.instrument == command.header.instrument && row.kind == command.kind;
}

[[nodiscard]] market::RiskCommand removal_of(const venue::LimitRow& row) {
  market::RiskCommand command{.account = row.account, .kind = row.kind, .of = row.of};
  command.header.instrument = row.instrument;
  command.header.user = row.user;
  command.header.flags = venue::k_by_configuration;
  command.who = Text<20>::cut("configuration");
  return command;
}

/// Whose limit it is and which one, for a person.
std::string name_of(const ExchangeConfig& config, const market::RiskCommand& command) {
  const venue::LimitKey* const key = venue::key_of(command.kind);
  std::string name = "the limit " + std::string(key != nullptr ? key->name : "");
  if (command.of == market::LimitOf::user)
    name += " of the user " + config.users.at(command.header.user).name;
  else if (command.of == market::LimitOf::account)
    name += " of the account " + std::string(command.account.view());
  else
    name += " of everybody";
  if (command.header.instrument == 0) return name;
  const auto instrument = std::ranges::find(config.instruments, command.header.instrument, &InstrumentConfig::id);
  return name + " in " + (instrument != config.instruments.end() ? instrument->symbol : "an instrument");
}

[[nodiscard]] bool is_listed(const InstrumentConfig& instrument, std::chrono::sys_days today) {
  return (!instrument.first_day || *instrument.first_day <= today) &&
         (!instrument.last_day || today <= *instrument.last_day);
}

constexpr std::int64_t k_not_permitted = 2;

/// What the role of a user forbids, whatever a [[limit]] or the operator says of it.
[[nodiscard]] market::RiskCommand read_only(const ExchangeConfig& config, const VenueUserConfig& user) {
  market::RiskCommand command = *command_of(config, {.user = user.name, .account = {}, .instrument = {}, .values = {}},
                                            market::LimitKind::permitted, k_not_permitted);
  command.why = Text<44>::cut("its role is to read");
  return command;
}

/// No order of anybody is taken in it.
[[nodiscard]] market::RiskCommand unlisted(const InstrumentConfig& instrument) {
  market::RiskCommand command{.value = k_not_permitted, .kind = market::LimitKind::permitted};
  command.header.flags = venue::k_by_configuration;
  command.header.user = market::k_no_user;
  command.header.instrument = instrument.id;
  command.who = Text<20>::cut("configuration");
  command.why = Text<44>::cut("not listed on this day");
  return command;
}

/// `is_gone`: no [[limit]] says it any more.
void submit_limit(venue::Partition& partition, const ExchangeConfig& config, market::RiskCommand command,
                  time::Time now, bool is_gone = false) {
  if (const auto fine = partition.complaint(command); !fine) {
    std::array<char, 200> text{};
    throw std::invalid_argument(
        name_of(config, command) +
        (is_gone ? " is not in the configuration any more, and cannot be taken away: " : " cannot be set: ") +
        std::string(describe(fine.error(), text)));
  }
  if (!partition.submit(command.header, now))
    throw std::runtime_error("the journal has no room for " + name_of(config, command));
}

}  // namespace

/// What the configuration says holds from now on, but for what the operator has changed since it was there; roles hold
/// whatever he has changed.
void Exchange::set_limits(time::Time now) {
  for (venue::Partition* partition : partitions_) {
    const std::vector<venue::LimitRow> set = partition->limits(), removed = partition->removed_limits();
    std::vector<market::RiskCommand> wanted;
    for (const LimitConfig& limit : config_.limits)
      for (const auto& [kind, value] : limit.values) {
        const auto command = command_of(config_, limit, kind, value);
        if (!command) throw std::invalid_argument("a [[limit]] names a user or an instrument that is not there");
        if (command->header.instrument == 0 || partition->book(command->header.instrument) != nullptr)
          wanted.push_back(*command);
      }
    std::vector<market::RiskCommand> of_roles;
    for (const VenueUserConfig& user : config_.users) {
      if (user.role != UserRole::read) continue;
      const market::RiskCommand& command = of_roles.emplace_back(read_only(config_, user));
      std::erase_if(wanted, [&](const auto& other) {
        return other.of == command.of && other.header.user == command.header.user && other.kind == command.kind;
      });
    }
    // What is said of one instrument holds before that of all is lowered, and goes only once that has been raised.
    const auto turn_of = [](const market::RiskCommand& command) {
      return command.header.instrument == 0 ? 1 : command.value != 0 ? 0 : 2;
    };
    std::vector<market::RiskCommand> in_turn;
    for (const int turn : {0, 1, 2})
      std::ranges::copy_if(wanted, std::back_inserter(in_turn),
                           [&](const auto& command) { return turn_of(command) == turn; });
    wanted = std::move(in_turn);
    const std::size_t configured = wanted.size();
    const auto today = std::chrono::floor<std::chrono::days>(now + std::chrono::minutes{config_.utc_offset_minutes});
    for (const InstrumentConfig& instrument : config_.instruments)
      if (!is_listed(instrument, today) && partition->book(instrument.id) != nullptr)
        wanted.push_back(unlisted(instrument));
    const auto take_away = [&](bool is_of_one) {
      for (const venue::LimitRow& row : set) {
        const auto is_this = [&row](const market::RiskCommand& command) { return is_about(row, command); };
        const bool is_configured = std::ranges::any_of(wanted, is_this) || std::ranges::any_of(of_roles, is_this);
        const bool stays_set = static_cast<std::size_t>(row.kind) < market::k_limit_kinds;
        if (!row.is_by_operator && !is_configured && stays_set && (row.instrument != 0) == is_of_one)
          submit_limit(*partition, config_, removal_of(row), now, true);
      }
    };
    for (const market::RiskCommand& role : of_roles) {
      const auto holds = [&](const venue::LimitRow& row) { return is_about(row, role) && row.value == role.value; };
      if (std::ranges::none_of(set, holds)) submit_limit(*partition, config_, role, now);
      // What is said of one instrument goes before it. What the configuration said of one is taken away below.
      for (const venue::LimitRow& row : set)
        if (row.is_by_operator && row.of == role.of && row.user == role.header.user && row.kind == role.kind &&
            row.instrument != 0)
          submit_limit(*partition, config_, removal_of(row), now, true);
    }
    take_away(false);
    for (std::size_t at = 0; at < wanted.size(); ++at) {
      const market::RiskCommand& command = wanted[at];
      const auto is_settled = [&](const venue::LimitRow& row) {
        return is_about(row, command) && (row.is_by_operator || row.value == command.value);
      };
      if (std::ranges::any_of(set, is_settled) || std::ranges::any_of(removed, is_settled)) continue;
      submit_limit(*partition, config_, command, now);
      if (at < configured) continue;
      // Nothing of an instrument that is not listed stays open.
      market::RiskCommand cancel = command;
      cancel.kind = market::LimitKind::cancel_orders;
      cancel.value = 0;
      submit_limit(*partition, config_, cancel, now);
    }
    take_away(true);
  }
}

Result<std::uint16_t> Exchange::add_user(const venue::NewUser& user, time::Time now) {
  const auto number = front_->add_user(user, now);
  if (!number) return number;
  VenueUserConfig& place = config_.users[*number];
  place.name = user.name;
  place.is_removed = false;
  place.role = user.right == venue::UserRight::read ? UserRole::read : UserRole::trade;
  set_limits(now);
  return number;
}

Result<void> Exchange::remove_user(std::uint16_t user, time::Time now) {
  const auto removed = front_->remove_user(user, now);
  config_.users.at(user).is_removed = front_->accounts().is_removed(user);
  return removed;
}

Result<void> Exchange::set_role(std::uint16_t user, UserRole role, time::Time now) {
  const auto right = role == UserRole::read ? venue::UserRight::read : venue::UserRight::trade;
  if (const auto kept = front_->accounts().keep_right(user, right, now); !kept) return kept;
  config_.users.at(user).role = role;
  set_limits(now);
  return {};
}

time::Time Exchange::midnight_of(time::Time now) const noexcept {
  const time::Duration offset = std::chrono::minutes{config_.utc_offset_minutes};
  return std::chrono::floor<std::chrono::days>(now + offset) - offset;
}

void Exchange::publish(mitch::FeedSink& sink, time::Time now) {
  const std::vector<venue::DirectoryEntry> directory = directory_of(config_);
  for (venue::Partition* partition : partitions_) {
    held_feeds_.push_back(std::make_unique<venue::DurableFeed>(*partition, sink));
    feeds_.push_back(std::make_unique<venue::MarketData>(
        *partition, *held_feeds_.back(),
        venue::MarketDataOptions{.orders = config_.orders, .midnight = midnight_of(now)}));
    feeds_.back()->start(now, directory);
  }
}

std::size_t Exchange::FeedRelease::finish(time::Time) {
  std::size_t released = 0;
  for (const auto& feed : exchange.held_feeds_) released += feed->release();
  return released;
}

void Exchange::finish_feed(time::Time now) {
  for (const auto& feed : feeds_) feed->finish(now);
  for (const auto& feed : held_feeds_) feed->release();
}

std::uint64_t Exchange::unpublished() const noexcept {
  std::uint64_t count = 0;
  for (const auto& feed : feeds_) count += feed->unpublished();
  return count;
}

void Exchange::start_days(time::Time now) {
  for (const auto& clock : clocks_) {
    if (!config_.segments.empty()) clock->start(midnight_of(now));
    if (config_.day_end_minutes >= 0)
      clock->end_days_at(midnight_of(now), std::chrono::minutes{config_.day_end_minutes});
  }
  if (config_.next_day_minutes < 0) return;
  const venue::Partition& first = *partitions_.front();
  next_day_->start(now, midnight_of(now), std::chrono::minutes{config_.next_day_minutes},
                   first.day_number() != 0 ? first.day_began() : first.last_time());
}

Result<link::Address> Exchange::start(link::Fabric& fabric, const link::Address& where) {
  return fabric.listen(where, *front_);
}

void Exchange::on_archive_ready(const std::function<void()>& wake) {
  for (const auto& archive : archives_) archive->on_ready(wake);
}

Result<link::Address> Exchange::start_recovery(link::Fabric& fabric, const link::Address& where) {
  return fabric.listen(where, *recovery_);
}

Result<link::Address> Exchange::start_copies(link::Fabric& fabric, const link::Address& where) {
  DOJIMA_ASSERT(copies_ != nullptr, "copies are for readers", where.port);
  return fabric.listen(where, *copies_);
}

}  // namespace dojima::simulate
