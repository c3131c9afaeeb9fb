#pragma once

// Many runs over one day, or in generated markets: every combination of parameters on a grid, on several threads, into
// one table. A run depends on nothing but the day, the settings and its point: its seed follows from the sweep's seed
// and the run's parameters, so any order and any number of threads give the same table to the byte, and so does a sweep
// that was interrupted and goes on from what is in `FILE.part`.
//
//   SweepSettings settings{.base = base, .axes = {*parse_axis("period=10ms,100ms"), *parse_axis("offset=0..3")}};
//   const auto result = run_sweep(settings, {});
//   if (!result) complain(result.error());
//   sweep_text(*result);                            // CSV, a line a point
//
// The day is in memory once and shared; each thread has books, orders and fills of its own, and a market where those
// are generated: then an axis may name a key of the market, such as market.seed or population.0.count.

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/backtest/backtest.hpp"

namespace dojima::backtest {

/// A parameter and the values that it takes.
struct SweepAxis {
  std::string name;
  std::vector<std::string> values;
  friend bool operator==(const SweepAxis&, const SweepAxis&) = default;
};
inline constexpr std::size_t k_axis_values_max = 100'000;
inline constexpr std::size_t k_sweep_points_max = 1'000'000;

/// "period=10ms,20ms" (values), "offset=0..10" (steps of 1), "gamma=0.1..0.5..0.2" (from, to, step; exact decimals),
/// "entry=1ms..9ms..2ms" (all with the same unit). The error is one line for the user.
[[nodiscard]] std::expected<SweepAxis, std::string> parse_axis(std::string_view text);

/// Settings of a run that an axis may name beside the strategy's parameters. Those behind the first six are of days and
/// mean nothing in a generated market.
inline constexpr std::array<std::string_view, 10> k_run_settings{
    "run.entry",     "run.response", "run.feed",  "run.computing", "run.maker_fee",
    "run.taker_fee", "run.exchange", "run.queue", "run.fills",     "run.silence"};
inline constexpr std::size_t k_run_settings_of_markets = 6;

/// The error is one line for the user.
[[nodiscard]] std::expected<void, std::string> apply_run_setting(BacktestSettings& settings, std::string_view name,
                                                                 std::string_view value);

/// The seed of a run: FNV-1a (64 bits) over the text "SEED\nNAME=VALUE\n..." with the names in order of their bytes,
/// and one step of splitmix64 on it. `values` are all parameters of the run.
[[nodiscard]] std::uint64_t seed_of_run(std::uint64_t sweep_seed, const ParameterTexts& values) noexcept;

/// Runs in generated markets in place of a day.
struct SweepMarkets {
  /// Of a run: `keys` are its values of axes whose names have a point and are not of the run, such as market.seed. The
  /// error is one line for the user. Called from one thread at a time, and the same keys give the same market.
  std::function<std::expected<MarketConfig, std::string>(const ParameterTexts& keys)> make{};
  std::string text{};  ///< all else that the markets are made from: another text is another sweep
};

struct SweepSettings {
  BacktestSettings base;  ///< its seed is the sweep's
  std::vector<SweepAxis> axes{};
  std::size_t threads = 1;
  std::string part{};                     ///< what is done is kept in this file, and taken over from it; empty: nowhere
  std::optional<SweepMarkets> markets{};  ///< none: over the day of base.file
};

/// One run of a sweep.
struct SweepPoint {
  std::vector<std::string> values;  ///< of the axes
  BacktestSettings settings;
  std::optional<MarketConfig> market{};  ///< that it runs in; none: over the day
};
/// Of place `index` below the product of the axes' sizes; the last axis changes fastest. The error is one line for the
/// user: a parameter that makes no sense.
[[nodiscard]] std::expected<SweepPoint, std::string> point_of(const SweepSettings& settings, std::size_t index);
/// The number of points. The error: no points, too many, or an axis named twice.
[[nodiscard]] std::expected<std::size_t, std::string> points_in(const SweepSettings& settings);

/// The result of a run: texts, as they are in the table.
struct SweepRow {
  bool is_done = false;
  std::string cells;    ///< behind the point's number and values: seed, fills, profit, ... with commas between them
  std::string trouble;  ///< what the strategy threw, or why the run could not be made; empty: nothing
};

struct SweepResult {
  DaySurvey survey;
  std::vector<SweepAxis> axes;
  std::vector<SweepRow> rows;
  std::size_t done = 0;        ///< rows that are there
  std::size_t taken_over = 0;  ///< of them, from the part file
  std::uint64_t digest = 0;    ///< of the day and all settings but the number of threads
  double elapsed_s = 0;
};

/// Both may be empty. Called from the thread that calls run_sweep.
struct SweepHooks {
  std::function<bool()> is_interrupted{};
  std::function<void(std::size_t done, std::size_t points)> progress{};
};

/// The error is one line for the user; nothing has run then. A run that fails has its row, with what was wrong.
[[nodiscard]] std::expected<SweepResult, std::string> run_sweep(const SweepSettings& settings, const SweepHooks& hooks);

/// The names of a row's cells, with commas between them.
[[nodiscard]] std::string_view sweep_columns() noexcept;
/// A line a point that is done, in order; the first line names the columns.
[[nodiscard]] std::string sweep_text(const SweepResult& result);
/// The value of a column in a row; empty: there is no such column.
[[nodiscard]] std::string_view sweep_cell(const SweepRow& row, std::string_view column) noexcept;

/// For people and programs: the best points by `column` (a number, the largest first) and, of at most a few thousand
/// points, all of them; charts of that column over each axis. Checks: all points done, no run failed.
[[nodiscard]] evidence::Artefact artefact_of(const SweepSettings& settings, const SweepResult& result,
                                             std::string_view column);

}  // namespace dojima::backtest
