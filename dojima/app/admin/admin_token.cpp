#include "dojima/app/admin/admin_token.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <iterator>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "dojima/app/passwords/secret_file.hpp"

namespace dojima::app {
namespace {

constexpr std::size_t k_random_bytes = 32;
constexpr std::size_t k_shortest = 16;  // characters of a token that a person chose

std::string why(int error) {
  return std::strerror(error);
}

/// The user's folder for what lives as long as its processes.
std::string runtime_folder() {
  if (const char* folder = std::getenv("XDG_RUNTIME_DIR"); folder != nullptr && folder[0] == '/') return folder;
  return fmt::format("/tmp/dojima-{}", ::getuid());
}

/// A folder of our own that nobody else can write to.
std::expected<void, std::string> make_private_folder(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0700) == 0) return {};
  struct stat there{};
  if (errno != EEXIST || ::lstat(folder.c_str(), &there) != 0)
    return std::unexpected(fmt::format("{} cannot be made: {}", folder, why(errno)));
  if (!S_ISDIR(there.st_mode) || there.st_uid != ::getuid() || (there.st_mode & 0022U) != 0)
    return std::unexpected(fmt::format("{} is not a folder that only you can write to; say admin.token_file", folder));
  return {};
}

std::expected<std::string, std::string> random_text() {
  std::array<unsigned char, k_random_bytes> bytes{};
  if (::getentropy(bytes.data(), bytes.size()) != 0)
    return std::unexpected(fmt::format("no random bytes: {}", why(errno)));
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace

AdminToken::AdminToken(AdminToken&& other) noexcept {
  *this = std::move(other);
}

AdminToken& AdminToken::operator=(AdminToken&& other) noexcept {
  std::swap(text_, other.text_);
  std::swap(file_, other.file_);
  std::swap(is_temporary_, other.is_temporary_);
  return *this;
}

AdminToken::~AdminToken() {
  if (is_temporary_) ::unlink(file_.c_str());
}

std::string AdminToken::default_file(std::uint16_t port) {
  return fmt::format("{}/dojima-admin-{}.token", runtime_folder(), port);
}

std::expected<std::string, std::string> AdminToken::read(const std::string& file) {
  struct stat there{};
  if (::stat(file.c_str(), &there) != 0) return std::unexpected(fmt::format("no token in {}: {}", file, why(errno)));
  if ((there.st_mode & 0077U) != 0)
    return std::unexpected(fmt::format("others can read the token in {}; chmod 600 it", file));
  std::ifstream in(file);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.pop_back();
  if (in.bad() || text.size() < k_shortest || text.find_first_of(" \r\n") != std::string::npos)
    return std::unexpected(fmt::format("{} holds no token: one word of at least {} characters", file, k_shortest));
  return text;
}

std::expected<AdminToken, std::string> AdminToken::make(const std::string& file, std::uint16_t port) {
  AdminToken made;
  made.file_ = file.empty() ? default_file(port) : file;
  if (!file.empty() && std::filesystem::exists(file)) {
    auto text = read(file);
    if (!text) return std::unexpected(std::move(text.error()));
    made.text_ = std::move(*text);
    return made;
  }
  if (file.empty()) {
    if (auto folder = make_private_folder(runtime_folder()); !folder) return std::unexpected(std::move(folder.error()));
    ::unlink(made.file_.c_str());  // of a server at this port that was killed
  }
  auto text = random_text();
  if (!text) return std::unexpected(std::move(text.error()));
  if (const auto written = write_secret_file(made.file_, *text); !written)
    return std::unexpected(fmt::format("the token cannot be written to {}: {}", made.file_, why(written.error())));
  made.text_ = std::move(*text);
  made.is_temporary_ = file.empty();
  return made;
}

}  // namespace dojima::app
