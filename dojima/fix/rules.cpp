#include "dojima/fix/rules.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "dojima/fix/codec/usual_value.hpp"

namespace dojima::fix {
namespace {

std::unexpected<Error> violation(RejectReason reason, ErrorCode code, Tag tag, std::uint32_t offset,
                                 const char* expected) noexcept {
  return fail(code, tag, offset, static_cast<std::int64_t>(reason), expected);
}

/// Members met in one place, by number.
class Met {
 public:
  void clear(std::size_t members) noexcept { std::fill_n(words_.begin(), (members + 63) / 64, std::uint64_t{0}); }
  [[nodiscard]] bool has(std::size_t number) const noexcept { return (words_[number / 64] >> number % 64 & 1) != 0; }
  void add(std::size_t number) noexcept { words_[number / 64] |= std::uint64_t{1} << number % 64; }
  /// False: it was met before.
  [[nodiscard]] bool add_new(std::size_t number) noexcept {
    std::uint64_t& word = words_[number / 64];
    const std::uint64_t bit = std::uint64_t{1} << number % 64;
    if ((word & bit) != 0) return false;
    word |= bit;
    return true;
  }
  /// Whether all numbers below `count` were met.
  [[nodiscard]] bool has_all(std::size_t count) const noexcept {
    std::size_t word = 0;
    for (; count >= 64; count -= 64) {
      if (words_[word++] != ~std::uint64_t{0}) return false;
    }
    const std::uint64_t rest = (std::uint64_t{1} << count) - 1;
    return count == 0 || (words_[word] & rest) == rest;
  }

 private:
  std::array<std::uint64_t, Shape::k_members_max / 64> words_;
};

/// Walks through a message from field to field, knowing in which group of which entry it is.
class Walk {
 public:
  Walk(const MessageView& view, const Dictionary& dictionary, const Checks& checks, const Shape& shape, bool knows_body,
       time::ReadDate& date) noexcept
      : view_(view), dictionary_(dictionary), checks_(checks), knows_body_(knows_body), date_(date) {
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
    if (auto whole = check_entry(levels_[0]); !whole) return whole;
    return first_value_;
  }

 private:
  /// Of a group whose count is no value of its type, which is the trouble then.
  static constexpr std::int64_t k_any_count = -2;

  struct Level {
    void begin(const Shape& of, Tag count, std::uint32_t offset, std::int64_t entries_stated) noexcept {
      shape = &of;
      count_tag = count;
      count_offset = offset;
      stated = entries_stated;
      entries = 0;
      position = -1;
      met.clear(of.members().size());
    }
    const Shape* shape;
    Tag count_tag;  // of the group; level 0 is the message
    std::uint32_t count_offset;
    std::int64_t stated, entries;
    std::int32_t position;  // of the last member met in this entry
    Met met;
  };
  enum class Part : std::uint8_t { header, body, trailer };
  [[nodiscard]] static Part part_of(const Member& member) noexcept {
    return member.is(Member::k_header) ? Part::header : member.is(Member::k_trailer) ? Part::trailer : Part::body;
  }

  /// Passes fields of the message itself that are as nearly all are: in their place, met for the first time, of a usual
  /// value. Gives the first one, from `at` on, that step() has to look at; of that one nothing was noted.
  [[nodiscard]] std::size_t pass_usual(std::size_t at) noexcept {
    const Shape& shape = *levels_[0].shape;
    Met& met = levels_[0].met;
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
    check_value(*levels_[0].shape->find(field.tag), field.value, at);
  }

  Result<void> step(std::size_t at) noexcept {
    const Field field = view_[at];
    const Member* member = levels_[depth_].shape->find(field.tag);
    while (depth_ > 0 && (member == nullptr ? is_known_outside(field.tag) : belongs_outside(*member))) {
      if (auto closed = leave_group(); !closed) return closed;
      member = levels_[depth_].shape->find(field.tag);
    }
    if (member == nullptr) return check_stranger(field, at);
    if (auto placed = place(*member, at); !placed) return placed;
    const bool is_value_right = check_value(*member, field.value, at);
    if (member->is(Member::k_group)) enter_group(*member, is_value_right ? count_in(field.value) : k_any_count, at);
    return {};
  }

  /// A member that was met in this entry and does not begin another one, while a place further out still waits for it.
  [[nodiscard]] bool belongs_outside(const Member& member) const noexcept {
    const Level& level = levels_[depth_];
    if (member.position == 0 || !level.met.has(member.number)) return false;
    for (std::size_t outer = depth_; outer-- > 0;) {
      const Member* other = levels_[outer].shape->find(member.tag);
      if (other != nullptr && !levels_[outer].met.has(other->number)) return true;
    }
    return false;
  }

  /// A tag that is no member here ends the group only where it is allowed further out: a stranger does not.
  [[nodiscard]] bool is_known_outside(Tag tag) const noexcept {
    for (std::size_t outer = depth_; outer-- > 0;) {
      if (levels_[outer].shape->find(tag) != nullptr) return true;
    }
    return false;
  }

  /// A tag that is not allowed here.
  Result<void> check_stranger(const Field& field, std::size_t at) noexcept {
    const Tag tag = field.tag;
    const std::uint32_t offset = view_.offset_of(at);
    const FieldFacts* facts = dictionary_.field(tag);
    if (facts == nullptr && (tag >= k_first_user_tag || tag == k_large_tag)) {
      if (!checks_.user_tags && knows_body_)
        return violation(RejectReason::invalid_tag_number, ErrorCode::unknown, tag, offset, "a tag of the dictionary");
      if (depth_ > 0) return {};
      return tag == k_large_tag ? check_large_again(at) : check_again(field, offset);
    }
    if (facts == nullptr) {
      if (!checks_.unknown_tags) return check_again(field, offset);
      return violation(RejectReason::invalid_tag_number, ErrorCode::unknown, tag, offset, "a tag of the dictionary");
    }
    if (knows_body_) {
      if (!checks_.message_tags) return {};
      return violation(RejectReason::tag_not_defined_for_message, ErrorCode::unknown, tag, offset,
                       "a tag of this message type");
    }
    if (auto ordered = check_part(Part::body, tag, offset); !ordered) return ordered;
    Member member{.tag = tag, .type = facts->type, .field = field_index(*facts)};
    if (facts->is_closed) member.flags |= Member::k_closed;
    check_value(member, field.value, at);
    return {};
  }

  [[nodiscard]] std::uint16_t field_index(const FieldFacts& facts) const noexcept {
    return static_cast<std::uint16_t>(&facts - dictionary_.fields().data());
  }

  /// The first of its tag in the message.
  Result<void> check_again(const Field& field, std::uint32_t offset) const noexcept {
    if (!checks_.repeated || view_.find(field.tag)->data() == field.value.data()) return {};
    return violation(RejectReason::tag_appears_twice, ErrorCode::duplicate, field.tag, offset, "the tag once");
  }

  Result<void> check_large_again(std::size_t at) const noexcept {
    if (!checks_.repeated || view_.find_number(view_.number_of(at))->data() == view_[at].value.data()) return {};
    return violation(RejectReason::tag_appears_twice, ErrorCode::duplicate, k_large_tag, view_.offset_of(at),
                     "the tag once");
  }

  /// Notes the member in its place: once, and in order.
  Result<void> place(const Member& member, std::size_t at) noexcept {
    Level& level = levels_[depth_];
    const std::uint32_t offset = view_.offset_of(at);
    if (depth_ == 0) {
      if (auto ordered = check_part(part_of(member), member.tag, offset); !ordered) return ordered;
      if (level.met.has(member.number) && checks_.repeated)
        return violation(RejectReason::tag_appears_twice, ErrorCode::duplicate, member.tag, offset, "the tag once");
      level.met.add(member.number);
      return {};
    }
    if (member.position == 0) {
      if (level.entries > 0) {
        if (auto checked = check_entry(level); !checked) return checked;
      }
      ++level.entries;
      level.met.clear(level.shape->members().size());
    } else if (level.entries == 0) {
      if (checks_.groups)
        return violation(RejectReason::group_out_of_order, ErrorCode::malformed, member.tag, offset,
                         "the field that begins every entry");
      ++level.entries;
    } else if (level.met.has(member.number) && checks_.repeated) {
      return violation(RejectReason::tag_appears_twice, ErrorCode::duplicate, member.tag, offset,
                       "the tag once in an entry");
    } else if (member.position < level.position && checks_.group_order) {
      return violation(RejectReason::group_out_of_order, ErrorCode::malformed, member.tag, offset,
                       "members of an entry in the order of the dictionary");
    }
    level.position = member.position;
    level.met.add(member.number);
    return {};
  }

  Result<void> check_part(Part own, Tag tag, std::uint32_t offset) noexcept {
    if (own < part_ && checks_.order)
      return violation(RejectReason::tag_out_of_order, ErrorCode::malformed, tag, offset,
                       "header, body, trailer in this order");
    part_ = std::max(part_, own);
    return {};
  }

  /// Values are judged behind the structure: the first wrong one is kept until all fields have their places.
  bool check_value(const Member& member, std::string_view value, std::size_t at) noexcept {
    const Result<void> checked = judge_value(member, value, at);
    if (checked) [[likely]] {
      return true;
    }
    if (first_value_) first_value_ = checked;
    return false;
  }

  Result<void> judge_value(const Member& member, std::string_view value, std::size_t at) const noexcept {
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

  /// Unless nobody wanted formats checked, this is a number: what is none is no number of entries.
  [[nodiscard]] static std::int64_t count_in(std::string_view text) noexcept {
    if (text.empty() || text.size() > 6) return -1;
    std::int64_t count = 0;
    for (const char digit : text) {
      if (digit < '0' || digit > '9') return -1;
      count = count * 10 + (digit - '0');
    }
    return count;
  }

  void enter_group(const Member& member, std::int64_t count, std::size_t at) noexcept {
    DOJIMA_ASSERT(depth_ + 1 < levels_.size(), "dictionaries nest no deeper");
    levels_[++depth_].begin(dictionary_.shape(member), member.tag, view_.offset_of(at), count);
  }

  Result<void> leave_group() noexcept {
    Level& level = levels_[depth_--];
    if (level.stated != level.entries && level.stated != k_any_count && checks_.groups)
      return violation(RejectReason::group_count_incorrect, ErrorCode::malformed, level.count_tag, level.count_offset,
                       "the number of entries that follow");
    return level.entries == 0 ? Result<void>{} : check_entry(level);
  }

  /// What is required of a message or of an entry.
  Result<void> check_entry(const Level& level) const noexcept {
    const Shape& shape = *level.shape;
    if (checks_.required && !level.met.has_all(shape.awaited())) {
      for (const Member& member : shape.members()) {
        if (member.is(Member::k_required) && !member.is(Member::k_framing) && !level.met.has(member.number))
          return violation(RejectReason::required_tag_missing, ErrorCode::missing, member.tag, level.count_offset,
                           "a required tag");
      }
    }
    if ((!checks_.required_components && !checks_.instrument) || !checks_.required) return {};
    for (const Shape::Alternative& alternative : shape.alternatives()) {
      if (!(alternative.is_instrument ? checks_.instrument : checks_.required_components)) continue;
      if (std::ranges::none_of(alternative.numbers, [&](std::uint16_t number) { return level.met.has(number); }))
        return violation(RejectReason::required_tag_missing, ErrorCode::missing, alternative.first, level.count_offset,
                         "a field of a required component");
    }
    return {};
  }

  const MessageView& view_;
  const Dictionary& dictionary_;
  const Checks& checks_;
  const bool knows_body_;
  time::ReadDate& date_;
  Part part_ = Part::header;
  Result<void> first_value_;
  std::size_t depth_ = 0;
  std::array<Level, 9> levels_;  // those up to depth_ have begun
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
