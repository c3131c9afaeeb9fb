// The part of ClientToExchange that is about a change of an order whose change before is not answered yet.

#include <utility>

#include "dojima/gateway/messages/request_fields.hpp"
#include "dojima/gateway/translator/client_to_exchange.hpp"

namespace dojima::gateway {

bool ClientToExchange::may_chain(const ClientMessage& message) const noexcept {
  return chain_.has_room(message.client);
}

void ClientToExchange::try_chain(const ClientMessage& message) {
  if (const Done done = chain(message); !done) refusals_.refuse(message, done.error());
}

/// The order as it will be when the change that OrigClOrdID(41) names has been accepted.
Order ClientToExchange::expected(const ClientMessage& message) const noexcept {
  const Records& records = records_;
  Order order = records.order_at(*message.order);
  const auto adopt = [&](const Request* request) {
    if (request == nullptr || request->kind != RequestKind::replace || records.id_of(*request) != message.orig) return;
    const RequestedChange& change = records.change_of(*request);
    order.terms = change.terms;
    if (!change.account.is_empty()) order.account = change.account;
  };
  adopt(&records.request_at(order.pending_change));
  for (const ChainQueue::Entry& entry : chain_.entries(message.client))
    if (entry.order == *message.order) adopt(records.find_request(entry.number));
  return order;
}

Done ClientToExchange::read_chained(const ClientMessage& message, bool is_cancel, market::OrderTerms& terms,
                                    Text<10>& account) {
  const Order order = expected(message);
  if (is_cancel) return read_cancel(message.view, symbols_, order);
  const OwnerOfOrder owner{records_.parties_of(std::as_const(records_).order_at(*message.order)),
                           templates_[message.client]};
  if (Done done = read_replace(message.view, symbols_, order, owner, terms, account); !done) return done;
  const std::string_view limited = account.is_empty() ? order.account.view() : account.view();
  if (Done done = request_limits_.check(message, limited_request(false, order.instrument, terms, limited)); !done)
    return done;
  if (!message.outcome.must_wait) return {};
  return refuse(cancel_reject::k_pending, 0,
                "another change of this order is not answered yet, and this one is above the rate");
}

/// Its record is complete and in the journal; it leaves when the change before it is answered.
Done ClientToExchange::chain(const ClientMessage& message) {
  const bool is_cancel = message.view.msg_type() == fix::type::k_order_cancel_request;
  market::OrderTerms terms;
  Text<10> account;
  if (Done done = read_chained(message, is_cancel, terms, account); !done) return done;
  if (!has_room_for_change(message)) return refuse_full();
  Request& request = open_change(message, is_cancel ? RequestKind::cancel : RequestKind::replace);
  request.client_sequence = message.sequence;
  RequestedChange& change = records_.change_of(request);
  change.terms = terms;
  change.account = account;
  request.is_chained = true;
  if (!journal_.write(false, &channels_.session(request.client).store())) {
    records_.undo_request(request);
    return refuse(cancel_reject::k_other, 0, "the gateway's journal is full");
  }
  chain_.push(message.client, {.number = request.number, .order = request.order});
  ++counters_.sent;
  ++counters_.chained;
  return {};
}

}  // namespace dojima::gateway
