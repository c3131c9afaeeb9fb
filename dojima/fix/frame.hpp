#pragma once

// Finds one FIX message in a stream of bytes: BeginString(8) first, BodyLength(9) second and exact, MsgType(35) third,
// CheckSum(10) last, three digits and right. Looks at nothing else and never outside the bytes given. O(message), no
// allocation, no state: call it again with more bytes, or behind what it said to skip.
//
//   const FrameSearch found = find_frame(bytes, 4096);
//   if (found.state == FrameState::whole) view.read(found.frame);   // used: found.size

#include <cstddef>
#include <cstdint>

#include "dojima/base/bytes.hpp"
#include "dojima/base/error.hpp"

namespace dojima::fix {

struct Kernels;

/// One whole message. A view: dies with the buffer behind it.
struct Frame {
  Bytes bytes;                   ///< from `8=` to the separator behind CheckSum
  std::uint32_t body_begin = 0;  ///< where `35=` is: the first byte that BodyLength counts
  std::uint32_t body_end = 0;    ///< where `10=` is: the first byte that BodyLength does not count
};

enum class FrameState : std::uint8_t {
  incomplete,  ///< what is there may become a message: nothing to use yet
  garbled,     ///< no message: `size` bytes are to be skipped
  whole,       ///< `frame` is a message of `size` bytes
};

struct FrameSearch {
  FrameState state = FrameState::incomplete;
  std::size_t size = 0;  ///< bytes to use up; at least 1 unless incomplete
  Frame frame;           ///< whole only
  Error error;           ///< garbled only: what was wrong and where
};

/// The largest BodyLength that can be asked for.
inline constexpr std::size_t k_body_max = 60'000;

/// Looks at the beginning of `bytes`. A message whose BodyLength exceeds `max_body` is garbled. What is garbled is
/// skipped up to the next `8=FIX` at or behind the place where the message claims to end (a BodyLength that is too long
/// therefore takes the next message with it; nothing inside a broken message is ever taken for a message), or behind
/// its first byte when it does not say where it ends.
[[nodiscard]] FrameSearch find_frame(Bytes bytes, std::size_t max_body = 4096) noexcept;
/// The same with kernels of the caller's choice: for tests and benchmarks.
[[nodiscard]] FrameSearch find_frame(Bytes bytes, std::size_t max_body, const Kernels& fast) noexcept;

/// The sum of all bytes modulo 256, as CheckSum(10) counts it.
[[nodiscard]] std::uint8_t check_sum(Bytes bytes) noexcept;

/// BeginString(8) of a whole frame, e.g. "FIX.4.4".
[[nodiscard]] std::string_view begin_string_of(const Frame& frame) noexcept;

}  // namespace dojima::fix
