#include "dojima/queueing/formulas/erlang.hpp"

#include <gtest/gtest.h>

#include "dojima/queueing/queueing_test_support.hpp"

namespace dojima::queueing {
namespace {

TEST(ErlangB, has_the_reference_values) {
  struct Row {
    std::uint32_t servers;
    double offered;
    double loss;
  };
  const Row rows[] = {{1, .5, 1 / 3.0},
                      {2, 1, 0.2},
                      {5, 3, 0.1100543478261},
                      {10, 5, 0.01838457033665},
                      {10, 8, 0.121661064253},
                      {20, 15, 0.04559321558981},
                      {100, 80, 0.003992028604553},
                      {100, 100, 0.07570045271086},
                      {120, 100, 0.00569005460687},
                      {1000, 1000, 0.02481191764616}};
  for (const Row& row : rows) expect_close(erlang_b(row.servers, row.offered), row.loss);
}

TEST(ErlangB, is_inverted) {
  struct Row {
    std::uint32_t servers;
    double loss;
    double offered;
  };
  const Row rows[] = {{1, .01, 0.01010101010101}, {5, .01, 1.360786796663},  {10, .01, 4.461176857578},
                      {20, .01, 12.0306145949},   {50, .01, 37.90139808852}, {100, .01, 84.06415889395},
                      {10, .001, 3.092044997889}};
  for (const Row& row : rows) {
    expect_close(*offered_for_loss(row.servers, row.loss), row.offered, 1e-11);
    EXPECT_EQ(*servers_for_loss(row.offered * (1 - 1e-9), row.loss), row.servers);
    EXPECT_EQ(*servers_for_loss(row.offered * (1 + 1e-9), row.loss), row.servers + 1);
  }
}

TEST(ErlangC, has_the_reference_values) {
  struct Row {
    std::uint32_t servers;
    double offered;
    double delayed;
  };
  const Row rows[] = {{1, .8, 0.8},
                      {2, 1, 1 / 3.0},
                      {2, 1.6, 0.7111111111111},
                      {3, 2, 4 / 9.0},
                      {4, 3.2, 0.5964324717874},
                      {5, 4, 0.5541125541126},
                      {10, 8, 0.4091801507964},
                      {10, 9, 0.6687315241077},
                      {20, 18, 0.5507690048161},
                      {100, 90, 0.2169404809064}};
  for (const Row& row : rows) {
    expect_close(erlang_c(row.servers, row.offered), row.delayed);
    expect_close(*offered_for_delay(row.servers, row.delayed), row.offered, 1e-11);
    EXPECT_EQ(*servers_for_delay(row.offered * (1 - 1e-9), row.delayed), row.servers);
  }
  EXPECT_EQ(erlang_c(2, 2), 1);
}

TEST(Erlang, holds_for_ten_thousand_servers_at_every_load) {
  // Where B is small, the sum over states shows it again: B = P(n = c) of a Poisson law, cut off.
  EXPECT_EQ(erlang_b(10'000, 10), 0);  // below what a double holds
  EXPECT_EQ(erlang_c(10'000, 10), 0);
  const double loss = erlang_b(10'000, 9'990);
  double weight = 1;  // relative to the last state, downwards
  double sum = 0;
  for (double n = 10'000; n > 0; --n) sum += weight, weight *= n / 9'990;
  expect_close(loss, 1 / (sum + weight), 1e-11);
  expect_close(erlang_c(10'000, 9'990), loss / (1 - 0.999 * (1 - loss)));
}

TEST(Erlang, refuses_what_makes_no_sense) {
  EXPECT_EQ(offered_for_loss(0, 0.5).error().kind, RefusalKind::impossible);
  EXPECT_EQ(offered_for_loss(1, 1).error().text, "a share of 1; it must lie between 0 and 1");
  EXPECT_EQ(servers_for_loss(-1, 0.1).error().text, "an offered load of -1; it must be above 0");
  EXPECT_FALSE(servers_for_delay(1e9, 0.1));
}

}  // namespace
}  // namespace dojima::queueing
