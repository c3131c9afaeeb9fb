#include "dojima/app/feed_file.hpp"

#include <cerrno>
#include <system_error>

namespace dojima::app {

FeedFile::FeedFile(const std::string& path) : file_(path, std::ios::binary | std::ios::trunc) {
  if (!file_) throw std::system_error(errno, std::generic_category(), path);
}

void FeedFile::on_unit(Bytes unit) {
  const std::string_view text = as_text(unit);
  file_.write(text.data(), static_cast<std::streamsize>(text.size()));
}

}  // namespace dojima::app
