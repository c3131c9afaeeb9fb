// What the operator of a venue does through its front.

#include <algorithm>
#include <stdexcept>

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

Result<void> Front::restrict(market::RiskCommand& command, Time now) {
  if (command.of != market::LimitOf::user) command.header.user = market::k_no_user;
  if (command.header.instrument != 0) {
    const std::uint32_t* at = partition_of_instrument_.find(command.header.instrument);
    if (at == nullptr) return fail(ErrorCode::unknown, 0, 0, command.header.instrument, "an instrument of the venue");
    if (const auto fine = partitions_[*at]->complaint(command); !fine) return fine;
  } else {
    for (const Partition* partition : partitions_)
      if (const auto fine = partition->complaint(command); !fine) return fine;
  }
  return operate(command.header, now);
}

Result<void> Front::set_killed(std::uint16_t user, bool is_killed, Time now, bool is_cancelling) {
  static_cast<void>(users_.at(user));
  UserAccess access = access_of(user);
  access.is_killed = is_killed;
  if (!keep_access(user, access, "", now))
    return fail(ErrorCode::no_room, 0, 0, user, "room in the operator's journal");
  market::RiskCommand command{.value = is_killed ? 1 : 0,
                              .kind = market::LimitKind::killed,
                              .of = market::LimitOf::user,
                              .is_cancelling = is_cancelling};
  command.header.user = user;
  command.who = Text<20>::cut("operator");
  return restrict(command, now);
}

bool Front::is_killed(std::uint16_t user) const {
  static_cast<void>(users_.at(user));
  return std::ranges::any_of(
      partitions_, [user](const Partition* partition) { return partition->is_killed(market::LimitOf::user, user); });
}

/// A kill switch that is in the operator's log and in no partition: it was set by a build that had it in the front, or
/// the process ended between the two.
void Front::kill_as_kept() {
  for (std::uint16_t user = 0; config_.access != nullptr && user < users_.size(); ++user) {
    if (config_.users[user].name.empty() || !config_.access->access_of(config_.users[user].name).is_killed) continue;
    for (Partition* partition : partitions_) {
      if (partition->is_killed(market::LimitOf::user, user)) continue;
      market::RiskCommand command{.value = 1, .kind = market::LimitKind::killed, .of = market::LimitOf::user};
      command.header.user = user;
      command.who = Text<20>::cut("operator's log");
      if (!partition->submit(command.header, scheduler_.now()))
        throw std::runtime_error("the journal has no room for the kill switch of a user");
    }
  }
}

Result<void> Front::set_locked(std::uint16_t user, bool is_locked, Time now) {
  UserAccess access = access_of(user);
  access.is_locked = is_locked;
  if (!keep_access(user, access, "", now))
    return fail(ErrorCode::no_room, 0, 0, user, "room in the operator's journal");
  credentials_.set_locked(user, is_locked);
  return {};
}

Result<void> Front::expire_password(std::uint16_t user, Time now) {
  UserAccess access = access_of(user);
  if (access.is_expired) return fail(ErrorCode::wrong_state, 0, 0, user, "a user whose password has not expired");
  if (!config_.logon.takes_new_passwords) return fail(ErrorCode::not_supported, 0, 0, user, "rules that take new ones");
  access.is_expired = true;
  if (!keep_access(user, access, "", now))
    return fail(ErrorCode::no_room, 0, 0, user, "room in the operator's journal");
  credentials_.set_expired(user);
  return {};
}

Result<void> Front::log_out(std::uint16_t user, std::string_view text) {
  mit::ServerSession* const session = users_.at(user).session;
  if (session == nullptr) return fail(ErrorCode::wrong_state, 0, 0, user, "a user who is logged on");
  session->logout(text);
  return {};
}

}  // namespace dojima::venue
