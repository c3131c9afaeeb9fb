#include "dojima/venue/partition/expiries.hpp"

#include <algorithm>

namespace dojima::venue {
namespace {

/// The later entry sinks; of one instant the ids decide, so that the same orders always come in the same way.
constexpr auto k_expires_later = [](const auto& one, const auto& other) {
  return one.expiry != other.expiry ? one.expiry > other.expiry : one.order.value > other.order.value;
};

bool has_expiry(const market::OrderTerms& terms) noexcept {
  return terms.time_in_force == market::TimeInForce::good_till_date ||
         terms.time_in_force == market::TimeInForce::good_till_time;
}

/// More than there are live orders, so that what orders that ended have left is cleared now and then only.
std::size_t expiries_for(const book::OrderTable& orders) noexcept {
  return orders.capacity() + orders.capacity() / 8 + 64;
}

}  // namespace

Expiries::Expiries(const book::OrderTable& orders) : orders_(orders) {
  heap_.reserve(expiries_for(orders));
}

bool Expiries::is_current(const Entry& entry) const noexcept {
  const book::Slot slot = orders_.find(entry.order);
  if (slot == book::k_no_slot) return false;
  const market::OrderTerms terms = orders_.terms(slot);
  return has_expiry(terms) && terms.expiry == entry.expiry;
}

void Expiries::note(book::Slot slot) {
  if (!orders_[slot].is_live()) return;
  const market::OrderTerms terms = orders_.terms(slot);
  if (!has_expiry(terms)) return;
  if (heap_.size() == heap_.capacity()) return rebuild();
  push({terms.expiry, orders_.id(slot)});
}

void Expiries::push(const Entry& entry) {
  heap_.push_back(entry);
  std::push_heap(heap_.begin(), heap_.end(), k_expires_later);
}

void Expiries::pop() {
  std::pop_heap(heap_.begin(), heap_.end(), k_expires_later);
  heap_.pop_back();
}

time::Time Expiries::next() {
  while (!heap_.empty() && !is_current(heap_.front())) pop();
  return heap_.empty() ? time::k_never : heap_.front().expiry;
}

void Expiries::take_due(time::Time now, std::vector<book::Slot>& due) {
  due.clear();
  market::OrderId last{};
  while (!heap_.empty() && heap_.front().expiry <= now) {
    const Entry entry = heap_.front();
    const bool is_wanted = entry.order != last && is_current(entry);
    pop();
    if (!is_wanted) continue;
    last = entry.order;
    due.push_back(orders_.find(entry.order));
  }
}

void Expiries::rebuild() {
  heap_.clear();
  for (const book::Slot slot : orders_.live()) {
    const market::OrderTerms terms = orders_.terms(slot);
    if (has_expiry(terms)) heap_.push_back({terms.expiry, orders_.id(slot)});
  }
  std::make_heap(heap_.begin(), heap_.end(), k_expires_later);
}

}  // namespace dojima::venue
