#include "dojima/instruments/lock_study.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>

#include "dojima/measure/histogram.hpp"
#include "dojima/measure/statistics.hpp"

namespace dojima::instruments {
namespace {

void pause() noexcept {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

/// Tests before it tries to set, so that waiting threads read a copy of their own.
class SpinLock {
 public:
  void lock() noexcept {
    while (is_held_.exchange(true, std::memory_order_acquire)) {
      while (is_held_.load(std::memory_order_relaxed)) pause();
    }
  }
  void unlock() noexcept { is_held_.store(false, std::memory_order_release); }

 private:
  alignas(128) std::atomic<bool> is_held_ = false;
};

class TicketLock {
 public:
  void lock() noexcept {
    const std::uint32_t mine = next_.fetch_add(1, std::memory_order_relaxed);
    while (serving_.load(std::memory_order_acquire) != mine) pause();
  }
  void unlock() noexcept { serving_.store(serving_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

 private:
  alignas(128) std::atomic<std::uint32_t> next_ = 0;
  alignas(128) std::atomic<std::uint32_t> serving_ = 0;
};

/// A request in readings of the counter.
struct Request {
  std::uint64_t arrival;
  std::uint64_t start;
  std::uint64_t end;
};

struct Times {
  std::uint64_t hold;
  double think;
  std::uint64_t round;
};

void spin_until(std::uint64_t moment) noexcept {
  while (measure::cycles() < moment) {
  }
}

/// One thread's part of a round; answers how many requests it made.
template <class Lock>
std::size_t make_requests(Lock& lock, std::vector<Request>& requests, measure::Random random, const Times& times,
                          const StopFlag& stop) {
  const std::uint64_t until = measure::cycles() + times.round;
  std::size_t made = 0;
  for (; made < requests.size() && !stop.is_set(); ++made) {
    const double think = -std::log(1 - random.unit()) * times.think;
    const std::uint64_t now = measure::cycles();
    if (now >= until) break;
    spin_until(now + static_cast<std::uint64_t>(think));
    Request& request = requests[made];
    request.arrival = measure::cycles_fenced_begin();
    lock.lock();
    request.start = measure::cycles_fenced_end();
    spin_until(request.start + times.hold);
    request.end = measure::cycles_fenced_begin();
    lock.unlock();
  }
  return made;
}

/// The requests of all threads of one round.
using Requests = std::vector<std::vector<Request>>;

template <class Lock>
std::expected<CoreOutcome, std::string> run_round(const LockPlan& plan, const Times& times, std::uint64_t seed,
                                                  Requests& requests) {
  Lock lock;
  return run_on_cores(
      plan.cpus, {},
      [&](std::size_t index, const StopFlag& stop) {
        const measure::Random random(seed + index);
        requests[index].resize(make_requests(lock, requests[index], random, times, stop));
      },
      [] { return true; });
}

std::expected<CoreOutcome, std::string> run_round(LockKind kind, const LockPlan& plan, const Times& times,
                                                  std::uint64_t seed, Requests& requests) {
  switch (kind) {
    case LockKind::mutex:
      return run_round<std::mutex>(plan, times, seed, requests);
    case LockKind::spin:
      return run_round<SpinLock>(plan, times, seed, requests);
    case LockKind::ticket:
      break;
  }
  return run_round<TicketLock>(plan, times, seed, requests);
}

/// Costs that the instrument adds, from a lock that nobody else wants.
void measure_overhead(LockStudy& study, const measure::CycleClock& clock) {
  constexpr std::size_t k_times = 2'000;
  SpinLock lock;
  std::vector<double> stamped;
  std::vector<double> stamps;
  for (std::size_t i = 0; i < k_times; ++i) {
    const std::uint64_t before = measure::cycles_fenced_begin();
    lock.lock();
    const std::uint64_t start = measure::cycles_fenced_end();
    const std::uint64_t end = measure::cycles_fenced_begin();
    lock.unlock();
    stamped.push_back(static_cast<double>(measure::cycles_fenced_begin() - before) * clock.ns_per_cycle());
    stamps.push_back(static_cast<double>(end - start) * clock.ns_per_cycle());
  }
  // The mean: single ones show the step of the clock and nothing else; the middle half is free of interruptions.
  const auto middle_mean = [](std::vector<double> values) {
    std::ranges::sort(values);
    double sum = 0;
    for (std::size_t i = k_times / 4; i < 3 * k_times / 4; ++i) sum += values[i];
    return sum / (0.5 * k_times);
  };
  study.uncontended_ns = middle_mean(stamped);
  study.stamps_ns = 2 * middle_mean(stamps);
}

void append(std::vector<measure::ServiceRecord>& trace, const Requests& requests, LockKind kind, std::size_t group,
            std::uint64_t origin, const measure::CycleClock& clock) {
  const auto first = static_cast<std::ptrdiff_t>(trace.size());
  for (std::size_t server = 0; server < requests.size(); ++server) {
    for (const Request& request : requests[server]) {
      const auto at = [&](std::uint64_t moment) { return clock.nanoseconds(moment - origin); };
      trace.push_back({at(request.arrival), at(request.start), at(request.end), static_cast<std::uint16_t>(kind),
                       static_cast<std::uint16_t>(server), static_cast<std::uint32_t>(group)});
    }
  }
  std::sort(trace.begin() + first, trace.end(),
            [](const measure::ServiceRecord& a, const measure::ServiceRecord& b) { return a.start_ns < b.start_ns; });
}

/// What the table says of one lock.
struct LockFigures {
  measure::Histogram waits;
  std::size_t requests = 0;
  std::size_t waited = 0;  ///< granted only after another had given it back
  double held_ns = 0;
  double watched_ns = 0;
};

LockFigures figures_of(const LockStudy& study, LockKind kind) {
  LockFigures figures;
  const measure::ServiceRecord* before = nullptr;
  std::uint64_t first_ns = 0;
  for (const measure::ServiceRecord& record : study.trace) {
    if (record.kind != static_cast<std::uint16_t>(kind)) continue;
    ++figures.requests;
    figures.waits.record(record.start_ns - record.arrival_ns);
    figures.held_ns += static_cast<double>(record.end_ns - record.start_ns);
    const bool is_same_round = before != nullptr && before->group == record.group;
    if (!is_same_round) first_ns = record.arrival_ns;
    if (is_same_round) {
      if (before->end_ns > record.arrival_ns) ++figures.waited;
      figures.watched_ns += static_cast<double>(record.end_ns - before->end_ns);
    } else {
      figures.watched_ns += static_cast<double>(record.end_ns - first_ns);
    }
    before = &record;
  }
  return figures;
}

}  // namespace

std::string_view name_of(LockKind kind) noexcept {
  switch (kind) {
    case LockKind::mutex:
      return "mutex";
    case LockKind::spin:
      return "spin";
    case LockKind::ticket:
      return "ticket";
  }
  return "unnamed";
}

std::expected<LockStudy, std::string> measure_locks(const LockPlan& plan, const measure::CycleClock& clock,
                                                    const std::function<bool(std::size_t done)>& go_on) {
  const double cycles_per_ns = 1 / clock.ns_per_cycle();
  const Times times{static_cast<std::uint64_t>(static_cast<double>(plan.hold_ns) * cycles_per_ns),
                    static_cast<double>(plan.think_ns) * cycles_per_ns,
                    static_cast<std::uint64_t>(static_cast<double>(plan.round_length.count()) * cycles_per_ns)};
  LockStudy study;
  measure_overhead(study, clock);
  const std::uint64_t origin = measure::cycles();
  std::size_t group = 0;
  for (std::size_t round = 0; round < plan.rounds; ++round) {
    for (const LockKind kind : k_locks) {
      if (!go_on(group)) return study;
      Requests requests(plan.cpus.size(), std::vector<Request>(plan.capacity));
      auto outcome = run_round(kind, plan, times, plan.seed + 1'000 * group, requests);
      if (!outcome) return std::unexpected(outcome.error());
      study.outcome = std::move(*outcome);
      append(study.trace, requests, kind, group++, origin, clock);
    }
  }
  return study;
}

std::size_t overlapping_holders(std::span<const measure::ServiceRecord> trace) {
  std::size_t overlapping = 0;
  for (std::size_t i = 1; i < trace.size(); ++i) {
    if (trace[i].group == trace[i - 1].group && trace[i].start_ns < trace[i - 1].end_ns) ++overlapping;
  }
  return overlapping;
}

void add_lock_study(evidence::Artefact& artefact, const LockPlan& plan, const LockStudy& study) {
  evidence::Document cpus = evidence::Document::array();
  for (const int cpu : plan.cpus) cpus.push(cpu);
  artefact.set_parameter("cpus", std::move(cpus)).set_parameter("rounds", plan.rounds);
  artefact.set_parameter("hold_ns", plan.hold_ns).set_parameter("think_ns", plan.think_ns);
  artefact.set_parameter("seed", plan.seed);
  evidence::Table table{"lock",
                        "waiting for a lock that other threads want",
                        {{"lock"},
                         {"requests"},
                         {"requests_per_s", 0},
                         {"held_percent", 1, true, "of the time, by anyone"},
                         {"waited_percent", 1, true, "asked while another held it"},
                         {"wait_p50_ns"},
                         {"wait_p99_ns"},
                         {"wait_p99_9_ns"},
                         {"wait_max_ns"}}};
  for (const LockKind kind : k_locks) {
    const LockFigures figures = figures_of(study, kind);
    if (figures.requests == 0) continue;
    const auto requests = static_cast<double>(figures.requests);
    const measure::HistogramView waits = figures.waits.view();
    table.add_row({name_of(kind), figures.requests, requests / (figures.watched_ns * 1e-9),
                   100 * figures.held_ns / figures.watched_ns, 100 * static_cast<double>(figures.waited) / requests,
                   waits.value_at(0.5), waits.value_at(0.99), waits.value_at(0.999), waits.max});
    artefact.begin_run({.arm = std::string(name_of(kind))}).add_histogram({"wait", evidence::Role::total}, waits);
  }
  const std::size_t overlapping = overlapping_holders(study.trace);
  artefact.add_table(std::move(table));
  artefact.add_check("nobody held a lock that another held", overlapping == 0,
                     std::to_string(overlapping) + " of " + std::to_string(study.trace.size()) + " requests");
  evidence::Table overhead{"overhead", "what the instrument itself costs", {{"what"}, {"ns", 2}}};
  overhead.add_row({"an uncontended spin lock taken and given back, stamps included", study.uncontended_ns});
  overhead.add_row({"of that, the stamps", study.stamps_ns});
  artefact.add_table(std::move(overhead));
}

}  // namespace dojima::instruments
