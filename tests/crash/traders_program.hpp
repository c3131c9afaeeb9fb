#pragma once

// The command line of the programs that are FIX clients for dojima-gateway-kills. Started again, each goes on where it
// was killed, with the rate that the killer asks for.

#include <chrono>
#include <cstdint>
#include <fmt/core.h>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "dojima/harness/program_options.hpp"

namespace dojima::crash {

struct TradersOptions {
  std::string folder;
  std::vector<std::string> symbols;
  std::uint16_t port = 0;
  std::uint32_t clients = 4;
  std::uint64_t seed = 1;
  bool has_days = false;
  std::string copy;  ///< CompID of a firm that has a drop copy and requests nothing; empty: none
};

/// Expiry of what outlives the days of a run, as ExpireDate(432): the venue takes none more than 89 days ahead.
inline std::string last_date() {
  const std::chrono::year_month_day date{std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()) +
                                         std::chrono::days{80}};
  return fmt::format("{:04}{:02}{:02}", int{date.year()}, unsigned{date.month()}, unsigned{date.day()});
}

/// What the killer waits for.
inline void say_ready() {
  fmt::print("traders ready\n");
  std::fflush(stdout);
}

inline std::string trader_name(std::size_t client) {
  return fmt::format("CLIENT{}", client + 1);
}

inline int run_traders(const char* name, const char* what, int count, char** words,
                       const std::function<void(const TradersOptions&)>& run) {
  harness::ProgramOptions program(what);
  TradersOptions options;
  program.add("--folder", options.folder, "Of stores, files and board").required();
  program.add("--symbol", options.symbols, "Two symbols").required().values(2, 2);
  program.add("--port", options.port, "Of the gateway").required();
  program.add("--clients", options.clients, "How many").show_default();
  program.add("--seed", options.seed, "Of what they do in this life").show_default();
  program.add_flag("--days", options.has_days, "Every second order outlives the venue's day");
  program.add("--copy", options.copy, "CompID of one more session, a drop copy, which requests nothing");
  if (const auto status = program.parse(count, words)) return *status;
  try {
    run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", name, error.what());
    return 1;
  }
  return 0;
}

}  // namespace dojima::crash
