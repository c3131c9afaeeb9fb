#pragma once

// From the exchange to a client as a transition table: what ExchangeToClient runs on, what the diagram in
// docs/machines shows and what the tests count. Rows are tried from the first to the last (dojima/fsm/row.hpp).
//
// The state is the order's, the events are the kinds of report. Only what can be about this request and order comes
// here (translator/report_check.hpp), so a pair that no row answers is a broken invariant.

#include <string_view>

#include "dojima/fsm/row.hpp"
#include "dojima/gateway/translator/exchange_to_client.hpp"

namespace dojima::gateway {

struct ExchangeToClient::Machine {
  using State = OrderState;
  using Event = market::OwnerReportKind;

  static constexpr std::string_view name = "gateway-exchange-to-client";
  static constexpr std::string_view purpose = "What the venue reports and what the FIX client receives";
  static constexpr State initial = State::pending_new;
  static constexpr std::array states{State::pending_new, State::live,    State::suspended, State::filled,
                                     State::cancelled,   State::expired, State::rejected,  State::lost};
  static constexpr bool is_observed = true;

  static constexpr auto open = fsm::one_of(State::pending_new, State::live, State::suspended);
  static constexpr auto entered = fsm::one_of(State::pending_new, State::live);
  static constexpr auto unfilled = fsm::one_of(State::pending_new, State::live, State::suspended, State::cancelled,
                                               State::expired, State::rejected, State::lost);
  static constexpr auto closed =
      fsm::one_of(State::filled, State::cancelled, State::expired, State::rejected, State::lost);
  static constexpr auto every = fsm::one_of(State::pending_new, State::live, State::suspended, State::filled,
                                            State::cancelled, State::expired, State::rejected, State::lost);
  static constexpr auto says_leaves = fsm::one_of(Event::traded, Event::replaced);
  static constexpr auto change_refused = fsm::one_of(Event::request_rejected, Event::business_rejected);

  // clang-format off
  using rows = fsm::Rows<
      // Executions: the record has changed already, now the state follows and the client is sent a report.
      fsm::Row<open,               Event::accepted,          State::suspended, &ExchangeToClient::report_parked,             &ExchangeToClient::is_parked>,
      fsm::Row<open,               Event::accepted,          State::live,      &ExchangeToClient::report>,
      fsm::Row<open,               says_leaves,              State::filled,    &ExchangeToClient::report_closed,             &ExchangeToClient::is_filled>,
      fsm::Row<State::suspended,   says_leaves,              fsm::keep_state,  &ExchangeToClient::report,                    &ExchangeToClient::is_parked>,
      fsm::Row<open,               says_leaves,              State::live,      &ExchangeToClient::report>,
      fsm::Row<open,               Event::suspended,         State::suspended, &ExchangeToClient::report_parked>,
      fsm::Row<State::suspended,   Event::restated,          fsm::keep_state,  &ExchangeToClient::report>,
      fsm::Row<entered,            Event::restated,          State::live,      &ExchangeToClient::report>,
      fsm::Row<open,               Event::cancelled,         State::cancelled, &ExchangeToClient::report_closed>,
      fsm::Row<open,               Event::expired,           State::expired,   &ExchangeToClient::report_closed>,
      // The venue has it after all, and has executed some of it before it was cancelled there.
      fsm::Row<State::lost,        Event::traded,            fsm::keep_state,  &ExchangeToClient::report>,
      // A trade was busted. What it took from an order that is over nobody executes any more.
      fsm::Row<State::filled,      Event::trade_cancelled,   State::cancelled, &ExchangeToClient::report>,
      fsm::Row<unfilled,           Event::trade_cancelled,   fsm::keep_state,  &ExchangeToClient::report>,
      // A trade has another price.
      fsm::Row<every,              Event::trade_corrected,   fsm::keep_state,  &ExchangeToClient::report>,
      // The order was refused.
      fsm::Row<State::pending_new, Event::rejected,          State::rejected,  &ExchangeToClient::reject_order>,
      fsm::Row<open,               Event::business_rejected, State::rejected,  &ExchangeToClient::reject_order_unavailable,  &ExchangeToClient::is_new_order_unavailable>,
      fsm::Row<open,               Event::business_rejected, State::rejected,  &ExchangeToClient::reject_order,              &ExchangeToClient::is_new_order>,
      // No report: the venue that had the order is gone, or has lost it.
      fsm::Row<open,               Event::none,              State::lost,      &ExchangeToClient::report_lost>,
      // A cancel or replace was refused; the order, if it is still there, lives on.
      fsm::Row<open,               Event::business_rejected, fsm::keep_state,  &ExchangeToClient::reject_change_unavailable, &ExchangeToClient::is_venue_suspended>,
      fsm::Row<open,               change_refused,           State::lost,      &ExchangeToClient::lose_order,                &ExchangeToClient::is_order_gone>,
      fsm::Row<open,               change_refused,           fsm::keep_state,  &ExchangeToClient::reject_change>,
      fsm::Row<closed,             Event::business_rejected, fsm::keep_state,  &ExchangeToClient::reject_late_change_unavailable, &ExchangeToClient::is_venue_suspended>,
      fsm::Row<closed,             change_refused,           fsm::keep_state,  &ExchangeToClient::reject_late_change>>;
  // clang-format on
};

}  // namespace dojima::gateway
