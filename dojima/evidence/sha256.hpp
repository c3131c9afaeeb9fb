#pragma once

// SHA-256 (FIPS 180-4) as text: the identity of artefacts, sources and programs. Deterministic; allocates its result.

#include <string>
#include <string_view>

namespace dojima::evidence {

/// 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

}  // namespace dojima::evidence
