#include "dojima/app/child_process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace dojima::app {

ChildProcess::ChildProcess(const std::string& program, const std::vector<std::string>& words) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::system_category(), "pipe");
  std::vector<char*> arguments{const_cast<char*>(program.c_str())};
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  process_ = ::fork();
  if (process_ < 0) throw std::system_error(errno, std::system_category(), "fork");
  if (process_ == 0) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(ends[1], STDOUT_FILENO);
    ::dup2(ends[1], STDERR_FILENO);
    ::execv(program.c_str(), arguments.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  pipe_ = ends[0];
}

ChildProcess::~ChildProcess() {
  kill();
  ::close(pipe_);
}

/// False: nothing more will come, or nothing came.
bool ChildProcess::read_some(std::chrono::milliseconds patience) {
  pollfd ready{.fd = pipe_, .events = POLLIN, .revents = 0};
  if (::poll(&ready, 1, static_cast<int>(patience.count())) <= 0) return false;
  std::array<char, 4096> bytes{};
  const ssize_t size = ::read(pipe_, bytes.data(), bytes.size());
  if (size <= 0) return false;
  output_.append(bytes.data(), static_cast<std::size_t>(size));
  return true;
}

bool ChildProcess::wait_for(std::string_view beginning, std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  for (;;) {
    const bool is_there =
        output_.starts_with(beginning) || output_.find("\n" + std::string(beginning)) != std::string::npos;
    if (is_there) return true;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0 || !read_some(left)) return false;
  }
}

std::optional<std::string> ChildProcess::rest_of_line(std::string_view beginning) {
  const std::string& text = output();
  std::size_t at = text.starts_with(beginning) ? 0 : text.find("\n" + std::string(beginning));
  if (at == std::string::npos) return std::nullopt;
  at = (text[at] == '\n' ? at + 1 : at) + beginning.size();
  const std::size_t end = text.find('\n', at);
  if (end == std::string::npos) return std::nullopt;
  return text.substr(at, end - at);
}

bool ChildProcess::has_ended() {
  if (process_ >= 0 && ::waitpid(process_, nullptr, WNOHANG) == process_) process_ = -1;
  return process_ < 0;
}

void ChildProcess::strike() const {
  ::kill(process_, SIGKILL);
}

void ChildProcess::kill() {
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
  process_ = -1;
}

const std::string& ChildProcess::output() {
  while (read_some(std::chrono::milliseconds{0})) {
  }
  return output_;
}

}  // namespace dojima::app
