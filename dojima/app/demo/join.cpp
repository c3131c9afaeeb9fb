#include <algorithm>
#include <array>

#include "dojima/app/demo/run.hpp"
#include "dojima/base/assert.hpp"
#include "dojima/measure/statistics.hpp"
#include "dojima/time/clock.hpp"

namespace dojima::app::demo {
namespace {

constexpr std::size_t k_stretches_max = 100;
constexpr std::uint64_t k_stretch_min_ns = 100'000'000;
constexpr std::uint64_t k_requests_per_stretch = 1200;  // enough for its 99th percentile

using Marks = std::span<const time::Ticks>;
constexpr std::array<std::uint8_t, simulate::k_stages> k_in_order = {0, 1, 2, 3, 4, 5, 6, 7, 8};

bool is_clients(std::uint8_t column) noexcept {
  return column <= simulate::index_of(simulate::Stage::client_sent) ||
         column == simulate::index_of(simulate::Stage::client_received);
}

/// Calls `use` for every request whose stages were all seen, in the order of the gateway's numbers.
template <class Use>
void for_each_whole(const measure::StageColumns& columns, const StageLayout& layout, Use use) {
  constexpr std::uint64_t k_number_mask = (std::uint64_t{1} << 40) - 1;  // see gateway::client_key
  for (std::uint64_t number = 0; number < columns.capacity(); ++number) {
    const std::uint64_t key = columns.client_number(number);
    if (key == measure::StageColumns::k_unbound) continue;
    std::array<time::Ticks, k_marks_max> ticks;
    bool is_whole = true;
    for (std::size_t at = 0; at < layout.columns.size(); ++at) {
      const std::uint8_t column = layout.columns[at];
      ticks[at] = columns.at(column, is_clients(column) ? key & k_number_mask : number);
      is_whole = is_whole && ticks[at].count != 0;
    }
    if (is_whole) use(Marks(ticks).first(layout.columns.size()));
  }
}

std::uint64_t nanoseconds(time::Ticks begin, time::Ticks end) {
  return static_cast<std::uint64_t>(time::nanoseconds_between(begin, end));
}

/// The stretches of a flow whose first request was due at `first` and whose last one at `last`.
void cut_into_stretches(const measure::StageColumns& columns, const StageLayout& layout, std::uint64_t first,
                        std::uint64_t last, Measured& measured) {
  const std::uint64_t span = last - first;
  const std::uint64_t whole = measured.parts.back().nanoseconds.count();
  const std::uint64_t stretches = std::clamp<std::uint64_t>(whole / k_requests_per_stretch, 1, k_stretches_max);
  const std::uint64_t length = std::max(k_stretch_min_ns, span / stretches + 1);
  std::vector<measure::Histogram> waits(span / length + 1);
  for_each_whole(columns, layout, [&](Marks ticks) {
    waits[(ticks.front().count - first) / length].record(nanoseconds(ticks.front(), ticks.back()));
  });
  measured.stretch_s = static_cast<double>(length) / 1e9;
  for (std::size_t i = 0; i < waits.size(); ++i) {
    const measure::Histogram& wait = waits[i];
    Stretch stretch{.begin_s = static_cast<double>(i) * measured.stretch_s, .answered = wait.count()};
    if (wait.count() != 0) {
      stretch.p50_ns = wait.value_at(0.5);
      stretch.max_ns = wait.max();
      if (measure::percentile_support(wait.count(), 0.99).is_printable) stretch.p99_ns = wait.value_at(0.99);
    }
    measured.stretches.push_back(stretch);
  }
}

}  // namespace

std::vector<measure::ServiceRecord> join_services(const measure::StageColumns& columns) {
  using simulate::Stage;
  struct ServedPart {
    Stage arrival, start, end;
    std::uint16_t kind, server;
  };
  constexpr ServedPart k_services[] = {
      {Stage::client_sent, Stage::gateway_in, Stage::gateway_out, k_gateway_kind, k_request_server},
      {Stage::gateway_out, Stage::venue_in, Stage::venue_out, k_venue_kind, k_request_server},
      {Stage::venue_out, Stage::gateway_back_in, Stage::gateway_back_out, k_gateway_kind, k_report_server},
      {Stage::due, Stage::client_sent, Stage::client_received, k_road_kind, k_request_server}};
  const StageLayout layout{.parts = simulate::k_parts, .columns = k_in_order};
  time::Ticks begin{~std::uint64_t{0}};
  for_each_whole(columns, layout, [&](Marks ticks) { begin.count = std::min(begin.count, ticks.front().count); });
  std::vector<measure::ServiceRecord> all;
  for_each_whole(columns, layout, [&](Marks ticks) {
    const auto since = [&](Stage stage) {
      const time::Ticks at = ticks[simulate::index_of(stage)];
      return at.count <= begin.count ? 0 : nanoseconds(begin, at);
    };
    for (const ServedPart& part : k_services) {
      measure::ServiceRecord record{.kind = part.kind, .server = part.server};
      record.arrival_ns = since(part.arrival);
      record.start_ns = std::max(since(part.start), record.arrival_ns);  // two processors' counters may differ a little
      record.end_ns = std::max(since(part.end), record.start_ns);
      all.push_back(record);
    }
  });
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.arrival_ns < b.arrival_ns; });
  return all;
}

Measured join_stages(const measure::StageColumns& columns, const simulate::Ledger& ledger) {
  return join_stages(columns, ledger, {.parts = simulate::k_parts, .columns = k_in_order});
}

Measured join_stages(const measure::StageColumns& columns, const simulate::Ledger& ledger, const StageLayout& layout) {
  DOJIMA_ASSERT(layout.parts.size() == layout.columns.size() && layout.columns.size() <= k_marks_max,
                "a part for every mark but the first, and the whole way", layout.parts.size(), layout.columns.size());
  Measured measured;
  for (const std::string_view name : layout.parts) measured.parts.push_back({std::string(name), {}});
  std::uint64_t first = ~std::uint64_t{0};
  std::uint64_t last = 0;
  for_each_whole(columns, layout, [&](Marks ticks) {
    for (std::size_t part = 0; part + 1 < ticks.size(); ++part)
      measured.parts[part].nanoseconds.record(nanoseconds(ticks[part], ticks[part + 1]));
    measured.parts.back().nanoseconds.record(nanoseconds(ticks.front(), ticks.back()));
    first = std::min(first, ticks.front().count);
    last = std::max(last, ticks.front().count);
  });
  const std::uint64_t whole = measured.parts.back().nanoseconds.count();
  if (whole != 0) cut_into_stretches(columns, layout, first, last, measured);
  const std::uint64_t answered = ledger.counts().answered;
  measured.unmeasured = answered > whole ? answered - whole : 0;
  return measured;
}

}  // namespace dojima::app::demo
