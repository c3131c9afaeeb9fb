#pragma once

// The expiry that the command in hand may give an order: noted behind its reports, when the order is where its owner's
// id leads.

#include <cstdint>

#include "dojima/base/text.hpp"
#include "dojima/book/order_table.hpp"
#include "dojima/market/command.hpp"
#include "dojima/venue/partition/expiries.hpp"
#include "dojima/venue/partition/owned_orders.hpp"

namespace dojima::venue {

class ExpectedExpiry {
 public:
  void expect(const market::NewOrder& command) noexcept {
    if (command.terms.expiry == time::Time{}) [[likely]]
      return;
    set(command.header.user, command.labels.client_order_id);
  }
  void expect(const market::Replace& command) noexcept {
    if (command.expiry != time::Time{}) set(command.header.user, command.client_order_id);
  }
  [[nodiscard]] bool is_expected() const noexcept { return is_expected_; }

  /// The command has been reported: the order is found by the id that its owner gave it with that command.
  void note(const OwnedOrders& owned, Expiries& expiries) {
    is_expected_ = false;
    if (id_.is_empty()) return expiries.rebuild();
    if (const book::Slot slot = owned.find_order(id_, user_); slot != book::k_no_slot) expiries.note(slot);
  }

 private:
  void set(std::uint16_t user, const Text<20>& id) noexcept {
    is_expected_ = true;
    user_ = user;
    id_ = id;
  }

  bool is_expected_ = false;
  std::uint16_t user_ = 0;
  Text<20> id_;
};

}  // namespace dojima::venue
