#pragma once

// For tests of what studies answer with.

#include <gtest/gtest.h>
#include <string>

#include "dojima/evidence/artefact.hpp"

namespace dojima::instruments {

/// The table of this name; a failure of the test, and some other table, if there is none.
inline const evidence::Table& table_named(const evidence::Artefact& artefact, const std::string& name) {
  for (const evidence::Table& table : artefact.tables()) {
    if (table.name == name) return table;
  }
  ADD_FAILURE() << "no table " << name;
  return artefact.tables().front();
}

}  // namespace dojima::instruments
