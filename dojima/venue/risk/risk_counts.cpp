// What is counted of what the books report.

#include <algorithm>

#include "dojima/base/assert.hpp"
#include "dojima/venue/risk/risk_limits.hpp"
#include "dojima/venue/risk/risk_tables.hpp"

namespace dojima::venue {

using market::BookReport;
using market::BookReportKind;
using market::OrderId;
using market::Quantity;
using market::Side;

void RiskLimits::count(const BookReport& report, Time now) {
  const Tables& tables = *tables_;
  switch (report.kind) {
    case BookReportKind::accepted: {
      const RiskRequest& request = tables.request;
      DOJIMA_ASSERT(request.command == report.sequence, "an order is admitted before its book takes it",
                    request.command, report.sequence, report.order);
      const RiskLeg& leg = request.legs[request.count == 2 && report.side != request.legs[0].side ? 1 : 0];
      enter(orders_.slot_of(report.order), leg.price.units != 0 ? leg.price.units : tables.reference,
            report.quantity.lots, tables.profile->cells);
      if (request.is_new_order && tables.profile->wants(risk_bit(Kind::duplicate_ms))) note_duplicate(request);
      return;
    }
    case BookReportKind::traded:
      fill(report.order, report.quantity, now);
      return fill(report.other, report.quantity, now);
    case BookReportKind::replaced:
      return change(report);
    case BookReportKind::cancelled:
    case BookReportKind::expired: {
      const book::Slot slot = orders_.slot_of(report.order);
      OrderExposure& exposure = tables_->exposures[static_cast<std::size_t>(slot)];
      if (exposure.is_counted) add(exposure, -1);
      exposure.is_counted = false;
      return;
    }
    case BookReportKind::reduced:
      return leave(orders_.slot_of(report.order), report.quantity.lots);
    default:
      return;
  }
}

/// The order in the slot counts for this from here on.
void RiskLimits::enter(book::Slot slot, std::int64_t price, std::int64_t leaves, const OrderCells& cells) {
  OrderExposure& exposure = tables_->exposures[static_cast<std::size_t>(slot)];
  if (cells.is_empty()) {
    exposure.is_counted = false;
    return;
  }
  exposure = {.cells = cells, .price = price, .leaves = leaves, .side = orders_[slot].side, .is_counted = true};
  add(exposure, 1);
}

void RiskLimits::add(const OrderExposure& exposure, int sign) {
  shift(exposure, sign, sign * exposure.value(), sign * exposure.leaves);
}

/// Of so many more orders, so much more value and so many more lots.
[[gnu::always_inline]] inline void RiskLimits::shift(const OrderExposure& exposure, int orders, RiskValue value,
                                                     std::int64_t lots) {
  const bool is_buy = exposure.side == Side::buy;
  for (const std::uint32_t at : exposure.cells.at) {
    if (at == k_no_cell) continue;
    RiskCell& cell = tables_->cells[at];
    cell.open_orders += orders;
    cell.open_value += value;
    std::int64_t& side = is_buy ? cell.buying : cell.selling;
    side += lots;
    DOJIMA_ASSERT((cell.open_orders | side | static_cast<std::int64_t>(cell.open_value >> 64)) >= 0,
                  "no more orders end than were counted", cell.open_orders, cell.buying, cell.selling, at);
  }
}

/// The order has so much less left; it may be over with that.
void RiskLimits::leave(book::Slot slot, std::int64_t lots) {
  OrderExposure& exposure = tables_->exposures[static_cast<std::size_t>(slot)];
  if (!exposure.is_counted) return;
  const RiskValue before = exposure.value();
  exposure.leaves -= lots;
  DOJIMA_ASSERT(exposure.leaves >= 0, "an order has no more left than was counted", exposure.leaves, lots);
  shift(exposure, 0, exposure.value() - before, -lots);
}

void RiskLimits::fill(OrderId order, Quantity quantity, Time now) {
  OrderExposure& exposure = tables_->exposures[static_cast<std::size_t>(orders_.slot_of(order))];
  if (!exposure.is_counted) return;
  const RiskValue before = exposure.value();
  exposure.leaves -= quantity.lots;
  DOJIMA_ASSERT(exposure.leaves >= 0, "an order has no more left than was counted", exposure.leaves, quantity.lots);
  const bool is_over = exposure.leaves == 0;
  exposure.is_counted = !is_over;
  shift(exposure, is_over ? -1 : 0, exposure.value() - before, -quantity.lots);
  const std::int64_t bought = exposure.side == Side::buy ? quantity.lots : -quantity.lots;
  for (std::size_t at = 0; at < exposure.cells.at.size(); ++at) {
    if (exposure.cells.at[at] == k_no_cell) continue;
    RiskCell& cell = tables_->cells[exposure.cells.at[at]];
    if (at % 2 == 1) cell.position += bought;
    if (cell.windows != nullptr) note_execution(cell, exposure.cells.at[at], now);
  }
}

/// The owner's replace, as it was admitted; or a price that the end of a call gave the order, which counts as before.
void RiskLimits::change(const BookReport& report) {
  const Tables& tables = *tables_;
  const RiskRequest& request = tables.request;
  const book::Slot slot = orders_.slot_of(report.order);
  OrderExposure& exposure = tables_->exposures[static_cast<std::size_t>(slot)];
  if (request.command == report.sequence)
    for (std::uint8_t at = 0; at < request.count; ++at) {
      const RiskLeg& leg = request.legs[at];
      if (leg.order != slot) continue;
      if (exposure.is_counted) add(exposure, -1);
      return enter(slot, leg.price.units != 0 ? leg.price.units : tables.reference, report.leaves.lots,
                   tables.profile->cells);
    }
  if (exposure.is_counted) leave(slot, exposure.leaves - report.leaves.lots);
}

void RiskLimits::note_duplicate(const RiskRequest& request) {
  Tables& tables = *tables_;
  const RiskProfile& profile = *tables.profile;
  tables.recent.note(terms_of(request), profile.subjects, profile.looking, request.now,
                     request.now - tables.longest_duplicate);
}

[[gnu::always_inline]] inline void RiskLimits::note_execution(RiskCell& cell, std::uint32_t at, Time now) {
  RiskWindows& windows = *cell.windows;
  if (windows.look == TimesLimit::k_never) return;
  windows.executions.note(now);
  if (windows.executions.noted() >= windows.look) [[unlikely]]
    look_at_executions(cell, at, now);
}

/// As many as are too many may have come.
void RiskLimits::look_at_executions(RiskCell& cell, std::uint32_t at, Time now) {
  Tables& tables = *tables_;
  RiskWindows& windows = *cell.windows;
  const Duration window = window_of(cell.limit(Kind::repeats_ms));
  if (windows.executions.is_full(windows.repeats, now, window)) {
    if (!cell.is_stopped) tables.profiles.change();
    cell.is_stopped = true;
  } else {
    windows.executions.plan(windows.repeats, now, window);
  }
  const Duration protection_window = window_of(cell.limit(Kind::protection_ms));
  if (windows.executions.is_full(windows.protection, now, protection_window)) {
    windows.executions.clear(windows.protection);
    if (!cell.is_protection_due) tables.due.push_back(at);
    cell.is_protection_due = true;
  } else {
    windows.executions.plan(windows.protection, now, protection_window);
  }
  windows.look = std::min(windows.repeats.look, windows.protection.look);
}

bool RiskLimits::is_protection_due() const noexcept {
  return !tables_->due.empty();
}

void RiskLimits::settle() {
  std::vector<std::uint32_t>& due = tables_->due;
  if (due.empty()) [[likely]]
    return;
  std::erase_if(due, [this](std::uint32_t at) {
    RiskCell& cell = tables_->cells[at];
    if (cell.open_orders == 0) cell.is_protection_due = false;
    return !cell.is_protection_due;
  });
}

std::optional<market::RiskCommand> RiskLimits::next_protection() const {
  if (tables_->due.empty()) [[likely]]
    return {};
  const RiskCell& cell = tables_->cells[tables_->due.front()];
  market::RiskCommand command{.kind = Kind::cancel_orders, .of = market::LimitOf::user};
  command.header.flags = k_by_protection;
  command.header.user = market::k_no_user;
  if (cell.place != 0) command.header.instrument = books_.instrument(cell.place - 1).id;
  if (cell.subject < k_everybody) {
    command.header.user = static_cast<std::uint16_t>(cell.subject);
  } else {
    command.of = market::LimitOf::account;
    command.account = tables_->cells.accounts()[cell.subject - k_first_account].name;
  }
  command.who = Text<20>::cut("protection");
  return command;
}

}  // namespace dojima::venue
