#pragma once

// A strategy over a recorded file, from the file's name to the report: the file is surveyed (what its events have, the
// steps of its prices, how far its clocks are apart), then streamed through an exchange and the strategy. Memory is
// that of the books, of own orders and fills, and of what is on its way.
//
//   BacktestSettings settings{.file = "day.events", .strategy = "touch", .parameters = {{"quantity", "0.1"}}};
//   const auto result = run_backtest(settings, {}, clock);
//   if (!result) complain(result.error());
//   artefact_of(settings, *result);
//
// One thread.

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dojima/backtest/engine.hpp"
#include "dojima/backtest/market.hpp"
#include "dojima/backtest/strategies.hpp"
#include "dojima/evidence/artefact.hpp"
#include "dojima/recorded/files/recorded_file.hpp"
#include "dojima/time/clock.hpp"

namespace dojima::backtest {

/// Latencies as texts (latency.hpp); an empty one is as its kind's first.
struct LatencyTexts {
  std::string feed = "recorded";  ///< or a latency
  std::string entry = "1ms", cancel{}, replace{};
  std::string response = "1ms", trade{};  ///< of reports; of trades
  std::string computing{};                ///< of the strategy itself; empty: none
};

/// Those of a file that `dojima lab latency` wrote: a latency of `given` that is still the default becomes the file's
/// where the file has one. The error is one line for the user.
[[nodiscard]] std::expected<LatencyTexts, std::string> measured_latencies(const std::string& file, LatencyTexts given);

/// One of several venues: its recorded day, what its messages take, what it takes itself.
struct VenueSettings {
  std::string name;  ///< once; its instruments are NAME:SYMBOL
  std::string file;
  recorded::RecordedOptions recorded{};
  LatencyTexts latencies{};
  Fees fees{};
};
/// "NAME=FILE" or "NAME=FILE,entry=2ms,taker_fee=5bp": what is not said is as in `given`. Keys: feed, entry,
/// entry_cancel, entry_replace, response, response_trade, maker_fee, taker_fee, trade_fee. The error is one line for
/// the user.
[[nodiscard]] std::expected<VenueSettings, std::string> parse_venue(std::string_view text, const VenueSettings& given);

struct BacktestSettings {
  std::string file{};
  /// In the place of `file`, `recorded`, `latencies` but for its computing, and `fees`: one exchange of the kind in
  /// each of them, whose times are on one clock. At most 255.
  std::vector<VenueSettings> venues{};
  recorded::RecordedOptions recorded{};
  std::vector<std::string> symbols{};  ///< only these; empty: all
  std::optional<Time> from{};   ///< by the recorder's clock; what is before builds the books and is not traded in
  std::optional<Time> until{};  ///< ends behind the last event before this, which is behind `from`
  std::string strategy = "touch";
  ParameterTexts parameters{};
  ExchangeSettings exchange{};
  std::string lot{};  ///< levels: smallest quantity as text, in the instrument's quantity; empty: its unit
  LatencyTexts latencies{};
  Fees fees{};
  Duration mark_every = std::chrono::seconds{1};
  std::uint64_t seed = 1;         ///< of latencies that are drawn
  std::optional<double> speed{};  ///< times the clock's, 0.1 to 10,000; none: from event to event
  bool is_beside_record = false;  ///< match: the day once more without own orders, BacktestResult::alone
  std::string road{};             ///< of a generated market: what BacktestHooks::make_road makes, in words
};

struct DaySurvey;
class BacktestWatcher;

/// All may be empty.
struct BacktestHooks {
  std::function<bool()> is_interrupted{};
  std::function<void(double)> progress{};  ///< of the file, 0 to 1; a few times a second
  /// In the place of settings.strategy.
  std::function<std::unique_ptr<Strategy>()> make_strategy{};
  /// In the place of settings.file, whose name is then only printed: the events from the first one on, once for each
  /// reading.
  std::function<std::unique_ptr<recorded::RecordedReader>()> open{};
  /// What survey_day() gave for the same file, symbols and end before: it is not read for that again. Null: it is.
  const DaySurvey* survey = nullptr;
  /// Of a generated market: makes the way that its strategy's requests take. Empty: they are there at once. What it
  /// throws at the begin is the error of the run.
  MakeOrderRoad make_road{};
  /// Of a run at a speed of the clock, which then stays at its end until it is interrupted.
  BacktestWatcher* watcher = nullptr;
  /// Likewise: a key that was pressed, or -1: sched::move_by_key(), and q ends the run.
  std::function<int()> key{};
};

/// What a file holds, by reading it once.
struct DaySurvey {
  std::string format;
  std::uint64_t events = 0;  ///< those that are wanted
  bool has_orders = false, has_levels = false, has_trades = false;
  std::optional<Duration> least_latency{};  ///< receive time less event time; none: not recorded
  Time first{}, last{};                     ///< of its events at the exchange
  Time last_received{};                     ///< of its events at the recorder, or at the exchange where that is unknown
  std::vector<std::int64_t> ticks{};        ///< greatest common step of the prices, by instrument; 0: no price
  std::vector<RecordedInstrument> instruments{};
  std::string trouble{};  ///< where the file ended too early
};
/// The error is one line for the user.
[[nodiscard]] std::expected<DaySurvey, std::string> survey_day(const BacktestSettings& settings,
                                                               const BacktestHooks& hooks = {});
/// What the exchange needs and the day has not, as one line; empty: nothing.
[[nodiscard]] std::string missing_for(ExchangeKind kind, const DaySurvey& survey);
/// The line, with the file's name, for a day in which nothing can be done as `settings` say; empty: it can be used.
[[nodiscard]] std::string refusal_of(const BacktestSettings& settings, const DaySurvey& survey);

/// A day in memory, for many runs over it: 64 bytes an event. Not changed by them, so threads share it.
struct LoadedDay {
  DaySurvey survey;
  std::vector<RecordedEvent> events;
};
/// The events that `settings` wants. The error is one line for the user: as of survey_day(), or it does not fit.
[[nodiscard]] std::expected<LoadedDay, std::string> load_day(const BacktestSettings& settings);

struct InstrumentResult {
  std::string symbol;
  Fees fees{};
  unsigned price_decimals = 0, quantity_decimals = 0;
  Account account{0, 0, {}};
  RoundTrips round_trips{};
  Engine::Totals totals{};
  std::array<Markout, k_markout_horizons.size()> markouts{};
  std::optional<std::int64_t> bid{}, ask{};  ///< at the end
};

/// What became of a generated market.
struct MarketResult {
  MarketConfig config;
  MarketCounts counts;
  std::uint64_t digest = 0;  ///< Market::digest()
  std::string trouble;       ///< quantity or money that was lost or made; empty: none
};

struct BacktestResult {
  DaySurvey survey;
  std::vector<InstrumentResult> instruments;  ///< those with orders
  std::vector<RecordedInstrument> recorded;   ///< all, as fills name them
  std::vector<Fill> fills;
  std::vector<std::pair<Time, double>> equity;
  Performance performance;
  ExchangeCounts exchange;
  std::optional<ExchangeCounts> alone{};  ///< of the same day without own orders, where that was asked for
  std::unique_ptr<measure::Histogram> queue_times;
  std::uint64_t events = 0, wakes = 0;
  std::size_t resting = 0;  ///< own orders at the end
  Time first{}, last{};     ///< from BacktestSettings::from on, as are `equity` and `wakes`
  Duration feed_shift{};
  double elapsed_s = 0;  ///< of the run, without the survey
  bool was_interrupted = false;
  std::optional<MarketResult> market{};  ///< of a generated one
  std::string remark;                    ///< Strategy::remark()
  std::string trouble;  ///< the file's, or what the strategy threw and where; what was reached is kept. Empty: nothing
};

/// The error is one line for the user: the file cannot be opened, has not what the exchange needs, or a parameter makes
/// no sense. Nothing has run then.
[[nodiscard]] std::expected<BacktestResult, std::string> run_backtest(const BacktestSettings& settings,
                                                                      const BacktestHooks& hooks, time::Clock& clock);

/// The same over a day in memory, which was loaded by settings with the same file and choice of events.
[[nodiscard]] std::expected<BacktestResult, std::string> run_backtest(const BacktestSettings& settings,
                                                                      const LoadedDay& day, const BacktestHooks& hooks,
                                                                      time::Clock& clock);

/// The same in a generated market, which ends by itself: of the settings, the file, what concerns it and the exchange
/// mean nothing, and its seed is that of the latencies alone. The error is one line for the user.
[[nodiscard]] std::expected<BacktestResult, std::string> run_backtest(const BacktestSettings& settings,
                                                                      const MarketConfig& market,
                                                                      const BacktestHooks& hooks, time::Clock& clock);

/// What a run has come to so far, whoever drove it: all but the survey, the time it took and what was wrong.
[[nodiscard]] BacktestResult result_of(const Engine& engine, const Exchange& exchange,
                                       const std::vector<RecordedInstrument>& instruments,
                                       const BacktestSettings& settings);

/// The result for people and programs. Checks: positions agree with fills, cash with fills to the unit, the file's end.
[[nodiscard]] evidence::Artefact artefact_of(const BacktestSettings& settings, const BacktestResult& result);

/// With how many decimals an amount of the instruments' currency is shown: those of a price times a quantity, 4 to 9.
[[nodiscard]] int money_decimals(std::span<const RecordedInstrument> instruments);

/// One line a fill, the first line names the columns. False: not all could be written.
[[nodiscard]] bool write_fills(const std::string& file, const BacktestResult& result);
[[nodiscard]] std::string fills_text(const BacktestResult& result);

}  // namespace dojima::backtest
