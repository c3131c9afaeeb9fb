#include "dojima/web/dashboard/displayed_book.hpp"

#include <algorithm>
#include <iterator>

namespace dojima::web {

using market::BookReportKind;

void DisplayedBook::apply(const market::BookReport& report) {
  const std::uint64_t id = report.order.value;
  switch (report.kind) {
    case BookReportKind::added:
      return show(report);
    case BookReportKind::traded:
      if ((report.flags & market::k_auction) == 0) return keep(id, report.displayed.lots, report.leaves.lots, false);
      cross(id, report.quantity.lots);
      return cross(report.other.value, report.quantity.lots);
    case BookReportKind::replaced:
      if ((report.flags & market::k_lost_priority) != 0) return hide(id);
      return keep(id, report.displayed.lots, report.leaves.lots, false);
    case BookReportKind::reduced:
      return keep(id, report.displayed.lots, report.leaves.lots, false);
    case BookReportKind::replenished:
      if (!orders_.contains(id)) return show(report);
      return keep(id, report.displayed.lots, report.leaves.lots, true);
    case BookReportKind::cancelled:
    case BookReportKind::expired:
    case BookReportKind::triggered:
      return hide(id);
    case BookReportKind::none:
    case BookReportKind::accepted:
    case BookReportKind::rejected:
    case BookReportKind::parked:
    case BookReportKind::phase_changed:
    case BookReportKind::uncrossed:
    case BookReportKind::indicative:
      return;
  }
}

void DisplayedBook::add(std::uint64_t id, market::Side side, std::int64_t price, std::int64_t displayed,
                        std::int64_t leaves) {
  const auto [at, is_new] = orders_.try_emplace(id);
  if (!is_new || displayed <= 0) {
    ++misfits_;
    if (is_new) orders_.erase(at);
    return;
  }
  Level& level = levels_of(side)[price];
  level.quantity += displayed;
  level.queue.push_back(id);
  at->second = {
      .price = price, .displayed = displayed, .leaves = leaves, .side = side, .place = std::prev(level.queue.end())};
}

void DisplayedBook::clear() {
  bids_.clear();
  asks_.clear();
  orders_.clear();
}

const DisplayedBook::Order* DisplayedBook::find(std::uint64_t id) const {
  const auto found = orders_.find(id);
  return found == orders_.end() ? nullptr : &found->second;
}

void DisplayedBook::show(const market::BookReport& report) {
  constexpr std::uint8_t k_unseen = market::k_hidden | market::k_dark | market::k_auction;
  if ((report.flags & k_unseen) != 0 || report.displayed.lots == 0) return;
  add(report.order.value, report.side, report.price.units, report.displayed.lots, report.leaves.lots);
}

void DisplayedBook::keep(std::uint64_t id, std::int64_t displayed, std::int64_t leaves, bool loses_place) {
  const auto found = orders_.find(id);
  if (found == orders_.end()) return;
  if (displayed <= 0) return hide(id);
  Order& order = found->second;
  Level& level = levels_of(order.side)[order.price];
  level.quantity += displayed - order.displayed;
  order.displayed = displayed;
  order.leaves = leaves;
  if (loses_place) level.queue.splice(level.queue.end(), level.queue, order.place);
}

/// The report tells of the buyer only; what is left of either follows from what it had.
void DisplayedBook::cross(std::uint64_t id, std::int64_t quantity) {
  const Order* order = find(id);
  if (order == nullptr) return;
  const std::int64_t leaves = std::max<std::int64_t>(order->leaves - quantity, 0);
  keep(id, std::clamp<std::int64_t>(order->displayed - quantity, 0, leaves), leaves, false);
}

void DisplayedBook::hide(std::uint64_t id) {
  const auto found = orders_.find(id);
  if (found == orders_.end()) return;
  const Order& order = found->second;
  Levels& levels = levels_of(order.side);
  const auto level = levels.find(order.price);
  level->second.quantity -= order.displayed;
  level->second.queue.erase(order.place);
  if (level->second.queue.empty()) levels.erase(level);
  orders_.erase(found);
}

}  // namespace dojima::web
