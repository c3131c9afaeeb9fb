#include "dojima/fix/dictionaries/dictionary_compiler.hpp"

#include <algorithm>
#include <map>

namespace dojima::fix {
namespace {

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

}  // namespace

DictionaryCompiler::DictionaryCompiler(std::vector<DictionaryModel> models)
    : parts_(std::make_unique<DictionaryParts>()) {
  parts_->models = std::move(models);
}

Dictionary DictionaryCompiler::compile() {
  const std::vector<DictionaryModel>& models = parts_->models;
  if (models.empty()) throw DictionaryTrouble{{0, "no dictionary at all"}};
  parts_->begin_string = models[0].begin_string();
  is_transported_ = models.size() > 1 && models[0].type == "FIXT";
  EnvelopePart header, trailer;
  for (const DictionaryModel& model : models) {
    const bool is_carried = is_carried_by_transport(model);
    parts_->name += (parts_->name.empty() ? "" : " + ") + model.begin_string();
    if (model.service_pack != 0) parts_->name += "SP" + std::to_string(model.service_pack);
    if (!model.header.empty() && !(is_carried && header.members != nullptr)) header = {&model, &model.header};
    if (!model.trailer.empty() && !(is_carried && trailer.members != nullptr)) trailer = {&model, &model.trailer};
  }
  if (is_transported_) parts_->application_version = application_version_of(models.back());
  make_fields();
  ShapeCompiler shapes(*parts_, header, trailer);
  parts_->envelope = shapes.shape_of(nullptr, {});
  for (const DictionaryModel& model : models) {
    for (const MessageModel& message : model.messages) make_message(model, message, shapes);
  }
  std::vector<TagPlace> places;
  for (const MessageFacts& message : parts_->messages)
    places.push_back({message.tag, static_cast<std::uint16_t>(places.size())});
  if (!parts_->message_places.build(places)) throw DictionaryTrouble{{0, "the messages cannot be hashed"}};
  return Dictionary(std::move(parts_));
}

/// Whether the model is of an application above a transport, which has envelope and session messages already: those
/// of FIX 4.4, say, are not used when FIXT carries it.
bool DictionaryCompiler::is_carried_by_transport(const DictionaryModel& model) const noexcept {
  return is_transported_ && &model != parts_->models.data();
}

void DictionaryCompiler::make_fields() {
  std::map<Tag, const FieldModel*> fields;
  std::map<Tag, Tag> lengths;  // one model may know that of a field which another lists again
  for (const DictionaryModel& model : parts_->models) {
    for (const FieldModel& field : model.fields) {
      fields[field.tag] = &field;
      if (field.length != 0) lengths[field.tag] = field.length;
    }
  }
  std::vector<DataField> data;
  std::vector<TagPlace> places;
  for (const auto& [tag, model] : fields) {
    FieldFacts facts;
    facts.tag = tag;
    facts.type = model->type;
    if (const auto length = lengths.find(tag); length != lengths.end()) facts.length = length->second;
    facts.name = model->name;
    facts.values = model->values;
    facts.is_closed = !model->is_open && !model->values.empty();
    if (!facts.index_values())
      throw DictionaryTrouble{{model->line, "a value of field " + std::to_string(facts.tag) + " is listed twice"}};
    if (is_data(facts.type) && facts.length != 0) data.push_back({tag, facts.length});
    places.push_back({tag, static_cast<std::uint16_t>(parts_->fields.size())});
    parts_->fields.push_back(std::move(facts));
  }
  parts_->data_fields = DataFields(data);
  if (!parts_->field_places.build(places)) throw DictionaryTrouble{{0, "the fields cannot be hashed"}};
}

void DictionaryCompiler::make_message(const DictionaryModel& model, const MessageModel& message,
                                      ShapeCompiler& shapes) {
  const auto packed = static_cast<std::uint32_t>(msg_type(message.type));
  if (packed == 0)
    throw DictionaryTrouble{{message.line, "message " + message.name + ": a MsgType has one to four characters"}};
  const auto same = std::ranges::find(parts_->messages, packed, &MessageFacts::tag);
  if (same != parts_->messages.end() && same->is_admin && is_carried_by_transport(model)) return;
  parts_->shapes.push_back(shapes.shape_of(&model, message.members));
  const MessageFacts facts{packed, message.is_admin, message.name, &parts_->shapes.back()};
  if (same == parts_->messages.end()) {
    parts_->messages.push_back(facts);
  } else {
    *same = facts;
  }
}

}  // namespace dojima::fix
