#include "dojima/gateway/records/records.hpp"

#include <bit>
#include <stdexcept>

#include "dojima/base/assert.hpp"

namespace dojima::gateway {
namespace {

[[nodiscard]] RecordLimits checked(RecordLimits limits) {
  if (limits.orders == 0 || limits.orders > k_nowhere / 4)
    throw std::invalid_argument("the number of order records is out of range");
  limits.requests = std::bit_ceil(limits.requests);
  if (limits.requests < 2 * limits.orders || limits.requests > k_nowhere / 2)
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
      names_(requests_.size() + limits.remembered_ids),
      past_(requests_.size() + limits.remembered_ids) {}

std::optional<std::uint64_t> Records::take_number() noexcept {
  if (used_requests_ == requests_.size()) return std::nullopt;
  while (requests_[next_number_ & mask_].is_used) ++next_number_;
  return next_number_++;
}

Request& Records::open_request(std::uint64_t number) noexcept {
  Request& request = requests_[number & mask_];
  DOJIMA_ASSERT(!request.is_used, "a number is taken only where its place is free");
  request = Request{.number = number, .is_used = true};
  ++used_requests_;
  return request;
}

Request* Records::find_request(std::uint64_t number) noexcept {
  Request& request = requests_[number & mask_];
  return request.is_used && request.number == number ? &request : nullptr;
}

void Records::release(Request& request) noexcept {
  DOJIMA_ASSERT(request.is_used, "only a request in use is closed");
  request.is_used = false;
  --used_requests_;
}

void Records::close_request(Request& request) noexcept {
  remember({request.cl_ord_id, request.client});
  release(request);
}

void Records::undo_request(Request& request) noexcept {
  names_.erase({request.cl_ord_id, request.client});
  release(request);
}

std::optional<std::uint32_t> Records::open_order() noexcept {
  std::optional<std::uint32_t> place = orders_.acquire();
  if (!place && closed_count_ != 0) {
    place = closed_[first_closed_];
    first_closed_ = first_closed_ + 1 == closed_.size() ? 0 : first_closed_ + 1;
    --closed_count_;
  }
  if (!place) return std::nullopt;
  Order& order = orders_[*place];
  // Names of the order that stood here before lead nowhere from now on.
  order = Order{.generation = order.generation + 1};
  return place;
}

void Records::undo_order(std::uint32_t place) noexcept {
  orders_.release(place);
}

void Records::retire_order(std::uint32_t place) noexcept {
  DOJIMA_ASSERT(closed_count_ < closed_.size(), "an order retires once");
  std::size_t end = first_closed_ + closed_count_;
  if (end >= closed_.size()) end -= closed_.size();
  closed_[end] = place;
  ++closed_count_;
}

bool Records::knows(std::uint32_t client, const ClOrdId& id) const noexcept {
  return names_.find({id, client}) != nullptr;
}

std::optional<std::uint32_t> Records::find_order(std::uint32_t client, const ClOrdId& id) const noexcept {
  const Name* name = names_.find({id, client});
  if (name == nullptr || name->order == k_nowhere || !orders_.is_used(name->order) ||
      orders_[name->order].generation != name->generation)
    return std::nullopt;
  return name->order;
}

void Records::name_order(std::uint32_t client, const ClOrdId& id, std::uint32_t place) noexcept {
  const NameKey key{id, client};
  // Ids of the present are at most as many as requests, so a full map holds one of the past.
  if (names_.is_full()) {
    DOJIMA_ASSERT(past_count_ != 0, "a full map holds ids of the past");
    names_.erase(past_[first_past_]);
    first_past_ = first_past_ + 1 == past_.size() ? 0 : first_past_ + 1;
    --past_count_;
  }
  const bool is_new = names_.insert(key, {place, orders_[place].generation});
  DOJIMA_ASSERT(is_new, "an id is used once");
}

void Records::disown(std::uint32_t client, const ClOrdId& id) noexcept {
  if (Name* name = names_.find({id, client})) *name = Name{};
}

/// The id belongs to the past: it is kept until the room is needed.
void Records::remember(const NameKey& key) noexcept {
  DOJIMA_ASSERT(past_count_ < past_.size(), "ids of the past are at most as many as known ones");
  std::size_t end = first_past_ + past_count_;
  if (end >= past_.size()) end -= past_.size();
  past_[end] = key;
  ++past_count_;
}

}  // namespace dojima::gateway
