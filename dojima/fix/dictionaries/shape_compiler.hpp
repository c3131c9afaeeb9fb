#pragma once

// Makes shapes, of messages and of the entries of groups, out of what a dictionary's model lists: components are
// taken apart, members numbered, planned and hashed. Throws DictionaryTrouble.

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "dojima/fix/dictionaries/dictionary_parts.hpp"

namespace dojima::fix {

/// A header or trailer, and the model whose components it means. Null: there is none.
struct EnvelopePart {
  const DictionaryModel* model = nullptr;
  const std::vector<MemberModel>* members = nullptr;
};

class ShapeCompiler {
 public:
  /// Looks up the fields of `parts`, and puts the groups there; it outlives this.
  ShapeCompiler(DictionaryParts& parts, EnvelopePart header, EnvelopePart trailer)
      : parts_(parts), header_(header), trailer_(trailer) {}

  /// A message's shape: header, `body`, trailer. `model` null: the envelope alone.
  [[nodiscard]] Shape shape_of(const DictionaryModel* model, std::span<const MemberModel> body);

 private:
  static constexpr int k_group_depth_max = 7;

  void add(const DictionaryModel& model, std::span<const MemberModel> members, bool is_required, std::uint8_t flags,
           Shape& shape, int depth);
  void add_member(const DictionaryModel& model, const MemberModel& source, bool is_required, std::uint8_t flags,
                  Shape& shape);
  static void note_alternative(Shape& shape, std::size_t begin, bool is_instrument);
  std::uint16_t group_of(const DictionaryModel& model, const MemberModel& source);
  void finish(Shape& shape) const;
  static void index_members(Shape& shape);

  DictionaryParts& parts_;
  EnvelopePart header_, trailer_;
  std::map<const MemberModel*, std::uint16_t> groups_;
  int group_depth_ = 0;
};

}  // namespace dojima::fix
