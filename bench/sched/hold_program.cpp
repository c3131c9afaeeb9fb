// dojima-sched-hold CONTAINER N EVENTS [--soak | --timed | --simulated]: the hold model on one container, for tools
// that look at a process from outside. With --soak it prints the resident memory twenty times on the way, and leaves
// with 1 when that grew by more than 1 % after the first tenth. With --timed it fires every event once, then EVENTS of
// them by the clock. With --simulated, below callgrind with --instr-atstart=no, the same EVENTS are what callgrind
// counts, after as many as fill its cache.

#include <charconv>
#include <chrono>
#include <cstdio>
#include <string_view>
#include <unistd.h>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif

#include "dojima/sched/containers/hold_model.hpp"
#include "dojima/sched/containers/rivals.hpp"
#include "dojima/sched/scheduler.hpp"

namespace {

using namespace dojima;
using namespace std::chrono_literals;

std::size_t resident_bytes() {
  std::size_t whole = 0, resident = 0;
  if (std::FILE* const file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%zu %zu", &whole, &resident) != 2) resident = 0;
    std::fclose(file);
  }
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

enum class Mode : std::uint8_t { plain, soak, timed, simulated };

template <class Model>
void fire(Model& model, std::uint64_t count) {
  const std::uint64_t end = model.fired() + count;
  while (model.fired() < end) model.step(1ms);
}

/// After that everything lies where it will lie for good.
std::uint64_t settling_of(std::size_t n) {
  return std::max<std::uint64_t>(100'000, n);
}

template <class Model>
int run_timed(Model& model, std::uint64_t events) {
  const std::uint64_t before = model.fired();
  const auto begin = std::chrono::steady_clock::now();
  fire(model, events);
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
  std::printf("%.4f ns an event\n", took.count() / static_cast<double>(model.fired() - before));
  return 0;
}

/// Lines of a cache of 32 MiB are less than that.
constexpr std::uint64_t k_fills_cache = 600'000;

template <class Model>
int run_simulated([[maybe_unused]] Model& model, [[maybe_unused]] std::uint64_t events) {
#if defined(CALLGRIND_START_INSTRUMENTATION)
  CALLGRIND_START_INSTRUMENTATION;
  fire(model, k_fills_cache);
  CALLGRIND_ZERO_STATS;
  const std::uint64_t before = model.fired();
  fire(model, events);
  CALLGRIND_STOP_INSTRUMENTATION;
  std::printf("%llu events counted\n", static_cast<unsigned long long>(model.fired() - before));
  return 0;
#else
  std::fputs("unavailable: built without valgrind/callgrind.h; on Debian: apt-get install valgrind\n", stderr);
  return 3;
#endif
}

template <class Scheduler>
int run(std::size_t n, std::uint64_t events, Mode mode) {
  sched::HoldModel<Scheduler, sched::HoldHash::firing_sequence> model(std::make_unique<Scheduler>(n), n,
                                                                      sched::HoldDelay::uniform);
  if (mode == Mode::timed || mode == Mode::simulated) {
    fire(model, settling_of(n));
    return mode == Mode::timed ? run_timed(model, events) : run_simulated(model, events);
  }
  const bool is_soak = mode == Mode::soak;
  const auto begin = std::chrono::steady_clock::now();
  constexpr std::uint64_t k_parts = 20;
  std::size_t early = 0, resident = 0;
  for (std::uint64_t part = 1; part <= k_parts; ++part) {
    while (model.fired() < events / k_parts * part) model.step(1ms);
    resident = resident_bytes();
    if (part == k_parts / 10) early = resident;
    if (!is_soak) continue;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::printf("%12llu fired  %8.2f s  %10zu bytes resident\n", static_cast<unsigned long long>(model.fired()),
                took.count(), resident);
    std::fflush(stdout);
  }
  std::printf("%llu events, sequence %016llx\n", static_cast<unsigned long long>(model.fired()),
              static_cast<unsigned long long>(model.hash()));
  if (is_soak && resident > early + early / 100) {
    std::puts("memory grew");
    return 1;
  }
  return 0;
}

int run(std::string_view container, std::size_t n, std::uint64_t events, Mode mode) {
  using namespace sched::containers;
  if (container == "run_wheel") return run<sched::Scheduler>(n, events, mode);
  if (container == "run_wheel_user") return run<sched::UserScheduler>(n, events, mode);
  if (container == "priority_queue") return run<HeapScheduler>(n, events, mode);
  if (container == "multimap") return run<TreeScheduler>(n, events, mode);
  if (container == "flat_multimap") return run<FlatScheduler>(n, events, mode);
  if (container == "option_1") return run<ExternalScheduler>(n, events, mode);
  if (container == "option_2") return run<IntrusiveScheduler>(n, events, mode);
  if (container == "option_3") return run<HybridScheduler>(n, events, mode);
  if (container == "priority_queue_user") return run<UserHeapScheduler>(n, events, mode);
  if (container == "option_1_user") return run<UserExternalScheduler>(n, events, mode);
  if (container == "option_3_user") return run<UserHybridScheduler>(n, events, mode);
  std::fputs(
      "containers: run_wheel run_wheel_user priority_queue multimap flat_multimap option_1 option_2 option_3 "
      "priority_queue_user option_1_user option_3_user\n",
      stderr);
  return 2;
}

bool read(std::string_view word, auto& number) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc{} && end == word.data() + word.size() && number > 0;
}

}  // namespace

int main(int count, char** words) {
  std::size_t n = 0;
  std::uint64_t events = 0;
  const std::string_view last = count == 5 ? words[4] : "";
  const Mode mode = last == "--soak"        ? Mode::soak
                    : last == "--timed"     ? Mode::timed
                    : last == "--simulated" ? Mode::simulated
                                            : Mode::plain;
  if (count != (mode == Mode::plain ? 4 : 5) || !read(words[2], n) || !read(words[3], events)) {
    std::fputs("dojima-sched-hold CONTAINER N EVENTS [--soak | --timed | --simulated]\n", stderr);
    return 2;
  }
  return run(words[1], n, events, mode);
}
