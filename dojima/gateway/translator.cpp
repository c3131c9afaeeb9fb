#include "dojima/gateway/translator.hpp"

#include <algorithm>

namespace dojima::gateway {

Translator::Translator(const GatewayConfig& config, RequestLog* log, measure::Probe* probe)
    : stages_(config.stages),
      symbols_(config.symbols),
      records_({config.limits.orders, config.limits.requests, config.limits.remembered_ids}, config.first_request),
      log_(log),
      probe_(probe),
      next_own_execution_(config.first_request) {
  for (const ClientConfig& client : config.clients)
    clients_.push_back({.order_template = make_template(client.defaults)});
}

void Translator::attach(std::uint32_t client, fix::Session& session, mit::ClientSession& venue) {
  clients_.at(client).session = &session;
  clients_.at(client).venue = &venue;
}

fix::Writer Translator::begin(std::uint32_t client, fix::MsgType type) {
  return clients_[client].session->begin(type);
}

void Translator::send(std::uint32_t client, fix::Writer& writer) {
  if (!clients_[client].session->send(writer)) ++counters_.undelivered;
}

void Translator::tell_execution(const Order& order, const Execution& execution) {
  fix::Writer writer = begin(order.client, fix::type::k_execution_report);
  write_execution(writer, symbols_, order, execution);
  send(order.client, writer);
}

/// The gateway's own executions are its refusals. A venue's ExecID begins with 0: eleven characters hold 64 bits.
std::string_view Translator::own_exec_id() {
  const Identifier number = identifier_of(next_own_execution_++);
  own_exec_id_[0] = 'G';
  std::ranges::copy(number.characters, own_exec_id_.begin() + 1);
  return {own_exec_id_.data(), own_exec_id_.size()};
}

void Translator::mark(std::uint8_t stage, std::uint64_t number) const {
  if (probe_ != nullptr) probe_->mark(stage, number);
}

}  // namespace dojima::gateway
