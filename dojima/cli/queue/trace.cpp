#include "dojima/cli/queue/trace.hpp"

#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "dojima/cli/command.hpp"
#include "dojima/measure/service_trace.hpp"
#include "dojima/queueing/presentation.hpp"

namespace dojima::cli {
namespace {

using queueing::Answer;
using queueing::Law;

constexpr std::string_view k_trace = "trace:";
constexpr double k_ns = 1e-9;

/// "FILE[#KIND]"
Answer<TraceOptions> trace_named(std::string_view text) {
  TraceOptions options{.file = std::string(text)};
  const std::size_t sign = text.rfind('#');
  if (sign != std::string_view::npos) {
    options.file = std::string(text.substr(0, sign));
    const std::string_view number = text.substr(sign + 1);
    int kind = 0;
    const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), kind);
    if (error != std::errc{} || stop != number.data() + number.size() || kind < 0 || kind > 65'535)
      return std::unexpected(queueing::impossible(fmt::format("\"{}\": a kind is 0 to 65535", text)));
    options.kind = kind;
  }
  std::error_code error;
  if (!std::filesystem::is_regular_file(options.file, error))
    return std::unexpected(queueing::impossible(options.file + ": no such file"));
  return options;
}

/// In seconds.
std::vector<double> times_in(const queueing::Trace& trace, TracedTimes wanted) {
  std::vector<double> times;
  for (const auto& part : trace.parts) {
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (wanted == TracedTimes::services) {
        times.push_back(static_cast<double>(part[i].end_ns - part[i].start_ns) * k_ns);
      } else if (i > 0) {
        times.push_back(static_cast<double>(part[i].arrival_ns - part[i - 1].arrival_ns) * k_ns);
      }
    }
  }
  return times;
}

Answer<Law> captured_law(std::string_view named, double mean, TracedTimes wanted) {
  if (mean != 0 && !queueing::is_positive(mean))
    return std::unexpected(queueing::impossible(fmt::format("a mean of {:g}; it must be above 0", mean)));
  const auto options = trace_named(named);
  if (!options) return std::unexpected(options.error());
  const auto read = read_trace(*options);
  if (!read) return std::unexpected(read.error());
  std::vector<double> times = times_in(read->trace, wanted);
  double sum = 0;
  for (const double time : times) sum += time;
  if (!(sum > 0)) return std::unexpected(queueing::impossible(options->file + ": no time in it is above 0"));
  if (mean != 0) {
    const double factor = mean * static_cast<double>(times.size()) / sum;
    for (double& time : times) time *= factor;
  }
  return Law::empirical(times);
}

}  // namespace

void TraceOptions::add_to(Command command) {
  command.add_option("TRACE", file, "A service trace, such as dojima lab lock --trace and dojima lab drive write")
      .required()
      .existing_file();
  command
      .add_option(
          "--kind", kind,
          "Requests of this kind only (of lab lock: 0 mutex, 1 spin, 2 ticket; of lab drive: 0 gateway, 1 venue, 2 "
          "the whole road); the lowest otherwise")
      .between(0, 65'535);
  command
      .add_option("--stall-ns", stall_ns,
                  "A longer service is a stall; 30 robust deviations above the median otherwise")
      .positive();
}

queueing::Answer<ReadTrace> read_trace(const TraceOptions& options) {
  std::ifstream file(options.file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const auto records = measure::decode_service_trace(std::as_bytes(std::span(bytes)));
  if (!records) {
    char text[160];
    return std::unexpected(queueing::impossible(fmt::format("{}: {}", options.file, describe(records.error(), text))));
  }
  const std::vector<std::uint16_t> kinds = queueing::kinds_of(*records);
  if (kinds.empty()) return std::unexpected(queueing::impossible(options.file + ": no request in it"));
  ReadTrace read{.kind = options.kind ? static_cast<std::uint16_t>(*options.kind) : kinds.front(),
                 .kinds = kinds.size()};
  auto trace = queueing::trace_of(*records, read.kind);
  if (!trace) return std::unexpected(queueing::impossible(options.file + ": " + trace.error().text));
  read.trace = std::move(*trace);
  return read;
}

Answer<Law> law_of(const std::string& text, double mean, TracedTimes times) {
  if (text.starts_with(k_trace)) return captured_law(std::string_view(text).substr(k_trace.size()), mean, times);
  if (mean == 0)
    return std::unexpected(queueing::impossible("--service is needed: only a trace has a mean of its own"));
  return queueing::parse_law(text, mean);
}

}  // namespace dojima::cli
