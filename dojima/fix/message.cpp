#include "dojima/fix/message.hpp"

#include <algorithm>
#include <charconv>

#include "dojima/time/timestamp_text.hpp"

namespace dojima::fix {
namespace {

constexpr char k_separator = '\x01';
constexpr std::uint64_t k_sequence_max = 1'000'000'000'000'000'000;

/// The length field that stands in front of a data field of FIX 4.2 to 4.4; 0: the tag is no data field.
constexpr Tag length_tag_of(Tag tag) noexcept {
  switch (tag) {
    case 89:
      return 93;
    case 91:
    case 96:
    case 213:
    case 349:
    case 351:
    case 353:
    case 355:
    case 357:
    case 359:
    case 361:
    case 363:
    case 365:
    case 446:
    case 619:
    case 622:
      return static_cast<Tag>(tag - 1);
    default:
      return 0;
  }
}

constexpr bool is_digit(char character) noexcept {
  return character >= '0' && character <= '9';
}

std::int64_t reason(RejectReason reject_reason) noexcept {
  return static_cast<std::int64_t>(reject_reason);
}

/// Keeps the first of several troubles.
void note(Error& first, ErrorCode code, Tag tag, std::size_t offset, std::int64_t got, const char* expected) noexcept {
  if (first.code != ErrorCode::none) return;
  first = {code, tag, static_cast<std::uint32_t>(offset), got, expected};
}

struct TagText {
  std::uint32_t number;  // capped behind the largest tag
  std::size_t end;       // of its digits
};

TagText read_tag(const char* text, std::size_t at, std::size_t end) noexcept {
  std::uint32_t number = 0;
  for (; at < end && is_digit(text[at]); ++at)
    number = std::min<std::uint32_t>(number * 10 + static_cast<std::uint32_t>(text[at] - '0'), 0x10000);
  return {number, at};
}

}  // namespace

Result<void> MessageView::read(Bytes message) noexcept {
  const FrameSearch found = find_frame(message, k_body_max);
  if (found.state == FrameState::garbled) return std::unexpected(found.error);
  if (found.state == FrameState::incomplete || found.size != message.size())
    return fail(ErrorCode::malformed, 0, 0, 0, "exactly one whole message");
  return read(found.frame);
}

Result<void> MessageView::read(const Frame& frame) noexcept {
  frame_ = frame;
  msg_type_ = MsgType::none;
  count_ = 0;
  slots_.fill(0);
  const char* text = as_text(frame.bytes).data();
  const std::size_t end = frame.body_end;
  DOJIMA_ASSERT(end > 0 && end <= frame.bytes.size() && text[end - 1] == k_separator, "a frame of find_frame");
  Error first;
  for (std::size_t at = 0; at < end;) {
    const std::size_t tag_begin = at;
    const auto [number, tag_end] = read_tag(text, at, end);
    if (tag_end == tag_begin || text[tag_end] != '=') {
      note(first, ErrorCode::malformed, 0, tag_begin, 0, "a tag of digits, then =");
      break;
    }
    const std::size_t value_begin = tag_end + 1;
    const bool is_tag = number >= 1 && number <= 0xffff && text[tag_begin] != '0';
    const Tag tag = is_tag ? static_cast<Tag>(number) : Tag{0};
    std::size_t value_end = value_begin;
    if (const Tag length = length_tag_of(tag); length != 0 && count_ > 0 && fields_[count_ - 1].tag == length) {
      value_end = value_begin + data_size(count_ - 1, value_begin);
      if (value_end == value_begin)
        note(first, ErrorCode::malformed, length, fields_[count_ - 1].begin, reason(RejectReason::incorrect_format),
             "the number of bytes of the data field behind it");
    }
    while (text[value_end] != k_separator) ++value_end;
    at = value_end + 1;
    if (!is_tag) {
      note(first, ErrorCode::out_of_range, 0, tag_begin, reason(RejectReason::invalid_tag_number),
           "a tag of 1 to 65535");
      continue;
    }
    if (value_end == value_begin)
      note(first, ErrorCode::missing, tag, value_begin, reason(RejectReason::tag_without_value), "a value");
    if (count_ == k_fields_max) {
      note(first, ErrorCode::no_room, tag, tag_begin, reason(RejectReason::other), "at most 128 fields");
      break;
    }
    fields_[count_++] = {tag, static_cast<std::uint16_t>(value_end - value_begin),
                         static_cast<std::uint32_t>(value_begin)};
    if (std::uint8_t& slot = slots_[tag & 0xff]; slot == 0) slot = static_cast<std::uint8_t>(count_);
    if (tag == tag::k_msg_type && msg_type_ == MsgType::none)
      msg_type_ = fix::msg_type(as_text(frame.bytes.subspan(value_begin, value_end - value_begin)));
  }
  if (first.code != ErrorCode::none) return std::unexpected(first);
  return {};
}

/// How many bytes the data field whose value begins at `at` has, as its length field says; 0 when that cannot be.
std::size_t MessageView::data_size(std::size_t length_index, std::size_t at) const noexcept {
  const std::string_view digits = value_of(fields_[length_index]);
  std::size_t size = 0;
  const auto [end, trouble] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
  if (trouble != std::errc{} || end != digits.data() + digits.size()) return 0;
  const std::size_t room = frame_.body_end - at;
  if (size >= room || as_text(frame_.bytes)[at + size] != k_separator) return 0;
  return size;
}

std::size_t MessageView::index_of(Tag tag) const noexcept {
  const std::size_t slot = slots_[tag & 0xff];
  if (slot == 0) return k_absent;
  for (std::size_t index = slot - 1; index < count_; ++index) {
    if (fields_[index].tag == tag) return index;
  }
  return k_absent;
}

std::optional<std::string_view> MessageView::find(Tag tag) const noexcept {
  const std::size_t index = index_of(tag);
  if (index == k_absent) return std::nullopt;
  return value_of(fields_[index]);
}

std::unexpected<Error> MessageView::wrong(ErrorCode code, Tag tag, const char* expected) const noexcept {
  const std::size_t index = index_of(tag);
  const std::uint32_t offset = index == k_absent ? 0 : fields_[index].begin;
  const RejectReason why = code == ErrorCode::missing     ? RejectReason::required_tag_missing
                           : code == ErrorCode::malformed ? RejectReason::incorrect_format
                                                          : RejectReason::value_incorrect;
  return fail(code, tag, offset, reason(why), expected);
}

Result<std::string_view> MessageView::text(Tag tag) const noexcept {
  const auto value = find(tag);
  if (!value) return wrong(ErrorCode::missing, tag, "the field");
  return *value;
}

Result<char> MessageView::character(Tag tag) const noexcept {
  const auto value = find(tag);
  if (!value) return wrong(ErrorCode::missing, tag, "the field");
  if (value->size() != 1) return wrong(ErrorCode::malformed, tag, "one character");
  return value->front();
}

Result<std::int64_t> MessageView::integer(Tag tag) const noexcept {
  const auto value = find(tag);
  if (!value) return wrong(ErrorCode::missing, tag, "the field");
  std::int64_t number = 0;
  const auto [end, trouble] = std::from_chars(value->data(), value->data() + value->size(), number);
  if (trouble == std::errc::result_out_of_range) return wrong(ErrorCode::out_of_range, tag, "a 64-bit number");
  if (trouble != std::errc{} || end != value->data() + value->size())
    return wrong(ErrorCode::malformed, tag, "a whole number");
  return number;
}

Result<market::Price> MessageView::price(Tag tag) const noexcept {
  const auto value = find(tag);
  if (!value) return wrong(ErrorCode::missing, tag, "the field");
  auto price = market::parse_price(*value);
  if (!price) return wrong(price.error().code, tag, price.error().expected);
  return price;
}

Result<market::Quantity> MessageView::quantity(Tag tag) const noexcept {
  const auto value = find(tag);
  if (!value) return wrong(ErrorCode::missing, tag, "the field");
  auto quantity = market::parse_quantity(*value);
  if (!quantity) return wrong(quantity.error().code, tag, quantity.error().expected);
  return quantity;
}

Result<bool> MessageView::boolean(Tag tag) const noexcept {
  const auto value = find(tag);
  if (!value) return wrong(ErrorCode::missing, tag, "the field");
  if (*value != "Y" && *value != "N") return wrong(ErrorCode::malformed, tag, "Y or N");
  return value->front() == 'Y';
}

Result<time::Time> MessageView::time(Tag tag) const noexcept {
  const auto value = find(tag);
  if (!value) return wrong(ErrorCode::missing, tag, "the field");
  auto time = time::parse_timestamp(*value);
  // A date that does not exist is as unreadable to a FIX peer as one of another shape.
  if (!time) return wrong(ErrorCode::malformed, tag, time.error().expected);
  return time;
}

Result<market::Sequence> MessageView::sequence(Tag tag) const noexcept {
  const auto value = find(tag);
  if (!value) return wrong(ErrorCode::missing, tag, "the field");
  std::uint64_t number = 0;
  const auto [end, trouble] = std::from_chars(value->data(), value->data() + value->size(), number);
  if (trouble == std::errc::result_out_of_range || (trouble == std::errc{} && number > k_sequence_max))
    return wrong(ErrorCode::out_of_range, tag, "a sequence number up to 10^18");
  if (trouble != std::errc{} || end != value->data() + value->size())
    return wrong(ErrorCode::malformed, tag, "a sequence number");
  return market::Sequence{number};
}

Result<Group> MessageView::group(Tag count, std::span<const Tag> members) const noexcept {
  const std::size_t at = index_of(count);
  if (at == k_absent) return Group(*this, 0, 0, 0, members[0]);
  const auto told = integer(count);
  if (!told) return std::unexpected(told.error());
  std::size_t end = at + 1, entries = 0;
  for (; end < count_ && std::ranges::find(members, fields_[end].tag) != members.end(); ++end) {
    if (fields_[end].tag == members[0]) ++entries;
  }
  const bool begins_right = end == at + 1 || fields_[at + 1].tag == members[0];
  if (!begins_right || *told < 0 || static_cast<std::uint64_t>(*told) != entries)
    return fail(ErrorCode::malformed, count, fields_[at].begin, reason(RejectReason::group_count_incorrect),
                "the number of entries that follow");
  return Group(*this, at + 1, end, entries, members[0]);
}

std::optional<std::string_view> GroupEntry::find(Tag tag) const noexcept {
  for (std::size_t index = begin_; index < end_; ++index) {
    if (const Field field = (*view_)[index]; field.tag == tag) return field.value;
  }
  return std::nullopt;
}

GroupEntry Group::operator[](std::size_t index) const noexcept {
  DOJIMA_ASSERT(index < count_, "an entry of the group");
  std::size_t begin = begin_;
  for (std::size_t passed = 0;; ++begin) {
    if ((*view_)[begin].tag == first_ && passed++ == index) break;
  }
  std::size_t end = begin + 1;
  while (end < end_ && (*view_)[end].tag != first_) ++end;
  return {*view_, begin, end};
}

}  // namespace dojima::fix
