// dojima._dojima: all of the package that is C++.

#include <nanobind/nanobind.h>

#include "bind.hpp"

NB_MODULE(_dojima, module) {
  module.doc() = "Dojima's recorded data, books and back-tests.";
  dojima::python::bind_day(module);
  dojima::python::bind_book(module);
  dojima::python::bind_backtest(module);
}
