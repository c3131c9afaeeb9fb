#pragma once

// The files of a trading day: comma-separated values that anybody's spreadsheet reads. Quoted where they have to be.

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/cli/journal/day_book.hpp"
#include "dojima/venue/operator_log.hpp"
#include "dojima/venue/settings.hpp"

namespace dojima::cli {

/// A partition's day, with what its numbers mean.
struct DayOfPartition {
  std::string name;  ///< "partition-1"
  const DayBook* book = nullptr;
  const venue::PartitionSettings* settings = nullptr;
};

struct DayFile {
  std::string name;  ///< "orders.csv"
  std::string text;
  std::uint64_t rows = 0;
};

/// orders, trades, positions, statistics and audit, of all partitions together.
[[nodiscard]] std::vector<DayFile> day_files(const std::vector<DayOfPartition>& partitions,
                                             const std::vector<venue::OperatorRecord>& operations);

/// Into a folder, which is made: each under another name first, then renamed. The error is text for a person.
[[nodiscard]] std::expected<void, std::string> write_day_files(const std::string& folder,
                                                               const std::vector<DayFile>& files);

/// Between quotation marks where commas, quotation marks or line ends are in it.
[[nodiscard]] std::string csv_text(std::string_view text);
/// "12.5", from 1e-8.
[[nodiscard]] std::string value_text(DayValue value);

}  // namespace dojima::cli
