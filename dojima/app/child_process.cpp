#include "venue_process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace dojima::crash {

VenueProcess::VenueProcess(const std::string& program, const std::vector<std::string>& words) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::system_category(), "pipe");
  std::vector<char*> arguments{const_cast<char*>(program.c_str())};
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  process_ = ::fork();
  if (process_ < 0) throw std::system_error(errno, std::system_category(), "fork");
  if (process_ == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::dup2(ends[1], STDERR_FILENO);
    ::execv(program.c_str(), arguments.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  pipe_ = ends[0];
}

VenueProcess::~VenueProcess() {
  kill();
  ::close(pipe_);
}

/// False: nothing more will come, or nothing came.
bool VenueProcess::read_some(std::chrono::milliseconds patience) {
  pollfd ready{.fd = pipe_, .events = POLLIN, .revents = 0};
  if (::poll(&ready, 1, static_cast<int>(patience.count())) <= 0) return false;
  std::array<char, 4096> bytes{};
  const ssize_t size = ::read(pipe_, bytes.data(), bytes.size());
  if (size <= 0) return false;
  output_.append(bytes.data(), static_cast<std::size_t>(size));
  return true;
}

bool VenueProcess::wait_for(std::string_view beginning, std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  for (;;) {
    const bool is_there =
        output_.starts_with(beginning) || output_.find("\n" + std::string(beginning)) != std::string::npos;
    if (is_there) return true;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0 || !read_some(left)) return false;
  }
}

void VenueProcess::strike() const {
  ::kill(process_, SIGKILL);
}

void VenueProcess::kill() {
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
  process_ = -1;
}

const std::string& VenueProcess::output() {
  while (read_some(std::chrono::milliseconds{0})) {
  }
  return output_;
}

}  // namespace dojima::crash
