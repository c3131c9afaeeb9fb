#include "dojima/fix/dictionary_model.hpp"

#include <charconv>
#include <map>
#include <optional>
#include <utility>

namespace dojima::fix {
namespace {

/// Words of one line, apart by spaces.
class Words {
 public:
  Words(std::string_view line, std::size_t number) : rest_(line), line_(number) {}
  [[nodiscard]] std::size_t line() const noexcept { return line_; }
  [[nodiscard]] bool is_empty() const noexcept { return rest_.empty(); }
  std::string_view next() {
    const std::size_t end = rest_.find(' ');
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    return word;
  }

 private:
  std::string_view rest_;
  std::size_t line_;
};

/// Thrown inside this file only; becomes the error of parse_dictionary.
struct Trouble {
  std::string text;
};

unsigned number_of(std::string_view word, unsigned most) {
  unsigned value = 0;
  const auto [end, trouble] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (trouble != std::errc{} || end != word.data() + word.size() || value > most)
    throw Trouble{"expected a number up to " + std::to_string(most) + ", got \"" + std::string(word) + "\""};
  return value;
}

Tag tag_of(std::string_view word) {
  const unsigned number = number_of(word, 0xffff);
  if (number == 0) throw Trouble{"a tag is at least 1"};
  return static_cast<Tag>(number);
}

FieldModel read_field(Words& words) {
  FieldModel field;
  field.tag = tag_of(words.next());
  const std::string_view type = words.next();
  const auto known = field_type_of(type);
  if (!known) throw Trouble{"no type \"" + std::string(type) + "\""};
  field.type = *known;
  field.name = words.next();
  if (field.name.empty()) throw Trouble{"a field has a name"};
  while (!words.is_empty()) {
    const std::string_view word = words.next();
    if (word == "...") {
      field.is_open = true;
    } else if (word.starts_with("length:")) {
      field.length = tag_of(word.substr(7));
    } else if (const std::size_t at = word.find('='); at != std::string_view::npos && at > 0) {
      field.values.push_back({std::string(word.substr(0, at)), std::string(word.substr(at + 1))});
    } else {
      throw Trouble{"expected VALUE=MEANING, got \"" + std::string(word) + "\""};
    }
  }
  return field;
}

/// Members up to the end of the line, or of the group.
std::vector<MemberModel> read_members(Words& words, bool is_in_group) {
  std::vector<MemberModel> members;
  while (!words.is_empty()) {
    std::string_view word = words.next();
    if (word == ")") {
      if (!is_in_group) throw Trouble{"a group ends that did not begin"};
      return members;
    }
    MemberModel member;
    member.line = static_cast<std::uint32_t>(words.line());
    const bool is_group = word.ends_with('(');
    if (is_group) word.remove_suffix(1);
    member.is_required = word.ends_with('!');
    if (member.is_required) word.remove_suffix(1);
    if (word.starts_with('@')) {
      member.kind = MemberModel::Kind::component;
      member.component = word.substr(1);
    } else {
      member.tag = tag_of(word);
    }
    if (is_group) {
      member.kind = MemberModel::Kind::group;
      member.members = read_members(words, true);
    }
    members.push_back(std::move(member));
  }
  if (is_in_group) throw Trouble{"a group does not end"};
  return members;
}

void read_line(Words& words, DictionaryModel& model) {
  const std::string_view kind = words.next();
  if (kind == "field") {
    model.fields.push_back(read_field(words));
    model.fields.back().line = static_cast<std::uint32_t>(words.line());
  } else if (kind == "component") {
    std::string name(words.next());
    model.components.push_back({std::move(name), read_members(words, false)});
  } else if (kind == "header") {
    model.header = read_members(words, false);
  } else if (kind == "trailer") {
    model.trailer = read_members(words, false);
  } else if (kind == "message") {
    MessageModel message;
    message.type = words.next();
    const std::string_view category = words.next();
    if (category != "admin" && category != "app") throw Trouble{"a message is admin or app"};
    message.is_admin = category == "admin";
    message.name = words.next();
    message.members = read_members(words, false);
    message.line = static_cast<std::uint32_t>(words.line());
    model.messages.push_back(std::move(message));
  } else if (kind == "version") {
    model.type = words.next();
    model.major = number_of(words.next(), 99);
    model.minor = number_of(words.next(), 99);
    model.service_pack = number_of(words.next(), 99);
  } else {
    throw Trouble{"no line begins with \"" + std::string(kind) + "\""};
  }
}

// ------------------------------------------------------------------------------------------------------------ as XML

using Names = std::map<Tag, std::string_view>;

void write_members(std::string& xml, const std::vector<MemberModel>& members, const Names& names, std::size_t depth) {
  for (const MemberModel& member : members) {
    const std::string_view required = member.is_required ? "Y" : "N";
    const std::string_view name =
        member.kind == MemberModel::Kind::component ? std::string_view(member.component) : names.at(member.tag);
    const char* element = member.kind == MemberModel::Kind::component ? "component"
                          : member.kind == MemberModel::Kind::group   ? "group"
                                                                      : "field";
    xml.append(depth, ' ').append("<").append(element).append(" name='").append(name);
    xml.append("' required='").append(required);
    if (member.kind == MemberModel::Kind::group) {
      xml.append("'>\n");
      write_members(xml, member.members, names, depth + 1);
      xml.append(depth, ' ').append("</group>\n");
    } else {
      xml.append("'/>\n");
    }
  }
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char character : text) {
    switch (character) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '\'':
        result += "&apos;";
        break;
      default:
        result += character;
    }
  }
  return result;
}

}  // namespace

std::string DictionaryModel::begin_string() const {
  return type + "." + std::to_string(major) + "." + std::to_string(minor);
}

std::expected<DictionaryModel, DictionaryError> parse_dictionary(std::string_view text) {
  constexpr std::string_view k_first = "dojima-fix-dictionary 1";
  DictionaryModel model;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number;
    if (number == 1 && line != k_first)
      return std::unexpected(DictionaryError{1, "the first line is not \"" + std::string(k_first) + "\""});
    if (number == 1 || line.empty() || line.starts_with('#')) continue;
    Words words(line, number);
    try {
      read_line(words, model);
    } catch (const Trouble& trouble) {
      return std::unexpected(DictionaryError{number, trouble.text});
    }
  }
  if (number == 0) return std::unexpected(DictionaryError{0, "no text"});
  return model;
}

std::string to_xml(const DictionaryModel& model) {
  Names names;
  for (const FieldModel& field : model.fields) names[field.tag] = field.name;
  std::string xml = "<fix type='" + model.type + "' major='" + std::to_string(model.major) + "' minor='" +
                    std::to_string(model.minor) + "' servicepack='" + std::to_string(model.service_pack) + "'>\n";
  xml += " <header>\n";
  write_members(xml, model.header, names, 2);
  xml += " </header>\n <messages>\n";
  for (const MessageModel& message : model.messages) {
    xml += "  <message name='" + message.name + "' msgtype='" + message.type + "' msgcat='" +
           (message.is_admin ? "admin" : "app") + "'>\n";
    write_members(xml, message.members, names, 3);
    xml += "  </message>\n";
  }
  xml += " </messages>\n <trailer>\n";
  write_members(xml, model.trailer, names, 2);
  xml += " </trailer>\n <components>\n";
  for (const ComponentModel& component : model.components) {
    xml += "  <component name='" + component.name + "'>\n";
    write_members(xml, component.members, names, 3);
    xml += "  </component>\n";
  }
  xml += " </components>\n <fields>\n";
  for (const FieldModel& field : model.fields) {
    xml += "  <field number='" + std::to_string(field.tag) + "' name='" + field.name + "' type='" +
           std::string(name_of(field.type)) + "'";
    // An open list is no list: engines that read XML take one for closed.
    if (field.values.empty() || field.is_open) {
      xml += "/>\n";
      continue;
    }
    xml += ">\n";
    for (const ValueModel& value : field.values)
      xml += "   <value enum='" + escaped(value.value) + "' description='" + escaped(value.meaning) + "'/>\n";
    xml += "  </field>\n";
  }
  return xml + " </fields>\n</fix>\n";
}

}  // namespace dojima::fix
