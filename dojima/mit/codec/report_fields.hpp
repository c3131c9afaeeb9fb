#pragma once

// What all reports have: SequenceNo and TransactTime, for those who read them. Stateless, no allocation.

#include "dojima/mit/codec/codec_rules.hpp"

namespace dojima::mit {

/// Of TransactTime: a part of a second, in the high word.
template <class D>
void check_instant(Rules& rules, Bytes message, UInt64Field field) {
  const std::uint64_t fraction = load(message, field) >> 32;
  rules.require(fraction < static_cast<std::uint64_t>(k_second / D::k_fraction_ns), field,
                static_cast<std::int64_t>(fraction), "a fraction below one second");
}

template <class D>
[[nodiscard]] time::Time instant_in(Bytes message, UInt64Field field) noexcept {
  const std::uint64_t both = load(message, field);
  const auto seconds = static_cast<std::int64_t>(both & 0xffff'ffff);
  return time::from_nanoseconds(seconds * k_second + static_cast<std::int64_t>(both >> 32) * D::k_fraction_ns);
}

[[nodiscard]] inline market::Sequence sequence_in(Bytes message, Int32Field field) noexcept {
  return {static_cast<std::uint64_t>(load(message, field))};
}

}  // namespace dojima::mit
