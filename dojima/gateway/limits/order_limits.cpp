#include "dojima/gateway/limits/order_limits.hpp"

#include <algorithm>
#include <stdexcept>

#include "dojima/base/assert.hpp"

namespace dojima::gateway {
namespace {

/// Whether any limit is set: without one only who is killed, drained or waiting is held back.
[[nodiscard]] bool sets_any(const ClientLimits& limits) noexcept {
  return limits.rate != 0 || limits.quantity.lots != 0 || limits.value != 0 || limits.collar_bp != 0 ||
         limits.open_orders != 0 || limits.duplicate_window.count() != 0 || !limits.symbols.empty() ||
         !limits.accounts.empty();
}

}  // namespace

OrderLimits::OrderLimits(const GatewayConfig& config, const SymbolTable& symbols, std::vector<ClientState>& states)
    : symbols_(symbols),
      states_(states),
      clients_(states.size()),
      references_(config.symbols.size()),
      last_(config.limits.recent_orders),
      recent_(config.limits.recent_orders) {
  DOJIMA_ASSERT(states.size() == config.clients.size(), "a client has one state", states.size());
  if (recent_.empty()) throw std::invalid_argument("at least one recent order is remembered");
  for (const SymbolConfig& symbol : config.symbols) {
    if (symbol.reference.units < 0) throw std::invalid_argument("a reference price is above 0, or 0 for none");
    [[maybe_unused]] const bool is_new = references_.insert(symbol.instrument, symbol.reference);
  }
  for (std::uint32_t client = 0; client < states.size(); ++client) {
    const Result<void> changed = change(client, config.clients[client].limits);
    if (!changed)
      throw std::invalid_argument("limits of client " + config.clients[client].comp_id + ": expected " +
                                  changed.error().expected);
    states[client].is_changed = false;
  }
}

Result<void> OrderLimits::validate(const ClientLimits& limits) const noexcept {
  if (Result<void> valid = gateway::validate(limits); !valid) return valid;
  const auto unknown =
      std::ranges::find_if(limits.symbols, [&](const std::string& each) { return !symbols_.instrument_of(each); });
  if (unknown == limits.symbols.end()) return {};
  return fail(ErrorCode::unknown, 0, 0, unknown - limits.symbols.begin(), "symbols that the gateway trades");
}

Result<void> OrderLimits::change(std::uint32_t client, const ClientLimits& limits) {
  if (Result<void> valid = validate(limits); !valid) return valid;
  ClientState& state = states_[client];
  state.limits = limits;
  std::ranges::sort(state.limits.symbols);
  std::ranges::sort(state.limits.accounts);
  state.is_changed = true;
  follow_limits(client);
  return {};
}

/// What follows from the limits; of the times the newest stay.
void OrderLimits::follow_limits(std::uint32_t client) {
  Client& usage = clients_[client];
  usage.is_limited = sets_any(limits(client));
  const std::size_t rate = limits(client).rate;
  if (usage.sent.size() == rate) return;
  std::vector<Time> times(rate);
  const std::size_t kept = std::min(usage.count, rate), size = usage.sent.size();
  for (std::size_t at = 0; at < kept; ++at) times[at] = usage.sent[(usage.next + size - kept + at) % size];
  usage.sent = std::move(times);
  usage.count = kept;
  usage.next = rate == 0 ? 0 : kept % rate;
}

OrderLimits::OrderKey OrderLimits::key_of(std::uint32_t client, const LimitedRequest& request) noexcept {
  return {.price = request.price.units,
          .quantity = request.quantity.lots,
          .client = client,
          .instrument = request.instrument,
          .side = static_cast<std::uint64_t>(request.side)};
}

LimitUsage OrderLimits::usage(std::uint32_t client, const LimitedRequest& request,
                              std::uint32_t waiting) const noexcept {
  const ClientLimits& set = limits(client);
  // Looked up only where a limit is about it.
  const bool is_priced = set.collar_bp != 0 || set.value != 0;
  const bool is_named = is_priced || !set.symbols.empty();
  LimitUsage usage{.symbol = is_named ? symbols_.symbol_of(request.instrument) : std::string_view{},
                   .is_killed = states_[client].is_killed,
                   .is_draining = is_draining_,
                   .open_orders = clients_[client].open_orders,
                   .waiting = waiting,
                   .reference = is_priced ? reference(request.instrument) : market::Price{},
                   .rate_free = rate_free(client),
                   .last_same = std::nullopt};
  if (set.duplicate_window.count() == 0) return usage;
  if (const Time* const last = last_.find(key_of(client, request))) usage.last_same = *last;
  return usage;
}

Time OrderLimits::rate_free(std::uint32_t client) const noexcept {
  const Client& usage = clients_[client];
  if (usage.sent.empty() || usage.count < usage.sent.size()) return Time::min();
  return usage.sent[usage.next] + k_rate_window;
}

void OrderLimits::note_order(std::uint32_t client, const LimitedRequest& request, Time now) noexcept {
  if (!request.is_new) return;
  add_open_order(client);
  if (limits(client).duplicate_window.count() == 0) return;
  Recent& recent = recent_[next_recent_];
  if (recent_count_ == recent_.size()) {
    // The same order may have been entered again since, and is remembered for that.
    if (const Time* const last = last_.find(recent.key); last != nullptr && *last == recent.time)
      last_.erase(recent.key);
  } else {
    ++recent_count_;
  }
  recent = {key_of(client, request), now};
  next_recent_ = next_recent_ + 1 == recent_.size() ? 0 : next_recent_ + 1;
  [[maybe_unused]] const bool has_room = last_.assign(recent.key, now);
  DOJIMA_ASSERT(has_room, "no more orders are remembered than the ring has", client, last_.size());
}

void OrderLimits::note_sent(std::uint32_t client, Time now) noexcept {
  Client& usage = clients_[client];
  if (usage.sent.empty()) return;
  usage.sent[usage.next] = now;
  usage.next = usage.next + 1 == usage.sent.size() ? 0 : usage.next + 1;
  usage.count = std::min(usage.count + 1, usage.sent.size());
}

void OrderLimits::remove_open_order(std::uint32_t client) noexcept {
  DOJIMA_ASSERT(clients_[client].open_orders != 0, "an order that ends was open", client);
  --clients_[client].open_orders;
}

void OrderLimits::note_trade(std::uint32_t instrument, market::Price price) noexcept {
  if (market::Price* const reference = references_.find(instrument); reference != nullptr && price.units > 0)
    *reference = price;
}

market::Price OrderLimits::reference(std::uint32_t instrument) const noexcept {
  const market::Price* const reference = references_.find(instrument);
  return reference == nullptr ? market::Price{} : *reference;
}

}  // namespace dojima::gateway
