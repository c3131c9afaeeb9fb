#include "dojima/app/demo/timed_run.hpp"

#include <algorithm>

#include "dojima/app/demo/service_times.hpp"
#include "dojima/simulate/stages.hpp"

namespace dojima::app::demo {
namespace {

using measure::ServiceRecord;
using simulate::Stage;

std::int64_t ticks_now() noexcept {
  return static_cast<std::int64_t>(time::read_ticks().count);
}

}  // namespace

OpenLoopPacer::OpenLoopPacer(time::Time start, std::size_t capacity) : now_(start) {
  instants_.reserve(capacity);
}

void OpenLoopPacer::begin(time::Time at) noexcept {
  begin_ = at;
  begin_ticks_ = ticks_now();
  is_paced_ = true;
}

std::int64_t OpenLoopPacer::time_minus_ticks() const noexcept {
  return time::nanoseconds_of(begin_) - begin_ticks_;
}

std::uint64_t OpenLoopPacer::since_begin(std::int64_t ticks) const noexcept {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(ticks - begin_ticks_, 0));
}

time::Time OpenLoopPacer::advance(time::Time next) {
  if (next == time::k_never || next <= now_) return now_;
  now_ = next;
  std::int64_t ticks = ticks_now();
  if (is_open_) instants_.back().end_ns = since_begin(ticks);
  is_open_ = false;
  if (!is_paced_) return now_;
  const std::int64_t due = time::nanoseconds_of(next) - time_minus_ticks();
  has_idled_ = has_idled_ || ticks < due;
  while (ticks < due) ticks = ticks_now();
  if (!has_idled_ || instants_.size() == instants_.capacity()) return now_;
  const std::uint64_t start = since_begin(ticks);
  instants_.push_back({.arrival_ns = since_begin(due), .start_ns = start, .end_ns = start, .kind = k_road_kind});
  is_open_ = true;
  return now_;
}

TimedRun::TimedRun(const Settings& settings, time::Time start)
    : pacer_(start, simulate::request_capacity(settings.seconds, settings.rate)),
      columns_(simulate::k_stages, simulate::request_capacity(settings.seconds, settings.rate) * k_spare_numbers) {}

simulate::ExchangeProbe TimedRun::venue_probe() noexcept {
  return {&columns_, simulate::index_of(Stage::venue_in), simulate::index_of(Stage::venue_out)};
}

std::vector<ServiceRecord> TimedRun::services() const {
  std::vector<ServiceRecord> all;
  const std::int64_t begin = time::nanoseconds_of(pacer_.begun()) - pacer_.time_minus_ticks();  // in ticks
  struct ServedPart {
    Stage in, out;
    std::uint16_t kind, server;
  };
  constexpr ServedPart k_parts[] = {{Stage::gateway_in, Stage::gateway_out, k_gateway_kind, k_request_server},
                                    {Stage::venue_in, Stage::venue_out, k_venue_kind, k_request_server},
                                    {Stage::gateway_back_in, Stage::gateway_back_out, k_gateway_kind, k_report_server}};
  for (std::uint64_t number = 0; number < columns_.capacity(); ++number) {
    for (const ServedPart& part : k_parts) {
      const auto in = static_cast<std::int64_t>(columns_.at(simulate::index_of(part.in), number).count);
      const auto out = static_cast<std::int64_t>(columns_.at(simulate::index_of(part.out), number).count);
      if (in == 0 || out < in || in < begin) continue;
      all.push_back({.arrival_ns = static_cast<std::uint64_t>(in - begin),
                     .start_ns = static_cast<std::uint64_t>(in - begin),
                     .end_ns = static_cast<std::uint64_t>(out - begin),
                     .kind = part.kind,
                     .server = part.server});
    }
  }
  std::ranges::sort(all, {}, &ServiceRecord::arrival_ns);
  for (const ServiceRecord& instant : pacer_.instants())
    if (instant.end_ns > instant.start_ns) all.push_back(instant);
  return all;
}

}  // namespace dojima::app::demo
