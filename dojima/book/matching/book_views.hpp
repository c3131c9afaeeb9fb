#pragma once

// BasicBook: what it looks like from outside, and whether it is sound. Included by matching.hpp only.

#include "dojima/book/digest.hpp"
#include "dojima/book/matching/basic_book.hpp"
#include "dojima/book/matching/terms.hpp"

namespace dojima::book {

template <SideQueue Queue>
std::optional<PriceLevel> BasicBook<Queue>::best_level(Side side) const {
  const Level level = lit(side).best();
  if (level == k_no_level) return std::nullopt;
  return PriceLevel{instrument_.ticks.price_of(level), lit(side).total()};
}

template <SideQueue Queue>
Quantity BasicBook<Queue>::displayed(Side side, Price price) const {
  const std::optional<Level> level = instrument_.ticks.level_of(price);
  if (!level || specials_ == 0) return level ? lit(side).total(*level) : Quantity{};
  Quantity sum;
  for (Slot slot = lit(side).front(*level); slot != k_no_slot; slot = lit(side).next(slot)) sum += displayed_of(slot);
  return sum;
}

template <SideQueue Queue>
std::uint64_t BasicBook<Queue>::digest() const {
  Digest digest;
  digest.add(instrument_.id);
  for (const Side side : {Side::buy, Side::sell}) {
    digest.add(side);
    each_resting(side, [&digest](const RestingOrder& order) {
      digest.add(order.id);
      digest.add(order.price);
      digest.add(order.leaves);
      digest.add(order.displayed);
      digest.add(order.place);
    });
  }
  return digest.value();
}

template <SideQueue Queue>
std::uint64_t BasicBook<Queue>::state_digest() const {
  Digest digest;
  digest.add(this->digest());
  digest.add(random_);
  digest.add(last_trade_.has_value() ? last_trade_->units : std::int64_t{0});
  digest.add(std::uint8_t{last_trade_.has_value()});
  digest.add(phase_);
  digest.add(std::uint8_t{is_collected_});
  for (const std::optional<Price>& price : {reference_, cross_price_, traded_low_, traded_high_}) {
    digest.add(price.value_or(Price{}));
    digest.add(std::uint8_t{price.has_value()});
  }
  for (Slot slot = waiting_.first(); slot != k_no_slot; slot = waiting_.next(slot)) digest.add(orders_.id(slot));
  for (const Side side : {Side::buy, Side::sell}) {
    digest.add(side);
    const auto add = [&digest](const RestingOrder& order) { digest.add(order.id); };
    each_of_queue(stops(side), add);
  }
  for (Slot slot = trailing_.first(); slot != k_no_slot; slot = trailing_.next(slot)) {
    digest.add(orders_.id(slot));
    digest.add(orders_.extra(slot).trigger);
  }
  for (const Side side : {Side::buy, Side::sell})
    for (Slot slot = dark(side).first(); slot != k_no_slot; slot = dark(side).next(slot))
      digest.add(orders_.extra(slot).entered);
  if (specials_ == 0) return digest.value();  // listing all orders of the partition takes long
  for (const Slot slot : orders_.live())
    if (orders_[slot].is_special() && orders_[slot].instrument == instrument_.id)
      digest.add(orders_.extra(slot).linked);
  return digest.value();
}

template <SideQueue Queue>
const char* BasicBook<Queue>::inconsistency(bool may_be_crossed) const {
  std::size_t specials = rules_.policy != Policy::fifo || rules_.self_trade != SelfTrade::allowed ? 1 : 0;
  if (phase_ != market::Phase::continuous) ++specials;
  for (const Side side : {Side::buy, Side::sell}) {
    if (const char* wrong = inconsistency_of(lit(side), side, Place::lit, limits_.levels, specials)) return wrong;
    if (const char* wrong = inconsistency_of(hidden(side), side, Place::hidden, limits_.hidden_levels, specials))
      return wrong;
    if (const char* wrong = inconsistency_of(stops(side), side, Place::stop, limits_.stop_levels, specials))
      return wrong;
    if (const char* wrong = inconsistency_of(dark(side), side, Place::dark, specials)) return wrong;
    if (const char* wrong = inconsistency_of(unlimited(side), side, Place::market, specials)) return wrong;
    if (const char* wrong = largest_ ? largest_->inconsistency(orders_, lit(side), side) : nullptr) return wrong;
    if (!is_collected_ && !unlimited(side).is_empty()) return "an order without a limit rests in the book";
  }
  if (const char* wrong = inconsistency_of(trailing_, Side::none, Place::trailing, specials)) return wrong;
  if (const char* wrong = inconsistency_of(waiting_, Side::none, Place::auction, specials)) return wrong;
  if (specials != (specials_ & ~k_forbidden)) return "the number of special orders is wrong";
  if ((bars_ & k_forbidden) == 0 && bars_now() != Bars{bars_, dark_ranks_})
    return "the bars of the fast path are wrong";
  const std::optional<Price> bid = best_in_levels(Side::buy), ask = best_in_levels(Side::sell);
  if (!may_be_crossed && !is_collected_ && bid && ask && *bid >= *ask) return "the book is crossed";
  return nullptr;
}

template <SideQueue Queue>
std::optional<Price> BasicBook<Queue>::worst_reached(Side aggressor, std::optional<Price> limit,
                                                     Quantity quantity) const {
  const Side side = market::opposite(aggressor);
  const Reach reach{aggressor, limit};
  Level shown = lit(side).best(), unshown = hidden(side).best();
  std::optional<Price> reached;
  while (quantity.lots > 0 && (shown != k_no_level || unshown != k_no_level)) {
    const bool is_shown_first = unshown == k_no_level || (shown != k_no_level && is_within(aggressor, shown, unshown));
    Level& level = is_shown_first ? shown : unshown;
    const Queue& queue = is_shown_first ? lit(side) : hidden(side);
    const Price price = instrument_.ticks.price_of(level);
    if (!reach.meets(price)) break;
    reached = price;
    quantity -= queue.total(level);
    level = queue.worse(level);
  }
  return reached;
}

template <SideQueue Queue>
const char* BasicBook<Queue>::inconsistency_of(const Queue& queue, Side side, Place place, std::size_t most,
                                               std::size_t& specials) const {
  if (const char* wrong = queue.inconsistency()) return wrong;
  std::size_t levels = 0;
  for (Level level = queue.best(); level != k_no_level; level = queue.worse(level), ++levels) {
    Quantity total;
    std::uint32_t count = 0;
    for (Slot slot = queue.front(level); slot != k_no_slot; slot = queue.next(slot), ++count) {
      if (const char* wrong = inconsistency_of(slot, side, place)) return wrong;
      if (queue.level_of(slot) != level) return "an order rests in another's level";
      total += orders_[slot].leaves;
      if (orders_[slot].is_special()) ++specials;
    }
    if (count == 0) return "a level without orders";
    if (queue.count(level) != count || queue.total(level) != total) return "a level's totals are wrong";
  }
  if (levels != queue.level_count()) return "the number of levels is wrong";
  return levels > most ? "more levels than there may be" : nullptr;
}

template <SideQueue Queue>
const char* BasicBook<Queue>::inconsistency_of(const EntryList& list, Side side, Place place,
                                               std::size_t& specials) const {
  if (const char* wrong = list.inconsistency()) return wrong;
  std::uint64_t entered = 0;
  for (Slot slot = list.first(); slot != k_no_slot; slot = list.next(slot)) {
    if (const char* wrong = inconsistency_of(slot, side, place)) return wrong;
    if (orders_.extra(slot).entered <= entered) return "waiting orders rest out of their order";
    entered = orders_.extra(slot).entered;
    ++specials;
  }
  return nullptr;
}

template <SideQueue Queue>
const char* BasicBook<Queue>::inconsistency_of(Slot slot, Side side, Place place) const {
  const Order& order = orders_[slot];
  if (!order.is_live() || !order.is_resting()) return "an ended order is in the book";
  if (order.place() != place || (side != Side::none && order.side != side)) return "an order rests elsewhere";
  if (order.leaves.lots <= 0) return "an order without leaves is in the book";
  if (order.is_compact() && (order.is_special() || order.quantity < order.leaves))
    return "a compact order is not plain";
  if (order.is_compact() && instrument_.ticks.price_of(lit(order.side).level_of(slot)) != order.limit)
    return "a compact order rests at another price";
  if (!order.is_special()) return place == Place::lit ? nullptr : "an order outside the lit levels is special";
  const OrderExtra& extra = orders_.extra(slot);
  if (extra.is_iceberg && place != Place::lit) return "an iceberg shows";
  if (extra.is_iceberg && (extra.displayed.lots <= 0 || extra.displayed > order.leaves))
    return "an iceberg shows some of what it has";
  if (place == Place::lit && !extra.is_iceberg && extra.linked.value == 0) return "a plain order is taken for special";
  if (extra.linked.value != 0) {
    const Slot other = orders_.find(extra.linked);
    if (other == k_no_slot || orders_.extra(other).linked != orders_.id(slot)) return "a link has one end";
  }
  return nullptr;
}

}  // namespace dojima::book
