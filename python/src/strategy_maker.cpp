#include "strategy_maker.hpp"

#include "arguments.hpp"
#include "strategy.hpp"

#include <algorithm>
#include <array>
#include <nanobind/stl/string.h>
#include <string>
#include <utility>

namespace dojima::python {
namespace {

bool has_callback(nb::handle object) {
  return std::ranges::any_of(std::array{"on_begin", "on_event", "on_trade", "on_book", "on_report", "on_timer",
                                        "on_wake", "on_batch", "on_end"},
                             [&](const char* name) { return nb::hasattr(object, name); });
}

}  // namespace

void StrategyMaker::read(nb::object strategy, nb::handle parameters, backtest::BacktestSettings& settings) {
  if (!parameters.is_none() && PyDict_Check(parameters.ptr()) == 0) refuse("parameters takes a dict");
  const nb::dict given = parameters.is_none() ? nb::dict() : nb::borrow<nb::dict>(parameters);
  for (const auto& [name, value] : given)
    if (PyUnicode_Check(name.ptr()) == 0) refuse("parameters have names");
  if (PyUnicode_Check(strategy.ptr()) != 0) {
    settings.strategy = nb::cast<std::string>(strategy);
    for (const auto& [name, value] : given) {
      const auto word = nb::cast<std::string>(name);
      settings.parameters[word] = decimal_of(value, word.c_str());
    }
    if (const auto made = backtest::make_strategy(settings.strategy, settings.parameters); !made) refuse(made.error());
    return;
  }
  maker_ = std::move(strategy);
  keywords_ = given;
  is_class_ = PyType_Check(maker_.ptr()) != 0 || (PyCallable_Check(maker_.ptr()) != 0 && !has_callback(maker_));
  if (!is_class_ && given.size() != 0) refuse("parameters are for a class or a name; this strategy has been made");
  const nb::handle named = is_class_ ? nb::handle(maker_) : nb::handle(maker_.type());
  settings.strategy = nb::cast<std::string>(nb::getattr(named, "__name__", nb::str("strategy")));
  // An object now, so that its errors are reported now.
  if (!is_class_) static_cast<void>(callbacks_of(maker_));
  if (is_class_) refuse_unknown_callbacks(maker_);
  if (PyType_Check(maker_.ptr()) != 0 && !has_callback(maker_))
    refuse("the strategy has no method that would be called: on_wake, on_book, on_event, ...");
}

nb::object StrategyMaker::make() const {
  if (!is_class_) return maker_;
  const nb::object none = nb::steal(PyTuple_New(0));
  nb::object made = nb::steal(PyObject_Call(maker_.ptr(), none.ptr(), keywords_.ptr()));
  if (!made.is_valid()) throw nb::python_error();
  return made;
}

int StrategyMaker::traverse(visitproc visit, void* arg) const {
  Py_VISIT(maker_.ptr());
  Py_VISIT(keywords_.ptr());
  return 0;
}

void StrategyMaker::clear() {
  maker_.reset();
  keywords_.reset();
}

}  // namespace dojima::python
