#include "dojima/fix/message.hpp"

#include <algorithm>
#include <charconv>

#include "dojima/fix/dictionary.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::fix {
namespace {

constexpr char k_separator = '\x01';
constexpr std::uint64_t k_sequence_max = 1'000'000'000'000'000'000;

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

/// The index, as far as a byte goes.
std::uint8_t slot_of(std::size_t index) noexcept {
  return static_cast<std::uint8_t>(std::min<std::size_t>(index, 0xff));
}

struct TagText {
  std::uint64_t number;  // capped behind the largest tag
  std::size_t end;       // of its digits
};

/// A number with a sign is none that a tag can have, but one.
TagText read_tag(const char* text, std::size_t at, std::size_t end) noexcept {
  std::uint64_t number = 0;
  if (at + 1 < end && text[at] == '-' && is_digit(text[at + 1])) {
    while (++at < end && is_digit(text[at])) {
    }
    return {0, at};
  }
  for (; at < end && is_digit(text[at]); ++at)
    number = std::min<std::uint64_t>(number * 10 + static_cast<std::uint64_t>(text[at] - '0'), k_tag_max + 1u);
  return {number, at};
}

}  // namespace

void MessageView::clear() noexcept {
  ++generation_;
  frame_ = {};
  msg_type_ = MsgType::none;
  count_ = 0;
}

Result<void> MessageView::read(Bytes message, const ReadRules& rules) noexcept {
  const FrameSearch found = find_frame(message, k_body_max);
  if (found.state == FrameState::garbled) return std::unexpected(found.error);
  if (found.state == FrameState::incomplete || found.size != message.size())
    return fail(ErrorCode::malformed, 0, 0, 0, "exactly one whole message");
  return read(found.frame, rules);
}

Result<void> MessageView::read(const Frame& frame, const ReadRules& rules) noexcept {
  frame_ = frame;
  ++generation_;
  msg_type_ = MsgType::none;
  const DataFields& data_fields = rules.data_fields == nullptr ? standard_data_fields() : *rules.data_fields;
  DOJIMA_ASSERT(frame.body_end > 0 && frame.body_end < frame.bytes.size() &&
                    as_text(frame.bytes)[frame.body_end - 1] == k_separator,
                "a frame of find_frame");
  if (index_fast(frame, rules, data_fields)) [[likely]] {
    return {};
  }
  return index_carefully(rules, data_fields);
}

/// The index of an ordinary message. False: something needs a closer look, and nothing was noted.
bool MessageView::index_fast(const Frame& frame, const ReadRules& rules, const DataFields& data_fields) noexcept {
  const Kernels& fast = rules.kernels == nullptr ? kernels() : *rules.kernels;
  // Not frame_: a copy made a moment ago waits for the stores that made it.
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
  constexpr std::size_t k_msg_type_at = 2;  // find_frame has seen it there
  if (count > k_msg_type_at) msg_type_ = fix::msg_type(value_of(fields_[k_msg_type_at]));
  return true;
}

Result<void> MessageView::index_carefully(const ReadRules& rules, const DataFields& data_fields) noexcept {
  count_ = 0;
  const char* text = as_text(frame_.bytes).data();
  const std::size_t end = frame_.body_end;
  Error first;
  for (std::size_t at = 0; at < end;) {
    const std::size_t tag_begin = at;
    const auto [number, tag_end] = read_tag(text, at, end);
    if (tag_end == tag_begin || text[tag_end] != '=') {
      const std::string_view rest(text + tag_begin, end - tag_begin);
      const bool has_sign = rest.substr(0, rest.find(k_separator)).find('=') != std::string_view::npos;
      note(first, ErrorCode::malformed, 0, tag_begin, has_sign ? 0 : reason(RejectReason::field_separator_in_value),
           "a tag of digits, then =");
      break;
    }
    const std::size_t value_begin = tag_end + 1;
    const bool is_tag = number >= 1 && number <= k_tag_max && text[tag_begin] != '0';
    const Tag tag = is_tag && number <= 0xffff ? static_cast<Tag>(number) : k_large_tag;
    std::size_t value_end = value_begin;
    if (const Tag length = data_fields.length_of(tag); length != 0 && count_ > 0 && fields_[count_ - 1].tag == length) {
      value_end = value_begin + data_size(count_ - 1, value_begin);
      if (value_end == value_begin)
        note(first, ErrorCode::malformed, length, fields_[count_ - 1].begin, reason(RejectReason::incorrect_format),
             "the number of bytes of the data field behind it");
    }
    while (text[value_end] != k_separator) ++value_end;
    at = value_end + 1;
    if (!is_tag) {
      note(first, ErrorCode::out_of_range, 0, tag_begin, reason(RejectReason::invalid_tag_number),
           "a tag of 1 to 2147483647");
      continue;
    }
    if (value_end == value_begin && !rules.allows_empty_values)
      note(first, ErrorCode::missing, tag, value_begin, reason(RejectReason::tag_without_value), "a value");
    if (count_ == k_fields_max) {
      note(first, ErrorCode::no_room, tag, tag_begin, reason(RejectReason::other), "at most 1,000 fields");
      break;
    }
    fields_[count_++] = {tag, static_cast<std::uint16_t>(value_end - value_begin),
                         static_cast<std::uint32_t>(value_begin)};
    if (tag == tag::k_msg_type && msg_type_ == MsgType::none)
      msg_type_ = fix::msg_type(std::string_view(text + value_begin, value_end - value_begin));
  }
  fill_slots();
  if (first.code != ErrorCode::none) return std::unexpected(first);
  return {};
}

/// Backwards, so that the first of its slot stays.
void MessageView::fill_slots() noexcept {
  for (std::size_t index = count_; index-- > 0;) slots_[fields_[index].tag & 0xff] = slot_of(index);
}

std::uint32_t MessageView::number_of(std::size_t index) const noexcept {
  const FieldEntry& entry = fields_[index];
  if (entry.tag != k_large_tag) return entry.tag;
  const char* const text = as_text(frame_.bytes).data();
  std::size_t begin = entry.begin - 1;  // of `=`
  while (is_digit(text[begin - 1])) --begin;
  return static_cast<std::uint32_t>(read_tag(text, begin, entry.begin).number);
}

std::optional<std::string_view> MessageView::find_number(std::uint32_t number) const noexcept {
  if (number <= 0xffff) return number == 0 ? std::nullopt : find(static_cast<Tag>(number));
  for (std::size_t index = 0; index < count_; ++index) {
    if (fields_[index].tag == k_large_tag && number_of(index) == number) return value_of(fields_[index]);
  }
  return std::nullopt;
}

bool MessageView::is_alive() const noexcept {
  const Bytes trailer = frame_.bytes.subspan(frame_.body_end);
  const std::string_view digits = as_text(trailer).substr(3, 3);
  const int stated = (digits[0] - '0') * 100 + (digits[1] - '0') * 10 + (digits[2] - '0');
  return check_sum(frame_.bytes.first(frame_.body_end)) == stated;
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

std::unexpected<Error> MessageView::wrong(ErrorCode code, Tag tag, const char* expected) const noexcept {
  const std::size_t index = index_of(tag);
  const std::uint32_t offset = index == k_absent ? 0 : fields_[index].begin;
  const RejectReason why = code == ErrorCode::missing     ? RejectReason::required_tag_missing
                           : code == ErrorCode::malformed ? RejectReason::incorrect_format
                                                          : RejectReason::value_incorrect;
  return fail(code, tag, offset, reason(why), expected);
}

std::unexpected<Error> MessageView::missing(Tag tag) const noexcept {
  return wrong(ErrorCode::missing, tag, "the field");
}

Result<char> MessageView::no_character(Tag tag) const noexcept {
  if (!has(tag)) return missing(tag);
  return wrong(ErrorCode::malformed, tag, "one character");
}

Result<std::int64_t> MessageView::slow_integer(Tag tag) const noexcept {
  const auto value = find(tag);
  if (!value) return missing(tag);
  std::int64_t number = 0;
  const auto [end, trouble] = std::from_chars(value->data(), value->data() + value->size(), number);
  if (trouble == std::errc::result_out_of_range) return wrong(ErrorCode::out_of_range, tag, "a 64-bit number");
  if (trouble != std::errc{} || end != value->data() + value->size())
    return wrong(ErrorCode::malformed, tag, "a whole number");
  return number;
}

Result<market::Price> MessageView::slow_price(Tag tag) const noexcept {
  const auto value = find(tag);
  if (!value) return missing(tag);
  const auto price = market::parse_price(*value);
  if (!price) return wrong(price.error().code, tag, price.error().expected);
  return *price;
}

Result<market::Quantity> MessageView::slow_quantity(Tag tag) const noexcept {
  const auto value = find(tag);
  if (!value) return missing(tag);
  const auto quantity = market::parse_quantity(*value);
  if (!quantity) return wrong(quantity.error().code, tag, quantity.error().expected);
  return *quantity;
}

Result<bool> MessageView::boolean(Tag tag) const noexcept {
  const auto value = find(tag);
  if (!value) return missing(tag);
  if (*value != "Y" && *value != "N") return wrong(ErrorCode::malformed, tag, "Y or N");
  return value->front() == 'Y';
}

Result<time::Time> MessageView::time(Tag tag) const noexcept {
  const FieldEntry* const entry = entry_of(tag);
  if (entry == nullptr) return missing(tag);
  const auto time = time::parse_timestamp(value_of(*entry));
  // A date that does not exist is as unreadable to a FIX peer as one of another shape.
  if (!time) return wrong(ErrorCode::malformed, tag, time.error().expected);
  return *time;
}

Result<time::Time> MessageView::time(Tag tag, time::ReadDate& last) const noexcept {
  const FieldEntry* const entry = entry_of(tag);
  if (entry == nullptr) return missing(tag);
  const auto time = time::parse_timestamp(value_of(*entry), last);
  if (!time) return wrong(ErrorCode::malformed, tag, time.error().expected);
  return *time;
}

Result<market::Sequence> MessageView::slow_sequence(Tag tag) const noexcept {
  const auto value = find(tag);
  if (!value) return missing(tag);
  std::uint64_t number = 0;
  const auto [end, trouble] = std::from_chars(value->data(), value->data() + value->size(), number);
  if (trouble == std::errc::result_out_of_range || (trouble == std::errc{} && number > k_sequence_max))
    return wrong(ErrorCode::out_of_range, tag, "a sequence number up to 10^18");
  if (trouble != std::errc{} || end != value->data() + value->size())
    return wrong(ErrorCode::malformed, tag, "a sequence number");
  return market::Sequence{number};
}

Result<Decimal> MessageView::decimal(Tag tag) const noexcept {
  const auto value = find(tag);
  if (!value) return missing(tag);
  const auto number = parse_decimal(*value);
  if (!number) return wrong(number.error().code, tag, number.error().expected);
  return number;
}

Result<time::Duration> MessageView::time_of_day(Tag tag) const noexcept {
  const auto value = find(tag);
  if (!value) return missing(tag);
  const auto clock = parse_clock(*value);
  if (!clock) return wrong(ErrorCode::malformed, tag, clock.error().expected);
  return clock->since_midnight;
}

Result<std::chrono::year_month_day> MessageView::date(Tag tag) const noexcept {
  const auto value = find(tag);
  if (!value) return missing(tag);
  const auto day = parse_date(*value);
  if (!day) return wrong(ErrorCode::malformed, tag, day.error().expected);
  return day;
}

Result<MonthYear> MessageView::month_year(Tag tag) const noexcept {
  const auto value = find(tag);
  if (!value) return missing(tag);
  const auto month = parse_month_year(*value);
  if (!month) return wrong(ErrorCode::malformed, tag, month.error().expected);
  return month;
}

Result<Bytes> MessageView::data(Tag tag) const noexcept {
  const auto value = find(tag);
  if (!value) return missing(tag);
  return as_bytes(*value);
}

Result<ValueList> MessageView::list(Tag tag) const noexcept {
  const auto value = find(tag);
  if (!value) return missing(tag);
  return ValueList(*value);
}

// ------------------------------------------------------------------------------------------------------------- groups

Result<Group> MessageView::group(Tag count, std::span<const Tag> members) const noexcept {
  const std::size_t at = index_of(count);
  if (at == k_absent) return Group(*this, 0, 0, 0, members[0]);
  const auto stated = integer(count);
  if (!stated) return std::unexpected(stated.error());
  std::size_t end = at + 1, entries = 0;
  for (; end < count_ && std::ranges::find(members, fields_[end].tag) != members.end(); ++end) {
    if (fields_[end].tag == members[0]) ++entries;
  }
  const bool begins_right = end == at + 1 || fields_[at + 1].tag == members[0];
  if (!begins_right || *stated < 0 || static_cast<std::uint64_t>(*stated) != entries)
    return fail(ErrorCode::malformed, count, fields_[at].begin, reason(RejectReason::group_count_incorrect),
                "the number of entries that follow");
  return Group(*this, at + 1, end, entries, members[0]);
}

Result<Group> MessageView::group(Tag count, const Dictionary& dictionary) const noexcept {
  const MessageFacts* message = dictionary.message(msg_type_);
  const Member* member = message == nullptr ? nullptr : message->shape->find(count);
  if (member == nullptr || !member->is(Member::k_group))
    return fail(ErrorCode::unknown, count, 0, reason(RejectReason::tag_not_defined_for_message),
                "a group of this message type");
  const std::size_t at = index_of(count);
  const Shape& shape = dictionary.shape(*member);
  if (at == k_absent) return Group(*this, 0, 0, 0, shape.first(), &shape, &dictionary);
  return group_at(at, count_, shape, dictionary);
}

/// Where the fields end, from `begin` on, that belong to the entries of a group, with all groups inside them.
std::size_t MessageView::group_end(std::size_t begin, std::size_t end, const Shape& shape,
                                   const Dictionary& dictionary) const noexcept {
  while (begin < end) {
    const Member* member = shape.find(fields_[begin].tag);
    if (member == nullptr) return begin;
    ++begin;
    if (member->is(Member::k_group)) begin = group_end(begin, end, dictionary.shape(*member), dictionary);
  }
  return begin;
}

/// The group whose count is the field at `at`.
Result<Group> MessageView::group_at(std::size_t at, std::size_t end, const Shape& shape,
                                    const Dictionary& dictionary) const noexcept {
  const FieldEntry& count = fields_[at];
  const auto stated = parse_integer(value_of(count));
  if (!stated)
    return fail(ErrorCode::malformed, count.tag, count.begin, reason(RejectReason::incorrect_format), "a whole number");
  const std::size_t last = group_end(at + 1, end, shape, dictionary);
  std::size_t entries = 0;
  for (std::size_t field = at + 1; field < last; ++field) {
    const Member* member = shape.find(fields_[field].tag);
    if (fields_[field].tag == shape.first()) ++entries;
    if (member != nullptr && member->is(Member::k_group))
      field = group_end(field + 1, last, dictionary.shape(*member), dictionary) - 1;
  }
  const bool begins_right = last == at + 1 || fields_[at + 1].tag == shape.first();
  if (!begins_right || *stated < 0 || static_cast<std::uint64_t>(*stated) != entries)
    return fail(ErrorCode::malformed, count.tag, count.begin, reason(RejectReason::group_count_incorrect),
                "the number of entries that follow");
  return Group(*this, at + 1, last, entries, shape.first(), &shape, &dictionary);
}

std::size_t GroupEntry::index_of(Tag tag) const noexcept {
  check_alive();
  for (std::size_t index = begin_; index < end_; ++index) {
    const Tag here = view_->fields_[index].tag;
    if (here == tag) return index;
    if (shape_ == nullptr) continue;
    const Member* member = shape_->find(here);
    if (member != nullptr && member->is(Member::k_group))
      index = view_->group_end(index + 1, end_, dictionary_->shape(*member), *dictionary_) - 1;
  }
  return MessageView::k_absent;
}

std::optional<std::string_view> GroupEntry::find(Tag tag) const noexcept {
  const std::size_t index = index_of(tag);
  if (index == MessageView::k_absent) return std::nullopt;
  return (*view_)[index].value;
}

Result<Group> GroupEntry::group(Tag count) const noexcept {
  const Member* member = shape_ == nullptr ? nullptr : shape_->find(count);
  if (member == nullptr || !member->is(Member::k_group))
    return fail(ErrorCode::unknown, count, 0, reason(RejectReason::tag_not_defined_for_message),
                "a group of this group's entries");
  const Shape& shape = dictionary_->shape(*member);
  const std::size_t at = index_of(count);
  if (at == MessageView::k_absent) return Group(*view_, 0, 0, 0, shape.first(), &shape, dictionary_);
  return view_->group_at(at, end_, shape, *dictionary_);
}

std::size_t Group::entry_end(std::size_t begin) const noexcept {
  std::size_t end = begin + 1;
  while (end < end_ && (*view_)[end].tag != first_) {
    const Member* member = shape_ == nullptr ? nullptr : shape_->find((*view_)[end].tag);
    ++end;
    if (member != nullptr && member->is(Member::k_group))
      end = view_->group_end(end, end_, dictionary_->shape(*member), *dictionary_);
  }
  return end;
}

GroupEntry Group::operator[](std::size_t index) const noexcept {
  DOJIMA_ASSERT(index < count_, "an entry of the group", index, count_);
  check_alive();
  std::size_t begin = begin_;
  for (; index > 0; --index) begin = entry_end(begin);
  return entry(begin, entry_end(begin));
}

}  // namespace dojima::fix
