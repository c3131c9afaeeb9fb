#include "dojima/evidence/table.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace dojima::evidence {
namespace {

TEST(Table, stands_in_columns_with_numbers_to_the_right_and_reasons_below) {
  Table table{"hold", "events held and fired", {{"container"}, {"n"}, {"ns_per_event", 1}, {"seed", 0, false}}};
  table.add_row({"run_wheel", 1'000'000, 17.04, 1});
  table.add_row({"heap", 64, Unmeasured{"needs hardware counters"}, 1});
  table.notes.emplace_back("two rounds");
  EXPECT_EQ(to_text(table),
            "hold: events held and fired\n"
            "\n"
            "container          n  ns_per_event\n"
            "run_wheel  1,000,000          17.0\n"
            "heap              64             -\n"
            "\n"
            "ns_per_event -: needs hardware counters\n"
            "two rounds\n");
}

TEST(Table, marks_figures_that_have_not_settled) {
  Table table{
      "hold", "", {{"container"}, {"n"}, {"ns_per_event"}, {"vs_baseline"}, {"bytes_per_event"}, {"converged"}}};
  table.add_row({"heap", 1, 17.04, 1.5, 8, true});
  table.add_row({"wheel", 2, 7.0, 0.5, 9, false});
  EXPECT_EQ(to_text(table),
            "hold\n"
            "\n"
            "container  n  ns_per_event  vs_baseline  bytes_per_event  converged\n"
            "heap       1         17.04         1.50                8        yes\n"
            "wheel      2         ~7.00        ~0.50                9         no\n"
            "\n"
            "~: has not settled\n");
  EXPECT_TRUE(is_unsettled(table, 1, 2));
  EXPECT_FALSE(is_unsettled(table, 1, 4)) << "bytes do not hang on the machine's mood";
}

TEST(Table, says_each_reason_once_and_whose_it_is) {
  Table table{"queue", "", {{"n"}, {"p10"}, {"p50"}, {"max"}}};
  table.add_row({3, Unmeasured{"too few"}, Unmeasured{"too few"}, Unmeasured{"no fill"}});
  table.add_row({4, Unmeasured{"too few"}, 1.5, 2.5});
  EXPECT_EQ(to_text(table),
            "queue\n\nn  p10   p50   max\n3    -     -     -\n4    -  1.50  2.50\n\n"
            "p10, p50 -: too few\nmax -: no fill\n");
}

TEST(Table, of_a_figure_a_row_names_rows_and_shows_each_with_its_decimals) {
  Table table{"run", "", {{"what"}, {"value", 1}}};
  table.add_row({"elapsed", 1.25});
  table.add_row({"profit", -0.00013});
  table.add_row({"sharpe", Unmeasured{"too few steps"}});
  table.add_row({"sortino", Unmeasured{"too few steps"}});
  table.row_decimals = {-1, 5};
  EXPECT_EQ(to_text(table),
            "run\n\nwhat        value\nelapsed       1.2\nprofit   -0.00013\nsharpe          -\nsortino         -\n\n"
            "sharpe, sortino -: too few steps\n");
}

TEST(Table, finds_columns_by_name) {
  const Table table{"t", "", {{"a"}, {"b"}}};
  EXPECT_EQ(table.column("b"), 1u);
  EXPECT_EQ(table.column("c"), 2u);
}

TEST(Cell, takes_numbers_text_and_yes_or_no_for_what_they_are) {
  EXPECT_EQ(*Cell(7u).integer(), 7);
  EXPECT_EQ(*Cell(1.5).real(), 1.5);
  EXPECT_EQ(*Cell("text").text(), "text");
  EXPECT_EQ(Cell(true).integer(), nullptr);
  EXPECT_EQ(to_text(Cell(true), 0), "yes");
  EXPECT_EQ(to_text(Cell(-1234567), 0), "-1,234,567");
  EXPECT_EQ(to_text(Cell(-123), 0), "-123");
  EXPECT_EQ(Cell(3).number(), 3.0);
  EXPECT_TRUE(std::isnan(Cell("x").number()));
}

TEST(Cell, holds_no_number_that_is_not_finite) {
  EXPECT_FALSE(Cell(std::numeric_limits<double>::quiet_NaN()).is_measured());
  EXPECT_FALSE(Cell(std::numeric_limits<double>::infinity()).is_measured());
}

}  // namespace
}  // namespace dojima::evidence
