#include "dojima/gateway/translator/request_limits.hpp"

#include "dojima/gateway/messages/request_fields.hpp"

namespace dojima::gateway {

namespace {

RefusedFor refused_for_limit(Limit broken) noexcept {
  switch (broken) {
    case Limit::killed:
      return RefusedFor::kill_switch;
    case Limit::draining:
      return RefusedFor::drained;
    case Limit::rate:
    case Limit::queue:
      return RefusedFor::rate;
    case Limit::duplicate:
      return RefusedFor::duplicate;
    default:
      return RefusedFor::limit;
  }
}

}  // namespace

Done RequestLimits::check(const ClientMessage& message, const LimitedRequest& request) {
  const std::uint32_t waiting = parts_.waiting.size(message.client);
  const LimitVerdict verdict = parts_.limits.check(message.client, request, waiting, message.now);
  message.outcome.must_wait = verdict.must_wait;
  const std::uint16_t full = request.is_new ? order_reject::k_other : cancel_reject::k_other;
  if (verdict.must_wait && parts_.waiting.is_full()) return refuse(full, 0, "no room for another request that waits");
  if (!verdict.broken) [[likely]]
    return {};
  return refuse_broken(message, request, *verdict.broken, waiting);
}

/// Apart, so that a verdict stays in registers where no limit is broken.
[[gnu::noinline]] Done RequestLimits::refuse_broken(const ClientMessage& message, const LimitedRequest& request,
                                                    Limit broken, std::uint32_t waiting) {
  ++parts_.counters.limited;
  const ClientLimits& limits = parts_.limits.limits(message.client);
  text_ = text_of(broken, limits, parts_.limits.usage(message.client, request, waiting), request, message.now);
  if (broken == Limit::rate && limits.rate_action == RateAction::logout) end_above_rate(message.client);
  const FixVersion version = parts_.channels.form(message.client).version;
  const std::uint16_t reason = request.is_new ? order_reject_of(broken, version) : cancel_reject_of(broken, version);
  Refused refused = refuse(reason, 0, text_.c_str());
  refused.error().why = refused_for_limit(broken);
  return refused;
}

void RequestLimits::count_cancel(const ClientMessage& message) {
  if (parts_.limits.limits(message.client).rate_action != RateAction::logout) return;
  if (parts_.limits.rate_free(message.client) > message.now) end_above_rate(message.client);
  parts_.limits.note_sent(message.client, message.now);
}

void RequestLimits::end_above_rate(std::uint32_t client) {
  if (parts_.channels.end_session(client, "requests above the client's limit in a second"))
    ++parts_.counters.rate_logouts;
}

}  // namespace dojima::gateway
