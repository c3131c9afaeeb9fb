#pragma once

// The actions and guards of OrderLife: what a report of a book does to an order as its owner knows it. Those that most
// commands come to are inlined by force, so that what they say of a report stays in registers. Included by
// order_life_machine.hpp only.

#include <cstdint>

#include "dojima/venue/partition/owned_orders.hpp"

namespace dojima::venue {

[[nodiscard]] inline std::uint64_t lots_of(market::Quantity quantity) noexcept {
  return static_cast<std::uint64_t>(quantity.lots);
}

[[gnu::always_inline]] inline void OwnedOrders::take_up(const LifeInput& input) {
  request_.order = input.order;
  request_.slot = input.slot;
  request_.leaves = input.leaves;
}

[[gnu::always_inline]] inline void OwnedOrders::enter(const LifeInput& input) {
  take_up(input);
  totals_[owner_of(input)].submitted += lots_of(input.report.quantity);
  known(input.slot).name = names_.assign(input.slot, request_.name);
  if ((orders_.flags(input.slot) & market::k_quote) != 0) [[unlikely]]
    begin_quote(input.slot);
  input.outgoing.kind = market::OwnerReportKind::accepted;
}

inline void OwnedOrders::change(const LifeInput& input) {
  const std::uint16_t owner = owner_of(input);
  market::OrderLabels& labels = orders_.labels(input.slot);
  take_up(input);
  totals_[owner].submitted += lots_of(input.report.quantity - request_.old_quantity);
  check_totals(owner);
  release_name(input.slot);
  labels.client_order_id = *request_.client_order_id;
  if (!request_.account->is_empty()) labels.account = *request_.account;
  known(input.slot).name = names_.assign(input.slot);
  input.outgoing.kind = market::OwnerReportKind::replaced;
}

inline void OwnedOrders::give_up(const LifeInput& input) {
  const std::uint16_t owner = owner_of(input);
  if (input.order == request_.order) request_.leaves -= input.report.quantity;
  totals_[owner].submitted -= lots_of(input.report.quantity);
  check_totals(owner);
  if (!is_full_) return;
  input.outgoing.kind = market::OwnerReportKind::restated;
  input.outgoing.restatement = market::Restatement::market;
}

inline void OwnedOrders::suspend(const LifeInput& input) {
  input.outgoing.kind = market::OwnerReportKind::suspended;
}

/// What waited is in the book and has not traded: as if it were accepted again.
inline void OwnedOrders::enter_book(const LifeInput& input) {
  input.outgoing.kind = market::OwnerReportKind::accepted;
  input.outgoing.has_price = orders_.terms(input.slot).sub_type == market::OrderSubType::offset;
}

inline void OwnedOrders::restate_peak(const LifeInput& input) {
  input.outgoing.kind = market::OwnerReportKind::restated;
  input.outgoing.restatement = market::Restatement::replenished;
}

/// The end of a call gave the order a limit.
inline void OwnedOrders::restate_price(const LifeInput& input) {
  input.outgoing.kind = market::OwnerReportKind::restated;
  input.outgoing.restatement = market::Restatement::repriced;
  input.outgoing.has_price = true;
}

[[gnu::always_inline]] inline void OwnedOrders::end_filled(const LifeInput& input) {
  end_names(input.slot);
}

[[gnu::always_inline]] inline void OwnedOrders::end_cancelled(const LifeInput& input) {
  const std::uint16_t owner = owner_of(input);
  totals_[owner].cancelled += lots_of(input.report.quantity);
  check_totals(owner);
  end_names(input.slot);
  // Others of the account, whose orders went with a mass cancel, know their own ids only.
  const bool is_by_owner = input.report.reason == market::Reason::by_owner;
  input.outgoing.is_answer = is_by_owner && owner == request_.user;
  if (!is_by_owner) [[unlikely]]
    input.outgoing.restatement = market::Restatement::market;
  input.outgoing.kind = market::OwnerReportKind::cancelled;
}

inline void OwnedOrders::end_expired(const LifeInput& input) {
  const std::uint16_t owner = owner_of(input);
  totals_[owner].expired += lots_of(input.report.quantity);
  check_totals(owner);
  end_names(input.slot);
  input.outgoing.kind = market::OwnerReportKind::expired;
}

[[gnu::always_inline]] inline bool OwnedOrders::is_request(const LifeInput& input) const noexcept {
  return (input.report.flags & market::k_replacement) != 0;
}

[[gnu::always_inline]] inline bool OwnedOrders::is_unsolicited(const LifeInput&) const noexcept {
  return !request_.is_replace;
}

[[gnu::always_inline]] inline bool OwnedOrders::is_used_up(const LifeInput& input) const noexcept {
  return input.leaves.lots == 0;
}

[[gnu::always_inline]] inline bool OwnedOrders::has_executions(const LifeInput& input) const noexcept {
  return input.report.leaves < input.report.quantity;
}

}  // namespace dojima::venue
