#include "dojima/recorded/books/matching_books.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace dojima::recorded {

MatchingBooks::MatchingBooks(const book::OrderTableOptions& orders, std::vector<std::int64_t> ticks)
    : orders_(orders), ticks_(std::move(ticks)) {
  entering_.terms.type = market::OrderType::limit;
}

void MatchingBooks::add_book(const RecordedInstrument& recorded) {
  const std::size_t at = books_.size();
  std::int64_t tick = recorded.tick != 0 ? recorded.tick : at < ticks_.size() ? ticks_[at] : 1;
  tick = std::max<std::int64_t>(tick, 1);
  // As many ticks as a table can number, most of them above zero.
  constexpr std::int64_t k_below = std::int64_t{1} << 28, k_above = std::int64_t{1} << 30;
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() / tick;
  auto table = market::TickTable::uniform({tick}, {-tick * std::min(k_below, most)}, {tick * std::min(k_above, most)});
  const std::int64_t largest =
      std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(orders_.capacity() + 1);
  books_.push_back(std::make_unique<One>(market::Instrument{.id = static_cast<std::uint32_t>(at + 1),
                                                            .symbol = recorded.symbol,
                                                            .ticks = std::move(table).value(),
                                                            .maximum_quantity = {largest}},
                                         orders_, reports_));
}

}  // namespace dojima::recorded
