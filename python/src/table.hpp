#pragma once

// Columns of equal length, as Python sees results: each in memory of its own that NumPy views and Arrow takes over
// without a copy. Values that there are not: NaN in columns of doubles, the least whole number in times and in prices.
//
//   Table table;
//   table.add(times_of("time", std::move(times)));
//   table.add(column_of("price", std::move(prices)));

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace dojima::python {

enum class ColumnType : std::uint8_t { int64, uint64, uint32, uint8, float64, time };
[[nodiscard]] std::size_t size_of(ColumnType type) noexcept;

/// What stands for no value in whole numbers that may be missing, and in times.
inline constexpr std::int64_t k_missing = std::numeric_limits<std::int64_t>::min();

struct Column {
  std::string name;
  ColumnType type = ColumnType::int64;
  std::size_t width = 1;  ///< values a row
  std::size_t rows = 0;
  std::shared_ptr<const void> owner;  ///< of `data`
  const void* data = nullptr;

  template <class Value>
  [[nodiscard]] const Value* values() const noexcept {
    return static_cast<const Value*>(data);
  }
};

template <class Value>
[[nodiscard]] constexpr ColumnType type_of() noexcept {
  if constexpr (std::is_same_v<Value, std::int64_t>) return ColumnType::int64;
  if constexpr (std::is_same_v<Value, std::uint64_t>) return ColumnType::uint64;
  if constexpr (std::is_same_v<Value, std::uint32_t>) return ColumnType::uint32;
  if constexpr (std::is_same_v<Value, std::uint8_t>) return ColumnType::uint8;
  return ColumnType::float64;
}

/// `values` row by row, `width` to a row.
template <class Value>
[[nodiscard]] Column column_of(std::string name, std::vector<Value> values, std::size_t width = 1) {
  const auto kept = std::make_shared<const std::vector<Value>>(std::move(values));
  return {.name = std::move(name),
          .type = type_of<Value>(),
          .width = width,
          .rows = kept->size() / width,
          .owner = kept,
          .data = kept->data()};
}
/// Nanoseconds since 1970.
[[nodiscard]] Column times_of(std::string name, std::vector<std::int64_t> nanoseconds);

class Table {
 public:
  /// As long as the columns before it.
  void add(Column column);
  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] const std::vector<Column>& columns() const noexcept { return columns_; }
  /// Null: there is none of that name.
  [[nodiscard]] const Column* find(std::string_view name) const noexcept;

 private:
  std::size_t rows_ = 0;
  std::vector<Column> columns_;
};

/// A whole number of 10^-decimals as the double nearest to it; NaN for k_missing. Decimals at most 18.
[[nodiscard]] double scaled_down(std::int64_t value, unsigned decimals) noexcept;

}  // namespace dojima::python
