#include "dojima/app/passwords/password_file.hpp"

#include <charconv>
#include <cstdio>
#include <fcntl.h>
#include <fmt/core.h>
#include <fstream>
#include <optional>
#include <unistd.h>
#include <utility>

namespace dojima::app {
namespace {

struct Line {
  std::string user, password;
  time::Time since;
};

std::optional<Line> parse(const std::string& text) {
  const std::size_t first = text.find('\t'), second = text.find('\t', first + 1);
  if (first == std::string::npos || second == std::string::npos || first == 0 || second + 1 == text.size()) return {};
  std::int64_t nanoseconds = 0;
  const char* end = text.data() + second;
  const auto [at, error] = std::from_chars(text.data() + first + 1, end, nanoseconds);
  if (error != std::errc{} || at != end) return {};
  return Line{text.substr(0, first), text.substr(second + 1), time::from_nanoseconds(nanoseconds)};
}

}  // namespace

std::expected<PasswordFile, std::string> PasswordFile::open(const std::string& path) {
  PasswordFile file(path);
  std::ifstream in(path);
  std::string text;
  for (int number = 1; std::getline(in, text); ++number) {
    const std::optional<Line> line = parse(text);
    if (!line)
      return std::unexpected(
          fmt::format("{}, line {}: not a user, a time and a password, separated by tabs; restore "
                      "the file from a copy, or remove it for the passwords of the configuration",
                      path, number));
    file.chosen_[line->user] = {line->password, line->since};
  }
  return file;
}

bool PasswordFile::seal(const std::function<std::string(std::string_view)>& hash) {
  constexpr std::size_t k_longest_clear = 25;
  bool is_changed = false;
  for (auto& [user, chosen] : chosen_) {
    if (chosen.password.size() > k_longest_clear) continue;
    chosen.password = hash(chosen.password);
    if (chosen.password.empty()) return false;
    is_changed = true;
  }
  return !is_changed || write();
}

void PasswordFile::apply_to(simulate::ExchangeConfig& config) const {
  for (simulate::VenueUserConfig& user : config.users)
    if (const auto found = chosen_.find(user.name); found != chosen_.end()) {
      user.password = found->second.password;
      user.password_since = found->second.since;
      user.first_password = false;
    }
}

bool PasswordFile::keep(std::string_view user, std::string_view password, time::Time since) {
  const auto found = chosen_.find(user);
  before_ = found != chosen_.end() ? std::optional(found->second) : std::nullopt;
  chosen_[std::string(user)] = {std::string(password), since};
  if (write()) return true;
  restore(user);
  return false;
}

void PasswordFile::take_back(std::string_view user) {
  restore(user);
  static_cast<void>(write());
}

void PasswordFile::restore(std::string_view user) {
  chosen_.erase(std::string(user));
  if (before_) chosen_.emplace(user, *std::exchange(before_, std::nullopt));
}

bool PasswordFile::write() const {
  std::string text;
  for (const auto& [user, chosen] : chosen_)
    text += fmt::format("{}\t{}\t{}\n", user, time::nanoseconds_of(chosen.since), chosen.password);
  const std::string next = path_ + ".new";
  const int file = ::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return false;
  bool is_written = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  is_written = ::fsync(file) == 0 && is_written;
  is_written = ::close(file) == 0 && is_written;
  return is_written && std::rename(next.c_str(), path_.c_str()) == 0;
}

}  // namespace dojima::app
