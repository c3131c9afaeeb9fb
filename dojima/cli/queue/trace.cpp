#include "dojima/cli/queue/trace.hpp"

#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <span>
#include <utility>

#include "dojima/cli/command.hpp"
#include "dojima/measure/service_trace.hpp"

namespace dojima::cli {

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

}  // namespace dojima::cli
