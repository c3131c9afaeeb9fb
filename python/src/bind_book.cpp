// An order book of one instrument, by single calls and by arrays of instructions.

#include "arguments.hpp"
#include "bind.hpp"
#include "book.hpp"
#include "table.hpp"

#include <array>
#include <fmt/core.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

namespace dojima::python {
namespace {

using book::RestingOrder;
using market::BookReport;
using market::BookReportKind;
using market::Reason;
using market::Side;

/// Prices and quantities that callers may name: beyond any table, and sums of two of them are numbers.
constexpr std::int64_t k_most = std::int64_t{1} << 61;

std::unique_ptr<PythonBook> make_book(std::int64_t tick, std::int64_t lowest, std::int64_t highest, std::int64_t orders,
                                      std::int64_t levels, std::int64_t owners) {
  const auto within = [](const char* name, std::int64_t value, std::int64_t least, std::int64_t most) {
    if (value < least || value > most) refuse(fmt::format("{} takes {} to {}; got {}", name, least, most, value));
  };
  within("tick", tick, 1, k_most);
  within("lowest", lowest, -k_most, k_most);
  within("highest", highest, -k_most, k_most);
  if (highest < lowest) refuse(fmt::format("highest is not below lowest; got {} to {}", lowest, highest));
  within("orders", orders, 1, std::int64_t{1} << 26);
  within("levels", levels, 1, std::int64_t{1} << 24);
  within("owners", owners, 1, 65'535);
  // An order with its terms and labels, none of it touched before it is used; a level of each side; an owner.
  need_memory(384.0 * static_cast<double>(orders) + 2 * 128.0 * static_cast<double>(levels) +
                  64.0 * static_cast<double>(owners),
              fmt::format("a book of {} orders, {} levels and {} owners", orders, levels, owners));
  return std::make_unique<PythonBook>(BookSettings{.tick = tick,
                                                   .lowest = lowest,
                                                   .highest = highest,
                                                   .orders = static_cast<std::size_t>(orders),
                                                   .levels = static_cast<std::size_t>(levels),
                                                   .owners = static_cast<std::size_t>(owners)});
}

/// The terms that all orders of a call have.
market::OrderTerms terms_of(const std::string& type, const std::string& time_in_force, bool post_only) {
  constexpr std::uint8_t k_never_take = 99;  // the passive rule of that meaning, as MIT203 numbers it
  market::OrderTerms terms;
  terms.type = word_of(type, "type", {"limit", "market"}) == 0 ? market::OrderType::limit : market::OrderType::market;
  constexpr std::array k_times = {market::TimeInForce::good_till_cancel, market::TimeInForce::immediate_or_cancel,
                                  market::TimeInForce::fill_or_kill, market::TimeInForce::day};
  terms.time_in_force = k_times[word_of(time_in_force, "time_in_force", {"gtc", "ioc", "fok", "day"})];
  terms.passive = post_only ? k_never_take : 0;
  if (post_only && terms.type == market::OrderType::market) refuse("a market order cannot be post-only");
  return terms;
}

nb::object ids_of(std::vector<std::uint64_t> ids) {
  auto* kept = new std::vector<std::uint64_t>(std::move(ids));
  const nb::capsule owner(kept, [](void* held) noexcept { delete static_cast<std::vector<std::uint64_t>*>(held); });
  static std::uint64_t nothing = 0;
  return nb::cast(nb::ndarray<nb::numpy, std::uint64_t, nb::ndim<1>>(kept->empty() ? &nothing : kept->data(),
                                                                     {kept->size()}, owner));
}

std::uint64_t submit(PythonBook& book, nb::handle side, std::int64_t price, std::int64_t quantity, std::int64_t owner,
                     const std::string& type, const std::string& time_in_force, bool post_only) {
  const PythonBook::Use use(book);
  const market::OrderTerms terms = terms_of(type, time_in_force, post_only);
  if (quantity < 1 || quantity > k_most) refuse(fmt::format("quantity takes 1 to {}; got {}", k_most, quantity));
  if (owner < 0 || owner >= static_cast<std::int64_t>(book.owners()))
    refuse(fmt::format("owner takes 0 to {}; got {}", book.owners() - 1, owner));
  const Side of = side_of(side);
  book.begin(terms);
  return book.submit(of, price, quantity, static_cast<std::uint16_t>(owner));
}

nb::object apply(PythonBook& book, nb::handle action, nb::handle side, nb::handle price, nb::handle quantity,
                 nb::handle order, nb::handle owner, const std::string& type, const std::string& time_in_force,
                 bool post_only) {
  const PythonBook::Use use(book);
  const market::OrderTerms terms = terms_of(type, time_in_force, post_only);
  const Numbers actions(action, "action"), sides(side, "side"), prices(price, "price"),
      quantities(quantity, "quantity"), orders(order, "order"), owners(owner, "owner");
  const std::size_t rows = common_rows({&actions, &sides, &prices, &quantities, &orders, &owners});
  actions.hold_within(0, 2);
  sides.hold_within(0, 2);
  prices.hold_within(-k_most, k_most);
  quantities.hold_within(0, k_most);
  owners.hold_within(0, static_cast<std::int64_t>(book.owners()) - 1);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto of = static_cast<Action>(actions[row]);
    if (of == Action::submit && sides[row] == 0) refuse(fmt::format("side takes 1 or 2; got 0 in row {}", row));
    if (of != Action::cancel && quantities[row] == 0)
      refuse(fmt::format("quantity takes 1 to {}; got 0 in row {}", k_most, row));
    if (of != Action::submit && orders[row] == 0)
      refuse(fmt::format("order takes the number of an order; got 0 in row {}", row));
  }
  std::vector<std::uint64_t> ids(rows);
  {
    const WithoutLock free;
    book.begin(terms);
    book.apply({.actions = actions,
                .sides = sides,
                .prices = prices,
                .quantities = quantities,
                .orders = orders,
                .owners = owners},
               ids);
  }
  return ids_of(std::move(ids));
}

/// Of each report that `is_wanted`, one value.
template <class Value, class Get, class Wanted>
Column field_of(PythonBook& book, std::string name, Wanted is_wanted, Get get) {
  std::vector<Value> values;
  for (const BookReport& report : book.reports())
    if (is_wanted(report)) values.push_back(get(report));
  return column_of(std::move(name), std::move(values));
}

std::shared_ptr<Table> reports(PythonBook& book) {
  const PythonBook::Use use(book);
  const auto all = [](const BookReport&) { return true; };
  auto table = std::make_shared<Table>();
  table->add(field_of<std::uint64_t>(book, "row", all, [&](const BookReport& report) { return book.row_of(report); }));
  table->add(field_of<std::uint8_t>(book, "kind", all,
                                    [](const BookReport& report) { return static_cast<std::uint8_t>(report.kind); }));
  table->add(field_of<std::uint64_t>(book, "order", all, [](const BookReport& report) { return report.order.value; }));
  table->add(field_of<std::uint64_t>(book, "other", all, [](const BookReport& report) { return report.other.value; }));
  table->add(field_of<std::uint8_t>(book, "side", all,
                                    [](const BookReport& report) { return static_cast<std::uint8_t>(report.side); }));
  table->add(field_of<std::int64_t>(book, "price", all, [](const BookReport& report) { return report.price.units; }));
  table->add(
      field_of<std::int64_t>(book, "quantity", all, [](const BookReport& report) { return report.quantity.lots; }));
  table->add(field_of<std::int64_t>(book, "leaves", all, [](const BookReport& report) { return report.leaves.lots; }));
  table->add(field_of<std::uint8_t>(book, "reason", all,
                                    [](const BookReport& report) { return static_cast<std::uint8_t>(report.reason); }));
  return table;
}

std::shared_ptr<Table> trades(PythonBook& book) {
  const PythonBook::Use use(book);
  const auto traded = [](const BookReport& report) { return report.kind == BookReportKind::traded; };
  auto table = std::make_shared<Table>();
  table->add(
      field_of<std::uint64_t>(book, "row", traded, [&](const BookReport& report) { return book.row_of(report); }));
  table->add(
      field_of<std::uint64_t>(book, "resting", traded, [](const BookReport& report) { return report.order.value; }));
  table->add(
      field_of<std::uint64_t>(book, "taker", traded, [](const BookReport& report) { return report.other.value; }));
  table->add(field_of<std::uint8_t>(book, "side", traded, [](const BookReport& report) {
    return static_cast<std::uint8_t>(market::opposite(report.side));
  }));
  table->add(
      field_of<std::int64_t>(book, "price", traded, [](const BookReport& report) { return report.price.units; }));
  table->add(
      field_of<std::int64_t>(book, "quantity", traded, [](const BookReport& report) { return report.quantity.lots; }));
  return table;
}

std::optional<std::pair<std::int64_t, std::int64_t>> best(PythonBook& book, nb::handle side) {
  const PythonBook::Use use(book);
  const Side of = side_of(side);
  const auto price = book.book().best(of);
  if (!price) return std::nullopt;
  return std::pair(price->units, book.book().total(of, *price).lots);
}

std::shared_ptr<Table> levels(PythonBook& book, nb::handle side, std::int64_t depth) {
  const PythonBook::Use use(book);
  if (depth < 1) refuse(fmt::format("depth takes 1 or more; got {}", depth));
  std::vector<std::int64_t> prices, quantities;
  std::vector<std::uint32_t> counts;
  book.book().each_resting(side_of(side), [&](const RestingOrder& order) {
    if (prices.empty() || prices.back() != order.price.units) {
      if (prices.size() == static_cast<std::size_t>(depth)) return;
      prices.push_back(order.price.units);
      quantities.push_back(0);
      counts.push_back(0);
    }
    quantities.back() += order.leaves.lots;
    ++counts.back();
  });
  auto table = std::make_shared<Table>();
  table->add(column_of("price", std::move(prices)));
  table->add(column_of("quantity", std::move(quantities)));
  table->add(column_of("orders", std::move(counts)));
  return table;
}

std::shared_ptr<Table> resting(PythonBook& book, nb::handle side) {
  const PythonBook::Use use(book);
  std::vector<std::uint64_t> ids;
  std::vector<std::int64_t> prices, quantities;
  std::vector<std::uint32_t> owners;
  book.book().each_resting(side_of(side), [&](const RestingOrder& order) {
    ids.push_back(order.id.value);
    prices.push_back(order.price.units);
    quantities.push_back(order.leaves.lots);
    owners.push_back(order.owner);
  });
  auto table = std::make_shared<Table>();
  table->add(column_of("order", std::move(ids)));
  table->add(column_of("price", std::move(prices)));
  table->add(column_of("quantity", std::move(quantities)));
  table->add(column_of("owner", std::move(owners)));
  return table;
}

void bind_enums(nb::module_& module) {
  nb::enum_<Action>(module, "Action", nb::is_arithmetic(), "What a row of Book.apply() asks for.")
      .value("SUBMIT", Action::submit)
      .value("CANCEL", Action::cancel)
      .value("REPLACE", Action::replace);
  nb::enum_<BookReportKind>(module, "BookReportKind", nb::is_arithmetic(), "What a book reports (docs/book.md).")
      .value("NONE", BookReportKind::none)
      .value("ACCEPTED", BookReportKind::accepted)
      .value("ADDED", BookReportKind::added)
      .value("TRADED", BookReportKind::traded)
      .value("REPLACED", BookReportKind::replaced)
      .value("CANCELLED", BookReportKind::cancelled)
      .value("EXPIRED", BookReportKind::expired)
      .value("REJECTED", BookReportKind::rejected)
      .value("PARKED", BookReportKind::parked)
      .value("TRIGGERED", BookReportKind::triggered)
      .value("REPLENISHED", BookReportKind::replenished)
      .value("REDUCED", BookReportKind::reduced)
      .value("PHASE_CHANGED", BookReportKind::phase_changed)
      .value("UNCROSSED", BookReportKind::uncrossed)
      .value("INDICATIVE", BookReportKind::indicative);
  nb::enum_<Reason>(module, "Reason", nb::is_arithmetic(), "Why something was refused, or an order ended.")
      .value("NONE", Reason::none)
      .value("UNKNOWN_INSTRUMENT", Reason::unknown_instrument)
      .value("UNKNOWN_ORDER", Reason::unknown_order)
      .value("UNKNOWN_USER", Reason::unknown_user)
      .value("NOT_OWNER", Reason::not_owner)
      .value("NOT_SUPPORTED", Reason::not_supported)
      .value("PRICE_NOT_ON_TICK", Reason::price_not_on_tick)
      .value("PRICE_OUT_OF_RANGE", Reason::price_out_of_range)
      .value("QUANTITY_OUT_OF_RANGE", Reason::quantity_out_of_range)
      .value("SIDE_MISMATCH", Reason::side_mismatch)
      .value("NOTHING_CHANGED", Reason::nothing_changed)
      .value("QUANTITY_ALREADY_EXECUTED", Reason::quantity_already_executed)
      .value("ORDER_TABLE_FULL", Reason::order_table_full)
      .value("LEVELS_FULL", Reason::levels_full)
      .value("TOO_MANY_ORDERS", Reason::too_many_orders)
      .value("MARKET_WITHOUT_PRICE", Reason::market_without_price)
      .value("BOOK_CLOSED", Reason::book_closed)
      .value("TIME_IN_FORCE", Reason::time_in_force)
      .value("BY_OWNER", Reason::by_owner)
      .value("SESSION_ENDED", Reason::session_ended)
      .value("DISPLAY_NOT_ALLOWED", Reason::display_not_allowed)
      .value("NO_PRICE", Reason::no_price)
      .value("LINKED_ORDER", Reason::linked_order)
      .value("EXPIRY_PASSED", Reason::expiry_passed)
      .value("SELF_TRADE", Reason::self_trade)
      .value("PASSIVE_ONLY", Reason::passive_only)
      .value("LINKED_EXECUTED", Reason::linked_executed)
      .value("TIME_EXPIRED", Reason::time_expired)
      .value("WRONG_PHASE", Reason::wrong_phase);
}

}  // namespace

void bind_book(nb::module_& module) {
  bind_enums(module);
  nb::class_<PythonBook>(
      module, "Book",
      "An order book of one instrument, price then time, in continuous trading. Prices are whole numbers from "
      "`lowest` to `highest` in steps of `tick`. What the market refuses (unknown order, price off the tick) "
      "is a report; what makes no sense is a ValueError, before anything is changed. One thread at a time.")
      .def(nb::new_(&make_book), nb::kw_only(), nb::arg("tick") = 1, nb::arg("lowest") = 0,
           nb::arg("highest") = 1'000'000, nb::arg("orders") = 65'536, nb::arg("levels") = 4'096, nb::arg("owners") = 1)
      .def("submit", &submit, nb::arg("side"), nb::arg("price"), nb::arg("quantity"), nb::kw_only(),
           nb::arg("owner") = 0, nb::arg("type") = "limit", nb::arg("time_in_force") = "gtc",
           nb::arg("post_only") = false,
           nb::sig(
               "def submit(self, side: str | int, price: int, quantity: int, *, owner: int = 0, type: str = 'limit', "
               "time_in_force: str = 'gtc', post_only: bool = False) -> int"),
           "The new order's number; 0: it was refused (reports() says why). type: limit or market; time_in_force: gtc, "
           "ioc, "
           "fok or day.")
      .def(
          "cancel",
          [](PythonBook& book, std::uint64_t order) {
            const PythonBook::Use use(book);
            if (order == 0) refuse("order takes the number of an order; got 0");
            book.begin();
            return book.cancel(order) != 0;
          },
          nb::arg("order"), "False: there is no such order.")
      .def(
          "replace",
          [](PythonBook& book, std::uint64_t order, std::int64_t price, std::int64_t quantity) {
            const PythonBook::Use use(book);
            if (order == 0) refuse("order takes the number of an order; got 0");
            if (quantity < 1 || quantity > k_most)
              refuse(fmt::format("quantity takes 1 to {}; got {}", k_most, quantity));
            book.begin();
            return book.replace(order, price, quantity) != 0;
          },
          nb::arg("order"), nb::arg("price"), nb::arg("quantity"),
          "A new price and a new total quantity. It keeps its place when only the quantity falls. False: refused.")
      .def("apply", &apply, nb::arg("action"), nb::arg("side") = 0, nb::arg("price") = 0, nb::arg("quantity") = 0,
           nb::arg("order") = 0, nb::arg("owner") = 0, nb::kw_only(), nb::arg("type") = "limit",
           nb::arg("time_in_force") = "gtc", nb::arg("post_only") = false,
           nb::sig("def apply(self, action: typing.Any, side: typing.Any = 0, price: typing.Any = 0, quantity: "
                   "typing.Any = 0, "
                   "order: typing.Any = 0, owner: typing.Any = 0, *, type: str = 'limit', time_in_force: str = 'gtc', "
                   "post_only: bool = False) -> typing.Any"),
           "Rows of instructions, in order: each argument is an array, a sequence, or one number for all rows. Gives "
           "an array "
           "of uint64: the order's number for each row, 0 where it was refused. The interpreter's lock is free "
           "meanwhile.")
      .def("reports", &reports,
           "Of the last call: row, kind (a BookReportKind), order, other (who took), side, price, quantity, "
           "leaves, reason (a Reason).")
      .def("trades", &trades, "Of the last call: row, resting, taker, side of the taker, price, quantity.")
      .def("best", &best, nb::arg("side"), nb::sig("def best(self, side: str | int) -> tuple[int, int] | None"),
           "Best price and what rests there.")
      .def("levels", &levels, nb::arg("side"), nb::arg("depth") = 10,
           nb::sig("def levels(self, side: str | int, depth: int = 10) -> Table"),
           "price, quantity, orders of the first levels, best first. O(orders of the side).")
      .def("orders", &resting, nb::arg("side"), nb::sig("def orders(self, side: str | int) -> Table"),
           "order, price, quantity, owner: best price first, oldest first within a price.")
      .def(
          "digest",
          [](PythonBook& book) {
            const PythonBook::Use use(book);
            return book.book().digest();
          },
          "Over all resting orders: equal books have equal digests.")
      .def("__len__", [](PythonBook& book) {
        const PythonBook::Use use(book);
        return book.live();
      });
}

}  // namespace dojima::python
