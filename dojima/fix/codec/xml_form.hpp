#pragma once

// Whether a text is well-formed XML: what a field of type XMLDATA has to be before anybody looks into it. Elements
// nested and closed by name, attributes quoted and each once, references, comments, CDATA, one root. It follows XML 1.0
// but for document type declarations, which messages have no use for and which are refused, and takes any byte above
// 0x7f for a letter. No allocation; O(text), bounded depth.
//
//   is_well_formed_xml("<a b='1'>x &amp; y</a>")   // true

#include <cstddef>
#include <string_view>

namespace dojima::fix {

/// Elements inside each other; deeper is not well-formed here.
inline constexpr std::size_t k_xml_depth_max = 64;

[[nodiscard]] bool is_well_formed_xml(std::string_view text) noexcept;

}  // namespace dojima::fix
