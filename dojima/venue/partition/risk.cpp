#include "dojima/venue/partition/risk.hpp"

#include <chrono>

#include "dojima/base/state.hpp"

namespace dojima::venue {

using market::Reason;

Reason Risk::check(const market::Replace& replace, bool is_listed) const noexcept {
  const std::uint16_t user = replace.header.user;
  if (!is_known(user)) return Reason::unknown_user;
  if (!is_listed) return Reason::unknown_instrument;
  const book::Slot slot = orders_.find(replace.order);
  if (slot == book::k_no_slot || orders_[slot].owner != user) return Reason::none;
  if ((orders_.flags(slot) & market::k_quote) != 0) return Reason::not_supported;
  if (replace.quantity > users_[user].limits.order_quantity) return Reason::quantity_out_of_range;
  if (replace.expiry == time::Time{}) [[likely]]
    return Reason::none;
  return check_expiry(orders_.terms(slot).time_in_force, replace.expiry, replace.header.time);
}

/// What is past is left to the book.
Reason Risk::check_expiry(market::TimeInForce time_in_force, time::Time expiry, time::Time now) noexcept {
  using std::chrono::days;
  constexpr days k_most_ahead{89};
  const days ahead = std::chrono::floor<days>(expiry) - std::chrono::floor<days>(now);
  const bool is_date = time_in_force == market::TimeInForce::good_till_date;
  const bool is_time = time_in_force == market::TimeInForce::good_till_time;
  return (is_date && ahead > k_most_ahead) || (is_time && ahead != days{0}) ? Reason::expiry_passed : Reason::none;
}

Reason Risk::check(const market::Quote& quote, bool is_listed, std::uint32_t new_orders) const noexcept {
  const std::uint16_t user = quote.header.user;
  if (!is_known(user)) return Reason::unknown_user;
  if (!is_listed) return Reason::unknown_instrument;
  const UserLimits& limits = users_[user].limits;
  if (new_orders != 0 && orders_.count_of_owner(user) + std::uint64_t{new_orders} > limits.open_orders)
    return Reason::too_many_orders;
  const bool is_too_large = quote.bid_size > limits.order_quantity || quote.ask_size > limits.order_quantity;
  return is_too_large ? Reason::quantity_out_of_range : Reason::none;
}

bool Risk::admit(const market::UserCommand& command) noexcept {
  const std::uint16_t user = command.header.user;
  if (!is_known(user)) return false;
  logged_on_[user] = command.header.type == market::CommandType::logon;
  if (logged_on_[user]) return false;
  const UserSetUp& set_up = users_[user];
  return command.end == market::SessionEnd::disconnect ? set_up.cancel_on_disconnect : set_up.cancel_on_logout;
}

bool Risk::admit(const market::MassCancel& command) const noexcept {
  return is_known(command.header.user) || command.is_everyone;
}

bool Risk::admit(const market::Expire&) const noexcept {
  return true;
}

void Risk::save(StateWriter& out) const {
  out.section("risk");
  for (const bool is_logged_on : logged_on_) out.add(std::uint8_t{is_logged_on});
}

bool Risk::load(StateReader& in) {
  in.section("risk");
  for (std::size_t user = 0; user < logged_on_.size(); ++user) {
    bool is_logged_on = false;
    if (!in.read(is_logged_on)) return false;
    logged_on_[user] = is_logged_on;
  }
  return in.is_good();
}

}  // namespace dojima::venue
