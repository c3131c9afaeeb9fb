// dojima lab tune

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fmt/core.h>
#include <memory>
#include <thread>

#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/lab/instrument.hpp"
#include "dojima/cli/lab/lab.hpp"
#include "dojima/harness/tuning.hpp"
#include "dojima/measure/pinning.hpp"

namespace dojima::cli {
namespace {

/// What the settings are for: the tail beside a load, at most half of what it is without them.
constexpr const char* k_tail = "p999_us";
constexpr double k_tail_target = 0.5;

/// Requests of a run, so that it has a p99.9: that takes 10,000, and how many fall due is left to chance.
constexpr double k_least_requests = 10'500;

struct TuneOptions {
  InstrumentOptions instrument;
  std::size_t pairs = 10;
  double seconds = 2;
  std::uint32_t rate = 8000;  // with the seconds: enough requests for p99.9
  std::uint32_t clients = 2;
  std::string beside = "both";
  std::string idle = "block";
  std::vector<std::string> settings;
};

/// One busy thread for each processor that this process may use.
class Load {
 public:
  ~Load() { stop(); }
  void set(bool is_on) {
    if (!is_on) return stop();
    is_over_.store(false);
    for (const int processor : chosen_cores("").value_or(std::vector<int>{0})) {
      threads_.emplace_back([this, processor] {
        static_cast<void>(measure::pin_to_processor(processor));
        while (!is_over_.load(std::memory_order_relaxed)) continue;
      });
    }
  }

 private:
  void stop() {
    is_over_.store(true);
    threads_.clear();
  }
  std::atomic<bool> is_over_{true};
  std::vector<std::jthread> threads_;
};

/// Everything that can be switched on, each by itself, then all together.
std::vector<harness::TuneSetting> known_settings(std::size_t processors) {
  std::vector<harness::TuneSetting> all = {
      {"processor", {"--loop", processors > 1 ? "processor=0,1" : "processor=0"}},
      {"policy", {"--loop", "policy=fifo 20"}},
      {"lock_memory", {"--loop", "lock_memory=yes"}},
      {"huge_pages", {"--loop", "huge_pages=yes"}},
      {"timer_slack", {"--loop", "timer_slack=1"}},
      {"busy_poll", {"--loop", "busy_poll=50"}},
  };
  harness::TuneSetting together{"all", {}};
  for (const harness::TuneSetting& each : all)
    together.words.insert(together.words.end(),
                          {each.words[0], each.name + "=try " + each.words[1].substr(each.name.size() + 1)});
  // Of a switch, "try" is a value of its own.
  for (std::string& word : together.words) {
    if (word.ends_with("=try yes")) word.resize(word.size() - 4);
  }
  all.push_back(std::move(together));
  return all;
}

/// The settings that were named; false: one is not known, which has been reported.
bool choose(std::vector<harness::TuneSetting>& settings, const std::vector<std::string>& names) {
  if (names.empty()) return true;
  std::vector<harness::TuneSetting> chosen;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(settings, name, &harness::TuneSetting::name);
    if (found == settings.end()) {
      complain(
          fmt::format("no setting \"{}\"; there are: processor, policy, lock_memory, huge_pages, timer_slack, "
                      "busy_poll, all",
                      name));
      return false;
    }
    chosen.push_back(*found);
  }
  settings = std::move(chosen);
  return true;
}

harness::TunePlan tune_plan(const TuneOptions& options) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  harness::TunePlan plan;
  plan.command = {program,      "demo",
                  "--json",     "--no-progress",
                  "--topology", "two",
                  "--idle",     options.idle,
                  "--seconds",  fmt::format("{}", options.seconds),
                  "--rate",     std::to_string(options.rate),
                  "--clients",  std::to_string(options.clients)};
  plan.settings = known_settings(chosen_cores("").value_or(std::vector<int>{0}).size());
  plan.figures = {{"p50_us", "latency.p50_us@stage=total: due to answered"},
                  {k_tail, "latency.p999_us@stage=total: due to answered"}};
  plan.pairs = options.pairs;
  plan.is_quiet_wanted = options.beside != "load";
  plan.is_loaded_wanted = options.beside != "nothing";
  return plan;
}

/// Whether a run has requests enough; false: that has been reported.
bool has_enough(const TuneOptions& options) {
  const double requests = options.seconds * options.rate;
  if (requests >= k_least_requests) return true;
  complain(fmt::format(
      "{:g} s at {} requests a second are too few for p99.9, which takes {:g} in a run: --seconds {:.2f} or "
      "--rate {:.0f}, at least",
      options.seconds, options.rate, k_least_requests, std::ceil(100 * k_least_requests / options.rate) / 100,
      std::ceil(k_least_requests / options.seconds)));
  return false;
}

void add_results(evidence::Artefact& artefact, const TuneOptions& options, const harness::TuneResult& result) {
  artefact.set_parameter("pairs", options.pairs)
      .set_parameter("seconds", options.seconds)
      .set_parameter("rate_per_s", options.rate)
      .set_parameter("clients", options.clients)
      .set_parameter("idle", options.idle)
      .set_parameter("beside", options.beside);
  artefact.add_table(tune_table(result));
  for (const char* column : {"off", "on", "ratio", "low", "high", "verdict", "pairs"})
    artefact.add_rule({"tune", column, evidence::Rule::shown, 0});
  if (options.beside == "nothing") return;
  artefact.add_table(tune_target_table(result, k_tail, k_tail_target));
  for (const char* column : {"ratio", "low", "high", "spread_percent", "verdict", "why"})
    artefact.add_rule({"target", column, evidence::Rule::shown, 0});
}

int tune(TuneOptions& options) {
  if (options.instrument.is_quick) {
    options.pairs = std::min<std::size_t>(options.pairs, 2);
    options.seconds = std::min(options.seconds, 1.5);
  }
  harness::TunePlan plan = tune_plan(options);
  if (!choose(plan.settings, options.settings) || !has_enough(options)) return k_usage;
  InstrumentRun run(options.instrument);
  if (!run.can_write()) return k_environment;
  Load load;
  plan.load = [&load](bool is_on) { load.set(is_on); };
  plan.is_interrupted = [&run] { return run.is_interrupted(); };
  plan.progress = [&run](std::size_t done, std::size_t all) {
    run.show("tune", static_cast<double>(done), static_cast<double>(all), "pairs");
  };
  const auto result = harness::run_tune(plan);
  if (!result) {
    complain(result.error());
    return k_environment;
  }
  evidence::Artefact artefact("dojima lab tune");
  add_results(artefact, options, *result);
  return run.finish(artefact, {});
}

}  // namespace

void add_lab_tune(Command lab, int& status) {
  Command tuning = lab.add_command("tune", "Switch each setting of the machine off and on, and say what it does");
  auto options = std::make_shared<TuneOptions>();
  tuning.add_option("SETTING", options->settings,
                    "Which: processor, policy, lock_memory, huge_pages, timer_slack, busy_poll, all (default: each)");
  tuning.add_option("--pairs", options->pairs, "Of runs, for each setting and load").show_default().between(1, 1000);
  tuning.add_option("--seconds", options->seconds, "Of order flow in a run").show_default().positive();
  tuning.add_option("--rate", options->rate, "Requests per second; with the seconds at least 10,500 in a run")
      .show_default()
      .positive();
  tuning.add_option("--clients", options->clients, "FIX clients").show_default();
  tuning.add_option("--idle", options->idle, "When a loop has nothing to do: spin, yield, block or ring")
      .one_of({"spin", "yield", "block", "ring"})
      .show_default();
  tuning
      .add_option("--beside", options->beside,
                  "nothing: a quiet machine; load: a busy thread on every processor; both, one after the other")
      .one_of({"nothing", "load", "both"})
      .show_default();
  options->instrument.add_to(tuning);
  tuning.footer(
      "Runs the demo over real sockets without and with each setting, in turn, and compares p50 and p99.9 of the whole "
      "road\npair by pair: better, worse, same, unstable; fewer than 10 pairs are always unstable, and a run of fewer "
      "than 10,500 requests\nmay have no p99.9 and is refused. What the kernel refuses is unavailable.\n"
      "Beside a load the table target says whether p99.9 with the setting is at most half of that without: met, "
      "missed, "
      "or\nundecidable with the spread of the pairs. Then `dojima lab doctor --measured FILE` quotes the result.\n"
      "example: dojima lab tune policy processor --beside load --json tune.json");
  tuning.on_run([options, &status] { status = tune(*options); });
}

}  // namespace dojima::cli
