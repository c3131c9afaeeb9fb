#pragma once

// Where a reader's bytes come from, and the window through which it sees them. A source is a file that lies in memory
// (mapped, or unpacked at once), or a stream that is being unpacked; `files/` makes both. The window keeps what is not
// used yet in front of what comes next; reading through it costs no call per byte, only one per refill, and a source
// in memory is not copied at all.
//
//   ByteWindow window(source);
//   while (window.require(2)) { use(window.rest()); window.consume(2); }

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "dojima/base/bytes.hpp"

namespace dojima::recorded {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// All of it, where it lies in memory for as long as the source lives; then `read` is never called.
  [[nodiscard]] virtual std::optional<Bytes> whole() const { return std::nullopt; }
  /// Puts the next bytes into `room` (never empty): how many; 0: there are no more. An error is for the user: "damaged
  /// or cut gzip".
  [[nodiscard]] virtual std::expected<std::size_t, std::string> read(Room room) = 0;
};

/// Bytes that lie in memory, which outlives the source.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(Bytes bytes) noexcept : bytes_(bytes) {}
  explicit MemorySource(std::string_view text) noexcept : bytes_(as_bytes(text)) {}
  [[nodiscard]] std::optional<Bytes> whole() const override { return bytes_; }
  [[nodiscard]] std::expected<std::size_t, std::string> read(Room) override { return 0; }

 private:
  Bytes bytes_;
};

class ByteWindow {
 public:
  /// `largest`: bytes that one message or line may have, and so about what the window may take; memory is taken as
  /// messages need it. The source outlives the window.
  explicit ByteWindow(ByteSource& source, std::size_t largest = std::size_t{1} << 24);

  /// The bytes that are there and not used yet.
  [[nodiscard]] Bytes rest() const noexcept { return {begin_, static_cast<std::size_t>(end_ - begin_)}; }
  /// Whether `size` bytes are there, after reading more where needed. False: the source ends before that, `largest` is
  /// below `size`, or the source is in trouble.
  [[nodiscard]] bool require(std::size_t size) {
    return static_cast<std::size_t>(end_ - begin_) >= size || require_more(size);
  }
  void consume(std::size_t size) noexcept { begin_ += size; }

  /// The next line without its end ("\n" or "\r\n"), and goes behind it; none: there are no more, the line is longer
  /// than `largest`, or the source is in trouble. A last line without an end is a line.
  [[nodiscard]] std::optional<std::string_view> next_line() {
    const void* end = std::memchr(begin_, '\n', static_cast<std::size_t>(end_ - begin_));
    if (end == nullptr) [[unlikely]]
      return slow_line();
    return line_to(static_cast<const std::byte*>(end), 1);
  }
  /// Goes behind `lines` lines of together `size` bytes of rest(), which somebody else has read.
  void consume_lines(std::size_t size, std::uint64_t lines) noexcept {
    begin_ += size;
    line_ += lines;
  }
  /// How many bytes in front of rest() may still be read.
  [[nodiscard]] std::size_t bytes_before() const noexcept { return static_cast<std::size_t>(begin_ - base_); }
  /// Lines given or read so far.
  [[nodiscard]] std::uint64_t line() const noexcept { return line_; }

  /// Offset in the source of the first byte of rest().
  [[nodiscard]] std::uint64_t position() const noexcept { return offset_ + static_cast<std::uint64_t>(begin_ - base_); }
  /// Offset of the first byte of the line given last.
  [[nodiscard]] std::uint64_t line_position() const noexcept { return line_position_; }
  /// The source's error; empty: none.
  [[nodiscard]] const std::string& trouble() const noexcept { return trouble_; }
  /// A message or line was longer than `largest`.
  [[nodiscard]] bool is_too_long() const noexcept { return is_too_long_; }
  /// Whether nothing is left, after reading more where needed.
  [[nodiscard]] bool is_at_end() { return !require(1); }

 private:
  [[nodiscard]] bool require_more(std::size_t size);
  [[nodiscard]] bool refill();
  [[nodiscard]] std::optional<std::string_view> slow_line();
  [[nodiscard]] std::string_view line_to(const std::byte* end, std::size_t end_size) {
    const auto* from = reinterpret_cast<const char*>(begin_);
    auto size = static_cast<std::size_t>(end - begin_);
    line_position_ = position();
    ++line_;
    begin_ = end + end_size;
    if (size != 0 && from[size - 1] == '\r') --size;
    return {from, size};
  }

  ByteSource& source_;
  std::size_t largest_;
  const std::byte* base_ = nullptr;   // the first byte in memory
  const std::byte* begin_ = nullptr;  // the first that is not used
  const std::byte* end_ = nullptr;
  std::uint64_t offset_ = 0;  // of base_ in the source
  std::uint64_t line_ = 0;
  std::uint64_t line_position_ = 0;
  std::unique_ptr<std::byte[]> memory_;
  std::size_t capacity_ = 0;
  bool is_ended_ = false;
  bool is_too_long_ = false;
  std::string trouble_;
};

}  // namespace dojima::recorded
