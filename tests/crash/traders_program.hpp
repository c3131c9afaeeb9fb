#pragma once

// The command line of the programs that are FIX clients for dojima-gateway-kills. Started again, each goes on where it
// was killed, with the rate that the killer asks for.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <fmt/core.h>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

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

/// Expiry of what outlives the days of a run, as ExpireDate(432).
inline constexpr const char* k_last_date = "20991231";

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
  CLI::App app(what);
  TradersOptions options;
  app.add_option("--folder", options.folder, "Of stores, files and board")->required();
  app.add_option("--symbol", options.symbols, "Two symbols")->required()->expected(2);
  app.add_option("--port", options.port, "Of the gateway")->required();
  app.add_option("--clients", options.clients, "How many")->capture_default_str();
  app.add_option("--seed", options.seed, "Of what they do in this life")->capture_default_str();
  app.add_flag("--days", options.has_days, "Every second order outlives the venue's day");
  app.add_option("--copy", options.copy, "CompID of one more session, a drop copy, which requests nothing");
  CLI11_PARSE(app, count, words);
  try {
    run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", name, error.what());
    return 1;
  }
  return 0;
}

}  // namespace dojima::crash
