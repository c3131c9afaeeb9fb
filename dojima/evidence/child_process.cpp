#include "dojima/evidence/child_process.hpp"

#include <cerrno>
#include <csignal>
#include <ctime>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

extern char** environ;

namespace dojima::evidence {
namespace {

double seconds_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

std::string reason_of(int error) {
  return std::error_code(error, std::generic_category()).message();
}

/// A file that exists in memory only; gone with the object.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(::memfd_create("output", MFD_CLOEXEC)) {}
  ~MemoryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

  /// The last `most` bytes.
  [[nodiscard]] std::string text(std::size_t most) const {
    const off_t end = ::lseek(descriptor_, 0, SEEK_END);
    if (end <= 0) return {};
    const std::size_t size = std::min(static_cast<std::size_t>(end), most);
    std::string result(size, '\0');
    const ssize_t got = ::pread(descriptor_, result.data(), size, end - static_cast<off_t>(size));
    result.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return result;
  }

 private:
  int descriptor_;
};

class SpawnActions {
 public:
  SpawnActions() { ::posix_spawn_file_actions_init(&actions_); }
  ~SpawnActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;

  void redirect(int from, int to) { ::posix_spawn_file_actions_adddup2(&actions_, from, to); }
  [[nodiscard]] const posix_spawn_file_actions_t* get() const noexcept { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

/// The child can be interrupted, also where this program was started in the background of a shell, which ignores that.
class SpawnSignals {
 public:
  SpawnSignals() {
    ::posix_spawnattr_init(&attributes_);
    sigset_t interrupts{};
    ::sigemptyset(&interrupts);
    ::sigaddset(&interrupts, SIGINT);
    ::posix_spawnattr_setsigdefault(&attributes_, &interrupts);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSignals() { ::posix_spawnattr_destroy(&attributes_); }
  SpawnSignals(const SpawnSignals&) = delete;
  SpawnSignals& operator=(const SpawnSignals&) = delete;

  [[nodiscard]] const posix_spawnattr_t* get() const noexcept { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

/// Waits for the child. After `limit_s` seconds above 0 it is interrupted, then killed; whether that happened. False
/// when waiting failed.
bool wait_for(pid_t child, double limit_s, int& status, rusage& used, bool& was_ended) {
  const double begin = seconds_now();
  bool was_killed = false;
  while (true) {
    const pid_t done = ::wait4(child, &status, limit_s > 0 && !was_killed ? WNOHANG : 0, &used);
    if (done == child) return true;
    if (done < 0 && errno != EINTR) return false;
    if (done < 0) continue;
    const double over = seconds_now() - begin - limit_s;
    if (over >= 0 && !was_ended) {
      was_ended = true;
      ::kill(child, SIGINT);
    } else if (over >= k_grace_s) {
      was_killed = true;
      ::kill(child, SIGKILL);
      continue;
    }
    const timespec pause{.tv_sec = 0, .tv_nsec = 5'000'000};
    ::nanosleep(&pause, nullptr);
  }
}

}  // namespace

std::expected<ChildRun, std::string> run_child(const std::vector<std::string>& words, ChildOutput output,
                                               double limit_s) {
  if (words.empty()) return std::unexpected("no command");
  std::vector<char*> arguments;
  // posix_spawn changes no argument; its type is older than const.
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);

  const MemoryFile out;
  const MemoryFile err;
  SpawnActions actions;
  const SpawnSignals signals;
  if (output == ChildOutput::kept) {
    if (out.descriptor() < 0 || err.descriptor() < 0) return std::unexpected("no memory for the program's output");
    actions.redirect(out.descriptor(), STDOUT_FILENO);
    actions.redirect(err.descriptor(), STDERR_FILENO);
  }
  ChildRun run;
  pid_t child = 0;
  const double begin = seconds_now();
  const int error = ::posix_spawnp(&child, arguments[0], actions.get(), signals.get(), arguments.data(), environ);
  if (error != 0) return std::unexpected("cannot start " + words[0] + ": " + reason_of(error));
  int status = 0;
  rusage used{};
  if (!wait_for(child, limit_s, status, used, run.was_ended))
    return std::unexpected("cannot wait for " + words[0] + ": " + reason_of(errno));
  run.wall_s = seconds_now() - begin;
  run.user_s = seconds_of(used.ru_utime);
  run.system_s = seconds_of(used.ru_stime);
  run.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (output == ChildOutput::kept) {
    run.output = out.text(std::size_t{64} << 20);
    run.errors = err.text(2000);
  }
  return run;
}

}  // namespace dojima::evidence
