#pragma once

// Which of the engines runs the translator's two transition tables: the one that fsm chooses by measurement, unless a
// build names another to measure it (bench/gateway).

#include "dojima/fsm/machine.hpp"

namespace dojima::gateway {

#ifdef DOJIMA_TRANSLATOR_ENGINE
template <class Table>
using TranslatorEngine = DOJIMA_TRANSLATOR_ENGINE<Table>;
#else
template <class Table>
using TranslatorEngine = fsm::DefaultEngine<Table>;
#endif

}  // namespace dojima::gateway
