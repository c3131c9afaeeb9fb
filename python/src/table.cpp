#include "table.hpp"

#include <algorithm>
#include <array>

#include "dojima/base/assert.hpp"

namespace dojima::python {

std::size_t size_of(ColumnType type) noexcept {
  switch (type) {
    case ColumnType::uint32:
      return sizeof(std::uint32_t);
    case ColumnType::uint8:
      return sizeof(std::uint8_t);
    case ColumnType::int64:
    case ColumnType::uint64:
    case ColumnType::float64:
    case ColumnType::time:
      break;
  }
  return sizeof(std::int64_t);
}

Column times_of(std::string name, std::vector<std::int64_t> nanoseconds) {
  Column column = column_of(std::move(name), std::move(nanoseconds));
  column.type = ColumnType::time;
  return column;
}

void Table::add(Column column) {
  DOJIMA_ASSERT(columns_.empty() || column.rows == rows_, "columns of a table are equally long", column.rows, rows_);
  rows_ = column.rows;
  columns_.push_back(std::move(column));
}

const Column* Table::find(std::string_view name) const noexcept {
  const auto found = std::ranges::find(columns_, name, &Column::name);
  return found == columns_.end() ? nullptr : &*found;
}

double scaled_down(std::int64_t value, unsigned decimals) noexcept {
  constexpr std::array<double, 19> k_powers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                               1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
  if (value == k_missing) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(value) / k_powers[std::min<std::size_t>(decimals, k_powers.size() - 1)];
}

}  // namespace dojima::python
