#include <algorithm>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>

#include "dojima/backtest/backtest.hpp"
#include "dojima/market/price.hpp"

namespace dojima::backtest {
namespace {

std::string scaled(std::int64_t value, unsigned decimals) {
  char text[market::k_scaled_text_max];
  return std::string(market::format_scaled(value, decimals, text));
}

double unscaled(Money value, unsigned decimals) {
  double scale = 1;
  for (unsigned decimal = 0; decimal < decimals; ++decimal) scale *= 10;
  return static_cast<double>(value) / scale;
}

}  // namespace

int money_decimals(std::span<const RecordedInstrument> instruments) {
  constexpr unsigned k_least = 4, k_most = 9;
  unsigned decimals = k_least;
  // One more for a middle price.
  for (const RecordedInstrument& of : instruments)
    decimals = std::max(decimals, unsigned{of.price_decimals} + of.quantity_decimals + 1U);
  return static_cast<int>(std::min(decimals, k_most));
}

namespace {

evidence::Table summary_table(const BacktestResult& result) {
  evidence::Table table{.name = "backtest", .title = "the back-test", .columns = {{"what"}, {"value", 4}}};
  table.add_row({"first", instant_text(result.first)});
  table.add_row({"last", instant_text(result.last)});
  table.add_row({"events", result.events});
  table.add_row({"wakes", result.wakes});
  table.add_row({"requests", result.exchange.requests});
  table.add_row({"fills", result.fills.size()});
  table.add_row({"resting_at_the_end", result.resting});
  const auto add_amount = [&table, decimals = money_decimals(result.recorded)](const char* name, double amount) {
    table.row_decimals.resize(table.rows.size(), -1);
    table.row_decimals.push_back(decimals);
    table.add_row({name, amount});
  };
  add_amount("profit", result.performance.profit);
  add_amount("drawdown", result.performance.drawdown);
  table.add_row({"longest_fall_s", static_cast<double>(result.performance.longest_fall.count()) / 1e9});
  const auto ratio = [](const std::optional<double>& value) -> evidence::Cell {
    if (value) return *value;
    return evidence::Unmeasured{"too few steps of the equity, or all alike"};
  };
  table.add_row({"sharpe_of_a_day", ratio(result.performance.sharpe)});
  table.add_row({"sortino_of_a_day", ratio(result.performance.sortino)});
  table.add_row({"feed_shift_ns", result.feed_shift.count()});
  table.add_row({"unknown_orders", result.exchange.unknown});
  table.add_row({"elapsed_s", result.elapsed_s});
  table.add_row({"events_per_second",
                 static_cast<std::int64_t>(static_cast<double>(result.events) / std::max(result.elapsed_s, 1e-9))});
  if (!result.remark.empty()) table.notes.push_back(result.remark);
  return table;
}

evidence::Table accounts_table(const BacktestResult& result) {
  evidence::Table table{.name = "accounts",
                        .title = "accounts at the end",
                        .columns = {{"symbol"},
                                    {"position"},
                                    {"cash"},
                                    {"fees"},
                                    {"turnover"},
                                    {"equity"},
                                    {"fills"},
                                    {"maker_fills"},
                                    {"round_trips"},
                                    {"winners"},
                                    {"trip_profit"},
                                    {"held_s", 3}}};
  for (const InstrumentResult& one : result.instruments) {
    const Account& account = one.account;
    table.add_row({one.symbol, scaled(account.position(), one.quantity_decimals),
                   money_text(account.cash(), account.decimals()), money_text(account.fees(), account.decimals()),
                   money_text(account.turnover(), account.decimals()),
                   money_text(account.twice_equity(one.bid, one.ask) * 5, account.decimals() + 1), account.fills(),
                   account.maker_fills(), one.round_trips.count(), one.round_trips.winners(),
                   money_text(one.round_trips.profit(), account.decimals()),
                   one.round_trips.count() == 0 ? evidence::Cell(evidence::Unmeasured{"no round trip"})
                                                : evidence::Cell(static_cast<double>(one.round_trips.held().count()) /
                                                                 1e9 / static_cast<double>(one.round_trips.count()))});
  }
  return table;
}

evidence::Table orders_table(const BacktestResult& result) {
  evidence::Table table{.name = "orders",
                        .title = "own orders",
                        .columns = {{"symbol"},
                                    {"orders"},
                                    {"cancels"},
                                    {"replaces"},
                                    {"submitted"},
                                    {"filled"},
                                    {"fill_ratio", 4},
                                    {"accepted"},
                                    {"expired"},
                                    {"rejected"},
                                    {"too_late"}}};
  for (const InstrumentResult& one : result.instruments) {
    const auto count = [&](ReportKind kind) { return one.totals.reports[static_cast<std::size_t>(kind)]; };
    const std::int64_t filled = one.account.bought() + one.account.sold();
    table.add_row({one.symbol, one.totals.orders, one.totals.cancels, one.totals.replaces,
                   scaled(one.totals.submitted, one.quantity_decimals), scaled(filled, one.quantity_decimals),
                   static_cast<double>(filled) / static_cast<double>(one.totals.submitted), count(ReportKind::accepted),
                   count(ReportKind::expired), count(ReportKind::rejected), count(ReportKind::request_rejected)});
  }
  return table;
}

evidence::Table markouts_table(const BacktestResult& result) {
  evidence::Table table{.name = "markouts",
                        .title = "how far the middle has come our way behind a fill, in the price; below 0: adverse",
                        .columns = {{"symbol"}, {"after"}, {"fills"}, {"gain", 6}}};
  for (const InstrumentResult& one : result.instruments) {
    for (std::size_t at = 0; at < k_markout_horizons.size(); ++at) {
      const Markout& markout = one.markouts[at];
      const double average = unscaled(markout.twice_gain, one.price_decimals) / 2 /
                             static_cast<double>(std::max<std::int64_t>(markout.quantity, 1));
      table.add_row({one.symbol, duration_text(k_markout_horizons[at]), markout.fills,
                     markout.fills == 0 ? evidence::Cell(evidence::Unmeasured{"no fill has been followed so far"})
                                        : evidence::Cell(average)});
    }
  }
  return table;
}

evidence::Table queue_table(const measure::Histogram& times) {
  evidence::Table table{.name = "queue",
                        .title = "time in the queue of fills that rested, seconds",
                        .columns = {{"fills"}, {"p10_s", 6}, {"p50_s", 6}, {"p90_s", 6}, {"p99_s", 6}, {"max_s", 6}}};
  const auto at = [&](double share) -> evidence::Cell {
    if (!measure::percentile_support(times.count(), share).is_printable)
      return evidence::Unmeasured{"too few fills for this percentile"};
    return static_cast<double>(times.value_at(share)) / 1e9;
  };
  table.add_row({times.count(), at(0.1), at(0.5), at(0.9), at(0.99),
                 times.count() == 0 ? evidence::Cell(evidence::Unmeasured{"no fill"})
                                    : evidence::Cell(static_cast<double>(times.max()) / 1e9)});
  return table;
}

evidence::Table record_table(const ExchangeCounts& counts, const std::optional<ExchangeCounts>& alone) {
  evidence::Table table{
      .name = "record",
      .title = "how far the day has left its record",
      .columns = {{"run"}, {"executions_matched"}, {"executions_matched_otherwise"}, {"orders_missing"}}};
  table.add_row({"this one", counts.matched, counts.matched_others, counts.missing});
  if (alone) table.add_row({"without own orders", alone->matched, alone->matched_others, alone->missing});
  return table;
}

evidence::Table market_table(const MarketCounts& counts) {
  evidence::Table table{.name = "market", .title = "the generated market", .columns = {{"what"}, {"value", 4}}};
  table.add_row({"actions", counts.actions});
  table.add_row({"commands", counts.commands});
  table.add_row({"refused", counts.refused});
  table.add_row({"trades", counts.trades});
  table.add_row({"traded", counts.traded});
  table.add_row({"auctions", counts.auctions});
  table.add_row({"interruptions", counts.interruptions});
  const std::uint64_t looks = counts.two_sided + counts.one_sided;
  const auto share = [](std::uint64_t part, std::uint64_t all) -> evidence::Cell {
    if (all == 0) return evidence::Unmeasured{"nobody looked at a book that trades continuously"};
    return static_cast<double>(part) / static_cast<double>(all);
  };
  table.add_row({"two_sided", share(counts.two_sided, looks)});
  table.add_row({"mean_spread_ticks", share(counts.spread, counts.two_sided)});
  for (std::size_t kind = 0; kind < k_population_kinds; ++kind)
    table.add_row({fmt::format("position_of_{}", name_of(static_cast<PopulationKind>(kind))), counts.positions[kind]});
  return table;
}

/// A configuration in force: `market.` and its key.
void set_market_parameters(evidence::Artefact& artefact, const MarketConfig& config) {
  constexpr std::array<std::string_view, 3> k_arrivals = {"poisson", "bursts", "hawkes"};
  artefact.set_parameter("market.seed", config.seed)
      .set_parameter("market.start", instant_text(config.start))
      .set_parameter("market.length", duration_text(config.length))
      .set_parameter("market.news_rate", config.news_rate)
      .set_parameter("market.news_ticks", config.news_ticks)
      .set_parameter("market.value_range", config.value_range)
      .set_parameter("market.orders", room_for_orders(config));
  for (std::size_t at = 0; at < config.instruments.size(); ++at) {
    const MarketInstrument& of = config.instruments[at];
    artefact.set_parameter(
        fmt::format("market.instrument.{}", at),
        fmt::format("{} reference {} tick {} segment \"{}\"", of.symbol, scaled(of.reference, of.price_decimals),
                    scaled(of.tick, of.price_decimals), of.segment));
  }
  for (std::size_t at = 0; at < config.populations.size(); ++at) {
    const Population& of = config.populations[at];
    artefact.set_parameter(
        fmt::format("market.population.{}", at),
        fmt::format("{} count {} rate {} quantity {}..{} depth {} threshold {} error {} takes {} resting {} "
                    "most_position {} arrivals {}",
                    name_of(of.kind), of.count, of.rate, of.quantity_least, of.quantity_most, of.depth, of.threshold,
                    of.error, of.takes, of.resting, of.most_position,
                    k_arrivals[static_cast<std::size_t>(of.arrivals)]));
  }
}

/// At most this many points, so that an artefact stays small.
evidence::Chart equity_chart(const BacktestResult& result) {
  constexpr std::size_t k_points = 400;
  evidence::Chart chart{.name = "equity",
                        .title = "Equity over time",
                        .kind = evidence::ChartKind::steps,
                        .x = {"time since the start", "s"},
                        .y = {"equity", ""}};
  chart.curves.push_back({.label = "equity", .points = {}});
  const std::size_t step = std::max<std::size_t>(1, (result.equity.size() + k_points - 1) / k_points);
  for (std::size_t at = 0; at < result.equity.size(); at += step)
    chart.curves.front().points.push_back(
        {static_cast<double>((result.equity[at].first - result.first).count()) / 1e9, result.equity[at].second});
  return chart;
}

/// From the list of fills alone: what accounts must have come to.
std::string account_trouble(const BacktestResult& result) {
  for (const InstrumentResult& one : result.instruments) {
    Account again(one.price_decimals, one.quantity_decimals, one.fees);
    for (const Fill& fill : result.fills)
      if (result.recorded[fill.instrument].symbol == one.symbol)
        again.apply(fill.side, fill.price, fill.quantity, fill.is_maker);
    if (again.position() != one.account.position() || again.cash() != one.account.cash())
      return fmt::format("{}: fills come to position {} and cash {}, the account has {} and {}", one.symbol,
                         again.position(), money_text(again.cash(), again.decimals()), one.account.position(),
                         money_text(one.account.cash(), again.decimals()));
  }
  return {};
}

}  // namespace

namespace {

/// What was done at each venue; money has one currency, that of all instruments.
evidence::Table venues_table(const BacktestSettings& settings, const BacktestResult& result) {
  evidence::Table table{.name = "venues",
                        .title = "by venue",
                        .columns = {{"venue"},
                                    {"file"},
                                    {"feed"},
                                    {"entry"},
                                    {"response"},
                                    {"maker_fee"},
                                    {"taker_fee"},
                                    {"orders"},
                                    {"fills"},
                                    {"maker_fills"},
                                    {"turnover", 4},
                                    {"fees", 6},
                                    {"equity", 4}}};
  for (const VenueSettings& venue : settings.venues) {
    std::uint64_t orders = 0, fills = 0, maker_fills = 0;
    double turnover = 0, fees = 0, equity = 0;
    for (const InstrumentResult& one : result.instruments) {
      if (!one.symbol.starts_with(venue.name + ":")) continue;
      orders += one.totals.orders;
      fills += one.account.fills();
      maker_fills += one.account.maker_fills();
      turnover += one.account.amount(one.account.turnover());
      fees += one.account.amount(one.account.fees());
      equity += one.account.amount(one.account.twice_equity(one.bid, one.ask)) / 2;
    }
    table.add_row({venue.name, std::filesystem::path(venue.file).filename().string(), venue.latencies.feed,
                   venue.latencies.entry, venue.latencies.response, scaled(venue.fees.maker, k_fee_decimals),
                   scaled(venue.fees.taker, k_fee_decimals), orders, fills, maker_fills, turnover, fees, equity});
  }
  return table;
}

}  // namespace

evidence::Artefact artefact_of(const BacktestSettings& settings, const BacktestResult& result) {
  evidence::Artefact artefact("dojima backtest");
  const LatencyTexts& latencies = settings.latencies;
  artefact.set_parameter("format", result.survey.format)
      .set_parameter("file", std::filesystem::path(settings.file).filename().string())
      .set_parameter("strategy", settings.strategy)
      .set_parameter("exchange", result.market                    ? "market"
                                 : result.survey.format == "live" ? "live"
                                                                  : std::string(name_of(settings.exchange.kind)))
      .set_parameter("queue", to_text(settings.exchange.queue))
      .set_parameter("fills", std::string(name_of(settings.exchange.fills)))
      .set_parameter("feed", latencies.feed)
      .set_parameter("entry", latencies.entry)
      .set_parameter("response", latencies.response)
      .set_parameter("maker_fee", scaled(settings.fees.maker, k_fee_decimals))
      .set_parameter("taker_fee", scaled(settings.fees.taker, k_fee_decimals))
      .set_parameter("trade_fee", scaled(settings.fees.per_trade, k_fee_decimals))
      .set_parameter("mark_every", duration_text(settings.mark_every))
      .set_parameter("seed", settings.seed)
      .set_parameter("was_interrupted", result.was_interrupted);
  if (!latencies.computing.empty()) artefact.set_parameter("computing", latencies.computing);
  if (!settings.road.empty()) artefact.set_parameter("road", settings.road);
  for (const VenueSettings& venue : settings.venues)
    artefact.set_parameter("venue." + venue.name, std::filesystem::path(venue.file).filename().string());
  for (const auto& [name, value] : values_in_force(settings.strategy, settings.parameters))
    artefact.set_parameter("set." + name, value);
  artefact.add_table(summary_table(result));
  if (!result.instruments.empty()) {
    artefact.add_table(accounts_table(result)).add_table(orders_table(result)).add_table(markouts_table(result));
    artefact.add_table(queue_table(*result.queue_times));
  }
  if (!settings.venues.empty()) artefact.add_table(venues_table(settings, result));
  if (result.market) {
    set_market_parameters(artefact, result.market->config);
    artefact.add_table(market_table(result.market->counts));
  } else if (settings.exchange.kind == ExchangeKind::match) {
    artefact.add_table(record_table(result.exchange, result.alone));
  }
  if (result.queue_times->count() != 0)
    artefact.add_histogram({.name = "time in the queue", .role = evidence::Role::other}, result.queue_times->view());
  if (result.equity.size() > 1) artefact.add_chart(equity_chart(result));
  const std::string trouble = account_trouble(result);
  artefact.add_check("accounts", trouble.empty(),
                     trouble.empty() ? "positions and cash are those of the fills, to the unit" : trouble);
  if (result.market)
    artefact.add_check(
        "market", result.market->trouble.empty(),
        result.market->trouble.empty()
            ? fmt::format("quantity and money of all participants come to 0; digest {:016x}", result.market->digest)
            : result.market->trouble);
  artefact.add_check("run", result.trouble.empty(),
                     result.trouble.empty() ? fmt::format("{} events", result.events) : result.trouble);
  for (const char* column : {"elapsed_s", "events_per_second"})
    artefact.add_rule({.table = "backtest", .column = column, .rule = evidence::Rule::shown});
  return artefact;
}

std::string fills_text(const BacktestResult& result) {
  std::string text = "exchange_time,receive_time,symbol,order,side,price,quantity,leaves,maker,rested_ns,position\n";
  for (const Fill& fill : result.fills) {
    const RecordedInstrument& of = result.recorded[fill.instrument];
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", fill.at.time_since_epoch().count(),
                        fill.received.time_since_epoch().count(), of.symbol, fill.order,
                        fill.side == Side::buy ? "buy" : "sell", scaled(fill.price, of.price_decimals),
                        scaled(fill.quantity, of.quantity_decimals), scaled(fill.leaves, of.quantity_decimals),
                        fill.is_maker ? "y" : "n", fill.rested.count(), scaled(fill.position, of.quantity_decimals));
  }
  return text;
}

bool write_fills(const std::string& file, const BacktestResult& result) {
  std::ofstream stream(file, std::ios::binary);
  stream << fills_text(result);
  stream.flush();
  return stream.good();
}

}  // namespace dojima::backtest
