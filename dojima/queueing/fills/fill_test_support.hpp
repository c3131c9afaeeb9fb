#pragma once

// Recorded events made by hand, for the tests of fills.

#include <cstdint>
#include <vector>

#include "dojima/recorded/event.hpp"

namespace dojima::queueing {

inline const std::vector<recorded::RecordedInstrument> k_rice = {{.symbol = "RICE", .price_decimals = 2, .tick = 1}};

/// An event at so many milliseconds, the last of its moment.
inline recorded::RecordedEvent happened(std::int64_t at_ms, recorded::EventKind kind, market::Side side,
                                        std::uint64_t order, std::int64_t price, std::int64_t quantity) {
  recorded::RecordedEvent event;
  event.event_time = time::from_nanoseconds(at_ms * 1'000'000);
  event.kind = kind;
  event.side = side;
  event.order = order;
  event.price = price;
  event.quantity = quantity;
  event.flags = recorded::k_last;
  return event;
}

}  // namespace dojima::queueing
