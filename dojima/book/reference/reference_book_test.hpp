#pragma once

// A naive order book: one bag of orders, sorted anew for every step, everything by the letter of docs/book.md and
// docs/auctions.md (every price of an auction is tried), nothing shared with the real one but the records. Slow and
// meant to be obviously right. What the real book says must be this, byte for byte. Here is what commands do; what they
// do it with lies in layers below: state, checks, places, matching, auctions.

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "dojima/book/reference/reference_auctions_test.hpp"

namespace dojima::book::testing {

class ReferenceBook : public ReferenceAuctions {
 public:
  using ReferenceAuctions::ReferenceAuctions;

  Reports apply(std::uint64_t sequence, const market::NewOrder& command) {
    begin(sequence);
    Order order;
    order.terms = command.terms;
    order.terms.owner = command.header.user;
    if (const Reason reason = check(command, order.terms); reason != Reason::none)
      return refuse({}, command.terms.side, reason, 0);
    const std::size_t slot = free_.front();
    free_.pop_front();
    generations_[slot] += 1;
    order.id = 1ULL << 60 | generations_[slot] << 32 | slot;
    order.born = ++clock_;
    order.linked = command.linked.value;
    if (order.linked != 0) find(order.linked)->linked = order.id;
    orders_.push_back(order);
    Order& mine = orders_.back();
    say(Kind::accepted, mine, mine.terms.quantity.lots);
    if (is_for_auctions(mine.terms) && !takes_part_in(mine.terms, phase_)) {
      wait(mine);
    } else if (mine.terms.type == Type::trailing_stop) {
      mine.trigger = *last_ + (is_buy(mine) ? 1 : -1) * mine.terms.stop.units;
      park(mine);
    } else if (is_stop(mine.terms)) {
      wait_or_go(mine);
    } else {
      enter(mine, mine.terms.passive);
    }
    settle();
    return reports_;
  }

  Reports apply(std::uint64_t sequence, const market::Replace& command) {
    begin(sequence);
    Order* found = find(command.order.value);
    const Reason reason = found == nullptr ? Reason::unknown_order : check(command, *found);
    if (reason != Reason::none) return refuse(command.order, command.side, reason, market::k_replacement);
    Order& order = *found;
    const market::OrderTerms changed = after(command, order);
    const bool is_repriced = changed.limit != order.terms.limit;
    if (keeps(changed, order)) {
      if (order.spot == Spot::lit) order.shown = std::min(order.shown, would_show(changed, order));
      order.terms = changed;
      say(Kind::replaced, order, changed.quantity.lots, waits(order) ? market::k_parked : 0);
    } else {
      const bool was_waiting = waits(order), waited_for_phase = order.spot == Spot::waiting;
      order.spot = Spot::out;
      order.terms = changed;
      say(Kind::replaced, order, changed.quantity.lots,
          static_cast<std::uint8_t>(market::k_lost_priority | (was_waiting ? market::k_parked : 0)));
      if (waited_for_phase)
        wait(order);
      else if (is_stop(order.terms))
        wait_or_go(order);
      else if (was_waiting)
        park(order);
      else
        enter(order, is_repriced ? command.passive : std::uint8_t{0});
    }
    settle();
    return reports_;
  }

  Reports apply(std::uint64_t sequence, const market::Cancel& command) {
    begin(sequence);
    Order* found = find(command.order.value);
    Reason reason = Reason::none;
    if (found == nullptr)
      reason = Reason::unknown_order;
    else if (found->terms.owner != command.header.user)
      reason = Reason::not_owner;
    else if (found->terms.side != command.side)
      reason = Reason::side_mismatch;
    if (reason != Reason::none) return refuse(command.order, command.side, reason, market::k_replacement);
    end(*found, Kind::cancelled, Reason::by_owner);
    settle();
    return reports_;
  }

  Reports apply(std::uint64_t sequence, const market::MassCancel& command) {
    begin(sequence);
    end_all(Kind::cancelled, Reason::by_owner, [&](const market::OrderTerms& terms) {
      const bool is_meant = command.is_everyone || terms.owner == command.header.user ||
                            (command.is_account && have_one_account(terms.owner, command.header.user));
      return is_meant && (command.side == Side::none || terms.side == command.side) &&
             (command.group == 0 || terms.group == command.group);
    });
    return reports_;
  }

  Reports apply(std::uint64_t sequence, const market::Expire& command) {
    begin(sequence);
    end_all(Kind::expired, Reason::time_expired, [&](const market::OrderTerms& terms) {
      if (is_timed(terms)) return terms.expiry <= command.header.time;
      return command.is_end_of_day && terms.time_in_force != market::TimeInForce::good_till_cancel;
    });
    return reports_;
  }

  Reports apply(std::uint64_t sequence, const market::PhaseChange& command) {
    begin(sequence);
    if (static_cast<int>(command.phase) > 7) return refuse({}, Side::none, Reason::not_supported, 0);
    const Phase before = phase_;
    if (before == Phase::closing_price_cross && command.phase != before) end_collected(closing_);
    const bool is_requested = is_call(before) && (command.phase == Phase::closing_price_cross || command.is_uncrossed);
    if (is_collected_ && (command.phase == Phase::continuous || is_requested)) uncross();
    phase_ = command.phase;
    reference_.reset();
    if (command.reference.units != 0) reference_ = command.reference.units;
    if (is_call(phase_) || phase_ == Phase::closing_price_cross) is_collected_ = true;
    if (!is_call(phase_)) published_ = {};
    if (phase_ == Phase::closing_price_cross) {
      if (!closing_) closing_ = reference_ ? reference_ : last_;
    } else if (!is_shut()) {
      closing_.reset();
    }
    if (phase_ == Phase::continuous && before != phase_ && last_) trades_.insert(*last_);
    reports_.push_back({.sequence = {sequence},
                        .price = command.reference,
                        .instrument = rules_.instrument,
                        .kind = Kind::phase_changed,
                        .flags = static_cast<std::uint8_t>(phase_)});
    std::map<std::uint64_t, std::uint64_t> joining;
    for (const Order& order : orders_)
      if (order.spot == Spot::waiting && takes_part_in(order.terms, phase_)) joining[order.arrival] = order.id;
    for (const auto& [arrival, id] : joining) {
      Order& order = *find(id);
      order.spot = Spot::out;
      say(Kind::triggered, order, order.terms.quantity.lots);
      collect(order);
    }
    settle();
    return reports_;
  }

 private:
  void settle() {
    if (phase_ == Phase::closing_price_cross && closing_) static_cast<void>(cross(*closing_));
    if (is_call(phase_)) {
      const Outcome now = auction();
      if (now != published_) say(Kind::indicative, now);
      published_ = now;
    }
    if (phase_ != Phase::continuous) return;
    for (;;) {
      if (Order* stop = next_stop(); stop != nullptr) {
        go(*stop, 0);
        continue;
      }
      trades_.clear();
      Order* dark = next_awake();
      if (dark == nullptr) return;
      go(*dark, market::k_was_resting);
    }
  }

  template <class Fits>
  void end_all(Kind kind, Reason reason, Fits does_fit) {
    std::vector<std::tuple<std::uint16_t, std::uint64_t, std::uint64_t>> ending;
    for (const Order& order : orders_)
      if (does_fit(order.terms)) ending.emplace_back(order.terms.owner, order.born, order.id);
    std::sort(ending.begin(), ending.end());
    for (const auto& [owner, born, id] : ending) end(*find(id), kind, reason);
    settle();
  }
};

}  // namespace dojima::book::testing
