#pragma once

// The frames between a dashboard and its pages: binary, little endian, versioned; docs/dashboard.md has them byte by
// byte. A frame is a header and sections; whoever does not know a section's type steps over it. `FrameWriter` composes
// one, `read_frame` proves that the sections tile it, `SectionReader` reads the fields of one and never beyond its end.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dojima::web {

inline constexpr std::uint8_t k_frame_version = 2;
/// The WebSocket protocol: pages of another version are asked to load anew.
inline constexpr std::string_view k_frame_protocol = "dojima.v2";
inline constexpr std::size_t k_frame_header = 24;
inline constexpr std::size_t k_section_header = 8;

enum class Section : std::uint16_t {
  source = 1,
  instruments = 2,
  names = 3,
  market = 4,
  ladder = 5,
  queue = 6,
  tape = 7,
  auction = 8,
  history = 9,
  latency = 10,
  counters = 11,
  sessions = 12,
  pace = 13,
  trouble = 14,
  notices = 15,
  last_rejects = 16,
  account = 17,
};

/// Lists of names.
enum class NameList : std::uint8_t { counters = 1, stages = 2, sessions = 3 };

struct FrameHeader {
  bool is_snapshot = false;  ///< what was known before counts no more
  std::uint32_t number = 0;  ///< of this client's frames, from 1
  std::int64_t time = 0;     ///< of the source
  std::uint32_t sections = 0;
  friend bool operator==(const FrameHeader&, const FrameHeader&) = default;
};

class FrameWriter {
 public:
  FrameWriter(const FrameHeader& header);

  void begin(Section type);
  void u8(std::uint8_t value) { put(value, 1); }
  void u16(std::uint16_t value) { put(value, 2); }
  void u32(std::uint32_t value) { put(value, 4); }
  void u64(std::uint64_t value) { put(value, 8); }
  void i64(std::int64_t value) { put(static_cast<std::uint64_t>(value), 8); }
  /// The bits of the number.
  void f64(double value);
  /// At most 255 characters, their number in front.
  void text(std::string_view value);
  /// So many bytes of 0.
  void zeros(std::size_t count) { bytes_.append(count, '\0'); }

  [[nodiscard]] std::uint32_t sections() const noexcept { return sections_; }
  /// The whole frame.
  [[nodiscard]] std::string finish();

 private:
  void put(std::uint64_t value, std::size_t size);
  void end_section();

  std::string bytes_;
  std::size_t section_ = 0;  // where the one in hand begins; 0: none
  std::uint32_t sections_ = 0;
};

struct SectionView {
  std::uint16_t type = 0;
  std::span<const std::byte> body;
};

struct FrameView {
  FrameHeader header;
  std::vector<SectionView> sections;
};

/// The frame, which dies with its bytes, or why it is none, for a person.
[[nodiscard]] std::expected<FrameView, std::string> read_frame(std::span<const std::byte> bytes);

/// The fields of a section in their order. Beyond the end everything is 0, and is_sound() says so.
class SectionReader {
 public:
  explicit SectionReader(std::span<const std::byte> body) noexcept : rest_(body) {}
  [[nodiscard]] std::uint8_t u8() { return static_cast<std::uint8_t>(take(1)); }
  [[nodiscard]] std::uint16_t u16() { return static_cast<std::uint16_t>(take(2)); }
  [[nodiscard]] std::uint32_t u32() { return static_cast<std::uint32_t>(take(4)); }
  [[nodiscard]] std::uint64_t u64() { return take(8); }
  [[nodiscard]] std::int64_t i64() { return static_cast<std::int64_t>(take(8)); }
  [[nodiscard]] double f64();
  [[nodiscard]] std::string text();
  void skip(std::size_t count);
  /// Whether so many rows of this size are still there; not sound otherwise.
  [[nodiscard]] bool has(std::size_t rows, std::size_t size);
  /// Nothing was missing.
  [[nodiscard]] bool is_sound() const noexcept { return is_sound_; }
  [[nodiscard]] bool is_at_end() const noexcept { return rest_.empty(); }

 private:
  [[nodiscard]] std::uint64_t take(std::size_t size);

  std::span<const std::byte> rest_;
  bool is_sound_ = true;
};

}  // namespace dojima::web
