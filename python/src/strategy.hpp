#pragma once

// A strategy that is a Python object, as the engine calls it. The interpreter's lock is held only while Python code
// runs, but for strategies that see every event: there it stays with the run, which lets others in now and then, as
// Python code does. What the object throws is kept, and ends the run.

#include "arguments.hpp"
#include "table.hpp"

#include <array>
#include <cstdint>
#include <nanobind/nanobind.h>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "dojima/backtest/strategy.hpp"

namespace dojima::python {

namespace nb = nanobind;

/// The desk as Python has it: good for the length of a callback. What cannot be changed is given out again while it is
/// the same: levels, own orders.
class DeskHandle {
 public:
  /// Throws RuntimeError outside of a callback.
  [[nodiscard]] backtest::Desk& desk() const;
  void open(backtest::Desk* desk) noexcept { desk_ = desk; }

  /// Price and quantity of the best level, or None. `instrument` is one of the desk's.
  [[nodiscard]] nb::object best(market::Side side, std::uint32_t instrument);
  /// A new list of own orders.
  [[nodiscard]] nb::list orders();

 private:
  struct Shown {
    std::optional<backtest::DepthLevel> level;
    nb::object pair;  // null: not shown yet
  };
  struct ShownOrder {
    backtest::OwnOrder order;
    nb::object object;
  };

  backtest::Desk* desk_ = nullptr;
  std::vector<std::array<Shown, 2>> best_;  // by instrument: bid and ask
  std::vector<ShownOrder> orders_;
};

/// What it wants to be called for, by what the object has. Throws ValueError.
struct Callbacks {
  backtest::Wakes wakes;
  std::size_t batch = 0;  ///< events; 0: no batches
};
[[nodiscard]] Callbacks callbacks_of(nb::handle object);
/// A method that looks like a callback and is none would never be called: ValueError.
void refuse_unknown_callbacks(nb::handle object);

class PythonStrategy final : public backtest::Strategy {
 public:
  /// Holds the lock here and in the destructor.
  explicit PythonStrategy(nb::object object);

  /// The run is without the lock from here on, on this thread, as long as `free` lives; null: it is over.
  void run_without(WithoutLock* free);
  /// Lets other threads run Python code where the run keeps the lock.
  void yield();
  /// What the object threw; none: nothing.
  [[nodiscard]] std::optional<nb::python_error>& thrown() noexcept { return thrown_; }

  backtest::Wakes wakes() const override { return callbacks_.wakes; }
  void on_begin(backtest::Desk& desk) override;
  void on_event(backtest::Desk& desk, const recorded::RecordedEvent& event) override;
  void on_trade(backtest::Desk& desk, const backtest::MarketTrade& trade) override;
  void on_book(backtest::Desk& desk, std::uint32_t instrument) override;
  void on_report(backtest::Desk& desk, const backtest::Report& report) override;
  void on_timer(backtest::Desk& desk, std::uint32_t timer, backtest::Time due) override;
  void on_wake(backtest::Desk& desk) override;
  void on_end(backtest::Desk& desk) override;

 private:
  class Entry;
  struct Batch {
    std::vector<std::int64_t> times, prices, quantities, bid_prices, bid_quantities, ask_prices, ask_quantities;
    std::vector<std::uint32_t> instruments;
    std::vector<std::uint8_t> kinds, sides;
  };
  template <class Call>
  void enter(backtest::Desk& desk, Call&& call);
  [[nodiscard]] nb::handle shown(const recorded::RecordedEvent& event);
  void begin_batch();
  void gather(const backtest::Desk& desk, const recorded::RecordedEvent& event);
  void hand_over(backtest::Desk& desk);

  nb::object object_;
  nb::object handle_object_;
  DeskHandle* handle_;
  Callbacks callbacks_;
  nb::object begin_, event_, trade_, book_, report_, timer_, wake_, end_, batch_method_;
  nb::object shown_event_;  // the last that on_event was called with
  bool keeps_lock_ = false;
  WithoutLock* free_ = nullptr;  // while it runs
  Batch batch_;
  std::optional<nb::python_error> thrown_;
};

}  // namespace dojima::python
