// Generated markets as Python sees them.

#include "arguments.hpp"
#include "bind.hpp"
#include "market.hpp"
#include "market_keys.hpp"

#include <fmt/core.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <utility>

namespace dojima::python {
namespace {

/// What makes no sense in spite of its keys: of several of them, or of a length that is no key.
std::shared_ptr<PythonMarket> checked(backtest::MarketConfig config) {
  if (const std::string trouble = complaint(config); !trouble.empty()) refuse("market: " + trouble);
  return std::make_shared<PythonMarket>(PythonMarket{std::move(config)});
}

nb::dict dict_of(nb::handle value, const char* argument) {
  if (PyDict_Check(value.ptr()) == 0) refuse(fmt::format("{} takes a dict", argument));
  return nb::borrow<nb::dict>(value);
}

void set_length(backtest::MarketConfig& config, nb::handle length) {
  if (length.is_none()) return;
  config.length = duration_of(length, "length");
  if (config.length == Duration{}) refuse("length takes a time above 0");
}

std::shared_ptr<PythonMarket> make_market(nb::handle config, nb::handle length) {
  backtest::MarketConfig made = market_of(dict_of(config, "config"), nb::dict());
  set_length(made, length);
  return checked(std::move(made));
}

/// With other values of these keys, and the same of all others.
std::shared_ptr<PythonMarket> changed(const PythonMarket& market, nb::handle keys) {
  const nb::dict changes = dict_of(keys, "keys");
  backtest::MarketConfig made = market_of(keys_of(market.config), changes);
  if (!changes.contains("market.length_ms")) made.length = market.config.length;
  return checked(std::move(made));
}

std::shared_ptr<Day> day(const PythonMarket& market) {
  SignalWatch watch;
  std::shared_ptr<Day> made;
  {
    const WithoutLock free;
    made = day_of_market(market.config, [&] { return watch.is_interrupted(); });
  }
  watch.raise();
  return made;
}

std::string shown_market(const PythonMarket& market) {
  std::size_t participants = 0;
  for (const backtest::Population& of : market.config.populations) participants += of.count;
  return fmt::format("<dojima.Market of {} instruments and {} participants, seed {}, {} s>",
                     market.config.instruments.size(), participants, market.config.seed,
                     static_cast<double>(market.config.length.count()) / 1e9);
}

}  // namespace

void bind_market(nb::module_& module) {
  nb::class_<PythonMarket>(
      module, "Market",
      "A generated market: participants who trade with each other (docs/backtest.md). market() makes it. It does not "
      "change; Backtest and sweep() take it in the place of a day, and day() is its record when no strategy trades.")
      .def(nb::new_(&make_market), nb::arg("config"), nb::arg("length") = nb::none())
      .def_prop_ro("seed", [](const PythonMarket& market) { return market.config.seed; })
      .def_prop_ro(
          "length", [](const PythonMarket& market) { return market.config.length.count(); }, "In nanoseconds.")
      .def_prop_ro(
          "start", [](const PythonMarket& market) { return market.config.start.time_since_epoch().count(); },
          "When it begins, nanoseconds since 1970.")
      .def_prop_ro(
          "config", [](const PythonMarket& market) { return keys_of(market.config); },
          nb::sig("def config(self) -> dict[str, typing.Any]"),
          "Every key with its value, by table; market() takes it back.")
      .def("changed", &changed, nb::arg("keys"), nb::sig("def changed(self, keys: dict[str, typing.Any]) -> Market"),
           "Another one, with other values of these keys: {\"market.seed\": 7, \"population.0.count\": 40}. Raises "
           "ValueError.")
      .def("day", &day, nb::sig("def day(self) -> Day"),
           "All of its events, as a day of orders without a recorder's clock: 64 bytes an event. The same at each "
           "call. Ctrl-C ends it.")
      .def(
          "__reduce__",
          [](nb::handle self) {
            const auto& market = nb::cast<const PythonMarket&>(self);
            return nb::make_tuple(self.type(), nb::make_tuple(keys_of(market.config), market.config.length.count()));
          },
          nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"))
      .def(
          "__eq__",
          [](const PythonMarket& one, nb::handle other) {
            return nb::isinstance<PythonMarket>(other) && one.config == nb::cast<const PythonMarket&>(other).config;
          },
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__",
           [](const PythonMarket& market) {
             return static_cast<std::int64_t>(
                 (market.config.seed ^ static_cast<std::uint64_t>(market.config.length.count())) >> 2);
           })
      .def("__repr__", &shown_market);
}

}  // namespace dojima::python
