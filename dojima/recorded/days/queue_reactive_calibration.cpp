#include "dojima/recorded/days/queue_reactive_calibration.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "dojima/base/assert.hpp"

namespace dojima::recorded {
namespace {

using market::Side;

std::size_t index_of(Side side) {
  return side == Side::buy ? 0 : 1;
}

std::int64_t floor_of(std::int64_t price, std::int64_t tick) {
  return price >= 0 ? price / tick : -((-price + tick - 1) / tick);
}

std::uint64_t per_million_seconds(double count, double seconds) {
  return seconds > 0 ? static_cast<std::uint64_t>(std::min(count / seconds, 1e8) * 1e6 + 0.5) : 0;
}

}  // namespace

void OrderQuantity::take(std::span<const RecordedEvent> events, std::span<const RecordedInstrument> instruments) {
  for (std::size_t at = seen_.size(); at < instruments.size(); ++at)
    seen_.push_back({.symbol = instruments[at].symbol, .known_tick = instruments[at].tick});
  for (const RecordedEvent& event : events) {
    if (event.kind != EventKind::add || event.quantity <= 0 || event.price == k_unknown) continue;
    Seen& seen = seen_[event.instrument];
    ++seen.orders;
    seen.quantity += event.quantity;
    seen.step = std::gcd(seen.step, event.price);
  }
}

std::expected<std::uint32_t, std::string> OrderQuantity::instrument(const std::string& symbol) const {
  std::uint32_t busiest = 0;
  for (std::uint32_t at = 0; at < seen_.size(); ++at) {
    if (!symbol.empty() && seen_[at].symbol == symbol && seen_[at].orders > 0) return at;
    if (seen_[at].orders > seen_[busiest].orders) busiest = at;
  }
  if (!symbol.empty()) return std::unexpected("it has no orders of " + symbol);
  if (seen_.empty() || seen_[busiest].orders == 0)
    return std::unexpected(std::string("it has no orders, only price levels or trades"));
  return busiest;
}

std::int64_t OrderQuantity::mean(std::uint32_t instrument) const noexcept {
  const Seen& seen = seen_[instrument];
  const auto orders = static_cast<std::int64_t>(std::max<std::uint64_t>(seen.orders, 1));
  return std::max<std::int64_t>((seen.quantity + orders / 2) / orders, 1);
}

std::int64_t OrderQuantity::tick(std::uint32_t instrument) const noexcept {
  const Seen& seen = seen_[instrument];
  return std::max<std::int64_t>(seen.known_tick != 0 ? seen.known_tick : seen.step, 1);
}

QueueReactiveCalibration::QueueReactiveCalibration(QueueReactiveShape shape, std::uint32_t instrument,
                                                   std::int64_t tick, std::int64_t order_quantity)
    : made_{.distances = std::move(shape.distances), .lengths = shape.lengths},
      instrument_(instrument),
      tick_(tick),
      order_quantity_(order_quantity) {
  DOJIMA_ASSERT(tick > 0 && order_quantity > 0, "tick and quantity are above 0", tick, order_quantity);
  made_.rates.assign(made_.distances.size() * made_.lengths, {.limit = 1});
  if (const char* const trouble = flow::trouble_of(made_)) throw std::invalid_argument(trouble);
  cells_.resize(made_.rates.size());
  for (std::uint32_t distance = 1, at = 0; distance <= made_.levels(); ++distance) {
    if (distance > made_.distances[at]) ++at;
    class_of_.push_back(at);
  }
}

std::uint32_t QueueReactiveCalibration::length_of(std::int64_t quantity) const noexcept {
  const std::int64_t orders = (quantity + order_quantity_ - 1) / order_quantity_;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(orders, 0, made_.lengths - 1));
}

std::int64_t QueueReactiveCalibration::distance_of(Side side, std::int64_t price) const noexcept {
  const std::int64_t level = floor_of(price, tick_);
  const std::int64_t distance = side == Side::buy ? reference_ - level + 1 : level - reference_;
  return distance >= 1 && distance <= static_cast<std::int64_t>(class_of_.size()) ? distance : 0;
}

QueueReactiveCalibration::Cell& QueueReactiveCalibration::cell(std::int64_t distance, std::uint32_t length) noexcept {
  return cells_[std::size_t{class_of_[static_cast<std::size_t>(distance - 1)]} * made_.lengths + length];
}

void QueueReactiveCalibration::take(std::span<const RecordedEvent> events,
                                    std::span<const RecordedInstrument> instruments) {
  for (const RecordedEvent& event : events) {
    if (event.instrument != instrument_) continue;
    named_ = instruments[instrument_];
    const Time now = event.replay_time();
    if (now != k_unknown_time) {
      if (first_ == k_unknown_time) first_ = last_ = now;
      note_time(now);
    }
    if (event.kind == EventKind::window) {
      has_windows_ = true;
      std::vector<Shown>& side = coming_[index_of(event.side)];
      if (event.order == 0) side.clear();
      if (event.quantity > 0 && event.price != k_unknown) side.push_back({event.price, event.quantity});
    } else {
      if (has_reference_ && !event.has(k_snapshot)) note(event);
      books_.apply(event, instruments);
    }
    if (event.has(k_last)) look_at_book();
  }
}

void QueueReactiveCalibration::note_time(Time now) {
  if (has_reference_ && now > last_) {
    const double seconds = static_cast<double>((now - last_).count()) * 1e-9;
    for (std::size_t side = 0; side < 2; ++side) {
      for (std::size_t at = 0; at < lengths_[side].size(); ++at) {
        Cell& there = cell(static_cast<std::int64_t>(at) + 1, lengths_[side][at]);
        there.seconds += seconds;
        if (best_[side] == at + 1) there.best_seconds += seconds;
      }
    }
  }
  last_ = std::max(last_, now);
}

void QueueReactiveCalibration::note(const RecordedEvent& event) {
  const OrderMap::Order* const order = books_.order(event.order, event.instrument);
  const Side side = order != nullptr ? order->side : event.side;
  const std::int64_t price = order != nullptr ? order->price : event.price;
  std::int64_t quantity = event.quantity;
  const bool is_moved = event.kind == EventKind::replace || event.kind == EventKind::amend;
  if (event.kind == EventKind::amend && order == nullptr) return;
  if (order != nullptr && (event.kind == EventKind::remove || is_moved)) quantity = order->quantity;
  if (side == Side::none || price == k_unknown || quantity == k_unknown || quantity <= 0) return;
  const bool is_ours = event.kind == EventKind::add || event.kind == EventKind::reduce ||
                       event.kind == EventKind::remove || event.kind == EventKind::execute || is_moved;
  if (!is_ours) return;
  ++seen_;
  const auto orders = static_cast<double>(quantity) / static_cast<double>(order_quantity_);
  const auto count = [&](std::int64_t at, double Cell::* what, double units) {
    const std::int64_t distance = distance_of(side, at);
    const std::vector<std::uint32_t>& view = lengths_[index_of(side)];
    if (is_between_ && !view.empty() && floor_of(at, tick_) == middle_ && what == &Cell::limit) {
      // Whichever side the reference is on, this is the nearest price of the order's side.
      cell(1, 0).limit += units;
      ++within_;
      return;
    }
    if (distance == 0 || static_cast<std::size_t>(distance) > view.size()) return;
    cell(distance, view[static_cast<std::size_t>(distance - 1)]).*what += units;
    ++within_;
  };
  if (event.kind == EventKind::add) return count(price, &Cell::limit, orders);
  if (event.kind == EventKind::execute) return count(price, &Cell::execution, orders);
  const std::int64_t new_price = event.price != k_unknown ? event.price : price;
  const std::int64_t new_quantity = event.quantity != k_unknown ? event.quantity : quantity;
  // A change keeps its place when only the quantity fell.
  const bool is_smaller = event.kind == EventKind::amend && new_price == price && new_quantity <= quantity;
  const double kept = is_smaller ? orders * static_cast<double>(new_quantity) / static_cast<double>(quantity) : 0;
  if (orders > kept) count(price, &Cell::cancel, orders - kept);
  if (is_moved && !is_smaller && new_quantity > 0)
    count(new_price, &Cell::limit, static_cast<double>(new_quantity) / static_cast<double>(order_quantity_));
}

std::int64_t QueueReactiveCalibration::quantity_at(Side side, std::int64_t price) const {
  if (!has_windows_) return books_.of(instrument_).on(side).quantity_at(price);
  for (const Shown& level : shown_[index_of(side)])
    if (level.price == price) return level.quantity;
  return 0;
}

void QueueReactiveCalibration::note_move(std::int64_t doubled_mid) {
  if (!has_reference_ || doubled_mid == doubled_mid_) return;
  const int direction = doubled_mid > doubled_mid_ ? 1 : -1;
  if (is_between_ && came_ != 0) ++(direction == came_ ? went_on_ : turned_);
  came_ = direction;
}

void QueueReactiveCalibration::set_reference(std::int64_t bid, std::int64_t ask) {
  note_move(bid + ask);
  doubled_mid_ = bid + ask;
  const std::int64_t lower = bid + (ask - bid - 1) / 2;
  is_between_ = (ask - bid) % 2 == 0;
  middle_ = lower + 1;
  reference_ = has_reference_ && is_between_ && reference_ > lower ? lower + 1 : lower;
  if (!has_reference_) first_reference_ = reference_;
  has_reference_ = true;
}

void QueueReactiveCalibration::look_at_book() {
  std::int64_t best_price[2] = {}, last_shown[2] = {};
  bool is_there[2] = {};
  if (!has_windows_ && instrument_ >= books_.size()) return;
  for (const Side side : {Side::buy, Side::sell}) {
    const std::size_t at = index_of(side);
    if (has_windows_) {
      shown_[at] = coming_[at];
      is_there[at] = !shown_[at].empty();
      if (is_there[at]) best_price[at] = shown_[at].front().price, last_shown[at] = shown_[at].back().price;
    } else if (const auto best = books_.of(instrument_).on(side).best()) {
      is_there[at] = true;
      best_price[at] = best->price;
    }
    lengths_[at].clear();
    best_[at] = 0;
  }
  if (!is_there[0] || !is_there[1] || best_price[0] >= best_price[1]) return;
  const std::int64_t bid = floor_of(best_price[0], tick_), ask = floor_of(best_price[1], tick_);
  if (bid >= ask) return;
  set_reference(bid, ask);
  for (const Side side : {Side::buy, Side::sell}) {
    const std::size_t at = index_of(side);
    const auto levels = static_cast<std::int64_t>(class_of_.size());
    // Beyond the last level that is shown nothing is known.
    const std::int64_t far = has_windows_ ? distance_of(side, last_shown[at]) : levels;
    const std::int64_t in_view = far == 0 ? levels : far;
    best_[at] = static_cast<std::size_t>(distance_of(side, best_price[at]));
    for (std::int64_t distance = 1; distance <= in_view; ++distance) {
      const std::int64_t level = side == Side::buy ? reference_ - distance + 1 : reference_ + distance;
      lengths_[at].push_back(length_of(quantity_at(side, level * tick_)));
    }
  }
}

std::expected<QueueReactiveModel, std::string> QueueReactiveCalibration::model() const {
  if (!has_reference_) return std::unexpected(std::string("it never had both a bid and an ask"));
  if (last_ <= first_) return std::unexpected(std::string("all of it happens at one time"));
  if (within_ == 0) return std::unexpected(std::string("no order came within the distances of the model"));
  QueueReactiveModel model{.rates = made_};
  for (std::size_t at = 0; at < cells_.size(); ++at) {
    const Cell& cell = cells_[at];
    const bool is_empty = at % made_.lengths == 0;
    model.rates.rates[at] = {.limit = per_million_seconds(cell.limit, cell.seconds),
                             .cancel = is_empty ? 0 : per_million_seconds(cell.cancel, cell.seconds),
                             .execution = is_empty ? 0 : per_million_seconds(cell.execution, cell.best_seconds),
                             .occupancy = static_cast<std::uint64_t>(std::min(cell.seconds, 1e8) * 1e6 + 0.5)};
  }
  // A length that was never there goes on as the one below it, so that every queue changes.
  for (std::size_t at = 0; at < cells_.size(); ++at) {
    if (at % made_.lengths < 2) continue;
    flow::QueueRates& rates = model.rates.rates[at];
    const flow::QueueRates& below = model.rates.rates[at - 1];
    if (cells_[at].seconds <= 0) rates = {below.limit, below.cancel, below.execution, 0};
    if (cells_[at].best_seconds <= 0) rates.execution = below.execution;
  }
  if (const char* const trouble = flow::trouble_of(model.rates)) return std::unexpected(std::string(trouble));
  if (went_on_ + turned_ > 0)
    model.rates.follow =
        static_cast<std::uint32_t>((went_on_ * 1000 + (went_on_ + turned_) / 2) / (went_on_ + turned_));
  model.instrument = {.symbol = named_.symbol,
                      .price_decimals = named_.price_decimals,
                      .quantity_decimals = named_.quantity_decimals,
                      .tick = tick_,
                      .reference = first_reference_ * tick_};
  model.order_quantity = order_quantity_;
  model.start = first_;
  model.length = last_ - first_;
  return model;
}

}  // namespace dojima::recorded
