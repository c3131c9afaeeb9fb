// Limits as they are set, shown, saved and loaded.

#include <algorithm>
#include <limits>
#include <map>

#include "dojima/base/state.hpp"
#include "dojima/venue/risk/risk_limits.hpp"
#include "dojima/venue/risk/risk_tables.hpp"

namespace dojima::venue {
namespace {

using market::LimitKind;
using market::LimitOf;

constexpr std::uint8_t k_limits_version = 1;

[[nodiscard]] constexpr std::uint32_t mask_of(LimitKind kind) noexcept {
  return 1U << static_cast<unsigned>(kind);
}

[[nodiscard]] constexpr bool stays_set(LimitKind kind) noexcept {
  return static_cast<std::size_t>(kind) < market::k_limit_kinds;
}

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
    if (exposure != nullptr && exposure->is_counted) {
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
    return true;
  }
  if (tables_ == nullptr) tables_ = std::make_unique<Tables>(users_, books_.size(), orders_.capacity());
  RiskCells& cells = tables_->cells;
  const std::uint32_t subject =
      command.of == LimitOf::account ? cells.make_account(command.account) : subject_of(command);
  const std::uint32_t place = command.header.instrument != 0 ? *books_.place_of(command.header.instrument) + 1 : 0;
  const bool is_new = cells.find(subject, place) == k_no_cell;
  const std::uint32_t at = cells.make(subject, place);
  set(cells[at], at, command);
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
    if (cell.windows != 0) tables_->cells.windows(cell).executions.clear();
    return;
  }
  const std::uint32_t mask = mask_of(command.kind);
  cell.limits[static_cast<std::size_t>(command.kind)] = command.value;
  cell.set = command.value != 0 ? cell.set | mask : cell.set & ~mask;
  const bool is_configured = (command.header.flags & k_by_configuration) != 0;
  cell.by_operator = is_configured ? cell.by_operator & ~mask : cell.by_operator | mask;
  if (command.kind == LimitKind::protection && command.value == 0) {
    cell.is_protection_due = false;
    std::erase(tables_->due, at);
  }
  if (command.kind == LimitKind::repeats && command.value == 0) cell.is_stopped = false;
  size_windows(cell);
  if (command.kind == LimitKind::duplicate_ms) find_longest_duplicate();
}

void RiskLimits::size_windows(RiskCell& cell) {
  if (!cell.needs_windows() && cell.windows == 0) return;
  RiskWindows& windows = tables_->cells.make_windows(cell);
  const auto resize = [&cell](RecentTimes& times, Kind kind) {
    const auto most = static_cast<std::size_t>(cell.limit(kind));
    if (times.most() != most) times.resize(most);
  };
  resize(windows.requests, Kind::rate);
  resize(windows.executions, Kind::repeats);
  resize(windows.protection, Kind::protection);
}

void RiskLimits::find_longest_duplicate() {
  std::int64_t longest = 0;
  for (std::uint32_t at = 0; at < tables_->cells.size(); ++at)
    longest = std::max(longest, tables_->cells[at].limit(Kind::duplicate_ms));
  tables_->longest_duplicate = std::chrono::milliseconds{longest};
}

/// All open orders once more, with the prices that they were admitted with. O(live orders).
void RiskLimits::recount() {
  Tables& tables = *tables_;
  for (std::uint32_t at = 0; at < tables.cells.size(); ++at) {
    RiskCell& cell = tables.cells[at];
    cell.open_orders = cell.buying = cell.selling = 0;
    cell.open_value = 0;
  }
  for (const book::Slot slot : orders_.live()) {
    const OrderExposure& before = tables.exposures[static_cast<std::size_t>(slot)];
    const std::uint32_t place = *books_.place_of(orders_[slot].instrument);
    OrderCells cells = tables.cells.cells_of(orders_[slot].owner, orders_.labels(slot).account, place + 1);
    static_cast<void>(make_position_cells(cells, place + 1));
    std::int64_t price = before.price;
    if (!before.is_counted) {
      const market::OrderTerms& terms = orders_.terms(slot);
      const bool is_stop = terms.limit.units == 0 && terms.type == market::OrderType::stop;
      price = value_price({.price = is_stop ? terms.stop : terms.limit}, place).units;
    }
    enter(slot, price, orders_[slot].leaves.lots, cells);
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
  LimitRow row{.kind = kind, .is_by_operator = (cell.by_operator & mask_of(kind)) != 0, .value = cell.limit(kind)};
  if (cell.subject < k_everybody) {
    row.of = LimitOf::user;
    row.user = static_cast<std::uint16_t>(cell.subject);
  } else if (cell.subject != k_everybody) {
    row.of = LimitOf::account;
    row.account = tables_->cells.accounts()[cell.subject - k_first_account].name;
  }
  if (cell.place != 0) row.instrument = books_.instrument(cell.place - 1).id;
  const auto within = [&](const RecentTimes& times, std::int64_t milliseconds) {
    const Duration window = std::chrono::milliseconds{milliseconds == 0 ? 1000 : milliseconds};
    return static_cast<std::int64_t>(times.within(now, window));
  };
  if (kind == Kind::open_orders) row.used = cell.open_orders;
  if (kind == Kind::open_value) row.used = whole_units(cell.open_value);
  if (kind == Kind::position && cell.place != 0)
    row.used = std::max(cell.position + cell.buying, cell.selling - cell.position);
  if (kind == Kind::rate) row.used = within(tables_->cells.windows(cell).requests, 0);
  if (kind == Kind::repeats) row.used = within(tables_->cells.windows(cell).executions, cell.limit(Kind::repeats_ms));
  if (kind == Kind::protection)
    row.used = within(tables_->cells.windows(cell).protection, cell.limit(Kind::protection_ms));
  return row;
}

std::vector<LimitRow> RiskLimits::rows(Time now) const {
  std::vector<LimitRow> rows;
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
      if (!stays_set(key.kind) || cell.has(key.kind) || (cell.by_operator & mask_of(key.kind)) == 0) continue;
      rows.push_back(row_of(cell, Kind::none, {}));
      rows.back().kind = key.kind;
    }
  return rows;
}

// ---- State ---------------------------------------------------------------------------------------------------------

void RiskLimits::add_to(book::Digest& digest) const {
  if (tables_ == nullptr) return;
  const Tables& tables = *tables_;
  for (std::uint32_t at = 0; at < tables.cells.size(); ++at) {
    const RiskCell& cell = tables.cells[at];
    digest.add(cell.subject);
    digest.add(cell.place);
    digest.add(cell.limits);
    digest.add(cell.open_orders);
    digest.add(cell.open_value);
    digest.add(cell.buying);
    digest.add(cell.selling);
    digest.add(cell.position);
    digest.add(std::uint8_t{cell.is_stopped});
    digest.add(std::uint8_t{cell.is_protection_due});
    if (!cell.needs_windows()) continue;
    const RiskWindows& windows = tables.cells.windows(cell);
    for (const RecentTimes* times : {&windows.requests, &windows.executions, &windows.protection})
      for (std::size_t back = 0; back < times->size(); ++back) digest.add(times->newest(back));
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
  for (std::size_t at = 0; at < tables.recent.size(); ++at) {
    out.add(tables.recent.entry(at).order);
    out.add(tables.recent.entry(at).time);
  }
  for (const book::Slot slot : orders_.live()) {
    const OrderExposure& exposure = tables.exposures[static_cast<std::size_t>(slot)];
    out.add(std::uint8_t{exposure.is_counted});
    out.add(exposure.is_counted ? exposure.price : std::int64_t{0});
  }
}

void RiskLimits::save_cells(StateWriter& out) const {
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
    const RiskWindows& windows = cells.windows(cell);
    for (const RecentTimes* times : {&windows.requests, &windows.executions, &windows.protection}) {
      out.add(std::uint64_t{times->size()});
      for (std::size_t back = times->size(); back > 0; --back) out.add(times->newest(back - 1));
    }
  }
}

bool RiskLimits::load_times(StateReader& in, RecentTimes& times) {
  std::uint64_t count = 0;
  if (!in.read_count(count, times.most(), sizeof(Time))) return false;
  for (std::uint64_t at = 0; at < count; ++at) {
    Time time;
    if (!in.read(time)) return false;
    times.note(time);
  }
  return true;
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
      if (value != 0) cell.set |= mask_of(key.kind);
    }
    if (cell.limits[0] != 0) return in.fail("limits in their ranges");
    if (cell.position > (std::int64_t{1} << 53) || cell.position < -(std::int64_t{1} << 53))
      return in.fail("a position of at most 2^53 lots");
    size_windows(cell);
    if (!cell.needs_windows()) continue;
    RiskWindows& windows = cells.windows(cell);
    if (!load_times(in, windows.requests) || !load_times(in, windows.executions) || !load_times(in, windows.protection))
      return false;
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
  find_longest_duplicate();
  if (!in.read_count(count, RiskCells::k_capacity, sizeof(RecentOrders::Entry))) return false;
  for (std::uint64_t at = 0; at < count; ++at) {
    OrderLikeness order;
    Time time;
    if (!in.read(order) || !in.read(time)) return false;
    tables.recent.note(order, time, Time::min());
  }
  for (const book::Slot slot : orders_.live()) {
    OrderExposure& exposure = tables.exposures[static_cast<std::size_t>(slot)];
    if (!in.read(exposure.is_counted) || !in.read(exposure.price)) return false;
  }
  recount();
  return true;
}

}  // namespace dojima::venue
