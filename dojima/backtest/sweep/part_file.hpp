#pragma once

// What a sweep has done so far, on disk, so that it can go on after an interruption. Text: the first line names the
// sweep by its digest, each further line is one point that is done, in the order in which they were done:
//
//   dojima sweep 1 5f1a93c2e07bd418
//   17,1234,40,...,trouble,9c01b2f3
//
// The last cell of a line is a checksum of the rest; a line that is torn or changed is dropped, and its point runs
// again. One thread at a time.

#include <cstdint>
#include <cstdio>
#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "dojima/backtest/sweep.hpp"

namespace dojima::backtest {

class PartFile {
 public:
  /// Takes the rows over that are there, and goes on behind them; answers how many. Makes the file where there is none.
  /// The error is one line for the user: it cannot be written, or is of another sweep.
  [[nodiscard]] std::expected<std::size_t, std::string> open(const std::string& name, std::uint64_t digest,
                                                             std::vector<SweepRow>& rows);
  [[nodiscard]] bool is_open() const noexcept { return file_ != nullptr; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// False: it could not be written.
  [[nodiscard]] bool add(std::size_t point, const SweepRow& row);

 private:
  std::string name_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{nullptr, &std::fclose};
};

}  // namespace dojima::backtest
