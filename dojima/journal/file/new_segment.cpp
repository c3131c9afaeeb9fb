#include "dojima/journal/file/new_segment.hpp"

#include <algorithm>
#include <vector>

#include "dojima/journal/format/file_names.hpp"

namespace dojima::journal {
namespace {

constexpr std::size_t k_piece = std::size_t{1} << 20;

Result<void> write_contents(File& file, Bytes beginning, std::size_t bytes) {
  if (!beginning.empty())
    if (const auto done = file.write(0, beginning); !done) return done;
  const std::vector<std::byte> zeros(std::min(bytes - beginning.size(), k_piece));
  for (std::size_t at = beginning.size(); at < bytes; at += zeros.size()) {
    const auto done = file.write(at, Bytes(zeros).first(std::min(zeros.size(), bytes - at)));
    if (!done) return done;
  }
  return {};
}

}  // namespace

Result<void> write_segment_file(Disk& disk, const std::string& name, Bytes beginning, std::size_t bytes,
                                Through through) {
  const std::string unfinished = name + std::string(k_unfinished);
  const auto make = [&]() -> Result<void> {
    auto file = disk.open(unfinished, OpenMode::create);
    if (!file) return std::unexpected(file.error());
    if (const auto done = write_contents(**file, beginning, bytes); !done) return done;
    if (through == Through::no) return disk.rename(unfinished, name);
    if (const auto done = (*file)->sync(); !done) return done;
    if (const auto done = disk.rename(unfinished, name); !done) return done;
    return disk.sync_names();
  };
  auto made = make();
  // Half a segment would keep the room that something else may need.
  if (!made) static_cast<void>(disk.remove(unfinished));
  return made;
}

}  // namespace dojima::journal
