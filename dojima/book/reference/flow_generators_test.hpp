#pragma once

// Random flows as values that RapidCheck makes shorter: a flow on which a book differs from the naive one is printed as
// the shortest scenario that still shows it.

#include <rapidcheck.h>
#include <string>
#include <utility>
#include <vector>

#include "dojima/book/reference/flow_log_test.hpp"

namespace dojima::book::testing {

/// Fewer commands, then a simpler command: what is not needed goes.
inline rc::Seq<FlowLog> shorter(const FlowLog& log) {
  return rc::seq::map(rc::shrink::removeChunks(log.commands),
                      [options = log.options](auto commands) { return FlowLog{options, std::move(commands)}; });
}

/// Flows of a hundred commands and more under rules drawn for each of them.
inline rc::Gen<FlowLog> flows(WorldOptions options, Mix mix, std::size_t commands) {
  return [=](const rc::Random& random, int) {
    rc::Random draw(random);
    return rc::shrinkable::shrinkRecur(record_flow(draw.next(), commands, options, mix),
                                       [](const FlowLog& log) { return shorter(log); });
  };
}

inline WorldOptions any_options() {
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

/// Any flow under any rules, on a book of that storage.
template <class Storage>
void says_what_the_naive_book_says() {
  const WorldOptions options = any_options();
  const FlowLog log = *flows(options, *rc::gen::element(Mix::plain, Mix::all, Mix::days), 300);
  const std::string difference = first_difference<Storage>(log, options);
  if (!difference.empty()) RC_FAIL(difference);
}

}  // namespace dojima::book::testing
