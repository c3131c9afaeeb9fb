#pragma once

// From the header of a command to the command itself: which record a type stands for is said here and nowhere else.

#include "dojima/market/command.hpp"

namespace dojima::venue {

/// The record that begins with this header; its type must say so.
template <class Command>
[[nodiscard]] const Command& as(const market::CommandHeader& header) noexcept {
  return reinterpret_cast<const Command&>(header);
}

/// Calls `handle` with the command as its own type; not at all for a type that is none.
template <class Handle>
void dispatch(const market::CommandHeader& header, Handle&& handle) {
  // Half of what comes, without a jump that has to be predicted among all kinds.
  if (header.type == market::CommandType::new_order) return handle(as<market::NewOrder>(header));
  switch (header.type) {
    case market::CommandType::new_order:
      return;  // see above
    case market::CommandType::replace:
      return handle(as<market::Replace>(header));
    case market::CommandType::cancel:
      return handle(as<market::Cancel>(header));
    case market::CommandType::logon:
    case market::CommandType::end_session:
      return handle(as<market::UserCommand>(header));
    case market::CommandType::mass_cancel:
      return handle(as<market::MassCancel>(header));
    case market::CommandType::expire:
      return handle(as<market::Expire>(header));
    case market::CommandType::phase:
      return handle(as<market::PhaseChange>(header));
    case market::CommandType::day:
      return handle(as<market::DayCommand>(header));
    case market::CommandType::setting:
      return handle(as<market::Setting>(header));
    case market::CommandType::checkpoint:
      return handle(as<market::Checkpoint>(header));
    case market::CommandType::bust_trade:
      return handle(as<market::TradeBust>(header));
    case market::CommandType::correct_trade:
      return handle(as<market::TradeCorrection>(header));
    case market::CommandType::quote:
      return handle(as<market::Quote>(header));
    case market::CommandType::risk:
      return handle(as<market::RiskCommand>(header));
    case market::CommandType::slice:
      return handle(as<market::Slice>(header));
    case market::CommandType::next_day:
      return handle(as<market::NextDay>(header));
    case market::CommandType::none:
      return;
  }
}

}  // namespace dojima::venue
