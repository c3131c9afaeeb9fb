#include "trader_orders.hpp"

#include <fmt/core.h>
#include <utility>

namespace dojima::crash {

TraderOrders::TraderOrders(std::vector<std::string> symbols, std::uint64_t seed, bool has_days)
    : symbols_(std::move(symbols)), random_(seed), has_days_(has_days) {}

TraderOrder TraderOrders::next() {
  TraderOrder order;
  Note note;
  if (notes_.empty() || draw(3) != 0) {
    note = {.id = {},
            .symbol = symbols_[draw(symbols_.size())],
            .side = draw(2) == 0 ? '1' : '2',
            .is_to_outlive_the_day = has_days_ && draw(2) == 0};
  } else {
    note = notes_[draw(notes_.size())];
    order.type = draw(2) == 0 ? 'F' : 'G';
    order.orig = note.id;
  }
  note.id = order.id = fmt::format("{}-{}", order.type, ++requests_);
  order.symbol = note.symbol;
  order.side = note.side;
  order.is_to_outlive_the_day = note.is_to_outlive_the_day;
  if (order.type == 'F') return order;
  order.quantity = 1 + draw(100);
  order.price = static_cast<std::int64_t>(95 + draw(11));
  notes_.push_back(std::move(note));
  if (notes_.size() > k_notes) notes_.pop_front();
  return order;
}

}  // namespace dojima::crash
