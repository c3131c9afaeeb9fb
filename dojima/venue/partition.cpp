#include "dojima/venue/partition.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "dojima/base/assert.hpp"
#include "dojima/book/digest.hpp"
#include "dojima/fsm/machine.hpp"
#include "dojima/venue/order_life_machine.hpp"

namespace dojima::venue {

using market::BookReport;
using market::BookReportKind;
using market::OrderId;
using market::OrderStatus;
using market::OwnerReport;
using market::OwnerReportKind;
using market::Reason;

namespace {

constexpr unsigned k_execution_shift = 60;
/// Trade numbers stay below 36^10, so that their FIX text has ten characters.
constexpr unsigned k_trade_shift = 48;

PartitionConfig checked(PartitionConfig config) {
  if (config.app_id < 1 || config.app_id > 4) throw std::invalid_argument("partition: app id 1 to 4");
  if (config.instruments.empty()) throw std::invalid_argument("partition: at least one instrument");
  if (config.users.empty() || config.users.size() > 65'535) throw std::invalid_argument("partition: 1 to 65535 users");
  if (config.limits.report_buffer == 0) throw std::invalid_argument("partition: a report buffer of at least 1");
  for (const Segment& segment : config.segments)
    if (const char* wrong = complaint(segment)) throw std::invalid_argument(std::string("partition: ") + wrong);
  // One command causes at most two reports per order of the opposite side and two of its own. The end of a call trades
  // both sides and ends what is left of them.
  const std::size_t per_order = config.segments.empty() ? 4 : 8;
  config.limits.reports = std::max(config.limits.reports, per_order * config.limits.orders + 64);
  return config;
}

template <class Command>
const Command& as(const market::CommandHeader& header) noexcept {
  return reinterpret_cast<const Command&>(header);
}

}  // namespace

/// The books' reports of the command in hand, given to the partition.
class Partition::Drain final : public book::ReportBuffer {
 public:
  Drain(Partition& partition, std::size_t capacity) : ReportBuffer(capacity), partition_(partition) {}

 private:
  void drain(std::span<const BookReport> reports, Time now) override { partition_.on_book_reports(reports, now); }
  Partition& partition_;
};

Partition::Partition(PartitionConfig config, journal::Journal& journal)
    : config_(checked(std::move(config))),
      journal_(journal),
      orders_({.partition = config_.app_id, .capacity = config_.limits.orders, .owners = config_.users.size()}),
      states_(config_.limits.orders, OrderState::entering),
      leaves_(config_.limits.orders),
      drain_(std::make_unique<Drain>(*this, config_.limits.report_buffer)),
      book_of_instrument_(config_.instruments.size()),
      names_(config_.limits.orders),
      users_(config_.users.size()),
      log_(config_.limits.reports) {
  for (const market::Instrument& instrument : config_.instruments) {
    if (instrument.id == 0 || !book_of_instrument_.insert(instrument.id, static_cast<std::uint32_t>(books_.size())))
      throw std::invalid_argument("partition: instrument ids are above 0 and given once");
    books_.push_back(std::make_unique<book::Book>(instrument, orders_, *drain_,
                                                  book::BookLimits{.levels = config_.limits.levels}, config_.rules));
    const auto segment = std::find_if(config_.segments.begin(), config_.segments.end(),
                                      [&instrument](const Segment& of) { return of.name == instrument.segment; });
    days_.push_back(segment == config_.segments.end()
                        ? nullptr
                        : std::make_unique<InstrumentDay>(*segment, instrument, *books_.back()));
  }
}

Partition::~Partition() = default;

// ---- Commands ------------------------------------------------------------------------------------------------------

Result<Sequence> Partition::submit(market::CommandHeader& header, Time now) {
  DayEvent event{};
  if (const auto at = foreseen(header, event); at && !interrupt(*at, event, now))
    return fail(ErrorCode::no_room, 0, 0, 0, "room in the journal");
  const Result<Sequence> sequence = journaled(header, now);
  if (!sequence) return sequence;
  // Phases follow in the order of the instruments; one that finds no room in the journal follows the next command.
  if (is_band_broken_) {
    is_band_broken_ = false;
    for (std::size_t at = 0; at < days_.size() && !is_band_broken_; ++at)
      if (days_[at] != nullptr && days_[at]->breach()) is_band_broken_ = !interrupt(at, *days_[at]->breach(), now);
  }
  return sequence;
}

/// The interruption that an order would cause by trading beyond a band: its instrument's place, and what happens.
std::optional<std::size_t> Partition::foreseen(const market::CommandHeader& header, DayEvent& event) const {
  if (config_.segments.empty() || header.type != market::CommandType::new_order) return {};
  const std::uint32_t* at = book_of_instrument_.find(header.instrument);
  if (at == nullptr || days_[*at] == nullptr || header.user >= users_.size()) return {};
  const auto& command = as<market::NewOrder>(header);
  const market::OrderTerms& terms = command.terms;
  const bool is_limit = terms.type == market::OrderType::limit;
  if (!is_limit && terms.type != market::OrderType::market) return {};
  if (terms.sub_type == market::OrderSubType::pegged) return {};
  const auto found =
      days_[*at]->foresee(terms.side, is_limit ? std::optional(terms.limit) : std::nullopt, terms.quantity);
  if (!found) return {};
  // An order that is refused interrupts nothing.
  const bool is_refused =
      check_risk(config_.users[header.user].limits, command, orders_.count_of_owner(header.user)) != Reason::none ||
      books_[*at]->refusal(command) != Reason::none;
  if (is_refused) return {};
  event = *found;
  return *at;
}

/// A command of our own: what breaks a band interrupts the instrument, or its segment where that stands together.
bool Partition::interrupt(std::size_t at, DayEvent event, Time now) {
  market::DayCommand command;
  command.header.user = market::k_no_user;
  command.event = event;
  if (days_[at]->segment().halts_together)
    command.segment = Text<4>::cut(days_[at]->segment().name);
  else
    command.header.instrument = config_.instruments[at].id;
  return journaled(command.header, now).has_value();
}

Result<Sequence> Partition::journaled(market::CommandHeader& header, Time now) {
  const std::size_t size = market::size_of(header.type);
  if (size == 0) return fail(ErrorCode::malformed, 0, 0, static_cast<std::int64_t>(header.type), "a command type");
  DOJIMA_ASSERT(journal_.last().value == last_command_.value, "what is in the journal is applied before more comes");
  const Room room = journal_.prepare(size);
  if (room.empty()) return fail(ErrorCode::no_room, 0, 0, 0, "room in the journal");
  header.sequence = {journal_.last().value + 1};
  header.time = std::max(now, last_time_);
  std::memcpy(room.data(), &header, size);
  const journal::Sequence written = journal_.commit(size);
  DOJIMA_ASSERT(written.value == header.sequence.value, "a journal numbers its records one by one");
  apply(header);
  return header.sequence;
}

bool Partition::replay(Bytes record) {
  if (record.size() < sizeof(market::CommandHeader)) return false;
  const void* begin = record.data();
  DOJIMA_ASSERT(reinterpret_cast<std::uintptr_t>(begin) % alignof(market::CommandHeader) == 0, "a record is aligned");
  const auto& header = *static_cast<const market::CommandHeader*>(begin);
  if (market::size_of(header.type) != record.size()) return false;
  if (header.sequence.value != last_command_.value + 1) return false;
  apply(header);
  return true;
}

void Partition::apply(const market::CommandHeader& header) {
  DOJIMA_ASSERT(header.sequence.value == last_command_.value + 1, "commands are applied one by one in their order");
  last_command_ = header.sequence;
  last_time_ = header.time;
  drain_->begin(header.sequence, header.time);
  switch (header.type) {
    case market::CommandType::new_order:
      apply_new_order(as<market::NewOrder>(header));
      break;
    case market::CommandType::replace:
      apply_replace(as<market::Replace>(header));
      break;
    case market::CommandType::cancel:
      apply_cancel(as<market::Cancel>(header));
      break;
    case market::CommandType::logon:
      if (header.user < users_.size()) users_[header.user].is_logged_on = true;
      break;
    case market::CommandType::end_session:
      apply_end_session(as<market::UserCommand>(header));
      break;
    case market::CommandType::mass_cancel:
      apply_mass_cancel(as<market::MassCancel>(header));
      break;
    case market::CommandType::expire:
      apply_expire(as<market::Expire>(header));
      break;
    case market::CommandType::phase:
      apply_phase(as<market::PhaseChange>(header));
      break;
    case market::CommandType::day:
      apply_day(as<market::DayCommand>(header));
      break;
    case market::CommandType::none:
      break;
  }
  drain_->finish();
}

void Partition::begin_request(std::uint16_t user, const Text<20>& client_order_id) {
  request_ = Request{.client_order_id = client_order_id, .user = user};
}

void Partition::apply_new_order(const market::NewOrder& command) {
  const std::uint16_t user = command.header.user;
  begin_request(user, command.labels.client_order_id);
  book::Book* book = find_book(command.header.instrument);
  Reason reason = Reason::none;
  if (user >= users_.size())
    reason = Reason::unknown_user;
  else if (book == nullptr)
    reason = Reason::unknown_instrument;
  else
    reason = check_risk(config_.users[user].limits, command, orders_.count_of_owner(user));
  if (reason != Reason::none) return reject(command.header, {}, command.terms.side, reason, 0);
  book->apply(command);
}

void Partition::apply_replace(const market::Replace& command) {
  const std::uint16_t user = command.header.user;
  begin_request(user, command.client_order_id);
  request_.account = command.account;
  request_.is_replace = true;
  book::Book* book = find_book(command.header.instrument);
  market::Replace resolved = command;
  resolved.order = resolve(command.order, command.original_client_order_id, user);
  const book::Slot slot = orders_.find(resolved.order);
  Reason reason = Reason::none;
  if (user >= users_.size())
    reason = Reason::unknown_user;
  else if (book == nullptr)
    reason = Reason::unknown_instrument;
  else if (slot != book::k_no_slot && orders_[slot].owner == user)
    reason = check_risk(config_.users[user].limits, command);
  if (reason != Reason::none)
    return reject(command.header, resolved.order, command.side, reason, market::k_replacement);
  if (slot != book::k_no_slot) request_.old_quantity = orders_.terms(slot).quantity;
  book->apply(resolved);
}

void Partition::apply_cancel(const market::Cancel& command) {
  const std::uint16_t user = command.header.user;
  begin_request(user, command.client_order_id);
  book::Book* book = find_book(command.header.instrument);
  market::Cancel resolved = command;
  resolved.order = resolve(command.order, command.original_client_order_id, user);
  Reason reason = Reason::none;
  if (user >= users_.size())
    reason = Reason::unknown_user;
  else if (book == nullptr)
    reason = Reason::unknown_instrument;
  if (reason != Reason::none)
    return reject(command.header, resolved.order, command.side, reason, market::k_replacement);
  book->apply(resolved);
}

void Partition::apply_end_session(const market::UserCommand& command) {
  const std::uint16_t user = command.header.user;
  begin_request(user, {});
  if (user >= users_.size()) return;
  users_[user].is_logged_on = false;
  const UserSetUp& set_up = config_.users[user];
  const bool is_cancelling =
      command.end == market::SessionEnd::disconnect ? set_up.cancel_on_disconnect : set_up.cancel_on_logout;
  if (!is_cancelling) return;
  for (const book::Slot slot : orders_.of_owner(user)) {
    if ((orders_.terms(slot).flags & market::k_auto_cancel) == 0) continue;
    find_book(orders_[slot].instrument)->expire(orders_.id(slot), Reason::session_ended);
  }
  for (const auto& book : books_) book->settle();
}

bool Partition::concerns(const market::MassCancel& command, const market::Instrument& instrument) noexcept {
  return (command.header.instrument == 0 || command.header.instrument == instrument.id) &&
         (command.segment.is_empty() || command.segment.view() == instrument.segment);
}

bool Partition::has_segment(std::string_view segment) const noexcept {
  return std::any_of(config_.instruments.begin(), config_.instruments.end(),
                     [segment](const market::Instrument& instrument) { return instrument.segment == segment; });
}

/// The user's orders, its account's, or by the operator everybody's: book by book, in the order of the configuration.
/// Who asked is answered first; the operator, who is no user, is not.
void Partition::apply_mass_cancel(const market::MassCancel& command) {
  begin_request(command.header.user, command.client_order_id);
  const bool is_user = command.header.user < users_.size();
  if (!is_user && !command.is_everyone) return;
  const bool is_known =
      std::any_of(config_.instruments.begin(), config_.instruments.end(),
                  [&command](const market::Instrument& instrument) { return concerns(command, instrument); });
  if (is_user) {
    OwnerReport answer{.command = last_command_, .time = last_time_, .client_order_id = command.client_order_id};
    answer.partition = config_.app_id;
    answer.user = command.header.user;
    answer.kind = OwnerReportKind::mass_cancelled;
    answer.instrument = command.header.instrument;
    if (!is_known) answer.reason = Reason::unknown_instrument;
    if (!is_known) answer.status = OrderStatus::rejected;
    tell(answer);
  }
  for (std::size_t at = 0; at < books_.size(); ++at)
    if (concerns(command, config_.instruments[at])) books_[at]->apply(command);
}

void Partition::apply_expire(const market::Expire& command) {
  begin_request(command.header.user, {});
  for (std::size_t at = 0; at < books_.size(); ++at)
    if (command.header.instrument == 0 || command.header.instrument == config_.instruments[at].id)
      books_[at]->apply(command);
}

/// By the operator, where no timetable leads: the days of the others would not know of it.
void Partition::apply_phase(const market::PhaseChange& command) {
  begin_request(command.header.user, {});
  for (std::size_t at = 0; at < books_.size(); ++at)
    if (days_[at] == nullptr &&
        (command.header.instrument == 0 || command.header.instrument == config_.instruments[at].id))
      books_[at]->apply(command);
}

/// Instrument by instrument, in the order of the configuration.
void Partition::apply_day(const market::DayCommand& command) {
  begin_request(command.header.user, {});
  for (std::size_t at = 0; at < days_.size(); ++at) {
    if (days_[at] == nullptr) continue;
    const market::Instrument& instrument = config_.instruments[at];
    if (command.header.instrument != 0 && command.header.instrument != instrument.id) continue;
    if (!command.segment.is_empty() && command.segment.view() != instrument.segment) continue;
    if (command.event == DayEvent::due && days_[at]->until() > command.header.time) continue;
    const bool has_changed = days_[at]->process(
        command.event, {.now = command.header.time, .midnight = command.midnight, .seed = command.seed});
    if (!has_changed) continue;
    ++day_steps_;
    drain_->finish();  // what the auction traded stands before the phase that follows it
    tell_status(at);
  }
}

void Partition::tell_status(std::size_t at) {
  if (feeds_.empty()) return;
  const InstrumentDay& day = *days_[at];
  market::SymbolStatus status{.sequence = last_command_, .time = last_time_, .end = day.until()};
  status.instrument = config_.instruments[at].id;
  status.phase = day.phase();
  status.reason = day.reason();
  status.trading_status = day.trading_status();
  for (FeedSink* feed : feeds_) feed->on_status(status);
}

/// What a book says of a call, for the feed.
void Partition::tell_auction(const BookReport& report, Time now) {
  const InstrumentDay* day = this->day(report.instrument);
  if (feeds_.empty() || day == nullptr) return;
  if (report.kind == BookReportKind::indicative) {
    market::AuctionInfo info{.sequence = last_command_,
                             .time = now,
                             .price = report.price,
                             .quantity = report.quantity,
                             .imbalance = report.leaves,
                             .instrument = report.instrument,
                             .imbalance_side = report.side,
                             .auction_type = day->auction_type()};
    for (FeedSink* feed : feeds_) feed->on_auction_info(info);
  } else if (report.kind == BookReportKind::uncrossed && report.quantity.lots > 0) {
    market::AuctionTrade trade{.sequence = last_command_,
                               .time = now,
                               .price = report.price,
                               .quantity = report.quantity,
                               .trade = trade_number(last_trade_),
                               .instrument = report.instrument,
                               .auction_type = day->auction_type()};
    for (FeedSink* feed : feeds_) feed->on_auction_trade(trade);
  }
}

const InstrumentDay* Partition::day(std::uint32_t instrument) const noexcept {
  const std::uint32_t* at = book_of_instrument_.find(instrument);
  return at != nullptr ? days_[*at].get() : nullptr;
}

Time Partition::day_due() const noexcept {
  Time due = time::k_never;
  for (const auto& day : days_)
    if (day != nullptr) due = std::min(due, day->until());
  return due;
}

bool Partition::is_between_days() const noexcept {
  return std::all_of(days_.begin(), days_.end(), [](const auto& day) {
    return day == nullptr || day->phase() == DayPhase::no_day || day->phase() == DayPhase::end_of_day;
  });
}

Time Partition::day_midnight() const noexcept {
  Time latest{};
  for (const auto& day : days_)
    if (day != nullptr) latest = std::max(latest, day->midnight());
  return latest;
}

Duration Partition::first_start_of_day() const noexcept {
  Duration first = config_.segments.empty() ? Duration{} : Duration::max();
  for (const Segment& segment : config_.segments) first = std::min(first, segment.timetable.start_of_day);
  return first;
}

/// The order that a request means: by its id, else the latest live order of the user with that client order id.
OrderId Partition::resolve(OrderId order, const Text<20>& original, std::uint16_t user) const {
  if (order.value != 0) return order;
  const OrderId* named = names_.find(ClientKey{.id = original, .user = user});
  return named != nullptr ? *named : OrderId{};
}

book::Book* Partition::find_book(std::uint32_t instrument) noexcept {
  const std::uint32_t* at = book_of_instrument_.find(instrument);
  return at != nullptr ? books_[*at].get() : nullptr;
}

const book::Book* Partition::book(std::uint32_t instrument) const noexcept {
  return const_cast<Partition*>(this)->find_book(instrument);
}

/// A refusal before the book, as the book would report it.
void Partition::reject(const market::CommandHeader& header, OrderId order, market::Side side, Reason reason,
                       std::uint8_t flags) {
  BookReport& report = drain_->append();
  report.kind = BookReportKind::rejected;
  report.order = order;
  report.instrument = header.instrument;
  report.side = side;
  report.reason = reason;
  report.flags = flags;
}

// ---- Reports -------------------------------------------------------------------------------------------------------

std::uint64_t Partition::trade_number(std::uint64_t trade) const noexcept {
  return std::uint64_t{config_.app_id} << k_trade_shift | trade;
}

void Partition::on_book_reports(std::span<const BookReport> reports, Time now) {
  for (const BookReport& report : reports) translate(report, now);
  for (ReportSink* sink : sinks_) sink->on_reports(reports, now);
}

void Partition::translate(const BookReport& report, Time now) {
  if (report.kind == BookReportKind::traded) {
    const bool is_auction = (report.flags & market::k_auction) != 0;
    if (!config_.segments.empty()) note_trade(report, is_auction);
    return is_auction ? translate_auction_trade(report, now) : translate_trade(report, now);
  }
  if (is_of_book(report.kind)) return tell_auction(report, now);
  if (report.kind == BookReportKind::rejected) return translate_rejection(report, now);

  leaves_[static_cast<std::size_t>(orders_.slot_of(report.order))] = report.leaves;
  OrderState& state = state_of(report.order);
  if (report.kind == BookReportKind::accepted) state = OrderState::entering;  // the slot's next order
  OwnerReport told = owner_report(report, report.order, now);
  told.leaves = report.leaves;
  told.displayed = report.displayed;
  told.status = live_through({report, report.order, told}, state);
  // That it rests, waits, wakes or shows its next peak, the owner knows from what he asked for.
  if (told.kind != OwnerReportKind::none) tell(told);
}

/// What concerns a book and no order.
bool Partition::is_of_book(BookReportKind kind) noexcept {
  return kind == BookReportKind::phase_changed || kind == BookReportKind::uncrossed ||
         kind == BookReportKind::indicative;
}

void Partition::note_trade(const BookReport& report, bool is_auction) {
  InstrumentDay* day = days_[*book_of_instrument_.find(report.instrument)].get();
  if (day != nullptr && day->on_trade(report.price, is_auction, last_command_)) is_band_broken_ = true;
}

Partition::OrderState& Partition::state_of(OrderId order) noexcept {
  return states_[static_cast<std::size_t>(orders_.slot_of(order))];
}

/// One step of an order's life; its status from then on.
OrderStatus Partition::live_through(const LifeInput& input, OrderState& state) {
  constexpr std::array statuses{OrderStatus::new_order, OrderStatus::new_order, OrderStatus::partially_filled,
                                OrderStatus::filled,    OrderStatus::cancelled, OrderStatus::expired,
                                OrderStatus::rejected};
  const auto outcome = fsm::process<OrderLife>(state, input.report.kind, *this, input);
  DOJIMA_ASSERT(outcome.is_handled(), "a book reports only what the life of an order allows");
  return statuses[static_cast<std::size_t>(outcome.to)];
}

void Partition::enter(const LifeInput& input) {
  const book::Slot slot = orders_.slot_of(input.order);
  const std::uint16_t owner = orders_[slot].owner;
  request_.order = input.order;
  request_.leaves = input.report.leaves;
  users_[owner].totals.submitted += static_cast<std::uint64_t>(input.report.quantity.lots);
  name(input.order, orders_.labels(slot).client_order_id, owner);
  input.told.kind = OwnerReportKind::accepted;
}

void Partition::change(const LifeInput& input) {
  const book::Slot slot = orders_.slot_of(input.order);
  const std::uint16_t owner = orders_[slot].owner;
  market::OrderLabels& labels = orders_.labels(slot);
  request_.order = input.order;
  request_.leaves = input.report.leaves;
  users_[owner].totals.submitted += static_cast<std::uint64_t>((input.report.quantity - request_.old_quantity).lots);
  unname(input.order);
  labels.client_order_id = input.told.client_order_id = request_.client_order_id;
  if (!request_.account.is_empty()) labels.account = request_.account;
  name(input.order, labels.client_order_id, owner);
  input.told.kind = OwnerReportKind::replaced;
}

void Partition::take_up(const LifeInput& input) {
  request_.order = input.order;
  request_.leaves = input.report.leaves;
}

void Partition::give_up(const LifeInput& input) {
  if (input.order == request_.order) request_.leaves -= input.report.quantity;
  users_[input.told.user].totals.submitted -= static_cast<std::uint64_t>(input.report.quantity.lots);
}

void Partition::end_filled(const LifeInput& input) {
  unname(input.order);
}

void Partition::end_cancelled(const LifeInput& input) {
  users_[input.told.user].totals.cancelled += static_cast<std::uint64_t>(input.report.quantity.lots);
  unname(input.order);
  // Others of the account, whose orders went with a mass cancel, know their own ids only.
  if (input.report.reason == Reason::by_owner && input.told.user == request_.user)
    input.told.client_order_id = request_.client_order_id;
  input.told.kind = OwnerReportKind::cancelled;
}

void Partition::end_expired(const LifeInput& input) {
  users_[input.told.user].totals.expired += static_cast<std::uint64_t>(input.report.quantity.lots);
  unname(input.order);
  input.told.kind = OwnerReportKind::expired;
}

bool Partition::is_request(const LifeInput& input) const noexcept {
  return (input.report.flags & market::k_replacement) != 0;
}

bool Partition::is_unasked(const LifeInput&) const noexcept {
  return !request_.is_replace;
}

bool Partition::is_used_up(const LifeInput& input) const noexcept {
  return input.told.leaves.lots == 0;
}

bool Partition::has_executions(const LifeInput& input) const noexcept {
  return input.report.leaves < input.report.quantity;
}

/// Both sides of a trade: the resting order's owner first.
void Partition::translate_trade(const BookReport& report, Time now) {
  DOJIMA_ASSERT(report.other == request_.order, "the aggressor is the order in hand");
  request_.leaves -= report.quantity;
  const std::uint64_t trade = trade_number(++last_trade_);
  for (const bool is_resting : {true, false}) {
    const OrderId order = is_resting ? report.order : report.other;
    OwnerReport told = owner_report(report, order, now);
    told.kind = OwnerReportKind::traded;
    told.trade = trade;
    told.price = report.price;
    told.quantity = report.quantity;
    told.leaves = is_resting ? report.leaves : request_.leaves;
    leaves_[static_cast<std::size_t>(orders_.slot_of(order))] = told.leaves;
    told.displayed = is_resting ? report.displayed : request_.leaves;
    told.type_of_trade = (report.flags & market::k_hidden) != 0 ? 1 : 0;
    told.status = live_through({report, order, told}, state_of(order));
    told.liquidity = is_resting ? 'A' : 'R';
    told.last_market = config_.last_market;
    UserTotals& totals = users_[told.user].totals;
    (told.side == market::Side::buy ? totals.bought : totals.sold) += static_cast<std::uint64_t>(report.quantity.lots);
    ++totals.trades;
    tell(told);
  }
}

/// Both sides of a trade of an auction, or at the closing price: the buyer first. Both stood in the book.
void Partition::translate_auction_trade(const BookReport& report, Time now) {
  const std::uint64_t trade = trade_number(++last_trade_);
  for (const bool is_buyer : {true, false}) {
    const OrderId order = is_buyer ? report.order : report.other;
    market::Quantity& leaves = leaves_[static_cast<std::size_t>(orders_.slot_of(order))];
    leaves -= report.quantity;
    OwnerReport told = owner_report(report, order, now);
    told.kind = OwnerReportKind::traded;
    told.trade = trade;
    told.price = report.price;
    told.quantity = report.quantity;
    told.leaves = told.displayed = leaves;
    told.status = live_through({report, order, told}, state_of(order));
    told.liquidity = 'C';
    told.last_market = config_.last_market;
    UserTotals& totals = users_[told.user].totals;
    (told.side == market::Side::buy ? totals.bought : totals.sold) += static_cast<std::uint64_t>(report.quantity.lots);
    ++totals.trades;
    tell(told);
  }
}

void Partition::translate_rejection(const BookReport& report, Time now) {
  const bool is_hidden = report.reason == Reason::not_owner;  // nobody learns of another's orders
  OwnerReport told{.command = last_command_, .time = now};
  const LifeInput input{report, report.order, told};
  const bool is_of_request = is_request(input);
  const bool is_alive = is_of_request && orders_.find(report.order) != book::k_no_slot;
  OrderState nobody = OrderState::entering;
  static_cast<void>(live_through(input, is_alive ? state_of(report.order) : nobody));
  told.partition = config_.app_id;
  told.client_order_id = request_.client_order_id;
  told.user = request_.user;
  told.instrument = report.instrument;
  told.side = report.side;
  told.status = OrderStatus::rejected;
  told.reason = is_hidden ? Reason::unknown_order : report.reason;
  if (is_alive && told.reason != Reason::unknown_order) told.order = report.order;
  told.kind = is_of_request ? OwnerReportKind::request_rejected : OwnerReportKind::rejected;
  if (report.reason == Reason::unknown_instrument) {
    told.partition = 0;
    if (!is_of_request) told.kind = OwnerReportKind::business_rejected;
  }
  tell(told);
}

/// What every report about an order says, whatever happened to it. The order may have ended in this command.
OwnerReport Partition::owner_report(const BookReport& report, OrderId order, Time now) const {
  const book::Slot slot = orders_.slot_of(order);
  const market::OrderTerms& terms = orders_.terms(slot);
  OwnerReport told{.command = last_command_, .time = now};
  told.order = told.public_order = order;
  told.minimum = terms.minimum;
  told.client_order_id = orders_.labels(slot).client_order_id;
  told.partition = config_.app_id;
  told.instrument = report.instrument;
  told.user = terms.owner;
  told.side = terms.side;
  told.reason = report.reason;
  told.capacity = terms.capacity;
  told.peg = terms.peg;
  told.owner_type = terms.owner_type;
  return told;
}

/// Numbers a report and puts it into the log.
void Partition::tell(OwnerReport& report) {
  if (report.partition != 0) report.sequence = {++last_report_};
  const bool is_execution = report.kind != OwnerReportKind::request_rejected &&
                            report.kind != OwnerReportKind::business_rejected &&
                            report.kind != OwnerReportKind::mass_cancelled;
  if (is_execution) report.execution = std::uint64_t{config_.app_id} << k_execution_shift | ++last_execution_;
  log_.append(report);
}

// ---- Names ---------------------------------------------------------------------------------------------------------

/// From now on the user means this order by that client order id: the latest one wins.
void Partition::name(OrderId order, const Text<20>& client_order_id, std::uint16_t user) {
  if (client_order_id.is_empty()) return;
  const bool is_named = names_.assign(ClientKey{.id = client_order_id, .user = user}, order);
  DOJIMA_ASSERT(is_named, "there is a name for every live order");
}

void Partition::unname(OrderId order) {
  const book::Slot slot = orders_.slot_of(order);
  const ClientKey key{.id = orders_.labels(slot).client_order_id, .user = orders_[slot].owner};
  const OrderId* named = names_.find(key);
  if (named != nullptr && *named == order) names_.erase(key);
}

// ---- Digest --------------------------------------------------------------------------------------------------------

std::uint64_t Partition::digest() const {
  book::Digest digest;
  digest.add(config_.app_id);
  digest.add(last_command_);
  digest.add(time::nanoseconds_of(last_time_));
  digest.add(last_report_);
  digest.add(last_execution_);
  digest.add(last_trade_);
  digest.add(orders_.digest());
  for (const auto& book : books_) digest.add(book->state_digest());
  for (const auto& day : days_)
    if (day != nullptr) digest.add(day->digest());
  for (std::size_t user = 0; user < users_.size(); ++user) {
    digest.add(users_[user].totals);
    digest.add(std::uint8_t{users_[user].is_logged_on});
    // The names as far as they matter: which orders are still meant by theirs.
    for (const book::Slot slot : orders_.of_owner(static_cast<std::uint16_t>(user))) {
      const ClientKey key{.id = orders_.labels(slot).client_order_id, .user = static_cast<std::uint16_t>(user)};
      const OrderId* named = names_.find(key);
      digest.add(std::uint8_t{named != nullptr && *named == orders_.id(slot)});
    }
  }
  return digest.value();
}

}  // namespace dojima::venue
