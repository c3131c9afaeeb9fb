#include "dojima/instruments/studies/core_spinner.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <sched.h>
#include <string>
#include <vector>

#include "dojima/evidence/host/system_files.hpp"

namespace dojima::instruments {
namespace {

int first_processor() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  EXPECT_EQ(::sched_getaffinity(0, sizeof allowed, &allowed), 0);
  int cpu = 0;
  while (!CPU_ISSET(static_cast<std::size_t>(cpu), &allowed)) ++cpu;
  return cpu;
}

/// Children of this thread, as the kernel lists them.
std::vector<std::string> children() {
  return evidence::words_of(evidence::read_text("/proc/thread-self/children").value_or(""));
}

TEST(CoreSpinner, is_a_process_of_its_own_that_is_gone_when_its_scope_ends) {
  if (!evidence::read_text("/proc/thread-self/children")) GTEST_SKIP() << "the kernel does not list children";
  const std::size_t before = children().size();
  {
    const CoreSpinner load(first_processor(), std::chrono::seconds{5});
    EXPECT_EQ(children().size(), before + 1);
  }
  EXPECT_EQ(children().size(), before);
}

TEST(CoreSpinner, is_no_harm_where_it_may_not_run) {
  const CoreSpinner load(CPU_SETSIZE - 1, std::chrono::seconds{5});
}

}  // namespace
}  // namespace dojima::instruments
