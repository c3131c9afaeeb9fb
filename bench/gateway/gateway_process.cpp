#include "gateway_process.hpp"

#include "bench/other_processors.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace dojima::bench {
namespace {

std::string program() {
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe");
  std::string path = own.parent_path() / "dojima";
  if (!std::filesystem::exists(path)) throw std::runtime_error("there is no " + path + ": build the target dojima");
  return path;
}

}  // namespace

GatewayProcess::GatewayProcess(const std::string& config, const std::string& log) : log_(log) {
  const std::string path = program();
  const OnOtherProcessors elsewhere;
  id_ = ::fork();
  if (id_ < 0) throw std::system_error(errno, std::system_category(), "fork");
  if (id_ > 0) return;
  const int file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::dup2(file, STDOUT_FILENO);
  ::dup2(file, STDERR_FILENO);
  ::execl(path.c_str(), path.c_str(), "gateway", "--config", config.c_str(), nullptr);
  ::_exit(127);
}

GatewayProcess::~GatewayProcess() {
  ::kill(id_, SIGKILL);
  ::waitpid(id_, nullptr, 0);
}

std::size_t GatewayProcess::memory() const {
  std::ifstream status(fmt::format("/proc/{}/status", id_));
  for (std::string word; status >> word;) {
    std::size_t kilobytes = 0;
    if (word == "RssAnon:" && status >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

void GatewayProcess::check() const {
  if (::waitpid(id_, nullptr, WNOHANG) == 0) return;
  std::ifstream file(log_);
  const std::string said{std::istreambuf_iterator<char>(file), {}};
  throw std::runtime_error("the gateway has ended: " + said.substr(said.size() > 500 ? said.size() - 500 : 0));
}

}  // namespace dojima::bench
