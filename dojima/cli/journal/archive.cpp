#include "dojima/cli/journal/archive.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <iterator>
#include <system_error>
#include <unistd.h>
#include <vector>
#include <zstd.h>

namespace dojima::cli {
namespace {

constexpr int k_level = 3;

std::string failure(const std::string& what, const std::string& file) {
  return fmt::format("{}: {}: {}", file, what, std::system_category().message(errno));
}

std::expected<std::vector<char>, std::string> read_all(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::unexpected(failure("cannot be read", file));
  std::vector<char> bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad()) return std::unexpected(failure("cannot be read", file));
  return bytes;
}

bool write_synced(const std::string& file, const std::vector<char>& bytes) {
  const int out = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (out < 0) return false;
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t size = ::write(out, bytes.data() + done, bytes.size() - done);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    done += static_cast<std::size_t>(size);
  }
  const bool is_good = done == bytes.size() && ::fsync(out) == 0;
  const int number = errno;
  ::close(out);
  errno = number;
  return is_good;
}

}  // namespace

std::expected<ArchivedFile, std::string> archive_file(const std::string& file, const std::string& folder,
                                                      const std::string& name) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return std::unexpected(fmt::format("{}: cannot be made: {}", folder, error.message()));
  const std::string target = folder + "/" + name;
  if (std::filesystem::exists(target, error)) return ArchivedFile{.is_new = false};
  const auto bytes = read_all(file);
  if (!bytes) return std::unexpected(bytes.error());
  std::vector<char> packed(ZSTD_compressBound(bytes->size()));
  const std::size_t size = ZSTD_compress(packed.data(), packed.size(), bytes->data(), bytes->size(), k_level);
  if (ZSTD_isError(size) != 0) return std::unexpected(fmt::format("{}: {}", file, ZSTD_getErrorName(size)));
  packed.resize(size);
  const std::string unfinished = target + ".new";
  const auto give_up = [&unfinished](std::string why) {
    std::remove(unfinished.c_str());
    return std::unexpected(std::move(why));
  };
  if (!write_synced(unfinished, packed)) return give_up(failure("cannot be written", unfinished));
  const auto again = read_all(unfinished);
  if (!again) return give_up(again.error());
  std::vector<char> unpacked(bytes->size());
  const std::size_t back = ZSTD_decompress(unpacked.data(), unpacked.size(), again->data(), again->size());
  if (ZSTD_isError(back) != 0 || back != bytes->size() || unpacked != *bytes)
    return give_up(fmt::format("{}: what was written is not what can be read back", unfinished));
  if (std::rename(unfinished.c_str(), target.c_str()) != 0) return give_up(failure("cannot be renamed", unfinished));
  return ArchivedFile{.bytes = bytes->size(), .packed = packed.size()};
}

}  // namespace dojima::cli
