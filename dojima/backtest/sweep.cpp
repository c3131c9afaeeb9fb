#include "dojima/backtest/sweep.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <fmt/core.h>
#include <mutex>
#include <thread>

#include "dojima/backtest/sweep/part_file.hpp"
#include "dojima/flow/random.hpp"
#include "dojima/market/price.hpp"

namespace dojima::backtest {
namespace {

constexpr std::string_view k_run_prefix = "run.";
constexpr std::string_view k_columns =
    "seed,orders,fills,maker_fills,fill_ratio,profit,fees,turnover,drawdown,sharpe_of_a_day,sortino_of_a_day,"
    "round_trips,winners,position,markout_1s,fills_digest";

constexpr std::uint64_t k_fnv_begin = 0xcbf29ce484222325ULL;

std::uint64_t fnv(std::string_view text, std::uint64_t hash = k_fnv_begin) noexcept {
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3ULL;
  return hash;
}

/// Of many bytes, eight at a time.
std::uint64_t digest_of(std::span<const RecordedEvent> events) {
  std::uint64_t hash = k_fnv_begin;
  const char* bytes = reinterpret_cast<const char*>(events.data());
  for (std::size_t at = 0; at + 8 <= events.size_bytes(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + at, 8);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29;
  }
  return hash;
}

/// All that a run depends on but the day and the axes.
std::string settings_text(const BacktestSettings& settings) {
  const auto time_of = [](const std::optional<Time>& at) {
    return at ? std::to_string(at->time_since_epoch().count()) : std::string("-");
  };
  const LatencyTexts& latencies = settings.latencies;
  std::string text = fmt::format(
      "{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", settings.strategy, time_of(settings.from),
      time_of(settings.until), name_of(settings.exchange.kind), to_text(settings.exchange.queue),
      name_of(settings.exchange.fills), settings.exchange.silence.count(), settings.exchange.orders, settings.lot,
      latencies.feed, latencies.entry, latencies.cancel, latencies.replace, latencies.response, latencies.trade,
      settings.fees.maker, settings.fees.taker, settings.fees.per_trade, settings.mark_every.count());
  if (!latencies.computing.empty()) text += "|computing|" + latencies.computing;
  for (const auto& [name, value] : settings.parameters) text += "|" + name + "=" + value;
  for (const std::string& symbol : settings.symbols) text += "|" + symbol;
  return text + "|" + std::to_string(settings.seed);
}

std::uint64_t digest_of(const SweepSettings& settings, const LoadedDay& day) {
  std::uint64_t hash = fnv(settings_text(settings.base), digest_of(day.events));
  if (settings.markets) hash = fnv(settings.markets->text, fnv("|market|", hash));
  for (const SweepAxis& axis : settings.axes) {
    hash = fnv("|" + axis.name, hash);
    for (const std::string& value : axis.values) hash = fnv("," + value, hash);
  }
  return hash;
}

std::string cells_of(const BacktestResult& result, std::uint64_t seed) {
  std::uint64_t orders = 0, maker_fills = 0, round_trips = 0, winners = 0;
  double submitted = 0, filled = 0, fees = 0, turnover = 0, gain = 0, followed = 0;
  std::string positions;
  constexpr std::size_t k_second = 3;  // of the horizons
  static_assert(k_markout_horizons[k_second] == std::chrono::seconds{1});
  for (const InstrumentResult& one : result.instruments) {
    const Account& account = one.account;
    orders += one.totals.orders;
    maker_fills += account.maker_fills();
    round_trips += one.round_trips.count();
    winners += one.round_trips.winners();
    double unit = 1;
    for (unsigned decimal = 0; decimal < one.quantity_decimals; ++decimal) unit *= 10;
    submitted += static_cast<double>(one.totals.submitted) / unit;
    filled += static_cast<double>(account.bought() + account.sold()) / unit;
    fees += account.amount(account.fees());
    turnover += account.amount(account.turnover());
    double price_unit = 1;
    for (unsigned decimal = 0; decimal < one.price_decimals; ++decimal) price_unit *= 10;
    const Markout& markout = one.markouts[k_second];
    gain += static_cast<double>(markout.twice_gain) / 2 / price_unit / unit;
    followed += static_cast<double>(markout.quantity) / unit;
    char buffer[market::k_scaled_text_max];
    positions += (positions.empty() ? "" : " ") +
                 std::string(market::format_scaled(account.position(), one.quantity_decimals, buffer));
  }
  const auto number = [](const std::optional<double>& value) { return value ? fmt::format("{}", *value) : ""; };
  const auto ratio = [](double of, double by) { return by == 0 ? std::string() : fmt::format("{}", of / by); };
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{:016x}", seed, orders, result.fills.size(),
                     maker_fills, ratio(filled, submitted), result.performance.profit, fees, turnover,
                     result.performance.drawdown, number(result.performance.sharpe), number(result.performance.sortino),
                     round_trips, winners, positions, ratio(gain, followed), fnv(fills_text(result)));
}

/// Takes points one after the other, until there are none or it is stopped.
class Workers {
 public:
  Workers(const SweepSettings& settings, const LoadedDay& day, SweepResult& result, PartFile& part)
      : settings_(settings), day_(day), result_(result), part_(part) {}

  void work() {
    time::SystemClock clock;
    for (std::size_t index = next_.fetch_add(1); index < result_.rows.size() && !should_stop();
         index = next_.fetch_add(1)) {
      if (result_.rows[index].is_done) continue;
      SweepRow row = run(index, clock);
      if (!row.is_done) continue;
      const std::scoped_lock lock(mutex_);
      if (part_.is_open() && !part_.add(index, row)) trouble_ = part_.name() + ": cannot be written";
      if (!trouble_.empty()) stop();
      result_.rows[index] = std::move(row);
      ++result_.done;
      changed_.notify_one();
    }
    const std::scoped_lock lock(mutex_);
    ++ended_;
    changed_.notify_one();
  }
  void stop() noexcept { is_stopped_.store(true, std::memory_order_relaxed); }
  /// Until all have ended.
  void wait(std::size_t threads, const SweepHooks& hooks) {
    std::unique_lock lock(mutex_);
    while (ended_ != threads) {
      changed_.wait_for(lock, std::chrono::milliseconds{50});
      const std::size_t done = result_.done;
      lock.unlock();
      if (hooks.progress) hooks.progress(done, result_.rows.size());
      if (hooks.is_interrupted && hooks.is_interrupted()) stop();
      lock.lock();
    }
  }
  [[nodiscard]] const std::string& trouble() const noexcept { return trouble_; }

 private:
  [[nodiscard]] bool should_stop() const noexcept { return is_stopped_.load(std::memory_order_relaxed); }

  SweepRow run(std::size_t index, time::Clock& clock) const {
    SweepRow row;
    auto point = [&] {
      const std::scoped_lock lock(making_);
      return point_of(settings_, index);
    }();
    const BacktestHooks hooks{.is_interrupted = [this] { return should_stop(); }};
    auto result = !point          ? std::unexpected(point.error())
                  : point->market ? run_backtest(point->settings, *point->market, hooks, clock)
                                  : run_backtest(point->settings, day_, hooks, clock);
    if (result && result->was_interrupted) return row;
    row.is_done = true;
    if (!result) {
      row.trouble = result.error();
      row.cells.assign(static_cast<std::size_t>(std::ranges::count(k_columns, ',')), ',');
    } else {
      row.trouble = result->trouble;
      if (row.trouble.empty() && result->market) row.trouble = result->market->trouble;
      row.cells = cells_of(*result, point->settings.seed);
    }
    // It is in a line of a table.
    std::ranges::replace_if(row.trouble, [](char letter) { return letter == ',' || letter == '\n'; }, ';');
    return row;
  }

  const SweepSettings& settings_;
  const LoadedDay& day_;
  SweepResult& result_;
  PartFile& part_;
  mutable std::mutex making_;  // of a point
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> is_stopped_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t ended_ = 0;
  std::string trouble_;
};

}  // namespace

std::uint64_t seed_of_run(std::uint64_t sweep_seed, const ParameterTexts& values) noexcept {
  std::uint64_t hash = fnv(std::to_string(sweep_seed));
  hash = fnv("\n", hash);
  for (const auto& [name, value] : values) hash = fnv("\n", fnv(value, fnv("=", fnv(name, hash))));
  return flow::Random(hash).next();
}

std::expected<std::size_t, std::string> points_in(const SweepSettings& settings) {
  std::size_t points = 1;
  for (std::size_t at = 0; at < settings.axes.size(); ++at) {
    const SweepAxis& axis = settings.axes[at];
    for (std::size_t before = 0; before < at; ++before)
      if (settings.axes[before].name == axis.name) return std::unexpected("parameter " + axis.name + " is set twice");
    points *= axis.values.size();
    if (points > k_sweep_points_max)
      return std::unexpected(fmt::format("a sweep has at most {} points", k_sweep_points_max));
  }
  return points;
}

std::expected<SweepPoint, std::string> point_of(const SweepSettings& settings, std::size_t index) {
  SweepPoint point{.values = std::vector<std::string>(settings.axes.size()), .settings = settings.base};
  ParameterTexts of_run, of_market;
  for (std::size_t at = settings.axes.size(); at-- > 0;) {
    const SweepAxis& axis = settings.axes[at];
    const std::string& value = axis.values[index % axis.values.size()];
    index /= axis.values.size();
    point.values[at] = value;
    // Parameters have no points in their names; keys of a market have.
    const bool is_of_run = axis.name.starts_with(k_run_prefix);
    if (!is_of_run && settings.markets && axis.name.find('.') != std::string::npos) {
      of_market[axis.name] = value;
      continue;
    }
    if (!is_of_run) {
      point.settings.parameters[axis.name] = value;
      continue;
    }
    of_run[axis.name] = value;
    if (auto done = apply_run_setting(point.settings, axis.name, value); !done) return std::unexpected(done.error());
  }
  if (auto made = make_strategy(point.settings.strategy, point.settings.parameters); !made)
    return std::unexpected(made.error());
  if (settings.markets) {
    auto market = settings.markets->make(of_market);
    if (!market) return std::unexpected(market.error());
    if (const std::string trouble = complaint(*market); !trouble.empty()) return std::unexpected(trouble);
    point.market = *std::move(market);
  }
  ParameterTexts all = values_in_force(point.settings.strategy, point.settings.parameters);
  all.insert(of_run.begin(), of_run.end());
  all.insert(of_market.begin(), of_market.end());
  point.settings.seed = seed_of_run(settings.base.seed, all);
  return point;
}

namespace {

/// In the place of a day: what there is to know beforehand.
std::expected<LoadedDay, std::string> day_of_markets(const MarketConfig& market) {
  LoadedDay day{.survey = {.format = "market", .has_orders = true, .has_trades = true}, .events = {}};
  for (const MarketInstrument& of : market.instruments)
    day.survey.instruments.push_back({.symbol = of.symbol, .price_decimals = of.price_decimals, .tick = of.tick});
  return day;
}

/// The line for a day that an exchange of the sweep cannot use, and for what means nothing in a generated market;
/// empty: all is well.
std::string refusal_of_sweep(const SweepSettings& settings, std::size_t points, const DaySurvey& survey) {
  const auto has_axis = [&](std::string_view name) {
    return std::ranges::any_of(settings.axes, [&](const SweepAxis& axis) { return axis.name == name; });
  };
  if (settings.markets) {
    for (const std::string_view name : std::span(k_run_settings).subspan(k_run_settings_of_markets))
      if (has_axis(name)) return fmt::format("{} means nothing in a generated market", name);
    return {};
  }
  for (std::size_t index = 0; index < points; ++index) {
    if (std::string refusal = refusal_of(point_of(settings, index)->settings, survey); !refusal.empty()) return refusal;
    if (!has_axis("run.exchange")) break;
  }
  return {};
}

}  // namespace

std::expected<SweepResult, std::string> run_sweep(const SweepSettings& settings, const SweepHooks& hooks) {
  const auto points = points_in(settings);
  if (!points) return std::unexpected(points.error());
  for (std::size_t index = 0; index < *points; ++index)
    if (auto point = point_of(settings, index); !point) return std::unexpected(point.error());
  auto day = settings.markets ? day_of_markets(*point_of(settings, 0)->market) : load_day(settings.base);
  if (!day) return std::unexpected(day.error());
  if (!day->survey.trouble.empty()) return std::unexpected(day->survey.trouble);
  if (const std::string refusal = refusal_of_sweep(settings, *points, day->survey); !refusal.empty())
    return std::unexpected(refusal);
  SweepResult result{.survey = day->survey, .axes = settings.axes, .rows = std::vector<SweepRow>(*points)};
  result.digest = digest_of(settings, *day);
  PartFile part;
  if (!settings.part.empty()) {
    const auto taken = part.open(settings.part, result.digest, result.rows);
    if (!taken) return std::unexpected(taken.error());
    result.done = result.taken_over = *taken;
  }
  const auto begin = std::chrono::steady_clock::now();
  Workers workers(settings, *day, result, part);
  const std::size_t threads = std::clamp<std::size_t>(settings.threads, 1, std::max<std::size_t>(*points, 1));
  if (hooks.is_interrupted && hooks.is_interrupted()) workers.stop();
  std::vector<std::jthread> crew;
  for (std::size_t thread = 0; thread < threads; ++thread) crew.emplace_back([&workers] { workers.work(); });
  workers.wait(threads, hooks);
  crew.clear();
  result.elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!workers.trouble().empty()) return std::unexpected(workers.trouble());
  return result;
}

std::string_view sweep_columns() noexcept {
  return k_columns;
}

std::string_view sweep_cell(const SweepRow& row, std::string_view column) noexcept {
  std::string_view names = k_columns, cells = row.cells;
  while (true) {
    const std::size_t name_end = names.find(','), cell_end = cells.find(',');
    if (names.substr(0, name_end) == column) return cells.substr(0, cell_end);
    if (name_end == std::string_view::npos || cell_end == std::string_view::npos) return {};
    names.remove_prefix(name_end + 1);
    cells.remove_prefix(cell_end + 1);
  }
}

std::string sweep_text(const SweepResult& result) {
  std::string text = "point,";
  for (const SweepAxis& axis : result.axes) text += axis.name + ",";
  text += std::string(k_columns) + ",trouble\n";
  for (std::size_t index = 0; index < result.rows.size(); ++index) {
    const SweepRow& row = result.rows[index];
    if (!row.is_done) continue;
    text += std::to_string(index) + ",";
    std::size_t stride = result.rows.size();
    for (const SweepAxis& axis : result.axes) {
      stride /= axis.values.size();
      text += axis.values[index / stride % axis.values.size()] + ",";
    }
    text += row.cells + "," + row.trouble + "\n";
  }
  return text;
}

}  // namespace dojima::backtest
