#include <cmath>
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "dojima/app/servers_test_support.hpp"
#include "dojima/cli/call_test_support.hpp"
#include "dojima/cli/trading/top_view.hpp"

namespace dojima::cli {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr std::string_view k_text =
    "# HELP dojima_orders Orders that are open\n"
    "# TYPE dojima_orders gauge\n"
    "dojima_orders{partition=\"1\"} 7\n"
    "dojima_orders{partition=\"2\",why=\"a \\\"b\\\" \\\\ c\"} 0\n"
    "# TYPE dojima_commands_total counter\n"
    "dojima_commands_total 1500\n"
    "\n"
    "dojima_lag_seconds 1.5e-05 1700000000000\n"
    "odd +Inf\n";

TEST(Top, reads_what_prometheus_reads) {
  const auto figures = parse_figures(k_text);
  ASSERT_TRUE(figures.has_value()) << figures.error();
  ASSERT_EQ(figures->size(), 5u);
  EXPECT_EQ((*figures)[0], (ShownFigure{"dojima_orders", "partition=1", 7, false}));
  EXPECT_EQ((*figures)[1], (ShownFigure{"dojima_orders", "partition=2, why=a \"b\" \\ c", 0, false}));
  EXPECT_EQ((*figures)[2], (ShownFigure{"dojima_commands_total", "", 1500, true}));
  EXPECT_EQ((*figures)[3], (ShownFigure{"dojima_lag_seconds", "", 1.5e-5, false}));
  EXPECT_TRUE(std::isinf((*figures)[4].value));
}

TEST(Top, says_which_line_is_no_figure) {
  for (const char* line : {"<html>", "name", "name x", "name{a=\"1\" 5", "name{a=1} 5", " 5", "name 5x"}) {
    const auto figures = parse_figures(std::string("good 1\n") + line + "\n");
    ASSERT_FALSE(figures.has_value()) << line;
    EXPECT_TRUE(figures.error().starts_with("line 2 is no figure: ")) << figures.error();
  }
  EXPECT_TRUE(parse_figures("").has_value());
}

TEST(Top, shows_values_in_their_units_and_how_fast_counters_grow) {
  EXPECT_EQ(figure_text("a_total", 1'500'000), "1500000");
  EXPECT_EQ(figure_text("a_seconds", 1.5e-5), "15 us");
  EXPECT_EQ(figure_text("a_seconds", -0.25), "-250 ms");
  EXPECT_EQ(figure_text("cpu_seconds_total", 12.5), "12.5 s");
  EXPECT_EQ(figure_text("a_bytes", 12'500'000), "12.5 MB");
  EXPECT_EQ(figure_text("a", 0.125), "0.125");
  TopView view({});
  view.take({{"dojima_commands_total", "", 1'000, true}, {"dojima_orders", "", 5, false}, {"none", "", 0, false}},
            Seconds{0});
  EXPECT_EQ(view.lines(), (std::vector<std::string>{"commands_total    1000", "orders               5"}));
  view.take({{"dojima_commands_total", "", 1'500, true}, {"dojima_orders", "", 9, false}}, Seconds{2});
  EXPECT_EQ(view.lines().front(), "commands_total    1500  250/s");
  view.take({{"dojima_commands_total", "", 10, true}}, Seconds{2});
  EXPECT_EQ(view.lines().front(), "commands_total    10") << "it began anew";
}

TEST(Top, chooses_by_name_or_label_and_says_what_it_leaves_out) {
  const std::vector<ShownFigure> figures = {{"a", "x=1", 1, false}, {"b", "x=2", 2, false}, {"c", "", 0, false}};
  const auto lines_of = [&](const TopOptions& options) {
    TopView view(options);
    view.take(figures, Seconds{0});
    return view.lines();
  };
  EXPECT_EQ(lines_of({.match = "x=2"}).size(), 1u);
  EXPECT_EQ(lines_of({.has_all = true}).size(), 3u);
  EXPECT_EQ(lines_of({.has_all = true, .rows = 1}).back(), "2 further figures: --match chooses");
  EXPECT_EQ(lines_of({.match = "nothing"}).front(), "no such figure that is not 0");
}

TEST(Top, shows_of_a_histogram_what_half_and_nearly_all_took_since_the_look_before) {
  const auto figures_of = [](int fast, int slow) {
    const auto text = fmt::format(
        "# TYPE x_seconds histogram\n"
        "x_seconds_bucket{{stage=\"read\",le=\"1e-06\"}} {0}\n"
        "x_seconds_bucket{{stage=\"read\",le=\"2e-06\"}} {1}\n"
        "x_seconds_bucket{{stage=\"read\",le=\"+Inf\"}} {1}\n"
        "x_seconds_sum{{stage=\"read\"}} 0.1\n"
        "x_seconds_count{{stage=\"read\"}} {1}\n"
        "x_seconds_bucket{{stage=\"send\",le=\"1e-06\"}} 0\n"
        "x_seconds_bucket{{stage=\"send\",le=\"2e-06\"}} 0\n"
        "x_seconds_bucket{{stage=\"send\",le=\"+Inf\"}} 4\n"
        "other_count 3\n",
        fast, fast + slow);
    return parse_figures(text).value();
  };
  TopView view({});
  view.take(figures_of(100, 100), Seconds{0});
  EXPECT_EQ(view.lines(), (std::vector<std::string>{"x_seconds    stage=read  p50 1 us, p99 1.98 us",
                                                    "x_seconds    stage=send     p50 2 us, p99 2 us",
                                                    "other_count                                  3"}));
  view.take(figures_of(200, 100), Seconds{2});
  EXPECT_EQ(view.lines()[0], "x_seconds    stage=read  p50 500 ns, p99 990 ns  50/s");
  EXPECT_EQ(view.lines()[1], "x_seconds    stage=send                    none   0/s");
}

TEST(Top, watches_a_running_venue) {
  app::VenueConfig config = app::testing::Market::venue_config();
  config.admin.port = 0;
  const app::testing::Market market(config);
  std::string where;
  for (const std::string& line : market.description())
    if (const std::string begin = "admin and metrics http://"; line.starts_with(begin))
      where = line.substr(begin.size(), line.find(',') - begin.size());
  const Outcome outcome = call({"top", "--connect", where, "--once", "--every", "0.2"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* words : {"live, ready", "venue_commands_total", "venue_order_limit", "partition=1",
                            "process_resident_memory_bytes", "loop_lag_seconds", "/s"})
    EXPECT_TRUE(contains(outcome.out, words)) << words << " in\n" << outcome.out;
  const Outcome chosen = call({"top", "--connect", where, "--once", "--every", "0.1", "--match", "memory"});
  EXPECT_FALSE(contains(chosen.out, "venue_")) << chosen.out;
  const Outcome half = call({"top", "--connect", where, "--connect", "127.0.0.1:1", "--once", "--every", "0.1"});
  EXPECT_EQ(half.status, 1) << half.out;
}

TEST(Top, answers_words_that_make_no_sense_and_servers_that_are_not_there) {
  const Outcome help = call({"top", "--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_TRUE(contains(help.out, "--match"));
  const Outcome wrong = call({"top", "--connect", "here"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_TRUE(contains(wrong.err, "--connect here: write HOST:PORT")) << wrong.err;
  const Outcome none = call({"top", "--connect", "127.0.0.1:1", "--once"});
  EXPECT_EQ(none.status, 3);
  EXPECT_EQ(std::ranges::count(none.err, '\n'), 2) << "what happened, and what may help: " << none.err;
}

}  // namespace
}  // namespace dojima::cli
