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

[[nodiscard]] constexpr RiskValue magnitude(std::int64_t units) noexcept {
  return units < 0 ? -static_cast<RiskValue>(units) : RiskValue{units};
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

/// In place: the legs that it has no use for keep what they were.
[[gnu::always_inline]] inline void RiskLimits::fill_in(RiskRequest& request, const market::NewOrder& order) const {
  const market::OrderTerms& terms = order.terms;
  request.command = order.header.sequence;
  request.now = order.header.time;
  request.user = order.header.user;
  request.place = *books_.place_of(order.header.instrument);
  request.account = tables_->cells.account_of(request.user, order.labels.account);
  RiskLeg& leg = request.legs[0];
  leg.side = terms.side;
  leg.quantity = leg.leaves = terms.quantity;
  leg.price = limited_price(terms);
  leg.order = book::k_no_slot;
  request.count = 1;
  request.is_new_order = true;
  request.has_order = false;
}

RiskRequest RiskLimits::request_of(const market::NewOrder& order) const {
  RiskRequest request;
  fill_in(request, order);
  return request;
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
  Price limit = orders_.limit(slot);
  if (limit.units != 0) limit = replace.limit;
  if (limit.units == 0) {
    market::OrderTerms wanted = orders_.terms(slot);
    wanted.limit = limit;
    if (replace.stop.units >= 0) wanted.stop = replace.stop;
    limit = limited_price(wanted);
  }
  request.account = tables_->cells.account_of(
      request.user, replace.account.is_empty() ? orders_.labels(slot).account : replace.account);
  request.legs[0] = {.side = orders_[slot].side,
                     .quantity = replace.quantity,
                     .leaves = replace.quantity - orders_.executed(slot),
                     .price = limit,
                     .order = slot};
  request.count = 1;
  request.has_order = true;
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
    request.has_order = request.has_order || slot != book::k_no_slot;
  };
  add_leg(Side::buy, quote.bid, quote.bid_size, bid);
  add_leg(Side::sell, quote.ask, quote.ask_size, ask);
  return request;
}

// ---- Checks --------------------------------------------------------------------------------------------------------

Reason RiskLimits::refusal(const RiskRequest& request) const {
  return k_reasons[first_broken(request, tables_->profile_of(request))];
}

Reason RiskLimits::admit(const RiskRequest& request) {
  tables_->request = request;
  return admit_in_hand();
}

Reason RiskLimits::admit(const market::NewOrder& order) {
  fill_in(tables_->request, order);
  return admit_in_hand();
}

[[gnu::always_inline]] inline Reason RiskLimits::admit_in_hand() {
  Tables& tables = *tables_;
  const RiskRequest& request = tables.request;
  const RiskProfile* profile = &tables.profile_of(request);
  Check broken = first_broken(request, *profile);
  // One that the rate lets through counts, whatever else refuses it.
  if (broken > k_check_rate)
    for (std::uint8_t at = 0; at < profile->rated_count; ++at) note_request(*profile->rated[at], request.now);
  if (broken == k_check_passed && (profile->pairs[0].lacks_cell || profile->pairs[1].lacks_cell)) [[unlikely]] {
    OrderCells cells = profile->cells;
    if (!make_position_cells(cells, request.place + 1)) broken = k_check_full;
    profile = &tables.profile_of(request);
  }
  tables.profile = profile;
  for (std::uint8_t at = 0; at < request.count; ++at)
    if (request.legs[at].price.units == 0) tables.reference = reference_of(request.place, false).units;
  return k_reasons[broken];
}

[[gnu::always_inline]] inline void RiskLimits::note_request(RiskWindows& windows, Time now) {
  windows.requests.note(now);
  if (windows.requests.noted() >= windows.rate.look) [[unlikely]]
    windows.requests.plan(windows.rate, now, k_rate_second);
}

/// The first of the checks that any cell fails: each is held against all of them before the next one is.
[[gnu::always_inline]] inline Check RiskLimits::first_broken(const RiskRequest& request,
                                                             const RiskProfile& profile) const {
  if (profile.first != k_check_passed) [[unlikely]]
    return profile.first;
  for (std::uint8_t at = 0; at < profile.rated_count; ++at) {
    const RiskWindows& windows = *profile.rated[at];
    if (windows.requests.is_full(windows.rate, request.now, k_rate_second)) return k_check_rate;
  }
  for (std::uint8_t at = 0; at < request.count; ++at)
    if (request.legs[at].quantity.lots > profile.quantity) return k_check_quantity;
  if (profile.has_collar && is_beyond_collar(request, profile)) return k_check_collar;
  if (profile.wants(risk_bit(Kind::order_value) | risk_bit(Kind::open_value)))
    if (const Check broken = broken_by_value(request, profile); broken != k_check_passed) return broken;
  constexpr std::uint32_t k_counted =
      risk_bit(Kind::open_orders) | risk_bit(Kind::open_value) | risk_bit(Kind::position);
  if (profile.wants(k_counted))
    if (const Check broken = broken_by_counts(request, profile); broken != k_check_passed) return broken;
  if (request.is_new_order && profile.wants(risk_bit(Kind::duplicate_ms)))
    if (const Check broken = broken_by_duplicate(request, profile); broken != k_check_passed) return broken;
  const bool lacks_cell = profile.pairs[0].lacks_cell || profile.pairs[1].lacks_cell;
  if (lacks_cell && tables_->cells.is_full() && request.count != 0) [[unlikely]]
    return k_check_full;
  return k_check_passed;
}

[[gnu::always_inline]] inline bool RiskLimits::is_beyond_collar(const RiskRequest& request,
                                                                const RiskProfile& profile) const {
  for (std::uint8_t at = 0; at < request.count; ++at) {
    const Price price = request.legs[at].price;
    if (price.units == 0) continue;
    if (profile.from_last.is_there() &&
        is_beyond(profile.from_last, price, reference_of(request.place, false), request.place))
      return true;
    if (profile.from_reference.is_there() &&
        is_beyond(profile.from_reference, price, reference_of(request.place, true), request.place))
      return true;
  }
  return false;
}

[[gnu::always_inline]] inline bool RiskLimits::is_beyond(const RiskProfile::Collar& collar, Price price,
                                                         Price reference, std::uint32_t place) const {
  if (reference.units == 0) return false;
  constexpr int k_whole_bp = 10'000;
  const RiskValue distance = static_cast<RiskValue>(price.units) - reference.units;
  if (collar.bp != k_no_count_limit &&
      (distance < 0 ? -distance : distance) * k_whole_bp > magnitude(reference.units) * collar.bp)
    return true;
  if (collar.ticks == k_no_count_limit) return false;
  const market::TickTable& ticks = books_.instrument(place).ticks;
  const std::int64_t steps = ticks_below(ticks, price) - ticks_below(ticks, reference);
  return (steps < 0 ? -steps : steps) > collar.ticks;
}

[[gnu::always_inline]] inline Check RiskLimits::broken_by_value(const RiskRequest& request,
                                                                const RiskProfile& profile) const {
  bool is_broken = false;
  for (std::uint8_t at = 0; at < request.count; ++at) {
    const RiskLeg& leg = request.legs[at];
    const Price price = value_price(leg, request.place);
    if (price.units == 0) return k_check_no_price;
    is_broken = is_broken || magnitude(price.units) * leg.quantity.lots > profile.value;
  }
  return is_broken ? k_check_value : k_check_passed;
}

/// What the leg's order counts for in the cell already; null: nothing.
const OrderExposure* RiskLimits::held(const RiskLeg& leg, std::uint32_t cell) const noexcept {
  if (leg.order == book::k_no_slot || cell == k_no_cell) return nullptr;
  const OrderExposure& exposure = tables_->exposures[static_cast<std::size_t>(leg.order)];
  return exposure.is_counted && exposure.cells.has(cell) ? &exposure : nullptr;
}

/// What the request adds to what is counted in a cell. What makes a count smaller is never refused by it, and makes no
/// room for another leg: the legs follow each other.
[[gnu::always_inline]] inline RiskLimits::Growth RiskLimits::growth(const RiskRequest& request,
                                                                    std::uint32_t cell) const {
  Growth growth;
  for (std::uint8_t at = 0; at < request.count; ++at) {
    const RiskLeg& leg = request.legs[at];
    const OrderExposure* const old = request.has_order ? held(leg, cell) : nullptr;
    const RiskValue wanted = magnitude(value_price(leg, request.place).units) * leg.leaves.lots;
    const std::int64_t more = leg.leaves.lots - (old != nullptr ? old->leaves : 0);
    if (old == nullptr) ++growth.orders;
    growth.value += std::max<RiskValue>(0, wanted - (old != nullptr ? old->value() : 0));
    if (more > 0) (leg.side == Side::buy ? growth.buying : growth.selling) += more;
  }
  return growth;
}

/// With what is counted in the cells.
[[gnu::always_inline]] inline Check RiskLimits::broken_by_counts(const RiskRequest& request,
                                                                 const RiskProfile& profile) const {
  static constexpr RiskCell k_none{};
  bool has_orders = true, has_value = true, has_position = true;
  Growth more = growth(request, k_no_cell);
  for (std::size_t at = 0; at < profile.counted.size(); ++at) {
    const RiskCell* cell = profile.counted[at];
    if (cell == nullptr && (at % 2 == 0 || !profile.pairs[at / 2].lacks_cell)) continue;
    if (request.has_order) [[unlikely]]
      more = growth(request, profile.cells.at[at]);
    if (cell == nullptr) cell = &k_none;
    has_orders &= more.orders == 0 || cell->open_orders + more.orders <= cell->most_orders;
    has_value &= more.value <= 0 || cell->open_value + more.value <= cell->most_value;
    if (at % 2 == 0 || profile.pairs[at / 2].position == k_no_count_limit) continue;
    // The furthest that the position can come to is what it is with all that could still trade on one side.
    const std::int64_t most = profile.pairs[at / 2].position;
    has_position &= (more.buying <= 0 || RiskValue{cell->position} + cell->buying + more.buying <= most) &&
                    (more.selling <= 0 || -RiskValue{cell->position} + cell->selling + more.selling <= most);
  }
  if (has_orders && has_value && has_position) [[likely]]
    return k_check_passed;
  return !has_orders ? k_check_open_orders : !has_value ? k_check_open_value : k_check_position;
}

[[gnu::always_inline]] inline Check RiskLimits::broken_by_duplicate(const RiskRequest& request,
                                                                    const RiskProfile& profile) const {
  const Tables& tables = *tables_;
  if (tables.recent.has_like(terms_of(request), profile.subjects, profile.cells, profile.alike, request.now))
    return k_check_duplicate;
  const bool has_room = tables.recent.has_room(OrderCells::k_most, request.now - tables.longest_duplicate);
  return has_room ? k_check_passed : k_check_full;
}

/// The last trade, else the instrument's reference; 0: neither is there.
Price RiskLimits::reference_of(std::uint32_t place, bool is_static) const {
  const auto last = is_static ? std::nullopt : books_[place].last_trade();
  return last ? *last : books_.instrument(place).reference;
}

Price RiskLimits::value_price(const RiskLeg& leg, std::uint32_t place) const {
  return leg.price.units != 0 ? leg.price : reference_of(place, false);
}

}  // namespace dojima::venue
