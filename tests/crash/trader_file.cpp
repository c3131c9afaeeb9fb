#include "trader_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <fmt/core.h>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace dojima::crash {
namespace {

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string all{std::istreambuf_iterator<char>(file), {}};
  all.resize(all.rfind('\n') == std::string::npos ? 0 : all.rfind('\n') + 1);
  return all;
}

TraderRequest request_of(const std::string& text) {
  TraderRequest request;
  std::istringstream words(text);
  words >> request.sequence >> request.type >> request.id >> request.orig;
  return request;
}

}  // namespace

std::uint64_t number_of(std::string_view fix) {
  constexpr std::string_view k_field =
      "\x01"
      "34=";
  const std::size_t at = fix.find(k_field);
  if (at == std::string_view::npos) throw std::runtime_error("a message without a number");
  return std::stoull(std::string(fix.substr(at + k_field.size(), 20)));
}

void TraderFile::read(const std::string& path, const Reader& reader) {
  const std::string all = contents(path);
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end + 1) {
    end = all.find('\n', begin);
    const std::string_view line = std::string_view(all).substr(begin, end - begin);
    const std::string_view rest = line.substr(2);
    if (line.starts_with("S "))
      reader.on_request(request_of(std::string(rest)));
    else if (line.starts_with("X "))
      reader.on_withdrawn(std::string(rest));
    else if (line.starts_with("R "))
      reader.on_received(rest);
    else
      throw std::runtime_error(path + ": a line that nobody wrote");
  }
}

TraderFile::TraderFile(const std::string& path)
    : file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) {
  if (file_ < 0 || ::ftruncate(file_, static_cast<off_t>(contents(path).size())) != 0)
    throw std::system_error(errno, std::generic_category(), path);
}

TraderFile::~TraderFile() {
  ::close(file_);
}

void TraderFile::request(const TraderRequest& request) {
  line_.clear();
  fmt::format_to(std::back_inserter(line_), "S {} {} {} {}\n", request.sequence, request.type, request.id,
                 request.orig);
  append(line_);
}

void TraderFile::withdraw(const std::string& id) {
  append(fmt::format("X {}\n", id));
}

void TraderFile::received(std::string_view fix) {
  line_.assign("R ").append(fix).push_back('\n');
  append(line_);
}

/// One write: a process that is killed has written all of it or nothing.
void TraderFile::append(std::string_view line) {
  if (::write(file_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    throw std::system_error(errno, std::generic_category(), "a trader's file");
}

}  // namespace dojima::crash
