#include "dojima/venue/risk/risk_limits.hpp"

#include <algorithm>
#include <chrono>

#include "dojima/base/assert.hpp"
#include "dojima/venue/risk/risk_tables.hpp"

namespace dojima::venue {

using market::BookReport;
using market::BookReportKind;
using market::OrderId;
using market::Price;
using market::Quantity;
using market::Reason;
using market::Side;

namespace {

constexpr Duration k_rate_second = std::chrono::seconds{1};

/// The checks in their order.
enum Check : unsigned {
  k_check_killed,
  k_check_stopped,
  k_check_permitted,
  k_check_rate,
  k_check_quantity,
  k_check_collar,
  k_check_no_price,
  k_check_value,
  k_check_open_orders,
  k_check_open_value,
  k_check_position,
  k_check_duplicate,
  k_check_full,
  k_check_passed,
};
constexpr std::array<Reason, k_check_passed + 1> k_reasons{Reason::killed,
                                                           Reason::repeated_executions,
                                                           Reason::not_permitted,
                                                           Reason::rate_exceeded,
                                                           Reason::quantity_out_of_range,
                                                           Reason::price_collar,
                                                           Reason::no_price,
                                                           Reason::value_out_of_range,
                                                           Reason::too_many_orders,
                                                           Reason::open_value,
                                                           Reason::position_limit,
                                                           Reason::duplicate_order,
                                                           Reason::limits_full,
                                                           Reason::none};

[[nodiscard]] constexpr std::uint32_t risk_bit(market::LimitKind kind) noexcept {
  return 1U << static_cast<unsigned>(kind);
}

[[nodiscard]] constexpr RiskValue magnitude(std::int64_t units) noexcept {
  return units < 0 ? -static_cast<RiskValue>(units) : RiskValue{units};
}

/// Whole units of the currency, as a price times lots.
[[nodiscard]] constexpr RiskValue scaled(std::int64_t value) noexcept {
  return static_cast<RiskValue>(value) * market::k_price_scale;
}

[[nodiscard]] Duration window_of(std::int64_t milliseconds) noexcept {
  return milliseconds == 0 ? k_rate_second : Duration{std::chrono::milliseconds{milliseconds}};
}

/// What an order's price is for a limit: its limit, else its stop price, else 0.
[[nodiscard]] Price limited_price(const market::OrderTerms& terms) noexcept {
  if (terms.limit.units != 0) return terms.limit;
  return terms.type == market::OrderType::stop ? terms.stop : Price{};
}

/// How many prices of the table lie below: a price between two ticks is of the lower one.
[[nodiscard]] std::int64_t ticks_below(const market::TickTable& ticks, Price price) noexcept {
  if (const market::Level level = ticks.level_or_none(price); level != market::TickTable::k_none)
    return market::index_of(level);
  std::int32_t below = -1, above = ticks.level_count();
  while (above - below > 1) {
    const std::int32_t middle = below + (above - below) / 2;
    (ticks.price_of(market::Level{middle}) <= price ? below : above) = middle;
  }
  return below;
}

}  // namespace

RiskLimits::RiskLimits(std::size_t users, const InstrumentBooks& books, const book::OrderTable& orders)
    : users_(users), books_(books), orders_(orders) {}

RiskLimits::~RiskLimits() = default;

// ---- Requests ------------------------------------------------------------------------------------------------------

RiskRequest RiskLimits::request_of(const market::NewOrder& order) const {
  const market::OrderTerms& terms = order.terms;
  return {
      .command = order.header.sequence,
      .now = order.header.time,
      .user = order.header.user,
      .place = *books_.place_of(order.header.instrument),
      .account = order.labels.account,
      .legs =
          {{{.side = terms.side, .quantity = terms.quantity, .leaves = terms.quantity, .price = limited_price(terms)}}},
      .count = 1,
      .is_new_order = true};
}

RiskRequest RiskLimits::request_of(const market::Replace& replace) const {
  RiskRequest request{.command = replace.header.sequence,
                      .now = replace.header.time,
                      .user = replace.header.user,
                      .place = *books_.place_of(replace.header.instrument)};
  const book::Slot slot = orders_.find(replace.order);
  if (slot == book::k_no_slot || orders_[slot].owner != request.user ||
      orders_[slot].instrument != replace.header.instrument)
    return request;  // it is refused by its book
  const market::OrderTerms& terms = orders_.terms(slot);
  market::OrderTerms wanted = terms;
  if (terms.limit.units != 0) wanted.limit = replace.limit;
  if (replace.stop.units >= 0) wanted.stop = replace.stop;
  request.account = replace.account.is_empty() ? orders_.labels(slot).account : replace.account;
  request.legs[0] = {.side = orders_[slot].side,
                     .quantity = replace.quantity,
                     .leaves = replace.quantity - orders_.executed(slot),
                     .price = limited_price(wanted),
                     .order = slot};
  request.count = 1;
  return request;
}

RiskRequest RiskLimits::request_of(const market::Quote& quote, OrderId bid, OrderId ask) const {
  RiskRequest request{.command = quote.header.sequence,
                      .now = quote.header.time,
                      .user = quote.header.user,
                      .place = *books_.place_of(quote.header.instrument)};
  const auto add_leg = [&](Side side, Price price, Quantity size, OrderId order) {
    if (size.lots <= 0) return;
    const book::Slot slot = order.value != 0 ? orders_.slot_of(order) : book::k_no_slot;
    const Quantity executed = slot != book::k_no_slot ? orders_.executed(slot) : Quantity{};
    request.legs[request.count++] = {
        .side = side, .quantity = size + executed, .leaves = size, .price = price, .order = slot};
  };
  add_leg(Side::buy, quote.bid, quote.bid_size, bid);
  add_leg(Side::sell, quote.ask, quote.ask_size, ask);
  return request;
}

// ---- Checks --------------------------------------------------------------------------------------------------------

Reason RiskLimits::refusal(const RiskRequest& request) const {
  const OrderCells cells = tables_->cells.cells_of(request.user, request.account, request.place + 1);
  return k_reasons[first_broken(request, cells)];
}

Reason RiskLimits::admit(const RiskRequest& request) {
  Tables& tables = *tables_;
  OrderCells cells = tables.cells.cells_of(request.user, request.account, request.place + 1);
  unsigned broken = first_broken(request, cells);
  // One that the rate lets through counts, whatever else refuses it.
  if (broken > k_check_rate) note_requests(cells, request);
  if (broken == k_check_passed && !make_position_cells(cells, request.place + 1)) broken = k_check_full;
  tables.request = request;
  tables.request_cells = cells;
  tables.reference = reference_of(request.place, false).units;
  return k_reasons[broken];
}

/// The first of the checks that any cell fails.
unsigned RiskLimits::first_broken(const RiskRequest& request, const OrderCells& cells) const {
  const RiskCells& all = tables_->cells;
  const std::array<std::uint32_t, 6> concerned{cells.at[0], cells.at[1],     cells.at[2],
                                               cells.at[3], all.everybody(), all.everybody_in(request.place + 1)};
  unsigned first = k_check_passed;
  for (std::size_t pair = 0; pair < concerned.size(); pair += 2) {
    const std::uint32_t wide = concerned[pair], narrow = concerned[pair + 1];
    if (wide == k_no_cell && narrow == k_no_cell) continue;
    const std::int64_t of_all = wide != k_no_cell ? all[wide].limit(Kind::permitted) : 0;
    const std::int64_t of_one = narrow != k_no_cell ? all[narrow].limit(Kind::permitted) : 0;
    if ((of_one != 0 ? of_one : of_all) == 2) first = std::min<unsigned>(first, k_check_permitted);
    for (const std::uint32_t at : {wide, narrow}) {
      if (at == k_no_cell) continue;
      first = std::min(first, broken_by_order(all[at], request));
      if (first > k_check_open_orders) first = std::min(first, broken_by_counts(at, request));
    }
    if (first > k_check_position && is_position_broken(wide, narrow, request)) first = k_check_position;
  }
  if (first > k_check_full && all.is_full())
    for (const std::size_t pair : {std::size_t{0}, std::size_t{2}})
      if (wants_position(cells.at[pair]) && cells.at[pair + 1] == k_no_cell && request.count != 0) first = k_check_full;
  return first;
}

/// Of the request alone.
unsigned RiskLimits::broken_by_order(const RiskCell& cell, const RiskRequest& request) const {
  if (cell.has(Kind::killed)) return k_check_killed;
  if (cell.is_stopped) return k_check_stopped;
  constexpr std::uint32_t k_looked_at = risk_bit(Kind::rate) | risk_bit(Kind::order_quantity) |
                                        risk_bit(Kind::collar_bp) | risk_bit(Kind::collar_ticks) |
                                        risk_bit(Kind::order_value) | risk_bit(Kind::open_value);
  if ((cell.set & k_looked_at) == 0) return k_check_passed;
  if (cell.has(Kind::rate) && tables_->cells.windows(cell).requests.is_full(request.now, k_rate_second))
    return k_check_rate;
  unsigned first = k_check_passed;
  for (std::uint8_t at = 0; at < request.count; ++at) {
    const RiskLeg& leg = request.legs[at];
    if (cell.has(Kind::order_quantity) && leg.quantity.lots > cell.limit(Kind::order_quantity)) return k_check_quantity;
    if (leg.price.units != 0 && is_beyond_collar(cell, request, leg.price))
      first = std::min<unsigned>(first, k_check_collar);
    if (!cell.has(Kind::order_value) && !cell.has(Kind::open_value)) continue;
    const Price price = value_price(leg, request.place);
    if (price.units == 0) first = std::min<unsigned>(first, k_check_no_price);
    if (cell.has(Kind::order_value) &&
        magnitude(price.units) * leg.quantity.lots > scaled(cell.limit(Kind::order_value)))
      first = std::min<unsigned>(first, k_check_value);
  }
  return first;
}

bool RiskLimits::is_beyond_collar(const RiskCell& cell, const RiskRequest& request, Price price) const {
  if (!cell.has(Kind::collar_bp) && !cell.has(Kind::collar_ticks)) return false;
  const Price reference = reference_of(request.place, cell.has(Kind::collar_from));
  if (reference.units == 0) return false;
  constexpr int k_whole_bp = 10'000;
  const RiskValue distance = static_cast<RiskValue>(price.units) - reference.units;
  if (cell.has(Kind::collar_bp) &&
      (distance < 0 ? -distance : distance) * k_whole_bp > magnitude(reference.units) * cell.limit(Kind::collar_bp))
    return true;
  if (!cell.has(Kind::collar_ticks)) return false;
  const market::TickTable& ticks = books_.instrument(request.place).ticks;
  const std::int64_t steps = ticks_below(ticks, price) - ticks_below(ticks, reference);
  return (steps < 0 ? -steps : steps) > cell.limit(Kind::collar_ticks);
}

/// What the leg's order counts for in the cell already; null: nothing.
const OrderExposure* RiskLimits::held(const RiskLeg& leg, std::uint32_t cell) const noexcept {
  if (leg.order == book::k_no_slot) return nullptr;
  const OrderExposure& exposure = tables_->exposures[static_cast<std::size_t>(leg.order)];
  return exposure.is_counted && exposure.cells.has(cell) ? &exposure : nullptr;
}

/// With what is counted in the cell. What makes a count smaller is never refused by it, and makes no room for another
/// leg: the legs follow each other.
unsigned RiskLimits::broken_by_counts(std::uint32_t at, const RiskRequest& request) const {
  const RiskCell& cell = tables_->cells[at];
  constexpr std::uint32_t k_looked_at =
      risk_bit(Kind::open_orders) | risk_bit(Kind::open_value) | risk_bit(Kind::duplicate_ms);
  if ((cell.set & k_looked_at) == 0) return k_check_passed;
  std::int64_t orders = 0;
  RiskValue value = 0;
  for (std::uint8_t number = 0; number < request.count; ++number) {
    const RiskLeg& leg = request.legs[number];
    const OrderExposure* const old = held(leg, at);
    if (old == nullptr) ++orders;
    const RiskValue wanted = magnitude(value_price(leg, request.place).units) * leg.leaves.lots;
    value += std::max<RiskValue>(0, wanted - (old != nullptr ? old->value() : 0));
  }
  if (cell.has(Kind::open_orders) && orders != 0 && cell.open_orders + orders > cell.limit(Kind::open_orders))
    return k_check_open_orders;
  if (cell.has(Kind::open_value) && value > 0 && cell.open_value + value > scaled(cell.limit(Kind::open_value)))
    return k_check_open_value;
  bool is_full = false;
  if (request.is_new_order && cell.has(Kind::duplicate_ms) && is_duplicate(at, request, is_full))
    return k_check_duplicate;
  return is_full ? k_check_full : k_check_passed;
}

bool RiskLimits::is_duplicate(std::uint32_t at, const RiskRequest& request, bool& is_full) const {
  const Tables& tables = *tables_;
  const RiskLeg& leg = request.legs[0];
  const Time* const last = tables.recent.find({.price = leg.price.units,
                                               .quantity = leg.quantity.lots,
                                               .cell = at,
                                               .place = request.place,
                                               .side = static_cast<std::uint64_t>(leg.side)});
  const Duration window = std::chrono::milliseconds{tables.cells[at].limit(Kind::duplicate_ms)};
  if (last != nullptr && *last > request.now - window) return true;
  is_full = !tables.recent.has_room(OrderCells{}.at.size(), request.now - tables.longest_duplicate);
  return false;
}

bool RiskLimits::wants_position(std::uint32_t all) const noexcept {
  return all != k_no_cell && tables_->cells[all].has(Kind::position);
}

/// The limit of the instrument goes before that of all instruments. The furthest that the position can come to is what
/// it is with all that could still trade on one side.
bool RiskLimits::is_position_broken(std::uint32_t all, std::uint32_t in, const RiskRequest& request) const {
  const RiskCells& cells = tables_->cells;
  const bool has_own = in != k_no_cell && cells[in].has(Kind::position);
  if (!has_own && !wants_position(all)) return false;
  const std::int64_t limit = cells[has_own ? in : all].limit(Kind::position);
  RiskValue buying = 0, selling = 0;
  for (std::uint8_t at = 0; at < request.count; ++at) {
    const RiskLeg& leg = request.legs[at];
    const OrderExposure* const old = in != k_no_cell ? held(leg, in) : nullptr;
    const std::int64_t more = leg.leaves.lots - (old != nullptr ? old->leaves : 0);
    if (more > 0) (leg.side == Side::buy ? buying : selling) += more;
  }
  const RiskCell none{};
  const RiskCell& cell = in != k_no_cell ? cells[in] : none;
  return (buying > 0 && RiskValue{cell.position} + cell.buying + buying > limit) ||
         (selling > 0 && -RiskValue{cell.position} + cell.selling + selling > limit);
}

/// The last trade, else the instrument's reference; 0: neither is there.
Price RiskLimits::reference_of(std::uint32_t place, bool is_static) const {
  const auto last = is_static ? std::nullopt : books_[place].last_trade();
  return last ? *last : books_.instrument(place).reference;
}

Price RiskLimits::value_price(const RiskLeg& leg, std::uint32_t place) const {
  return leg.price.units != 0 ? leg.price : reference_of(place, false);
}

void RiskLimits::note_requests(const OrderCells& cells, const RiskRequest& request) {
  RiskCells& all = tables_->cells;
  for (const std::uint32_t at : cells.at)
    if (at != k_no_cell && all[at].has(Kind::rate)) all.windows(all[at]).requests.note(request.now);
}

/// A position that is limited in each instrument is counted from the first order in it on. False: no room for it.
bool RiskLimits::make_position_cells(OrderCells& cells, std::uint32_t place) {
  RiskCells& all = tables_->cells;
  for (const std::size_t pair : {std::size_t{0}, std::size_t{2}}) {
    if (!wants_position(cells.at[pair]) || cells.at[pair + 1] != k_no_cell) continue;
    cells.at[pair + 1] = all.make(all[cells.at[pair]].subject, place);
    if (cells.at[pair + 1] == k_no_cell) return false;
  }
  return true;
}

// ---- Counting ------------------------------------------------------------------------------------------------------

void RiskLimits::count(const BookReport& report, Time now) {
  const Tables& tables = *tables_;
  switch (report.kind) {
    case BookReportKind::accepted: {
      const RiskRequest& request = tables.request;
      DOJIMA_ASSERT(request.command == report.sequence, "an order is admitted before its book takes it",
                    request.command, report.sequence, report.order);
      const RiskLeg& leg = request.legs[request.count == 2 && report.side != request.legs[0].side ? 1 : 0];
      enter(orders_.slot_of(report.order), leg.price.units != 0 ? leg.price.units : tables.reference,
            report.quantity.lots, tables.request_cells);
      if (request.is_new_order) note_duplicate(request);
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
void RiskLimits::shift(const OrderExposure& exposure, int orders, RiskValue value, std::int64_t lots) {
  for (const std::uint32_t at : exposure.cells.at) {
    if (at == k_no_cell) continue;
    RiskCell& cell = tables_->cells[at];
    cell.open_orders += orders;
    cell.open_value += value;
    (exposure.side == Side::buy ? cell.buying : cell.selling) += lots;
    DOJIMA_ASSERT(cell.open_orders >= 0 && cell.open_value >= 0 && cell.buying >= 0 && cell.selling >= 0,
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
  const book::Slot slot = orders_.slot_of(order);
  OrderExposure& exposure = tables_->exposures[static_cast<std::size_t>(slot)];
  if (!exposure.is_counted) return;
  leave(slot, quantity.lots);
  for (std::size_t at = 0; at < exposure.cells.at.size(); ++at) {
    if (exposure.cells.at[at] == k_no_cell) continue;
    if (at % 2 == 1)
      tables_->cells[exposure.cells.at[at]].position += exposure.side == Side::buy ? quantity.lots : -quantity.lots;
    note_execution(exposure.cells.at[at], now);
  }
  if (exposure.leaves != 0) return;
  add(exposure, -1);
  exposure.is_counted = false;
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
                   tables.request_cells);
    }
  if (exposure.is_counted) leave(slot, exposure.leaves - report.leaves.lots);
}

void RiskLimits::note_duplicate(const RiskRequest& request) {
  Tables& tables = *tables_;
  const RiskLeg& leg = request.legs[0];
  for (const std::uint32_t at : tables.request_cells.at) {
    if (at == k_no_cell || !tables.cells[at].has(Kind::duplicate_ms)) continue;
    tables.recent.note({.price = leg.price.units,
                        .quantity = leg.quantity.lots,
                        .cell = at,
                        .place = request.place,
                        .side = static_cast<std::uint64_t>(leg.side)},
                       request.now, request.now - tables.longest_duplicate);
  }
}

void RiskLimits::note_execution(std::uint32_t at, Time now) {
  Tables& tables = *tables_;
  RiskCell& cell = tables.cells[at];
  if (!cell.has(Kind::repeats) && !cell.has(Kind::protection)) return;
  RiskWindows& windows = tables.cells.windows(cell);
  if (cell.has(Kind::repeats)) {
    windows.executions.note(now);
    if (windows.executions.is_full(now, window_of(cell.limit(Kind::repeats_ms)))) cell.is_stopped = true;
  }
  if (!cell.has(Kind::protection)) return;
  windows.protection.note(now);
  if (!windows.protection.is_full(now, window_of(cell.limit(Kind::protection_ms)))) return;
  windows.protection.clear();
  if (cell.is_protection_due) return;
  cell.is_protection_due = true;
  tables.due.push_back(at);
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
