#include "dojima/gateway/translator.hpp"

namespace dojima::gateway {

Translator::Translator(const GatewayConfig& config, RequestLog* log, measure::Probe* probe)
    : probe_(config.stages, probe),
      symbols_(config.symbols),
      records_({config.limits.orders, config.limits.requests, config.limits.remembered_ids}, config.first_request),
      channels_(config.clients, symbols_, counters_, config.first_request),
      client_to_exchange_({.symbols = symbols_,
                           .records = records_,
                           .channels = channels_,
                           .probe = probe_,
                           .counters = counters_,
                           .log = log},
                          config.clients),
      exchange_to_client_({.records = records_, .channels = channels_, .probe = probe_, .counters = counters_}) {}

}  // namespace dojima::gateway
