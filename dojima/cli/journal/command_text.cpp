#include "dojima/cli/journal/command_text.hpp"

#include <array>
#include <fmt/core.h>

#include "dojima/market/price.hpp"
#include "dojima/venue/limit_keys.hpp"

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

std::string_view text_of(market::TimeInForce time) {
  using enum market::TimeInForce;
  switch (time) {
    case day:
      return "day";
    case good_till_cancel:
      return "good till cancel";
    case immediate_or_cancel:
      return "immediate or cancel";
    case fill_or_kill:
      return "fill or kill";
    case at_the_opening:
      return "at the opening";
    case good_till_date:
      return "good till date";
    case good_till_time:
      return "good till time";
    case good_for_auction:
      return "good for auction";
    case at_the_close:
      return "at the close";
    case closing_price_cross:
      return "closing price cross";
    case at_closing_price:
      return "at closing price";
    case good_for_next_auction:
      return "good for next auction";
    case good_for_intraday_auction:
      return "good for intraday auction";
    case good_for_scheduled_auction:
      return "good for scheduled auction";
    case auction_volume_discovery:
      return "auction volume discovery";
    case volume_discovery_and_cross:
      return "volume discovery and cross";
  }
  return "no time in force";
}

std::string id_text(std::string_view id) {
  return id.empty() ? std::string() : fmt::format(", id {}", id);
}

std::string order_text(const market::NewOrder& order) {
  const market::OrderTerms& terms = order.terms;
  const bool has_limit = terms.type == market::OrderType::limit || terms.type == market::OrderType::stop_limit;
  const bool has_stop = terms.type == market::OrderType::stop || terms.type == market::OrderType::stop_limit;
  std::string text = fmt::format("{} {} {}", text_of(terms.side), terms.quantity.lots, text_of(terms.type));
  if (has_limit) text += fmt::format(" at {}", text_of(terms.limit));
  if (has_stop) text += fmt::format(", stop price {}", text_of(terms.stop));
  if (terms.type == market::OrderType::trailing_stop) text += fmt::format(", distance {}", text_of(terms.stop));
  if (terms.displayed.lots == 0)
    text += ", hidden";
  else if (terms.displayed != terms.quantity)
    text += fmt::format(", shows {}", terms.displayed.lots);
  if (terms.minimum.lots != 0) text += fmt::format(", at least {}", terms.minimum.lots);
  return text + fmt::format(", {}{}", text_of(terms.time_in_force), id_text(order.labels.client_order_id.view()));
}

std::string risk_text(const market::RiskCommand& command) {
  const venue::LimitKey* const key = venue::key_of(command.kind);
  std::string text = key == nullptr ? "no kind of limit" : std::string(key->name);
  if (key != nullptr && key->has_value()) text += "=" + venue::text_of_limit(*key, command.value);
  text += command.of == market::LimitOf::user      ? fmt::format(", user {}", command.header.user)
          : command.of == market::LimitOf::account ? fmt::format(", account {}", command.account.view())
                                                   : ", everybody";
  if (!command.segment.is_empty()) text += fmt::format(", segment {}", command.segment.view());
  if (command.is_cancelling) text += ", and cancels";
  text += fmt::format(", by {}", command.who.view());
  return command.why.is_empty() ? text : text + fmt::format(": {}", command.why.view());
}

/// Which order a request means.
std::string target_text(market::OrderId order, std::string_view original) {
  return order.value != 0 ? fmt::format("order {:016x}", order.value) : fmt::format("order of id {}", original);
}

}  // namespace

std::string_view name_of(CommandType type) noexcept {
  constexpr std::array<std::string_view, market::k_command_types> names{
      "none",        "new order", "replace", "cancel", "logon",    "end of session",
      "mass cancel", "expire",    "phase",   "day",    "setting",  "checkpoint",
      "bust trade",  "quote",     "risk",    "slice",  "next day", "correct trade"};
  const auto at = static_cast<std::size_t>(type);
  return at < names.size() ? names[at] : "unknown";
}

std::string_view name_of(market::OrderType type) noexcept {
  return text_of(type);
}

std::string_view name_of(market::TimeInForce time) noexcept {
  return text_of(time);
}

std::string details_of(const market::CommandHeader& header) {
  switch (header.type) {
    case CommandType::new_order:
      return order_text(as<market::NewOrder>(header));
    case CommandType::replace: {
      const auto& replace = as<market::Replace>(header);
      return fmt::format("{}: {} at {}{}", target_text(replace.order, replace.original_client_order_id.view()),
                         replace.quantity.lots, text_of(replace.limit), id_text(replace.client_order_id.view()));
    }
    case CommandType::cancel: {
      const auto& cancel = as<market::Cancel>(header);
      return target_text(cancel.order, cancel.original_client_order_id.view()) + id_text(cancel.client_order_id.view());
    }
    case CommandType::quote: {
      const auto& quote = as<market::Quote>(header);
      return fmt::format("{} at {}, {} at {}{}", quote.bid_size.lots, text_of(quote.bid), quote.ask_size.lots,
                         text_of(quote.ask), id_text(quote.labels.client_order_id.view()));
    }
    case CommandType::end_session:
      return std::string(text_of(as<market::UserCommand>(header).end));
    case CommandType::mass_cancel: {
      const auto& cancel = as<market::MassCancel>(header);
      return fmt::format("{}{}{}{}{}", text_of(cancel.side),
                         cancel.of == market::MassCancelOf::quotes ? ", quotes" : "",
                         cancel.is_everyone ? ", of everybody" : "",
                         cancel.segment.is_empty() ? "" : fmt::format(", segment {}", cancel.segment.view()),
                         id_text(cancel.client_order_id.view()));
    }
    case CommandType::expire:
      return as<market::Expire>(header).is_end_of_day ? "day orders too" : "";
    case CommandType::phase: {
      const auto& change = as<market::PhaseChange>(header);
      return fmt::format("{}{}", text_of(change.phase),
                         change.reference.units == 0 ? "" : fmt::format(", reference {}", text_of(change.reference)));
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
    case CommandType::bust_trade:
      return fmt::format("trade {}", as<market::TradeBust>(header).trade);
    case CommandType::correct_trade: {
      const auto& correction = as<market::TradeCorrection>(header);
      return fmt::format("trade {} at {}", correction.trade, text_of(correction.price));
    }
    case CommandType::risk:
      return risk_text(as<market::RiskCommand>(header));
    case CommandType::slice:
      return fmt::format("{} orders", as<market::Slice>(header).orders);
    case CommandType::next_day:
      return fmt::format("day {}", as<market::NextDay>(header).day);
    case CommandType::logon:
    case CommandType::none:
      return {};
  }
  return {};
}

}  // namespace dojima::cli
