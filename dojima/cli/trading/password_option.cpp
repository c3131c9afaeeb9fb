#include "dojima/cli/trading/password_option.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/core.h>
#include <fstream>
#include <sys/stat.h>

#include "dojima/cli/cli.hpp"

namespace dojima::cli {

bool read_password_file(const std::string& file, std::string& password) {
  if (file.empty()) return true;
  if (!password.empty()) {
    complain("--password and --password-file: one of them");
    return false;
  }
  std::ifstream in(file);
  struct stat there{};
  if (!in || ::stat(file.c_str(), &there) != 0) {
    complain(fmt::format("--password-file {}: cannot be read: {}", file, std::strerror(errno)));
    return false;
  }
  if ((there.st_mode & 0077U) != 0) {
    complain(fmt::format("--password-file {}: others may read it; chmod 600 it", file));
    return false;
  }
  std::getline(in, password);
  if (!password.empty() && password.back() == '\r') password.pop_back();
  if (password.empty()) complain(fmt::format("--password-file {}: no password in its first line", file));
  return !password.empty();
}

}  // namespace dojima::cli
