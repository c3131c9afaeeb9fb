#pragma once

// Which rows of a room's machines its tests exercise. One line in a test file of the room:
//
//   const auto* const coverage = testing::AddGlobalTestEnvironment(new fsm::test::RowCoverage<Session::Machine>);
//
// The report is printed at the end of every run of the whole program. Where DOJIMA_ROW_COVERAGE is set (the test
// whole.dojima_<room>_tests, which runs all tests in one process), a row that no test exercised is a failure.

#include <array>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "dojima/fsm/description.hpp"
#include "dojima/fsm/machine.hpp"

namespace dojima::fsm::test {

template <class... Definitions>
class RowCoverage final : public testing::Environment {
 public:
  void SetUp() override {
    std::size_t at = 0;
    (observe<Definitions>(&hits_[at++]), ...);
  }

  void TearDown() override {
    (observe<Definitions>(nullptr), ...);
    std::size_t at = 0;
    (report(describe<Definitions>(), hits_[at++]), ...);
  }

 private:
  static void report(const Description& machine, const RowHits& hits) {
    // A process that runs a part of the tests only cannot know.
    if (const char* shards = std::getenv("GTEST_TOTAL_SHARDS"); shards != nullptr && std::string_view(shards) != "1")
      return;
    const std::string text = coverage_report(machine, hits);
    std::fputs(text.c_str(), stdout);
    if (std::getenv("DOJIMA_ROW_COVERAGE") != nullptr) {
      EXPECT_TRUE(hits.never_hit().empty()) << text;
    }
  }

  std::array<RowHits, sizeof...(Definitions)> hits_{RowHits(Table<Definitions>::k_rows)...};
};

}  // namespace dojima::fsm::test
