#pragma once

// Counts that may not grow: what a program counted, kept in a file that is committed, and held against what it counts
// today. Counts of another compiler, other flags or another counting program are other counts, so they are refused
// rather than compared. Allocates.
//
//   const auto baseline = harness::read_baseline(text);                       // or an error in one line
//   const auto fitting = harness::fits(*baseline, planned);                   // before anything is counted
//   const auto findings = harness::compare(*baseline, today);                 // refused when it is of another build
//   for (const CountFinding& finding : *findings) if (finding.has_grown) ...

#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dojima::harness {

struct CountBaseline {
  /// How the counts were made: name and value; all must be the same for counts to be compared. Sorted by name.
  std::vector<std::pair<std::string, std::string>> circumstances{};
  /// What was counted, each at least 0. Sorted by name.
  std::vector<std::pair<std::string, double>> counts{};
};

struct CountFinding {
  std::string name;
  double before = 0;
  double after = 0;
  bool has_grown = false;  ///< by more than is allowed, or it is new, or gone
  std::string remark{};    ///< in words, empty where nothing has changed
};

/// A count may grow by this share of itself.
inline constexpr double k_count_growth = 0.02;
/// ... and by this much in any case: counts are means over requests.
inline constexpr double k_count_slack = 0.5;

/// The error says in one line what is wrong with the text.
[[nodiscard]] std::expected<CountBaseline, std::string> read_baseline(std::string_view text);
/// As it is committed.
[[nodiscard]] std::string text_of(const CountBaseline& baseline);

/// Whether counts like these can be held against the baseline, whatever they come to: made in the same circumstances,
/// and of the same names. To be asked before counting. The error says in one line what differs: the first circumstance,
/// or else all names that only one of them has.
[[nodiscard]] std::expected<void, std::string> fits(const CountBaseline& before, const CountBaseline& planned);

/// Every count of either, by name; a count that only one of them has needs a new baseline. The error names the first
/// circumstance that differs.
[[nodiscard]] std::expected<std::vector<CountFinding>, std::string> compare(const CountBaseline& before,
                                                                            const CountBaseline& after);

}  // namespace dojima::harness
