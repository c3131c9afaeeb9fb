#include "comparison.hpp"

#include <array>
#include <fmt/core.h>
#include <fstream>
#include <iterator>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "dojima/journal/memory_journal.hpp"
#include "dojima/journal/real_disk.hpp"
#include "dojima/mit/identifiers.hpp"
#include "dojima/mitch/codec.hpp"
#include "dojima/mitch/unit.hpp"
#include "dojima/venue/recovery/journaled_partition.hpp"

namespace dojima::crash {
namespace {

constexpr std::size_t k_most_complaints = 5;

/// Everything that a journal gives.
struct Truth {
  std::unordered_map<std::uint64_t, market::OwnerReport> reports;  // by number
  std::unordered_set<std::uint64_t> orders;                        // accepted
  std::set<FixFill> fills;
  std::unordered_set<std::uint64_t> trades;
  std::vector<std::pair<std::uint16_t, std::string>> entered;  // new orders: who, id
};

void complain(Comparison& into, std::string what) {
  if (into.complaints.size() < k_most_complaints) into.complaints.push_back(std::move(what));
}

std::string trade_text(std::uint64_t trade) {
  std::array<char, mit::k_trade_id_width> text{};
  return mit::format_base36(trade, text) ? std::string(text.data(), text.size()) : std::string();
}

void read_reports(const venue::Partition& partition, venue::Cursor& cursor, Truth& truth) {
  for (auto batch = partition.reports().read(cursor, {~std::uint64_t{0}}); !batch.reports.empty();
       batch = partition.reports().read(cursor, {~std::uint64_t{0}}))
    for (const market::OwnerReport& report : batch.reports) {
      if (report.sequence.value != 0) truth.reports.emplace(report.sequence.value, report);
      if (report.kind == market::OwnerReportKind::accepted) truth.orders.insert(report.order.value);
      if (report.kind != market::OwnerReportKind::traded) continue;
      truth.trades.insert(report.trade);
      truth.fills.insert({report.order.value, trade_text(report.trade), report.quantity.lots, report.price.units});
    }
}

/// The same fact, as far as MIT203 carries it.
bool is_same(const market::OwnerReport& seen, const market::OwnerReport& given) {
  return seen.order == given.order && seen.kind == given.kind && seen.client_order_id == given.client_order_id &&
         seen.execution == given.execution && seen.leaves == given.leaves &&
         (seen.kind != market::OwnerReportKind::traded ||
          (seen.quantity == given.quantity && seen.price == given.price));
}

/// Every record from the first on, `visit` behind each.
template <class Visit>
std::unique_ptr<venue::Replayer> replay_from_first(const std::string& folder, journal::MemoryJournal& nothing,
                                                   Comparison& result, Visit visit) {
  auto replayer = std::make_unique<venue::Replayer>(nothing);
  auto disk = journal::RealDisk::open(folder);
  if (!disk) return complain(result, folder + " cannot be opened"), nullptr;
  const auto found = journal::survey(**disk);
  if (!found) return complain(result, "the folder cannot be read"), nullptr;
  const auto reader = journal::read_directory(**disk, *found);
  if (!reader) return complain(result, "the records cannot be read"), nullptr;
  while (true) {
    const auto record = (*reader)->next();
    if (!record) return complain(result, "a record cannot be read"), nullptr;
    if (!*record) return replayer;
    if (const auto applied = replayer->apply(**record); !applied)
      return complain(result, fmt::format("record {} cannot be applied: {}", (*record)->sequence.value,
                                          applied.error().expected)),
             nullptr;
    visit(**record, replayer->partition());
  }
}

/// The trade that a message of the feed publishes; 0: none.
std::uint64_t trade_of(Bytes message) {
  const auto number = [message]<class Message>(Message) -> std::uint64_t {
    const auto decoded = mitch::decode<Message>(message);
    return decoded ? decoded->trade_match_id : 0;
  };
  switch (std::to_integer<char>(message[1])) {
    case mitch::OrderExecuted::k_type:
      return number(mitch::OrderExecuted{});
    case mitch::OrderExecutedWithPriceSize::k_type:
      return number(mitch::OrderExecutedWithPriceSize{});
    case mitch::Trade::k_type:
      return number(mitch::Trade{});
    case mitch::AuctionTrade::k_type:
      return number(mitch::AuctionTrade{});
    default:
      return 0;
  }
}

void compare_feed(const std::string& file, const Truth& truth, Comparison& result) {
  std::ifstream in(file, std::ios::binary);
  const std::vector<char> text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  Bytes bytes = std::as_bytes(std::span<const char>(text));
  while (!bytes.empty()) {
    const Result<mitch::Unit> unit = mitch::read_unit(bytes);
    if (!unit) {
      // The venue was killed while it wrote.
      if (unit.error().code != ErrorCode::incomplete) complain(result, file + " holds something that is no unit");
      return;
    }
    for (const Bytes message : *unit) {
      if (const std::uint64_t trade = trade_of(message); trade != 0) {
        ++result.feed_facts;
        if (truth.trades.contains(trade)) continue;
        ++result.lost;
        complain(result, fmt::format("trade {:016x} was published and is not in the journal", trade));
      }
      if (std::to_integer<char>(message[1]) != mitch::AddOrder::k_type) continue;
      const auto added = mitch::decode<mitch::AddOrder>(message);
      if (!added) continue;
      ++result.feed_facts;
      if (truth.orders.contains(added->order_id)) continue;
      ++result.lost;
      complain(result, fmt::format("order {:016x} was published and is not in the journal", added->order_id));
    }
    bytes = bytes.subspan(unit->size());
  }
}

std::string phase_of(const venue::Partition& partition) {
  const venue::InstrumentDay* day = partition.day(partition.instruments().front().id);
  if (day == nullptr) return "continuous";
  switch (day->phase()) {
    case market::DayPhase::regular:
      return "continuous";
    case market::DayPhase::opening_call:
    case market::DayPhase::intraday_call:
    case market::DayPhase::closing_call:
    case market::DayPhase::reopening_call:
      return "call";
    case market::DayPhase::closing_price_cross:
      return "closing price";
    case market::DayPhase::volatility_halt:
    case market::DayPhase::halted:
      return "halt";
    default:
      return "closed";
  }
}

}  // namespace

Comparison look(const std::string& folder) {
  Comparison result;
  auto disk = journal::RealDisk::open(folder);
  if (!disk) return complain(result, folder + " cannot be opened"), result;
  const auto replayed = venue::replay_directory(**disk);
  if (!replayed) return complain(result, replayed.error().what), result;
  result.records = replayed->recovery.last.value;
  result.digest = fmt::format("{:016x}", replayed->recovery.digest);
  if (replayed->replayer->partition() != nullptr) result.phase = phase_of(*replayed->replayer->partition());
  return result;
}

Comparison compare(const std::string& folder, const Witness& witness, const std::vector<std::string>& feeds) {
  Comparison result = look(folder);
  if (!result.complaints.empty()) return result;
  journal::MemoryJournal nothing({.keep = journal::Keep::none, .capacity = 1});
  Truth truth;
  venue::Cursor cursor;
  const auto replayer =
      replay_from_first(folder, nothing, result, [&](const journal::Record& record, const venue::Partition* partition) {
        if (load_little<market::CommandHeader>(record.bytes, 0).type == market::CommandType::new_order) {
          const auto order = load_little<market::NewOrder>(record.bytes, 0);
          truth.entered.emplace_back(order.header.user, order.labels.client_order_id.view());
        }
        if (partition != nullptr) read_reports(*partition, cursor, truth);
      });
  if (replayer == nullptr) return result;
  result.reports = truth.reports.size();
  if (const std::string digest = fmt::format("{:016x}", replayer->partition()->digest()); digest != result.digest)
    complain(result, fmt::format("from the first record {}, from the snapshot {}", digest, result.digest));

  for (const auto& [number, seen] : witness.reports) {
    const auto given = truth.reports.find(number);
    if (given == truth.reports.end()) {
      ++result.lost;
      complain(result, fmt::format("report {} of order {:016x} is not in the journal", number, seen.order.value));
    } else if (!is_same(seen, given->second)) {
      ++result.renumbered;
      complain(result,
               fmt::format("report {} means another thing: order {:016x} kind {} id {} and order {:016x} kind {} id {}",
                           number, seen.order.value, static_cast<int>(seen.kind), seen.client_order_id.view(),
                           given->second.order.value, static_cast<int>(given->second.kind),
                           given->second.client_order_id.view()));
    }
  }
  for (const std::uint64_t order : witness.fix_orders)
    if (!truth.orders.contains(order)) {
      ++result.lost;
      complain(result, fmt::format("a FIX client's order {:016x} is not in the journal", order));
    }
  for (const FixFill& fill : witness.fix_fills)
    if (!truth.fills.contains(fill)) {
      ++result.lost;
      complain(result,
               fmt::format("a FIX client's fill {} of order {:016x} is not in the journal", fill.trade, fill.order));
    }
  for (const auto& [user, id] : truth.entered)
    if (user < CrashClients::k_members && !witness.sent.contains(fmt::format("{}:{}", user, id))) {
      ++result.invented;
      complain(result, fmt::format("order {} of user {} is in the journal, and nobody sent it", id, user));
    }
  result.renumbered += witness.contradictions;
  for (const std::string& feed : feeds) compare_feed(feed, truth, result);
  return result;
}

Uncross last_uncross(const std::string& folder, const Witness& witness) {
  journal::MemoryJournal nothing({.keep = journal::Keep::none, .capacity = 1});
  Comparison ignored;
  Uncross last;
  venue::Cursor cursor;
  const auto visit = [&](const journal::Record& record, const venue::Partition* partition) {
    ++last.records_behind;
    if (partition == nullptr) return;
    Uncross found{.command = record.sequence.value};
    for (auto batch = partition->reports().read(cursor, {~std::uint64_t{0}}); !batch.reports.empty();
         batch = partition->reports().read(cursor, {~std::uint64_t{0}}))
      for (const market::OwnerReport& report : batch.reports) {
        constexpr char k_auction = 'C';
        if (report.kind == market::OwnerReportKind::traded && report.liquidity == k_auction) ++found.fills;
        if (report.user >= CrashClients::k_members || report.sequence.value == 0) continue;
        ++found.reports;
        if (witness.reports.contains(report.sequence.value)) ++found.seen;
      }
    if (found.fills != 0) last = found;
  };
  if (replay_from_first(folder, nothing, ignored, visit) == nullptr) return {};
  return last;
}

}  // namespace dojima::crash
