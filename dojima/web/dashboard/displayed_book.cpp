#include "dojima/web/dashboard/displayed_book.hpp"

#include <algorithm>
#include <iterator>

namespace dojima::web {

using market::BookReportKind;

std::size_t DisplayedBook::PlaceHash::operator()(const Place& place) const noexcept {
  const auto low = static_cast<std::uint64_t>(place.owner) << 1U | (place.side == market::Side::buy ? 1U : 0U);
  return static_cast<std::size_t>((static_cast<std::uint64_t>(place.price) * 0x9e3779b97f4a7c15U) ^
                                  low * 0xff51afd7ed558ccdU);
}

void DisplayedBook::apply(const market::BookReport& report, std::uint16_t owner) {
  const std::uint64_t id = report.order.value;
  switch (report.kind) {
    case BookReportKind::added:
      return show(report, owner);
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
      if (!orders_.contains(id)) return show(report, owner);
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
                        std::int64_t leaves, std::uint16_t owner) {
  const auto [at, is_new] = orders_.try_emplace(id);
  if (!is_new || displayed <= 0) {
    ++misfits_;
    if (is_new) orders_.erase(at);
    return;
  }
  Level& level = levels_of(side)[price];
  level.quantity += displayed;
  level.queue.push_back(id);
  at->second = {.price = price,
                .displayed = displayed,
                .leaves = leaves,
                .side = side,
                .owner = owner,
                .place = std::prev(level.queue.end())};
  if (owner != 0) ++owned_[{.price = price, .owner = owner, .side = side}];
}

void DisplayedBook::set_level(market::Side side, std::int64_t price, std::int64_t quantity, std::uint32_t orders,
                              std::uint16_t owner, std::uint32_t own) {
  Levels& levels = levels_of(side);
  const auto at = levels.find(price);
  if (at != levels.end() && !at->second.queue.empty()) {
    ++misfits_;
    return;
  }
  if (quantity > 0)
    levels[price] = {.quantity = quantity, .queue = {}, .counted = orders};
  else if (at != levels.end())
    levels.erase(at);
  if (owner == 0) return;
  const Place place{.price = price, .owner = owner, .side = side};
  if (quantity > 0 && own != 0)
    owned_[place] = own;
  else
    owned_.erase(place);
}

std::uint32_t DisplayedBook::owned(std::uint16_t owner, market::Side side, std::int64_t price) const {
  const auto found = owned_.find({.price = price, .owner = owner, .side = side});
  return found == owned_.end() ? 0 : found->second;
}

void DisplayedBook::clear() {
  owned_.clear();
  bids_.clear();
  asks_.clear();
  orders_.clear();
}

const DisplayedBook::Order* DisplayedBook::find(std::uint64_t id) const {
  const auto found = orders_.find(id);
  return found == orders_.end() ? nullptr : &found->second;
}

void DisplayedBook::show(const market::BookReport& report, std::uint16_t owner) {
  constexpr std::uint8_t k_unseen = market::k_hidden | market::k_dark | market::k_auction;
  if ((report.flags & k_unseen) != 0 || report.displayed.lots == 0) return;
  add(report.order.value, report.side, report.price.units, report.displayed.lots, report.leaves.lots, owner);
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
  if (order.owner != 0) {
    const auto of = owned_.find({.price = order.price, .owner = order.owner, .side = order.side});
    if (--of->second == 0) owned_.erase(of);
  }
  Levels& levels = levels_of(order.side);
  const auto level = levels.find(order.price);
  level->second.quantity -= order.displayed;
  level->second.queue.erase(order.place);
  if (level->second.queue.empty()) levels.erase(level);
  orders_.erase(found);
}

}  // namespace dojima::web
