#include "dojima/journal/file/mapped_file.hpp"

#include <utility>

namespace dojima::journal {

Result<MappedFile> map_file(Disk& disk, const std::string& name) {
  auto file = disk.open(name, OpenMode::read);
  if (!file) return std::unexpected(file.error());
  const auto room = (*file)->map();
  if (!room) return std::unexpected(room.error());
  return MappedFile{std::move(*file), *room};
}

}  // namespace dojima::journal
