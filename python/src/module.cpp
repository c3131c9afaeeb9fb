// dojima._dojima: all of the package that is C++.

#include "arguments.hpp"
#include "bind.hpp"

#include <nanobind/nanobind.h>

NB_MODULE(_dojima, module) {
  // What a traceback still holds at the end of the interpreter is no mistake of its user's.
  nanobind::set_leak_warnings(false);
  module.doc() = "Dojima's recorded data, books and back-tests.";
  nanobind::module_::import_("atexit").attr("register")(nanobind::cpp_function(&dojima::python::WithoutLock::end));
  dojima::python::bind_table(module);
  dojima::python::bind_events(module);
  dojima::python::bind_day(module);
  dojima::python::bind_market(module);
  dojima::python::bind_book(module);
  dojima::python::bind_backtest(module);
}
