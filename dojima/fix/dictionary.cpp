#include "dojima/fix/dictionary.hpp"

#include <algorithm>

#include "dojima/base/assert.hpp"
#include "dojima/fix/dictionaries/dictionary_compiler.hpp"
#include "dojima/fix/dictionaries/dictionary_parts.hpp"

namespace dojima::fix {

Dictionary::Dictionary(std::unique_ptr<DictionaryParts> parts) noexcept : parts_(std::move(parts)) {}
Dictionary::Dictionary(Dictionary&&) noexcept = default;
Dictionary& Dictionary::operator=(Dictionary&&) noexcept = default;
Dictionary::~Dictionary() = default;

std::expected<Dictionary, DictionaryError> Dictionary::compile(std::vector<DictionaryModel> models) {
  try {
    return DictionaryCompiler(std::move(models)).compile();
  } catch (const DictionaryTrouble& trouble) {
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
  const TagPlace* place = parts_->field_places.find(tag);
  return place == nullptr ? nullptr : &parts_->fields[place->index];
}
const FieldFacts* Dictionary::field_named(std::string_view name) const noexcept {
  const auto found = std::ranges::find(parts_->fields, name, &FieldFacts::name);
  return found == parts_->fields.end() ? nullptr : &*found;
}
const MessageFacts* Dictionary::message(MsgType type) const noexcept {
  const TagPlace* place = parts_->message_places.find(static_cast<std::uint32_t>(type));
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
