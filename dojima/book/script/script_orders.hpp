#pragma once

// The orders of a script: what they are called, and reports and resting orders in those names. Nothing here runs
// anything.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "dojima/book/book_types.hpp"
#include "dojima/market/order.hpp"
#include "dojima/market/report.hpp"

namespace dojima::book {

/// What a script knows of an order that it has entered.
struct ScriptOrder {
  OrderId id;  ///< 0: it was refused before it had one
  Side side = Side::none;
  std::uint16_t owner = 0;
};

/// Finds a script's orders by name and by id. O(log orders).
class ScriptOrders {
 public:
  /// The command in hand is about this order, or about none ("").
  void set_subject(std::string_view name) { subject_ = name; }
  /// The subject is this order from now on.
  void enter(const ScriptOrder& order) {
    by_name_[subject_] = order;
    if (order.id.value != 0) names_[order.id] = subject_;
  }

  /// Throws ScriptTrouble when no order was called so.
  [[nodiscard]] const ScriptOrder& named(std::string_view name) const;
  [[nodiscard]] const ScriptOrder& subject() const { return named(subject_); }
  [[nodiscard]] const std::string& subject_name() const noexcept { return subject_; }
  /// The subject's, for an id that is not known yet.
  [[nodiscard]] const std::string& name_of(OrderId id) const;

 private:
  std::string subject_;
  std::map<std::string, ScriptOrder, std::less<>> by_name_;
  std::map<OrderId, std::string> names_;
};

/// A report as a line of a script.
[[nodiscard]] std::string words_of(const market::BookReport& report, const ScriptOrders& orders);
/// An order of the book as a line that "show" prints.
[[nodiscard]] std::string words_of(Side side, const RestingOrder& order, const ScriptOrders& orders);

}  // namespace dojima::book
