#pragma once

// The checks between the journal and the book: who sent a command, and the limits of that user. The same in replay,
// because they read only the partition's state. O(1), no allocation. One thread.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "dojima/book/order_table.hpp"
#include "dojima/market/command.hpp"
#include "dojima/market/report.hpp"
#include "dojima/venue/partition_config.hpp"

namespace dojima {
class StateReader;
class StateWriter;
}  // namespace dojima

namespace dojima::venue {

class Risk {
 public:
  /// Both must outlive it.
  Risk(std::span<const UserSetUp> users, const book::OrderTable& orders)
      : users_(users), orders_(orders), logged_on_(users.size()) {}

  /// Why an order or request does not reach the book of its instrument, `is_listed`: there is such a book; else none.
  /// `unknown_user`, `unknown_instrument`, `too_many_orders` when the user's live orders use up the limit (an order
  /// that will not rest counts too, as it enters), `quantity_out_of_range` above the user's largest order,
  /// `expiry_passed` for a good-till-time order of another day, UTC, or a date more than 89 days ahead. A replace is
  /// held to the limits when the order is the user's; `not_supported` of one side of a quote; a cancel reduces risk and
  /// has none.
  [[nodiscard]] market::Reason check(const market::NewOrder& order, bool is_listed) const noexcept {
    const std::uint16_t user = order.header.user;
    if (!is_known(user)) return market::Reason::unknown_user;
    if (!is_listed) return market::Reason::unknown_instrument;
    const UserLimits& limits = users_[user].limits;
    if (orders_.count_of_owner(user) >= limits.open_orders) return market::Reason::too_many_orders;
    if (order.terms.quantity > limits.order_quantity) return market::Reason::quantity_out_of_range;
    if (order.terms.expiry == time::Time{}) [[likely]]
      return market::Reason::none;
    return check_expiry(order.terms.time_in_force, order.terms.expiry, order.header.time);
  }
  [[nodiscard]] market::Reason check(const market::Replace& replace, bool is_listed) const noexcept;
  [[nodiscard]] market::Reason check(const market::Cancel& cancel, bool is_listed) const noexcept {
    if (!is_known(cancel.header.user)) return market::Reason::unknown_user;
    return is_listed ? market::Reason::none : market::Reason::unknown_instrument;
  }
  /// A quote that would bring `new_orders` orders; each side is held to the user's largest order.
  [[nodiscard]] market::Reason check(const market::Quote& quote, bool is_listed,
                                     std::uint32_t new_orders) const noexcept;

  /// Whether a command for several books may go to them: a mass cancel of a user or the operator, any expiry, the end
  /// of a session whose user wants orders cancelled then. A logon changes no book. Keeps who is logged on.
  [[nodiscard]] bool admit(const market::UserCommand& command) noexcept;
  [[nodiscard]] bool admit(const market::MassCancel& command) const noexcept;
  [[nodiscard]] bool admit(const market::Expire& command) const noexcept;
  /// Nobody is logged on from here on, and nothing is cancelled.
  void end_sessions() noexcept { std::fill(logged_on_.begin(), logged_on_.end(), false); }

  /// Who is logged on.
  void save(StateWriter& out) const;
  [[nodiscard]] bool load(StateReader& in);

  [[nodiscard]] bool is_known(std::uint16_t user) const noexcept { return user < users_.size(); }
  [[nodiscard]] bool is_logged_on(std::uint16_t user) const noexcept { return logged_on_[user]; }

 private:
  [[nodiscard]] static market::Reason check_expiry(market::TimeInForce time_in_force, time::Time expiry,
                                                   time::Time now) noexcept;

  std::span<const UserSetUp> users_;
  const book::OrderTable& orders_;
  std::vector<bool> logged_on_;  // by user
};

}  // namespace dojima::venue
