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
  if (limits.ids() > k_no_slot / 4) throw std::invalid_argument("the number of remembered ClOrdIDs is out of range");
  return limits;
}

constexpr std::size_t k_changes_least = 64;
/// Copied in less time than as much is cleared.
constexpr RequestedChange k_blank_change{};
constexpr std::size_t k_ids_of_request = 2;  // its own, and one of the past that it keeps

}  // namespace

std::size_t RecordLimits::changes() const noexcept {
  const std::size_t slots = std::bit_ceil(requests);
  return std::min(slots, std::max(slots - std::min(slots, orders), k_changes_least));
}

std::size_t RecordLimits::ids() const noexcept {
  // One more, as a change may want an id of the past kept while its own is added.
  return ClientOrderIds::places_for(orders + std::max(changes(), remembered_ids) + 1);
}

Records::Records(RecordLimits limits, std::uint64_t first_number, std::size_t clients)
    : OrderRecords(checked(limits).orders, limits.ids()),
      requests_(std::bit_ceil(limits.requests)),
      lists_(requests_.size(), clients),
      mask_(requests_.size() - 1),
      next_number_(first_number),
      requested_(limits.changes()),
      wanted_parties_(parties_for(requested_.size())),
      free_changes_(requested_.size()) {
  if (clients > ClientOrderIds::k_clients_most) throw std::invalid_argument("a gateway has at most 65,536 clients");
  for (std::uint32_t place = 0; place < requested_.size(); ++place) requested_[place].next_stale = place + 1;
}

RecordBytes Records::bytes() const noexcept {
  return {.orders = order_bytes(),
          .requests = requests_.capacity() * sizeof(Request) + lists_.bytes(),
          .changes = requested_.capacity() * sizeof(RequestedChange),
          .ids = ids_.text_bytes(),
          .id_index = ids_.index_bytes(),
          .venue_index = venue_index_bytes(),
          .noted = changes_.bytes(),
          .parties = order_capacity() * sizeof(OrderParties),
          .wanted_parties = requested_.size() * sizeof(OrderParties)};
}

std::uint64_t Records::take_any_number() noexcept {
  if (used_requests_ == requests_.size() || !ids_.has_room(k_ids_of_request)) return k_no_number;
  while (requests_[next_number_ & mask_].is_used) ++next_number_;
  return next_number_++;
}

std::optional<std::uint64_t> Records::take_pair() noexcept {
  if (!ids_.has_room(k_ids_of_request)) return std::nullopt;
  // O(capacity) where nearly every slot is taken; a round is enough to see that there is no pair.
  for (std::size_t tried = 0; tried < requests_.size(); ++tried, ++next_number_) {
    if (requests_[next_number_ & mask_].is_used || requests_[(next_number_ + 1) & mask_].is_used) continue;
    next_number_ += 2;
    return next_number_ - 2;
  }
  return std::nullopt;
}

Request& Records::open_request(std::uint64_t number, std::uint32_t client) noexcept {
  Request& request = requests_[number & mask_];
  DOJIMA_ASSERT(number < next_number_, "a number is taken before its record is opened", number, next_number_);
  DOJIMA_ASSERT(!request.is_used, "a number is taken only where its slot is free", number, request.number, mask_);
  request = Request{.number = number, .client = static_cast<std::uint16_t>(client), .is_used = true};
  lists_.append(slot_of(request), client);
  changes_.note_request(slot_of(request));
  ++used_requests_;
  return request;
}

Request* Records::find_request(std::uint64_t number) noexcept {
  Request& request = requests_[number & mask_];
  if (!request.is_used || request.number != number) return nullptr;
  changes_.note_request(slot_of(request));
  return &request;
}

const Request* Records::find_request(std::uint64_t number) const noexcept {
  const Request& request = requests_[number & mask_];
  return request.is_used && request.number == number ? &request : nullptr;
}

RequestedChange& Records::open_change(Request& request, const ClOrdId& orig) noexcept {
  DOJIMA_ASSERT(free_changes_ != 0, "who opens a change knows that there is room", request.number, request.client);
  DOJIMA_ASSERT(request.change == k_no_slot, "a request is one change", request.number, request.change);
  const std::uint32_t place = free_change_;
  RequestedChange& change = requested_[place];
  free_change_ = change.next_stale;
  --free_changes_;
  change = k_blank_change;
  request.change = place;
  // The text is there: the order's mostly, else its request's, or one of the past that is remembered.
  const ClOrdIdRef own = order_in(request.order).cl_ord_id;
  if (own != k_no_id && text(own) == orig)
    change.orig_cl_ord_id = own;
  else if (!orig.is_empty())
    change.orig_cl_ord_id = ids_.keep(orig, request.client);
  ids_.hold(change.orig_cl_ord_id);
  return change;
}

void Records::close_change(Request& request) noexcept {
  if (request.change == k_no_slot) return;
  RequestedChange& change = requested_[request.change];
  ids_.drop(change.orig_cl_ord_id);
  change.orig_cl_ord_id = k_no_id;
  change.next_stale = free_change_;
  free_change_ = std::exchange(request.change, k_no_slot);
  ++free_changes_;
  request.has_parties = false;
}

void Records::want_parties(Request& request, const OrderParties& parties) noexcept {
  DOJIMA_ASSERT(request.quote != QuoteSide::none && request.change < requested_.size(),
                "a quote that amends is a change of its sides", request.number, request.change);
  request.has_parties = !parties.is_empty();
  wanted_parties_[request.change] = parties;
}

void Records::release(Request& request) noexcept {
  DOJIMA_ASSERT(request.is_used, "only a request in use is closed", request.number, request.client);
  lists_.remove(slot_of(request), request.client);
  close_change(request);
  ids_.drop(std::exchange(request.cl_ord_id, k_no_id));
  request.is_used = false;
  --used_requests_;
}

void Records::close_request(Request& request) noexcept {
  DOJIMA_ASSERT(request.is_used, "only a request in use is closed", request.number, request.client);
  note_end(request, false);
  if (!request.is_id_shared) ids_.retire(request.cl_ord_id);
  release(request);
}

void Records::undo_request(Request& request) noexcept {
  DOJIMA_ASSERT(request.is_used, "only a request in use is closed", request.number, request.client);
  note_end(request, true);
  if (!request.is_id_shared && request.cl_ord_id != k_no_id) ids_.erase(request.cl_ord_id);
  release(request);
}

ClOrdIdRef Records::add_id(Request& request, const ClOrdId& id, std::uint32_t slot) noexcept {
  DOJIMA_ASSERT(request.cl_ord_id == k_no_id, "a request has one id", request.number, request.client);
  request.cl_ord_id = ids_.add(id, request.client, {slot, order_in(slot).generation});
  ids_.hold(request.cl_ord_id);
  return request.cl_ord_id;
}

void Records::share_id(Request& request, ClOrdIdRef id) noexcept {
  DOJIMA_ASSERT(request.cl_ord_id == k_no_id, "a request has one id", request.number, request.client);
  ids_.hold(id);
  request.cl_ord_id = id;
  request.is_id_shared = true;
}

void Records::move_request(Request& request, std::uint32_t slot) noexcept {
  request.order = slot;
  if (!request.is_id_shared) ids_.address(request.cl_ord_id, {slot, order_in(slot).generation});
}

std::optional<std::uint32_t> Records::find_order(std::uint32_t client, const ClOrdId& id) const noexcept {
  const ClOrdIdRef ref = ids_.find(id, client);
  if (ref == k_no_id) return std::nullopt;
  const ClientOrderIds::Target& target = ids_.target(ref);
  if (!has_order(target.order) || order_at(target.order).generation != target.generation) return std::nullopt;
  return target.order;
}

// For a journal -------------------------------------------------------------------------------------------------------

void Records::note_changes() {
  changes_.begin(order_capacity(), requests_.size());
}

void Records::note_end(const Request& request, bool is_withdrawn) {
  if (!changes_.is_on()) return;
  const ClOrdIdRef id = request.cl_ord_id;
  const bool is_addressing = id != k_no_id && ids_.is_known(id) && ids_.target(id).order != k_no_slot;
  changes_.ended.push_back({request.number, is_withdrawn, !is_addressing});
}

Result<void> Records::restore(const Remembered& remembered) {
  DOJIMA_ASSERT(orders() == 0 && used_requests_ == 0 && ids_.size() == 0, "records are restored once, at first",
                orders(), used_requests_);
  for (const auto& [slot, order] : remembered.orders) {
    if (slot >= order_capacity())
      return fail(ErrorCode::no_room, 0, 0, slot, "limits.orders no smaller than when the journal was written");
    restore_order(slot, order);
  }
  end_restore();
  for (const SavedRequest& request : remembered.requests)
    if (const Result<void> restored = restore_request(request); !restored) return restored;
  restore_past_ids(remembered);
  std::vector<std::uint32_t> closed;
  closed.reserve(remembered.orders.size());
  for (const auto& [slot, order] : remembered.orders)
    if (!is_open(order_in(slot).state) && order_in(slot).pending_change == k_no_slot) closed.push_back(slot);
  std::ranges::sort(closed, {}, [&](std::uint32_t slot) { return std::pair{order_in(slot).current_request, slot}; });
  for (const std::uint32_t slot : closed) retire_order(slot);
  skip_numbers(remembered.next_number);
  first_of_life_ = next_number_;
  return {};
}

/// The newest that there is room for besides the reserve, which is whole again: fewer than before where that had been
/// used. The texts of those that an order has are there already.
void Records::restore_past_ids(const Remembered& remembered) {
  std::size_t first = remembered.past_ids.size();
  const std::size_t taken = ids_.size() + ids_.reserve();
  for (std::size_t room = ids_.capacity() - std::min(ids_.capacity(), taken); first != 0; --first) {
    if (ids_.has_text(remembered.past_ids[first - 1].first)) continue;
    if (room-- == 0) break;
  }
  for (std::size_t at = first; at < remembered.past_ids.size(); ++at) {
    const auto& [key, target] = remembered.past_ids[at];
    if (!ids_.contains(key)) ids_.retire(ids_.add(key, target));
  }
}

Result<void> Records::restore_request(const SavedRequest& saved) {
  constexpr const char* k_more_requests = "limits.requests no smaller than when the journal was written";
  Request& request = requests_[saved.number & mask_];
  const bool is_change = saved.kind != RequestKind::new_order && !saved.is_answered;
  // No more ids than it had: its own, and the one that it changes where no other record has it.
  const ClientOrderIds::Key key{saved.cl_ord_id_text, saved.client};
  const ClientOrderIds::Key orig{saved.orig_cl_ord_id, saved.client};
  const bool has_orig = is_change && !orig.id.is_empty() && orig.id != key.id;
  const std::size_t ids = (ids_.has_text(key) ? 0U : 1U) + (has_orig && !ids_.has_text(orig) ? 1U : 0U);
  if (request.is_used || !ids_.has_room(ids) || (is_change && !has_room_for_changes()))
    return fail(ErrorCode::no_room, 0, 0, static_cast<std::int64_t>(requests_.size()), k_more_requests);
  if (!has_order(saved.order))
    return fail(ErrorCode::malformed, 0, 0, static_cast<std::int64_t>(saved.number), "the order of every request");
  if (!saved.is_id_shared && ids_.contains(key))
    return fail(ErrorCode::malformed, 0, 0, static_cast<std::int64_t>(saved.number), "a ClOrdID for each request");
  request = saved;
  request.is_used = true;
  request.change = k_no_slot;
  lists_.append(slot_of(request), request.client);
  ++used_requests_;
  skip_numbers(saved.number + 1);
  Order& order = order_in(saved.order);
  // Of a shared one the other side's request says what it addresses, or it is of the past.
  request.cl_ord_id = saved.is_id_shared ? ids_.keep(key.id, key.client)
                                         : ids_.add(key.id, key.client, {request.order, order.generation});
  ids_.hold(request.cl_ord_id);
  if (!is_change) return {};
  RequestedChange& change = open_change(request, saved.orig_cl_ord_id);
  change.terms = saved.terms;
  change.account = saved.account;
  if (request.has_parties) wanted_parties_[request.change] = saved.parties;
  if (request.is_chained) return {};
  if (request.is_stale) {
    change.next_stale = order.stale_changes;
    order.stale_changes = slot_of(request);
  } else {
    order.pending_change = slot_of(request);
  }
  return {};
}

}  // namespace dojima::gateway
