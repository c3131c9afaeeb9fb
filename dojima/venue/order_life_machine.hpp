#pragma once

// The life of an order at the venue as a transition table: what the partition runs every report of a book through, what
// the diagram in docs/machines shows and what the tests count. Rows are tried from the first to the last
// (dojima/fsm/row.hpp). A pair that no row answers is a broken invariant: a book that reports it stops the process.

#include <array>
#include <string_view>

#include "dojima/fsm/row.hpp"
#include "dojima/venue/partition/order_life_actions.hpp"
#include "dojima/venue/partition/owned_orders.hpp"

namespace dojima::venue {

struct OrderLife {
  using State = OwnedOrders::OrderState;
  using Owners = OwnedOrders;
  using Event = market::BookReportKind;

  static constexpr std::string_view name = "venue-order";
  static constexpr std::string_view purpose = "The life of an order at the venue, driven by what its book reports";
  static constexpr State initial = State::entering;
  static constexpr std::array states{State::entering,  State::live,    State::partly_filled, State::filled,
                                     State::cancelled, State::expired, State::rejected,      State::suspended};
  static constexpr bool is_observed = true;

  static constexpr auto working = fsm::one_of(State::live, State::partly_filled);
  static constexpr auto alive = fsm::one_of(State::live, State::partly_filled, State::suspended);

  // clang-format off
  using rows = fsm::Rows<
      fsm::Row<State::entering, Event::accepted,  State::live,          &Owners::enter>,
      // A refused request for an order that is not there concerns no order; a refused order never lives.
      fsm::Row<State::entering, Event::rejected,  fsm::keep_state,      fsm::no_action,             &Owners::is_request>,
      fsm::Row<State::entering, Event::rejected,  State::rejected>,
      // It comes to wait outside the book, and enters later; owners hear of it with full reports only.
      fsm::Row<working,          Event::parked,   State::suspended,     &Owners::suspend,        &Owners::is_full>,
      fsm::Row<State::suspended, Event::added,    State::partly_filled, &Owners::enter_book,     &Owners::has_executions>,
      fsm::Row<State::suspended, Event::added,    State::live,          &Owners::enter_book>,
      // The market's data, or a request that was refused: the order lives on unchanged.
      fsm::Row<working,         Event::added,     fsm::keep_state>,
      fsm::Row<alive,           Event::rejected,  fsm::keep_state>,
      fsm::Row<alive,           Event::parked,    fsm::keep_state>,
      fsm::Row<alive,           Event::replenished, fsm::keep_state,    &Owners::restate_peak,   &Owners::is_full>,
      fsm::Row<alive,           Event::replenished, fsm::keep_state>,
      // It trades now as the aggressor.
      fsm::Row<alive,           Event::triggered, fsm::keep_state,      &Owners::take_up>,
      fsm::Row<alive,           Event::reduced,   fsm::keep_state,      &Owners::give_up>,
      fsm::Row<alive,           Event::traded,    State::filled,        &Owners::end_filled,     &Owners::is_used_up>,
      fsm::Row<alive,           Event::traded,    State::partly_filled>,
      // The end of a call gives an order its limit; nobody asked for it.
      fsm::Row<alive,           Event::replaced,  fsm::keep_state,      &Owners::restate_price,  &Owners::is_repriced>,
      fsm::Row<alive,           Event::replaced,  fsm::keep_state,      fsm::no_action,             &Owners::is_unsolicited>,
      fsm::Row<State::suspended, Event::replaced, fsm::keep_state,      &Owners::change>,
      fsm::Row<working,         Event::replaced,  State::partly_filled, &Owners::change,         &Owners::has_executions>,
      fsm::Row<working,         Event::replaced,  State::live,          &Owners::change>,
      fsm::Row<alive,           Event::cancelled, State::cancelled,     &Owners::end_cancelled>,
      fsm::Row<alive,           Event::expired,   State::expired,       &Owners::end_expired>>;
  // clang-format on
};

}  // namespace dojima::venue
