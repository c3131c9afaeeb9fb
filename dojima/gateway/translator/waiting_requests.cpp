#include "dojima/gateway/translator/waiting_requests.hpp"

#include <utility>
#include <variant>

#include "dojima/base/assert.hpp"

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

void WaitingRequests::release(std::uint32_t client, Time now) {
  if (!parts_.channels.is_venue_ready(client)) return;
  while (const RequestQueue::Waiting* const first = queue_.front(client)) {
    if (parts_.limits.rate_free(client) > now) break;
    const std::uint64_t number = first->number;
    DOJIMA_ASSERT(request_of(number).client == client, "a request waits among those of its client", number, client);
    if (!is_open(std::as_const(parts_.records).order_at(request_of(number).order).state)) {
      queue_.remove(client, number);
      parts_.answers.refuse_unsent(number, "the order is closed", now);
      continue;
    }
    const Result<void> sent =
        std::visit([&](const auto& command) { return parts_.channels.venue(client).send(command); }, first->command);
    queue_.remove(client, number);
    if (sent) {
      parts_.limits.note_sent(client, now);
    } else {
      parts_.answers.refuse_unsent(
          number, sent.error().expected == nullptr ? "the connection to the venue is full" : sent.error().expected,
          now);
    }
  }
  wake(client);
}

void WaitingRequests::refuse_all(std::uint32_t client, std::string_view text, Time now, std::uint32_t instrument) {
  const RequestQueue::Waiting* next = nullptr;
  for (const RequestQueue::Waiting* each = queue_.front(client); each != nullptr; each = next) {
    next = queue_.behind(*each);
    const std::uint64_t number = each->number;
    const Order& order = std::as_const(parts_.records).order_at(request_of(number).order);
    if (instrument != 0 && order.instrument != instrument) continue;
    queue_.remove(client, number);
    parts_.answers.refuse_unsent(number, text, now);
  }
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
