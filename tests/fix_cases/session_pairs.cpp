// Pairs of sessions under everything (pair_world.hpp), seed by seed. The first seed that fails ends the program with
// status 1; the same seed fails again in the same way, and --log shows what its sessions said. An interrupt ends it
// behind the seeds that are done.
//
//   dojima-session-pairs --seeds 1000 --messages 1000000 --json pairs.json
//   dojima-session-pairs --first-seed 17 --seeds 1 --messages 1000 --log

#include "tests/fix_cases/pair_world.hpp"

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>
#include <unistd.h>
#include <utility>

#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/build_identity.hpp"
#include "dojima/evidence/evidence.hpp"
#include "dojima/evidence/table.hpp"
#include "dojima/harness/program_options.hpp"
#include "dojima/time/clock.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace {

using namespace dojima;

struct Options {
  std::uint64_t first_seed = 1, seeds = 10, messages = 10'000;
  double seconds = 0;
  bool has_log = false;
  std::string json;
};

/// What sessions said and what happened to them, on standard output.
class PrintedLog final : public fix::MessageLog {
 public:
  std::uint32_t add_session(const fix::SessionName& name) override {
    sender_[next_ % 2] = name.sender_comp_id;
    return next_++ % 2;
  }
  void write(std::uint32_t session, fix::LogEntry entry, Bytes bytes, time::Time now) noexcept override {
    std::string text(as_text(bytes));
    for (char& character : text)
      if (character == '\x01') character = '|';
    char stamp[time::k_timestamp_max];
    const std::string_view at = time::format_timestamp(now, 9, stamp);
    const char* const what = entry == fix::LogEntry::event ? "event" : entry == fix::LogEntry::incoming ? "in" : "out";
    std::printf("%.*s %s %s %s\n", static_cast<int>(at.size()), at.data(), sender_[session].c_str(), what,
                text.c_str());
  }

 private:
  std::uint32_t next_ = 0;
  std::string sender_[2];
};

volatile std::sig_atomic_t running_seed = 0;

/// An assertion ends the program: the seed is said nevertheless.
void on_abort(int) {
  char text[64];
  const int size = std::snprintf(text, sizeof text, "session-pairs: seed %d aborted\n", static_cast<int>(running_seed));
  static_cast<void>(::write(2, text, static_cast<std::size_t>(size)));
  ::_exit(1);
}

volatile std::sig_atomic_t is_interrupted = 0;

void on_interrupt(int) {
  is_interrupted = 1;
}

unsigned long long printable(std::uint64_t value) {
  return static_cast<unsigned long long>(value);
}

/// What the seeds gave, one by one and together.
class Account {
 public:
  void add(std::uint64_t seed, const pairs::Outcome& outcome) {
    ++seeds_;
    orders_ += outcome.orders;
    repeated_ += outcome.repeated;
    both_.deaths += outcome.both.deaths;
    both_.logons += outcome.both.logons;
    both_.refusals += outcome.both.refusals;
    both_.failed_starts += outcome.both.failed_starts;
    const double virtual_seconds = std::chrono::duration<double>(outcome.virtual_time).count();
    each_.add_row({seed, outcome.orders, outcome.both.deaths, outcome.both.logons, outcome.repeated,
                   outcome.both.refusals, outcome.both.failed_starts, virtual_seconds,
                   outcome.failure.empty() ? "ok" : "FAILED: " + outcome.failure});
  }
  /// Every ten seconds.
  [[nodiscard]] bool is_due() {
    if (seconds() < next_) return false;
    next_ = seconds() + 10;
    return true;
  }
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  [[nodiscard]] std::uint64_t seeds() const { return seeds_; }
  void print() const {
    std::printf(
        "%llu seeds, %llu messages (%llu a second), %llu ends of a process, %llu logons, %llu messages delivered "
        "again behind such an end, %llu refused by a full or failing disk, %llu starts that failed\n",
        printable(seeds_), printable(orders_),
        printable(static_cast<std::uint64_t>(static_cast<double>(orders_) / seconds())), printable(both_.deaths),
        printable(both_.logons), printable(repeated_), printable(both_.refusals), printable(both_.failed_starts));
    std::fflush(stdout);
  }
  [[nodiscard]] const evidence::Table& each() const { return each_; }
  [[nodiscard]] evidence::Table sum() const {
    evidence::Table table{.name = "pairs", .title = "Pairs of sessions under everything, all seeds together"};
    table.columns = each_.columns;
    table.columns.front() = {"seeds"};
    table.columns.pop_back();
    double virtual_seconds = 0;
    for (const auto& row : each_.rows) virtual_seconds += row[each_.column("virtual_seconds")].number();
    table.add_row(
        {seeds_, orders_, both_.deaths, both_.logons, repeated_, both_.refusals, both_.failed_starts, virtual_seconds});
    return table;
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double next_ = 10;
  std::uint64_t seeds_ = 0, orders_ = 0, repeated_ = 0;
  pairs::Counts both_;
  evidence::Table each_{.name = "seeds",
                        .title = "Pairs of sessions under everything, seed by seed",
                        .columns = {{"seed"},
                                    {"messages"},
                                    {"ends_of_a_process"},
                                    {"logons"},
                                    {"delivered_again", 2, true, "behind an end between a message and its number"},
                                    {"refused", 2, true, "by a full or failing disk"},
                                    {"starts_that_failed"},
                                    {"virtual_seconds", 1},
                                    {"verdict"}}};
};

/// False where it cannot be written.
bool write_json(const Options& options, const Account& account, const evidence::EvidenceCollector& collector,
                const std::string& failure) {
  evidence::Artefact artefact("dojima-session-pairs");
  artefact.set_parameter("first_seed", options.first_seed)
      .set_parameter("seeds", options.seeds)
      .set_parameter("messages", options.messages)
      .set_parameter("seconds", options.seconds)
      .add_check("every message arrived once and in order", failure.empty() && account.seeds() > 0, failure)
      .add_check("seeds were run", account.seeds() > 0,
                 std::to_string(account.seeds()) + " of " + std::to_string(options.seeds));
  for (const evidence::Table& table : {account.sum(), account.each()}) {
    artefact.add_table(table);
    for (const evidence::Column& column : table.columns)
      artefact.add_rule({table.name, column.name, evidence::Rule::equal, 0});
  }
  time::SystemClock clock;
  artefact.set_evidence(collector.finish({.created = clock.now(),
                                          .elapsed = std::chrono::duration_cast<std::chrono::nanoseconds>(
                                              std::chrono::duration<double>(account.seconds())),
                                          .applied = evidence::applied_settings()}));
  std::ofstream stream(options.json, std::ios::binary);
  stream << artefact.text();
  stream.flush();
  return stream.good();
}

/// Why the first seed failed that did; empty: none.
std::string run_seeds(const Options& options, Account& account) {
  for (std::uint64_t seed = options.first_seed; seed < options.first_seed + options.seeds; ++seed) {
    running_seed = static_cast<std::sig_atomic_t>(seed);
    PrintedLog log;
    const auto goes_on = [&](std::uint64_t arrived) {
      if (account.is_due())
        std::fprintf(stderr, "%llu of %llu seeds are done; seed %llu: %llu of %llu messages\n",
                     printable(account.seeds()), printable(options.seeds), printable(seed), printable(arrived),
                     printable(options.messages));
      return is_interrupted == 0;
    };
    const pairs::Outcome outcome = pairs::run_pair(
        {.seed = seed, .orders = options.messages, .log = options.has_log ? &log : nullptr, .goes_on = goes_on});
    if (outcome.was_stopped) break;
    account.add(seed, outcome);
    if (!outcome.failure.empty()) {
      char text[64];
      std::snprintf(text, sizeof text, "seed %llu FAILED at %.6f s of its time: ", printable(seed),
                    std::chrono::duration<double>(outcome.virtual_time).count());
      return text + outcome.failure;
    }
    if (account.is_due()) account.print();
    if (is_interrupted != 0 || (options.seconds > 0 && account.seconds() > options.seconds)) break;
  }
  return {};
}

int run(const Options& options, const evidence::EvidenceCollector& collector) {
  Account account;
  const std::string failure = run_seeds(options, account);
  account.print();
  if (!failure.empty()) std::printf("%s\n", failure.c_str());
  if (!options.json.empty() && !write_json(options, account, collector, failure)) {
    std::fprintf(stderr, "session-pairs: cannot write %s\n", options.json.c_str());
    return 1;
  }
  if (account.seeds() == 0) std::fprintf(stderr, "session-pairs: no seed was done\n");
  return failure.empty() && account.seeds() > 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) try {
  Options options;
  harness::ProgramOptions program{
      "Pairs of FIX sessions under everything, seed by seed. Exit status 1: one failed, none was done, or the file "
      "cannot be written."};
  program.add("--first-seed", options.first_seed, "the first one").show_default();
  program.add("--seeds", options.seeds, "how many").show_default();
  program.add("--messages", options.messages, "of each seed, both ways together").show_default();
  program.add("--seconds", options.seconds, "no further seed behind so many; 0: all").show_default();
  program.add_flag("--log", options.has_log, "print what the sessions say");
  program.add("--json", options.json, "write the result as an artefact into this file");
  if (const auto status = program.parse(count, words)) return *status;
  std::signal(SIGABRT, on_abort);
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  const evidence::EvidenceCollector collector({.build = evidence::build_identity(), .argv = {words, words + count}});
  return run(options, collector);
} catch (const std::exception& trouble) {
  std::fprintf(stderr, "session-pairs: %s\n", trouble.what());
  return 1;
}
