#pragma once

// A message read in place: one pass over a frame notes where each field is, then fields are found by tag in O(1) and
// read as domain types. Nothing is copied and nothing is allocated: the view, and every text, group and list it gives,
// dies with the buffer behind the frame (in a handler: when the handler returns), and when the view reads another one.
// Builds with slow checks assert both. About 9 KB, meant to be kept and used again. One thread.
//
//   MessageView view;
//   if (auto read = view.read(frame); !read) ...          // read.error().got is the SessionRejectReason
//   const Result<market::Price> price = view.price(tag::k_price);
//   for (const Field field : view) ...                    // every field, in the order of the message
//
//   if (const Result<Group> parties = view.group(tag::k_no_party_ids, fix_4_4()))
//     for (const GroupEntry party : *parties) ... party.find(tag::k_party_id) ...

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>

#include "dojima/base/error.hpp"
#include "dojima/fix/codec/field_index.hpp"
#include "dojima/fix/codec/scan.hpp"
#include "dojima/fix/codec/short_number.hpp"
#include "dojima/fix/dictionaries/data_fields.hpp"
#include "dojima/fix/frame.hpp"
#include "dojima/fix/tags.hpp"
#include "dojima/fix/value.hpp"
#include "dojima/market/order.hpp"
#include "dojima/market/price.hpp"
#include "dojima/time/time.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::fix {

/// One field: its tag (k_large_tag: above 65535) and the characters of its value. A data field's value may contain
/// separators.
struct Field {
  Tag tag = 0;
  std::string_view value;
};

class Dictionary;
class FieldIterator;
class Group;
class Shape;

/// How a message is taken apart.
struct ReadRules {
  const DataFields* data_fields = nullptr;  ///< null: those of the standard dictionaries
  bool allows_empty_values = false;
  const Kernels* kernels = nullptr;  ///< null: the fastest of this processor
};

/// Errors of the typed reads carry the tag in `field`, its place in `offset` and the SessionRejectReason that says the
/// same to a peer in `got`: `missing` (1), `malformed` (6), and for values beyond their range or too fine (5).
class MessageView {
 public:
  /// More fields than this are an error.
  static constexpr std::size_t k_fields_max = FieldIndex::k_fields_max;

  /// An empty view.
  MessageView() noexcept = default;

  /// Indexes a whole frame, replacing what was there. On trouble the view holds the fields before it (and, unless the
  /// frame is garbled, those behind it as far as they can be separated), and the first trouble is the error:
  /// `malformed` with field 0: a tag that is no number, so the message counts as garbled (`got` is
  /// field_separator_in_value where the field has no `=` at all); otherwise `got` is the reason: invalid_tag_number,
  /// tag_without_value, incorrect_format (a data field of another length than announced), other (too many fields).
  /// O(message).
  Result<void> read(const Frame& frame, const ReadRules& rules = {}) noexcept;

  /// Finds the frame in `message`, which must be exactly one whole message, and reads it: for tests and tools.
  Result<void> read(Bytes message, const ReadRules& rules = {}) noexcept;

  /// Forgets everything: what a reader does whose buffer goes away. Groups and lists of before are dead.
  void clear() noexcept;

  [[nodiscard]] Bytes bytes() const noexcept { return frame_.bytes; }
  /// `MsgType::none` when it has more than four characters or none.
  [[nodiscard]] MsgType msg_type() const noexcept { return msg_type_; }

  /// Whether the tag occurs. O(1).
  [[nodiscard]] bool has(Tag tag) const noexcept { return index_of(tag) != k_absent; }
  /// The value of the first field of that tag. O(1); O(fields) where two tags of the message share the low byte.
  [[nodiscard]] std::optional<std::string_view> find(Tag tag) const noexcept;

  /// The value as it was sent. Only error: missing.
  [[nodiscard]] Result<std::string_view> text(Tag tag) const noexcept;
  /// A value of exactly one character.
  [[nodiscard]] Result<char> character(Tag tag) const noexcept;
  /// A whole number, int64.
  [[nodiscard]] Result<std::int64_t> integer(Tag tag) const noexcept;
  [[nodiscard]] Result<market::Price> price(Tag tag) const noexcept;
  /// A whole number >= 0; zero decimals are allowed.
  [[nodiscard]] Result<market::Quantity> quantity(Tag tag) const noexcept;
  /// Any decimal number with up to 18 digits, with its number of decimals.
  [[nodiscard]] Result<Decimal> decimal(Tag tag) const noexcept;
  /// "Y" or "N".
  [[nodiscard]] Result<bool> boolean(Tag tag) const noexcept;
  /// UTCTimestamp with 0, 3, 6 or 9 decimals.
  [[nodiscard]] Result<time::Time> time(Tag tag) const noexcept;
  /// The same where it mostly is of the day of the one before, `last`.
  [[nodiscard]] Result<time::Time> time(Tag tag, time::ReadDate& last) const noexcept;
  /// UTCTimeOnly: since midnight.
  [[nodiscard]] Result<time::Duration> time_of_day(Tag tag) const noexcept;
  /// YYYYMMDD.
  [[nodiscard]] Result<std::chrono::year_month_day> date(Tag tag) const noexcept;
  /// YYYYMM, YYYYMMDD or YYYYMMwN.
  [[nodiscard]] Result<MonthYear> month_year(Tag tag) const noexcept;
  /// A data field: any bytes.
  [[nodiscard]] Result<Bytes> data(Tag tag) const noexcept;
  /// The parts of a multiple-value string.
  [[nodiscard]] Result<ValueList> list(Tag tag) const noexcept;
  /// A sequence number: a whole number from 0 to 10^18.
  [[nodiscard]] Result<market::Sequence> sequence(Tag tag) const noexcept;

  /// MsgSeqNum(34).
  [[nodiscard]] Result<market::Sequence> msg_seq_num() const noexcept { return sequence(tag::k_msg_seq_num); }
  /// True where the tag is present and "Y".
  [[nodiscard]] bool is_set(Tag tag) const noexcept { return find(tag) == std::string_view{"Y"}; }

  /// The entries of a repeating group: `count` is its NumInGroup tag, `members` its fields with the first one first.
  /// Absent: a group of none. Errors: the count is no number, or not the number of entries.
  [[nodiscard]] Result<Group> group(Tag count, std::span<const Tag> members) const noexcept;
  /// The same for a group of the dictionary's message, with the groups inside its entries; `dictionary` outlives it.
  /// Error besides: `unknown`, the message type has no such group. O(fields of the group).
  [[nodiscard]] Result<Group> group(Tag count, const Dictionary& dictionary) const noexcept;

  // Fields in the order of the message, without CheckSum: by range-for, or by index.
  [[nodiscard]] FieldIterator begin() const noexcept;
  [[nodiscard]] FieldIterator end() const noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return index_.size(); }
  [[nodiscard]] Field operator[](std::size_t index) const noexcept;
  /// Where the value of the field at `index` begins in bytes().
  [[nodiscard]] std::uint32_t offset_of(std::size_t index) const noexcept { return index_[index].begin; }
  /// The tag's number, also where it is above 65535.
  [[nodiscard]] std::uint32_t number_of(std::size_t index) const noexcept;
  /// The value of the first field of that number, also of one above 65535. O(fields).
  [[nodiscard]] std::optional<std::string_view> find_number(std::uint32_t number) const noexcept;
  /// How many messages it has read: what it gave out belongs to one of them.
  [[nodiscard]] std::uint32_t generation() const noexcept { return generation_; }

 private:
  friend class Group;
  friend class GroupEntry;
  static constexpr std::size_t k_absent = FieldIndex::k_absent;

  [[nodiscard]] std::size_t index_of(Tag tag) const noexcept {
    DOJIMA_CHECK_SLOW(index_.size() == 0 || is_alive(),
                      "the buffer behind a view does not change while the view is used");
    return index_.find(tag);
  }
  [[nodiscard]] std::size_t group_end(std::size_t begin, std::size_t end, const Shape& shape,
                                      const Dictionary& dictionary) const noexcept;
  [[nodiscard]] Result<Group> group_at(std::size_t at, std::size_t end, const Shape& shape,
                                       const Dictionary& dictionary) const noexcept;
  [[nodiscard]] const char* text_begin() const noexcept { return reinterpret_cast<const char*>(frame_.bytes.data()); }
  [[nodiscard]] std::string_view value_of(const FieldEntry& entry) const noexcept {
    return {text_begin() + entry.begin, entry.size};
  }
  /// The first field of that tag; null: there is none.
  [[nodiscard]] const FieldEntry* entry_of(Tag tag) const noexcept {
    const std::size_t index = index_of(tag);
    return index == k_absent ? nullptr : &index_[index];
  }
  /// The value as a short number; not there: the field is missing, long, or something else.
  [[nodiscard]] ShortNumber short_number(Tag tag) const noexcept;
  [[nodiscard]] std::unexpected<Error> missing(Tag tag) const noexcept;
  [[nodiscard]] Result<char> no_character(Tag tag) const noexcept;
  [[nodiscard]] Result<std::int64_t> slow_integer(Tag tag) const noexcept;
  [[nodiscard]] Result<market::Price> slow_price(Tag tag) const noexcept;
  [[nodiscard]] Result<market::Quantity> slow_quantity(Tag tag) const noexcept;
  [[nodiscard]] Result<market::Sequence> slow_sequence(Tag tag) const noexcept;
  [[nodiscard]] std::unexpected<Error> wrong(ErrorCode code, Tag tag, const char* expected) const noexcept;
  /// Whether the bytes are those that were read: their sum has not changed.
  [[nodiscard]] bool is_alive() const noexcept;

  Frame frame_;
  MsgType msg_type_ = MsgType::none;
  std::uint32_t generation_ = 0;
  FieldIndex index_;
};

// Reads that every order needs are inline: a result that comes back through memory costs more than the reading. What is
// long, unusual or wrong takes the slow path.

inline std::optional<std::string_view> MessageView::find(Tag tag) const noexcept {
  const std::size_t index = index_of(tag);
  if (index == k_absent) return std::nullopt;
  return value_of(index_[index]);
}

inline Result<std::string_view> MessageView::text(Tag tag) const noexcept {
  const FieldEntry* const entry = entry_of(tag);
  if (entry == nullptr) [[unlikely]] {
    return missing(tag);
  }
  return value_of(*entry);
}

inline Result<char> MessageView::character(Tag tag) const noexcept {
  const FieldEntry* const entry = entry_of(tag);
  if (entry == nullptr || entry->size != 1) [[unlikely]] {
    return no_character(tag);
  }
  return text_begin()[entry->begin];
}

inline Result<std::int64_t> MessageView::integer(Tag tag) const noexcept {
  const ShortNumber number = short_number(tag);
  if (!number.is_whole()) [[unlikely]] {
    return slow_integer(tag);
  }
  return std::int64_t{number.digits};
}

inline Result<market::Price> MessageView::price(Tag tag) const noexcept {
  const ShortNumber number = short_number(tag);
  if (!number.is_there) [[unlikely]] {
    return slow_price(tag);
  }
  return market::Price{number.scaled()};
}

inline Result<market::Quantity> MessageView::quantity(Tag tag) const noexcept {
  const ShortNumber number = short_number(tag);
  if (!number.is_whole()) [[unlikely]] {
    return slow_quantity(tag);
  }
  return market::Quantity{std::int64_t{number.digits}};
}

inline Result<market::Sequence> MessageView::sequence(Tag tag) const noexcept {
  const ShortNumber number = short_number(tag);
  if (!number.is_whole()) [[unlikely]] {
    return slow_sequence(tag);
  }
  return market::Sequence{number.digits};
}

inline ShortNumber MessageView::short_number(Tag tag) const noexcept {
  const FieldEntry* const entry = entry_of(tag);
  if (entry == nullptr) [[unlikely]] {
    return {};
  }
  const std::size_t end = std::size_t{entry->begin} + entry->size;
  if (end < k_short_number_max) [[unlikely]] {
    return {};  // what is read lies inside the message
  }
  return read_short_number(text_begin() + end, entry->size);
}

inline Field MessageView::operator[](std::size_t index) const noexcept {
  DOJIMA_CHECK_SLOW(index < index_.size(), "a field of the message");
  const FieldEntry& entry = index_[index];
  return {entry.tag, value_of(entry)};
}

/// Walks fields of a message, each made where it is asked for. Dies with what the view read. O(1) a step.
class FieldIterator {
 public:
  using value_type = Field;
  using reference = Field;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::input_iterator_tag;  // what it gives is no reference
  using iterator_concept = std::forward_iterator_tag;

  FieldIterator() noexcept = default;
  FieldIterator(const MessageView& view, std::size_t index) noexcept : view_(&view), index_(index) {}

  [[nodiscard]] Field operator*() const noexcept { return (*view_)[index_]; }
  FieldIterator& operator++() noexcept {
    ++index_;
    return *this;
  }
  FieldIterator operator++(int) noexcept {
    const FieldIterator before = *this;
    ++index_;
    return before;
  }
  friend bool operator==(const FieldIterator&, const FieldIterator&) = default;

 private:
  const MessageView* view_ = nullptr;
  std::size_t index_ = 0;
};

inline FieldIterator MessageView::begin() const noexcept {
  return {*this, 0};
}
inline FieldIterator MessageView::end() const noexcept {
  return {*this, index_.size()};
}

/// One entry of a repeating group: a run of fields of a message.
class GroupEntry {
 public:
  GroupEntry(const MessageView& view, std::size_t begin, std::size_t end) noexcept
      : view_(&view), begin_(begin), end_(end), generation_(view.generation()) {}
  GroupEntry(const MessageView& view, std::size_t begin, std::size_t end, const Shape& shape,
             const Dictionary& dictionary) noexcept
      : view_(&view),
        shape_(&shape),
        dictionary_(&dictionary),
        begin_(begin),
        end_(end),
        generation_(view.generation()) {}
  /// The value of the first field of that tag in this entry, groups inside it left out where the dictionary is known.
  /// O(fields of the entry).
  [[nodiscard]] std::optional<std::string_view> find(Tag tag) const noexcept;
  /// A group inside this entry; only for entries of a dictionary's group. Absent: a group of none.
  [[nodiscard]] Result<Group> group(Tag count) const noexcept;
  /// Every field of the entry in the order of the message, those of groups inside it as well.
  [[nodiscard]] FieldIterator begin() const noexcept {
    check_alive();
    return {*view_, begin_};
  }
  [[nodiscard]] FieldIterator end() const noexcept { return {*view_, end_}; }

 private:
  void check_alive() const noexcept {
    DOJIMA_CHECK_SLOW(generation_ == view_->generation(), "an entry of a message that its view still holds",
                      generation_, view_->generation());
  }
  [[nodiscard]] std::size_t index_of(Tag tag) const noexcept;
  const MessageView* view_;
  const Shape* shape_ = nullptr;  // with dictionary_: both or neither
  const Dictionary* dictionary_ = nullptr;
  std::size_t begin_, end_;
  std::uint32_t generation_;
};

/// The entries of a repeating group. Lives as long as what its view read.
class Group {
 public:
  Group(const MessageView& view, std::size_t begin, std::size_t end, std::size_t count, Tag first,
        const Shape* shape = nullptr, const Dictionary* dictionary = nullptr) noexcept
      : view_(&view),
        shape_(shape),
        dictionary_(dictionary),
        begin_(begin),
        end_(end),
        count_(count),
        generation_(view.generation()),
        first_(first) {}
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  /// Entry `index` < size(). O(fields of the group).
  [[nodiscard]] GroupEntry operator[](std::size_t index) const noexcept;

  /// Walks the entries; the group must outlive it. O(fields of the entry) a step, so O(fields of the group) for all.
  class Iterator {
   public:
    using value_type = GroupEntry;
    using reference = GroupEntry;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;  // what it gives is no reference
    using iterator_concept = std::forward_iterator_tag;

    Iterator() noexcept = default;
    /// At the entry that begins with the field at `begin`, or behind the last one.
    Iterator(const Group& group, std::size_t begin) noexcept
        : group_(&group), begin_(begin), end_(begin < group.end_ ? group.entry_end(begin) : begin) {}

    [[nodiscard]] GroupEntry operator*() const noexcept { return group_->entry(begin_, end_); }
    Iterator& operator++() noexcept { return *this = Iterator(*group_, end_); }
    Iterator operator++(int) noexcept {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const Group* group_ = nullptr;
    std::size_t begin_ = 0, end_ = 0;  // fields of the entry
  };
  [[nodiscard]] Iterator begin() const noexcept {
    check_alive();
    return {*this, begin_};
  }
  [[nodiscard]] Iterator end() const noexcept { return {*this, end_}; }

 private:
  void check_alive() const noexcept {
    DOJIMA_CHECK_SLOW(generation_ == view_->generation(), "a group of a message that its view still holds", generation_,
                      view_->generation());
  }
  /// The entry of the fields [begin, end).
  [[nodiscard]] GroupEntry entry(std::size_t begin, std::size_t end) const noexcept {
    check_alive();
    if (shape_ == nullptr) return {*view_, begin, end};
    return {*view_, begin, end, *shape_, *dictionary_};
  }
  /// Where the entry that begins at `begin` ends.
  [[nodiscard]] std::size_t entry_end(std::size_t begin) const noexcept;
  const MessageView* view_;
  const Shape* shape_;
  const Dictionary* dictionary_;
  std::size_t begin_, end_, count_;
  std::uint32_t generation_;
  Tag first_;
};

}  // namespace dojima::fix
