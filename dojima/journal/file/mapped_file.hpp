#pragma once

// A file of a journal's directory as memory.

#include <memory>
#include <string>

#include "dojima/journal/disk.hpp"

namespace dojima::journal {

struct MappedFile {
  std::unique_ptr<File> file;
  Bytes bytes;
};

[[nodiscard]] Result<MappedFile> map_file(Disk& disk, const std::string& name);

}  // namespace dojima::journal
