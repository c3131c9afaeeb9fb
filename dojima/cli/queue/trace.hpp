#pragma once

// Service traces as the commands of `dojima queue` take them: a file, a kind, a limit above which a service is a stall;
// and laws of times, which a trace may be as well.

#include <cstdint>
#include <optional>
#include <string>

#include "dojima/queueing/answer.hpp"
#include "dojima/queueing/law.hpp"
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

/// Of which times of a trace a law is made.
enum class TracedTimes : std::uint8_t { services, gaps };

inline constexpr const char* k_laws =
    "exponential, constant, erlang:STAGES, hyperexponential:SCV, or trace:FILE[#KIND], the captured ones";

/// A law in words, with this mean. Captured times are scaled to it; a mean of 0 leaves them as they are, and is refused
/// for the other laws.
[[nodiscard]] queueing::Answer<queueing::Law> law_of(const std::string& text, double mean, TracedTimes times);

}  // namespace dojima::cli
