#pragma once

// The one harness of all programs `dojima-bench-*`. A program describes tables: parameters, and competitors that do the
// same work, one of them the baseline, one the floor. The harness runs all competitors of a case in turn, round after
// round, so that whatever disturbs the machine disturbs all; it counts operations and allocations, compares round by
// round, stops by rule, and prints and writes the tables. Competitors decide what is timed: `prepare` is not, `run` is.
//
//   harness::BenchTable table{.name = "record", .title = "one value into a histogram"};
//   table.parameters = {{"precision_bits", {7, 10}}};
//   table.competitors = {{"record", make_record}, {"index and increment", make_floor}};
//   table.baseline = "record";
//   table.floor = "index and increment";
//   return harness::run_benchmarks({.name = "histogram", .tables = {table}, .build = evidence::build_identity()}, argc,
//   argv);

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dojima/evidence/build_identity.hpp"
#include "dojima/evidence/chart.hpp"
#include "dojima/evidence/table.hpp"
#include "dojima/measure/statistics.hpp"

namespace dojima::harness {

/// Makes the compiler believe that `value` is needed and may have changed. No code.
template <class T>
[[gnu::always_inline]] inline void keep(T&& value) noexcept {
  asm volatile("" : : "g"(&value) : "memory");
}

/// What one batch did: how many operations of each kind, what came out, and other figures it measured itself. At most
/// 12 of each; names are static text. No allocation.
class Operations {
 public:
  static constexpr std::size_t k_most = 12;
  template <class Value>
  struct Named {
    std::string_view name;
    Value value{};
  };

  /// Adds operations of a kind; an empty name is "just operations".
  Operations& add(std::string_view kind, std::uint64_t count) noexcept;
  /// Something measured inside the batch, such as a percentile; the table shows the median over the rounds. NaN: it
  /// cannot be measured here.
  Operations& figure(std::string_view name, double value) noexcept;
  /// What all competitors of a case must agree on; 0: nothing to compare.
  Operations& digest(std::uint64_t of_results) noexcept {
    digest_ = of_results;
    return *this;
  }

  [[nodiscard]] std::uint64_t total() const noexcept;
  [[nodiscard]] std::uint64_t digest() const noexcept { return digest_; }
  [[nodiscard]] std::span<const Named<std::uint64_t>> kinds() const noexcept { return {kinds_.data(), kind_count_}; }
  [[nodiscard]] std::span<const Named<double>> figures() const noexcept { return {figures_.data(), figure_count_}; }

 private:
  std::array<Named<std::uint64_t>, k_most> kinds_{};
  std::array<Named<double>, k_most> figures_{};
  std::size_t kind_count_ = 0;
  std::size_t figure_count_ = 0;
  std::uint64_t digest_ = 0;
};

/// One way to do the work of a case. It lives through all rounds of the case.
class Competitor {
 public:
  virtual ~Competitor() = default;
  /// Before each batch; not timed.
  virtual void prepare() {}
  /// One batch; timed. The same work every time, some 10 us to 10 ms of it.
  virtual Operations run() = 0;
};

/// A competitor that is one function: `harness::competitor([state]() mutable { ...; return
/// harness::Operations{}.add("", n);
/// })`.
template <class Function>
[[nodiscard]] std::unique_ptr<Competitor> competitor(Function function) {
  class OfFunction final : public Competitor {
   public:
    explicit OfFunction(Function of) : function_(std::move(of)) {}
    Operations run() override { return function_(); }

   private:
    Function function_;
  };
  return std::make_unique<OfFunction>(std::move(function));
}

/// One row's parameters, and the seed of the run.
class BenchCase {
 public:
  BenchCase(std::vector<std::pair<std::string, evidence::Cell>> values, std::uint64_t seed)
      : values_(std::move(values)), seed_(seed) {}

  /// The parameter of this name; it must exist and be of that kind.
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] std::string_view text(std::string_view name) const;
  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }
  [[nodiscard]] const std::vector<std::pair<std::string, evidence::Cell>>& values() const noexcept { return values_; }

 private:
  std::vector<std::pair<std::string, evidence::Cell>> values_;
  std::uint64_t seed_;
};

struct BenchParameter {
  std::string name;
  std::vector<evidence::Cell> values;  ///< every combination with the other parameters is a case
};

struct BenchCompetitor {
  std::string name;
  /// Makes the competitor with all its memory, not timed; null: it does not take part in this case.
  std::function<std::unique_ptr<Competitor>(const BenchCase&)> make;
};

/// What the project wants of a competitor: at most `limit` times the cost of another in the same run, or at most
/// `limit` of a figure of its own, or at most `limit` times a figure of another; or at most `limit` ns an operation,
/// where a rate was promised whatever else there is.
struct BenchTarget {
  std::string competitor;
  std::string against;  ///< empty when it is about a figure of its own, or its cost, alone
  double limit = 1;
  std::vector<std::pair<std::string, evidence::Cell>> where{};  ///< only in cases with these parameters
  std::string figure{};                                         ///< its name; empty when it is about cost
};

struct BenchTable {
  std::string name;  ///< one word
  std::string title;
  std::vector<BenchParameter> parameters{};
  std::vector<BenchCompetitor> competitors{};
  std::string baseline{};  ///< the competitor that others are compared with
  std::string floor{};     ///< the least that the work can cost; may be empty
  std::vector<BenchTarget> targets{};
  /// Figures that are compared with the baseline's of the same round: NAME_vs_baseline, the median of the ratios, with
  /// its 99 % bootstrap interval, NAME_low and NAME_high.
  std::vector<std::string> compared_figures{};
  std::vector<std::string> notes{};  ///< what a reader has to know; printed below the table
  /// The word in the names of columns: "event" gives ns_per_event. A rate, here events_per_second, is shown for other
  /// words than "operation".
  std::string operation = "operation";
  std::string competitor = "competitor";  ///< the name of the column of competitors
  std::string floor_ratio = "vs_floor";   ///< ... and of the one with the cost divided by the floor's
  /// Cases whose rounds are drawn as histograms as well, a curve for each of `drawn` competitors; empty: none.
  std::function<bool(const BenchCase&)> is_drawn{};
  std::vector<std::string> drawn{};
  /// Cases small enough for --quick; empty: all of them. --where asks for any case.
  std::function<bool(const BenchCase&)> is_quick{};
};

struct BenchProgram {
  std::string name;  ///< "histogram": the program is dojima-bench-histogram, its command `dojima bench histogram`
  std::vector<BenchTable> tables;
  evidence::BuildIdentity build{};
  std::string notes{};  ///< printed below every table, e.g. what the timing itself costs
};

/// Parses the command line, measures, prints; returns the exit status: 0 success, 1 competitors disagree on results,
/// 2 bad arguments, 3 a competitor could not run (it threw) or the result could not be written. `--help` explains.
[[nodiscard]] int run_benchmarks(const BenchProgram& program, int count, const char* const* words);

// --------------------------------------------------------------------------------------------------- the parts of it

struct BenchSettings {
  std::uint64_t seed = 1;
  std::size_t rounds = 0;  ///< exactly that many; 0: until the stopping rule is content
  measure::StoppingRule rule{.min_runs = 30, .max_runs = 2000, .time_cap = std::chrono::seconds{10}};
  std::chrono::nanoseconds warm_up = std::chrono::milliseconds{50};  ///< of each competitor
  std::chrono::nanoseconds slice = std::chrono::microseconds{500};   ///< of each competitor in a round, at least
  std::function<std::int64_t()> now_ns;                              ///< CLOCK_MONOTONIC unless a test hands in another
  std::function<bool()> is_interrupted;                              ///< asked between batches
  std::function<void(std::size_t cases_done, std::size_t rounds)> progress;  ///< after each round
};

struct BenchCheck {
  std::string name;
  bool ok = false;
  std::string detail;
};

struct BenchResult {
  evidence::Table table;
  std::vector<BenchCheck> agreement;  ///< digests of the competitors, one a case
  std::vector<BenchCheck> targets;
  std::vector<evidence::Chart> charts;  ///< histograms of the rounds
  bool was_interrupted = false;
};

/// The cases of a table in order: the last parameter changes fastest.
[[nodiscard]] std::vector<BenchCase> cases_of(const BenchTable& table, std::uint64_t seed);

/// Measures some cases of a table.
[[nodiscard]] BenchResult run_table(const BenchTable& table, std::span<const BenchCase> cases,
                                    const BenchSettings& settings);

}  // namespace dojima::harness
