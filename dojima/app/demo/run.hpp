#pragma once

// The demo itself: a venue, a gateway and FIX clients in one process with real TCP between them (or a simulated network
// in virtual time), a seeded order flow sent open loop, and what came of it: latencies by stage, trades, checks.
//
//   const auto result = demo::run({.seconds = 5, .clients = 4, .rate = 20'000}, stop, show_progress);
//   if (!result) ...                            // it could not begin: result.error() says why
//   print(demo::text_of(*result));
//   return result->is_ok() ? 0 : 1;

#include <cstdint>
#include <expected>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/app/demo/director.hpp"
#include "dojima/app/demo/settings.hpp"
#include "dojima/evidence/document.hpp"
#include "dojima/gateway/counters.hpp"
#include "dojima/measure/histogram.hpp"
#include "dojima/measure/probe.hpp"
#include "dojima/measure/service_trace.hpp"
#include "dojima/simulate/checks.hpp"
#include "dojima/simulate/day_log.hpp"
#include "dojima/simulate/ledger.hpp"
#include "dojima/simulate/stages.hpp"

namespace dojima::app::demo {

/// Nanoseconds of one part of the way, over all requests whose every stage was seen.
struct PartLatency {
  std::string name;
  measure::FineHistogram nanoseconds;
};

/// The whole way of the requests that fell due in one stretch of the flow.
struct Stretch {
  double begin_s = 0;  ///< since the first request was due
  std::uint64_t answered = 0;
  std::uint64_t p50_ns = 0;
  std::uint64_t p99_ns = 0;  ///< 0 where there are too few requests for it
  std::uint64_t max_ns = 0;
};

/// What the marks of a run say, over all requests whose every stage was seen.
struct Measured {
  std::vector<PartLatency> parts;  ///< in the order of k_parts
  std::vector<Stretch> stretches;  ///< of equal length, in the order of time
  double stretch_s = 0;            ///< their length
  std::uint64_t unmeasured = 0;    ///< answered requests of which a stage is missing
};

/// A place that takes time for messages, over the time of the flow. In virtual time only.
struct StationLoad {
  std::string name{};
  std::uint64_t messages = 0;
  double load = 0;  ///< its work over the time of the flow; the gateway's thread has requests and reports to do
  double mean_service_ns = 0;
  double mean_wait_ns = 0;
  double longest_wait_ns = 0;
};

/// An instrument went into another phase.
struct DayStep {
  double at_s = 0;  ///< since the start of virtual time
  std::string symbol;
  market::DayPhase phase{};
  market::DayReason reason{};
};

/// A process that was killed and started again.
struct Kill {
  double at_s = 0;      ///< since the flow began
  std::string process;  ///< "gateway" or "venue"
  double down_ms = 0;   ///< until it was started again
  double back_ms = 0;   ///< from then until it took connections
};

/// What a thread took of its processor while the flow ran and drained. Over sockets only.
struct ThreadLoad {
  std::string thread;
  double cpu_s = 0;   ///< processor time
  double wall_s = 0;  ///< the time in which it did so

  [[nodiscard]] double busy() const noexcept { return wall_s > 0 ? cpu_s / wall_s : 0; }
};

/// Memory of the process that is resident, without files: behind the warm-up of the flow, and once all of it has been
/// answered. Over sockets only.
struct MemoryUse {
  std::uint64_t warm_up = 0;      ///< requests that had been answered by then; 0: so many never were
  std::uint64_t begin_bytes = 0;  ///< then
  std::uint64_t end_bytes = 0;

  [[nodiscard]] bool is_known() const noexcept { return warm_up != 0 && begin_bytes != 0 && end_bytes != 0; }
  /// By how much it grew, as a part of what it was; negative: it became less.
  [[nodiscard]] double growth() const noexcept;
};

/// Memory may grow by so much, as a part of what it was.
inline constexpr double k_memory_tolerance = 0.05;
/// Of memory that is known.
[[nodiscard]] simulate::Check verify_memory(const MemoryUse& memory);
/// Both figures, in a line without its end.
[[nodiscard]] std::string text_of(const MemoryUse& memory);

/// Which threads applied the commands that came while the venue's sessions were read.
struct PartitionWork {
  std::size_t threads = 0;  ///< of the partitions; 0: they have none, and nothing else is said
  std::uint64_t by_thread = 0, by_sessions = 0;
};

struct DemoResult {
  Settings settings;
  bool is_interrupted = false;  ///< the flow was ended early
  double flow_seconds = 0;      ///< how long requests were made
  std::string trouble;          ///< the first thing that a session complained about; empty: nothing
  simulate::LedgerCounts clients;
  gateway::GatewayCounters gateway;
  simulate::VenueSnapshot venue;
  std::vector<simulate::DayStatistics> day;  ///< by instrument; empty without a trading day
  std::vector<DayStep> day_steps;
  std::vector<Kill> kills;
  std::vector<simulate::ThreadAllocations> allocations;
  std::vector<ThreadLoad> threads{};
  PartitionWork partition_work{};
  MemoryUse memory{};
  Measured measured;                                          ///< empty in virtual time without services
  std::vector<StationLoad> stations{};                        ///< in virtual time with services
  std::vector<measure::ServiceRecord> services{};             ///< those, where they are kept
  evidence::Document loop = evidence::Document::object();     ///< what the threads asked of the machine and got
  std::vector<std::string> loop_lines{};                      ///< the same for people, a line each
  evidence::Document applied = evidence::Document::object();  ///< what was in force for each thread, by its name
  std::vector<simulate::Check> checks;
  std::vector<std::string> history;  ///< of the first order that broke a check

  [[nodiscard]] bool is_ok() const noexcept;
};

struct Progress {
  Phase phase = Phase::meeting;
  double seconds = 0;  ///< since the flow began
  std::uint64_t sent = 0;
  std::uint64_t answered = 0;
  std::string day{};  ///< how far the trading day is; empty without one
};

/// Called a few times a second: whether to end early.
using Stops = std::function<bool()>;
/// Called a few times a second with the progress; may be empty.
using ShowProgress = std::function<void(const Progress&)>;

/// Runs the demo. Error: it could not begin, and why. `before_kill` is called with what had been answered by then,
/// where the settings want the process killed. Throws std::invalid_argument for settings that make no sense.
[[nodiscard]] std::expected<DemoResult, std::string> run(const Settings& settings, const Stops& stops = {},
                                                         const ShowProgress& show = {},
                                                         const ShowProgress& before_kill = {});

/// A request's way: the columns of its marks in their order, the first k_stages of which are those of simulate::Stage;
/// and the parts between them, with the whole way as the last.
struct StageLayout {
  std::span<const std::string_view> parts;
  std::span<const std::uint8_t> columns;  ///< as many as parts, at most k_marks_max
};
inline constexpr std::size_t k_marks_max = 12;
/// Columns are so many times as long as requests are made: the gateway's numbers skip places that are still in use, so
/// they run ahead of the clients'.
inline constexpr std::size_t k_spare_numbers = 2;

/// The latencies from the marks, each taken by `stage` at the gateway's or the client's number.
[[nodiscard]] Measured join_stages(const measure::StageColumns& columns, const simulate::Ledger& ledger,
                                   const StageLayout& layout);
[[nodiscard]] Measured join_stages(const measure::StageColumns& columns, const simulate::Ledger& ledger);

/// Of a run over sockets, the requests whose every stage was seen, as services of the gateway, the venue and the whole
/// road, in order of arrival; nanoseconds since the first was due. At gateway and venue a message arrives when the one
/// before sent it, so its wait is the way through the kernel and the queue behind that; on the road a request arrives
/// when it is due, whenever it was sent, and its service lasts from being sent to being answered.
[[nodiscard]] std::vector<measure::ServiceRecord> join_services(const measure::StageColumns& columns);

}  // namespace dojima::app::demo
