// The desk as a strategy of Python sees it.

#include "arguments.hpp"
#include "bind.hpp"
#include "day.hpp"
#include "strategy.hpp"

#include <cstdint>
#include <fmt/core.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <utility>
#include <vector>

#include "dojima/backtest/backtest.hpp"
#include "dojima/market/price.hpp"

namespace dojima::python {
namespace {

using backtest::DepthLevel;
using backtest::Desk;
using backtest::MarketTrade;
using backtest::OrderRequest;
using backtest::OwnOrder;
using backtest::Report;
using backtest::ReportKind;
using market::Side;

/// Of own orders: what the account can hold exactly for any number of fills that a run may have.
constexpr std::int64_t k_most_quantity = std::int64_t{1} << 50;
constexpr std::int64_t k_most_price = std::int64_t{1} << 60;

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

nb::object best(DeskHandle& handle, Side side, std::int64_t instrument) {
  return handle.best(side, instrument_in(handle.desk(), instrument));
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

}  // namespace

void bind_desk(nb::module_& module) {
  nb::enum_<ReportKind>(module, "ReportKind", nb::is_arithmetic(), "What an exchange reports of an own order.")
      .value("ACCEPTED", ReportKind::accepted)
      .value("TRADED", ReportKind::traded)
      .value("REPLACED", ReportKind::replaced)
      .value("CANCELLED", ReportKind::cancelled)
      .value("EXPIRED", ReportKind::expired)
      .value("REJECTED", ReportKind::rejected)
      .value("REQUEST_REJECTED", ReportKind::request_rejected);
  nb::class_<MarketTrade>(module, "Trade", "A trade of the feed.")
      .def_ro("instrument", &MarketTrade::instrument)
      .def_ro("side", &MarketTrade::aggressor, "Of who took; NONE: not known.")
      .def_ro("price", &MarketTrade::price)
      .def_ro("quantity", &MarketTrade::quantity)
      .def_prop_ro(
          "time", [](const MarketTrade& trade) { return trade.at.time_since_epoch().count(); },
          "By the exchange's clock, nanoseconds since 1970.");
  nb::class_<Report>(module, "Report", "What the exchange reports of an own order.")
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
          "bid", [](DeskHandle& handle, std::int64_t of) { return best(handle, Side::buy, of); }, instrument(),
          nb::sig("def bid(self, instrument: int = 0) -> tuple[int, int] | None"),
          "Best price and its quantity, as the feed has reported so far; own orders are not in it. None: nothing.")
      .def(
          "ask", [](DeskHandle& handle, std::int64_t of) { return best(handle, Side::sell, of); }, instrument(),
          nb::sig("def ask(self, instrument: int = 0) -> tuple[int, int] | None"))
      .def(
          "best", [](DeskHandle& handle, nb::handle side, std::int64_t of) { return best(handle, side_of(side), of); },
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
          "orders", [](DeskHandle& handle) { return handle.orders(); }, nb::sig("def orders(self) -> list[Order]"),
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
           "Timers 0 to 7, one deadline each; on_timer() is called at it. A time that has come, the present one too, "
           "means the "
           "next instant at which anything happens.")
      .def("disarm", &disarm, nb::arg("timer"));
}

}  // namespace dojima::python
