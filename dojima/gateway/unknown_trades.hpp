#pragma once

// The trades that clients said last that they do not know (DontKnowTrade): people have to settle each of them, so they
// are kept over restarts. O(1), no allocation. One thread.

#include <cstdint>

#include "dojima/base/text.hpp"
#include "dojima/gateway/journaled_ring.hpp"
#include "dojima/time/time.hpp"

namespace dojima::gateway {

/// As the client wrote it; longer texts are cut.
struct UnknownTrade {
  time::Time time;           ///< when it said so
  std::uint32_t client = 0;  ///< by its place in the configuration
  char reason = '\0';        ///< DKReason(127)
  Text<20> order_id;         ///< OrderID(37)
  Text<20> exec_id;          ///< ExecID(17)
  Text<60> text;             ///< Text(58)
  friend bool operator==(const UnknownTrade&, const UnknownTrade&) = default;
};

class UnknownTrades : public JournaledRing<UnknownTrade, 256> {};

}  // namespace dojima::gateway
