#include "dojima/recorded/books/depth_book.hpp"

#include <array>

#include "dojima/base/straight_line.hpp"

namespace dojima::recorded {

using market::Side;

namespace {

/// What the usual way has to know of a kind of event.
struct Usual {
  std::uint64_t is_of_order = 0;
  std::uint64_t add = 0;  // all bits: an order comes
  std::uint64_t all = 0;  // all bits: it goes whatever its quantity is
};
constexpr std::array<Usual, 256> k_usual = [] {
  constexpr std::uint64_t k_yes = ~std::uint64_t{0};
  std::array<Usual, 256> usual{};
  usual[static_cast<std::size_t>(EventKind::add)] = {1, k_yes, 0};
  usual[static_cast<std::size_t>(EventKind::reduce)] = {1, 0, 0};
  usual[static_cast<std::size_t>(EventKind::execute)] = {1, 0, 0};
  usual[static_cast<std::size_t>(EventKind::remove)] = {1, 0, k_yes};
  return usual;
}();

}  // namespace

void DepthBooks::add_book(std::span<const RecordedInstrument> instruments) {
  books_.push_back(std::make_unique<Depth>(instruments[books_.size()].tick));
}

void DepthBooks::apply(std::span<const RecordedEvent> events, std::span<const RecordedInstrument> instruments) {
  DOJIMA_CHECK_SLOW(misplaced_event(events, instruments) == events.size(),
                    "every event that a book takes is of a known kind, side and instrument",
                    misplaced_event(events, instruments), events.size(), instruments.size());
  while (books_.size() < instruments.size()) add_book(instruments);
  // What a few events on from here will need has time to come from memory meanwhile.
  constexpr std::size_t k_ahead = 8;
  const std::size_t fetched = events.size() > k_ahead ? events.size() - k_ahead : 0;
  for (std::size_t at = 0; at < fetched; ++at) {
    prefetch(events[at + k_ahead]);
    apply(events[at]);
  }
  for (const RecordedEvent& event : events.subspan(fetched)) apply(event);
}

bool DepthBooks::apply_usual_of_any_kind(const RecordedEvent& event) {
  // By reference: g++ 12 copies a whole one to the stack and waits for its own bytes to read it.
  const Usual& usual = k_usual[static_cast<std::size_t>(event.kind)];
  return usual.is_of_order != 0 && apply_usual_as(usual.add, usual.all, event, nullptr);
}

template <EventKind Kind>
bool DepthBooks::apply_usual_kind(const RecordedEvent& event, OrderStep& step) {
  constexpr Usual usual = k_usual[static_cast<std::size_t>(Kind)];
  static_assert(usual.is_of_order != 0);
  return apply_usual_as(usual.add, usual.all, event, &step);
}
template bool DepthBooks::apply_usual_kind<EventKind::add>(const RecordedEvent&, OrderStep&);
template bool DepthBooks::apply_usual_kind<EventKind::reduce>(const RecordedEvent&, OrderStep&);
template bool DepthBooks::apply_usual_kind<EventKind::execute>(const RecordedEvent&, OrderStep&);
template bool DepthBooks::apply_usual_kind<EventKind::remove>(const RecordedEvent&, OrderStep&);

/// Takes what nearly all events of order feeds are, without a branch on which it is, as no branch prediction could know
/// that: an order comes where nothing is in its way, or some or all of an order goes that is at home. False: something
/// else, and nothing was changed. `step`: null, or what was done.
/// Inlined by force, for callers that know the masks.
[[gnu::always_inline]] inline bool DepthBooks::apply_usual_as(std::uint64_t add, std::uint64_t ends,
                                                              const RecordedEvent& event, OrderStep* step) {
  OrderMap::Order* const home = orders_.home(event.order);
  const bool is_first = OrderMap::is_in(home[0], event.order, event.instrument);
  const bool is_second = OrderMap::is_in(home[1], event.order, event.instrument);
  const bool is_there = !all(!is_first, !is_second);
  const std::uint64_t is_first_taken = home[0].quantity != 0 ? 1 : 0;
  OrderMap::Order& order = home[either(add, is_first_taken, std::uint64_t{is_second})];
  const std::int64_t stood = order.quantity;
  const std::int64_t taken = either(ends, stood, event.quantity);
  const bool can_come = all(!is_there, stood == 0, home->passed == 0, event.quantity > 0, event.price != k_unknown,
                            event.side != Side::none, orders_.has_room());
  const bool can_go = all(is_there, taken >= 0, taken <= stood);
  if (either(add, std::uint64_t{can_come}, std::uint64_t{can_go}) == 0) [[unlikely]]
    return false;
  const std::int64_t left = either(add, event.quantity, stood - taken);
  const std::int64_t price = either(add, event.price, order.price);
  const auto side =
      static_cast<Side>(either(add, static_cast<std::uint64_t>(event.side), static_cast<std::uint64_t>(order.side)));
  order.id = event.order;
  order.price = price;
  order.quantity = left;
  order.instrument = event.instrument;
  order.side = side;
  const auto mark = static_cast<std::uint8_t>(order.mark & ~add);
  order.mark = mark;
  if (step != nullptr) {
    step->price = price;
    step->before = stood;
    step->after = left;
    step->side = side;
    step->mark = mark;
    step->order = &order;
  }
  orders_.count(static_cast<std::ptrdiff_t>(add & 1) - std::ptrdiff_t{left == 0});
  change(event.instrument, side, price, left - stood);
  ++counts_.events;
  ++counts_.changes;
  if (event.kind == EventKind::execute) note_trade(event, event.price != k_unknown ? event.price : price);
  return true;
}

void DepthBooks::apply_any(const RecordedEvent& event) {
  ++counts_.events;
  switch (event.kind) {
    case EventKind::add:
      return add_order(event.order, event, event.side);
    case EventKind::reduce:
    case EventKind::execute:
      return take(event);
    case EventKind::remove:
      if (OrderMap::Order* order = orders_.find(event.order, event.instrument)) return take_all(*order);
      ++counts_.unknown;
      return;
    case EventKind::amend:
      return amend(event);
    case EventKind::replace:
      return replace(event);
    case EventKind::level:
      return set_level(event);
    case EventKind::clear:
      return clear(event);
    case EventKind::trade:
    case EventKind::hidden_trade:
      return note_trade(event, event.price);
    default:
      return;
  }
}

void DepthBooks::add_order(std::uint64_t id, const RecordedEvent& event, Side side) {
  if (side == Side::none || event.price == k_unknown || event.quantity <= 0) {
    ++counts_.nonsense;
    return;
  }
  if (OrderMap::Order* known = orders_.find(id, event.instrument)) [[unlikely]] {
    ++counts_.duplicates;
    take_all(*known);
    --counts_.changes;
  }
  orders_.insert(
      {.id = id, .price = event.price, .quantity = event.quantity, .instrument = event.instrument, .side = side});
  change(event.instrument, side, event.price, event.quantity);
  ++counts_.changes;
}

void DepthBooks::take(const RecordedEvent& event) {
  OrderMap::Order* order = orders_.find(event.order, event.instrument);
  if (event.kind == EventKind::execute)
    note_trade(event, event.price != k_unknown || order == nullptr ? event.price : order->price);
  if (order == nullptr) {
    ++counts_.unknown;
    return;
  }
  if (event.quantity < 0) {
    ++counts_.nonsense;
    return;
  }
  if (event.quantity >= order->quantity) {
    if (event.quantity > order->quantity) ++counts_.too_much;
    return take_all(*order);
  }
  order->quantity -= event.quantity;
  change(order->instrument, order->side, order->price, -event.quantity);
  ++counts_.changes;
}

void DepthBooks::take_all(OrderMap::Order& order) {
  change(order.instrument, order.side, order.price, -order.quantity);
  orders_.erase(order);
  ++counts_.changes;
}

void DepthBooks::amend(const RecordedEvent& event) {
  OrderMap::Order* order = orders_.find(event.order, event.instrument);
  if (order == nullptr) {
    ++counts_.unknown;
    return;
  }
  const std::int64_t price = event.price != k_unknown ? event.price : order->price;
  const std::int64_t quantity = event.quantity != k_unknown ? event.quantity : order->quantity;
  if (quantity < 0) {
    ++counts_.nonsense;
    return;
  }
  if (quantity == 0) return take_all(*order);
  change(event.instrument, order->side, order->price, -order->quantity);
  change(event.instrument, order->side, price, quantity);
  order->price = price;
  order->quantity = quantity;
  ++counts_.changes;
}

void DepthBooks::replace(const RecordedEvent& event) {
  OrderMap::Order* order = orders_.find(event.order, event.instrument);
  Side side = event.side;
  if (order != nullptr) {
    if (side == Side::none) side = order->side;
    take_all(*order);
    --counts_.changes;
  } else {
    ++counts_.unknown;
    if (side == Side::none) return;
  }
  add_order(event.other, event, side);
}

void DepthBooks::set_level(const RecordedEvent& event) {
  if (event.side == Side::none || event.price == k_unknown || event.quantity < 0) {
    ++counts_.nonsense;
    return;
  }
  DepthSide& side = books_[event.instrument]->on(event.side);
  if (noted_ == nullptr) {
    side.set(event.price, event.quantity);
  } else {
    const std::int64_t before = side.exchange(event.price, event.quantity);
    note_change(*noted_, event.instrument, event.side, event.price, before, event.quantity, BookChange::Kind::level);
  }
  ++counts_.changes;
}

void DepthBooks::clear(const RecordedEvent& event) {
  for (const Side side : {Side::buy, Side::sell}) {
    if (event.side != Side::none && event.side != side) continue;
    DepthSide& levels = books_[event.instrument]->on(side);
    if (noted_ != nullptr)
      levels.each([&](const DepthLevel& level) {
        note_change(*noted_, event.instrument, side, level.price, level.quantity, 0);
        return true;
      });
    levels.clear();
  }
  ++counts_.changes;
  if (orders_.size() == 0) return;
  orders_.erase_if([&](const OrderMap::Order& order) {
    return order.instrument == event.instrument && (event.side == Side::none || event.side == order.side);
  });
}

void DepthBooks::note_trade(const RecordedEvent& event, std::int64_t price) {
  if (event.has(k_not_printable) || event.quantity <= 0) return;
  ++counts_.trades;
  counts_.traded += event.quantity;
  const DepthLevel trade{price == k_unknown ? 0 : price, event.quantity};
  books_[event.instrument]->last_trade = trade;
  if (noted_trades_ != nullptr)
    note_change(*noted_trades_, event.instrument, Side::none, trade.price, 0, trade.quantity, BookChange::Kind::trade);
}

std::uint64_t DepthBooks::digest() const {
  std::uint64_t digest = 14695981039346656037ULL;
  const auto mix = [&digest](std::uint64_t value) { digest = (digest ^ value) * 1099511628211ULL; };
  for (const auto& book : books_) {
    for (const DepthSide* side : {&book->bids, &book->asks}) {
      mix(side->level_count());
      side->each([&](const DepthLevel& level) {
        mix(static_cast<std::uint64_t>(level.price));
        mix(static_cast<std::uint64_t>(level.quantity));
        return true;
      });
    }
  }
  return digest;
}

}  // namespace dojima::recorded
