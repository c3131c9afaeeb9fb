#pragma once

// Results of other tools as artefacts, so that `dojima lab report` lays them over ours: cyclictest and oslat (rt-tests)
// with --json, HdrHistogram's interval logs, Google Benchmark with --benchmark_format=json, hyperfine with
// --export-json. Reads text that nobody vouches for; what is missing or makes no sense is refused by name. Names of
// hosts are left behind. Pure; allocates.
//
//   const auto run = import_foreign(text, *format_of(text), {.file = "oslat.json", .created = now});

#include <array>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/evidence/artefact.hpp"

namespace dojima::evidence {

enum class ForeignFormat : std::uint8_t { cyclictest, oslat, hdr_log, google_benchmark, hyperfine };
inline constexpr std::array k_foreign_formats = {ForeignFormat::cyclictest, ForeignFormat::oslat,
                                                 ForeignFormat::hdr_log, ForeignFormat::google_benchmark,
                                                 ForeignFormat::hyperfine};
[[nodiscard]] std::string_view name_of(ForeignFormat format) noexcept;

/// What the text looks like; nothing when it looks like none of them.
[[nodiscard]] std::optional<ForeignFormat> format_of(std::string_view text);

struct ImportSettings {
  std::string file{};                 ///< its name, for the evidence
  std::string created_utc{};          ///< when it is imported
  std::string tool_version{};         ///< of this program
  std::vector<std::string> argv{};    ///< as this program was started
  std::uint64_t hdr_log_unit_ns = 1;  ///< what a value of 1 in an interval log is: 1 to 1'000'000
};

/// The artefact. Buckets of whole microseconds are put at their middle; values above the last bucket are put at its
/// edge but for the largest, which the tools keep exactly, and a note says how many those are.
[[nodiscard]] std::expected<Artefact, std::string> import_foreign(std::string_view text, ForeignFormat format,
                                                                  const ImportSettings& settings);

/// How many turns of one processor's loop took at least `limit_us` (whole, below the last bucket), and for how long it
/// was watched.
struct OslatCount {
  int cpu = 0;
  std::uint64_t turns = 0;
  double seconds = 0;
};
[[nodiscard]] std::expected<std::vector<OslatCount>, std::string> oslat_counts(std::string_view text,
                                                                               std::uint64_t limit_us);

}  // namespace dojima::evidence
