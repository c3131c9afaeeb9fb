#include "dojima/fix/rules.hpp"

#include <algorithm>
#include <array>

#include "dojima/fix/codec/usual_value.hpp"
#include "dojima/fix/rules/entry_level.hpp"
#include "dojima/fix/rules/strangers.hpp"
#include "dojima/fix/rules/value_check.hpp"
#include "dojima/fix/rules/violation.hpp"

namespace dojima::fix {
namespace {

/// Unless nobody wanted formats checked, this is a number: what is none is no number of entries.
std::int64_t count_in(std::string_view text) noexcept {
  if (text.empty() || text.size() > 6) return -1;
  std::int64_t count = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return -1;
    count = count * 10 + (digit - '0');
  }
  return count;
}

/// Walks through a message from field to field, knowing in which group of which entry it is.
class Walk {
 public:
  Walk(const MessageView& view, const Dictionary& dictionary, const Checks& checks, const Shape& shape, bool knows_body,
       time::ReadDate& date) noexcept
      : view_(view),
        dictionary_(dictionary),
        checks_(checks),
        knows_body_(knows_body),
        date_(date),
        values_(view, dictionary, checks) {
    levels_[0].begin(shape, 0, 0, 0);
  }

  Result<void> run() noexcept {
    for (std::size_t at = 0;; ++at) {
      if (depth_ == 0) at = pass_usual(at);
      if (at == view_.size()) break;
      if (auto stepped = step(at); !stepped) return stepped;
    }
    while (depth_ > 0) {
      if (auto closed = leave_group(); !closed) return closed;
    }
    if (auto whole = levels_[0].check_entry(checks_); !whole) return whole;
    return values_.first();
  }

 private:
  enum class Part : std::uint8_t { header, body, trailer };
  [[nodiscard]] static Part part_of(const Member& member) noexcept {
    return member.is(Member::k_header) ? Part::header : member.is(Member::k_trailer) ? Part::trailer : Part::body;
  }

  /// Passes fields of the message itself that are as nearly all are: in their place, met for the first time, of a usual
  /// value. Gives the first one, from `at` on, that step() has to look at; of that one nothing was noted.
  [[nodiscard]] std::size_t pass_usual(std::size_t at) noexcept {
    const Shape& shape = levels_[0].shape();
    MetMembers& met = levels_[0].met();
    const std::size_t size = view_.size();
    auto part = static_cast<std::uint8_t>(part_);
    for (; at < size; ++at) {
      const Field field = view_[at];
      const FieldPlan& plan = shape.plan(field.tag);
      if (plan.value == FieldPlan::Value::closer || plan.part < part || !met.add_new(plan.number)) break;
      part = plan.part;
      if (!is_usual_value(plan, field.value, date_)) [[unlikely]]
        check_unusual(at);
    }
    part_ = static_cast<Part>(part);
    return at;
  }

  /// Of a member of the message itself. Looks it up again: the loop above needs its registers.
  [[gnu::noinline]] void check_unusual(std::size_t at) noexcept {
    const Field field = view_[at];
    values_.check(*levels_[0].shape().find(field.tag), field.value, at);
  }

  Result<void> step(std::size_t at) noexcept {
    const Field field = view_[at];
    const Member* member = levels_[depth_].shape().find(field.tag);
    while (depth_ > 0 && (member == nullptr ? is_known_outside(field.tag) : belongs_outside(*member))) {
      if (auto closed = leave_group(); !closed) return closed;
      member = levels_[depth_].shape().find(field.tag);
    }
    if (member == nullptr) return pass_stranger(field, at);
    if (auto placed = place(*member, at); !placed) return placed;
    const bool is_value_right = values_.check(*member, field.value, at);
    if (member->is(Member::k_group))
      enter_group(*member, is_value_right ? count_in(field.value) : EntryLevel::k_any_count, at);
    return {};
  }

  /// A member that was met in this entry and does not begin another one, while a place further out still waits for it.
  [[nodiscard]] bool belongs_outside(const Member& member) const noexcept {
    const EntryLevel& level = levels_[depth_];
    if (member.position == 0 || !level.met().has(member.number)) return false;
    for (std::size_t outer = depth_; outer-- > 0;) {
      const Member* other = levels_[outer].shape().find(member.tag);
      if (other != nullptr && !levels_[outer].met().has(other->number)) return true;
    }
    return false;
  }

  /// A tag that is no member here ends the group only where it is allowed further out: a stranger does not.
  [[nodiscard]] bool is_known_outside(Tag tag) const noexcept {
    for (std::size_t outer = depth_; outer-- > 0;) {
      if (levels_[outer].shape().find(tag) != nullptr) return true;
    }
    return false;
  }

  /// A tag that is no member here.
  Result<void> pass_stranger(const Field& field, std::size_t at) noexcept {
    const FieldFacts* facts = dictionary_.field(field.tag);
    if (facts == nullptr || knows_body_) return check_stranger(view_, checks_, facts, knows_body_, depth_ > 0, at);
    // In the body of a message of the user's own, all tags of the dictionary may be.
    if (auto ordered = check_part(Part::body, field.tag, view_.offset_of(at)); !ordered) return ordered;
    Member member{.tag = field.tag, .type = facts->type, .field = field_index(*facts)};
    if (facts->is_closed) member.flags |= Member::k_closed;
    values_.check(member, field.value, at);
    return {};
  }

  [[nodiscard]] std::uint16_t field_index(const FieldFacts& facts) const noexcept {
    return static_cast<std::uint16_t>(&facts - dictionary_.fields().data());
  }

  /// Notes the member in its place.
  Result<void> place(const Member& member, std::size_t at) noexcept {
    const std::uint32_t offset = view_.offset_of(at);
    if (depth_ > 0) return levels_[depth_].place_in_entry(member, offset, checks_);
    if (auto ordered = check_part(part_of(member), member.tag, offset); !ordered) return ordered;
    return levels_[0].place_in_message(member, offset, checks_);
  }

  Result<void> check_part(Part own, Tag tag, std::uint32_t offset) noexcept {
    if (own < part_ && checks_.order)
      return violation(RejectReason::tag_out_of_order, ErrorCode::malformed, tag, offset,
                       "header, body, trailer in this order");
    part_ = std::max(part_, own);
    return {};
  }

  void enter_group(const Member& member, std::int64_t count, std::size_t at) noexcept {
    DOJIMA_ASSERT(depth_ + 1 < levels_.size(), "dictionaries nest no deeper");
    levels_[++depth_].begin(dictionary_.shape(member), member.tag, view_.offset_of(at), count);
  }

  Result<void> leave_group() noexcept { return levels_[depth_--].check_group(checks_); }

  const MessageView& view_;
  const Dictionary& dictionary_;
  const Checks& checks_;
  const bool knows_body_;
  time::ReadDate& date_;
  ValueCheck values_;
  Part part_ = Part::header;
  std::size_t depth_ = 0;
  std::array<EntryLevel, 9> levels_;  // those up to depth_ have begun
};

}  // namespace

bool is_defined(MsgType type, const Dictionary& dictionary) noexcept {
  return text_of(type).view().starts_with('U') || dictionary.message(type) != nullptr;
}

Result<void> check_message(const MessageView& view, const Dictionary& dictionary, const Checks& checks) noexcept {
  time::ReadDate date;
  return check_message(view, dictionary, checks, date);
}

Result<void> check_message(const MessageView& view, const Dictionary& dictionary, const Checks& checks,
                           time::ReadDate& date) noexcept {
  const MessageFacts* message = dictionary.message(view.msg_type());
  if (message == nullptr && !is_defined(view.msg_type(), dictionary))
    return violation(RejectReason::invalid_msg_type, ErrorCode::unknown, tag::k_msg_type, 0,
                     "a MsgType of the dictionary");
  const Shape& shape = message == nullptr ? dictionary.envelope() : *message->shape;
  return Walk(view, dictionary, checks, shape, message != nullptr, date).run();
}

RejectReason reason_of(const Error& error) noexcept {
  return static_cast<RejectReason>(error.got);
}

Tag missing_conditional(const MessageView& view) noexcept {
  const MsgType type = view.msg_type();
  if (type != type::k_new_order_single && type != type::k_order_cancel_replace_request) return 0;
  const auto order_type = view.find(tag::k_ord_type);
  if ((order_type == "2" || order_type == "4") && !view.has(tag::k_price)) return tag::k_price;
  if ((order_type == "3" || order_type == "4") && !view.has(tag::k_stop_px)) return tag::k_stop_px;
  if (view.find(tag::k_time_in_force) == "6" && !view.has(tag::k_expire_date) && !view.has(tag::k_expire_time))
    return tag::k_expire_date;
  return 0;
}

}  // namespace dojima::fix
