#pragma once

// What one translator takes for an order and its fill: FIX NewOrderSingle to MIT203 NewOrder, MIT203 ExecutionReport to
// FIX ExecutionReport, with both sessions, in order (each order is answered before the next) or out of order (all
// orders, then all answers). Either in one thread, bytes handed over in memory, or over sockets.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace dojima::bench {

enum class Arrival : std::uint8_t { in_order, out_of_order };

/// Nanoseconds of an order, each the median (sockets) or the mean (memory) of a batch.
struct StageTimes {
  double to_request = 0;  ///< until the gateway has read the FIX message: over sockets from when it was sent
  double request = 0;     ///< until the request was handed to the venue's connection
  double venue = 0;       ///< the venue, and the way there and back; 0 in memory: not timed
  double to_report = 0;   ///< in memory: until the gateway has read the report
  double report = 0;      ///< until the FIX message was handed to the client's connection
  double to_client = 0;   ///< over sockets: until the client has it
  double total = 0;       ///< in memory without the venue and `timing`; over sockets from sent to received
  double timing = 0;      ///< in memory: what timing the total took of each order, as empty sections show it
};

class Translation {
 public:
  virtual ~Translation() = default;
  /// So many orders, all filled. Throws std::runtime_error.
  virtual StageTimes run(Arrival arrival, std::size_t orders) = 0;
};

/// Orders of a batch, at most.
inline constexpr std::size_t k_batch_most = 256;

/// In one thread, without sockets.
[[nodiscard]] std::unique_ptr<Translation> translation_in_memory();
/// Client, gateway and venue in a thread each, over loopback.
[[nodiscard]] std::unique_ptr<Translation> translation_over_sockets();

}  // namespace dojima::bench
