#pragma once

// The command in hand, as far as the reports that answer it need it.

#include "dojima/book/order_table.hpp"
#include "dojima/market/command.hpp"
#include "dojima/time/time.hpp"

namespace dojima::venue {

/// The texts are the command's own, which lives until it has been applied.
struct OwnerRequest {
  /// Of commands that no user sends.
  static constexpr Text<20> k_no_id{};

  market::Sequence command;
  const Text<20>* client_order_id = &k_no_id;
  market::OrderId order;  ///< the order that trades as aggressor: its leaves are counted here, the table may be ahead
  book::Slot slot = book::k_no_slot;  ///< of that order
  market::Quantity leaves;            ///< of that order
  market::Quantity old_quantity;      ///< of a replace: the order's total before
  const Text<10>* account = nullptr;  ///< of a replace; empty: unchanged
  std::uint32_t name = 0;             ///< of a new order: the hash of its client order id (OrderNames)
  std::uint16_t user = 0;
  bool is_replace = false;
  time::Time now;

  /// The rest of a request is set by the order that it enters, and by the caller that begins a replace.
  void begin(const market::CommandHeader& header, const Text<20>& id, bool is_of_replace = false) noexcept {
    command = header.sequence;
    client_order_id = &id;
    order = {};
    user = header.user;
    is_replace = is_of_replace;
    now = header.time;
  }
};

}  // namespace dojima::venue
