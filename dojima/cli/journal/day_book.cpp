#include "dojima/cli/journal/day_book.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/core.h>

#include "dojima/cli/journal/command_text.hpp"

namespace dojima::cli {
namespace {

using market::CommandType;
using market::OwnerReport;
using market::OwnerReportKind;
using market::Side;

/// Commands of users on their orders have reports; the others are acts.
bool is_act(CommandType type) {
  switch (type) {
    case CommandType::risk:
    case CommandType::bust_trade:
    case CommandType::correct_trade:
    case CommandType::day:
    case CommandType::phase:
    case CommandType::logon:
    case CommandType::end_session:
    case CommandType::expire:
    case CommandType::next_day:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool DayBook::before(const venue::Partition* partition, const journal::Record& record) {
  if (partition != nullptr) {
    if (!is_taken_up_) take_up(*partition);
    read_reports(*partition);
  }
  market::CommandHeader header;
  if (record.bytes.size() < sizeof header) return true;  // it is no command, which the replay says
  std::memcpy(static_cast<void*>(&header), record.bytes.data(), sizeof header);
  command_.resize((record.bytes.size() + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t));
  std::memcpy(command_.data(), record.bytes.data(), record.bytes.size());
  const auto& command = *reinterpret_cast<const market::CommandHeader*>(command_.data());
  if (is_behind_day(partition, command)) {
    if (number_) end_ = header.time;
    return false;
  }
  if (header.type == CommandType::next_day) next_number_ = 1;  // of the report that comes next
  if (!is_of_day(partition, command)) return true;
  if (partition != nullptr && !is_begun_) begin_day(*partition, command);
  ++commands_;
  if (is_act(header.type)) act(command, record.sequence.value);
  return true;
}

namespace {

/// The day that the command belongs to: what begins a day is its first.
std::uint64_t day_number_of(const venue::Partition* partition, const market::CommandHeader& header) {
  if (header.type == CommandType::next_day) return reinterpret_cast<const market::NextDay&>(header).day;
  return partition != nullptr ? partition->day_number() : 0;
}

}  // namespace

bool DayBook::is_of_day(const venue::Partition* partition, const market::CommandHeader& header) const {
  return number_ ? day_number_of(partition, header) == *number_ : header.time >= begin_;
}

bool DayBook::is_behind_day(const venue::Partition* partition, const market::CommandHeader& header) const {
  return number_ ? day_number_of(partition, header) > *number_ : header.time >= end_;
}

/// A partition out of a snapshot has orders that are in no record.
void DayBook::take_up(const venue::Partition& partition) {
  is_taken_up_ = true;
  cursor_.position = partition.reports().end();
  next_number_ = partition.reports().next_number().value;
  is_from_first_ = partition.live_orders() == 0 && cursor_.position == 0;
  for (const market::Instrument& instrument : partition.instruments())
    for (const Side side : {Side::buy, Side::sell})
      partition.book(instrument.id)->each_resting(side, [&](const book::RestingOrder& resting) {
        order_at_[resting.id.value] = orders_.size();
        orders_.push_back({.id = resting.id,
                           .instrument = instrument.id,
                           .user = resting.owner,
                           .side = side,
                           .price = resting.price,
                           .leaves = resting.leaves.lots,
                           .status = "open",
                           .is_from_before = true});
      });
}

void DayBook::begin_day(const venue::Partition& partition, const market::CommandHeader& header) {
  is_begun_ = true;
  if (number_) begin_ = header.time;
  has_beginning_ = header.type == CommandType::next_day || (number_ == 0 && is_from_first_);
  for (DayOrder& order : orders_) order.is_past = !order.is_open();
  for (std::size_t user = 0; user < partition.users(); ++user)
    totals_.push_back(partition.totals(static_cast<std::uint16_t>(user)));
}

void DayBook::finish(const venue::Partition& partition) {
  if (!is_taken_up_) take_up(partition);
  read_reports(partition);
  if (is_begun_) check(partition);
}

void DayBook::on_reports(std::span<const market::BookReport> reports, time::Time) {
  if (!is_begun_) return;
  for (const market::BookReport& report : reports)
    if (report.kind == market::BookReportKind::traded)
      volume_[report.instrument] += static_cast<std::uint64_t>(report.quantity.lots);
}

// ---- Reports -------------------------------------------------------------------------------------------------------

void DayBook::read_reports(const venue::Partition& partition) {
  for (auto batch = partition.reports().read(cursor_, partition.last_command()); !batch.reports.empty();
       batch = partition.reports().read(cursor_, partition.last_command())) {
    lost_ += batch.lost;
    for (const OwnerReport& report : batch.reports) on_report(report);
  }
}

void DayBook::on_report(const OwnerReport& report) {
  if (report.sequence.value != 0) {
    if (report.sequence.value != next_number_) ++gaps_;
    next_number_ = report.sequence.value + 1;
  }
  switch (report.kind) {
    case OwnerReportKind::accepted:
    case OwnerReportKind::rejected:
    case OwnerReportKind::business_rejected:
      return enter(report);
    case OwnerReportKind::traded:
      return is_correction(report) ? correct(report) : trade(report);
    case OwnerReportKind::trade_cancelled:
      return report.restatement != 0 ? withdraw(report) : bust(report);
    case OwnerReportKind::replaced:
    case OwnerReportKind::restated:
    case OwnerReportKind::suspended:
    case OwnerReportKind::cancelled:
    case OwnerReportKind::expired:
      return amend(report, order_of(report));
    case OwnerReportKind::request_rejected:
    case OwnerReportKind::mass_cancelled:
    case OwnerReportKind::trade_corrected:
    case OwnerReportKind::none:
      return;
  }
}

/// An order that is in no record is known from its reports.
DayOrder& DayBook::order_of(const OwnerReport& report) {
  const auto [at, is_new] = order_at_.try_emplace(report.order.value, orders_.size());
  if (is_new)
    orders_.push_back({.id = report.order,
                       .client_order_id = std::string(report.client_order_id.view()),
                       .instrument = report.instrument,
                       .user = report.user,
                       .side = report.side,
                       .leaves = report.leaves.lots,
                       .status = "open",
                       .is_from_before = true});
  return orders_[at->second];
}

void DayBook::enter(const OwnerReport& report) {
  // What waited enters its book: it is there already.
  if (report.kind == OwnerReportKind::accepted && order_at_.contains(report.order.value))
    return amend(report, order_of(report));
  DayOrder order{.id = report.order,
                 .client_order_id = std::string(report.client_order_id.view()),
                 .instrument = report.instrument,
                 .user = report.user,
                 .side = report.side,
                 .leaves = report.leaves.lots,
                 .entered = report.time,
                 .changed = report.time,
                 .status = "open",
                 .reason = report.reason};
  const auto& header = *reinterpret_cast<const market::CommandHeader*>(command_.data());
  if (header.type == CommandType::new_order) {
    const auto& command = reinterpret_cast<const market::NewOrder&>(header);
    order.account = std::string(command.labels.account.view());
    order.side = command.terms.side;
    order.type = command.terms.type;
    order.time_in_force = command.terms.time_in_force;
    order.price = command.terms.limit;
    order.stop = command.terms.stop;
    order.quantity = command.terms.quantity.lots;
  } else if (header.type == CommandType::quote) {
    const auto& command = reinterpret_cast<const market::Quote&>(header);
    order.is_quote = true;
    order.type = market::OrderType::limit;
    order.price = report.side == Side::buy ? command.bid : command.ask;
    order.quantity = (report.side == Side::buy ? command.bid_size : command.ask_size).lots;
  }
  if (report.kind != OwnerReportKind::accepted) {
    // A refused amendment of a quote leaves the order that is there alone; the refusal of an order is a row of its own.
    order.status = "rejected";
    order.leaves = 0;
    if (header.type == CommandType::new_order || header.type == CommandType::quote) orders_.push_back(std::move(order));
    return;
  }
  order_at_[report.order.value] = orders_.size();
  orders_.push_back(std::move(order));
}

void DayBook::amend(const OwnerReport& report, DayOrder& order) const {
  order.changed = report.time;
  order.is_past = false;
  const auto& header = *reinterpret_cast<const market::CommandHeader*>(command_.data());
  if (report.kind == OwnerReportKind::cancelled || report.kind == OwnerReportKind::expired) {
    order.status = report.kind == OwnerReportKind::cancelled ? "cancelled" : "expired";
    order.leaves = 0;
    order.reason = report.reason;
    return;
  }
  if (report.kind == OwnerReportKind::replaced && header.type == CommandType::replace) {
    const auto& command = reinterpret_cast<const market::Replace&>(header);
    order.client_order_id = std::string(report.client_order_id.view());
    if (order.price.units != 0 || order.is_from_before) order.price = command.limit;
    if (command.stop.units >= 0) order.stop = command.stop;
    if (!command.account.is_empty()) order.account = std::string(command.account.view());
  } else if (report.kind == OwnerReportKind::replaced && header.type == CommandType::quote) {
    const auto& command = reinterpret_cast<const market::Quote&>(header);
    order.client_order_id = std::string(report.client_order_id.view());
    order.price = order.side == Side::buy ? command.bid : command.ask;
  } else if (report.kind == OwnerReportKind::restated &&
             report.restatement == static_cast<std::uint8_t>(market::Restatement::repriced)) {
    order.price = report.price;
  }
  order.leaves = report.leaves.lots;
  // What is left stays when a trade is busted, and the total goes down with what was executed.
  order.quantity = order.executed + order.leaves;
}

void DayBook::trade(const OwnerReport& report) {
  DayOrder& order = order_of(report);
  order.changed = report.time;
  order.is_past = false;
  order.executed += report.quantity.lots;
  order.leaves = report.leaves.lots;
  if (order.quantity < order.executed + order.leaves) order.quantity = order.executed + order.leaves;
  if (order.leaves == 0) order.status = "filled";
  if (!is_begun_) return;
  const auto [at, is_new] = trade_at_.try_emplace(report.trade, trades_.size());
  if (is_new)
    trades_.push_back({.number = report.trade,
                       .time = report.time,
                       .instrument = report.instrument,
                       .price = report.price,
                       .quantity = report.quantity.lots,
                       .buyer = {},
                       .seller = {}});
  DayTrade& trade = trades_[at->second];
  DaySide& side = order.side == Side::buy ? trade.buyer : trade.seller;
  if (side.is_known || trade.price != report.price || trade.quantity != report.quantity.lots ||
      trade.instrument != report.instrument)
    trade.is_even = false;
  side = {.user = report.user,
          .order = report.order,
          .execution = report.execution,
          .liquidity = report.liquidity,
          .is_known = true};
  hold(order, report, 1);
}

/// A position that changes by the report's lots and their value.
void DayBook::hold(const DayOrder& order, const OwnerReport& report, std::int64_t sign) {
  DayPosition& position = positions_[{report.user, order.account, report.instrument}];
  const std::int64_t lots = sign * report.quantity.lots;
  const DayValue value = static_cast<DayValue>(report.price.units) * lots;
  (report.side == Side::buy ? position.bought : position.sold) += lots;
  (report.side == Side::buy ? position.bought_value : position.sold_value) += value;
}

/// The first half of a correction: what the execution was. The other follows, of the same command.
void DayBook::withdraw(const OwnerReport& report) {
  correction_ = {.command = report.command, .order = report.order, .trade = report.trade};
  DayOrder& order = order_of(report);
  order.changed = report.time;
  order.is_past = false;
  if (is_begun_) hold(order, report, -1);
}

bool DayBook::is_correction(const OwnerReport& report) const {
  return correction_.command == report.command && correction_.order == report.order &&
         correction_.trade == report.trade;
}

/// The other half. A trade of an earlier day changes what its owners have today.
void DayBook::correct(const OwnerReport& report) {
  correction_ = {};
  if (!is_begun_) return;
  hold(order_of(report), report, 1);
  const auto at = trade_at_.find(report.trade);
  if (at == trade_at_.end()) return;
  DayTrade& trade = trades_[at->second];
  trade.price = report.price;
  trade.corrected = report.time;
  DaySide& side = report.side == Side::buy ? trade.buyer : trade.seller;
  side.execution = report.execution;
}

/// A trade of an earlier day changes what its owners have today.
void DayBook::bust(const OwnerReport& report) {
  DayOrder& order = order_of(report);
  order.changed = report.time;
  order.is_past = false;
  order.executed -= report.quantity.lots;
  order.quantity = std::max<std::int64_t>(0, order.quantity - report.quantity.lots);
  if (!is_begun_) return;
  if (const auto at = trade_at_.find(report.trade); at != trade_at_.end()) trades_[at->second].busted = report.time;
  hold(order, report, -1);
}

void DayBook::act(const market::CommandHeader& header, std::uint64_t record) {
  DayAct act{.time = header.time,
             .record = record,
             .what = std::string(name_of(header.type)),
             .who = "venue",
             .why = {},
             .details = details_of(header),
             .user = header.user,
             .instrument = header.instrument};
  if (header.type == CommandType::risk) {
    const auto& command = reinterpret_cast<const market::RiskCommand&>(header);
    act.who = std::string(command.who.view());
    act.why = std::string(command.why.view());
  } else if (header.type == CommandType::logon || header.type == CommandType::end_session) {
    act.who = "user";
  } else if (header.type == CommandType::bust_trade || header.type == CommandType::correct_trade ||
             header.type == CommandType::phase) {
    act.who = "operator";
  }
  acts_.push_back(std::move(act));
}

// ---- Whether it agrees ---------------------------------------------------------------------------------------------

void DayBook::check(const venue::Partition& partition) {
  const auto add = [this](std::string what, std::uint64_t wrong, std::string detail) {
    checks_.push_back({std::move(what), wrong == 0, std::move(detail)});
  };
  if (number_)
    add("the journal goes back to the beginning of the day", has_beginning_ ? 0 : 1, fmt::format("day {}", *number_));
  add("reports are numbered without a gap", gaps_ + lost_, fmt::format("{} gaps, {} lost", gaps_, lost_));

  std::uint64_t uneven = 0;
  std::map<std::uint32_t, std::uint64_t> volume;
  for (const DayTrade& trade : trades_) {
    if (!trade.is_even || !trade.buyer.is_known || !trade.seller.is_known) ++uneven;
    volume[trade.instrument] += static_cast<std::uint64_t>(trade.quantity);
  }
  add("both sides of every trade have the same report", uneven,
      fmt::format("{} trades, {} of them uneven", trades_.size(), uneven));
  add("the volume of the trades is that of the books", volume == volume_ ? 0 : 1,
      fmt::format("{} instruments traded", volume_.size()));

  std::map<std::uint16_t, std::pair<std::uint64_t, std::uint64_t>> users;
  std::map<std::uint32_t, std::int64_t> nets;
  for (const auto& [holder, position] : positions_) {
    users[holder.user].first += static_cast<std::uint64_t>(position.bought);
    users[holder.user].second += static_cast<std::uint64_t>(position.sold);
    nets[holder.instrument] += position.bought - position.sold;
  }
  std::uint64_t different = 0;
  for (std::size_t at = 0; at < totals_.size(); ++at) {
    const auto user = static_cast<std::uint16_t>(at);
    const venue::UserTotals& now = partition.totals(user);
    if (now.bought - totals_[at].bought != users[user].first || now.sold - totals_[at].sold != users[user].second)
      ++different;
  }
  add("positions are what the partition has counted of each user", different,
      fmt::format("{} users, {} of them different", totals_.size(), different));
  add("what was bought of an instrument was sold",
      static_cast<std::uint64_t>(std::ranges::count_if(nets, [](const auto& net) { return net.second != 0; })),
      fmt::format("{} instruments", nets.size()));

  if (!is_from_first_) return;  // of orders that waited when the records begin nothing is known
  std::map<std::uint16_t, std::int64_t> open;
  std::uint64_t count = 0;
  for (const DayOrder& order : orders_) {
    if (!order.is_open()) continue;
    ++count;
    open[order.user] += order.leaves;
  }
  const std::size_t live = partition.live_orders();
  add("open orders are those of the partition", count == live ? 0 : 1,
      fmt::format("{} in the file, {} in the partition", count, live));
  different = 0;
  for (std::size_t user = 0; user < partition.users(); ++user)
    if (partition.totals(static_cast<std::uint16_t>(user)).open() != open[static_cast<std::uint16_t>(user)])
      ++different;
  add("lots that are open are what the partition has counted of each user", different,
      fmt::format("{} users, {} of them different", partition.users(), different));
}

}  // namespace dojima::cli
