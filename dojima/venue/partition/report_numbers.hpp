#pragma once

// The numbers of a partition's reports, executions and trades: each without a gap, from 1 on. Executions and trades
// have the partition in their upper bits, so that none is given twice at the venue.

#include <cstdint>

#include "dojima/base/state.hpp"
#include "dojima/book/digest.hpp"
#include "dojima/market/order.hpp"

namespace dojima::venue {

class ReportNumbers {
 public:
  explicit ReportNumbers(std::uint8_t partition) noexcept
      : trade_bits_(std::uint64_t{partition} << 48), execution_bits_(std::uint64_t{partition} << 60) {}

  [[nodiscard]] market::Sequence next_report() noexcept { return {++last_report_}; }
  [[nodiscard]] std::uint64_t next_execution() noexcept { return execution_bits_ | ++last_execution_; }
  /// Reports are about the next trade from now on.
  void begin_trade() noexcept { ++last_trade_; }

  /// The number of the last trade, and of the next one. Below 36^10, so that its FIX text has ten characters.
  [[nodiscard]] std::uint64_t last_trade() const noexcept { return trade_bits_ | last_trade_; }
  [[nodiscard]] std::uint64_t next_trade() const noexcept { return trade_bits_ | (last_trade_ + 1); }

  void add_to(book::Digest& digest) const {
    digest.add(last_report_);
    digest.add(last_execution_);
    digest.add(last_trade_);
  }
  void save(StateWriter& out) const {
    out.add(last_report_);
    out.add(last_execution_);
    out.add(last_trade_);
  }
  [[nodiscard]] bool load(StateReader& in) {
    return in.read(last_report_) && in.read(last_execution_) && in.read(last_trade_);
  }

 private:
  std::uint64_t trade_bits_, execution_bits_;  // of the partition, in every number
  std::uint64_t last_report_ = 0;
  std::uint64_t last_execution_ = 0;
  std::uint64_t last_trade_ = 0;
};

}  // namespace dojima::venue
