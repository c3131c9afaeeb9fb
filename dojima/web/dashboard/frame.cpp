#include "dojima/web/dashboard/frame.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace dojima::web {
namespace {

constexpr std::uint8_t k_snapshot_flag = 1;

void store(std::string& bytes, std::size_t at, std::uint64_t value, std::size_t size) {
  for (std::size_t byte = 0; byte < size; ++byte) bytes[at + byte] = static_cast<char>(value >> (8 * byte));
}

[[nodiscard]] std::uint64_t load(std::span<const std::byte> bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t byte = 0; byte < size; ++byte)
    value |= std::to_integer<std::uint64_t>(bytes[at + byte]) << (8 * byte);
  return value;
}

}  // namespace

FrameWriter::FrameWriter(const FrameHeader& header) {
  bytes_ = "DJ";
  u8(k_frame_version);
  u8(header.is_snapshot ? k_snapshot_flag : std::uint8_t{0});
  u32(header.number);
  i64(header.time);
  zeros(8);  // the size and the number of sections, known at the end
}

void FrameWriter::begin(Section type) {
  end_section();
  section_ = bytes_.size();
  ++sections_;
  u16(static_cast<std::uint16_t>(type));
  zeros(6);
}

void FrameWriter::end_section() {
  if (section_ != 0) store(bytes_, section_ + 4, bytes_.size() - section_ - k_section_header, 4);
}

void FrameWriter::put(std::uint64_t value, std::size_t size) {
  const std::size_t at = bytes_.size();
  bytes_.resize(at + size);
  store(bytes_, at, value, size);
}

void FrameWriter::f64(double value) {
  put(std::bit_cast<std::uint64_t>(value), 8);
}

void FrameWriter::text(std::string_view value) {
  const std::size_t size = std::min<std::size_t>(value.size(), 255);
  u8(static_cast<std::uint8_t>(size));
  bytes_.append(value.substr(0, size));
}

std::string FrameWriter::finish() {
  end_section();
  store(bytes_, 16, bytes_.size(), 4);
  store(bytes_, 20, sections_, 4);
  return std::move(bytes_);
}

std::expected<FrameView, std::string> read_frame(std::span<const std::byte> bytes) {
  if (bytes.size() < k_frame_header || bytes[0] != std::byte{'D'} || bytes[1] != std::byte{'J'})
    return std::unexpected("these bytes are no frame");
  if (load(bytes, 2, 1) != k_frame_version)
    return std::unexpected("a frame of version " + std::to_string(load(bytes, 2, 1)) + ", and this is version " +
                           std::to_string(k_frame_version));
  if (load(bytes, 16, 4) != bytes.size()) return std::unexpected("a frame that is not as long as it says");
  FrameView frame{.header = {.is_snapshot = (load(bytes, 3, 1) & k_snapshot_flag) != 0,
                             .number = static_cast<std::uint32_t>(load(bytes, 4, 4)),
                             .time = static_cast<std::int64_t>(load(bytes, 8, 8)),
                             .sections = static_cast<std::uint32_t>(load(bytes, 20, 4))},
                  .sections = {}};
  std::size_t at = k_frame_header;
  while (at < bytes.size()) {
    const std::size_t left = bytes.size() - at;
    const std::size_t size = left < k_section_header ? 0 : load(bytes, at + 4, 4);
    if (left < k_section_header || left - k_section_header < size)
      return std::unexpected("a section at byte " + std::to_string(at) + " that ends beyond its frame");
    frame.sections.push_back(
        {.type = static_cast<std::uint16_t>(load(bytes, at, 2)), .body = bytes.subspan(at + k_section_header, size)});
    at += k_section_header + size;
  }
  if (frame.sections.size() != frame.header.sections)
    return std::unexpected("a frame with other sections than it says");
  return frame;
}

std::uint64_t SectionReader::take(std::size_t size) {
  if (rest_.size() < size) {
    is_sound_ = false;
    rest_ = {};
    return 0;
  }
  const std::uint64_t value = load(rest_, 0, size);
  rest_ = rest_.subspan(size);
  return value;
}

double SectionReader::f64() {
  return std::bit_cast<double>(take(8));
}

std::string SectionReader::text() {
  const std::size_t size = u8();
  if (!has(size, 1)) return {};
  std::string text(reinterpret_cast<const char*>(rest_.data()), size);
  rest_ = rest_.subspan(size);
  return text;
}

void SectionReader::skip(std::size_t count) {
  if (has(count, 1)) rest_ = rest_.subspan(count);
}

bool SectionReader::has(std::size_t rows, std::size_t size) {
  if (rows <= rest_.size() / size) return true;
  is_sound_ = false;
  rest_ = {};
  return false;
}

}  // namespace dojima::web
