#include "dojima/recorded/files/packed_file.hpp"

#include "dojima/recorded/files/file_source.hpp"

namespace dojima::recorded {
namespace {

std::expected<std::string, std::string> all_of(ByteSource& source, const std::string& name) {
  if (const auto whole = source.whole()) return std::string(as_text(*whole));
  constexpr std::size_t k_part = std::size_t{1} << 16;
  std::string text;
  for (std::size_t size = 0;; text.resize(size)) {
    size = text.size();
    text.resize(size + k_part);
    const auto read = source.read(std::as_writable_bytes(std::span(text)).subspan(size));
    if (!read) return std::unexpected(name + ": " + read.error());
    size += *read;
    if (*read == 0) break;
  }
  text.resize(text.size() - k_part);
  return text;
}

}  // namespace

std::expected<std::string, std::string> unpacked(std::string bytes, const std::string& name) {
  return all_of(*memory_source(std::move(bytes)), name);
}

std::expected<std::string, std::string> read_packed(const std::string& file) {
  const auto source = open_source(file);
  if (!source) return std::unexpected(source.error());
  return all_of(**source, file);
}

}  // namespace dojima::recorded
