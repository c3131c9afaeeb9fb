#include "dojima/simulate/clients.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/core.h>

#include "dojima/gateway/gateway.hpp"
#include "dojima/simulate/order_messages.hpp"

namespace dojima::simulate {
namespace {

constexpr std::size_t k_batch = 64;  // requests sent in one turn, so that answers are read in between
/// Messages of a client that its connection has not taken: with more the flow waits, and is late.
constexpr std::uint64_t k_waiting_max = 1024;
constexpr std::size_t k_cl_ord_id_max = 32;

/// "DEMO3-1234", in memory of the caller's.
std::string_view write_id(std::string_view prefix, Number number, std::span<char, k_cl_ord_id_max> text) {
  char* end = std::copy(prefix.begin(), prefix.end(), text.data());
  end = std::to_chars(end, text.data() + text.size(), number).ptr;
  return {text.data(), static_cast<std::size_t>(end - text.data())};
}

fix::SessionConfig session_config(std::uint32_t client, const std::string& gateway, bool goes_on) {
  return {.role = fix::Role::initiator,
          .sender_comp_id = client_name(client),
          .target_comp_id = gateway,
          .reset_on_logon = !goes_on,
          .store = {.messages = 1 << 14, .bytes = std::size_t{1} << 22},
          .checks = {.user_tags = true}};  // the gateway marks fills of auctions
}

}  // namespace

Number number_of(std::string_view cl_ord_id) noexcept {
  const std::size_t dash = cl_ord_id.rfind('-');
  if (dash == std::string_view::npos) return k_no_number;
  Number number = k_no_number;
  const char* end = cl_ord_id.data() + cl_ord_id.size();
  const auto [stop, error] = std::from_chars(cl_ord_id.data() + dash + 1, end, number);
  return error == std::errc{} && stop == end ? number : k_no_number;
}

std::string client_name(std::uint32_t client) {
  return "DEMO" + std::to_string(client + 1);
}

std::size_t request_capacity(double seconds, std::uint64_t rate) {
  const double mean = seconds * static_cast<double>(rate);
  return static_cast<std::size_t>(mean + 6 * std::sqrt(mean)) + 64;
}

std::size_t Clients::timers(std::uint32_t clients) noexcept {
  constexpr std::size_t k_timers_per_session = 3;
  return clients * k_timers_per_session + 1;
}

Clients::Clients(ClientsConfig config, std::vector<market::Instrument> instruments, sched::Scheduler& scheduler,
                 ClientProbe probe)
    : config_(std::move(config)),
      instruments_(std::move(instruments)),
      scheduler_(scheduler),
      probe_(probe),
      ledger_(request_capacity(config_.seconds, config_.flow.rate), config_.flow.clients,
              static_cast<std::uint32_t>(instruments_.size())),
      wake_(scheduler, *this) {
  for (std::uint32_t client = 0; client < config_.flow.clients; ++client) {
    sessions_.push_back(
        std::make_unique<fix::Session>(scheduler, session_config(client, config_.gateway, config_.goes_on), *this));
    prefixes_.push_back(client_name(client) + "-");
  }
}

void Clients::connect(link::Fabric& fabric, const link::Address& gateway) {
  for (auto& session : sessions_) fabric.connect(gateway, *session);
  connected_ = sessions_.size();
  has_connection_.assign(sessions_.size(), true);
  fabric_ = &fabric;
  gateway_ = gateway;
}

void Clients::reconnect() {
  for (std::size_t client = 0; client < sessions_.size(); ++client) {
    // One that is on its way is one, too: a busy machine may hear of it late.
    if (has_connection_[client]) continue;
    has_connection_[client] = true;  // until on_closed
    ++connected_;
    fabric_->connect(gateway_, *sessions_[client]);
  }
}

void Clients::begin(Time start) {
  flow_ = std::make_unique<flow::OrderFlow>(config_.flow, instruments_, start);
  begin_ = last_sent_ = start;
  until_ = start + time::Duration{static_cast<std::int64_t>(config_.seconds * 1e9)};
  is_flowing_ = true;
  take_next();
}

void Clients::end() noexcept {
  is_flowing_ = false;
  wake_.disarm();
}

void Clients::take_next() {
  next_ = flow_->next();
  if (next_.due >= until_ || next_.number >= ledger_.capacity()) {
    end();
    return;
  }
  wake_.arm(next_.due);
}

std::size_t Clients::deliver(Time now) {
  std::size_t count = 0;
  while (is_flowing_ && next_.due <= now && count < k_batch && sessions_[next_.client]->waiting() < k_waiting_max) {
    send(next_, now);
    take_next();
    ++count;
  }
  return count;
}

void Clients::send(const flow::Intent& intent, Time now) {
  if (config_.goes_on && !sessions_[intent.client]->is_logged_on()) {
    ++skipped_;
    return;
  }
  const auto number = static_cast<Number>(intent.number);
  const auto& pickable = ledger_.pickable(intent.client, intent.instrument, intent.side);
  const flow::Decision decision = flow::decide(intent, pickable.size(), config_.resting_target);
  const bool is_entry = decision.kind == flow::IntentKind::enter;
  const Number target = is_entry ? number : pickable[decision.index];
  char id[k_cl_ord_id_max], original[k_cl_ord_id_max];
  const std::string& prefix = prefixes_[intent.client];
  OrderRequest request{.cl_ord_id = write_id(prefix, number, id),
                       .symbol = instruments_[intent.instrument].symbol,
                       .side = intent.side,
                       .type = intent.type,
                       .time_in_force = intent.time_in_force,
                       .price = intent.price,
                       .quantity = intent.quantity,
                       .time = now};
  if (!is_entry) request.orig_cl_ord_id = write_id(prefix, ledger_.order(target).current, original);
  ledger_.open(number, intent, decision.kind, target, now);
  fix::Session& session = *sessions_[intent.client];
  const auto sent = is_entry                                     ? send_new_order(session, request)
                    : decision.kind == flow::IntentKind::replace ? send_replace(session, request)
                                                                 : send_cancel(session, request);
  if (!sent) {
    ledger_.withdraw(number);
    return;
  }
  last_sent_ = now;
  if (probe_.columns == nullptr) return;
  const auto due = static_cast<std::uint64_t>(time::nanoseconds_of(intent.due) - probe_.time_minus_ticks);
  probe_.columns->mark_at(index_of(Stage::due), number, time::Ticks{due});
  mark(Stage::client_sent, number, now);
}

void Clients::mark(Stage stage, std::uint64_t number, Time now) {
  if (!probe_.is_virtual) return probe_.columns->mark(index_of(stage), number);
  const auto ticks = static_cast<std::uint64_t>(time::nanoseconds_of(now) - probe_.time_minus_ticks);
  probe_.columns->mark_at(index_of(stage), number, time::Ticks{ticks});
}

void Clients::log_off() {
  is_leaving_ = true;
  for (auto& session : sessions_) session->logout("the demo is over");
}

std::uint32_t Clients::client_of(const fix::Session& session) const {
  const auto found = std::ranges::find(sessions_, &session, &std::unique_ptr<fix::Session>::get);
  return static_cast<std::uint32_t>(found - sessions_.begin());
}

void Clients::on_logon(fix::Session&, Time) {
  ++logged_on_;
}

void Clients::on_logout(fix::Session&, std::string_view reason, Time) {
  --logged_on_;
  if (is_leaving_) return;
  ++lost_sessions_;
  if (trouble_.empty() && !config_.goes_on) trouble_ = fmt::format("a client's session ended: {}", reason);
}

void Clients::on_closed(fix::Session& session, link::CloseReason reason, Time) {
  has_connection_[client_of(session)] = false;
  --connected_;
  if (!is_leaving_ && trouble_.empty() && !config_.goes_on)
    trouble_ = fmt::format("a client's connection ended: {}", link::name_of(reason));
}

void Clients::on_message(fix::Session& session, const fix::MessageView& message, Time now) {
  const auto answer = read_answer(message);
  ++received_;
  if (!answer) {
    ledger_.count_strange();
    return;
  }
  const Number number = number_of(answer->cl_ord_id);
  const bool is_first = ledger_.apply(client_of(session), number, *answer, now);
  if (is_first && probe_.columns != nullptr) mark(Stage::client_received, number, now);
}

void Clients::on_reject(fix::Session&, const fix::MessageView& reject, Time) {
  ledger_.count_strange();
  if (trouble_.empty())
    trouble_ = fmt::format("the gateway rejected a message: {}", reject.find(fix::tag::k_text).value_or("no text"));
}

void Clients::on_trouble(fix::Session&, const Error& error) {
  if (!trouble_.empty()) return;
  char text[160];
  trouble_ = fmt::format("trouble in a client's session: {}", describe(error, text));
}

}  // namespace dojima::simulate
