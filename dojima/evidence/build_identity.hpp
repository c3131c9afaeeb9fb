#pragma once

// From which sources and with which compiler a program was built. The values are found when the program is built
// (tools/source_identity.py, cmake/DojimaIdentity.cmake) and are in the library `dojima_build_identity`, which every
// program that writes artefacts links; rooms only pass them on.
//
//   evidence::EvidenceCollector collector({.build = evidence::build_identity()});

#include <optional>
#include <string>

namespace dojima::evidence {

struct BuildIdentity {
  std::string tool_version{};
  /// SHA-256 of the lines `sha256  path` of all code files (no tests, no documents), sorted by path.
  std::string source_digest{};
  std::string commit{};         ///< empty: not built in a git repository
  std::optional<bool> dirty{};  ///< whether the code differs from the commit; nothing: not known
  std::string compiler{};       ///< name and version
  std::string flags{};          ///< of all files: CMAKE_CXX_FLAGS and those of the build type
  std::string build_type{};
  std::string sanitizers{};
};

/// Of this program.
[[nodiscard]] const BuildIdentity& build_identity();

}  // namespace dojima::evidence
