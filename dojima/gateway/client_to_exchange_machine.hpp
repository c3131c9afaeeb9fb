#pragma once

// From a client to the exchange as a transition table: what ClientToExchange runs on, what the diagram in
// docs/machines shows and what the tests count. Rows are tried from the first to the last (dojima/fsm/row.hpp).
//
// The state is that of the order that a message addresses, when the message comes; what the venue reports later is the
// other direction's (exchange_to_client_machine.hpp). Events are message types under the code that MsgType(35) has,
// and that a command was sent.

#include <array>
#include <cstdint>
#include <string_view>

#include "dojima/fsm/row.hpp"
#include "dojima/gateway/translator/client_to_exchange.hpp"

namespace dojima::gateway {

struct ClientToExchange::Machine {
  using State = TargetState;
  enum class Event : std::uint32_t {
    new_order_single = 'D',
    order_cancel_request = 'F',
    order_cancel_replace_request = 'G',
    order_status_request = 'H',
    order_mass_cancel_request = 'q',
    order_mass_status_request = static_cast<std::uint32_t>(fix::type::k_order_mass_status_request),
    dont_know_trade = 'Q',
    security_list_request = 'x',
    security_definition_request = 'c',
    trading_session_status_request = 'g',
    user_request = static_cast<std::uint32_t>(fix::type::k_user_request),
    quote = 'S',
    quote_cancel = 'Z',
    business_message_reject = 'j',
    sent = fix::k_msg_type_end,  // above all codes of message types
  };

  static constexpr std::string_view name = "gateway-client-to-exchange";
  static constexpr std::string_view purpose = "What a FIX client asks for and what the venue is sent";
  static constexpr State initial = State::absent;
  static constexpr std::array entries{State::id_used, State::closed, State::lost};  // found by the order's id
  static constexpr bool is_total = true;
  static constexpr bool is_observed = true;

  static constexpr auto change = fsm::one_of(Event::order_cancel_request, Event::order_cancel_replace_request);
  static constexpr auto request =
      fsm::one_of(Event::new_order_single, Event::order_cancel_request, Event::order_cancel_replace_request);

  // clang-format off
  using rows = fsm::Rows<
      fsm::Row<fsm::match_all,        request,                 fsm::keep_state,       &ClientToExchange::refuse_unavailable,     &ClientToExchange::is_venue_down>,
      // A new order.
      fsm::Row<State::id_used,        Event::new_order_single, fsm::keep_state,       &ClientToExchange::answer_possible_resend, &ClientToExchange::is_possible_resend>,
      fsm::Row<State::id_used,        Event::new_order_single, fsm::keep_state,       &ClientToExchange::refuse_duplicate_order>,
      fsm::Row<State::absent,         Event::new_order_single, fsm::keep_state,       &ClientToExchange::try_new_order>,
      fsm::Row<State::absent,         Event::sent,             State::open,           &ClientToExchange::count_sent>,
      // A change of an order that is there.
      fsm::Row<fsm::match_all,        change,                  fsm::keep_state,       &ClientToExchange::refuse_duplicate_change, &ClientToExchange::is_id_known>,
      fsm::Row<State::absent,         change,                  fsm::keep_state,       &ClientToExchange::refuse_unknown>,
      fsm::Row<State::lost,           change,                  fsm::keep_state,       &ClientToExchange::refuse_lost>,
      fsm::Row<State::closed,         change,                  fsm::keep_state,       &ClientToExchange::refuse_too_late>,
      fsm::Row<State::change_pending, change,                  fsm::keep_state,       &ClientToExchange::try_chain, &ClientToExchange::may_chain>,
      fsm::Row<State::change_pending, change,                  fsm::keep_state,       &ClientToExchange::refuse_pending>,
      fsm::Row<State::open,           Event::order_cancel_request,         fsm::keep_state, &ClientToExchange::try_cancel>,
      fsm::Row<State::open,           Event::order_cancel_replace_request, fsm::keep_state, &ClientToExchange::try_replace>,
      fsm::Row<State::open,           Event::sent,             State::change_pending, &ClientToExchange::count_sent_change>,
      // Of many orders, or none.
      fsm::Row<fsm::match_all,        Event::order_mass_cancel_request,    fsm::keep_state, &ClientToExchange::try_mass_cancel>,
      fsm::Row<fsm::match_all,        Event::quote,                        fsm::keep_state, &ClientToExchange::try_quote>,
      fsm::Row<fsm::match_all,        Event::quote_cancel,                 fsm::keep_state, &ClientToExchange::try_quote_cancel>,
      fsm::Row<fsm::match_all,        Event::order_status_request,         fsm::keep_state, &ClientToExchange::answer_status>,
      fsm::Row<fsm::match_all,        Event::order_mass_status_request,    fsm::keep_state, &ClientToExchange::answer_mass_status>,
      fsm::Row<fsm::match_all,        Event::dont_know_trade,              fsm::keep_state, &ClientToExchange::note_unknown_trade>,
      // About the market and the client.
      fsm::Row<fsm::match_all,        Event::security_list_request,          fsm::keep_state, &ClientToExchange::answer_securities>,
      fsm::Row<fsm::match_all,        Event::security_definition_request,    fsm::keep_state, &ClientToExchange::answer_definition>,
      fsm::Row<fsm::match_all,        Event::trading_session_status_request, fsm::keep_state, &ClientToExchange::answer_trading_session>,
      fsm::Row<fsm::match_all,        Event::user_request,                   fsm::keep_state, &ClientToExchange::answer_user>,
      // Nothing that we translate. An answer to an answer could go on for ever.
      fsm::Row<fsm::match_all,        Event::business_message_reject,      fsm::keep_state, &ClientToExchange::count_unsupported>,
      fsm::Row<fsm::match_all,        fsm::match_all,          fsm::keep_state,       &ClientToExchange::refuse_unsupported>>;
  // clang-format on
};

}  // namespace dojima::gateway
