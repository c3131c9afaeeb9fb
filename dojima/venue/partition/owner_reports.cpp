#include "dojima/venue/partition/owner_reports.hpp"

#include <array>

#include "dojima/base/assert.hpp"
#include "dojima/base/state.hpp"
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

/// Of any kind.
constexpr BookReportKind k_any = BookReportKind::none;

std::uint64_t lots_of(market::Quantity quantity) noexcept {
  return static_cast<std::uint64_t>(quantity.lots);
}

/// Field by field: compilers clear the whole with a call, or with a loop that takes its time to begin.
inline void clear(OwnerReport& report) noexcept {
  static_assert(sizeof report == 160);
  report.sequence = report.command = {};
  report.time = {};
  report.order = report.public_order = {};
  report.execution = report.trade = report.reference = 0;
  report.price = {};
  report.quantity = report.leaves = report.displayed = report.minimum = {};
  report.client_order_id = {};
  report.counterparty = {};
  report.instrument = 0;
  report.user = 0;
  report.kind = OwnerReportKind::none;
  report.status = OrderStatus::new_order;
  report.side = market::Side::none;
  report.reason = Reason::none;
  report.capacity = market::Capacity::none;
  report.liquidity = '\0';
  report.partition = report.restatement = report.peg = report.owner_type = report.waiver = 0;
  report.last_market = report.type_of_trade = 0;
  auto& reserved = report.reserved;
  reserved[0] = reserved[1] = reserved[2] = reserved[3] = reserved[4] = reserved[5] = 0;
}

}  // namespace

OwnerReports::OwnerReports(const PartitionConfig& config, book::OrderTable& orders)
    : app_id_(config.app_id),
      last_market_(config.last_market),
      is_full_(config.full_reports),
      keeps_trades_(config.limits.trades != 0),
      orders_(orders),
      known_(config.limits.orders),
      names_(orders),
      totals_(config.users.size()),
      log_(config.limits.reports),
      trades_(config.limits.trades) {}

// ---- The request in hand -------------------------------------------------------------------------------------------

market::Replace OwnerReports::begin(const market::Replace& command) {
  begin_request(command.header, command.client_order_id);
  request_.account = &command.account;
  request_.is_replace = true;
  market::Replace resolved = command;
  resolved.order = resolve(command.order, command.original_client_order_id, command.header.user);
  const book::Slot slot = orders_.find(resolved.order);
  if (slot != book::k_no_slot) request_.old_quantity = orders_.terms(slot).quantity;
  return resolved;
}

market::Cancel OwnerReports::begin(const market::Cancel& command) {
  begin_request(command.header, command.client_order_id);
  market::Cancel resolved = command;
  resolved.order = resolve(command.order, command.original_client_order_id, command.header.user);
  return resolved;
}

const market::MassCancel& OwnerReports::begin(const market::MassCancel& command) {
  begin_request(command.header, command.client_order_id);
  return command;
}

book::Slot OwnerReports::find_order(const Text<20>& client_order_id, std::uint16_t user) const {
  return names_.find(client_order_id, user);
}

/// The order that a request means: by its id, else the latest live order of the user with that client order id.
OrderId OwnerReports::resolve(OrderId order, const Text<20>& original, std::uint16_t user) const {
  if (order.value != 0) return order;
  const book::Slot slot = names_.find(original, user);
  return slot != book::k_no_slot ? orders_.id(slot) : OrderId{};
}

void OwnerReports::answer(const market::MassCancel& command, bool is_concerned) {
  if (command.header.user >= totals_.size()) return;
  OwnerReport answer{
      .command = command.header.sequence, .time = command.header.time, .client_order_id = command.client_order_id};
  answer.partition = app_id_;
  answer.user = command.header.user;
  answer.kind = OwnerReportKind::mass_cancelled;
  answer.instrument = command.header.instrument;
  if (!is_concerned) answer.reason = Reason::unknown_instrument;
  if (!is_concerned) answer.status = OrderStatus::rejected;
  append(answer);
}

// ---- Reports -------------------------------------------------------------------------------------------------------

/// The kinds that most commands cause have code of their own, which knows what it is about.
void OwnerReports::report(const BookReport& report, Time now) {
  switch (report.kind) {
    case BookReportKind::traded:
      return (report.flags & market::k_auction) != 0 ? report_auction_trade(report, now) : report_trade(report, now);
    case BookReportKind::added:
      return report_change<BookReportKind::added>(report, now);
    case BookReportKind::accepted:
      return report_change<BookReportKind::accepted>(report, now);
    case BookReportKind::cancelled:
      return report_change<BookReportKind::cancelled>(report, now);
    case BookReportKind::rejected:
      return report_rejection(report, now);
    default:
      return report_change<k_any>(report, now);
  }
}

/// What is left of an order as its owner will know it: never more than before, unless the order is new or replaced.
inline void OwnerReports::set_leaves(book::Slot slot, market::Quantity leaves, const BookReport& report) {
  DOJIMA_CHECK_SLOW(orders_.terms(slot).owner < totals_.size(), "an order has a known owner", orders_.terms(slot).owner,
                    totals_.size(), report.order);
  DOJIMA_CHECK_SLOW(orders_[slot].instrument == report.instrument, "an order is in the book that reports on it",
                    orders_[slot].instrument, report.instrument, report.order, report.kind);
  market::Quantity& last = known(slot).leaves;
  const bool is_new_total = report.kind == BookReportKind::accepted || report.kind == BookReportKind::replaced;
  const market::Quantity most = is_new_total ? report.quantity : last;
  // Compared without a sign, a negative number is above any quantity.
  DOJIMA_ASSERT(lots_of(leaves) <= lots_of(most), "leaves are never negative nor above the order's quantity", leaves,
                most, report.order, report.kind);
  last = leaves;
}

/// What concerns one order and is no trade. `Kind`: of the report; k_any: any.
template <BookReportKind Kind>
void OwnerReports::report_change(const BookReport& report, Time now) {
  const book::Slot slot = orders_.slot_of(report.order);
  set_leaves(slot, report.leaves, report);
  OrderState& state = known(slot).state;
  if (Kind == BookReportKind::accepted) state = OrderState::entering;  // the slot's next order
  Outgoing outgoing;
  const LifeInput input{report, report.order, slot, report.leaves, outgoing};
  const OrderStatus status = advance<Kind>(input, state);
  // That it rests, the owner knows from the request; what else is left out, see PartitionConfig::full_reports.
  if (outgoing.kind == OwnerReportKind::none) return;
  OwnerReport& sent = begin_report(input, now);
  sent.displayed = report.displayed;
  sent.status = status;
  sent.restatement = static_cast<std::uint8_t>(outgoing.restatement);
  if (outgoing.has_price) sent.price = report.price;
  if (outgoing.is_answer) sent.client_order_id = *request_.client_order_id;
  log_.commit();
}

/// One step of an order's life; its status from then on.
template <BookReportKind Kind>
inline OrderStatus OwnerReports::advance(const LifeInput& input, OrderState& state) {
  constexpr std::array statuses{OrderStatus::new_order, OrderStatus::new_order, OrderStatus::partially_filled,
                                OrderStatus::filled,    OrderStatus::cancelled, OrderStatus::expired,
                                OrderStatus::rejected,  OrderStatus::suspended};
  const auto outcome = [&] {
    if constexpr (Kind == k_any)
      return fsm::process<OrderLife>(state, input.report.kind, *this, input);
    else
      return fsm::process<OrderLife, Kind>(state, *this, input);
  }();
  DOJIMA_ASSERT(outcome.is_handled(), "a book reports only what the life of an order allows", outcome.from,
                input.report.kind, input.order, input.report.sequence);
  return statuses[static_cast<std::size_t>(outcome.to)];
}

/// Both sides of a trade: the resting order's owner first.
void OwnerReports::report_trade(const BookReport& report, Time now) {
  DOJIMA_ASSERT(report.other == request_.order, "the aggressor is the order in hand", report.other, request_.order,
                report.sequence);
  request_.leaves -= report.quantity;
  ++last_trade_;
  Outgoing outgoing{.kind = OwnerReportKind::traded};
  const LifeInput resting{report, report.order, orders_.slot_of(report.order), report.leaves, outgoing};
  append_fill(resting, now, report.displayed, 'A');
  const LifeInput aggressor{report, report.other, orders_.slot_of(report.other), request_.leaves, outgoing};
  append_fill(aggressor, now, request_.leaves, 'R');
}

/// Both sides of a trade of an auction, or at the closing price: the buyer first. Both rested in the book.
void OwnerReports::report_auction_trade(const BookReport& report, Time now) {
  ++last_trade_;
  Outgoing outgoing{.kind = OwnerReportKind::traded};
  for (const OrderId order : {report.order, report.other}) {
    const book::Slot slot = orders_.slot_of(order);
    const market::Quantity leaves = known(slot).leaves - report.quantity;
    append_fill({report, order, slot, leaves, outgoing}, now, leaves, 'C');
  }
}

/// One side of a trade. `liquidity`: A, R or C.
void OwnerReports::append_fill(const LifeInput& input, Time now, market::Quantity displayed, char liquidity) {
  const BookReport& report = input.report;
  set_leaves(input.slot, input.leaves, report);
  OwnerReport& sent = begin_report(input, now);
  sent.trade = trade_number(last_trade_);
  sent.price = report.price;
  sent.quantity = report.quantity;
  sent.displayed = displayed;
  sent.last_market = last_market_;
  sent.liquidity = liquidity;
  sent.type_of_trade = liquidity != 'C' && (report.flags & market::k_hidden) != 0 ? 1 : 0;
  sent.status = advance<BookReportKind::traded>(input, known(input.slot).state);
  UserTotals& totals = totals_[sent.user];
  (sent.side == market::Side::buy ? totals.bought : totals.sold) += lots_of(report.quantity);
  ++totals.trades;
  check_totals(sent.user);
  log_.commit();
  if (keeps_trades_) keep_trade(sent, orders_.labels(input.slot).client_order_id);
}

void OwnerReports::report_rejection(const BookReport& report, Time now) {
  const bool is_hidden = report.reason == Reason::not_owner;  // nobody learns of another's orders
  const bool is_of_request = (report.flags & market::k_replacement) != 0;
  const book::Slot slot = is_of_request ? orders_.find(report.order) : book::k_no_slot;
  const bool is_alive = slot != book::k_no_slot;
  Outgoing nothing;
  OrderState nobody = OrderState::entering;
  static_cast<void>(advance<BookReportKind::rejected>({report, report.order, slot, {}, nothing},
                                                      is_alive ? known(slot).state : nobody));
  OwnerReport& outgoing = log_.prepare();
  clear(outgoing);
  outgoing.command = report.sequence;
  outgoing.time = now;
  outgoing.partition = app_id_;
  outgoing.client_order_id = *request_.client_order_id;
  outgoing.user = request_.user;
  outgoing.instrument = report.instrument;
  outgoing.side = report.side;
  outgoing.status = OrderStatus::rejected;
  outgoing.reason = is_hidden ? Reason::unknown_order : report.reason;
  if (is_alive && outgoing.reason != Reason::unknown_order) outgoing.order = report.order;
  outgoing.kind = is_of_request ? OwnerReportKind::request_rejected : OwnerReportKind::rejected;
  if (report.reason == Reason::unknown_instrument) {
    outgoing.partition = 0;
    if (!is_of_request) outgoing.kind = OwnerReportKind::business_rejected;
  }
  number(outgoing);
  log_.commit();
}

/// What every report about an order says, whatever happened to it, with its numbers, in its place in the log. The order
/// may have ended in this command.
inline OwnerReport& OwnerReports::begin_report(const LifeInput& input, Time now) {
  const BookReport& report = input.report;
  const market::OrderTerms& terms = orders_.terms(input.slot);
  OwnerReport& sent = log_.prepare();
  clear(sent);
  sent.sequence = {++last_report_};
  sent.command = report.sequence;
  sent.time = now;
  sent.order = sent.public_order = input.order;
  sent.execution = std::uint64_t{app_id_} << k_execution_shift | ++last_execution_;
  sent.leaves = sent.displayed = input.leaves;
  sent.minimum = terms.minimum;
  sent.client_order_id = orders_.labels(input.slot).client_order_id;
  sent.partition = app_id_;
  sent.instrument = report.instrument;
  sent.user = terms.owner;
  sent.kind = input.outgoing.kind;
  sent.side = terms.side;
  sent.reason = report.reason;
  sent.capacity = terms.capacity;
  sent.peg = terms.peg;
  sent.owner_type = terms.owner_type;
  return sent;
}

/// Numbers a report and puts it into the log.
void OwnerReports::append(OwnerReport& report) {
  number(report);
  log_.append(report);
}

void OwnerReports::number(OwnerReport& report) noexcept {
  if (report.partition != 0) report.sequence = {++last_report_};
  const bool is_execution = report.kind != OwnerReportKind::request_rejected &&
                            report.kind != OwnerReportKind::business_rejected &&
                            report.kind != OwnerReportKind::mass_cancelled;
  if (is_execution) report.execution = std::uint64_t{app_id_} << k_execution_shift | ++last_execution_;
}

// ---- Actions and guards of OrderLife --------------------------------------------------------------------------------

void OwnerReports::enter(const LifeInput& input) {
  request_.order = input.order;
  request_.leaves = input.leaves;
  totals_[owner_of(input)].submitted += lots_of(input.report.quantity);
  names_.assign(input.slot);
  input.outgoing.kind = OwnerReportKind::accepted;
}

void OwnerReports::change(const LifeInput& input) {
  const std::uint16_t owner = owner_of(input);
  market::OrderLabels& labels = orders_.labels(input.slot);
  request_.order = input.order;
  request_.leaves = input.leaves;
  totals_[owner].submitted += lots_of(input.report.quantity - request_.old_quantity);
  check_totals(owner);
  names_.release(input.slot);
  labels.client_order_id = *request_.client_order_id;
  if (!request_.account->is_empty()) labels.account = *request_.account;
  names_.assign(input.slot);
  input.outgoing.kind = OwnerReportKind::replaced;
}

void OwnerReports::take_up(const LifeInput& input) {
  request_.order = input.order;
  request_.leaves = input.leaves;
}

void OwnerReports::give_up(const LifeInput& input) {
  const std::uint16_t owner = owner_of(input);
  if (input.order == request_.order) request_.leaves -= input.report.quantity;
  totals_[owner].submitted -= lots_of(input.report.quantity);
  check_totals(owner);
  if (!is_full_) return;
  input.outgoing.kind = OwnerReportKind::restated;
  input.outgoing.restatement = market::Restatement::market;
}

void OwnerReports::suspend(const LifeInput& input) {
  input.outgoing.kind = OwnerReportKind::suspended;
}

/// What waited is in the book and has not traded: as if it were accepted again.
void OwnerReports::enter_book(const LifeInput& input) {
  input.outgoing.kind = OwnerReportKind::accepted;
  input.outgoing.has_price = orders_.terms(input.slot).sub_type == market::OrderSubType::offset;
}

void OwnerReports::restate_peak(const LifeInput& input) {
  input.outgoing.kind = OwnerReportKind::restated;
  input.outgoing.restatement = market::Restatement::replenished;
}

/// The end of a call gave the order a limit.
void OwnerReports::restate_price(const LifeInput& input) {
  input.outgoing.kind = OwnerReportKind::restated;
  input.outgoing.restatement = market::Restatement::repriced;
  input.outgoing.has_price = true;
}

void OwnerReports::end_filled(const LifeInput& input) {
  names_.release(input.slot);
}

void OwnerReports::end_cancelled(const LifeInput& input) {
  const std::uint16_t owner = owner_of(input);
  totals_[owner].cancelled += lots_of(input.report.quantity);
  check_totals(owner);
  names_.release(input.slot);
  // Others of the account, whose orders went with a mass cancel, know their own ids only.
  input.outgoing.is_answer = input.report.reason == Reason::by_owner && owner == request_.user;
  input.outgoing.kind = OwnerReportKind::cancelled;
}

void OwnerReports::end_expired(const LifeInput& input) {
  const std::uint16_t owner = owner_of(input);
  totals_[owner].expired += lots_of(input.report.quantity);
  check_totals(owner);
  names_.release(input.slot);
  input.outgoing.kind = OwnerReportKind::expired;
}

bool OwnerReports::is_request(const LifeInput& input) const noexcept {
  return (input.report.flags & market::k_replacement) != 0;
}

bool OwnerReports::is_unasked(const LifeInput&) const noexcept {
  return !request_.is_replace;
}

bool OwnerReports::is_used_up(const LifeInput& input) const noexcept {
  return input.leaves.lots == 0;
}

bool OwnerReports::has_executions(const LifeInput& input) const noexcept {
  return input.report.leaves < input.report.quantity;
}

}  // namespace dojima::venue
