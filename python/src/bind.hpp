#pragma once

// The parts of the extension dojima._dojima, each of which adds its names to the module.

#include <nanobind/nanobind.h>

namespace dojima::python {

void bind_table(nanobind::module_& module);
void bind_events(nanobind::module_& module);
void bind_day(nanobind::module_& module);     // behind both
void bind_market(nanobind::module_& module);  // behind days
void bind_book(nanobind::module_& module);
void bind_desk(nanobind::module_& module);
void bind_result(nanobind::module_& module);
void bind_backtest(nanobind::module_& module);  // behind all of them

}  // namespace dojima::python
