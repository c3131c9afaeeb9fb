#include <algorithm>

#include "dojima/fix/dictionary.hpp"

namespace dojima::fix {
namespace {

/// FNV-1a; values are distinguished by comparing the text that it leads to.
std::uint64_t hash_of(std::string_view text) noexcept {
  std::uint64_t hash = 14695981039346656037u;
  for (const char character : text) hash = (hash ^ static_cast<unsigned char>(character)) * 1099511628211u;
  return hash;
}

}  // namespace

bool FieldFacts::index_values() {
  bool has_long = false;
  std::vector<std::uint64_t> keys;
  for (const ValueModel& value : values) {
    keys.push_back(hash_of(value.value));
    const auto character = static_cast<unsigned char>(value.value[0]);
    if (value.value.size() == 1 && character < 128)
      single_[character / 64] |= std::uint64_t{1} << character % 64;
    else
      has_long = true;
  }
  if (!has_long) return true;
  auto found = fsm::BuiltLookup::build(keys);
  if (!found) return false;
  lookup_ = std::make_shared<const fsm::BuiltLookup>(*std::move(found));
  return true;
}

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

}  // namespace dojima::fix
