// Ctrl-C while an instrument measures: the program ends soon, and what it has so far is printed and stored. It is
// started as a process of its own, as from a shell, and gets the signal once it measures.

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "dojima/cli/call_test_support.hpp"
#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/verify.hpp"

namespace dojima::cli {
namespace {

std::string content(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Starts the program with stdout in a file; it must not outlive the test.
pid_t start(std::vector<std::string> words, const std::string& out) {
  words.insert(words.begin(), DOJIMA_PROGRAM);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t program = ::fork();
  if (program != 0) return program;
  const int file = ::open(out.c_str(), O_WRONLY | O_TRUNC);
  ::dup2(file, STDOUT_FILENO);
  ::execv(arguments.front(), arguments.data());
  ::_exit(127);
}

bool catches_interrupts(pid_t program) {
  std::ifstream status("/proc/" + std::to_string(program) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("SigCgt:")) return (std::stoull(line.substr(7), nullptr, 16) >> (SIGINT - 1) & 1U) != 0;
  }
  return false;
}

/// Clock ticks of processor time in user mode, all threads.
long user_time(pid_t program) {
  std::string stat = content("/proc/" + std::to_string(program) + "/stat");
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(stat.substr(name_end + 1));
  std::string skipped;
  for (int field = 3; field < 14; ++field) fields >> skipped;
  long ticks = 0;
  fields >> ticks;
  return ticks;
}

/// None: it ended by itself before it measured for that long.
std::optional<int> interrupt_when_it_measures(pid_t program) {
  const long long_enough = ::sysconf(_SC_CLK_TCK) / 4;
  int status = 0;
  while (!catches_interrupts(program) || user_time(program) < long_enough) {
    if (::waitpid(program, &status, WNOHANG) == program) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // another process: it has no other way to signal us
  }
  ::kill(program, SIGINT);
  ::waitpid(program, &status, 0);
  return status;
}

class LabInterruptedLong : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(LabInterruptedLong, prints_and_stores_the_results_so_far) {
  const TemporaryFile out(""), json("");
  std::vector<std::string> words = GetParam();
  words.insert(words.begin(), "lab");
  words.insert(words.end(), {"--json", json.path()});
  const std::optional<int> status = interrupt_when_it_measures(start(words, out.path()));
  ASSERT_TRUE(status.has_value()) << "ended by itself: " << content(out.path());
  ASSERT_TRUE(WIFEXITED(*status)) << "signal " << WTERMSIG(*status);
  EXPECT_EQ(WEXITSTATUS(*status), k_success);
  EXPECT_TRUE(contains(content(out.path()), "interrupted: results so far\n"));

  const std::string text = content(json.path());
  EXPECT_TRUE(evidence::verify(text).is_right());
  const auto artefact = evidence::Artefact::from(*evidence::parse_document(text));
  ASSERT_TRUE(artefact.has_value());
  EXPECT_TRUE(artefact->parameters().at("was_interrupted").as_bool());
  EXPECT_FALSE(artefact->tables().empty());
}

// Each would take between two seconds and minutes by itself.
INSTANTIATE_TEST_SUITE_P(Instruments, LabInterruptedLong,
                         testing::Values(std::vector<std::string>{"jitter", "--seconds", "60"},
                                         std::vector<std::string>{"clocks", "--reference"},
                                         std::vector<std::string>{"hash", "--reference"},
                                         std::vector<std::string>{"c2c", "--exchanges", "1000000"},
                                         std::vector<std::string>{"lock", "--rounds", "600"}),
                         [](const auto& words) { return words.param.front(); });

}  // namespace
}  // namespace dojima::cli
