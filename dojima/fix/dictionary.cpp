#include "dojima/fix/dictionary.hpp"

#include <algorithm>
#include <deque>
#include <map>

#include "dojima/base/assert.hpp"

namespace dojima::fix {
namespace {

/// FNV-1a; values are distinguished by comparing the text that it leads to.
std::uint64_t hash_of(std::string_view text) noexcept {
  std::uint64_t hash = 14695981039346656037u;
  for (const char character : text) hash = (hash ^ static_cast<unsigned char>(character)) * 1099511628211u;
  return hash;
}

/// ApplVerID(1128) by the version's numbers.
std::string_view application_version_of(const DictionaryModel& model) noexcept {
  struct Version {
    unsigned major, minor, service_pack;
    std::string_view id;
  };
  constexpr Version k_versions[] = {{4, 0, 0, "2"}, {4, 1, 0, "3"}, {4, 2, 0, "4"}, {4, 3, 0, "5"},
                                    {4, 4, 0, "6"}, {5, 0, 0, "7"}, {5, 0, 1, "8"}, {5, 0, 2, "9"}};
  for (const Version& version : k_versions) {
    if (model.type == "FIX" && model.major == version.major && model.minor == version.minor &&
        model.service_pack == version.service_pack)
      return version.id;
  }
  return {};
}

/// Thrown inside this file only; becomes the error of Dictionary::compile.
struct Trouble {
  DictionaryError error;
};

}  // namespace

struct Dictionary::Parts {
  std::vector<DictionaryModel> models;
  std::string begin_string, name;
  std::string_view application_version;
  std::vector<FieldFacts> fields;
  struct Place {
    std::uint32_t tag;
    std::uint16_t index;
  };
  TagTable<Place> field_places, message_places;
  std::vector<MessageFacts> messages;
  std::deque<Shape> shapes;  // do not move
  std::vector<const Shape*> groups;
  Shape envelope;
  DataFields data_fields;
};

/// Makes the parts of a dictionary from its models.
class DictionaryCompiler {
 public:
  explicit DictionaryCompiler(std::vector<DictionaryModel> models) : parts_(std::make_unique<Dictionary::Parts>()) {
    parts_->models = std::move(models);
  }

  Dictionary compile() {
    const std::vector<DictionaryModel>& models = parts_->models;
    if (models.empty()) throw Trouble{{0, "no dictionary at all"}};
    parts_->begin_string = models[0].begin_string();
    is_transported_ = models.size() > 1 && models[0].type == "FIXT";
    for (const DictionaryModel& model : models) {
      const bool is_carried = is_carried_by_transport(model);
      parts_->name += (parts_->name.empty() ? "" : " + ") + model.begin_string();
      if (model.service_pack != 0) parts_->name += "SP" + std::to_string(model.service_pack);
      if (!model.header.empty() && !(is_carried && header_.members != nullptr)) header_ = {&model, &model.header};
      if (!model.trailer.empty() && !(is_carried && trailer_.members != nullptr)) trailer_ = {&model, &model.trailer};
    }
    if (is_transported_) parts_->application_version = application_version_of(models.back());
    make_fields();
    parts_->envelope = make_shape(nullptr, {});
    for (const DictionaryModel& model : models) {
      for (const MessageModel& message : model.messages) make_message(model, message);
    }
    std::vector<Dictionary::Parts::Place> places;
    for (const MessageFacts& message : parts_->messages)
      places.push_back({message.tag, static_cast<std::uint16_t>(places.size())});
    if (!parts_->message_places.build(places)) throw Trouble{{0, "the messages cannot be hashed"}};
    return Dictionary(std::move(parts_));
  }

 private:
  /// Whether the model is of an application above a transport, which has envelope and session messages already: those
  /// of FIX 4.4, say, are not used when FIXT carries it.
  [[nodiscard]] bool is_carried_by_transport(const DictionaryModel& model) const noexcept {
    return is_transported_ && &model != parts_->models.data();
  }

  void make_fields() {
    std::map<Tag, const FieldModel*> fields;
    std::map<Tag, Tag> lengths;  // one model may know that of a field which another lists again
    for (const DictionaryModel& model : parts_->models) {
      for (const FieldModel& field : model.fields) {
        fields[field.tag] = &field;
        if (field.length != 0) lengths[field.tag] = field.length;
      }
    }
    std::vector<DataField> data;
    std::vector<Dictionary::Parts::Place> places;
    for (const auto& [tag, model] : fields) {
      FieldFacts facts;
      facts.tag = tag;
      facts.type = model->type;
      if (const auto length = lengths.find(tag); length != lengths.end()) facts.length = length->second;
      facts.name = model->name;
      facts.values = model->values;
      facts.is_closed = !model->is_open && !model->values.empty();
      index_values(facts, model->line);
      if (is_data(facts.type) && facts.length != 0) data.push_back({tag, facts.length});
      places.push_back({tag, static_cast<std::uint16_t>(parts_->fields.size())});
      parts_->fields.push_back(std::move(facts));
    }
    parts_->data_fields = DataFields(data);
    if (!parts_->field_places.build(places)) throw Trouble{{0, "the fields cannot be hashed"}};
  }

  static void index_values(FieldFacts& facts, std::uint32_t line) {
    bool has_long = false;
    std::vector<std::uint64_t> keys;
    for (const ValueModel& value : facts.values) {
      keys.push_back(hash_of(value.value));
      const auto character = static_cast<unsigned char>(value.value[0]);
      if (value.value.size() == 1 && character < 128)
        facts.single_[character / 64] |= std::uint64_t{1} << character % 64;
      else
        has_long = true;
    }
    if (!has_long) return;
    auto lookup = fsm::BuiltLookup::build(keys);
    if (!lookup) throw Trouble{{line, "a value of field " + std::to_string(facts.tag) + " stands there twice"}};
    facts.lookup_ = std::make_shared<const fsm::BuiltLookup>(*std::move(lookup));
  }

  void make_message(const DictionaryModel& model, const MessageModel& message) {
    const auto packed = static_cast<std::uint32_t>(msg_type(message.type));
    if (packed == 0)
      throw Trouble{{message.line, "message " + message.name + ": a MsgType has one to four characters"}};
    const auto same = std::ranges::find(parts_->messages, packed, &MessageFacts::tag);
    if (same != parts_->messages.end() && same->is_admin && is_carried_by_transport(model)) return;
    parts_->shapes.push_back(make_shape(&model, message.members));
    const MessageFacts facts{packed, message.is_admin, message.name, &parts_->shapes.back()};
    if (same == parts_->messages.end()) {
      parts_->messages.push_back(facts);
    } else {
      *same = facts;
    }
  }

  /// A message's shape: header, `body`, trailer.
  Shape make_shape(const DictionaryModel* model, std::span<const MemberModel> body) {
    Shape shape;
    if (header_.members != nullptr) add(*header_.model, *header_.members, true, Member::k_header, shape, 0);
    if (model != nullptr) add(*model, body, true, 0, shape, 0);
    if (trailer_.members != nullptr) add(*trailer_.model, *trailer_.members, true, Member::k_trailer, shape, 0);
    finish(shape);
    return shape;
  }

  void add(const DictionaryModel& model, std::span<const MemberModel> members, bool is_required, std::uint8_t flags,
           Shape& shape, int depth) {
    constexpr int k_depth_max = 24;
    if (depth > k_depth_max) throw Trouble{{members.empty() ? 0 : members[0].line, "a component contains itself"}};
    for (const MemberModel& member : members) {
      const bool is_needed = is_required && member.is_required;
      if (member.kind == MemberModel::Kind::component) {
        const auto found = std::ranges::find(model.components, member.component, &ComponentModel::name);
        if (found == model.components.end())
          throw Trouble{{member.line, "no component is named \"" + member.component + "\""}};
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
  static void note_alternative(Shape& shape, std::size_t begin, bool is_instrument) {
    Shape::Alternative alternative{.first = shape.members_[begin].tag, .is_instrument = is_instrument, .numbers = {}};
    for (std::size_t at = begin; at < shape.members_.size(); ++at) {
      if (shape.members_[at].is(Member::k_required)) return;
      alternative.numbers.push_back(shape.members_[at].position);  // becomes the number in finish()
    }
    shape.alternatives_.push_back(std::move(alternative));
  }

  void add_member(const DictionaryModel& model, const MemberModel& source, bool is_required, std::uint8_t flags,
                  Shape& shape) {
    const Dictionary::Parts::Place* place = parts_->field_places.find(source.tag);
    if (place == nullptr) throw Trouble{{source.line, "no field has the number " + std::to_string(source.tag)}};
    if (std::ranges::find(shape.members_, source.tag, &Member::tag) != shape.members_.end()) return;
    if (shape.members_.size() == Shape::k_members_max)
      throw Trouble{
          {source.line, "a message or group has at most " + std::to_string(Shape::k_members_max) + " members"}};
    const FieldFacts& facts = parts_->fields[place->index];
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

  std::uint16_t group_of(const DictionaryModel& model, const MemberModel& source) {
    if (const auto known = groups_.find(&source); known != groups_.end()) return known->second;
    if (source.members.empty()) throw Trouble{{source.line, "group " + std::to_string(source.tag) + " has no members"}};
    if (++group_depth_ > k_group_depth_max) throw Trouble{{source.line, "groups inside groups, too deep"}};
    Shape shape;
    add(model, source.members, true, 0, shape, 0);
    --group_depth_;
    finish(shape);
    parts_->shapes.push_back(std::move(shape));
    parts_->groups.push_back(&parts_->shapes.back());
    const auto index = static_cast<std::uint16_t>(parts_->groups.size() - 1);
    groups_[&source] = index;
    return index;
  }

  /// Numbers the members, the required ones first and of those the frame's last, and hashes them.
  void finish(Shape& shape) const {
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
    for (const Member& member : shape.members_) shape.plans_.push_back(plan_of(member));
    index_members(shape);
  }

  [[nodiscard]] FieldPlan plan_of(const Member& member) const {
    FieldPlan plan{.part = static_cast<std::uint8_t>(member.is(Member::k_header)    ? 0
                                                     : member.is(Member::k_trailer) ? 2
                                                                                    : 1),
                   .number = member.number};
    if ((member.flags & (Member::k_group | Member::k_secured | Member::k_version)) != 0) return plan;
    if (member.is(Member::k_framing)) {
      plan.value = FieldPlan::Value::any;
      return plan;
    }
    plan.value = usual_value_of(member.type);
    if (!member.is(Member::k_closed) && member.type != FieldType::boolean) return plan;
    plan.value = FieldPlan::Value::one_of;
    for (int place = 0; place < 64; ++place) {
      const char character = static_cast<char>('0' + place);
      const std::string_view value(&character, 1);
      if (has_format(member.type, value) && parts_->fields[member.field].allows(value))
        plan.singles |= std::uint64_t{1} << place;
    }
    return plan;
  }

  /// Of a field that has no enumeration.
  static FieldPlan::Value usual_value_of(FieldType type) {
    switch (type) {
      case FieldType::string:
      case FieldType::exchange:
      case FieldType::data:
      case FieldType::xid:
      case FieldType::xid_ref:
        return FieldPlan::Value::any;
      case FieldType::character:
        return FieldPlan::Value::character;
      case FieldType::utc_timestamp:
        return FieldPlan::Value::timestamp;
      case FieldType::day_of_month:
        return FieldPlan::Value::other;
      default:
        return is_integer(type)   ? FieldPlan::Value::whole
               : is_decimal(type) ? FieldPlan::Value::fraction
                                  : FieldPlan::Value::other;
    }
  }

  static void index_members(Shape& shape) {
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
    if (!shape.table_.build(large)) throw Trouble{{0, "members of a message cannot be hashed"}};
  }

  static constexpr int k_group_depth_max = 7;
  struct Part {
    const DictionaryModel* model = nullptr;
    const std::vector<MemberModel>* members = nullptr;
  };
  std::unique_ptr<Dictionary::Parts> parts_;
  Part header_, trailer_;
  bool is_transported_ = false;
  std::map<const MemberModel*, std::uint16_t> groups_;
  int group_depth_ = 0;
};

// ------------------------------------------------------------------------------------------------------------- values

const ValueModel* FieldFacts::find(std::string_view value) const noexcept {
  if (lookup_) {
    const std::size_t index = lookup_->index(hash_of(value));
    return index < values.size() && values[index].value == value ? &values[index] : nullptr;
  }
  const auto found = std::ranges::find(values, value, &ValueModel::value);
  return found == values.end() ? nullptr : &*found;
}

bool FieldFacts::allows(std::string_view value) const noexcept {
  if (!is_closed) return true;
  const auto is_single = [this](char text) noexcept {
    const auto character = static_cast<unsigned char>(text);
    return character < 128 && (single_[character / 64] >> character % 64 & 1) != 0;
  };
  if (value.size() == 1) return is_single(value[0]);
  if (type != FieldType::multiple_char && type != FieldType::multiple_string) return lookup_ && find(value) != nullptr;
  while (!value.empty()) {
    const std::size_t end = value.find(' ');
    const std::string_view part = value.substr(0, end);
    if (part.size() == 1 ? !is_single(part[0]) : !lookup_ || find(part) == nullptr) return false;
    value.remove_prefix(end == std::string_view::npos ? value.size() : end + 1);
  }
  return true;
}

std::string_view FieldFacts::meaning_of(std::string_view value) const noexcept {
  const ValueModel* found = find(value);
  return found == nullptr ? std::string_view() : std::string_view(found->meaning);
}

// --------------------------------------------------------------------------------------------------------- dictionary

Dictionary::Dictionary(std::unique_ptr<Parts> parts) noexcept : parts_(std::move(parts)) {}
Dictionary::Dictionary(Dictionary&&) noexcept = default;
Dictionary& Dictionary::operator=(Dictionary&&) noexcept = default;
Dictionary::~Dictionary() = default;

std::expected<Dictionary, DictionaryError> Dictionary::compile(std::vector<DictionaryModel> models) {
  try {
    return DictionaryCompiler(std::move(models)).compile();
  } catch (const Trouble& trouble) {
    return std::unexpected(trouble.error);
  }
}

std::string_view Dictionary::begin_string() const noexcept {
  return parts_->begin_string;
}
std::string_view Dictionary::name() const noexcept {
  return parts_->name;
}
std::string_view Dictionary::application_version() const noexcept {
  return parts_->application_version;
}
const FieldFacts* Dictionary::field(Tag tag) const noexcept {
  const Parts::Place* place = parts_->field_places.find(tag);
  return place == nullptr ? nullptr : &parts_->fields[place->index];
}
const FieldFacts* Dictionary::field_named(std::string_view name) const noexcept {
  const auto found = std::ranges::find(parts_->fields, name, &FieldFacts::name);
  return found == parts_->fields.end() ? nullptr : &*found;
}
const MessageFacts* Dictionary::message(MsgType type) const noexcept {
  const Parts::Place* place = parts_->message_places.find(static_cast<std::uint32_t>(type));
  return place == nullptr ? nullptr : &parts_->messages[place->index];
}
std::span<const FieldFacts> Dictionary::fields() const noexcept {
  return parts_->fields;
}
std::span<const MessageFacts> Dictionary::messages() const noexcept {
  return parts_->messages;
}
const Shape& Dictionary::shape(const Member& group) const noexcept {
  DOJIMA_ASSERT(group.is(Member::k_group), "a group's member");
  return *parts_->groups[group.group];
}
const Shape& Dictionary::envelope() const noexcept {
  return parts_->envelope;
}
const DataFields& Dictionary::data_fields() const noexcept {
  return parts_->data_fields;
}
std::span<const DictionaryModel> Dictionary::models() const noexcept {
  return parts_->models;
}

}  // namespace dojima::fix
