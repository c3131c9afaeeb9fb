#include "dojima/recorded/formats/bitstamp_reader.hpp"

#include <algorithm>

#include "dojima/recorded/fields.hpp"

namespace dojima::recorded {
namespace {

constexpr std::string_view k_header = "id,timestamp,exchange.timestamp,price,volume,action,direction";
constexpr std::array<std::string_view, 3> k_actions = {"created", "changed", "deleted"};
constexpr std::array k_kinds = {EventKind::add, EventKind::amend, EventKind::remove};
constexpr unsigned k_decimals = 8;

/// Milliseconds since 1970 with up to six decimals, in nanoseconds.
bool take_time(Fields& fields, Time& time) {
  constexpr unsigned k_time_decimals = 6;
  std::int64_t nanoseconds = 0;
  if (!fields.take_decimal(k_time_decimals, nanoseconds) || !fields.take(',')) return false;
  time = time::from_nanoseconds(nanoseconds);
  return true;
}

}  // namespace

BitstampReader::BitstampReader(ByteSource& source, const ReaderOptions& options)
    : window_(source, std::size_t{1} << 16) {
  instruments_.push_back({.symbol = options.symbol, .price_decimals = k_decimals, .quantity_decimals = k_decimals});
}

std::vector<TypeCount> BitstampReader::type_counts() const {
  std::vector<TypeCount> counts;
  for (std::size_t at = 0; at < counts_.size(); ++at) counts.push_back({std::string(k_actions[at]), counts_[at]});
  return counts;
}

void BitstampReader::decode(EventBatch& batch) {
  while (!batch.is_full()) {
    const auto line = window_.next_line();
    if (!line) {
      if (!window_.trouble().empty()) fail({window_.trouble(), window_.position(), window_.line() + 1});
      if (window_.is_too_long()) fail({"no end of line in 65,536 characters", window_.position(), window_.line() + 1});
      return;
    }
    if (window_.line() == 1 && *line == k_header) continue;
    if (!add_event(batch, *line)) {
      fail({"no order event: expected id, receive time, exchange time, price, volume, created|changed|deleted, bid|ask",
            window_.line_position(), window_.line()});
      return;
    }
  }
}

bool BitstampReader::add_event(EventBatch& batch, std::string_view line) {
  Fields fields(line);
  RecordedEvent event;
  Time entered;
  const bool is_read = fields.take_number(event.order) && fields.take(',') && take_time(fields, event.receive_time) &&
                       take_time(fields, entered) && fields.take_decimal(k_decimals, event.price) && fields.take(',') &&
                       fields.take_decimal(0, event.quantity) && fields.take(',');
  if (!is_read || event.quantity < 0) return false;
  const auto action = std::ranges::find(k_actions, fields.take_until(','));
  if (action == k_actions.end() || !fields.take(',')) return false;
  if (fields.rest() == "bid") {
    event.side = market::Side::buy;
  } else if (fields.rest() == "ask") {
    event.side = market::Side::sell;
  } else {
    return false;
  }
  const auto index = static_cast<std::size_t>(action - k_actions.begin());
  ++counts_[index];
  event.kind = k_kinds[index];
  if (event.kind == EventKind::add) {
    event.event_time = entered;
  } else {
    event.other = static_cast<std::uint64_t>(time::nanoseconds_of(entered));
  }
  event.flags = k_last;
  batch.add() = event;
  return true;
}

}  // namespace dojima::recorded
