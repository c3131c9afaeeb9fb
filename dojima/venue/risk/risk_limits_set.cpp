// Limits as they are set and shown.

#include <algorithm>
#include <limits>
#include <map>

#include "dojima/venue/risk/risk_limits.hpp"
#include "dojima/venue/risk/risk_tables.hpp"

namespace dojima::venue {

using market::LimitKind;
using market::LimitOf;

namespace {

/// Whole units of the currency, rounded up; the largest number where it is beyond.
[[nodiscard]] std::int64_t whole_units(RiskValue value) noexcept {
  const RiskValue whole = (value + market::k_price_scale - 1) / market::k_price_scale;
  return static_cast<std::int64_t>(std::min<RiskValue>(whole, std::numeric_limits<std::int64_t>::max()));
}

}  // namespace

// ---- Setting -------------------------------------------------------------------------------------------------------

std::uint32_t RiskLimits::subject_of(const market::RiskCommand& command) const {
  if (command.of == LimitOf::user) return command.header.user;
  if (command.of == LimitOf::everybody || tables_ == nullptr) return k_everybody;
  return tables_->cells.find_account(command.account);
}

Result<void> RiskLimits::complaint(const market::RiskCommand& command) const {
  if (const auto fine = basic_complaint(command); !fine) return fine;
  return removal_complaint(command);
}

/// What apply() goes by. Journals hold commands that came to a state by these rules: another one here would give their
/// replay another state, so a new one belongs into complaint().
Result<void> RiskLimits::basic_complaint(const market::RiskCommand& command) const {
  const LimitKey* const key = key_of(command.kind);
  if (key == nullptr) return fail(ErrorCode::unknown, 0, 0, static_cast<int>(command.kind), "a kind of limit");
  if (command.of > LimitOf::account) return fail(ErrorCode::unknown, 0, 0, static_cast<int>(command.of), "whose limit");
  if (command.of == LimitOf::user && command.header.user >= users_)
    return fail(ErrorCode::unknown, 0, 0, command.header.user, "a user of the venue");
  if (command.of == LimitOf::account && command.account.is_empty())
    return fail(ErrorCode::missing, 0, 0, 0, "the name of an account");
  const std::uint32_t* const place =
      command.header.instrument != 0 ? books_.place_of(command.header.instrument) : nullptr;
  if (command.header.instrument != 0 && place == nullptr)
    return fail(ErrorCode::unknown, 0, 0, command.header.instrument, "an instrument of the venue");
  if (command.kind == LimitKind::cancel_orders) return {};
  const std::int64_t least = key->form == LimitForm::integer ? -key->most : 0;
  if (command.value < least || command.value > key->most)
    return fail(ErrorCode::out_of_range, 0, 0, command.value, key->meaning.data());
  if (key->is_counted && command.of == LimitOf::everybody)
    return fail(ErrorCode::not_supported, 0, 0, command.value, "a user or an account: nothing is counted of everybody");
  if (command.kind == LimitKind::position_now && place == nullptr)
    return fail(ErrorCode::missing, 0, 0, 0, "one instrument: a position is of one");
  const bool is_countable = command.kind == LimitKind::open_orders || command.kind == LimitKind::open_value ||
                            command.kind == LimitKind::position;
  if (is_countable && command.value != 0) {
    const RiskValue in_use = used(command);
    const bool is_value = command.kind == LimitKind::open_value;
    if (in_use > (is_value ? RiskValue{command.value} * market::k_price_scale : RiskValue{command.value}))
      return fail(ErrorCode::wrong_state, 0, 0, is_value ? whole_units(in_use) : static_cast<std::int64_t>(in_use),
                  "a limit that is not below what is used");
  }
  if (command.kind == LimitKind::position_now && used(command) < 0)
    return fail(ErrorCode::wrong_state, 0, 0, command.value,
                "a position within its limit, with what could still trade");
  if (tables_ == nullptr) return {};
  const std::size_t wanted =
      1 + (command.kind == LimitKind::position && place == nullptr ? std::min(orders_.size(), books_.size())
                                                                   : std::size_t{0});
  const bool has_account_room =
      command.of != LimitOf::account || tables_->cells.accounts().size() < RiskCells::k_capacity;
  if (tables_->cells.size() + wanted > RiskCells::k_capacity || !has_account_room)
    return fail(ErrorCode::no_room, 0, 0, tables_->cells.size(), "room for another limit");
  return {};
}

/// A position limit of one instrument goes before that of all instruments: without it the latter holds, and is not
/// below what is used, as if it were set there.
Result<void> RiskLimits::removal_complaint(const market::RiskCommand& command) const {
  if (tables_ == nullptr || command.kind != LimitKind::position || command.value != 0 || command.header.instrument == 0)
    return {};
  const std::uint32_t all = tables_->cells.find(subject_of(command), 0);
  if (!wants_position(all)) return {};
  const RiskValue in_use = used(command);
  if (in_use <= tables_->cells[all].limit(Kind::position)) return {};
  return fail(ErrorCode::wrong_state, 0, 0, static_cast<std::int64_t>(in_use),
              "a limit of all instruments, which holds without this one, that is not below what is used");
}

/// What counts against the limit now, whether it is counted already or not; of a position that is to be set: below 0
/// if it is beyond its limit. O(live orders).
RiskValue RiskLimits::used(const market::RiskCommand& command) const {
  if (tables_ != nullptr) tables_->profiles.settle();
  struct InOne {
    std::int64_t buying = 0, selling = 0, position = 0;
    [[nodiscard]] std::int64_t furthest() const noexcept { return std::max(position + buying, selling - position); }
  };
  std::map<std::uint32_t, InOne> in;  // by place
  std::int64_t orders = 0;
  RiskValue value = 0;
  const std::uint32_t subject = subject_of(command);
  const bool has_tables = tables_ != nullptr;
  if (command.header.instrument != 0) in[*books_.place_of(command.header.instrument)] = {};
  for (std::uint32_t at = 0; has_tables && at < tables_->cells.size(); ++at) {
    const RiskCell& cell = tables_->cells[at];
    if (cell.subject == subject && cell.place != 0) in[cell.place - 1].position = cell.position;
  }
  for (const book::Slot slot : orders_.live()) {
    const book::Order& order = orders_[slot];
    if (command.of == LimitOf::user && order.owner != command.header.user) continue;
    if (command.of == LimitOf::account && orders_.labels(slot).account != command.account) continue;
    if (command.header.instrument != 0 && order.instrument != command.header.instrument) continue;
    const std::uint32_t place = *books_.place_of(order.instrument);
    ++orders;
    const OrderExposure* const exposure = has_tables ? &tables_->exposures[static_cast<std::size_t>(slot)] : nullptr;
    if (exposure != nullptr && exposure->is_counted()) {
      value += exposure->value();
    } else {
      const market::OrderTerms& terms = orders_.terms(slot);
      const RiskLeg leg{.price =
                            terms.limit.units == 0 && terms.type == market::OrderType::stop ? terms.stop : terms.limit};
      const std::int64_t price = value_price(leg, place).units;
      value += RiskValue{price < 0 ? -price : price} * order.leaves.lots;
    }
    (order.side == market::Side::buy ? in[place].buying : in[place].selling) += order.leaves.lots;
  }
  if (command.kind == LimitKind::open_orders) return orders;
  if (command.kind == LimitKind::open_value) return value;
  std::int64_t furthest = 0;
  for (auto& [place, counts] : in) {
    if (command.header.instrument != 0 && books_.instrument(place).id != command.header.instrument) continue;
    const std::uint32_t own = has_tables ? tables_->cells.find(subject, place + 1) : k_no_cell;
    const bool has_own = own != k_no_cell && tables_->cells[own].has(Kind::position);
    if (command.kind == LimitKind::position) {
      if (command.header.instrument != 0 || !has_own) furthest = std::max(furthest, counts.furthest());
      continue;
    }
    counts.position = command.value;
    if (!has_tables) continue;
    const std::uint32_t all = tables_->cells.find(subject, 0);
    const std::int64_t limit = has_own               ? tables_->cells[own].limit(Kind::position)
                               : wants_position(all) ? tables_->cells[all].limit(Kind::position)
                                                     : std::numeric_limits<std::int64_t>::max();
    if (counts.furthest() > limit) return -1;
  }
  return furthest;
}

bool RiskLimits::apply(const market::RiskCommand& command) {
  if (!basic_complaint(command)) return false;
  if (command.kind == LimitKind::cancel_orders) {
    if (tables_ == nullptr || (command.header.flags & k_by_protection) == 0) return true;
    const std::uint32_t place = command.header.instrument != 0 ? *books_.place_of(command.header.instrument) + 1 : 0;
    const std::uint32_t at = tables_->cells.find(subject_of(command), place);
    if (at == k_no_cell) return true;
    tables_->cells[at].is_protection_due = false;
    std::erase(tables_->due, at);
    is_due_ = !tables_->due.empty();
    return true;
  }
  if (tables_ == nullptr) tables_ = std::make_unique<Tables>(users_, books_.size(), orders_.capacity());
  tables_->profiles.settle();
  RiskCells& cells = tables_->cells;
  const std::uint32_t subject =
      command.of == LimitOf::account ? cells.make_account(command.account) : subject_of(command);
  const std::uint32_t place = command.header.instrument != 0 ? *books_.place_of(command.header.instrument) + 1 : 0;
  const bool is_new = cells.find(subject, place) == k_no_cell;
  const std::uint32_t at = cells.make(subject, place);
  set(cells[at], at, command);
  tables_->profiles.change();
  if (is_new || command.kind == LimitKind::position) recount();
  return true;
}

void RiskLimits::set(RiskCell& cell, std::uint32_t at, const market::RiskCommand& command) {
  if (command.kind == LimitKind::position_now) {
    cell.position = command.value;
    return;
  }
  if (command.kind == LimitKind::stopped) {
    cell.is_stopped = false;
    if (cell.windows == nullptr) return;
    cell.windows->executions.clear(cell.windows->repeats);
    return cell.windows->look_at_executions();
  }
  const std::uint32_t mask = risk_bit(command.kind);
  cell.limits[static_cast<std::size_t>(command.kind)] = command.value;
  cell.set = command.value != 0 ? cell.set | mask : cell.set & ~mask;
  const bool is_configured = (command.header.flags & k_by_configuration) != 0;
  cell.by_operator = is_configured ? cell.by_operator & ~mask : cell.by_operator | mask;
  if (command.kind == LimitKind::protection && command.value == 0) {
    cell.is_protection_due = false;
    std::erase(tables_->due, at);
    is_due_ = !tables_->due.empty();
  }
  if (command.kind == LimitKind::repeats && command.value == 0) cell.is_stopped = false;
  prepare(cell);
  if (command.kind == LimitKind::duplicate_ms) find_longest_duplicate();
}

/// What orders are held against follows from the limits.
void RiskLimits::prepare(RiskCell& cell) {
  cell.most_orders = cell.has(Kind::open_orders) ? cell.limit(Kind::open_orders) : k_no_count_limit;
  cell.most_value =
      cell.has(Kind::open_value) ? RiskValue{cell.limit(Kind::open_value)} * market::k_price_scale : k_no_value_limit;
  if (!cell.needs_windows() && cell.windows == nullptr) return;
  RiskWindows& windows = tables_->cells.make_windows(cell);
  const auto most = [&cell](Kind kind) { return static_cast<std::uint64_t>(cell.limit(kind)); };
  windows.requests.set(windows.rate, most(Kind::rate));
  windows.executions.set(windows.repeats, most(Kind::repeats), windows.protection);
  windows.executions.set(windows.protection, most(Kind::protection), windows.repeats);
  tables_->near_rates += windows.look_at_requests();
  windows.look_at_executions();
}

void RiskLimits::find_longest_duplicate() {
  std::int64_t longest = 0;
  for (std::uint32_t at = 0; at < tables_->cells.size(); ++at)
    longest = std::max(longest, tables_->cells[at].limit(Kind::duplicate_ms));
  tables_->longest_duplicate = std::chrono::milliseconds{longest};
}

bool RiskLimits::wants_position(std::uint32_t all) const noexcept {
  return all != k_no_cell && tables_->cells[all].has(Kind::position);
}

/// A position that is limited in each instrument is counted from the first order in it on. False: no room for it.
bool RiskLimits::make_position_cells(OrderCells& cells, std::uint32_t place) {
  RiskCells& all = tables_->cells;
  for (const std::size_t pair : {std::size_t{0}, std::size_t{2}}) {
    if (!wants_position(cells.at[pair]) || cells.at[pair + 1] != k_no_cell) continue;
    cells.at[pair + 1] = all.make(all[cells.at[pair]].subject, place);
    tables_->profiles.change();
    if (cells.at[pair + 1] == k_no_cell) return false;
  }
  return true;
}

/// All open orders once more, with the prices that they were admitted with. O(live orders).
void RiskLimits::recount() {
  Tables& tables = *tables_;
  tables.profiles.settle();
  const auto clear = [](RiskCell& cell) {
    cell.open_orders = 0;
    cell.open_value = 0;
    cell.open_lots = {};
  };
  clear(tables.cells[k_no_cell]);
  for (std::uint32_t at = 0; at < tables.cells.size(); ++at) clear(tables.cells[at]);
  for (const book::Slot slot : orders_.live()) {
    const OrderExposure& before = tables.exposures[static_cast<std::size_t>(slot)];
    const std::uint32_t place = *books_.place_of(orders_[slot].instrument);
    const std::uint32_t account = tables.cells.account_of(orders_[slot].owner, orders_.labels(slot).account);
    OrderCells cells = tables.cells.cells_of(orders_[slot].owner, account, place + 1);
    static_cast<void>(make_position_cells(cells, place + 1));
    std::int64_t price = before.price;
    if (!before.is_counted()) {
      const market::OrderTerms& terms = orders_.terms(slot);
      const bool is_stop = terms.limit.units == 0 && terms.type == market::OrderType::stop;
      price = value_price({.price = is_stop ? terms.stop : terms.limit}, place).units;
    }
    enter(slot, orders_[slot].side, price, orders_[slot].leaves.lots, cells);
  }
}

// ---- Showing -------------------------------------------------------------------------------------------------------

bool RiskLimits::is_killed(LimitOf of, std::uint16_t user, const Text<10>& account) const {
  if (tables_ == nullptr) return false;
  market::RiskCommand command{.account = account, .of = of};
  command.header.user = user;
  const std::uint32_t subject = subject_of(command);
  if (of == LimitOf::account && subject == k_everybody) return false;
  const std::uint32_t at = tables_->cells.find(subject, 0);
  return at != k_no_cell && tables_->cells[at].has(Kind::killed);
}

LimitRow RiskLimits::row_of(const RiskCell& cell, Kind kind, Time now) const {
  LimitRow row{.kind = kind, .is_by_operator = (cell.by_operator & risk_bit(kind)) != 0, .value = cell.limit(kind)};
  if (cell.subject < k_everybody) {
    row.of = LimitOf::user;
    row.user = static_cast<std::uint16_t>(cell.subject);
  } else if (cell.subject != k_everybody) {
    row.of = LimitOf::account;
    row.account = tables_->cells.accounts()[cell.subject - k_first_account].name;
  }
  if (cell.place != 0) row.instrument = books_.instrument(cell.place - 1).id;
  const auto within = [now](const RecentTimes& times, const TimesLimit& limit, std::int64_t milliseconds) {
    return static_cast<std::int64_t>(times.within(limit, now, window_of(milliseconds)));
  };
  if (kind == Kind::open_orders) row.used = cell.open_orders;
  if (kind == Kind::open_value) row.used = whole_units(cell.open_value);
  if (kind == Kind::position && cell.place != 0)
    row.used = std::max(cell.position + cell.buying(), cell.selling() - cell.position);
  if (cell.windows == nullptr) return row;
  const RiskWindows& windows = *cell.windows;
  if (kind == Kind::rate) row.used = within(windows.requests, windows.rate, 0);
  if (kind == Kind::repeats) row.used = within(windows.executions, windows.repeats, cell.limit(Kind::repeats_ms));
  if (kind == Kind::protection)
    row.used = within(windows.executions, windows.protection, cell.limit(Kind::protection_ms));
  return row;
}

std::vector<LimitRow> RiskLimits::rows(Time now) const {
  std::vector<LimitRow> rows;
  if (tables_ != nullptr) tables_->profiles.settle();
  for (std::uint32_t at = 0; tables_ != nullptr && at < tables_->cells.size(); ++at) {
    const RiskCell& cell = tables_->cells[at];
    for (const LimitKey& key : limit_keys()) {
      if (stays_set(key.kind) && cell.has(key.kind)) rows.push_back(row_of(cell, key.kind, now));
      if (key.kind == Kind::position_now && cell.place != 0 && cell.position != 0) {
        LimitRow row = row_of(cell, Kind::none, now);
        row.kind = Kind::position_now;
        row.value = row.used = cell.position;
        rows.push_back(row);
      }
      if (key.kind != Kind::stopped || !cell.is_stopped) continue;
      LimitRow row = row_of(cell, Kind::none, now);
      row.kind = Kind::stopped;
      row.value = 1;
      rows.push_back(row);
    }
  }
  return rows;
}

std::vector<LimitRow> RiskLimits::removed() const {
  std::vector<LimitRow> rows;
  for (std::uint32_t at = 0; tables_ != nullptr && at < tables_->cells.size(); ++at)
    for (const LimitKey& key : limit_keys()) {
      const RiskCell& cell = tables_->cells[at];
      if (!stays_set(key.kind) || cell.has(key.kind) || (cell.by_operator & risk_bit(key.kind)) == 0) continue;
      rows.push_back(row_of(cell, Kind::none, {}));
      rows.back().kind = key.kind;
    }
  return rows;
}

}  // namespace dojima::venue
