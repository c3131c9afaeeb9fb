#pragma once

// All that a gateway remembers: the orders, the requests that the venue may still answer, and the clients' ClOrdIDs. A
// native report carries only the number that the gateway gave the request (in base 62), so a number leads straight to
// its record: its slot is the number modulo the capacity, and slots in use are skipped when numbers are given out.
// Closed orders stay findable until their slot is needed again, oldest first; ClOrdIDs of the past likewise.
//
// Every operation is O(1), amortised where a number is given out (slots of long-lived orders are skipped once per
// round); ending a venue session is O(its clients' requests). Memory is taken at construction; running out is an
// answer.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "dojima/base/error.hpp"
#include "dojima/base/fixed_map.hpp"
#include "dojima/base/pool.hpp"
#include "dojima/gateway/records/client_order_ids.hpp"
#include "dojima/gateway/records/order.hpp"
#include "dojima/gateway/records/request.hpp"

namespace dojima::gateway {

struct RecordLimits {
  std::size_t orders = 0;
  std::size_t requests = 0;  ///< rounded up to a power of two
  std::size_t remembered_ids = 0;
};

class Records {
 public:
  /// For this many clients. Throws std::bad_alloc, std::invalid_argument for a limit of 0 or fewer requests than twice
  /// the orders.
  Records(RecordLimits limits, std::uint64_t first_number, std::size_t clients = 1);

  // Numbers and requests -------------------------------------------------------------------------------------------

  /// A number of its own above all before it, for a request, whether or not it will be sent; none: every slot is taken.
  [[nodiscard]] std::optional<std::uint64_t> take_number() noexcept;
  /// Two of them that follow each other: the first.
  [[nodiscard]] std::optional<std::uint64_t> take_pair() noexcept;
  /// The record of a number just taken, for a request of this client.
  Request& open_request(std::uint64_t number, std::uint32_t client) noexcept;
  /// The record of `number` if it is in use; else null.
  [[nodiscard]] Request* find_request(std::uint64_t number) noexcept;
  [[nodiscard]] const Request* find_request(std::uint64_t number) const noexcept;
  [[nodiscard]] Request& request_at(std::uint32_t slot) noexcept {
    note(changes_.requests, is_request_noted_, slot);
    return requests_[slot];
  }
  [[nodiscard]] const Request& request_at(std::uint32_t slot) const noexcept { return requests_[slot]; }
  [[nodiscard]] std::uint32_t slot_of(const Request& request) const noexcept {
    return static_cast<std::uint32_t>(request.number & mask_);
  }
  /// Slots of the client's requests one by one, in the order of their numbers, among them the request whose id an open
  /// order has; k_no_slot: no more.
  [[nodiscard]] std::uint32_t first_request(std::uint32_t client) const noexcept { return lists_[client].first; }
  [[nodiscard]] std::uint32_t next_request(std::uint32_t slot) const noexcept { return links_[slot].next; }
  /// Forgets a request. Its ClOrdID is remembered among those of the past.
  void close_request(Request& request) noexcept;
  /// Forgets a request that was never sent, and its ClOrdID.
  void undo_request(Request& request) noexcept;

  // Orders ---------------------------------------------------------------------------------------------------------

  /// A slot for a new order; none when all are taken by open ones. May forget the order that closed first.
  [[nodiscard]] std::optional<std::uint32_t> open_order() noexcept;
  [[nodiscard]] Order& order_at(std::uint32_t slot) noexcept {
    note(changes_.orders, is_order_noted_, slot);
    return orders_[slot];
  }
  [[nodiscard]] const Order& order_at(std::uint32_t slot) const noexcept { return orders_[slot]; }
  [[nodiscard]] bool has_order(std::uint32_t slot) const noexcept { return orders_.is_used(slot); }
  /// The id that the venue has given the order, which finds it from now on.
  void set_venue_id(std::uint32_t slot, market::OrderId id) noexcept;
  /// The order of the venue user with that id of its venue's; none: it has none, or it is no longer remembered.
  [[nodiscard]] std::optional<std::uint32_t> find_by_venue_id(std::uint32_t user, market::OrderId id) const noexcept;
  /// The cancel or replace of the order that is not answered; k_no_slot: none. No change that a journal has to know.
  void set_pending_change(std::uint32_t slot, std::uint32_t request) noexcept {
    orders_[slot].pending_change = request;
  }
  /// Gives back a slot whose order was never sent.
  void undo_order(std::uint32_t slot) noexcept;
  /// A closed order without a pending change: it may be forgotten when its slot is needed. Once for each order.
  void retire_order(std::uint32_t slot) noexcept;

  // ClOrdIDs -------------------------------------------------------------------------------------------------------

  /// Whether the client has used this id, as far as it is remembered.
  [[nodiscard]] bool knows_id(std::uint32_t client, const ClOrdId& id) const noexcept {
    return ids_.contains({id, client});
  }
  /// The order that the id addresses: it has or had this id, or a pending request for it has; none where there is none
  /// any more, or the id's request was refused.
  [[nodiscard]] std::optional<std::uint32_t> find_order(std::uint32_t client, const ClOrdId& id) const noexcept;
  /// From now on the id, which must be unknown, addresses the order.
  void add_id(std::uint32_t client, const ClOrdId& id, std::uint32_t slot) noexcept {
    ids_.add({id, client}, {slot, orders_[slot].generation});
  }
  /// An order is now that of a request that meant another one: so is the id that it has, but for a shared one.
  void move_request(Request& request, std::uint32_t slot) noexcept {
    request.order = slot;
    if (!request.is_id_shared) ids_.address({request.cl_ord_id, request.client}, {slot, orders_[slot].generation});
  }
  /// The id of a refused request addresses nothing, but stays known.
  void detach_id(std::uint32_t client, const ClOrdId& id) noexcept { ids_.detach({id, client}); }

  // For a journal ---------------------------------------------------------------------------------------------------

  /// A request that is over.
  struct Ended {
    std::uint64_t number = 0;
    bool is_withdrawn = false;  ///< it was never sent
    bool is_detached = false;   ///< its ClOrdID addresses nothing
  };
  /// Records that may have changed: whatever was given out to be changed.
  struct Changes {
    std::vector<std::uint32_t> orders;    ///< slots, each once; of those in use
    std::vector<std::uint32_t> requests;  ///< likewise
    std::vector<Ended> ended;             ///< in their order
    [[nodiscard]] bool is_empty() const noexcept { return orders.empty() && requests.empty() && ended.empty(); }
  };
  /// From now on changes are noted. Throws std::bad_alloc.
  void note_changes();
  [[nodiscard]] const Changes& changes() const noexcept { return changes_; }
  /// They have been written.
  void forget_changes() noexcept;
  [[nodiscard]] const ClientOrderIds& ids() const noexcept { return ids_; }

  /// What was remembered in an earlier life, of records that are empty: orders with their slots, requests, and the ids
  /// of the past with what they address, oldest first. Which change of an order waits is found from the requests.
  /// Errors: `no_room` for more than the limits allow, `malformed` for requests without an order.
  struct Remembered {
    std::vector<std::pair<std::uint32_t, Order>> orders;  ///< ascending slots
    std::vector<Request> requests;                        ///< ascending numbers
    std::vector<std::pair<ClientOrderIds::Key, ClientOrderIds::Target>> past_ids;
    std::uint64_t next_number = 0;
  };
  [[nodiscard]] Result<void> restore(const Remembered& remembered);
  /// Numbers below this may have been used.
  void skip_numbers(std::uint64_t below) noexcept { next_number_ = std::max(next_number_, below); }
  [[nodiscard]] std::uint64_t next_number() const noexcept { return next_number_; }
  /// Whether the number was given out before restore().
  [[nodiscard]] bool is_of_earlier_life(std::uint64_t number) const noexcept { return number < first_of_life_; }

  [[nodiscard]] std::size_t orders() const noexcept { return orders_.size(); }
  [[nodiscard]] std::size_t order_capacity() const noexcept { return orders_.capacity(); }
  [[nodiscard]] std::size_t closed_orders() const noexcept { return closed_count_; }
  [[nodiscard]] std::size_t requests() const noexcept { return used_requests_; }
  [[nodiscard]] std::size_t request_capacity() const noexcept { return requests_.size(); }
  [[nodiscard]] std::size_t known_ids() const noexcept { return ids_.size(); }

 private:
  struct VenueId {
    std::uint64_t id = 0;
    std::uint64_t user = 0;
  };
  struct Link {
    std::uint32_t before = k_no_slot, next = k_no_slot;
  };
  struct List {
    std::uint32_t first = k_no_slot, last = k_no_slot;
  };

  void append(std::uint32_t slot, std::uint32_t client) noexcept;
  void unlink(std::uint32_t slot, std::uint32_t client) noexcept;
  void release(Request& request) noexcept;
  void forget_venue_id(std::uint32_t slot) noexcept;
  void note(std::vector<std::uint32_t>& list, std::vector<bool>& noted, std::uint32_t slot) noexcept {
    if (noted.empty() || noted[slot]) return;
    noted[slot] = true;
    list.push_back(slot);
  }
  void note_end(const Request& request, bool is_withdrawn);
  [[nodiscard]] Result<void> restore_request(const Request& saved);

  Pool<Order> orders_;
  std::vector<std::uint32_t> closed_;  // a ring of slots, oldest first
  std::size_t first_closed_ = 0;
  std::size_t closed_count_ = 0;

  std::vector<Request> requests_;
  std::vector<Link> links_;  // by slot, in the list of the request's client
  std::vector<List> lists_;  // by client
  std::uint64_t mask_;
  std::uint64_t next_number_;
  std::uint64_t first_of_life_ = 0;
  std::size_t used_requests_ = 0;

  ClientOrderIds ids_;
  FixedMap<VenueId, std::uint32_t> venue_ids_;  // slots of orders

  Changes changes_;
  std::vector<bool> is_order_noted_, is_request_noted_;  // empty: changes are not noted
};

}  // namespace dojima::gateway
