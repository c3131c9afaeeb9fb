#include "dojima/fix/message.hpp"

#include <algorithm>
#include <charconv>

#include "dojima/fix/dictionary.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::fix {
namespace {

constexpr char k_separator = '\x01';
constexpr std::uint64_t k_sequence_max = 1'000'000'000'000'000'000;

std::int64_t reason(RejectReason reject_reason) noexcept {
  return static_cast<std::int64_t>(reject_reason);
}

}  // namespace

void MessageView::clear() noexcept {
  ++generation_;
  frame_ = {};
  msg_type_ = MsgType::none;
  index_.clear();
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
  if (index_.fill(frame, rules.kernels == nullptr ? kernels() : *rules.kernels, data_fields)) [[likely]] {
    constexpr std::size_t k_msg_type_at = 2;  // find_frame has seen it there
    if (index_.size() > k_msg_type_at) msg_type_ = fix::msg_type(value_of(index_[k_msg_type_at]));
    return {};
  }
  const Result<void> filled = index_.fill_carefully(frame, rules.allows_empty_values, data_fields);
  for (std::size_t index = 0; index < index_.size() && msg_type_ == MsgType::none; ++index) {
    if (index_[index].tag == tag::k_msg_type) msg_type_ = fix::msg_type(value_of(index_[index]));
  }
  return filled;
}

std::uint32_t MessageView::number_of(std::size_t index) const noexcept {
  const FieldEntry& entry = index_[index];
  return entry.tag != k_large_tag ? entry.tag : large_number_at(frame_.bytes, entry);
}

std::optional<std::string_view> MessageView::find_number(std::uint32_t number) const noexcept {
  if (number <= 0xffff) return number == 0 ? std::nullopt : find(static_cast<Tag>(number));
  for (std::size_t index = 0; index < index_.size(); ++index) {
    if (index_[index].tag == k_large_tag && number_of(index) == number) return value_of(index_[index]);
  }
  return std::nullopt;
}

bool MessageView::is_alive() const noexcept {
  const Bytes trailer = frame_.bytes.subspan(frame_.body_end);
  const std::string_view digits = as_text(trailer).substr(3, 3);
  const int stated = (digits[0] - '0') * 100 + (digits[1] - '0') * 10 + (digits[2] - '0');
  return check_sum(frame_.bytes.first(frame_.body_end)) == stated;
}

std::unexpected<Error> MessageView::wrong(ErrorCode code, Tag tag, const char* expected) const noexcept {
  const std::size_t index = index_of(tag);
  const std::uint32_t offset = index == k_absent ? 0 : index_[index].begin;
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
  for (; end < index_.size() && std::ranges::find(members, index_[end].tag) != members.end(); ++end) {
    if (index_[end].tag == members[0]) ++entries;
  }
  const bool begins_right = end == at + 1 || index_[at + 1].tag == members[0];
  if (!begins_right || *stated < 0 || static_cast<std::uint64_t>(*stated) != entries)
    return fail(ErrorCode::malformed, count, index_[at].begin, reason(RejectReason::group_count_incorrect),
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
  return group_at(at, index_.size(), shape, dictionary);
}

/// Where the fields end, from `begin` on, that belong to the entries of a group, with all groups inside them.
std::size_t MessageView::group_end(std::size_t begin, std::size_t end, const Shape& shape,
                                   const Dictionary& dictionary) const noexcept {
  while (begin < end) {
    const Member* member = shape.find(index_[begin].tag);
    if (member == nullptr) return begin;
    ++begin;
    if (member->is(Member::k_group)) begin = group_end(begin, end, dictionary.shape(*member), dictionary);
  }
  return begin;
}

/// The group whose count is the field at `at`.
Result<Group> MessageView::group_at(std::size_t at, std::size_t end, const Shape& shape,
                                    const Dictionary& dictionary) const noexcept {
  const FieldEntry& count = index_[at];
  const auto stated = parse_integer(value_of(count));
  if (!stated)
    return fail(ErrorCode::malformed, count.tag, count.begin, reason(RejectReason::incorrect_format), "a whole number");
  const std::size_t last = group_end(at + 1, end, shape, dictionary);
  std::size_t entries = 0;
  for (std::size_t field = at + 1; field < last; ++field) {
    const Member* member = shape.find(index_[field].tag);
    if (index_[field].tag == shape.first()) ++entries;
    if (member != nullptr && member->is(Member::k_group))
      field = group_end(field + 1, last, dictionary.shape(*member), dictionary) - 1;
  }
  const bool begins_right = last == at + 1 || index_[at + 1].tag == shape.first();
  if (!begins_right || *stated < 0 || static_cast<std::uint64_t>(*stated) != entries)
    return fail(ErrorCode::malformed, count.tag, count.begin, reason(RejectReason::group_count_incorrect),
                "the number of entries that follow");
  return Group(*this, at + 1, last, entries, shape.first(), &shape, &dictionary);
}

std::size_t GroupEntry::index_of(Tag tag) const noexcept {
  check_alive();
  for (std::size_t index = begin_; index < end_; ++index) {
    const Tag here = view_->index_[index].tag;
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
