#include "dojima/gateway/translator/client_channels.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <type_traits>

#include "dojima/base/assert.hpp"
#include "dojima/fix/business_reject.hpp"
#include "dojima/fix/error_text.hpp"
#include "dojima/gateway/drop_copy/drop_copies.hpp"
#include "dojima/gateway/order_tags.hpp"

namespace dojima::gateway {

ClientChannels::ClientChannels(std::span<const ClientConfig> clients, const VenueUsers& users,
                               const SymbolTable& symbols, GatewayCounters& counters, StateJournal& journal,
                               const OrderRecords& orders)
    : symbols_(symbols),
      venue_users_(users),
      counters_(counters),
      journal_(journal),
      orders_(orders),
      users_(users.size()),
      templates_(orders.order_capacity()) {
  channels_.reserve(clients.size());
  for (const ClientConfig& client : clients)
    channels_.push_back({.form = {.version = client.version,
                                  .has_venue_fields = client.has_venue_fields,
                                  .has_rejects = client.venue_refusals == VenueRefusals::rejects,
                                  .users = &users}});
}

void ClientChannels::attach(std::uint32_t client, fix::Session& session) {
  channels_.at(client).session = &session;
}

void ClientChannels::attach_user(std::uint32_t user, mit::ClientSession& venue) {
  users_.at(user).venue = &venue;
}

fix::Writer ClientChannels::begin(std::uint32_t client, fix::MsgType type, std::string_view sub_id) {
  if (is_pending_) flush();
  fix::Writer writer = session(client).begin(type);
  if (!sub_id.empty()) writer.field(fix::tag::k_target_sub_id, sub_id);
  return writer;
}

void ClientChannels::send(std::uint32_t client, const fix::Writer& writer) {
  if (is_pending_) flush();
  pending_ = writer;
  pending_client_ = client;
  is_pending_ = true;
}

void ClientChannels::flush() {
  if (!is_pending_) return;
  // A handler of a session that ends by this may send to others: that message waits where this one did, of which
  // nothing is needed any more once the session has it.
  is_pending_ = false;
  const std::uint32_t client = pending_client_;
  journal_.carry();
  if (!session(client).send(pending_)) ++counters_.undelivered;
  journal_.end_carry();
  if (copies_ != nullptr) copies_->follow(client);
}

void ClientChannels::flush_all() {
  if (is_pending_) return flush();
  if (!journal_.write(true)) ++counters_.unwritten;
}

void ClientChannels::send_execution(const Order& order, const Execution& execution) {
  DOJIMA_ASSERT(order.leaves().lots >= 0 && order.cumulative.lots >= 0, "no quantity that a client sees is negative",
                order.order_id, order.terms.quantity, order.cumulative, order.state);
  if (is_pending_) flush();
  // Where it waits for its flush: nobody opens another message meanwhile, and a copy would wait for what was written.
  static_assert(std::is_trivially_destructible_v<fix::Writer>);
  fix::Writer& writer = *new (&pending_) fix::Writer(begin_about(order, fix::type::k_execution_report));
  write_execution(writer, form(order.client), symbols_, {order, orders_.parties_of(order)}, execution, &templates_);
  pending_client_ = order.client;
  is_pending_ = true;
}

namespace {

/// What the client reads of a refusal: a session's says what was expected of a field, the others all that there is.
std::string_view text_of(const Refusal& refusal, const fix::MessageView& message, std::span<char> room) noexcept {
  if (refusal.answer != Refusal::Answer::session) return refusal.text;
  const auto reason = static_cast<fix::RejectReason>(refusal.reason);
  const bool is_missing = reason == fix::RejectReason::required_tag_missing;
  const Error error{.code = is_missing ? ErrorCode::missing : ErrorCode::malformed,
                    .field = refusal.tag,
                    .got = refusal.reason,
                    .expected = refusal.text};
  return fix::describe(error, message, room);
}

}  // namespace

void ClientChannels::send_reject(std::uint32_t client, const fix::MessageView& message, const Refusal& refusal) {
  if (is_pending_) flush();
  DOJIMA_ASSERT(refusal.answer != Refusal::Answer::report, "only rejects go without the record of an order",
                refusal.answer, refusal.reason, refusal.tag);
  if (refusal.answer == Refusal::Answer::business) return send_business_reject(client, message, refusal);
  const auto reason = static_cast<fix::RejectReason>(refusal.reason);
  std::array<char, fix::k_error_text_max> room;
  if (!session(client).reject(message, reason, refusal.tag, text_of(refusal, message, room), reply_sub_id_))
    ++counters_.undelivered;
}

/// To the sub id that the message came from, with the id that its type has.
void ClientChannels::send_business_reject(std::uint32_t client, const fix::MessageView& message,
                                          const Refusal& refusal) {
  const bool is_quote = message.msg_type() == fix::type::k_quote || message.msg_type() == fix::type::k_quote_cancel;
  const std::string_view id = message.find(is_quote ? tag::k_quote_id : tag::k_cl_ord_id).value_or(std::string_view{});
  const auto reason = static_cast<fix::BusinessRejectReason>(refusal.reason);
  const std::string_view text = refusal.text;
  fix::Writer writer = begin(client, fix::type::k_business_message_reject);
  fix::route_back(writer, message);
  writer.field(tag::k_ref_seq_num, message.msg_seq_num().value_or(market::Sequence{}))
      .field(tag::k_text, text.empty() ? fix::text_of(reason) : text)
      .field(tag::k_ref_msg_type, message.find(fix::tag::k_msg_type).value_or(std::string_view{}));
  if (!id.empty()) writer.field(tag::k_business_reject_ref_id, id);
  writer.field(tag::k_business_reject_reason, static_cast<unsigned>(reason));
  send(client, writer);
}

void ClientChannels::note_reject(std::uint32_t client, std::string_view text) noexcept {
  ClientRejects& rejects = channels_[client].rejects;
  ++rejects.count;
  rejects.last = {};
  rejects.last.add(text.empty() ? "refused" : text);
}

void ClientChannels::note_reject(std::uint32_t client, const fix::MessageView& message,
                                 const Refusal& refusal) noexcept {
  std::array<char, fix::k_error_text_max> room;
  note_reject(client, text_of(refusal, message, room));
}

void ClientChannels::note_unknown_trade(std::uint32_t client, const fix::MessageView& message, time::Time now) {
  if (observer_ == nullptr) return;
  const auto text = [&](fix::Tag tag) { return message.find(tag).value_or(std::string_view{}); };
  observer_->on_unknown_trade(client, text(fix::tag::k_order_id), text(fix::tag::k_exec_id), text(tag::k_dk_reason),
                              now);
}

void ClientChannels::send_unsupported(std::uint32_t client, const fix::MessageView& message) {
  if (is_pending_) flush();
  note_reject(client, "unsupported message type");
  constexpr std::size_t k_longest = 256;
  // It repeats the message's id, which may be too long for any answer.
  if (message.find(tag::k_cl_ord_id).value_or(std::string_view{}).size() <= k_longest)
    return send_business_reject(
        client, message,
        {.answer = Refusal::Answer::business,
         .reason = static_cast<std::uint16_t>(fix::BusinessRejectReason::unsupported_message_type)});
  if (!session(client).reject(message, fix::RejectReason::other, 0, "unsupported message type", reply_sub_id_))
    ++counters_.undelivered;
}

/// A venue's ExecID begins with 0: eleven characters hold 64 bits.
std::string_view ClientChannels::next_exec_id() noexcept {
  const Identifier number = identifier_of(journal_.take_execution());
  exec_id_[0] = 'G';
  std::ranges::copy(number.characters, exec_id_.begin() + 1);
  return {exec_id_.data(), exec_id_.size()};
}

std::string_view ClientChannels::exec_id_of(std::uint32_t user, std::uint64_t execution, Identifier& text) noexcept {
  if (execution == 0) return next_exec_id();
  text = execution_id_of(execution, venue_users_[user].venue);
  return text.view();
}

}  // namespace dojima::gateway
