#include "dojima/cli/journal/command_text.hpp"

#include <array>
#include <fmt/core.h>

#include "dojima/market/price.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::cli {
namespace {

using market::CommandType;

template <class Command>
const Command& as(const market::CommandHeader& header) {
  return reinterpret_cast<const Command&>(header);
}

std::string text_of(market::Price price) {
  std::array<char, market::k_price_text_max> text{};
  return std::string(market::format_price(price, text));
}

std::string_view text_of(market::Side side) {
  return side == market::Side::buy ? "buy" : side == market::Side::sell ? "sell" : "both sides";
}

std::string_view text_of(market::OrderType type) {
  switch (type) {
    case market::OrderType::market:
      return "market";
    case market::OrderType::limit:
      return "limit";
    case market::OrderType::stop:
      return "stop";
    case market::OrderType::stop_limit:
      return "stop limit";
    case market::OrderType::market_to_limit:
      return "market to limit";
    case market::OrderType::trailing_stop:
      return "trailing stop";
    case market::OrderType::none:
      break;
  }
  return "no type";
}

std::string_view text_of(market::SessionEnd end) {
  switch (end) {
    case market::SessionEnd::logout:
      return "logout";
    case market::SessionEnd::disconnect:
      return "disconnect";
    case market::SessionEnd::forced:
      return "forced";
    case market::SessionEnd::none:
      break;
  }
  return "no reason";
}

std::string_view text_of(market::Phase phase) {
  constexpr std::array<std::string_view, market::k_phases> names{
      "continuous",   "opening call",        "intraday call", "reopening call",
      "closing call", "closing price cross", "halted",        "closed"};
  const auto at = static_cast<std::size_t>(phase);
  return at < names.size() ? names[at] : "no phase";
}

std::string_view text_of(market::DayEvent event) {
  constexpr std::array<std::string_view, 7> names{
      "none", "begin", "due", "beyond the dynamic band", "beyond the static band", "halt", "resume"};
  const auto at = static_cast<std::size_t>(event);
  return at < names.size() ? names[at] : "no event";
}

std::string order_text(const market::NewOrder& order) {
  const market::OrderTerms& terms = order.terms;
  std::string text = fmt::format("{} {} {}", text_of(terms.side), terms.quantity.lots, text_of(terms.type));
  if (terms.limit.units != 0) text += fmt::format(" at {}", text_of(terms.limit));
  if (terms.stop.units != 0) text += fmt::format(" stop {}", text_of(terms.stop));
  if (terms.displayed != terms.quantity) text += fmt::format(" shows {}", terms.displayed.lots);
  if (terms.minimum.lots != 0) text += fmt::format(" minimum {}", terms.minimum.lots);
  return text + fmt::format(", time in force {}, id {}", static_cast<int>(terms.time_in_force),
                            order.labels.client_order_id.view());
}

/// Which order a request means.
std::string target_text(market::OrderId order, std::string_view original) {
  return order.value != 0 ? fmt::format("order {:016x}", order.value) : fmt::format("order of id {}", original);
}

}  // namespace

std::string_view name_of(CommandType type) noexcept {
  constexpr std::array<std::string_view, 12> names{"none",           "new order",   "replace", "cancel", "logon",
                                                   "end of session", "mass cancel", "expire",  "phase",  "day",
                                                   "setting",        "checkpoint"};
  const auto at = static_cast<std::size_t>(type);
  return at < names.size() ? names[at] : "unknown";
}

std::string details_of(const market::CommandHeader& header) {
  switch (header.type) {
    case CommandType::new_order:
      return order_text(as<market::NewOrder>(header));
    case CommandType::replace: {
      const auto& replace = as<market::Replace>(header);
      return fmt::format("{}: {} at {}, id {}", target_text(replace.order, replace.original_client_order_id.view()),
                         replace.quantity.lots, text_of(replace.limit), replace.client_order_id.view());
    }
    case CommandType::cancel: {
      const auto& cancel = as<market::Cancel>(header);
      return fmt::format("{}, id {}", target_text(cancel.order, cancel.original_client_order_id.view()),
                         cancel.client_order_id.view());
    }
    case CommandType::end_session:
      return std::string(text_of(as<market::UserCommand>(header).end));
    case CommandType::mass_cancel: {
      const auto& cancel = as<market::MassCancel>(header);
      return fmt::format("{}{}, segment {}, id {}", text_of(cancel.side), cancel.is_everyone ? ", of everybody" : "",
                         cancel.segment.is_empty() ? "any" : cancel.segment.view(), cancel.client_order_id.view());
    }
    case CommandType::expire:
      return as<market::Expire>(header).is_end_of_day ? "day orders too" : "";
    case CommandType::phase: {
      const auto& change = as<market::PhaseChange>(header);
      return fmt::format("{}, reference {}", text_of(change.phase), text_of(change.reference));
    }
    case CommandType::day: {
      const auto& day = as<market::DayCommand>(header);
      return fmt::format("{}{}", text_of(day.event),
                         day.segment.is_empty() ? "" : fmt::format(", segment {}", day.segment.view()));
    }
    case CommandType::setting: {
      const auto& setting = as<market::Setting>(header);
      std::string text(setting.text, std::min<std::size_t>(setting.size, sizeof setting.text));
      for (char& character : text)
        if (character == '\n') character = '|';
      return text;
    }
    case CommandType::checkpoint:
      return fmt::format("{:016x}", as<market::Checkpoint>(header).digest);
    case CommandType::logon:
    case CommandType::none:
      return {};
  }
  return {};
}

}  // namespace dojima::cli
