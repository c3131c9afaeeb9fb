#include "dojima/instruments/oslat_agreement.hpp"

#include <algorithm>
#include <cmath>

#include "dojima/evidence/child_process.hpp"
#include "dojima/evidence/temporary_file.hpp"
#include "dojima/instruments/studies/gap_analysis.hpp"
#include "dojima/measure/statistics.hpp"

namespace dojima::instruments {
namespace {

constexpr std::uint64_t k_limit_us = 2;
constexpr double k_tolerance = 0.2;

}  // namespace

std::expected<std::vector<AgreementRound>, std::string> compare_with_oslat(
    const AgreementPlan& plan, const GapCounter& ours, const GapCounter& oslat,
    const std::function<bool(std::size_t done)>& go_on) {
  std::vector<AgreementRound> rounds;
  while (rounds.size() < plan.rounds && go_on(rounds.size())) {
    const bool is_ours_first = rounds.size() % 2 == 0;
    const auto first = is_ours_first ? ours() : oslat();
    if (!first) return std::unexpected(first.error());
    const auto second = is_ours_first ? oslat() : ours();
    if (!second) return std::unexpected(second.error());
    rounds.push_back(is_ours_first ? AgreementRound{*first, *second} : AgreementRound{*second, *first});
  }
  return rounds;
}

GapCounter our_counter(const AgreementPlan& plan, std::function<bool()> go_on) {
  return [plan, go_on = std::move(go_on)]() -> std::expected<double, std::string> {
    const auto recording =
        record_jitter({.cpus = {plan.cpu}, .policy = plan.policy, .duration = plan.round_length}, go_on);
    if (!recording) return std::unexpected(recording.error());
    const GapTrace& trace = recording->cores.front().trace;
    if (trace.span_ns == 0) return std::unexpected("nothing was recorded");
    return static_cast<double>(count_from(trace, k_limit_us * 1'000)) / (static_cast<double>(trace.span_ns) * 1e-9);
  };
}

GapCounter oslat_counter(const AgreementPlan& plan) {
  return [plan]() -> std::expected<double, std::string> {
    const evidence::TemporaryFile file;
    std::vector<std::string> words = {"oslat",
                                      "--quiet",
                                      "--cpu-list",
                                      std::to_string(plan.cpu),
                                      "--duration",
                                      std::to_string(plan.round_length.count()) + "s",
                                      "--json=" + file.path()};
    if (plan.policy.fifo_priority) {
      words.insert(words.end(), {"--rtprio", std::to_string(*plan.policy.fifo_priority)});
    }
    const auto run = evidence::run_child(words, evidence::ChildOutput::kept);
    if (!run) return std::unexpected("oslat (package rt-tests): " + run.error());
    if (run->status != 0) {
      return std::unexpected("oslat: exit status " + std::to_string(run->status) +
                             (run->errors.empty() ? "" : "\n" + run->errors));
    }
    const auto counts = evidence::oslat_counts(file.text(), k_limit_us);
    if (!counts) return std::unexpected("oslat: " + counts.error());
    const evidence::OslatCount& count = counts->front();
    if (!(count.seconds > 0)) return std::unexpected("oslat: it watched for no time");
    return static_cast<double>(count.turns) / count.seconds;
  };
}

void add_agreement(evidence::Artefact& artefact, const AgreementPlan& plan, const std::vector<AgreementRound>& rounds) {
  artefact.set_parameter("cpu", plan.cpu).set_parameter("rounds", plan.rounds);
  artefact.set_parameter("round_s", plan.round_length.count()).set_parameter("limit_us", k_limit_us);
  artefact.set_parameter("fifo_priority",
                         plan.policy.fifo_priority ? evidence::Document(*plan.policy.fifo_priority) : 0);
  evidence::Table table{
      "rounds", "gaps of at least 2 us, a second", {{"round"}, {"jitter_per_s", 1}, {"oslat_per_s", 1}, {"ratio", 3}}};
  std::vector<double> ours;
  std::vector<double> oslat;
  for (const AgreementRound& round : rounds) {
    const bool has_ratio = round.oslat_per_s > 0;
    table.add_row(
        {ours.size() + 1, round.ours_per_s, round.oslat_per_s,
         has_ratio ? evidence::Cell(round.ours_per_s / round.oslat_per_s) : evidence::Unmeasured{"oslat saw no gap"}});
    ours.push_back(round.ours_per_s);
    oslat.push_back(round.oslat_per_s);
    const std::string name = "gaps_from_2_us_per_s";
    artefact.begin_run({.arm = "jitter"}).add_figure(name, "gaps/s", round.ours_per_s);
    artefact.begin_run({.arm = "oslat"}).add_figure(name, "gaps/s", round.oslat_per_s);
  }
  artefact.add_table(std::move(table));
  evidence::Table agreement{"agreement",
                            "jitter beside oslat",
                            {{"ratio", 3, true, "of the medians of the rounds"},
                             {"low", 3, true, "of its 95 % bootstrap interval"},
                             {"high", 3},
                             {"within_a_fifth"}}};
  const auto is_positive = [](double value) { return value > 0; };
  if (rounds.empty() || !std::ranges::all_of(oslat, is_positive)) {
    const evidence::Unmeasured none{rounds.empty() ? "no round came to its end" : "a round of oslat saw no gap"};
    agreement.add_row({none, none, none, none});
  } else {
    const measure::Interval ratio = measure::ratio_interval(ours, oslat, 0.95);
    agreement.add_row({ratio.estimate, ratio.low, ratio.high, std::abs(ratio.estimate - 1) <= k_tolerance});
  }
  artefact.add_table(std::move(agreement));
  // Recorded only: another run may come out differently.
  artefact.add_rule({"agreement", "within_a_fifth", evidence::Rule::shown, 0});
}

}  // namespace dojima::instruments
