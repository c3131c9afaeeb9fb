#include "dojima/app/trade/probe/probe_round.hpp"

#include <fmt/core.h>

#include "dojima/app/trade/native_request.hpp"

namespace dojima::app {

using market::OwnerReport;
using market::OwnerReportKind;
using market::Side;

// ---- Requests
// --------------------------------------------------------------------------------------------------------

Text<20> ProbeRound::name() {
  return Text<20>::cut(fmt::format("lat{}-{}", begun_ % 1'000'000'000, ++names_));
}

market::NewOrder ProbeRound::order(Side side, bool takes) {
  market::NewOrder order;
  order.header.instrument = options_.instrument;
  order.terms.limit = options_.price;
  order.terms.quantity = order.terms.displayed = options_.quantity;
  order.terms.side = side;
  order.terms.type = market::OrderType::limit;
  order.terms.time_in_force = takes ? market::TimeInForce::immediate_or_cancel : market::TimeInForce::day;
  order.terms.capacity = market::Capacity::any_other;
  order.terms.flags = market::k_auto_cancel;
  constexpr std::uint8_t k_clients_account = 1;
  constexpr std::uint32_t k_client = 3;
  order.labels.clearing = k_clients_account;
  order.labels.executing_trader = k_client;
  order.labels.client_order_id = request_ = name();
  return order;
}

ProbeRound::Request ProbeRound::next() {
  switch (step_) {
    case Step::enter:
    case Step::offer: {
      const market::NewOrder bid = order(Side::buy, false);
      resting_name_ = request_;
      return bid;
    }
    case Step::change: {
      market::Replace replace;
      replace.header.instrument = options_.instrument;
      replace.order = resting_;
      replace.limit = options_.price;
      replace.stop = {-1};
      replace.quantity = replace.displayed = {options_.quantity.lots + 1};
      replace.side = Side::buy;
      replace.original_client_order_id = resting_name_;
      replace.client_order_id = request_ = name();
      return replace;
    }
    case Step::cancel:
      return cancel();
    case Step::take:
      break;
  }
  has_bid_traded_ = has_offer_traded_ = false;
  return order(Side::sell, true);
}

market::Cancel ProbeRound::cancel() {
  market::Cancel cancel;
  cancel.header.instrument = options_.instrument;
  cancel.order = resting_;
  cancel.side = Side::buy;
  cancel.original_client_order_id = resting_name_;
  cancel.client_order_id = request_ = name();
  return cancel;
}

// ---- Answers
// ---------------------------------------------------------------------------------------------------------

ProbeRound::Answer ProbeRound::take(const OwnerReport& report, std::int32_t code, bool is_leaving) {
  const bool is_of_request = report.client_order_id == request_;
  const bool is_of_resting = rests() && report.order == resting_;
  if (!is_of_request && !is_of_resting) return {};  // of somebody else's session of this user
  if (auto trouble = trouble_of(report, code, is_leaving)) return *std::move(trouble);
  if (is_leaving) {
    if (report.kind == OwnerReportKind::cancelled || report.kind == OwnerReportKind::expired) resting_ = {};
    return {.then = Then::leave};
  }
  if (report.kind == OwnerReportKind::traded && step_ != Step::take) {
    if (report.leaves.lots == 0) resting_ = {};
    return {.then = Then::leave, .trouble = "somebody traded with the order: take a --price that nobody meets"};
  }
  return take_expected(report);
}

/// Whatever the step: a request was refused, or the order went where nothing can be measured.
std::optional<ProbeRound::Answer> ProbeRound::trouble_of(const OwnerReport& report, std::int32_t code,
                                                         bool is_leaving) {
  switch (report.kind) {
    case OwnerReportKind::rejected:
    case OwnerReportKind::request_rejected:
    case OwnerReportKind::business_rejected:
      if (is_leaving) {
        resting_ = {};
        return Answer{.then = Then::leave};
      }
      return Answer{.then = Then::leave, .trouble = fmt::format("the venue refused a request: {}", code_text(code))};
    case OwnerReportKind::suspended:
      resting_ = report.order;
      return Answer{.then = Then::leave,
                    .trouble = "the venue holds the order back: the book is not in continuous trading"};
    case OwnerReportKind::expired:
      if (step_ != Step::take || (rests() && report.order == resting_)) return std::nullopt;
      return Answer{.then = Then::leave,
                    .trouble =
                        "the sell order met nobody: own orders do not trade with each other here; leave out "
                        "--trades"};
    default:
      return std::nullopt;
  }
}

/// The answer that the step waits for; others are not looked at.
ProbeRound::Answer ProbeRound::take_expected(const OwnerReport& report) {
  const bool is_of_resting = rests() && report.order == resting_;
  switch (step_) {
    case Step::enter:
    case Step::offer:
      if (report.kind != OwnerReportKind::accepted) return {};
      resting_ = report.order;
      step_ = step_ == Step::enter ? Step::change : Step::take;
      return {.then = Then::go_on, .trip = ProbeKind::submit};
    case Step::change:
      if (report.kind != OwnerReportKind::replaced) return {};
      resting_name_ = report.client_order_id;
      step_ = Step::cancel;
      return {.then = Then::go_on, .trip = ProbeKind::replace};
    case Step::cancel:
      if (report.kind != OwnerReportKind::cancelled) return {};
      resting_ = {};
      step_ = options_.trades ? Step::offer : Step::enter;
      return {.then = options_.trades ? Then::go_on : Then::end_round, .trip = ProbeKind::cancel};
    case Step::take:
      break;
  }
  if (report.kind != OwnerReportKind::traded) return {};
  (is_of_resting ? has_bid_traded_ : has_offer_traded_) = true;
  Answer answer;
  if (is_of_resting) answer.trip = ProbeKind::trade;
  if (has_bid_traded_ && has_offer_traded_) {
    resting_ = {};
    step_ = Step::enter;
    answer.then = Then::end_round;
  }
  return answer;
}

}  // namespace dojima::app
