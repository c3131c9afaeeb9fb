#include "dojima/recorded/days/queue_reactive_day.hpp"

#include <stdexcept>
#include <utility>

#include "dojima/base/assert.hpp"

namespace dojima::recorded {
namespace {

using flow::QueueReactiveChange;
using market::Side;

const QueueReactiveModel& checked_model(const QueueReactiveModel& model) {
  const GeneratedInstrument& instrument = model.instrument;
  const std::int64_t room = std::int64_t{model.rates.levels()} * instrument.tick;
  if (instrument.tick < 1 || instrument.reference % instrument.tick != 0 || instrument.reference <= room)
    throw std::invalid_argument("the reference price is on the tick, and further from 0 than orders are from it");
  if (model.order_quantity < 1) throw std::invalid_argument("an order has a quantity");
  if (model.length <= time::Duration{}) throw std::invalid_argument("a day has a length");
  return model;
}

}  // namespace

QueueReactiveDay::QueueReactiveDay(QueueReactiveDayConfig config)
    : config_(std::move(config)),
      market_(checked_model(config_.model).rates, config_.model.instrument.reference / config_.model.instrument.tick,
              config_.seed),
      now_(config_.model.start) {
  const GeneratedInstrument& instrument = config_.model.instrument;
  instruments_.push_back({.symbol = instrument.symbol,
                          .number = 1,
                          .price_decimals = instrument.price_decimals,
                          .quantity_decimals = instrument.quantity_decimals,
                          .tick = instrument.tick});
}

std::vector<TypeCount> QueueReactiveDay::type_counts() const {
  return {{"change", changes_}, {"trade", trades_}};
}

RecordedEvent& QueueReactiveDay::add_event(EventKind kind, Side side, std::int64_t level, EventBatch& batch) {
  RecordedEvent& event = batch.add();
  event.event_time = now_;
  event.sequence = written_;
  event.kind = kind;
  event.side = side;
  event.price = level * config_.model.instrument.tick;
  event.quantity = config_.model.order_quantity;
  return event;
}

void QueueReactiveDay::add_book(EventBatch& batch) {
  ++written_;
  for (const Side side : {Side::buy, Side::sell}) {
    const std::int64_t step = side == Side::buy ? -1 : 1;
    std::int64_t level = side == Side::buy ? market_.reference() : market_.reference() + 1;
    for (std::uint32_t at = 0; at < config_.model.rates.levels(); ++at, level += step) {
      for (std::uint32_t left = market_.length(side, level); left > 0; --left) {
        write({QueueReactiveChange::Kind::added, side, level, 0}, batch);
        batch.back().flags |= k_snapshot;
      }
    }
  }
  if (!batch.is_empty()) batch.back().flags |= k_last;
}

void QueueReactiveDay::write(const QueueReactiveChange& change, EventBatch& batch) {
  std::map<std::int64_t, Queue>& side = queues_[change.side == Side::buy ? 0 : 1];
  Queue& queue = side[change.level];
  if (change.kind == QueueReactiveChange::Kind::added) {
    queue.push_back(++numbers_);
    add_event(EventKind::add, change.side, change.level, batch).order = numbers_;
    return;
  }
  DOJIMA_ASSERT(change.place < queue.size(), "the order is in its queue", change.place, queue.size(), change.level);
  const bool is_execution = change.kind == QueueReactiveChange::Kind::executed;
  RecordedEvent& event =
      add_event(is_execution ? EventKind::execute : EventKind::remove, change.side, change.level, batch);
  event.order = queue[change.place];
  if (is_execution) event.other = ++trades_;
  queue.erase(queue.begin() + change.place);
  if (queue.empty()) side.erase(change.level);
}

void QueueReactiveDay::decode(EventBatch& batch) {
  if (!has_begun_) {
    has_begun_ = true;
    add_book(batch);
  }
  while (!is_over_ && !batch.is_full()) {
    const Time due = now_ + time::Duration{market_.next()};
    if (due >= config_.model.start + config_.model.length || (config_.events != 0 && changes_ == config_.events)) {
      is_over_ = true;
      return;
    }
    if (market_.furthest(Side::buy) < 1) return fail({.text = "the generated price came down to nothing"});
    now_ = due;
    ++changes_;
    ++written_;
    for (const QueueReactiveChange& change : market_.changes()) write(change, batch);
    batch.back().flags |= k_last;
  }
}

}  // namespace dojima::recorded
