#include "dojima/fix/codec/field_index.hpp"

#include <algorithm>
#include <charconv>

namespace dojima::fix {
namespace {

constexpr char k_field_end = '\x01';

constexpr bool is_digit_of_tag(char character) noexcept {
  return character >= '0' && character <= '9';
}

std::int64_t reject_number(RejectReason reject_reason) noexcept {
  return static_cast<std::int64_t>(reject_reason);
}

/// Keeps the first of several troubles.
void note_first(Error& first, ErrorCode code, Tag tag, std::size_t offset, std::int64_t got,
                const char* expected) noexcept {
  if (first.code != ErrorCode::none) return;
  first = {code, tag, static_cast<std::uint32_t>(offset), got, expected};
}

/// The index, as far as a byte goes.
std::uint8_t slot_of(std::size_t index) noexcept {
  return static_cast<std::uint8_t>(std::min<std::size_t>(index, 0xff));
}

struct ReadTag {
  std::uint64_t number;  // capped behind the largest tag
  std::size_t end;       // of its digits
};

/// A number with a sign is none that a tag can have, but one.
ReadTag read_tag(const char* text, std::size_t at, std::size_t end) noexcept {
  std::uint64_t number = 0;
  if (at + 1 < end && text[at] == '-' && is_digit_of_tag(text[at + 1])) {
    do ++at;
    while (at < end && is_digit_of_tag(text[at]));
    return {0, at};
  }
  for (; at < end && is_digit_of_tag(text[at]); ++at)
    number = std::min<std::uint64_t>(number * 10 + static_cast<std::uint64_t>(text[at] - '0'), k_tag_max + 1u);
  return {number, at};
}

/// How many bytes the data field whose value begins at `at` has, as the field of its length says; 0 when that cannot
/// be.
std::size_t data_size(const Frame& frame, const FieldEntry& length, std::size_t at) noexcept {
  const std::string_view digits = as_text(frame.bytes).substr(length.begin, length.size);
  std::size_t size = 0;
  const auto [end, trouble] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
  if (trouble != std::errc{} || end != digits.data() + digits.size()) return 0;
  const std::size_t room = frame.body_end - at;
  if (size >= room || as_text(frame.bytes)[at + size] != k_field_end) return 0;
  return size;
}

}  // namespace

bool FieldIndex::fill(const Frame& frame, const Kernels& fast, const DataFields& data_fields) noexcept {
  const std::size_t count = fast.index(as_text(frame.bytes).data(), frame.body_end, fields_.data(), k_fields_max);
  if (count == k_irregular) return false;
  bool has_data = false;
  std::size_t index = count;  // backwards, as fill_slots does
  while (index > k_far) {
    const Tag tag = fields_[--index].tag;
    slots_[tag & 0xff] = k_far;
    has_data |= data_fields.has(tag);
  }
  while (index > 0) {
    const Tag tag = fields_[--index].tag;
    slots_[tag & 0xff] = static_cast<std::uint8_t>(index);
    has_data |= data_fields.has(tag);
  }
  if (has_data) {
    return false;
  }
  count_ = count;
  return true;
}

Result<void> FieldIndex::fill_carefully(const Frame& frame, bool allows_empty_values,
                                        const DataFields& data_fields) noexcept {
  count_ = 0;
  const char* text = as_text(frame.bytes).data();
  const std::size_t end = frame.body_end;
  Error first;
  for (std::size_t at = 0; at < end;) {
    const std::size_t tag_begin = at;
    const auto [number, tag_end] = read_tag(text, at, end);
    if (tag_end == tag_begin || text[tag_end] != '=') {
      const std::string_view rest(text + tag_begin, end - tag_begin);
      const bool has_sign = rest.substr(0, rest.find(k_field_end)).find('=') != std::string_view::npos;
      note_first(first, ErrorCode::malformed, 0, tag_begin,
                 has_sign ? 0 : reject_number(RejectReason::field_separator_in_value), "a tag of digits, then =");
      break;
    }
    const std::size_t value_begin = tag_end + 1;
    const bool is_tag = number >= 1 && number <= k_tag_max && text[tag_begin] != '0';
    const Tag tag = is_tag && number <= 0xffff ? static_cast<Tag>(number) : k_large_tag;
    std::size_t value_end = value_begin;
    if (const Tag length = data_fields.length_of(tag); length != 0 && count_ > 0 && fields_[count_ - 1].tag == length) {
      value_end = value_begin + data_size(frame, fields_[count_ - 1], value_begin);
      if (value_end == value_begin)
        note_first(first, ErrorCode::malformed, length, fields_[count_ - 1].begin,
                   reject_number(RejectReason::incorrect_format), "the number of bytes of the data field behind it");
    }
    while (text[value_end] != k_field_end) ++value_end;
    at = value_end + 1;
    if (!is_tag) {
      note_first(first, ErrorCode::out_of_range, 0, tag_begin, reject_number(RejectReason::invalid_tag_number),
                 "a tag of 1 to 2147483647");
      continue;
    }
    if (value_end == value_begin && !allows_empty_values)
      note_first(first, ErrorCode::missing, tag, value_begin, reject_number(RejectReason::tag_without_value),
                 "a value");
    if (count_ == k_fields_max) {
      note_first(first, ErrorCode::no_room, tag, tag_begin, reject_number(RejectReason::other), "at most 1,000 fields");
      break;
    }
    fields_[count_++] = {tag, static_cast<std::uint16_t>(value_end - value_begin),
                         static_cast<std::uint32_t>(value_begin)};
  }
  fill_slots();
  if (first.code != ErrorCode::none) return std::unexpected(first);
  return {};
}

/// Backwards, so that the first of its slot stays.
void FieldIndex::fill_slots() noexcept {
  for (std::size_t index = count_; index-- > 0;) slots_[fields_[index].tag & 0xff] = slot_of(index);
}

std::uint32_t large_number_at(Bytes message, const FieldEntry& entry) noexcept {
  const char* const text = as_text(message).data();
  std::size_t begin = entry.begin - 1;  // of `=`
  while (is_digit_of_tag(text[begin - 1])) --begin;
  return static_cast<std::uint32_t>(read_tag(text, begin, entry.begin).number);
}

}  // namespace dojima::fix
