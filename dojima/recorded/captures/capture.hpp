#pragma once

// Streams out of a packet capture (pcap of micro- or nanoseconds in either byte order, and pcapng): Ethernet, Linux
// cooked, loopback and raw IP; IPv4 and IPv6. Each direction of a connection becomes one stream of bytes in order, with
// the time at which each part arrived; what is sent twice counts once, what the capture missed is reported as a gap.
// The datagrams of UDP from one address to another are a stream as well where that is wanted, one behind the other.
// Works on a whole file in memory.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dojima/time/time.hpp"

namespace dojima::recorded {

struct CapturedStream {
  std::string from, to;  ///< "127.0.0.1:4711"
  std::string bytes;
  std::vector<std::pair<std::size_t, time::Time>> arrivals;  ///< from this byte on, at this time
  std::size_t gaps = 0;

  /// When the byte at `offset` arrived.
  [[nodiscard]] time::Time time_of(std::size_t offset) const noexcept;
};

enum class Carriers : std::uint8_t { tcp, tcp_and_udp };

/// The streams in the order in which they begin. The error says what is wrong with the file; a last packet that is cut
/// is left out.
[[nodiscard]] std::expected<std::vector<CapturedStream>, std::string> read_capture(std::string_view file,
                                                                                   Carriers carriers = Carriers::tcp);

}  // namespace dojima::recorded
