#pragma once

// What is inside a dictionary, for those who compile one.

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/fix/dictionary.hpp"

namespace dojima::fix {

/// Thrown by those who compile a dictionary; becomes the error of Dictionary::compile.
struct DictionaryTrouble {
  DictionaryError error;
};

/// Where a field, or a message by its packed type, is among the others.
struct TagPlace {
  std::uint32_t tag;
  std::uint16_t index;
};

/// All that a dictionary holds.
struct DictionaryParts {
  std::vector<DictionaryModel> models;
  std::string begin_string, name;
  std::string_view application_version;
  std::vector<FieldFacts> fields;
  TagTable<TagPlace> field_places, message_places;
  std::vector<MessageFacts> messages;
  std::deque<Shape> shapes;  // do not move
  std::vector<const Shape*> groups;
  Shape envelope;
  DataFields data_fields;
};

}  // namespace dojima::fix
