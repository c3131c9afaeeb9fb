// What the operator of a venue does through its front.

#include "dojima/venue/front.hpp"
#include "dojima/venue/partition/trades.hpp"

namespace dojima::venue {

/// A trade that the operator may change, and the partition that has it.
Result<Front::TradePlace> Front::find_trade(std::uint32_t instrument, std::uint64_t trade) {
  const std::uint32_t* at = partition_of_instrument_.find(instrument);
  if (at == nullptr) return fail(ErrorCode::unknown, 0, 0, instrument, "an instrument of the venue");
  settle();
  const TradeRecord* record = partitions_[*at]->find_trade(trade);
  if (record == nullptr || record->instrument != instrument)
    return fail(ErrorCode::unknown, 0, 0, static_cast<std::int64_t>(trade), "a trade of the instrument that is kept");
  if (record->is_busted)
    return fail(ErrorCode::wrong_state, 0, 0, static_cast<std::int64_t>(trade), "a trade that counts");
  return TradePlace{.trade = record, .partition = *at};
}

Result<void> Front::bust_trade(std::uint32_t instrument, std::uint64_t trade, Time now) {
  const Result<TradePlace> place = find_trade(instrument, trade);
  if (!place) return std::unexpected(place.error());
  market::TradeBust bust{.trade = trade};
  bust.header.instrument = instrument;
  bust.header.user = market::k_no_user;
  if (!submit(place->partition, bust.header, now))
    return fail(ErrorCode::no_room, 0, 0, place->partition, "a partition that takes commands");
  ++counters_.trades_busted;
  return {};
}

Result<void> Front::correct_trade(std::uint32_t instrument, std::uint64_t trade, market::Price price, Time now) {
  const Result<TradePlace> place = find_trade(instrument, trade);
  if (!place) return std::unexpected(place.error());
  if (price.units <= 0) return fail(ErrorCode::out_of_range, 0, 0, price.units, "a price above 0");
  if (price == place->trade->price) return fail(ErrorCode::wrong_state, 0, 0, price.units, "another price than it has");
  market::TradeCorrection correction{.trade = trade, .price = price};
  correction.header.instrument = instrument;
  correction.header.user = market::k_no_user;
  if (!submit(place->partition, correction.header, now))
    return fail(ErrorCode::no_room, 0, 0, place->partition, "a partition that takes commands");
  ++counters_.trades_corrected;
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

Result<void> Front::restrict(market::RiskCommand& command, Time now) {
  settle();
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
  settle();
  UserAccess access = accounts_.access_of(user);
  access.is_killed = is_killed;
  if (!accounts_.keep(user, access, "", now))
    return fail(ErrorCode::no_room, 0, 0, user, "room in the operator's journal");
  market::RiskCommand command{.value = is_killed ? 1 : 0,
                              .kind = market::LimitKind::killed,
                              .of = market::LimitOf::user,
                              .is_cancelling = is_cancelling};
  command.header.user = user;
  command.who = Text<20>::cut("operator");
  return restrict(command, now);
}

Result<void> Front::log_out(std::uint16_t user, std::string_view text) {
  mit::ServerSession* const session = users_.at(user).session;
  if (session == nullptr) return fail(ErrorCode::wrong_state, 0, 0, user, "a user who is logged on");
  session->logout(text);
  return {};
}

Result<std::uint16_t> Front::add_user(const NewUser& user, Time now) {
  const Result<std::uint16_t> place = accounts_.place_for(user);
  if (!place) return place;
  if (users_[*place].session != nullptr)
    return fail(ErrorCode::no_room, 0, 0, static_cast<std::int64_t>(users_.size()), "a place for another user");
  if (const auto added = accounts_.add(*place, user, now); !added) return std::unexpected(added.error());
  return place;
}

Result<void> Front::remove_user(std::uint16_t user, Time now) {
  if (const auto removed = accounts_.remove(user, now); !removed) return removed;
  if (users_[user].session != nullptr) users_[user].session->logout("removed by the operator");
  return cancel_orders(user, 0, now);
}

}  // namespace dojima::venue
