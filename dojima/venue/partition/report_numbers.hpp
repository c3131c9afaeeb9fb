#pragma once

// The numbers of a partition's reports, executions and trades: each without a gap, from 1 on. Executions and trades
// have the partition in their upper bits, so that none is given twice at the venue. Reports are numbered from 1 again
// every day; executions and trades go on.

#include <cstdint>

#include "dojima/base/state.hpp"
#include "dojima/book/digest.hpp"
#include "dojima/market/order.hpp"
#include "dojima/time/time.hpp"

namespace dojima::venue {

class ReportNumbers {
 public:
  explicit ReportNumbers(std::uint8_t partition) noexcept
      : trade_bits_(std::uint64_t{partition} << 48), execution_bits_(std::uint64_t{partition} << 60) {}

  [[nodiscard]] market::Sequence next_report() noexcept { return {++last_report_}; }
  [[nodiscard]] std::uint64_t next_execution() noexcept { return execution_bits_ | ++last_execution_; }
  /// Reports are about the next trade from now on.
  void begin_trade() noexcept { ++last_trade_; }

  /// Another day: its first report is number 1.
  void begin_day(std::uint64_t day, time::Time now) noexcept {
    day_ = day;
    day_began_ = now;
    last_report_ = 0;
  }
  /// Days begun before this one, and when it began; the epoch: it is the first.
  [[nodiscard]] std::uint64_t day() const noexcept { return day_; }
  [[nodiscard]] time::Time day_began() const noexcept { return day_began_; }

  /// The number of the last trade, and of the next one. Below 36^10, so that its FIX text has ten characters.
  [[nodiscard]] std::uint64_t last_trade() const noexcept { return trade_bits_ | last_trade_; }
  [[nodiscard]] std::uint64_t next_trade() const noexcept { return trade_bits_ | (last_trade_ + 1); }

  void add_to(book::Digest& digest) const {
    digest.add(last_report_);
    digest.add(last_execution_);
    digest.add(last_trade_);
    if (day_ != 0) digest.add(day_);  // a venue of a single day is what it was before there were more
  }
  void save(StateWriter& out) const {
    out.add(last_report_);
    out.add(last_execution_);
    out.add(last_trade_);
  }
  [[nodiscard]] bool load(StateReader& in) {
    return in.read(last_report_) && in.read(last_execution_) && in.read(last_trade_);
  }
  /// Which day it is; of the first one nothing is saved.
  void save_day(StateWriter& out) const {
    if (day_ == 0) return;
    out.section("day");
    out.add(day_);
    out.add(day_began_);
  }
  /// False: the reader failed.
  [[nodiscard]] bool load_day(StateReader& in) {
    if (!in.is_next("day")) return true;
    if (!in.section("day") || !in.read(day_) || !in.read(day_began_)) return false;
    return day_ != 0 || in.fail("the number of a day behind the first");
  }

 private:
  std::uint64_t trade_bits_, execution_bits_;  // of the partition, in every number
  std::uint64_t last_report_ = 0;
  std::uint64_t last_execution_ = 0;
  std::uint64_t last_trade_ = 0;
  std::uint64_t day_ = 0;
  time::Time day_began_{};
};

}  // namespace dojima::venue
