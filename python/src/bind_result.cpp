// What a back-test came to, as Python sees it.

#include "arguments.hpp"
#include "bind.hpp"
#include "day.hpp"
#include "result.hpp"
#include "table.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <memory>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dojima/backtest/backtest.hpp"
#include "dojima/evidence/report.hpp"
#include "dojima/market/price.hpp"

namespace dojima::python {
namespace {

using backtest::BacktestResult;
using backtest::Fill;
using backtest::InstrumentResult;
using backtest::ReportKind;

nb::object real_or_none(const std::optional<double>& value) {
  return value ? nb::object(nb::float_(*value)) : nb::none();
}

std::string scaled(std::int64_t value, unsigned decimals) {
  std::array<char, market::k_scaled_text_max> text{};
  return std::string(market::format_scaled(value, decimals, text));
}

nb::dict summary(const PythonResult& of) {
  const BacktestResult& result = of.result;
  nb::dict facts;
  facts["file"] = std::filesystem::path(of.settings.file).filename().string();
  facts["strategy"] = of.settings.strategy;
  facts["exchange"] = result.market ? std::string("market") : std::string(name_of(of.settings.exchange.kind));
  facts["first"] = result.first.time_since_epoch().count();
  facts["last"] = result.last.time_since_epoch().count();
  facts["events"] = result.events;
  facts["wakes"] = result.wakes;
  facts["requests"] = result.exchange.requests;
  facts["fills"] = result.fills.size();
  facts["resting_at_the_end"] = result.resting;
  facts["profit"] = result.performance.profit;
  facts["drawdown"] = result.performance.drawdown;
  facts["longest_fall_s"] = static_cast<double>(result.performance.longest_fall.count()) / 1e9;
  facts["sharpe_of_a_day"] = real_or_none(result.performance.sharpe);
  facts["sortino_of_a_day"] = real_or_none(result.performance.sortino);
  facts["feed_shift_ns"] = result.feed_shift.count();
  facts["unknown_orders"] = result.exchange.unknown;
  facts["was_interrupted"] = result.was_interrupted;
  return facts;
}

nb::object market_of_result(const PythonResult& of) {
  if (!of.result.market) return nb::none();
  const backtest::MarketResult& market = *of.result.market;
  const backtest::MarketCounts& counts = market.counts;
  nb::dict facts;
  facts["actions"] = counts.actions;
  facts["commands"] = counts.commands;
  facts["refused"] = counts.refused;
  facts["trades"] = counts.trades;
  facts["traded"] = counts.traded;
  facts["auctions"] = counts.auctions;
  facts["interruptions"] = counts.interruptions;
  facts["two_sided"] = counts.two_sided;
  facts["one_sided"] = counts.one_sided;
  facts["mean_spread_ticks"] =
      counts.two_sided == 0
          ? nb::none()
          : nb::object(nb::float_(static_cast<double>(counts.spread) / static_cast<double>(counts.two_sided)));
  nb::dict positions;
  for (std::size_t kind = 0; kind < counts.positions.size(); ++kind)
    positions[std::string(name_of(static_cast<backtest::PopulationKind>(kind))).c_str()] = counts.positions[kind];
  facts["positions"] = positions;
  facts["digest"] = fmt::format("{:016x}", market.digest);
  facts["trouble"] = market.trouble.empty() ? nb::none() : nb::object(nb::str(market.trouble.c_str()));
  return facts;
}

nb::list accounts(const PythonResult& of, bool exact) {
  nb::list list;
  for (const InstrumentResult& one : of.result.instruments) {
    const backtest::Account& account = one.account;
    const auto money = [&](backtest::Money amount) -> nb::object {
      if (exact) return nb::cast(backtest::money_text(amount, account.decimals()));
      return nb::float_(account.amount(amount));
    };
    const auto quantity = [&](std::int64_t lots) -> nb::object {
      if (exact) return nb::cast(scaled(lots, one.quantity_decimals));
      return nb::float_(scaled_down(lots, one.quantity_decimals));
    };
    const auto count = [&](ReportKind kind) { return one.totals.reports[static_cast<std::size_t>(kind)]; };
    nb::dict facts;
    facts["symbol"] = one.symbol;
    facts["position"] = quantity(account.position());
    facts["cash"] = money(account.cash());
    facts["fees"] = money(account.fees());
    facts["turnover"] = money(account.turnover());
    if (exact) {
      facts["equity"] = backtest::money_text(account.twice_equity(one.bid, one.ask) * 5, account.decimals() + 1);
    } else {
      facts["equity"] = account.amount(account.twice_equity(one.bid, one.ask)) / 2;
    }
    facts["fills"] = account.fills();
    facts["maker_fills"] = account.maker_fills();
    facts["round_trips"] = one.round_trips.count();
    facts["winners"] = one.round_trips.winners();
    facts["trip_profit"] = money(one.round_trips.profit());
    facts["orders"] = one.totals.orders;
    facts["cancels"] = one.totals.cancels;
    facts["replaces"] = one.totals.replaces;
    facts["submitted"] = quantity(one.totals.submitted);
    facts["filled"] = quantity(account.bought() + account.sold());
    facts["expired"] = count(ReportKind::expired);
    facts["rejected"] = count(ReportKind::rejected);
    facts["too_late"] = count(ReportKind::request_rejected);
    list.append(facts);
  }
  return list;
}

nb::list markouts(const PythonResult& of) {
  nb::list list;
  for (const InstrumentResult& one : of.result.instruments) {
    for (const backtest::Markout& markout : one.markouts) {
      nb::dict facts;
      facts["symbol"] = one.symbol;
      facts["after_ns"] = markout.after.count();
      facts["fills"] = markout.fills;
      double scale = 2;
      for (unsigned decimal = 0; decimal < one.price_decimals; ++decimal) scale *= 10;
      facts["gain"] = markout.quantity == 0 ? nb::none()
                                            : nb::object(nb::float_(static_cast<double>(markout.twice_gain) / scale /
                                                                    static_cast<double>(markout.quantity)));
      list.append(facts);
    }
  }
  return list;
}

template <class Value, class Get>
Column of_fills(const BacktestResult& result, std::string name, Get get) {
  std::vector<Value> values;
  values.reserve(result.fills.size());
  for (const Fill& fill : result.fills) values.push_back(get(fill));
  return column_of(std::move(name), std::move(values));
}

std::shared_ptr<Table> fills(const PythonResult& of, bool exact) {
  const BacktestResult& result = of.result;
  auto table = std::make_shared<Table>();
  const auto times = [&](std::string name, auto get) {
    Column column = of_fills<std::int64_t>(result, std::move(name), get);
    column.type = ColumnType::time;
    table->add(std::move(column));
  };
  const auto figure = [&](std::string name, bool is_price, auto get) {
    if (exact) {
      table->add(of_fills<std::int64_t>(result, std::move(name), get));
      return;
    }
    table->add(of_fills<double>(result, std::move(name), [&](const Fill& fill) {
      const RecordedInstrument& instrument = result.recorded[fill.instrument];
      return scaled_down(get(fill), is_price ? instrument.price_decimals : instrument.quantity_decimals);
    }));
  };
  times("time", [](const Fill& fill) { return fill.at.time_since_epoch().count(); });
  times("received", [](const Fill& fill) { return fill.received.time_since_epoch().count(); });
  table->add(of_fills<std::uint32_t>(result, "instrument", [](const Fill& fill) { return fill.instrument; }));
  table->add(of_fills<std::uint64_t>(result, "order", [](const Fill& fill) { return fill.order; }));
  table->add(
      of_fills<std::uint8_t>(result, "side", [](const Fill& fill) { return static_cast<std::uint8_t>(fill.side); }));
  figure("price", true, [](const Fill& fill) { return fill.price; });
  figure("quantity", false, [](const Fill& fill) { return fill.quantity; });
  figure("leaves", false, [](const Fill& fill) { return fill.leaves; });
  table->add(of_fills<std::uint8_t>(result, "maker", [](const Fill& fill) { return std::uint8_t{fill.is_maker}; }));
  table->add(of_fills<std::int64_t>(result, "rested_ns", [](const Fill& fill) { return fill.rested.count(); }));
  figure("position", false, [](const Fill& fill) { return fill.position; });
  return table;
}

std::shared_ptr<Table> equity(const PythonResult& of) {
  std::vector<std::int64_t> times;
  std::vector<double> values;
  for (const auto& [at, value] : of.result.equity) {
    times.push_back(at.time_since_epoch().count());
    values.push_back(value);
  }
  auto table = std::make_shared<Table>();
  table->add(times_of("time", std::move(times)));
  table->add(column_of("equity", std::move(values)));
  return table;
}

std::string shown_result(const PythonResult& of) {
  std::string text;
  const evidence::Artefact artefact = artefact_of(of.settings, of.result);
  for (const evidence::Table& table : artefact.tables()) text += to_text(table) + "\n";
  for (const evidence::Check& check : artefact.checks())
    text += fmt::format("{:<6}  {}: {}\n", check.ok ? "ok" : "FAILED", check.name, check.detail);
  return text;
}

void write_text(nb::handle path, const std::string& text) {
  const std::string file = path_of(path, "file");
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.flush();
  if (stream.good()) return;
  PyErr_SetString(PyExc_OSError, (file + ": cannot be written").c_str());
  throw nb::python_error();
}

}  // namespace

void bind_result(nb::module_& module) {
  module.def(
      "page_style", [] { return std::string(evidence::report_style()); }, "The style sheet of the house's pages.");
  nb::class_<PythonResult>(module, "Result", "What a back-test came to (docs/backtest.md defines each figure).")
      .def_prop_ro("summary", &summary, nb::sig("def summary(self) -> dict[str, typing.Any]"),
                   "The run's figures by name. The same for the same data and settings, on every machine.")
      .def_prop_ro("market", &market_of_result, nb::sig("def market(self) -> dict[str, typing.Any] | None"),
                   "Of a generated market: what its participants did and hold, and the digest of its state, which is "
                   "the program's for the same market and strategy. None: over a recorded day.")
      .def_prop_ro("profit", [](const PythonResult& of) { return of.result.performance.profit; })
      .def_prop_ro(
          "elapsed_s", [](const PythonResult& of) { return of.result.elapsed_s; },
          "Of the run on the clock of this machine.")
      .def_prop_ro(
          "trouble",
          [](const PythonResult& of) {
            return of.result.trouble.empty() ? nb::none() : nb::object(nb::str(of.result.trouble.c_str()));
          },
          nb::sig("def trouble(self) -> str | None"), "Where the file or the strategy ended the run; None: nowhere.")
      .def_prop_ro(
          "remark",
          [](const PythonResult& of) {
            return of.result.remark.empty() ? nb::none() : nb::object(nb::str(of.result.remark.c_str()));
          },
          nb::sig("def remark(self) -> str | None"),
          "What a built-in strategy has to say at the end, such as a total that it has not reached; None: nothing.")
      .def("accounts", &accounts, nb::kw_only(), nb::arg("exact") = false,
           nb::sig("def accounts(self, *, exact: bool = False) -> list[dict[str, typing.Any]]"),
           "One for each instrument with orders; exact: amounts as decimal texts, to the unit.")
      .def("markouts", &markouts, nb::sig("def markouts(self) -> list[dict[str, typing.Any]]"),
           "How far the middle has come our way behind a fill, in the price; below 0: adverse.")
      .def("fills", &fills, nb::kw_only(), nb::arg("exact") = false,
           "time, received, instrument, order, side, price, quantity, leaves, maker, rested_ns, position.")
      .def("equity", &equity, "time, equity.")
      .def(
          "fills_csv", [](const PythonResult& of) { return fills_text(of.result); },
          "As `dojima backtest --csv` writes them, byte for byte.")
      .def(
          "artefact", [](const PythonResult& of) { return artefact_of(of.settings, of.result).text(); },
          "As JSON: parameters, tables, checks, charts.")
      .def(
          "report",
          [](const PythonResult& of, nb::handle file) {
            write_text(file, evidence::report({artefact_of(of.settings, of.result)}));
          },
          nb::arg("file"), nb::sig("def report(self, file: str | os.PathLike[str]) -> None"),
          "Writes a page for a browser. Raises OSError.")
      .def("__str__", &shown_result)
      .def("__repr__", [](const PythonResult& of) {
        return fmt::format("<dojima.Result of {}: {} events, {} fills, profit {:g}>", of.settings.strategy,
                           of.result.events, of.result.fills.size(), of.result.performance.profit);
      });
}

}  // namespace dojima::python
