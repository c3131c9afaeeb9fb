#pragma once

// From the exchange to a client as a transition table: what translator_venue.cpp runs on, what the diagram in
// docs/machines shows and what the tests count. Rows are tried from the first to the last (dojima/fsm/row.hpp).
//
// The state is the order's, the events are the kinds of report. Only what can be about this request and order comes
// here (Translator::is_plausible), so a pair that no row answers is a broken invariant.

#include <string_view>

#include "dojima/fsm/row.hpp"
#include "dojima/gateway/translator.hpp"

namespace dojima::gateway {

/// What a report brings; rows take the part that they need.
struct Translator::Told {
  Request& request;
  const market::OwnerReport& report;
  std::uint16_t order_reason = 0;   ///< OrdRejReason(103) of a refusal
  std::uint16_t change_reason = 0;  ///< CxlRejReason(102) of a refusal
  std::string_view text{};
  bool is_suspended = false;        ///< of a refusal: the venue or a part of it is closed for now
  bool is_change_answered = false;  ///< of an execution: it answers a cancel or replace
};

struct Translator::ExchangeToClient {
  using State = OrderState;
  using Event = market::OwnerReportKind;

  static constexpr std::string_view name = "gateway-exchange-to-client";
  static constexpr std::string_view purpose = "What the venue reports and what the FIX client is told";
  static constexpr State initial = State::pending_new;
  static constexpr std::array states{State::pending_new, State::live,    State::suspended, State::filled,
                                     State::cancelled,   State::expired, State::rejected,  State::lost};
  static constexpr bool is_observed = true;

  static constexpr auto open = fsm::one_of(State::pending_new, State::live, State::suspended);
  static constexpr auto closed =
      fsm::one_of(State::filled, State::cancelled, State::expired, State::rejected, State::lost);
  static constexpr auto leaves_told = fsm::one_of(Event::traded, Event::replaced);

  // clang-format off
  using rows = fsm::Rows<
      // Executions: the record has changed already, now the state follows and the client is told.
      fsm::Row<open,               Event::accepted,          State::suspended, &Translator::tell_parked,        &Translator::is_parked>,
      fsm::Row<open,               Event::accepted,          State::live,      &Translator::tell>,
      fsm::Row<open,               leaves_told,              State::filled,    &Translator::tell_end,           &Translator::is_used_up>,
      fsm::Row<State::suspended,   leaves_told,              fsm::keep_state,  &Translator::tell,               &Translator::is_parked>,
      fsm::Row<open,               leaves_told,              State::live,      &Translator::tell>,
      fsm::Row<open,               Event::cancelled,         State::cancelled, &Translator::tell_end>,
      fsm::Row<open,               Event::expired,           State::expired,   &Translator::tell_end>,
      // The order was refused.
      fsm::Row<State::pending_new, Event::rejected,          State::rejected,  &Translator::reject_order>,
      fsm::Row<open,               Event::business_rejected, State::rejected,  &Translator::end_unavailable,    &Translator::is_unavailable_new>,
      fsm::Row<open,               Event::business_rejected, State::rejected,  &Translator::reject_order,       &Translator::is_new>,
      // A cancel or replace was refused; the order, if it is still there, lives on.
      fsm::Row<open,               Event::business_rejected, fsm::keep_state,  &Translator::tell_unavailable,   &Translator::is_suspended>,
      fsm::Row<open,               fsm::one_of(Event::request_rejected, Event::business_rejected),
                                                             State::lost,      &Translator::lose_order,         &Translator::is_gone>,
      fsm::Row<open,               fsm::one_of(Event::request_rejected, Event::business_rejected),
                                                             fsm::keep_state,  &Translator::reject_change>,
      fsm::Row<closed,             Event::business_rejected, fsm::keep_state,  &Translator::settle_unavailable, &Translator::is_suspended>,
      fsm::Row<closed,             fsm::one_of(Event::request_rejected, Event::business_rejected),
                                                             fsm::keep_state,  &Translator::reject_late_change>>;
  // clang-format on
};

}  // namespace dojima::gateway
