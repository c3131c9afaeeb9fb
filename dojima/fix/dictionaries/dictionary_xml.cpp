// QuickFIX-style XML as a dictionary model.

#include <algorithm>
#include <charconv>
#include <map>
#include <pugixml.hpp>
#include <set>

#include "dojima/fix/dictionary_model.hpp"

namespace dojima::fix {
namespace {

/// Thrown inside this file only; becomes the error of parse_dictionary_xml.
struct Trouble {
  std::ptrdiff_t offset;
  std::string text;
};

std::string_view attribute(pugi::xml_node node, const char* name) {
  const pugi::xml_attribute found = node.attribute(name);
  if (!found || *found.value() == '\0')
    throw Trouble{node.offset_debug(), std::string("<") + node.name() + "> without " + name};
  return found.value();
}

unsigned number(pugi::xml_node node, const char* name, unsigned most) {
  const std::string_view text = attribute(node, name);
  unsigned value = 0;
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (trouble != std::errc{} || end != text.data() + text.size() || value > most)
    throw Trouble{node.offset_debug(), std::string(name) + " is no number up to " + std::to_string(most) + ": \"" +
                                           std::string(text) + "\""};
  return value;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  DictionaryModel read(pugi::xml_node root) {
    if (std::string_view(root.name()) != "fix") throw Trouble{root.offset_debug(), "the document is no <fix>"};
    model_.type = attribute(root, "type");
    model_.major = number(root, "major", 99);
    model_.minor = number(root, "minor", 99);
    model_.service_pack = root.attribute("servicepack") ? number(root, "servicepack", 99) : 0;
    for (const pugi::xml_node part : root.children()) {
      const std::string_view name = part.name();
      if (name != "header" && name != "trailer" && name != "messages" && name != "components" && name != "fields")
        throw Trouble{part.offset_debug(), "unknown element <" + std::string(name) + ">"};
    }
    for (const pugi::xml_node field : root.child("fields").children()) read_field(field);
    for (const pugi::xml_node component : root.child("components").children())
      model_.components.push_back({std::string(attribute(component, "name")), members(component)});
    model_.header = members(root.child("header"));
    model_.trailer = members(root.child("trailer"));
    for (const pugi::xml_node message : root.child("messages").children()) read_message(message);
    for (FieldModel& field : model_.fields) {
      if (const auto found = lengths_.find(field.tag); found != lengths_.end()) field.length = found->second;
    }
    return std::move(model_);
  }

  [[nodiscard]] std::size_t line_of(std::ptrdiff_t offset) const {
    const auto end = text_.begin() + std::clamp<std::ptrdiff_t>(offset, 0, static_cast<std::ptrdiff_t>(text_.size()));
    return static_cast<std::size_t>(std::count(text_.begin(), end, '\n')) + 1;
  }

 private:
  /// Up to FIX 4.1, CHAR is text of any length, and ExecInst(18) a list of such texts.
  [[nodiscard]] FieldType type_of(pugi::xml_node field, Tag number) const {
    const std::string_view type = attribute(field, "type");
    const auto known = field_type_of(type);
    if (!known) throw Trouble{field.offset_debug(), "no type \"" + std::string(type) + "\""};
    const bool is_before_4_2 = model_.type == "FIX" && (model_.major < 4 || (model_.major == 4 && model_.minor < 2));
    if (!is_before_4_2 || *known != FieldType::character) return *known;
    return number == tag::k_exec_inst ? FieldType::multiple_string : FieldType::string;
  }

  void read_field(pugi::xml_node node) {
    FieldModel field;
    field.line = static_cast<std::uint32_t>(line_of(node.offset_debug()));
    field.tag = static_cast<Tag>(number(node, "number", 0xffff));
    field.name = attribute(node, "name");
    if (field.tag == 0) throw Trouble{node.offset_debug(), "a tag is at least 1"};
    field.type = type_of(node, field.tag);
    for (const pugi::xml_node value : node.children()) {
      const std::string_view text = attribute(value, "enum");
      if (text.find(' ') != std::string_view::npos) {
        field.is_open = true;  // it names a standard whose values are all allowed
      } else {
        field.values.push_back({std::string(text), value.attribute("description").value()});
      }
    }
    if (!numbers_.insert(field.tag).second)
      throw Trouble{node.offset_debug(), "field number " + std::to_string(field.tag) + " twice"};
    if (!by_name_.emplace(field.name, Known{field.tag, field.type}).second)
      throw Trouble{node.offset_debug(), "field name " + field.name + " twice"};
    model_.fields.push_back(std::move(field));
  }

  void read_message(pugi::xml_node node) {
    MessageModel message;
    message.type = attribute(node, "msgtype");
    message.name = attribute(node, "name");
    const std::string_view category = attribute(node, "msgcat");
    if (category != "admin" && category != "app") throw Trouble{node.offset_debug(), "msgcat is admin or app"};
    if (msg_type(message.type) == MsgType::none)
      throw Trouble{node.offset_debug(), "a msgtype has one to four characters"};
    message.line = static_cast<std::uint32_t>(line_of(node.offset_debug()));
    message.is_admin = category == "admin";
    message.members = members(node);
    model_.messages.push_back(std::move(message));
  }

  std::vector<MemberModel> members(pugi::xml_node parent) {
    std::vector<MemberModel> result;
    const Known* before = nullptr;
    for (const pugi::xml_node node : parent.children()) {
      MemberModel member;
      member.line = static_cast<std::uint32_t>(line_of(node.offset_debug()));
      member.is_required = std::string_view(node.attribute("required").value()) == "Y";
      const std::string_view name = attribute(node, "name");
      const std::string_view element = node.name();
      if (element == "component") {
        member.kind = MemberModel::Kind::component;
        member.component = name;
        before = nullptr;
      } else if (element == "field" || element == "group") {
        const auto found = by_name_.find(std::string(name));
        if (found == by_name_.end())
          throw Trouble{node.offset_debug(), "no field is named \"" + std::string(name) + "\""};
        member.tag = found->second.tag;
        if (element == "group") {
          member.kind = MemberModel::Kind::group;
          member.members = members(node);
        }
        if (is_data(found->second.type) && before != nullptr && before->type == FieldType::length)
          lengths_[member.tag] = before->tag;
        before = &found->second;
      } else {
        throw Trouble{node.offset_debug(), "unknown element <" + std::string(element) + ">"};
      }
      result.push_back(std::move(member));
    }
    return result;
  }

  struct Known {
    Tag tag;
    FieldType type;
  };
  std::string_view text_;
  DictionaryModel model_;
  std::map<std::string, Known, std::less<>> by_name_;
  std::set<Tag> numbers_;
  std::map<Tag, Tag> lengths_;
};

}  // namespace

std::expected<DictionaryModel, DictionaryError> parse_dictionary_xml(std::string_view text) {
  pugi::xml_document document;
  Reader reader(text);
  const pugi::xml_parse_result parsed = document.load_buffer(text.data(), text.size());
  if (!parsed) return std::unexpected(DictionaryError{reader.line_of(parsed.offset), parsed.description()});
  try {
    return reader.read(document.document_element());
  } catch (const Trouble& trouble) {
    return std::unexpected(DictionaryError{reader.line_of(trouble.offset), trouble.text});
  }
}

}  // namespace dojima::fix
