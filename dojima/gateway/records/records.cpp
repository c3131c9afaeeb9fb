#include "dojima/gateway/records/records.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

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

Records::Records(RecordLimits limits, std::uint64_t first_number, std::size_t clients)
    : orders_(checked(limits).orders),
      closed_(limits.orders),
      requests_(std::bit_ceil(limits.requests)),
      links_(requests_.size()),
      lists_(clients),
      mask_(requests_.size() - 1),
      next_number_(first_number),
      ids_(requests_.size() + limits.remembered_ids),
      venue_ids_(limits.orders) {}

std::optional<std::uint64_t> Records::take_number() noexcept {
  if (used_requests_ == requests_.size()) return std::nullopt;
  while (requests_[next_number_ & mask_].is_used) ++next_number_;
  return next_number_++;
}

std::optional<std::uint64_t> Records::take_pair() noexcept {
  // O(capacity) where nearly every slot is taken; a round is enough to see that there is no pair.
  for (std::size_t tried = 0; tried < requests_.size(); ++tried, ++next_number_) {
    if (requests_[next_number_ & mask_].is_used || requests_[(next_number_ + 1) & mask_].is_used) continue;
    next_number_ += 2;
    return next_number_ - 2;
  }
  return std::nullopt;
}

void Records::append(std::uint32_t slot, std::uint32_t client) noexcept {
  DOJIMA_ASSERT(client < lists_.size(), "a request is of a client that there is", client, lists_.size());
  List& list = lists_[client];
  links_[slot] = {.before = list.last, .next = k_no_slot};
  (list.last == k_no_slot ? list.first : links_[list.last].next) = slot;
  list.last = slot;
}

void Records::unlink(std::uint32_t slot, std::uint32_t client) noexcept {
  const Link link = links_[slot];
  List& list = lists_[client];
  std::uint32_t& behind = link.before == k_no_slot ? list.first : links_[link.before].next;
  std::uint32_t& before = link.next == k_no_slot ? list.last : links_[link.next].before;
  DOJIMA_ASSERT(behind == slot && before == slot, "a request is in the list of its client", slot, client);
  behind = link.next;
  before = link.before;
  links_[slot] = {};
}

Request& Records::open_request(std::uint64_t number, std::uint32_t client) noexcept {
  Request& request = requests_[number & mask_];
  DOJIMA_ASSERT(number < next_number_, "a number is taken before its record is opened", number, next_number_);
  DOJIMA_ASSERT(!request.is_used, "a number is taken only where its slot is free", number, request.number, mask_);
  request = Request{.number = number, .client = client, .is_used = true};
  append(slot_of(request), client);
  note(changes_.requests, is_request_noted_, slot_of(request));
  ++used_requests_;
  return request;
}

Request* Records::find_request(std::uint64_t number) noexcept {
  Request& request = requests_[number & mask_];
  if (!request.is_used || request.number != number) return nullptr;
  note(changes_.requests, is_request_noted_, slot_of(request));
  return &request;
}

const Request* Records::find_request(std::uint64_t number) const noexcept {
  const Request& request = requests_[number & mask_];
  return request.is_used && request.number == number ? &request : nullptr;
}

void Records::release(Request& request) noexcept {
  DOJIMA_ASSERT(request.is_used, "only a request in use is closed", request.number, request.client);
  unlink(slot_of(request), request.client);
  request.is_used = false;
  --used_requests_;
}

void Records::close_request(Request& request) noexcept {
  note_end(request, false);
  if (!request.is_id_shared) ids_.retire({request.cl_ord_id, request.client});
  release(request);
}

void Records::undo_request(Request& request) noexcept {
  note_end(request, true);
  if (!request.is_id_shared) ids_.erase({request.cl_ord_id, request.client});
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
  forget_venue_id(*slot);
  // Ids of the order that had this slot before lead nowhere from now on.
  order = Order{.generation = order.generation + 1};
  note(changes_.orders, is_order_noted_, *slot);
  return slot;
}

void Records::set_venue_id(std::uint32_t slot, market::OrderId id) noexcept {
  Order& order = order_at(slot);
  if (order.order_id == id) return;
  forget_venue_id(slot);
  order.order_id = id;
  // A venue that lost its orders gives their ids to others: the newest has it.
  [[maybe_unused]] const bool has_room = venue_ids_.assign({id.value, order.user}, slot);
  DOJIMA_ASSERT(has_room, "an order has one id of the venue's", slot, id, venue_ids_.size());
}

void Records::forget_venue_id(std::uint32_t slot) noexcept {
  const VenueId id{orders_[slot].order_id.value, orders_[slot].user};
  if (const std::uint32_t* known = venue_ids_.find(id); known != nullptr && *known == slot) venue_ids_.erase(id);
}

std::optional<std::uint32_t> Records::find_by_venue_id(std::uint32_t user, market::OrderId id) const noexcept {
  const std::uint32_t* slot = venue_ids_.find({id.value, user});
  return slot == nullptr ? std::nullopt : std::optional(*slot);
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

// For a journal -------------------------------------------------------------------------------------------------------

void Records::note_changes() {
  constexpr std::size_t k_ended = 1024;  // more, of an order with many changes, take memory once
  is_order_noted_.assign(orders_.capacity(), false);
  is_request_noted_.assign(requests_.size(), false);
  changes_.orders.reserve(orders_.capacity());
  changes_.requests.reserve(requests_.size());
  changes_.ended.reserve(k_ended);
}

void Records::note_end(const Request& request, bool is_withdrawn) {
  if (is_request_noted_.empty()) return;
  const ClientOrderIds::Target* target = ids_.find({request.cl_ord_id, request.client});
  changes_.ended.push_back({request.number, is_withdrawn, target == nullptr || target->order == k_no_slot});
}

void Records::forget_changes() noexcept {
  for (const std::uint32_t slot : changes_.orders) is_order_noted_[slot] = false;
  for (const std::uint32_t slot : changes_.requests) is_request_noted_[slot] = false;
  changes_.orders.clear();
  changes_.requests.clear();
  changes_.ended.clear();
}

Result<void> Records::restore(const Remembered& remembered) {
  DOJIMA_ASSERT(orders_.size() == 0 && used_requests_ == 0 && ids_.size() == 0, "records are restored once, at first",
                orders_.size(), used_requests_);
  std::vector<std::uint32_t> slots, closed;
  for (const auto& [slot, order] : remembered.orders) {
    if (slot >= orders_.capacity())
      return fail(ErrorCode::no_room, 0, 0, slot, "limits.orders no smaller than when the journal was written");
    slots.push_back(slot);
    orders_[slot] = order;
    if (order.order_id.value != 0 && !venue_ids_.assign({order.order_id.value, order.user}, slot))
      return fail(ErrorCode::malformed, 0, 0, slot, "an id of the venue's for each order");
  }
  orders_.acquire_all(slots);
  for (const Request& request : remembered.requests)
    if (const Result<void> restored = restore_request(request); !restored) return restored;
  const std::size_t room = ids_.capacity() - ids_.size();
  const std::size_t count = remembered.past_ids.size();
  for (std::size_t at = count - std::min(count, room); at < count; ++at) {
    const auto& [key, target] = remembered.past_ids[at];
    if (ids_.contains(key)) continue;
    ids_.add(key, target);
    ids_.retire(key);
  }
  for (const std::uint32_t slot : slots)
    if (!is_open(orders_[slot].state) && orders_[slot].pending_change == k_no_slot) closed.push_back(slot);
  std::ranges::sort(closed, {}, [&](std::uint32_t slot) { return std::pair{orders_[slot].current_request, slot}; });
  for (const std::uint32_t slot : closed) retire_order(slot);
  skip_numbers(remembered.next_number);
  first_of_life_ = next_number_;
  return {};
}

Result<void> Records::restore_request(const Request& saved) {
  Request& request = requests_[saved.number & mask_];
  if (request.is_used)
    return fail(ErrorCode::no_room, 0, 0, static_cast<std::int64_t>(requests_.size()),
                "limits.requests no smaller than when the journal was written");
  if (!orders_.is_used(saved.order))
    return fail(ErrorCode::malformed, 0, 0, static_cast<std::int64_t>(saved.number), "the order of every request");
  request = saved;
  request.is_used = true;
  request.next_stale = k_no_slot;
  append(slot_of(request), request.client);
  ++used_requests_;
  skip_numbers(saved.number + 1);
  Order& order = orders_[saved.order];
  if (const ClientOrderIds::Key key{request.cl_ord_id, request.client}; !ids_.contains(key))
    ids_.add(key, {request.order, order.generation});
  if (request.kind == RequestKind::new_order || request.is_answered || request.is_chained) return {};
  if (request.is_stale) {
    request.next_stale = order.stale_changes;
    order.stale_changes = slot_of(request);
  } else {
    order.pending_change = slot_of(request);
  }
  return {};
}

}  // namespace dojima::gateway
