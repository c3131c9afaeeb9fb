#include "dojima/cli/journal/day_files.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <system_error>

#include "dojima/cli/journal/command_text.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::cli {
namespace {

std::string day_time_text(time::Time time) {
  if (time <= time::Time{} || time > time::from_nanoseconds(std::numeric_limits<std::int64_t>::max() - 1)) return {};
  std::array<char, time::k_timestamp_max> text{};
  constexpr unsigned k_decimals = 9;
  return std::string(time::format_timestamp(time, k_decimals, text));
}

std::string day_price_text(market::Price price) {
  std::array<char, market::k_price_text_max> text{};
  return std::string(market::format_price(price, text));
}

std::string_view day_side_text(market::Side side) {
  return side == market::Side::buy ? "buy" : side == market::Side::sell ? "sell" : "";
}

/// What numbers of a partition mean.
class DayNames {
 public:
  explicit DayNames(const venue::PartitionSettings& settings) : settings_(settings) {
    for (const market::Instrument& instrument : settings.config.instruments)
      symbols_[instrument.id] = csv_text(instrument.symbol);
  }
  [[nodiscard]] std::string user(std::uint16_t user) const {
    if (user == market::k_no_user) return {};
    return user < settings_.user_names.size() ? csv_text(settings_.user_names[user]) : std::to_string(user);
  }
  [[nodiscard]] std::string symbol(std::uint32_t instrument) const {
    if (instrument == 0) return {};
    const auto found = symbols_.find(instrument);
    return found != symbols_.end() ? found->second : std::to_string(instrument);
  }

 private:
  const venue::PartitionSettings& settings_;
  std::map<std::uint32_t, std::string> symbols_;
};

DayFile begin_day_file(const char* name, const char* columns) {
  return {.name = name, .text = std::string(columns) + '\n'};
}

void add_day_row(DayFile& file, std::string row) {
  file.text += std::move(row);
  file.text += '\n';
  ++file.rows;
}

// ---- Orders --------------------------------------------------------------------------------------------------------

void add_order_rows(const DayOfPartition& of, const DayNames& names, DayFile& file) {
  for (const DayOrder& order : of.book->orders()) {
    if (!of.book->is_of_day(order)) continue;
    const bool has_limit = order.price.units != 0, has_stop = order.stop.units != 0;
    const std::string quantity = order.quantity == 0 ? "" : std::to_string(order.quantity);
    add_day_row(file,
                fmt::format("{},{:016x},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", of.name, order.id.value,
                            csv_text(order.client_order_id), names.user(order.user), csv_text(order.account),
                            names.symbol(order.instrument), day_side_text(order.side),
                            order.is_from_before ? std::string_view() : name_of(order.type),
                            order.is_from_before ? std::string_view() : name_of(order.time_in_force),
                            has_limit ? day_price_text(order.price) : "", has_stop ? day_price_text(order.stop) : "",
                            quantity, order.executed, order.leaves, order.status, static_cast<int>(order.reason),
                            day_time_text(order.entered), day_time_text(order.changed)));
  }
}

// ---- Trades, positions ---------------------------------------------------------------------------------------------

void add_trade_rows(const DayOfPartition& of, const DayNames& names, DayFile& file) {
  for (const DayTrade& trade : of.book->trades()) {
    const bool is_auction = trade.buyer.liquidity == 'C';
    const std::string_view aggressor =
        is_auction ? "auction" : day_side_text(trade.buyer.liquidity == 'R' ? market::Side::buy : market::Side::sell);
    add_day_row(file, fmt::format("{},{},{},{},{},{},{},{:016x},{},{:016x},{},{},{}", of.name, trade.number,
                                  day_time_text(trade.time), names.symbol(trade.instrument),
                                  day_price_text(trade.price), trade.quantity, names.user(trade.buyer.user),
                                  trade.buyer.order.value, names.user(trade.seller.user), trade.seller.order.value,
                                  aggressor, day_time_text(trade.busted), day_time_text(trade.corrected)));
  }
}

void add_position_rows(const DayOfPartition& of, const DayNames& names, DayFile& file) {
  for (const auto& [holder, position] : of.book->positions())
    add_day_row(file,
                fmt::format("{},{},{},{},{},{},{},{},{}", of.name, names.user(holder.user), csv_text(holder.account),
                            names.symbol(holder.instrument), position.bought, value_text(position.bought_value),
                            position.sold, value_text(position.sold_value), position.bought - position.sold));
}

// ---- Statistics ----------------------------------------------------------------------------------------------------

struct DayStatistics {
  market::Price open, high, low, close;
  std::uint64_t trades = 0, volume = 0, auction_volume = 0, busted = 0;
  DayValue value = 0;
  std::uint64_t entered = 0, rejected = 0, cancelled = 0, expired = 0, still_open = 0;
};

void count_trade(const DayTrade& trade, DayStatistics& of) {
  if (trade.busted != time::Time{}) {
    ++of.busted;
    return;
  }
  const auto lots = static_cast<std::uint64_t>(trade.quantity);
  if (of.trades == 0) of.open = of.high = of.low = trade.price;
  of.high = std::max(of.high, trade.price);
  of.low = std::min(of.low, trade.price);
  of.close = trade.price;
  ++of.trades;
  of.volume += lots;
  if (trade.buyer.liquidity == 'C') of.auction_volume += lots;
  of.value += static_cast<DayValue>(trade.price.units) * trade.quantity;
}

void add_statistics_rows(const DayOfPartition& of, const DayNames& names, time::Time begin, DayFile& file) {
  std::map<std::uint32_t, DayStatistics> all;
  for (const market::Instrument& instrument : of.settings->config.instruments) all[instrument.id] = {};
  for (const DayTrade& trade : of.book->trades()) count_trade(trade, all[trade.instrument]);
  for (const DayOrder& order : of.book->orders()) {
    DayStatistics& counts = all[order.instrument];
    if (order.is_open()) ++counts.still_open;
    if (order.is_past || order.changed < begin) continue;
    if (order.entered >= begin && order.status != "rejected") ++counts.entered;
    if (order.status == "rejected") ++counts.rejected;
    if (order.status == "cancelled") ++counts.cancelled;
    if (order.status == "expired") ++counts.expired;
  }
  for (const auto& [instrument, counts] : all) {
    const bool has_traded = counts.trades != 0;
    const auto price = [has_traded](market::Price of_day) {
      return has_traded ? day_price_text(of_day) : std::string();
    };
    add_day_row(
        file, fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", of.name, names.symbol(instrument),
                          price(counts.open), price(counts.high), price(counts.low), price(counts.close), counts.trades,
                          counts.volume, value_text(counts.value), counts.auction_volume, counts.busted, counts.entered,
                          counts.rejected, counts.cancelled, counts.expired, counts.still_open));
  }
}

// ---- Audit ---------------------------------------------------------------------------------------------------------

struct AuditRow {
  time::Time time;
  std::string text;
};

void add_audit_rows(const DayOfPartition& of, const DayNames& names, std::vector<AuditRow>& rows) {
  for (const DayAct& act : of.book->acts())
    rows.push_back({act.time, fmt::format("{},{},{},{},{},{},{},{},{}", day_time_text(act.time), of.name, act.record,
                                          act.what, names.user(act.user), names.symbol(act.instrument),
                                          csv_text(act.who), csv_text(act.why), csv_text(act.details))});
}

}  // namespace

std::string csv_text(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char character : text) {
    if (character == '"') quoted += '"';
    quoted += character;
  }
  return quoted + '"';
}

std::string value_text(DayValue value) {
  constexpr int k_decimal = 10;
  const bool is_negative = value < 0;
  if (is_negative) value = -value;
  auto whole = value / market::k_price_scale;
  auto rest = static_cast<std::int64_t>(value % market::k_price_scale);
  std::string text;
  do {
    text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(whole % k_decimal)));
    whole /= k_decimal;
  } while (whole != 0);
  if (rest != 0) {
    std::string decimals = fmt::format("{:08}", rest);
    while (decimals.back() == '0') decimals.pop_back();
    text += "." + decimals;
  }
  return is_negative ? "-" + text : text;
}

std::vector<DayFile> day_files(const std::vector<DayOfPartition>& partitions,
                               const std::vector<venue::OperatorRecord>& operations) {
  DayFile orders =
      begin_day_file("orders.csv",
                     "partition,order,client_order_id,user,account,symbol,side,type,time_in_force,price,stop,"
                     "quantity,executed,leaves,status,reason,entered,changed");
  DayFile trades =
      begin_day_file("trades.csv",
                     "partition,trade,time,symbol,price,quantity,buyer,buy_order,seller,sell_order,aggressor,"
                     "busted,corrected");
  DayFile positions =
      begin_day_file("positions.csv", "partition,user,account,symbol,bought,bought_value,sold,sold_value,net");
  DayFile statistics = begin_day_file("statistics.csv",
                                      "partition,symbol,open,high,low,close,trades,volume,value,auction_volume,busted,"
                                      "orders_entered,orders_rejected,orders_cancelled,orders_expired,orders_open");
  DayFile audit = begin_day_file("audit.csv", "time,source,record,what,user,symbol,who,why,details");
  std::vector<AuditRow> rows;
  for (const DayOfPartition& of : partitions) {
    const DayNames names(*of.settings);
    add_order_rows(of, names, orders);
    add_trade_rows(of, names, trades);
    add_position_rows(of, names, positions);
    add_statistics_rows(of, names, of.book->begin(), statistics);
    add_audit_rows(of, names, rows);
  }
  for (const venue::OperatorRecord& record : operations)
    rows.push_back({record.time,
                    fmt::format("{},operator,,operator,{},,{},{},{}", day_time_text(record.time), csv_text(record.user),
                                csv_text(record.who), csv_text(record.why), csv_text(record.words))});
  std::multimap<time::Time, std::string> by_time;  // of one instant in the order of their records
  for (AuditRow& row : rows) by_time.emplace(row.time, std::move(row.text));
  for (auto& [when, text] : by_time) add_day_row(audit, std::move(text));
  return {std::move(orders), std::move(trades), std::move(positions), std::move(statistics), std::move(audit)};
}

std::expected<void, std::string> write_day_files(const std::string& folder, const std::vector<DayFile>& files) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return std::unexpected(fmt::format("{}: the folder cannot be made: {}", folder, failed.message()));
  for (const DayFile& file : files) {
    const std::string path = folder + "/" + file.name, next = path + ".new";
    std::ofstream out(next, std::ios::binary | std::ios::trunc);
    out << file.text;
    out.close();
    if (!out) return std::unexpected(fmt::format("{}: cannot be written; is there room, and may you write it?", next));
    std::filesystem::rename(next, path, failed);
    if (failed) return std::unexpected(fmt::format("{}: cannot be renamed: {}", next, failed.message()));
  }
  return {};
}

}  // namespace dojima::cli
