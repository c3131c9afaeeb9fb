#include "dojima/queueing/fills/touch_follower.hpp"

#include <algorithm>

namespace dojima::queueing {

using market::Side;
using recorded::EventKind;
using recorded::k_unknown;
using recorded::RecordedEvent;

QueueChange TouchFollower::apply(const RecordedEvent& event,
                                 std::span<const recorded::RecordedInstrument> instruments) {
  if (event.kind == EventKind::window) {
    note_window(event);
    return {};
  }
  const QueueChange change = change_of(event);
  books_.apply(event, instruments);
  return change;
}

Touch TouchFollower::touch() const noexcept {
  if (shown_levels_ > 0) return shown_;
  if (depth() == nullptr) return {};
  const auto bid = depth()->bids.best(), ask = depth()->asks.best();
  Touch touch;
  if (bid) touch.bid = bid->price, touch.bid_quantity = bid->quantity;
  if (ask) touch.ask = ask->price, touch.ask_quantity = ask->quantity;
  return touch;
}

void TouchFollower::note_window(const RecordedEvent& event) noexcept {
  shown_levels_ = std::max<std::size_t>(shown_levels_, event.order + 1);
  if (event.order != 0) return;
  const std::int64_t quantity = event.price == k_unknown ? 0 : event.quantity;
  (event.side == Side::buy ? shown_.bid : shown_.ask) = quantity == 0 ? 0 : event.price;
  (event.side == Side::buy ? shown_.bid_quantity : shown_.ask_quantity) = quantity;
}

QueueChange TouchFollower::gone(const RecordedEvent& event, std::int64_t quantity) {
  QueueChange change{.kind = QueueChange::Kind::cancelled, .side = event.side, .price = event.price};
  const recorded::OrderMap::Order* const order = books_.order(event.order, event.instrument);
  if (order != nullptr) {
    change.side = order->side;
    change.price = order->price;
  }
  change.quantity = order != nullptr && (quantity == k_unknown || quantity > order->quantity)
                        ? order->quantity
                        : std::max<std::int64_t>(quantity, 0);
  if (change.side == Side::none || change.price == k_unknown) return {};
  const auto entry = entry_of_.find(event.order);
  if (entry != entry_of_.end()) change.entry = entry->second;
  const bool is_over = event.kind == EventKind::remove || order == nullptr || change.quantity >= order->quantity;
  if (is_over && entry != entry_of_.end()) entry_of_.erase(entry);
  return change;
}

QueueChange TouchFollower::change_of(const RecordedEvent& event) {
  const recorded::OrderMap::Order* const order = books_.order(event.order, event.instrument);
  switch (event.kind) {
    case EventKind::add:
      entry_of_[event.order] = ++entries_;
      return {QueueChange::Kind::entered, event.side, event.price, event.quantity, entries_, false};
    case EventKind::reduce:
      return gone(event, event.quantity);
    case EventKind::remove:
      return gone(event, order != nullptr ? order->quantity : event.quantity);
    case EventKind::execute: {
      QueueChange change = gone(event, event.quantity);
      if (change.kind != QueueChange::Kind::none) change.kind = QueueChange::Kind::executed;
      return change;
    }
    case EventKind::fill: {
      const auto entry = entry_of_.find(event.order);
      const std::int64_t price = order != nullptr ? order->price : event.price;
      if (event.side == Side::none || price == k_unknown) return {};
      return {QueueChange::Kind::executed, event.side, price, 0, entry != entry_of_.end() ? entry->second : 0, false};
    }
    case EventKind::amend: {
      const bool has_price = event.price != k_unknown && order != nullptr && event.price != order->price;
      if (order == nullptr) return {};
      if (!has_price && event.quantity != k_unknown && event.quantity <= order->quantity)
        return gone(event, order->quantity - event.quantity);
      if (!has_price && event.quantity == k_unknown) return {};
      QueueChange change = gone(event, order->quantity);
      entry_of_[event.order] = ++entries_;
      change.is_entered_too = true;
      return change;
    }
    case EventKind::replace: {
      if (order == nullptr && event.side == Side::none) return {};
      QueueChange change = gone(event, order != nullptr ? order->quantity : 0);
      entry_of_[event.other] = ++entries_;
      change.is_entered_too = true;
      return change;
    }
    case EventKind::hidden_trade:
      if (event.side == Side::none) return {};
      return {QueueChange::Kind::hidden_execution,
              event.side == Side::buy ? Side::sell : Side::buy,
              event.price,
              event.quantity,
              0,
              false};
    default:
      return {};
  }
}

}  // namespace dojima::queueing
