// Strategies and back-tests as Python sees them.

#include "arguments.hpp"
#include "bind.hpp"
#include "day.hpp"
#include "strategy.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "dojima/backtest/backtest.hpp"
#include "dojima/evidence/report.hpp"
#include "dojima/market/price.hpp"

namespace dojima::python {
namespace {

using backtest::BacktestResult;
using backtest::BacktestSettings;
using backtest::DepthLevel;
using backtest::Desk;
using backtest::Fill;
using backtest::InstrumentResult;
using backtest::MarketTrade;
using backtest::OrderRequest;
using backtest::OwnOrder;
using backtest::Report;
using backtest::ReportKind;
using backtest::Strategy;
using market::Side;

/// Of own orders: what the account can hold exactly for any number of fills that a run may have.
constexpr std::int64_t k_most_quantity = std::int64_t{1} << 50;
constexpr std::int64_t k_most_price = std::int64_t{1} << 60;

// ---- The desk ------------------------------------------------------------------------------------------------------

std::uint32_t instrument_in(const Desk& desk, std::int64_t instrument) {
  const std::size_t count = desk.instruments().size();
  if (instrument < 0 || static_cast<std::size_t>(instrument) >= count)
    refuse(fmt::format("instrument takes 0 to {}; got {}", static_cast<std::int64_t>(count) - 1, instrument));
  return static_cast<std::uint32_t>(instrument);
}

using Level = std::optional<std::pair<std::int64_t, std::int64_t>>;

Level level_of(const std::optional<DepthLevel>& level) {
  if (!level) return std::nullopt;
  return std::pair(level->price, level->quantity);
}

Level best(const DeskHandle& handle, Side side, std::int64_t instrument) {
  const Desk& desk = handle.desk();
  return level_of(desk.best(instrument_in(desk, instrument), side));
}

std::vector<std::pair<std::int64_t, std::int64_t>> levels(const DeskHandle& handle, nb::handle side, std::int64_t depth,
                                                          std::int64_t instrument) {
  const Desk& desk = handle.desk();
  if (depth < 1 || depth > 1000) refuse(fmt::format("depth takes 1 to 1000; got {}", depth));
  std::vector<DepthLevel> found(static_cast<std::size_t>(depth));
  found.resize(desk.levels(instrument_in(desk, instrument), side_of(side), found));
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (const DepthLevel& level : found) pairs.emplace_back(level.price, level.quantity);
  return pairs;
}

std::uint64_t submit_to(const DeskHandle& handle, Side side, std::int64_t price, std::int64_t quantity,
                        std::int64_t instrument, const std::string& type, const std::string& time_in_force,
                        bool post_only, std::int64_t displayed, std::int64_t stop) {
  Desk& desk = handle.desk();
  constexpr std::array k_types = {market::OrderType::limit, market::OrderType::market, market::OrderType::stop,
                                  market::OrderType::stop_limit};
  constexpr std::array k_times = {market::TimeInForce::good_till_cancel, market::TimeInForce::immediate_or_cancel,
                                  market::TimeInForce::fill_or_kill};
  OrderRequest request{.instrument = instrument_in(desk, instrument), .side = side};
  request.type = k_types[word_of(type, "type", {"limit", "market", "stop", "stop_limit"})];
  request.time_in_force = k_times[word_of(time_in_force, "time_in_force", {"gtc", "ioc", "fok"})];
  const auto within = [](const char* name, std::int64_t value, std::int64_t least, std::int64_t most) {
    if (value < least || value > most) refuse(fmt::format("{} takes {} to {}; got {}", name, least, most, value));
  };
  within("quantity", quantity, 1, k_most_quantity);
  within("price", price, -k_most_price, k_most_price);
  within("displayed", displayed, 0, quantity);
  within("stop", stop, -k_most_price, k_most_price);
  request.is_post_only = post_only;
  request.price = price;
  request.quantity = quantity;
  request.displayed = displayed;
  request.stop = stop;
  return desk.submit(request);
}

std::uint64_t submit(const DeskHandle& handle, nb::handle side, std::int64_t price, std::int64_t quantity,
                     std::int64_t instrument, const std::string& type, const std::string& time_in_force, bool post_only,
                     std::int64_t displayed, std::int64_t stop) {
  return submit_to(handle, side_of(side), price, quantity, instrument, type, time_in_force, post_only, displayed, stop);
}

template <Side k_side>
std::uint64_t submit_side(const DeskHandle& handle, std::int64_t price, std::int64_t quantity, std::int64_t instrument,
                          bool post_only, const std::string& time_in_force) {
  return submit_to(handle, k_side, price, quantity, instrument, "limit", time_in_force, post_only, 0, 0);
}

bool replace(const DeskHandle& handle, std::uint64_t order, std::int64_t price, std::int64_t quantity) {
  if (quantity < 1 || quantity > k_most_quantity)
    refuse(fmt::format("quantity takes 1 to {}; got {}", k_most_quantity, quantity));
  if (price < -k_most_price || price > k_most_price)
    refuse(fmt::format("price takes {} to {}; got {}", -k_most_price, k_most_price, price));
  return handle.desk().replace(order, price, quantity);
}

std::size_t cancel_all(const DeskHandle& handle, std::optional<std::int64_t> instrument) {
  Desk& desk = handle.desk();
  if (instrument) static_cast<void>(instrument_in(desk, *instrument));
  std::vector<backtest::OrderNumber> wanted;
  for (const OwnOrder& order : desk.orders())
    if (!instrument || *instrument == order.instrument) wanted.push_back(order.number);
  return static_cast<std::size_t>(
      std::ranges::count_if(wanted, [&](backtest::OrderNumber number) { return desk.cancel(number); }));
}

void arm(const DeskHandle& handle, std::int64_t timer, nb::handle at) {
  Desk& desk = handle.desk();
  if (timer < 0 || timer >= Desk::k_timers)
    refuse(fmt::format("timer takes 0 to {}; got {}", Desk::k_timers - 1, timer));
  const auto moment = moment_of(at, "at");
  if (!moment) refuse("at takes a time");
  static_cast<void>(desk.arm(static_cast<std::uint32_t>(timer), *moment));
}

void disarm(const DeskHandle& handle, std::int64_t timer) {
  if (timer < 0 || timer >= Desk::k_timers)
    refuse(fmt::format("timer takes 0 to {}; got {}", Desk::k_timers - 1, timer));
  handle.desk().disarm(static_cast<std::uint32_t>(timer));
}

void bind_desk(nb::module_& module) {
  nb::enum_<ReportKind>(module, "ReportKind", nb::is_arithmetic(), "What an exchange tells of an own order.")
      .value("ACCEPTED", ReportKind::accepted)
      .value("TRADED", ReportKind::traded)
      .value("REPLACED", ReportKind::replaced)
      .value("CANCELLED", ReportKind::cancelled)
      .value("EXPIRED", ReportKind::expired)
      .value("REJECTED", ReportKind::rejected)
      .value("REQUEST_REJECTED", ReportKind::request_rejected);
  nb::class_<MarketTrade>(module, "Trade", "A trade of the feed.")
      .def_ro("instrument", &MarketTrade::instrument)
      .def_ro("side", &MarketTrade::aggressor, "Of who took; NONE: not told.")
      .def_ro("price", &MarketTrade::price)
      .def_ro("quantity", &MarketTrade::quantity)
      .def_prop_ro(
          "time", [](const MarketTrade& trade) { return trade.at.time_since_epoch().count(); },
          "By the exchange's clock, nanoseconds since 1970.");
  nb::class_<Report>(module, "Report", "What the exchange tells of an own order.")
      .def_ro("order", &Report::order)
      .def_prop_ro(
          "time", [](const Report& report) { return report.at.time_since_epoch().count(); },
          "When it happened at the exchange, nanoseconds since 1970.")
      .def_prop_ro("received", [](const Report& report) { return report.received.time_since_epoch().count(); })
      .def_ro("price", &Report::price)
      .def_ro("quantity", &Report::quantity)
      .def_ro("leaves", &Report::leaves, "Of the order, behind this.")
      .def_prop_ro(
          "rested", [](const Report& report) { return report.rested.count(); },
          "Traded: nanoseconds in the place of the queue that it traded from.")
      .def_ro("instrument", &Report::instrument)
      .def_ro("kind", &Report::kind)
      .def_ro("side", &Report::side)
      .def_ro("reason", &Report::reason)
      .def_ro("is_maker", &Report::is_maker);
  nb::class_<OwnOrder>(module, "Order", "An own order as the strategy knows it: a copy, of this moment.")
      .def_ro("number", &OwnOrder::number)
      .def_ro("instrument", &OwnOrder::instrument)
      .def_ro("side", &OwnOrder::side)
      .def_ro("is_accepted", &OwnOrder::is_accepted, "The exchange has said so.")
      .def_ro("is_changing", &OwnOrder::is_changing, "A cancel or replacement is on its way.")
      .def_ro("price", &OwnOrder::price)
      .def_ro("quantity", &OwnOrder::quantity)
      .def_ro("leaves", &OwnOrder::leaves)
      .def_prop_ro("sent", [](const OwnOrder& order) { return order.sent.time_since_epoch().count(); });

  const auto instrument = [] { return nb::arg("instrument") = 0; };
  nb::class_<DeskHandle>(
      module, "Desk",
      "What a strategy sees and does: prices and quantities are whole numbers in units of the instrument. "
      "Good only while the strategy is being called. Raises ValueError for what makes no sense.")
      .def_prop_ro(
          "now", [](const DeskHandle& handle) { return handle.desk().now().time_since_epoch().count(); },
          "Nanoseconds since 1970.")
      .def_prop_ro("instruments",
                   [](const DeskHandle& handle) {
                     const auto all = handle.desk().instruments();
                     return std::vector<RecordedInstrument>(all.begin(), all.end());
                   })
      .def(
          "tick",
          [](const DeskHandle& handle, std::int64_t of) {
            return handle.desk().tick(instrument_in(handle.desk(), of));
          },
          instrument(), "The smallest step of its prices, above 0.")
      .def(
          "bid", [](const DeskHandle& handle, std::int64_t of) { return best(handle, Side::buy, of); }, instrument(),
          "Best price and what stands there, as the feed has told so far; own orders are not in it. None: nothing.")
      .def(
          "ask", [](const DeskHandle& handle, std::int64_t of) { return best(handle, Side::sell, of); }, instrument())
      .def(
          "best",
          [](const DeskHandle& handle, nb::handle side, std::int64_t of) { return best(handle, side_of(side), of); },
          nb::arg("side"), instrument(),
          nb::sig("def best(self, side: str | int, instrument: int = 0) -> tuple[int, int] | None"))
      .def("levels", &levels, nb::arg("side"), nb::arg("depth") = 10, instrument(),
           nb::sig("def levels(self, side: str | int, depth: int = 10, instrument: int = 0) -> list[tuple[int, int]]"),
           "Prices and quantities of the first levels, best first.")
      .def(
          "last_trade",
          [](const DeskHandle& handle, std::int64_t of) {
            const DepthLevel last = handle.desk().last_trade(instrument_in(handle.desk(), of));
            return last.quantity == 0 ? std::nullopt : level_of(last);
          },
          instrument(), "Price and quantity; None: none yet.")
      .def_prop_ro(
          "orders",
          [](const DeskHandle& handle) {
            const auto all = handle.desk().orders();
            return std::vector<OwnOrder>(all.begin(), all.end());
          },
          "Own orders that have not ended, in the order in which they were submitted.")
      .def(
          "order",
          [](const DeskHandle& handle, std::uint64_t number) -> std::optional<OwnOrder> {
            const OwnOrder* order = handle.desk().order(number);
            return order == nullptr ? std::nullopt : std::optional(*order);
          },
          nb::arg("number"), "None: there is none, or it has ended.")
      .def(
          "position",
          [](const DeskHandle& handle, std::int64_t of) {
            return handle.desk().position(instrument_in(handle.desk(), of));
          },
          instrument(), "Bought less sold, by the reports so far.")
      .def("submit", &submit, nb::arg("side"), nb::arg("price"), nb::arg("quantity"), instrument(), nb::kw_only(),
           nb::arg("type") = "limit", nb::arg("time_in_force") = "gtc", nb::arg("post_only") = false,
           nb::arg("displayed") = 0, nb::arg("stop") = 0,
           nb::sig("def submit(self, side: str | int, price: int, quantity: int, instrument: int = 0, *, type: str = "
                   "'limit', "
                   "time_in_force: str = 'gtc', post_only: bool = False, displayed: int = 0, stop: int = 0) -> int"),
           "The new order's number, on its way from now on; 0: the run is over. type: limit, market, stop or "
           "stop_limit; "
           "time_in_force: gtc, ioc or fok; displayed 0: all of it.")
      .def("buy", &submit_side<Side::buy>, nb::arg("price"), nb::arg("quantity"), instrument(), nb::kw_only(),
           nb::arg("post_only") = false, nb::arg("time_in_force") = "gtc", "A limit order; as submit().")
      .def("sell", &submit_side<Side::sell>, nb::arg("price"), nb::arg("quantity"), instrument(), nb::kw_only(),
           nb::arg("post_only") = false, nb::arg("time_in_force") = "gtc", "A limit order; as submit().")
      .def(
          "cancel", [](const DeskHandle& handle, std::uint64_t number) { return handle.desk().cancel(number); },
          nb::arg("number"), "False: there is no such order, or a change of it is on its way.")
      .def("cancel_all", &cancel_all, nb::arg("instrument") = nb::none(), "How many cancels are on their way now.")
      .def("replace", &replace, nb::arg("number"), nb::arg("price"), nb::arg("quantity"),
           "A new price and a new total quantity, what was executed included. False: as cancel().")
      .def("arm", &arm, nb::arg("timer"), nb::arg("at"),
           nb::sig("def arm(self, timer: int, at: str | int | datetime.datetime) -> None"),
           "Timers 0 to 7, one deadline each; on_timer() is called at it.")
      .def("disarm", &disarm, nb::arg("timer"));
}

// ---- Results -------------------------------------------------------------------------------------------------------

struct PythonResult {
  BacktestSettings settings;
  BacktestResult result;
};

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
  facts["exchange"] = std::string(name_of(of.settings.exchange.kind));
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

void bind_result(nb::module_& module) {
  nb::class_<PythonResult>(module, "Result", "What a back-test came to (docs/backtest.md defines each figure).")
      .def_prop_ro("summary", &summary, nb::sig("def summary(self) -> dict[str, typing.Any]"),
                   "The run's figures by name. The same for the same data and settings, on every machine.")
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

// ---- Back-tests ----------------------------------------------------------------------------------------------------

/// Stands for a strategy that belongs to somebody else.
class Borrowed final : public Strategy {
 public:
  explicit Borrowed(Strategy& inner) : inner_(inner) {}
  backtest::Wakes wakes() const override { return inner_.wakes(); }
  void on_begin(Desk& desk) override { inner_.on_begin(desk); }
  void on_event(Desk& desk, const RecordedEvent& event) override { inner_.on_event(desk, event); }
  void on_trade(Desk& desk, const MarketTrade& trade) override { inner_.on_trade(desk, trade); }
  void on_book(Desk& desk, std::uint32_t instrument) override { inner_.on_book(desk, instrument); }
  void on_report(Desk& desk, const Report& report) override { inner_.on_report(desk, report); }
  void on_timer(Desk& desk, std::uint32_t timer, Time due) override { inner_.on_timer(desk, timer, due); }
  void on_wake(Desk& desk) override { inner_.on_wake(desk); }
  void on_end(Desk& desk) override { inner_.on_end(desk); }

 private:
  Strategy& inner_;
};

class PythonBacktest {
 public:
  PythonBacktest(nb::handle data, nb::object strategy, nb::handle parameters, nb::handle symbols, nb::handle start,
                 nb::handle until, const std::string& exchange, const std::string& queue, const std::string& fills,
                 nb::handle lot, nb::handle feed, nb::handle entry, nb::handle entry_cancel, nb::handle entry_replace,
                 nb::handle response, nb::handle response_trade, nb::handle maker_fee, nb::handle taker_fee,
                 nb::handle trade_fee, nb::handle mark_every, nb::handle silence, std::int64_t orders,
                 std::uint64_t seed, std::optional<double> speed, nb::handle format, nb::handle date,
                 const std::string& symbol) {
    settings_.symbols = words_of(symbols, "symbols");
    settings_.from = moment_of(start, "start");
    settings_.until = moment_of(until, "until");
    settings_.exchange.kind =
        static_cast<backtest::ExchangeKind>(word_of(exchange, "exchange", {"levels", "orders", "match"}));
    settings_.exchange.queue = taken(backtest::parse_queue_model(queue), "queue");
    settings_.exchange.fills = static_cast<backtest::FillRule>(word_of(fills, "fills", {"partial", "whole"}));
    if (!lot.is_none()) settings_.lot = decimal_of(lot, "lot");
    read_latencies(feed, entry, entry_cancel, entry_replace, response, response_trade);
    settings_.fees.maker = taken(backtest::parse_rate(decimal_of(maker_fee, "maker_fee")), "maker_fee");
    settings_.fees.taker = taken(backtest::parse_rate(decimal_of(taker_fee, "taker_fee")), "taker_fee");
    const std::string fee = decimal_of(trade_fee, "trade_fee");
    const auto amount = market::parse_scaled(fee, backtest::k_fee_decimals, "an amount");
    if (!amount) refuse("trade_fee takes an amount of the currency, such as 0.01; got \"" + fee + "\"");
    settings_.fees.per_trade = *amount;
    settings_.mark_every = duration_of(mark_every, "mark_every");
    if (settings_.mark_every == Duration{}) refuse("mark_every takes a time above 0");
    settings_.exchange.silence = duration_of(silence, "silence");
    constexpr std::int64_t k_most_orders = std::int64_t{1} << 26;
    if (orders < 1 || orders > k_most_orders)
      refuse(fmt::format("orders takes 1 to {}; got {}", k_most_orders, orders));
    settings_.exchange.orders = static_cast<std::size_t>(orders);
    settings_.seed = seed;
    settings_.speed = speed;
    if (speed && !(*speed >= sched::PacedPacer::k_slowest && *speed <= sched::PacedPacer::k_fastest))
      refuse(fmt::format("speed takes None, or 0.1 to 10000; got {:g}", *speed));
    read_data(data, format, date, symbol);
    read_strategy(std::move(strategy), parameters);
  }

  std::shared_ptr<PythonResult> run() {
    if (is_running_) throw std::runtime_error("this back-test is running");
    const Running running(is_running_);
    result_.reset();
    std::unique_ptr<PythonStrategy> python;
    if (maker_.is_valid()) python = std::make_unique<PythonStrategy>(make());
    SignalWatch watch;
    backtest::BacktestHooks hooks;
    hooks.is_interrupted = [&] {
      if (python) python->yield();
      return watch.is_interrupted();
    };
    if (python) hooks.make_strategy = [&] { return std::make_unique<Borrowed>(*python); };
    if (day_) hooks.open = [&] { return reader_of(*day_); };
    time::SystemClock clock;
    std::expected<BacktestResult, std::string> done = std::unexpected(std::string());
    {
      const Unlocked unlocked(python.get());
      if (day_ && settings_.symbols.empty() && !settings_.until) hooks.survey = &day_->survey();
      done = backtest::run_backtest(settings_, hooks, clock);
    }
    if (done) result_ = std::make_shared<PythonResult>(PythonResult{settings_, *std::move(done)});
    watch.raise();
    if (!done) refuse(done.error());
    if (python && python->thrown()) raise(*std::move(python->thrown()));
    return result_;
  }

  [[nodiscard]] std::shared_ptr<PythonResult> result() const { return result_; }
  /// The collector of circles asks what of Python's this holds, and to let go of it.
  int traverse(visitproc visit, void* arg) const {
    Py_VISIT(maker_.ptr());
    Py_VISIT(keywords_.ptr());
    return 0;
  }
  void clear() {
    maker_.reset();
    keywords_.reset();
  }
  [[nodiscard]] const BacktestSettings& settings() const noexcept { return settings_; }

 private:
  /// Runs without the interpreter's lock, which the strategy takes as it needs it.
  class Unlocked {
   public:
    explicit Unlocked(PythonStrategy* strategy) : strategy_(strategy) {
      if (strategy_ != nullptr) {
        strategy_->release();
      } else {
        state_ = PyEval_SaveThread();
      }
    }
    ~Unlocked() {
      if (strategy_ != nullptr) {
        strategy_->acquire();
      } else {
        PyEval_RestoreThread(state_);
      }
    }
    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;

   private:
    PythonStrategy* strategy_;
    PyThreadState* state_ = nullptr;
  };
  class Running {
   public:
    explicit Running(bool& is_running) : is_running_(is_running) { is_running_ = true; }
    ~Running() { is_running_ = false; }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   private:
    bool& is_running_;
  };

  template <class Value>
  static Value taken(const std::expected<Value, std::string>& parsed, const char* argument) {
    if (!parsed) refuse(fmt::format("{}: {}", argument, parsed.error()));
    return *parsed;
  }

  void read_latencies(nb::handle feed, nb::handle entry, nb::handle cancel, nb::handle replace, nb::handle response,
                      nb::handle trade) {
    const auto checked = [&](nb::handle value, const char* argument, backtest::Direction direction) {
      if (value.is_none()) return std::string();
      std::string text = latency_of(value, argument);
      if (const auto made = backtest::make_latency(text, direction, 1); !made)
        refuse(fmt::format("{}: {}", argument, made.error()));
      return text;
    };
    backtest::LatencyTexts& texts = settings_.latencies;
    const bool is_recorded = PyUnicode_Check(feed.ptr()) != 0 && nb::cast<std::string>(feed) == "recorded";
    if (!is_recorded) texts.feed = checked(feed, "feed", k_response);
    if (texts.feed.empty()) refuse("feed takes \"recorded\" or a latency");
    texts.entry = checked(entry, "entry", backtest::Direction::entry);
    texts.cancel = checked(cancel, "entry_cancel", backtest::Direction::entry);
    texts.replace = checked(replace, "entry_replace", backtest::Direction::entry);
    texts.response = checked(response, "response", k_response);
    texts.trade = checked(trade, "response_trade", k_response);
    if (texts.entry.empty() || texts.response.empty()) refuse("entry and response take a latency");
  }
  static constexpr backtest::Direction k_response = backtest::Direction::response;

  void read_data(nb::handle data, nb::handle format, nb::handle date, const std::string& symbol) {
    if (nb::try_cast(data, day_) && day_ != nullptr) {
      if (!format.is_none() || !date.is_none() || !symbol.empty())
        refuse("format, date and symbol are of files; this day has been read");
      settings_.file = day_->file;
      return;
    }
    settings_.file = path_of(data, "data");
    settings_.recorded = recorded_options(format, date, symbol);
    std::error_code error;
    if (std::filesystem::exists(settings_.file, error)) return;
    errno = ENOENT;
    const nb::object name = nb::steal(PyUnicode_DecodeFSDefault(settings_.file.c_str()));
    PyErr_SetFromErrnoWithFilenameObject(PyExc_FileNotFoundError, name.ptr());
    throw nb::python_error();
  }

  void read_strategy(nb::object strategy, nb::handle parameters) {
    if (!parameters.is_none() && PyDict_Check(parameters.ptr()) == 0) refuse("parameters takes a dict");
    const nb::dict given = parameters.is_none() ? nb::dict() : nb::borrow<nb::dict>(parameters);
    for (const auto& [name, value] : given)
      if (PyUnicode_Check(name.ptr()) == 0) refuse("parameters have names");
    if (PyUnicode_Check(strategy.ptr()) != 0) {
      settings_.strategy = nb::cast<std::string>(strategy);
      for (const auto& [name, value] : given) {
        const auto word = nb::cast<std::string>(name);
        settings_.parameters[word] = decimal_of(value, word.c_str());
      }
      if (const auto made = backtest::make_strategy(settings_.strategy, settings_.parameters); !made)
        refuse(made.error());
      return;
    }
    maker_ = std::move(strategy);
    keywords_ = given;
    is_class_ = PyType_Check(maker_.ptr()) != 0 || (PyCallable_Check(maker_.ptr()) != 0 && !has_callback(maker_));
    if (!is_class_ && given.size() != 0) refuse("parameters are for a class or a name; this strategy has been made");
    const nb::handle named = is_class_ ? nb::handle(maker_) : nb::handle(maker_.type());
    settings_.strategy = nb::cast<std::string>(nb::getattr(named, "__name__", nb::str("strategy")));
    // An object now, so that what is wrong with it is told now.
    if (!is_class_) static_cast<void>(callbacks_of(maker_));
    if (is_class_) refuse_unknown_callbacks(maker_);
    if (PyType_Check(maker_.ptr()) != 0 && !has_callback(maker_))
      refuse("the strategy has no method that would be called: on_wake, on_book, on_event, ...");
  }
  static bool has_callback(nb::handle object) {
    return std::ranges::any_of(std::array{"on_begin", "on_event", "on_trade", "on_book", "on_report", "on_timer",
                                          "on_wake", "on_batch", "on_end"},
                               [&](const char* name) { return nb::hasattr(object, name); });
  }

  nb::object make() {
    if (!is_class_) return maker_;
    const nb::object none = nb::steal(PyTuple_New(0));
    nb::object made = nb::steal(PyObject_Call(maker_.ptr(), none.ptr(), keywords_.ptr()));
    if (!made.is_valid()) throw nb::python_error();
    return made;
  }

  /// What the strategy threw, with where it was.
  [[noreturn]] void raise(nb::python_error thrown) {
    const std::string where = result_ ? result_->result.trouble : settings_.file;
    const nb::object value = nb::borrow(thrown.value());
    if (nb::hasattr(value, "add_note")) value.attr("add_note")(where);
    throw nb::python_error(std::move(thrown));
  }

  BacktestSettings settings_;
  std::shared_ptr<Day> day_;
  nb::object maker_;
  nb::dict keywords_;
  bool is_class_ = false, is_running_ = false;
  std::shared_ptr<PythonResult> result_;
};

int visit_backtest(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? nb::inst_ptr<PythonBacktest>(self)->traverse(visit, arg) : 0;
}
int clear_backtest(PyObject* self) {
  nb::inst_ptr<PythonBacktest>(self)->clear();
  return 0;
}
PyType_Slot backtest_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(visit_backtest)},
                                {Py_tp_clear, reinterpret_cast<void*>(clear_backtest)},
                                {0, nullptr}};

nb::dict strategies() {
  nb::dict all;
  for (const backtest::StrategyKind& kind : backtest::strategy_kinds()) {
    nb::dict parameters;
    for (const backtest::Parameter& parameter : kind.parameters)
      parameters[std::string(parameter.name).c_str()] = std::string(parameter.standard);
    all[std::string(kind.name).c_str()] = parameters;
  }
  return all;
}

}  // namespace

void bind_backtest(nb::module_& module) {
  bind_desk(module);
  bind_result(module);
  nb::class_<PythonBacktest>(
      module, "Backtest", nb::type_slots(backtest_slots),
      "A strategy over recorded data (docs/backtest.md). `data` is a file or a Day; `strategy` a built-in "
      "one's name, a class that is made anew for each run with `parameters`, or an object. Raises ValueError "
      "for every argument that makes no sense, FileNotFoundError.")
      .def(
          nb::init<nb::handle, nb::object, nb::handle, nb::handle, nb::handle, nb::handle, const std::string&,
                   const std::string&, const std::string&, nb::handle, nb::handle, nb::handle, nb::handle, nb::handle,
                   nb::handle, nb::handle, nb::handle, nb::handle, nb::handle, nb::handle, nb::handle, std::int64_t,
                   std::uint64_t, std::optional<double>, nb::handle, nb::handle, const std::string&>(),
          nb::arg("data"), nb::arg("strategy"), nb::arg("parameters") = nb::none(), nb::kw_only(),
          nb::arg("symbols") = nb::none(), nb::arg("start") = nb::none(), nb::arg("until") = nb::none(),
          nb::arg("exchange") = "levels", nb::arg("queue") = "power3:3", nb::arg("fills") = "partial",
          nb::arg("lot") = nb::none(), nb::arg("feed").none() = "recorded", nb::arg("entry").none() = "1ms",
          nb::arg("entry_cancel") = nb::none(), nb::arg("entry_replace") = nb::none(),
          nb::arg("response").none() = "1ms", nb::arg("response_trade") = nb::none(), nb::arg("maker_fee").none() = 0,
          nb::arg("taker_fee").none() = 0, nb::arg("trade_fee").none() = 0, nb::arg("mark_every").none() = "1s",
          nb::arg("silence").none() = 0, nb::arg("orders") = 1 << 18, nb::arg("seed") = 1,
          nb::arg("speed") = nb::none(), nb::arg("format") = nb::none(), nb::arg("date") = nb::none(),
          nb::arg("symbol") = "",
          nb::sig(
              "def __init__(self, data: str | os.PathLike[str] | Day, strategy: typing.Any, "
              "parameters: dict[str, typing.Any] | None = None, *, symbols: str | typing.Sequence[str] | None = None, "
              "start: str | int | datetime.datetime | None = None, until: str | int | datetime.datetime | None = None, "
              "exchange: str = 'levels', queue: str = 'power3:3', fills: str = 'partial', "
              "lot: str | float | None = None, feed: str | int | datetime.timedelta = 'recorded', "
              "entry: str | int | datetime.timedelta = '1ms', entry_cancel: str | int | datetime.timedelta | None = "
              "None, "
              "entry_replace: str | int | datetime.timedelta | None = None, "
              "response: str | int | datetime.timedelta = '1ms', "
              "response_trade: str | int | datetime.timedelta | None = None, maker_fee: str | float = 0, "
              "taker_fee: str | float = 0, trade_fee: str | float = 0, mark_every: str | int | datetime.timedelta = "
              "'1s', "
              "silence: str | int | datetime.timedelta = 0, orders: int = 262144, seed: int = 1, "
              "speed: float | None = None, format: str | None = None, date: str | datetime.date | None = None, "
              "symbol: str = '') -> None"))
      .def("run", &PythonBacktest::run,
           "Runs it, from the first event to the last. What a strategy raises comes through with file and event as a "
           "note, and "
           "so does KeyboardInterrupt; `result` has what was reached.")
      .def_prop_ro("result", &PythonBacktest::result, nb::sig("def result(self) -> Result | None"),
                   "Of the last run, also where it ended early; None: there was none.")
      .def_prop_ro("strategy", [](const PythonBacktest& of) { return of.settings().strategy; });
  module.def("strategies", &strategies, nb::sig("def strategies() -> dict[str, dict[str, str]]"),
             "The built-in strategies by name, with their parameters and standard values.");
}

}  // namespace dojima::python
