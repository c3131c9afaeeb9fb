#include "dojima/book/script/script_orders.hpp"

#include <array>
#include <cstddef>

#include "dojima/book/script/script_words.hpp"

namespace dojima::book {
namespace {

using market::BookReport;
using market::BookReportKind;
using market::Reason;

/// What is said of the book as a whole.
std::string words_of_book(const BookReport& report) {
  std::string words(name_of(report.kind));
  if (report.kind == BookReportKind::phase_changed) {
    words += " " + std::string(name_of(static_cast<market::Phase>(report.flags)));
    return report.price.units == 0 ? words : words + " reference " + text_of(report.price);
  }
  if (report.quantity.lots == 0) return words + " nothing";
  words += " " + std::to_string(report.quantity.lots) + " @ " + text_of(report.price);
  if (report.leaves.lots != 0)
    words += " left " + std::string(name_of(report.side)) + " " + std::to_string(report.leaves.lots);
  return words;
}

}  // namespace

const ScriptOrder& ScriptOrders::named(std::string_view name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) throw ScriptTrouble("no order was called \"" + std::string(name) + "\"");
  return found->second;
}

const std::string& ScriptOrders::name_of(OrderId id) const {
  const auto found = names_.find(id);
  return found == names_.end() ? subject_ : found->second;
}

std::string words_of(const BookReport& report, const ScriptOrders& orders) {
  if (report.kind >= BookReportKind::phase_changed) return words_of_book(report);
  std::string words(name_of(report.kind));
  const bool is_of_order = report.kind != BookReportKind::rejected;
  words += " " + (is_of_order ? orders.name_of(report.order) : orders.subject_name()) + " " +
           std::string(name_of(report.side));
  if (is_of_order)
    words += " " + std::to_string(report.quantity.lots) + " @ " + text_of(report.price) + " leaves " +
             std::to_string(report.leaves.lots) + " shows " + std::to_string(report.displayed.lots);
  if (report.other.value != 0) words += " with " + orders.name_of(report.other);
  if (report.reason != Reason::none) words += " " + std::string(name_of(report.reason));
  constexpr std::array<std::string_view, 7> flags{"lost_priority", "was_resting", "request", "hidden",
                                                  "dark",          "parked",      "auction"};
  for (std::size_t bit = 0; bit < flags.size(); ++bit)
    if ((report.flags >> bit & 1U) != 0) words += " " + std::string(flags[bit]);
  return words;
}

std::string words_of(Side side, const RestingOrder& order, const ScriptOrders& orders) {
  constexpr std::array<std::string_view, 7> places{"", " hidden", " dark", "", "", "", " auction"};
  return std::string(name_of(side)) + " " + orders.name_of(order.id) + " " + std::to_string(order.leaves.lots) + " @ " +
         text_of(order.price) + " shows " + std::to_string(order.displayed.lots) +
         std::string(places[static_cast<std::size_t>(order.place)]);
}

}  // namespace dojima::book
