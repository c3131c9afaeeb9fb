#pragma once

// Reads records from segment to segment, wherever their bytes come from, and checks every sum on the way.

#include <cstdint>
#include <optional>

#include "dojima/journal/format/segment.hpp"
#include "dojima/journal/journal.hpp"

namespace dojima::journal {

class SegmentReader : public Reader {
 public:
  /// Gives the records behind `after`, which is in segment `number`, or the one before its first.
  SegmentReader(std::uint64_t number, Sequence after) noexcept : number_(number), after_(after) {}

  [[nodiscard]] Result<std::optional<Record>> next() final;

 protected:
  /// The bytes of a segment, valid until the next call.
  [[nodiscard]] virtual Result<Bytes> segment(std::uint64_t number) = 0;
  /// The newest record that may be read.
  [[nodiscard]] virtual Sequence last() const = 0;

 private:
  [[nodiscard]] Result<void> begin();

  std::uint64_t number_;
  Sequence after_;
  Walk walk_;
  bool has_begun_ = false;
};

}  // namespace dojima::journal
