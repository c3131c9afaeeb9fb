#pragma once

// Whether our gaps are those that oslat (Debian's rt-tests) counts: rounds of both in turn on one processor, and how
// many gaps a second of at least 2 us each of them saw. Recorded, not judged: on a machine that others use, gaps come
// in bursts, and two rounds of one tool differ as well; the spread of the rounds is beside the ratio.

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <string>
#include <vector>

#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/import.hpp"
#include "dojima/instruments/jitter.hpp"

namespace dojima::instruments {

struct AgreementPlan {
  int cpu = 0;
  ThreadPolicy policy{};
  std::size_t rounds = 5;
  std::chrono::seconds round_length{4};
};

/// One round of both.
struct AgreementRound {
  double ours_per_s = 0;
  double oslat_per_s = 0;
};

/// Runs one of both for a round and answers its gaps a second.
using GapCounter = std::function<std::expected<double, std::string>()>;

/// By turns: ours first, then oslat first. `go_on` is asked before each pair with how many are done.
[[nodiscard]] std::expected<std::vector<AgreementRound>, std::string> compare_with_oslat(
    const AgreementPlan& plan, const GapCounter& ours, const GapCounter& oslat,
    const std::function<bool(std::size_t done)>& go_on);

/// Ours, and the program `oslat` as the shell finds it.
[[nodiscard]] GapCounter our_counter(const AgreementPlan& plan, std::function<bool()> go_on);
[[nodiscard]] GapCounter oslat_counter(const AgreementPlan& plan);

/// Adds the tables "rounds" and "agreement" (ratio of the medians with its bootstrap interval, and whether it lies
/// within a fifth) and a run of each tool for each round. Pure.
void add_agreement(evidence::Artefact& artefact, const AgreementPlan& plan, const std::vector<AgreementRound>& rounds);

}  // namespace dojima::instruments
