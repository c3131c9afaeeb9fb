#include "dojima/app/passwords/secret_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace dojima::app {
namespace {

std::string secret_unreadable(int error) {
  return "cannot be read: " + std::system_category().message(error);
}

/// Empty: nothing is wrong with who may read it.
std::string secret_trouble(int descriptor) {
  struct stat there{};
  if (::fstat(descriptor, &there) != 0) return secret_unreadable(errno);
  if (S_ISDIR(there.st_mode)) return secret_unreadable(EISDIR);
  const bool is_open_to_others = S_ISREG(there.st_mode) && (there.st_mode & 0077U) != 0;
  return is_open_to_others ? "others may read it; chmod 600 it" : "";
}

/// Empty: it is no name of a credential, or this is no service that has some.
std::string credential_path(const std::string& file) {
  const char* folder = std::getenv("CREDENTIALS_DIRECTORY");
  const bool is_name = file.find('/') == std::string::npos;
  return folder != nullptr && folder[0] == '/' && is_name ? std::string(folder) + "/" + file : "";
}

}  // namespace

std::expected<std::string, std::string> read_secret_line(int descriptor) {
  std::string line;
  for (char byte = 0;;) {
    const ssize_t got = ::read(descriptor, &byte, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::unexpected(secret_unreadable(errno));
    if (got == 0 || byte == '\n') break;
    if (line.size() == k_secret_longest) return std::unexpected("its first line is longer than any password");
    line += byte;
  }
  if (!line.empty() && line.back() == '\r') line.pop_back();
  if (line.empty()) return std::unexpected("no password in its first line");
  if (std::ranges::any_of(line, [](unsigned char byte) { return byte < ' ' || byte == 0x7f; }))
    return std::unexpected("a control character in its first line, which no password has");
  return line;
}

std::expected<std::string, std::string> read_secret_file(const std::string& file) {
  const std::string credential = credential_path(file);
  int descriptor = credential.empty() ? -1 : ::open(credential.c_str(), O_RDONLY | O_CLOEXEC);
  const bool is_credential = descriptor >= 0;
  if (!is_credential) descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::unexpected(secret_unreadable(errno));
  const std::string trouble = is_credential ? "" : secret_trouble(descriptor);
  std::expected<std::string, std::string> line =
      trouble.empty() ? read_secret_line(descriptor) : std::unexpected(trouble);
  ::close(descriptor);
  return line;
}

std::expected<void, int> write_secret_file(const std::string& file, std::string_view line) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0) return std::unexpected(errno);
  const std::string bytes = std::string(line) + '\n';
  const bool is_written = std::cmp_equal(::write(descriptor, bytes.data(), bytes.size()), bytes.size());
  const int error = is_written ? 0 : errno;
  ::close(descriptor);
  if (is_written) return {};
  ::unlink(file.c_str());
  return std::unexpected(error);
}

}  // namespace dojima::app
