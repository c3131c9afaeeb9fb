#include "dojima/gateway/records/records.hpp"

#include <bit>
#include <stdexcept>

#include "dojima/base/assert.hpp"

namespace dojima::gateway {
namespace {

[[nodiscard]] RecordLimits checked(RecordLimits limits) {
  if (limits.orders == 0 || limits.orders > k_no_slot / 4)
    throw std::invalid_argument("the number of order records is out of range");
  limits.requests = std::bit_ceil(limits.requests);
  if (limits.requests < 2 * limits.orders || limits.requests > k_no_slot / 2)
    throw std::invalid_argument("request records are at least twice the order records");
  if (limits.remembered_ids == 0) throw std::invalid_argument("at least one ClOrdID is remembered");
  return limits;
}

}  // namespace

Records::Records(RecordLimits limits, std::uint64_t first_number)
    : orders_(checked(limits).orders),
      closed_(limits.orders),
      requests_(std::bit_ceil(limits.requests)),
      mask_(requests_.size() - 1),
      next_number_(first_number),
      ids_(requests_.size() + limits.remembered_ids) {}

std::optional<std::uint64_t> Records::take_number() noexcept {
  if (used_requests_ == requests_.size()) return std::nullopt;
  while (requests_[next_number_ & mask_].is_used) ++next_number_;
  return next_number_++;
}

Request& Records::open_request(std::uint64_t number) noexcept {
  Request& request = requests_[number & mask_];
  DOJIMA_ASSERT(number < next_number_, "a number is taken before its record is opened", number, next_number_);
  DOJIMA_ASSERT(!request.is_used, "a number is taken only where its slot is free", number, request.number, mask_);
  request = Request{.number = number, .is_used = true};
  ++used_requests_;
  return request;
}

Request* Records::find_request(std::uint64_t number) noexcept {
  Request& request = requests_[number & mask_];
  return request.is_used && request.number == number ? &request : nullptr;
}

void Records::release(Request& request) noexcept {
  DOJIMA_ASSERT(request.is_used, "only a request in use is closed", request.number, request.client);
  request.is_used = false;
  --used_requests_;
}

void Records::close_request(Request& request) noexcept {
  ids_.retire({request.cl_ord_id, request.client});
  release(request);
}

void Records::undo_request(Request& request) noexcept {
  ids_.erase({request.cl_ord_id, request.client});
  release(request);
}

std::optional<std::uint32_t> Records::open_order() noexcept {
  std::optional<std::uint32_t> slot = orders_.acquire();
  if (!slot && closed_count_ != 0) {
    slot = closed_[first_closed_];
    first_closed_ = first_closed_ + 1 == closed_.size() ? 0 : first_closed_ + 1;
    --closed_count_;
  }
  if (!slot) return std::nullopt;
  Order& order = orders_[*slot];
  // Ids of the order that had this slot before lead nowhere from now on.
  order = Order{.generation = order.generation + 1};
  return slot;
}

void Records::undo_order(std::uint32_t slot) noexcept {
  orders_.release(slot);
}

void Records::retire_order(std::uint32_t slot) noexcept {
  const Order& order = orders_[slot];
  DOJIMA_ASSERT(!is_open(order.state), "only a closed order retires", slot, order.state, order.order_id);
  DOJIMA_ASSERT(order.pending_change == k_no_slot, "no change of an order that retires is pending", slot,
                order.pending_change, order.order_id);
  DOJIMA_ASSERT(closed_count_ < orders_.size(), "an order retires once", slot, closed_count_, orders_.size());
  std::size_t end = first_closed_ + closed_count_;
  if (end >= closed_.size()) end -= closed_.size();
  closed_[end] = slot;
  ++closed_count_;
}

std::optional<std::uint32_t> Records::find_order(std::uint32_t client, const ClOrdId& id) const noexcept {
  const ClientOrderIds::Target* target = ids_.find({id, client});
  if (target == nullptr || target->order == k_no_slot || !orders_.is_used(target->order) ||
      orders_[target->order].generation != target->generation)
    return std::nullopt;
  return target->order;
}

}  // namespace dojima::gateway
