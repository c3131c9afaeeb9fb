#pragma once

// The market data of a venue in a file: units of MIT303 back to back, as `dojima mitch print` reads them. Written in
// the venue's thread through a buffer, which flush() empties.
//
//   FeedFile file("day.mitch");   // throws std::system_error when it cannot be written

#include <fstream>
#include <string>

#include "dojima/mitch/feed_writer.hpp"

namespace dojima::app {

class FeedFile final : public mitch::FeedSink {
 public:
  /// A file of that name is begun anew. Throws std::system_error.
  explicit FeedFile(const std::string& path);

  void on_unit(Bytes unit) override;
  void flush() { file_.flush(); }
  /// Not all that was told is in the file.
  [[nodiscard]] bool has_failed() const noexcept { return file_.fail(); }

 private:
  std::ofstream file_;
};

}  // namespace dojima::app
