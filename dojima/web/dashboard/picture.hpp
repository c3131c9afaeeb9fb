#pragma once

// What all screens are drawn from: the market as the facts have it, kept by the screens' thread. Bounded: a tape of the
// newest trades, a history of the whole session that grows coarser as it grows longer, minutes of latencies. Parts
// carry the version in which they changed last, so that a screen is sent only what is newer than what it has.
//
//   Picture picture({.name = "venue", .instruments = {...}});
//   channel.drain(4096, [&](const Fact& fact, const Snapshot* snapshot) { picture.apply(fact, snapshot); });
//   picture.settle();                      // once a beat: versions, best prices, the history

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "dojima/measure/histogram.hpp"
#include "dojima/web/dashboard/displayed_book.hpp"
#include "dojima/web/dashboard/facts.hpp"

namespace dojima::web {

struct PictureInstrument {
  std::uint32_t id = 0;
  std::string symbol;   ///< at most 255 characters, as all names here
  std::string segment;  ///< empty: none
  std::uint8_t partition = 1;
  std::int64_t reference = 0;          ///< price units
  std::uint8_t quantity_decimals = 0;  ///< quantities are whole numbers of 10^-this
  friend bool operator==(const PictureInstrument&, const PictureInstrument&) = default;
};

struct PictureConfig {
  std::string name;  ///< what is watched, for a person
  std::vector<PictureInstrument> instruments;
  std::vector<std::string> counters, stages, sessions;
  bool has_pace = false;                 ///< time can be paused and paced
  bool has_books = true;                 ///< else there are sessions, counters and latencies alone
  bool has_account = false;              ///< what who is watched holds and has earned is known
  std::size_t tape = 1000;               ///< trades kept
  std::size_t notices = 200;             ///< lines kept
  std::size_t columns = 512;             ///< of an instrument's history; then every second one goes, >= 4
  std::size_t points = 512;              ///< of the equity over time; likewise
  std::size_t histories = 12;            ///< instruments with a history: the first ones, and those that are looked at
  std::int64_t column_ns = 250'000'000;  ///< of the source's time, at first; between points, too
};

/// What the market table shows of an instrument. Prices and quantities mean something where `has` says so.
struct MarketRow {
  static constexpr std::uint8_t k_bid = 1, k_ask = 2, k_last = 4;
  std::uint32_t instrument = 0;
  std::uint8_t phase = 0;      ///< market::Phase
  std::uint8_t day_phase = 0;  ///< market::DayPhase
  std::uint8_t has = 0;
  std::int64_t bid = 0, bid_quantity = 0, ask = 0, ask_quantity = 0;
  std::int64_t last = 0, last_quantity = 0;
  std::uint64_t volume = 0, trades = 0;
  friend bool operator==(const MarketRow&, const MarketRow&) = default;
};

struct TapeRow {
  std::uint64_t number = 0;  ///< of all that the tape has got, from 1
  std::int64_t time = 0;
  std::int64_t price = 0;
  std::int64_t quantity = 0;
  std::uint32_t instrument = 0;
  std::uint8_t side = 0;   ///< market::Side of the aggressor; none in an auction
  std::uint8_t flags = 0;  ///< 1: in an auction; 2: taken back; 4: at another price
  friend bool operator==(const TapeRow&, const TapeRow&) = default;
};

/// A price and what stood, or was traded, there.
struct HistoryCell {
  std::int64_t price = 0;
  std::int64_t quantity = 0;
  friend bool operator==(const HistoryCell&, const HistoryCell&) = default;
};

/// A book at a moment, and what was traded since the one before.
struct HistoryColumn {
  static constexpr std::size_t k_levels = levels_of(Detail::levels), k_trades = 8;
  std::int64_t time = 0;
  std::int64_t indicative = 0;  ///< 0: none
  Bands bands{};
  std::vector<HistoryCell> bids{}, asks{}, trades{};  ///< the best k_levels of each; the largest k_trades prices
  friend bool operator==(const HistoryColumn&, const HistoryColumn&) = default;
};

struct History {
  std::uint32_t generation = 0;  ///< rises when columns go
  std::int64_t interval = 0;
  std::int64_t due = 0;
  std::deque<HistoryColumn> columns;
  std::map<std::int64_t, std::int64_t> traded;  // since the last column
  std::uint64_t looked_at = 0;                  // the version in which somebody did last
};

struct AuctionPoint {
  std::int64_t time = 0, price = 0, quantity = 0, imbalance = 0;
  friend bool operator==(const AuctionPoint&, const AuctionPoint&) = default;
};

struct AuctionState {
  static constexpr std::size_t k_points = 600;
  std::uint32_t call = 0;  ///< counts the calls
  std::uint8_t imbalance_side = 0;
  char type = ' ';
  std::int64_t until = 0;  ///< of the phase; the largest: nobody knows
  std::int64_t price = 0, quantity = 0, imbalance = 0;
  std::int64_t last_price = 0, last_quantity = 0;  ///< of the last uncrossing; 0: none
  std::uint64_t first = 1;                         ///< the number of the oldest point
  std::deque<AuctionPoint> points;
};

/// A line for a person.
struct NoticeRow {
  std::uint64_t number = 0;  ///< from 1
  std::int64_t time = 0;
  std::string text;
  friend bool operator==(const NoticeRow&, const NoticeRow&) = default;
};

struct LatencyRow {
  std::uint64_t number = 0;
  std::int64_t time = 0;
  std::uint64_t count = 0;
  std::uint64_t p50 = 0, p90 = 0, p99 = 0, p999 = 0, most = 0;
  friend bool operator==(const LatencyRow&, const LatencyRow&) = default;
};

struct EquityPoint {
  std::int64_t time = 0;
  double equity = 0;
  friend bool operator==(const EquityPoint&, const EquityPoint&) = default;
};

/// What who is watched holds and has earned.
struct Account {
  std::map<std::uint32_t, AccountFact> rows{};  ///< by instrument; 0: all together
  std::uint32_t generation = 0;                 ///< rises when points go
  std::int64_t interval = 0, due = 0;
  std::vector<EquityPoint> points{};
};

/// A stage, a second of the source's time a row.
struct Latencies {
  static constexpr measure::HistogramLayout k_fine{.precision_bits = 6, .range_bits = 34};
  static constexpr measure::HistogramLayout k_coarse{.precision_bits = 2, .range_bits = 34};
  static constexpr std::size_t k_rows = 300;
  std::vector<std::uint64_t> second = std::vector<std::uint64_t>(k_fine.counters());
  std::vector<std::uint64_t> whole = std::vector<std::uint64_t>(k_coarse.counters());
  std::uint64_t in_second = 0;
  std::int64_t due = 0;
  std::uint64_t rows_made = 0;
  std::deque<LatencyRow> rows;
};

class Picture {
 public:
  struct Instrument {
    PictureInstrument about;
    std::size_t place = 0;  ///< among all instruments
    DisplayedBook book;
    MarketRow row;
    AuctionState auction;
    Bands bands;
    std::uint32_t bid_levels = 0, ask_levels = 0;  ///< as SnapshotInstrument
    std::uint64_t row_version = 0, book_version = 0, auction_version = 0;
    bool is_dirty = true, is_auction_dirty = false;
    History* history = nullptr;
  };
  /// Versions of what is not an instrument's.
  struct Versions {
    std::uint64_t instruments = 0, market = 0, tape = 0, latency = 0, counters = 0, sessions = 0, last_rejects = 0,
                  account = 0, pace = 0, notices = 0, trouble = 0;
  };

  explicit Picture(PictureConfig config);

  void apply(const Fact& fact, const Snapshot* snapshot);
  void set_trouble(std::uint64_t lost, std::uint64_t snapshots);
  /// Everything since the last call becomes one version; columns of the history that are due are taken.
  void settle();

  [[nodiscard]] const PictureConfig& config() const noexcept { return config_; }
  [[nodiscard]] std::uint64_t version() const noexcept { return version_; }
  [[nodiscard]] const Versions& versions() const noexcept { return versions_; }
  /// Rises when time begins anew: what a screen knew of before counts no more.
  [[nodiscard]] std::uint64_t epoch() const noexcept { return epoch_; }
  /// The time of the newest fact.
  [[nodiscard]] std::int64_t time() const noexcept { return time_; }
  [[nodiscard]] const std::deque<Instrument>& instruments() const noexcept { return instruments_; }
  /// Null: there is none of this id.
  [[nodiscard]] const Instrument* find(std::uint32_t id) const;
  /// Somebody looks at it: it has a history from now on, and another one's may go.
  void look_at(std::uint32_t id);
  [[nodiscard]] const std::deque<TapeRow>& tape() const noexcept { return tape_; }
  [[nodiscard]] std::uint64_t trades() const noexcept { return trades_; }
  [[nodiscard]] const std::vector<Latencies>& latencies() const noexcept { return latencies_; }
  [[nodiscard]] const std::vector<std::uint64_t>& counters() const noexcept { return counters_; }
  /// Rejects by market::Reason.
  [[nodiscard]] const std::array<std::uint64_t, 64>& rejects() const noexcept { return rejects_; }
  [[nodiscard]] const std::vector<SessionFact>& sessions() const noexcept { return sessions_; }
  /// Why the last request of each session was refused, where the reason has words; else empty.
  [[nodiscard]] const std::vector<std::string>& last_rejects() const noexcept { return last_rejects_; }
  [[nodiscard]] const std::deque<NoticeRow>& notices() const noexcept { return notices_; }
  /// How many there have been.
  [[nodiscard]] std::uint64_t notice_count() const noexcept { return notice_count_; }
  [[nodiscard]] const Account& account() const noexcept { return account_; }
  [[nodiscard]] const PaceFact& pace() const noexcept { return pace_; }
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }
  [[nodiscard]] std::uint64_t snapshots() const noexcept { return snapshots_; }

 private:
  void on_report(const market::BookReport& report, std::uint16_t owner);
  void on_instrument(const InstrumentFact& fact);
  void on_level(const LevelFact& fact, std::uint16_t owner);
  void on_band(const BandFact& fact);
  void on_notice(const NoticeFact& fact);
  void begin_anew(std::int64_t time);
  Instrument& add_instrument(const PictureInstrument& about);
  void touch(Instrument& instrument);
  void on_trade(Instrument& instrument, const TradeFact& trade);
  void on_status(const Fact& fact);
  void on_auction(const Fact& fact);
  void on_trade_break(const Fact& fact);
  void on_snapshot(const Snapshot& snapshot);
  void on_latency(const LatencyFact& fact);
  void on_account(const AccountFact& fact);
  void begin_call(Instrument& instrument);
  void add_point(Instrument& instrument);
  void finish_second(Latencies& latencies);
  void settle(Instrument& instrument);
  void take_column(Instrument& instrument);
  [[nodiscard]] Instrument* known(std::uint32_t id);

  PictureConfig config_;
  std::deque<Instrument> instruments_;
  std::unordered_map<std::uint32_t, Instrument*> by_id_;
  std::map<std::uint32_t, History> histories_;
  std::vector<Instrument*> dirty_;
  std::deque<TapeRow> tape_;
  std::uint64_t trades_ = 0;
  std::vector<Latencies> latencies_;
  std::vector<std::uint64_t> counters_;
  std::array<std::uint64_t, 64> rejects_{};
  std::vector<SessionFact> sessions_;
  std::vector<std::string> last_rejects_;  // as many
  std::deque<NoticeRow> notices_;
  std::uint64_t notice_count_ = 0;
  NoticeFact notice_;  // whose parts are coming: its number, and the part that is next
  std::string notice_text_;
  Account account_;
  PaceFact pace_;
  std::uint64_t lost_ = 0, snapshots_ = 0, epoch_ = 0;
  std::int64_t time_ = 0;
  std::uint64_t version_ = 1;  // of what is being changed
  Versions versions_;
};

}  // namespace dojima::web
