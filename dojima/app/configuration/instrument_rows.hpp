#pragma once

// Instruments as rows of comma-separated values, and what is wrong with reference data. The first row names the
// columns, in any order; docs/reference-data.md has them. Every problem of a file is found at once. O(rows). Cold path.
//
//   id,symbol,ticks,highest,reference,maximum_quantity,isin,currency,lot
//   1001,KAGA,0.5,2000,980,100000,JP3900000005,JPY,100

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dojima/simulate/exchange_config.hpp"

namespace dojima::app {

struct InstrumentRows {
  std::vector<simulate::InstrumentConfig> instruments;
  std::vector<std::string> problems;  ///< "instruments.csv:17: isin: ...", in the order of the rows; at most 200
};

/// `name` stands for the file in messages. Rows with a problem are left out.
[[nodiscard]] InstrumentRows parse_instruments(std::string_view text, std::string_view name);

/// What is wrong with the reference data of an instrument: the key, and what.
[[nodiscard]] std::vector<std::pair<std::string_view, std::string>> complaints_of(
    const simulate::InstrumentConfig& instrument);

/// Why it is no ISIN (ISO 6166): 12 characters, the last a check digit; or no SEDOL: 7, likewise. Empty: it is one.
[[nodiscard]] std::string complaint_of_isin(std::string_view isin);
[[nodiscard]] std::string complaint_of_sedol(std::string_view sedol);

/// "2026-11-23". None: it is no date.
[[nodiscard]] std::optional<std::chrono::sys_days> parse_date(std::string_view text);
[[nodiscard]] std::string date_text(std::chrono::sys_days date);

}  // namespace dojima::app
