// Random flows as values that RapidCheck makes shorter: a flow on which a book differs from the naive one is printed as
// the shortest scenario that still shows it.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "dojima/book/flow_log_test.hpp"
#include "dojima/book/script.hpp"

namespace dojima::book::testing {
namespace {

/// Fewer commands, then a simpler command: what is not needed goes.
rc::Seq<FlowLog> shorter(const FlowLog& log) {
  return rc::seq::map(rc::shrink::removeChunks(log.commands),
                      [options = log.options](auto commands) { return FlowLog{options, std::move(commands)}; });
}

/// Flows of a hundred commands and more under rules drawn for each of them.
rc::Gen<FlowLog> flows(WorldOptions options, Mix mix, std::size_t commands) {
  return [=](const rc::Random& random, int) {
    rc::Random draw(random);
    return rc::shrinkable::shrinkRecur(record_flow(draw.next(), commands, options, mix),
                                       [](const FlowLog& log) { return shorter(log); });
  };
}

WorldOptions any_options() {
  WorldOptions options{.orders = *rc::gen::inRange<std::size_t>(1, 40),
                       .levels = *rc::gen::inRange<std::size_t>(1, 10),
                       .hidden_levels = *rc::gen::inRange<std::size_t>(1, 10),
                       .stop_levels = *rc::gen::inRange<std::size_t>(1, 10),
                       .buffer = *rc::gen::inRange<std::size_t>(1, 5)};
  options.rules.policy = *rc::gen::element(Policy::fifo, Policy::pro_rata, Policy::top_pro_rata, Policy::size_time);
  options.rules.self_trade = *rc::gen::element(SelfTrade::allowed, SelfTrade::cancel_newest, SelfTrade::cancel_oldest,
                                               SelfTrade::cancel_both, SelfTrade::decrement);
  options.rules.scope = *rc::gen::element(SelfTradeScope::owner, SelfTradeScope::account, SelfTradeScope::group);
  options.rules.accounts = *rc::gen::container<std::vector<std::uint16_t>>(rc::gen::inRange<std::uint16_t>(0, 3));
  options.rules.most_peaks = *rc::gen::inRange<std::int64_t>(1, 100);
  return options;
}

template <class Storage>
void says_what_the_naive_book_says() {
  const WorldOptions options = any_options();
  const FlowLog log = *flows(options, *rc::gen::element(Mix::plain, Mix::all, Mix::days), 300);
  const std::string difference = first_difference<Storage>(log, options);
  if (!difference.empty()) RC_FAIL(difference);
}

RC_GTEST_PROP(FlowLogs, are_said_alike_by_the_ladder, ()) {
  says_what_the_naive_book_says<LadderBook>();
}
RC_GTEST_PROP(FlowLogs, are_said_alike_by_intrusive_lists, ()) {
  says_what_the_naive_book_says<IntrusiveBook>();
}
RC_GTEST_PROP(FlowLogs, are_said_alike_by_the_pooled_map, ()) {
  says_what_the_naive_book_says<PooledBook>();
}
RC_GTEST_PROP(FlowLogs, are_said_alike_by_the_map, ()) {
  says_what_the_naive_book_says<MapBook>();
}

// ---- That a difference is found and made short ----

/// The shortest flow, as RapidCheck shows it, on which the book differs from a naive one with other rules.
std::string shortest_difference(const WorldOptions& options, const WorldOptions& expected, Mix mix = Mix::all) {
  std::string shown;
  const auto property = [&] {
    const FlowLog log = *flows(options, mix, 300);
    if (first_difference<LadderBook>(log, expected).empty()) return;
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
    QuietBook<LadderBook> book(options);
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
