#pragma once

// A message read in place: one pass over a frame notes where each field is, then fields are found by tag in O(1) and
// read as domain types. Nothing is copied and nothing is allocated: the view, and every text it gives, dies with the
// buffer behind the frame (in a handler: when the handler returns). About 1.3 KB, meant to be kept and used again.
//
//   MessageView view;
//   if (auto read = view.read(frame); !read) ...          // read.error().got is the SessionRejectReason
//   const Result<market::Price> price = view.price(tag::k_price);

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "dojima/base/error.hpp"
#include "dojima/fix/frame.hpp"
#include "dojima/fix/tags.hpp"
#include "dojima/market/order.hpp"
#include "dojima/market/price.hpp"
#include "dojima/time/time.hpp"

namespace dojima::fix {

/// One field: its tag and the characters of its value. A data field's value may contain separators.
struct Field {
  Tag tag = 0;
  std::string_view value;
};

class Group;

/// Errors of the typed reads carry the tag in `field`, its place in `offset` and the SessionRejectReason that says the
/// same to a peer in `got`: `missing` (1), `malformed` (6), and for values beyond their range or too fine (5).
class MessageView {
 public:
  /// More fields than this are an error.
  static constexpr std::size_t k_fields_max = 128;

  /// An empty view.
  MessageView() noexcept { slots_.fill(0); }

  /// Indexes a whole frame, replacing what was there. On trouble the view holds the fields before it (and, unless the
  /// frame is garbled, those behind it as far as they can be told apart), and the first trouble is the error:
  /// `malformed` with field 0: a tag that is no number, so the message counts as garbled; otherwise `got` is the
  /// reason: invalid_tag_number, tag_without_value, incorrect_format (a data field of another length than announced),
  /// other (too many fields). O(message).
  Result<void> read(const Frame& frame) noexcept;

  /// Finds the frame in `message`, which must be exactly one whole message, and reads it: for tests and tools.
  Result<void> read(Bytes message) noexcept;

  [[nodiscard]] Bytes bytes() const noexcept { return frame_.bytes; }
  /// `MsgType::none` when it has more than two characters or none.
  [[nodiscard]] MsgType msg_type() const noexcept { return msg_type_; }

  /// Whether the tag occurs. O(1).
  [[nodiscard]] bool has(Tag tag) const noexcept { return index_of(tag) != k_absent; }
  /// The value of the first field of that tag. O(1); O(fields) where two tags of the message share the low byte.
  [[nodiscard]] std::optional<std::string_view> find(Tag tag) const noexcept;

  /// The value as it stands. Only error: missing.
  [[nodiscard]] Result<std::string_view> text(Tag tag) const noexcept;
  /// A value of exactly one character.
  [[nodiscard]] Result<char> character(Tag tag) const noexcept;
  /// A whole number, int64.
  [[nodiscard]] Result<std::int64_t> integer(Tag tag) const noexcept;
  [[nodiscard]] Result<market::Price> price(Tag tag) const noexcept;
  /// A whole number >= 0; zero decimals are allowed.
  [[nodiscard]] Result<market::Quantity> quantity(Tag tag) const noexcept;
  /// "Y" or "N".
  [[nodiscard]] Result<bool> boolean(Tag tag) const noexcept;
  /// UTCTimestamp with 0, 3, 6 or 9 decimals.
  [[nodiscard]] Result<time::Time> time(Tag tag) const noexcept;
  /// A sequence number: a whole number from 0 to 10^18.
  [[nodiscard]] Result<market::Sequence> sequence(Tag tag) const noexcept;

  /// MsgSeqNum(34).
  [[nodiscard]] Result<market::Sequence> msg_seq_num() const noexcept { return sequence(tag::k_msg_seq_num); }
  /// True where the tag is present and "Y".
  [[nodiscard]] bool is_set(Tag tag) const noexcept { return find(tag) == std::string_view{"Y"}; }

  /// The entries of a repeating group: `count` is its NumInGroup tag, `members` its fields with the first one first.
  /// Absent: a group of none. Errors: the count is no number, or not the number of entries.
  [[nodiscard]] Result<Group> group(Tag count, std::span<const Tag> members) const noexcept;

  // Fields in the order of the message, without CheckSum.
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] Field operator[](std::size_t index) const noexcept {
    const Entry& entry = fields_[index];
    return {entry.tag, value_of(entry)};
  }
  /// Where the value of the field at `index` begins in bytes().
  [[nodiscard]] std::uint32_t offset_of(std::size_t index) const noexcept { return fields_[index].begin; }

 private:
  struct Entry {
    Tag tag;
    std::uint16_t size;
    std::uint32_t begin;
  };
  static constexpr std::size_t k_absent = ~std::size_t{0};
  static_assert(k_fields_max < 256, "a slot is one byte");

  [[nodiscard]] std::size_t index_of(Tag tag) const noexcept;
  [[nodiscard]] std::string_view value_of(const Entry& entry) const noexcept {
    return as_text(frame_.bytes.subspan(entry.begin, entry.size));
  }
  [[nodiscard]] std::unexpected<Error> wrong(ErrorCode code, Tag tag, const char* expected) const noexcept;
  [[nodiscard]] std::size_t data_size(std::size_t length_index, std::size_t at) const noexcept;

  Frame frame_;
  MsgType msg_type_ = MsgType::none;
  std::size_t count_ = 0;
  std::array<std::uint8_t, 256> slots_;       // by tag & 255: 1 + the first field there; 0: none
  std::array<Entry, k_fields_max> fields_{};  // the first count_ are valid
};

/// One entry of a repeating group: a run of fields of a message.
class GroupEntry {
 public:
  GroupEntry(const MessageView& view, std::size_t begin, std::size_t end) noexcept
      : view_(&view), begin_(begin), end_(end) {}
  /// The value of the first field of that tag in this entry. O(fields of the entry).
  [[nodiscard]] std::optional<std::string_view> find(Tag tag) const noexcept;

 private:
  const MessageView* view_;
  std::size_t begin_, end_;
};

/// The entries of a repeating group. Lives as long as the view it came from.
class Group {
 public:
  Group(const MessageView& view, std::size_t begin, std::size_t end, std::size_t count, Tag first) noexcept
      : view_(&view), begin_(begin), end_(end), count_(count), first_(first) {}
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  /// Entry `index` < size(). O(fields of the group).
  [[nodiscard]] GroupEntry operator[](std::size_t index) const noexcept;

 private:
  const MessageView* view_;
  std::size_t begin_, end_, count_;
  Tag first_;
};

}  // namespace dojima::fix
