// Random flows as values that RapidCheck makes shorter, on the book and the naive one.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "dojima/book/reference/flow_generators_test.hpp"
#include "dojima/book/script.hpp"

namespace dojima::book::testing {
namespace {

RC_GTEST_PROP(FlowLogs, are_said_alike_by_the_ladder, ()) {
  says_what_the_naive_book_says<Book>();
}
// ---- That a difference is found and made short ----

/// The shortest flow, as RapidCheck shows it, on which the book differs from a naive one with other rules.
std::string shortest_difference(const WorldOptions& options, const WorldOptions& expected, Mix mix = Mix::all) {
  std::string shown;
  const auto property = [&] {
    const FlowLog log = *flows(options, mix, 300);
    if (first_difference<Book>(log, expected).empty()) return;
    shown = scenario_of(log);  // the last that failed is the shortest
    RC_FAIL("it differs");
  };
  const auto result =
      rc::detail::checkTestable(property, rc::detail::TestMetadata{}, rc::detail::TestParams{.seed = 7});
  EXPECT_TRUE(result.template is<rc::detail::FailureResult>());
  return shown;
}

int commands_of(const std::string& scenario) {
  int count = 0;
  std::istringstream lines(scenario);
  for (std::string line; std::getline(lines, line);)
    count += line.starts_with("book") || line.starts_with("time") || line.starts_with("#") ? 0 : 1;
  return count;
}

TEST(FlowLogs, that_differ_are_shrunk_to_the_few_commands_that_matter) {
  const WorldOptions plain{.orders = 40, .levels = 24};
  WorldOptions one_level = plain, size_first = plain, no_self_trades = plain, one_order = plain;
  one_level.levels = 1;
  size_first.rules.policy = Policy::size_time;
  no_self_trades.rules.self_trade = SelfTrade::cancel_newest;
  one_order.orders = 1;
  const struct {
    const char* what;
    const WorldOptions& expected;
    int most;
  } cases[] = {{"a level more than there may be", one_level, 2},
               {"size does not come before time", size_first, 3},
               {"one's own orders trade", no_self_trades, 2},
               {"an order more than there may be", one_order, 2}};
  for (const auto& each : cases) {
    const std::string scenario = shortest_difference(plain, each.expected);
    EXPECT_GE(commands_of(scenario), 1) << each.what;
    EXPECT_LE(commands_of(scenario), each.most) << each.what << '\n' << scenario;
    const ScriptResult run = run_script(scenario);
    EXPECT_EQ(run.trouble, "") << scenario;
  }
}

TEST(FlowLogs, are_printed_as_scenarios_that_say_what_the_flow_says) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const WorldOptions options{.orders = 40, .levels = 24};
    FlowLog log = record_flow(seed, 400, options, Mix::all);
    // What has no word is left out on both sides.
    std::erase_if(log.commands, [&](const LoggedCommand& logged) {
      return scenario_of({options, {logged}}).find('#') != std::string::npos;
    });
    QuietBook<Book> book(options);
    FlowNames names;
    std::uint64_t sequence = 0;
    std::size_t reports = 0;
    for (const LoggedCommand& logged : log.commands) {
      const auto said =
          std::visit([&](const auto& command) { return book.apply(++sequence, command); }, names.resolved(logged));
      names.learn(logged, said);
      reports += said.size();
    }
    const ScriptResult run = run_script(scenario_of(log));
    EXPECT_EQ(run.trouble, "");
    EXPECT_EQ(static_cast<std::size_t>(std::count(run.printed.begin(), run.printed.end(), '>')), reports);
  }
}

}  // namespace
}  // namespace dojima::book::testing
