// What the operator of a venue does through its front.

#include "dojima/venue/front.hpp"
#include "dojima/venue/partition/trades.hpp"

namespace dojima::venue {

Result<void> Front::bust_trade(std::uint32_t instrument, std::uint64_t trade, Time now) {
  const std::uint32_t* at = partition_of_instrument_.find(instrument);
  if (at == nullptr) return fail(ErrorCode::unknown, 0, 0, instrument, "an instrument of the venue");
  const TradeRecord* record = partitions_[*at]->find_trade(trade);
  if (record == nullptr || record->instrument != instrument)
    return fail(ErrorCode::unknown, 0, 0, static_cast<std::int64_t>(trade), "a trade of the instrument that is kept");
  if (record->is_busted)
    return fail(ErrorCode::wrong_state, 0, 0, static_cast<std::int64_t>(trade), "a trade that counts");
  market::TradeBust bust{.trade = trade};
  bust.header.instrument = instrument;
  bust.header.user = market::k_no_user;
  if (!submit(*at, bust.header, now)) return fail(ErrorCode::no_room, 0, 0, *at, "a partition that takes commands");
  ++counters_.trades_busted;
  return {};
}

Result<void> Front::operate(market::CommandHeader& header, Time now) {
  if (header.instrument != 0) {
    const std::uint32_t* at = partition_of_instrument_.find(header.instrument);
    if (at == nullptr) return fail(ErrorCode::unknown, 0, 0, header.instrument, "an instrument of the venue");
    if (!submit(*at, header, now)) return fail(ErrorCode::no_room, 0, 0, *at, "a partition that takes commands");
    return {};
  }
  for (std::size_t at = 0; at < partitions_.size(); ++at)
    if (!submit(at, header, now))
      return fail(ErrorCode::no_room, 0, 0, static_cast<std::int64_t>(at), "a partition that takes commands");
  return {};
}

Result<void> Front::cancel_orders(std::uint16_t user, std::uint32_t instrument, Time now) {
  market::MassCancel cancel;
  cancel.header.user = user;
  cancel.header.instrument = instrument;
  cancel.header.flags = k_by_operator;
  cancel.of = market::MassCancelOf::orders_and_quotes;
  return operate(cancel.header, now);
}

bool Front::keep_access(std::uint16_t user, const UserAccess& access, std::string_view why, Time now) {
  return config_.access == nullptr || config_.access->keep(config_.users[user].name, access, why, now);
}

Result<void> Front::set_killed(std::uint16_t user, bool is_killed, Time now) {
  User& target = users_.at(user);
  if (!keep_access(user, {.is_locked = is_locked(user), .is_killed = is_killed}, "", now))
    return fail(ErrorCode::no_room, 0, 0, user, "room in the operator's journal");
  target.is_killed = is_killed;
  return {};
}

Result<void> Front::set_locked(std::uint16_t user, bool is_locked, Time now) {
  if (!keep_access(user, {.is_locked = is_locked, .is_killed = is_killed(user)}, "", now))
    return fail(ErrorCode::no_room, 0, 0, user, "room in the operator's journal");
  credentials_.set_locked(user, is_locked);
  return {};
}

Result<void> Front::log_out(std::uint16_t user, std::string_view text) {
  mit::ServerSession* const session = users_.at(user).session;
  if (session == nullptr) return fail(ErrorCode::wrong_state, 0, 0, user, "a user who is logged on");
  session->logout(text);
  return {};
}

}  // namespace dojima::venue
