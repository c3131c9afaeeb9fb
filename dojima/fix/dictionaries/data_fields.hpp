#pragma once

// Which fields are data fields, whose values may contain the separator, and which field in front of each has its
// length. The decoder needs this and nothing else of a dictionary. Plain tables: O(1), no allocation, read-only once
// filled.

#include <array>
#include <bitset>
#include <cstdint>
#include <span>

#include "dojima/fix/tags.hpp"

namespace dojima::fix {

struct DataField {
  Tag tag = 0;
  Tag length = 0;
};

class DataFields {
 public:
  /// More data fields than this are not known.
  static constexpr std::size_t k_most = 512;

  /// No data fields at all.
  DataFields() noexcept = default;
  /// Fields beyond k_most are left out.
  explicit DataFields(std::span<const DataField> fields) noexcept;

  [[nodiscard]] bool has(Tag tag) const noexcept { return (words_[tag >> 6] >> (tag & 63) & 1) != 0; }
  /// The tag of the length field; 0: `tag` is no data field. O(data fields).
  [[nodiscard]] Tag length_of(Tag tag) const noexcept;
  [[nodiscard]] std::span<const DataField> fields() const noexcept { return {fields_.data(), count_}; }

 private:
  std::array<std::uint64_t, 1024> words_{};
  std::array<DataField, k_most> fields_{};
  std::size_t count_ = 0;
};

/// Those of all built-in dictionaries together. One object for the whole program, never destroyed.
[[nodiscard]] const DataFields& standard_data_fields() noexcept;

}  // namespace dojima::fix
