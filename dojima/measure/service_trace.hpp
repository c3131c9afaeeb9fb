#pragma once

// What happened at a place where one is served after the other, request by request: when it came, when its service
// began, when that ended. The waits at a lock are recorded as one; queueing models are fitted to such files and held
// against them. Text-free and of fixed size, so that a file of millions is read at once. Pure; allocates.
//
// The file, little-endian: "DOJSVC01", count (8 bytes), then as many records of 32 bytes:
//
//   0         8         16        24     26     28        32
//   | arrival_ns | start_ns | end_ns | kind | server | group |
//
// Times are nanoseconds since the recording began; arrival <= start <= end. `kind` distinguishes services of different
// sorts (which lock), `server` the requesters (which thread), `group` parts that do not belong together (which round).

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dojima/base/error.hpp"

namespace dojima::measure {

struct ServiceRecord {
  std::uint64_t arrival_ns = 0;
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint16_t kind = 0;
  std::uint16_t server = 0;
  std::uint32_t group = 0;
  friend bool operator==(const ServiceRecord&, const ServiceRecord&) = default;
};
static_assert(sizeof(ServiceRecord) == 32);

[[nodiscard]] std::string encode_service_trace(std::span<const ServiceRecord> records);

/// `malformed` for another beginning, a size that does not fit the count, or times out of order; the offset says where.
[[nodiscard]] Result<std::vector<ServiceRecord>> decode_service_trace(std::span<const std::byte> file);

}  // namespace dojima::measure
