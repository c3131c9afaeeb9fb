#pragma once

// Tables to and from other libraries through the Arrow C data interface (arrow.apache.org/docs/format, "C data
// interface" and "C stream interface"): structures that stay as they are for good, so nothing of Arrow is linked.
//
//   ArrowStream* stream = to_arrow(table);      // one batch; shares the columns' memory
//   auto table = from_arrow(*stream);           // copies; the stream is used up and released

#include "table.hpp"

#include <cstdint>
#include <expected>
#include <memory>
#include <string>

namespace dojima::python {

// The interface's own names and order of fields.
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
struct ArrowStream {
  int (*get_schema)(ArrowStream*, ArrowSchema* out);
  int (*get_next)(ArrowStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowStream*);
  void (*release)(ArrowStream*);
  void* private_data;
};

/// The caller releases and deletes it. Missing values become nulls, which takes a pass over the columns that may have
/// some.
[[nodiscard]] ArrowStream* to_arrow(std::shared_ptr<const Table> table);

/// All batches, as int64, uint64, float64 and time columns; nulls become missing values, or 0 in unsigned ones. The
/// error is one line: the producer's, or a column that is neither of numbers nor of times.
[[nodiscard]] std::expected<Table, std::string> from_arrow(ArrowStream& stream);

}  // namespace dojima::python
