#pragma once

// The floor as a book: what FlowFloor touches for a command, number, order and level, and no decision either, but given
// its commands, asked and read as the books are, by the same driver. So the driver's own work (commands written,
// reports read, levels published, a look ahead) is on both sides of a comparison. What it has beyond FlowFloor is only
// what the driver reads: the reports, each word of them written once.

#include "neutral_flow.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "dojima/base/large_array.hpp"
#include "dojima/book/book.hpp"
#include "dojima/book/matching/plain_terms.hpp"

namespace dojima::bench {

class FloorBook {
 public:
  FloorBook(const market::Instrument& instrument, const book::OrderTable&, book::ReportBuffer& reports,
            book::BookLimits, const book::BookRules&)
      : instrument_(instrument.id), reports_(reports) {}

  /// The commands to come are these, in their order: where each aggressive order is filled is looked up in the list.
  void follow(const Flow& flow) {
    lowest_ = flow.lowest;
    orders_.emplace(flow.most_live + std::size_t{1});
    for (auto& side : levels_) side.assign(static_cast<std::size_t>(flow.highest - flow.lowest) + 1, {});
    give_slots(flow);
    next_fill_ = fills_.data();
    next_command_ = flow.commands.data();
  }

  struct Terms {
    market::Price limit;
    market::Quantity quantity;
  };
  /// Of an order that rests.
  [[nodiscard, gnu::always_inline]] Terms terms(market::OrderId id) const noexcept {
    const Order& order = order_of(id);
    return {price_of(order), {order.total}};
  }
  [[nodiscard]] market::Quantity total(market::Side side, market::Price price) const noexcept {
    return {levels_[side_of(side)][static_cast<std::size_t>((price.units >> 1) - lowest_)].total};
  }
  [[gnu::always_inline]] void prefetch(market::OrderId id) const noexcept {
    __builtin_prefetch(&(*orders_)[std::min<std::size_t>(static_cast<std::uint32_t>(id.value), orders_->size() - 1)],
                       1);
  }
  static void prefetch_neighbours(market::OrderId) noexcept {}  // it has none

  void apply(const market::NewOrder& command) {
    const bool is_added = next_command_++->deed == Deed::add;
    const auto price = static_cast<std::int32_t>(command.terms.limit.units >> 1);
    const market::Quantity quantity = command.terms.quantity;
    const market::Side side = command.terms.side;
    const std::uint32_t slot = free_.back();
    book::Writer out(reports_, instrument_);
    out.write(market::BookReportKind::accepted, side, {slot}, {}, command.terms.limit, quantity, quantity);
    if (is_added) {
      free_.pop_back();
      const auto lots = static_cast<std::int32_t>(quantity.lots);
      Order& order = (*orders_)[slot];
      order = {price, lots, lots, static_cast<std::uint32_t>(side_of(side))};
      Level& level = level_of(order);
      level.total += lots;
      ++level.count;
      out.write(market::BookReportKind::added, side, {slot}, {}, command.terms.limit, quantity, quantity);
    } else {
      fill(out, slot, market::opposite(side));
    }
    out.done();
  }

  void apply(const market::Cancel& command) {
    ++next_command_;
    Order& order = (*orders_)[command.order.value];
    const market::Quantity left{order.left};
    take_out(order);
    free_.push_back(static_cast<std::uint32_t>(command.order.value));
    book::Writer out(reports_, instrument_);
    out.write(market::BookReportKind::cancelled, command.side, command.order, {}, price_of(order), left, {},
              market::Reason::by_owner, market::k_was_resting);
    out.done();
  }

  void apply(const market::Replace& command) {
    ++next_command_;
    Order& order = (*orders_)[command.order.value];
    take_out(order);
    order.price = static_cast<std::int32_t>(command.limit.units >> 1);
    Level& level = level_of(order);
    level.total += order.left;
    ++level.count;
    book::Writer out(reports_, instrument_);
    out.write(market::BookReportKind::replaced, command.side, command.order, {}, command.limit, command.quantity,
              {order.left}, market::Reason::none, market::k_lost_priority);
    out.write(market::BookReportKind::added, command.side, command.order, {}, command.limit, command.quantity,
              {order.left});
    out.done();
  }

 private:
  struct Order {
    std::int32_t price = 0, left = 0, total = 0;
    std::uint32_t side = 0;
  };
  struct Level {
    std::int64_t total = 0, count = 0;
  };
  struct Fill {
    std::uint32_t maker = 0;  // its slot
    std::int32_t quantity = 0;
    bool is_last = false;
    bool is_gone = false;
  };

  [[nodiscard]] static std::size_t side_of(market::Side side) noexcept { return side == market::Side::buy ? 0 : 1; }
  [[nodiscard]] static market::Price price_of(const Order& order) noexcept { return {std::int64_t{2} * order.price}; }
  [[nodiscard]] const Order& order_of(market::OrderId id) const noexcept { return (*orders_)[id.value]; }
  [[nodiscard]] Level& level_of(const Order& order) noexcept {
    return levels_[order.side][static_cast<std::size_t>(order.price - lowest_)];
  }
  void take_out(const Order& order) noexcept {
    Level& level = level_of(order);
    level.total -= order.left;
    --level.count;
  }

  /// What the list says that it meets.
  [[gnu::always_inline]] void fill(book::Writer& out, std::uint32_t taker, market::Side makers) {
    for (bool is_last = false; !is_last; ++next_fill_) {
      is_last = next_fill_->is_last;
      Order& order = (*orders_)[next_fill_->maker];
      Level& level = level_of(order);
      order.left -= next_fill_->quantity;
      level.total -= next_fill_->quantity;
      out.room();
      out.write(market::BookReportKind::traded, makers, {next_fill_->maker}, {taker}, price_of(order),
                {next_fill_->quantity}, {order.left});
      if (!next_fill_->is_gone) continue;
      --level.count;
      free_.push_back(next_fill_->maker);
    }
  }

  /// The fills with the slots that their makers will have: those that are freed last are used first.
  void give_slots(const Flow& flow) {
    free_.clear();
    for (std::size_t slot = orders_->size(); slot-- > 0;) free_.push_back(static_cast<std::uint32_t>(slot));
    const std::vector<std::uint32_t> all = free_;
    std::vector<std::uint32_t> slots(flow.orders);
    fills_.clear();
    const FlowFill* next = flow.fills.data();
    for (const FlowCommand& command : flow.commands) {
      if (command.deed == Deed::add) {
        slots[command.order] = free_.back();
        free_.pop_back();
      } else if (command.deed == Deed::cancel) {
        free_.push_back(slots[command.order]);
      } else if (command.deed == Deed::take) {
        for (bool is_last = false; !is_last; ++next) {
          is_last = next->is_last;
          fills_.push_back({slots[next->maker], next->quantity, next->is_last, next->is_gone});
          if (next->is_gone) free_.push_back(slots[next->maker]);
        }
      }
    }
    free_ = all;
  }

  std::uint32_t instrument_;
  book::ReportBuffer& reports_;
  std::int32_t lowest_ = 0;
  std::optional<LargeArray<Order>> orders_;
  std::array<std::vector<Level>, 2> levels_;  // by price
  std::vector<std::uint32_t> free_;
  std::vector<Fill> fills_;
  const Fill* next_fill_ = nullptr;
  const FlowCommand* next_command_ = nullptr;
};

}  // namespace dojima::bench
