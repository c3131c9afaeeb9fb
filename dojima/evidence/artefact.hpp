#pragma once

// The result of a run as one JSON object, `dojima.lab.run/1`: what `--json` prints, what `dojima lab verify`,
// `reproduce` and `report` read. It keeps what was measured (tables, checks, the counts of the histograms) beside where
// and how it was measured (evidence), and names itself by the SHA-256 of all that. The summary is computed from the
// counts, never handed in, so anybody can compute it again. For the end of a run: allocates freely; one thread;
// deterministic.
//
//   evidence::Artefact run("dojima demo");
//   run.set_parameter("seed", 1).set_parameter("rate_per_s", 20'000);
//   run.add_check("nothing lost", lost == 0, "20000 sent, 20000 answered");
//   run.add_table(table);                                             // evidence/table.hpp
//   run.add_histogram({.name = "gateway in"}, gateway_in.view());     // measure/histogram.hpp; stages in order
//   run.add_histogram({.name = "venue"}, venue.view());
//   run.add_histogram({.name = "end to end", .role = evidence::Role::total}, end_to_end.view());
//   run.add_series({.name = "latency", .columns = {"p50", "p99", "max"}, .rows = rows});
//   run.set_evidence(collector.finish({...}));                        // evidence/evidence.hpp
//   write(file, run.text());
//
// Several process runs (the unit of replication) of one thing, or of A and B:
//
//   run.begin_run({.arm = "A", .start_s = 0.0}).add_figure("median", "ns", 561.0).add_histogram(...);
//   run.begin_run({.arm = "B", .start_s = 1.2}).add_figure("median", "ns", 548.0);
//   ...
//   run.compare_arms("median");                                       // measure/comparison.hpp

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dojima/evidence/chart.hpp"
#include "dojima/evidence/document.hpp"
#include "dojima/evidence/table.hpp"
#include "dojima/measure/comparison.hpp"
#include "dojima/measure/histogram.hpp"

namespace dojima::evidence {

/// What a distribution is to the others of its run.
enum class Role : std::uint8_t {
  stage,  ///< one part of the way; the stages of a run, in the order they were added, make its waterfall
  total,  ///< the whole way
  other,  ///< by itself
};

/// What a histogram holds.
struct Distribution {
  std::string name;
  Role role = Role::stage;
  std::string unit = "ns";
  friend bool operator==(const Distribution&, const Distribution&) = default;
};

/// A histogram with its counts, as an artefact keeps it. In the file, `counts` lists the cells from the first on; a
/// negative number stands for that many empty ones.
struct HistogramRecord {
  Distribution of;
  measure::StoredHistogram histogram;
};

/// A number that a run yields as a whole, such as its median or its orders per second.
struct Figure {
  std::string name;
  std::string unit;
  double value = 0;
  friend bool operator==(const Figure&, const Figure&) = default;
};

/// One process run, or one round of an interleaved measurement.
struct RunRecord {
  std::string arm{};   ///< "A", "B", a competitor's name; empty when there is one kind only
  double start_s = 0;  ///< since the first run began
  std::uint64_t dropped_warmup = 0;
  std::vector<Figure> figures{};
  std::vector<HistogramRecord> histograms{};

  RunRecord& add_figure(std::string name, std::string unit, double value);
  RunRecord& add_histogram(Distribution of, const measure::HistogramView& histogram);
};

/// What a series shows; decides how the report draws it.
enum class SeriesKind : std::uint8_t { latency, throughput };

/// Values over time. Each row is the time in seconds followed by a value per column.
struct Series {
  std::string name;
  SeriesKind kind = SeriesKind::latency;
  std::string unit = "ns";
  std::vector<std::string> columns{};
  std::vector<std::vector<double>> rows{};
  friend bool operator==(const Series&, const Series&) = default;
};

struct Check {
  std::string name;
  bool ok = false;
  std::string detail{};
  friend bool operator==(const Check&, const Check&) = default;
};

/// How `dojima lab reproduce` judges a column of a table or a figure of the runs when the command is run again.
enum class Rule : std::uint8_t {
  equal,   ///< counts, results, digests: the same again
  within,  ///< ratios: within `tolerance` of the recorded value, relative
  shown,   ///< absolute times and what depends on the machine: shown side by side, never judged
};
struct ColumnRule {
  std::string table;
  std::string column;
  Rule rule = Rule::shown;
  double tolerance = 0;
  friend bool operator==(const ColumnRule&, const ColumnRule&) = default;
};

/// How far a result may be trusted. `ok` is there only alone.
enum class Quality : std::uint8_t {
  ok,
  quantised,    ///< the clock's step is large beside what was measured
  contended,    ///< something else wanted the processor
  throttled,    ///< the kernel's or the host's budget took the processor away
  virtualised,  ///< a host below this machine can stop it unseen
  unavailable,  ///< a value could not be measured: it is null
};
[[nodiscard]] std::string_view name_of(Quality quality) noexcept;
[[nodiscard]] std::string_view name_of(Role role) noexcept;
[[nodiscard]] std::string_view name_of(Rule rule) noexcept;
[[nodiscard]] std::string_view name_of(SeriesKind kind) noexcept;

struct QualityNote {
  Quality quality = Quality::ok;
  std::string reason;
  std::string field{};  ///< what it speaks of, e.g. "host.governor" or "tables.hold.ns_per_event"; empty: all of it
  friend bool operator==(const QualityNote&, const QualityNote&) = default;
};

/// An A/B comparison of one figure over the runs of the arms "A" and "B", in pairs.
struct ComparisonRecord {
  std::string figure;
  measure::ComparisonRule rule{};
  measure::Comparison result{};
};

class Artefact {
 public:
  static constexpr std::string_view k_schema = "dojima.lab.run/1";

  /// `command` is what a person types, e.g. "dojima bench sched --table hold".
  explicit Artefact(std::string command) : command_(std::move(command)) {}

  Artefact& set_parameter(std::string_view name, Document value);
  Artefact& add_check(std::string name, bool ok, std::string detail = {});
  /// Cells that were not measured become null; their reasons join the quality.
  Artefact& add_table(Table table);
  Artefact& add_rule(ColumnRule rule);
  Artefact& add_series(Series series);
  /// A drawing of its own, where histograms and series do not show it.
  Artefact& add_chart(Chart chart);
  Artefact& add_quality(Quality quality, std::string reason, std::string field = {});
  /// Compares the arms "A" and "B" of the runs there are by now; every run of both has the figure, a positive number.
  Artefact& compare_arms(std::string figure, const measure::ComparisonRule& rule = {});
  /// The object that evidence/evidence.hpp collects; its notes of quality come after those added here.
  Artefact& set_evidence(Document evidence);

  /// Begins the next process run; what is added to the reference lives until the next call.
  RunRecord& begin_run(RunRecord run = {});
  /// Into the last run; begins the first one when there is none.
  Artefact& add_figure(std::string name, std::string unit, double value);
  Artefact& add_histogram(Distribution of, const measure::HistogramView& histogram);

  /// The whole object with its summary and id, paths and names of this machine taken out (evidence/privacy.hpp).
  [[nodiscard]] Document document() const;
  /// As it is stored and printed.
  [[nodiscard]] std::string text() const { return document().pretty(); }

  /// Reads an artefact without believing it: `evidence/verify.hpp` says whether its id and summary are right. The error
  /// names the member that is missing or of the wrong kind.
  [[nodiscard]] static std::expected<Artefact, std::string> from(const Document& document);

  [[nodiscard]] const std::string& command() const noexcept { return command_; }
  [[nodiscard]] const Document& parameters() const noexcept { return parameters_; }
  [[nodiscard]] const std::vector<Check>& checks() const noexcept { return checks_; }
  [[nodiscard]] const std::vector<Table>& tables() const noexcept { return tables_; }
  [[nodiscard]] const std::vector<ColumnRule>& rules() const noexcept { return rules_; }
  [[nodiscard]] const std::vector<RunRecord>& runs() const noexcept { return runs_; }
  [[nodiscard]] const std::vector<Series>& series() const noexcept { return series_; }
  [[nodiscard]] const std::vector<Chart>& charts() const noexcept { return charts_; }
  [[nodiscard]] const std::optional<ComparisonRecord>& comparison() const noexcept { return comparison_; }
  [[nodiscard]] const std::vector<QualityNote>& quality() const noexcept { return quality_; }
  /// Without its notes of quality, which `quality` gives.
  [[nodiscard]] const Document& evidence() const noexcept { return evidence_; }

 private:
  std::string command_;
  Document parameters_ = Document::object();
  std::vector<Check> checks_;
  std::vector<Table> tables_;
  std::vector<ColumnRule> rules_;
  std::vector<RunRecord> runs_;
  std::vector<Series> series_;
  std::vector<Chart> charts_;
  std::optional<ComparisonRecord> comparison_;
  std::vector<QualityNote> quality_;
  Document evidence_ = Document::object();
};

/// The id that belongs to an artefact's object: the SHA-256 of its canonical text without the member `id`.
[[nodiscard]] std::string id_of(Document artefact);

}  // namespace dojima::evidence
