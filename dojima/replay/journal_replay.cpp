#include "dojima/replay/journal_replay.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <memory>
#include <string_view>
#include <system_error>

#include "dojima/base/bytes.hpp"
#include "dojima/book/book.hpp"
#include "dojima/time/timestamp_text.hpp"
#include "dojima/venue/recovery/journaled_partition.hpp"

namespace dojima::replay {
namespace {

using market::BookReportKind;
using market::Side;
using time::Time;

std::string time_text(Time at) {
  char text[time::k_timestamp_max];
  return at == Time{} ? std::string() : std::string(time::format_timestamp(at, 9, text));
}

std::string text_of(market::Price price) {
  char text[market::k_price_text_max];
  return std::string(market::format_price(price, text));
}

std::string text_of(const std::optional<market::Price>& price) {
  return price ? text_of(*price) : std::string();
}

std::string_view name_of(market::Phase phase) {
  constexpr std::array<std::string_view, market::k_phases> k_names{
      "continuous",   "opening call",        "intraday call", "reopening call",
      "closing call", "closing price cross", "halted",        "closed"};
  return k_names[static_cast<std::size_t>(phase)];
}

/// As CSV has it: in quotes where it needs them.
std::string field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char character : text) quoted.append(character == '"' ? 2 : 1, character);
  return quoted + '"';
}

/// trades.csv and books.csv.
class Files {
 public:
  /// False: they cannot be written.
  [[nodiscard]] bool open(const std::string& folder) {
    std::error_code ignored;
    std::filesystem::create_directories(folder, ignored);
    trades_.open(folder + "/trades.csv", std::ios::binary);
    books_.open(folder + "/books.csv", std::ios::binary);
    trades_ << "time,partition,instrument,symbol,trade,price,quantity,auction\n";
    books_ << "partition,instrument,symbol,side,price,leaves,displayed,user\n";
    is_open_ = true;
    return trades_.good() && books_.good();
  }
  void add_trade(const ReplayedInstrument& of, const market::BookReport& trade, std::uint64_t number, Time at) {
    if (!is_open_) return;
    trades_ << fmt::format("{},{},{},{},{},{},{},{}\n", time_text(at), field(of.journal), of.id, field(of.symbol),
                           number, text_of(trade.price), trade.quantity.lots,
                           (trade.flags & market::k_auction) != 0 ? 'y' : 'n');
  }
  void add_order(const ReplayedInstrument& of, const book::RestingOrder& order, const std::string& user) {
    if (!is_open_) return;
    books_ << fmt::format("{},{},{},{},{},{},{},{}\n", field(of.journal), of.id, field(of.symbol),
                          order.side == Side::buy ? "buy" : "sell", text_of(order.price), order.leaves.lots,
                          order.displayed.lots, field(user));
  }
  /// False: not all could be written.
  [[nodiscard]] bool finish() {
    if (!is_open_) return true;
    trades_.flush();
    books_.flush();
    return trades_.good() && books_.good();
  }

 private:
  std::ofstream trades_, books_;
  bool is_open_ = false;
};

/// Counts what the books of one partition report.
class Tally final : public venue::ReportSink {
 public:
  Tally(const PartitionJournal& journal, const JournalReplaySettings& settings, Files& files)
      : journal_(journal), settings_(settings), files_(files) {}

  /// With every partition that is made: settings make it anew, with the same instruments.
  void attend(venue::Partition& partition) {
    partition.observe(this);
    if (!instruments_.empty()) return;
    for (const market::Instrument& instrument : partition.instruments())
      instruments_.push_back({.journal = journal_.name, .symbol = instrument.symbol, .id = instrument.id});
  }
  /// A command is about to be applied: its first trade will have this number.
  void begin(std::uint64_t next_trade) { next_trade_ = next_trade; }

  void on_reports(std::span<const market::BookReport> reports, Time now) override {
    for (const market::BookReport& report : reports) {
      const std::uint64_t number = next_trade_;
      if (report.kind == BookReportKind::traded) ++next_trade_;
      if (settings_.from && now < *settings_.from) continue;
      if (ReplayedInstrument* of = find(report.instrument); of != nullptr) count(*of, report, number, now);
    }
  }

  /// The instruments that are wanted, with their books of now.
  [[nodiscard]] std::vector<ReplayedInstrument> finish(const venue::Partition& partition,
                                                       const std::vector<std::string>& users) {
    std::vector<ReplayedInstrument> wanted;
    for (ReplayedInstrument& of : instruments_) {
      if (!is_wanted(of.symbol)) continue;
      const book::Book& book = *partition.book(of.id);
      of.bid = book.best(Side::buy);
      of.ask = book.best(Side::sell);
      of.phase = book.phase();
      for (const Side side : {Side::buy, Side::sell})
        book.each_resting(side, [&](const book::RestingOrder& order) {
          ++of.resting;
          const bool has_name = order.owner < users.size() && !users[order.owner].empty();
          files_.add_order(of, order, has_name ? users[order.owner] : std::to_string(order.owner));
        });
      wanted.push_back(of);
    }
    return wanted;
  }
  [[nodiscard]] const std::vector<ReplayedInstrument>& instruments() const noexcept { return instruments_; }

 private:
  [[nodiscard]] bool is_wanted(const std::string& symbol) const {
    return settings_.symbols.empty() || std::ranges::find(settings_.symbols, symbol) != settings_.symbols.end();
  }
  /// Null: it is not wanted, or a refused order named one that is not here.
  [[nodiscard]] ReplayedInstrument* find(std::uint32_t id) {
    const auto found = std::ranges::find(instruments_, id, &ReplayedInstrument::id);
    return found != instruments_.end() && is_wanted(found->symbol) ? &*found : nullptr;
  }
  void count(ReplayedInstrument& of, const market::BookReport& report, std::uint64_t number, Time now) {
    switch (report.kind) {
      case BookReportKind::accepted:
        ++of.accepted;
        return;
      case BookReportKind::uncrossed:
        if (report.quantity.lots != 0) ++of.auctions;
        return;
      case BookReportKind::traded:
        ++of.trades;
        of.lots += static_cast<std::uint64_t>(report.quantity.lots);
        if (!of.open) of.open = of.high = of.low = report.price;
        of.high = std::max(*of.high, report.price);
        of.low = std::min(*of.low, report.price);
        of.last = report.price;
        files_.add_trade(of, report, number, now);
        return;
      default:
        return;
    }
  }

  const PartitionJournal& journal_;
  const JournalReplaySettings& settings_;
  Files& files_;
  std::vector<ReplayedInstrument> instruments_;
  std::uint64_t next_trade_ = 0;
};

/// One journal after the other.
class JournalReplay {
 public:
  JournalReplay(const JournalReplaySettings& settings, const JournalReplayHooks& hooks, time::Clock& clock)
      : settings_(settings), hooks_(hooks), clock_(clock) {}

  std::expected<JournalReplayResult, std::string> run(std::span<const PartitionJournal> journals) {
    if (!settings_.out.empty() && !files_.open(settings_.out))
      return std::unexpected(settings_.out + ": cannot be written; may you write there?");
    for (const PartitionJournal& journal : journals)
      if (!is_interrupted()) replay(journal);
    result_.was_interrupted = is_interrupted();
    if (auto unknown = unknown_symbol(); !unknown.empty() && !symbols_.empty()) return std::unexpected(unknown);
    if (!files_.finish()) return std::unexpected(settings_.out + ": not all could be written");
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool is_interrupted() const { return hooks_.is_interrupted && hooks_.is_interrupted(); }

  void replay(const PartitionJournal& journal) {
    ReplayedJournal& of = result_.journals.emplace_back();
    of.name = journal.name;
    Tally tally(journal, settings_, files_);
    const Time begin = clock_.now();
    auto replayed = replay_from(journal, of, tally, false);
    // The first records are gone: a snapshot holds what they led to.
    if (!replayed && replayed.error().error.code == ErrorCode::missing && replayed.error().place.sequence.value == 1)
      replayed = replay_from(journal, of, tally, true);
    of.elapsed_s = static_cast<double>((clock_.now() - begin).count()) / 1e9;
    for (const ReplayedInstrument& instrument : tally.instruments())
      if (std::ranges::find(symbols_, instrument.symbol) == symbols_.end()) symbols_.push_back(instrument.symbol);
    if (!replayed) {
      of.trouble = journal::describe(replayed.error());
      return;
    }
    finish(*replayed, tally, of);
  }

  std::expected<venue::ReplayedPartition, journal::Trouble> replay_from(const PartitionJournal& journal,
                                                                        ReplayedJournal& of, Tally& tally,
                                                                        bool from_snapshot) {
    venue::ReplayOptions options;
    options.from_snapshot = from_snapshot;
    options.progress = hooks_.progress;
    options.on_made = [&tally](venue::Partition& partition) { tally.attend(partition); };
    options.before = [&](const venue::Partition* partition, const journal::Record& record) {
      if (record.bytes.size() < sizeof(market::CommandHeader)) return true;  // is refused
      const auto header = load_little<market::CommandHeader>(record.bytes, 0);
      if ((settings_.until && header.time >= *settings_.until) || is_interrupted()) return false;
      if (partition != nullptr) tally.begin(partition->next_trade());
      if (const auto type = static_cast<std::size_t>(header.type); type < of.commands.size()) ++of.commands[type];
      return true;
    };
    return venue::replay_directory(*journal.disk, options);
  }

  void finish(const venue::ReplayedPartition& replayed, Tally& tally, ReplayedJournal& of) {
    const venue::PartitionRecovery& recovery = replayed.recovery;
    of.verdict = journal::name_of(recovery.journal.verdict);
    if (const auto trouble = trouble_of(recovery)) of.trouble = journal::describe(*trouble);
    of.snapshot = recovery.snapshot.value;
    of.records = recovery.replayed;
    const venue::Partition* partition = replayed.replayer->partition();
    if (partition == nullptr) {
      if (of.trouble.empty())
        of.trouble = settings_.until ? "its settings are not complete yet at the time where it was to end"
                                     : "it holds no complete settings";
      return;
    }
    if (of.snapshot != 0 && settings_.until && partition->last_time() >= *settings_.until && of.trouble.empty())
      of.trouble = fmt::format(
          "the records before record {} are gone, and its time, {}, is not before the end that was asked for",
          of.snapshot + 1, time_text(partition->last_time()));
    of.is_recovered = true;
    of.last = recovery.last.value;
    of.last_time = recovery.last_time;
    of.digest = recovery.digest;
    for (std::size_t user = 0; user < partition->users(); ++user) {
      const venue::UserTotals& totals = partition->totals(static_cast<std::uint16_t>(user));
      of.bought += totals.bought;
      of.sold += totals.sold;
    }
    for (ReplayedInstrument& instrument : tally.finish(*partition, replayed.replayer->settings().user_names)) {
      of.trades += instrument.trades;
      of.lots += instrument.lots;
      result_.instruments.push_back(std::move(instrument));
    }
  }

  /// What is wrong with the symbols that were asked for; empty: nothing.
  [[nodiscard]] std::string unknown_symbol() const {
    for (const std::string& wanted : settings_.symbols) {
      if (std::ranges::find(symbols_, wanted) != symbols_.end()) continue;
      std::string known;
      for (const std::string& symbol : symbols_) known += (known.empty() ? "" : ", ") + symbol;
      return fmt::format("no instrument {} in the journals; there are {}", wanted, known);
    }
    return {};
  }

  const JournalReplaySettings& settings_;
  const JournalReplayHooks& hooks_;
  time::Clock& clock_;
  Files files_;
  JournalReplayResult result_;
  std::vector<std::string> symbols_;  // of all journals so far
};

// ---- The result ----------------------------------------------------------------------------------------------------

std::uint64_t count_of(const CommandCounts& commands, market::CommandType type) {
  return commands[static_cast<std::size_t>(type)];
}

evidence::Table table_of_journals(const JournalReplayResult& result) {
  using market::CommandType;
  // On the screen those that users send have a row each and the others one together; JSON has each.
  evidence::Table table{.name = "journals",
                        .title = "what was replayed, by partition",
                        .columns = {{"partition"},
                                    {"records"},
                                    {"new_orders"},
                                    {"replaces"},
                                    {"cancels"},
                                    {"mass_cancels", 0, false},
                                    {"logons", 0, false},
                                    {"session_ends", 0, false},
                                    {"expiries", 0, false},
                                    {"phases", 0, false},
                                    {"day_events", 0, false},
                                    {"settings", 0, false},
                                    {"checkpoints", 0, false},
                                    {"others"},
                                    {"trades"},
                                    {"lots"},
                                    {"digest"},
                                    {"last", 0, false},
                                    {"last_time", 0, false},
                                    {"snapshot", 0, false},
                                    {"elapsed_s", 3, false},
                                    {"commands_per_second"}}};
  for (const ReplayedJournal& of : result.journals) {
    if (!of.is_recovered) continue;
    const auto count = [&of](CommandType type) { return count_of(of.commands, type); };
    const std::uint64_t shown =
        count(CommandType::new_order) + count(CommandType::replace) + count(CommandType::cancel);
    table.add_row({of.name,
                   of.records,
                   count(CommandType::new_order),
                   count(CommandType::replace),
                   count(CommandType::cancel),
                   count(CommandType::mass_cancel),
                   count(CommandType::logon),
                   count(CommandType::end_session),
                   count(CommandType::expire),
                   count(CommandType::phase),
                   count(CommandType::day),
                   count(CommandType::setting),
                   count(CommandType::checkpoint),
                   of.records - shown,
                   of.trades,
                   of.lots,
                   fmt::format("{:016x}", of.digest),
                   of.last,
                   time_text(of.last_time),
                   of.snapshot,
                   of.elapsed_s,
                   static_cast<std::int64_t>(static_cast<double>(of.records) / std::max(of.elapsed_s, 1e-9))});
    if (of.snapshot != 0)
      table.notes.push_back(
          fmt::format("{}: older records are gone; it begins with the snapshot behind record {}, and trades and orders "
                      "before that are not counted",
                      of.name, of.snapshot));
  }
  return table;
}

evidence::Table table_of_instruments(const JournalReplayResult& result) {
  evidence::Table table{.name = "instruments",
                        .title = "their trades, and their books at the end",
                        .columns = {{"partition"},
                                    {"symbol"},
                                    {"orders_accepted"},
                                    {"trades"},
                                    {"lots"},
                                    {"open"},
                                    {"high"},
                                    {"low"},
                                    {"last"},
                                    {"auctions"},
                                    {"bid"},
                                    {"ask"},
                                    {"orders_resting"},
                                    {"phase"}}};
  for (const ReplayedInstrument& of : result.instruments)
    table.add_row({of.journal, of.symbol, of.accepted, of.trades, of.lots, text_of(of.open), text_of(of.high),
                   text_of(of.low), text_of(of.last), of.auctions, text_of(of.bid), text_of(of.ask), of.resting,
                   name_of(of.phase)});
  return table;
}

}  // namespace

std::expected<JournalReplayResult, std::string> replay_journals(std::span<const PartitionJournal> journals,
                                                                const JournalReplaySettings& settings,
                                                                const JournalReplayHooks& hooks, time::Clock& clock) {
  return JournalReplay(settings, hooks, clock).run(journals);
}

evidence::Artefact artefact_of(const JournalReplaySettings& settings, const JournalReplayResult& result) {
  evidence::Artefact artefact("dojima replay");
  std::string symbols;
  for (const std::string& symbol : settings.symbols) symbols += (symbols.empty() ? "" : ",") + symbol;
  artefact.set_parameter("book", "match")
      .set_parameter("symbols", symbols)
      .set_parameter("from", settings.from ? time_text(*settings.from) : std::string())
      .set_parameter("until", settings.until ? time_text(*settings.until) : std::string())
      .set_parameter("was_interrupted", result.was_interrupted);
  artefact.add_table(table_of_journals(result)).add_table(table_of_instruments(result));
  for (const ReplayedJournal& of : result.journals) {
    artefact.add_check(of.name + ": recovers", of.trouble.empty(),
                       of.trouble.empty() ? fmt::format("{}, up to record {}", of.verdict, of.last) : of.trouble);
    if (of.is_recovered)
      artefact.add_check(
          of.name + ": both sides balance", of.bought == of.sold,
          fmt::format("{} lots bought, {} sold, by all users since the venue began", of.bought, of.sold));
  }
  return artefact;
}

}  // namespace dojima::replay
