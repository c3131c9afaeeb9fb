#include "dojima/gateway/translator/venue_sessions.hpp"

#include "dojima/gateway/messages/venue_commands.hpp"

namespace dojima::gateway {

/// Nobody has asked for the answers that this leads to: they have no room that was kept.
void VenueSessions::on_down(std::uint32_t user, Time now) {
  parts_.journal.end_session(user);
  has_ended_[user] = true;
  if (!parts_.journal.is_short_of_room()) refuse_waiting(user, now);
}

void VenueSessions::go_on(Time now) {
  for (std::uint32_t user = 0; user < has_ended_.size(); ++user)
    if (has_ended_[user] && !parts_.journal.is_short_of_room()) refuse_waiting(user, now);
}

/// All of it, or as many clients' as there is room for.
void VenueSessions::refuse_waiting(std::uint32_t user, Time now) {
  for (const std::uint32_t client : parts_.users.clients_of(user)) {
    if (parts_.journal.is_short_of_room()) return;
    parts_.waiting.refuse_user(client, user, "the session with the venue ended before this left", now);
    parts_.order_cancels.go_on(client, now);
  }
  has_ended_[user] = false;
  if (!is_unrecovered_[user]) return;
  is_unrecovered_[user] = false;
  end_session(user);
  parts_.channels.set_wait(user, VenueWait::none);
  if (parts_.channels.is_venue_ready(user)) on_ready(user, now);
}

void VenueSessions::on_end(std::uint32_t user) {
  if (!has_ended_[user]) return end_session(user);
  is_unrecovered_[user] = true;
  parts_.channels.set_wait(user, VenueWait::journal);
}

/// What there is no room for now is reported with the next report.
void VenueSessions::end_session(std::uint32_t user) {
  parts_.exchange_to_client.on_session_end(user);
  static_cast<void>(release_busts(user));
}

void VenueSessions::on_ready(std::uint32_t user, Time now) {
  for (const std::uint32_t client : parts_.users.clients_of(user)) parts_.cancel_all.on_venue_ready(client, now);
}

bool VenueSessions::end_recovery(std::uint32_t user, Time now) {
  const bool is_settled = parts_.exchange_to_client.settle(user, now);
  parts_.channels.set_wait(user, is_settled ? VenueWait::none : VenueWait::journal);
  return is_settled;
}

void VenueSessions::give_up_recovery(std::uint32_t user) {
  KnownDay day = parts_.journal.day(user);
  day.is_missed = false;
  parts_.journal.set_day(user, day);
  parts_.exchange_to_client.on_session_end(user);
  parts_.channels.set_wait(user, VenueWait::none);
}

bool VenueSessions::on_other_venue(std::uint32_t user, Time now) {
  if (!parts_.exchange_to_client.lose_orders(user, now)) return false;
  parts_.exchange_to_client.forget_busts(user);
  parts_.journal.forget_progress(user);
  parts_.journal.set_day(user, {});
  parts_.journal.set_leftovers(user, Leftovers::uncancelled);
  parts_.channels.flush_all();
  return true;
}

/// Quotes first, each under an id of its own: what is waited for is the answer to the last one.
std::optional<Text<20>> VenueSessions::cancel_leftovers(std::uint32_t user) {
  parts_.channels.set_wait(user, VenueWait::recovery);
  const std::optional<std::uint64_t> of_quotes = parts_.records.take_number();
  const std::optional<std::uint64_t> of_orders = parts_.records.take_number();
  if (!of_quotes || !of_orders || !parts_.journal.write(true)) return std::nullopt;
  market::MassCancel command;
  command.client_order_id = venue_id_of(*of_quotes);
  mit::ClientSession& venue = parts_.channels.venue(user);
  command.of = market::MassCancelOf::quotes;
  if (!venue.send(command)) return std::nullopt;
  command.client_order_id = venue_id_of(*of_orders);
  command.of = market::MassCancelOf::orders;
  if (!venue.send(command)) return std::nullopt;
  ++parts_.counters.cancels_all;
  return command.client_order_id;
}

void VenueSessions::end_leftovers(std::uint32_t user) {
  parts_.journal.set_leftovers(user, Leftovers::cancelled);
  parts_.channels.set_wait(user, VenueWait::none);
  parts_.channels.flush_all();
}

}  // namespace dojima::gateway
