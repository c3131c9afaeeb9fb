#include "dojima/gateway/translator/cancel_all.hpp"

#include <algorithm>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/gateway/messages/venue_commands.hpp"
#include "dojima/gateway/translator/quotes/quote_orders.hpp"

namespace dojima::gateway {
namespace {

[[nodiscard]] bool is_due(const ClientPresence& presence) noexcept {
  return presence.stage == CancelStage::due || presence.stage == CancelStage::again;
}

}  // namespace

CancelAll::CancelAll(const Parts& parts, std::span<const ClientConfig> clients) : parts_(parts) {
  clients_.reserve(clients.size());
  for (const ClientConfig& client : clients)
    clients_.push_back({.configured = client.cancel_on_disconnect, .grace = client.cancel_grace});
}

void CancelAll::write(std::uint32_t client) {
  parts_.journal.note_state(client);
  parts_.channels.flush_all();
}

// -------------------------------------------------------------------------------------------------- clients come and
// go

void CancelAll::begin(std::uint32_t client, Time now) {
  const ClientPresence& presence = parts_.states[client].presence;
  if (presence.is_connected) return end_session(client, CancelCause::disconnect, now);
  if (presence.stage == CancelStage::waiting) parts_.channels.wake(client, presence.lost_at + clients_[client].grace);
}

void CancelAll::on_logon(std::uint32_t client, std::optional<CancelOnDisconnect> wanted, Time) {
  ClientPresence& presence = parts_.states[client].presence;
  presence.is_connected = true;
  presence.mode = wanted.value_or(clients_[client].configured);
  if (presence.stage == CancelStage::waiting) {
    presence.stage = CancelStage::none;
    presence.cause = CancelCause::none;
  }
  write(client);
}

void CancelAll::on_logout(std::uint32_t client, bool is_logout, Time now) {
  end_session(client, is_logout ? CancelCause::logout : CancelCause::disconnect, now);
}

void CancelAll::end_session(std::uint32_t client, CancelCause cause, Time now) {
  ClientPresence& presence = parts_.states[client].presence;
  presence.is_connected = false;
  const bool is_wanted = presence.mode == CancelOnDisconnect::logout ||
                         (presence.mode == CancelOnDisconnect::disconnect && cause == CancelCause::disconnect);
  // What is due already needs no further cause.
  if (is_wanted && !is_due(presence)) {
    presence.cause = cause;
    presence.stage = CancelStage::waiting;
    presence.lost_at = now;
    parts_.channels.wake(client, now + clients_[client].grace);
  }
  write(client);
}

void CancelAll::make_due(std::uint32_t client, CancelCause cause, Time now) {
  ClientPresence& presence = parts_.states[client].presence;
  presence.cause = cause;
  presence.stage = CancelStage::due;
  clients_[client].next_try = Time::min();
  write(client);
  try_send(client, now);
}

void CancelAll::kill(std::uint32_t client, Time now) {
  make_due(client, CancelCause::kill, now);
}

void CancelAll::on_due(std::uint32_t client, Time now) {
  const ClientPresence& presence = parts_.states[client].presence;
  if (is_due(presence)) return try_send(client, now);
  if (presence.stage != CancelStage::waiting) return;
  const Time end = presence.lost_at + clients_[client].grace;
  if (now < end) return parts_.channels.wake(client, end);
  make_due(client, presence.cause, now);
}

// ------------------------------------------------------------------------------------------------------------ the
// venue

CancelAll::Survivors CancelAll::survivors(std::uint32_t client, std::uint64_t number) const noexcept {
  Survivors found;
  const Records& records = parts_.records;
  for (std::uint32_t slot = records.first_request(client); slot != k_no_slot; slot = records.next_request(slot)) {
    const Request& request = records.request_at(slot);
    const Order& order = records.order_at(request.order);
    if (order.current_request != request.number || !is_open(order.state)) continue;
    (order.current_request < number ? found.has_older : found.has_newer) = true;
  }
  return found;
}

void CancelAll::on_venue_ready(std::uint32_t client, Time now) {
  ClientPresence& presence = parts_.states[client].presence;
  if (presence.stage == CancelStage::sent) {
    // Whether the last one arrived is seen by what it left.
    if (!survivors(client, presence.number).has_older) return finish(client);
    presence.stage = CancelStage::again;
  }
  clients_[client].next_try = Time::min();
  if (is_due(presence)) try_send(client, now);
}

void CancelAll::try_send(std::uint32_t client, Time now) {
  const ClientPresence& presence = parts_.states[client].presence;
  if (!parts_.channels.is_any_venue_ready(client)) return;  // on_venue_ready follows
  // What waits is refused first; the client's timer goes off when there is room for that.
  if (parts_.journal.is_short_of_room()) return parts_.channels.wake(client, now);
  if (now < clients_[client].next_try) return parts_.channels.wake(client, clients_[client].next_try);
  parts_.waiting.refuse_all(client, text_of(presence.cause), now);
  if (parts_.limits.open_orders(client) == 0) return finish(client);
  // A repetition must not hit what the client has entered since.
  if (presence.stage == CancelStage::again) {
    const Survivors left = survivors(client, presence.number);
    if (is_each(client) ? !left.has_older : left.has_newer) return finish(client);
    if (parts_.order_cancels.is_running(client)) return try_later(client, now);
  }
  if (!send(client, now)) try_later(client, now);
}

/// False: not now.
bool CancelAll::send(std::uint32_t client, Time now) {
  ClientPresence& presence = parts_.states[client].presence;
  const bool is_repetition = presence.stage == CancelStage::again && is_each(client);
  const std::optional<std::uint64_t> number =
      is_repetition ? std::optional(presence.number) : parts_.records.take_number();
  if (!number) return false;
  const ClientPresence before = presence;
  presence.number = *number;
  presence.stage = CancelStage::sent;
  parts_.journal.note_state(client);
  if (!parts_.journal.write(true) || !send_command(client, presence)) {
    presence = before;
    write(client);
    return false;
  }
  ++parts_.counters.cancels_all;
  clients_[client].next_try = now + k_retry;
  if (Observer* const observer = parts_.channels.observer())
    observer->on_cancel_all(client, text_of(presence.cause), parts_.limits.open_orders(client), now);
  if (is_each(client)) parts_.order_cancels.begin(client, {.below = presence.number}, now);
  return true;
}

bool CancelAll::has_quotes(std::uint32_t client) const noexcept {
  const Records& records = parts_.records;
  for (std::uint32_t slot = records.first_request(client); slot != k_no_slot; slot = records.next_request(slot)) {
    const Order& order = records.order_at(records.request_at(slot).order);
    if (is_quote_side(order) && is_open(order.state)) return true;
  }
  return false;
}

/// One for all orders of the user, where they are the client's, and one for its quotes, where it has some.
bool CancelAll::send_command(std::uint32_t client, const ClientPresence& presence) {
  if (is_each(client)) return true;
  market::MassCancel command;
  command.client_order_id = venue_id_of(presence.number);
  mit::ClientSession& venue = parts_.channels.venue(parts_.users.of(client).front());
  if (!venue.send(command)) return false;
  if (!has_quotes(client)) return true;
  command.of = market::MassCancelOf::quotes;
  return venue.send(command).has_value();
}

void CancelAll::try_later(std::uint32_t client, Time now) {
  clients_[client].next_try = now + k_retry;
  parts_.channels.wake(client, clients_[client].next_try);
}

/// Nothing is left to be cancelled. The number stays, for ends that are still on their way.
void CancelAll::finish(std::uint32_t client) {
  parts_.states[client].presence.stage = CancelStage::none;
  write(client);
}

}  // namespace dojima::gateway
