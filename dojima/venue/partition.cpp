#include "dojima/venue/partition.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "dojima/base/assert.hpp"
#include "dojima/base/state.hpp"
#include "dojima/venue/partition/dispatch.hpp"
#include "dojima/venue/partition/parts.hpp"

namespace dojima::venue {

using market::Reason;

namespace {

PartitionConfig checked(PartitionConfig config) {
  if (config.app_id < 1 || config.app_id > 4) throw std::invalid_argument("partition: app id 1 to 4");
  if (config.instruments.empty()) throw std::invalid_argument("partition: at least one instrument");
  if (config.users.empty() || config.users.size() > 65'535) throw std::invalid_argument("partition: 1 to 65535 users");
  if (config.limits.report_buffer == 0) throw std::invalid_argument("partition: a report buffer of at least 1");
  for (const Segment& segment : config.segments)
    if (const char* wrong = complaint(segment)) throw std::invalid_argument(std::string("partition: ") + wrong);
  config.limits.reports =
      std::max(config.limits.reports, least_reports(config.limits.orders, !config.segments.empty()));
  return config;
}

/// Whether a type is one of a command: they are numbered without a gap.
[[nodiscard]] constexpr bool has_record(market::CommandType type) noexcept {
  return static_cast<unsigned>(type) - 1 < market::k_command_types - 1;
}
static_assert([] {
  for (unsigned type = 0; type < 256; ++type)
    if (has_record(market::CommandType(type)) != (market::size_of(market::CommandType(type)) != 0)) return false;
  return true;
}());

[[gnu::noinline]] Result<Sequence> no_room_in_journal() {
  return fail(ErrorCode::no_room, 0, 0, 0, "room in the journal");
}

[[gnu::noinline]] Result<Sequence> no_such_command(market::CommandType type) {
  return fail(ErrorCode::malformed, 0, 0, static_cast<std::int64_t>(type), "a command type");
}

}  // namespace

Partition::Partition(PartitionConfig config, journal::Journal& journal)
    : parts_(std::make_unique<Parts>(checked(std::move(config)), journal)), log_(&parts_->owners.log()) {}

Partition::~Partition() = default;

constinit thread_local const Partition::GuardedParts* Partition::GuardedParts::inside = nullptr;

Partition::GuardedParts::GuardedParts(std::unique_ptr<Parts> parts) noexcept : parts_(std::move(parts)) {}
Partition::GuardedParts::~GuardedParts() = default;

bool Partition::takes_orders() {
  return parts_->commands.has_room();
}

// ---- The way of a command ------------------------------------------------------------------------------------------

/// From top to bottom: journal, day, risk, book, reports. False: the journal is full, nothing happened.
inline bool Partition::process_here(const market::CommandHeader& header, bool is_journaled) {
  Parts& parts = *parts_;
  // Journal: a command is written before it has any effect. In replay it comes from there, and all else is the same.
  if (!is_journaled && !parts.commands.write(header)) return false;
  parts.commands.advance(header);
  parts.reports.begin(header.sequence, header.time);

  dispatch(header, [&parts]<class Command>(const Command& journaled) {
    // Reports that follow answer this request; an order that it names by a client order id is looked up.
    const auto& command = parts.owners.begin(journaled);

    if constexpr (OfDay<Command>) {
      // Day: phases begin and end; their books open, close, uncross their calls and expire day orders.
      parts.days.apply(command);
      parts.sweep_ended_day();

    } else if constexpr (OfOneBook<Command>) {
      // Risk: what the user may not do does not reach the book.
      const std::uint32_t* const place = parts.books.place_of(command.header.instrument);
      const Reason refusal = parts.check(command, place);
      if (refusal != Reason::none) return parts.reports.refuse(command, refusal);
      // Book: it matches, and reports what happened.
      parts.apply_to(parts.books[*place], command);

    } else if constexpr (OfSeveralBooks<Command>) {
      // Risk, books: several of them, in the order of the configuration.
      if (parts.risk.admit(command)) parts.apply_to_books(command);

    } else {
      // Quotes, the operator's commands, slices of what a command ends, and records for readers of the journal.
      parts.apply(command);
    }
  });

  // Reports: to the owners of orders into the report log, then to the sinks.
  parts.reports.finish();
  parts.settle();
  return true;
}

[[gnu::noinline]] bool Partition::process(const market::CommandHeader& header, bool is_journaled) {
  return process_here(header, is_journaled);
}

Result<Sequence> Partition::submit(market::CommandHeader& header, Time now) {
  Parts& parts = *parts_;
  // An order that would trade beyond a band does not: its instrument is interrupted first.
  if (!parts.days.is_empty() && !interrupt_before(header, now)) [[unlikely]]
    return no_room_in_journal();
  if (!has_record(header.type)) [[unlikely]]
    return no_such_command(header.type);
  parts.commands.stamp(header, now);
  if ((header.sequence.value & parts.unmarked) == 0) [[unlikely]]
    return submit_marked(header, now);
  if (!process_here(header, false)) [[unlikely]]
    return no_room_in_journal();
  follow_up(header, now);
  return header.sequence;
}

/// What a command makes the partition do by itself.
inline void Partition::follow_up(const market::CommandHeader& header, Time now) {
  Parts& parts = *parts_;
  if (parts.days.is_band_broken()) [[unlikely]]
    interrupt_what_broke_its_band(now);
  if (parts.limits.is_on() && parts.limits.is_protection_due()) [[unlikely]]
    protect(now);
  if (parts.config.checkpoint_every != 0 && parts.commands.last().value >= parts.next_checkpoint) [[unlikely]] {
    // Not behind settings: a replay has made the partition anew behind the last of them, with more instruments perhaps.
    if (header.type != market::CommandType::setting) checkpoint(now);
  }
}

/// As submit(), of a command that has its place already.
[[gnu::noinline]] Result<Sequence> Partition::submit_marked(const market::CommandHeader& header, Time now) {
  Parts& parts = *parts_;
  const CommandMarks& marks = parts.marks;
  marks.probe->mark(marks.begun, header.sequence.value);
  if (!parts.commands.write(header)) return no_room_in_journal();
  marks.probe->mark(marks.journaled, header.sequence.value);
  static_cast<void>(process(header, true));
  marks.probe->mark(marks.applied, header.sequence.value);
  follow_up(header, now);
  return header.sequence;
}

void Partition::prefetch(std::span<const market::CommandHeader* const> next) const noexcept {
  static_assert(k_prefetched == k_expected_commands);
  parts_->prefetch(next);
}

/// False: an interruption found no room in the journal.
bool Partition::interrupt_before(market::CommandHeader& header, Time now) {
  Parts& parts = *parts_;
  parts.commands.stamp(header, now);  // limits look at its time; behind an interruption it gets its place anew
  const auto foreseen = header.type == market::CommandType::quote
                            ? parts.foresee(as<market::Quote>(header))
                            : parts.days.foresee(header, parts.risk, parts.limits);
  return !foreseen || interrupt(parts.days.interruption(*foreseen), now);
}

/// Who was executed too often has its open orders cancelled, before anything else comes. For want of room in the
/// journal behind the next command.
void Partition::protect(Time now) {
  while (auto cancel = parts_->limits.next_protection()) {
    parts_->commands.stamp(cancel->header, now);
    if (!process(cancel->header, false)) return;
  }
}

Result<Sequence> Partition::sweep(Time now) {
  market::Slice slice = parts_->sweeps.next_slice();
  return submit(slice.header, now);
}

Result<Sequence> Partition::begin_next_day(Time now) {
  DOJIMA_ASSERT(!is_sweeping(), "what a day ends is over before the next one begins", last_command());
  market::NextDay command{.day = day_number() + 1, .digest = parts_->progress()};
  command.header.user = market::k_no_user;
  return submit(command.header, now);
}

std::uint64_t Partition::day_number() const noexcept {
  return parts_->owners.numbers().day();
}

Time Partition::day_began() const noexcept {
  return parts_->owners.numbers().day_began();
}

std::uint32_t Partition::slice() const noexcept {
  return parts_.fixed().config.slice;
}

bool Partition::is_sweeping() const noexcept {
  return !parts_->sweeps.is_empty();
}

/// For want of room in the journal the next command tries again.
void Partition::checkpoint(Time now) {
  Parts& parts = *parts_;
  market::Checkpoint checkpoint{.digest = parts.progress()};
  parts.commands.stamp(checkpoint.header, now);
  if (process(checkpoint.header, false)) parts.plan_checkpoint();
}

/// Phases follow in the order of the instruments; one that finds no room in the journal follows the next command.
void Partition::interrupt_what_broke_its_band(Time now) {
  TradingDays& days = parts_->days;
  days.set_band_broken(false);
  for (auto broken = days.next_broken(0); broken && !days.is_band_broken(); broken = days.next_broken(broken->at + 1))
    if (!interrupt(days.interruption(*broken), now)) days.set_band_broken(true);
}

/// A command of the partition's own.
bool Partition::interrupt(market::DayCommand interruption, Time now) {
  parts_->commands.stamp(interruption.header, now);
  return process(interruption.header, false);
}

void Partition::apply(const market::CommandHeader& header) {
  static_cast<void>(process(header, true));
}

bool Partition::replay(Bytes record) {
  const market::CommandHeader* header = parts_->commands.read(record);
  if (header == nullptr || !process(*header, true)) return false;
  parts_->plan_checkpoint();
  return true;
}

std::optional<Sequence> Partition::divergence() const noexcept {
  if (parts_->divergence.value == 0) return {};
  return parts_->divergence;
}

// ---- State ---------------------------------------------------------------------------------------------------------

std::uint64_t Partition::digest() const {
  const Parts& parts = *parts_;
  book::Digest digest;
  digest.add(parts.config.app_id);
  digest.add(parts.commands.last());
  digest.add(time::nanoseconds_of(parts.commands.last_time()));
  parts.owners.numbers().add_to(digest);
  digest.add(parts.orders.digest());
  for (std::size_t at = 0; at < parts.books.size(); ++at) digest.add(parts.books[at].state_digest());
  parts.days.add_to(digest);
  for (std::size_t at = 0; at < parts.config.users.size(); ++at) {
    const auto user = static_cast<std::uint16_t>(at);
    digest.add(parts.owners.owned().totals(user));
    digest.add(std::uint8_t{parts.risk.is_logged_on(user)});
    parts.owners.owned().add_names_to(digest, user);
  }
  parts.limits.add_to(digest);
  parts.sweeps.add_to(digest);
  return digest.value();
}

void Partition::save(StateWriter& out, std::uint64_t reports) const {
  const Parts& parts = *parts_;
  parts.commands.save(out);
  parts.orders.save(out);
  for (std::size_t at = 0; at < parts.books.size(); ++at) parts.books[at].save(out);
  parts.risk.save(out);
  parts.days.save(out);
  parts.owners.save(out, reports);
  parts.limits.save(out);
  parts.sweeps.save(out);
  parts.owners.save_day(out);
  parts.commands.save_beginning(out);
}

Result<void> Partition::load(StateReader& in, std::size_t instruments) {
  Parts& parts = *parts_;
  const std::size_t books = std::min(instruments, parts.books.size());
  const auto load_books = [&] {
    for (std::size_t at = 0; at < books; ++at)
      if (!parts.books[at].load(in)) return false;
    return true;
  };
  static_cast<void>(parts.commands.load(in) && parts.orders.load(in) && load_books() && parts.risk.load(in) &&
                    parts.days.load(in, books) && parts.owners.load(in) && parts.limits.load(in) &&
                    parts.sweeps.load(in) && parts.owners.load_day(in) && parts.commands.load_beginning(in));
  if (in.is_good() && in.left() != 0) in.fail("the end of the state");
  if (in.is_good()) parts.expiries.rebuild();
  parts.plan_checkpoint();
  return in.result();
}

// ---- Limits --------------------------------------------------------------------------------------------------------

Result<void> Partition::complaint(const market::RiskCommand& command) const {
  return parts_->limits.complaint(command);
}

std::vector<LimitRow> Partition::limits() const {
  return parts_->limits.rows(parts_->commands.last_time());
}

std::vector<LimitRow> Partition::removed_limits() const {
  return parts_->limits.removed();
}

bool Partition::is_killed(market::LimitOf of, std::uint16_t user, const Text<10>& account) const {
  return parts_->limits.is_killed(of, user, account);
}

std::uint64_t Partition::refused(market::Reason reason) const noexcept {
  return parts_->owners.refused(reason);
}

PartitionUse Partition::use() const noexcept {
  const RiskLimits::Use limits = parts_->limits.use();
  const Trades& trades = parts_->owners.trades();
  return {.trades = trades.kept(),
          .trades_most = trades.capacity(),
          .limits = limits.cells,
          .recent_orders = limits.recent,
          .limits_most = RiskCells::k_capacity};
}

std::vector<MemoryPart> Partition::memory_parts() const {
  const std::size_t orders = parts_->orders.capacity();
  return {{"orders, a cache line each", orders * sizeof(book::Order)},
          {"their labels, likewise", orders * sizeof(book::KeptLabels)},
          {"free slots", orders * sizeof(book::Slot)},
          {"what was reported to owners last", parts_->owners.owned().bytes_known()},
          {"client order ids", parts_->owners.owned().bytes_of_names()},
          {"report log", reports().capacity() * sizeof(market::OwnerReport)}};
}

void Partition::keep_reports_from(std::uint64_t position) noexcept {
  parts_->owners.keep_reports_from(position);
}

Sequence Partition::durable() const {
  return parts_->commands.durable();
}

Time Partition::began() const noexcept {
  return parts_->commands.began();
}

Time Partition::last_time() const noexcept {
  return parts_->commands.last_time();
}

bool Partition::is_logged_on(std::uint16_t user) const noexcept {
  return parts_->risk.is_known(user) && parts_->risk.is_logged_on(user);
}

std::size_t Partition::users() const noexcept {
  return parts_.fixed().config.users.size();
}

Sequence Partition::last_command() const noexcept {
  return parts_->commands.last();
}

void Partition::mark(const CommandMarks& marks) noexcept {
  parts_->marks = marks;
  parts_->unmarked = marks.probe == nullptr ? Parts::k_none_marked : marks.one_in - 1;
}

void Partition::observe(ReportSink* sink) {
  parts_->reports.observe(sink);
}

void Partition::dismiss(const ReportSink* sink) noexcept {
  parts_->reports.dismiss(sink);
}

void Partition::show(TickerSink* ticker) noexcept {
  parts_->reports.show(ticker);
}

void Partition::publish(FeedSink* feed) {
  parts_->days.publish_to(feed);
}

void Partition::dismiss(const FeedSink* feed) noexcept {
  parts_->days.dismiss(feed);
}

const InstrumentDay* Partition::day(std::uint32_t instrument) const noexcept {
  return parts_->days.find(instrument);
}

Time Partition::day_due() const noexcept {
  return parts_->days.due();
}

Time Partition::next_expiry() const {
  return parts_->expiries.next();
}

bool Partition::is_between_days() const noexcept {
  return parts_->days.is_between_days();
}

Time Partition::day_midnight() const noexcept {
  return parts_->days.midnight();
}

Duration Partition::first_start_of_day() const noexcept {
  return parts_->days.first_start_of_day();
}

std::uint64_t Partition::day_steps() const noexcept {
  return parts_->days.steps();
}

std::uint8_t Partition::app_id() const noexcept {
  return parts_.fixed().config.app_id;
}

std::span<const market::Instrument> Partition::instruments() const noexcept {
  return parts_.fixed().config.instruments;
}

bool Partition::has_segment(std::string_view segment) const noexcept {
  return parts_.fixed().books.has_segment(segment);
}

const book::Book* Partition::book(std::uint32_t instrument) const noexcept {
  return parts_->books.find(instrument);
}

const UserTotals& Partition::totals(std::uint16_t user) const {
  return parts_->owners.owned().totals(user);
}

std::uint32_t Partition::open_orders(std::uint16_t user) const {
  return parts_->orders.count_of_owner(user);
}

std::size_t Partition::live_orders() const noexcept {
  return parts_->orders.size();
}

std::optional<std::uint16_t> Partition::owner_of(market::OrderId order) const noexcept {
  const book::Slot slot = parts_->orders.find(order);
  if (slot == book::k_no_slot) return std::nullopt;
  return parts_->orders[slot].owner;
}

const TradeRecord* Partition::find_trade(std::uint64_t trade) const noexcept {
  return parts_->owners.find_trade(trade);
}

std::uint64_t Partition::next_trade() const noexcept {
  return parts_->owners.numbers().next_trade();
}

}  // namespace dojima::venue
