#pragma once

// What a back-test was given as its strategy: the name of a built-in one, a class or another callable that makes one
// for each run, or an object. Hold the interpreter's lock.

#include <nanobind/nanobind.h>

#include "dojima/backtest/backtest.hpp"

namespace dojima::python {

namespace nb = nanobind;

class StrategyMaker {
 public:
  /// Writes the strategy's name into the settings, and the parameters of a built-in one. Throws ValueError for what is
  /// none, or what its parameters are not.
  void read(nb::object strategy, nb::handle parameters, backtest::BacktestSettings& settings);

  /// Otherwise it is a built-in one.
  [[nodiscard]] bool is_python() const { return maker_.is_valid(); }
  /// The object of a run; what its class throws comes through.
  [[nodiscard]] nb::object make() const;

  /// The collector of circles asks what of Python's this holds, and to let go of it.
  int traverse(visitproc visit, void* arg) const;
  void clear();

 private:
  nb::object maker_;  // a class, or the object itself
  nb::dict keywords_;
  bool is_class_ = false;
};

}  // namespace dojima::python
