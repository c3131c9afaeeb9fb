// Tables as Python sees them: NumPy's arrays and Arrow's streams over their columns.

#include "arrow.hpp"
#include "bind.hpp"
#include "table.hpp"

#include <array>
#include <fmt/core.h>
#include <memory>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <string>
#include <utility>

namespace dojima::python {
namespace {

namespace nb = nanobind;
using Bare = nb::ndarray<nb::array_api, nb::ro, nb::device::cpu>;

const Column& column_named(const Table& table, const std::string& name) {
  if (const Column* column = table.find(name)) return *column;
  throw nb::key_error(name.c_str());
}

nb::dlpack::dtype dtype_of(ColumnType type) {
  switch (type) {
    case ColumnType::uint64:
      return nb::dtype<std::uint64_t>();
    case ColumnType::uint32:
      return nb::dtype<std::uint32_t>();
    case ColumnType::uint8:
      return nb::dtype<std::uint8_t>();
    case ColumnType::float64:
      return nb::dtype<double>();
    case ColumnType::int64:
    case ColumnType::time:
      break;
  }
  return nb::dtype<std::int64_t>();
}

/// The column's memory, which NumPy, DLPack's users and memoryview() take as it is.
nb::object bare_column(const Table& table, const std::string& name) {
  const Column& column = column_named(table, name);
  auto* kept = new std::shared_ptr<const void>(column.owner);
  const nb::capsule owner(kept, [](void* held) noexcept { delete static_cast<std::shared_ptr<const void>*>(held); });
  const std::array<std::size_t, 2> shape{column.rows, column.width};
  // An empty vector has no memory, which an array must have.
  static const std::int64_t nothing = 0;
  const void* data = column.data == nullptr ? &nothing : column.data;
  return nb::cast(Bare(data, column.width == 1 ? 1 : 2, shape.data(), owner, nullptr, dtype_of(column.type)));
}

/// Raises ImportError with what to do.
nb::object numpy_for(const std::string& name) {
  try {
    return nb::module_::import_("numpy");
  } catch (nb::python_error& thrown) {
    if (!thrown.matches(PyExc_ImportError)) throw;
    throw nb::import_error(fmt::format("a column as an array needs NumPy, which is not installed: pip install "
                                       "dojima[numpy]; column(\"{}\") and Arrow go without",
                                       name)
                               .c_str());
  }
}

nb::object numpy_column(const Table& table, const std::string& name) {
  const nb::object bare = bare_column(table, name);
  const nb::object array = numpy_for(name).attr("asarray")(bare);
  return column_named(table, name).type == ColumnType::time ? nb::object(array.attr("view")("datetime64[ns]")) : array;
}

nb::list names_of(const Table& table) {
  nb::list names;
  for (const Column& column : table.columns()) names.append(column.name);
  return names;
}

nb::object stream_of(std::shared_ptr<Table> table) {
  constexpr const char* k_name = "arrow_array_stream";
  const auto release = [](PyObject* capsule) {
    auto* stream = static_cast<ArrowStream*>(PyCapsule_GetPointer(capsule, "arrow_array_stream"));
    if (stream == nullptr) return;
    if (stream->release != nullptr) stream->release(stream);
    delete stream;
  };
  return nb::steal(PyCapsule_New(to_arrow(std::move(table)), k_name, release));
}

std::string shown_table(const Table& table) {
  std::string names;
  for (const Column& column : table.columns()) names += (names.empty() ? "" : ", ") + column.name;
  return fmt::format("<dojima.Table of {} rows: {}>", table.rows(), names);
}

}  // namespace

void bind_table(nb::module_& module) {
  nb::class_<Table>(
      module, "Table",
      "Columns of equal length. table[\"name\"] is a NumPy array without a copy; Polars, pandas, DuckDB and "
      "PyArrow take the whole table through Arrow's PyCapsule interface.")
      .def("__len__", &Table::rows)
      .def("__getitem__", &numpy_column, nb::arg("name"), nb::sig("def __getitem__(self, name: str, /) -> typing.Any"),
           "The column as a NumPy array that may only be read; times as datetime64[ns]. Raises KeyError; ImportError "
           "where NumPy is not installed.")
      .def("column", &bare_column, nb::arg("name"), nb::sig("def column(self, name: str) -> typing.Any"),
           "The column's memory without NumPy: memoryview() and DLPack take it. Raises KeyError.")
      .def("keys", &names_of, nb::sig("def keys(self) -> list[str]"), "The columns' names, in order.")
      .def(
          "__iter__", [](const Table& table) { return nb::iter(names_of(table)); },
          nb::sig("def __iter__(self) -> typing.Iterator[str]"))
      .def(
          "__contains__", [](const Table& table, const std::string& name) { return table.find(name) != nullptr; },
          nb::arg("name"))
      .def(
          "__arrow_c_stream__", [](std::shared_ptr<Table> table, nb::handle) { return stream_of(std::move(table)); },
          nb::arg("requested_schema") = nb::none(),
          nb::sig("def __arrow_c_stream__(self, requested_schema: object = None) -> object"))
      .def("__repr__", &shown_table);
}

}  // namespace dojima::python
