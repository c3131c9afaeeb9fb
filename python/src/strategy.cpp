#include "strategy.hpp"

#include <array>
#include <fmt/core.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

namespace dojima::python {

using backtest::DepthLevel;
using backtest::Desk;
using market::Side;

Desk& DeskHandle::desk() const {
  if (desk_ == nullptr) throw std::runtime_error("a desk is good only while its strategy is being called");
  return *desk_;
}

nb::object DeskHandle::best(Side side, std::uint32_t instrument) {
  const auto level = desk().best(instrument, side);
  if (instrument >= best_.size()) best_.resize(instrument + 1);
  Shown& shown = best_[instrument][side == Side::buy ? 0 : 1];
  if (!shown.pair.is_valid() || shown.level != level) {
    shown.pair = level ? nb::object(nb::make_tuple(level->price, level->quantity)) : nb::none();
    shown.level = level;
  }
  return shown.pair;
}

nb::list DeskHandle::orders() {
  const std::span<const backtest::OwnOrder> all = desk().orders();
  orders_.resize(all.size());
  nb::list list;
  for (std::size_t at = 0; at < all.size(); ++at) {
    ShownOrder& shown = orders_[at];
    if (!shown.object.is_valid() || shown.order != all[at]) {
      shown.object = nb::cast(all[at], nb::rv_policy::copy);
      shown.order = all[at];
    }
    list.append(shown.object);
  }
  return list;
}

namespace {

constexpr std::array<const char*, 9> k_methods = {"on_begin", "on_event", "on_trade", "on_book", "on_report",
                                                  "on_timer", "on_wake",  "on_batch", "on_end"};

/// As UTF-8; empty: it has none.
std::string utf8_of(nb::handle text) {
  Py_ssize_t size = 0;
  const char* bytes =
      text.is_valid() && PyUnicode_Check(text.ptr()) != 0 ? PyUnicode_AsUTF8AndSize(text.ptr(), &size) : nullptr;
  if (bytes == nullptr) PyErr_Clear();
  return bytes == nullptr ? std::string() : std::string(bytes, static_cast<std::size_t>(size));
}

/// What was thrown, in one line; what it says of itself may throw as well, and is left out then.
std::string words_of(const nb::python_error& error) {
  const auto taken = [](PyObject* object) {
    if (object == nullptr) PyErr_Clear();
    return nb::steal(object);
  };
  std::string text = utf8_of(taken(PyObject_GetAttrString(error.type().ptr(), "__name__")));
  const std::string what = utf8_of(taken(PyObject_Str(error.value().ptr())));
  if (!what.empty()) text += ": " + what.substr(0, what.find('\n'));
  return text;
}

nb::object method_of(nb::handle object, const char* name) {
  nb::object method = nb::getattr(object, name, nb::none());
  if (method.is_none()) return {};
  if (PyCallable_Check(method.ptr()) == 0) refuse(fmt::format("{} of the strategy is no method", name));
  return method;
}

}  // namespace

void refuse_unknown_callbacks(nb::handle object) {
  for (const nb::handle name : nb::borrow<nb::list>(nb::steal(PyObject_Dir(object.ptr())))) {
    const auto text = nb::cast<std::string>(name);
    if (!text.starts_with("on_")) continue;
    bool is_known = false;
    std::string all;
    for (const char* method : k_methods) {
      is_known |= text == method;
      all += (all.empty() ? "" : ", ") + std::string(method);
    }
    if (!is_known) refuse(fmt::format("the strategy has {}, which nobody calls; there are {}", text, all));
  }
}

Callbacks callbacks_of(nb::handle object) {
  refuse_unknown_callbacks(object);
  const auto has = [&](const char* name) { return method_of(object, name).is_valid(); };
  Callbacks callbacks;
  backtest::Wakes& wakes = callbacks.wakes;
  wakes.on_events = has("on_event");
  wakes.on_trades = has("on_trade");
  if (has("on_book")) {
    const nb::object books = nb::getattr(object, "books", nb::str("touch"));
    const bool is_all = word_of(nb::str(books).c_str(), "books", {"touch", "all"}) == 1;
    (is_all ? wakes.on_books : wakes.on_touch) = true;
  }
  const nb::object on_reports = nb::getattr(object, "wake_on_reports", nb::bool_(false));
  if (PyBool_Check(on_reports.ptr()) == 0) refuse("wake_on_reports is True or False");
  wakes.on_reports = nb::cast<bool>(on_reports);
  const nb::object period = nb::getattr(object, "period", nb::none());
  if (!period.is_none()) {
    wakes.period = duration_of(period, "period");
    if (wakes.period == time::Duration{}) refuse("period takes a time above 0");
  }
  const bool is_woken = wakes.on_reports || !period.is_none();
  if (has("on_wake") && !is_woken) refuse("a strategy with on_wake needs a period, or wake_on_reports = True");
  if (is_woken && !has("on_wake")) refuse("a strategy with a period or wake_on_reports needs on_wake");
  if (has("on_batch")) {
    const Numbers batch(nb::getattr(object, "batch", nb::int_(512)), "batch");
    if (batch.rows()) refuse("batch takes one number");
    batch.hold_within(1, std::int64_t{1} << 20);
    callbacks.batch = static_cast<std::size_t>(batch[0]);
    // A batch is handed over when an instant is over.
    wakes.on_events = wakes.on_books = true;
    wakes.on_touch = false;
    if (has("on_event") || has("on_book")) refuse("a strategy has on_batch, or on_event and on_book, not both");
  }
  bool is_called = false;
  for (const char* name : k_methods) is_called |= has(name);
  if (!is_called) refuse("the strategy has no method that would be called: on_wake, on_book, on_event, ...");
  return callbacks;
}

PythonStrategy::PythonStrategy(nb::object object)
    : object_(std::move(object)),
      handle_object_(nb::cast(new DeskHandle, nb::rv_policy::take_ownership)),
      handle_(nb::inst_ptr<DeskHandle>(handle_object_)),
      callbacks_(callbacks_of(object_)),
      begin_(method_of(object_, "on_begin")),
      event_(method_of(object_, "on_event")),
      trade_(method_of(object_, "on_trade")),
      book_(method_of(object_, "on_book")),
      report_(method_of(object_, "on_report")),
      timer_(method_of(object_, "on_timer")),
      wake_(method_of(object_, "on_wake")),
      end_(method_of(object_, "on_end")),
      batch_method_(method_of(object_, "on_batch")),
      keeps_lock_(event_.is_valid()) {}

void PythonStrategy::run_without(WithoutLock* free) {
  free_ = free;
}

void PythonStrategy::yield() {
  if (!keeps_lock_) return;
  free_->give();
  free_->take();
}

/// The lock and the desk, for the length of a callback.
class PythonStrategy::Entry {
 public:
  Entry(PythonStrategy& strategy, Desk& desk) : strategy_(strategy) {
    // Python code runs no more: the run ends here.
    if (WithoutLock::is_over()) throw std::runtime_error("the interpreter ends");
    strategy.free_->take();
    strategy.handle_->open(&desk);
  }
  ~Entry() {
    strategy_.handle_->open(nullptr);
    if (!strategy_.keeps_lock_) strategy_.free_->give();
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

 private:
  PythonStrategy& strategy_;
};

template <class Call>
void PythonStrategy::enter(Desk& desk, Call&& call) {
  const Entry entry(*this, desk);
  std::string text;
  try {
    call();
    return;
  } catch (nb::python_error& error) {
    text = words_of(error);
    thrown_.emplace(std::move(error));
  }
  throw std::runtime_error(text);
}

void PythonStrategy::on_begin(Desk& desk) {
  if (callbacks_.batch != 0) begin_batch();
  if (begin_.is_valid()) enter(desk, [&] { begin_(handle_object_); });
}

void PythonStrategy::on_event(Desk& desk, const recorded::RecordedEvent& event) {
  if (callbacks_.batch != 0) gather(desk, event);
  if (event_.is_valid()) enter(desk, [&] { event_(handle_object_, shown(event)); });
}

/// As an object of its own; the last one again where the strategy has not kept that.
nb::handle PythonStrategy::shown(const recorded::RecordedEvent& event) {
  if (shown_event_.is_valid() && Py_REFCNT(shown_event_.ptr()) == 1)
    *nb::inst_ptr<recorded::RecordedEvent>(shown_event_) = event;
  else
    shown_event_ = nb::cast(event, nb::rv_policy::copy);
  return shown_event_;
}

void PythonStrategy::on_trade(Desk& desk, const backtest::MarketTrade& trade) {
  enter(desk, [&] { trade_(handle_object_, nb::cast(trade, nb::rv_policy::copy)); });
}

void PythonStrategy::on_book(Desk& desk, std::uint32_t instrument) {
  if (callbacks_.batch != 0) {
    if (batch_.times.size() >= callbacks_.batch) hand_over(desk);
    return;
  }
  enter(desk, [&] { book_(handle_object_, instrument); });
}

void PythonStrategy::on_report(Desk& desk, const backtest::Report& report) {
  if (report_.is_valid()) enter(desk, [&] { report_(handle_object_, nb::cast(report, nb::rv_policy::copy)); });
}

void PythonStrategy::on_timer(Desk& desk, std::uint32_t timer, backtest::Time due) {
  if (timer_.is_valid()) enter(desk, [&] { timer_(handle_object_, timer, due.time_since_epoch().count()); });
}

void PythonStrategy::on_wake(Desk& desk) {
  if (wake_.is_valid()) enter(desk, [&] { wake_(handle_object_); });
}

void PythonStrategy::on_end(Desk& desk) {
  if (!batch_.times.empty()) hand_over(desk);
  if (end_.is_valid()) enter(desk, [&] { end_(handle_object_); });
}

// ---- Batches -------------------------------------------------------------------------------------------------------

/// Room for a batch and the rest of its instant.
void PythonStrategy::begin_batch() {
  batch_ = {};
  const std::size_t room = callbacks_.batch + 64;
  for (auto* column : {&batch_.times, &batch_.prices, &batch_.quantities, &batch_.bid_prices, &batch_.bid_quantities,
                       &batch_.ask_prices, &batch_.ask_quantities})
    column->reserve(room);
  batch_.instruments.reserve(room);
  batch_.kinds.reserve(room);
  batch_.sides.reserve(room);
}

void PythonStrategy::gather(const Desk& desk, const recorded::RecordedEvent& event) {
  const DepthLevel nothing{k_missing, 0};
  const DepthLevel bid = desk.best(event.instrument, Side::buy).value_or(nothing);
  const DepthLevel ask = desk.best(event.instrument, Side::sell).value_or(nothing);
  batch_.times.push_back(desk.now().time_since_epoch().count());
  batch_.instruments.push_back(event.instrument);
  batch_.kinds.push_back(static_cast<std::uint8_t>(event.kind));
  batch_.sides.push_back(static_cast<std::uint8_t>(event.side));
  batch_.prices.push_back(event.price);
  batch_.quantities.push_back(event.quantity);
  batch_.bid_prices.push_back(bid.price);
  batch_.bid_quantities.push_back(bid.quantity);
  batch_.ask_prices.push_back(ask.price);
  batch_.ask_quantities.push_back(ask.quantity);
}

void PythonStrategy::hand_over(Desk& desk) {
  auto table = std::make_shared<Table>();
  table->add(times_of("time", std::move(batch_.times)));
  table->add(column_of("instrument", std::move(batch_.instruments)));
  table->add(column_of("kind", std::move(batch_.kinds)));
  table->add(column_of("side", std::move(batch_.sides)));
  table->add(column_of("price", std::move(batch_.prices)));
  table->add(column_of("quantity", std::move(batch_.quantities)));
  table->add(column_of("bid_price", std::move(batch_.bid_prices)));
  table->add(column_of("bid_quantity", std::move(batch_.bid_quantities)));
  table->add(column_of("ask_price", std::move(batch_.ask_prices)));
  table->add(column_of("ask_quantity", std::move(batch_.ask_quantities)));
  begin_batch();
  enter(desk, [&] { batch_method_(handle_object_, nb::cast(table)); });
}

}  // namespace dojima::python
