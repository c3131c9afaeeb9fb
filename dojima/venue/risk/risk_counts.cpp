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

/// The order has been reported to its owner, so its id has been checked against its table.
[[gnu::always_inline]] inline book::Slot RiskLimits::slot_of(OrderId order) const noexcept {
  const auto slot = book::Slot{static_cast<std::uint32_t>(order.value)};
  DOJIMA_CHECK_SLOW(slot == orders_.slot_of(order), "a slot is the lower half of an order's id", order, slot);
  return slot;
}

void RiskLimits::count(std::span<const BookReport> reports, Time now) {
  for (const BookReport& report : reports) count_one(report, now);
}

[[gnu::always_inline]] inline void RiskLimits::count_one(const BookReport& report, Time now) {
  // The kinds that come most often first: a table of all of them takes longer.
  if (report.kind == BookReportKind::accepted) return count_accepted(report);
  if (report.kind == BookReportKind::traded) {
    fill(slot_of(report.order), report.quantity.lots, now);
    return fill(slot_of(report.other), report.quantity.lots, now);
  }
  if (report.kind == BookReportKind::added) return;
  if (report.kind == BookReportKind::cancelled || report.kind == BookReportKind::expired)
    return end(slot_of(report.order));
  if (report.kind == BookReportKind::replaced) return change(report);
  if (report.kind == BookReportKind::reduced) return leave(slot_of(report.order), report.quantity.lots);
}

[[gnu::always_inline]] inline void RiskLimits::count_accepted(const BookReport& report) {
  const Tables& tables = *tables_;
  const RiskRequest& request = tables.request;
  DOJIMA_ASSERT(request.command == report.sequence, "an order is admitted before its book takes it", request.command,
                report.sequence, report.order);
  const auto price = [&](const RiskLeg& leg) { return leg.price.units != 0 ? leg.price.units : tables.reference; };
  if (request.count == 2 && report.side != request.legs[0].side) [[unlikely]]
    return begin(slot_of(report.order), report.side, price(request.legs[1]), report.quantity.lots, *tables.profile);
  begin(slot_of(report.order), request.legs[0].side, price(request.legs[0]), report.quantity.lots, *tables.profile);
  if (request.is_new_order && tables.profile->looking_count != 0) note_duplicate(request.now);
}

/// Of so many more orders, so much more value and so many more lots, where the order counts. All four cells are
/// written: that of no cell takes what the others do not.
[[gnu::always_inline]] inline void RiskLimits::shift(const OrderExposure& exposure, std::int64_t orders,
                                                     RiskValue value, std::int64_t lots) {
  const std::size_t side = exposure.side;
  if (RiskProfile* const profile = tables_->profiles.counting(exposure.counted); profile != nullptr) [[likely]]
    return profile->pending.add(side, orders, value, lots);
  for (const std::uint32_t at : exposure.cells.at) {
    RiskCell& cell = tables_->cells[at];
    cell.open_orders += orders;
    cell.open_value += value;
    cell.open_lots[side] += lots;
    DOJIMA_CHECK_SLOW((cell.open_orders | cell.open_lots[side] | static_cast<std::int64_t>(cell.open_value >> 64)) >= 0,
                      "no more orders end than were counted", cell.open_orders, cell.buying(), cell.selling(), at);
  }
}

/// The order in the slot counts for this from here on.
[[gnu::always_inline]] inline void RiskLimits::begin(book::Slot slot, Side side, std::int64_t price,
                                                     std::int64_t leaves, const RiskProfile& profile) {
  OrderExposure& exposure = tables_->exposures[static_cast<std::size_t>(slot)];
  exposure.counted = profile.is_counted ? profile.number : 0;
  if (!profile.is_counted) return;
  exposure.cells = profile.cells;
  exposure.price = price;
  exposure.leaves = leaves;
  exposure.side = static_cast<std::uint8_t>(side_at(side));
  shift(exposure, 1, value_of(price, leaves), leaves);
}

void RiskLimits::enter(book::Slot slot, Side side, std::int64_t price, std::int64_t leaves, const OrderCells& cells) {
  OrderExposure& exposure = tables_->exposures[static_cast<std::size_t>(slot)];
  exposure = {.cells = cells,
              .price = price,
              .leaves = leaves,
              .counted = cells.is_empty() ? 0 : OrderExposure::k_in_cells,
              .side = static_cast<std::uint8_t>(side_at(side))};
  if (exposure.is_counted()) shift(exposure, 1, exposure.value(), leaves);
}

/// It counts for nothing any more.
void RiskLimits::end(book::Slot slot) {
  OrderExposure& exposure = tables_->exposures[static_cast<std::size_t>(slot)];
  if (exposure.is_counted()) shift(exposure, -1, -exposure.value(), -exposure.leaves);
  exposure.counted = 0;
}

/// The order has so much less left; it may be over with that.
void RiskLimits::leave(book::Slot slot, std::int64_t lots) {
  OrderExposure& exposure = tables_->exposures[static_cast<std::size_t>(slot)];
  if (!exposure.is_counted()) return;
  exposure.leaves -= lots;
  DOJIMA_ASSERT(exposure.leaves >= 0, "an order has no more left than was counted", exposure.leaves, lots);
  shift(exposure, 0, -value_of(exposure.price, lots), -lots);
}

[[gnu::always_inline]] inline void RiskLimits::fill(book::Slot slot, std::int64_t lots, Time now) {
  OrderExposure& exposure = tables_->exposures[static_cast<std::size_t>(slot)];
  if (!exposure.is_counted()) return;
  RiskProfile* const profile = tables_->profiles.counting(exposure.counted);
  if (profile == nullptr) [[unlikely]]
    return fill_in_cells(exposure, lots, now);
  exposure.leaves -= lots;
  DOJIMA_ASSERT(exposure.leaves >= 0, "an order has no more left than was counted", exposure.leaves, lots);
  exposure.counted = exposure.leaves == 0 ? 0 : exposure.counted;
  const std::size_t side = exposure.side;
  profile->pending.add(side, exposure.leaves == 0 ? -1 : 0, -value_of(exposure.price, lots), -lots);
  profile->pending.traded[side] += lots;
  if (!profile->is_watched) return;
  for (std::size_t at = 0; at < profile->counted.size(); ++at)
    if (profile->counted[at]->executions.note(now)) [[unlikely]]
      look_at_executions(profile->cells.at[at], now);
}

/// The same of one that counts in its cells.
[[gnu::noinline]] void RiskLimits::fill_in_cells(OrderExposure& exposure, std::int64_t lots, Time now) {
  exposure.leaves -= lots;
  DOJIMA_ASSERT(exposure.leaves >= 0, "an order has no more left than was counted", exposure.leaves, lots);
  const std::int64_t over = exposure.leaves == 0 ? 1 : 0;
  if (over != 0) exposure.counted = 0;
  const RiskValue value = value_of(exposure.price, lots);
  const std::size_t side = exposure.side;
  const std::int64_t bought = side == 0 ? lots : -lots;
  for (std::size_t at = 0; at < exposure.cells.at.size(); ++at) {
    RiskCell& cell = tables_->cells[exposure.cells.at[at]];
    cell.open_orders -= over;
    cell.open_value -= value;
    cell.open_lots[side] -= lots;
    DOJIMA_CHECK_SLOW((cell.open_orders | cell.open_lots[side] | static_cast<std::int64_t>(cell.open_value >> 64)) >= 0,
                      "no more orders end than were counted", cell.open_orders, cell.buying(), cell.selling(), at);
    if (at % 2 == 1) cell.position += bought;
    if (cell.executions.note(now)) [[unlikely]]
      look_at_executions(exposure.cells.at[at], now);
  }
}

/// The owner's replace, as it was admitted; or a price that the end of a call gave the order, which counts as before.
void RiskLimits::change(const BookReport& report) {
  const Tables& tables = *tables_;
  const RiskRequest& request = tables.request;
  const book::Slot slot = slot_of(report.order);
  const OrderExposure& exposure = tables.exposures[static_cast<std::size_t>(slot)];
  if (request.command == report.sequence)
    for (std::uint8_t at = 0; at < request.count; ++at) {
      const RiskLeg& leg = request.legs[at];
      if (leg.order != slot) continue;
      end(slot);
      return begin(slot, leg.side, leg.price.units != 0 ? leg.price.units : tables.reference, report.leaves.lots,
                   *tables.profile);
    }
  if (exposure.is_counted()) leave(slot, exposure.leaves - report.leaves.lots);
}

[[gnu::always_inline]] inline void RiskLimits::note_duplicate(Time now) {
  Tables& tables = *tables_;
  const RiskProfile& profile = *tables.profile;
  tables.recent.note(terms_of(tables.request), tables.heads, profile.looking, profile.looking_count, now,
                     now - tables.longest_duplicate);
}

/// As many as are too many may have come, or their memory has come to its end.
void RiskLimits::look_at_executions(std::uint32_t at, Time now) {
  Tables& tables = *tables_;
  RiskCell& cell = tables.cells[at];
  if (cell.windows == nullptr) {
    cell.executions = tables.cells.unread();
    return;
  }
  RiskWindows& windows = *cell.windows;
  if (!windows.executions.go_on()) return;
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
    cell.is_protection_due = is_due_ = true;
  } else {
    windows.executions.plan(windows.protection, now, protection_window);
  }
  windows.look_at_executions();
}

void RiskLimits::settle_due() {
  tables_->profiles.settle();
  std::vector<std::uint32_t>& due = tables_->due;
  std::erase_if(due, [this](std::uint32_t at) {
    RiskCell& cell = tables_->cells[at];
    if (cell.open_orders == 0) cell.is_protection_due = false;
    return !cell.is_protection_due;
  });
  is_due_ = !due.empty();
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
