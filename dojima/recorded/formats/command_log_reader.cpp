#include "dojima/recorded/formats/command_log_reader.hpp"

#include <algorithm>

#include "dojima/recorded/market_state.hpp"

namespace dojima::recorded {
namespace {

using market::CommandType;

constexpr std::array<std::string_view, market::k_command_types> k_type_names = {
    "none",        "new order", "replace", "cancel", "logon",    "end of session",
    "mass cancel", "expire",    "phase",   "day",    "setting",  "checkpoint",
    "bust trade",  "quote",     "risk",    "slice",  "next day", "correct trade"};

template <class Command>
Command as(Bytes command) noexcept {
  return load_little<Command>(command, 0);
}

market::Side side_of(Bytes command) {
  switch (as<market::CommandHeader>(command).type) {
    case CommandType::new_order:
      return as<market::NewOrder>(command).terms.side;
    case CommandType::replace:
      return as<market::Replace>(command).side;
    case CommandType::cancel:
      return as<market::Cancel>(command).side;
    default:
      return market::Side::none;
  }
}

}  // namespace

CommandLogReader::CommandLogReader(ByteSource& source) : window_(source) {}

std::vector<TypeCount> CommandLogReader::type_counts() const {
  std::vector<TypeCount> counts;
  for (std::size_t at = 0; at < k_type_names.size(); ++at)
    if (counts_[at] != 0) counts.push_back({std::string(k_type_names[at]), counts_[at]});
  return counts;
}

Bytes CommandLogReader::next_command() {
  const auto fail_here = [this](std::string text) {
    fail({std::move(text), window_.position()});
    return Bytes();
  };
  if (has_failed()) return {};
  const bool has_header = window_.require(sizeof(market::CommandHeader));
  if (!window_.trouble().empty()) return fail_here(window_.trouble());
  if (!has_header) return window_.rest().empty() ? Bytes() : fail_here("the file is cut within a command");
  const auto header = as<market::CommandHeader>(window_.rest());
  const std::size_t size = market::size_of(header.type);
  if (size == 0) return fail_here("no command is of type " + std::to_string(static_cast<unsigned>(header.type)));
  if (header.sequence.value != last_ + 1)
    return fail_here("command " + std::to_string(header.sequence.value) + " behind command " + std::to_string(last_));
  if (!window_.require(size)) return fail_here("the file is cut within a command");
  if (header.time < last_time_) return fail_here("a command of a time before that of the one in front of it");
  const auto side = static_cast<unsigned>(side_of(window_.rest().first(size)));
  if (side > static_cast<unsigned>(market::Side::sell))
    return fail_here("a command on side " + std::to_string(side) + ", which there is not");
  std::ranges::copy(window_.rest().first(size), command_.begin());
  window_.consume(size);
  last_ = header.sequence.value;
  last_time_ = header.time;
  ++counts_[static_cast<std::size_t>(header.type)];
  return Bytes(command_).first(size);
}

void CommandLogReader::decode(EventBatch& batch) {
  while (!batch.is_full()) {
    const Bytes command = next_command();
    if (command.empty()) return;
    add(batch, command);
  }
}

void CommandLogReader::add(EventBatch& batch, Bytes command) {
  const auto header = as<market::CommandHeader>(command);
  RecordedEvent& event = batch.add();
  event.kind = EventKind::request;
  event.event_time = header.time;
  event.sequence = header.sequence.value;
  event.instrument = index_of(header.instrument);
  event.code = static_cast<std::uint8_t>(header.type);
  event.other = header.user;
  event.flags = k_last;
  switch (header.type) {
    case CommandType::new_order: {
      const auto terms = as<market::NewOrder>(command).terms;
      event.side = terms.side;
      event.quantity = terms.quantity.lots;
      const bool has_limit = terms.type == market::OrderType::limit || terms.type == market::OrderType::stop_limit;
      if (has_limit) event.price = terms.limit.units;
      return;
    }
    case CommandType::replace: {
      const auto replace = as<market::Replace>(command);
      event.order = replace.order.value;
      event.side = replace.side;
      event.price = replace.limit.units;
      event.quantity = replace.quantity.lots;
      return;
    }
    case CommandType::cancel: {
      const auto cancel = as<market::Cancel>(command);
      event.order = cancel.order.value;
      event.side = cancel.side;
      return;
    }
    case CommandType::phase: {
      const auto change = as<market::PhaseChange>(command);
      event.kind = EventKind::status;
      event.code = static_cast<std::uint8_t>(state_of(change.phase));
      event.order = static_cast<std::uint64_t>(change.phase);
      event.price = change.reference.units;
      return;
    }
    default:
      event.kind = EventKind::notice;
  }
}

std::uint32_t CommandLogReader::index_of(std::uint32_t instrument) {
  const auto [place, is_new] = indexes_.try_emplace(instrument, static_cast<std::uint32_t>(instruments_.size()));
  if (is_new) instruments_.push_back({.number = instrument, .price_decimals = market::k_price_decimals});
  return place->second;
}

}  // namespace dojima::recorded
