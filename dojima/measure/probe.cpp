#include "dojima/measure/probe.hpp"

#include "dojima/base/assert.hpp"

namespace dojima::measure {

StageColumns::StageColumns(std::size_t stages, std::size_t capacity)
    : capacity_(capacity), columns_(stages), client_numbers_(capacity, k_unbound) {
  for (Column& column : columns_) column.ticks = std::make_unique<time::Ticks[]>(capacity);
}

void StageColumns::mark(std::uint8_t stage, std::uint64_t number) {
  DOJIMA_ASSERT(stage < columns_.size(), "a stage of this run");
  // What changes nothing need not read the clock: of an order with fills most reports.
  if (number < capacity_ && columns_[stage].ticks[number].count != 0) return;
  mark_at(stage, number, time::read_ticks());
}

void StageColumns::mark_at(std::uint8_t stage, std::uint64_t number, time::Ticks ticks) {
  DOJIMA_ASSERT(stage < columns_.size(), "a stage of this run");
  Column& column = columns_[stage];
  if (number >= capacity_) {
    ++column.dropped;
  } else if (column.ticks[number].count == 0) {
    column.ticks[number] = ticks;
  }
}

void StageColumns::bind(std::uint64_t number, std::uint64_t client_number) {
  if (number < capacity_) client_numbers_[number] = client_number;
}

time::Ticks StageColumns::at(std::uint8_t stage, std::uint64_t number) const {
  DOJIMA_ASSERT(stage < columns_.size(), "a stage of this run");
  return number < capacity_ ? columns_[stage].ticks[number] : time::Ticks{};
}

std::uint64_t StageColumns::client_number(std::uint64_t number) const {
  return number < capacity_ ? client_numbers_[number] : k_unbound;
}

}  // namespace dojima::measure
