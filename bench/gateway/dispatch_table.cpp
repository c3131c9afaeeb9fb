// The translator with its tables run by different engines: programs that differ in nothing else, beside this one, which
// measure themselves when they are asked to, in turn.

#include "gateway_tables.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fmt/core.h>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "dojima/measure/statistics.hpp"

namespace dojima::bench {
namespace {

constexpr std::size_t k_batch = 200;  // of a batch

/// A program that answers lines.
class CoProcess {
 public:
  explicit CoProcess(const std::string& name) {
    const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    const std::string path = folder / name;
    int to[2], from[2];
    if (::pipe2(to, O_CLOEXEC) != 0 || ::pipe2(from, O_CLOEXEC) != 0)
      throw std::system_error(errno, std::system_category(), "pipe");
    id_ = ::fork();
    if (id_ < 0) throw std::system_error(errno, std::system_category(), "fork");
    if (id_ == 0) {
      ::dup2(to[0], STDIN_FILENO);
      ::dup2(from[1], STDOUT_FILENO);
      ::execl(path.c_str(), path.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(to[0]);
    ::close(from[1]);
    in_ = ::fdopen(to[1], "w");
    out_ = ::fdopen(from[0], "r");
  }
  ~CoProcess() {
    ::fclose(in_);  // which ends it
    ::fclose(out_);
    ::waitpid(id_, nullptr, 0);
  }
  CoProcess(const CoProcess&) = delete;
  CoProcess& operator=(const CoProcess&) = delete;

  std::string ask(const std::string& line) {
    fmt::print(in_, "{}\n", line);
    std::fflush(in_);
    char answer[512];
    if (std::fgets(answer, sizeof answer, out_) == nullptr) throw std::runtime_error("a program ended: is it built?");
    return answer;
  }

 private:
  pid_t id_ = -1;
  std::FILE* in_ = nullptr;
  std::FILE* out_ = nullptr;
};

class Dispatch final : public harness::Competitor {
 public:
  Dispatch(const std::string& engine, const harness::BenchCase& of)
      : program_("dojima-gateway-dispatch-" + engine),
        line_(fmt::format("{} {} {}", of.text("way"), of.text("arrival"), k_batch)) {}

  harness::Operations run() override {
    std::istringstream answer(program_.ask(line_));
    double to_request = 0, request = 0, venue = 0, to_report = 0, report = 0, to_client = 0, total = 0, timing = 0;
    if (!(answer >> to_request >> request >> venue >> to_report >> report >> to_client >> total >> timing))
      throw std::runtime_error(answer.str());
    totals_.push_back(total);
    const double mad = measure::median_absolute_deviation(totals_) / measure::median(totals_);
    return harness::Operations{}
        .add("", k_batch)
        .figure("total_ns", total)
        .figure("timing_ns", timing)
        .figure("total_mad_percent", 100 * mad)
        .figure("to_request_ns", to_request)
        .figure("request_ns", request)
        .figure("venue_ns", venue)
        .figure("to_report_ns", to_report)
        .figure("report_ns", report)
        .figure("to_client_ns", to_client);
  }

 private:
  CoProcess program_;
  std::string line_;
  std::vector<double> totals_;
};

}  // namespace

harness::BenchTable dispatch_table() {
  harness::BenchTable table{.name = "dispatch", .title = "an order and its fill through the translator, by engine"};
  table.parameters = {{"way", {"memory", "sockets"}}, {"arrival", {"in_order", "out_of_order"}}};
  for (const auto& [name, engine] : {std::pair{"if-else", "rows"}, {"switch", "switch"}, {"perfect hash", "hash"}})
    table.competitors.push_back({name, [engine](const harness::BenchCase& of) -> std::unique_ptr<harness::Competitor> {
                                   return std::make_unique<Dispatch>(engine, of);
                                 }});
  table.competitor = "dispatch";
  table.baseline = "if-else";
  table.operation = "order";
  for (const char* engine : {"if-else", "switch", "perfect hash"}) {
    table.targets.push_back({.competitor = engine, .against = "", .limit = 5, .figure = "total_mad_percent"});
    table.targets.push_back(
        {.competitor = engine, .against = "", .limit = 1000, .where = {{"way", "memory"}}, .figure = "total_ns"});
  }
  table.notes = {
      "a NewOrderSingle becomes a NewOrder, a venue that fills everything answers, its report becomes an "
      "ExecutionReport; both sessions with all checks, nothing on disk",
      "memory: one thread, bytes handed over by a call; total is without the venue, and without timing, which is what "
      "empty sections show. sockets: client, gateway and venue "
      "in a thread each; the stages are medians of a batch",
      "to_request: until the FIX message was read; request: until the venue's connection had it; to_report: until the "
      "report was read; report: until the client's connection had its message",
      "out_of_order: all orders of a batch, then all their answers. total_mad_percent: median distance of the rounds' "
      "totals from their median; over 5 a row is noisy. ns_per_order has the exchange with the program in it"};
  return table;
}

}  // namespace dojima::bench
