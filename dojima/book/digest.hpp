#pragma once

// A fingerprint of state, built from plain records in a fixed order: the same on every compiler, machine and run.
// Never feed it a pointer or anything in hash order.
//
//   Digest digest;  digest.add(order.id);  digest.add(order.executed);  digest.value()

#include <cstdint>

#include "dojima/base/fixed_map.hpp"
#include "dojima/market/order.hpp"

namespace dojima::book {

class Digest {
 public:
  template <market::PlainRecord Record>
  void add(const Record& record) noexcept {
    const std::uint64_t pair[2] = {value_, hash_bytes(&record, sizeof record)};
    value_ = hash_bytes(pair, sizeof pair);
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 0;
};

}  // namespace dojima::book
