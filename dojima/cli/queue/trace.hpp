#pragma once

// Service traces as the commands of `dojima queue` take them: a file, a kind, a limit above which a service is a stall.

#include <cstdint>
#include <optional>
#include <string>

#include "dojima/queueing/trace_study.hpp"

namespace dojima::cli {

class Command;

struct TraceOptions {
  std::string file;
  std::optional<int> kind;
  std::optional<double> stall_ns;

  /// The word TRACE, --kind and --stall-ns.
  void add_to(Command command);
};

struct ReadTrace {
  queueing::Trace trace;
  std::uint16_t kind = 0;
  std::size_t kinds = 1;  ///< that the file has
};
/// The requests of the kind that was named, or of the lowest there is. The refusal names the file and what is wrong.
[[nodiscard]] queueing::Answer<ReadTrace> read_trace(const TraceOptions& options);

}  // namespace dojima::cli
