// Recorded events and instruments as Python sees them, and days that are made of tables.

#include "arguments.hpp"
#include "arrow.hpp"
#include "bind.hpp"
#include "day.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <memory>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dojima/market/price.hpp"

namespace dojima::python {
namespace {

using recorded::EventKind;
using recorded::k_unknown;

nb::object whole_or_none(std::int64_t value) {
  return value == k_unknown ? nb::none() : nb::object(nb::int_(value));
}

RecordedInstrument make_instrument(const std::string& symbol, unsigned price_decimals, unsigned quantity_decimals,
                                   std::int64_t tick, std::uint64_t number) {
  if (price_decimals > market::k_scaled_decimals_max || quantity_decimals > market::k_scaled_decimals_max)
    refuse(fmt::format("decimals are 0 to {}; got {} and {}", market::k_scaled_decimals_max, price_decimals,
                       quantity_decimals));
  if (tick < 0) refuse(fmt::format("tick is 0 (not known) or above, in units of the price; got {}", tick));
  return {.symbol = symbol,
          .number = number,
          .price_decimals = static_cast<std::uint8_t>(price_decimals),
          .quantity_decimals = static_cast<std::uint8_t>(quantity_decimals),
          .tick = tick};
}

// ---- Events in -----------------------------------------------------------------------------------------------------

Table table_of_stream(nb::handle source) {
  const nb::object capsule = source.attr("__arrow_c_stream__")();
  auto* stream = static_cast<ArrowStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
  if (stream == nullptr) throw nb::python_error();
  if (stream->release == nullptr) refuse("the table's Arrow stream has been used up");
  auto table = from_arrow(*stream);
  if (!table) refuse(table.error());
  return *std::move(table);
}

template <class Value>
std::vector<Value> values_of(const nb::ndarray<nb::ro>& array) {
  std::vector<Value> values(array.shape(0));
  const auto* from = static_cast<const Value*>(array.data());
  for (std::size_t row = 0; row < values.size(); ++row)
    values[row] = from[static_cast<std::int64_t>(row) * array.stride(0)];
  return values;
}

/// Columns by name, each an array or a sequence.
Table table_of_mapping(nb::handle source) {
  Table table;
  const nb::object keys = source.attr("keys")();
  for (const nb::handle key : keys) {
    if (PyUnicode_Check(key.ptr()) == 0) refuse("columns have names");
    const auto name = nb::cast<std::string>(key);
    nb::object value = nb::borrow(source[key]);
    // Times of NumPy are whole numbers underneath, which DLPack does not know.
    if (nb::hasattr(value, "dtype") && nb::hasattr(value.attr("dtype"), "kind") &&
        nb::cast<std::string>(value.attr("dtype").attr("kind")) == "M")
      value = value.attr("astype")("datetime64[ns]").attr("view")("int64");
    nb::ndarray<nb::ro> array;
    std::optional<Column> column;
    if (is_array(value) && nb::try_cast(value, array) && array.ndim() == 1) {
      if (array.dtype() == nb::dtype<std::uint64_t>()) column = column_of(name, values_of<std::uint64_t>(array));
      if (array.dtype() == nb::dtype<double>()) column = column_of(name, values_of<double>(array));
    }
    if (!column) {
      const Numbers numbers(value, name.c_str());
      if (!numbers.rows()) refuse("column " + name + " takes an array");
      std::vector<std::int64_t> whole(*numbers.rows());
      for (std::size_t row = 0; row < whole.size(); ++row) whole[row] = numbers[row];
      column = column_of(name, std::move(whole));
    }
    if (!table.columns().empty() && column->rows != table.rows())
      refuse(fmt::format("column {} has {} rows, {} has {}", name, column->rows, table.columns().front().name,
                         table.rows()));
    table.add(*std::move(column));
  }
  return table;
}

std::shared_ptr<Day> events(nb::handle source, nb::handle instruments) {
  std::vector<RecordedInstrument> named;
  if (nb::isinstance<RecordedInstrument>(instruments)) {
    named.push_back(nb::cast<RecordedInstrument>(instruments));
  } else if (!nb::try_cast(instruments, named)) {
    refuse("instruments takes an Instrument or a list of them");
  }
  Table table;
  if (nb::hasattr(source, "__arrow_c_stream__")) {
    table = table_of_stream(source);
  } else if (nb::hasattr(source, "keys")) {
    table = table_of_mapping(source);
  } else {
    refuse("events takes a table with columns: a mapping of arrays, or what Arrow reads");
  }
  auto day = day_of(table, std::move(named));
  if (!day) refuse(day.error());
  return *day;
}

}  // namespace

void bind_events(nb::module_& module) {
  nb::enum_<market::Side>(module, "Side", nb::is_arithmetic(), "Of an order, or of who took in a trade.")
      .value("NONE", market::Side::none, "Not known.")
      .value("BUY", market::Side::buy)
      .value("SELL", market::Side::sell);
  auto kinds = nb::enum_<EventKind>(module, "EventKind", nb::is_arithmetic(), "What happened (docs/recorded-data.md).");
  for (std::uint8_t kind = 0; kind < recorded::k_event_kinds; ++kind) {
    std::string name(recorded::name_of(static_cast<EventKind>(kind)));
    std::ranges::transform(name, name.begin(), [](char letter) {
      return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 32) : letter;
    });
    kinds.value(name.c_str(), static_cast<EventKind>(kind));
  }

  nb::class_<RecordedInstrument>(module, "Instrument",
                                 "What is traded: prices are whole numbers of 10**-price_decimals.")
      .def(nb::new_(&make_instrument), nb::arg("symbol") = "", nb::arg("price_decimals") = 8,
           nb::arg("quantity_decimals") = 0, nb::arg("tick") = 0, nb::arg("number") = 0)
      .def_ro("symbol", &RecordedInstrument::symbol)
      .def_ro("number", &RecordedInstrument::number, "The feed's own, or 0.")
      .def_ro("price_decimals", &RecordedInstrument::price_decimals)
      .def_ro("quantity_decimals", &RecordedInstrument::quantity_decimals)
      .def_ro("tick", &RecordedInstrument::tick, "Smallest step of prices in units of the price; 0: not known.")
      .def(
          "__eq__",
          [](const RecordedInstrument& one, nb::handle other) {
            return nb::isinstance<RecordedInstrument>(other) && one == nb::cast<RecordedInstrument>(other);
          },
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__repr__", [](const RecordedInstrument& one) {
        return fmt::format("Instrument(symbol='{}', price_decimals={}, quantity_decimals={}, tick={}, number={})",
                           one.symbol, one.price_decimals, one.quantity_decimals, one.tick, one.number);
      });

  nb::class_<RecordedEvent>(module, "Event", "One recorded event. What the feed does not have is None.")
      .def_prop_ro(
          "event_time", [](const RecordedEvent& event) { return moment_or_none(event.event_time); },
          nb::sig("def event_time(self) -> int | None"), "By the exchange's clock, nanoseconds since 1970.")
      .def_prop_ro(
          "receive_time", [](const RecordedEvent& event) { return moment_or_none(event.receive_time); },
          nb::sig("def receive_time(self) -> int | None"), "By the recorder's clock, nanoseconds since 1970.")
      .def_prop_ro(
          "price", [](const RecordedEvent& event) { return whole_or_none(event.price); },
          nb::sig("def price(self) -> int | None"), "In units of the instrument's price.")
      .def_prop_ro(
          "quantity", [](const RecordedEvent& event) { return whole_or_none(event.quantity); },
          nb::sig("def quantity(self) -> int | None"), "In units of the instrument's quantity.")
      .def_ro("order", &RecordedEvent::order)
      .def_ro("other", &RecordedEvent::other)
      .def_ro("sequence", &RecordedEvent::sequence)
      .def_ro("instrument", &RecordedEvent::instrument)
      .def_ro("kind", &RecordedEvent::kind)
      .def_ro("side", &RecordedEvent::side)
      .def_ro("flags", &RecordedEvent::flags)
      .def_ro("code", &RecordedEvent::code)
      .def("__repr__", [](const RecordedEvent& event) {
        return fmt::format("<dojima.Event {} of instrument {}>", recorded::name_of(event.kind), event.instrument);
      });

  module.def("events", &events, nb::arg("table"), nb::arg("instruments"),
             nb::sig("def events(table: object, instruments: Instrument | typing.Sequence[Instrument]) -> Day"),
             "A day from a table with the columns of Day.events(): anything that Arrow reads, or a mapping of arrays. "
             "Needs kind "
             "and event_time or receive_time. Raises ValueError with the row that makes no sense.");
}

}  // namespace dojima::python
