#include "dojima/gateway/translator.hpp"

#include <algorithm>

namespace dojima::gateway {

Translator::Translator(const GatewayConfig& config, measure::Probe* probe)
    : config_(config),
      probe_(config.stages, probe),
      symbols_(config.symbols),
      records_({config.limits.orders, config.limits.requests, config.limits.remembered_ids}, config.first_request),
      journal_(records_, counters_, config.clients.size()),
      channels_(config.clients, symbols_, counters_, journal_),
      client_to_exchange_({.symbols = symbols_,
                           .records = records_,
                           .channels = channels_,
                           .probe = probe_,
                           .counters = counters_,
                           .journal = journal_,
                           .mass_cancels = mass_cancels_},
                          config.symbols, config.clients),
      exchange_to_client_({.records = records_,
                           .channels = channels_,
                           .probe = probe_,
                           .counters = counters_,
                           .journal = journal_,
                           .mass_cancels = mass_cancels_}) {
  journal_.restore_executions(config.first_request);
}

Result<void> Translator::restore(const SavedState& saved) {
  const Result<Records::Remembered> remembered = saved.records(config_);
  if (!remembered) return std::unexpected(remembered.error());
  if (const Result<void> restored = records_.restore(*remembered); !restored) return restored;
  journal_.restore_executions(std::max(config_.first_request, saved.next_execution()));
  for (std::uint32_t client = 0; client < config_.clients.size(); ++client)
    if (const SavedState::Client* known = saved.find(config_.clients[client])) {
      journal_.restore(client, known->progress);
      for (const std::uint64_t execution : known->busted) journal_.note_bust(client, execution);
    }
  return {};
}

}  // namespace dojima::gateway
