#pragma once

// Tests that run once in each dialect of MIT203: both sides of a test speak `dialect_under_test()`.
//
//   class RecoveryRule : public mit::InEachDialect {};
//   INSTANTIATE_TEST_SUITE_P(, RecoveryRule, mit::k_each_dialect, mit::dialect_name);
//   TEST_P(RecoveryRule, n_1_...) { ... }

#include <algorithm>
#include <gtest/gtest.h>
#include <string>

#include "dojima/mit/dialect.hpp"

namespace dojima::mit {

inline const Dialect*& dialect_under_test_pointer() {
  static const Dialect* dialect = &lse_21_2::k_dialect;
  return dialect;
}
/// LSE-21.2, but for the parameter of a test InEachDialect.
inline const Dialect& dialect_under_test() {
  return *dialect_under_test_pointer();
}

class InEachDialect : public ::testing::TestWithParam<const Dialect*> {
 protected:
  InEachDialect() { dialect_under_test_pointer() = GetParam(); }
  ~InEachDialect() override { dialect_under_test_pointer() = &lse_21_2::k_dialect; }
};

/// "LSE_21_2": for names of tests.
inline std::string dialect_name(const ::testing::TestParamInfo<const Dialect*>& info) {
  std::string name(info.param->name);
  std::ranges::replace_if(name, [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
}

inline const auto k_each_dialect = ::testing::Values(&lse_21_2::k_dialect, &bit_9_4::k_dialect, &lse_11_8_5::k_dialect);

}  // namespace dojima::mit
