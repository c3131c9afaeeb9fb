#pragma once

// Where a walk through a message is: in the message itself, or in an entry of a group, with what was met there. It says
// which member may come next, and what is missing when an entry ends. No allocation; nothing is set until begin().

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "dojima/fix/rules.hpp"
#include "dojima/fix/rules/met_members.hpp"
#include "dojima/fix/rules/violation.hpp"

namespace dojima::fix {

class EntryLevel {
 public:
  /// Of a group whose count is no value of its type, which is the trouble then.
  static constexpr std::int64_t k_any_count = -2;

  /// The message itself, or the group of `count`, whose value states so many entries and lies at `offset`.
  void begin(const Shape& of, Tag count, std::uint32_t offset, std::int64_t entries_stated) noexcept {
    shape_ = &of;
    count_tag_ = count;
    count_offset_ = offset;
    stated_ = entries_stated;
    entries_ = 0;
    position_ = -1;
    met_.clear(of.members().size());
  }

  [[nodiscard]] const Shape& shape() const noexcept { return *shape_; }
  [[nodiscard]] MetMembers& met() noexcept { return met_; }
  [[nodiscard]] const MetMembers& met() const noexcept { return met_; }

  /// Notes a member of the message itself, which is there once.
  Result<void> place_in_message(const Member& member, std::uint32_t offset, const Checks& checks) noexcept {
    if (met_.has(member.number) && checks.repeated)
      return violation(RejectReason::tag_appears_twice, ErrorCode::duplicate, member.tag, offset, "the tag once");
    met_.add(member.number);
    return {};
  }

  /// Notes a member of an entry in its place: once, and in order. The member that begins entries ends the one before.
  Result<void> place_in_entry(const Member& member, std::uint32_t offset, const Checks& checks) noexcept {
    if (member.position == 0) {
      if (entries_ > 0) {
        if (auto checked = check_entry(checks); !checked) return checked;
      }
      ++entries_;
      met_.clear(shape_->members().size());
    } else if (entries_ == 0) {
      if (checks.groups)
        return violation(RejectReason::group_out_of_order, ErrorCode::malformed, member.tag, offset,
                         "the field that begins every entry");
      ++entries_;
    } else if (met_.has(member.number) && checks.repeated) {
      return violation(RejectReason::tag_appears_twice, ErrorCode::duplicate, member.tag, offset,
                       "the tag once in an entry");
    } else if (member.position < position_ && checks.group_order) {
      return violation(RejectReason::group_out_of_order, ErrorCode::malformed, member.tag, offset,
                       "members of an entry in the order of the dictionary");
    }
    position_ = member.position;
    met_.add(member.number);
    return {};
  }

  /// Behind the last entry of a group.
  Result<void> check_group(const Checks& checks) const noexcept {
    if (stated_ != entries_ && stated_ != k_any_count && checks.groups)
      return violation(RejectReason::group_count_incorrect, ErrorCode::malformed, count_tag_, count_offset_,
                       "the number of entries that follow");
    return entries_ == 0 ? Result<void>{} : check_entry(checks);
  }

  /// What is required of a message or of an entry.
  Result<void> check_entry(const Checks& checks) const noexcept {
    if (checks.required && !met_.has_all(shape_->awaited())) {
      for (const Member& member : shape_->members()) {
        if (member.is(Member::k_required) && !member.is(Member::k_framing) && !met_.has(member.number))
          return violation(RejectReason::required_tag_missing, ErrorCode::missing, member.tag, count_offset_,
                           "a required tag");
      }
    }
    if ((!checks.required_components && !checks.instrument) || !checks.required) return {};
    for (const Shape::Alternative& alternative : shape_->alternatives()) {
      if (!(alternative.is_instrument ? checks.instrument : checks.required_components)) continue;
      if (std::ranges::none_of(alternative.numbers, [&](std::uint16_t number) { return met_.has(number); }))
        return violation(RejectReason::required_tag_missing, ErrorCode::missing, alternative.first, count_offset_,
                         "a field of a required component");
    }
    return {};
  }

 private:
  const Shape* shape_;
  Tag count_tag_;
  std::uint32_t count_offset_;
  std::int64_t stated_, entries_;
  std::int32_t position_;  // of the last member met in this entry
  MetMembers met_;
};

}  // namespace dojima::fix
