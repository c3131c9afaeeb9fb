// Back-tests as Python sees them.

#include "arguments.hpp"
#include "bind.hpp"
#include "day.hpp"
#include "market.hpp"
#include "result.hpp"
#include "strategy.hpp"
#include "strategy_maker.hpp"

#include <filesystem>
#include <fmt/core.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "dojima/app/nearest.hpp"
#include "dojima/backtest/backtest.hpp"
#include "dojima/market/price.hpp"

namespace dojima::python {
namespace {

using backtest::BacktestResult;
using backtest::BacktestSettings;
using backtest::Desk;
using backtest::MarketTrade;
using backtest::Report;
using backtest::Strategy;

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

/// Marks that it runs.
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
Value taken(const std::expected<Value, std::string>& parsed, const char* argument) {
  if (!parsed) refuse(fmt::format("{}: {}", argument, parsed.error()));
  return *parsed;
}

/// With what each argument takes, said where it is not that.
backtest::LatencyTexts latencies_of(nb::handle feed, nb::handle entry, nb::handle cancel, nb::handle replace,
                                    nb::handle response, nb::handle trade, nb::handle computing) {
  const auto checked = [&](nb::handle value, const char* argument, backtest::Direction direction) {
    if (value.is_none()) return std::string();
    std::string text = latency_of(value, argument);
    if (const auto made = backtest::make_latency(text, direction, 1); !made)
      refuse(fmt::format("{}: {}", argument, made.error()));
    return text;
  };
  backtest::LatencyTexts texts;
  const bool is_recorded = PyUnicode_Check(feed.ptr()) != 0 && nb::cast<std::string>(feed) == "recorded";
  if (!is_recorded) texts.feed = checked(feed, "feed", backtest::Direction::response);
  if (texts.feed.empty()) refuse("feed takes \"recorded\" or a latency");
  texts.entry = checked(entry, "entry", backtest::Direction::entry);
  texts.cancel = checked(cancel, "entry_cancel", backtest::Direction::entry);
  texts.replace = checked(replace, "entry_replace", backtest::Direction::entry);
  texts.response = checked(response, "response", backtest::Direction::response);
  texts.trade = checked(trade, "response_trade", backtest::Direction::response);
  texts.computing = checked(computing, "computing", backtest::Direction::entry);
  if (texts.entry.empty() || texts.response.empty()) refuse("entry and response take a latency");
  return texts;
}

/// What the strategy threw, with where it was.
[[noreturn]] void raise_at(const std::string& where, nb::python_error thrown) {
  const nb::object value = nb::borrow(thrown.value());
  if (nb::hasattr(value, "add_note")) value.attr("add_note")(where);
  throw nb::python_error(std::move(thrown));
}

/// As Python names a keyword that a function does not have. Throws TypeError.
void refuse_keywords(const nb::kwargs& unknown) {
  if (unknown.size() == 0) return;
  static const std::vector<std::string> known{
      "data",     "strategy",       "parameters", "symbols",   "start",     "until",        "exchange",
      "queue",    "fills",          "lot",        "feed",      "entry",     "entry_cancel", "entry_replace",
      "response", "response_trade", "computing",  "maker_fee", "taker_fee", "trade_fee",    "mark_every",
      "silence",  "orders",         "seed",       "speed",     "latency",   "format",       "date",
      "symbol"};
  const auto name = nb::cast<std::string>(unknown.keys()[0]);
  const auto meant = app::nearest(name, known);
  throw nb::type_error(fmt::format("Backtest() got an unexpected keyword argument '{}'{}", name,
                                   meant ? "; did you mean '" + *meant + "'?" : std::string())
                           .c_str());
}

/// As Python names an argument that a call left out; `...` stands for it. Throws TypeError.
void refuse_missing(nb::handle data, nb::handle strategy) {
  if (nb::isinstance<nb::ellipsis>(data))
    throw nb::type_error("Backtest() missing required arguments: 'data', a file, a Day or a Market, and 'strategy'");
  if (nb::isinstance<nb::ellipsis>(strategy))
    throw nb::type_error(
        "Backtest() missing required argument: 'strategy', a built-in one's name (see strategies()), a class or an "
        "object");
}

class PythonBacktest {
 public:
  PythonBacktest(nb::handle data, nb::object strategy, nb::handle parameters, nb::handle symbols, nb::handle start,
                 nb::handle until, nb::handle exchange, const std::string& queue, const std::string& fills,
                 nb::handle lot, nb::handle feed, nb::handle entry, nb::handle entry_cancel, nb::handle entry_replace,
                 nb::handle response, nb::handle response_trade, nb::handle computing, nb::handle maker_fee,
                 nb::handle taker_fee, nb::handle trade_fee, nb::handle mark_every, nb::handle silence,
                 std::int64_t orders, std::uint64_t seed, std::optional<double> speed, nb::handle latency,
                 nb::handle format, nb::handle date, const std::string& symbol, const nb::kwargs& unknown) {
    refuse_keywords(unknown);
    refuse_missing(data, strategy);
    settings_.symbols = words_of(symbols, "symbols");
    settings_.from = moment_of(start, "start");
    settings_.until = moment_of(until, "until");
    if (settings_.from && settings_.until && *settings_.from >= *settings_.until)
      refuse("start takes a time before until");
    settings_.exchange.queue = taken(backtest::parse_queue_model(queue), "queue");
    settings_.exchange.fills = static_cast<backtest::FillRule>(word_of(fills, "fills", {"partial", "whole"}));
    if (!lot.is_none()) settings_.lot = decimal_of(lot, "lot");
    settings_.latencies = latencies_of(feed, entry, entry_cancel, entry_replace, response, response_trade, computing);
    if (!latency.is_none())
      settings_.latencies =
          taken(backtest::measured_latencies(path_of(latency, "latency"), settings_.latencies), "latency");
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
    read_exchange(exchange);
    strategy_.read(std::move(strategy), parameters, settings_);
  }

  std::shared_ptr<PythonResult> run() {
    if (is_running_) throw std::runtime_error("this back-test is running");
    const Running running(is_running_);
    result_.reset();
    need_room();
    std::unique_ptr<PythonStrategy> python;
    if (strategy_.is_python()) python = std::make_unique<PythonStrategy>(strategy_.make());
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
      WithoutLock free;
      if (python) python->run_without(&free);
      if (day_ && settings_.symbols.empty() && !settings_.until) hooks.survey = &day_->survey();
      done = market_ ? backtest::run_backtest(settings_, market_->config, hooks, clock)
                     : backtest::run_backtest(settings_, hooks, clock);
    }
    if (done) result_ = std::make_shared<PythonResult>(PythonResult{settings_, *std::move(done)});
    watch.raise();
    if (!done) refuse(done.error());
    if (python && python->thrown())
      raise_at(result_ ? result_->result.trouble : settings_.file, *std::move(python->thrown()));
    return result_;
  }

  [[nodiscard]] std::shared_ptr<PythonResult> result() const { return result_; }
  [[nodiscard]] StrategyMaker& strategy() noexcept { return strategy_; }
  [[nodiscard]] const BacktestSettings& settings() const noexcept { return settings_; }

 private:
  /// Of an exchange whose orders have their memory from the start. Throws ValueError.
  void need_room() const {
    constexpr double k_each = 640;
    if (market_) {
      const std::size_t orders = backtest::room_for_orders(market_->config);
      need_memory(k_each * static_cast<double>(orders), fmt::format("a market with room for {} orders", orders));
    } else if (settings_.exchange.kind == backtest::ExchangeKind::match) {
      const std::size_t orders = settings_.exchange.orders;
      need_memory(k_each * static_cast<double>(orders), fmt::format("a book with room for {} orders", orders));
    }
  }

  void read_exchange(nb::handle exchange) {
    if (!exchange.is_none() && PyUnicode_Check(exchange.ptr()) == 0) refuse("exchange takes a name");
    const std::string name =
        exchange.is_none() ? std::string(market_ ? "market" : "levels") : nb::cast<std::string>(exchange);
    constexpr std::size_t k_market = 3;
    const std::size_t place = word_of(name, "exchange", {"levels", "orders", "match", "market"});
    if (market_ && place != k_market) refuse("a Market is its own exchange; day() is a day for \"" + name + "\"");
    if (!market_ && place == k_market) refuse("exchange \"market\" takes a Market; dojima.market() makes one");
    if (!market_) settings_.exchange.kind = static_cast<backtest::ExchangeKind>(place);
    if (market_ && (!settings_.symbols.empty() || settings_.from || settings_.until))
      refuse("symbols, start and until are of recorded days; a Market has a length");
  }

  void read_data(nb::handle data, nb::handle format, nb::handle date, const std::string& symbol) {
    const bool is_market = nb::try_cast(data, market_) && market_ != nullptr;
    if (is_market || (nb::try_cast(data, day_) && day_ != nullptr)) {
      if (!format.is_none() || !date.is_none() || !symbol.empty())
        refuse("format, date and symbol are of files; this day has been read");
      if (!is_market) settings_.file = day_->file;
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

  BacktestSettings settings_;
  std::shared_ptr<Day> day_;              // or
  std::shared_ptr<PythonMarket> market_;  // or a file
  StrategyMaker strategy_;
  bool is_running_ = false;
  std::shared_ptr<PythonResult> result_;
};

int visit_backtest(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? nb::inst_ptr<PythonBacktest>(self)->strategy().traverse(visit, arg) : 0;
}
int clear_backtest(PyObject* self) {
  nb::inst_ptr<PythonBacktest>(self)->strategy().clear();
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
      "A strategy over recorded data or in a generated market (docs/backtest.md). `data` is a file, a Day or a Market; "
      "without `exchange` it is \"levels\", or the market. `strategy` is a built-in "
      "one's name, a class that is made anew for each run with `parameters`, or an object. Raises ValueError "
      "for every argument that makes no sense, FileNotFoundError.")
      .def(
          nb::init<nb::handle, nb::object, nb::handle, nb::handle, nb::handle, nb::handle, nb::handle,
                   const std::string&, const std::string&, nb::handle, nb::handle, nb::handle, nb::handle, nb::handle,
                   nb::handle, nb::handle, nb::handle, nb::handle, nb::handle, nb::handle, nb::handle, nb::handle,
                   std::int64_t, std::uint64_t, std::optional<double>, nb::handle, nb::handle, nb::handle,
                   const std::string&, const nb::kwargs&>(),
          nb::arg("data").none() = nb::ellipsis(), nb::arg("strategy").none() = nb::ellipsis(),
          nb::arg("parameters") = nb::none(), nb::kw_only(), nb::arg("symbols") = nb::none(),
          nb::arg("start") = nb::none(), nb::arg("until") = nb::none(), nb::arg("exchange") = nb::none(),
          nb::arg("queue") = "power3:3", nb::arg("fills") = "partial", nb::arg("lot") = nb::none(),
          nb::arg("feed").none() = "recorded", nb::arg("entry").none() = "1ms", nb::arg("entry_cancel") = nb::none(),
          nb::arg("entry_replace") = nb::none(), nb::arg("response").none() = "1ms",
          nb::arg("response_trade") = nb::none(), nb::arg("computing") = nb::none(), nb::arg("maker_fee").none() = 0,
          nb::arg("taker_fee").none() = 0, nb::arg("trade_fee").none() = 0, nb::arg("mark_every").none() = "1s",
          nb::arg("silence").none() = 0, nb::arg("orders") = 1 << 18, nb::arg("seed") = 1,
          nb::arg("speed") = nb::none(), nb::arg("latency") = nb::none(), nb::arg("format") = nb::none(),
          nb::arg("date") = nb::none(), nb::arg("symbol") = "", nb::arg("unknown"),
          nb::sig(
              "def __init__(self, data: str | os.PathLike[str] | Day | Market, strategy: typing.Any, "
              "parameters: dict[str, typing.Any] | None = None, *, symbols: str | typing.Sequence[str] | None = None, "
              "start: str | int | datetime.datetime | None = None, until: str | int | datetime.datetime | None = None, "
              "exchange: str | None = None, queue: str = 'power3:3', fills: str = 'partial', "
              "lot: str | float | None = None, feed: str | int | datetime.timedelta = 'recorded', "
              "entry: str | int | datetime.timedelta = '1ms', entry_cancel: str | int | datetime.timedelta | None = "
              "None, "
              "entry_replace: str | int | datetime.timedelta | None = None, "
              "response: str | int | datetime.timedelta = '1ms', "
              "response_trade: str | int | datetime.timedelta | None = None, "
              "computing: str | int | datetime.timedelta | None = None, maker_fee: str | float = 0, "
              "taker_fee: str | float = 0, trade_fee: str | float = 0, mark_every: str | int | datetime.timedelta = "
              "'1s', "
              "silence: str | int | datetime.timedelta = 0, orders: int = 262144, seed: int = 1, "
              "speed: float | None = None, latency: str | os.PathLike[str] | None = None, format: str | None = None, "
              "date: str | datetime.date | None = None, "
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
