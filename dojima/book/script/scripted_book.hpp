#pragma once

// The book that a script runs on, whatever its storage: scripts are read once, not once per storage. Tests and tools
// only: a virtual call per command, and it allocates.

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "dojima/book/book_types.hpp"
#include "dojima/book/report_buffer.hpp"
#include "dojima/book/rules.hpp"
#include "dojima/book/script.hpp"
#include "dojima/market/command.hpp"
#include "dojima/market/instrument.hpp"

namespace dojima::book {

class ScriptedBook {
 public:
  ScriptedBook() = default;
  ScriptedBook(const ScriptedBook&) = delete;
  ScriptedBook& operator=(const ScriptedBook&) = delete;
  virtual ~ScriptedBook() = default;

  virtual void apply(const market::NewOrder& command) = 0;
  virtual void apply(const market::Replace& command) = 0;
  virtual void apply(const market::Cancel& command) = 0;
  virtual void apply(const market::MassCancel& command) = 0;
  virtual void apply(const market::Expire& command) = 0;
  virtual void apply(const market::PhaseChange& command) = 0;
  /// The side's orders, as Book::each_resting() visits them.
  [[nodiscard]] virtual std::vector<RestingOrder> resting(Side side) const = 0;
  [[nodiscard]] virtual const char* inconsistency() const = 0;
};

template <class Storage>
class ScriptedBookOf final : public ScriptedBook {
 public:
  ScriptedBookOf(const market::Instrument& instrument, OrderTable& orders, ReportBuffer& reports, BookLimits limits,
                 BookRules rules)
      : book_(instrument, orders, reports, limits, std::move(rules)) {}

  void apply(const market::NewOrder& command) override { book_.apply(command); }
  void apply(const market::Replace& command) override { book_.apply(command); }
  void apply(const market::Cancel& command) override { book_.apply(command); }
  void apply(const market::MassCancel& command) override { book_.apply(command); }
  void apply(const market::Expire& command) override { book_.apply(command); }
  void apply(const market::PhaseChange& command) override { book_.apply(command); }
  [[nodiscard]] std::vector<RestingOrder> resting(Side side) const override {
    std::vector<RestingOrder> orders;
    book_.each_resting(side, [&orders](const RestingOrder& order) { orders.push_back(order); });
    return orders;
  }
  [[nodiscard]] const char* inconsistency() const override { return book_.inconsistency(); }

 private:
  Storage book_;
};

/// Makes the book of a script.
using ScriptedBookMaker = std::unique_ptr<ScriptedBook> (*)(const market::Instrument& instrument, OrderTable& orders,
                                                            ReportBuffer& reports, BookLimits limits, BookRules rules);

template <class Storage>
[[nodiscard]] std::unique_ptr<ScriptedBook> make_scripted_book(const market::Instrument& instrument, OrderTable& orders,
                                                               ReportBuffer& reports, BookLimits limits,
                                                               BookRules rules) {
  return std::make_unique<ScriptedBookOf<Storage>>(instrument, orders, reports, limits, std::move(rules));
}

/// run_script() on books that `make` makes.
[[nodiscard]] ScriptResult run_script_on(std::string_view text, ScriptedBookMaker make);

}  // namespace dojima::book
