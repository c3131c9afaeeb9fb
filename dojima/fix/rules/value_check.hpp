#pragma once

// Holds values against the types and enumerations of a dictionary, and against what no dictionary can say. Values are
// judged behind the structure: the first wrong one is kept until all fields have their places. No allocation.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dojima/fix/rules.hpp"
#include "dojima/fix/rules/violation.hpp"

namespace dojima::fix {

class ValueCheck {
 public:
  /// All outlive it.
  ValueCheck(const MessageView& view, const Dictionary& dictionary, const Checks& checks) noexcept
      : view_(view), dictionary_(dictionary), checks_(checks) {}

  /// The first wrong value's trouble.
  [[nodiscard]] const Result<void>& first() const noexcept { return first_; }

  /// Whether the value of the field at `at` is one of the member's.
  bool check(const Member& member, std::string_view value, std::size_t at) noexcept {
    const Result<void> checked = judge(member, value, at);
    if (checked) [[likely]] {
      return true;
    }
    if (first_) first_ = checked;
    return false;
  }

 private:
  Result<void> judge(const Member& member, std::string_view value, std::size_t at) const noexcept {
    if (value.empty()) [[unlikely]] {
      if (!checks_.empty_values) return {};
      return violation(RejectReason::tag_without_value, ErrorCode::missing, member.tag, view_.offset_of(at), "a value");
    }
    constexpr std::uint8_t k_apart = Member::k_framing | Member::k_secured | Member::k_version;
    if ((member.flags & k_apart) != 0) {
      if (member.is(Member::k_framing)) return {};
      if (auto checked = check_apart(member, value, view_.offset_of(at)); !checked) return checked;
    }
    if (checks_.formats && !has_format(member.type, value)) {
      const RejectReason reason =
          member.type == FieldType::xml_data ? RejectReason::xml_validation : RejectReason::incorrect_format;
      return violation(reason, ErrorCode::malformed, member.tag, view_.offset_of(at), "the format of this tag");
    }
    if (member.is(Member::k_closed) && checks_.values && !dictionary_.fields()[member.field].allows(value))
      return violation(RejectReason::value_incorrect, ErrorCode::out_of_range, member.tag, view_.offset_of(at),
                       "a value of this tag");
    return {};
  }

  /// What no dictionary can say: nothing is decrypted or verified here, and one version of the application is spoken.
  Result<void> check_apart(const Member& member, std::string_view value, std::uint32_t offset) const noexcept {
    if (member.tag == tag::k_secure_data && checks_.encryption)
      return violation(RejectReason::decryption_problem, ErrorCode::not_supported, member.tag, offset, "no encryption");
    if (member.tag == tag::k_signature && checks_.signatures)
      return violation(RejectReason::signature_problem, ErrorCode::not_supported, member.tag, offset, "no signature");
    const std::string_view version = dictionary_.application_version();
    if (member.is(Member::k_version) && checks_.versions && !version.empty() && value != version)
      return violation(RejectReason::application_version, ErrorCode::not_supported, member.tag, offset,
                       "the version of the dictionary");
    return {};
  }

  const MessageView& view_;
  const Dictionary& dictionary_;
  const Checks& checks_;
  Result<void> first_;
};

}  // namespace dojima::fix
