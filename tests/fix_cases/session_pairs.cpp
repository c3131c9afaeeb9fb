// Pairs of sessions under everything (pair_world.hpp), seed by seed. The first seed that fails ends the program with
// status 1; the same seed fails again in the same way, and --log shows what its sessions said.
//
//   dojima-session-pairs --seeds 1000 --messages 1000000
//   dojima-session-pairs --first-seed 17 --seeds 1 --messages 1000 --log

#include "tests/fix_cases/pair_world.hpp"

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <unistd.h>

#include "dojima/time/timestamp_text.hpp"

namespace {

using namespace dojima;

struct Options {
  std::uint64_t first_seed = 1, seeds = 10, messages = 10'000;
  double seconds = 0;
  bool has_log = false;
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

class Progress {
 public:
  void add(const pairs::Outcome& outcome) {
    ++seeds_;
    orders_ += outcome.orders;
    repeated_ += outcome.repeated;
    deaths_ += outcome.both.deaths;
    logons_ += outcome.both.logons;
    refusals_ += outcome.both.refusals;
    failed_starts_ += outcome.both.failed_starts;
  }
  [[nodiscard]] bool is_due() {
    if (seconds() < next_) return false;
    next_ = seconds() + 10;
    return true;
  }
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  void print() const {
    const auto number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
    std::printf(
        "%llu seeds, %llu messages (%llu a second), %llu ends of a process, %llu logons, %llu messages delivered "
        "again behind such an end, %llu refused by a full or failing disk, %llu starts that failed\n",
        number(seeds_), number(orders_), number(static_cast<std::uint64_t>(static_cast<double>(orders_) / seconds())),
        number(deaths_), number(logons_), number(repeated_), number(refusals_), number(failed_starts_));
    std::fflush(stdout);
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double next_ = 10;
  std::uint64_t seeds_ = 0, orders_ = 0, repeated_ = 0, deaths_ = 0, logons_ = 0, refusals_ = 0, failed_starts_ = 0;
};

int run(const Options& options) {
  Progress progress;
  for (std::uint64_t seed = options.first_seed; seed < options.first_seed + options.seeds; ++seed) {
    running_seed = static_cast<std::sig_atomic_t>(seed);
    PrintedLog log;
    const pairs::Outcome outcome =
        pairs::run_pair({.seed = seed, .orders = options.messages, .log = options.has_log ? &log : nullptr});
    progress.add(outcome);
    if (!outcome.failure.empty()) {
      progress.print();
      std::printf("seed %llu FAILED at %.6f s of its time: %s\n", static_cast<unsigned long long>(seed),
                  std::chrono::duration<double>(outcome.virtual_time).count(), outcome.failure.c_str());
      return 1;
    }
    if (progress.is_due()) progress.print();
    if (options.seconds > 0 && progress.seconds() > options.seconds) break;
  }
  progress.print();
  return 0;
}

}  // namespace

int main(int count, char** words) try {
  Options options;
  CLI::App app{"Pairs of FIX sessions under everything, seed by seed; status 1 at the first that fails."};
  app.add_option("--first-seed", options.first_seed, "the first one")->capture_default_str();
  app.add_option("--seeds", options.seeds, "how many")->capture_default_str();
  app.add_option("--messages", options.messages, "of each seed, both ways together")->capture_default_str();
  app.add_option("--seconds", options.seconds, "no further seed behind so many; 0: all")->capture_default_str();
  app.add_flag("--log", options.has_log, "print what the sessions say");
  CLI11_PARSE(app, count, words);
  std::signal(SIGABRT, on_abort);
  return run(options);
} catch (const std::exception& trouble) {
  std::fprintf(stderr, "session-pairs: %s\n", trouble.what());
  return 1;
}
