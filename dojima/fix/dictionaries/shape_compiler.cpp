#include "dojima/fix/dictionaries/shape_compiler.hpp"

#include <algorithm>

#include "dojima/fix/dictionaries/field_plan.hpp"

namespace dojima::fix {

Shape ShapeCompiler::shape_of(const DictionaryModel* model, std::span<const MemberModel> body) {
  Shape shape;
  if (header_.members != nullptr) add(*header_.model, *header_.members, true, Member::k_header, shape, 0);
  if (model != nullptr) add(*model, body, true, 0, shape, 0);
  if (trailer_.members != nullptr) add(*trailer_.model, *trailer_.members, true, Member::k_trailer, shape, 0);
  finish(shape);
  return shape;
}

void ShapeCompiler::add(const DictionaryModel& model, std::span<const MemberModel> members, bool is_required,
                        std::uint8_t flags, Shape& shape, int depth) {
  constexpr int k_depth_max = 24;
  if (depth > k_depth_max)
    throw DictionaryTrouble{{members.empty() ? 0 : members[0].line, "a component contains itself"}};
  for (const MemberModel& member : members) {
    const bool is_needed = is_required && member.is_required;
    if (member.kind == MemberModel::Kind::component) {
      const auto found = std::ranges::find(model.components, member.component, &ComponentModel::name);
      if (found == model.components.end())
        throw DictionaryTrouble{{member.line, "no component is named \"" + member.component + "\""}};
      const std::size_t before = shape.members_.size();
      add(model, found->members, is_needed, flags, shape, depth + 1);
      if (is_needed && shape.members_.size() > before)
        note_alternative(shape, before, member.component == "Instrument");
    } else {
      add_member(model, member, is_needed, flags, shape);
    }
  }
}

/// All members of a required component are there from `begin` on. Nothing to note where one of them is required
/// itself.
void ShapeCompiler::note_alternative(Shape& shape, std::size_t begin, bool is_instrument) {
  Shape::Alternative alternative{.first = shape.members_[begin].tag, .is_instrument = is_instrument, .numbers = {}};
  for (std::size_t at = begin; at < shape.members_.size(); ++at) {
    if (shape.members_[at].is(Member::k_required)) return;
    alternative.numbers.push_back(shape.members_[at].position);  // becomes the number in finish()
  }
  shape.alternatives_.push_back(std::move(alternative));
}

void ShapeCompiler::add_member(const DictionaryModel& model, const MemberModel& source, bool is_required,
                               std::uint8_t flags, Shape& shape) {
  const TagPlace* place = parts_.field_places.find(source.tag);
  if (place == nullptr) throw DictionaryTrouble{{source.line, "no field has the number " + std::to_string(source.tag)}};
  if (std::ranges::find(shape.members_, source.tag, &Member::tag) != shape.members_.end()) return;
  if (shape.members_.size() == Shape::k_members_max)
    throw DictionaryTrouble{
        {source.line, "a message or group has at most " + std::to_string(Shape::k_members_max) + " members"}};
  const FieldFacts& facts = parts_.fields[place->index];
  Member member{.tag = source.tag, .type = facts.type, .flags = flags, .field = place->index};
  if (is_required) member.flags |= Member::k_required;
  if (facts.is_closed) member.flags |= Member::k_closed;
  if (source.tag == tag::k_begin_string || source.tag == tag::k_body_length || source.tag == tag::k_check_sum ||
      source.tag == tag::k_msg_type)
    member.flags |= Member::k_framing;
  if (source.tag == tag::k_secure_data || source.tag == tag::k_signature) member.flags |= Member::k_secured;
  if (source.tag == tag::k_appl_ver_id || source.tag == tag::k_default_appl_ver_id) member.flags |= Member::k_version;
  if (source.kind == MemberModel::Kind::group) {
    member.flags |= Member::k_group;
    member.group = group_of(model, source);
  }
  member.position = static_cast<std::uint16_t>(shape.members_.size());
  shape.members_.push_back(member);
}

std::uint16_t ShapeCompiler::group_of(const DictionaryModel& model, const MemberModel& source) {
  if (const auto known = groups_.find(&source); known != groups_.end()) return known->second;
  if (source.members.empty())
    throw DictionaryTrouble{{source.line, "group " + std::to_string(source.tag) + " has no members"}};
  if (++group_depth_ > k_group_depth_max) throw DictionaryTrouble{{source.line, "groups inside groups, too deep"}};
  Shape shape;
  add(model, source.members, true, 0, shape, 0);
  --group_depth_;
  finish(shape);
  parts_.shapes.push_back(std::move(shape));
  parts_.groups.push_back(&parts_.shapes.back());
  const auto index = static_cast<std::uint16_t>(parts_.groups.size() - 1);
  groups_[&source] = index;
  return index;
}

/// Numbers the members, the required ones first and of those the frame's last, and hashes them.
void ShapeCompiler::finish(Shape& shape) const {
  std::uint16_t number = 0;
  const auto number_where = [&](bool is_required, bool is_framing) {
    for (Member& member : shape.members_) {
      if (member.is(Member::k_required) == is_required && member.is(Member::k_framing) == is_framing)
        member.number = number++;
    }
    return number;
  };
  shape.awaited_ = number_where(true, false);
  shape.required_ = number_where(true, true);
  number_where(false, true);
  number_where(false, false);
  for (Shape::Alternative& alternative : shape.alternatives_) {
    for (std::uint16_t& position : alternative.numbers) position = shape.members_[position].number;
  }
  shape.plans_.push_back({});
  for (const Member& member : shape.members_) shape.plans_.push_back(plan_of(member, parts_.fields[member.field]));
  index_members(shape);
}

void ShapeCompiler::index_members(Shape& shape) {
  std::vector<Member> large;
  for (const Member& member : shape.members_) {
    if (member.tag >= Shape::k_direct_end) {
      large.push_back(member);
      continue;
    }
    if (member.tag >= shape.direct_.size()) shape.direct_.resize(member.tag + std::size_t{1});
    shape.direct_[member.tag] = static_cast<std::uint16_t>(member.position + 1);
  }
  shape.direct_size_ = shape.direct_.size();
  if (!shape.table_.build(large)) throw DictionaryTrouble{{0, "members of a message cannot be hashed"}};
}

}  // namespace dojima::fix
