#pragma once

// Makes a dictionary from its models: fields, envelope, messages. Throws DictionaryTrouble.

#include <memory>
#include <vector>

#include "dojima/fix/dictionaries/dictionary_parts.hpp"
#include "dojima/fix/dictionaries/shape_compiler.hpp"

namespace dojima::fix {

/// Used once.
class DictionaryCompiler {
 public:
  explicit DictionaryCompiler(std::vector<DictionaryModel> models);

  [[nodiscard]] Dictionary compile();

 private:
  [[nodiscard]] bool is_carried_by_transport(const DictionaryModel& model) const noexcept;
  void make_fields();
  void make_message(const DictionaryModel& model, const MessageModel& message, ShapeCompiler& shapes);

  std::unique_ptr<DictionaryParts> parts_;
  bool is_transported_ = false;
};

}  // namespace dojima::fix
