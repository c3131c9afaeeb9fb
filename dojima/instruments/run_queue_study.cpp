#include "dojima/instruments/run_queue_study.hpp"

#include <algorithm>
#include <barrier>
#include <cmath>
#include <ctime>
#include <optional>
#include <sched.h>
#include <thread>

#include "dojima/evidence/host/system_files.hpp"
#include "dojima/instruments/studies/core_threads.hpp"
#include "dojima/measure/statistics.hpp"

namespace dojima::instruments {
namespace {

using Clock = std::chrono::steady_clock;

/// What the kernel counted for the calling thread.
struct Schedstat {
  double ran_ns = 0;
  double waited_ns = 0;
};

std::optional<Schedstat> read_schedstat() {
  const auto text = evidence::read_text("/proc/thread-self/schedstat");
  if (!text) return std::nullopt;
  const std::vector<std::string> words = evidence::words_of(*text);
  if (words.size() < 2) return std::nullopt;
  const auto ran = evidence::whole_of(words[0]);
  const auto waited = evidence::whole_of(words[1]);
  if (!ran || !waited) return std::nullopt;
  return Schedstat{static_cast<double>(*ran), static_cast<double>(*waited)};
}

std::int64_t processor_time_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

/// Uses up so much processor time of the calling thread.
void compute_for(double nanoseconds) {
  const std::int64_t until = processor_time_ns() + static_cast<std::int64_t>(nanoseconds);
  while (processor_time_ns() < until) {
  }
}

void sleep_for(double nanoseconds) {
  const auto whole = static_cast<std::int64_t>(nanoseconds);
  timespec left{whole / 1'000'000'000, whole % 1'000'000'000};
  ::clock_nanosleep(CLOCK_MONOTONIC, 0, &left, nullptr);
}

double exponential(measure::Random& random, std::chrono::nanoseconds mean) {
  return -std::log(1 - random.unit()) * static_cast<double>(mean.count());
}

bool run_only_on(const std::vector<int>& cpus) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  for (const int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &allowed);
  return ::sched_setaffinity(0, sizeof(allowed), &allowed) == 0;
}

/// What one thread did, and what went wrong if anything did.
struct Worked {
  RunQueueStudy study;
  const char* trouble = nullptr;
};

Worked work(const RunQueuePlan& plan, std::size_t index, std::barrier<>& gate, const StopFlag& stop) {
  Worked worked;
  measure::Random random(plan.seed * 1'000 + index);
  if (!run_only_on(plan.cpus)) worked.trouble = "a thread may not run on these processors";
  gate.arrive_and_wait();
  if (worked.trouble != nullptr) return worked;
  sleep_for(exponential(random, plan.sleep));  // they do not begin together
  const auto before = read_schedstat();
  const Clock::time_point begin = Clock::now();
  const Clock::time_point end = begin + plan.length;
  while (Clock::now() < end && !stop.is_set()) {
    compute_for(exponential(random, plan.burst));
    ++worked.study.bursts;
    sleep_for(exponential(random, plan.sleep));
  }
  const auto elapsed = static_cast<double>(std::chrono::nanoseconds(Clock::now() - begin).count());
  const auto after = read_schedstat();
  if (!before || !after) {
    worked.trouble = "the kernel keeps no schedstat: /proc/thread-self/schedstat";
    return worked;
  }
  worked.study.seconds = elapsed * 1e-9;
  worked.study.ran_ns = after->ran_ns - before->ran_ns;
  worked.study.waited_ns = after->waited_ns - before->waited_ns;
  worked.study.slept_ns = std::max(elapsed - worked.study.ran_ns - worked.study.waited_ns, 0.0);
  return worked;
}

}  // namespace

std::expected<RunQueueStudy, std::string> measure_run_queue(const RunQueuePlan& plan,
                                                            const std::function<bool()>& go_on) {
  if (plan.threads < 1 || plan.threads > 1'000) return std::unexpected("1 to 1000 threads");
  if (plan.cpus.empty() || plan.burst.count() <= 0 || plan.sleep.count() <= 0)
    return std::unexpected("processors, bursts and sleeps must be given");
  std::vector<Worked> worked(plan.threads);
  StopFlag stop;
  {
    std::barrier<> gate(static_cast<std::ptrdiff_t>(plan.threads));
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < plan.threads; ++i)
      threads.emplace_back([&, i] { worked[i] = work(plan, i, gate, stop); });
    const Clock::time_point end = Clock::now() + plan.length;
    while (Clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds{100});
      if (!go_on()) stop.set();
    }
  }
  RunQueueStudy all;
  for (const Worked& each : worked) {
    if (each.trouble != nullptr) return std::unexpected(each.trouble);
    all.bursts += each.study.bursts;
    all.seconds += each.study.seconds / static_cast<double>(plan.threads);
    all.ran_ns += each.study.ran_ns;
    all.waited_ns += each.study.waited_ns;
    all.slept_ns += each.study.slept_ns;
  }
  if (all.bursts == 0) return std::unexpected("no thread came to compute: give it more time");
  return all;
}

}  // namespace dojima::instruments
