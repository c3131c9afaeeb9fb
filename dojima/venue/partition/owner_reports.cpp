#include "dojima/venue/partition/owner_reports.hpp"

#include "dojima/venue/partition/order_steps.hpp"
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

}  // namespace

OwnerReports::OwnerReports(const PartitionConfig& config, book::OrderTable& orders)
    : app_id_(config.app_id),
      last_market_(config.last_market),
      keeps_trades_(config.limits.trades != 0),
      orders_(orders),
      owned_(config, orders),
      numbers_(config.app_id),
      log_(config.limits.reports, most_reports(config.limits.orders, !config.segments.empty())),
      trades_(config.limits.trades) {}

void OwnerReports::answer(const market::MassCancel& command, bool is_concerned) {
  if (command.header.user >= owned_.users()) return;
  OwnerReport answer{
      .command = command.header.sequence, .time = command.header.time, .client_order_id = command.client_order_id};
  answer.partition = app_id_;
  answer.user = command.header.user;
  answer.kind = OwnerReportKind::mass_cancelled;
  answer.instrument = command.header.instrument;
  if (!is_concerned) answer.reason = Reason::unknown_instrument;
  if (!is_concerned) answer.status = OrderStatus::rejected;
  if (!is_concerned) count_refusal(Reason::unknown_instrument);
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
  // Half of all commands cause one, which needs no loop.
  if (reports.size() == 1 && !is_of_book(reports.front().kind)) return report_one(reports.front(), now);
  for (const BookReport& report : reports)
    if (!is_of_book(report.kind)) [[likely]]
      report_one(report, now);
    else if (ticker_ != nullptr)
      ticker_->on_book(report, now);
}

void OwnerReports::report(const BookReport& report, Time now) {
  report_one(report, now);
}

/// The place of the next report but one is on its way into the cache while those before it are written: the log is
/// larger than any cache. Behind the end of the log it is memory of nobody, which is harmless.
[[gnu::always_inline]] inline void fetch_ahead(const OwnerReport& place) noexcept {
  const auto* const later = reinterpret_cast<const std::byte*>(&place + 2);
  for (std::size_t line = 0; line < sizeof(OwnerReport); line += 64) __builtin_prefetch(later + line, 1);
}

/// What every report about an order says, whatever happened to it, with its numbers: in its place in the log, each
/// field once and from where it lies, so that none waits in memory for its turn. The order may have ended in this
/// command. The caller writes the others, and commits.
[[gnu::always_inline]] inline OwnerReport& OwnerReports::write_about(const LifeInput& input, Time now) {
  const BookReport& report = input.report;
  const book::Order& order = orders_[input.slot];
  OwnerReport& sent = log_.prepare();
  fetch_ahead(sent);
  sent.sequence = numbers_.next_report();
  sent.command = report.sequence;
  sent.time = now;
  sent.order = input.order;
  sent.public_order = input.order;
  sent.execution = numbers_.next_execution();
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

/// Of a change that is reported to its owner.
[[gnu::always_inline]] inline void OwnerReports::write_change(const BookReport& report, book::Slot slot,
                                                              Outgoing outgoing, OrderStatus status, Time now) {
  OwnerReport& sent = write_about({report, report.order, slot, report.leaves, outgoing}, now);
  sent.trade = 0;
  sent.price = outgoing.has_price ? report.price : market::Price{};
  sent.quantity = {};
  sent.displayed = report.displayed;
  sent.client_order_id = outgoing.is_answer ? *owned_.request().client_order_id : orders_.labels(slot).client_order_id;
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
  owned_.set_leaves<Kind>(slot, report.leaves, report);
  OrderState& state = owned_.known(slot).state;
  if (Kind == BookReportKind::accepted) state = OrderState::entering;  // the slot's next order
  Outgoing outgoing;
  const OrderStatus status = owned_.advance<Kind>({report, report.order, slot, report.leaves, outgoing}, state);
  // That it rests, the owner knows from the request; what else is left out, see PartitionConfig::full_reports.
  if (outgoing.kind != OwnerReportKind::none) write_change(report, slot, outgoing, status, now);
}

/// One side of a trade. `liquidity`: A, R or C.
[[gnu::always_inline]] inline void OwnerReports::append_fill(const LifeInput& input, Time now,
                                                             market::Quantity displayed, char liquidity) {
  const BookReport& report = input.report;
  owned_.set_leaves<BookReportKind::traded>(input.slot, input.leaves, report);
  const OrderStatus status = owned_.advance<BookReportKind::traded>(input, owned_.known(input.slot).state);
  const bool is_dark = liquidity != 'C' && (report.flags & market::k_hidden) != 0;
  OwnerReport& sent = write_about(input, now);
  sent.status = status;
  sent.trade = numbers_.last_trade();
  sent.price = report.price;
  sent.quantity = report.quantity;
  sent.displayed = displayed;
  sent.client_order_id = orders_.labels(input.slot).client_order_id;
  sent.liquidity = liquidity;
  sent.restatement = 0;
  sent.last_market = last_market_;
  sent.type_of_trade = is_dark ? 1 : 0;
  log_.commit(sent);
  owned_.count_fill(input.slot, report.quantity);
  if (keeps_trades_) keep_trade(sent, orders_.labels(input.slot).client_order_id);
}

/// Both sides of a trade: the resting order's owner first.
[[gnu::flatten]] void OwnerReports::report_trade(const BookReport& report, Time now) {
  orders_.slots().prefetch_labels(orders_.slot_of(report.order));
  const market::Quantity left = owned_.reduce_aggressor(report);
  numbers_.begin_trade();
  Outgoing outgoing{.kind = OwnerReportKind::traded};
  append_fill({report, report.order, orders_.slot_of(report.order), report.leaves, outgoing}, now, report.displayed,
              'A');
  append_fill({report, report.other, owned_.request().slot, left, outgoing}, now, left, 'R');
  if (ticker_ != nullptr) [[unlikely]]
    ticker_->on_trade(report, now);
}

/// Both sides of a trade of an auction, or at the closing price: the buyer first. Both rested in the book.
[[gnu::flatten]] void OwnerReports::report_auction_trade(const BookReport& report, Time now) {
  numbers_.begin_trade();
  Outgoing outgoing{.kind = OwnerReportKind::traded};
  for (const OrderId order : {report.order, report.other}) {
    const book::Slot slot = orders_.slot_of(order);
    const market::Quantity leaves = owned_.known(slot).leaves - report.quantity;
    append_fill({report, order, slot, leaves, outgoing}, now, leaves, 'C');
  }
  if (ticker_ != nullptr) ticker_->on_trade(report, now);
}

[[gnu::flatten]] void OwnerReports::report_rejection(const BookReport& report, Time now) {
  count_refusal(report.reason);
  if (ticker_ != nullptr) [[unlikely]]
    ticker_->on_refusal(report, owned_.request().user);
  const bool is_hidden = report.reason == Reason::not_owner;  // nobody learns of another's orders
  const bool is_of_request = (report.flags & market::k_replacement) != 0;
  const bool is_of_partition = report.reason != Reason::unknown_instrument;
  const bool is_named = is_of_request && report.order.value != 0;
  const book::Slot slot = is_named ? orders_.find(report.order) : book::k_no_slot;
  const bool is_alive = slot != book::k_no_slot;
  Outgoing nothing;
  OrderState nobody = OrderState::entering;
  static_cast<void>(owned_.advance<BookReportKind::rejected>({report, report.order, slot, {}, nothing},
                                                             is_alive ? owned_.known(slot).state : nobody));
  const Reason reason = is_hidden ? Reason::unknown_order : report.reason;
  const OwnerReportKind kind = is_of_request     ? OwnerReportKind::request_rejected
                               : is_of_partition ? OwnerReportKind::rejected
                                                 : OwnerReportKind::business_rejected;
  ReportFields fields{.command = report.sequence, .time = now, .client_order_id = owned_.request().client_order_id};
  if (is_of_partition) fields.sequence = numbers_.next_report();
  if (is_of_partition) fields.partition = app_id_;
  if (kind == OwnerReportKind::rejected) fields.execution = numbers_.next_execution();
  if (is_alive && reason != Reason::unknown_order) fields.order = report.order;
  fields.user = owned_.request().user;
  fields.instrument = report.instrument;
  fields.side = report.side;
  fields.status = OrderStatus::rejected;
  fields.reason = reason;
  fields.kind = kind;
  OwnerReport& sent = log_.prepare();
  fetch_ahead(sent);
  write_report(sent, fields);
  log_.commit(sent);
}

/// Numbers a report and puts it into the log.
void OwnerReports::append(OwnerReport& report) {
  if (report.partition != 0) report.sequence = numbers_.next_report();
  const bool is_execution = report.kind != OwnerReportKind::request_rejected &&
                            report.kind != OwnerReportKind::business_rejected &&
                            report.kind != OwnerReportKind::mass_cancelled;
  if (is_execution) report.execution = numbers_.next_execution();
  log_.append(report);
}

}  // namespace dojima::venue
