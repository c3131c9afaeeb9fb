#pragma once

// State as bytes: plain records one behind another, read back in the order in which they were written. Sections name
// what follows, so that a reader of another version stops where the two differ. Records have no padding, so the same
// state gives the same bytes. What is read may be anything: the first thing that does not fit makes the reader fail,
// and from then on it reads nothing. O(bytes). One thread.
//
//   StateWriter out([&](Bytes piece) { file.append(piece); });
//   out.section("totals");  out.add(count);  out.flush();
//   StateReader in(bytes);
//   in.section("totals");   in.read(count);  if (!in.is_good()) ...

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "dojima/base/bytes.hpp"
#include "dojima/base/error.hpp"

namespace dojima {

template <class Value>
concept StateValue =
    std::is_trivially_copyable_v<Value> && std::has_unique_object_representations_v<Value> && !std::is_pointer_v<Value>;

class StateWriter {
 public:
  /// `sink` gets the bytes piece by piece; they live for the call. Throws std::bad_alloc.
  explicit StateWriter(std::function<void(Bytes)> sink) : sink_(std::move(sink)) { buffer_.reserve(k_piece); }

  /// What follows; at most 8 characters.
  void section(std::string_view name) { add(tag_of(name)); }

  template <StateValue Value>
  void add(const Value& value) {
    add_bytes(std::as_bytes(std::span<const Value, 1>(&value, 1)));
  }
  template <StateValue Value>
  void add(const std::optional<Value>& value) {
    add(std::uint8_t{value.has_value()});
    if (value) add(*value);
  }
  void add(std::string_view text) {
    add(std::uint64_t{text.size()});
    add_bytes(as_bytes(text));
  }
  void add_bytes(Bytes bytes) {
    if (buffer_.size() + bytes.size() > k_piece) flush();
    if (bytes.size() > k_piece) return sink_(bytes);
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
  /// Everything goes to the sink. Call it at the end.
  void flush() {
    if (!buffer_.empty()) sink_(buffer_);
    buffer_.clear();
  }

  [[nodiscard]] static std::uint64_t tag_of(std::string_view name) noexcept {
    DOJIMA_ASSERT(name.size() <= sizeof(std::uint64_t), "a section's name has at most 8 characters", name.size());
    std::uint64_t tag = 0;
    std::memcpy(&tag, name.data(), name.size());
    return tag;
  }

 private:
  static constexpr std::size_t k_piece = std::size_t{1} << 20;
  std::function<void(Bytes)> sink_;
  std::vector<std::byte> buffer_;
};

class StateReader {
 public:
  /// The bytes must outlive the reader.
  explicit StateReader(Bytes bytes) noexcept : bytes_(bytes) {}

  /// Fails where another section, or none, is here.
  bool section(std::string_view name) {
    std::uint64_t tag = 0;
    return read(tag) && (tag == StateWriter::tag_of(name) || fail("the section that its writer puts here"));
  }

  /// Whether that section is here; reads nothing.
  [[nodiscard]] bool is_next(std::string_view name) const noexcept {
    std::uint64_t tag = 0;
    if (error_ || left() < sizeof tag) return false;
    std::memcpy(&tag, bytes_.data() + at_, sizeof tag);
    return tag == StateWriter::tag_of(name);
  }

  /// False: there are not so many bytes, or something failed before; `value` is as it was.
  template <StateValue Value>
  bool read(Value& value) noexcept {
    const Bytes bytes = take(sizeof value);
    if (bytes.empty()) return false;
    std::memcpy(&value, bytes.data(), sizeof value);
    return true;
  }
  template <StateValue Value>
  bool read(std::optional<Value>& value) noexcept {
    std::uint8_t has_value = 0;
    if (!read(has_value)) return false;
    if (has_value > 1) return fail("0 or 1");
    value.reset();
    if (has_value == 0) return true;
    Value read_value{};
    if (!read(read_value)) return false;
    value = read_value;
    return true;
  }
  bool read(bool& value) noexcept {
    std::uint8_t number = 0;
    if (!read(number)) return false;
    if (number > 1) return fail("0 or 1");
    value = number != 0;
    return true;
  }
  bool read(std::string& text) {
    std::uint64_t size = 0;
    if (!read(size)) return false;
    if (size > bytes_.size() - at_) return fail("as many bytes as are said to follow");
    text = as_text(bytes_.subspan(at_, size));
    at_ += size;
    return true;
  }
  /// A count of things of `size` bytes each that are to follow: fails when they cannot be there, or are more than
  /// `most`.
  bool read_count(std::uint64_t& count, std::uint64_t most, std::size_t size) noexcept {
    if (!read(count)) return false;
    return (count <= most && count <= (bytes_.size() - at_) / std::max<std::size_t>(size, 1)) ||
           fail("a count that its capacity and the bytes behind it allow");
  }

  /// The next bytes, in place; none where there are not so many, which fails.
  [[nodiscard]] Bytes view(std::size_t size) noexcept { return take(size); }

  /// What was read makes no sense. Always false. `expected` is static text.
  bool fail(const char* expected) noexcept {
    if (!error_) error_ = Error{ErrorCode::malformed, 0, static_cast<std::uint32_t>(at_), 0, expected};
    return false;
  }
  [[nodiscard]] bool is_good() const noexcept { return !error_.has_value(); }
  [[nodiscard]] std::size_t left() const noexcept { return bytes_.size() - at_; }
  [[nodiscard]] Result<void> result() const noexcept {
    if (error_) return std::unexpected(*error_);
    return {};
  }

 private:
  [[nodiscard]] Bytes take(std::size_t size) noexcept {
    if (error_) return {};
    if (size > bytes_.size() - at_) {
      fail("more bytes");
      return {};
    }
    const Bytes bytes = bytes_.subspan(at_, size);
    at_ += size;
    return bytes;
  }

  Bytes bytes_;
  std::size_t at_ = 0;
  std::optional<Error> error_;
};

}  // namespace dojima
