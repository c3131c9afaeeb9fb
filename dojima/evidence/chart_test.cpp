#include "dojima/evidence/chart.hpp"

#include <gtest/gtest.h>
#include <string>

#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/report.hpp"
#include "dojima/evidence/verify.hpp"

namespace dojima::evidence {
namespace {

Chart some_bars() {
  return {.name = "reference",
          .title = "Published beside measured",
          .caption = "Lower is better.",
          .kind = ChartKind::bars,
          .x = {"statistic"},
          .y = {"time of a call", "ns", true},
          .groups = {"min", "max"},
          .curves = {{"then", {{0, 29.06}, {1, 296.02}}}, {"now", {{0, 22.5}}}}};
}

Chart some_steps() {
  return {.name = "ecdf",
          .title = "Cumulative",
          .kind = ChartKind::steps,
          .x = {"time", "ns"},
          .y = {"share"},
          .curves = {{"a", {{220, 0.25}, {230, 0.9}, {240, 1}}}}};
}

Artefact with(Chart chart) {
  Artefact run("dojima lab clocks");
  run.add_chart(std::move(chart));
  return run;
}

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(Chart, comes_back_from_the_artefact_as_it_went_in) {
  for (const Chart& chart : {some_bars(), some_steps()}) {
    const std::string text = with(chart).text();
    const Verification found = verify(text);
    EXPECT_TRUE(found.is_right()) << found.findings.front();
    const auto artefact = Artefact::from(*parse_document(text));
    ASSERT_TRUE(artefact.has_value()) << artefact.error();
    EXPECT_EQ(artefact->charts(), std::vector<Chart>{chart});
  }
}

TEST(Chart, is_refused_when_its_numbers_do_not_pair) {
  std::string text = without_white_space(with(some_steps()).text());
  text.replace(text.find("240,1"), 5, "240");
  const auto artefact = Artefact::from(*parse_document(text));
  ASSERT_FALSE(artefact.has_value());
  EXPECT_EQ(artefact.error(), "charts.curves.points: expected numbers, x and y in turn");
}

TEST(Chart, is_absent_from_artefacts_without_one) {
  EXPECT_EQ(Artefact("dojima demo").text().find("\"charts\""), std::string::npos);
}

TEST(Chart, shows_a_bar_for_every_value_and_a_dash_where_there_is_none) {
  const std::string page = report({with(some_bars())});
  EXPECT_EQ(count_of(page, "<rect class=\"bars"), 3u);
  EXPECT_NE(page.find(">\u2013<"), std::string::npos);
  EXPECT_NE(page.find("296\u00a0ns"), std::string::npos);
}

TEST(Chart, draws_steps_that_hold_their_value_until_the_next_point) {
  const std::string page = report({with(some_steps())});
  EXPECT_NE(page.find("<h2>Charts</h2>"), std::string::npos);
  const std::size_t line = page.find("class=\"line c0\"");
  ASSERT_NE(line, std::string::npos);
  const std::string path = page.substr(line, page.find("/>", line) - line);
  EXPECT_EQ(count_of(path, "L"), 4u) << path;
}

TEST(Chart, without_points_draws_nothing) {
  EXPECT_EQ(report({with({.name = "empty", .title = "Empty", .curves = {{"a", {}}}})}).find("<h2>Charts"),
            std::string::npos);
}

}  // namespace
}  // namespace dojima::evidence
