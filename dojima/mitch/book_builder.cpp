#include "dojima/mitch/book_builder.hpp"

#include <algorithm>
#include <limits>

#include "dojima/base/assert.hpp"

namespace dojima::mitch {
namespace {

using detail::k_no_slot;
using detail::Ladder;
using detail::LevelNode;
using detail::Node;
using market::Price;
using market::Side;

/// Before every price.
constexpr std::int64_t k_market_rank = std::numeric_limits<std::int64_t>::max();

[[nodiscard]] std::size_t number_of(Side side) noexcept {
  return side == Side::buy ? 0 : 1;
}

/// A price on the wire has a magnitude, so its negative is a number as well.
[[nodiscard]] std::int64_t rank_of(Side side, Price price) noexcept {
  return side == Side::buy ? price.units : -price.units;
}

[[nodiscard]] std::int64_t rank_of(const DisplayedOrder& order) noexcept {
  return order.is_market ? k_market_rank : rank_of(order.side, order.price);
}

/// The largest magnitude ranks with orders that have no limit.
[[nodiscard]] bool is_ranked(Price price) noexcept {
  return price.units < k_market_rank && price.units > -k_market_rank;
}

[[nodiscard]] Side side_of(char side) noexcept {
  return side == 'B' ? Side::buy : Side::sell;
}

[[nodiscard]] SubBook sub_book_of(std::uint8_t flags) noexcept {
  if ((flags & k_firm_quote) != 0) return SubBook::firm_quotes;
  return (flags & k_private_rfq) != 0 ? SubBook::private_rfq : SubBook::orders;
}

/// The first level that is not worse than `rank`.
template <class Levels>
[[nodiscard]] auto place_of(Levels& ladder, std::int64_t rank) noexcept {
  return std::lower_bound(ladder.begin(), ladder.end(), rank,
                          [](const LevelNode& level, std::int64_t wanted) { return level.rank < wanted; });
}

/// Fields of the messages that errors name.
constexpr std::uint16_t k_order_id_offset = 6;
constexpr std::uint16_t k_executed_offset = 14;

[[nodiscard]] std::unexpected<Error> wrong_quantity(std::uint16_t offset, std::uint32_t got,
                                                    const char* expected) noexcept {
  return fail(ErrorCode::out_of_range, offset, offset, got, expected);
}

}  // namespace

const Ladder& BookView::ladder(Side side, SubBook book) const noexcept {
  return book_->sides[static_cast<std::size_t>(book)][number_of(side)];
}

DisplayedLevel BookView::shown(const LevelNode& level, Side side) noexcept {
  const bool is_market = level.rank == k_market_rank;
  const std::int64_t units = is_market ? 0 : side == Side::buy ? level.rank : -level.rank;
  return {.price = {units}, .quantity = level.quantity, .orders = level.orders, .is_market = is_market};
}

std::optional<DisplayedLevel> BookView::best(Side side, SubBook book) const noexcept {
  const Ladder& levels = ladder(side, book);
  if (levels.empty()) return std::nullopt;
  return shown(levels.back(), side);
}

BookBuilder::BookBuilder(const BookBuilderLimits& limits)
    : nodes_(limits.orders), slots_(limits.orders), indexes_(limits.instruments), books_(limits.instruments) {
  for (detail::InstrumentBook& book : books_)
    for (std::size_t sub_book = 0; sub_book < k_sub_book_count; ++sub_book)
      for (Ladder& ladder : book.sides[sub_book]) ladder.reserve(sub_book == 0 ? limits.levels : limits.quote_levels);
}

Result<void> BookBuilder::apply(Bytes message) {
  Result<void> applied;
  const Result<void> read = dispatch(message, [&](const auto& record) { applied = apply(record); });
  return read ? applied : read;
}

void BookBuilder::stamp(std::uint32_t nanosecond) noexcept {
  nanoseconds_of_day_ = second_ * 1'000'000'000 + nanosecond;
}

Result<std::uint32_t> BookBuilder::index_of(std::uint32_t instrument) {
  if (const std::uint32_t* index = indexes_.find(instrument)) return *index;
  const auto index = static_cast<std::uint32_t>(used_);
  if (!indexes_.insert(instrument, index))
    return fail(ErrorCode::no_room, 0, 0, instrument, "no more instruments than configured");
  books_[used_++].id = instrument;
  return index;
}

template <class Change>
Result<void> BookBuilder::with_state(std::uint32_t instrument, Change&& change) {
  const Result<std::uint32_t> index = index_of(instrument);
  if (!index) return std::unexpected(index.error());
  change(books_[*index].state);
  return {};
}

Result<detail::Slot> BookBuilder::slot_of(std::uint64_t order) const noexcept {
  if (const Slot* slot = slots_.find(order)) return *slot;
  return fail(ErrorCode::unknown, k_order_id_offset, k_order_id_offset, static_cast<std::int64_t>(order),
              "an order that is on display");
}

Ladder& BookBuilder::ladder_of(const Node& node) noexcept {
  return books_[node.instrument].sides[static_cast<std::size_t>(node.book)][number_of(node.order.side)];
}

/// Whether a level of that rank is there, or can be made without taking memory.
bool BookBuilder::has_place(const Ladder& ladder, std::int64_t rank) const noexcept {
  if (ladder.size() < ladder.capacity()) return true;
  const auto place = place_of(ladder, rank);
  return place != ladder.end() && place->rank == rank;
}

void BookBuilder::append(Slot slot) {
  Node& node = nodes_[slot];
  Ladder& ladder = ladder_of(node);
  const std::int64_t rank = rank_of(node.order);
  auto level = place_of(ladder, rank);
  if (level == ladder.end() || level->rank != rank) {
    DOJIMA_ASSERT(ladder.size() < ladder.capacity(), "room for a level was looked for", ladder.size(),
                  ladder.capacity());
    level = ladder.insert(level, LevelNode{.rank = rank});
  }
  node.next = k_no_slot;
  node.previous = level->last;
  (level->last == k_no_slot ? level->first : nodes_[level->last].next) = slot;
  level->last = slot;
  level->quantity += node.order.quantity;
  ++level->orders;
}

void BookBuilder::take_out(Slot slot) {
  const Node& node = nodes_[slot];
  Ladder& ladder = ladder_of(node);
  const auto level = place_of(ladder, rank_of(node.order));
  DOJIMA_ASSERT(level != ladder.end() && level->rank == rank_of(node.order), "an order is in its level", slot,
                rank_of(node.order));
  (node.previous == k_no_slot ? level->first : nodes_[node.previous].next) = node.next;
  (node.next == k_no_slot ? level->last : nodes_[node.next].previous) = node.previous;
  level->quantity -= node.order.quantity;
  if (--level->orders == 0) ladder.erase(level);
}

/// In its place.
void BookBuilder::resize(Slot slot, std::uint32_t quantity) {
  Node& node = nodes_[slot];
  const auto level = place_of(ladder_of(node), rank_of(node.order));
  level->quantity = level->quantity - node.order.quantity + quantity;
  node.order.quantity = quantity;
}

void BookBuilder::end(Slot slot) {
  take_out(slot);
  slots_.erase(nodes_[slot].order.id);
  nodes_.release(slot);
}

Result<void> BookBuilder::add(const DisplayedOrder& order, std::uint32_t instrument, SubBook book) {
  if (order.quantity == 0) return wrong_quantity(15, 0, "a displayed quantity above 0");
  if (!order.is_market && !is_ranked(order.price))
    return fail(ErrorCode::out_of_range, 25, 25, order.price.units, "a price below the largest of its type");
  if (slots_.find(order.id) != nullptr)
    return fail(ErrorCode::duplicate, k_order_id_offset, k_order_id_offset, static_cast<std::int64_t>(order.id),
                "an order that is not on display yet");
  if (nodes_.is_full())
    return fail(ErrorCode::no_room, 0, 0, static_cast<std::int64_t>(nodes_.size()), "no more orders than configured");
  const Result<std::uint32_t> index = index_of(instrument);
  if (!index) return std::unexpected(index.error());
  const Node node{.order = order, .instrument = *index, .book = book};
  const Ladder& ladder = ladder_of(node);
  if (!has_place(ladder, rank_of(order)))
    return fail(ErrorCode::no_room, 0, 0, static_cast<std::int64_t>(ladder.size()), "no more levels than configured");
  const Slot slot = *nodes_.acquire();
  nodes_[slot] = node;
  const bool is_new = slots_.insert(order.id, slot);
  DOJIMA_ASSERT(is_new, "as many ids as orders", order.id, slot, slots_.size());
  append(slot);
  return {};
}

Result<void> BookBuilder::apply(const AddOrder& message) {
  stamp(message.nanosecond);
  return add({.id = message.order_id,
              .side = side_of(message.side),
              .price = message.price,
              .quantity = message.quantity,
              .is_market = (message.flags & k_market_order) != 0},
             message.instrument_id, sub_book_of(message.flags));
}

Result<void> BookBuilder::apply(const AddAttributedOrder& message) {
  stamp(message.nanosecond);
  return add({.id = message.order_id,
              .side = side_of(message.side),
              .price = message.price,
              .quantity = message.quantity,
              .is_market = (message.flags & k_market_order) != 0,
              .attribution = message.attribution},
             message.instrument_id, sub_book_of(message.flags));
}

Result<void> BookBuilder::apply(const OrderDeleted& message) {
  stamp(message.nanosecond);
  const Result<Slot> slot = slot_of(message.order_id);
  if (!slot) return std::unexpected(slot.error());
  const Node& node = nodes_[*slot];
  if (books_[node.instrument].id != message.instrument_id)
    return fail(ErrorCode::wrong_state, 15, 15, message.instrument_id, "the instrument of the order");
  if (((message.flags & k_firm_quote) != 0) != (node.book == SubBook::firm_quotes))
    return fail(ErrorCode::wrong_state, 14, 14, message.flags, "the book of the order");
  end(*slot);
  return {};
}

Result<void> BookBuilder::move(Slot slot, Price price, std::uint32_t quantity) {
  Node& node = nodes_[slot];
  DisplayedOrder changed = node.order;
  changed.price = price;
  const Ladder& ladder = ladder_of(node);
  const auto own = place_of(ladder, rank_of(node.order));
  const bool frees_level = own->orders == 1;
  if (!frees_level && !has_place(ladder, rank_of(changed)))
    return fail(ErrorCode::no_room, 0, 0, static_cast<std::int64_t>(ladder.size()), "no more levels than configured");
  take_out(slot);
  node.order.price = price;
  node.order.quantity = quantity;
  append(slot);
  return {};
}

Result<void> BookBuilder::apply(const OrderModified& message) {
  stamp(message.nanosecond);
  if (message.new_quantity == 0) return wrong_quantity(14, 0, "a displayed quantity above 0");
  const Result<Slot> slot = slot_of(message.order_id);
  if (!slot) return std::unexpected(slot.error());
  const Node& node = nodes_[*slot];
  if (((message.flags & k_firm_quote) != 0) != (node.book == SubBook::firm_quotes))
    return fail(ErrorCode::wrong_state, 26, 26, message.flags, "the book of the order");
  if (!node.order.is_market && !is_ranked(message.new_price))
    return fail(ErrorCode::out_of_range, 18, 18, message.new_price.units, "a price below the largest of its type");
  DisplayedOrder changed = node.order;
  changed.price = message.new_price;
  const bool keeps_place = (message.flags & k_priority_retained) != 0 && rank_of(changed) == rank_of(node.order);
  if (!keeps_place) return move(*slot, message.new_price, message.new_quantity);
  resize(*slot, message.new_quantity);
  return {};
}

void BookBuilder::traded(InstrumentState& state, Price price, std::uint64_t quantity) noexcept {
  state.last_price = price;
  state.traded_quantity += quantity;
  ++state.trade_count;
}

/// A trade of before the beginning of this feed may be cancelled too.
void BookBuilder::cancelled(InstrumentState& state, std::uint64_t quantity) noexcept {
  state.traded_quantity -= std::min(state.traded_quantity, quantity);
  if (state.trade_count > 0) --state.trade_count;
}

Result<void> BookBuilder::apply(const OrderExecuted& message) {
  stamp(message.nanosecond);
  const Result<Slot> slot = slot_of(message.order_id);
  if (!slot) return std::unexpected(slot.error());
  const Node& node = nodes_[*slot];
  const std::uint32_t displayed = node.order.quantity;
  if (message.executed_quantity == 0 || message.executed_quantity > displayed)
    return wrong_quantity(k_executed_offset, message.executed_quantity, "at most what is on display, and not 0");
  traded(books_[node.instrument].state, node.order.price, message.executed_quantity);
  if (message.executed_quantity == displayed) {
    end(*slot);
  } else {
    resize(*slot, displayed - message.executed_quantity);
  }
  return {};
}

Result<void> BookBuilder::apply(const OrderExecutedWithPriceSize& message) {
  stamp(message.nanosecond);
  const Result<Slot> slot = slot_of(message.order_id);
  if (!slot) return std::unexpected(slot.error());
  if (message.executed_quantity == 0) return wrong_quantity(k_executed_offset, 0, "an executed quantity above 0");
  if (message.printable == 'Y')
    traded(books_[nodes_[*slot].instrument].state, message.price, message.executed_quantity);
  if (message.display_quantity == 0) {
    end(*slot);
  } else {
    resize(*slot, message.display_quantity);
  }
  return {};
}

Result<void> BookBuilder::apply(const OrderBookClear& message) {
  stamp(message.nanosecond);
  const Result<std::uint32_t> index = index_of(message.instrument_id);
  if (!index) return std::unexpected(index.error());
  detail::InstrumentBook& book = books_[*index];
  const SubBook sub_book = sub_book_of(message.flags);
  for (Ladder& ladder : book.sides[static_cast<std::size_t>(sub_book)]) {
    for (const LevelNode& level : ladder) {
      for (Slot slot = level.first; slot != k_no_slot;) {
        const Slot next = nodes_[slot].next;
        slots_.erase(nodes_[slot].order.id);
        nodes_.release(slot);
        slot = next;
      }
    }
    ladder.clear();
  }
  if (sub_book != SubBook::orders) return {};
  const InstrumentState before = book.state;
  book.state = {.directory = before.directory, .status = before.status};
  return {};
}

Result<void> BookBuilder::apply(const Time& message) {
  second_ = message.seconds;
  stamp(0);
  return {};
}

Result<void> BookBuilder::apply(const SystemEvent& message) {
  stamp(message.nanosecond);
  event_ = message.event_code;
  return {};
}

Result<void> BookBuilder::apply(const SymbolDirectory& message) {
  stamp(message.nanosecond);
  return with_state(message.instrument_id, [&](InstrumentState& state) { state.directory = message; });
}

Result<void> BookBuilder::apply(const SymbolStatus& message) {
  stamp(message.nanosecond);
  return with_state(message.instrument_id, [&](InstrumentState& state) { state.status = message; });
}

Result<void> BookBuilder::apply(const Trade& message) {
  stamp(message.nanosecond);
  return with_state(message.instrument_id, [&](InstrumentState& state) {
    if ((message.pt_mod_flags & k_trade_cancelled) != 0) {
      cancelled(state, message.executed_quantity);
    } else if ((message.pt_mod_flags & k_trade_amended) == 0) {
      traded(state, message.price, message.executed_quantity);
    }
  });
}

Result<void> BookBuilder::apply(const AuctionTrade& message) {
  stamp(message.nanosecond);
  return with_state(message.instrument_id, [&](InstrumentState& state) {
    if ((message.pt_mod_flags & k_trade_cancelled) != 0) {
      cancelled(state, message.quantity);
    } else if ((message.pt_mod_flags & k_trade_amended) == 0) {
      traded(state, message.price, message.quantity);
    }
  });
}

Result<void> BookBuilder::apply(const AuctionInfo& message) {
  stamp(message.nanosecond);
  return with_state(message.instrument_id, [&](InstrumentState& state) { state.auction = message; });
}

Result<void> BookBuilder::apply(const Statistics& message) {
  stamp(message.nanosecond);
  return with_state(message.instrument_id, [&](InstrumentState& state) {
    const bool is_cleared = message.price.units == -market::k_price_scale;
    PublishedPrice& published = message.statistic_type == 'O' ? state.opening : state.closing;
    published = {.price = is_cleared ? std::nullopt : std::optional(message.price),
                 .indicator = message.open_close_price_indicator};
  });
}

Result<void> BookBuilder::apply(const TopOfBook& message) {
  stamp(message.nanosecond);
  return with_state(message.instrument_id, [&](InstrumentState& state) { state.top = message; });
}

std::optional<BookView> BookBuilder::find(std::uint32_t instrument) const noexcept {
  const std::uint32_t* index = indexes_.find(instrument);
  if (index == nullptr) return std::nullopt;
  return BookView(books_[*index], nodes_);
}

BookView BookBuilder::book_at(std::size_t place) const noexcept {
  DOJIMA_ASSERT(place < used_, "an instrument that a message has named", place, used_);
  return {books_[place], nodes_};
}

std::optional<std::uint32_t> BookBuilder::instrument_of(std::uint64_t order) const noexcept {
  const Slot* const slot = slots_.find(order);
  if (slot == nullptr) return std::nullopt;
  return books_[nodes_[*slot].instrument].id;
}

std::optional<DisplayedOrder> BookBuilder::find_order(std::uint64_t id) const noexcept {
  const Slot* slot = slots_.find(id);
  if (slot == nullptr) return std::nullopt;
  return nodes_[*slot].order;
}

const char* BookBuilder::inconsistency_of(const detail::InstrumentBook& book, SubBook sub_book, Side side,
                                          std::size_t& orders) const {
  const Ladder& ladder = book.sides[static_cast<std::size_t>(sub_book)][number_of(side)];
  for (std::size_t at = 0; at < ladder.size(); ++at) {
    const LevelNode& level = ladder[at];
    if (at > 0 && level.rank <= ladder[at - 1].rank) return "levels are out of order";
    std::uint64_t quantity = 0;
    std::uint32_t count = 0;
    Slot previous = k_no_slot;
    for (Slot slot = level.first; slot != k_no_slot; slot = nodes_[slot].next, ++count) {
      const Node& node = nodes_[slot];
      if (node.previous != previous) return "an order's link back is wrong";
      if (rank_of(node.order) != level.rank || node.order.side != side || node.book != sub_book)
        return "an order is in another's level";
      const Slot* found = slots_.find(node.order.id);
      if (found == nullptr || *found != slot) return "an order cannot be found";
      quantity += node.order.quantity;
      previous = slot;
    }
    if (count == 0) return "a level without orders";
    if (level.last != previous) return "a level's end is wrong";
    if (level.orders != count || level.quantity != quantity) return "a level's totals are wrong";
    orders += count;
  }
  return nullptr;
}

const char* BookBuilder::inconsistency() const {
  std::size_t orders = 0;
  for (std::size_t at = 0; at < used_; ++at)
    for (const SubBook sub_book : {SubBook::orders, SubBook::firm_quotes, SubBook::private_rfq})
      for (const Side side : {Side::buy, Side::sell})
        if (const char* wrong = inconsistency_of(books_[at], sub_book, side, orders)) return wrong;
  if (orders != nodes_.size() || orders != slots_.size()) return "orders are counted wrong";
  return nullptr;
}

}  // namespace dojima::mitch
