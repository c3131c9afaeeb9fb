#include "dojima/gateway/translator.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "dojima/gateway/saved_state.hpp"
#include "dojima/gateway/setup/saved_content.hpp"

namespace dojima::gateway {

Translator::Translator(const GatewayConfig& config, measure::Probe* probe)
    : config_(config),
      probe_(config.stages, probe),
      symbols_(config.symbols),
      users_(config),
      records_({config.limits.orders, config.limits.requests, config.limits.remembered_ids}, config.first_request,
               config.clients.size()),
      states_(config.clients.size()),
      limits_(config, symbols_, states_),
      journal_(records_, counters_, states_, users_),
      channels_(config.clients, users_, symbols_, counters_, journal_, records_),
      order_cancels_({.records = records_,
                      .channels = channels_,
                      .journal = journal_,
                      .mass_cancels = mass_cancels_,
                      .users = users_},
                     config.clients.size(), config.shared_cancel_rate),
      chain_(config.clients),
      quotes_(records_, users_.size() * config.symbols.size()),
      exchange_to_client_({.records = records_,
                           .channels = channels_,
                           .probe = probe_,
                           .counters = counters_,
                           .journal = journal_,
                           .mass_cancels = mass_cancels_,
                           .limits = limits_,
                           .states = states_,
                           .users = users_,
                           .order_cancels = order_cancels_,
                           .chain = chain_,
                           .quotes = quotes_}),
      waiting_({.records = records_,
                .channels = channels_,
                .counters = counters_,
                .limits = limits_,
                .answers = exchange_to_client_,
                .journal = journal_,
                .chain = chain_},
               config.clients.size(), config.limits.waiting_requests),
      cancel_all_({.records = records_,
                   .channels = channels_,
                   .counters = counters_,
                   .journal = journal_,
                   .limits = limits_,
                   .waiting = waiting_,
                   .order_cancels = order_cancels_,
                   .users = users_,
                   .states = states_},
                  config.clients),
      client_to_exchange_({.symbols = symbols_,
                           .records = records_,
                           .channels = channels_,
                           .probe = probe_,
                           .counters = counters_,
                           .journal = journal_,
                           .mass_cancels = mass_cancels_,
                           .limits = limits_,
                           .waiting = waiting_,
                           .answers = exchange_to_client_,
                           .order_cancels = order_cancels_,
                           .users = users_,
                           .chain = chain_,
                           .quotes = quotes_},
                          config.symbols, config.clients),
      venue_sessions_({.exchange_to_client = exchange_to_client_,
                       .channels = channels_,
                       .journal = journal_,
                       .counters = counters_,
                       .records = records_,
                       .waiting = waiting_,
                       .order_cancels = order_cancels_,
                       .cancel_all = cancel_all_,
                       .users = users_}),
      venue_days_(journal_, channels_),
      was_killed_(config.clients.size()) {}

Result<void> Translator::restore(const SavedState& saved) {
  const SavedState::Content& content = saved.content();
  const Result<Records::Remembered> remembered = content.records(config_);
  if (!remembered) return std::unexpected(remembered.error());
  if (const Result<void> restored = records_.restore(*remembered); !restored) return restored;
  journal_.restore_executions(std::max(config_.first_request, content.next_execution()));
  for (std::uint32_t user = 0; user < users_.size(); ++user) {
    const SavedState::User* const known = content.find_user(users_.venue_name(users_[user].venue), users_[user].name);
    if (known == nullptr) continue;
    journal_.restore(user, known->progress, known->day,
                     known->has_leftovers ? Leftovers::uncancelled : Leftovers::none);
    for (const std::uint64_t execution : known->busted) journal_.note_bust({.execution = execution, .user = user});
    for (const market::OwnerReport& bust : known->held_busts)
      static_cast<void>(journal_.hold_bust({.report = bust, .user = user}));
  }
  for (const UnknownTrade& trade : content.unknown_trades(config_)) journal_.note_unknown_trade(trade);
  for (std::uint32_t client = 0; client < config_.clients.size(); ++client) {
    const ClientState* const state = content.find_state(config_.clients[client]);
    if (state == nullptr) continue;
    ClientLimits configured = std::move(states_[client].limits);
    states_[client] = *state;
    if (!state->is_changed) states_[client].limits = std::move(configured);
    limits_.restore(client);
  }
  for (const auto& [slot, order] : remembered->orders)
    if (is_open(order.state)) {
      limits_.add_open_order(order.client);
      if (is_quote_side(order)) quotes_.set(slot);
    }
  return {};
}

void Translator::begin(Time now) {
  for (std::uint32_t client = 0; client < config_.clients.size(); ++client) {
    waiting_.begin(client, now);
    cancel_all_.begin(client, now);
  }
}

void Translator::on_due(std::uint32_t client, Time now) {
  if (const std::string_view text = channels_.take_end(client); !text.empty()) channels_.session(client).logout(text);
  if (was_killed_[client]) {
    was_killed_[client] = false;
    waiting_.refuse_all(client, text_of(CancelCause::kill), now);
  }
  waiting_.release(client, now);
  order_cancels_.go_on(client, now);
  cancel_all_.on_due(client, now);
}

/// Answers first: what they say is open must not have ended before they are whole.
void Translator::go_on(Time now) {
  client_to_exchange_.go_on(now);
  venue_sessions_.go_on(now);
}

Result<void> Translator::change_limits(std::uint32_t client, const ClientLimits& limits) {
  if (Result<void> changed = limits_.change(client, limits); !changed) return changed;
  journal_.note_state(client);
  channels_.flush_all();
  channels_.wake(client, Time{});  // what waits may be within the new rate
  return {};
}

void Translator::kill(std::uint32_t client, bool cancel_orders, Time now) {
  states_[client].is_killed = true;
  journal_.note_state(client);
  if (journal_.is_short_of_room()) {
    was_killed_[client] = true;
    channels_.wake(client, Time{});
  } else {
    waiting_.refuse_all(client, text_of(CancelCause::kill), now);
  }
  channels_.flush_all();
  if (cancel_orders) cancel_all_.kill(client, now);
}

void Translator::revive(std::uint32_t client) {
  states_[client].is_killed = false;
  journal_.note_state(client);
  channels_.flush_all();
}

}  // namespace dojima::gateway
