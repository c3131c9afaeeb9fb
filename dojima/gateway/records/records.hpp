#pragma once

// All that a gateway remembers: the orders, the requests that the venue may still answer, and the clients' ClOrdIDs. A
// native report carries only the number that the gateway gave the request (in base 62), so a number leads straight to
// its record: its slot is the number modulo the capacity, and slots in use are skipped when numbers are given out.
// ClOrdIDs of the past stay known until their room is needed again, oldest first, and so do closed orders
// (order_records.hpp).
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

#include "dojima/base/assert.hpp"
#include "dojima/base/error.hpp"
#include "dojima/gateway/records/client_order_ids.hpp"
#include "dojima/gateway/records/order.hpp"
#include "dojima/gateway/records/order_records.hpp"
#include "dojima/gateway/records/record_changes.hpp"
#include "dojima/gateway/records/request.hpp"
#include "dojima/gateway/records/request_lists.hpp"

namespace dojima::gateway {

struct RecordLimits {
  std::size_t orders = 0;
  std::size_t requests = 0;  ///< rounded up to a power of two
  std::size_t remembered_ids = 0;

  /// Cancels and replaces that may be unanswered at a time: as many as the requests that all orders leave, and some
  /// more where that is few.
  [[nodiscard]] std::size_t changes() const noexcept;
  /// Places for ClOrdIDs: of all orders, and of the unanswered changes or of the past, and a reserve of one in sixteen
  /// that stays free (ClientOrderIds). While changes are unanswered there may be fewer of the past.
  [[nodiscard]] std::size_t ids() const noexcept;
};

/// Bytes of memory that records have taken, by what they are for.
struct RecordBytes {
  std::size_t orders = 0;       ///< with the lines of free and of closed ones
  std::size_t requests = 0;     ///< with the lists of their clients
  std::size_t changes = 0;      ///< what unanswered cancels and replaces have besides
  std::size_t ids = 0;          ///< the texts of ClOrdIDs, and what each addresses
  std::size_t id_index = 0;     ///< what finds them, and the line of those of the past
  std::size_t venue_index = 0;  ///< what finds orders by the venue's ids
  std::size_t noted = 0;        ///< what is to be written to a journal
  /// Addresses that are kept for parties: those of an order take memory of the system when it has some.
  std::size_t parties = 0;
  std::size_t wanted_parties = 0;  ///< the same, of quotes that amend
  /// Without those of the parties.
  [[nodiscard]] std::size_t total() const noexcept {
    return orders + requests + changes + ids + id_index + venue_index + noted;
  }
};

class Records : public OrderRecords {
 public:
  /// For this many clients. Throws std::bad_alloc, std::invalid_argument for a limit of 0, fewer requests than twice
  /// the orders, or more clients than ClientOrderIds::k_clients_most.
  Records(RecordLimits limits, std::uint64_t first_number, std::size_t clients = 1);

  // Numbers and requests -------------------------------------------------------------------------------------------

  /// A number above all before it, for a request, whether or not it will be sent; none: every slot is taken, or every
  /// ClOrdID is one that records have.
  [[nodiscard]] std::optional<std::uint64_t> take_number() noexcept {
    const std::uint64_t number = take_any_number();
    return number == k_no_number ? std::nullopt : std::optional(number);
  }
  /// Two of them that follow each other: the first.
  [[nodiscard]] std::optional<std::uint64_t> take_pair() noexcept;
  /// The record of a number just taken, for a request of this client.
  Request& open_request(std::uint64_t number, std::uint32_t client) noexcept;
  /// The record of `number` if it is in use; else null.
  [[nodiscard]] Request* find_request(std::uint64_t number) noexcept;
  [[nodiscard]] const Request* find_request(std::uint64_t number) const noexcept;
  [[nodiscard]] Request& request_at(std::uint32_t slot) noexcept {
    changes_.note_request(slot);
    return requests_[slot];
  }
  [[nodiscard]] const Request& request_at(std::uint32_t slot) const noexcept { return requests_[slot]; }
  [[nodiscard]] std::uint32_t slot_of(const Request& request) const noexcept {
    return static_cast<std::uint32_t>(request.number & mask_);
  }
  /// Slots of the client's requests one by one, in the order of their numbers, among them the request whose id an open
  /// order has; k_no_slot: no more.
  [[nodiscard]] std::uint32_t first_request(std::uint32_t client) const noexcept { return lists_.first(client); }
  [[nodiscard]] std::uint32_t next_request(std::uint32_t slot) const noexcept { return lists_.next(slot); }
  /// Whether so many more cancels and replaces may be unanswered.
  [[nodiscard]] bool has_room_for_changes(std::size_t count = 1) const noexcept { return free_changes_ >= count; }
  /// The request, which says its order, is a cancel or replace with this OrigClOrdID, which is known or is the order's.
  /// There must be room.
  RequestedChange& open_change(Request& request, const ClOrdId& orig) noexcept;
  [[nodiscard]] RequestedChange& change_of(const Request& request) noexcept {
    DOJIMA_ASSERT(request.change < requested_.size(), "an unanswered change has its record", request.number,
                  request.change);
    return requested_[request.change];
  }
  [[nodiscard]] const RequestedChange& change_of(const Request& request) const noexcept {
    return const_cast<Records*>(this)->change_of(request);
  }
  /// What the total of the order becomes where the request is a replace that is not answered; else 0.
  [[nodiscard]] market::Quantity wanted_by(const Request& request) const noexcept {
    const bool is_replacing = request.kind == RequestKind::replace && request.change != k_no_slot;
    return is_replacing ? change_of(request).terms.quantity : market::Quantity{};
  }
  /// For whom the sides of a quote are to be, whose request is a change; null: it does not say, or is no quote.
  [[nodiscard]] const OrderParties* wanted_parties(const Request& request) const noexcept {
    return request.has_parties && request.change != k_no_slot ? &wanted_parties_[request.change] : nullptr;
  }
  void want_parties(Request& request, const OrderParties& parties) noexcept;
  /// What the request wanted has become of its order, or nobody wants it any more.
  void close_change(Request& request) noexcept;
  /// OrigClOrdID(41) of a change that is not answered; empty for others.
  [[nodiscard]] const ClOrdId& orig_of(const Request& request) const noexcept {
    return text(request.change == k_no_slot ? k_no_id : change_of(request).orig_cl_ord_id);
  }
  /// Forgets a request. Its ClOrdID is remembered among those of the past.
  void close_request(Request& request) noexcept;
  /// Forgets a request that was never sent, and its ClOrdID.
  void undo_request(Request& request) noexcept;

  // ClOrdIDs -------------------------------------------------------------------------------------------------------

  using OrderRecords::id_of;
  [[nodiscard]] const ClOrdId& id_of(const Request& request) const noexcept { return text(request.cl_ord_id); }
  /// Whether the client has used this id, as far as it is remembered.
  [[nodiscard]] bool knows_id(std::uint32_t client, const ClOrdId& id) const noexcept {
    return ids_.contains(id, client);
  }
  /// The order that the id addresses: it has or had this id, or a pending request for it has; none where there is none
  /// any more, or the id's request was refused.
  [[nodiscard]] std::optional<std::uint32_t> find_order(std::uint32_t client, const ClOrdId& id) const noexcept;
  /// The request has the id, which must be unknown and addresses the order from now on.
  ClOrdIdRef add_id(Request& request, const ClOrdId& id, std::uint32_t slot) noexcept;
  /// The request's id is that of another one, which is known.
  void share_id(Request& request, ClOrdIdRef id) noexcept;
  /// An order is now that of a request that meant another one: so is the id that it has, but for a shared one.
  void move_request(Request& request, std::uint32_t slot) noexcept;
  /// The id of a refused request addresses nothing, but stays known.
  void detach_id(const Request& request) noexcept { ids_.detach(request.cl_ord_id); }

  // For a journal ---------------------------------------------------------------------------------------------------

  /// From now on changes are noted. Throws std::bad_alloc.
  void note_changes();
  [[nodiscard]] const RecordChanges& changes() const noexcept { return changes_; }
  /// They have been written.
  void forget_changes() noexcept { changes_.forget(); }

  /// What was remembered in an earlier life, of records that are empty: orders with their slots, requests, and the ids
  /// of the past with what they address, oldest first. Which change of an order waits is found from the requests.
  /// Errors: `no_room` for more than the limits allow, `malformed` for requests without an order.
  struct Remembered {
    std::vector<std::pair<std::uint32_t, SavedOrder>> orders;  ///< ascending slots
    std::vector<SavedRequest> requests;                        ///< ascending numbers
    std::vector<std::pair<ClientOrderIds::Key, ClientOrderIds::Target>> past_ids;
    std::uint64_t next_number = 0;
  };
  [[nodiscard]] Result<void> restore(const Remembered& remembered);
  /// Numbers below this may have been used.
  void skip_numbers(std::uint64_t below) noexcept { next_number_ = std::max(next_number_, below); }
  [[nodiscard]] std::uint64_t next_number() const noexcept { return next_number_; }
  /// Whether the number was given out before restore().
  [[nodiscard]] bool is_of_earlier_life(std::uint64_t number) const noexcept { return number < first_of_life_; }

  [[nodiscard]] std::size_t requests() const noexcept { return used_requests_; }
  [[nodiscard]] std::size_t request_capacity() const noexcept { return requests_.size(); }
  [[nodiscard]] std::size_t known_ids() const noexcept { return ids_.known(); }
  /// What all of it has taken. docs/gateway.md divides it by the orders.
  [[nodiscard]] RecordBytes bytes() const noexcept;

 private:
  // What optional values would say: one that a call gives back in registers goes through memory, and is waited for.
  static constexpr std::uint64_t k_no_number = ~std::uint64_t{0};
  [[nodiscard]] std::uint64_t take_any_number() noexcept;
  void release(Request& request) noexcept;
  void note_end(const Request& request, bool is_withdrawn);
  [[nodiscard]] Result<void> restore_request(const SavedRequest& saved);
  void restore_past_ids(const Remembered& remembered);

  std::vector<Request> requests_;
  RequestLists lists_;
  std::uint64_t mask_;
  std::uint64_t next_number_;
  std::uint64_t first_of_life_ = 0;
  std::size_t used_requests_ = 0;
  std::vector<RequestedChange> requested_;
  PartiesByPlace wanted_parties_;  // by the place of the change
  std::uint32_t free_change_ = 0;  // the first; each says the next in next_stale
  std::size_t free_changes_;
};

}  // namespace dojima::gateway
