#include "dojima/venue/risk/risk_limits.hpp"

#include <algorithm>
#include <array>
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

/// What an order's price is for a limit: its limit, else its stop price, else 0.
[[nodiscard]] Price limited_price(const market::OrderTerms& terms) noexcept {
  if (terms.limit.units != 0) return terms.limit;
  return terms.type == market::OrderType::stop ? terms.stop : Price{};
}

}  // namespace

RiskLimits::RiskLimits(std::size_t users, const InstrumentBooks& books, const book::OrderTable& orders)
    : users_(users), books_(books), orders_(orders) {}

RiskLimits::~RiskLimits() = default;

RiskLimits::Use RiskLimits::use() const noexcept {
  return is_on() ? Use{.cells = tables_->cells.size(), .recent = tables_->recent.size()} : Use{};
}

// ---- Requests ------------------------------------------------------------------------------------------------------

/// In place: the legs that it has no use for keep what they were.
[[gnu::always_inline]] inline void RiskLimits::fill_in(RiskRequest& request, const market::NewOrder& order,
                                                       std::uint32_t place, std::uint32_t account) const {
  const market::OrderTerms& terms = order.terms;
  request.command = order.header.sequence;
  request.now = order.header.time;
  request.user = order.header.user;
  request.place = place;
  request.account = account;
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
  fill_in(request, order, *books_.place_of(order.header.instrument),
          tables_->cells.account_of(order.header.user, order.labels.account));
  return request;
}

RiskRequest RiskLimits::request_of(const market::Replace& replace) const {
  RiskRequest request;
  fill_in(request, replace);
  return request;
}

void RiskLimits::fill_in(RiskRequest& request, const market::Replace& replace) const {
  request.command = replace.header.sequence;
  request.now = replace.header.time;
  request.user = replace.header.user;
  request.place = *books_.place_of(replace.header.instrument);
  request.account = k_everybody;
  request.count = 0;
  request.is_new_order = request.has_order = false;
  const book::Slot slot = orders_.find(replace.order);
  if (slot == book::k_no_slot || orders_[slot].owner != request.user ||
      orders_[slot].instrument != replace.header.instrument)
    return;  // it is refused by its book
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

/// What nearly every order is: one with a price, that is far from all that is limited. Anything else is held against
/// one limit after the other.
[[gnu::always_inline]] inline bool RiskLimits::is_far_from_limits(const RiskLeg& leg, std::uint32_t place,
                                                                  const RiskProfile& profile) const {
  const std::int64_t price = leg.price.units, lots = leg.quantity.lots;
  return price != 0 && tables_->near_rates == 0 &&
         static_cast<std::uint64_t>(lots) - 1 < static_cast<std::uint64_t>(profile.quantity) &&
         profile.near.has(last_of(place).units, price) && value_of(price, lots) <= profile.value &&
         profile.lease.term == tables_->profiles.term() &&
         profile.lease.left.has(value_of(price, leg.leaves.lots), side_at(leg.side), leg.leaves.lots);
}

Reason RiskLimits::admit(const market::Replace& replace) {
  Tables& tables = *tables_;
  RiskRequest& request = tables.request;
  fill_in(request, replace);
  RiskProfile& profile = tables.profile_of(request);
  const RiskLeg& leg = request.legs[0];
  if (request.count == 0 || !is_far_from_limits(leg, request.place, profile)) [[unlikely]]
    return admit_in_hand();
  DOJIMA_CHECK_SLOW(first_broken(request, profile) == k_check_passed, "what a lease covers breaks no limit", leg.price,
                    leg.quantity, request.place, request.user);
  tables.profile = &profile;
  note_request(profile, request.now);
  profile.lease.left.take(value_of(leg.price.units, leg.leaves.lots), side_at(leg.side), leg.leaves.lots);
  return Reason::none;
}

Reason RiskLimits::admit(const market::NewOrder& order, std::uint32_t place) {
  Tables& tables = *tables_;
  const std::uint32_t account = tables.cells.account_of(order.header.user, order.labels.account);
  RiskProfile& profile = tables.profiles.find(tables.cells, order.header.user, account, place + 1);
  const RiskLeg wanted{.side = order.terms.side,
                       .quantity = order.terms.quantity,
                       .leaves = order.terms.quantity,
                       .price = limited_price(order.terms)};
  if (!is_far_from_limits(wanted, place, profile)) [[unlikely]]
    return admit_looking(order, place, account);
  DOJIMA_CHECK_SLOW(profile.first == k_check_passed && !profile.lacks_cells, "such a profile gets no lease", place,
                    account, order.header.user);
  DOJIMA_CHECK_SLOW(first_broken(request_of(order), profile) >= k_check_duplicate,
                    "what a lease covers breaks no limit", wanted.price, wanted.quantity, place, order.header.user);
  RiskRequest& request = tables.request;
  request.command = order.header.sequence;
  request.now = order.header.time;
  request.place = place;
  RiskLeg& leg = request.legs[0];
  leg.side = wanted.side;
  leg.quantity = wanted.quantity;
  leg.price = wanted.price;
  leg.order = book::k_no_slot;
  request.count = 1;
  request.is_new_order = true;
  tables.profile = &profile;
  note_request(profile, order.header.time);
  if (profile.looking_count != 0)
    if (const Check broken = broken_by_duplicate(request, profile); broken != k_check_passed) [[unlikely]]
      return k_reasons[broken];
  const std::int64_t lots = wanted.quantity.lots;
  profile.lease.left.take(value_of(wanted.price.units, lots), side_at(wanted.side), lots);
  return Reason::none;
}

[[gnu::noinline]] Reason RiskLimits::admit_looking(const market::NewOrder& order, std::uint32_t place,
                                                   std::uint32_t account) {
  fill_in(tables_->request, order, place, account);
  return admit_in_hand();
}

[[gnu::noinline]] Reason RiskLimits::admit_in_hand() {
  Tables& tables = *tables_;
  const RiskRequest& request = tables.request;
  RiskProfile* profile = &tables.profile_of(request);
  Check broken = first_broken(request, *profile);
  // One that the rate lets through counts, whatever else refuses it.
  if (broken > k_check_rate) note_request(*profile, request.now);
  if (profile->lacks_cells && broken == k_check_passed) [[unlikely]] {
    OrderCells cells = profile->cells;
    if (!make_position_cells(cells, request.place + 1)) broken = k_check_full;
    profile = &tables.profile_of(request);
  }
  tables.profile = profile;
  for (std::uint8_t at = 0; at < request.count; ++at)
    if (request.legs[at].price.units == 0) [[unlikely]]
      tables.reference = last_of(request.place).units;
  if (broken == k_check_passed) take(*profile);
  return k_reasons[broken];
}

[[gnu::always_inline]] inline void RiskLimits::note_request(const RiskProfile& profile, Time now) {
  if (!profile.is_rated) return;
  for (RiskCell* const cell : profile.counted)
    if (cell->requests.note(now)) [[unlikely]]
      look_at_requests(*cell, now);
}

/// As many as are too many may have come, or their memory has come to its end.
[[gnu::noinline]] void RiskLimits::look_at_requests(RiskCell& cell, Time now) {
  Tables& tables = *tables_;
  if (cell.windows == nullptr) {
    cell.requests = tables.cells.unread();
    return;
  }
  RiskWindows& windows = *cell.windows;
  if (!windows.requests.go_on()) return;
  windows.requests.plan(windows.rate, now, k_rate_second);
  tables.near_rates += windows.look_at_requests();
}

/// The first of the checks that any cell fails: each is held against all of them before the next one is.
Check RiskLimits::first_broken(const RiskRequest& request, RiskProfile& profile) const {
  const std::uint8_t count = request.count;
  if (profile.first != k_check_passed) [[unlikely]]
    return profile.first;
  if (tables_->near_rates != 0) [[unlikely]]
    for (const RiskWindows* rated : profile.rated)
      if (rated != nullptr && rated->requests.is_full(rated->rate, request.now, k_rate_second)) return k_check_rate;
  if (count == 0) return k_check_passed;  // its book refuses it
  for (std::uint8_t at = 0; at < count; ++at)
    if (request.legs[at].quantity.lots > profile.quantity) return k_check_quantity;
  const std::int64_t last = last_of(request.place).units;
  if (profile.has_collar)
    for (std::uint8_t at = 0; at < count; ++at) {
      const Price price = request.legs[at].price;
      if (!profile.near.has(last, price.units)) [[unlikely]] {
        if (is_beyond_collar(price, {last}, request.place, profile)) return k_check_collar;
        profile.near = near_of(profile, {last}, request.place);
      } else {
        DOJIMA_CHECK_SLOW(!is_beyond_collar(price, {last}, request.place, profile), "near prices are within collars",
                          price, last, profile.near.price_from, profile.near.price_to);
      }
    }
  if (profile.wants(risk_bit(Kind::order_value) | risk_bit(Kind::open_value)))
    if (const Check broken = broken_by_value(request, count, last, profile); broken != k_check_passed) return broken;
  constexpr std::uint32_t k_counted =
      risk_bit(Kind::open_orders) | risk_bit(Kind::open_value) | risk_bit(Kind::position);
  if (profile.wants(k_counted)) {
    const bool is_set_aside = is_covered(request, last, profile);
    if (!is_set_aside) tables_->profiles.settle();
    const bool has_room =
        is_set_aside || (request.is_new_order && !profile.lacks_cells && has_room_for(request.legs[0], last, profile));
    if (!has_room)
      if (const Check broken = broken_by_counts(request, last, profile); broken != k_check_passed) return broken;
  }
  if (request.is_new_order && profile.wants(risk_bit(Kind::duplicate_ms)))
    if (const Check broken = broken_by_duplicate(request, profile); broken != k_check_passed) return broken;
  if (profile.lacks_cells && tables_->cells.is_full()) [[unlikely]]
    return k_check_full;
  return k_check_passed;
}

/// `last`: the price of a leg that has none.
Check RiskLimits::broken_by_value(const RiskRequest& request, std::uint8_t count, std::int64_t last,
                                  const RiskProfile& profile) const {
  bool is_broken = false;
  for (std::uint8_t at = 0; at < count; ++at) {
    const RiskLeg& leg = request.legs[at];
    const std::int64_t price = leg.price.units != 0 ? leg.price.units : last;
    if (price == 0) return k_check_no_price;
    is_broken = is_broken || magnitude(price) * leg.quantity.lots > profile.value;
  }
  return is_broken ? k_check_value : k_check_passed;
}

/// Whether a new order surely keeps what is counted in all cells within its limits: what is left of each of them once
/// it has entered is not below 0. Else it is to be looked at.
bool RiskLimits::has_room_for(const RiskLeg& leg, std::int64_t last, const RiskProfile& profile) noexcept {
  const std::int64_t price = leg.price.units != 0 ? leg.price.units : last;
  const std::uint64_t lots = static_cast<std::uint64_t>(leg.leaves.lots);
  const RiskValue value = magnitude(price) * leg.leaves.lots;
  const std::size_t side = side_at(leg.side);
  std::uint64_t left = lots;  // or-ed: below 0 where one of them is
  for (std::size_t at = 0; at < profile.counted.size(); ++at) {
    const RiskCell& cell = *profile.counted[at];
    left |= static_cast<std::uint64_t>(cell.most_orders - cell.open_orders - 1);
    left |= static_cast<std::uint64_t>((cell.most_value - cell.open_value - value) >> 64);
    if (at % 2 == 0) continue;
    // The furthest that the position can come to is what it is with all that could still trade on one side.
    const auto open = static_cast<std::uint64_t>(cell.open_lots[side]);
    const auto position = static_cast<std::uint64_t>(side == 0 ? cell.position : -cell.position);
    left |= static_cast<std::uint64_t>(profile.pairs[at / 2].position) - position - open - lots;
  }
  return static_cast<std::int64_t>(left) >= 0;
}

/// What the leg's order counts for in the cell already; null: nothing.
const OrderExposure* RiskLimits::held(const RiskLeg& leg, std::uint32_t cell) const noexcept {
  if (leg.order == book::k_no_slot || cell == k_no_cell) return nullptr;
  const OrderExposure& exposure = tables_->exposures[static_cast<std::size_t>(leg.order)];
  return exposure.is_counted() && exposure.cells.has(cell) ? &exposure : nullptr;
}

/// What the request adds to what is counted in a cell. What makes a count smaller is never refused by it, and makes no
/// room for another leg: the legs follow each other.
[[gnu::always_inline]] inline RiskLimits::Growth RiskLimits::growth(const RiskRequest& request, std::uint32_t cell,
                                                                    std::int64_t last) const {
  Growth growth;
  for (std::uint8_t at = 0; at < request.count; ++at) {
    const RiskLeg& leg = request.legs[at];
    const OrderExposure* const old = request.has_order ? held(leg, cell) : nullptr;
    const RiskValue wanted = magnitude(leg.price.units != 0 ? leg.price.units : last) * leg.leaves.lots;
    const std::int64_t more = leg.leaves.lots - (old != nullptr ? old->leaves : 0);
    if (old == nullptr) ++growth.orders;
    growth.value += std::max<RiskValue>(0, wanted - (old != nullptr ? old->value() : 0));
    if (more > 0) (leg.side == Side::buy ? growth.buying : growth.selling) += more;
  }
  return growth;
}

/// With what is counted in the cells.
Check RiskLimits::broken_by_counts(const RiskRequest& request, std::int64_t last, const RiskProfile& profile) const {
  bool has_orders = true, has_value = true, has_position = true;
  Growth more = growth(request, k_no_cell, last);
  for (std::size_t at = 0; at < profile.counted.size(); ++at) {
    if (profile.cells.at[at] == k_no_cell && (at % 2 == 0 || !profile.pairs[at / 2].lacks_cell)) continue;
    if (request.has_order) [[unlikely]]
      more = growth(request, profile.cells.at[at], last);
    // A cell that is still to be made has counted nothing.
    static constexpr RiskCell k_none{};
    const RiskCell& cell = profile.cells.at[at] != k_no_cell ? *profile.counted[at] : k_none;
    has_orders &= more.orders == 0 || cell.open_orders + more.orders <= cell.most_orders;
    has_value &= more.value <= 0 || cell.open_value + more.value <= cell.most_value;
    if (at % 2 == 0 || profile.pairs[at / 2].position == k_no_position_limit) continue;
    const std::int64_t most = profile.pairs[at / 2].position;
    has_position &= (more.buying <= 0 || RiskValue{cell.position} + cell.buying() + more.buying <= most) &&
                    (more.selling <= 0 || -RiskValue{cell.position} + cell.selling() + more.selling <= most);
  }
  if (has_orders && has_value && has_position) [[likely]]
    return k_check_passed;
  return !has_orders ? k_check_open_orders : !has_value ? k_check_open_value : k_check_position;
}

/// Where orders like it are linked is noted for when the book has taken it.
[[gnu::always_inline]] inline Check RiskLimits::broken_by_duplicate(const RiskRequest& request,
                                                                    const RiskProfile& profile) const {
  Tables& tables = *tables_;
  tables.heads = RecentOrders::heads_of(terms_of(request), profile.salts);
  if (tables.recent.may_have_like(tables.heads) && is_duplicate(request, profile)) [[unlikely]]
    return k_check_duplicate;
  const bool has_room = tables.recent.has_room(OrderCells::k_most, request.now - tables.longest_duplicate);
  return has_room ? k_check_passed : k_check_full;
}

[[gnu::noinline]] bool RiskLimits::is_duplicate(const RiskRequest& request, const RiskProfile& profile) const {
  const Tables& tables = *tables_;
  return tables.recent.has_like(terms_of(request), tables.heads, profile.cells, profile.alike, request.now);
}

Price RiskLimits::value_price(const RiskLeg& leg, std::uint32_t place) const {
  return leg.price.units != 0 ? leg.price : last_of(place);
}

}  // namespace dojima::venue
