#include "dojima/harness/flame_graph.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace dojima::harness {
namespace {

FlameGraph graph_of_three() {
  FlameGraph graph{.title = "match", .unit = "instructions"};
  graph.add(std::vector<std::string>{"apply"}, 100);
  graph.add(std::vector<std::string>{"apply", "fill<4>"}, 250);
  graph.add(std::vector<std::string>{"apply", "rest"}, 50);
  graph.add(std::vector<std::string>{"apply", "rest"}, 100);
  return graph;
}

TEST(FlameGraph, stacks_of_the_same_functions_are_one_bar) {
  const FlameGraph graph = graph_of_three();
  EXPECT_EQ(graph.root.total(), 500);
  EXPECT_EQ(graph.root.callees.at("apply").callees.at("rest").self, 150);
}

TEST(FlameGraph, a_bar_is_as_wide_as_what_was_counted_in_it_and_below) {
  const std::string svg = flame_svg(graph_of_three());
  EXPECT_NE(svg.find("data-x=\"0.000000\" data-w=\"1.000000\" data-n=\"apply\""), std::string::npos) << svg;
  EXPECT_NE(svg.find("data-x=\"0.000000\" data-w=\"0.500000\" data-n=\"fill&lt;4&gt;\""), std::string::npos);
  EXPECT_NE(svg.find("data-x=\"0.500000\" data-w=\"0.300000\" data-n=\"rest\""), std::string::npos);
  EXPECT_NE(svg.find("<title>rest: 150.0 instructions, 30.00 %</title>"), std::string::npos);
}

TEST(FlameGraph, nothing_is_fetched_and_the_script_is_our_own) {
  const std::string alone = flame_svg(graph_of_three());
  EXPECT_NE(alone.find("<script>"), std::string::npos);
  for (const char* outside : {"href", "src=", "url(", "@import", "http://www.w3.org/1999"})
    EXPECT_EQ(alone.find(outside), std::string::npos) << outside;
  EXPECT_EQ(flame_svg(graph_of_three(), FlamePlace::in_page).find("<script"), std::string::npos);
}

TEST(FlameGraph, what_is_too_narrow_to_see_is_left_out) {
  FlameGraph graph = graph_of_three();
  graph.add(std::vector<std::string>{"apply", "glance"}, 0.1);
  EXPECT_EQ(flame_svg(graph).find("glance"), std::string::npos);
}

TEST(FlameGraph, nothing_counted_is_a_drawing_without_bars) {
  EXPECT_EQ(flame_svg({.title = "risk", .unit = "instructions"}).find("<rect"), std::string::npos);
}

}  // namespace
}  // namespace dojima::harness
