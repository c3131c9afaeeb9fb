// Limits and what counts against them, saved and loaded.

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "dojima/base/state.hpp"
#include "dojima/venue/risk/risk_limits.hpp"
#include "dojima/venue/risk/risk_tables.hpp"

namespace dojima::venue {
namespace {

constexpr std::uint8_t k_limits_version = 1;

/// What a state has of the windows of a cell, in its order.
[[nodiscard]] std::array<std::pair<const RecentTimes*, const TimesLimit*>, 3> windows_of(const RiskWindows& windows) {
  return {{{&windows.requests, &windows.rate},
           {&windows.executions, &windows.repeats},
           {&windows.executions, &windows.protection}}};
}

[[nodiscard]] bool load_times(StateReader& in, std::uint64_t most, std::vector<Time>& times) {
  std::uint64_t count = 0;
  if (!in.read_count(count, most, sizeof(Time))) return false;
  times.resize(count);
  for (Time& time : times)
    if (!in.read(time)) return false;
  return std::ranges::is_sorted(times) || in.fail("times that do not step back");
}

/// What repeats have counted are the newest of what protection has, or the other way round.
[[nodiscard]] bool load_windows(StateReader& in, RiskWindows& windows) {
  std::vector<Time> requests, repeats, protection;
  if (!load_times(in, windows.rate.most, requests) || !load_times(in, windows.repeats.most, repeats) ||
      !load_times(in, windows.protection.most, protection))
    return false;
  const bool is_longer = repeats.size() >= protection.size();
  const std::vector<Time>& longer = is_longer ? repeats : protection;
  const std::vector<Time>& shorter = is_longer ? protection : repeats;
  if (!std::ranges::equal(shorter, std::span(longer).last(shorter.size())))
    return in.fail("the same executions for repeats and protection");
  for (const Time time : requests) static_cast<void>(windows.requests.note(time));
  for (const Time time : longer) static_cast<void>(windows.executions.note(time));
  windows.repeats.begin = windows.executions.noted() - repeats.size();
  windows.protection.begin = windows.executions.noted() - protection.size();
  return true;
}

}  // namespace

void RiskLimits::add_to(book::Digest& digest) const {
  if (tables_ == nullptr) return;
  tables_->profiles.settle();
  const Tables& tables = *tables_;
  for (std::uint32_t at = 0; at < tables.cells.size(); ++at) {
    const RiskCell& cell = tables.cells[at];
    digest.add(cell.subject);
    digest.add(cell.place);
    digest.add(cell.limits);
    digest.add(cell.open_orders);
    digest.add(cell.open_value);
    digest.add(cell.buying());
    digest.add(cell.selling());
    digest.add(cell.position);
    digest.add(std::uint8_t{cell.is_stopped});
    digest.add(std::uint8_t{cell.is_protection_due});
    if (!cell.needs_windows()) continue;
    for (const auto& [times, limit] : windows_of(*cell.windows))
      for (std::uint64_t back = 0; back < times->size(*limit); ++back) digest.add(times->newest(back));
  }
  digest.add(std::uint64_t{tables.recent.size()});
}

void RiskLimits::save(StateWriter& out) const {
  if (tables_ == nullptr) return;
  const Tables& tables = *tables_;
  out.section("limits");
  out.add(k_limits_version);
  save_cells(out);
  out.add(std::uint64_t{tables.due.size()});
  for (const std::uint32_t at : tables.due) out.add(at);
  out.add(std::uint64_t{tables.recent.size()});
  tables.recent.each([&out](const OrderLikeness& order, Time time) {
    out.add(order);
    out.add(time);
  });
  for (const book::Slot slot : orders_.live()) {
    const OrderExposure& exposure = tables.exposures[static_cast<std::size_t>(slot)];
    out.add(std::uint8_t{exposure.is_counted()});
    out.add(exposure.is_counted() ? exposure.price : std::int64_t{0});
  }
}

void RiskLimits::save_cells(StateWriter& out) const {
  tables_->profiles.settle();
  const RiskCells& cells = tables_->cells;
  out.add(std::uint64_t{cells.accounts().size()});
  for (const RiskCells::Account& account : cells.accounts()) out.add(account.name);
  out.add(std::uint64_t{cells.size()});
  for (std::uint32_t at = 0; at < cells.size(); ++at) {
    const RiskCell& cell = cells[at];
    out.add(cell.subject);
    out.add(cell.place);
    out.add(cell.limits);
    out.add(cell.by_operator);
    out.add(cell.position);
    out.add(std::uint8_t{cell.is_stopped});
    if (!cell.needs_windows()) continue;
    for (const auto& [times, limit] : windows_of(*cell.windows)) {
      const std::uint64_t size = times->size(*limit);
      out.add(size);
      for (std::uint64_t back = size; back > 0; --back) out.add(times->newest(back - 1));
    }
  }
}

bool RiskLimits::load_cells(StateReader& in) {
  RiskCells& cells = tables_->cells;
  std::uint64_t count = 0;
  if (!in.read_count(count, RiskCells::k_capacity, sizeof(Text<10>))) return false;
  for (std::uint64_t at = 0; at < count; ++at) {
    Text<10> name;
    if (!in.read(name)) return false;
    if (name.is_empty() || cells.make_account(name) != k_first_account + at) return in.fail("an account, once");
  }
  if (!in.read_count(count, RiskCells::k_capacity, sizeof(RiskCell::limits))) return false;
  for (std::uint64_t number = 0; number < count; ++number) {
    std::uint32_t subject = 0, place = 0;
    if (!in.read(subject) || !in.read(place)) return false;
    const bool is_user = subject < users_;
    const bool is_other = subject >= k_everybody && subject - k_everybody <= cells.accounts().size();
    if ((!is_user && !is_other) || place > books_.size() || cells.make(subject, place) != number)
      return in.fail("whom and what a limit is about, once");
    RiskCell& cell = cells[static_cast<std::uint32_t>(number)];
    if (!in.read(cell.limits) || !in.read(cell.by_operator) || !in.read(cell.position) || !in.read(cell.is_stopped))
      return false;
    for (const LimitKey& key : limit_keys()) {
      if (!stays_set(key.kind)) continue;
      const std::int64_t value = cell.limit(key.kind);
      if (value < 0 || value > key.most || (value != 0 && key.is_counted && subject == k_everybody))
        return in.fail("limits in their ranges");
      if (value != 0) cell.set |= risk_bit(key.kind);
    }
    if (cell.limits[0] != 0) return in.fail("limits in their ranges");
    if (cell.position > (std::int64_t{1} << 53) || cell.position < -(std::int64_t{1} << 53))
      return in.fail("a position of at most 2^53 lots");
    prepare(cell);
    if (cell.needs_windows() && !load_windows(in, *cell.windows)) return false;
  }
  return true;
}

/// Each cell of an order for itself.
bool RiskLimits::load_recent(StateReader& in) {
  Tables& tables = *tables_;
  std::uint64_t count = 0;
  if (!in.read_count(count, RiskCells::k_capacity, sizeof(OrderLikeness) + sizeof(Time))) return false;
  for (std::uint64_t number = 0; number < count; ++number) {
    OrderLikeness order;
    Time time;
    if (!in.read(order) || !in.read(time)) return false;
    const bool is_of_somebody =
        order.cell < tables.cells.size() && tables.cells[order.cell].subject != k_everybody && order.side <= 2;
    if (!is_of_somebody) return in.fail("an order of somebody with a limit");
    const RiskCell& cell = tables.cells[order.cell];
    const bool is_account = cell.subject >= k_first_account;
    OrderCells cells;
    cells.at[(is_account ? 2U : 0U) + (cell.place != 0 ? 1U : 0U)] = order.cell;
    const RecentOrders::Terms terms{.price = order.price,
                                    .quantity = order.quantity,
                                    .place = order.place,
                                    .side = static_cast<market::Side>(order.side)};
    const std::uint16_t salt = RecentOrders::salt_of(cell.subject, order.place);
    tables.recent.note(terms, RecentOrders::heads_of(terms, {salt, salt}), cells, 1, time, Time::min());
  }
  return true;
}

bool RiskLimits::load(StateReader& in) {
  if (!in.is_next("limits")) return in.is_good();
  std::uint8_t version = 0;
  in.section("limits");
  if (!in.read(version)) return false;
  if (version != k_limits_version) return in.fail("version 1 of the limits");
  tables_ = std::make_unique<Tables>(users_, books_.size(), orders_.capacity());
  Tables& tables = *tables_;
  std::uint64_t count = 0;
  if (!load_cells(in) || !in.read_count(count, RiskCells::k_capacity, sizeof(std::uint32_t))) return false;
  for (std::uint64_t number = 0; number < count; ++number) {
    std::uint32_t at = 0;
    if (!in.read(at)) return false;
    if (at >= tables.cells.size() || tables.cells[at].subject == k_everybody || tables.cells[at].is_protection_due)
      return in.fail("a limit whose protection is due");
    tables.cells[at].is_protection_due = true;
    tables.due.push_back(at);
  }
  is_due_ = !tables.due.empty();
  find_longest_duplicate();
  if (!load_recent(in)) return false;
  for (const book::Slot slot : orders_.live()) {
    OrderExposure& exposure = tables.exposures[static_cast<std::size_t>(slot)];
    bool is_counted = false;
    if (!in.read(is_counted) || !in.read(exposure.price)) return false;
    exposure.counted = is_counted ? OrderExposure::k_in_cells : 0;
  }
  recount();
  return true;
}

}  // namespace dojima::venue
