#include "dojima/app/trade/expectation.hpp"

#include <algorithm>
#include <array>
#include <fmt/core.h>

#include "dojima/app/trade/blotter.hpp"

namespace dojima::app {
namespace {

constexpr std::uint32_t k_longest_patience = 3600;
const char* const k_shape =
    "write: expect ORDER open|parked|filled|cancelled|expired|rejected, expect ORDER executed|left|average NUMBER, "
    "expect "
    "position SYMBOL NUMBER, expect trades|orders NUMBER, expect refused; and: within SECONDS";

Understood<void> read_number(WordReader& words, Expectation& expectation) {
  const std::string word = words.take();
  const auto number = number_in<std::int64_t>(word);
  if (!number) return wrong(fmt::format("\"{}\" is not a number; {}", word, k_shape));
  expectation.quantity = *number;
  return {};
}

Understood<void> read_of_order(WordReader& words, Expectation& expectation) {
  const std::string word = lower(words.take());
  if (is_order_state(word)) {
    expectation.what = Expected::state;
    expectation.word = word;
    return {};
  }
  if (word == "average") {
    expectation.what = Expected::average;
    const auto price = price_in(words.take());
    if (!price) return wrong(price.error());
    expectation.price = *price;
    return {};
  }
  if (word != "executed" && word != "left") return wrong(k_shape);
  expectation.what = word == "left" ? Expected::left : Expected::executed;
  return read_number(words, expectation);
}

Understood<void> read_what(WordReader& words, Expectation& expectation) {
  const std::string word = lower(words.take());
  if (const auto order = number_in<std::uint32_t>(word)) {
    expectation.number = *order;
    return read_of_order(words, expectation);
  }
  if (word == "refused") return {};
  if (word == "position") {
    expectation.what = Expected::position;
    expectation.word = words.take();
    return read_number(words, expectation);
  }
  if (word != "trades" && word != "orders") return wrong(k_shape);
  expectation.what = word == "trades" ? Expected::trades : Expected::orders;
  return read_number(words, expectation);
}

Understood<void> same(const char* what, std::int64_t expected, std::int64_t found) {
  if (expected == found) return {};
  return wrong(fmt::format("{} is {}, not {}", what, found, expected));
}

Understood<void> check_order(const Expectation& expectation, const BlotterOrder& order) {
  const std::string what = fmt::format("order {}", expectation.number);
  switch (expectation.what) {
    case Expected::executed:
      return same("the executed quantity", expectation.quantity, order.executed.lots);
    case Expected::left:
      return same("the quantity left", expectation.quantity, order.leaves.lots);
    case Expected::average:
      if (order.average() == expectation.price) return {};
      return wrong(
          fmt::format("the average price is {}, not {}", price_text(order.average()), price_text(expectation.price)));
    default:
      break;
  }
  if (name_of(order.state) == expectation.word) return {};
  return wrong(fmt::format("order {} is {}, not {}", expectation.number, name_of(order.state), expectation.word));
}

}  // namespace

Understood<Expectation> read_expectation(WordReader& words) {
  Expectation expectation;
  if (auto read = read_what(words, expectation); !read) return wrong(read.error());
  if (words.take_if("within")) {
    const auto seconds = number_in<std::uint32_t>(words.take());
    if (!seconds || *seconds > k_longest_patience) return wrong("write: within SECONDS, at most an hour");
    expectation.patience = *seconds;
  }
  if (!words.is_over()) return wrong(fmt::format("\"{}\" is too much; {}", words.peek(), k_shape));
  return expectation;
}

Understood<void> check(const Expectation& expectation, const Blotter& blotter) {
  switch (expectation.what) {
    case Expected::position:
      return same("the position", expectation.quantity, blotter.position(expectation.word).net());
    case Expected::trades:
      return same("the number of trades", expectation.quantity, static_cast<std::int64_t>(blotter.trade_count()));
    case Expected::orders:
      return same("the number of open orders", expectation.quantity, static_cast<std::int64_t>(blotter.open_count()));
    case Expected::refused:
      return {};
    default:
      break;
  }
  const BlotterOrder* const order = blotter.find(expectation.number);
  if (order == nullptr) return wrong(fmt::format("there is no order {}", expectation.number));
  return check_order(expectation, *order);
}

std::string_view expectation_help() {
  return "expect 3 filled              also open, parked, cancelled, expired, rejected, sent\n"
         "expect 3 executed 30         the quantity that was traded; left 70, average 12.5\n"
         "expect position KAGA -100    bought less sold in this run\n"
         "expect trades 2              executions of the run that count; orders 0: orders that are open\n"
         "expect refused               the last refusal was meant to be\n"
         "... within 5                 at most so many seconds from now; without it two\n";
}

}  // namespace dojima::app
