// dojima-sched-hold CONTAINER N EVENTS [--soak]: the hold model on one container, for tools that look at a process from
// outside. With --soak it prints the resident memory twenty times on the way, and leaves with 1 when that grew by more
// than 1 % after the first tenth.

#include <charconv>
#include <chrono>
#include <cstdio>
#include <string_view>
#include <unistd.h>

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

template <class Scheduler>
int run(std::size_t n, std::uint64_t events, bool is_soak) {
  sched::HoldModel<Scheduler, sched::HoldHash::firing_sequence> model(std::make_unique<Scheduler>(n), n,
                                                                      sched::HoldDelay::uniform);
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

int run(std::string_view container, std::size_t n, std::uint64_t events, bool is_soak) {
  using namespace sched::containers;
  if (container == "run_wheel") return run<sched::Scheduler>(n, events, is_soak);
  if (container == "run_wheel_user") return run<sched::UserScheduler>(n, events, is_soak);
  if (container == "priority_queue") return run<HeapScheduler>(n, events, is_soak);
  if (container == "multimap") return run<TreeScheduler>(n, events, is_soak);
  if (container == "flat_multimap") return run<FlatScheduler>(n, events, is_soak);
  if (container == "option_1") return run<ExternalScheduler>(n, events, is_soak);
  if (container == "option_2") return run<IntrusiveScheduler>(n, events, is_soak);
  if (container == "option_3") return run<HybridScheduler>(n, events, is_soak);
  std::fputs("containers: run_wheel run_wheel_user priority_queue multimap flat_multimap option_1 option_2 option_3\n",
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
  const bool is_soak = count == 5 && std::string_view(words[4]) == "--soak";
  if ((count != 4 && !is_soak) || !read(words[2], n) || !read(words[3], events)) {
    std::fputs("dojima-sched-hold CONTAINER N EVENTS [--soak]\n", stderr);
    return 2;
  }
  return run(words[1], n, events, is_soak);
}
