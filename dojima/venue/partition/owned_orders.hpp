#pragma once

// The orders of a partition as their owners know them: what state of its life each is in and what is left of it, the
// client order ids and quotes that mean it, and the totals of users. Driven by what the books report
// (order_life_machine.hpp); writes no reports. O(1) per report, no allocation after construction. One thread.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/base/large_array.hpp"
#include "dojima/book/digest.hpp"
#include "dojima/book/order_table.hpp"
#include "dojima/market/command.hpp"
#include "dojima/market/report.hpp"
#include "dojima/venue/partition/expected_commands.hpp"
#include "dojima/venue/partition/order_life_input.hpp"
#include "dojima/venue/partition/order_names.hpp"
#include "dojima/venue/partition/owner_request.hpp"
#include "dojima/venue/partition/quotes.hpp"
#include "dojima/venue/partition_config.hpp"
#include "dojima/venue/user_totals.hpp"

namespace dojima {
class StateReader;
class StateWriter;
}  // namespace dojima

namespace dojima::venue {

struct OrderLife;
struct TradeRecord;
struct TradeSide;

class OwnedOrders {
 public:
  using OrderState = OrderLifeState;
  using Outgoing = OwnerNotice;
  using LifeInput = OrderLifeInput;

  /// What was last reported to the owner of an order; follows from the commands, hence no part of the digest.
  struct Known {
    market::Quantity leaves;
    std::uint32_t name = 0;  ///< the hash of its client order id, for OrderNames
    OrderState state = OrderState::entering;
  };
  static_assert(sizeof(Known) == 16);

  /// The table must outlive it. Throws std::bad_alloc.
  OwnedOrders(const PartitionConfig& config, book::OrderTable& orders);

  /// Reports belong to this command from now on. The command again: with the order id of the live order that it means
  /// where it gives a client order id only. It must live until the command has been applied.
  const market::NewOrder& begin(const market::NewOrder& command) {
    request_.begin(command.header, command.labels.client_order_id);
    // The place of its id is on its way while the book is at work.
    request_.name = names_.prefetch(command.labels.client_order_id, command.header.user);
    return command;
  }
  [[nodiscard]] market::Replace begin(const market::Replace& command);
  [[nodiscard]] const market::Cancel& begin(const market::Cancel& command);
  const market::MassCancel& begin(const market::MassCancel& command) {
    request_.begin(command.header, command.client_order_id);
    return command;
  }
  /// Of one that is refused; one that is taken becomes other commands.
  const market::Quote& begin(const market::Quote& command) {
    request_.begin(command.header, command.labels.client_order_id);
    return command;
  }
  template <class Command>
  const Command& begin(const Command& command) {
    request_.begin(command.header, OwnerRequest::k_no_id);
    return command;
  }
  /// The command in hand does what this request of the user has begun; the text must live until it has been applied.
  void answer_as(std::uint16_t user, const Text<20>& client_order_id) noexcept {
    request_.user = user;
    request_.client_order_id = &client_order_id;
  }
  [[nodiscard]] const OwnerRequest& request() const noexcept { return request_; }

  /// Where the order is that the user means by the id, or no slot.
  [[nodiscard]] book::Slot find_order(const Text<20>& client_order_id, std::uint16_t user) const {
    return names_.find(client_order_id, user);
  }

  /// Hints, in this order and each for several commands before the next one, that a command comes soon: the place of
  /// its client order id; with what that answers, the order that it most likely means; any id is fine where there is
  /// none.
  [[nodiscard, gnu::always_inline]] std::uint32_t prefetch_name(const ExpectedIds& ids,
                                                                std::uint16_t user) const noexcept {
    return names_.prefetch(*ids.client_order_id, user);
  }
  [[nodiscard, gnu::always_inline]] market::OrderId prefetch_order(const ExpectedIds& ids,
                                                                   std::uint32_t name) const noexcept {
    const auto named = static_cast<std::uint64_t>(names_.hint(name));
    const market::OrderId order{ids.order.value != 0 ? ids.order.value : named};
    const auto slot = static_cast<std::uint32_t>(order.value);
    orders_.slots().prefetch(book::Slot{slot});
    orders_.slots().prefetch_labels(book::Slot{slot});
    __builtin_prefetch(&known_[std::min<std::size_t>(slot, known_.size() - 1)], 1);
    return order;
  }

  /// The users' quotes, as far as the books have reported on them.
  [[nodiscard]] const Quotes& quotes() const noexcept { return quotes_; }
  /// Throws std::out_of_range.
  [[nodiscard]] const UserTotals& totals(std::uint16_t user) const { return totals_.at(user); }
  [[nodiscard]] std::size_t users() const noexcept { return totals_.size(); }
  [[nodiscard]] Known& known(book::Slot slot) noexcept { return known_[static_cast<std::size_t>(slot)]; }
  /// PartitionConfig::full_reports.
  [[nodiscard]] bool has_full_reports() const noexcept { return is_full_; }

  // What a book reported of an order of the command in hand. `Kind`: of the report; none: any.

  /// What is left of an order as its owner will know it: never more than before, unless the order is new or replaced.
  template <market::BookReportKind Kind>
  void set_leaves(book::Slot slot, market::Quantity leaves, const market::BookReport& report);
  /// One step of an order's life; its status from then on.
  template <market::BookReportKind Kind>
  [[nodiscard]] market::OrderStatus advance(const LifeInput& input, OrderState& state);
  /// The aggressor, the order in hand, has traded: what it has left.
  market::Quantity reduce_aggressor(const market::BookReport& report);
  void count_fill(book::Slot slot, market::Quantity quantity);
  /// A trade of this side is taken back: its totals, and where the order is if it is still open.
  book::Slot take_back(const TradeRecord& trade, const TradeSide& side);

  /// Which of the user's live orders are still meant by their client order ids.
  void add_names_to(book::Digest& digest, std::uint16_t user) const;
  void save(StateWriter& out) const;
  /// Once the order table was loaded.
  [[nodiscard]] bool load(StateReader& in);

  /// Memory of what was last reported to owners, and of their client order ids.
  [[nodiscard]] std::size_t bytes_known() const noexcept { return known_.size() * sizeof(Known); }
  [[nodiscard]] std::size_t bytes_of_names() const noexcept { return names_.bytes(); }

 private:
  friend OrderLife;

  [[nodiscard]] market::OrderId resolve(market::OrderId order, const Text<20>& original, std::uint16_t user) const;
  [[nodiscard]] market::OrderId side_of(market::OrderId order, market::Side side) const;
  void restate_total(book::Slot slot, market::Quantity quantity);
  /// Not more was traded, cancelled and expired than was submitted.
  void check_totals(std::uint16_t user) const {
    [[maybe_unused]] const UserTotals& totals = totals_[user];
    DOJIMA_CHECK_SLOW(totals.open() >= 0, "no more lots end than were submitted", totals.open(), totals.submitted, user,
                      request_.command);
  }
  /// Nothing leads to an order that is over.
  void end_names(book::Slot slot) noexcept {
    release_name(slot);
    if ((orders_.flags(slot) & market::k_quote) != 0) [[unlikely]]
      end_quote(slot);
  }
  // Elsewhere: what is inlined into the way of every report makes it save more registers.
  void begin_quote(book::Slot slot);
  void end_quote(book::Slot slot) noexcept;
  void release_name(book::Slot slot) noexcept { names_.release(slot, known(slot).name); }
  [[nodiscard]] std::uint16_t owner_of(const LifeInput& input) const noexcept { return orders_[input.slot].owner; }

  // Actions and guards of OrderLife.
  void enter(const LifeInput& input);
  void change(const LifeInput& input);
  void take_up(const LifeInput& input);
  void give_up(const LifeInput& input);
  void suspend(const LifeInput& input);
  void enter_book(const LifeInput& input);
  void restate_peak(const LifeInput& input);
  void restate_price(const LifeInput& input);
  void end_filled(const LifeInput& input);
  void end_cancelled(const LifeInput& input);
  void end_expired(const LifeInput& input);
  [[nodiscard]] bool is_request(const LifeInput& input) const noexcept;
  [[nodiscard]] bool is_unsolicited(const LifeInput& input) const noexcept;
  [[nodiscard]] bool is_full(const LifeInput&) const noexcept { return is_full_; }
  [[nodiscard]] bool is_repriced(const LifeInput& input) const noexcept { return is_full_ && is_unsolicited(input); }
  [[nodiscard]] bool is_used_up(const LifeInput& input) const noexcept;
  [[nodiscard]] bool has_executions(const LifeInput& input) const noexcept;

  bool is_full_;  // PartitionConfig::full_reports
  book::OrderTable& orders_;
  LargeArray<Known> known_;  // by slot
  OrderNames names_;
  Quotes quotes_;
  std::vector<UserTotals> totals_;  // by user
  OwnerRequest request_;
  market::Cancel cancel_;  // the one in hand, with the id of the order that it means
};

}  // namespace dojima::venue
