#include "dojima/venue/partition/owner_reports.hpp"

#include <array>

#include "dojima/base/assert.hpp"
#include "dojima/base/state.hpp"
#include "dojima/fsm/machine.hpp"
#include "dojima/venue/order_life_machine.hpp"
#include "dojima/venue/partition/report_fields.hpp"

namespace dojima::venue {

using market::BookReport;
using market::BookReportKind;
using market::OrderId;
using market::OrderStatus;
using market::OwnerReport;
using market::OwnerReportKind;
using market::Reason;

namespace {

/// Of any kind.
constexpr BookReportKind k_any = BookReportKind::none;

/// What an order is to its owner in each state of its life.
constexpr std::array k_statuses{OrderStatus::new_order, OrderStatus::new_order, OrderStatus::partially_filled,
                                OrderStatus::filled,    OrderStatus::cancelled, OrderStatus::expired,
                                OrderStatus::rejected,  OrderStatus::suspended};

}  // namespace

OwnerReports::OwnerReports(const PartitionConfig& config, book::OrderTable& orders)
    : trade_bits_(std::uint64_t{config.app_id} << 48),
      execution_bits_(std::uint64_t{config.app_id} << 60),
      app_id_(config.app_id),
      last_market_(config.last_market),
      is_full_(config.full_reports),
      keeps_trades_(config.limits.trades != 0),
      orders_(orders),
      known_(config.limits.orders),
      names_(orders),
      quotes_(orders, config.users.size() * config.instruments.size()),
      totals_(config.users.size()),
      log_(config.limits.reports, most_reports(config.limits.orders, !config.segments.empty())),
      trades_(config.limits.trades) {}

// ---- The request in hand -------------------------------------------------------------------------------------------

/// The order that a request means: by its id, else the latest live order of the user with that client order id.
[[gnu::always_inline]] inline OrderId OwnerReports::resolve(OrderId order, const Text<20>& original,
                                                            std::uint16_t user) const {
  if (order.value != 0) return order;
  const book::Slot slot = names_.find(original, user);
  return slot != book::k_no_slot ? orders_.id(slot) : OrderId{};
}

market::Replace OwnerReports::begin(const market::Replace& command) {
  begin_request(command.header, command.client_order_id, true);
  request_.account = &command.account;
  request_.old_quantity = {};
  market::Replace resolved = command;
  resolved.order = resolve(command.order, command.original_client_order_id, command.header.user);
  const book::Slot slot = orders_.find(resolved.order);
  if (slot != book::k_no_slot) request_.old_quantity = orders_.quantity(slot);
  return resolved;
}

/// One that names its order, or means none that is there, goes on as it is.
const market::Cancel& OwnerReports::begin(const market::Cancel& command) {
  begin_request(command.header, command.client_order_id);
  if (command.order.value != 0) return command;
  const book::Slot slot = names_.find(command.original_client_order_id, command.header.user);
  if (slot == book::k_no_slot) return command;
  cancel_ = command;
  cancel_.order = orders_.id(slot);
  if (!quotes_.is_empty()) [[unlikely]]
    cancel_.order = side_of(cancel_.order, command.side);
  return cancel_;
}

const market::MassCancel& OwnerReports::begin(const market::MassCancel& command) {
  begin_request(command.header, command.client_order_id);
  return command;
}

/// Both sides of a quote have its client order id: the one that is meant by it and a side; 0 where that one is over.
OrderId OwnerReports::side_of(OrderId order, market::Side side) const {
  const book::Slot slot = orders_.slot_of(order);
  if ((orders_.flags(slot) & market::k_quote) == 0 || orders_[slot].side == side) return order;
  return quotes_.find(orders_[slot].owner, orders_[slot].instrument).at(side);
}

book::Slot OwnerReports::find_order(const Text<20>& client_order_id, std::uint16_t user) const {
  return names_.find(client_order_id, user);
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
[[gnu::always_inline]] inline void OwnerReports::report_one(const BookReport& report, Time now) {
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

void OwnerReports::report(std::span<const BookReport> reports, Time now) {
  for (const BookReport& report : reports)
    if (!is_of_book(report.kind)) [[likely]]
      report_one(report, now);
}

void OwnerReports::report(const BookReport& report, Time now) {
  report_one(report, now);
}

/// What is left of an order as its owner will know it: never more than before, unless the order is new or replaced.
template <BookReportKind Kind>
inline void OwnerReports::set_leaves(book::Slot slot, market::Quantity leaves, const BookReport& report) {
  DOJIMA_CHECK_SLOW(orders_.terms(slot).owner < totals_.size(), "an order has a known owner", orders_.terms(slot).owner,
                    totals_.size(), report.order);
  DOJIMA_CHECK_SLOW(orders_[slot].instrument == report.instrument, "an order is in the book that reports on it",
                    orders_[slot].instrument, report.instrument, report.order, report.kind);
  const BookReportKind kind = Kind == k_any ? report.kind : Kind;
  market::Quantity& last = known(slot).leaves;
  const bool is_new_total = kind == BookReportKind::accepted || kind == BookReportKind::replaced;
  const market::Quantity most = is_new_total ? report.quantity : last;
  // Compared without a sign, a negative number is above any quantity.
  DOJIMA_ASSERT(lots_of(leaves) <= lots_of(most), "leaves are never negative nor above the order's quantity", leaves,
                most, report.order, report.kind);
  last = leaves;
}

/// One step of an order's life; its status from then on.
template <BookReportKind Kind>
inline OrderStatus OwnerReports::advance(const LifeInput& input, OrderState& state) {
  const auto outcome = [&] {
    if constexpr (Kind == k_any)
      return fsm::process<OrderLife>(state, input.report.kind, *this, input);
    else
      return fsm::process<OrderLife, Kind>(state, *this, input);
  }();
  DOJIMA_ASSERT(outcome.is_handled(), "a book reports only what the life of an order allows", outcome.from,
                input.report.kind, input.order, input.report.sequence);
  return k_statuses[static_cast<std::size_t>(outcome.to)];
}

/// What every report about an order says, whatever happened to it, with its numbers: in its place in the log, each
/// field once and from where it lies, so that none waits in memory for its turn. The order may have ended in this
/// command. The caller writes the others, and commits.
[[gnu::always_inline]] inline OwnerReport& OwnerReports::write_about(const LifeInput& input, Time now) {
  const BookReport& report = input.report;
  const book::Order& order = orders_[input.slot];
  OwnerReport& sent = log_.prepare();
  sent.sequence = {++last_report_};
  sent.command = report.sequence;
  sent.time = now;
  sent.order = input.order;
  sent.public_order = input.order;
  sent.execution = next_execution();
  sent.leaves = input.leaves;
  const book::RepeatedTerms terms = orders_.repeated_terms(input.slot);
  sent.minimum = terms.minimum;
  sent.capacity = terms.capacity;
  sent.peg = terms.peg;
  sent.owner_type = terms.owner_type;
  sent.counterparty = {};
  sent.partition = app_id_;
  sent.instrument = report.instrument;
  sent.user = order.owner;
  sent.kind = input.outgoing.kind;
  sent.side = order.side;
  sent.reason = report.reason;
  sent.waiver = 0;
  clear_tail(sent);
  return sent;
}

/// Of a change that its owner hears of.
[[gnu::always_inline]] inline void OwnerReports::tell_change(const BookReport& report, book::Slot slot,
                                                             Outgoing outgoing, OrderStatus status, Time now) {
  OwnerReport& sent = write_about({report, report.order, slot, report.leaves, outgoing}, now);
  sent.trade = 0;
  sent.price = outgoing.has_price ? report.price : market::Price{};
  sent.quantity = {};
  sent.displayed = report.displayed;
  sent.client_order_id = outgoing.is_answer ? *request_.client_order_id : orders_.labels(slot).client_order_id;
  sent.status = status;
  sent.liquidity = '\0';
  sent.restatement = static_cast<std::uint8_t>(outgoing.restatement);
  sent.last_market = 0;
  sent.type_of_trade = 0;
  log_.commit(sent);
}

/// What concerns one order and is no trade. `Kind`: of the report; k_any: any.
template <BookReportKind Kind>
[[gnu::flatten]] void OwnerReports::report_change(const BookReport& report, Time now) {
  const book::Slot slot = orders_.slot_of(report.order);
  set_leaves<Kind>(slot, report.leaves, report);
  OrderState& state = known(slot).state;
  if (Kind == BookReportKind::accepted) state = OrderState::entering;  // the slot's next order
  Outgoing outgoing;
  const OrderStatus status = advance<Kind>({report, report.order, slot, report.leaves, outgoing}, state);
  // That it rests, the owner knows from the request; what else is left out, see PartitionConfig::full_reports.
  if (outgoing.kind != OwnerReportKind::none) tell_change(report, slot, outgoing, status, now);
}

/// One side of a trade. `liquidity`: A, R or C.
[[gnu::always_inline]] inline void OwnerReports::append_fill(const LifeInput& input, Time now,
                                                             market::Quantity displayed, char liquidity) {
  const BookReport& report = input.report;
  set_leaves<BookReportKind::traded>(input.slot, input.leaves, report);
  const OrderStatus status = advance<BookReportKind::traded>(input, known(input.slot).state);
  const bool is_dark = liquidity != 'C' && (report.flags & market::k_hidden) != 0;
  OwnerReport& sent = write_about(input, now);
  sent.status = status;
  sent.trade = trade_number(last_trade_);
  sent.price = report.price;
  sent.quantity = report.quantity;
  sent.displayed = displayed;
  sent.client_order_id = orders_.labels(input.slot).client_order_id;
  sent.liquidity = liquidity;
  sent.restatement = 0;
  sent.last_market = last_market_;
  sent.type_of_trade = is_dark ? 1 : 0;
  log_.commit(sent);
  const book::Order& order = orders_[input.slot];
  UserTotals& totals = totals_[order.owner];
  (order.side == market::Side::buy ? totals.bought : totals.sold) += lots_of(report.quantity);
  ++totals.trades;
  check_totals(order.owner);
  if (keeps_trades_) keep_trade(sent, orders_.labels(input.slot).client_order_id);
}

/// Both sides of a trade: the resting order's owner first.
[[gnu::flatten]] void OwnerReports::report_trade(const BookReport& report, Time now) {
  DOJIMA_ASSERT(report.other == request_.order, "the aggressor is the order in hand", report.other, request_.order,
                report.sequence);
  DOJIMA_CHECK_SLOW(orders_.slot_of(report.other) == request_.slot, "the aggressor is where it entered", report.other,
                    request_.slot, report.sequence);
  request_.leaves -= report.quantity;
  ++last_trade_;
  Outgoing outgoing{.kind = OwnerReportKind::traded};
  append_fill({report, report.order, orders_.slot_of(report.order), report.leaves, outgoing}, now, report.displayed,
              'A');
  append_fill({report, report.other, request_.slot, request_.leaves, outgoing}, now, request_.leaves, 'R');
}

/// Both sides of a trade of an auction, or at the closing price: the buyer first. Both rested in the book.
[[gnu::flatten]] void OwnerReports::report_auction_trade(const BookReport& report, Time now) {
  ++last_trade_;
  Outgoing outgoing{.kind = OwnerReportKind::traded};
  for (const OrderId order : {report.order, report.other}) {
    const book::Slot slot = orders_.slot_of(order);
    const market::Quantity leaves = known(slot).leaves - report.quantity;
    append_fill({report, order, slot, leaves, outgoing}, now, leaves, 'C');
  }
}

[[gnu::flatten]] void OwnerReports::report_rejection(const BookReport& report, Time now) {
  const bool is_hidden = report.reason == Reason::not_owner;  // nobody learns of another's orders
  const bool is_of_request = (report.flags & market::k_replacement) != 0;
  const bool is_of_partition = report.reason != Reason::unknown_instrument;
  const bool is_named = is_of_request && report.order.value != 0;
  const book::Slot slot = is_named ? orders_.find(report.order) : book::k_no_slot;
  const bool is_alive = slot != book::k_no_slot;
  Outgoing nothing;
  OrderState nobody = OrderState::entering;
  static_cast<void>(advance<BookReportKind::rejected>({report, report.order, slot, {}, nothing},
                                                      is_alive ? known(slot).state : nobody));
  const Reason reason = is_hidden ? Reason::unknown_order : report.reason;
  const OwnerReportKind kind = is_of_request     ? OwnerReportKind::request_rejected
                               : is_of_partition ? OwnerReportKind::rejected
                                                 : OwnerReportKind::business_rejected;
  ReportFields fields{.command = report.sequence, .time = now, .client_order_id = request_.client_order_id};
  if (is_of_partition) fields.sequence = {++last_report_};
  if (is_of_partition) fields.partition = app_id_;
  if (kind == OwnerReportKind::rejected) fields.execution = next_execution();
  if (is_alive && reason != Reason::unknown_order) fields.order = report.order;
  fields.user = request_.user;
  fields.instrument = report.instrument;
  fields.side = report.side;
  fields.status = OrderStatus::rejected;
  fields.reason = reason;
  fields.kind = kind;
  OwnerReport& sent = log_.prepare();
  write_report(sent, fields);
  log_.commit(sent);
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
  if (is_execution) report.execution = next_execution();
}

}  // namespace dojima::venue
