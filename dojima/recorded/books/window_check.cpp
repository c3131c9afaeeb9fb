#include "dojima/recorded/books/window_check.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "dojima/book/book.hpp"

namespace dojima::recorded {
namespace {

using market::BookReport;
using market::BookReportKind;
using market::OrderId;
using market::Side;
using Levels = std::vector<DepthLevel>;

constexpr std::size_t k_most_levels = std::size_t{1} << 16;

class NoReports final : public book::ReportBuffer {
 public:
  NoReports() : ReportBuffer(1) {}

 private:
  void drain(std::span<const BookReport>, time::Time) override {}
};

bool is_better(Side side, std::int64_t one, std::int64_t other) noexcept {
  return side == Side::buy ? one > other : one < other;
}

market::Instrument instrument_of(std::int64_t tick) {
  const std::int64_t step = std::max<std::int64_t>(tick, 1);
  constexpr std::int64_t k_ticks = std::int64_t{1} << 30;
  return {
      .id = 1,
      .ticks = market::TickTable::uniform({step}, {step}, {step * k_ticks}).value(),
      .maximum_quantity = {std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(k_most_levels + 1)}};
}

}  // namespace

/// A book::Book in which each level is one order, whose number is made of side and price.
class WindowCheck::Seeded {
 public:
  explicit Seeded(std::int64_t tick)
      : instrument_(instrument_of(tick)),
        orders_({.capacity = k_most_levels, .ids = book::Ids::foreign}),
        book_(instrument_, orders_, reports_, {.levels = k_most_levels}) {}

  void set(Side side, std::int64_t price, std::int64_t quantity) {
    const OrderId id = id_of(side, price);
    const book::Slot slot = orders_.find(id);
    BookReport report{.order = id, .price = {price}, .instrument = 1, .side = side};
    if (slot == book::k_no_slot) {
      if (quantity <= 0) return;
      report.kind = BookReportKind::added;
      report.leaves = report.displayed = {quantity};
    } else if (quantity <= 0) {
      report.kind = BookReportKind::cancelled;
      report.quantity = orders_[slot].leaves;
      report.flags = market::k_was_resting;
    } else {
      report.kind = BookReportKind::replaced;
      report.quantity = report.leaves = report.displayed = {quantity};
    }
    // What the book does not take shows as a difference.
    static_cast<void>(book_.mirror(report));
  }

  [[nodiscard]] std::int64_t at(Side side, std::int64_t price) const {
    const book::Slot slot = orders_.find(id_of(side, price));
    return slot == book::k_no_slot ? 0 : orders_[slot].leaves.lots;
  }

  /// The message goes through the book.
  void apply(const RecordedEvent& event) {
    if (event.side == Side::none || event.price == k_unknown || event.quantity < 0) return;
    const bool is_more = event.kind == EventKind::add;
    const bool is_less =
        event.kind == EventKind::reduce || event.kind == EventKind::remove || event.kind == EventKind::execute;
    if (!is_more && !is_less) return;
    const std::int64_t change = is_more ? event.quantity : -event.quantity;
    set(event.side, event.price, at(event.side, event.price) + change);
  }

  [[nodiscard]] Levels levels(Side side, std::size_t most) const {
    Levels levels;
    book_.each_resting(side, [&](const book::RestingOrder& order) {
      if (levels.size() < most) levels.push_back({order.price.units, order.leaves.lots});
    });
    return levels;
  }

  /// Levels inside the row become the row; levels behind it stay, unless the row is the whole side.
  void take_over(Side side, const Levels& row, std::size_t window) {
    const bool is_whole = row.size() < window;
    for (const DepthLevel& level : levels(side, k_most_levels))
      if (is_whole || !is_better(side, row.back().price, level.price)) set(side, level.price, 0);
    for (const DepthLevel& level : row) set(side, level.price, level.quantity);
  }

 private:
  static OrderId id_of(Side side, std::int64_t price) noexcept {
    return {static_cast<std::uint64_t>(price) << 1 | (side == Side::buy ? 1u : 0u)};
  }

  NoReports reports_;
  market::Instrument instrument_;
  book::OrderTable orders_;
  book::Book book_;
};

WindowCheck::WindowCheck() = default;
WindowCheck::~WindowCheck() = default;

void WindowCheck::take(const RecordedEvent& event, std::int64_t tick) {
  if (event.kind != EventKind::window) {
    messages_.push_back(event);
    return;
  }
  if (!step_) {
    step_ = std::make_unique<Seeded>(tick);
    run_ = std::make_unique<Seeded>(tick);
  }
  window_ = std::max<std::size_t>(window_, event.order + 1);
  if (event.quantity > 0) (event.side == Side::buy ? bids_ : asks_).push_back({event.price, event.quantity});
  if (event.has(k_last)) end_row();
}

void WindowCheck::end_row() {
  if (has_before_) {
    ++counts_.rows;
    for (const RecordedEvent& message : messages_) {
      step_->apply(message);
      run_->apply(message);
    }
    compare_step();
    compare_run();
  } else {
    run_->take_over(Side::buy, bids_, window_);
    run_->take_over(Side::sell, asks_, window_);
  }
  // The next step starts from this row alone.
  for (const Side side : {Side::buy, Side::sell}) {
    for (const DepthLevel& level : step_->levels(side, k_most_levels)) step_->set(side, level.price, 0);
    for (const DepthLevel& level : side == Side::buy ? bids_ : asks_) step_->set(side, level.price, level.quantity);
  }
  bids_before_.swap(bids_);
  asks_before_.swap(asks_);
  window_before_ = window_;
  bids_.clear();
  asks_.clear();
  messages_.clear();
  has_before_ = true;
}

void WindowCheck::compare_step() {
  bool is_exact = true;
  bool is_contradiction = false;
  for (const Side side : {Side::buy, Side::sell}) {
    const Levels& row = side == Side::buy ? bids_ : asks_;
    const Levels& before = side == Side::buy ? bids_before_ : asks_before_;
    const Levels made = step_->levels(side, window_);
    if (made == row) continue;
    is_exact = false;
    // A window that was full may have had levels behind it: they come into view behind what is known, and none of them
    // is better than the last level that was in view.
    const bool may_reveal = before.size() == window_before_ && made.size() < row.size() &&
                            std::equal(made.begin(), made.end(), row.begin()) &&
                            std::all_of(
                                row.begin() + static_cast<std::ptrdiff_t>(made.size()), row.end(),
                                [&](const DepthLevel& level) {
                                  return before.empty() || !is_better(side, level.price, before.back().price);
                                });
    if (!may_reveal) is_contradiction = true;
  }
  if (is_contradiction) {
    ++counts_.contradictions;
    if (counts_.first_contradiction == 0) counts_.first_contradiction = counts_.rows + 1;
  } else {
    ++(is_exact ? counts_.exact : counts_.undetermined);
  }
}

void WindowCheck::compare_run() {
  bool is_same = true, is_best_same = true;
  for (const Side side : {Side::buy, Side::sell}) {
    const Levels& row = side == Side::buy ? bids_ : asks_;
    const Levels made = run_->levels(side, window_);
    if (made == row) continue;
    is_same = false;
    is_best_same &= made.empty() == row.empty() && (row.empty() || made.front() == row.front());
    run_->take_over(side, row, window_);
  }
  counts_.resyncs += is_same ? 0 : 1;
  counts_.best_wrong += is_best_same ? 0 : 1;
}

}  // namespace dojima::recorded
