#include "dojima/evidence/temporary_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <unistd.h>

namespace dojima::evidence {

TemporaryFile::TemporaryFile() : path_((std::filesystem::temp_directory_path() / "dojima-XXXXXX").string()) {
  const int descriptor = ::mkstemp(path_.data());
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), "a temporary file");
  ::close(descriptor);
}

TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

std::string TemporaryFile::text() const {
  std::ostringstream text;
  text << std::ifstream(path_, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace dojima::evidence
