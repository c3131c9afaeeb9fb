#include "dojima/recorded/formats/bitstamp_writer.hpp"

#include <algorithm>

namespace dojima::recorded {
namespace {

constexpr std::size_t k_flush_at = std::size_t{1} << 18;
constexpr unsigned k_decimals = 8;
constexpr std::string_view k_header = "id,timestamp,exchange.timestamp,price,volume,action,direction\n";

std::int64_t unit_of(unsigned decimals) noexcept {
  std::int64_t unit = 1;
  for (; decimals < k_decimals; ++decimals) unit *= 10;
  return unit;
}

/// False: it is not known, or too large for the file's units.
bool scale(std::int64_t& value, std::int64_t unit) noexcept {
  return value != k_unknown && !__builtin_mul_overflow(value, unit, &value);
}

/// A number of units of 10^-decimals as a text without superfluous zeros.
void put_decimal(std::string& text, std::int64_t value, unsigned decimals) {
  if (value < 0) text += '-';
  std::string digits =
      std::to_string(value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value));
  digits.insert(0, decimals + 1 - std::min<std::size_t>(digits.size(), decimals + 1), '0');
  digits.insert(digits.size() - decimals, 1, '.');
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  text += digits;
}

}  // namespace

Written BitstampWriter::write(std::span<const RecordedEvent> events, std::span<const RecordedInstrument> instruments) {
  if (instruments.size() > 1)
    return std::unexpected(std::string("a Bitstamp file holds one instrument; --symbol says which"));
  if (instruments.empty()) return {};
  if (instruments[0].price_decimals > k_decimals || instruments[0].quantity_decimals > k_decimals)
    return std::unexpected(std::string("a Bitstamp file has at most eight decimals"));
  if (price_unit_ == 0) text_ = k_header;
  price_unit_ = unit_of(instruments[0].price_decimals);
  quantity_unit_ = unit_of(instruments[0].quantity_decimals);
  for (const RecordedEvent& event : events) {
    if (auto written = put(event); !written) return written;
    if (text_.size() < k_flush_at) continue;
    if (auto written = flush(); !written) return written;
  }
  return {};
}

Written BitstampWriter::put(const RecordedEvent& event) {
  const bool has_time = event.receive_time != k_unknown_time || event.event_time != k_unknown_time;
  if (!has_time) return std::unexpected(std::string("Bitstamp needs a time of every event"));
  if (event.kind != EventKind::add && event.kind != EventKind::amend && event.kind != EventKind::reduce &&
      event.kind != EventKind::execute && event.kind != EventKind::remove)
    return std::unexpected("Bitstamp has no event for " + std::string(name_of(event.kind)));
  // An order from before the file: what the event says of it is all there is.
  Order& order = orders_[event.order];
  std::int64_t price = event.price, quantity = event.quantity;
  const bool has_price = scale(price, price_unit_), has_quantity = scale(quantity, quantity_unit_);
  if (event.kind == EventKind::add || order.side == market::Side::none) {
    if (event.side == market::Side::none || !has_price || !has_quantity)
      return std::unexpected("an order that Bitstamp's units or fields do not hold: " + std::to_string(event.order));
    order.entered = event.event_time;
    order.side = event.side;
    order.price = price;
    order.quantity = quantity;
  }
  // Where no event time is known, the reader has the time of entry in `other`.
  if (event.event_time == k_unknown_time)
    order.entered = time::from_nanoseconds(static_cast<std::int64_t>(event.other));
  switch (event.kind) {
    case EventKind::add:
      put_line(event, order, "created");
      return {};
    case EventKind::amend:
      if (has_price) order.price = price;
      if (has_quantity) order.quantity = quantity;
      break;
    case EventKind::remove:
      if (has_quantity) order.quantity = quantity;
      put_line(event, order, "deleted");
      orders_.erase(event.order);
      return {};
    default:
      order.quantity = has_quantity ? std::max<std::int64_t>(order.quantity - quantity, 0) : 0;
  }
  const bool is_gone = order.quantity == 0 && event.kind != EventKind::amend;
  put_line(event, order, is_gone ? "deleted" : "changed");
  if (is_gone) orders_.erase(event.order);
  return {};
}

void BitstampWriter::put_line(const RecordedEvent& event, const Order& order, std::string_view action) {
  constexpr unsigned k_time_decimals = 6;  // of a millisecond
  text_ += std::to_string(event.order) + ',';
  put_decimal(text_, time::nanoseconds_of(event.replay_time()), k_time_decimals);
  text_ += ',';
  put_decimal(text_, time::nanoseconds_of(order.entered), k_time_decimals);
  text_ += ',';
  put_decimal(text_, order.price, k_decimals);
  text_ += ',' + std::to_string(order.quantity) + ',';
  text_ += action;
  text_ += order.side == market::Side::buy ? ",bid\n" : ",ask\n";
}

Written BitstampWriter::flush() {
  auto written = sink_.write(as_bytes(text_));
  text_.clear();
  return written;
}

Written BitstampWriter::finish() {
  return flush();
}

}  // namespace dojima::recorded
