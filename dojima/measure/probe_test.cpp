#include "dojima/measure/probe.hpp"

#include <gtest/gtest.h>

namespace dojima::measure {
namespace {

TEST(StageColumns, keeps_the_first_mark_of_each_number) {
  StageColumns columns(2, 4);
  columns.mark_at(0, 1, time::Ticks{100});
  columns.mark_at(0, 1, time::Ticks{200});
  columns.mark_at(1, 4, time::Ticks{300});
  EXPECT_EQ(columns.at(0, 1).count, 100u);
  EXPECT_EQ(columns.at(0, 0).count, 0u);
  EXPECT_EQ(columns.at(1, 4).count, 0u);
  EXPECT_EQ(columns.dropped(1), 1u);
  columns.mark(1, 3);
  EXPECT_GT(columns.at(1, 3).count, 0u);
}

TEST(StageColumns, joins_the_gateways_number_with_the_clients) {
  StageColumns columns(1, 4);
  columns.bind(2, 77);
  columns.bind(9, 1);
  EXPECT_EQ(columns.client_number(2), 77u);
  EXPECT_EQ(columns.client_number(0), StageColumns::k_unbound);
}

}  // namespace
}  // namespace dojima::measure
