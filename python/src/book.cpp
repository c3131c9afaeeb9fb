#include "book.hpp"

#include "arguments.hpp"

#include <fmt/core.h>
#include <limits>
#include <utility>

namespace dojima::python {

using market::BookReport;
using market::BookReportKind;
using market::Side;

namespace {

market::Instrument instrument_of(const BookSettings& settings) {
  auto ticks = market::TickTable::uniform({settings.tick}, {settings.lowest}, {settings.highest});
  if (!ticks)
    refuse(fmt::format("prices from {} to {} are no whole number of ticks of {}, or 2^31 of them or more",
                       settings.lowest, settings.highest, settings.tick));
  return {
      .id = 1,
      .symbol = "book",
      .ticks = *std::move(ticks),
      .maximum_quantity = {std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(settings.orders + 1)}};
}

}  // namespace

PythonBook::PythonBook(const BookSettings& settings)
    : owners_(settings.owners),
      instrument_(instrument_of(settings)),
      orders_({.capacity = settings.orders, .owners = settings.owners, .memory = book::Memory::untouched}),
      book_(instrument_, orders_, reports_, {.levels = settings.levels}) {}

void PythonBook::begin(const market::OrderTerms& terms) {
  reports_.begin_call();
  first_ = next_ + 1;
  entering_.terms = terms;
}

template <class Command>
const BookReport* PythonBook::send(Command& command, std::uint16_t owner) {
  command.header.instrument = instrument_.id;
  command.header.user = owner;
  const std::size_t first = reports_.begin_command({++next_});
  book_.apply(command);
  return reports_.at(first);
}

std::uint64_t PythonBook::submit(Side side, std::int64_t price, std::int64_t quantity, std::uint16_t owner) {
  market::OrderTerms& terms = entering_.terms;
  terms.side = side;
  terms.limit = {terms.type == market::OrderType::limit ? price : 0};
  terms.quantity = terms.displayed = {quantity};
  terms.owner = owner;
  const BookReport* const report = send(entering_, owner);
  return report != nullptr && report->kind == BookReportKind::accepted ? report->order.value : 0;
}

std::uint64_t PythonBook::cancel(std::uint64_t id) {
  const book::Slot slot = orders_.find({id});
  const bool is_there = slot != book::k_no_slot;
  market::Cancel cancel{.order = {id}, .side = is_there ? orders_[slot].side : Side::buy};
  const BookReport* const report = send(cancel, is_there ? orders_[slot].owner : std::uint16_t{0});
  return report != nullptr && report->kind == BookReportKind::cancelled ? id : 0;
}

std::uint64_t PythonBook::replace(std::uint64_t id, std::int64_t price, std::int64_t quantity) {
  const book::Slot slot = orders_.find({id});
  const bool is_there = slot != book::k_no_slot;
  market::Replace replace{.order = {id},
                          .limit = {price},
                          .stop = {-1},
                          .quantity = {quantity},
                          .displayed = {quantity},
                          .side = is_there ? orders_[slot].side : Side::buy};
  const BookReport* const report = send(replace, is_there ? orders_[slot].owner : std::uint16_t{0});
  return report != nullptr && report->kind == BookReportKind::replaced ? id : 0;
}

void PythonBook::apply(const Instructions& rows, std::span<std::uint64_t> ids) {
  constexpr std::size_t k_ahead = 8;
  for (std::size_t row = 0; row < ids.size(); ++row) {
    if (row + k_ahead < ids.size()) prefetch(static_cast<std::uint64_t>(rows.orders[row + k_ahead]));
    const auto id = static_cast<std::uint64_t>(rows.orders[row]);
    switch (static_cast<Action>(rows.actions[row])) {
      case Action::submit:
        ids[row] = submit(static_cast<Side>(rows.sides[row]), rows.prices[row], rows.quantities[row],
                          static_cast<std::uint16_t>(rows.owners[row]));
        break;
      case Action::cancel:
        ids[row] = cancel(id);
        break;
      case Action::replace:
        ids[row] = replace(id, rows.prices[row], rows.quantities[row]);
        break;
    }
  }
}

}  // namespace dojima::python
