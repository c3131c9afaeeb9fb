#include "dojima/gateway/translator/waiting_requests.hpp"

#include <utility>
#include <variant>

#include "dojima/base/assert.hpp"
#include "dojima/gateway/messages/request_reader.hpp"
#include "dojima/gateway/messages/venue_commands.hpp"

namespace dojima::gateway {

const Request& WaitingRequests::request_of(std::uint64_t number) const noexcept {
  const Request* const request = std::as_const(parts_.records).find_request(number);
  DOJIMA_ASSERT(request != nullptr && !request->is_answered, "a request that waits has no answer yet", number);
  return *request;
}

void WaitingRequests::wake(std::uint32_t client) {
  if (queue_.size(client) != 0) parts_.channels.wake(client, parts_.limits.rate_free(client));
}

void WaitingRequests::push(std::uint32_t client, std::uint64_t number, const RequestQueue::Command& command) {
  const bool is_pushed = queue_.push(client, number, command);
  DOJIMA_ASSERT(is_pushed, "who lets a request wait knows that there is room", client, number);
  ++parts_.counters.waited;
  wake(client);
}

/// False: it did not leave, and `why` says why.
template <class Command>
bool WaitingRequests::send(std::uint32_t user, const Command& command, UncarriedText& why) {
  mit::ClientSession& venue = parts_.channels.venue(user);
  const Result<void> sent = venue.send(command);
  if (sent) return true;
  if (sent.error().code == ErrorCode::no_room)
    why.add("the connection to the venue is full");
  else if (sent.error().code == ErrorCode::wrong_state)
    why.add("the venue is not connected");
  else
    why = uncarried_text(command, venue.dialect(), sent.error());
  return false;
}

void WaitingRequests::release(std::uint32_t client, Time now) {
  while (const RequestQueue::Waiting* const first = queue_.front(client)) {
    if (parts_.limits.rate_free(client) > now) break;
    const std::uint64_t number = first->number;
    DOJIMA_ASSERT(request_of(number).client == client, "a request waits among those of its client", number, client);
    const Order& order = std::as_const(parts_.records).order_at(request_of(number).order);
    const std::uint32_t user = order.user;
    if (!parts_.channels.is_venue_ready(user)) return release_chain(client, now);
    if (!is_open(order.state)) {
      queue_.remove(client, number);
      parts_.answers.refuse_unsent(number, "the order is closed", now);
      continue;
    }
    UncarriedText why;
    const bool is_sent = std::visit([&](const auto& command) { return send(user, command, why); }, first->command);
    queue_.remove(client, number);
    if (is_sent)
      parts_.limits.note_sent(client, now);
    else
      parts_.answers.refuse_unsent(number, why.view(), now);
  }
  wake(client);
  release_chain(client, now);
}

template <class IsMeant>
void WaitingRequests::refuse_if(std::uint32_t client, std::string_view text, Time now, IsMeant is_meant) {
  const RequestQueue::Waiting* next = nullptr;
  for (const RequestQueue::Waiting* each = queue_.front(client); each != nullptr; each = next) {
    next = queue_.behind(*each);
    const std::uint64_t number = each->number;
    if (!is_meant(std::as_const(parts_.records).order_at(request_of(number).order))) continue;
    queue_.remove(client, number);
    parts_.answers.refuse_unsent(number, text, now);
  }
  ChainQueue& chain = parts_.chain;
  for (std::size_t place = 0; place < chain.entries(client).size();) {
    const ChainQueue::Entry entry = chain.entries(client)[place];
    if (!is_meant(std::as_const(parts_.records).order_at(entry.order))) {
      ++place;
      continue;
    }
    chain.remove(client, place);
    parts_.answers.refuse_chained(entry.number, cancel_reject::k_other, text, now);
  }
}

void WaitingRequests::begin(std::uint32_t client, Time now) {
  const Records& records = parts_.records;
  for (std::uint32_t slot = records.first_request(client), next = k_no_slot; slot != k_no_slot; slot = next) {
    next = records.next_request(slot);
    const Request& request = records.request_at(slot);
    if (request.is_chained && !request.is_answered)
      parts_.answers.refuse_chained(request.number, cancel_reject::k_other, "the gateway ended before this left", now);
  }
}

/// One change of an order at a time; the next waits for its answer in turn.
void WaitingRequests::release_chain(std::uint32_t client, Time now) {
  ChainQueue& chain = parts_.chain;
  for (std::size_t place = 0; place < chain.entries(client).size();) {
    const ChainQueue::Entry entry = chain.entries(client)[place];
    const Order& order = std::as_const(parts_.records).order_at(entry.order);
    if (order.pending_change != k_no_slot || !parts_.channels.is_venue_ready(order.user)) {
      ++place;
      continue;
    }
    chain.remove(client, place);
    send_chained(entry.number, now);
  }
}

/// The journal knows that it may have left before it does.
void WaitingRequests::send_chained(std::uint64_t number, Time now) {
  Request& request = *parts_.records.find_request(number);
  if (parts_.records.find_order(request.client, parts_.records.orig_of(request)) != request.order)
    return parts_.answers.refuse_chained(number, cancel_reject::k_unknown_order,
                                         "the change that this one follows was refused", now);
  request.is_chained = false;
  parts_.records.set_pending_change(request.order, parts_.records.slot_of(request));
  if (!parts_.journal.write(false)) return parts_.answers.refuse_unsent(number, "the gateway's journal is full", now);
  UncarriedText why;
  if (!send_change(request, why)) return parts_.answers.refuse_unsent(number, why.view(), now);
  if (request.kind == RequestKind::replace) parts_.limits.note_sent(request.client, now);
}

bool WaitingRequests::send_change(const Request& request, UncarriedText& why) {
  const Order& order = std::as_const(parts_.records).order_at(request.order);
  if (request.kind == RequestKind::cancel) return send(order.user, cancel_command(request.number, order), why);
  const RequestedChange& change = std::as_const(parts_.records).change_of(request);
  return send(order.user, replace_command(request.number, order, change.terms, change.account), why);
}

void WaitingRequests::refuse_all(std::uint32_t client, std::string_view text, Time now, std::uint32_t instrument) {
  refuse_if(client, text, now, [=](const Order& order) { return instrument == 0 || order.instrument == instrument; });
}

void WaitingRequests::refuse_user(std::uint32_t client, std::uint32_t user, std::string_view text, Time now) {
  refuse_if(client, text, now, [=](const Order& order) { return order.user == user; });
}

bool WaitingRequests::refuse_replace(std::uint32_t order, std::string_view text, Time now) {
  const Order& record = std::as_const(parts_.records).order_at(order);
  if (record.pending_change == k_no_slot || queue_.size(record.client) == 0) return false;
  const std::uint64_t number = std::as_const(parts_.records).request_at(record.pending_change).number;
  if (!queue_.remove(record.client, number)) return false;
  parts_.answers.refuse_unsent(number, text, now);
  return true;
}

}  // namespace dojima::gateway
